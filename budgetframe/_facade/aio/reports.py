"""Reports, to await: each reads the frames that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, overload

import pandas as pd

from budgetframe import reports
from budgetframe._facade.docstrings import reported
from budgetframe.frames.dates import Day
from budgetframe.reports import Report

__all__ = ["AsyncReports"]

if TYPE_CHECKING:
    from . import AsyncBudgetFrame

_P = ParamSpec("_P")
_F = pd.DataFrame
_LEDGER = (
    "GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and"
    " ``payees"
)


@overload
def _made_of(
    function: Callable[Concatenate[_F, _P], Report], frame: str, /, *, source: str, cost: str
) -> Callable[Concatenate[AsyncReports, _P], Coroutine[Any, Any, Report]]: ...


@overload
def _made_of(
    function: Callable[Concatenate[_F, _F, _F, _P], Report],
    first: str,
    second: str,
    third: str,
    /,
    *,
    source: str,
    cost: str,
) -> Callable[Concatenate[AsyncReports, _P], Coroutine[Any, Any, Report]]: ...


def _made_of(
    function: Callable[..., Report], *frames: str, source: str, cost: str
) -> Callable[..., Coroutine[Any, Any, Report]]:
    """The method that reads frames, by the names of their methods, and makes the report of them."""

    async def method(self: AsyncReports, /, *args: Any, **kwargs: Any) -> Report:
        read = [await getattr(self.frames, name)() for name in frames]
        return function(*read, *args, **kwargs)

    own = signature(method)
    taken = list(signature(function).parameters.values())[len(frames) :]
    method.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[own.parameters["self"], *taken]
    )
    method.__annotations__ = {
        name: kind for name, kind in function.__annotations__.items() if name not in frames
    }
    method.__name__ = function.__name__
    method.__qualname__ = f"AsyncReports.{function.__name__}"
    method.__doc__ = reported(function.__doc__, source=source, cost=cost)
    return method


class AsyncReports:
    """The reports of a budget, to await: ``await bf.aio.reports.net_worth()``.

    They are the functions of `budgetframe.reports`, given the frames that they are made of.

    Parameters
    ----------
    frames : AsyncBudgetFrame
        Reads the frames.
    """

    def __init__(self, frames: AsyncBudgetFrame) -> None:
        self.frames = frames

    balances = _made_of(reports.balances, "ledger", source=_LEDGER, cost="ledger")
    net_worth = _made_of(reports.net_worth, "ledger", source=_LEDGER, cost="ledger")
    income_expense = _made_of(reports.income_expense, "ledger", source=_LEDGER, cost="ledger")
    spending = _made_of(reports.spending, "ledger", source=_LEDGER, cost="ledger")
    same_period = _made_of(reports.same_period, "ledger", source=_LEDGER, cost="ledger")
    runway = _made_of(reports.runway, "ledger", source=_LEDGER, cost="ledger")
    income_sankey = _made_of(reports.income_sankey, "ledger", source=_LEDGER, cost="ledger")
    budget_vs_actual = _made_of(
        reports.budget_vs_actual,
        "month_categories",
        source="GET /budgets/{budget_id}",
        cost="whole",
    )
    age_of_money = _made_of(
        reports.age_of_money, "months", source="GET /budgets/{budget_id}/months", cost="delta"
    )
    forecast = _made_of(
        reports.forecast,
        "scheduled_transactions",
        "scheduled_subtransactions",
        "accounts",
        source="GET /budgets/{budget_id}/scheduled_transactions`` and that of its ``accounts",
        cost="schedule",
    )

    async def money_flow(self, *, month: Day | None = None) -> Report:
        moved = await self.frames.money_movements(month)
        return reports.money_flow(moved, await self.frames.categories(), month=month)

    money_flow.__doc__ = reported(
        reports.money_flow.__doc__,
        source="GET /budgets/{budget_id}[/months/{month}]/money_movements`` and that of its"
        " ``categories",
        cost="flow",
    )
