"""Goals: their progress in a month, and how a write changes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from budgetframe.sandbox.errors import bad_request

from .rows import CategoryMonth, Goal, month_number, month_start


def progress(
    goal: Goal, category_month: CategoryMonth, month: int, smallest_amount: int
) -> dict[str, int | None]:
    """Return the derived fields of a goal, amounts in milliunits without parts of the smallest."""
    carried_over = category_month.balance - category_month.assigned - category_month.activity
    months_left: int | None = None
    if goal.target_date is not None:
        months_left = max(1, month_number(goal.target_date) - month + 1)
    elif goal.type in {"MF", "NEED", "DEBT"}:
        months_left = 1

    if goal.type == "TB" or goal.target_date is not None:
        funded = max(0, category_month.balance)
        left = max(0, goal.target - funded)
        missing = max(0, goal.target - max(0, carried_over + category_month.activity))
        needed = -(-missing // ((months_left or 1) * smallest_amount)) * smallest_amount
    else:
        # "Refill up to" counts the balance of the month before, "Set aside another" does not.
        refill = goal.type == "NEED" and goal.needs_whole_amount is False
        funded = category_month.assigned + (max(0, carried_over) if refill else 0)
        left = max(0, goal.target - funded)
        needed = left + category_month.assigned
    percentage = 100 if goal.target <= 0 else max(0, min(100, funded * 100 // goal.target))
    return {
        "goal_percentage_complete": percentage, "goal_months_to_budget": months_left,
        "goal_under_funded": max(0, needed - category_month.assigned),
        "goal_overall_funded": funded, "goal_overall_left": left,
    }  # fmt: skip


_NOT_FOR_LOANS = ("goal_target_date", "goal_frequency", "goal_needs_whole_amount")
_CADENCES = {"monthly": 1, "weekly": 2, "yearly": 13}


def updated_goal(
    fields: dict[str, Any], goal: Goal | None, *, is_payment: bool, month: int
) -> Goal | None:
    """The goal of a category after a write: a target adds a monthly one, and null removes it."""
    frequency, target = fields.get("goal_frequency"), fields.get("goal_target")
    if goal is not None and goal.type == "DEBT":  # only a category that is paired with a loan
        for name in _NOT_FOR_LOANS:
            if fields.get(name) is not None:
                raise bad_request(f"{name} is not allowed for a category of a loan account")
    if target is not None and target < 0:
        raise bad_request("goal_target must not be negative")
    if frequency is not None:
        if target is None or fields.get("goal_target_date") is not None or is_payment:
            raise bad_request(
                "goal_frequency requires goal_target and allows neither goal_target_date "
                "nor a Credit Card Payment category"
            )
        goal = None
    if "goal_target" in fields and target is None:
        return None
    if goal is None and target is not None:
        goal = Goal(
            type="MF" if is_payment else "NEED", target=target, created=month_start(month),
            needs_whole_amount=None if is_payment else True,
            cadence=_CADENCES[frequency or "monthly"], cadence_frequency=1,
        )  # fmt: skip
    return _adjusted(goal, fields)


def _adjusted(goal: Goal | None, fields: dict[str, Any]) -> Goal | None:
    due, whole = fields.get("goal_target_date"), fields.get("goal_needs_whole_amount")
    if goal is None:
        if due is not None or whole is not None:
            raise bad_request("goal_target is missing")
        return None
    if whole is not None and goal.type != "NEED":
        raise bad_request("goal_needs_whole_amount is for goals of type NEED")
    changes: dict[str, Any] = {"target": fields.get("goal_target", goal.target)}
    if whole is not None:
        changes["needs_whole_amount"] = whole
    if "goal_target_date" in fields:
        changes["target_date"] = due
    if goal.type == "NEED" and goal.target_date is None and due is not None:
        # The goal is due once, on that date.
        changes |= {"cadence": 0, "cadence_frequency": None}
    return replace(goal, **changes)
