"""Days, months and years as the first or the last day of a period."""

from datetime import UTC, date, datetime
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.frames.dates import period

PERIODS: list[tuple[Any, str, str]] = [
    ("2026-05-17", "2026-05-17", "2026-05-17"), ("2026-05", "2026-05-01", "2026-05-31"),
    ("2026-02", "2026-02-01", "2026-02-28"), ("2024-02", "2024-02-01", "2024-02-29"),
    ("2026-12", "2026-12-01", "2026-12-31"), ("2026", "2026-01-01", "2026-12-31"),
    ("0999", "0999-01-01", "0999-12-31"), (date(2026, 5, 17), "2026-05-17", "2026-05-17"),
    (datetime(2026, 5, 17, 23, 59, tzinfo=UTC), "2026-05-17", "2026-05-17"),
    (pd.Timestamp("2026-05-01"), "2026-05-01", "2026-05-01"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "first", "last"), PERIODS)
def test_a_period_has_its_first_and_last_day(value: Any, first: str, last: str) -> None:
    assert period(value, None) == (pd.Timestamp(first), None)
    assert period(None, value) == (None, pd.Timestamp(last))
    assert period(value, value) == (pd.Timestamp(first), pd.Timestamp(last))
    months = tuple(pd.Timestamp(f"{day[:7]}-01") for day in (first, last))
    assert period(value, value, months=True) == months


def test_a_period_that_ends_before_it_begins_is_refused(subtests: pytest.Subtests) -> None:
    for since, until in (("2026-05", "2026-04"), ("2026-05-02", "2026-05-01"), ("2027", "2026")):
        with (
            subtests.test(since=since, until=until),
            pytest.raises(ToolError, match=rf"^since={since}.* is after "),
        ):
            period(since, until)
    assert period("2026-05-31", "2026-05") == (pd.Timestamp("2026-05-31"),) * 2


@pytest.mark.parametrize("value", [
    "2026-13", "2026-5", "26-05", "0000", "abcd", "2026-02-30", "17.05.2026",
    "2026-05-17T00:00:00", "2026-05-17 ", "\u0662\u0660\u0662\u0666-\u0660\u0665-\u0661\u0667",
    "\u0662\u0660\u0662\u0666", "", 2026, 2026.5, True, ["2026-05-17"], pd.NaT,
])  # fmt: skip
def test_something_else_is_refused_with_the_accepted_forms(value: Any) -> None:
    with pytest.raises(ToolError) as caught:
        period(value, None)
    assert str(caught.value) == (
        f"since={value!r} is not a day, a month or a year: write it as '2026-05-17',"
        " '2026-05' or '2026'"
    )
