"""The loans of a budget, month by month, until they are paid off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, zip_longest
from statistics import median_high
from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS, to_milliunits
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.money import exact
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import TABLES

from ._shared.arguments import payments_of, report_function
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
from ._shared.row_filters import AccountFilters, check_known, row_filter
from ._shared.row_source import Columns, CountedRows, RowSource
from ._shared.sentences import amount_text
from ._shared.stated_balances import with_steps
from ._shared.sums import required_frame

_PAYMENT_RULE = (
    "The projected payment is the median of the last six months with payments, the larger of two"
    " middle ones, or the minimum payment if there are none."
)
_ORDER_RULES = {
    "avalanche": "First in order: the highest yearly rate of the month",
    "snowball": "First in order: the smallest debt at the beginning of the month",
}
_COMPARED = ("owed_without", "interest_saved")
_TABLE = {
    "account_name": "", "paid_off_on": "", "paid_off_on_without": "", "months_saved": "",
    "interest": CURRENCY, "interest_saved": CURRENCY, "account_id": "",
}  # fmt: skip
"""The columns of what `_compare` returns, with their units."""
_ENDS = {"paid_off_on": "interest", "paid_off_on_without": "interest_saved"}
_MAX_YEARS = 100
_NEVER = ("the payment does not exceed interest and escrow",
          f"it would take more than {_MAX_YEARS} years")  # fmt: skip
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
    owed_without: int | None = None
    interest_saved: int | None = None

    @property
    def principal(self) -> int:
        return self.payment - self.interest - self.escrow


_Schedule: TypeAlias = Sequence[_Month] | str
"""The months until a loan is paid off, or the reason why it never is."""


class _Debt(NamedTuple):
    """A loan with its history, and its payment in projected months."""

    name: str
    loan: LoanHistory
    past: Sequence[_Month]
    payment: int
    has_usual: bool  # its payment is the usual one

    @property
    def before(self) -> Sequence[_Month]:
        """The history without a last month in which nothing happened: its payment is to come."""
        last = self.past[-1]
        is_open = len(self.past) > 1 and last == _Month(last.month, owed=last.owed)
        return self.past[:-1] if is_open else self.past


@report_function
def loans(
    ledger: pd.DataFrame | ArrowTable,
    *,
    payment: float | Mapping[str, float] | None = None,
    extra: float = 0,
    order: Literal["avalanche", "snowball"] | None = None,
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
    given = payments_of(payment, unit)
    more = payments_of(extra or None, unit, "extra").get("", 0)
    order = order or ("avalanche" if more else None)
    known = loan_histories(ledger)
    names = pd.DataFrame([each.terms for each in known], columns=["account_id", "account_name"])
    frames = [names, ledger[[]]]  # its rows make every name unknown if none of them is of a loan
    missing = "there is no loan {names} with transactions"
    kept = row_filter(frames, filters, missing=missing)
    new = [name for name in given if name not in {*names["account_id"]}]
    check_known(
        "payment", new if isinstance(payment, Mapping) else (), names["account_name"].tolist(),
        missing, ["accounts"],
    )  # fmt: skip
    of_kept = compress(known, kept.mask(names))
    shown = sorted(of_kept, key=lambda each: (each.terms["account_name"], each.account_id))
    today = up_to_until(state_day(ledger), ledger)
    debts = [_debt(loan, today, given) for loan in shown]
    alone = [_schedules([debt], unit)[0][0] for debt in debts]
    planned, first = _schedules(debts, unit, more, order) if order else (alone, [])
    rows = [
        (debt.loan.account_id, debt.name, each.principal, *each)
        for debt, *both in zip(debts, planned, alone, strict=True)
        for each in _months(debt, *both)
    ]
    columns = ["account_id", "account_name", "principal", *_Month._fields]
    values: dict[str, Any] = {**pd.DataFrame(rows, columns=columns)}
    values["month"] = np.array([*values["month"]], dtype="datetime64[us]")
    for name in _AMOUNTS:
        is_known = order is not None or name not in _COMPARED
        values[name] = values[name].astype("float64") / (MILLIUNITS if is_known else np.nan)
    return make_report(
        _LOANS, values, of=[ledger], freq="month", filters=kept.given or None,
        order=[debt.name for debt in first] if order else None,
        rows=RowSource(ledger, ("account_id", "month"), lambda rows: _columns(rows, values)),
        rules=[
            *(loan_rules(shown, ledger, state_day(ledger), interest=True) if shown else ()),
            *kept.rules,
            "Owed = owed in the month before + interest + escrow + other + unexplained - payment.",
            "Interest and escrow that rows record are included.",
            "A projected month has one payment at the end, with the terms that are known today.",
            _PAYMENT_RULE if any(debt.has_usual for debt in debts) else "",
            *(_order_rules(order, first, more, ledger) if order and first else ()),
            *_rules(debts, planned, ledger, _compare(pd.DataFrame(values)) if first else None),
        ],
    )  # fmt: skip


def _columns(rows: pd.DataFrame, values: Mapping[str, Any]) -> Columns:
    """The rows behind each column; a projected month has none."""
    keys = pd.Index([*dict.fromkeys(values["account_id"])], dtype=object)
    rows = rows[rows["account_id"].isin(keys).to_numpy(bool)]
    of_rows = keys.get_indexer(rows["account_id"].astype(object))
    kinds = np.array([_kind_of(row) for row in loan_rows(rows)], dtype=object)
    labels = np.where(values["is_projected"], -1, keys.get_indexer(values["account_id"]))
    first, last = values["month"], months_later(values["month"], 1) - DAY
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


def _debt(loan: LoanHistory, today: pd.Timestamp, given: Mapping[str, int]) -> _Debt:
    """A loan with its history, and the payment that is given for it or that it has at present."""
    name, past = str(loan.terms["account_name"]), _history(loan, f"{today:%Y-%m}")
    known = [amount for each, amount in given.items() if each in {loan.account_id, name, ""}]
    if len(known) > 1:
        raise ToolError(f"payment: the loan {name!r} has several payments; pass one")
    paid = [each.payment for each in past if each.payment][-_PRESENT_MONTHS:]
    minimum = value_in(past[-1].month, loan.terms["minimum_payments"])
    payment = known[0] if known else median_high(paid) if paid else minimum
    return _Debt(name, loan, past, payment, has_usual=not known and loan.has_terms)


def _schedules(
    debts: Sequence[_Debt], unit: int, extra: int = 0, order: str | None = None
) -> tuple[list[_Schedule], list[_Debt]]:
    """The schedule of each debt, and the debts in the order in which they first get the extra."""
    found: list[list[_Month]] = [[] for _ in debts]
    owed = {at: debt.past[-1].owed for at, debt in enumerate(debts) if debt.loan.has_terms}
    owed = {at: amount for at, amount in owed.items() if amount > 0}
    starts = {at: np.datetime64(debts[at].before[-1].month, "M") + MONTH for at in owed}
    if not owed:
        return [*found], []
    begin, first = str(max(starts.values())), list[_Debt]()
    months = np.arange(min(starts.values()), max(starts.values()) + 12 * _MAX_YEARS * MONTH)
    left = 0  # of the payments of debts that are paid off
    for month in months.astype(str).tolist():
        rest = left + (extra if month >= begin else 0)
        due: list[tuple[int, int]] = []  # the rank of a debt in the order, and the debt
        for at, debt in enumerate(debts):
            if at in owed and str(starts[at]) <= month:
                rate = value_in(month, debt.loan.terms["interest_rates"])
                due.append((-rate if order == "avalanche" else owed[at], at))
                interest = monthly_interest(owed[at], rate, unit)
                escrow = value_in(month, debt.loan.terms["escrow_amounts"])
                owed[at] += interest + escrow
                paid = min(debt.payment, owed[at])
                rest += debt.payment - paid
                found[at].append(_Month(month, paid, interest, escrow, is_projected=True))
        due.sort()  # equal ones by name, as they are shown
        if month == begin:
            first = [debts[at] for _, at in due]
        for _, at in due:
            each = found[at][-1]
            more = min(rest, owed[at] - each.payment)
            rest -= more
            owed[at] -= each.payment + more
            found[at][-1] = each._replace(payment=each.payment + more, owed=owed[at])
            if not owed[at]:
                left += debts[at].payment
                del owed[at]
        if not owed:
            break
    ends = enumerate(found)
    return [_NEVER[each[-1].principal > 0] if at in owed else each for at, each in ends], first


def _months(debt: _Debt, planned: _Schedule, alone: _Schedule) -> Iterator[_Month]:
    """The history and the projection of a loan, compared with the one of its payment alone."""
    planned = [] if isinstance(planned, str) else planned
    for each in debt.before if planned else debt.past:
        yield each._replace(owed_without=each.owed, interest_saved=0)
    if isinstance(alone, str):
        yield from planned
        return
    for each, other in zip_longest(planned, alone):  # the debt is never paid off later than alone
        shown = each or _Month(other.month, is_projected=True)
        saved = other.interest - shown.interest
        yield shown._replace(owed_without=other.owed, interest_saved=saved)


def _order_rules(
    order: str, first: Sequence[_Debt], extra: int, ledger: pd.DataFrame
) -> Iterator[str]:
    if extra:
        begin = max(np.datetime64(debt.before[-1].month, "M") for debt in first) + MONTH
        amount = amount_text(extra, ledger)
        yield f"From {begin} on, {amount} a month more are paid, to the first loan in order."
    names = ", then ".join(debt.name for debt in first)
    yield f"{_ORDER_RULES[order]}, of equal ones the first name: {names}."
    yield "When a loan is paid off, its payment and its rest in that month go on to the next one."
    yield "Owed without and interest saved: each loan only has its own payment."


def _rules(
    debts: Sequence[_Debt], planned: Sequence[_Schedule], ledger: pd.DataFrame, compared: Any
) -> Iterator[str]:
    """A sentence about the end of each loan and, if they are compared, about what is saved."""
    more = "" if compared is None else " and what the order adds"
    for debt, months in zip(debts, planned, strict=True):
        name, amount = debt.name, f"{amount_text(debt.payment, ledger)} a month{more}"
        if not debt.loan.has_terms:
            yield f"{name}: not projected, because its terms are unknown."
        elif isinstance(months, str):
            yield f"{name}: never paid off with {amount}, because {months}."
        elif not months:
            yield f"{name}: nothing is owed."
        else:
            yield f"{name}: paid off in {months[-1].month} with {amount}."
    if compared is None:
        return
    *_, end, later, _, saved, _ = compared.iloc[-1]
    if pd.notna(end):
        much = f"{number_of(later, 'month')} later and {amount_text(to_milliunits(saved), ledger)}"
        yield f"With own payments only, the end is in {end:%Y-%m}: {much} more of interest."
    else:
        yield "With own payments only, not all loans are paid off."


def _compare(frame: pd.DataFrame) -> pd.DataFrame:
    """When each loan is paid off, and what is saved, one row per loan and one for all of them."""
    if frame["owed_without"].isna().all():
        raise ToolError("compare: nothing is compared in this report; pass it extra= or order=")
    rows = frame.drop_duplicates(["account_id", "month"])
    is_later = rows["is_projected"].to_numpy(bool)
    rows = rows.assign(
        loan=rows["account_id"],
        paid_off_on=rows["month"].where(is_later & (rows["owed"] == 0) & (rows["payment"] > 0)),
        paid_off_on_without=rows["month"].where(is_later & (rows["owed_without"] == 0)),
        **{name: exact(rows, name) * is_later for name in _ENDS.values()},
    )
    is_owed = (rows.groupby("account_id")["owed"].transform("last") > 0) | is_later
    rows = rows[is_owed.groupby(rows["account_id"]).transform("any").to_numpy(bool)]
    rows = pd.concat([rows, rows.assign(account_name="Total", account_id=None)])
    grouped = rows.groupby(["account_name", "account_id"], sort=False, dropna=False)
    table = grouped[[*_ENDS]].max().join(grouped[[*_ENDS.values()]].sum() / MILLIUNITS)
    for end, saved in _ENDS.items():
        is_known = grouped[end].count() == grouped["loan"].nunique()
        table[[end, saved]] = table[[end, saved]].where(is_known)
    end, before = (12 * table[name].dt.year + table[name].dt.month for name in _ENDS)
    table["months_saved"] = (before - end).astype("Int64")
    return table.reset_index()[[*_TABLE]]


def _draw_loans(frame: pd.DataFrame, canvas: Canvas) -> Any:
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    largest = frame.groupby("account_id")["owed"].max().sort_values(ascending=False).index
    shown = largest[: canvas.max_series]
    is_past = ~frame["is_projected"].to_numpy(bool)
    drawn = frame[is_past | (frame["payment"] > 0).to_numpy(bool)]  # up to the last payment
    owed, steps, without = (
        rows.pivot(index="month", columns="account_id", values=name)[shown]
        for rows, name in ((drawn, "owed"), (drawn, "unexplained"), (frame, "owed_without"))
    )
    lines = with_steps(owed, steps.fillna(0))
    canvas.lines(lines.rename(columns=dict(names)), canvas.theme.series)
    now = frame[is_past].groupby("account_id")[["month", "owed"]].last()
    if without.notna().any(axis=None):
        first = now["month"].reindex(shown, fill_value=frame["month"].min()).to_numpy()
        is_later = without.index.to_numpy()[:, np.newaxis] >= first
        faint = [canvas.theme.faint] * len(shown)
        canvas.dashed_lines(without.where(is_later), faint, "each loan alone")
    for month, debt in now[now.index.isin(shown)].itertuples(index=False):
        canvas.mark(month, debt, "", canvas.theme.ink)  # the projection begins
    what = "Owed by loan" if len(names) > 1 else f"Owed on {canvas.name(names.iloc[0])}"
    return canvas.title(f"{canvas.heading(what, drawn)}: {canvas.amount(now['owed'].sum())} now")


_AMOUNTS = (
    "payment", "interest", "escrow", "principal", "other", "unexplained", "owed", *_COMPARED,
)  # fmt: skip
_BEYOND = "what the service's balance owes beyond these"
_COLUMNS = (
    _ACCOUNTS["account_name"],
    Column("month", "datetime64[us]", "", "first day of the month"),
    Column("payment", "float64", CURRENCY, "sum of the payments"),
    Column("interest", "float64", CURRENCY, "part of the payment: interest", display="unless zero"),
    Column("escrow", "float64", CURRENCY, "part of the payment: escrow", display="unless zero"),
    Column("principal", "float64", CURRENCY, "the rest of the payment, which reduces the debt"),
    Column("other", "float64", CURRENCY, "other rows: opening debt, fees, corrections"),
    Column("unexplained", "float64", CURRENCY, _BEYOND, display="unless zero"),
    Column("owed", "float64", CURRENCY, "at the end of the month; negative: a credit"),
    Column("owed_without", "float64", CURRENCY, "owed with its own payment only; missing: unknown"),
    Column("interest_saved", "float64", CURRENCY, "interest with its own payment only - interest"),
    Column("is_projected", "bool", "", "whether the month is projected"),
    _ACCOUNTS["account_id"],
)
_LOANS = register(
    loans, _COLUMNS, on_canvas(_draw_loans), main="owed", kinds=("line",),
    compared=(_compare, _TABLE),
)  # fmt: skip
