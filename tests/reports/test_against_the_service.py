"""Reports of whole budgets: their sums are the figures of the service, to the milliunit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, reports
from budgetframe.frames import milliunits
from budgetframe.sandbox import Sandbox
from tests.case import case
from tests.facade.service import ServiceWithFacade

Sums = dict[Any, int]
BUDGETS = [(1, "Household"), (1, "東京の家計"), (7, "Household")]


@cache
def service(seed: int) -> Sandbox:
    return Sandbox(seed=seed, limit=1_000_000, years=None if seed == 1 else 2)


@cache
def budget(seed: int, name: str) -> BudgetFrame:
    return BudgetFrame.sandbox(service(seed), budget=name, ttl=1_000_000.0, progress=False)


@pytest.fixture(params=BUDGETS, ids=lambda each: f"{each[1]} {each[0]}")
def bf(request: pytest.FixtureRequest) -> BudgetFrame:
    return budget(*request.param)


def sums(frame: pd.DataFrame, keys: list[str], amount: str) -> Sums:
    """Sums in milliunits by key, without zero sums."""
    plain = frame[keys].astype(object).where(frame[keys].notna(), None)
    added: Sums = {}
    for key, n in zip(
        plain.itertuples(index=False, name=None), milliunits(frame[amount]), strict=True
    ):
        added[key] = added.get(key, 0) + int(n)
    return {key: n for key, n in added.items() if n}


def total(frame: pd.DataFrame, name: str) -> int:
    return int(milliunits(frame[name]).sum())


# The figures of the service


def test_net_worth_ends_with_the_sum_of_all_accounts(bf: BudgetFrame) -> None:
    cases: list[Any] = ["month", "quarter", "year"]
    for freq in cases:
        with case(freq):
            found = bf.reports.net_worth(freq=freq)
            assert milliunits(found["net"]).iloc[-1] == total(bf.accounts(), "balance")


def test_the_last_balances_are_the_balances_of_the_accounts(bf: BudgetFrame) -> None:
    found = bf.reports.balances()
    last = found[found["date"] == found["date"].max()]
    accounts = bf.accounts()
    assert sums(last, ["account_id"], "balance") == sums(accounts, ["account_id"], "balance")
    assert set(last["account_id"]) == set(accounts["account_id"])


def test_the_last_balances_include_tracking_and_closed_accounts() -> None:
    bf = budget(1, "Household")
    last = bf.reports.balances().groupby("account_name")["balance"].last()
    accounts = bf.accounts().set_index("account_name")
    others = accounts.loc[accounts["closed"] | ~accounts["on_budget"], "balance"].sort_index()
    assert list(others.index) == ["Car Loan", "Index Fund", "Old Savings"]
    assert last[others.index].tolist() == others.tolist()


def test_balances_have_the_names_of_the_service(bf: BudgetFrame) -> None:
    names = ["account_id", "account_name", "account_type", "on_budget"]
    found = bf.reports.balances(freq="year").drop_duplicates("account_id")[names]
    accounts = bf.accounts()[names]
    assert sorted(found.to_numpy().tolist()) == sorted(accounts.to_numpy().tolist())


def test_spending_of_each_category_and_month_is_the_activity_of_the_service(
    bf: BudgetFrame,
) -> None:
    keys = ["period", "category_group_name", "category_name"]
    plan = bf.month_categories().rename(columns={"month": "period"})
    is_spending = plan["category_group_name"] != "Credit Card Payments"
    is_spending &= ~plan["category_name"].str.startswith("Inflow: ")
    spent = sums(bf.reports.spending(freq="month"), keys, "spent")
    assert {key: -n for key, n in spent.items()} == sums(plan[is_spending], keys, "activity")


def test_income_and_starting_balances_are_the_income_of_the_service(bf: BudgetFrame) -> None:
    months = bf.months().rename(columns={"month": "period"})
    found = bf.reports.income_expense()
    received = pd.concat(
        [
            found[["period", name]].set_axis(["period", "income"], axis=1)
            for name in ("income", "starting_balances")
        ]
    )
    assert sums(received, ["period"], "income") == sums(months, ["period"], "income")


def test_income_minus_spending_is_the_change_of_the_budget_balance(bf: BudgetFrame) -> None:
    accounts = bf.accounts()
    found = bf.reports.income_expense(freq="quarter")
    difference = total(found, "net") + total(found, "starting_balances")
    assert difference == total(accounts[accounts["on_budget"]], "balance")


def test_income_minus_spending_of_a_month_is_its_change_of_the_budget_balance(
    bf: BudgetFrame,
) -> None:
    balances = bf.reports.balances()
    on_budget = balances[balances["on_budget"]].assign(
        amount=lambda rows: milliunits(rows["balance"])
    )
    ends = on_budget.groupby("date")["amount"].sum()
    found = bf.reports.income_expense()
    changed = milliunits(found["net"]) + milliunits(found["starting_balances"])
    assert changed.cumsum().tolist() == ends.tolist()


def test_all_groupings_but_hashtags_have_the_sum_of_the_service(bf: BudgetFrame) -> None:
    flows = bf.reports.income_expense(freq="all")
    spent = total(flows, "spent") + total(flows, "uncategorized")
    groupings: list[Any] = ["category", "group", "payee", "account", "flag"]
    assert [total(bf.reports.spending(by), "spent") for by in groupings] == [spent] * 5


def test_months_add_up_to_quarters_and_years(bf: BudgetFrame) -> None:
    freqs: list[Any] = ["month", "quarter", "year", "all"]
    keys = ["category_id", "category_name"]
    by_freq = [sums(bf.reports.spending(freq=freq), keys, "spent") for freq in freqs]
    assert by_freq == by_freq[:1] * 4
    names = ["income", "spent", "uncategorized", "net", "starting_balances"]
    flows = [bf.reports.income_expense(freq=freq) for freq in freqs]
    added = [[total(each, name) for name in names] for each in flows]
    assert added == added[:1] * 4


def test_spending_before_and_after_a_day_adds_up_to_all_spending(bf: BudgetFrame) -> None:
    for cut in ("2025-12-31", "2026-02-10"):
        with case(cut):
            after = pd.Timestamp(cut) + pd.Timedelta(1, "D")
            sides = [bf.reports.spending(until=cut), bf.reports.spending(since=after)]
            keys = ["category_id", "category_name"]
            whole = sums(bf.reports.spending(), keys, "spent")
            assert sums(pd.concat(sides), keys, "spent") == whole


def test_same_period_compares_whole_months_on_the_last_day_of_a_month(bf: BudgetFrame) -> None:
    found = bf.reports.same_period("category", today="2026-05-31", count=200)
    keys = ["period", "category_id", "category_name"]
    by_month = sums(bf.reports.spending(freq="month", until="2026-05-31"), keys, "spent")
    assert sums(found, keys, "spent") == by_month


def test_runway_states_the_budget_balance_and_the_spending(bf: BudgetFrame) -> None:
    accounts = bf.accounts()
    last = bf.reports.runway(window=30).iloc[-1]
    spent = bf.reports.spending(since="2026-05-19", until="2026-06-17")
    balance = total(accounts[accounts["on_budget"]], "balance")
    assert round(last["balance"] * 1000) == balance
    assert round(last["spent"] * 1000) == total(spent, "spent")
    assert last["days"] == balance * 30 / total(spent, "spent")


# Through a connection

CALLS: dict[str, tuple[Callable[..., reports.Report], tuple[Any, ...], dict[str, Any]]] = {
    "net_worth": (reports.net_worth, (), {"freq": "quarter", "debts": "type"}),
    "balances": (reports.balances, (), {"since": "2026-01-01"}),
    "income_expense": (reports.income_expense, (), {"transfers": "none"}),
    "spending": (reports.spending, ("payee",), {"freq": "year", "average": "active"}),
    "same_period": (reports.same_period, ("group",), {"of": "quarter", "count": 3}),
    "runway": (reports.runway, (), {"window": 30, "exclude_categories": ["Rent"]}),
}


def test_a_report_method_equals_the_report_function_of_its_ledger() -> None:
    for name, (function, given, named) in CALLS.items():
        with case(name):
            of = budget(1, "Household")
            found, expected = (
                getattr(of.reports, name)(*given, **named),
                function(of.ledger(), *given, **named),
            )
            assert_frame_equal(found, expected)
            assert found.attrs == expected.attrs


def test_a_report_costs_the_four_lists_of_a_ledger() -> None:
    for name in CALLS:
        with case(name):
            service_with_facade = ServiceWithFacade()
            getattr(service_with_facade.bf.reports, name)()
            assert service_with_facade.wire.lists == [
                "budgets",
                "transactions",
                "accounts",
                "categories",
                "payees",
            ]


def test_within_the_time_to_live_all_ledger_reports_cost_as_much_as_one() -> None:
    service_with_facade = ServiceWithFacade()
    for name in CALLS:
        getattr(service_with_facade.bf.reports, name)()
    service_with_facade.clock.advance(299.9)
    service_with_facade.bf.reports.spending("hashtag", freq="month")
    assert service_with_facade.served == 5


def test_after_the_time_to_live_a_report_costs_four_deltas() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.reports.net_worth()
    service_with_facade.clock.advance(300.0)
    service_with_facade.bf.reports.net_worth()
    assert service_with_facade.wire.lists[5:] == [
        "transactions",
        "accounts",
        "categories",
        "payees",
    ]
    assert [
        "last_knowledge_of_server" in query for query in service_with_facade.wire.queries[5:]
    ] == [True] * 4


def test_a_report_has_the_time_budget_and_source_of_its_ledger() -> None:
    attrs = budget(1, "Household").reports.net_worth().attrs
    assert attrs["as_of"] == "2026-06-17T12:00:00+00:00"
    assert attrs["budget"] == "Household"
    assert attrs["currency_format"]["iso_code"] == "EUR"
    assert attrs["source"].startswith("GET /budgets/")
