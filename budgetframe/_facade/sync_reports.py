"""Reports, without ``await``."""

from __future__ import annotations

from budgetframe._facade.aio.reports import AsyncReports

from .blocking import Twin, blocking

__all__ = ["Reports"]


class Reports(Twin[AsyncReports]):
    """The reports of a budget: ``bf.reports.net_worth()``, and ``.plot()`` for its picture.

    They are the functions of `budgetframe.reports`, given the frames that they are made of.
    """

    net_worth = blocking(AsyncReports.net_worth)
    balances = blocking(AsyncReports.balances)
    income_expense = blocking(AsyncReports.income_expense)
    spending = blocking(AsyncReports.spending)
    budget_vs_actual = blocking(AsyncReports.budget_vs_actual)
    same_period = blocking(AsyncReports.same_period)
    runway = blocking(AsyncReports.runway)
    age_of_money = blocking(AsyncReports.age_of_money)
    money_flow = blocking(AsyncReports.money_flow)
    income_sankey = blocking(AsyncReports.income_sankey)
    forecast = blocking(AsyncReports.forecast)
