"""Months, quarters and years: which day is in which, and all of those between two days."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day, day_of, period

__all__ = [
    "MONTHS",
    "Freq",
    "Often",
    "Span",
    "Step",
    "check_choice",
    "day_before",
    "first_days",
    "months_between",
    "months_later",
    "require_full_history",
    "span_of",
    "today_of",
]

Step = Literal["day", "month", "quarter", "year", "all"]
"""What time can be cut into; ``all`` for one piece of the whole span."""

Freq = Literal["month", "quarter", "year", "all"]
"""What is added up; ``all`` for one sum of the whole span."""

Often = Literal["month", "quarter", "year"]
"""At the end of what there is a state."""

MONTHS = {"month": 1, "quarter": 3, "year": 12}
"""How many months they have."""
_US = "datetime64[us]"


class Span(NamedTuple):
    """From one day to another, both included."""

    first: pd.Timestamp
    last: pd.Timestamp

    @property
    def rule(self) -> str:
        """What it is, as a sentence."""
        return f"From {self.first:%Y-%m-%d} to {self.last:%Y-%m-%d}."

    def holds(self, days: pd.Series[Any]) -> Any:
        """Which days are in it."""
        return ((days >= self.first) & (days <= self.last)).to_numpy(bool)

    def starts(self, freq: Step) -> Any:
        """The first day of each period that has a day in it."""
        if freq == "all":
            return np.array([self.first], dtype=_US)
        ends = np.array([self.first, self.last], dtype="datetime64[D]")
        if freq == "day":
            return np.arange(ends[0], ends[1] + 1).astype(_US)
        first, last = ends.astype("datetime64[M]").astype("int64") // MONTHS[freq]
        numbers = np.arange(first, last + 1) * MONTHS[freq]
        return numbers.astype("datetime64[M]").astype(_US)

    def ends(self, freq: Step) -> Any:
        """The last day of each of these, which is that of the span at the latest."""
        last = np.datetime64(self.last, "us")
        if freq == "all":
            return np.array([last], dtype=_US)
        if freq == "day":
            return self.starts(freq)
        return np.minimum(day_before(months_later(self.starts(freq), MONTHS[freq])), last)


def check_choice(value: object, argument: str, choices: Any) -> None:
    """Refuse what is none of the words that a parameter knows.

    Raises
    ------
    ToolError
        It says which there are.
    """
    words = get_args(choices) or tuple(choices)
    if value not in words:
        raise ToolError(f"{argument}={value!r}: it is one of {', '.join(map(repr, words))}")


def first_days(days: pd.Series[Any], freq: Step, span: Span) -> Any:
    """The first day of the period that each day is in."""
    if freq == "all":
        return np.full(len(days), np.datetime64(span.first, "us"), dtype=_US)
    if freq == "day":
        return days.to_numpy().astype(_US)
    step = MONTHS[freq]
    months = days.to_numpy().astype("datetime64[M]").astype("int64")
    return (months // step * step).astype("datetime64[M]").astype(_US)


def months_later(starts: Any, count: int) -> Any:
    """First days of months, some months later."""
    return (starts.astype("datetime64[M]") + count).astype(_US)


def day_before(days: Any) -> Any:
    """The day before each."""
    return days - np.timedelta64(1, "D")


def months_between(starts: Any, ends: Any) -> Any:
    """How many calendar months have a day in each period."""
    months = [days.astype("datetime64[M]").astype("int64") for days in (starts, ends)]
    return months[1] - months[0] + 1


def today_of(frame: pd.DataFrame, today: Day | None = None) -> pd.Timestamp | None:
    """The day that a frame speaks of: the one given, or the one (UTC) on which it was asked for."""
    if today is not None:
        return day_of(today, "today")
    as_of = frame.attrs.get("as_of")
    return None if as_of is None else pd.Timestamp(str(as_of)[:10])


def require_full_history(ledger: pd.DataFrame) -> None:
    """Refuse a ledger without its beginning: its sums are no balances.

    Raises
    ------
    ToolError
        Where it says that it was cut.
    """
    since = ledger.attrs.get("since")
    if since is not None:
        raise ToolError(
            f"this ledger begins with {since}, and balances with its first day: give all of"
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
    """The span that a report is about; None where there is no day in it.

    It begins with the first row and ends with the day that the frame was asked for, or with its
    last row where that is later and it is not `to_today`, unless these are given. It is never
    longer than what the frame was cut to, and never goes on where nothing is known, unless `today`
    says which day it is. With `months` its ends are first days.
    """
    first, last = period(since, until, months=months)
    days = frame[column].dropna()
    if not days.empty:
        first = days.min() if first is None else first
        newest = days.max()
        known = today_of(frame)
        if last is None:
            now = today or known or newest
            # What is asked for from a later day on is what is to come.
            is_to_come = (since is not None or "since" in frame.attrs) and now < first
            last = now if to_today and not is_to_come else max(now, newest)
        elif known is not None:
            last = min(last, max(known, newest))
    elif last is None:
        last = today or today_of(frame)
    if first is None or last is None:
        return None
    if months:
        first, last = first.replace(day=1), last.replace(day=1)
    cut_first, cut_last = (frame.attrs.get(name) for name in ("since", "until"))
    if cut_first is not None:
        first = max(first, pd.Timestamp(cut_first))
    if cut_last is not None:
        last = min(last, pd.Timestamp(cut_last))
    return Span(first, last) if first <= last else None
