"""How the household gives its money to categories: only what it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetframe.sandbox.state.rows import month_start

from .tables import GROUPS

if TYPE_CHECKING:
    from budgetframe.sandbox.state.rows import Category

    from .builder import Household
    from .tables import BudgetLine

_KEPT_BACK = 120
_MONTHS_SINCE_THE_SLIP = 6
"""How long ago the household did not cover what it had overspent."""


def assign_month(home: Household, number: int, bought: dict[str, int]) -> None:
    """Cover what was planned and what was overspent; what is left over is saved.

    `bought` is what was spent from each category beside the habits.
    """
    entries = home.entries
    group_id = entries.movement_group(number, home.say("Monthly plan"))
    for group_name, _, lines in GROUPS:
        for line in lines:
            category = home.categories[group_name, line.name]
            extra = bought.get(category.id, 0)
            wanted = _wanted(home, line, category, number, extra)
            if wanted:
                entries.assign(category, number, wanted, group_id=group_id)
    entries.books.settle()
    spare = home.budget.month(number).to_be_budgeted - home.money(_KEPT_BACK)
    coin = home.money(10)
    if spare >= coin:
        _save(home, number, spare // coin * coin, group_id)


def _wanted(home: Household, line: BudgetLine, category: Category, number: int, extra: int) -> int:
    category_month = home.budget.category_months[category.id][number]
    brought = max(0, category_month.balance - category_month.activity)
    spent = -category_month.activity
    if line.months and month_start(number).month not in line.months:
        planned = 0
    else:
        planned = home.money(round(line.monthly * home.price_level(number) / 5) * 5)
    if line.is_bill and spent > 0:
        return max(0, spent - brought)
    if line.refilled:
        planned = max(0, planned + extra - brought)
    else:
        planned += extra
    is_slip = number == home.budget.current_month - _MONTHS_SINCE_THE_SLIP
    return planned if is_slip else max(planned, spent - brought)


def rebalance(home: Household) -> None:
    """Take back from the savings whatever was given away without being there."""
    budget = home.budget
    for number in range(budget.first_month, budget.current_month + 1):
        home.entries.books.settle()
        missing = -budget.month(number).to_be_budgeted
        if missing > 0:
            coin = home.money(10)
            _save(home, number, -(-(-missing // coin) * coin), None)


def _save(home: Household, number: int, amount: int, group_id: str | None) -> None:
    """Give more to the savings, or take from them what they have."""
    savings = home.categories["Savings", "Emergency Fund"]
    category_months = home.budget.category_months[savings.id]
    lowest = min(
        category_months[later].balance for later in range(number, home.budget.last_month + 1)
    )
    change = max(amount, -lowest) if lowest > 0 else max(amount, 0)
    if change:
        assigned = category_months[number].assigned + change
        home.entries.assign(savings, number, assigned, group_id=group_id)
