"""The main reports as one page that is complete in itself."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from typing import Any, NamedTuple

import pandas as pd
from tqdm import tqdm

from budgetframe._facade.sync import BudgetFrame
from budgetframe.errors import ToolError
from budgetframe.frames.schema import CURRENCY
from budgetframe.reports import Report, in_currency
from budgetframe.reports.plotting.themes import THEMES

__all__ = ["page"]

_DOTS = 180  # an inch: twice what most screens show, for those that show more
_MOST_ROWS = 50


class Cell(NamedTuple):
    """A text of a table, and the class that says how it stands there."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Section:
    """A report on the page: its question, its picture for both backgrounds, figures and rules."""

    question: str
    light: str
    dark: str
    figures: str
    columns: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    rules: Sequence[str]


def page(bf: BudgetFrame, *, months: int = 12, progress: bool = False) -> str:
    """The main reports of a budget as an HTML page that loads nothing from anywhere.

    It costs one request, and one for the list of budgets.

    Parameters
    ----------
    bf : BudgetFrame
        The budget.
    months : int
        How many months it looks back, this one included; twice as many for net worth.
    progress : bool
        Whether to show how far it is.

    Raises
    ------
    ToolError
        Without the extra ``budgetframe[page]``.
    ServiceAPIError, httpx.TransportError
        As for every read.
    """
    if months < 1:
        raise ToolError(f"months={months}: look back at least one month, this one")
    template = _template()
    reports = _reports(bf, months)
    said = reports[_WORTH].attrs
    return str(
        template.render(
            budget=said.get("budget", ""),
            day=str(said.get("as_of", ""))[:10],
            notices=list(
                dict.fromkeys(
                    report.attrs["stale"] for report in reports.values() if "stale" in report.attrs
                )
            ),
            figures=list(_figures(reports)),
            sections=[
                _section(question, report)
                for question, report in tqdm(
                    reports.items(), "drawing", leave=False, disable=not progress
                )
            ],
            light=THEMES["light"],
            dark=THEMES["dark"],
            version=version("budgetframe"),
        )
    )


_WORTH = "What is it all worth?"
_INCOME = "What came in, and what went out?"
_SPENDING = "Where did the money go?"
_SO_FAR = "How is this month going, against the same days of earlier ones?"
_PLAN = "What was planned this month, and what became of it?"
_COMING = "What is scheduled, and how low will it get?"
_RUNWAY = "How long would the money last?"
_AGE = "How old is the money that is spent?"


def _reports(bf: BudgetFrame, months: int) -> dict[str, Report]:
    # The export first: the other lists are then made of it, and cost nothing.
    plan = bf.reports.budget_vs_actual(freq="month")
    this_month = plan["period"].max()
    if pd.isna(this_month):
        raise ToolError("this budget has no months yet: there is nothing to report")
    begin, today = plan["period"].min(), str(plan.attrs["as_of"])[:10]
    # Not from before the budget began: its months would be zeros, and count in averages.
    back = (this_month.year - begin.year) * 12 + this_month.month - begin.month
    since, earlier = (
        this_month - pd.DateOffset(months=min(count, back))
        for count in (months - 1, 2 * months - 1)
    )
    return {
        _WORTH: bf.reports.net_worth(since=earlier),
        _INCOME: bf.reports.income_expense(since=since, until=today),
        _SPENDING: bf.reports.spending(since=since, until=today),
        _SO_FAR: bf.reports.same_period(count=months),
        _PLAN: plan[plan["period"] == this_month],
        _COMING: bf.reports.forecast(),
        _RUNWAY: bf.reports.runway(since=since),
        _AGE: bf.reports.age_of_money(since=since),
    }


def _figures(reports: Mapping[str, Report]) -> Iterator[tuple[str, str]]:
    """What is told at the top."""

    def amount(question: str, value: float) -> str:
        return in_currency(value, reports[question].attrs.get("currency_format"))

    worth, income = reports[_WORTH], reports[_INCOME]
    if len(worth):
        yield "Net worth", amount(_WORTH, worth["net"].iloc[-1])
    if len(income):
        yield "Income this month", amount(_INCOME, income["income"].iloc[-1])
        yield "Spent this month", amount(_INCOME, income["spent"].iloc[-1])
    days = reports[_RUNWAY]["days"]
    if len(days) and pd.notna(days.iloc[-1]):
        yield "Runway", f"{days.iloc[-1]:,.0f} days"
    ages = reports[_AGE]["age_of_money"].dropna()
    if len(ages):
        yield "Age of money", f"{ages.iloc[-1]} days"


def _section(question: str, report: Report) -> Section:
    shown = [column for column in report.columns if not column.endswith("_id")]
    table = report[shown]
    if report.attrs["report"] == "forecast":  # the days on which something happens
        table = table[(table["change"] != 0) | table["is_lowest"]]
    units = {column.name: column.unit for column in report.kind.columns}  # type: ignore[union-attr]
    how = report.attrs.get("currency_format")
    columns = [
        Cell(column.replace("_", " "), "number" if _is_number(table[column]) else "text")
        for column in shown
    ]
    some = (table.tail if _is_over_time(table) else table.head)(_MOST_ROWS)
    rows = [
        [
            Cell(_written(value, units.get(column, ""), how), kind)
            for column, value, (_, kind) in zip(shown, row, columns, strict=True)
        ]
        for row in some.itertuples(index=False)
    ]
    figures = f"Figures: {len(rows)} of {len(table)} rows" if len(rows) < len(table) else "Figures"
    pictures = {theme: _picture(report, theme) for theme in THEMES}
    rules = report.attrs["rules"]
    return Section(question, pictures["light"], pictures["dark"], figures, columns, rows, rules)


def _is_over_time(table: pd.DataFrame) -> bool:
    """Whether its last rows are the ones to show: those of a day or month each, in order."""
    days = table.iloc[:, 0]
    return pd.api.types.is_datetime64_any_dtype(days) and days.is_unique


def _picture(report: Report, theme: str) -> str:
    """The picture as PNG, in base64; nothing where there is nothing to draw."""
    if report.empty:
        return ""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - an extra

    ax = report.plot(theme=theme)
    stream = BytesIO()
    ax.figure.savefig(stream, format="png", dpi=_DOTS)
    plt.close(ax.figure)
    return b64encode(stream.getvalue()).decode("ascii")


def _is_number(values: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values))


def _written(value: Any, unit: str, how: Mapping[str, Any] | None) -> str:
    if pd.isna(value):
        return ""
    if unit == CURRENCY:
        return in_currency(value, how)
    if unit == "share":
        return f"{value:.1%}"
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:,.0f}" if isinstance(value, float) else str(value)


def _template() -> Any:
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ToolError(f"the page needs {error.name}: pip install 'budgetframe[page]'") from None
    mpl.use("Agg")  # nothing is shown: it works without a screen
    # Names come from outside: whatever is put in is escaped.
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = files("budgetframe").joinpath("_cli/page.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(text)
