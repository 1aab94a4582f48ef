"""What was paid into each investment, its value, its gain and its yearly return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.ledger import positions_of
from budgetframe.frames.loan_terms import LOAN_TYPES
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.loan_rule import UNEXPLAINED, cost_rows
from ._shared.periods import (
    DAY,
    Freq,
    Span,
    first_days,
    period_numbers,
    period_starts,
    require_full_history,
    span_of,
)
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import AccountFilters, Names, check_known, names_of, row_filter
from ._shared.row_source import Columns, CountedRows, RowSource
from ._shared.stated_balances import (
    ACCOUNT,
    STATE_DATE,
    balance_rules,
    stated_differences,
    with_steps,
)
from ._shared.sums import grid, required_frame
from ._shared.yearly_return import LARGEST, SMALLEST, yearly_returns

_MIN_DAYS = 90  # an account that is younger has no yearly return
_FLAGS = ("is_transfer", "is_starting_balance")
_PAYEE = ("payee_id", "payee_name")
_COLUMNS = ("date", "amount", *(column.name for column in ACCOUNT), *_FLAGS, *_PAYEE)
_OF_ACCOUNT = {each.name: each for each in ACCOUNT if each.name in ("account_name", "account_id")}


@report_function
def investments(
    ledger: pd.DataFrame | ArrowTable,
    *,
    freq: Literal["month", "quarter", "year"] = "month",
    contributions: Names = (),
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[AccountFilters],
) -> Report:
    """Contributions, value, gain and yearly return of each tracking account, by default by month.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.investments`.

    The ledger must be complete: without its first rows, the values would be wrong.
    """
    ledger = required_frame(ledger, _COLUMNS, "ledger")
    require_full_history(ledger)
    every = ledger[_is_investment(ledger)]
    missing = "the ledger has no rows of a tracking account without a loan {names}"
    # The rows of the ledger make every name unknown if none of its accounts is an investment.
    kept = row_filter([every, ledger[[]]], filters, missing=missing)
    payees = names_of(contributions, "contributions")
    if known := every["payee_name"].dropna().unique().tolist():
        missing = "no tracking account has rows of {names}"
        new = [name for name in payees if name not in {*every["payee_id"]}]
        check_known("contributions", new, known, missing, ["payees"])
    span = span_of(every, "date", since, until, to_today=True)
    values: dict[str, Any] = {}
    rules: list[str] = []
    if len(every) and span is not None:
        differences = stated_differences(every, interest=False)
        held, differences = kept.rows(every), kept.rows(differences)
        listed = pd.DataFrame(held).drop_duplicates("account_id", keep="last")[[*_OF_ACCOUNT]]
        listed = listed.sort_values(["account_name", "account_id"], ignore_index=True)
        values = _values(listed, _counted(held, differences, every, payees), span, freq)
        rules = balance_rules([], differences, every, span, interest=False)
    keys = pd.Index(values.get("account_id", ()), dtype=object)

    def behind(rows: pd.DataFrame) -> Columns:
        rows = rows[_is_investment(rows)]
        return _behind(rows, _is_contributed(rows, payees), keys, values, freq)

    of_payees = f", and rows of the payees {', '.join(_shown(every, payees))}" if payees else ""
    return make_report(
        _INVESTMENTS, values, of=[ledger], freq=freq, filters=kept.given or None,
        rows=RowSource(ledger, ("account_id", "date"), behind),
        rules=[
            "Every tracking account counts whose type is not that of a loan.",
            *kept.rules,
            f"Contributed: starting balances, transfers in both directions{of_payees}.",
            *_RULES,
            *rules,
        ],
    )  # fmt: skip


_RULES = (
    "Gain: all other rows, such as changes of the price, dividends and fees.",
    "Contributed, value and gain are those up to the day: value = contributed + gain.",
    ("Yearly return: the rate at which the contributions, with compound interest from their days"
     " on and 365 days in a year, are worth the value on the day (money-weighted, XIRR)."),
    (f"It is missing until the account is {_MIN_DAYS} days old, for a value below zero, and if"
     f" no rate from {SMALLEST:.2%} to {LARGEST:,.0%} exists; of several, it is the one closest"
     " to zero."),
    ("An account begins with its first row, and ends with its last row if nothing is left of it"
     " then, as in a closed account."),
)  # fmt: skip


def _is_investment(ledger: pd.DataFrame) -> Any:
    """Which rows are of a tracking account without a loan."""
    is_loan = ledger["account_type"].isin(LOAN_TYPES).to_numpy(bool)
    return ~ledger["on_budget"].to_numpy(bool) & ~is_loan


def _shown(rows: pd.DataFrame, payees: Sequence[str]) -> list[str]:
    """The names of payees, of which some are given by their keys."""
    names = dict(rows[[*_PAYEE]].drop_duplicates().dropna().itertuples(index=False, name=None))
    return [*dict.fromkeys(names.get(each, each) for each in payees)]


def _is_contributed(rows: pd.DataFrame, payees: Sequence[str]) -> Any:
    """Which rows are contributions; the others are gains."""
    counted = rows["is_transfer"] | rows["is_starting_balance"]
    for name in _PAYEE:
        counted |= rows[name].isin(payees)
    return counted.to_numpy(bool)


def _counted(
    held: pd.DataFrame, differences: pd.DataFrame, every: pd.DataFrame, payees: Sequence[str]
) -> pd.DataFrame:
    """What counts, as rows with ``kind``: contributions, gains, and unexplained differences."""
    rows = pd.DataFrame(held)[["account_id", "date", "amount"]]
    rows = rows.assign(kind=np.where(_is_contributed(held, payees), "contributed", "gain"))
    if differences.empty:
        return rows
    stated = cost_rows([], differences, every)
    amounts = currency(stated[UNEXPLAINED.name].to_numpy())
    stated = stated[["account_id", "date"]].assign(amount=amounts, kind=UNEXPLAINED.name)
    return pd.concat([rows, stated], ignore_index=True)


def _values(listed: pd.DataFrame, rows: pd.DataFrame, span: Span, freq: Freq) -> dict[str, Any]:
    """The columns of the report: one row for each account and period in which it exists."""
    rows = rows[(rows["date"] <= span.last).to_numpy(bool)]
    starts, ends = span.starts(freq), span.ends(freq)
    # All rows before the first period go into one extra period.
    before = starts[0] - DAY
    period = np.maximum(first_days(rows["date"], freq, span), before)
    label = positions_of(listed, "account_id", rows["account_id"])
    place = np.searchsorted(starts, period, side="right") - 1
    rows = rows.assign(label=label, period=period, place=place)
    kinds, periods = ("contributed", "gain", UNEXPLAINED.name), np.append(before, starts)
    rows_of = {kind: rows[(rows["kind"] == kind).to_numpy(bool)] for kind in kinds}
    tables = {kind: grid(rows_of[kind], len(listed), periods) for kind in kinds}
    tables["gain"] += tables[UNEXPLAINED.name]
    sums = {name: np.cumsum(tables[name], axis=1)[:, 1:] for name in ("contributed", "gain")}
    value = sums["contributed"] + sums["gain"]
    rates = np.full(value.shape, np.nan)
    is_shown = np.zeros(value.shape, dtype=bool)
    for label in range(len(listed)):
        of_account = rows[(rows["label"] == label).to_numpy(bool)]
        if of_account.empty:
            continue
        first, last = of_account["place"].min(), of_account["place"].max()
        is_over = value[label, -1] == 0
        is_shown[label, max(first, 0) : last + 1 if is_over else None] = True
        paid = of_account[(of_account["kind"] == "contributed").to_numpy(bool)]
        paid = paid[exact(paid) != 0]
        if paid.empty:
            continue
        began = paid["date"].min().to_datetime64()
        is_old = is_shown[label] & (ends - began >= _MIN_DAYS * DAY)
        if is_old.any():
            days, amounts = paid["date"].to_numpy(), exact(paid)
            rates[label, is_old] = yearly_returns(days, amounts, ends[is_old], value[label, is_old])
    account, place = np.nonzero(is_shown)
    values: dict[str, Any] = {name: listed[name].take(account) for name in _OF_ACCOUNT}
    amounts = {
        **sums, "value": value, **{f"period_{name}": tables[name][:, 1:] for name in sums},
        UNEXPLAINED.name: tables[UNEXPLAINED.name][:, 1:],
    }  # fmt: skip
    values |= {name: currency(table[account, place]) for name, table in amounts.items()}
    return values | {"date": ends[place], "yearly_return": rates[account, place]}


def _behind(
    rows: pd.DataFrame, is_contributed: Any, keys: pd.Index, values: dict[str, Any], freq: Freq
) -> Columns:
    different = keys.unique()
    labels = different.get_indexer(keys)
    last = values.get("date", np.zeros(0, dtype="datetime64[us]"))
    first = period_starts(period_numbers(last, freq), freq)
    kinds = {"value": None, "contributed": is_contributed, "gain": ~is_contributed}
    columns = {}
    for name, is_counted in kinds.items():
        of_kind = rows if is_counted is None else rows[is_counted]
        places = different.get_indexer(pd.Index(of_kind["account_id"], dtype=object))
        counted = CountedRows(of_kind, places)
        columns[name] = counted.behind(labels, last=last)
        if is_counted is not None:
            columns[f"period_{name}"] = counted.behind(labels, first=first, last=last)
    return columns


def _draw_investments(frame: pd.DataFrame, canvas: Canvas) -> Any:
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    tables = {
        name: frame.pivot(index="date", columns="account_id", values=name)
        for name in ("value", "contributed", UNEXPLAINED.name)
    }
    value = tables["value"]
    largest = value.abs().max().sort_values(ascending=False, kind="stable").index
    shown = largest[: canvas.max_series]
    steps = tables[UNEXPLAINED.name].fillna(0)
    last = canvas.amount(frame.groupby("account_id")["value"].last().sum())
    if len(names) == 1:
        both = pd.concat([with_steps(value, steps), tables["contributed"]], axis=1)
        both.columns = pd.Index(["value", "contributed"])
        canvas.lines(both, [canvas.theme.plus, canvas.theme.faint])
        what = f"{canvas.name(names.iloc[0])}: value and contributions"
        return canvas.title(f"{canvas.heading(what, frame)}: {last}")
    canvas.lines(with_steps(value, steps)[shown].rename(columns=dict(names)), canvas.theme.series)
    canvas.dashed_lines(tables["contributed"][shown], canvas.theme.series)
    what = canvas.heading("Investments, dashed: contributed", frame)
    return canvas.title(f"{what}: {last}")


_REPORT_COLUMNS = (
    STATE_DATE,
    _OF_ACCOUNT["account_name"],
    Column("contributed", "float64", CURRENCY, "paid in minus taken out, up to the day"),
    Column("value", "float64", CURRENCY, "balance at the end of the day"),
    Column("gain", "float64", CURRENCY, "value minus contributed"),
    Column("yearly_return", "float64", "share", "money-weighted, up to the day; missing: none"),
    Column("period_contributed", "float64", CURRENCY, "paid in minus taken out in the period"),
    Column("period_gain", "float64", CURRENCY, "gain of the period"),
    UNEXPLAINED,
    _OF_ACCOUNT["account_id"],
)
_INVESTMENTS = register(
    investments, _REPORT_COLUMNS, on_canvas(_draw_investments), main="value", kinds=("line",),
    has_wide=True, groups=("account_name", "account_id"),
)  # fmt: skip
