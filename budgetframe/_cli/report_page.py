"""The HTML page that ``budgetframe report`` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd
from tqdm import tqdm

from budgetframe.errors import ToolError
from budgetframe.frames.internal_categories import uncategorized_rows
from budgetframe.frames.loan_terms import DEBT_TYPES
from budgetframe.frames.number_text import in_currency, number_text
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.typical import complete_months
from budgetframe.reports.page.renderer import renderer
from budgetframe.reports.page.sections import Page, Section, report_section

from .findings import UNCATEGORIZED, finding

if TYPE_CHECKING:
    from budgetframe._facade.sync import BudgetFrame

_TYPICAL_MONTHS = 6  # the most months whose typical amounts the forecast uses
_TYPICAL = "typical_months"

_NET_WORTH = "What is it all worth?"
_INCOME_EXPENSE = "What came in, and what went out?"
_SPENDING = "Where did the money go?"
_SAME_PERIOD = "How is this month going, against the same days of earlier ones?"
_BUDGET_VS_ACTUAL = "What was planned this month, and what became of it?"
_RECURRING = "What is paid again and again?"
_FORECAST = "What is to come, and how low will it get?"
_RUNWAY = "How long would the money last?"
_AGE_OF_MONEY = "How old is the money that is spent?"

_CAPTIONS = {
    _NET_WORTH: "Net worth at the end of each month",
    _INCOME_EXPENSE: "Income and spending by month",
    _SPENDING: "Spending by category",
    _SAME_PERIOD: "Spending up to the same day of each month",
    _BUDGET_VS_ACTUAL: "Assigned and spent this month, by category",
    _RECURRING: "Recurring payments, the most expensive first",
    _FORECAST: "Scheduled changes, and balances with typical amounts, by day and account",
    _RUNWAY: "Days that the money lasts, at the end of each month",
    _AGE_OF_MONEY: "Age of money by month",
}
_WHOLE_MONTH_RULE = (
    "Spent is the service's figure for the whole month: transactions that are dated after today"
    " count here, and only here. Transactions without a category are left out."
)


def render_page(bf: BudgetFrame, *, months: int = 12, progress: bool = False) -> str:
    """Return the main reports of a budget as one HTML page without external resources.

    The page costs two requests: one for the list of budgets and one for the budget itself. Its
    reports cover `months` including the current month, and net worth covers twice as many.
    """
    if months < 1:
        raise ToolError(f"months={months}: the reports need at least 1 month, the current one")
    html_of = renderer()
    import matplotlib as mpl  # noqa: PLC0415 - an extra

    mpl.use("Agg")  # this backend needs no screen
    reports = _reports(bf, months)
    attrs = reports[_NET_WORTH].attrs
    budget, day = str(attrs.get("budget", "")), str(attrs.get("as_of", ""))[:10]
    notices = (report.attrs["stale"] for report in reports.values() if "stale" in report.attrs)
    sections = tqdm(reports.items(), "drawing", leave=False, disable=not progress)
    return html_of(
        Page(
            name=f"{budget}: budget report, {day}",
            title=budget,
            sentences=[f"As of {day}. Amounts are in the currency format of the budget."],
            notices=list(dict.fromkeys(notices)),
            figures=list(_key_figures(reports)),
            sections=[_section(question, report) for question, report in sections],
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
    income_expense = bf.reports.income_expense(since=since, until=today)
    so_far, with_all = (
        bf.reports.same_period(count=months, uncategorized=counts) for counts in (False, True)
    )
    spending = bf.reports.spending(since=since, until=today, uncategorized=False)
    # "Spent" has one meaning on the page: rows with a category. The sentences name the others.
    spending.attrs[UNCATEGORIZED] = income_expense["uncategorized"].tolist()
    so_far.attrs[UNCATEGORIZED] = (with_all["spent"] - so_far["spent"]).round(3).tolist()
    return {
        _NET_WORTH: bf.reports.net_worth(since=since_net_worth),
        _INCOME_EXPENSE: income_expense,
        _SPENDING: spending,
        _SAME_PERIOD: so_far,
        _BUDGET_VS_ACTUAL: _plan_of(plan, this_month),
        _RECURRING: bf.reports.recurring(),
        _FORECAST: _forecast(bf),
        _RUNWAY: bf.reports.runway(since=since),
        _AGE_OF_MONEY: bf.reports.age_of_money(since=since),
    }


def _forecast(bf: BudgetFrame) -> Report:
    """The forecast of money to spend, with typical amounts of at most six complete months.

    Typical payments of a credit card lower the account that pays them. A debt itself would only
    hide how low the money gets.
    """
    ledger = bf.ledger()
    today = pd.Timestamp(str(ledger.attrs["as_of"])[:10])
    complete = 0 if ledger.empty else complete_months(ledger, today)
    months = min(complete, _TYPICAL_MONTHS)
    accounts = bf.accounts()
    is_money = accounts["on_budget"] & ~accounts["account_type"].isin(DEBT_TYPES)
    forecast = bf.reports.forecast(typical=months or None)
    is_shown = forecast["account_id"].isin(accounts.loc[is_money, "account_id"])
    forecast = Report(forecast[is_shown] if is_shown.any() else forecast)
    forecast.attrs[_TYPICAL] = months
    return forecast


def _plan_of(plan: Report, month: pd.Timestamp) -> Report:
    """The categories of a month, without the service's own category for uncategorized rows."""
    of_month, has_none = (plan["period"] == month).to_numpy(bool), uncategorized_rows(plan)
    rows = Report(plan[of_month & ~has_none])
    rows.attrs["rules"] = [*plan.attrs["rules"], _WHOLE_MONTH_RULE]
    rows.attrs[UNCATEGORIZED] = plan.loc[of_month & has_none, "spent"].tolist()
    return rows


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
        yield (
            "Runway",
            f"{number_text(days.iloc[-1], 0, reports[_RUNWAY].attrs.get('currency_format'))} days",
        )
    ages = reports[_AGE_OF_MONEY]["age_of_money"].dropna()
    if len(ages):
        yield "Age of money", f"{ages.iloc[-1]} days"


def _section(question: str, report: Report) -> Section:
    found = finding(report)
    sentences = [found] if found.endswith(".") else []
    if question == _FORECAST:
        sentences.append(_assumption(report))
    return report_section(
        question, report, label=found, sentences=sentences, caption=_CAPTIONS[question]
    )


def _assumption(forecast: Report) -> str:
    """What a forecast contains besides the scheduled transactions."""
    months = forecast.attrs[_TYPICAL]
    if not months:
        return (
            "Only scheduled transactions count: the budget has no complete month yet that shows"
            " what is typical."
        )
    last = "last complete month" if months == 1 else f"last {months} complete months"
    assumed = (
        "Besides scheduled transactions, it is assumed that income, spending and transfers go on as"
        f" in the {last}, by the median of each category."
    )
    has_band = forecast["low"].notna().any()
    return f"{assumed} The shaded area is as wide as earlier errors." if has_band else assumed
