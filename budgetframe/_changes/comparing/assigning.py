"""Assigned and moved money as changes of the amounts that are assigned in a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from budgetframe._changes.collector import Collector
from budgetframe._changes.plan import Compared, differs
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._changes.service_state import read_month
from budgetframe._changes.state import wire_row
from budgetframe._runtime.arguments import nothing_sent, refused
from budgetframe._session.names import check_text

from .categories import add_assigned

if TYPE_CHECKING:
    from budgetframe._session.session import Session

_READY_NAMES = frozenset({None, "Ready to Assign", "Inflow: Ready to Assign"})


async def assignment(
    session: Session, month: str, category: str, milliunits: int, *, is_new: bool
) -> Compared:
    """The change of the amount that is assigned to a category in a month, or in the current one."""
    with nothing_sent():
        category = check_text(category, "category")
    state, first, known = await read_month(session, month, is_new=is_new)
    if known and not state.names.has("category", category):  # another device may have created it
        state, first, known = await read_month(session, month, is_new=True)
    key = state.names.key_of("category", category, "category")
    found = Collector(state, resource="month_categories", sends_all=known)
    add_assigned(found, key, first, milliunits)
    if known and not differs(found.changes):
        return await assignment(session, month, category, milliunits, is_new=True)
    return _planned(found, [f"{first} {key}"])


async def movement(
    session: Session,
    month: str,
    from_: str | None,
    to: str | None,
    milliunits: int,
    **_is_new: bool,
) -> Compared:
    """The changes that move money between two categories in a month, which is always read again.

    A category is a key, a name, or a group and a name; None and the names of Ready to Assign mean
    Ready to Assign.
    """
    with nothing_sent():
        from_ = None if from_ is None else check_text(from_, "from_")
        to = None if to is None else check_text(to, "to")
    state, first, _ = await read_month(session, month, is_new=True)
    found, keys = Collector(state, resource="month_categories"), []
    for argument, end, change in (("from_", from_, -milliunits), ("to", to, milliunits)):
        if end in _READY_NAMES:
            continue
        key = state.names.key_of("category", end, argument)
        if not state.names.is_income(key):
            row = state.rows.get(f"{first} {key}", {})
            before = wire_row(row, "month_categories")["budgeted"] or 0
            add_assigned(found, key, first, before + change)
            keys.append(key)
    if len(set(keys)) < max(len(keys), 1):
        raise refused(f"from_={from_!r} and to={to!r} are the same")
    if len(found.changes) == 2:  # noqa: PLR2004 - one is not made without the other
        pairs = zip(found.changes, reversed(keys), strict=True)
        found.changes[:] = [replace(change, moved_with=key) for change, key in pairs]
    return _planned(found, [f"{first} {key}" for key in keys])


def _planned(found: Collector, given: Sequence[str]) -> Compared:
    return Compared(finished_plan(found.state, found.changes), found.state, given=given)
