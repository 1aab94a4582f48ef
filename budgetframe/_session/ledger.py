"""The ledger of a budget, made from its lists."""

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
"""The lists of names, and the columns of the rows that hold their keys."""


async def ledger_of(session: Session) -> pd.DataFrame:
    """Return the ledger of all transactions, which is built once for the same answers."""
    answers = session.reads.remembered_lists([_ROWS[0], *_KEYS_OF])
    if answers is None:
        # Read the transactions first: then the other lists hold every key that they name, unless
        # it was deleted since.
        answers = {name: await session.answer_of(name) for name in (_ROWS[0], *_KEYS_OF)}
    # The parts come from the same answer: in another one they could belong to other splits.
    sources = dict.fromkeys(_ROWS, answers[_ROWS[0]]) | {name: answers[name] for name in _KEYS_OF}
    known, frames = session.ledger, session.frames_of(sources)
    if known is None or known[0] != frames:
        for name in _KEYS_OF:
            sources[name] = await _complete(session, name, sources)
        frames = session.frames_of(sources)
        known = session.ledger = frames, ledger(*(built.frame for built in frames))
    frame = known[1].copy()
    frame.attrs = session.attrs_of(sources.values())
    return frame


async def _complete(session: Session, name: str, sources: Mapping[str, Answer]) -> Answer:
    """Return a list of names, reloaded if it is older than the rows and lacks keys of theirs."""
    rows, names = sources[_ROWS[0]], sources[name]
    if names.is_new or names.data is rows.data:
        return names
    built = session.frames_of({table: sources[table] for table in (*_ROWS, name)})
    *booked, known = (each.frame for each in built)
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
