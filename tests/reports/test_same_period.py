"""The report same_period."""

from functools import cache
from typing import Any

import pandas as pd
import pytest

from budgetframe.errors import ToolError
from budgetframe.reports import same_period
from tests.reports.rows import ledger_frame, lines, moved, row, values


@cache
def of_spring() -> pd.DataFrame:
    """Rows on the same day of each month and on the day after; no rows in April."""
    return ledger_frame(
        row("2026-03-17", -10.0, "food"), row("2026-03-18", -1.0, "food"),
        row("2026-05-01", -20.0, "food"), row("2026-05-17", -5.0, "rent"),
        row("2026-05-18", -2.0, "food"), row("2026-06-01", 3.5, "food"),
        row("2026-06-17", -30.0, "food"),
    )  # fmt: skip


def test_the_current_month_comes_after_the_same_days_of_earlier_months() -> None:
    assert lines(same_period(of_spring()), "period", "date", "spent", "change", "whole") == [
        ("2026-03-01", "2026-03-17", 10.0, None, 11.0),
        ("2026-04-01", "2026-04-17", 0.0, -10.0, 0.0),
        ("2026-05-01", "2026-05-17", 25.0, 25.0, 27.0),
        ("2026-06-01", "2026-06-17", 26.5, 1.5, None),
    ]


def test_spending_so_far_can_be_negative() -> None:
    found = same_period(of_spring(), today="2026-06-02", count=1)
    assert lines(found, "date", "spent", "change") == [
        ("2026-05-02", 20.0, None), ("2026-06-02", -3.5, -23.5),
    ]  # fmt: skip


def test_the_change_rate_is_a_part_of_the_spending_before() -> None:
    assert values(same_period(of_spring()), "change_rate") == [None, -1.0, None, 0.06]
    of_groups = same_period(of_spring(), "category", count=1)
    assert values(of_groups, "change_rate") == [None, None, 0.325, -1.0]


def test_rows_after_today_do_not_count() -> None:
    assert lines(same_period(of_spring(), today="2026-05-17"), "date", "spent", "whole") == [
        ("2026-03-17", 10.0, 11.0), ("2026-04-17", 0.0, 0.0), ("2026-05-17", 25.0, None),
    ]  # fmt: skip


@pytest.mark.parametrize(("as_of", "last"), [
    pytest.param("2026-05-20", "2026-05-20", id="the day it was asked for"),
    pytest.param(None, "2026-05-10", id="no such day known"),
])  # fmt: skip
def test_today_is_the_day_of_the_read_or_of_the_last_row(as_of: str | None, last: str) -> None:
    found = same_period(ledger_frame(row("2026-05-10", -1.0, "food"), as_of=as_of))
    assert values(found, "date") == [last]


# Days that count


def days(first: str, today: str, **more: Any) -> list[str]:
    """The last days that count, for a ledger with this first day."""
    return values(same_period(ledger_frame(row(first, -1.0, "food")), today=today, **more), "date")


@pytest.mark.parametrize(("freq", "first", "expected"), [
    ("month", "2026-01-01", ["2026-01-31", "2026-02-28", "2026-03-31"]),
    ("month", "2026-01-01", ["2026-01-30", "2026-02-28", "2026-03-30"]),
    ("month", "2024-01-01", ["2024-01-29", "2024-02-29"]),
    ("month", "2026-03-31", ["2026-03-30", "2026-04-30"]),
    ("month", "2025-12-05", ["2025-12-01", "2026-01-01"]),
    ("quarter", "2025-10-01", ["2025-11-30", "2026-02-28", "2026-05-31"]),
    ("quarter", "2025-10-01", ["2025-10-30", "2026-01-30", "2026-04-30"]),
    ("quarter", "2024-01-01", ["2024-02-29", "2024-05-30"]),
    ("year", "2022-05-05", ["2022-02-28", "2023-02-28", "2024-02-29"]),
    ("year", "2023-05-05", ["2023-02-28", "2024-02-28", "2025-02-28"]),
])  # fmt: skip
def test_periods_count_to_the_same_day_or_fully(freq: str, first: str, expected: list[str]) -> None:
    assert days(first, expected[-1], freq=freq) == expected


@pytest.mark.parametrize("freq", ["month", "quarter", "year"])
def test_the_same_period_of_earlier_years(freq: str) -> None:
    expected = ["2022-02-28", "2023-02-28", "2024-02-29"]
    assert days("2022-02-28", "2024-02-29", freq=freq, every="year") == expected
    assert days("2026-01-01", "2026-06-17", freq=freq, every="year") == ["2026-06-17"]


def test_rows_of_a_leap_day_do_not_count_up_to_the_28th() -> None:
    leap = ledger_frame(
        row("2024-02-01", -1.0, "food"), row("2024-02-29", -2.0, "food"),
        row("2025-02-28", -4.0, "food"),
    )  # fmt: skip
    found = same_period(leap, every="year", today="2025-02-28")
    assert lines(found, "spent", "whole") == [(1.0, 3.0), (4.0, None)]


def test_the_first_months_of_a_quarter_count_in_full() -> None:
    quarters = ledger_frame(
        row("2026-01-31", -1.0, "food"), row("2026-02-17", -2.0, "food"),
        row("2026-02-18", -4.0, "food"), row("2026-03-01", -8.0, "food"),
        row("2026-04-30", -16.0, "food"),
    )  # fmt: skip
    found = same_period(quarters, freq="quarter", today="2026-05-17")
    assert lines(found, "spent", "whole") == [(3.0, 15.0), (16.0, None)]


# 17 June 2026 is a Wednesday.
@pytest.mark.parametrize(("week_starts", "before", "current", "behind"), [
    ("monday", ("2026-06-08", "2026-06-10", 1.0, 7.0), ("2026-06-15", "2026-06-17", 8.0), 3),
    ("sunday", ("2026-06-07", "2026-06-10", 1.0, 3.0), ("2026-06-14", "2026-06-17", 12.0), 2),
])  # fmt: skip
def test_a_week_counts_up_to_the_same_day_of_the_week(
    week_starts: Any, before: Any, current: Any, behind: int
) -> None:
    weeks = ledger_frame(
        row("2026-06-10", -1.0, "food"), row("2026-06-11", -2.0, "food"),
        row("2026-06-14", -4.0, "food"), row("2026-06-15", -8.0, "food"),
    )  # fmt: skip
    found = same_period(weeks, freq="week", week_starts=week_starts)
    assert lines(found, "period", "date", "spent", "whole") == [before, (*current, None)]
    assert len(found.rows(0, column="whole")) == behind


def test_the_weeks_of_a_cut_ledger_are_whole_and_are_named_by_their_days() -> None:
    weeks = ledger_frame(row("2026-06-03", -1.0, "food"), row("2026-06-16", -2.0, "food"))
    weeks.attrs["since"] = "2026-06-03"
    found = same_period(weeks, "account", freq="week")
    assert values(found, "date") == ["2026-06-10", "2026-06-17"]
    assert found.wide().columns.tolist()[1:3] == ["2026-06-08", "2026-06-15"]


def test_a_week_has_no_same_week_of_earlier_years() -> None:
    with pytest.raises(ToolError, match="a year has no whole number of weeks"):
        same_period(of_spring(), freq="week", every="year")


# Number of periods


def test_count_is_the_number_of_earlier_periods_by_default_twelve() -> None:
    found = days("2020-01-01", "2026-06-17")
    assert (len(found), found[0]) == (13, "2025-06-17")
    assert days("2020-01-01", "2026-06-17", count=2) == ["2026-04-17", "2026-05-17", "2026-06-17"]


def test_no_period_is_before_the_first_transaction_even_if_that_is_income() -> None:
    found = same_period(
        ledger_frame(row("2026-04-30", 9.0, "ready"), row("2026-06-01", -1.0, "food"))
    )
    assert lines(found, "period", "spent") == [
        ("2026-04-01", 0.0), ("2026-05-01", 0.0), ("2026-06-01", 1.0),
    ]  # fmt: skip


def test_other_months_between_two_years_do_not_count() -> None:
    years = ledger_frame(
        row("2025-06-02", -1.0, "food"), row("2025-07-02", -2.0, "food"),
        row("2026-05-02", -4.0, "food"), row("2026-06-02", -8.0, "food"),
    )  # fmt: skip
    assert lines(same_period(years, every="year"), "period", "spent", "change", "whole") == [
        ("2025-06-01", 1.0, None, 1.0), ("2026-06-01", 8.0, 7.0, None),
    ]  # fmt: skip


# Groups


def test_each_category_has_all_periods_the_largest_spending_first() -> None:
    found = same_period(of_spring(), "category", count=1)
    assert lines(found, "period", "category_id", "spent", "change", "whole") == [
        ("2026-05-01", "food", 20.0, None, 22.0), ("2026-05-01", "rent", 5.0, None, 5.0),
        ("2026-06-01", "food", 26.5, 6.5, None), ("2026-06-01", "rent", 0.0, -5.0, None),
    ]  # fmt: skip


def test_a_category_with_later_rows_in_an_earlier_period_has_zero() -> None:
    found = same_period(
        ledger_frame(row("2026-05-18", -2.0, "fun"), row("2026-06-01", -1.0, "food")), "category"
    )
    assert lines(found, "category_id", "spent", "whole") == [
        ("food", 0.0, 0.0), ("fun", 0.0, 2.0), ("food", 1.0, None), ("fun", 0.0, None),
    ]  # fmt: skip


def test_a_category_without_rows_in_these_periods_has_no_row() -> None:
    assert values(same_period(of_spring(), "category", today="2026-04-20"), "category_id") == [
        "food", "food",
    ]  # fmt: skip


def test_same_period_compares_the_labels_of_a_mapping() -> None:
    found = same_period(of_spring(), {"Daily": "day"}, count=1)
    assert lines(found, "period", "label", "spent") == [
        ("2026-05-01", "day", 20.0), ("2026-05-01", None, 5.0),
        ("2026-06-01", "day", 26.5), ("2026-06-01", None, 0.0),
    ]  # fmt: skip


def test_a_row_with_two_hashtags_counts_in_both_rows_but_once_in_total() -> None:
    trip = ledger_frame(row("2026-06-01", -3.0, "food", memo="#rome #anna"))
    assert lines(same_period(trip, "hashtag"), "hashtag", "spent") == [("rome", 3.0), ("anna", 3.0)]
    assert values(same_period(trip), "spent") == [3.0]


@pytest.mark.parametrize(("arguments", "expected"), [
    ({}, 112.0), ({"uncategorized": False}, 104.0),
    ({"transfers": "none"}, 12.0), ({"transfers": "all"}, 112.0),
])  # fmt: skip
def test_same_period_counts_the_same_rows_as_spending(arguments: Any, expected: float) -> None:
    found = same_period(
        ledger_frame(
            row("2026-06-01", -4.0, "food"),
            row("2026-06-01", -8.0),
            row("2026-06-01", 900.0, "ready"),
            *moved("2026-06-01", 100.0, "checking", "fund", "invest"),
            *moved("2026-06-01", 500.0, "checking", "savings"),
        ),
        **arguments,
    )
    assert values(found, "spent") == [expected]
