"""The report spending: rows that count, periods, shares, averages."""

from functools import cache
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.reports import side_by_side, spending
from tests.reports.plans import YEN
from tests.reports.rows import began, ledger_frame, lines, moved, row, values

NAMES = ("category_id", "category_group_name", "category_name")


@cache
def of_spring() -> pd.DataFrame:
    """Food in January and March, a refund of fun in January, rent in both, nothing in February."""
    return ledger_frame(
        began("2026-01-01", "checking", 1000.0), row("2026-01-02", 2000.0, "ready"),
        row("2026-01-03", -600.0, "rent"), row("2026-01-09", -80.0, "food", "visa"),
        row("2026-01-20", 30.0, "fun"), row("2026-03-03", -600.0, "rent"),
        row("2026-03-05", -40.0, "food"), row("2026-03-31", -10.0, "fun"), as_of="2026-04-10",
    )  # fmt: skip


def test_spending_has_one_row_per_category_the_largest_first() -> None:
    assert lines(spending(of_spring()), *NAMES, "period", "spent") == [
        ("rent", "Home", "Rent", "2026-01-01", 1200.0),
        ("food", "Daily", "Food", "2026-01-01", 120.0),
        ("fun", "Daily", "Fun", "2026-01-01", -20.0),
    ]


def test_spending_by_month_has_every_category_every_month_in_the_same_order() -> None:
    assert lines(spending(of_spring(), freq="month"), "period", "category_id", "spent") == [
        ("2026-01-01", "rent", 600.0), ("2026-01-01", "food", 80.0), ("2026-01-01", "fun", -30.0),
        ("2026-02-01", "rent", 0.0), ("2026-02-01", "food", 0.0), ("2026-02-01", "fun", 0.0),
        ("2026-03-01", "rent", 600.0), ("2026-03-01", "food", 40.0), ("2026-03-01", "fun", 10.0),
        ("2026-04-01", "rent", 0.0), ("2026-04-01", "food", 0.0), ("2026-04-01", "fun", 0.0),
    ]  # fmt: skip


def test_a_category_of_the_same_name_in_two_groups_is_two_rows() -> None:
    found = spending(
        ledger_frame(row("2026-06-01", -5.0, "food"), row("2026-06-01", -6.0, "office food"))
    )
    assert lines(found, *NAMES, "spent") == [
        ("office food", "Office", "Food", 6.0), ("food", "Daily", "Food", 5.0),
    ]  # fmt: skip


def test_income_starting_balances_and_tracking_accounts_are_not_spending() -> None:
    found = spending(
        ledger_frame(row("2026-06-01", 2000.0, "ready"), began("2026-06-01", "visa", -300.0),
            row("2026-06-02", -9.0, "food", "fund"), *moved("2026-06-03", 8.0, "fund", "loan")),
    )  # fmt: skip
    assert len(found) == 0


# Without a category


def without_category() -> pd.DataFrame:
    """Rows without a category, in the service's own category, and in a deleted category."""
    return ledger_frame(
        row("2026-06-01", -1.0), row("2026-06-02", -2.0, "none"), row("2026-06-03", -4.0, "gone"),
        row("2026-06-04", -8.0, "food"),
    )  # fmt: skip


def test_uncategorized_transactions_are_one_row_without_a_key() -> None:
    assert lines(spending(without_category()), *NAMES, "spent") == [
        ("food", "Daily", "Food", 8.0), ("gone", "Not listed", "Not listed", 4.0),
        (None, "Internal Master Category", "Uncategorized", 3.0),
    ]  # fmt: skip


def test_uncategorized_transactions_can_be_left_out() -> None:
    found = spending(without_category(), uncategorized=False)
    assert lines(found, "category_id", "spent", "share") == [
        ("food", 8.0, 8.0 / 12.0), ("gone", 4.0, 4.0 / 12.0),
    ]  # fmt: skip


def test_uncategorized_transactions_are_a_separate_group() -> None:
    found = spending(without_category(), "group")
    assert lines(found, "category_group_id", "category_group_name", "spent") == [
        ("Daily", "Daily", 8.0), (None, "Not listed", 4.0), (None, "Uncategorized", 3.0),
    ]  # fmt: skip


# Transfers


@cache
def moving() -> pd.DataFrame:
    """A transfer of each kind."""
    return ledger_frame(
        *moved("2026-06-01", 500.0, "checking", "savings"),
        *moved("2026-06-02", 100.0, "checking", "fund", "invest"),
        *moved("2026-06-03", 30.0, "fund", "savings", "invest"),
        *moved("2026-06-04", 20.0, "checking", "loan"),
        *moved("2026-06-05", 7.0, "checking", "visa"),
        row("2026-06-06", -1.0, "food", "visa"),
    )


@pytest.mark.parametrize(("transfers", "expected"), [
    ("to_tracking", [("Investing", 70.0), ("Uncategorized", 20.0), ("Food", 1.0)]),
    ("none", [("Food", 1.0)]),
    ("all", [("Investing", 70.0), ("Uncategorized", 20.0), ("Food", 1.0), (None, 0.0)]),
])  # fmt: skip
def test_transfers_selects_the_transfers_that_count(transfers: Any, expected: list[Any]) -> None:
    assert lines(spending(moving(), transfers=transfers), "category_name", "spent") == expected


def test_income_is_not_spending_even_with_all_transfers() -> None:
    earned = ledger_frame(*moved("2026-06-01", 70.0, "fund", "checking", "ready"))
    assert len(spending(earned, transfers="all")) == 0


def test_transfers_that_need_a_category_can_be_left_out() -> None:
    open_one = ledger_frame(*moved("2026-06-01", 20.0, "checking", "loan"))
    assert len(spending(open_one, transfers="all", uncategorized=False)) == 0


def test_spending_by_account_with_all_transfers_includes_every_transfer() -> None:
    assert lines(spending(moving(), "account", transfers="all"), "account_name", "spent") == [
        ("Checking", 627.0), ("Visa", -6.0), ("Savings", -530.0),
    ]  # fmt: skip


# Shares


def test_a_share_is_of_all_spending_of_its_period() -> None:
    found = spending(
        ledger_frame(
            row("2026-05-01", -30.0, "food"), row("2026-05-01", -10.0, "rent"),
            row("2026-06-01", -5.0, "rent"),
        ),
        freq="month",
    )  # fmt: skip
    assert lines(found, "period", "category_id", "share") == [
        ("2026-05-01", "food", 0.75), ("2026-05-01", "rent", 0.25),
        ("2026-06-01", "food", 0.0), ("2026-06-01", "rent", 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("back", "shares"), [
    pytest.param(5.0, [None, None], id="nothing"), pytest.param(1.0, [1.25, -0.25], id="a refund"),
    pytest.param(9.0, [None, None], id="less than nothing"),
])  # fmt: skip
def test_a_share_of_zero_is_missing_and_that_of_a_refund_negative(back: float, shares: Any) -> None:
    found = spending(ledger_frame(row("2026-06-01", -5.0, "food"), row("2026-06-02", back, "fun")))
    assert values(found, "share") == shares


# Averages


def test_the_average_is_over_all_complete_months_from_the_first_row_to_the_last_day() -> None:
    found = spending(of_spring())  # April has only ten days
    assert lines(found, "category_id", "months", "average") == [
        ("rent", 3, 400.0), ("food", 3, 40.0), ("fun", 3, -6.667),
    ]  # fmt: skip


def test_spending_of_the_running_month_does_not_count_in_the_average() -> None:
    running = ledger_frame(
        row("2026-04-01", -10.0, "food"), row("2026-05-31", -20.0, "food"),
        row("2026-06-01", -400.0, "food"), row("2026-06-02", -9.0, "fun"),
    )  # fmt: skip
    found = spending(running)
    assert lines(found, "category_id", "spent", "months", "average") == [
        ("food", 430.0, 2, 15.0), ("fun", 9.0, 2, 0.0),
    ]  # fmt: skip
    found = spending(running, average="active")
    assert lines(found, "category_id", "months", "average") == [("food", 2, 15.0), ("fun", 1, 9.0)]


def test_the_average_of_a_running_month_alone_is_its_spending() -> None:
    found = spending(ledger_frame(row("2026-05-31", -2.0, "food"), row("2026-06-01", -3.0, "food")))
    assert lines(found, "months", "average") == [(1, 2.0)]
    found = spending(ledger_frame(row("2026-06-01", -3.0, "food")))
    assert lines(found, "months", "average") == [(1, 3.0)]


def test_the_average_over_active_months_ignores_months_without_a_row() -> None:
    found = spending(
        ledger_frame(row("2026-01-01", -1.0, "rent"), row("2026-01-05", -10.0, "food"),
            row("2026-01-06", -15.0, "food"), row("2026-03-05", -5.0, "food")),
        average="active",
    )  # fmt: skip
    assert lines(found, "category_id", "months", "average") == [("food", 2, 15.0), ("rent", 1, 1.0)]


def test_a_month_whose_rows_cancel_out_is_active() -> None:
    found = spending(
        ledger_frame(row("2026-05-01", -6.0, "food"), row("2026-06-01", -5.0, "food"),
            row("2026-06-02", 5.0, "food"), as_of="2026-06-30"),
        average="active",
    )  # fmt: skip
    assert lines(found, "months", "average") == [(2, 3.0)]


def test_without_an_active_month_the_average_is_zero() -> None:
    found = spending(of_spring(), freq="quarter", average="active")
    assert lines(found, "period", "category_id", "months", "average") == [
        ("2026-01-01", "rent", 2, 600.0), ("2026-01-01", "food", 2, 60.0),
        ("2026-01-01", "fun", 2, -10.0), ("2026-04-01", "rent", 0, 0.0),
        ("2026-04-01", "food", 0, 0.0), ("2026-04-01", "fun", 0, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("freq", "expected"), [
    ("year", [("2025-01-01", 2, 10.0), ("2026-01-01", 4, 0.0)]),
    ("quarter", [("2025-10-01", 2, 10.0), ("2026-01-01", 3, 0.0), ("2026-04-01", 1, 0.0)]),
    ("month", [("2025-11-01", 6, 3.333), ("2025-12-01", 6, 3.333), ("2026-01-01", 6, 3.333)]),
])  # fmt: skip
def test_the_average_begins_with_the_month_of_the_first_row(freq: Any, expected: list[Any]) -> None:
    found = spending(
        ledger_frame(
            row("2025-11-20", -20.0, "food"), row("2026-05-01", -10.0, "food"), as_of="2026-05-20"
        ),
        freq=freq,
    )
    assert lines(found, "period", "months", "average")[:3] == expected


@pytest.mark.parametrize(("amount", "average"), [
    (-0.002, 0.001), (-0.001, 0.001), (0.001, -0.001), (0.003, -0.002), (-0.003, 0.002),
])  # fmt: skip
def test_halves_of_thousandths_are_rounded_away_from_zero(amount: float, average: float) -> None:
    found = spending(ledger_frame(row("2026-05-17", amount, "food"), as_of="2026-06-30"))
    assert lines(found, "months", "average") == [(2, average)]


def of_months(*sizes: float) -> pd.DataFrame:
    """Food of the months from January 2026, which are complete, and fun in October 2024."""
    rows = [row(f"2026-0{month}-05", -size, "food") for month, size in enumerate(sizes, 1)]
    return ledger_frame(row("2024-10-01", -600.0, "fun"), *rows, row("2026-06-01", -7.0, "food"))


@pytest.mark.parametrize(("sizes", "options", "median", "trimmed"), [
    ((100, 1, 8, 2, 4), {"since": "2026"}, (5, 4.0), (5, 4.667)),  # without 1 and 100
    ((100, 1, 8, 2, 4), {"since": "2026", "until": "2026-04"}, (4, 5.0), (4, 27.75)),
    ((0.001, 0.002, -0.003, 0), {"since": "2026", "until": "2026-02"}, (2, 0.002), (2, 0.002)),
    # Of 20 months 15 have none: two of each side are left out.
    ((200, 200, 200, 200, 80), {}, (20, 0.0), (20, 30.0)),
    ((7, 9), {"since": "2026-06"}, (1, 7.0), (1, 7.0)),  # the running month alone
])  # fmt: skip
def test_the_average_can_be_a_median_or_leave_out_the_smallest_and_largest_tenth(
    sizes: tuple[float, ...], options: dict[str, Any], median: Any, trimmed: Any
) -> None:
    for average, expected in {"median": median, "trimmed": trimmed}.items():
        found = spending(of_months(*sizes), categories="Food", average=average, **options)  # type: ignore[arg-type]
        assert lines(found, "months", "average") == [expected]


def test_by_quarter_a_median_is_that_of_the_months_of_the_quarter() -> None:
    food = {"categories": "Food", "since": "2026", "freq": "quarter"}
    found = spending(of_months(100, 1, 8, 2, 4), average="median", **food)  # type: ignore[arg-type]
    assert lines(found, "months", "average") == [(3, 8.0), (2, 3.0)]  # without the running June


WINDOWS = [
    (None, None, None, None, None), (None, None, None, None, None), (36.333, 8.0, 1.0, 100.0, None),
    (3.667, 2.0, 1.0, 8.0, None), (4.667, 4.0, 2.0, 8.0, 23.0), (4.667, 4.0, 2.0, 8.0, 23.0),
]  # fmt: skip


def test_a_window_has_the_statistics_of_the_last_complete_periods() -> None:
    columns = ("mean_3", "median_3", "low_3", "high_3", "mean_5")
    ledger, food = of_months(100, 1, 8, 2, 4), {"categories": "Food", "since": "2026"}
    by_month = spending(ledger, freq="month", window=(3, 5, 3), **food)  # type: ignore[arg-type]
    assert lines(by_month, *columns) == WINDOWS  # that of June is the one of May
    assert by_month.wide("median_3")["2026-04"].tolist() == [2.0]
    assert lines(spending(ledger, window=[3, 5], **food), *columns) == WINDOWS[-1:]  # type: ignore[arg-type]
    part = spending(ledger, freq="month", window=3, categories="Food", since="2026-01-02")
    assert values(part, "mean_3") == [None, None, None, 3.667, 4.667, 4.667]  # without January
    quarters = spending(ledger, freq="quarter", window=1, **food)  # type: ignore[arg-type]
    assert values(quarters, "mean_1") == [109.0, 109.0]
    assert [*spending(ledger_frame(), window=2)][-5:-1] == ["mean_2", "median_2", "low_2", "high_2"]


def test_the_amounts_of_a_window_are_amounts_for_conversion_and_display() -> None:
    rates = pd.DataFrame({"currency": ["EUR"], "rate": ["2"]})
    report = spending(of_months(1, 2), since="2026", until="2026-02", window=2)
    assert values(side_by_side({"Home": report}, rates=rates, to="USD"), "mean_2") == [3.0]
    report.attrs["currency_format"] = YEN
    assert "¥2" in repr(report[["category_name", "high_2"]])


@pytest.mark.parametrize("window", [0, (3, 0), (3, "6")])
def test_a_window_is_a_number_of_periods(window: Any) -> None:
    with pytest.raises(
        ToolError, match=r"window=.*: it is a number of days .* periods \(spending\)"
    ):
        spending(of_spring(), window=window)


# Periods


def test_rows_on_the_days_of_since_and_until_count() -> None:
    found = spending(of_spring(), since="2026-01-03", until="2026-01-20")
    assert lines(found, "category_id", "period", "spent") == [
        ("rent", "2026-01-03", 600.0), ("food", "2026-01-03", 80.0), ("fun", "2026-01-03", -30.0),
    ]  # fmt: skip


def test_a_category_without_transactions_in_the_period_has_no_row() -> None:
    assert values(spending(of_spring(), since="2026-03-31"), "category_id") == ["fun"]


@pytest.mark.parametrize(("since", "until", "expected"), [
    ("2026-01-31", "2026-03-03", (1, 0.0)),  # February
    ("2026-01-01", "2026-03-30", (2, 300.0)),  # January and February
    ("2026-01-02", "2026-03-31", (2, 300.0)),  # February and March
    ("2026-01-01", "2026-03-31", (3, 400.0)),
    ("2026-01-01", "2026-12-31", (3, 400.0)),  # the ledger was read on 10 April
])  # fmt: skip
def test_the_average_counts_only_months_whose_days_are_all_in_the_period(
    since: str, until: str, expected: tuple[int, float]
) -> None:
    found = spending(of_spring(), since=since, until=until)
    assert lines(found, "category_id", "months", "average")[0] == ("rent", *expected)


def test_a_mapping_can_name_categories_without_rows_in_the_period() -> None:
    found = spending(of_spring(), {"Food": "daily"}, since="2026-03-31")
    assert lines(found, "label", "spent") == [(None, 10.0)]
