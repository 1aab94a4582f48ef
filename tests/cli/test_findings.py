"""The sentences about the reports of the page, for small reports written by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from budgetframe._cli.findings import finding
from budgetframe.reports import Report

DOLLAR = {"currency_symbol": "$", "display_symbol": True}
MONTHS = pd.to_datetime(["2026-04-01", "2026-05-01"])


def report(name: str, **columns: Any) -> Report:
    frame = Report(columns)
    frame.attrs = {"report": name, "currency_format": DOLLAR}
    return frame


@pytest.mark.parametrize(
    ("net", "expected"),
    [
        ([100.1, 300.3], "Net worth rose by $200.20 to $300.30 since the end of Apr 2026."),
        ([300.3, -100.0], "Net worth fell by $400.30 to -$100.00 since the end of Apr 2026."),
        ([5.0, 5.0], "Net worth is $5.00, the same as at the end of Apr 2026."),
    ],
)
def test_net_worth_rises_falls_or_stays(net: list[float], expected: str) -> None:
    assert finding(report("net_worth", date=MONTHS, net=net)) == expected


@pytest.mark.parametrize(
    ("spent", "outcome"), [([1.0, 2.5], "$16.50 was left"), ([30.0, 0.0], "$10.00 was missing")]
)
def test_income_is_more_or_less_than_spending(spent: list[float], outcome: str) -> None:
    total = f"${sum(spent):.2f}"
    values = report("income_expense", period=MONTHS, income=[10.0, 10.0], spent=spent)
    assert finding(values) == (
        f"Since Apr 2026, income was $20.00 and spending was {total}: {outcome}."
    )


@pytest.mark.parametrize(
    ("names", "spent", "rest"),
    [
        (["A", "B", None], [9.0, 3.0, 5.0], ", followed by no name with $5.00 and B with $3.00"),
        (["A"], [9.0], ""),
    ],
)
def test_the_largest_categories_are_named(names: Any, spent: list[float], rest: str) -> None:
    said = finding(report("spending", category_name=names, spent=spent))
    total = f"${sum(spent):.2f}"
    assert said == f"Of {total} in total, most was spent on A with $9.00{rest}."


@pytest.mark.parametrize(
    ("spent", "rest"),
    [
        ([10.0, 20.0, 18.0], ", $3.00 more than on average by the same day of earlier months."),
        ([10.0, 20.0, 12.0], ", $3.00 less than on average by the same day of earlier months."),
        ([10.0, 20.0, 15.0], ", as much as on average by the same day of earlier months."),
        ([15.0], "."),
    ],
)
def test_this_month_is_compared_with_the_mean_of_earlier_ones(
    spent: list[float], rest: str
) -> None:
    days = pd.to_datetime(["2026-04-17", "2026-05-17", "2026-06-17"])[-len(spent) :]
    said = finding(report("same_period", date=days, spent=spent))
    assert said == f"${spent[-1]:.2f} was spent this month up to 17 Jun{rest}"


@pytest.mark.parametrize(
    ("difference", "rest"),
    [
        ([1.0, 0.0], "no category has more spending than was assigned to it"),
        ([1.0, -2.0], "1 category had more spending than assigned, most of all B by $2.00"),
        ([-3.0, -2.0], "2 categories had more spending than assigned, most of all A by $3.00"),
    ],
)
def test_overspent_categories_are_counted(difference: list[float], rest: str) -> None:
    columns = {"assigned": [5.0, 6.0], "spent": [1.0, 2.0], "difference": difference}
    said = finding(report("budget_vs_actual", category_name=["A", "B"], **columns))
    assert said == f"This month $11.00 was assigned and $3.00 was spent; {rest}."


def test_a_single_recurring_payment_is_singular() -> None:
    said = finding(report("recurring", payee_name=["Fernline"], yearly_cost=[418.8]))
    assert said == "1 recurring payment costs $418.80 a year, the largest $418.80 to Fernline."


def test_the_lowest_balance_is_that_of_an_account_that_changes() -> None:
    days = pd.to_datetime(["2026-06-17", "2026-06-18"] * 2)
    said = finding(
        report(
            "forecast",
            date=days,
            account_id=["a", "a", "b", "b"],
            account_name=["Loan", "Loan", "Checking", "Checking"],
            change=[0.0, 0.0, 0.0, -5.0],
            typical=[0.0] * 4,
            balance=[-90.0, -90.0, 8.0, 3.0],
        )
    )
    expected = "Until 2026-06-18, the lowest expected balance is $3.00 in Checking on 2026-06-18."
    assert said == expected


@pytest.mark.parametrize(
    ("balances", "expected"),
    [
        ([40.0, 39.0, 800.0, 90.0], "$90.00 in Checking"),
        ([40.0, -1.0, 800.0, 90.0], "-$1.00 in Wallet"),
    ],
    ids=["the largest fall", "below zero"],
)
def test_the_lowest_balance_is_the_one_that_a_person_must_know(
    balances: list[float], expected: str
) -> None:
    said = finding(
        report(
            "forecast",
            date=pd.to_datetime(["2026-06-17", "2026-06-18"] * 2),
            account_id=["a", "a", "b", "b"],
            account_name=["Wallet", "Wallet", "Checking", "Checking"],
            change=[0.0] * 4,
            typical=[0.0, -1.0, 0.0, -710.0],
            balance=balances,
        )
    )
    assert f"the lowest expected balance is {expected} on 2026-06-18." in said


def test_days_that_are_unknown_are_not_compared(subtests: pytest.Subtests) -> None:
    unknown = float("nan")
    for days, expected in [
        ([100.4, 90.0], "lasts 90 days, 10 fewer than in Apr 2026."),
        ([100.4, 1101.0], "lasts 1,101 days, 1,001 more than in Apr 2026."),
        ([unknown, 90.0], "lasts 90 days."),
        ([90.0, unknown], "lasts an unknown number of days."),
    ]:
        with subtests.test(expected=expected):
            said = finding(report("runway", date=MONTHS, days=days))
            assert said == f"The money of the budget accounts {expected}"


def test_an_empty_report_has_only_its_name() -> None:
    assert finding(report("age_of_money", month=[], age_of_money=[])) == "Age of money"
