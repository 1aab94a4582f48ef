"""How a target repeats, what it costs a month, and what a month needs for it."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._milliunits import is_money, to_milliunits

_SATURDAY = 6
_WEEK = 7


class TargetPlan(NamedTuple):
    """How a target repeats."""

    words: str
    cost: int | None  # of the month, in milliunits; missing: none, or unknown
    due: pd.Timestamp | None  # the next day
    overdue: int | None = None  # what is needed because the day is over, in milliunits
    is_over: bool = False  # whether it is: `overdue` is then known, or nothing is


class Target(NamedTuple):
    """What the service states of a target; amounts in milliunits."""

    goal_type: str | None
    goal_target: int | None
    goal_target_date: pd.Timestamp | None
    goal_months_to_budget: int | None
    goal_overall_funded: int | None
    goal_overall_left: int | None
    goal_cadence: int | None
    goal_cadence_frequency: int | None
    goal_day: int | None
    goal_under_funded: int | None
    goal_needs_whole_amount: bool | None
    budgeted: int | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Target:
        """The target in a row of an answer, with amounts in currency units."""
        found = cls._make(
            to_milliunits(value) if is_money(name) and type(value) is not bool and value else value
            for name, value in ((name, row.get(name)) for name in cls._fields)
        )
        due = found.goal_target_date or row.get("goal_target_month")
        return found._replace(goal_target_date=None if due is None else pd.Timestamp(due))

    def needs(self, plan: TargetPlan) -> int | None:
        """What is still needed in the month whose figures are stated; None if it is not known."""
        if plan.is_over and plan.overdue is None:
            return None
        known = [each for each in (self.goal_under_funded, plan.overdue) if each is not None]
        return max(known, default=None)

    def required(self, carried: int, activity: int, first: pd.Timestamp, unit: int) -> int:
        """What must be assigned in a month in all, with what it began with and its activity."""
        # It is negative if the target would be reached with less than it began with. An unknown
        # target requires nothing.
        plan, is_weekly = self.plan(first, unit), self.goal_cadence == _WEEKLY
        amount = plan.cost if is_weekly else self.goal_target
        if self.goal_type is None or amount is None or plan.words == UNKNOWN:
            return 0
        is_dated = self.goal_target_date is not None and not is_weekly
        if is_dated or self.goal_type in BALANCES:
            missing, months = amount - carried - activity, 1
            if is_dated:
                dated = self._replace(goal_target_date=plan.due, goal_months_to_budget=None)
                months = dated.months(first)
            return (_rounded_up(missing, months, unit) or 0) if missing > 0 else missing
        return amount - carried * (self.goal_needs_whole_amount is False)

    def plan(self, today: pd.Timestamp, unit: int) -> TargetPlan:
        """How the target repeats, with its cost as a multiple of the smallest unit of money."""
        cadence, times = self.goal_cadence, self.goal_cadence_frequency or 1
        due, day = self.goal_target_date, self.goal_day
        last_day = _WEEK - 1 if cadence == _WEEKLY else _LONGEST_MONTH
        if times < 1 or not (day is None or 0 <= day <= last_day):
            return TargetPlan(UNKNOWN, None, due)
        if not cadence:
            if due is not None:
                cost = _rounded_up(self._left(self.budgeted), self.months(today), unit)
                left = self._left() if self._left() is not None else self.goal_overall_left
                return TargetPlan("once", cost, due, left if due < today else None, due < today)
            if cadence == 0 or self.goal_type in BALANCES:
                return TargetPlan("no date", None, None)
            cadence = _MONTHLY
        if cadence == _WEEKLY:
            return self._weekly(today, times, unit)
        if cadence not in _MONTHS:
            return TargetPlan(UNKNOWN, None, due)
        number, noun = _MONTHS[cadence]
        number *= times if cadence in _MULTIPLIED else 1
        words = _every(number // 12, "year") if noun == "year" else _every(number, "month")
        if due is not None:  # a date of an earlier period
            before = 12 * (today.year - due.year) + today.month - due.month
            due += pd.DateOffset(months=number * max(0, -(-before // number)))
        elif number == 1:
            last = monthrange(today.year, today.month)[1]
            due = today.replace(day=min(day or last, last))
        return TargetPlan(words, _rounded_up(self.goal_target, number, unit), due)

    def _weekly(self, today: pd.Timestamp, times: int, unit: int) -> TargetPlan:
        """A target of each week, or of every n weeks from its day on."""
        first, days = today.replace(day=1), monthrange(today.year, today.month)[1]
        stated, step, parts = self.goal_target_date, _WEEK * times, 1
        if stated is not None and (times > 1 or self.goal_day is None):
            day = stated
        else:  # the service counts from Sunday, pandas from Monday
            weekday = ((_SATURDAY if self.goal_day is None else self.goal_day) - 1) % _WEEK
            day = today + pd.Timedelta(days=(weekday - today.weekday()) % _WEEK)
            step, parts = _WEEK, times  # of several weeks, it is not known which
        count = sum((first - day).days % step == -offset % step for offset in range(days))
        cost = None if self.goal_target is None else self.goal_target * count
        due = None if parts > 1 else day
        if due is not None:
            due += pd.Timedelta(days=step * max(0, -(-(today - due).days // step)))
        return TargetPlan(_every(times, "week"), _rounded_up(cost, parts, unit), due)

    def months(self, today: pd.Timestamp) -> int:
        """The number of months until the target is due, with this month among them."""
        due = self.goal_target_date
        if self.goal_months_to_budget is None and due is not None:
            return max(1, 12 * (due.year - today.year) + due.month - today.month + 1)
        return max(1, self.goal_months_to_budget or 1)

    def _left(self, without: int | None = None) -> int | None:
        """What the target lacks, also if an amount that was assigned to it had not been."""
        if self.goal_target is None or self.goal_overall_funded is None:
            return None
        return max(0, self.goal_target - max(0, self.goal_overall_funded - (without or 0)))


_MONTHLY, _WEEKLY = 1, 2
_MONTHS = {
    _MONTHLY: (1, "month"),
    **{cadence: (cadence - 1, "month") for cadence in range(3, 13)},
    13: (12, "year"),
    14: (24, "year"),
}
"""The number of months of each cadence, and its unit in words."""
_MULTIPLIED = (_MONTHLY, 13)
BALANCES = ("TB", "TBD")
UNKNOWN = "unknown"
_LONGEST_MONTH = 31


def _every(number: int, noun: str) -> str:
    return f"{noun}ly" if number == 1 else f"every {number} {noun}s"


def _rounded_up(amount: int | None, parts: int, unit: int) -> int | None:
    """A part of an amount, so that the parts are together at least the amount."""
    return None if amount is None else -(-amount // (parts * unit)) * unit
