"""Payees that recur: the frequency, the next payment and the cost of a year."""

from collections.abc import Iterable
from itertools import cycle
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.reports import Report, recurring
from budgetframe.sandbox import Sandbox
from tests.frames.columns import Json
from tests.frames.household import part
from tests.reports.plans import TOKYO, report_of
from tests.reports.rows import AS_OF, began, ledger_frame, lines, moved, row, split, values
from tests.reports.test_pictures import labels, rendered

FIRSTS = ("2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01", "2026-06-01")
"""The first days of six months, until the month of `AS_OF`."""

HOUSEHOLD = {
    ("Linden Housing", "Rent", "monthly", "rent"),
    ("Transfer : Car Loan", "Loan Payment", "monthly", "loan"),
    ("Transfer : Index Fund", "Investing", "monthly", "transfer"),
    ("Northlight Power", "Electricity", "monthly", "bill"),
    ("Anchor Mutual", "Insurance", "every3Months", "subscription"),
    ("Anchor Mutual", "Insurance", "yearly", "subscription"),
    ("Fernline", "Internet", "monthly", "subscription"),
    ("Climbing Hall", "Sport", "monthly", "subscription"),
    ("Rail Desk", "Holiday", "yearly", "subscription"),
    ("Tonspur", "Books & Music", "monthly", "subscription"),
}
"""The payments of the sandbox's household that have fixed days."""


def paid(days: Iterable[str], amount: float, category_id: str = "fun", **more: Any) -> list[Json]:
    """Payments of one amount to the café."""
    return [row(day, -amount, category_id, **{"payee_id": "cafe", **more}) for day in days]


def found(*rows: Json, **options: Any) -> Report:
    return recurring(ledger_frame(*rows), **options)


def series(report: pd.DataFrame) -> set[tuple[Any, ...]]:
    return {*lines(report, "payee_name", "category_name", "frequency", "kind")}


# A series


def test_rent_on_the_31st_is_due_on_the_last_day_of_a_shorter_month() -> None:
    days = ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]
    report = found(*paid(days, 900.0, "rent"))
    assert lines(report, *report.columns) == [
        (
            *("Café", "Rent", "monthly", 900.0, 10_800.0, "2026-06-30", None, 0.0, "rent"),
            *(None, None, "2026-05-31", 0.0, 5, "Home", "cafe", "rent"),
        )
    ]


def test_after_a_short_month_the_next_payment_is_on_the_usual_day() -> None:
    days = ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]
    report = recurring(ledger_frame(*paid(days, 9.0), as_of="2026-05-04"))
    assert values(report, "next_date") == ["2026-05-31"]
    ends = paid(["2025-03-31", "2025-06-30", "2025-09-30"], 9.0)
    assert values(recurring(ledger_frame(*ends, as_of="2025-10-04")), "next_date") == ["2025-12-31"]


@pytest.mark.parametrize(("frequency", "days", "following", "yearly"), [
    ("weekly", ["2026-05-22", "2026-05-29", "2026-06-05", "2026-06-12"], "2026-06-19", 520.0),
    ("everyOtherWeek", ["2026-05-01", "2026-05-15", "2026-05-29", "2026-06-12"], "2026-06-26",
     260.0),
    ("twiceAMonth", ["2026-04-20", "2026-05-05", "2026-05-20", "2026-06-05"], "2026-06-20", 240.0),
    ("twiceAMonth", ["2026-04-15", "2026-05-01", "2026-05-15", "2026-06-01"], "2026-06-15", 240.0),
    ("twiceAMonth", ["2026-04-30", "2026-05-15", "2026-05-31", "2026-06-15"], "2026-06-30", 240.0),
    ("every4Weeks", ["2026-04-10", "2026-05-08", "2026-06-05"], "2026-07-03", 130.0),
    ("monthly", ["2026-04-10", "2026-05-10", "2026-06-10"], "2026-07-10", 120.0),
    ("everyOtherMonth", ["2026-02-10", "2026-04-10", "2026-06-10"], "2026-08-10", 60.0),
    ("every3Months", ["2025-12-10", "2026-03-10", "2026-06-10"], "2026-09-10", 40.0),
    ("every4Months", ["2025-10-10", "2026-02-10", "2026-06-10"], "2026-10-10", 30.0),
    ("twiceAYear", ["2025-06-10", "2025-12-10", "2026-06-10"], "2026-12-10", 20.0),
    ("yearly", ["2024-09-10", "2025-09-10"], "2026-09-10", 10.0),
])  # fmt: skip
def test_every_frequency_is_recognised(
    frequency: str, days: list[str], following: str, yearly: float
) -> None:
    assert lines(found(*paid(days, 10.0)), "frequency", "next_date", "yearly_cost") == [
        (frequency, following, yearly)
    ]
    assert found(*paid(days[1:], 10.0)).empty


@pytest.mark.parametrize(("days", "payments", "following"), [
    pytest.param(
        # The 1st of a month, or the Monday after it.
        ["2026-01-01", "2026-02-02", "2026-03-02", "2026-04-01", "2026-05-01", "2026-06-01"], 6,
        "2026-07-01", id="some days late"),
    pytest.param(["2025-12-01", *FIRSTS[:3], *FIRSTS[4:]], 6, "2026-07-01", id="one missing"),
    pytest.param(["2026-03-12", "2026-04-12", "2026-05-12"], 3, "2026-06-12", id="overdue"),
])  # fmt: skip
def test_a_monthly_series_can_have_a_late_or_missing_payment(
    days: list[str], payments: int, following: str
) -> None:
    report = found(*paid(days, 10.0))
    assert lines(report, "frequency", "payments", "next_date") == [("monthly", payments, following)]


# Amounts


def test_a_price_rise_is_the_change_to_the_amount_a_year_before() -> None:
    days = [f"2025-{month:02}-05" for month in range(4, 13)]
    later = [f"2026-{month:02}-05" for month in range(1, 7)]
    report = found(*paid([*days, *later[:3]], 9.99), *paid(later[3:], 12.99))
    assert lines(report, "last_amount", "year_change", "yearly_cost", "kind") == [
        (12.99, 3.0, 155.88, "subscription")
    ]
    assert report["change_rate"].tolist() == [3000 / 9990]
    assert lines(report, "changed_on") == [("2026-04-05",)]


def test_a_price_rise_more_than_a_year_ago_is_no_change() -> None:
    days = [f"{year}-{month:02}-05" for year in (2025, 2026) for month in range(1, 13)][:18]
    report = found(*paid(days[:3], 5.0), *paid(days[3:], 10.0))
    names = "last_amount", "year_change", "change_rate", "changed_on", "payments"
    assert lines(report, *names) == [(10.0, 0.0, 1.0, "2025-04-05", 18)]


def test_the_change_of_a_young_series_is_the_one_since_its_first_payment() -> None:
    report = found(*paid(FIRSTS[:3], 10.0), *paid(FIRSTS[3:], 9.5))
    assert lines(report, "last_amount", "year_change") == [(9.5, -0.5)]


def test_amounts_that_vary_are_a_bill_and_cost_their_mean() -> None:
    amounts = [50.0, 80.0, 50.0, 80.0, 50.0, 80.0, 50.0, 80.0]
    days = ["2025-11-01", "2025-12-01", *FIRSTS]
    rows = [
        payment for day, each in zip(days, amounts, strict=True) for payment in paid([day], each)
    ]
    report = found(*rows)
    # 65.00 is the mean amount.
    assert lines(report, "last_amount", "year_change", "yearly_cost", "kind") == [
        (80.0, 30.0, 780.0, "bill")
    ]
    assert lines(report, "change_rate", "changed_on") == [(None, None)]
    assert found(*rows[1:]).empty  # seven payments are too few


def test_two_yearly_payments_of_different_amounts_are_no_series() -> None:
    near = [*paid(["2024-09-10"], 100.0), *paid(["2025-09-10"], 110.0)]
    far = [*paid(["2024-09-10"], 100.0), *paid(["2025-09-10"], 115.0)]
    assert lines(found(*near), "last_amount", "year_change") == [(110.0, 10.0)]
    assert found(*far).empty


# Several series, and other purchases


def test_two_subscriptions_of_one_payee_are_two_series() -> None:
    cloud = paid(["2026-03-03", "2026-04-03", "2026-05-03", "2026-06-03"], 2.99)
    music = paid(["2026-03-15", "2026-04-15", "2026-05-15", "2026-06-15"], 9.99)
    assert lines(found(*cloud, *music), "last_amount", "next_date", "yearly_cost", "payments") == [
        (9.99, "2026-07-15", 119.88, 4), (2.99, "2026-07-03", 35.88, 4),
    ]  # fmt: skip


def test_one_payee_has_one_series_for_each_category() -> None:
    report = found(*paid(FIRSTS, 5.0, "fun"), *paid(FIRSTS, 7.0, "food"))
    assert lines(report, "category_name", "yearly_cost") == [("Food", 84.0), ("Fun", 60.0)]


@pytest.mark.parametrize("day", [
    pytest.param("2026-05-20", id="between"),
    pytest.param("2026-05-30", id="in the days of a payment"), pytest.param(AS_OF, id="last"),
])  # fmt: skip
def test_a_single_purchase_from_the_payee_of_a_series_does_not_count(day: str) -> None:
    report = found(*paid(FIRSTS, 29.0), *paid([day], 8.5))
    assert lines(report, "last_date", "last_amount", "payments") == [("2026-06-01", 29.0, 6)]


CAFE = {"payee_id": "cafe"}
WEEKS = pd.date_range("2026-02-07", periods=18, freq="7D")


@pytest.mark.parametrize(("days", "amounts"), [
    pytest.param(pd.date_range("2026-01-02", AS_OF, freq="3D"), [20.0], id="every few days"),
    pytest.param(
        ["2026-01-03", "2026-01-29", "2026-03-08", "2026-04-02", "2026-05-17", "2026-06-09"],
        [20.0], id="irregular days"),
    pytest.param(WEEKS, [31.0, 62.5, 18.2], id="weekly, of different amounts"),
])  # fmt: skip
def test_ordinary_purchases_do_not_recur(days: Iterable[Any], amounts: list[float]) -> None:
    market = zip(days, cycle(amounts), strict=False)
    assert found(*(row(str(day)[:10], -each, "food") | CAFE for day, each in market)).empty


# The end of a series


def test_a_cancelled_subscription_is_left_out_unless_it_is_asked_for() -> None:
    cancelled = paid(FIRSTS[:3], 10.0)
    assert found(*cancelled).attrs["left_out"] == ["1 ended series: include_ended=True"]
    assert found(*cancelled).empty
    report = found(*cancelled, include_ended=True)
    names = "last_date", "last_amount", "next_date", "yearly_cost", "ended_on", "saved"
    assert lines(report, *names) == [("2026-03-01", 10.0, None, 0.0, "2026-04-01", 120.0)]
    ax = rendered(found(*cancelled, *paid(FIRSTS, 5.0, "food"), include_ended=True).plot())
    assert labels(ax, "y") == ["Fun (ended)", "Food"]
    assert ax.get_title("left") == "Recurring: 60.00 a year, subscriptions 60.00, ended 120.00"
    assert "Ended series are included." in report.attrs["rules"]


def test_a_series_ends_half_an_interval_after_the_expected_day() -> None:
    ledger = ledger_frame(*paid(FIRSTS[:5], 10.0))
    assert len(recurring(ledger, today="2026-06-16")) == 1
    assert recurring(ledger, today="2026-06-17").empty
    weekly = ledger_frame(*paid(["2026-05-01", "2026-05-08", "2026-05-15", "2026-05-22"], 10.0))
    assert len(recurring(weekly, today="2026-06-05")) == 1
    assert recurring(weekly, today="2026-06-06").empty
    yearly = ledger_frame(*paid(["2024-03-01", "2025-03-01"], 10.0))
    assert len(recurring(yearly, today="2026-03-31")) == 1
    assert recurring(yearly, today="2026-04-01").empty


def test_today_is_the_day_on_which_the_ledger_was_read(subtests: pytest.Subtests) -> None:
    rows = paid(FIRSTS, 10.0)
    for as_of, count in (("2026-06-20", 1), ("2026-09-20", 0), (None, 1)):
        with subtests.test(as_of=as_of):
            assert len(recurring(ledger_frame(*rows, as_of=as_of))) == count


def test_a_ledger_that_was_read_until_a_day_ends_there() -> None:
    ledger = ledger_frame(*paid(FIRSTS[:4], 10.0))
    ledger.attrs["until"] = "2026-04-30"
    assert values(recurring(ledger), "next_date") == ["2026-05-01"]
    # Payments after today do not count either.
    later = ledger_frame(*paid(FIRSTS, 10.0))
    assert values(recurring(later, today="2026-04-15"), "payments") == [4]


# Rows that count


def test_refunds_income_and_transfers_between_budget_accounts_do_not_count() -> None:
    rows = [
        began("2026-01-01", "checking", 5000.0),
        *(row(day, 2000.0, "ready", payee_id="market") for day in FIRSTS),
        *(side for day in FIRSTS for side in moved(day, 300.0, "checking", "savings")),
        *(row(day, 15.0, "fun", payee_id="market") for day in FIRSTS),
        *paid(FIRSTS, 10.0),
        row("2026-04-03", 10.0, "fun", payee_id="cafe"),
    ]
    assert lines(found(*rows), "payee_name", "payments", "yearly_cost") == [("Café", 6, 120.0)]


def test_parts_of_a_split_with_the_same_category_are_one_payment() -> None:
    rows = [
        split(day, -30.0, part("a", -10.0, category_id="fun"), part("b", -5.5, category_id="fun"),
              part("c", -14.5, category_id="food"), payee_id="cafe")
        for day in FIRSTS
    ]  # fmt: skip
    assert lines(found(*rows), "category_name", "last_amount", "payments") == [
        ("Fun", 15.5, 6), ("Food", 14.5, 6),
    ]  # fmt: skip


@pytest.mark.parametrize(("account", "category", "name", "kind"), [
    ("loan", "rent", "Car Loan", "loan"), ("fund", "invest", "Fund", "transfer"),
])  # fmt: skip
def test_a_payment_to_another_account(account: str, category: str, name: str, kind: str) -> None:
    rows = [side for day in FIRSTS for side in moved(day, 280.0, "checking", account, category)]
    assert lines(found(*rows), "payee_name", "kind", "yearly_cost") == [(name, kind, 3360.0)]


@pytest.mark.parametrize(("name", "kind"), [
    ("Rent", "rent"), ("Rent/Mortgage", "rent"), ("Miete", "rent"), ("家賃", "rent"),
    ("Student Loan", "loan"), ("ローン返済", "loan"), ("Rental car", "subscription"),
])  # fmt: skip
def test_the_name_of_a_category_decides_about_rent_and_loans(name: str, kind: str) -> None:
    ledger = ledger_frame(*paid(FIRSTS, 10.0, "own"), categories=(("Home", "own", name),))
    assert values(recurring(ledger), "kind") == [kind]


def test_own_kinds_replace_those_of_the_report(subtests: pytest.Subtests) -> None:
    rows = [*paid(FIRSTS, 10.0, "rent"), row("2026-06-01", -1.0, payee_id="market")]
    cases: list[tuple[dict[str, str], str]] = [
        ({"Home: Rent": "bill", "Rent": "loan"}, "bill"), ({"Home": "bill"}, "bill"),
        ({"Home": "bill", "Rent": "transfer"}, "transfer"),
        ({"rent": "loan", "cafe": "subscription"}, "subscription"), ({"Café": "bill"}, "bill"),
        ({"Market": "bill"}, "rent"),
    ]  # fmt: skip
    for kinds, kind in cases:
        with subtests.test(kinds=kinds):
            assert values(found(*rows, kinds=kinds), "kind") == [kind]
    rules = found(*rows, kinds={"Home": "bill"}).attrs["rules"]
    assert "The kind of Home is bill, as given." in rules
    with pytest.raises(
        ToolError, match=r"^kinds: the ledger has no rows of 'Cafe' .*'cafe', 'Café'"
    ):
        found(*rows, kinds={"Cafe": "bill", "Home": "bill"})


def test_payments_without_a_category_count_unless_they_are_left_out() -> None:
    rows = [row(day, -10.0, payee_id="cafe") for day in FIRSTS]
    assert lines(found(*rows), "payee_name", "category_id", "payments") == [("Café", None, 6)]
    assert found(*rows, uncategorized=False).empty


def test_payments_without_a_payee_do_not_recur() -> None:
    assert found(*(row(day, -10.0, "fun") for day in FIRSTS)).empty


# Income


def salary(days: Iterable[str], amount: float, payee: str = "cafe") -> list[Json]:
    return [row(day, amount, "ready", payee_id=payee) for day in days]


def test_a_salary_is_found_beside_a_bonus_and_its_rows_are_inflows() -> None:
    days = [f"2025-{month:02}-01" for month in range(7, 13)]
    rows = [
        *salary([*days, *FIRSTS[:3]], 1000.0), *salary(FIRSTS[3:], 1100.0),
        *salary(["2025-11-20"], 600.0), *salary(FIRSTS[:2], 70.0, "market"),  # a bonus; too few
        *(row(day, 9.0, payee_id="start") for day in FIRSTS), *paid(FIRSTS, 5.0),
        *(row(day, 8.0, "fun", payee_id="market") for day in FIRSTS),
        *(row(day, -7.0, "ready", payee_id="market") for day in FIRSTS),
    ]  # fmt: skip
    report = found(*rows, income=True)
    names = "payee_name", "kind", "frequency", "last_amount", "yearly_cost", "next_date", "payments"
    assert lines(report, *names) == [
        ("Café", "income", "monthly", 1100.0, 13_200.0, "2026-07-01", 12)
    ]
    assert report.rows(0)["amount"].tolist() == [1000.0] * 9 + [1100.0] * 3
    assert rendered(report.plot()).get_title("left") == "Recurring income: 13,200.00 a year"
    ended = found(*rows, income=True, include_ended=True, today="2026-08-01")
    assert lines(ended, "ended_on", "saved", "yearly_cost") == [("2026-07-01", 0.0, 0.0)]
    assert not {"payment", "price"} & {*" ".join(ended.attrs["rules"][1:]).split()}
    with pytest.raises(ToolError, match=r"^kinds: with income=True, every series is"):
        found(*rows, income=True, kinds={"Café": "bill"})


# The sandbox


def test_the_recurring_payments_of_the_household_are_found_and_no_others() -> None:
    report = report_of("recurring")
    assert series(report) == HOUSEHOLD
    assert len(report) == 10
    costs = values(report, "yearly_cost")
    assert costs == sorted(costs, reverse=True)


def test_the_recurring_payments_of_the_household_in_yen_are_found_and_no_others() -> None:
    report = report_of("recurring", TOKYO)
    assert series(report) == {
        ("しだれ桜不動産", "家賃", "monthly", "rent"),
        ("Transfer : 自動車ローン", "ローン返済", "monthly", "loan"),
        ("Transfer : 投資信託", "積立投資", "monthly", "transfer"),
        ("北光電力", "電気代", "monthly", "bill"),
        ("いかり共済", "保険", "every3Months", "subscription"),
        ("いかり共済", "保険", "yearly", "subscription"),
        ("しだ通信", "インターネット", "monthly", "subscription"),
        ("ボルダリング場", "スポーツ", "monthly", "subscription"),
        ("駅の窓口", "旅行", "yearly", "subscription"),
        ("音の跡", "本と音楽", "monthly", "subscription"),
    }
    assert len(report) == 10


def test_the_next_payments_of_the_household_agree_with_its_schedules() -> None:
    upcoming = lines(report_of("recurring"), "payee_name", "category_group_name", "next_date")
    assert ("Linden Housing", "Home", "2026-07-01") in upcoming
    assert ("Anchor Mutual", "Car", "2026-07-15") in upcoming


def test_thousands_of_purchases_do_not_hide_the_recurring_payments() -> None:
    bf = BudgetFrame.sandbox(Sandbox(transactions=3_000, budgets=1), progress=False)
    assert series(bf.reports.recurring(include_ended=True)) == HOUSEHOLD


# The plot


def test_the_plot_has_a_bar_for_each_series() -> None:
    ax = rendered(report_of("recurring").plot())
    assert labels(ax, "y")[::-1] == [
        "Linden Housing", "Transfer : Car Loan", "Transfer : Index Fund", "Northlight Power",
        "Insurance (Car)", "Fernline", "Climbing Hall", "Insurance (Home)", "Rail Desk", "Tonspur",
    ]  # fmt: skip
    assert ax.get_title("left") == "Recurring: 23.686,52 € a year, subscriptions 1.993,52 €"


def test_the_plot_names_two_series_of_a_payee_and_category_by_their_amounts() -> None:
    cloud, music = paid(FIRSTS, 2.99), paid(FIRSTS, 9.99)
    ax = rendered(found(*cloud, *music).plot())
    assert [text.split(", ")[0] for text in labels(ax, "y")] == ["Café", "Café"]
    assert len({*labels(ax, "y")}) == 2


def test_a_column_has_its_name_as_an_attribute() -> None:
    report = found(*paid(["2026-04-10", "2026-05-10", "2026-06-10"], 20.0))
    assert report.kind.tolist() == ["subscription"]
