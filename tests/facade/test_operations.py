"""Every operation of the published description can be called with a method of the facade."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import check_books
from tests.facade.service import ServiceWithFacade
from tests.official_sdk.sdk import operations


class Keys(NamedTuple):
    """Keys of rows of the service."""

    account: str
    category: str
    group: str
    payee: str
    location: str
    transaction: str
    schedule: str


class Operation(NamedTuple):
    """Method and path of an operation, and the call that sends it."""

    request: str
    call: Callable[[BudgetFrame, Keys], Any]


_BUDGET = "/v1/budgets/{budget}"
_CATEGORY_IN_MAY = f"{_BUDGET}/months/2026-05-01/categories/{{category}}"
_SCHEDULE = f"{_BUDGET}/scheduled_transactions/{{schedule}}"
_TRANSACTION = f"{_BUDGET}/transactions/{{transaction}}"
_ROW = {"date": "2026-06-16", "amount": -4.5}
_NEXT = {"date_next": "2026-07-01", "amount": -4.5}


OPERATIONS = {  # by the operation ids of the published description
    "get_user": Operation("GET /v1/user", lambda bf, _: bf.user()),
    "get_plans": Operation("GET /v1/budgets", lambda bf, _: bf.budgets()),
    "get_plan_by_id": Operation(f"GET {_BUDGET}", lambda bf, _: bf.export()),
    "get_plan_settings_by_id": Operation(f"GET {_BUDGET}/settings", lambda bf, _: bf.settings()),
    "get_accounts": Operation(f"GET {_BUDGET}/accounts", lambda bf, _: bf.accounts()),
    "create_account": Operation(
        f"POST {_BUDGET}/accounts", lambda bf, _: bf.create_account("Travel", "cash", 50.0)
    ),
    "get_account_by_id": Operation(
        f"GET {_BUDGET}/accounts/{{account}}", lambda bf, keys: bf.account(keys.account)
    ),
    "get_categories": Operation(f"GET {_BUDGET}/categories", lambda bf, _: bf.categories()),
    "create_category": Operation(
        f"POST {_BUDGET}/categories", lambda bf, keys: bf.create_category("Tools", keys.group)
    ),
    "get_category_by_id": Operation(
        f"GET {_BUDGET}/categories/{{category}}", lambda bf, keys: bf.category(keys.category)
    ),
    "update_category": Operation(
        f"PATCH {_BUDGET}/categories/{{category}}",
        lambda bf, keys: bf.update_category(keys.category, note="checked"),
    ),
    "get_month_category_by_id": Operation(
        f"GET {_CATEGORY_IN_MAY}", lambda bf, keys: bf.category(keys.category, "2026-05")
    ),
    "update_month_category": Operation(
        f"PATCH {_CATEGORY_IN_MAY}", lambda bf, keys: bf.assign("2026-05", keys.category, 12.34)
    ),
    "create_category_group": Operation(
        f"POST {_BUDGET}/category_groups", lambda bf, _: bf.create_category_group("Garden")
    ),
    "update_category_group": Operation(
        f"PATCH {_BUDGET}/category_groups/{{group}}",
        lambda bf, keys: bf.rename_category_group(keys.group, "Daily"),
    ),
    "get_payees": Operation(f"GET {_BUDGET}/payees", lambda bf, _: bf.payees()),
    "create_payee": Operation(f"POST {_BUDGET}/payees", lambda bf, _: bf.create_payee("Baker")),
    "get_payee_by_id": Operation(
        f"GET {_BUDGET}/payees/{{payee}}", lambda bf, keys: bf.payee(keys.payee)
    ),
    "update_payee": Operation(
        f"PATCH {_BUDGET}/payees/{{payee}}", lambda bf, keys: bf.rename_payee(keys.payee, "Market")
    ),
    "get_payee_locations": Operation(
        f"GET {_BUDGET}/payee_locations", lambda bf, _: bf.payee_locations()
    ),
    "get_payee_location_by_id": Operation(
        f"GET {_BUDGET}/payee_locations/{{location}}",
        lambda bf, keys: bf.payee_location(keys.location),
    ),
    "get_payee_locations_by_payee": Operation(
        f"GET {_BUDGET}/payees/{{payee}}/payee_locations",
        lambda bf, keys: bf.payee_locations(keys.payee),
    ),
    "get_plan_months": Operation(f"GET {_BUDGET}/months", lambda bf, _: bf.months()),
    "get_plan_month": Operation(
        f"GET {_BUDGET}/months/2026-05-01", lambda bf, _: bf.month("2026-05")
    ),
    "get_money_movements": Operation(
        f"GET {_BUDGET}/money_movements", lambda bf, _: bf.money_movements()
    ),
    "get_money_movements_by_month": Operation(
        f"GET {_BUDGET}/months/2026-05-01/money_movements",
        lambda bf, _: bf.money_movements("2026-05"),
    ),
    "get_money_movement_groups": Operation(
        f"GET {_BUDGET}/money_movement_groups", lambda bf, _: bf.money_movement_groups()
    ),
    "get_money_movement_groups_by_month": Operation(
        f"GET {_BUDGET}/months/2026-05-01/money_movement_groups",
        lambda bf, _: bf.money_movement_groups("2026-05"),
    ),
    "get_transactions": Operation(f"GET {_BUDGET}/transactions", lambda bf, _: bf.transactions()),
    "create_transaction": Operation(
        f"POST {_BUDGET}/transactions",
        lambda bf, keys: bf.create_transactions([_ROW | {"account_id": keys.account}]),
    ),
    "update_transactions": Operation(
        f"PATCH {_BUDGET}/transactions",
        lambda bf, keys: bf.update_transactions(
            [{"transaction_id": keys.transaction, "memo": "checked"}]
        ),
    ),
    "import_transactions": Operation(
        f"POST {_BUDGET}/transactions/import", lambda bf, _: bf.import_linked()
    ),
    "get_transaction_by_id": Operation(
        f"GET {_TRANSACTION}", lambda bf, keys: bf.transaction(keys.transaction)
    ),
    "update_transaction": Operation(
        f"PUT {_TRANSACTION}", lambda bf, keys: bf.update_transaction(keys.transaction, memo="x")
    ),
    "get_transactions_by_account": Operation(
        f"GET {_BUDGET}/accounts/{{account}}/transactions",
        lambda bf, keys: bf.transactions_of_account(keys.account),
    ),
    "get_transactions_by_category": Operation(
        f"GET {_BUDGET}/categories/{{category}}/transactions",
        lambda bf, keys: bf.transactions_of_category(keys.category),
    ),
    "get_transactions_by_payee": Operation(
        f"GET {_BUDGET}/payees/{{payee}}/transactions",
        lambda bf, keys: bf.transactions_of_payee(keys.payee),
    ),
    "get_transactions_by_month": Operation(
        f"GET {_BUDGET}/months/2026-05-01/transactions",
        lambda bf, _: bf.transactions_of_month("2026-05"),
    ),
    "delete_transaction": Operation(
        f"DELETE {_TRANSACTION}", lambda bf, keys: bf.delete_transactions(keys.transaction)
    ),
    "get_scheduled_transactions": Operation(
        f"GET {_BUDGET}/scheduled_transactions", lambda bf, _: bf.scheduled_transactions()
    ),
    "create_scheduled_transaction": Operation(
        f"POST {_BUDGET}/scheduled_transactions",
        lambda bf, keys: bf.create_scheduled_transactions([_NEXT | {"account_id": keys.account}]),
    ),
    "get_scheduled_transaction_by_id": Operation(
        f"GET {_SCHEDULE}", lambda bf, keys: bf.scheduled_transaction(keys.schedule)
    ),
    "update_scheduled_transaction": Operation(
        f"PUT {_SCHEDULE}",
        lambda bf, keys: bf.update_scheduled_transactions(
            [{"scheduled_transaction_id": keys.schedule, "memo": "checked"}]
        ),
    ),
    "delete_scheduled_transaction": Operation(
        f"DELETE {_SCHEDULE}", lambda bf, keys: bf.delete_scheduled_transactions(keys.schedule)
    ),
}
# Requests that a call sends besides its operation.
MORE = {
    "import_transactions": [f"GET {_BUDGET}/transactions"],  # the imported rows
    # the present rows
    "update_transactions": [f"GET {_BUDGET}/transactions"],
    "delete_transaction": [f"GET {_BUDGET}/transactions"],
    "update_scheduled_transaction": [f"GET {_BUDGET}/scheduled_transactions"],
    "delete_scheduled_transaction": [f"GET {_BUDGET}/scheduled_transactions"],
}


def keys_in(home: ServiceWithFacade) -> Keys:
    """The keys of the category Groceries and of the last rows."""
    state = home.service.device.state()
    category = next(row for row in state.categories.live() if row.name == "Groceries")
    transaction = list(state.transactions.live())[-1]
    location = list(state.locations.live())[-1]
    schedule = list(state.scheduled.live())[-1]
    return Keys(
        transaction.account_id,
        category.id,
        category.group_id,
        location.payee_id,
        location.id,
        transaction.id,
        schedule.id,
    )


def test_the_table_has_every_operation_of_the_official_client() -> None:
    assert OPERATIONS.keys() == operations().keys()
    assert len(OPERATIONS) == 44
    assert len({operation.request for operation in OPERATIONS.values()}) == 44


def test_every_operation_is_a_method_that_sends_its_method_and_path(
    subtests: pytest.Subtests,
) -> None:
    home = ServiceWithFacade(limit=1_000, ttl=0.0)
    bf, wire = home.bf, home.wire
    keys = keys_in(home)
    budget = home.service.device.state().id
    bf.settings()  # chooses the budget
    for name, operation in OPERATIONS.items():
        with subtests.test(name=name):
            before, served = len(wire.paths), home.served
            operation.call(bf, keys)
            expected = [operation.request, *MORE.get(name, [])]
            filled = [each.format(budget=budget, **keys._asdict()) for each in expected]
            assert sorted(wire.paths[before:]) == sorted(filled)
            assert home.served == served + len(filled)
    check_books(home.service)
