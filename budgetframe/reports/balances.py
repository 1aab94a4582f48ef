"""The balance of each account over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe.frames.dates import Day
from budgetframe.frames.ledger import positions_of
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.loan_rule import (
    ESCROW,
    INTEREST,
    UNEXPLAINED,
    LoanHistory,
    cost_rows,
    loan_histories,
    loan_rules,
)
from ._shared.periods import (
    CalendarFreq,
    Freq,
    Span,
    day_before,
    first_days,
    require_full_history,
    span_of,
)
from ._shared.report import Report, make_report, on_canvas, register
from ._shared.row_filters import Names, row_filter
from ._shared.row_source import Columns, CountedRows, RowSource
from ._shared.stated_balances import ACCOUNT, difference_rules, stated_differences
from ._shared.sums import grid, require_columns

__all__ = [
    "LEDGER_COLUMNS",
    "STATE_DATE",
    "AccountBalances",
    "account_balances",
    "balances",
    "with_steps",
]

if TYPE_CHECKING:
    from .plotting.canvas import Canvas

_ACCOUNT = [column.name for column in ACCOUNT]

_LOAN_COLUMNS = (INTEREST.name, ESCROW.name, UNEXPLAINED.name)

LEDGER_COLUMNS = ("date", "amount", *_ACCOUNT)
"""Columns of the ledger that balances are calculated from."""

STATE_DATE = Column("date", "datetime64[us]", "", "day that the row describes, at its end")
"""The date column of a report whose rows state balances."""


class AccountBalances(NamedTuple):
    """The balances of all accounts at the ends of periods.

    Parameters
    ----------
    accounts : DataFrame
        One row per account, sorted by name.
    ends : ndarray of datetime64
        Last day of each period.
    table : ndarray of int64
        Balances in milliunits, shape (accounts, periods).
    opening : ndarray of int64
        Balance of each account in milliunits before the first period.
    loans : mapping of str to ndarray of int64
        ``interest``, ``escrow`` and ``unexplained`` of each period in milliunits, with the shape of
        `table`. The balances contain them. Only loans have interest and escrow.
    """

    accounts: pd.DataFrame
    ends: Any
    table: Any
    opening: Any
    loans: Mapping[str, Any]


@report_function
def balances(
    ledger: pd.DataFrame,
    *,
    freq: CalendarFreq = "month",
    interest: bool = True,
    accounts: Names | None = None,
    exclude_accounts: Names = (),
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """Balance of each account at the end of each period, by default of each month.

    The last row of an account is the balance that the service states for it. An account without a
    balance and without any transaction has no rows. Before its first transaction an account has the
    balance zero; after it was closed, it keeps its last balance.

    The balance of a loan contains interest and escrow that no transaction records. They are
    calculated with the service's rule. If the service's balance of an account still differs from
    the calculated one, the last row has the difference in ``unexplained`` and the rules name the
    account. For an account that is no loan there is a `RuntimeWarning` as well.

    Parameters
    ----------
    ledger : DataFrame
        The complete ``bf.ledger()``. A ledger without its first rows would give wrong balances.
    freq : {"day", "week", "month", "quarter", "year"}
        Length of the periods. The last row is always the balance on the last day, even in the
        middle of a period.
    interest : bool
        Whether the balance of a loan contains interest and escrow that no transaction records, or
        is the sum of its rows.
    accounts, exclude_accounts : str or sequence of str, optional
        Names or keys of the accounts whose rows count, and of those whose rows do not count. The
        days of the report do not depend on its filters.
    since, until : str, date or Timestamp, optional
        First and last day to show. By default the day of the first transaction, and the day on
        which the ledger was read, or the day of its last transaction if that is later.
        ``"2026-05"`` and ``"2026"`` mean the first or the last day of that month or year.

    Returns
    -------
    Report
        Rows sorted by date, account_name, account_id; the same columns and dtypes when there are
        none.

        `Report.rows` returns the rows of the ledger behind ``balance``, which are all rows of the
        account up to the day. The interest and escrow of loans have no rows.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument is invalid.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> monthly = bf.reports.balances()
    >>> last = monthly[monthly["date"] == monthly["date"].max()].set_index("account_id")["balance"]
    >>> bool((last == bf.accounts().set_index("account_id")["balance"].loc[last.index]).all())
    True
    """
    require_columns(ledger, LEDGER_COLUMNS, "ledger")
    require_full_history(ledger)
    span = span_of(ledger, "date", since, until)
    differences = stated_differences(ledger, interest=interest)
    kept = row_filter(ledger, differences, accounts=accounts, exclude_accounts=exclude_accounts)
    rows, differences = kept.rows(ledger), kept.rows(differences)
    histories = loan_histories(rows, interest=interest)
    listed, ends, table, _, costs = account_balances(rows, span, freq, histories, differences)
    shown = np.tile(np.arange(len(listed)), len(ends))
    of_rows = listed.take(shown)
    values: dict[str, Any] = {name: of_rows[name] for name in _ACCOUNT}
    values["date"] = np.repeat(ends, len(listed))
    for name, amounts in {"balance": table, **costs}.items():
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
        filters=kept.given or None,
        rows=RowSource(ledger, ("account_id", "date"), behind),
        rules=[
            "Each balance is the sum of all rows in the ledger up to that day, with split parts.",
            *kept.rules,
            "Before its first transaction an account has the balance zero.",
            "After it was closed an account keeps its last balance.",
            *([] if span is None else loan_rules(histories, ledger, span.last, interest=interest)),
            *([] if span is None else difference_rules(differences, ledger, span.last)),
            "" if span is None else span.rule,
        ],
    )


def account_balances(
    ledger: pd.DataFrame,
    span: Span | None,
    freq: Freq,
    loans: Sequence[LoanHistory],
    differences: pd.DataFrame,
) -> AccountBalances:
    """Calculate the balance of each account at the end of each period of a span."""
    accounts = pd.DataFrame(ledger).loc[~ledger["account_id"].duplicated(keep="last"), _ACCOUNT]
    is_other = ~differences["account_id"].isin(accounts["account_id"]).to_numpy(bool)
    if is_other.any():  # accounts without rows
        accounts = pd.concat([accounts, differences.loc[is_other, _ACCOUNT]])
    accounts = accounts.sort_values(["account_name", "account_id"], ignore_index=True)
    if span is None:
        days = np.zeros(0, dtype="datetime64[us]")
        table = np.zeros((0, 0), dtype="int64")
        costs = dict.fromkeys(_LOAN_COLUMNS, table)
        return AccountBalances(accounts.iloc[:0], days, table, table.sum(axis=1), costs)
    starts = span.starts(freq)
    # All rows before the first period go into one extra period: their sum is the opening balance.
    before = day_before(starts[0])

    def changes(rows: pd.DataFrame) -> Any:
        is_before_end = (rows["date"] <= span.last).to_numpy(bool)
        rows = rows if is_before_end.all() else rows[is_before_end]
        label = positions_of(accounts, "account_id", rows["account_id"])
        period = np.maximum(first_days(rows["date"], freq, span), before)
        rows = rows[["amount"]].assign(label=label, period=period)
        return grid(rows, len(accounts), np.append(before, starts))

    table = changes(pd.DataFrame(ledger)[["account_id", "date", "amount"]])
    rows = cost_rows(loans, differences, ledger)
    costs = {
        name: changes(rows.assign(amount=currency(rows[name].to_numpy()))) for name in _LOAN_COLUMNS
    }
    sums = np.cumsum(table - costs["interest"] - costs["escrow"] + costs["unexplained"], axis=1)
    in_periods = {name: amounts[:, 1:] for name, amounts in costs.items()}
    return AccountBalances(accounts, span.ends(freq), sums[:, 1:], sums[:, 0], in_periods)


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
        """The lines: the largest accounts, and the sum of the others."""
        lines = each[largest[: canvas.max_series]].rename(columns=dict(names))
        if len(largest) > canvas.max_series:
            others = each[largest[canvas.max_series - 1 :]].sum(axis=1).rename("others")
            lines = pd.concat([lines.iloc[:, :-1], others], axis=1)
        return lines

    colours = canvas.theme.series
    trends = canvas.trends(shown(table))
    canvas.lines(shown(with_steps(table, steps.fillna(0))), colours)
    canvas.money()
    canvas.zero()
    canvas.draw_trends(
        trends, list(shown(table).columns), colours if len(trends) > 1 else (), at_days=True
    )
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
    has_lines=True,
    has_trend=True,
)
