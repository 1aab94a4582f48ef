"""The predicted effects of a plan, from the service's own figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from budgetframe._session.written import parts_of
from budgetframe.frames.ledger import ledger

from .effects import Figures, Posting, effects_of, month_number
from .plan import Change, Plan
from .service_state import booked_state
from .state import Names, State
from .transfers import Simulation, legs

if TYPE_CHECKING:
    from budgetframe._session.reads import Answer
    from budgetframe._session.session import Session

_COUNTED = ("amount", "category_id", "payee_id")


async def effects_of_changes(
    session: Session, changes: Sequence[Change], state: State
) -> pd.DataFrame:
    """The figures that changes change, from the export of the budget."""
    has_booked = any(change.resource == "transactions" for change in changes)
    return (await KnownFigures.read(session, state if has_booked else None)).effects(changes)


class KnownFigures(NamedTuple):
    """The service's own figures of a budget, and the transactions that they follow from."""

    rows: State
    figures: Figures

    @classmethod
    async def read(
        cls, session: Session, state: State | None, *, is_new: bool = False
    ) -> KnownFigures:
        """Read the export of the budget: a new one if a state is given and it does not agree."""
        answer = await session.reads.read_export(is_new=is_new)
        rows = _rows_of(session, answer, state)
        if not answer.is_new and state is not None and not _agrees(rows, state):
            answer = await session.reads.read_export(is_new=True)
            rows = _rows_of(session, answer, state)
        of_ledger = "transactions", "subtransactions", "accounts", "categories", "payees"
        frames = session.frames_from(answer, "month_categories", "months", *of_ledger)
        booked = ledger(*(frames[name] for name in of_ledger))
        figures = Figures(frames["accounts"], frames["month_categories"], frames["months"], booked)
        return cls(rows, figures)

    def effects(self, changes: Sequence[Change]) -> pd.DataFrame:
        """The figures that changes change."""
        booked = [change for change in changes if change.resource == "transactions"]
        after = Simulation(self.rows, Plan(booked).in_order())
        removed = _postings(after, map(after.before, after.rows))
        added = _postings(after, after.rows.values())
        assigned = {
            (str(change.key), month_number(change.month or "")): int(change.after["budgeted"])
            for change in changes
            if change.resource == "month_categories"
        }
        return effects_of(self.figures, removed, added, assigned)


def _rows_of(session: Session, export: Answer, state: State | None) -> State:
    lists = session.usable_lists(export, "transactions", "subtransactions")
    names = state.names if state else Names([], [], [])
    return booked_state(session, lists["transactions"], names)


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


def _postings(
    simulation: Simulation, rows: Iterable[Mapping[str, Any] | None]
) -> Iterator[Posting]:
    for row in filter(None, rows):
        for leg in legs(row):
            yield Posting(
                row["account_id"],
                month_number(row["date"]),
                leg["amount"],
                leg.get("category_id"),
                simulation.target(row, leg),
            )
