"""The filters of reports: accounts, categories, payees, flags, hashtags and memo."""

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any
from uuid import UUID

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.reports import (
    Report,
    balances,
    budget_vs_actual,
    income_expense,
    income_sankey,
    investments,
    loans,
    money_flow,
    net_worth,
    recurring,
    runway,
    same_period,
    spending,
)
from tests.reports.plans import categories, cell, household, in_month, plan
from tests.reports.rows import OF_LEDGER, began, ledger_frame, lines, moved, row, values
from tests.reports.test_money_flow import move, records, totals

Function = Callable[..., Report]
Options = dict[str, Any]

READY = "Inflow: Ready to Assign"
WHOLE: Options = {"since": "2026-04-01", "until": "2026-06-17"}


@cache
def spring() -> pd.DataFrame:
    """Each amount is another power of two, so that a sum shows the rows that it is of."""
    return ledger_frame(
        began("2026-04-01", "checking", 100.0),
        row("2026-04-02", -1.0, "food", flag_color="red", memo="Lunch #Rome", payee_id="market"),
        row("2026-04-03", -2.0, "office food", "visa", memo="Große Straße #rome #work"),
        row("2026-05-04", -4.0, "rent", payee_id="cafe", memo="#42 #romeo"),
        row("2026-05-05", -8.0, flag_color="blue", flag_name="Ask"),
        row("2026-05-06", 64.0, "ready", payee_id="cafe"),
        *moved("2026-06-01", 16.0, "checking", "fund", "invest"),
        *moved("2026-06-02", 32.0, "checking", "savings"),
    )


# Which rows count

SPENT: list[tuple[Options, float]] = [
    ({}, 31.0), ({"accounts": "Visa"}, 2.0), ({"accounts": ["visa"]}, 2.0),
    ({"accounts": ("Visa", "Savings")}, 2.0),
    ({"accounts": pd.Series(["Visa", "Checking"])}, 31.0),
    ({"exclude_accounts": "Visa"}, 29.0),
    ({"exclude_accounts": ["Visa", "checking"]}, 0.0),
    ({"exclude_accounts": "Fund"}, 31.0),  # a tracking account, which does not count anyway
    ({"categories": "Food"}, 3.0), ({"categories": "food"}, 1.0), ({"categories": "Daily"}, 1.0),
    ({"categories": ["Home", "Food"]}, 7.0),
    ({"categories": "Uncategorized"}, 8.0),
    ({"exclude_categories": ["Food", "Rent"]}, 24.0),
    ({"exclude_categories": "Office"}, 29.0),
    ({"flags": "red"}, 1.0), ({"flags": ["red", "Ask"]}, 9.0), ({"payees": "Café"}, 4.0),
    ({"payees": ["cafe", "Market"]}, 5.0),
    ({"exclude_payees": "Café"}, 27.0),
    ({"hashtags": "rome"}, 3.0), ({"hashtags": "#ROME"}, 3.0),
    ({"hashtags": ["#work", "romeo"]}, 6.0),
    ({"memo": "rome"}, 7.0), ({"memo": "STRASSE"}, 2.0), ({"memo": "R.me"}, 0.0),
    ({"hashtags": "rome", "memo": "lunch", "payees": "Market"}, 1.0),
    ({"accounts": "Checking", "exclude_categories": "Daily"}, 28.0),
    ({"accounts": "Checking", "exclude_accounts": "Checking"}, 0.0),
    ({"categories": ["Home", "Food"], "exclude_categories": "Office"}, 5.0),
    ({"categories": "Food", "flags": "red"}, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("options", "spent"), SPENT)
def test_spending_counts_the_rows_that_the_filters_select(options: Options, spent: float) -> None:
    assert sum(values(spending(spring(), **options), "spent")) == spent


def test_hashtags_are_compared_as_memos_are() -> None:
    rows = row("2026-06-01", -1.0, memo="#Straße"), row("2026-06-02", -2.0, memo="#STRASSE")
    ledger = ledger_frame(*rows)
    given: list[Options] = [{"hashtags": "#straße"}, {"hashtags": "Strasse"}, {"memo": "#STRASSE"}]
    for options in given:
        found = spending(ledger, "hashtag", **options)
        assert lines(found, "hashtag", "spent") == [("strasse", 3.0)]
    assert values(spending(ledger, {"#Straße": "way"}), "label") == ["way"]


def test_income_and_expense_of_the_rows_that_count(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Options, tuple[float, ...]]] = [
        ({}, (64.0, 23.0, 8.0, 100.0)), ({"accounts": "Visa"}, (0.0, 2.0, 0.0, 0.0)),
        ({"categories": [READY, "Rent"]}, (64.0, 4.0, 0.0, 100.0)),
        ({"flags": "blue"}, (0.0, 0.0, 8.0, 0.0)),
    ]  # fmt: skip
    names = "income", "spent", "uncategorized", "starting_balances"
    for options, expected in cases:
        with subtests.test(options=options):
            assert lines(income_expense(spring(), freq="all", **options), *names) == [expected]


@pytest.mark.parametrize(("options", "spent"), [
    ({}, [3.0, 12.0, 16.0]), ({"accounts": "Visa"}, [2.0, 0.0, 0.0]),
    ({"categories": "Home"}, [0.0, 4.0, 0.0]),
    ({"exclude_categories": ["Food", "Investing"]}, [0.0, 12.0, 0.0]),
    ({"flags": "red"}, [1.0, 0.0, 0.0]),
])  # fmt: skip
def test_same_days_of_the_rows_that_count(options: Options, spent: list[float]) -> None:
    assert values(same_period(spring(), **options), "spent") == spent


def test_the_links_of_the_income_of_the_rows_that_count() -> None:
    found = income_sankey(spring(), categories=[READY, "Rent"])
    assert lines(found, "source", "target", "amount") == [
        ("Café", "Income", 64.0), ("Income", "Left over", 60.0),
        ("Income", "Home", 4.0), ("Home", "Rent", 4.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), [
    ({}, (133.0, 31.0)), ({"accounts": "Checking"}, (103.0, 29.0)),
    ({"exclude_accounts": "Savings"}, (101.0, 31.0)),
    ({"categories": ["Rent", "Food"]}, (133.0, 7.0)),
    ({"accounts": ["Checking", "Visa"], "exclude_categories": "Home"}, (101.0, 27.0)),
])  # fmt: skip
def test_runway_of_accounts_that_count(options: Options, expected: tuple[float, float]) -> None:
    found = runway(spring(), window=78, freq="year", **options)
    assert lines(found, "balance", "spent") == [expected]


@pytest.mark.parametrize(("options", "expected"), [
    ({}, (151.0, -2.0)), ({"accounts": ["Fund", "Visa"]}, (16.0, -2.0)),
    ({"exclude_accounts": "Visa"}, (151.0, 0.0)),
])  # fmt: skip
def test_net_worth_of_accounts_that_count(options: Options, expected: tuple[float, float]) -> None:
    assert lines(net_worth(spring(), freq="year", **options), "assets", "debts") == [expected]


def test_the_balances_of_the_accounts_that_count() -> None:
    found = balances(spring(), freq="year", accounts=["Fund", "Visa", "Savings"], **WHOLE)
    every = [("Fund", 16.0), ("Savings", 32.0), ("Visa", -2.0)]
    assert lines(found, "account_name", "balance") == every
    found = balances(spring(), freq="year", exclude_accounts=["checking", "savings"])
    assert lines(found, "account_name", "balance") == [every[0], every[2]]


def test_a_filter_keeps_the_terms_of_a_loan() -> None:
    terms = {"interest_rates": {"2026-01-01": 12_000}, "balance": -81_000}
    paid = moved("2026-06-02", 20.0, "checking", "loan", "invest")
    ledger = ledger_frame(began("2026-05-01", "loan", -100.0), *paid)
    ledger.attrs["loans"][0] |= terms
    found = balances(ledger, accounts=["Car Loan"])
    assert lines(found.tail(1), "balance", "interest") == [(-81.0, 1.0)]


def test_the_categories_of_a_plan_that_count(subtests: pytest.Subtests) -> None:
    month = in_month(
        "2026-06", cell("food", 1.0, 0.0), cell("office", 2.0, 0.0), cell("gym", 4.0, 0.0),
        cell("card", 8.0, 0.0),
    )  # fmt: skip
    cases: list[tuple[Options, list[float]]] = [
        ({}, [1.0, 2.0, 4.0]),
        ({"categories": "Food"}, [1.0, 2.0]),
        ({"categories": ["Daily", "gym"]}, [1.0, 4.0]),
        ({"categories": "Food", "exclude_categories": "office"}, [1.0]),
        ({"categories": "Gym", "include_hidden": False}, []),
    ]
    for options, assigned in cases:
        with subtests.test(options=options):
            assert sorted(values(budget_vs_actual(plan(month), **options), "assigned")) == assigned


def test_a_move_counts_if_a_category_on_one_of_its_sides_counts(subtests: pytest.Subtests) -> None:
    listed = categories("food", "office", "tea", "card")
    given = records(move(1.0, "food"), move(2.0, "tea", "office"), move(4.0, "card", "food"))
    cases: list[tuple[Options, list[float]]] = [
        ({}, [4.0, 2.0, 1.0]), ({"categories": "office"}, [2.0]),
        ({"categories": "Food"}, [4.0, 2.0, 1.0]), ({"categories": "Daily"}, [4.0, 2.0, 1.0]),
        ({"categories": "Credit Card Payments"}, [4.0]), ({"categories": "Ready to Assign"}, [1.0]),
        ({"exclude_categories": "food"}, [2.0]),
        ({"categories": "Daily", "exclude_categories": ["Office", "card"]}, [1.0]),
    ]  # fmt: skip
    for options, amounts in cases:
        with subtests.test(options=options):
            assert values(money_flow(given, listed, **options), "amount") == amounts
    assigned = totals(("Daily", "Food", 3.0), ("Gone", "Old", 5.0))
    assert values(money_flow(assigned, listed, categories="Old"), "amount") == [5.0]


def test_the_series_of_the_rows_that_count() -> None:
    days = [f"2026-{month:02}-01" for month in range(1, 7)]
    ledger = ledger_frame(
        *(row(day, -5.0, "fun", payee_id="cafe", flag_color="red") for day in days),
        *(row(day, -7.0, "food", "visa", payee_id="cafe") for day in days),
    )
    assert values(recurring(ledger), "category_name") == ["Food", "Fun"]
    cases: list[Options] = [{"accounts": "Visa"}, {"exclude_categories": "Fun"}]
    for options in cases:
        assert values(recurring(ledger, **options), "category_name") == ["Food"], options
    assert values(recurring(ledger, flags="red"), "category_name") == ["Fun"]


# The days and the rules


def test_the_days_of_a_report_do_not_depend_on_the_rows_that_count() -> None:
    found = spending(spring(), freq="month", accounts="Visa")
    assert lines(found, "period", "spent") == [
        ("2026-04-01", 2.0), ("2026-05-01", 0.0), ("2026-06-01", 0.0),
    ]  # fmt: skip
    assert found.attrs["rules"][-1] == "From 2026-04-01 to 2026-06-17."


def test_the_rules_state_what_counts_by_name(subtests: pytest.Subtests) -> None:
    given: Options = {
        "accounts": ["checking", "Visa"], "categories": "Rent", "payees": "cafe", "flags": "red",
        "hashtags": ["Rome", "#work"], "exclude_accounts": "savings",
        "exclude_categories": ("food", "Office"), "exclude_payees": "Market", "memo": "at",
    }  # fmt: skip
    rules = {
        "accounts": "Only the accounts Checking and Visa count.",
        "categories": "Only the category Rent counts.",
        "payees": "Only the payee Café counts.",
        "flags": "Only rows with the flag red count.",
        "hashtags": "Only rows with the hashtags #rome or #work count.",
        "memo": "Only rows with 'at' in the memo count.",
        "exclude_accounts": "Excluded accounts: Savings.",
        "exclude_categories": "Excluded categories: Food, Office.",
        "exclude_payees": "Excluded payees: Market.",
    }
    for report in OF_LEDGER:
        if report in (loans, investments):  # they accept only names of such accounts
            continue
        names = [name for name in given if name in signature(report).parameters]
        with subtests.test(report=report):
            attrs = report(spring(), **{name: given[name] for name in names}).attrs
            stated = [rule for rule in attrs["rules"] if rule in rules.values()]
            assert sorted(stated) == sorted(rules[name] for name in names)
            assert attrs["filters"]["accounts"] == ["Checking", "Visa"]
            assert attrs["filters"]["exclude_accounts"] == ["Savings"]
            plain = report(spring()).attrs
            assert not {*plain["rules"]} & {*rules.values()}
            assert "filters" not in plain


def test_the_rules_say_whose_categories_a_name_means_that_several_groups_have() -> None:
    reports = household().reports
    rule = "Several categories count for a name: Insurance (of Car and Home)."
    one = "Only the category Insurance (of Car and Home) counts."
    assert one in reports.spending(categories="Insurance").attrs["rules"]
    assert rule in reports.spending({"Insurance": "mine"}).attrs["rules"]
    assert rule not in reports.spending({"Home: Insurance": "mine"}).attrs["rules"]


@pytest.mark.parametrize(("options", "start"), [
    ({}, "Every account of the ledger counts, including tracking accounts and closed accounts."),
    ({"exclude_accounts": "Visa"}, "Every other account of the ledger counts, including"),
    ({"accounts": "Visa"}, ""),
])  # fmt: skip
def test_net_worth_states_whether_every_account_counts(options: Options, start: str) -> None:
    rules = net_worth(spring(), **options).attrs["rules"]
    (rule,) = [rule for rule in rules if rule.startswith("Every")] or [""]
    assert rule.startswith(start)
    assert bool(rule) == bool(start)


def test_a_report_of_a_filtered_ledger_states_its_rows(subtests: pytest.Subtests) -> None:
    whole = spring().copy()
    whole.attrs["rows"] = 10
    for report in OF_LEDGER:
        with subtests.test(report=report):
            rule = "The ledger was filtered before: it has 8 of its 10 rows."
            assert report(whole.iloc[2:]).attrs["rules"][-1] == rule
            for unfiltered in (whole, pd.concat([whole, whole]), spring().iloc[2:]):
                rules = report(unfiltered).attrs["rules"]
                assert not [each for each in rules if "filtered" in each]


@pytest.mark.parametrize(("options", "amounts"), [
    ({"categories": "Food"}, [1.0, 2.0]), ({"categories": "Office: Food"}, [2.0]),
    ({"categories": ["Daily: Food", "Rent"]}, [1.0, 4.0]),
    ({"categories": ["Food", "Rent"], "exclude_categories": "Daily: Food"}, [2.0, 4.0]),
])  # fmt: skip
def test_a_category_may_be_named_with_its_group(options: Options, amounts: list[float]) -> None:
    assert sorted(spending(spring(), "category", **options)["spent"]) == amounts


def test_a_key_may_be_a_uuid_or_in_capitals() -> None:
    key = "0b5f3ae6-2c11-4d0e-9b7a-6f1f0d6a9e01"
    ledger = spring().replace({"account_id": {"visa": key}})
    given: Any
    for given in (key.upper(), UUID(key), [UUID(key)]):
        assert spending(ledger, "category", accounts=given)["spent"].tolist() == [2.0]


# Names that cannot be selected

CLOSEST = "the closest names are"
NEAR = f"in budget accounts; {CLOSEST}"
UNKNOWN: list[tuple[Function, Options, str]] = [
    # the report, an option, and the names that the ledger lacks, with the advice
    (spending, {"categories": "Fod"}, "'Fod' in budget accounts; the closest name is 'Food'"),
    (same_period, {"exclude_categories": ["rnt", "fod"]},
     f"'rnt', 'fod'; {CLOSEST} 'Rent', 'Food'"),
    (runway, {"accounts": "Fund"}, "'Fund' in budget accounts; bf.accounts() lists the accounts"),
    (recurring, {"exclude_accounts": "Old"}, "'Old'; bf.accounts() lists the accounts"),
    (net_worth, {"accounts": ["CHEQUING", "Visa"]}, "'CHEQUING'; the closest name is 'Checking'"),
    (income_expense, {"hashtags": "roma"}, f"'roma' {NEAR} 'rome', 'romeo'"),
    (income_expense, {"payees": "Cafe"}, f"'Cafe' {NEAR} 'cafe', 'Café'"),
    (income_expense, {"flags": "green"},
     "'green' in budget accounts; a flag is named by its colour or by its own name"),
    (income_sankey, {"categories": "Fuel"},
     ("'Fuel' in budget accounts; bf.categories() lists the categories and their groups;"
      " leave out a category without transactions")),
]  # fmt: skip


@pytest.mark.parametrize(("report", "options", "message"), UNKNOWN)
def test_an_error_shows_the_closest_names(report: Function, options: Options, message: str) -> None:
    (name,) = options
    with pytest.raises(ToolError) as caught:
        report(spring(), **options)
    assert str(caught.value) == f"{name}: the ledger has no rows of {message}"


def test_an_unknown_category_of_a_plan_or_of_moves_raises_an_error() -> None:
    message = r"^categories: there is no category or group 'Fod'; the closest name is 'Food'$"
    month = in_month("2026-06", cell("food", 1.0, 0.0))
    with pytest.raises(ToolError, match=message):
        budget_vs_actual(plan(month), categories="Fod")
    with pytest.raises(ToolError, match=message):
        money_flow(records(move(1.0, "food")), categories("food", "tea"), categories=["Fod"])


@pytest.mark.parametrize("report", OF_LEDGER)
def test_an_empty_ledger_has_no_unknown_names(report: Any) -> None:
    assert len(report(ledger_frame(), accounts="Visa", exclude_accounts=["Amex"])) == 0


@pytest.mark.parametrize(("name", "one"), [
    ("accounts", "account"), ("categories", "category"), ("payees", "payee"),
    ("flags", "flag"), ("hashtags", "hashtag"),
])  # fmt: skip
def test_a_selection_without_a_name_raises_an_error(name: str, one: str) -> None:
    message = f"^{name}: there is no name in it. Name at least one {one}, or leave the argument"
    options: Options = {name: []}
    with pytest.raises(ToolError, match=message):
        spending(spring(), **options)


def test_something_other_than_names_raises_an_error(subtests: pytest.Subtests) -> None:
    for given in (5, [5], ["Visa", None], iter(["Visa"])):
        for name in ("accounts", "exclude_payees", "categories", "hashtags", "flags"):
            message = rf"^{name}=.*: it must be a name or a key, or a list of them$"
            options: Options = {name: given}
            with subtests.test(name=name, given=given), pytest.raises(ToolError, match=message):
                spending(spring(), **options)
