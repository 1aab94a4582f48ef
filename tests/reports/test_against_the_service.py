"""Reports of whole budgets: their sums are the figures of the service, to the milliunit."""

from functools import cache
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, reports
from budgetframe.frames import milliunits
from budgetframe.sandbox import Sandbox
from tests.facade.service import ServiceWithFacade
from tests.reports.rows import OF_LEDGER

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


@pytest.mark.parametrize("freq", ["month", "quarter", "year"])
def test_net_worth_ends_with_the_sum_of_all_accounts(freq: Any, bf: BudgetFrame) -> None:
    found = bf.reports.net_worth(freq=freq)
    assert milliunits(found["net"]).iloc[-1] == total(bf.accounts(), "balance")


def test_the_last_balances_are_the_balances_of_the_accounts(bf: BudgetFrame) -> None:
    found = bf.reports.balances()
    last, accounts = found[found["date"] == found["date"].max()], bf.accounts()
    assert sums(last, ["account_id"], "balance") == sums(accounts, ["account_id"], "balance")
    assert set(last["account_id"]) == set(accounts["account_id"])


def test_the_last_values_of_investments_are_balances_of_tracking_accounts(bf: BudgetFrame) -> None:
    found = bf.reports.investments()
    last, accounts = found[found["date"] == found["date"].max()], bf.accounts()
    held = accounts[~accounts["on_budget"] & (accounts["account_type"] == "otherAsset")]
    assert sums(last, ["account_id"], "value") == sums(held, ["account_id"], "balance")


def test_spending_of_a_category_and_month_is_the_activity_of_the_service(bf: BudgetFrame) -> None:
    keys = ["period", "category_group_name", "category_name"]
    plan = bf.month_categories().rename(columns={"month": "period"})
    is_spending = plan["category_group_name"] != "Credit Card Payments"
    is_spending &= ~plan["category_name"].str.startswith("Inflow: ")
    spent = sums(bf.reports.spending(freq="month"), keys, "spent")
    assert {key: -n for key, n in spent.items()} == sums(plan[is_spending], keys, "activity")


def test_income_and_starting_balances_are_the_income_of_the_service(bf: BudgetFrame) -> None:
    months = bf.months().rename(columns={"month": "period"})
    found = bf.reports.income_expense()
    received = pd.concat([
        found[["period", name]].set_axis(["period", "income"], axis=1)
        for name in ("income", "starting_balances")
    ])  # fmt: skip
    assert sums(received, ["period"], "income") == sums(months, ["period"], "income")


def test_income_minus_spending_of_a_month_is_its_change_of_the_balance(bf: BudgetFrame) -> None:
    balances = bf.reports.balances()
    on_budget = balances[balances["on_budget"]].assign(
        amount=lambda rows: milliunits(rows["balance"])
    )
    ends, found = on_budget.groupby("date")["amount"].sum(), bf.reports.income_expense()
    changed = milliunits(found["net"]) + milliunits(found["starting_balances"])
    assert changed.cumsum().tolist() == ends.tolist()


def test_runway_states_the_budget_balance_and_the_spending(bf: BudgetFrame) -> None:
    accounts, last = bf.accounts(), bf.reports.runway(window=30).iloc[-1]
    spent = bf.reports.spending(since="2026-05-19", until="2026-06-17")
    balance = total(accounts[accounts["on_budget"]], "balance")
    assert round(last["balance"] * 1000) == balance
    assert round(last["spent"] * 1000) == total(spent, "spent")
    assert last["days"] == balance * 30 / total(spent, "spent")


# Through a connection

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    **{report.__name__: ((), {}) for report in OF_LEDGER},
    "net_worth": ((), {"freq": "quarter", "debts": "type"}),
    "balances": ((), {"since": "2026-01-01", "currencies": {"Index Fund": "USD"},
                      "rates": pd.DataFrame({"currency": ["USD"], "rate": ["0.9"]})}),
    "income_expense": ((), {"transfers": "none"}),
    "spending": (("payee",), {"freq": "year", "average": "active"}),
    "same_period": (("group",), {"freq": "quarter", "count": 3}),
    "runway": ((), {"window": 30, "exclude_categories": ["Rent"]}),
}  # fmt: skip


def test_a_report_method_equals_the_function_of_its_ledger(subtests: pytest.Subtests) -> None:
    for name, (given, named) in CALLS.items():
        with subtests.test(name=name):
            of = budget(1, "Household")
            found, expected = (
                getattr(of.reports, name)(*given, **named),
                getattr(reports, name)(of.ledger(), *given, **named),
            )
            assert_frame_equal(found, expected)
            assert found.attrs == expected.attrs


def test_within_the_time_to_live_all_ledger_reports_cost_as_much_as_one() -> None:
    service_with_facade = ServiceWithFacade()
    for name in CALLS:
        getattr(service_with_facade.bf.reports, name)()
    service_with_facade.clock.advance(299.9)
    service_with_facade.bf.reports.spending("hashtag", freq="month")
    assert service_with_facade.served == 5
