"""Reports on a budget: functions that turn its frames into tidy frames with a plot.

Each function takes frames of a `BudgetFrame` and returns a `Report`: a DataFrame whose
``attrs["rules"]`` state how the figures are calculated, and whose ``.plot()`` draws it.
``bf.reports`` has the same functions as methods, which read the frames themselves. A period or
label without any rows has the value zero. All sums are sums of integers.
"""

from __future__ import annotations

from .age_of_money import age_of_money
from .balances import balances
from .budget_vs_actual import budget_vs_actual
from .currency import in_currency, money_axis
from .forecast import forecast
from .income_expense import income_expense
from .income_sankey import income_sankey
from .loans import loans
from .money_flow import money_flow
from .net_worth import net_worth
from .recurring import recurring
from .report import Report
from .runway import runway
from .same_period import same_period
from .schedules import scheduled_dates
from .spending import spending

__all__ = [
    "Report",
    "age_of_money",
    "balances",
    "budget_vs_actual",
    "forecast",
    "in_currency",
    "income_expense",
    "income_sankey",
    "loans",
    "money_axis",
    "money_flow",
    "net_worth",
    "recurring",
    "runway",
    "same_period",
    "scheduled_dates",
    "spending",
]

# Pickles name the public module, so that the file of the class can move.
Report.__module__ = __name__
