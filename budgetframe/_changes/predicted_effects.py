"""The predicted effects of a plan, from the service's own figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from budgetframe.frames.ledger import ledger

from .effects import Figures, effects_of, month_number
from .plan import Change, Plan
from .state import State, parts_of
from .transfers import Simulation

__all__ = ["effects_of_changes"]

if TYPE_CHECKING:
    from budgetframe._session.session import Session

_COUNTED = ("amount", "category_id", "payee_id")


async def effects_of_changes(
    session: Session, changes: Sequence[Change], state: State
) -> pd.DataFrame:
    """The figures that changes change, from the export of the budget."""
    answer = await session.reads.read_export()
    rows = State.of(session.lists_in(answer)["transactions"], state.names, state.today)
    booked = [change for change in changes if change.resource == "transactions"]
    if not answer.is_new and booked and not _agrees(rows, state):
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
    removed, added = Simulation(rows, Plan(booked).in_order()).postings()
    assigned = {
        (str(change.key), month_number(change.month or "")): int(change.after["budgeted"])
        for change in changes
        if change.resource == "month_categories"
    }
    return effects_of(figures, removed, added, assigned)


def _agrees(rows: State, state: State) -> bool:
    """Whether the transactions of both states lead to the same figures."""
    booked = {key: raw for key, raw in state.rows.items() if "cleared" in raw}
    return rows.rows.keys() == booked.keys() and all(
        _counted(raw) == _counted(booked[key]) for key, raw in rows.rows.items()
    )


def _counted(raw: Mapping[str, Any]) -> list[Any]:
    """What counts in figures."""
    return [
        [raw.get("date"), raw.get("account_id")],
        *([row.get(name) for name in _COUNTED] for row in (raw, *parts_of(raw))),
    ]
