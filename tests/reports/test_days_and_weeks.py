"""Reports by day and by week."""

from typing import Any

import pandas as pd
import pytest
from matplotlib import dates

from budgetframe.reports import balances, income_expense, net_worth, runway, spending
from tests.reports.rows import ledger_frame, lines, row, values
from tests.reports.test_pictures import legend, rendered
from tests.reports.test_trends import heights

num2date: Any = dates.num2date


def of_june() -> pd.DataFrame:
    """Spending on some days until Wednesday, 17 June; 1 June is a Monday."""
    return ledger_frame(
        row("2026-06-01", -1.0, "food"), row("2026-06-03", -2.0, "food"),
        row("2026-06-07", -4.0, "food"), row("2026-06-08", -8.0, "food"),
        row("2026-06-17", -16.0, "food"),
    )  # fmt: skip


def test_a_week_begins_on_monday_and_counts_only_the_days_of_the_span() -> None:
    found = spending(of_june(), freq="week", since="2026-06-03")
    assert lines(found, "period", "spent", "is_complete") == [
        ("2026-06-01", 6.0, False), ("2026-06-08", 8.0, True), ("2026-06-15", 16.0, False),
    ]  # fmt: skip


def test_a_week_begins_on_the_given_day() -> None:
    found = spending(of_june(), freq="week", week_starts="sunday", since="2026-06-03")
    assert lines(found, "period", "spent", "is_complete") == [
        ("2026-05-31", 2.0, False), ("2026-06-07", 12.0, True), ("2026-06-14", 16.0, False),
    ]  # fmt: skip
    assert values(found.rows(period="2026-06-07"), "amount") == [-4.0, -8.0]
    title = "Spending on Food, weeks of 31 May – 14 Jun 2026: 30.00"
    assert rendered(found.plot()).get_title(loc="left") == title
    assert lines(balances(of_june(), freq="week", week_starts="friday"), "date", "balance") == [
        ("2026-06-04", -3.0), ("2026-06-11", -15.0), ("2026-06-17", -31.0),
    ]  # fmt: skip


def test_each_day_of_the_span_has_a_row() -> None:
    found = income_expense(of_june(), freq="day", since="2026-06-06", until="2026-06-08")
    assert lines(found, "period", "spent", "is_complete") == [
        ("2026-06-06", 0.0, True), ("2026-06-07", 4.0, True), ("2026-06-08", 8.0, True),
    ]  # fmt: skip


def test_states_are_those_of_sundays_and_of_the_last_day() -> None:
    found = net_worth(of_june(), freq="week", since="2026-06-05")
    assert lines(found, "date", "net", "change") == [
        ("2026-06-07", -7.0, -7.0), ("2026-06-14", -15.0, -8.0), ("2026-06-17", -31.0, -16.0),
    ]  # fmt: skip
    assert values(balances(of_june(), freq="week"), "balance") == [-7.0, -15.0, -31.0]
    assert values(runway(of_june(), freq="day", since="2026-06-16"), "balance") == [-15.0, -31.0]


@pytest.mark.parametrize(("options", "average", "number"), [
    ({"freq": "week"}, 7.5, 2), ({"freq": "week", "since": "2026-06-03"}, 8.0, 1),
    ({"freq": "week", "since": "2026-06-16"}, 16.0, 1),
    ({"freq": "week", "week_starts": "sunday"}, 7.5, 2), ({"freq": "day"}, 1.824, 17),
    ({"freq": "day", "average": "active"}, 6.2, 5),
])  # fmt: skip
def test_the_average_is_that_of_all_complete_weeks_or_days(
    options: dict[str, Any], average: float, number: int
) -> None:
    found = spending(of_june(), **options)
    assert set(values(found, "average")) == {average}
    assert set(values(found, "months")) == {number}


def test_the_rule_of_the_average_names_weeks() -> None:
    assert {
        "Average: per week, over all weeks of the report, rounded to the thousandth.",
        "Incomplete weeks do not count in the average, unless the report has no others.",
    } <= {*spending(of_june(), freq="week", week_starts="sunday").attrs["rules"]}


def test_the_rows_behind_a_week() -> None:
    found = spending(of_june(), freq="week").rows(period="2026-06-01")
    assert values(found, "amount") == [-1.0, -2.0, -4.0]


def test_a_bar_covers_its_week() -> None:
    ax = rendered(spending(of_june(), freq="week", since="2026-06-03").plot())
    assert ax.get_title("left") == "Spending on Food, weeks of 1 – 15 Jun 2026: 30.00"
    bar = ax.containers[0][0]
    assert f"{num2date(bar.get_x()):%a %d %b}" == "Mon 01 Jun"
    assert f"{num2date(bar.get_x() + bar.get_width()):%a %d %b}" == "Sun 07 Jun"
    labels = [text.get_text() for text in ax.get_xticklabels()]
    assert labels == ["1 Jun\n2026\nin part", "8 Jun\n2026", "15 Jun\n2026\nso far"]


@pytest.mark.parametrize(("week_starts", "text"), [
    ("monday", "trend: +1.00 per week"), ("sunday", "trend: +9.00 per week"),
])  # fmt: skip
def test_the_trend_of_weeks_is_per_week(week_starts: Any, text: str) -> None:
    report = spending(of_june(), freq="week", week_starts=week_starts)
    assert legend(rendered(report.plot(trend="linear")))[0] == text


def test_a_year_of_days_is_a_line() -> None:
    ax = rendered(income_expense(of_june(), freq="day", since="2025-06-18").plot())
    assert not ax.containers
    assert len(heights(ax.lines[0])) == 365
