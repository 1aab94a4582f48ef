"""The whole content of a budget at the service, read directly from its rows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from budgetframe.sandbox.state.rows import Budget

Row = dict[str, Any]
Place = tuple[str, str]
"""The list of a row, and its key."""
Content = dict[Place, Row]
"""The fields of all rows that are not deleted; amounts are milliunits."""
Figures = dict[tuple[Any, ...], int]
"""Balances, activity, available and unassigned amounts, by kind, key, month and quantity."""

_TRANSACTION_FIELDS = (
    *("amount", "account_id", "payee_id", "category_id", "memo", "cleared", "approved"),
    *("flag_color", "import_id", "import_payee_name"),
)
PART_FIELDS = ("amount", "payee_id", "category_id", "memo")
_SCHEDULE_FIELDS = (
    *("frequency", "amount", "account_id", "payee_id", "category_id", "memo", "flag_color"),
)
_NAMED = {
    "accounts": ("name", "type", "on_budget", "closed", "transfer_payee_id"),
    "payees": ("name", "transfer_account_id"), "groups": ("name",),
}  # fmt: skip


class Difference(NamedTuple):
    """A row that differs between two moments; None if it does not exist."""

    place: Place
    before: Row | None
    after: Row | None


def content_of(budget: Budget) -> Content:
    """All rows of a budget."""
    found: Content = {}
    for row in budget.transactions.live():
        found["transactions", row.id] = {
            "date": row.date.isoformat(),
            **{name: getattr(row, name) for name in _TRANSACTION_FIELDS},
            # The other device can give a split a category, which the service does not use.
            **({"category_id": None} if row.parts else {}),
            "sides": [leg.transfer_transaction_id for leg in row.legs],
            "subtransactions": _parts(row),
        }
    for schedule in budget.scheduled.live():
        found["scheduled_transactions", schedule.id] = {
            "date": schedule.date_next.isoformat(),
            **{name: getattr(schedule, name) for name in _SCHEDULE_FIELDS},
            "subtransactions": _parts(schedule),
        }
    for category in budget.categories.live():
        goal = category.goal
        found["categories", category.id] = {
            "name": category.name, "category_group_id": category.group_id, "note": category.note,
            "goal_target": None if goal is None else goal.target,
            "goal_target_date": goal and goal.target_date and goal.target_date.isoformat(),
        }  # fmt: skip
        for number, amounts in budget.category_months[category.id].items():
            if amounts.assigned:
                place = "month_categories", f"{first_day(number)} {category.id}"
                found[place] = {"budgeted": amounts.assigned}
    for table, names in _NAMED.items():
        for named in getattr(budget, table).live():
            found[table, named.id] = {name: getattr(named, name) for name in names}
    return found


def _parts(row: Any) -> list[Row]:
    """The parts in an order that does not depend on their keys."""
    return in_order([{name: getattr(part, name) for name in PART_FIELDS} for part in row.parts])


def in_order(parts: list[Row]) -> list[Row]:
    """Parts in the order of their fields."""
    return sorted(parts, key=lambda part: repr(list(part.values())))


def first_day(number: int) -> str:
    """The first day of a month, from the number of months since year 0."""
    return f"{number // 12:04}-{number % 12 + 1:02}-01"


def differences(before: Content, after: Content) -> Iterator[Difference]:
    """The rows that differ."""
    for place in {**before, **after}:
        rows = before.get(place), after.get(place)
        if rows[0] != rows[1]:
            yield Difference(place, *rows)


def figures_of(budget: Budget) -> Figures:
    """The figures of the service for accounts, categories and months."""
    found: Figures = {
        ("account", row.id, None, "balance"): row.balance for row in budget.accounts.live()
    }
    for row in budget.categories.live():
        for number, amounts in budget.category_months[row.id].items():
            found["category", row.id, first_day(number), "activity"] = amounts.activity
            found["category", row.id, first_day(number), "available"] = amounts.balance
    for month in budget.months.live():
        found["budget", None, first_day(month.number), "to_be_budgeted"] = month.to_be_budgeted
    return found
