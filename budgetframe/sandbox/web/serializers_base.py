"""What all writers of rows share: the spelling, names of other rows, companions of amounts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from .currency import companions

if TYPE_CHECKING:
    from budgetframe.sandbox.state.rows import Budget

Json = dict[str, Any]

_GOAL_AMOUNTS = ("goal_target", "goal_under_funded", "goal_overall_funded", "goal_overall_left")
_AMOUNTS = {
    "account": ("balance", "cleared_balance", "uncleared_balance"),
    "category": ("balance", "activity", "budgeted", *_GOAL_AMOUNTS),
    "month": ("income", "budgeted", "activity", "to_be_budgeted"),
    "row": ("amount",),
}


def day(value: date | None) -> str | None:
    """Write a date."""
    return None if value is None else value.isoformat()


def moment(value: datetime | None) -> str | None:
    """Write a point in time, in UTC."""
    return None if value is None else value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class SerializerBase:
    """Writes for one budget.

    `published` is the spelling of `/plans`, else that of `/budgets`. The whole export has
    neither names of other rows nor companions of amounts.
    """

    budget: Budget
    published: bool
    export: bool = False

    def _dress(self, kind: str, row: Json) -> Json:
        if self.published and not self.export:
            for name in _AMOUNTS[kind]:
                row |= companions(name, row[name], self.budget.currency)
        return row

    def _names(self, **names: str | None) -> Json:
        return {} if self.export else names
