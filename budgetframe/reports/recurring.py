"""Payees that recur: subscriptions, bills, rent and loans."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.text import number_of
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.loan_terms import LOAN_TYPES
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.group_pictures import disambiguated
from ._shared.ledger_rows import LEDGER_COLUMNS, left_out_rows, spending_rows, uncategorized_rule
from ._shared.periods import DAY, span_of, today_of, up_to_until
from ._shared.recurring_rows import Recurring, payment_parts, recurring_payments
from ._shared.recurring_series import FREQUENCIES, KINDS, Series, is_changed
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import InCurrency, register
from ._shared.row_filters import RowFilters, check_mapping, row_filter
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sentences import exact_sum, name_text
from ._shared.sums import divide_rounded, required_frame

# Words in the name of a category that make a payment a rent or a loan, in several languages.
_RENT = re.compile(r"\b(?:rent|miete|loyer|alquiler|affitto|huur|aluguel)\b|家賃", re.IGNORECASE)
_LOAN = re.compile(
    r"\b(?:loan|mortgage|kredit|darlehen|hypothek|prêt|préstamo|hipoteca|mutuo|hypotheek)\b|ローン",
    re.IGNORECASE,
)
_FIXED = 20  # an amount is fixed if it differs by at most one part in this number
_CHANGED = 4  # at most one amount in this number may change, otherwise the amounts vary
_YEAR = 365 * DAY
_MAX_BARS = 24
_KINDS_BY = (
    "payee_id", "payee_name", "category_id", "full_name", "category_name", "category_group_id",
    "category_group_name",
)  # fmt: skip
"""The columns whose values can be keys of `kinds`; the first ones have priority."""


@report_function
def recurring(
    ledger: pd.DataFrame | ArrowTable,
    *,
    kinds: Mapping[str, str] | None = None,
    include_ended: bool = False,
    income: bool = False,
    uncategorized: bool = True,
    today: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Payees that recur, with the day of the next payment and the cost of a year.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.recurring`.

    The ledger can start on any day; a yearly payment needs two years.

    At least four of five intervals are regular. Of three changes of the amount, at most one is
    larger than 20 %, unless there are 8 payments, four weeks apart or more. In `kinds`, a payee has
    priority over a category, and a category over a group; an unknown name is an error.

    By default `today` is the last day of the ledger if that was read with an earlier one; if the
    ledger does not say when it was read, it is the day of its last transaction.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    on_budget = numbered(ledger)[ledger["on_budget"].to_numpy(bool)]
    kept = row_filter([ledger], filters, on_budget=True)
    own = check_mapping("kinds", kinds or {}, ledger, ("payees", "categories"))
    rows = kept.rows(on_budget)
    spent = spending_rows(rows, "to_tracking", uncategorized=uncategorized)
    last_day = _last_day(ledger, today)
    parts = payment_parts(rows if income else spent, last_day, income=income)
    is_loan = ledger["account_type"].astype(object).isin(LOAN_TYPES).to_numpy(bool)
    loans = {*ledger.loc[is_loan, "account_id"]}
    loans |= {str(terms["account_id"]) for terms in ledger.attrs.get("loans", ())}
    found = [
        _values(each, "income" if income else _kind_of(each.names, each.series, loans, own))
        for each in recurring_payments(parts, last_day)
    ]
    table = pd.DataFrame(found, columns=[*(column.name for column in _COLUMNS), "of_series"])
    is_ended = table["next_date"].isna() & (not include_ended)
    table = table[~is_ended]
    by = ["yearly_cost", "saved", "payee_name", "category_name", "category_id"]
    table = table.sort_values(by, ascending=[False, False, True, True, True], kind="stable")
    values: dict[str, Any] = {str(name): table[name] for name in table}
    for name in ("last_amount", "year_change", "yearly_cost", "saved"):
        values[name] = currency(table[name].to_numpy("int64"))
    counted, of_series = CountedRows(parts, parts["payment"]), table["of_series"].tolist()
    behind = {"payments": counted.behind(of_series)}
    behind["last_amount"] = counted.behind([each[-1] for each in of_series])
    keys = ("payee_id", "payee_name", "category_id", "frequency", "last_date", "last_amount")
    left_out = {"include_ended=True": (int(is_ended.sum()), "ended series", "ended series")}
    span = span_of(ledger, "date", None, None)
    left_out |= left_out_rows(rows, span, "to_tracking", uncategorized=uncategorized or income)
    return make_report(
        _RECURRING, values, of=[ledger], filters=kept.given or None, left_out=left_out,
        rows=RowSource(ledger, keys, behind),
        rules=[
            *([_INCOME_RULE] if income else _COUNTED_RULES),
            "" if income else uncategorized_rule(counts=uncategorized),
            *kept.rules,
            *_SERIES_RULES,
            "An income that ended saves nothing." if income else _SAVED_RULE,
            f"Ended series are {'included' if include_ended else 'left out'}.",
            *_COLUMN_RULES,
            "" if income else _KIND_RULE,
            *(f"The kind of {name} is {kind}, as given." for name, kind in own.items()),
            "" if last_day is None else f"Today is {last_day}; later rows do not count.",
        ],
    )  # fmt: skip


_COUNTED_RULES = (
    "A series is the outflows to one payee, or account of a transfer, in one category.",
    "The parts of one split are one payment.",
    "Income, refunds and transfers between budget accounts do not count.",
)
_INCOME_RULE = (
    "A series is the income from one payee in one category: inflows of budget accounts in Inflow:"
    " Ready to Assign, without starting balances. The parts of one split are one payment."
)
_SERIES_RULES = (
    "A series has regular intervals and similar amounts.",
    "It has at least three transactions, or two if yearly, four if at most half a month apart.",
    "Transactions of one payee with amounts more than 10 % apart can be several series.",
    "The next day is one interval after the last one.",
    "A series has ended if it is late by more than half an interval (7 to 30 days).",
    "The column ended_on has the day on which an ended series was expected.",
)
_SAVED_RULE = "Saved: the yearly cost that an ended series would have."
_COLUMN_RULES = (
    "Year change: the last amount minus that of a year before, or the first of a younger series.",
    "Change rate: the last amount against the one before; missing: no change, or amounts vary.",
    (
        "Yearly cost, or income: the last amount for each time in a year, or the mean of the last"
        " year if the amounts vary: over a quarter of them differ by over 5 % from the one before."
    ),
)
_KIND_RULE = (
    "Kind: loan for a transfer to a loan account, otherwise transfer; rent or loan by the name"
    " of the category; bill if the amounts vary; otherwise subscription."
)


def _last_day(ledger: pd.DataFrame, today: Day | None) -> np.datetime64 | None:
    """The day of the report; None for an empty ledger that does not know when it was read."""
    day = today_of(ledger, today)
    if day is None and not ledger.empty:
        day = ledger["date"].max()
    return None if day is None else np.datetime64(up_to_until(day, ledger), "D")


def _is_varying(amounts: Any) -> bool:
    """Whether many amounts differ from the one before."""
    changed = is_changed(amounts, _FIXED)
    return bool(changed.sum() * _CHANGED > len(changed))


def _kind_of(
    names: pd.Series[Any], series: Series, loans: set[str], kinds: Mapping[str, str]
) -> str:
    full_name = f"{names['category_group_name']}: {names['category_name']}"
    named = {**names, "full_name": full_name}
    for column in _KINDS_BY:
        if named[column] in kinds:
            return kinds[named[column]]
    if pd.notna(names["transfer_account_id"]):
        return "loan" if names["transfer_account_id"] in loans else "transfer"
    category = names["category_name"] or ""
    if _RENT.search(category):
        return "rent"
    if _LOAN.search(category):
        return "loan"
    return "bill" if _is_varying(series.amounts) else "subscription"


def _values(found: Recurring, kind: str) -> dict[str, Any]:
    """A row of the report, with amounts in milliunits."""
    series, upcoming = found.series, (found.next_day, np.datetime64("NaT", "D"))
    frequency = FREQUENCIES[series.frequency]
    days, amounts = series.days, series.amounts
    # A payment of a year ago can be some days late.
    year_before = days[-1] - _YEAR + frequency.tolerance * DAY
    earlier = np.flatnonzero(days <= year_before)
    earlier = earlier[earlier < len(days) - 1]
    before = amounts[earlier[-1] if len(earlier) else 0]
    recent = amounts[days > year_before]
    each = amounts[-1]
    yearly = each * frequency.per_year
    if _is_varying(amounts):
        yearly = divide_rounded(np.array([recent.sum() * frequency.per_year]), len(recent))[0]
    return {
        **found.names, "frequency": series.frequency, "last_date": days[-1], "last_amount": each,
        "next_date": upcoming[found.has_ended], "ended_on": upcoming[not found.has_ended],
        "year_change": each - before, **_last_change(series),
        "yearly_cost": 0 if found.has_ended else yearly,
        "saved": yearly if found.has_ended and kind != "income" else 0, "kind": kind,
        "payments": len(days), "of_series": found.payments,
    }  # fmt: skip


def _last_change(series: Series) -> dict[str, Any]:
    """The last price against the price before it, and its day; amounts that vary are no price."""
    changed = np.flatnonzero(np.diff(series.amounts))
    if not len(changed) or _is_varying(series.amounts):
        return {"change_rate": np.nan, "changed_on": np.datetime64("NaT", "D")}
    before, last = series.amounts[changed[-1]], series.amounts[-1]
    return {"change_rate": (last - before) / before, "changed_on": series.days[changed[-1] + 1]}


def _draw_recurring(frame: pd.DataFrame, canvas: Canvas) -> Any:
    payees = frame["payee_name"].astype(object)
    categories = disambiguated(frame, "category_group_name", "category_name")
    amounts = [canvas.amount(amount) for amount in frame["last_amount"]]
    several = payees.duplicated(keep=False) & categories.notna()
    labels = payees.mask(several, categories)
    labels = labels.mask(labels.duplicated(keep=False), payees + ", " + amounts)
    has_ended = frame["ended_on"].notna()
    labels = labels.mask(has_ended, labels + " (ended)")
    yearly = frame["yearly_cost"] + frame["saved"]  # one of them is zero
    canvas.horizontal_bars(yearly.set_axis(labels), max_bars=_MAX_BARS)

    def total(rows: pd.DataFrame, name: str = "yearly_cost") -> str:
        return canvas.amount(exact(rows, name).sum() / MILLIUNITS)

    what, end = "Recurring income", f": {total(frame)} a year"
    if not (frame["kind"] == "income").any():
        part = total(frame[frame["kind"] == "subscription"])
        what, end = "Recurring", f"{end}, subscriptions {part}"
    end += f", ended {total(frame, 'saved')}" if frame["saved"].any() else ""
    return canvas.title(f"{canvas.heading(what, frame, end=end)}{end}", legend=False)


_COLUMNS = (
    Column("payee_name", "str", "", "name of the payee, or of the account of a transfer"),
    Column("category_name", "str", "", "name of the category"),
    Column(
        "frequency", "category", "", "interval in the service's words", vocabulary=(*FREQUENCIES,)
    ),
    Column("last_amount", "float64", CURRENCY, "last cost or income"),
    Column("yearly_cost", "float64", CURRENCY, "cost or income of a year; zero: ended"),
    Column("next_date", "datetime64[us]", "", "expected day; missing: it has ended"),
    Column("ended_on", "datetime64[us]", "", "first day without a payment; missing: it goes on"),
    Column("saved", "float64", CURRENCY, "yearly cost that ended", display="unless zero"),
    Column(
        "kind", "category", "", "subscription, bill, rent, loan, transfer, income", vocabulary=KINDS
    ),
    Column("change_rate", "float64", "share", "last amount against that before; missing: none"),
    Column("changed_on", "datetime64[us]", "", "day of the first payment with the last amount"),
    Column("last_date", "datetime64[us]", "", "day of the last payment"),
    Column("year_change", "float64", CURRENCY, "last_amount minus the amount a year before"),
    Column("payments", "Int64", "payments", "number of payments in the series"),
    Column("category_group_name", "str", "", "name of the group of the category"),
    Column("payee_id", "str", "", "key of the payee"),
    Column("category_id", "str", "", "key of the category; missing: no category"),
)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    largest = frame.nlargest(1, "yearly_cost").iloc[0]
    count, side = number_of(len(frame), "recurring payment costs", "recurring payments cost"), "to"
    if (frame["kind"] == "income").any():
        count, side = number_of(len(frame), "recurring income is", "recurring incomes are"), "from"
    total, most = money(exact_sum(frame["yearly_cost"])), money(largest["yearly_cost"])
    return f"{count} {total} a year, the largest {most} {side} {name_text(largest['payee_name'])}."


_RECURRING = register(
    recurring, _COLUMNS, on_canvas(_draw_recurring), main="yearly_cost", sentence=_sentence
)
