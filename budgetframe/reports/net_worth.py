"""What there is: the balance of each account over time, and what all of them are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from budgetframe.frames import LEDGER, Column
from budgetframe.frames.dates import Day
from budgetframe.frames.schema import CURRENCY

from .periods import (
    Often,
    Span,
    Step,
    check_choice,
    day_before,
    first_days,
    require_full_history,
    span_of,
)
from .report import Report, make_report, on_canvas, register
from .sums import currency, grid, require_columns

__all__ = ["balances", "net_worth"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_NEEDED = tuple(
    column
    for column in LEDGER
    if column.name in {"date", "amount", "account_id", "account_name", "account_type", "on_budget"}
)
_ACCOUNT = ["account_id", "account_name", "account_type", "on_budget"]
_DEBTS = (
    "creditCard", "lineOfCredit", "otherLiability", "mortgage", "autoLoan", "studentLoan",
    "personalLoan", "medicalDebt", "otherDebt",
)  # fmt: skip


class _Balances(NamedTuple):
    """Accounts, last days, balances in milliunits (accounts, days), and those before the first."""

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
    any transaction has no rows. Before its first one it is zero; once closed, it is what was left.

    Parameters
    ----------
    ledger : DataFrame
        All of ``bf.ledger()``: without its beginning, sums begin at a wrong zero.
    freq : {"month", "day", "quarter", "year"}
        How often. The last row is of the last day, whatever day that is.
    since, until : str, date or Timestamp, optional
        First and last day to show; by default that of the first transaction, and the day that the
        ledger was asked for, or that of its last transaction where that is later.

    Returns
    -------
    Report
        Rows sorted by date, account_name, account_id; the same columns and dtypes when there are
        none.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> monthly = bf.reports.balances()
    >>> last = monthly[monthly["date"] == monthly["date"].max()].set_index("account_id")["balance"]
    >>> bool((last == bf.accounts().set_index("account_id")["balance"].loc[last.index]).all())
    True
    """
    require_columns(ledger, [column.name for column in _NEEDED], "ledger")
    check_choice(freq, "freq", ("day", "month", "quarter", "year"))
    require_full_history(ledger)
    span = span_of(ledger, "date", since, until)
    found = _balances(ledger, span, freq)
    rows = found.accounts.take(np.tile(np.arange(len(found.accounts)), len(found.ends)))
    values: dict[str, Any] = {name: rows[name] for name in _ACCOUNT}
    values["date"] = np.repeat(found.ends, len(found.accounts))
    values["balance"] = currency(found.table.T.reshape(-1))
    return make_report(
        _BALANCES,
        values,
        of=[ledger],
        freq=freq,
        rules=[
            "Each balance is the sum of all transactions up to that day, parts of splits included.",
            "Before its first transaction an account is zero; closed, it is what was left in it.",
            "" if span is None else span.rule,
        ],
    )


def net_worth(
    ledger: pd.DataFrame,
    *,
    freq: Often = "month",
    by: Literal["balance", "type"] = "balance",
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """Assets, debts and what is left, at the end of each month, quarter or year.

    Every account counts: tracking accounts too, and closed ones for their past. The last row is
    the sum of the balances that the service states.

    Parameters
    ----------
    ledger : DataFrame
        All of ``bf.ledger()``: without its beginning, sums begin at a wrong zero.
    freq : {"month", "quarter", "year"}
        How often. The last row is of the last day, whatever day that is.
    by : {"balance", "type"}
        What makes a debt: a balance below zero that day, whatever the account, so that an
        overdrawn one is a debt and a credit card that owes you is none; or the kind of account,
        as cards, loans, mortgages and other liabilities.
    since, until : str, date or Timestamp, optional
        First and last day to show; by default that of the first transaction, and the day that the
        ledger was asked for, or that of its last transaction where that is later.

    Returns
    -------
    Report
        Rows sorted by date; the same columns and dtypes when there are none.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> worth = bf.reports.net_worth()
    >>> from budgetframe.frames import milliunits
    >>> now = milliunits(bf.accounts()["balance"]).sum() / 1000
    >>> bool(worth["net"].iloc[-1] == now)
    True
    """
    require_columns(ledger, [column.name for column in _NEEDED], "ledger")
    check_choice(freq, "freq", Often)
    check_choice(by, "by", ("balance", "type"))
    require_full_history(ledger)
    span = span_of(ledger, "date", since, until)
    accounts, ends, table, opening = _balances(ledger, span, freq)
    is_debt = accounts["account_type"].isin(_DEBTS).to_numpy(bool)[:, np.newaxis]
    debts = np.where(table < 0 if by == "balance" else is_debt, table, 0).sum(axis=0)
    net = table.sum(axis=0)
    values = {
        "date": ends,
        "assets": currency(net - debts),
        "debts": currency(debts),
        "net": currency(net),
        "change": currency(np.diff(net, prepend=opening.sum())),
    }
    debt_rule = (
        "A debt is a balance below zero on that day, whatever the account."
        if by == "balance"
        else "Debts are the balances of cards, loans, mortgages and other liabilities."
    )
    return make_report(
        _NET_WORTH,
        values,
        of=[ledger],
        freq=freq,
        rules=[
            "Every account counts, tracking ones too, and closed ones for their past.",
            debt_rule,
            "Debts are below zero: net = assets + debts.",
            "Change is against the end of the period before, also that of the first row.",
            "" if span is None else span.rule,
        ],
    )


def _balances(ledger: pd.DataFrame, span: Span | None, freq: Step) -> _Balances:
    accounts = ledger.drop_duplicates("account_id", keep="last")[_ACCOUNT]
    labels = accounts.sort_values(["account_name", "account_id"], ignore_index=True)
    if span is None:
        none = np.zeros(0, dtype="int64")
        return _Balances(labels.iloc[:0], none.astype("datetime64[us]"), none[np.newaxis], none)
    starts, ends = span.starts(freq), span.ends(freq)
    rows = ledger[["amount", "date"]].assign(
        label=pd.Index(labels["account_id"]).get_indexer(ledger["account_id"])
    )
    rows = rows[(rows["date"] <= span.last).to_numpy(bool)]
    at = first_days(rows["date"], freq, span)
    # What was before the first period is in a column of its own, and opens it.
    opening = day_before(starts[0])
    table = grid(
        rows.assign(period=np.maximum(at, opening)), len(labels), np.append(opening, starts)
    )
    sums = np.cumsum(table, axis=1)
    return _Balances(labels, ends, sums[:, 1:], sums[:, 0])


def _draw_balances(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.pivot(index="date", columns="account_id", values="balance")
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    largest = table.abs().max().sort_values(ascending=False).index
    shown = table[largest[: canvas.most_lines]].rename(columns=dict(names))
    if len(largest) > canvas.most_lines:
        others = table[largest[canvas.most_lines - 1 :]].sum(axis=1).rename("others")
        shown = pd.concat([shown.iloc[:, :-1], others], axis=1)
    canvas.lines(shown, canvas.theme.series)
    canvas.money()
    canvas.zero()
    return canvas.title("Balance by account")


def _draw_net_worth(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.set_index("date")[["assets", "debts"]]
    canvas.bars(table, [canvas.theme.plus, canvas.theme.minus], stacked=True)
    canvas.over(frame["net"], "net")
    last = frame["net"].iloc[-1]
    return canvas.title(f"Net worth: {canvas.amount(last)}")


_DATE = Column("date", "datetime64[us]", "", "day that it is the state of, to its end")

_BALANCES = register(
    balances,
    (
        _DATE,
        *(column for column in _NEEDED if column.name in _ACCOUNT),
        Column("balance", "float64", CURRENCY, "cleared and uncleared together"),
    ),
    on_canvas(_draw_balances),
)
_NET_WORTH = register(
    net_worth,
    (
        _DATE,
        Column("assets", "float64", CURRENCY, "what is owned"),
        Column("debts", "float64", CURRENCY, "what is owed, below zero"),
        Column("net", "float64", CURRENCY, "assets and debts together"),
        Column("change", "float64", CURRENCY, "of net, since the end of the period before"),
    ),
    on_canvas(_draw_net_worth),
)
