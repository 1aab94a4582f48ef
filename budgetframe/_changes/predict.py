"""The predicted effects of a plan, from the service's own figures."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from budgetframe._session.session import Session
from budgetframe.frames.ledger import ledger

from .effects import Figures, effects_of
from .plan import Change, Plan
from .simulation import Simulation
from .state import State, wire_row

__all__ = ["effects_of_changes"]

_MONTHS = 12


async def effects_of_changes(
    session: Session, changes: Sequence[Change], state: State
) -> pd.DataFrame:
    """The figures that changes change, from the export of the budget.

    Parameters
    ----------
    session : Session
        Reads the export, unless it is fresh and agrees with the state.
    changes : sequence of Change
        The changes.
    state : State
        The state that the changes were compared with.
    """
    answer = await session.reads.read_export()
    rows = State.of(session.lists_in(answer)["transactions"], state.names, state.today)
    booked = [change for change in changes if change.resource == "transactions"]
    if not answer.is_new and not _agrees(rows, state, booked):
        answer = await session.reads.read_export(is_new=True)
        rows = State.of(session.lists_in(answer)["transactions"], state.names, state.today)
    names = "accounts", "month_categories", "months", "transactions", "subtransactions"
    frames = session.frames_from(answer, *names, "categories", "payees")
    booked_rows = ledger(
        *(
            frames[name]
            for name in ("transactions", "subtransactions", "accounts", "categories", "payees")
        )
    )
    figures = Figures(frames["accounts"], frames["month_categories"], frames["months"], booked_rows)
    plan = Plan(booked)
    order = [booked[at] for request in plan.requests() for at in request.positions]
    removed, added = Simulation(rows, order).postings()
    assigned = {
        (str(change.key), _number(change.month or "")): int(change.after["budgeted"])
        for change in changes
        if change.resource == "month_categories"
    }
    return effects_of(figures, removed, added, assigned)


def _agrees(rows: State, state: State, changes: Sequence[Change]) -> bool:
    """Whether the changed rows are the same in both states."""
    for change in changes:
        if change.key is None:
            continue
        both = rows.rows.get(change.key), state.rows.get(change.key)
        if both[0] is None or both[1] is None:
            return False
        if wire_row(both[0], "transactions") != wire_row(both[1], "transactions"):
            return False
    return True


def _number(month: str) -> int:
    """The number of months since year 0."""
    return int(month[:4]) * _MONTHS + int(month[5:7]) - 1
