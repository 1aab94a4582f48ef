"""Answers from a budget: pure functions from its frames to tidy frames, each with a picture.

Each function takes frames that a `BudgetFrame` gives and returns a `Report`: a DataFrame whose
``attrs["rules"]`` say how it was counted, and whose ``.plot()`` draws it. ``bf.reports`` has all of
them as methods that read the frames themselves. Where a row of a report has no rows to count it is
there with a zero; sums are sums of integers.
"""

from __future__ import annotations

from .budget_vs_actual import age_of_money, budget_vs_actual
from .currency import in_currency, money_axis
from .forecast import forecast, scheduled_dates
from .income_sankey import income_sankey
from .money_flow import money_flow
from .net_worth import balances, net_worth
from .report import Report
from .runway import runway
from .same_period import same_period
from .spending import income_expense, spending

__all__ = [
    "Report",
    "age_of_money",
    "balances",
    "budget_vs_actual",
    "forecast",
    "in_currency",
    "income_expense",
    "income_sankey",
    "money_axis",
    "money_flow",
    "net_worth",
    "runway",
    "same_period",
    "scheduled_dates",
    "spending",
]
