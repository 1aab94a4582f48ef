"""The ledger of a budget, from the lists it is made of."""

from __future__ import annotations

from collections.abc import Mapping

import httpx
import pandas as pd

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe.errors import BudgetFrameError
from budgetframe.frames import ledger

from .reads import Answer
from .session import Session

__all__ = ["ledger_of"]

_ROWS = ("transactions", "subtransactions")
_KEYS_OF = {
    "accounts": ("account_id", "transfer_account_id"),
    "categories": ("category_id",),
    "payees": ("payee_id",),
}
"""What names the rows, and the columns of the rows that hold its keys."""


async def ledger_of(session: Session) -> pd.DataFrame:
    """The ledger of all transactions, built once for the same answers."""
    # The transactions first: whatever they name is then in the lists of names, or gone since.
    # The parts are of the same answer: of another one, they could be of splits not in the first.
    sources = dict.fromkeys(_ROWS, await session.source_of(_ROWS[0]))
    sources |= {name: await session.source_of(name) for name in _KEYS_OF}
    known, made_of = session.ledger, session.frames_of(sources)
    if known is None or known[0] != made_of:
        for name in _KEYS_OF:
            sources[name] = await _renewed(session, name, sources)
        made_of = session.frames_of(sources)
        known = session.ledger = made_of, ledger(*(built.frame for built in made_of))
    frame = known[1].copy()
    frame.attrs = session.attrs_of(sources.values())
    return frame


async def _renewed(session: Session, name: str, sources: Mapping[str, Answer]) -> Answer:
    """The names, read again where they were read before the rows and lack some of them."""
    rows, names = sources[_ROWS[0]], sources[name]
    if names.is_new or names.data is rows.data:
        return names
    frames_of = session.frames_of({table: sources[table] for table in (*_ROWS, name)})
    *booked, known = (built.frame for built in frames_of)
    keys = pd.concat([frame[column] for frame in booked for column in _KEYS_OF[name]]).dropna()
    if keys.isin(known.iloc[:, 0]).all():
        return names
    try:
        return await session.read_list(name, is_new=True)
    except (BudgetFrameError, httpx.RequestError) as error:
        defer_warning(
            RuntimeWarning(f"the {name} may lack some that the transactions name: {error}")
        )
        return names
