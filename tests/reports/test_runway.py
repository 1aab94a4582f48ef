"""The report runway."""

from functools import cache

import pandas as pd
import pytest

from budgetframe.reports import runway
from tests.frames.columns import Json
from tests.reports.rows import began, ledger_frame, lines, moved, row, values
from tests.reports.test_recurring import salary


@cache
def of_june() -> pd.DataFrame:
    """Ten days; the tests use the last five: 40 spent, 1000 left."""
    return ledger_frame(
        began("2026-06-01", "checking", 1100.0), row("2026-06-05", -60.0, "food"),
        row("2026-06-06", -30.0, "food"), row("2026-06-10", -15.0, "rent", "visa"),
        row("2026-06-10", 5.0, "food"), as_of="2026-06-10",
    )  # fmt: skip


def test_runway_days_are_the_balance_divided_by_the_daily_spending() -> None:
    assert lines(runway(of_june(), window=5), "date", "balance", "spent", "per_day", "days") == [
        ("2026-06-10", 1000.0, 40.0, 8.0, 125.0)
    ]


@pytest.mark.parametrize(("window", "spent", "per_day", "days"), [
    (1, 10.0, 10.0, 100.0), (4, 10.0, 2.5, 400.0), (6, 100.0, 16.667, 60.0),
])  # fmt: skip
def test_the_window_includes_the_day_of_the_row_as_its_last_day(
    window: int, spent: float, per_day: float, days: float
) -> None:
    found = runway(of_june(), window=window)
    assert lines(found, "spent", "per_day", "days") == [(spent, per_day, days)]


def test_the_default_window_is_ninety_days() -> None:
    found = runway(
        ledger_frame(began("2026-01-01", "checking", 1000.0), row("2026-03-19", -500.0, "food"),
            row("2026-03-20", -90.0, "food"), row("2026-06-17", -10.0, "food")),
        freq="year",
    )  # fmt: skip
    assert lines(found, "date", "balance", "spent") == [("2026-06-17", 400.0, 100.0)]


def test_a_window_that_starts_before_the_first_transaction_is_unknown() -> None:
    found = runway(of_june(), window=11)
    assert lines(found, "balance", "spent", "per_day", "days") == [(1000.0, None, None, None)]
    assert lines(runway(of_june(), window=10), "spent", "days") == [(100.0, 100.0)]


def test_the_first_transaction_can_be_an_excluded_one() -> None:
    found = runway(
        ledger_frame(
            began("2026-06-01", "fund", 9.0), row("2026-06-10", -1.0, "food"), as_of="2026-06-10"
        ),
        window=10,
    )
    assert values(found, "spent") == [1.0]


@pytest.mark.parametrize(
    "back", [pytest.param(60.0, id="nothing"), pytest.param(80.0, id="less than nothing")]
)
def test_without_spending_the_days_are_missing(back: float) -> None:
    found = runway(
        ledger_frame(began("2026-06-01", "checking", 100.0), row("2026-06-02", -60.0, "food"),
            row("2026-06-10", back, "food"), as_of="2026-06-10"),
        window=9,
    )  # fmt: skip
    assert lines(found, "balance", "spent", "days") == [(40.0 + back, 60.0 - back, None)]


COUNTED: dict[str, tuple[tuple[Json, ...], tuple[float, ...]]] = {
    "debts on cards reduce the balance": (
        (began("2026-06-01", "checking", 100.0), began("2026-06-01", "visa", -40.0),
         row("2026-06-17", -10.0, "food", "visa")), (50.0, 10.0, 5.0)),
    "a negative balance lasts zero days": (
        (row("2026-06-17", -10.0, "food", "visa"),), (-10.0, 10.0, 0.0)),
    "tracking accounts count only by payments to them": (
        (began("2026-06-17", "checking", 100.0), began("2026-06-17", "fund", 5000.0),
         row("2026-06-17", -7.0, None, "fund"),
         *moved("2026-06-17", 20.0, "checking", "fund", "invest")), (80.0, 20.0, 4.0)),
    "income and transfers within the budget are not spending": (
        (row("2026-06-17", 100.0, "ready"), *moved("2026-06-17", 60.0, "checking", "savings"),
         *moved("2026-06-17", 5.0, "checking", "visa"), row("2026-06-17", -8.0)),
        (92.0, 8.0, 11.5)),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), COUNTED.values(), ids=COUNTED)
def test_the_rows_that_count(rows: tuple[Json, ...], expected: tuple[float, ...]) -> None:
    assert lines(runway(ledger_frame(*rows), window=1), "balance", "spent", "days") == [expected]


# The next payday


def test_the_last_row_has_the_next_payday_and_the_spending_until_then() -> None:
    days = [f"2026-0{month}-28" for month in range(1, 6)]
    rows = [began("2026-01-01", "checking", 50.0), *salary(days, 900.0)]
    rows += salary(["2026-04-13", "2026-05-11", "2026-06-08"], 70.0, "market")  # every four weeks
    rows += [row("2026-06-10", -10.0, "food")]
    found = runway(ledger_frame(*rows), window=90)
    names = "payday", "until_payday"  # 10 / 90 x 11 days = 1.2222
    assert lines(found, *names) == [(None, None)] * 5 + [("2026-06-28", 1.222)]
    # The payment of 28 May is late on 5 June: it is expected today, as in a forecast.
    late = ledger_frame(*rows[:5], *rows[6:], as_of="2026-06-05")
    assert lines(runway(late), *names)[-1] == ("2026-06-05", 0.0)
    assert lines(runway(late, window=900), *names)[-1] == ("2026-06-05", None)


# Periods


def test_since_and_until_select_rows_without_changing_their_values() -> None:
    found = runway(of_june(), window=2, since="2026-06-06", until="2026-06-07")
    assert lines(found, "date", "balance", "spent", "days") == [
        ("2026-06-07", 1010.0, 30.0, 67.33333333333333)
    ]


@pytest.mark.parametrize(("as_of", "last"), [
    pytest.param("2026-05-20", "2026-05-20", id="the day it was asked for"),
    pytest.param(None, "2026-05-10", id="no such day known"),
])  # fmt: skip
def test_the_last_day_is_that_of_the_read_or_of_the_last_row(as_of: str | None, last: str) -> None:
    found = runway(ledger_frame(row("2026-05-10", -1.0, "food"), as_of=as_of))
    assert values(found, "date") == [last]


def test_runway_days_are_calculated_from_sums_not_from_the_rounded_mean() -> None:
    found = runway(
        ledger_frame(began("2026-06-15", "checking", 2.001), row("2026-06-17", -0.001, "food")),
        window=3,
    )
    assert lines(found, "per_day", "days") == [(0.0, 6000.0)]


def test_rows_of_two_concatenated_ledgers_count() -> None:
    both = pd.concat([of_june(), of_june()])  # each row has the number of another one
    found = runway(both, window=5, exclude_categories=["Rent"])
    assert lines(found, "balance", "spent") == [(2000.0, 50.0)]
