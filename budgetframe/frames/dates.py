"""Days and months as a person writes them, as the service wants them."""

from __future__ import annotations

import re
from datetime import date, datetime

import pandas as pd

from budgetframe.errors import ToolError

__all__ = ["Day", "day_of", "month_of", "period"]

Day = str | date | datetime | pd.Timestamp
"""A day: ``"2026-05-17"``, or anything that knows its date."""


def day_of(value: Day, argument: str) -> pd.Timestamp:
    """The day, without a time.

    Raises
    ------
    ToolError
        When it is not a day of the calendar.

    Examples
    --------
    >>> day_of("2026-05-17", "since")
    Timestamp('2026-05-17 00:00:00')
    """
    text = value.strftime("%Y-%m-%d") if isinstance(value, date) and value == value else value  # noqa: PLR0124 - NaT is a date that differs from itself
    if isinstance(text, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        try:
            return pd.Timestamp(date.fromisoformat(text))
        except ValueError:
            pass
    raise ToolError(f"{argument}={value!r} is not a day: write it as '2026-05-17'")


def month_of(value: Day) -> str:
    """The first day of the month in ISO format, or ``"current"`` as it is.

    Raises
    ------
    ToolError
        When it is not a month of the calendar, or a day other than its first.

    Examples
    --------
    >>> month_of("2026-05"), month_of("2026-05-01"), month_of("current")
    ('2026-05-01', '2026-05-01', 'current')
    """
    if value == "current":
        return "current"
    try:
        day = day_of(_with_day(value), "month")
    except ToolError:
        day = None
    if day is None or (isinstance(value, str) and day.day != 1):
        raise ToolError(f"month={value!r} is not a month: write it as '2026-05', or 'current'")
    return f"{day:%Y-%m}-01"


def period(
    since: Day | None, until: Day | None, *, months: bool = False
) -> tuple[pd.Timestamp | None, pd.Timestamp | None]:
    """Both ends of a period; those of `months` are first days of months.

    Raises
    ------
    ToolError
        When one is not a day of the calendar, or they are the wrong way round.

    Examples
    --------
    >>> period("2026-05-17", None, months=True)
    (Timestamp('2026-05-01 00:00:00'), None)
    """
    ends = [
        None if value is None else _end(value, argument, months=months)
        for value, argument in ((since, "since"), (until, "until"))
    ]
    first, last = ends
    if first is not None and last is not None and first > last:
        raise ToolError(f"since={first:%Y-%m-%d} is after until={last:%Y-%m-%d}")
    return first, last


def _end(value: Day, argument: str, *, months: bool) -> pd.Timestamp:
    if not months:
        return day_of(value, argument)
    return day_of(_with_day(value), argument).replace(day=1)


def _with_day(value: Day) -> Day:
    """The first day of a month that is written without one."""
    return f"{value}-01" if isinstance(value, str) and len(value) == len("2026-05") else value
