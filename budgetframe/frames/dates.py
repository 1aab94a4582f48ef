"""Conversion of days and months from the notations of users to those of the service."""

from __future__ import annotations

import re
from datetime import date, datetime

import pandas as pd

from budgetframe._resources import current_month
from budgetframe.errors import ToolError

Day = str | date | datetime | pd.Timestamp
"""A day: ``"2026-05-17"``, or an object with a date."""

# The first days of the first and last month of a text, without the text itself, by its length.
_MONTHS_OF = {len("2026"): ("-01-01", "-12-01"), len("2026-05"): ("-01", "-01")}


def day_of(value: Day, argument: str) -> pd.Timestamp:
    """Convert to a day of the calendar, without a time of day; any other value is an error."""
    text = value.strftime("%Y-%m-%d") if isinstance(value, date) and value == value else value  # noqa: PLR0124 - NaT is a date that differs from itself
    if isinstance(text, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        try:
            return pd.Timestamp(date.fromisoformat(text))
        except ValueError:
            pass
    raise ToolError(f"{argument}={value!r} is not a day: write it as '2026-05-17'")


_NEAR = {"last": -1, "current": 0, "next": 1}


def month_of(value: Day) -> str:
    """The first day of the month in ISO format; ``"current"`` is returned unchanged.

    A text that is neither a month of the calendar nor its first day is an error.
    """
    if value == "current":
        return "current"
    try:
        day = day_of(_add_day(value), "month")
    except ToolError:
        day = None
    if day is None or (isinstance(value, str) and day.day != 1):
        raise ToolError(f"month={value!r} is not a month: write it as '2026-05', or 'current'")
    return current_month(day)


def month_near(value: Day, today: date) -> str:
    """The first day of a month in ISO format; also of the ``"last"``, ``"current"`` or ``"next"``.

    Examples
    --------
    >>> month_near("next", date(2026, 12, 31)), month_near("2026-05", date(2026, 12, 31))
    ('2027-01-01', '2026-05-01')
    """
    offset = _NEAR.get(value) if isinstance(value, str) else None
    if offset is None:
        try:
            return month_of(value)
        except ToolError as error:
            raise ToolError(f"{error}, 'last' or 'next'") from None
    return current_month(pd.Timestamp(today).replace(day=1) + pd.DateOffset(months=offset))


def period(
    since: Day | None, until: Day | None, *, months: bool = False
) -> tuple[pd.Timestamp | None, pd.Timestamp | None]:
    """The first and last day of a period; with `months`, the first days of these months.

    A month or a year that is written without a day begins with its first day and ends with its
    last day. A day that is not in the calendar, and a `since` after `until`, are errors.
    """
    first = None if since is None else _first_and_last(since, "since")[0]
    last = None if until is None else _first_and_last(until, "until")[1]
    if months:
        first, last = (day and day.replace(day=1) for day in (first, last))
    if first is not None and last is not None and first > last:
        raise ToolError(f"since={first:%Y-%m-%d} is after until={last:%Y-%m-%d}")
    return first, last


def _first_and_last(value: Day, argument: str) -> tuple[pd.Timestamp, pd.Timestamp]:
    """The first and last day of a month or a year; a day is both."""
    months = _MONTHS_OF.get(len(value)) if isinstance(value, str) else None
    try:
        if months is None:
            return (day_of(value, argument),) * 2
        first, last = (day_of(f"{value}{end}", argument) for end in months)
    except ToolError:
        advice = "write it as '2026-05-17', '2026-05' or '2026'"
        raise ToolError(f"{argument}={value!r} is not a day, a month or a year: {advice}") from None
    return first, last + pd.offsets.MonthEnd(0)


def _add_day(value: Day) -> Day:
    """Add the first day to a month that is written without a day."""
    return f"{value}-01" if isinstance(value, str) and len(value) == len("2026-05") else value
