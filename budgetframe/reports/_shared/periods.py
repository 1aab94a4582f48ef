"""Periods: the span of days of a report, and the days, weeks, months and years in it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day, day_of, period

Freq = Literal["day", "week", "month", "quarter", "year", "all"]
"""Length of periods; a week begins on Monday, and ``all`` is one period for the whole span."""

CalendarFreq = Literal["day", "week", "month", "quarter", "year"]

MonthsFreq = Literal["month", "quarter", "year", "all"]

MONTHS = {"month": 1, "quarter": 3, "year": 12}  # number of months in a calendar period

WeekDay = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
"""The first day of a week."""

_DAYS = {"day": (1, 0), "week": (7, 3)} | {
    f"week from {day}": (7, (3 - at) % 7) for at, day in enumerate(get_args(WeekDay))
}
"""Number of days in a calendar period, and the days of its first one before 1 January 1970."""

DAY = np.timedelta64(1, "D")
MONTH = np.timedelta64(1, "M")
"""Intervals to add to days and months: numpy will refuse to add bare integers to them."""

_US = "datetime64[us]"


class Span(NamedTuple):
    """The days from the first to the last, both included."""

    first: pd.Timestamp
    last: pd.Timestamp

    @property
    def rule(self) -> str:
        """The span as a sentence."""
        return f"From {self.first:%Y-%m-%d} to {self.last:%Y-%m-%d}."

    @property
    def days(self) -> list[str]:
        """The first and the last day in ISO format."""
        return [f"{day:%Y-%m-%d}" for day in self]

    @property
    def whole_months(self) -> Span:
        """The same days up to the end of the last month."""
        return Span(self.first, self.last + pd.offsets.MonthEnd(0))

    def holds(self, days: pd.Series[Any]) -> Any:
        """Which days are in the span."""
        return ((days >= self.first) & (days <= self.last)).to_numpy(bool)

    def starts(self, freq: Freq) -> Any:
        """The first day of each period that has a day in the span."""
        if freq == "all":
            return np.array([self.first], dtype=_US)
        first, last = period_numbers(np.array([self.first, self.last], dtype=_US), freq)
        return period_starts(np.arange(first, last + 1), freq)

    def ends(self, freq: Freq) -> Any:
        """The last day of each period, but never a day after the span."""
        last = np.datetime64(self.last, "us")
        if freq == "all":
            return np.array([last], dtype=_US)
        return np.minimum(last_days(self.starts(freq), freq), last)


def freq_of(freq: str, week_starts: WeekDay) -> Any:
    """The length of periods with the first day of a week, as all functions of periods take it."""
    return f"week from {week_starts}" if freq == "week" and week_starts != "monday" else freq


def period_numbers(days: Any, freq: str) -> Any:
    """The number of the period of each day; consecutive periods have consecutive numbers."""
    if freq in _DAYS:
        length, before = _DAYS[freq]
        return (days.astype("datetime64[D]").astype("int64") + before) // length
    return days.astype("datetime64[M]").astype("int64") // MONTHS[freq]


def period_starts(numbers: Any, freq: str) -> Any:
    """The first days of the periods with these numbers."""
    if freq in _DAYS:
        length, before = _DAYS[freq]
        return (numbers * length - before).astype("datetime64[D]").astype(_US)
    return (numbers * MONTHS[freq]).astype("datetime64[M]").astype(_US)


def last_days(starts: Any, freq: str) -> Any:
    """The last day of each period."""
    return period_starts(period_numbers(starts, freq) + 1, freq) - DAY


def complete_periods(
    span: Span, freq: Freq, frame: pd.DataFrame, since: Day | None, *, months: bool = False
) -> Any:
    """Whether each period of a span is complete."""
    # An incomplete one has days before the chosen first day (`since`), after the span, or after the
    # day on which the frame was read. A period that begins before the first row of the frame is
    # complete. With `months`, the last day of the span is the first day of its last month.
    first, last = (np.datetime64(day, "us") for day in span)
    if months:
        last = months_later(last, 1) - DAY
    known = today_of(frame)
    today = last if known is None else np.datetime64(known, "us")
    starts = span.starts(freq)
    if freq == "all":
        return np.array([last <= today])
    if since is None:  # the span starts with the first row, but rows before it can be missing
        first = np.datetime64(frame.attrs.get("since", starts[0]), "us")
    return (last_days(starts, freq) <= min(last, today)) & (starts >= first)


def first_days(days: pd.Series[Any], freq: Freq, span: Span) -> Any:
    """The first day of the period of each day."""
    if freq == "all":
        return np.full(len(days), np.datetime64(span.first, "us"), dtype=_US)
    return period_starts(period_numbers(days.to_numpy(), freq), freq)


def first_months(span: Span, freq: Freq) -> Any:
    """The place of the first month of each period among the months of a span."""
    # A year starts before the first month of a span that begins within the year.
    first = np.searchsorted(span.starts("month"), span.starts(freq), side="right") - 1
    return np.maximum(first, 0)


def months_later(starts: Any, count: int) -> Any:
    """The first days of months, moved by a number of months."""
    return (starts.astype("datetime64[M]") + count * MONTH).astype(_US)


def today_of(frame: pd.DataFrame, today: Day | None = None) -> pd.Timestamp | None:
    """The given day, otherwise the day (UTC) on which a frame was read; None if it is unknown."""
    if today is not None:
        return day_of(today, "today")
    as_of = frame.attrs.get("as_of")
    return None if as_of is None else pd.Timestamp(str(as_of)[:10])


def up_to_until(day: pd.Timestamp, frame: pd.DataFrame) -> pd.Timestamp:
    """A day, but never one after the last day that a frame was limited to."""
    return min(day, pd.Timestamp(frame.attrs.get("until", day)))


def require_full_history(ledger: pd.DataFrame) -> None:
    """Check that a ledger is complete: balances are sums from the first transaction on."""
    since = ledger.attrs.get("since")
    if since is not None:
        raise ToolError(
            f"this ledger starts at {since}, but balances need all transactions: pass the complete"
            f" bf.ledger(), and since='{since}' to the report"
        )


def span_of(
    frame: pd.DataFrame,
    column: str,
    since: Day | None,
    until: Day | None,
    *,
    months: bool = False,
    to_today: bool = False,
    today: pd.Timestamp | None = None,
) -> Span | None:
    """The span of days that a report covers; None if it contains no day."""
    # By default it starts with the first day that the frame was limited to, or else with the first
    # day in the column. It ends on the day on which the frame was read, or with the last row if
    # that is later. With `to_today` it ends on the day on which the frame was read (or on `today`)
    # even if later rows exist, unless it starts in the future. With `months`, the days are first
    # days. The span never exceeds the days that the frame was limited to. A given `until` after the
    # last known day is moved back to it.
    first, last = period(since, until, months=months)
    cut_first = frame.attrs.get("since")
    if first is None and cut_first is not None:
        first = pd.Timestamp(cut_first)
    days = frame[column].dropna()
    if not days.empty:
        # A first day after today means that the caller wants future rows.
        is_chosen = first is not None
        first = days.min() if first is None else first
        newest = days.max()
        known = today_of(frame)
        if last is None:
            now = today or known or newest
            in_future = is_chosen and now < first
            last = now if to_today and not in_future else max(now, newest)
        elif known is not None:
            last = min(last, max(known, newest))
    elif last is None:
        last = today or today_of(frame)
    if first is None or last is None:
        return None
    if months:
        first, last = first.replace(day=1), last.replace(day=1)
    first, last = max(first, pd.Timestamp(cut_first or first)), up_to_until(last, frame)
    return Span(first, last) if first <= last else None
