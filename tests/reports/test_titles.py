"""Titles: what is drawn, the selection, and the period of the rows."""

from typing import Any

import pandas as pd
import pytest

from budgetframe.reports import (
    Report,
    balances,
    budget_vs_actual,
    income_expense,
    net_worth,
    same_period,
    spending,
)
from budgetframe.reports.plotting.period_names import days_name, periods_name, states_name
from tests.reports.plans import EURO, cell, household, in_month, plan
from tests.reports.rows import began, ledger_frame, row


def title(report: Any, **options: Any) -> str:
    return str(report.plot(**options).get_title("left"))


def some() -> pd.DataFrame:
    return ledger_frame(
        began("2025-11-03", "checking", 100.0),
        row("2025-11-03", -2.0, "food", payee_id="market", memo="#rome", flag_color="red"),
        row("2026-05-02", -5.0, "food", payee_id="market", memo="#rome #anna", flag_color="red"),
        row("2026-06-02", -7.0, "rent", payee_id="cafe"),
    )


def one(by: Any, column: str, name: str) -> Report:
    """The rows of a group of spending by month."""
    found = spending(some(), by, freq="month")
    selected = found[found[column] == name]
    assert isinstance(selected, Report)
    return selected


def test_a_title_names_the_groups_the_period_and_the_sum(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Any, str]] = [
        (spending(some()), "Spending by category, 3 Nov 2025 – 17 Jun 2026: 14.00"),
        (spending(some(), since="2026-05-01"), "Spending by category, May – Jun 2026: 12.00"),
        (spending(some(), "payee", since="2025-11-01"),
         "Spending by payee, Nov 2025 – Jun 2026: 14.00"),
        (spending(some(), freq="month", since="2026-05-02"),
         "Spending by category, May – Jun 2026: 12.00"),
        (spending(some(), freq="quarter"), "Spending by category, Q4 2025 – Q2 2026: 14.00"),
        (spending(some(), freq="year"), "Spending by category, 2025 – 2026: 14.00"),
        (spending(some(), "hashtag", freq="year"), "Spending by hashtag, 2025 – 2026"),
        (spending(some(), {"Daily": "x"}, freq="year"), "Spending by label, 2025 – 2026: 14.00"),
        (income_expense(some(), since="2026-02-01"), "Income and spending, Feb – Jun 2026"),
        (income_expense(some(), since="2026-06-01"), "Income and spending, Jun 2026 so far"),
        (income_expense(some(), since="2026-04-01", until="2026-04-30", freq="all"),
         "Income and spending, Apr 2026"),
        (net_worth(some()), "Net worth, Nov 2025 – 17 Jun 2026: 86.00"),
        (net_worth(some(), until="2026-05-31"), "Net worth, Nov 2025 – May 2026: 93.00"),
        (balances(some()), "Balance of Checking, Nov 2025 – 17 Jun 2026: 86.00"),
        (balances(some(), freq="day", since="2026-06-10"),
         "Balance of Checking, 10 – 17 Jun 2026: 86.00"),
        (same_period(some()), "Spending, 1 – 17 Jun 2026: 7.00"),
        (same_period(some(), freq="year"), "Spending, 1 Jan – 17 Jun 2026: 12.00"),
        (same_period(some(), today="2026-05-31"), "Spending, May 2026: 5.00"),
        (same_period(some(), "group"), "Spending by group, 1 – 17 Jun 2026"),
    ]  # fmt: skip
    for report, expected in cases:
        with subtests.test(expected=expected):
            assert title(report) == expected


def test_a_title_names_the_only_group_that_the_user_selected(subtests: pytest.Subtests) -> None:
    when = "Nov 2025 – Jun 2026"
    cases: list[tuple[Any, str]] = [
        (one("category", "category_name", "Food"), f"Spending on Food, {when}: 7.00"),
        (one("group", "category_group_name", "Home"), f"Spending on Home, {when}: 7.00"),
        (one("payee", "payee_name", "Market"), f"Spending at Market, {when}: 7.00"),
        (one("account", "account_name", "Checking"), f"Spending from Checking, {when}: 14.00"),
        (one("flag", "flag_color", "red"), f"Spending flagged red, {when}: 7.00"),
        (one("hashtag", "hashtag", "rome"), f"Spending with #rome, {when}: 7.00"),
        (one({"Food": "eat"}, "label", "eat"), f"Spending on eat, {when}: 7.00"),
        (one("category", "category_name", "Food").iloc[-2:-1], "Spending on Food, May 2026: 5.00"),
        (same_period(some(), "payee", count=1).query("payee_name == 'Market'"),
            "Spending at Market, 1 – 17 Jun 2026: 0.00"),
    ]  # fmt: skip
    for report, expected in cases:
        with subtests.test(expected=expected):
            assert title(report) == expected
    flags = spending(some(), "flag")
    assert title(flags[flags["flag_color"].isna()]).startswith("Spending without a flag, ")


def test_a_plan_of_one_category_names_it() -> None:
    months = [
        in_month(f"2026-0{n}", cell("food", 1.0, -1.0), cell("tea", 1.0, 0.0)) for n in (4, 5, 6)
    ]
    found = budget_vs_actual(plan(*months))
    food = found[found["category_id"] == "food"]
    assert title(found) == "Assigned and spent, Apr – Jun 2026"
    assert title(food) == "Assigned and spent on Food, Apr – Jun 2026"
    assert title(food[food["period"] == "2026-05-01"]) == "Assigned and spent on Food, May 2026"


def test_a_title_states_the_filters_of_a_report() -> None:
    found = spending(some(), "payee", freq="year")
    found.attrs["filters"] = {"categories": ["Food"], "exclude_accounts": ["Visa"]}
    assert title(found) == "Spending by payee on Food, without Visa, 2025 – 2026: 14.00"
    food = one("category", "category_name", "Food")
    food.attrs["filters"] = {"categories": ["Food"]}
    assert title(food) == "Spending on Food, Nov 2025 – Jun 2026: 7.00"


def test_titles_state_selected_accounts_categories_and_time(subtests: pytest.Subtests) -> None:
    reports, june = household().reports, "17 Jun – 17 Jul 2026"
    cases: list[tuple[Any, str]] = [
        (reports.forecast(accounts="Checking", days=30),
         f"Forecast of Checking: schedules and income, {june}"),
        (reports.forecast(typical=3, accounts=["Checking", "Wallet"], days=30),
         f"Forecast by account with typical amounts, Checking, Wallet, {june}"),
        (reports.loans(accounts="Car Loan"),
         "Owed on Car Loan, Jan 2023 – Dec 2026: 1.468,00 € now"),
        (reports.investments(since="2025"),
         "Index Fund: value and contributions, Jan 2025 – 17 Jun 2026: 16.516,43 €"),
        (reports.recurring(categories="Rent"),
         "Recurring, Rent: 15.538,80 € a year, subscriptions 0,00 €"),
        (reports.money_flow(categories="Groceries", month="2026-05"),
         "Money moved between categories, Groceries, May 2026"),
        (reports.same_period(categories="Groceries"),
         "Spending on Groceries, 1 – 17 Jun 2026: 335,39 €"),
        (reports.spending("payee", accounts="Wallet", categories="Groceries", freq="year"),
         "Spending by payee from Wallet on Groceries, 2023 – 2026: "),
        (reports.budget_vs_actual(categories=["Groceries", "Rent"]),
         "Assigned and spent on Groceries, Rent, Jan 2023 – Jun 2026"),
        (reports.net_worth(accounts="Checking"), "Net worth, Checking, Jan 2023 – 17 Jun 2026: "),
    ]  # fmt: skip
    for report, expected in cases:
        with subtests.test(expected=expected):
            assert title(report).startswith(expected)


def test_lines_of_the_same_days_have_a_title() -> None:
    drawn = household().reports.same_period("group").plot(kind="line")
    assert drawn.get_title("left") == "Spending by group, up to the same day, Jun 2025 – Jun 2026"


def test_a_title_with_long_names_is_short_and_keeps_its_amount() -> None:
    report = one("category", "category_name", "Food").assign(category_name="x" * 99)
    report.attrs["currency_format"] = EURO
    report.attrs["filters"] = {"accounts": ["y" * 99, "z"], "exclude_categories": ["w" * 99]}
    found = title(report)
    assert len(found) <= 84
    assert found.endswith("Nov 2025 – Jun 2026: 7,00 €")


def test_names_of_periods(subtests: pytest.Subtests) -> None:
    def day(text: str) -> pd.Timestamp:
        return pd.Timestamp(text)

    cases: list[tuple[str, str]] = [
        (periods_name(day("2026-01-01"), day("2026-01-01"), "month"), "Jan 2026"),
        (periods_name(day("2025-12-01"), day("2026-01-01"), "month"), "Dec 2025 – Jan 2026"),
        (periods_name(day("2026-01-01"), day("2026-10-01"), "quarter"), "Q1 – Q4 2026"),
        (periods_name(day("2026-01-01"), day("2026-01-01"), "year"), "2026"),
        (periods_name(day("2025-12-31"), day("2026-01-01"), "day"), "31 Dec 2025 – 1 Jan 2026"),
        (days_name(day("2026-01-01"), day("2026-01-31")), "Jan 2026"),
        (days_name(day("2026-01-01"), day("2026-12-31")), "Jan – Dec 2026"),
        (days_name(day("2026-01-02"), day("2026-01-31")), "2 – 31 Jan 2026"),
        (days_name(day("2026-01-01"), day("2026-02-27")), "1 Jan – 27 Feb 2026"),
        (days_name(day("2026-01-01"), day("2026-02-27"), day("2026-02-27")), "Jan – Feb 2026"),
        (days_name(day("2026-02-01"), day("2026-02-27"), day("2026-02-27")), "Feb 2026 so far"),
        (days_name(day("2026-02-01"), day("2026-02-28"), day("2026-02-28")), "Feb 2026"),
        (states_name(day("2026-01-31"), day("2026-03-31"), "month"), "Jan 2026 – Mar 2026"),
        (states_name(day("2025-12-31"), day("2026-03-31"), "year"), "2025 – 31 Mar 2026"),
        (states_name(day("2025-12-31"), day("2026-03-31"), "quarter"), "Q4 2025 – Q1 2026"),
    ]
    for found, expected in cases:
        with subtests.test(expected=expected):
            assert found == expected
