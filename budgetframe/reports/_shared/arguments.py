"""The arguments of reports, which are checked before any frame is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from inspect import Parameter, signature
from numbers import Integral
from typing import Any, TypeVar, cast, get_args, get_type_hints

import pandas as pd

from budgetframe._milliunits import MAX_EXACT, MILLIUNITS, to_milliunits
from budgetframe._runtime.arguments import check_arguments, closest_names, is_number
from budgetframe._runtime.short_traceback import shown_without_frames, without_frames
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import is_frame
from budgetframe.frames.dates import day_of, month_of, period

from .exchange_rates import ExchangeRates
from .grouping import check_by, check_texts
from .inputs import INPUTS
from .recurring_series import KINDS
from .row_filters import FILTERS, check_memo, names_of
from .what_if import ends_of, events_of

_F = TypeVar("_F", bound=Callable[..., Any])

_CENTURY = 36_525  # days
_RANGES = {
    "count": (1, 10_000, "earlier periods"), "days": (0, _CENTURY, "days"),
    "factor": (1, 10_000, "deviations"), "least": (3, 10_000, "rows"),
    "most": (1, 10_000, "payers by name"), "typical": (1, 60, "complete months"),
    "window": (1, _CENTURY, "days (runway) or periods (spending)"),
}  # fmt: skip
"""The smallest and the largest value of each number, and what it is a number of."""
_NUMBERS = {
    "contribution": (-MAX_EXACT / MILLIUNITS, MAX_EXACT / MILLIUNITS),
    "spending": (1 / MILLIUNITS, MAX_EXACT / MILLIUNITS),
    **dict.fromkeys(("inflation", "return_"), (-0.99, 1)),
    "withdrawal": (0.001, 1),
}
"""The smallest and the largest value of amounts, and of shares such as 0.04."""
_YEARS = (1700, 2199)
"""The first and the last year of days: a report has a row for each day between two of them."""


def report_function(function: _F) -> _F:
    """Check each call of a report as `check_report` does; errors have no frames of this package."""

    @shown_without_frames
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        check_names(call, kwargs, function.__name__)
        _check_frames(call, args, kwargs)
        _check(call, args, kwargs)
        return function(*args, **kwargs)

    # A notebook shows each filter, and the choices of an argument instead of their name here.
    stated = signature(function, eval_str=True)
    parameters = [one for each in stated.parameters.values() for one in _filters_in(each)]
    call.__signature__ = stated.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__annotations__["return"] = stated.return_annotation
    return cast("_F", call)


def _filters_in(parameter: Parameter) -> list[Parameter]:
    """The filters in a parameter ``**filters``; any other parameter itself."""
    if parameter.kind is not Parameter.VAR_KEYWORD:
        return [parameter]
    (filters,) = get_args(parameter.annotation)
    kind = Parameter.KEYWORD_ONLY
    return [
        Parameter(name, kind, default=() if name.startswith("exclude_") else None, annotation=each)
        for name, each in get_type_hints(filters).items()
    ]


def check_report(report: partial[Any]) -> None:
    """Check the arguments of a report that has no frames yet."""
    _check(report.func, (), report.keywords)


def _check_frames(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> None:
    """Check that a report gets frames and not other values; it checks their columns itself."""
    report = function.__name__
    inputs = INPUTS[report]
    given = {**dict(zip(signature(function).parameters, args, strict=False)), **kwargs}
    for name, each in zip(signature(function).parameters, inputs, strict=False):
        value = given.get(name)
        if not is_frame(value) and not (value is None and each.needed_with):
            frames = ", ".join(f"bf.{each.frame}()" for each in inputs if not each.needed_with)
            raise ToolError(
                f"{name} must be the frame of bf.{each.frame}(): write reports.{report}({frames}),"
                f" or bf.reports.{report}(), which reads its frames itself"
            )


def _check(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> None:
    check_arguments(function, args, kwargs)
    parameters = signature(function).parameters
    given = {**dict(zip(parameters, args, strict=False)), **kwargs}
    for name, check in _CHECKS.items():
        # The call itself refuses an argument that the report does not have.
        if name in given and name in parameters and given[name] is not parameters[name].default:
            check(given[name], name)
    missing = [name for name in ("currencies", "rates") if given.get(name) is None]
    if len(missing) == 1:
        raise ToolError(f"pass {missing[0]}= too, as in currencies={{'Depot': 'USD'}}, rates=frame")
    if given.get("every") == "year" and given.get("freq") == "week":
        advice = "leave it out to compare weeks with the weeks before"
        raise ToolError(f"every='year': a year has no whole number of weeks; {advice}")
    if given.get("income") is True and given.get("kinds"):
        raise ToolError("kinds: with income=True, every series is income; leave kinds= out")
    # The frames of months have no days.
    months = not parameters.keys().isdisjoint({"months", "month_categories"})
    days = period(given.get("since"), given.get("until"), months=months)
    for day, name in zip(days, ("since", "until"), strict=True):
        if day is not None:
            _check_year(day, name)


def check_names(function: Callable[..., Any], kwargs: Iterable[str], called: str) -> None:
    """Check that a function has the arguments of a call; `called` is its name for the user."""
    # The error is the one of Python, and also names the argument that is meant.
    known = signature(function).parameters
    for name in kwargs:
        if name not in known:
            close = closest_names(name, known, count=1)
            meant = f"; did you mean {close[0]}=?" if close else ""
            raise without_frames(
                TypeError(f"{called}() got an unexpected keyword argument {name!r}{meant}")
            )


def payments_of(given: Any, least: int = 1, argument: str = "payment") -> dict[str, int]:
    """Monthly payments of loans in milliunits, by name or key; one for all has an empty name."""
    payment = given if isinstance(given, Mapping) else {} if given is None else {"": given}
    named = {names_of([name], "payment")[0]: each for name, each in payment.items()}
    for name, each in named.items():
        _check_number(each, f"{argument}[{name!r}]" if name else argument, least / MILLIUNITS)
    return {name: to_milliunits(each) for name, each in named.items()}


def _check_range(value: int | tuple[int, ...] | list[int], name: str) -> None:
    least, largest, what = _RANGES[name]
    given = value if isinstance(value, tuple | list) else [value]
    whole = (isinstance(each, Integral) and not isinstance(each, bool) for each in given)
    if not all(whole) or not all(least <= each <= largest for each in given):
        raise ToolError(f"{name}={value}: it is a number of {what}, from {least} to {largest:,}")


def _check_number(value: float, name: str, least: float = 0) -> None:
    low, high = _NUMBERS.get(name, (least, MAX_EXACT / MILLIUNITS))
    if not (is_number(value) and low <= value <= high):  # also if it is NaN
        known = f"{low:,.13g} to {high:,.13g}{'; write 4 % as 0.04' if high == 1 else ''}"
        raise ToolError(f"{name}={value!r}: it must be a number from {known}")


def _check_year(day: pd.Timestamp, name: str) -> None:
    first, last = _YEARS
    if not first <= day.year <= last:
        raise ToolError(f"{name}={day:%Y-%m-%d}: it must be a day of the years {first} to {last}")


def _check_kinds(kinds: Mapping[str, str], name: str) -> None:
    check_texts(kinds, name)
    for payee, kind in kinds.items():
        if kind not in KINDS[:-1]:  # the last one is income, which a payment is not
            known = ", ".join(map(repr, KINDS[:-1]))
            raise ToolError(f"kinds: {payee!r} has the kind {kind!r}: it must be one of {known}")


_CHECKS: Mapping[str, Callable[[Any, str], object]] = {
    **dict.fromkeys(FILTERS, names_of), **dict.fromkeys(_RANGES, _check_range),
    **dict.fromkeys(_NUMBERS, _check_number), "by": check_by, "contributions": names_of,
    "currencies": check_texts, "events": events_of, "extra": _check_number, "kinds": _check_kinds,
    "memo": check_memo, "month": lambda month, _name: month_of(month),
    "payment": lambda payment, _name: payments_of(payment),
    "rates": lambda rates, _name: ExchangeRates(rates, "the currency of the budget"),
    "today": lambda day, name: _check_year(day_of(day, name), name), "without": ends_of,
}  # fmt: skip
"""The check of each argument, apart from that of its annotation."""
