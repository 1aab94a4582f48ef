"""The report income_expense."""

from typing import Any

import pandas as pd
import pytest

from budgetframe.reports import income_expense
from tests.reports.rows import began, ledger_frame, lines, moved, row, values

SUMS = ("period", "income", "spent", "uncategorized", "net", "starting_balances")


def of_spring() -> pd.DataFrame:
    """Everything in January, nothing in February, a refund in March."""
    return ledger_frame(
        began("2026-01-01", "checking", 1000.0), began("2026-01-01", "fund", 5000.0),
        row("2026-01-02", 2000.0, "ready"), row("2026-01-03", -600.3, "rent"),
        row("2026-01-09", -80.0, "food", "visa"), row("2026-01-20", -7.77),
        *moved("2026-01-25", 150.0, "checking", "visa"),
        *moved("2026-01-26", 250.0, "checking", "fund", "invest"), row("2026-03-05", 40.0, "food"),
        row("2026-03-06", -12.5, "ready"), row("2026-03-07", 9.0, None, "fund"), as_of="2026-04-10",
    )  # fmt: skip


def test_income_and_expense_are_separate_in_each_month() -> None:
    assert lines(income_expense(of_spring()), *SUMS) == [
        ("2026-01-01", 2000.0, 930.3, 7.77, 1061.93, 1000.0),
        ("2026-02-01", 0.0, 0.0, 0.0, 0.0, 0.0), ("2026-03-01", -12.5, -40.0, 0.0, 27.5, 0.0),
        ("2026-04-01", 0.0, 0.0, 0.0, 0.0, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("income", "outflow", "category", "rate"), [
    (200.0, -50.0, "fun", 0.75), (200.0, -50.0, None, 0.75),
    (10.0, -25.0, "fun", -1.5), (-12.5, 40.0, "fun", None),
])  # fmt: skip
def test_the_savings_rate_is_net_divided_by_income_and_missing_without_income(
    income: float, outflow: float, category: str | None, rate: float | None
) -> None:
    rows = row("2026-05-01", income, "ready"), row("2026-05-02", outflow, category)
    assert values(income_expense(ledger_frame(*rows)), "savings_rate") == [rate, None]


def spring_with_a_running_june() -> pd.DataFrame:
    """April leaves 30 of 100, May 90 of 200, and June, which is not over, all of its 1000."""
    return ledger_frame(
        row("2026-04-03", 100.0, "ready"), row("2026-04-04", -70.0, "rent"),
        row("2026-05-03", 200.0, "ready"), row("2026-05-04", -90.0, "rent"),
        row("2026-05-05", -20.0), row("2026-06-03", 1000.0, "ready"), as_of="2026-06-17",
    )  # fmt: skip


def test_the_savings_rate_is_that_of_its_row_in_a_running_period(subtests: pytest.Subtests) -> None:
    ledger = spring_with_a_running_june()
    cases: list[tuple[Any, dict[str, Any], list[Any]]] = [
        ("month", {}, [(30.0, 0.3, True), (90.0, 0.45, True), (1000.0, 1.0, False)]),
        ("quarter", {}, [(1120.0, 0.8615384615384616, False)]),  # of 1,300
        ("year", {}, [(1120.0, 0.8615384615384616, False)]),
        ("all", {}, [(1120.0, 0.8615384615384616, True)]),
        ("all", {"since": "2026-04-04"}, [(1020.0, 0.85, True)]),  # of 1,200
        ("quarter", {"until": "2026-05-30"}, [(120.0, 0.4, False)]),  # of 300
        ("quarter", {"since": "2026-06-01"}, [(1000.0, 1.0, False)]),
    ]
    for freq, days, expected in cases:
        with subtests.test(freq=freq, days=days):
            found = income_expense(ledger, freq=freq, **days)
            assert lines(found, "net", "savings_rate", "is_complete") == expected
            rules = [rule for rule in found.attrs["rules"] if "avings rate" in rule]
            assert rules == ["Savings rate = net / income; missing without income."]


def test_a_starting_balance_of_either_sign_is_neither_income_nor_spending() -> None:
    found = income_expense(
        ledger_frame(began("2026-06-01", "savings", 310.0), began("2026-06-01", "visa", -300.0))
    )
    assert lines(found, *SUMS) == [("2026-06-01", 0.0, 0.0, 0.0, 0.0, 10.0)]


def test_tracking_accounts_are_in_no_column() -> None:
    found = income_expense(
        ledger_frame(began("2026-06-01", "fund", 5000.0), row("2026-06-02", 100.0, "ready", "fund"),
            row("2026-06-03", -30.0, "food", "fund"), row("2026-06-04", -4.0, None, "loan"),
            *moved("2026-06-05", 5.0, "fund", "loan")),
    )  # fmt: skip
    assert lines(found, *SUMS) == [("2026-06-01", 0.0, 0.0, 0.0, 0.0, 0.0)]


def moving() -> pd.DataFrame:
    """A transfer of each kind."""
    return ledger_frame(
        *moved("2026-06-01", 500.0, "checking", "savings"),
        *moved("2026-06-02", 100.0, "checking", "fund", "invest"),
        *moved("2026-06-03", 70.0, "fund", "checking", "ready"),
        *moved("2026-06-04", 20.0, "checking", "loan"),
        *moved("2026-06-05", 3.0, "fund", "savings", "invest"),
        row("2026-06-06", -1.0, "food"),
    )


@pytest.mark.parametrize(("transfers", "expected"), [
    ("to_tracking", ("2026-06-01", 70.0, 98.0, 20.0, -48.0, 0.0)),
    ("none", ("2026-06-01", 0.0, 1.0, 0.0, -1.0, 0.0)),
])  # fmt: skip
def test_transfers_count_by_category_or_not_all(transfers: Any, expected: tuple[Any, ...]) -> None:
    assert lines(income_expense(moving(), transfers=transfers), *SUMS) == [expected]


def test_an_inflow_in_an_ordinary_category_is_negative_spending() -> None:
    found = income_expense(ledger_frame(row("2026-06-01", 300.0, "fun")))
    assert lines(found, "income", "spent", "net") == [(0.0, -300.0, 300.0)]


def test_since_and_until_can_be_within_a_month() -> None:
    assert lines(income_expense(of_spring(), since="2026-01-03", until="2026-03-05"), *SUMS) == [
        ("2026-01-01", 0.0, 930.3, 7.77, -938.07, 0.0), ("2026-02-01", 0.0, 0.0, 0.0, 0.0, 0.0),
        ("2026-03-01", 0.0, -40.0, 0.0, 40.0, 0.0),
    ]  # fmt: skip


def test_the_sum_of_all_time_begins_on_the_first_day() -> None:
    found = income_expense(of_spring(), freq="all", since="2026-01-15")
    assert values(found, "period") == ["2026-01-15"]


def test_an_incomplete_first_or_last_period_is_marked(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], list[bool]]] = [
        # The ledger begins on 2026-01-02 and was read on 2026-06-17.
        ({}, [True, True, True, True, True, False]),
        ({"since": "2026-04-01"}, [True, True, False]),
        ({"since": "2026-04-02"}, [False, True, False]),
        ({"until": "2026-03-31"}, [True, True, True]),
        ({"until": "2026-03-30"}, [True, True, False]),
        ({"until": "2026-12-31", "since": "2026-05-01"}, [True, False]),
        ({"freq": "quarter"}, [True, False]),
        ({"freq": "year"}, [False]),
        ({"freq": "all"}, [True]),
    ]
    ledger = ledger_frame(row("2026-01-02", 5.0, "ready"), as_of="2026-06-17")
    for arguments, expected in cases:
        with subtests.test(arguments=arguments):
            assert values(income_expense(ledger, **arguments), "is_complete") == expected


def test_future_periods_are_incomplete() -> None:
    ledger = ledger_frame(row("2026-06-01", 5.0, "ready"), row("2026-08-31", 5.0, "ready"))
    assert values(income_expense(ledger), "is_complete") == [False, False, False]
    assert values(income_expense(ledger, freq="all"), "is_complete") == [False]


def test_the_first_month_of_a_ledger_that_was_read_from_a_day_on_is_incomplete() -> None:
    ledger = ledger_frame(row("2026-05-02", 5.0, "ready"))
    ledger.attrs["since"] = "2026-05-02"
    assert values(income_expense(ledger), "is_complete") == [False, False]
    ledger.attrs["since"] = "2026-05-01"
    assert values(income_expense(ledger), "is_complete") == [True, False]


def test_months_without_rows_at_both_ends_are_included() -> None:
    found = income_expense(
        ledger_frame(row("2026-02-10", -1.0, "food")), since="2025-12-24", until="2026-03-01"
    )
    assert lines(found, "period", "spent") == [
        ("2025-12-01", 0.0), ("2026-01-01", 0.0), ("2026-02-01", 1.0), ("2026-03-01", 0.0),
    ]  # fmt: skip
