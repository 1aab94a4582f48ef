"""The reports of a budget, as async methods."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, overload

import pandas as pd

from budgetframe import reports
from budgetframe._facade.display import methods_as_html, methods_as_text
from budgetframe.reports._shared.arguments import check_report
from budgetframe.reports._shared.inputs import INPUTS, inputs_of
from budgetframe.reports._shared.report import Report

__all__ = ["AsyncReports"]

if TYPE_CHECKING:
    from .frames import Frames

P = ParamSpec("P")
_Frame = pd.DataFrame
_Result = Coroutine[Any, Any, Report]


@overload
def _method(
    function: Callable[Concatenate[_Frame, _Frame, _Frame, _Frame | None, P], Report],
) -> Callable[Concatenate[AsyncReports, P], _Result]: ...
@overload
def _method(
    function: Callable[Concatenate[_Frame, _Frame, P], Report],
) -> Callable[Concatenate[AsyncReports, P], _Result]: ...
@overload
def _method(
    function: Callable[Concatenate[_Frame, P], Report],
) -> Callable[Concatenate[AsyncReports, P], _Result]: ...
def _method(function: Callable[..., Report]) -> Callable[..., _Result]:
    """The method that reads the frames of a report, and passes its own arguments on."""
    name = function.__name__
    takes = signature(function)
    own = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    own += list(takes.parameters.values())[len(INPUTS[name]) :]
    parameters = takes.replace(parameters=own)

    async def method(self: AsyncReports, *args: Any, **kwargs: Any) -> Report:
        try:
            options = parameters.bind(self, *args, **kwargs).arguments
        except TypeError as error:
            message = f"{method.__qualname__}() {error}"
            raise TypeError(message) from None
        del options["self"]
        inputs = inputs_of(name, options)
        report = partial(function, **options)
        check_report(report)  # an invalid argument is refused before any request
        frames: list[pd.DataFrame | None] = []
        for each in inputs:
            if each is None:
                frames.append(None)
            else:
                passed = {key: options[key] for key in each.options if key in options}
                frames.append(await getattr(self._frames, each.frame)(**passed))
        return report(*frames)

    method.__name__ = name
    method.__qualname__ = f"AsyncReports.{name}"
    method.__doc__ = f"As `BudgetFrame.reports.{name}`, awaited."
    types = function.__annotations__
    method.__annotations__ = {
        key: types[key] for key in (*parameters.parameters, "return") if key in types
    }
    method.__wrapped__ = function  # type: ignore[attr-defined] # resolves the annotations
    method.__signature__ = parameters  # type: ignore[attr-defined]
    return method


class AsyncReports:
    """The async counterpart of `Reports`: ``await bf.aio.reports.net_worth()``.

    Parameters
    ----------
    frames : Frames
        Reads the frames.
    """

    def __init__(self, frames: Frames) -> None:
        self._frames = frames

    net_worth = _method(reports.net_worth)
    balances = _method(reports.balances)
    income_expense = _method(reports.income_expense)
    spending = _method(reports.spending)
    budget_vs_actual = _method(reports.budget_vs_actual)
    same_period = _method(reports.same_period)
    runway = _method(reports.runway)
    recurring = _method(reports.recurring)
    suggestions = _method(reports.suggestions)
    age_of_money = _method(reports.age_of_money)
    money_flow = _method(reports.money_flow)
    income_sankey = _method(reports.income_sankey)
    loans = _method(reports.loans)
    forecast = _method(reports.forecast)

    def __repr__(self) -> str:
        return methods_as_text(self)

    def _repr_html_(self) -> str:
        return methods_as_html(self)
