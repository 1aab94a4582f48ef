"""The sentences about the reports of the page, for small reports written by hand."""

from typing import Any

import pandas as pd
import pytest

from budgetframe.reports import Report
from budgetframe.reports._shared.sentences import UNCATEGORIZED, sentence_of

EURO = {"currency_symbol": "€", "display_symbol": True, "group_separator": "."}
DOLLAR = {"currency_symbol": "$", "display_symbol": True}
MONTHS = pd.to_datetime(["2026-04-01", "2026-05-01"])


def report(name: str, **columns: Any) -> Report:
    frame = Report(columns)
    frame.attrs = {"report": name, "currency_format": DOLLAR}
    return frame


@pytest.mark.parametrize(("net", "expected"), [
    ([100.1, 300.3], "Net worth rose by $200.20 to $300.30 since the end of Apr 2026."),
    ([300.3, -100.0], "Net worth fell by $400.30 to -$100.00 since the end of Apr 2026."),
    ([5.0, 5.0], "Net worth is $5.00, the same as at the end of Apr 2026."),
])  # fmt: skip
def test_net_worth_rises_falls_or_stays(net: list[float], expected: str) -> None:
    assert sentence_of(report("net_worth", date=MONTHS, net=net)) == expected


def test_the_net_worth_of_a_first_day_is_not_compared() -> None:
    assert sentence_of(report("net_worth", date=MONTHS[:1], net=[5.0])) == "Net worth is $5.00."


@pytest.mark.parametrize(("spent", "rest", "expected"), [
    ([1.0, 2.5], [0, 0], " and spending was $3.50: $16.50 was left."),
    ([30.0, 0.0], [2, -2], " and spending was $30.00: $10.00 was missing."),
    ([1.0, 2.5], [0, 9.5], ", spending was $3.50, and $9.50 has no category: $7.00 was left."),
    ([20.0, -5.0], [-1, 0], (", spending was $15.00, and $1.00 of inflow has no category:"
     " $6.00 was left.")),
])  # fmt: skip
def test_what_is_left_is_the_net(spent: list[float], rest: list[float], expected: str) -> None:
    income, net = [10.0, 10.0], [10.0 - spent[at] - rest[at] for at in (0, 1)]
    columns = {"income": income, "spent": spent, "uncategorized": rest, "net": net}
    said = sentence_of(report("income_expense", period=MONTHS, **columns))
    assert said == f"Since Apr 2026, income was $20.00{expected}"


@pytest.mark.parametrize(("names", "spent", "rest", "expected"), [
    (["A", "B", None], [9.0, 3.0, 5.0], [], ("$17.00; most was spent on A with $9.00, followed"
     " by no name with $5.00 and B with $3.00.")),
    (["A"], [9.0], [], "$9.00; most was spent on A with $9.00."),
    (["A", "B"], [9.0, -4.0], [0.5, 1], ("$5.00, and $1.50 has no category; most was spent on"
     " A with $9.00.")),
    (["A"], [-4.0], [], "-$4.00."),
    ([], [], [4.0, 1.5], "$0.00, and $5.50 has no category."),
])  # fmt: skip
def test_the_largest_categories_are_named(
    names: Any, spent: list[float], rest: list[float], expected: str
) -> None:
    values = report("spending", category_name=names, spent=spent)
    values.attrs[UNCATEGORIZED] = rest
    assert sentence_of(values) == f"Spending was {expected}"


@pytest.mark.parametrize(("spent", "rest", "expected"), [
    ([10, 20, 18], [0, 0, 0], "$18.00 was spent this month up to 17 Jun, $3.00 more than"),
    ([10, 20, 12], [0, 0, 0], "$12.00 was spent this month up to 17 Jun, $3.00 less than"),
    ([10, 20, 15], [0, 0, 0], "$15.00 was spent this month up to 17 Jun, as much as"),
    ([10, 20, -5], [0, 0, 0], ("$5.00 more was refunded than spent this month up to 17 Jun,"
     " $20.00 less than")),
    ([10, 20, 4], [0, 2, 15], ("$4.00 was spent this month up to 17 Jun, and $15.00 has no"
     " category: together $3.00 more than")),
    ([15], [0], "$15.00 was spent this month up to 17 Jun"),
])  # fmt: skip
def test_this_month_is_compared_with_the_mean_of_earlier_ones(
    spent: list[float], rest: list[float], expected: str
) -> None:
    days = pd.to_datetime(["2026-04-17", "2026-05-17", "2026-06-17"])[-len(spent) :]
    values = report("same_period", date=days, spent=spent)
    values.attrs[UNCATEGORIZED] = rest
    end = " on average by the same day of earlier months" * (len(spent) > 1)
    assert sentence_of(values) == f"{expected}{end}."


@pytest.mark.parametrize(("difference", "rest"), [
    ([1.0, 0.0], "no category has more spending than was assigned to it"),
    ([1.0, -2.0], "1 category had more spending than assigned, most of all B by $2.00"),
    ([-3.0, -2.0], "2 categories had more spending than assigned, most of all A by $3.00"),
])  # fmt: skip
def test_overspent_categories_are_counted(difference: list[float], rest: str) -> None:
    columns = {"assigned": [5.0, 6.0], "spent": [1.0, 2.0], "difference": difference}
    plan = report("budget_vs_actual", category_name=["A", "B"], **columns)
    assert sentence_of(plan) == f"This month $11.00 was assigned and $3.00 was spent; {rest}."
    plan.attrs[UNCATEGORIZED] = [0.5]
    assert f"and $3.00 was spent, and $0.50 has no category; {rest}." in sentence_of(plan)


def test_a_single_recurring_payment_is_singular() -> None:
    said = sentence_of(
        report("recurring", payee_name=["Fernline"], yearly_cost=[418.8], kind=["bill"])
    )
    assert said == "1 recurring payment costs $418.80 a year, the largest $418.80 to Fernline."


def test_the_lowest_balance_is_that_of_an_account_that_changes() -> None:
    days = pd.to_datetime(["2026-06-17", "2026-06-18"] * 2)
    said = sentence_of(
        report("forecast", date=days, account_id=["a", "a", "b", "b"],
               account_name=["Loan", "Loan", "Checking", "Checking"], change=[0.0, 0.0, 0.0, -5.0],
               typical=[0.0] * 4, balance=[-90.0, -90.0, 8.0, 3.0]),
    )  # fmt: skip
    expected = "Until 2026-06-18, the lowest expected balance of Checking is $3.00, on 2026-06-18."
    assert said == expected


@pytest.mark.parametrize(("balances", "expected"), [
    ([40.0, 39.0, 800.0, 90.0], "Checking is $90.00"),
    ([40.0, -1.0, 800.0, 90.0], "Wallet is -$1.00"),
], ids=["the largest fall", "below zero"])  # fmt: skip
def test_the_lowest_balance_is_what_one_must_know(balances: list[float], expected: str) -> None:
    said = sentence_of(
        report("forecast", date=pd.to_datetime(["2026-06-17", "2026-06-18"] * 2),
               account_id=["a", "a", "b", "b"],
               account_name=["Wallet", "Wallet", "Checking", "Checking"], change=[0.0] * 4,
               typical=[0.0, -1.0, 0.0, -710.0], balance=balances),
    )  # fmt: skip
    assert f"the lowest expected balance of {expected}, on 2026-06-18." in said


def test_days_that_are_unknown_are_not_compared(subtests: pytest.Subtests) -> None:
    unknown = float("nan")
    for days, expected in [
        ([100.4, 90.0], "lasts 90 days, 10 fewer than in Apr 2026."),
        ([100.4, 1101.0], "lasts 1,101 days, 1,001 more than in Apr 2026."),
        ([unknown, 90.0], "lasts 90 days."),
        ([2.0, 1.0], "lasts 1 day, 1 fewer than in Apr 2026."),
        ([90.0, unknown], "lasts an unknown number of days."),
    ]:
        with subtests.test(expected=expected):
            said = sentence_of(report("runway", date=MONTHS, days=days))
            assert said == f"The money of the budget accounts {expected}"


def test_days_have_the_separators_of_the_budget() -> None:
    values = report("age_of_money", month=MONTHS, age_of_money=[1000, 2345])
    values.attrs["currency_format"] = EURO
    assert sentence_of(values) == "Money is spent after 2.345 days, 1.345 more than in Apr 2026."


def test_an_empty_report_has_only_its_name() -> None:
    assert sentence_of(report("age_of_money", month=[], age_of_money=[])) == "Age of money"
