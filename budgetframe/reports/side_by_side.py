"""The same report of several budgets in one frame, each in its currency or converted."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.money import exact
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.exchange_rates import ExchangeRates
from ._shared.periods import last_days, today_of
from ._shared.report import Canvas, Report, columns_of, on_canvas
from ._shared.report_types import register, type_named
from ._shared.wide import WIDE
from .plotting.options import PlotOptions

_BUDGET = Column("budget", "str", "", "your name of the budget")
_CURRENCY = Column("currency", "str", "", "ISO code of the currency of the amounts")
_KEYS = [_BUDGET.name, _CURRENCY.name]
_TIME_COLUMNS = ("date", "period", "month")


@shown_without_frames
def side_by_side(
    reports: Mapping[str, pd.DataFrame],
    *,
    rates: pd.DataFrame | ArrowTable | None = None,
    to: str | None = None,
    currencies: Mapping[str, str] | None = None,
) -> Report:
    """The same report of several budgets in one frame, each in its currency or converted.

    Amounts in different currencies cannot be added up. With your own exchange rates, all amounts
    are converted to one currency; no rate is built in, and the function sends no request.

    ``bf.with_budget("Japan")`` is a connection to another budget with the same token. It shares the
    request limit and the cache with ``bf``, so that nothing is read twice. Two calls of
    `BudgetFrame.connect` with the same token also share the limit, and with the same `cache_dir`
    the cache.

    Parameters
    ----------
    reports : mapping of str to Report
        The reports by your names of the budgets: ``{"Home": bf.reports.net_worth(), ...}``. All
        come from the same function, with the same grouping and frequency.
    rates : DataFrame or ArrowTable, optional
        Exchange rates with the columns ``currency`` (ISO code), ``rate`` (units of the currency
        `to` for one unit of this currency: a number, a Decimal, or a text with decimals) and
        optionally ``date``. With dates, the last known rate on or before the day of a row counts.
        This day is its ``date``; or the end of its period or month, but not after the day on which
        the report was read; or the day on which the report was read.
    to : str, optional
        ISO code of the currency to convert to; needed with `rates`, and only then.
    currencies : mapping of str to str, optional
        ISO codes by the names of the budgets, for reports that do not state their currency.

    Returns
    -------
    Report
        The columns below, and then all columns of the reports with their dtypes. Rows sorted by
        budget in the given order, then as in the reports; the same columns and dtypes when there
        are none. A converted amount is rounded to a thousandth, halves away from zero, so that sums
        can differ by thousandths. ``.plot()`` draws a panel for each budget, or one line for each
        if the amounts are in one currency and the rows have days, months or periods. It cannot draw
        several diagrams of `income_sankey`.

    Raises
    ------
    ToolError
        When the reports are of different types, groupings or frequencies, a name occurs twice, a
        currency is unknown or contradictory, or a rate is missing, ambiguous or not positive.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> japan = bf.with_budget("東京の家計")
    >>> both = {"Home": bf.reports.net_worth(), "Japan": japan.reports.net_worth()}
    >>> side_by_side(both).groupby("budget")["currency"].unique().str[0].to_dict()
    {'Home': 'EUR', 'Japan': 'JPY'}
    >>> rates = pd.DataFrame({"currency": ["JPY"], "rate": ["0.00585"]})
    >>> side_by_side(both, rates=rates, to="EUR")["currency"].unique().tolist()
    ['EUR']
    """
    given = _checked(reports)
    _check_type(given)
    codes = _codes(given, currencies or {})
    if (rates is None) != (to is None):
        raise ToolError("rates= and to= belong together: rates=frame, to='EUR'")
    known = None if rates is None or to is None else ExchangeRates(rates, to)
    parts, rate_rules = [], []
    for name, report in given.items():
        part = pd.DataFrame(report).reset_index(drop=True)
        part.attrs = {}
        if known is not None:
            days = _days(name, report, codes[name], known)
            for column in _amounts(report):
                part[column] = known.convert(part[column], codes[name], days)
            rate_rules.append(known.rule(codes[name], days))
        code = codes[name] if known is None else known.target
        part.insert(0, _CURRENCY.name, _CURRENCY.array([code] * len(part)))
        part.insert(0, _BUDGET.name, _BUDGET.array([name] * len(part)))
        parts.append(part)
    result = Report(_joined(parts))
    result.attrs = _attrs(given, codes, known)
    result.attrs["rules"] = [
        _currency_rule({*codes.values()}, known),
        *dict.fromkeys(rule for rule in rate_rules if rule),
        *_common_rules(given),
    ]
    return result


def _checked(reports: Mapping[str, pd.DataFrame]) -> dict[str, Report]:
    """The reports by their names without surrounding spaces."""
    if not isinstance(reports, Mapping) or not reports:
        raise ToolError("reports: pass a mapping with at least one report: {'Home': report, ...}")
    given: dict[str, Report] = {}
    for name, report in reports.items():
        if not isinstance(name, str) or not name.strip():
            raise ToolError(f"reports: the name {name!r} is not a text with letters")
        if name.strip() in given:
            raise ToolError(f"reports: the name {name.strip()!r} occurs twice")
        found = Report(report) if isinstance(report, pd.DataFrame) else Report()
        if found.report_type is None or found.report_type.name == side_by_side.__name__:
            raise ToolError(f"reports: {name!r} is not the report of a budget with all its columns")
        given[name.strip()] = found
    return given


def _check_type(given: Mapping[str, Report]) -> None:
    """Check that all reports have the same type, grouping and frequency."""
    first_name, first = next(iter(given.items()))
    for name, report in given.items():
        pairs = {key: (report.attrs.get(key), first.attrs.get(key)) for key in ("report", "freq")}
        pairs["columns"] = [*report.columns], [*first.columns]
        for what, (own, other) in pairs.items():
            if own != other:
                stated = f"{what} of {name!r} is {own!r}, and that of {first_name!r} is {other!r}"
                advice = "pass the same report of each budget, with the same arguments"
                raise ToolError(f"reports: {stated}; {advice}")


def _codes(given: Mapping[str, Report], currencies: Mapping[str, str]) -> dict[str, str]:
    """The ISO code of each budget."""
    unknown = [name for name in currencies if name not in given]
    if unknown:
        known = f"the reports are {', '.join(map(repr, given))}"
        raise ToolError(f"currencies: there is no report {', '.join(map(repr, unknown))}; {known}")
    codes = {}
    for name, report in given.items():
        stated = (report.attrs.get("currency_format") or {}).get("iso_code")
        code = currencies.get(name, stated)
        if not isinstance(code, str) or not code:
            advice = f"pass currencies= with its ISO code: {{{name!r}: 'EUR'}}"
            raise ToolError(f"reports: {name!r} does not state its currency; {advice}")
        if stated not in {None, code}:
            raise ToolError(f"currencies: {name!r} is in {stated}, not in {code}")
        codes[name] = code
    return codes


def _amounts(report: Report) -> list[str]:
    known = columns_of(report).items()  # also the periods of a statement
    return [name for name, column in known if column.unit == CURRENCY and name in report]


def _days(name: str, report: Report, code: str, rates: ExchangeRates) -> list[date]:
    """The day of each row, whose rate counts."""
    if not rates.is_dated or code == rates.target:
        return [date.max] * len(report)
    read = today_of(report)
    column = next((each for each in _TIME_COLUMNS if each in report), None)
    if column == "date":
        return [day.date() for day in report["date"]]
    freq = "month" if column == "month" else str(report.attrs.get("freq"))
    if (column is not None and freq == "all") or read is None:
        advice = "pass a report by month or another period, or rates without date"
        raise ToolError(f"rates: the rows of {name!r} have no day, but the rates have; {advice}")
    if column is None:
        return [read.date()] * len(report)
    starts = report[column].to_numpy()
    ends = pd.Series(last_days(starts, freq))
    return [min(day, read).date() for day in ends.fillna(read)]


def _joined(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all frames; a column of categories gets the categories of all of them."""
    for column in parts[0]:
        if isinstance(parts[0][column].dtype, pd.CategoricalDtype):
            every = dict.fromkeys(each for part in parts for each in part[column].cat.categories)
            for part in parts:
                part[column] = part[column].cat.set_categories([*every])
    return pd.concat(parts, ignore_index=True)


def _attrs(
    given: Mapping[str, Report], codes: Mapping[str, str], known: ExchangeRates | None
) -> dict[Any, Any]:
    left_out = {"report", "rules"}
    budgets = {
        name: {key: value for key, value in report.attrs.items() if key not in left_out}
        for name, report in given.items()
    }
    formats = {codes[name]: budgets[name].get("currency_format") for name in given}
    only = known.target if known is not None else next(iter(formats)) if len(formats) == 1 else None
    own = None if only is None else formats.get(only) or {"iso_code": only}
    first = next(iter(given.values())).attrs
    read = [each["as_of"] for each in budgets.values() if each.get("as_of")]
    stated = {
        "report": side_by_side.__name__, "of": first["report"], "freq": first.get("freq"),
        WIDE: first.get(WIDE), "window": first.get("window"), "as_of": min(read, default=None),
        "currency_format": own, "budgets": budgets,
    }  # fmt: skip
    return deepcopy({key: value for key, value in stated.items() if value is not None})


def _currency_rule(codes: set[str], known: ExchangeRates | None) -> str:
    if known is None:
        if len(codes) == 1:
            return f"All amounts are in {next(iter(codes))}."
        return "Amounts are in the currency of each budget; do not add them up."
    return (
        f"Each amount is converted to {known.target} with your rate for its row, and rounded to a"
        " thousandth; the rules of the reports hold for the amounts before."
    )


def _common_rules(given: Mapping[str, Report]) -> list[str]:
    """The rules of the reports; one that is not a rule of all is preceded by the budget's name."""
    rules = {name: report.attrs.get("rules", []) for name, report in given.items()}
    every = dict.fromkeys(rule for stated in rules.values() for rule in stated)
    found = []
    for rule in every:
        names = [name for name, stated in rules.items() if rule in stated]
        found.append(rule if len(names) == len(given) else f"{', '.join(names)}: {rule}")
    return found


def _plot(part: Report, options: PlotOptions) -> Any:
    """Draw the report of one budget, with the arguments that a user has given."""
    arguments = options._asdict()
    kind = part.report_type
    if arguments.pop("for_phone") and kind:  # only a page sets it: it is no argument of a plot
        return kind.picture(pd.DataFrame(part), part.attrs, options)
    return part.plot(**arguments)


def _picture(frame: pd.DataFrame, attrs: Mapping[Any, Any], options: PlotOptions) -> Any:
    names = [*dict.fromkeys(frame[_BUDGET.name])]
    shown = type_named(attrs.get("of"))
    main = "" if shown is None else shown.main
    has_time = any(name in frame for name in _TIME_COLUMNS)
    if len(names) > 1 and len({*frame[_CURRENCY.name]}) == 1 and has_time and main in frame:
        return on_canvas(partial(_draw_lines, names=names, main=main))(frame, attrs, options)
    parts = [_of_budget(frame, name, attrs) for name in names]
    if len(parts) == 1:
        return _plot(parts[0], options)
    if shown is not None and shown.still:  # a diagram of plotly, without axes
        raise ToolError(f"{shown.name} cannot be drawn side by side: draw that of each budget")
    from .plotting.panels import panels, share_scales  # noqa: PLC0415 - matplotlib is an extra

    # On a phone, each budget has a figure of its own.
    axes = [None] * len(parts) if options.for_phone else panels(len(parts), options)
    codes = [str(frame.loc[frame[_BUDGET.name] == name, _CURRENCY.name].iloc[0]) for name in names]
    for at, (part, name, code) in enumerate(zip(parts, names, codes, strict=True)):
        own = options._replace(ax=axes[at], figsize=None, title=f"{name} ({code})")
        axes[at] = _plot(part, own)
    times = [part[name] for part in parts for name in _TIME_COLUMNS if name in part]
    if times and not options.for_phone and all(len(set(time)) > 1 for time in times):
        share_scales(axes, codes)
    return np.array(axes)


def _of_budget(frame: pd.DataFrame, name: str, attrs: Mapping[Any, Any]) -> Report:
    rows = frame[(frame[_BUDGET.name] == name).to_numpy(bool)]
    part = Report(rows.drop(columns=_KEYS).reset_index(drop=True))
    part.attrs = {**attrs["budgets"][name], "report": attrs["of"], "rules": []}
    if "currency_format" in attrs:
        part.attrs["currency_format"] = attrs["currency_format"]
    return part


def _draw_lines(frame: pd.DataFrame, canvas: Canvas, *, names: list[str], main: str) -> Any:
    time = next(name for name in _TIME_COLUMNS if name in frame)
    rows = frame[[time, _BUDGET.name]].assign(amount=exact(frame, main))
    sums = rows.groupby([time, _BUDGET.name])["amount"].sum().unstack()
    shown = names[: canvas.max_series]
    for name, colour in zip(shown, canvas.theme.series, strict=False):
        own = sums[[name]].dropna()  # the last days of the budgets can differ
        canvas.lines_without_axis(own / MILLIUNITS, [colour])
    canvas.amounts_axis()
    more = len(names) - len(shown)
    rest = f" ({more} more budgets are not shown)" if more else ""
    code = frame[_CURRENCY.name].iloc[0]
    return canvas.title(f"{main.capitalize()} by budget, in {code}{rest}")


_NO_ROWS = "it has the rows of several budgets; use rows() of the report of one budget"
_SIDE_BY_SIDE = register(side_by_side, (_BUDGET, _CURRENCY), _picture, no_rows=_NO_ROWS)
