"""What is to come: the days of every schedule, and what they do to each account."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import chain, count, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames import TABLES, Column
from budgetframe.frames.dates import Day, day_of
from budgetframe.frames.schema import CURRENCY

from .periods import Span, today_of
from .report import Report, make_report, on_canvas, register
from .sums import currency, exact, grid, require_columns

__all__ = ["forecast", "scheduled_dates"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_DAYS = {"daily": 1, "weekly": 7, "everyOtherWeek": 14, "every4Weeks": 28}
_MONTHS = {
    "monthly": 1,
    "everyOtherMonth": 2,
    "every3Months": 3,
    "every4Months": 4,
    "twiceAYear": 6,
    "yearly": 12,
    "everyOtherYear": 24,
}
_HALF = 15  # days between the two days of a month
_SCHEDULE = (
    "scheduled_transaction_id", "date_first", "date_next", "frequency", "amount", "account_id",
    "is_split", "transfer_account_id",
)  # fmt: skip
_PART = ("scheduled_transaction_id", "amount", "transfer_account_id")
_ACCOUNT = ("account_id", "account_name", "on_budget", "closed", "balance")
_ACCOUNTS = {column.name: column for column in TABLES["accounts"].columns}
_DEFAULT_DAYS = 90


def scheduled_dates(frequency: str, first: Day, upcoming: Day, until: Day) -> Iterator[date]:
    """The days of a schedule, from the next one on.

    The day of the month is that of `first`; where a month has no such day, it is the last one
    there, and the day itself again in the next: the 31st, the 28th of February, the 31st. If the
    next day was moved to another one, that counts from then on. Twice a month is a day in the
    first half and the one 15 days after it.

    Parameters
    ----------
    frequency : str
        One of the 13 of the service: ``never`` (once), ``daily``, ``weekly``, ``everyOtherWeek``,
        ``twiceAMonth``, ``every4Weeks``, ``monthly``, ``everyOtherMonth``, ``every3Months``,
        ``every4Months``, ``twiceAYear``, ``yearly``, ``everyOtherYear``.
    first, upcoming : str, date or Timestamp
        The first day it ever had, and its next.
    until : str, date or Timestamp
        Last day to give.

    Raises
    ------
    ToolError
        For another frequency, and for what is no day.

    Examples
    --------
    >>> days = scheduled_dates("monthly", "2026-01-31", "2026-01-31", until="2026-04-30")
    >>> [f"{day:%d.%m.}" for day in days]
    ['31.01.', '28.02.', '31.03.', '30.04.']
    """
    last = day_of(until, "until").date()
    begun, coming = (
        day_of(day, name).date() for day, name in ((first, "first"), (upcoming, "upcoming"))
    )
    return takewhile(lambda day: day <= last, _endless(frequency, begun, coming))


def forecast(
    scheduled_transactions: pd.DataFrame,
    scheduled_subtransactions: pd.DataFrame,
    accounts: pd.DataFrame,
    *,
    days: int = _DEFAULT_DAYS,
    until: Day | None = None,
    only: Sequence[str] | None = None,
    today: Day | None = None,
) -> Report:
    """Balance of each account on each day to come, if all that happens is what is scheduled.

    It begins with the balance that the service states for today. A transfer takes from one account
    and gives to the other, also when it is a part of a split. What is not scheduled does not
    happen: no groceries, no salary that nobody scheduled. What is overdue is taken to come today.

    Parameters
    ----------
    scheduled_transactions, scheduled_subtransactions, accounts : DataFrame
        ``bf.scheduled_transactions()`` and the others of these names.
    days : int
        How many days ahead.
    until : str, date or Timestamp, optional
        The last day, instead of a number of days.
    only : sequence of str, optional
        Names or keys of accounts to show; by default all that are open.
    today : str, date or Timestamp, optional
        The day of the balances; by default that on which the accounts were asked for.

    Returns
    -------
    Report
        One row per account and day, today's the first. Rows sorted by date, account_name,
        account_id; the same columns and dtypes when there are none. The lowest point of an account
        is where ``is_lowest`` is.

    Raises
    ------
    ToolError
        When a frame is not one of these, today is not known, a frequency is not one of the
        service's, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> coming = bf.reports.forecast(days=30, only=["Checking"])
    >>> coming.loc[coming["is_lowest"], ["balance"]].shape
    (1, 1)
    """
    require_columns(scheduled_transactions, _SCHEDULE, "scheduled_transactions")
    require_columns(scheduled_subtransactions, _PART, "scheduled_subtransactions")
    require_columns(accounts, _ACCOUNT, "accounts")
    start = today_of(accounts, today)
    if start is None:
        raise ToolError(
            "today is not known: the frame does not say when it was asked for, today= does"
        )
    span = Span(start, _last_day(start, days, until))
    shown = _shown(accounts, only)
    every = span.starts("day")
    sides = _sides(scheduled_transactions, scheduled_subtransactions)
    rows = _to_come(scheduled_transactions, sides, span)
    rows = rows.assign(label=pd.Index(shown["account_id"]).get_indexer(rows["account_id"]))
    change = grid(rows[rows["label"] >= 0], len(shown), every)
    balance = exact(shown, "balance")[:, np.newaxis] + np.cumsum(change, axis=1)
    lowest = balance.argmin(axis=1) if len(shown) else np.zeros(0, dtype="int64")
    is_lowest = np.arange(len(every)) == lowest[:, np.newaxis]
    at = np.tile(np.arange(len(shown)), len(every))
    return make_report(
        _FORECAST,
        {name: shown[name].take(at) for name in ("account_id", "account_name", "on_budget")}
        | {
            "date": np.repeat(every, len(shown)),
            "change": currency(change.T.reshape(-1)),
            "balance": currency(balance.T.reshape(-1)),
            "is_lowest": is_lowest.T.reshape(-1),
        },
        of=[accounts, scheduled_transactions],
        rules=[
            f"What is scheduled until {span.last:%Y-%m-%d}, and nothing else.",
            f"It begins with the service's balances, of {span.first:%Y-%m-%d}.",
            "What is overdue is taken to come today.",
            "The 31st is the last day of a shorter month, and the 31st again after it.",
            "A transfer takes from one account and gives to the other.",
        ],
    )


def _endless(frequency: str, first: date, upcoming: date) -> Iterator[date]:
    if frequency == "never":
        return iter([upcoming])
    if frequency in _DAYS:
        step = timedelta(days=_DAYS[frequency])
        return (upcoming + number * step for number in count())
    if frequency in _MONTHS:
        return _every_months(first, upcoming, _MONTHS[frequency])
    if frequency == "twiceAMonth":
        return _twice_a_month(first, upcoming)
    known = ", ".join(["never", *_DAYS, "twiceAMonth", *_MONTHS])
    raise ToolError(f"frequency={frequency!r} is not one that is known: {known}")


def _every_months(first: date, upcoming: date, months: int) -> Iterator[date]:
    start = _number(upcoming)
    is_moved = _in_month(start, first.day) != upcoming
    wanted = upcoming.day if is_moved else first.day
    return (_in_month(number, wanted) for number in count(start, months))


def _twice_a_month(first: date, upcoming: date) -> Iterator[date]:
    start, halves = _number(upcoming), _halves(first.day)
    if upcoming not in {_in_month(start, day) for day in halves}:
        halves = _halves(upcoming.day)
    days = (_in_month(number, day) for number in count(start) for day in halves)
    # What was moved to the 31st, or began on it, is on neither of the two this once.
    return chain([upcoming], (day for day in days if day > upcoming))


def _number(day: date) -> int:
    return day.year * 12 + day.month - 1


def _halves(day: int) -> tuple[int, int]:
    low = day if day <= _HALF else min(_HALF, day - _HALF)
    return low, low + _HALF


def _in_month(number: int, day: int) -> date:
    year, month = number // 12, number % 12 + 1
    return date(year, month, min(day, monthrange(year, month)[1]))


def _last_day(start: pd.Timestamp, days: int, until: Day | None) -> pd.Timestamp:
    last = start + pd.Timedelta(days=days) if until is None else day_of(until, "until")
    if last < start:
        given = f"days={days}" if until is None else f"until={last:%Y-%m-%d}"
        raise ToolError(f"{given} is before today, {start:%Y-%m-%d}")
    return last


def _shown(accounts: pd.DataFrame, only: Sequence[str] | None) -> pd.DataFrame:
    if only is None:
        kept = accounts[~accounts["closed"].to_numpy(bool)]
    else:
        names = [only] if isinstance(only, str) else list(only)
        known = {*accounts["account_id"], *accounts["account_name"]}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ToolError(
                f"only: no account {', '.join(map(repr, unknown))}; there are"
                f" {', '.join(map(repr, accounts['account_name']))}"
            )
        is_named = accounts["account_id"].isin(names) | accounts["account_name"].isin(names)
        kept = accounts[is_named.to_numpy(bool)]
    return kept.sort_values(["account_name", "account_id"], ignore_index=True)


def _sides(schedules: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """What each schedule does to which account: its own, and those of its transfers."""
    key = "scheduled_transaction_id"
    own = schedules[[key, "account_id", "amount"]]
    whole = schedules[~schedules["is_split"].to_numpy(bool)]
    transfers = pd.concat([rows[[*_PART]] for rows in (whole, parts)], ignore_index=True)
    transfers = transfers[transfers["transfer_account_id"].notna().to_numpy(bool)]
    others = transfers.rename(columns={"transfer_account_id": "account_id"})
    others = others.assign(amount=-others["amount"])
    return pd.concat([own, others[[key, "account_id", "amount"]]], ignore_index=True)


def _to_come(schedules: pd.DataFrame, sides: pd.DataFrame, span: Span) -> pd.DataFrame:
    """One row for each account, amount and day of what is to come."""
    due = schedules[schedules["date_next"].notna().to_numpy(bool)]
    until, today = span.last.date(), span.first.date()
    keys, days = [], []
    for key, frequency, first, upcoming in zip(
        due["scheduled_transaction_id"],
        due["frequency"],
        due["date_first"],
        due["date_next"],
        strict=True,
    ):
        for day in scheduled_dates(str(frequency), first, upcoming, until):
            keys.append(key)
            days.append(max(day, today))
    coming = pd.DataFrame(
        {
            "scheduled_transaction_id": pd.Series(keys, dtype=sides.dtypes.iloc[0]),
            "period": np.array(days, dtype="datetime64[us]"),
        }
    )
    return coming.merge(sides, on="scheduled_transaction_id")


def _draw_forecast(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.pivot(index="date", columns="account_id", values="balance")
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    moved = set(frame.loc[frame["change"] != 0, "account_id"])
    known = [key for key in names.index if key in moved] or list(names.index)
    shown = sorted(known, key=lambda key: table[key].min())[: canvas.most_lines]
    canvas.lines(
        table[shown].rename(columns=dict(names)), canvas.theme.series, drawstyle="steps-post"
    )
    for key, colour in zip(shown, canvas.theme.series, strict=False):
        low = table[key].idxmin()
        canvas.mark(low, table[key].min(), canvas.amount(table[key].min()), colour)
    canvas.money()
    canvas.zero()
    more = len(known) - len(shown)
    rest = f" ({more} accounts more are not shown)" if more else ""
    return canvas.title(f"What is scheduled, and the lowest point{rest}")


_FORECAST = register(
    forecast,
    (
        Column("date", "datetime64[us]", "", "day"),
        _ACCOUNTS["account_id"],
        _ACCOUNTS["account_name"],
        _ACCOUNTS["on_budget"],
        Column("change", "float64", CURRENCY, "what is scheduled on that day"),
        Column("balance", "float64", CURRENCY, "at the end of the day"),
        Column("is_lowest", "bool", "", "whether it is the first day of the account's lowest one"),
    ),
    on_canvas(_draw_forecast),
)
