"""The days of a schedule."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import count, takewhile

from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day, day_of

_DAYS = {"daily": 1, "weekly": 7, "everyOtherWeek": 14, "every4Weeks": 28}
_MONTHS = {
    "monthly": 1, "everyOtherMonth": 2, "every3Months": 3, "every4Months": 4, "twiceAYear": 6,
    "yearly": 12, "everyOtherYear": 24,
}  # fmt: skip
FREQUENCIES = ("never", *_DAYS, "twiceAMonth", *_MONTHS)
_HALF_MONTH = 15  # days between the two days of "twiceAMonth"


def scheduled_dates(frequency: str, first: Day, upcoming: Day, until: Day) -> Iterator[date]:
    """The days of a schedule, starting with the next one.

    The day of the month is the day of `first`. In a month without this day it is the last day of
    the month, and in the month after that again the day of `first`: 31 January, 28 February,
    31 March. If the next day was moved to another day of the month, the schedule continues from
    that day. "Twice a month" means one day in the first half of the month and the day 15 days
    later.

    Parameters
    ----------
    frequency : str
        One of the 13 frequencies of the service: ``never`` (once), ``daily``, ``weekly``,
        ``everyOtherWeek``, ``twiceAMonth``, ``every4Weeks``, ``monthly``, ``everyOtherMonth``,
        ``every3Months``, ``every4Months``, ``twiceAYear``, ``yearly``, ``everyOtherYear``.
    first, upcoming : str, date or Timestamp
        The first day of the schedule, and its next day.
    until : str, date or Timestamp
        Last day to return.

    Raises
    ------
    ToolError
        For an unknown frequency or an invalid day.

    Examples
    --------
    >>> days = scheduled_dates("monthly", "2026-01-31", "2026-01-31", until="2026-04-30")
    >>> [f"{day:%d.%m.}" for day in days]
    ['31.01.', '28.02.', '31.03.', '30.04.']
    """
    last = day_of(until, "until").date()
    days = ((first, "first"), (upcoming, "upcoming"))
    start, following = (day_of(day, name).date() for day, name in days)
    return takewhile(lambda day: day <= last, _all_dates(frequency, start, following))


def _all_dates(frequency: str, first: date, upcoming: date) -> Iterator[date]:
    if frequency == "never":
        return iter([upcoming])
    if frequency == "twiceAMonth":
        return _twice_a_month(first, upcoming)
    if frequency in _DAYS:
        step = timedelta(days=_DAYS[frequency])
        return (upcoming + number * step for number in count())
    if frequency in _MONTHS:
        return _every_months(first, upcoming, _MONTHS[frequency])
    raise ToolError(f"frequency={frequency!r}: it must be one of {', '.join(FREQUENCIES)}")


def _every_months(first: date, upcoming: date, months: int) -> Iterator[date]:
    was_moved = _day_in_month(upcoming, 0, first.day) != upcoming
    day = upcoming.day if was_moved else first.day
    return (_day_in_month(upcoming, number, day) for number in count(0, months))


def _twice_a_month(first: date, upcoming: date) -> Iterator[date]:
    days = _both_halves(first.day)
    if upcoming not in {_day_in_month(upcoming, 0, day) for day in days}:
        days = _both_halves(upcoming.day)
    # The next day itself comes first: it is on neither of the two days if the schedule started on
    # the 31st or was moved to it.
    yield upcoming
    for month in count():
        for day in days:
            date_in_month = _day_in_month(upcoming, month, day)
            if date_in_month > upcoming:
                yield date_in_month


def _day_in_month(start: date, months: int, day: int) -> date:
    """A day of the month that is some months later, or the last day if that month is shorter."""
    year, month = divmod(12 * start.year + start.month - 1 + months, 12)
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))


def _both_halves(day: int) -> tuple[int, int]:
    """The day of the first half of a month and the day of the second half."""
    low = day if day <= _HALF_MONTH else min(_HALF_MONTH, day - _HALF_MONTH)
    return low, low + _HALF_MONTH
