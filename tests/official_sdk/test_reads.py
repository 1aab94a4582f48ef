"""Each operation that reads, in euro and in yen: the models of the client check the responses."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox.state.rows import Budget

from .sdk import Sdk

MAY = date(2026, 5, 1)
LONG_AGO = date(2020, 1, 1)
Arguments = dict[str, Any]


def once(**arguments: Any) -> Callable[[Budget], Iterator[Arguments]]:
    """One request with these arguments."""
    return lambda _budget: iter([arguments])


def with_cursor(**arguments: Any) -> Callable[[Budget], Iterator[Arguments]]:
    """The full list, all rows with the deleted ones, and the last change."""
    return lambda budget: (
        arguments | {"last_knowledge_of_server": cursor} if cursor else arguments
        for cursor in (0, 1, budget.knowledge - 1)
    )


def for_each(table: str, name: str, step: int = 1, **more: Any) -> Callable[[Budget], Any]:
    """One request for every row of a table, or for every row in `step` rows."""
    return lambda budget: (
        {name: row.id} | more for row in list(getattr(budget, table).live())[::step]
    )


READS: dict[str, Callable[[Budget], Iterator[Arguments]]] = {
    "get_plan_by_id": with_cursor(), "get_plan_settings_by_id": once(),
    "get_accounts": with_cursor(), "get_account_by_id": for_each("accounts", "account_id"),
    "get_categories": with_cursor(), "get_category_by_id": for_each("categories", "category_id", 5),
    "get_month_category_by_id": for_each("categories", "category_id", 5, month=MAY),
    "get_payees": with_cursor(), "get_payee_by_id": for_each("payees", "payee_id", 8),
    "get_payee_locations": once(),
    "get_payee_location_by_id": for_each("locations", "payee_location_id"),
    "get_payee_locations_by_payee": for_each("payees", "payee_id", 8),
    "get_plan_months": with_cursor(), "get_plan_month": once(month=MAY),
    "get_money_movements": once(), "get_money_movements_by_month": once(month=MAY),
    "get_money_movement_groups": once(), "get_money_movement_groups_by_month": once(month=MAY),
    "get_transactions": with_cursor(since_date=LONG_AGO),
    "get_transactions_by_account": for_each("accounts", "account_id", since_date=LONG_AGO),
    "get_transactions_by_category": for_each("categories", "category_id", 5),
    "get_transactions_by_payee": for_each("payees", "payee_id", 8),
    "get_transactions_by_month": once(month="2026-05-01"),
    "get_transaction_by_id": for_each("transactions", "transaction_id", 80),
    "get_scheduled_transactions": with_cursor(),
    "get_scheduled_transaction_by_id": for_each("scheduled", "scheduled_transaction_id"),
}  # fmt: skip
"""The arguments of the requests of each operation, besides the plan."""


@pytest.mark.parametrize("index", [0, 1], ids=["euro", "yen"])
@pytest.mark.parametrize("operation", READS)
def test_read(sdk: Sdk, operation: str, index: int) -> None:
    budget = sdk.sandbox.budgets[index].budget
    answers = [
        sdk.ask(operation, budget.id, **arguments).data for arguments in READS[operation](budget)
    ]
    # A response without rows would show nothing.
    assert any(len(str(answer)) > 100 for answer in answers)


def test_get_user(sdk: Sdk) -> None:
    data = sdk.ask("get_user").data
    assert str(data.user.id) == sdk.sandbox.user_id


def test_get_plans(sdk: Sdk) -> None:
    plans = sdk.ask("get_plans").data.plans
    assert [(plan.name, plan.accounts) for plan in plans] == [
        ("Household", None), ("東京の家計", None),
    ]  # fmt: skip
    with_accounts = sdk.ask("get_plans", include_accounts=True).data.plans
    assert [len(plan.accounts) for plan in with_accounts] == [7, 7]


@pytest.mark.parametrize(("kind", "count"), [("uncategorized", 76), ("unapproved", 3)])
def test_types_of_transactions(sdk: Sdk, kind: str, count: int) -> None:
    until = date(2026, 6, 17)
    data = sdk.ask("get_transactions", sdk.plan, type=kind, until_date=until).data
    assert len(data.transactions) == count
