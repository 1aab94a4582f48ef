"""The days of schedules: by the calendar, and as the sandbox enters them."""

from collections import defaultdict
from datetime import date, timedelta
from functools import cache

import pytest
from hypothesis import given, strategies as st

from budgetframe import ToolError
from budgetframe.reports import scheduled_dates
from budgetframe.sandbox import Sandbox
from tests.frames.columns import FREQUENCIES

EVERY = FREQUENCIES.split()


def days(frequency: str, first: str, until: str, upcoming: str | None = None) -> list[str]:
    """The days as texts; by default the next day is the first day."""
    start, end = date.fromisoformat(first), date.fromisoformat(until)
    coming = start if upcoming is None else date.fromisoformat(upcoming)
    return [day.isoformat() for day in scheduled_dates(frequency, start, coming, end)]


# By the calendar

PLAIN = {
    "never": ["2026-01-05"],
    "daily": ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"],
    "weekly": ["2026-01-05", "2026-01-12", "2026-01-19", "2026-01-26"],
    "everyOtherWeek": ["2026-01-05", "2026-01-19", "2026-02-02", "2026-02-16"],
    "twiceAMonth": ["2026-01-05", "2026-01-20", "2026-02-05", "2026-02-20"],
    "every4Weeks": ["2026-01-05", "2026-02-02", "2026-03-02", "2026-03-30"],
    "monthly": ["2026-01-05", "2026-02-05", "2026-03-05", "2026-04-05"],
    "everyOtherMonth": ["2026-01-05", "2026-03-05", "2026-05-05", "2026-07-05"],
    "every3Months": ["2026-01-05", "2026-04-05", "2026-07-05", "2026-10-05"],
    "every4Months": ["2026-01-05", "2026-05-05", "2026-09-05", "2027-01-05"],
    "twiceAYear": ["2026-01-05", "2026-07-05", "2027-01-05", "2027-07-05"],
    "yearly": ["2026-01-05", "2027-01-05", "2028-01-05", "2029-01-05"],
    "everyOtherYear": ["2026-01-05", "2028-01-05", "2030-01-05", "2032-01-05"],
}


@pytest.mark.parametrize("frequency", EVERY)
def test_each_frequency_has_its_scheduled_dates(frequency: str) -> None:
    expected = PLAIN[frequency]
    assert days(frequency, "2026-01-05", expected[-1]) == expected


@pytest.mark.parametrize(("frequency", "first", "expected"), [
    ("monthly", "2026-01-29", ["2026-01-29", "2026-02-28", "2026-03-29", "2026-04-29"]),
    ("monthly", "2026-01-30", ["2026-01-30", "2026-02-28", "2026-03-30", "2026-04-30"]),
    ("monthly", "2026-01-31", ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]),
    ("monthly", "2028-01-29", ["2028-01-29", "2028-02-29", "2028-03-29"]),
    ("monthly", "2028-01-31", ["2028-01-31", "2028-02-29", "2028-03-31"]),
    ("everyOtherMonth", "2025-12-31", ["2025-12-31", "2026-02-28", "2026-04-30"]),
    ("every3Months", "2025-11-30", ["2025-11-30", "2026-02-28", "2026-05-30"]),
    ("every4Months", "2025-10-31", ["2025-10-31", "2026-02-28", "2026-06-30"]),
    ("twiceAYear", "2025-08-31", ["2025-08-31", "2026-02-28", "2026-08-31"]),
    ("yearly", "2028-02-29", ["2028-02-29", "2029-02-28", "2030-02-28"]),
    ("everyOtherYear", "2028-02-29", ["2028-02-29", "2030-02-28", "2032-02-29"]),
])  # fmt: skip
def test_a_missing_day_becomes_the_last(frequency: str, first: str, expected: list[str]) -> None:
    assert days(frequency, first, expected[-1]) == expected


@pytest.mark.parametrize(("first", "expected"), [
    ("2026-01-01", ["2026-01-01", "2026-01-16", "2026-02-01", "2026-02-16"]),
    ("2026-01-14", ["2026-01-14", "2026-01-29", "2026-02-14", "2026-02-28", "2026-03-14"]),
    ("2026-01-15", ["2026-01-15", "2026-01-30", "2026-02-15", "2026-02-28", "2026-03-15"]),
    ("2026-01-16", ["2026-01-16", "2026-02-01", "2026-02-16", "2026-03-01"]),
    ("2026-01-30", ["2026-01-30", "2026-02-15", "2026-02-28", "2026-03-15", "2026-03-30"]),
    ("2026-01-31", ["2026-01-31", "2026-02-15", "2026-02-28", "2026-03-15", "2026-03-30"]),
])  # fmt: skip
def test_twice_a_month_means_a_day_and_15_days_later(first: str, expected: list[str]) -> None:
    assert days("twiceAMonth", first, expected[-1]) == expected


@pytest.mark.parametrize(("frequency", "first", "upcoming", "expected"), [
    # After a short month, the day of the first date is used again.
    ("monthly", "2026-01-31", "2026-02-28", ["2026-02-28", "2026-03-31", "2026-04-30"]),
    ("twiceAYear", "2026-01-31", "2026-07-31", ["2026-07-31", "2027-01-31"]),
    ("twiceAMonth", "2026-01-31", "2026-02-28", ["2026-02-28", "2026-03-15"]),
    # The next day was moved.
    ("monthly", "2026-01-10", "2026-03-12", ["2026-03-12", "2026-04-12", "2026-05-12"]),
    ("monthly", "2026-01-10", "2026-01-31", ["2026-01-31", "2026-02-28", "2026-03-31"]),
    ("weekly", "2026-01-10", "2026-03-12", ["2026-03-12", "2026-03-19"]),
    ("yearly", "2026-01-10", "2026-03-12", ["2026-03-12", "2027-03-12"]),
    ("twiceAMonth", "2026-01-10", "2026-03-12", ["2026-03-12", "2026-03-27", "2026-04-12"]),
    ("twiceAMonth", "2026-01-10", "2026-03-20", ["2026-03-20", "2026-04-05", "2026-04-20"]),
    ("never", "2026-01-10", "2026-03-12", ["2026-03-12"]),
])  # fmt: skip
def test_a_schedule_continues_from_its_next_day(
    frequency: str, first: str, upcoming: str, expected: list[str]
) -> None:
    assert days(frequency, first, expected[-1], upcoming) == expected


def test_scheduled_dates_stop_after_the_last_day() -> None:
    assert days("weekly", "2026-01-05", "2026-01-04") == []


@pytest.mark.parametrize("frequency", ["", "hourly", "Monthly"])
def test_an_unknown_frequency_raises_an_error_immediately(frequency: str) -> None:
    with pytest.raises(ToolError, match=f"frequency='{frequency}'.*never, daily.*everyOtherYear"):
        scheduled_dates(frequency, "2026-01-05", "2026-01-05", until="2026-02-05")


some_day = st.dates(date(2020, 1, 1), date(2032, 12, 31))


@given(st.sampled_from(EVERY[1:]), some_day, st.integers(0, 20))
def test_a_schedule_continues_from_any_of_its_days(frequency: str, first: date, place: int) -> None:
    until = first + timedelta(days=800)
    rest = list(scheduled_dates(frequency, first, first, until))[place:]
    assert (list(scheduled_dates(frequency, first, rest[0], until)) if rest else []) == rest


# As the sandbox enters them

TODAY = date(2027, 12, 20)
LAST = TODAY + timedelta(days=800)  # over a 29 February
FIRST_DAYS = [
    *(date(2028, 1, day) for day in (1, 14, 15, 16, 28, 29, 30, 31)), date(2028, 2, 29),
    date(2028, 4, 30),
]  # fmt: skip


@cache
def entered() -> dict[tuple[str, date], list[date]]:
    """The transactions that the sandbox entered from each schedule, by frequency and day."""
    service = Sandbox(today=TODAY, years=1, budgets=1)
    budget = service.device.state()
    account_id = next(row.id for row in budget.accounts.live() if row.name == "Wallet")
    keys = {
        service.device.schedule(
            account_id=account_id, date=first, amount=-1000, frequency=frequency
        ): (frequency, first)
        for frequency in EVERY
        for first in FIRST_DAYS[: 2 if frequency == "daily" else None]
    }
    service.advance(days=(LAST - TODAY).days)
    found: dict[tuple[str, date], list[date]] = defaultdict(list)
    for row in budget.transactions.live():
        key, _, _ = row.id.rpartition("_")
        if key in keys:
            found[keys[key]].append(row.date)
    return found


def test_the_service_enters_transactions_on_the_predicted_days(subtests: pytest.Subtests) -> None:
    for frequency in EVERY:
        with subtests.test(frequency=frequency):
            told = {key: sorted(days) for key, days in entered().items() if key[0] == frequency}
            expected = {
                (frequency, first): list(scheduled_dates(frequency, first, first, LAST))
                for first in FIRST_DAYS[: 2 if frequency == "daily" else None]
            }
            assert told == expected
