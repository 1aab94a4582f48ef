"""The balance of each account over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._runtime.choices import check_choice
from budgetframe.frames.dates import Day
from budgetframe.frames.ledger import LEDGER
from budgetframe.frames.schema import CURRENCY, Column

from .periods import AnyFreq, Span, day_before, first_days, require_full_history, span_of
from .report import Report, make_report, on_canvas, register
from .sums import currency, grid, require_columns

__all__ = ["LEDGER_COLUMNS", "STATE_DATE", "AccountBalances", "account_balances", "balances"]

if TYPE_CHECKING:
    from .plotting.canvas import Canvas

_ACCOUNT = ["account_id", "account_name", "account_type", "on_budget"]
_ACCOUNT_COLUMNS = tuple(column for column in LEDGER if column.name in _ACCOUNT)

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
    """

    accounts: pd.DataFrame
    ends: Any
    table: Any
    opening: Any


def balances(
    ledger: pd.DataFrame,
    *,
    freq: Literal["day", "month", "quarter", "year"] = "month",
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """Balance of each account at the end of each day, month, quarter or year.

    The last row of an account is the balance that the service states for it. An account without
    any transaction has no rows. Before its first transaction an account has the balance zero;
    after it was closed, it keeps its last balance.

    Parameters
    ----------
    ledger : DataFrame
        The complete ``bf.ledger()``. A ledger without its first rows would give wrong balances.
    freq : {"month", "day", "quarter", "year"}
        Length of the periods. The last row is always the balance on the last day, even in the
        middle of a period.
    since, until : str, date or Timestamp, optional
        First and last day to show. By default the day of the first transaction, and the day on
        which the ledger was read, or the day of its last transaction if that is later.

    Returns
    -------
    Report
        Rows sorted by date, account_name, account_id; the same columns and dtypes when there are
        none.

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
    check_choice(freq, "freq", ("day", "month", "quarter", "year"))
    require_full_history(ledger)
    span = span_of(ledger, "date", since, until)
    accounts, ends, table, _ = account_balances(ledger, span, freq)
    rows = accounts.take(np.tile(np.arange(len(accounts)), len(ends)))
    values: dict[str, Any] = {name: rows[name] for name in _ACCOUNT}
    values["date"] = np.repeat(ends, len(accounts))
    values["balance"] = currency(table.T.reshape(-1))
    return make_report(
        _BALANCES,
        values,
        of=[ledger],
        freq=freq,
        rules=[
            "Each balance is the sum of all transactions up to that day, including split parts.",
            "Before its first transaction an account has the balance zero.",
            "After it was closed an account keeps its last balance.",
            "" if span is None else span.rule,
        ],
    )


def account_balances(ledger: pd.DataFrame, span: Span | None, freq: AnyFreq) -> AccountBalances:
    """Calculate the balance of each account at the end of each period of a span."""
    accounts = ledger.drop_duplicates("account_id", keep="last")[_ACCOUNT]
    accounts = accounts.sort_values(["account_name", "account_id"], ignore_index=True)
    if span is None:
        none = np.zeros(0, dtype="int64")
        return AccountBalances(
            accounts.iloc[:0], none.astype("datetime64[us]"), none[np.newaxis], none
        )
    starts, ends = span.starts(freq), span.ends(freq)
    rows = ledger[["amount", "date"]].assign(
        label=pd.Index(accounts["account_id"]).get_indexer(ledger["account_id"])
    )
    rows = rows[(rows["date"] <= span.last).to_numpy(bool)]
    periods = first_days(rows["date"], freq, span)
    # All rows before the first period go into one extra period: their sum is the opening balance.
    before = day_before(starts[0])
    table = grid(
        rows.assign(period=np.maximum(periods, before)), len(accounts), np.append(before, starts)
    )
    sums = np.cumsum(table, axis=1)
    return AccountBalances(accounts, ends, sums[:, 1:], sums[:, 0])


def _draw_balances(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.pivot(index="date", columns="account_id", values="balance")
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    largest = table.abs().max().sort_values(ascending=False).index
    shown = table[largest[: canvas.max_series]].rename(columns=dict(names))
    if len(largest) > canvas.max_series:
        others = table[largest[canvas.max_series - 1 :]].sum(axis=1).rename("others")
        shown = pd.concat([shown.iloc[:, :-1], others], axis=1)
    canvas.lines(shown, canvas.theme.series)
    canvas.money()
    canvas.zero()
    return canvas.title("Balance by account")


_BALANCES = register(
    balances,
    (
        STATE_DATE,
        *_ACCOUNT_COLUMNS,
        Column("balance", "float64", CURRENCY, "cleared plus uncleared balance"),
    ),
    on_canvas(_draw_balances),
)
