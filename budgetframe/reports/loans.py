"""The loans of a budget, month by month, until they are paid off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median_high
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.money import currency
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import TABLES

from ._shared.arguments import payment_of, report_function
from ._shared.ledger_rows import LEDGER_COLUMNS
from ._shared.loan_rule import (
    LoanHistory,
    LoanRow,
    is_payment,
    loan_histories,
    loan_rows,
    loan_rules,
    monthly_interest,
    smallest_unit,
    state_day,
    value_in,
)
from ._shared.periods import DAY, MONTH, months_later, require_full_history, up_to_until
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import AccountFilters, row_filter
from ._shared.row_source import Columns, CountedRows, RowSource
from ._shared.stated_balances import with_steps
from ._shared.sums import required_frame

_PAYMENT_RULE = (
    "The projected payment is the median of the last six months with payments, or the minimum"
    " payment if there are none."
)
_MAX_YEARS = 100
_PRESENT_MONTHS = 6  # number of months with payments that the present payment is the median of
_RECORDED = ("interest", "escrow")  # kinds of rows
_ACCOUNTS = {column.name: column for column in TABLES["accounts"].columns}


class _Month(NamedTuple):
    """One month of a loan: amounts in milliunits, as changes of the amount owed."""

    month: str
    payment: int = 0
    interest: int = 0
    escrow: int = 0
    other: int = 0
    unexplained: int = 0
    owed: int = 0
    is_projected: bool = False

    @property
    def principal(self) -> int:
        return self.payment - self.interest - self.escrow


@report_function
def loans(
    ledger: pd.DataFrame | ArrowTable,
    *,
    payment: float | None = None,
    **filters: Unpack[AccountFilters],
) -> Report:
    """Amount owed, payments, interest and escrow of each loan, by month, until it is paid off.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.loans`.

    The ledger must be complete. Its ``attrs["loans"]`` has the terms of the loans. A loan without
    terms has a history, which is the sum of its rows, but no projection.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    require_full_history(ledger)
    unit = smallest_unit(ledger)
    given = None if payment is None else payment_of(payment, unit)
    known = loan_histories(ledger)
    names = pd.DataFrame([each.terms for each in known], columns=["account_id", "account_name"])
    frames = [names, ledger[[]]]  # its rows make every name unknown if none of them is of a loan
    missing = "there is no loan {names} with transactions"
    kept = row_filter(frames, filters, missing=missing)
    shown = [loan for loan, is_kept in zip(known, kept.mask(names), strict=True) if is_kept]
    shown.sort(key=lambda each: (each.terms["account_name"], each.account_id))
    values: dict[str, list[Any]] = defaultdict(list)
    rules = []
    for loan in shown:
        last = up_to_until(state_day(ledger), ledger)
        past: Sequence[_Month] = _history(loan, f"{last:%Y-%m}")
        future: list[_Month] | str = []
        if loan.has_terms:
            monthly = given or _present_payment(loan, past)
            before = _before_projection(past)
            future = _projection(loan, before[-1], monthly, unit)
            rules.append(_projection_rule(loan, past[-1], monthly, future, ledger.attrs))
            if future and not isinstance(future, str):
                past = before
        else:
            name = loan.terms["account_name"]
            rules.append(f"{name}: not projected, because its terms are unknown.")
        for each in [*past, *([] if isinstance(future, str) else future)]:
            for name in ("account_id", "account_name"):
                values[name].append(loan.terms[name])
            values["month"].append(np.datetime64(each.month, "us"))
            for name in _AMOUNTS:
                values[name].append(getattr(each, name))
            values["is_projected"].append(each.is_projected)
    typed: dict[str, Any] = dict(values)
    for name in _AMOUNTS:
        typed[name] = currency(np.array(values[name], dtype="int64"))
    return make_report(
        _LOANS,
        typed,
        of=[ledger],
        freq="month",
        filters=kept.given or None,
        rows=RowSource(ledger, ("account_id", "month"), lambda rows: _columns(rows, values)),
        rules=[
            *(loan_rules(shown, ledger, state_day(ledger), interest=True) if shown else ()),
            *kept.rules,
            "Owed = owed in the month before + interest + escrow + other + unexplained - payment.",
            "Interest and escrow that rows record are included.",
            "A projected month has one payment at the end, with the terms that are known today.",
            _PAYMENT_RULE if given is None else "",
            *rules,
        ],
    )


def _columns(rows: pd.DataFrame, values: Mapping[str, list[Any]]) -> Columns:
    """The rows behind each column; a projected month has none."""
    keys = pd.Index([*dict.fromkeys(values["account_id"])], dtype=object)
    rows = rows[rows["account_id"].isin(keys).to_numpy(bool)]
    of_rows = keys.get_indexer(rows["account_id"].astype(object))
    kinds = np.array([_kind_of(row) for row in loan_rows(rows)], dtype=object)
    is_projected = np.array(values["is_projected"], dtype=bool)
    labels = np.where(is_projected, -1, keys.get_indexer(values["account_id"]))
    first = np.array(values["month"], dtype="datetime64[us]")
    last = months_later(first, 1) - DAY
    columns = {"owed": CountedRows(rows, of_rows).behind(labels, last=last)}
    for kind in ("payment", *_RECORDED, "other"):
        counted = CountedRows(rows[kinds == kind], of_rows[kinds == kind])
        columns[kind] = counted.behind(labels, first=first, last=last)
    return columns


def _kind_of(row: LoanRow) -> str:
    """The column of the report that a row counts in."""
    if is_payment(row):
        return "payment"
    return str(row.kind) if row.kind in _RECORDED else "other"


def _history(loan: LoanHistory, today: str) -> list[_Month]:
    """The months from the first row until today, or until the last row if that is later."""
    sums: dict[str, Any] = defaultdict(lambda: defaultdict(int))  # by month and field of a month
    for row in loan.rows:
        of_month = sums[row.day[:7]]
        kind = _kind_of(row)
        of_month[kind] += row.amount if kind == "payment" else -row.amount
    for cost in loan.costs:
        sums[cost.day[:7]]["interest"] += cost.interest
        sums[cost.day[:7]]["escrow"] += cost.escrow
    sums[max(today, *sums)]["unexplained"] -= loan.unexplained
    found, owed = [], 0
    months = np.arange(np.datetime64(min(sums), "M"), np.datetime64(max(sums), "M") + MONTH)
    for month in months.astype(str).tolist():
        each = _Month(month, **sums[month])
        owed += each.other + each.unexplained - each.principal
        found.append(each._replace(owed=owed))
    return found


def _present_payment(loan: LoanHistory, past: Sequence[_Month]) -> int:
    paid = [each.payment for each in past if each.payment][-_PRESENT_MONTHS:]
    if not paid:
        return value_in(past[-1].month, loan.terms["minimum_payments"])
    return median_high(paid)


def _before_projection(past: Sequence[_Month]) -> Sequence[_Month]:
    """The history without a last month in which nothing happened: its payment is still to come."""
    if len(past) > 1 and past[-1] == _Month(past[-1].month, owed=past[-1].owed):
        return past[:-1]
    return past


def _projection(loan: LoanHistory, last: _Month, payment: int, unit: int) -> list[_Month] | str:
    """The months until the loan is paid off, or the reason why it never is."""
    rates, escrows = loan.terms["interest_rates"], loan.terms["escrow_amounts"]
    first = np.datetime64(last.month, "M") + MONTH
    last_change = max([key[:7] for key in (*rates, *escrows)], default="")
    found: list[_Month] = []
    owed = last.owed
    if owed <= 0:
        return found
    for month in (first + np.arange(12 * _MAX_YEARS) * MONTH).astype(str).tolist():
        interest = monthly_interest(owed, value_in(month, rates), unit)
        escrow = value_in(month, escrows)
        if payment <= interest + escrow and month >= last_change:
            return "the payment does not exceed interest and escrow"
        paid = min(payment, owed + interest + escrow)
        owed += interest + escrow - paid
        found.append(_Month(month, paid, interest, escrow, owed=owed, is_projected=True))
        if owed <= 0:
            return found
    return f"it would take more than {_MAX_YEARS} years"


def _projection_rule(
    loan: LoanHistory,
    last: _Month,
    payment: int,
    future: Sequence[_Month] | str,
    attrs: Mapping[Any, Any],
) -> str:
    name = loan.terms["account_name"]
    amount = in_currency(payment / MILLIUNITS, attrs.get("currency_format"))
    if isinstance(future, str):
        return f"{name}: never paid off with {amount} a month, because {future}."
    if last.owed <= 0:
        return f"{name}: nothing is owed."
    return f"{name}: paid off in {future[-1].month} with {amount} a month."


def _draw_loans(frame: pd.DataFrame, canvas: Canvas) -> Any:
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    largest = frame.groupby("account_id")["owed"].max().sort_values(ascending=False).index
    shown = largest[: canvas.max_series]
    owed, steps = (
        frame.pivot(index="month", columns="account_id", values=name)[shown]
        for name in ("owed", "unexplained")
    )
    later = frame.pivot(index="month", columns="account_id", values="is_projected")[shown]
    is_past = later.eq(False)  # noqa: FBT003 - missing where the loan has no row
    past = with_steps(owed.where(is_past), steps.fillna(0)).dropna(how="all")
    canvas.lines(past.rename(columns=dict(names)), canvas.theme.series)
    # The dashed line begins at the last month of the history.
    joined = owed.where(~is_past | ~is_past.shift(-1, fill_value=False))
    canvas.dashed_lines(joined, canvas.theme.series)
    now = frame.loc[~frame["is_projected"].to_numpy(bool)].groupby("account_id")["owed"].last()
    what = "Owed by loan" if len(names) > 1 else f"Owed on {canvas.name(names.iloc[0])}"
    return canvas.title(f"{canvas.heading(what, frame)}: {canvas.amount(now.sum())} now")


_AMOUNTS = ("payment", "interest", "escrow", "principal", "other", "unexplained", "owed")

_COLUMNS = (
    _ACCOUNTS["account_name"],
    Column("month", "datetime64[us]", "", "first day of the month"),
    Column("payment", "float64", CURRENCY, "sum of the payments"),
    Column("interest", "float64", CURRENCY, "part of the payment: interest", display="unless zero"),
    Column("escrow", "float64", CURRENCY, "part of the payment: escrow", display="unless zero"),
    Column("principal", "float64", CURRENCY, "the rest of the payment, which reduces the debt"),
    Column("other", "float64", CURRENCY, "other rows: opening debt, fees, corrections"),
    Column(
        "unexplained",
        "float64",
        CURRENCY,
        "what the service's balance owes beyond these",
        display="unless zero",
    ),
    Column("owed", "float64", CURRENCY, "at the end of the month; negative: a credit"),
    Column("is_projected", "bool", "", "whether the month is projected"),
    _ACCOUNTS["account_id"],
)
_LOANS = register(loans, _COLUMNS, on_canvas(_draw_loans), main="owed", kinds=("line",))
