"""Answers from a budget: pure functions from its frames to tidy frames, each with a picture.

Each function takes frames that a `BudgetFrame` gives and returns a `Report`: a DataFrame whose
``attrs["rules"]`` say how it was counted, and whose ``.plot()`` draws it. ``bf.reports`` has all of
them as methods that read the frames themselves. Where a row of a report has no rows to count it is
there with a zero; sums are sums of integers.
"""

from __future__ import annotations

from ._comparison import same_period
from ._currency import in_currency, money_axis
from ._flows import income_expense, spending
from ._forecast import forecast, scheduled_dates
from ._movement import money_flow
from ._plan import age_of_money, budget_vs_actual
from ._report import Report
from ._runway import runway
from ._sankey import income_sankey
from ._worth import balances, net_worth

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
