"""What a goal says about one month: derived when asked for, never stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetframe.sandbox._state import month_number

if TYPE_CHECKING:
    from budgetframe.sandbox._state import Cell, Goal


def progress(goal: Goal, cell: Cell, month: int) -> dict[str, int | None]:
    """Give the derived fields of a goal, amounts in milliunits."""
    brought = cell.balance - cell.assigned - cell.activity
    months_left: int | None = None
    if goal.target_date is not None:
        months_left = max(1, month_number(goal.target_date) - month + 1)
    elif goal.type in {"MF", "NEED", "DEBT"}:
        months_left = 1

    if goal.type == "TB" or goal.target_date is not None:
        funded = max(0, cell.balance)
        left = max(0, goal.target - funded)
        still = max(0, goal.target - max(0, brought + cell.activity))
        share = -(-still // (months_left or 1))
    else:
        # "Refill up to" counts what came over from last month, "Set aside another" does not.
        refill = goal.type == "NEED" and goal.needs_whole_amount is False
        funded = cell.assigned + (max(0, brought) if refill else 0)
        left = max(0, goal.target - funded)
        share = left + cell.assigned
    return {
        "goal_percentage_complete": 100
        if goal.target <= 0
        else max(0, min(100, funded * 100 // goal.target)),
        "goal_months_to_budget": months_left,
        "goal_under_funded": max(0, share - cell.assigned),
        "goal_overall_funded": funded,
        "goal_overall_left": left,
    }
