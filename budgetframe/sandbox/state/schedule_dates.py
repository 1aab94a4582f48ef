"""The dates of scheduled transactions."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from .rows import month_number, month_start

_DAYS = {"daily": 1, "weekly": 7, "everyOtherWeek": 14, "every4Weeks": 28}
_MONTHS = {
    "monthly": 1, "everyOtherMonth": 2, "every3Months": 3, "every4Months": 4, "twiceAYear": 6,
    "yearly": 12, "everyOtherYear": 24,
}  # fmt: skip
_HALF_A_MONTH = 15

FREQUENCIES = ("never", "twiceAMonth", *_DAYS, *_MONTHS)


def _day_of(month: int, day: int) -> date:
    """Return that day of a month, or the last day of a shorter month."""
    start = month_start(month)
    return start.replace(day=min(day, calendar.monthrange(start.year, start.month)[1]))


def next_date(frequency: str, first: date, after: date) -> date | None:
    """Return the date that follows `after`, or None if the frequency is `never`."""
    # `first` keeps the day of the month: a monthly schedule that began on the 31st has the 28th of
    # February and then the 31st of March.
    if frequency in _DAYS:
        return after + timedelta(days=_DAYS[frequency])
    month = month_number(after)
    if frequency in _MONTHS:
        is_shortened = _day_of(month, first.day) == after
        return _day_of(month + _MONTHS[frequency], first.day if is_shortened else after.day)
    if frequency == "twiceAMonth":
        low = min(_HALF_A_MONTH, first.day if first.day <= _HALF_A_MONTH else first.day - 15)
        both, months = (low, low + _HALF_A_MONTH), (month, month + 1)
        days = (_day_of(number, day) for number in months for day in both)
        return next(day for day in days if day > after)
    return None
