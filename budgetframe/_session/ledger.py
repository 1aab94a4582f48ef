"""The ledger of a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import httpx
import pandas as pd

from budgetframe._cache.merge import rows_after
from budgetframe._cache.storage import StoredFrame, Unread
from budgetframe._runtime.deferred_warnings import collected_warnings, defer_warning
from budgetframe.errors import BudgetFrameError
from budgetframe.frames.arrow import from_arrow
from budgetframe.frames.builder import Built
from budgetframe.frames.ledger import add_account_attrs, ledger
from budgetframe.frames.ledger_patch import names_in, patched_ledger, with_names, with_rows_of
from budgetframe.frames.tables import LEDGER

if TYPE_CHECKING:
    from .reads import Answer
    from .session import Session

_TRANSACTIONS = "transactions"
_ROW_TABLES = (_TRANSACTIONS, "subtransactions")
_LEDGER = "ledger"
_KEY_COLUMNS = {
    "accounts": ("account_id", "transfer_account_id"),
    "categories": ("category_id",),
    "payees": ("payee_id",),
}
"""The lists of names, and the columns of the rows that refer to them; the first is its own key."""
_TABLES = {_TRANSACTIONS: _ROW_TABLES, **{name: (name,) for name in _KEY_COLUMNS}}  # of each list


async def ledger_of(session: Session) -> pd.DataFrame:
    """Return the ledger of all transactions; it is built once for the same answers."""
    answers = None if session.verify else session.reads.find_fresh_lists(_TABLES)
    if answers is None:
        # Read the transactions first: then the lists of names contain all their keys, except
        # those that were deleted in the meantime.
        answers = {name: await session.answer_of(name, tables=_TABLES[name]) for name in _TABLES}
    # Both tables of rows come from one answer: parts of another answer could belong to other
    # splits.
    sources = dict.fromkeys(_ROW_TABLES, answers[_TRANSACTIONS])
    sources |= {name: answers[name] for name in _KEY_COLUMNS}
    previous, frames = session.ledger, session.frames_of(sources)
    if previous is None or previous[0] != frames:
        for name in _KEY_COLUMNS:
            sources[name] = await _complete_names(session, name, sources)
        frames = session.frames_of(sources)
        previous = session.ledger = frames, _updated(session, sources[_TRANSACTIONS], frames)
    frame = previous[1].copy()  # with copies of the terms of the loans in its attrs
    frame.attrs |= session.attrs_of(sources.values())
    if sources[_TRANSACTIONS].version != sources["accounts"].version:
        # A row may be in one of the two answers only: that is no difference of the service.
        frame.attrs.pop("differences", None)
    shown = {name: built.frame for name, built in zip(sources, previous[0], strict=True)}
    version = f"{sources[_TRANSACTIONS].version} {_LEDGER}"  # not that of the frames of an export
    state = {"ledger": previous[1], **shown}
    frame.attrs["version"] = session.states.keep(frame.attrs, version, state)
    return frame


def _updated(session: Session, rows: Answer, frames: list[Built]) -> pd.DataFrame:
    """The ledger of some frames: updated, restored from a cache file, or built."""
    transactions, *others = (built.frame for built in frames)
    # Warnings have their amounts in the format of the budget.
    transactions = transactions.copy(deep=False)
    transactions.attrs = session.budget_attrs()
    sources = transactions, *others
    if session.ledger is not None:
        before, older = session.ledger
        updated = patched_ledger(older, before, frames)
        if updated is not None:
            return updated
    if isinstance(rows.data, Unread) and _LEDGER in rows.data.frames:
        restored = _restored(rows.data.frames[_LEDGER], sources)
        if restored is not None:
            return restored
    with collected_warnings(then_defer=True) as found:
        built = ledger(*sources)
    if not found:
        session.reads.store_frames(rows, {_LEDGER: with_names(built, *sources[len(_ROW_TABLES) :])})
    return built


def _restored(stored: StoredFrame, frames: Sequence[pd.DataFrame]) -> pd.DataFrame | None:
    """The stored ledger, brought up to date with the frames; None if it must be built."""
    frame, changes = from_arrow(stored.content, LEDGER), rows_after(_TRANSACTIONS, stored.deltas)
    names = frames[len(_ROW_TABLES) :]
    if frame is None or changes is None or frame.attrs.pop("names") != names_in(frame, *names):
        return None
    if not changes[0]:
        return add_account_attrs(frame, names[0])
    return with_rows_of(changes[0], frame, *frames)


async def _complete_names(session: Session, name: str, sources: Mapping[str, Answer]) -> Answer:
    """Return a list of names; reload it if it is older than the rows and lacks keys of them."""
    rows, names = sources[_TRANSACTIONS], sources[name]
    if names.is_new or names.data is rows.data:
        return names
    built = session.frames_of({table: sources[table] for table in (*_ROW_TABLES, name)})
    *row_frames, name_frame = (part.frame for part in built)
    columns = [frame[column] for frame in row_frames for column in _KEY_COLUMNS[name]]
    if pd.concat(columns).dropna().isin(name_frame[_KEY_COLUMNS[name][0]]).all():
        return names
    try:
        return await session.read_list(name, is_new=True)
    except (BudgetFrameError, httpx.RequestError) as error:
        problem = f"the {name} may lack some that the transactions refer to: {error}"
        defer_warning(problem)
        return names
