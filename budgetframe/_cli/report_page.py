"""The HTML page that ``budgetframe report`` writes, and its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
from tqdm import tqdm

from budgetframe.errors import ToolError
from budgetframe.frames.internal_categories import uncategorized_rows
from budgetframe.frames.loan_terms import DEBT_TYPES
from budgetframe.frames.number_text import in_currency, number_text
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.sentences import UNCATEGORIZED, sentence_of
from budgetframe.reports._shared.typical import complete_months
from budgetframe.reports.checklist import sentences_of
from budgetframe.reports.page.renderer import renderer
from budgetframe.reports.page.sections import Page, Section, report_section

if TYPE_CHECKING:
    from budgetframe._facade.sync import BudgetFrame

_TYPICAL_MONTHS = 6  # the most months whose typical amounts the forecast uses
_TYPICAL = "typical_months"

_WHOLE_MONTH_RULE = (
    "Spent is the service's figure for the whole month: transactions that are dated after today"
    " count here, and only here. Transactions without a category are left out."
)


class _Shown(NamedTuple):
    """A report on the page: the question that it answers, what its table shows, and its rows."""

    question: str
    caption: str
    report: Report


def render_page(
    bf: BudgetFrame, *, months: int = 12, progress: bool = False, as_text: bool = False
) -> str:
    """Return the main reports of a budget as one HTML page without external resources."""
    # The page costs two requests: one for the list of budgets and one for the budget itself. Its
    # reports cover `months` including the current month, and net worth covers twice as many. With
    # `as_text`, return the sentences of the page as plain text, which needs no extra.
    if months < 1:
        raise ToolError(f"months={months}: the reports need at least 1 month, the current one")
    write = Page.text if as_text else renderer()
    if not as_text:
        import matplotlib as mpl  # noqa: PLC0415 - an extra

        mpl.use("Agg")  # this backend needs no screen
    shown = _reports(bf, months)
    attrs = shown[0].report.attrs
    budget, day = str(attrs.get("budget", "")), str(attrs.get("as_of", ""))[:10]
    notices = (each.report.attrs["stale"] for each in shown if "stale" in each.report.attrs)
    sections = tqdm(shown, "drawing", leave=False, disable=as_text or not progress)
    page = Page(
        name=f"{budget}: budget report, {day}",
        title=budget,
        sentences=[f"As of {day}. Amounts are in the currency format of the budget."],
        notices=list(dict.fromkeys(notices)),
        figures=list(_key_figures(shown)),
        sections=[_checklist(bf), *(_section(each, is_drawn=not as_text) for each in sections)],
    )
    return write(page)


def _reports(bf: BudgetFrame, months: int) -> list[_Shown]:
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
    net_worth = bf.reports.net_worth(since=since_net_worth)
    return [
        _Shown("What is it all worth?", "Net worth at the end of each month", net_worth),
        _Shown("What came in, and what went out?", "Income and spending by month", income_expense),
        _Shown("Where did the money go?", "Spending by category", spending),
        _Shown("How is this month going, against the same days of earlier ones?",
            "Spending up to the same day of each month", so_far),
        _Shown("What was planned this month, and what became of it?",
            "Assigned and spent this month, by category", _plan_of(plan, this_month)),
        _Shown("What is paid again and again?", "Recurring payments, the most expensive first",
            bf.reports.recurring()),
        _Shown("What is to come, and how low will it get?",
            "Scheduled changes, and balances with typical amounts, by day and account",
            _forecast(bf)),
        _Shown("How long would the money last?",
            "Days that the money lasts, at the end of each month", bf.reports.runway(since=since)),
        _Shown("How old is the money that is spent?", "Age of money by month",
            bf.reports.age_of_money(since=since)),
    ]  # fmt: skip


def _forecast(bf: BudgetFrame) -> Report:
    """The forecast of money to spend, with typical amounts of at most six complete months."""
    # Typical payments of a credit card lower the account that pays them. A debt itself would only
    # hide how low the money gets.
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


def _key_figures(shown: Sequence[_Shown]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each figure at the top of the page."""
    reports = {each.report.attrs["report"]: each.report for each in shown}
    net_worth, income = reports["net_worth"], reports["income_expense"]
    currency_format = net_worth.attrs.get("currency_format")
    if len(net_worth):
        yield "Net worth", in_currency(net_worth["net"].iloc[-1], currency_format)
    if len(income):
        yield "Income this month", in_currency(income["income"].iloc[-1], currency_format)
        yield "Spent this month", in_currency(income["spent"].iloc[-1], currency_format)
        if income["uncategorized"].iloc[-1]:
            rest = in_currency(income["uncategorized"].iloc[-1], currency_format)
            yield "Uncategorized this month", rest
    days = reports["runway"]["days"]
    if len(days) and pd.notna(days.iloc[-1]):
        yield "Runway", f"{number_text(days.iloc[-1], 0, currency_format)} days"
    ages = reports["age_of_money"]["age_of_money"].dropna()
    if len(ages):
        yield "Age of money", f"{ages.iloc[-1]} days"


def _section(shown: _Shown, *, is_drawn: bool = True) -> Section:
    found = sentence_of(shown.report)
    sentences = [found] if found.endswith(".") else []
    if _TYPICAL in shown.report.attrs:
        sentences.append(_assumption(shown.report, is_drawn=is_drawn))
    if not is_drawn:
        return Section(heading=shown.question, sentences=sentences, is_empty=shown.report.empty)
    heading, report, caption = shown.question, shown.report, shown.caption
    return report_section(heading, report, label=found, sentences=sentences, caption=caption)


def _checklist(bf: BudgetFrame) -> Section:
    """What is to do for the last complete month, or for the first one of a new budget."""
    months = (listed := bf.months())["month"]
    complete = months[months < pd.Timestamp(listed.attrs["as_of"][:7])]
    frame = bf.checklist(months.min() if complete.empty else complete.max()).frame
    found = zip(frame["step"], sentences_of(frame), strict=True)
    steps = [f"{step.capitalize()}: {sentence}." for step, sentence in found]
    heading = f"What is to do before {frame.attrs['month']} can be trusted?"
    return Section(heading=heading, sentences=steps or ["Nothing is to do."])


def _assumption(forecast: Report, *, is_drawn: bool) -> str:
    """What a forecast contains besides the scheduled transactions."""
    months = forecast.attrs[_TYPICAL]
    if not months:
        reason = "the budget has no complete month yet that shows what is typical."
        return f"Only scheduled transactions count: {reason}"
    last = "last complete month" if months == 1 else f"last {months} complete months"
    assumed = (
        "Besides scheduled transactions, it is assumed that income, spending and transfers go on as"
        f" in the {last}, by the median of each category."
    )
    has_band = is_drawn and forecast["low"].notna().any()
    return f"{assumed} The shaded area is as wide as earlier errors." if has_band else assumed
