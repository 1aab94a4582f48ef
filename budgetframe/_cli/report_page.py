"""The HTML page that ``budgetframe report`` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from tqdm import tqdm

from budgetframe._runtime.text import visible
from budgetframe.errors import ToolError
from budgetframe.frames.internal_categories import uncategorized_rows
from budgetframe.frames.number_text import in_currency, number_text, share_text
from budgetframe.frames.schema import CURRENCY
from budgetframe.reports._shared.report import Report
from budgetframe.reports.plotting.themes import THEMES

from .findings import finding

__all__ = ["render_page"]

if TYPE_CHECKING:
    from budgetframe._facade.sync import BudgetFrame

_MAX_TABLE_ROWS = 50
_OPTIONAL_COLUMNS = ("interest", "escrow", "unexplained", "typical", "low", "high")

_NET_WORTH = "What is it all worth?"
_INCOME_EXPENSE = "What came in, and what went out?"
_SPENDING = "Where did the money go?"
_SAME_PERIOD = "How is this month going, against the same days of earlier ones?"
_BUDGET_VS_ACTUAL = "What was planned this month, and what became of it?"
_RECURRING = "What is paid again and again?"
_FORECAST = "What is scheduled, and how low will it get?"
_RUNWAY = "How long would the money last?"
_AGE_OF_MONEY = "How old is the money that is spent?"

_CAPTIONS = {
    _NET_WORTH: "Net worth at the end of each month",
    _INCOME_EXPENSE: "Income and spending by month",
    _SPENDING: "Spending by category",
    _SAME_PERIOD: "Spending up to the same day of each month",
    _BUDGET_VS_ACTUAL: "Assigned and spent this month, by category",
    _RECURRING: "Recurring payments, the most expensive first",
    _FORECAST: "Scheduled changes and balances by day and account",
    _RUNWAY: "Days that the money lasts, at the end of each month",
    _AGE_OF_MONEY: "Age of money by month",
}
# The columns that name a row; the first of them that a table has is the heading of its rows.
_ROW_HEADINGS = ("category_name", "payee_name", "date", "period", "month")
_PERIODS = ("period", "month")
_WHOLE_MONTH_RULE = (
    "Spent is the service's figure for the whole month: transactions that are dated after today"
    " count here, and only here. Transactions without a category are left out."
)


class TableCell(NamedTuple):
    """The text of a table cell, and its CSS class: "number", "day" or "text"."""

    text: str
    css_class: str


@dataclass(frozen=True, slots=True)
class Section:
    """One report on the page: heading, picture (SVG with its finding), table and rules.

    ``row_heading`` is the position of the column that names the rows.
    """

    question: str
    picture: str
    summary: str
    caption: str
    header: Sequence[TableCell]
    rows: Sequence[Sequence[TableCell]]
    row_heading: int
    rules: Sequence[str]


def render_page(bf: BudgetFrame, *, months: int = 12, progress: bool = False) -> str:
    """Return the main reports of a budget as one HTML page without external resources.

    The page costs two requests: one for the list of budgets and one for the budget itself. Its
    reports cover `months` including the current month, and net worth covers twice as many.
    """
    if months < 1:
        raise ToolError(f"months={months}: the reports need at least 1 month, the current one")
    template = _template()
    reports = _reports(bf, months)
    attrs = reports[_NET_WORTH].attrs
    notices = (report.attrs["stale"] for report in reports.values() if "stale" in report.attrs)
    sections = tqdm(reports.items(), "drawing", leave=False, disable=not progress)
    return str(
        template.render(
            budget=attrs.get("budget", ""),
            day=str(attrs.get("as_of", ""))[:10],
            notices=list(dict.fromkeys(notices)),
            figures=list(_key_figures(reports)),
            sections=[_section(question, report) for question, report in sections],
            light=THEMES["light"],
            dark=THEMES["dark"],
            version=version("budgetframe"),
        )
    )


def _reports(bf: BudgetFrame, months: int) -> dict[str, Report]:
    # This report comes first because it reads the export. The other reports then use the lists
    # in the export and need no request.
    plan = bf.reports.budget_vs_actual(freq="month")
    this_month = plan["period"].max()
    if pd.isna(this_month):
        raise ToolError("this budget has no months yet, so there is nothing to report")
    first_month, today = plan["period"].min(), str(plan.attrs["as_of"])[:10]
    # Months before the first month of the budget would be rows of zeros and lower the averages.
    available = (this_month.year - first_month.year) * 12 + this_month.month - first_month.month
    since, since_net_worth = (
        this_month - pd.DateOffset(months=min(count, available))
        for count in (months - 1, 2 * months - 1)
    )
    # "Spent" has one meaning on the page: rows with a category. The others are a key figure.
    return {
        _NET_WORTH: bf.reports.net_worth(since=since_net_worth),
        _INCOME_EXPENSE: bf.reports.income_expense(since=since, until=today),
        _SPENDING: bf.reports.spending(since=since, until=today, uncategorized=False),
        _SAME_PERIOD: bf.reports.same_period(count=months, uncategorized=False),
        _BUDGET_VS_ACTUAL: _plan_of(plan, this_month),
        _RECURRING: bf.reports.recurring(),
        _FORECAST: bf.reports.forecast(),
        _RUNWAY: bf.reports.runway(since=since),
        _AGE_OF_MONEY: bf.reports.age_of_money(since=since),
    }


def _plan_of(plan: Report, month: pd.Timestamp) -> Report:
    """The categories of a month, without the service's own category for uncategorized rows."""
    is_shown = (plan["period"] == month).to_numpy(bool) & ~uncategorized_rows(plan)
    rows: Any = plan[is_shown]
    rows.attrs["rules"] = [*plan.attrs["rules"], _WHOLE_MONTH_RULE]
    return Report(rows)


def _key_figures(reports: Mapping[str, Report]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each figure at the top of the page."""

    def amount(question: str, value: float) -> str:
        return in_currency(value, reports[question].attrs.get("currency_format"))

    net_worth, income = reports[_NET_WORTH], reports[_INCOME_EXPENSE]
    if len(net_worth):
        yield "Net worth", amount(_NET_WORTH, net_worth["net"].iloc[-1])
    if len(income):
        yield "Income this month", amount(_INCOME_EXPENSE, income["income"].iloc[-1])
        yield "Spent this month", amount(_INCOME_EXPENSE, income["spent"].iloc[-1])
        if income["uncategorized"].iloc[-1]:
            rest = amount(_INCOME_EXPENSE, income["uncategorized"].iloc[-1])
            yield "Uncategorized this month", rest
    days = reports[_RUNWAY]["days"]
    if len(days) and pd.notna(days.iloc[-1]):
        form = reports[_RUNWAY].attrs.get("currency_format")
        yield "Runway", f"{number_text(days.iloc[-1], 0, form)} days"
    ages = reports[_AGE_OF_MONEY]["age_of_money"].dropna()
    if len(ages):
        yield "Age of money", f"{ages.iloc[-1]} days"


def _section(question: str, report: Report) -> Section:
    names = [column for column in report.columns if not column.endswith("_id")]
    # A budget without loans needs no columns for them, and a forecast none for typical amounts.
    names = [name for name in names if name not in _OPTIONAL_COLUMNS or report[name].any()]
    if "period" in names and len(report) > len(set(report["period"])) == 1:
        names.remove("period")  # all rows have the same
    if "is_complete" in names and report["is_complete"].all():
        names.remove("is_complete")
    table = report[names]
    if report.attrs["report"] == "forecast":  # only the days on which the balance changes
        table = table[(table["change"] != 0) | table["is_lowest"]]
    units = {column.name: column.unit for column in report.report_type.columns}  # type: ignore[union-attr]
    currency_format = report.attrs.get("currency_format")
    header = [TableCell(name.replace("_", " "), _css_class(table[name])) for name in names]
    is_series = _is_time_series(table)
    shown = (table.tail if is_series else table.head)(_MAX_TABLE_ROWS)
    rows = [
        [
            TableCell(_cell_text(value, name, units.get(name, ""), currency_format), css_class)
            for name, value, (_, css_class) in zip(names, row, header, strict=True)
        ]
        for row in shown.itertuples(index=False)
    ]
    which = f"{'last' if is_series else 'first'} {len(rows)} of {len(table)} rows"
    caption = _CAPTIONS[question]
    return Section(
        question=question,
        picture=_picture(report),
        summary=f"Figures: {which}" if len(rows) < len(table) else "Figures",
        caption=f"{caption} ({which})" if len(rows) < len(table) else caption,
        header=header,
        rows=rows,
        row_heading=next((names.index(name) for name in _ROW_HEADINGS if name in names), 0),
        rules=report.attrs["rules"],
    )


def _is_time_series(table: pd.DataFrame) -> bool:
    """Whether each row is one day or one month, so that the last rows are the interesting ones."""
    days = table.iloc[:, 0]
    return pd.api.types.is_datetime64_any_dtype(days) and days.is_unique


def _picture(report: Report) -> str:
    """Draw the report as SVG whose alternative text is the finding; empty without rows."""
    if report.empty:
        return ""
    from budgetframe.reports.plotting.page_figure import responsive_svg  # noqa: PLC0415 - an extra

    return responsive_svg(report, label=visible(finding(report)))


def _css_class(values: pd.Series[Any]) -> str:
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return "number"
    return "day" if pd.api.types.is_datetime64_any_dtype(values) else "text"


def _cell_text(value: Any, name: str, unit: str, currency_format: Mapping[str, Any] | None) -> str:
    if pd.isna(value):
        return ""
    if unit == CURRENCY:
        return in_currency(value, currency_format)
    if unit == "share":
        return share_text(value, currency_format)
    if isinstance(value, pd.Timestamp):
        return f"{value:%b %Y}" if name in _PERIODS else f"{value:%Y-%m-%d}"
    if isinstance(value, bool):
        return "yes" if value else ""
    return number_text(value, 0, currency_format) if isinstance(value, float) else str(value)


def _visible(value: Any) -> Any:
    is_foreign = isinstance(value, str) and not hasattr(value, "__html__")  # which marks our HTML
    return visible(value) if is_foreign else value


def _template() -> Any:
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ToolError(f"the page needs {error.name}: pip install 'budgetframe[page]'") from None
    mpl.use("Agg")  # this backend needs no screen
    # Names of accounts and categories are foreign text: autoescape makes them harmless.
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_visible
    )
    text = files("budgetframe").joinpath("_cli/page.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(text)
