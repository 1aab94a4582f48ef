"""The household assigns its money to categories, and never more than it has."""

from __future__ import annotations

from budgetframe.sandbox.state.rows import Category, month_start

from .home import Household
from .tables import GROUPS, BudgetLine

_RESERVE = 120  # euros that stay in Ready to Assign
_MONTHS_SINCE_OVERSPENDING = 6  # how many months ago the household did not cover its overspending


def assign_month(home: Household, number: int, purchased: dict[str, int]) -> None:
    """Assign planned amounts, cover overspending, save the rest; `purchased` is beside habits."""
    editor = home.editor
    group_id = editor.categories.add_movement_group(number, home.translate("Monthly plan"))
    for group_name, lines in GROUPS.items():
        for line in lines:
            category = home.categories[group_name, line.name]
            extra = purchased.get(category.id, 0)
            amount = _planned_amount(home, line, category, number, extra)
            if amount:
                editor.categories.assign(category, number, amount, group_id=group_id)
    editor.books.settle()
    surplus = home.budget.month(number).to_be_budgeted - home.money(_RESERVE)
    step = home.money(10)
    if surplus >= step:
        _save(home, number, surplus // step * step, group_id)


def _planned_amount(
    home: Household, line: BudgetLine, category: Category, number: int, extra: int
) -> int:
    category_month = home.budget.category_months[category.id][number]
    carried_over = max(0, category_month.balance - category_month.activity)
    spent = -category_month.activity
    if line.months and month_start(number).month not in line.months:
        planned = 0
    else:
        planned = home.planned(line.monthly, number)
    if line.is_bill and spent > 0:
        return max(0, spent - carried_over)
    if line.refilled:
        planned = max(0, planned + extra - carried_over)
    else:
        planned += extra
    is_uncovered = number == home.budget.current_month - _MONTHS_SINCE_OVERSPENDING
    return planned if is_uncovered else max(planned, spent - carried_over)


def rebalance(home: Household) -> None:
    """Take money from the savings where more was assigned than was available."""
    budget = home.budget
    for number in range(budget.first_month, budget.current_month + 1):
        home.editor.books.settle()
        missing = -budget.month(number).to_be_budgeted
        if missing > 0:
            step = home.money(10)
            _save(home, number, -(-(-missing // step) * step), None)


def _save(home: Household, number: int, amount: int, group_id: str | None) -> None:
    """Assign more to the savings, or take money from them as far as they have it."""
    savings = home.categories["Savings", "Emergency Fund"]
    category_months = home.budget.category_months[savings.id]
    months = range(number, home.budget.last_month + 1)
    available = min(category_months[month].balance for month in months)
    change = max(amount, -available) if available > 0 else max(amount, 0)
    if change:
        assigned = category_months[number].assigned + change
        home.editor.categories.assign(savings, number, assigned, group_id=group_id)
