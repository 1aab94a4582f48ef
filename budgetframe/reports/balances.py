"""The balance of each account over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day
from budgetframe.frames.ledger import positions_of
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.group_pictures import largest_columns
from ._shared.loan_rule import ESCROW, INTEREST, UNEXPLAINED, cost_rows, loan_histories
from ._shared.periods import (
    CalendarFreq,
    WeekDay,
    day_before,
    first_days,
    freq_of,
    require_full_history,
    span_of,
)
from ._shared.report import Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import AccountFilters, RowFilter, row_filter
from ._shared.row_source import Columns, CountedRows, RowSource
from ._shared.stated_balances import ACCOUNT, balance_rules, stated_differences
from ._shared.sums import grid, required_frame

if TYPE_CHECKING:
    from .plotting.canvas import Canvas

_ACCOUNT = [column.name for column in ACCOUNT]

_LOAN_COLUMNS = (INTEREST.name, ESCROW.name, UNEXPLAINED.name)

_LEDGER_COLUMNS = ("date", "amount", *_ACCOUNT)

STATE_DATE = Column("date", "datetime64[us]", "", "day that the row describes, at its end")
"""The date column of a report whose rows state balances."""


class AccountBalances(NamedTuple):
    """The balances of the accounts that count at the ends of periods, in milliunits.

    `loans` has the ``interest``, ``escrow`` and ``unexplained`` of each period, with the shape of
    `table`. The balances contain them. Only loans have interest and escrow.
    """

    kept: RowFilter
    starts: Any  # the first day of each period
    ends: Any  # the last day of each period
    accounts: pd.DataFrame  # sorted by name
    table: Any  # the balances, shape (accounts, periods)
    opening: Any  # the balance of each account before the first period
    loans: Mapping[str, Any]
    rules: list[str]  # about loans, differences from the service's balances, and the days


@report_function
def balances(
    ledger: pd.DataFrame | ArrowTable,
    *,
    freq: CalendarFreq = "month",
    week_starts: WeekDay = "monday",
    interest: bool = True,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[AccountFilters],
) -> Report:
    """Balance of each account at the end of each period, by default of each month.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.balances`.

    The ledger must be complete: without its first rows, the balances would be wrong.
    """
    freq = freq_of(freq, week_starts)
    ledger = in_pandas(ledger)
    found = account_balances(ledger, freq, filters, since, until, interest=interest)
    listed = found.accounts
    shown = np.tile(np.arange(len(listed)), len(found.ends))
    of_rows = listed.take(shown)
    values: dict[str, Any] = {name: of_rows[name] for name in _ACCOUNT}
    values["date"] = np.repeat(found.ends, len(listed))
    for name, amounts in {"balance": found.table, **found.loans}.items():
        values[name] = currency(amounts.T.reshape(-1))
    account_ids, days = pd.Index(listed["account_id"]), values["date"]

    def behind(rows: pd.DataFrame) -> Columns:
        counted = CountedRows(rows, account_ids.get_indexer(rows["account_id"]))
        return {"balance": counted.behind(shown, last=days)}

    return make_report(
        _BALANCES,
        values,
        of=[ledger],
        freq=freq,
        filters=found.kept.given or None,
        rows=RowSource(ledger, ("account_id", "date"), behind),
        rules=[
            "Each balance is the sum of all rows in the ledger up to that day, with split parts.",
            *found.kept.rules,
            "Before its first transaction an account has the balance zero.",
            "After it was closed an account keeps its last balance.",
            *found.rules,
        ],
    )


def account_balances(
    whole: pd.DataFrame,
    freq: CalendarFreq,
    filters: AccountFilters,
    since: Day | None,
    until: Day | None,
    *,
    interest: bool,
) -> AccountBalances:
    """Calculate the balance of each account of a ledger at the end of each period."""
    required_frame(whole, _LEDGER_COLUMNS, "ledger")
    require_full_history(whole)
    span = span_of(whole, "date", since, until)
    differences = stated_differences(whole, interest=interest)
    kept = row_filter([whole, differences], filters)
    ledger, differences = kept.rows(whole), kept.rows(differences)
    loans = loan_histories(ledger, interest=interest)
    listed = _listed_accounts(ledger, differences)
    if span is None:
        days = np.zeros(0, dtype="datetime64[us]")
        table = np.zeros((0, 0), dtype="int64")
        costs = dict.fromkeys(_LOAN_COLUMNS, table)
        listed = listed.iloc[:0]
        return AccountBalances(kept, days, days, listed, table, table.sum(axis=1), costs, [])
    starts = span.starts(freq)
    # All rows before the first period go into one extra period: their sum is the opening balance.
    before = day_before(starts[0])

    def changes(rows: pd.DataFrame) -> Any:
        is_before_end = (rows["date"] <= span.last).to_numpy(bool)
        rows = rows if is_before_end.all() else rows[is_before_end]
        label = positions_of(listed, "account_id", rows["account_id"])
        period = np.maximum(first_days(rows["date"], freq, span), before)
        rows = rows[["amount"]].assign(label=label, period=period)
        return grid(rows, len(listed), np.append(before, starts))

    table = changes(pd.DataFrame(ledger)[["account_id", "date", "amount"]])
    rows = cost_rows(loans, differences, ledger)
    costs = {
        name: changes(rows.assign(amount=currency(rows[name].to_numpy()))) for name in _LOAN_COLUMNS
    }
    sums = np.cumsum(table - costs["interest"] - costs["escrow"] + costs["unexplained"], axis=1)
    in_periods = {name: amounts[:, 1:] for name, amounts in costs.items()}
    rules = balance_rules(loans, differences, whole, span, interest=interest)
    return AccountBalances(
        kept, starts, span.ends(freq), listed, sums[:, 1:], sums[:, 0], in_periods, rules
    )


def _listed_accounts(ledger: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """The accounts with rows in a ledger, and those with a stated difference, by name."""
    accounts = pd.DataFrame(ledger).loc[~ledger["account_id"].duplicated(keep="last"), _ACCOUNT]
    is_other = ~differences["account_id"].isin(accounts["account_id"]).to_numpy(bool)
    if is_other.any():  # accounts without rows
        accounts = pd.concat([accounts, differences.loc[is_other, _ACCOUNT]])
    return accounts.sort_values(["account_name", "account_id"], ignore_index=True)


def with_steps(table: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    """Split a day with an unexplained difference in two rows: without the difference and with it.

    The line of a picture then rises or falls vertically on this day.
    """
    stepped = (steps != 0).any(axis=1).to_numpy(bool)
    if not stepped.any():
        return table
    return pd.concat([(table - steps)[stepped], table]).sort_index(kind="stable")


def _draw_balances(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table, steps = (
        frame.pivot(index="date", columns="account_id", values=name)
        for name in ("balance", UNEXPLAINED.name)
    )
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    largest = table.abs().max().sort_values(ascending=False).index

    def shown(each: pd.DataFrame) -> pd.DataFrame:
        return largest_columns(each, largest, canvas.max_series).rename(columns=dict(names))

    trends = canvas.trends(shown(table))
    canvas.lines(shown(with_steps(table, steps.fillna(0))), canvas.theme.series)
    canvas.draw_trends(trends, canvas.theme.series, at_days=True)
    if len(names) > 1:
        return canvas.title(canvas.heading("Balance by account", frame))
    last = canvas.amount(table[names.index[0]].iloc[-1])
    title = canvas.heading(f"Balance of {canvas.name(names.iloc[0])}", frame)
    return canvas.title(f"{title}: {last}", legend=False)


_BALANCES = register(
    balances,
    (
        STATE_DATE,
        *ACCOUNT,
        Column("balance", "float64", CURRENCY, "cleared plus uncleared balance"),
        INTEREST,
        ESCROW,
        UNEXPLAINED,
    ),
    on_canvas(_draw_balances),
    main="balance",
    has_lines=True,
    has_trend=True,
    has_wide=True,
    groups=("account_name", "account_id"),
)
