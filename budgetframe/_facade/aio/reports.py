"""The reports of a budget, as async methods."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, cast

import pandas as pd

from budgetframe._facade.display import MethodList
from budgetframe._facade.methods.reports import Reports
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe.reports._shared.arguments import check_report
from budgetframe.reports._shared.inputs import inputs_of
from budgetframe.reports._shared.report import Report, connected

from .frames import Frames

_P = ParamSpec("_P")


def _awaited(
    method: Callable[Concatenate[Any, _P], Report],
) -> Callable[Concatenate[AsyncReports, _P], Coroutine[Any, Any, Report]]:
    """The async method with the parameters of a synchronous one."""
    # The synchronous method passes its arguments to `_report` of its object. With the object of an
    # async method, it returns a coroutine.

    @wraps(method)
    async def call(self: AsyncReports, /, *args: _P.args, **kwargs: _P.kwargs) -> Report:
        return await cast("Coroutine[Any, Any, Report]", method(self, *args, **kwargs))

    call.__doc__ = f"As `BudgetFrame.reports.{method.__name__}`, awaited."
    call.__qualname__ = f"AsyncReports.{method.__name__}"
    return call


class AsyncReports(MethodList):
    """The async counterpart of `Reports`: ``await bf.aio.reports.net_worth()``."""

    age_of_money = _awaited(Reports.age_of_money)
    balances = _awaited(Reports.balances)
    budget_vs_actual = _awaited(Reports.budget_vs_actual)
    cards = _awaited(Reports.cards)
    duplicates = _awaited(Reports.duplicates)
    forecast = _awaited(Reports.forecast)
    income_expense = _awaited(Reports.income_expense)
    income_sankey = _awaited(Reports.income_sankey)
    income_statement = _awaited(Reports.income_statement)
    independence = _awaited(Reports.independence)
    investments = _awaited(Reports.investments)
    loans = _awaited(Reports.loans)
    money_flow = _awaited(Reports.money_flow)
    net_worth = _awaited(Reports.net_worth)
    payees = _awaited(Reports.payees)
    recurring = _awaited(Reports.recurring)
    runway = _awaited(Reports.runway)
    same_period = _awaited(Reports.same_period)
    spending = _awaited(Reports.spending)
    suggestions = _awaited(Reports.suggestions)
    targets = _awaited(Reports.targets)
    unusual = _awaited(Reports.unusual)

    def __init__(self, frames: Frames, prepare: Callable[..., Any]) -> None:
        self._frames = frames
        self._prepare = prepare  # the method `changes` of the connection

    async def _report(
        self, function: Callable[..., Report], arguments: Mapping[str, Any]
    ) -> Report:
        """Read the frames of a report, and compute it with all arguments of its method."""
        options = {name: value for name, value in arguments.items() if name != "self"}
        report = partial(function, **options)
        check_report(report)  # an invalid argument is refused before any request
        name = function.__name__
        if unknown := self._frames._session.unknown.get(name):  # noqa: SLF001
            defer_warning(f"{name}: the file does not state {unknown}")
        frames: list[pd.DataFrame | None] = []
        for each in inputs_of(name, options):
            if each is None:
                frames.append(None)
            else:
                passed = {key: options[key] for key in each.options}
                frames.append(await getattr(self._frames, each.frame)(**passed))
        return connected(report(*frames), self._prepare)
