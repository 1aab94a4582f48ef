"""Assigned and moved money as changes, which are compared, sent and undone as those of a frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from budgetframe._resources import current_month
from budgetframe._runtime.arguments import nothing_sent
from budgetframe._session.assigning import read_moves
from budgetframe._session.names import check_text

from .categories import add_assigned
from .collector import Collector
from .plan import Compared
from .plan_warnings import finished_plan
from .service_state import assigned_in, names_of, read_state
from .state import State

if TYPE_CHECKING:
    from budgetframe._session.session import Session


async def assignment(session: Session, month: str, category: str, milliunits: int) -> Compared:
    """The change of the amount that is assigned to a category in a month, or in the current one."""
    with nothing_sent():
        category = check_text(category, "category")
    today = session.reads.now().date()
    month = current_month(today) if month == "current" else month
    _, state = await read_state(session, "month_categories", [month])
    key = state.names.key_of("category", category, "category")
    return _planned(session, state, month, {key: milliunits})


async def movement(
    session: Session, month: str, from_: str | None, to: str | None, milliunits: int
) -> Compared:
    """The changes of both assigned amounts, with the parameters of `move`."""
    found = await read_moves(session, month, from_, to, milliunits)
    rows = assigned_in(session, found.answer, "month")
    state = State(rows, await names_of(session), session.reads.now().date())
    return _planned(session, state, found.month, {each.key: each.after for each in found.moves})


def _planned(session: Session, state: State, month: str, amounts: dict[str, int]) -> Compared:
    found = Collector(state, resource="month_categories")
    for key, milliunits in amounts.items():
        add_assigned(found, key, month, milliunits)
    if len(found.changes) == 2:  # noqa: PLR2004 - one is not made without the other
        keys = [each.key for each in reversed(found.changes)]
        found.changes[:] = [
            replace(each, shown={**each.shown, "moved_with": key})
            for each, key in zip(found.changes, keys, strict=True)
        ]
    currency = session.budget_attrs().get("currency_format")
    return Compared(finished_plan(state, found.changes, currency=currency), state)
