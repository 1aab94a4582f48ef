"""Every operation of the published description can be called with a method of the facade."""

import json
from string import Template
from typing import Any

import pytest

from tests.facade.service import ServiceWithFacade
from tests.official_sdk.sdk import operations
from tests.sandbox.audit import check_books

_ROW = {"date": "2026-06-16", "amount": -4.5, "account_id": "$account"}
_NEXT = {"date_next": "2026-07-01", "amount": -4.5, "account_id": "$account"}
_TRANSACTION = {"transaction_id": "$transaction", "memo": "checked"}
_SCHEDULE = {"scheduled_transaction_id": "$schedule", "memo": "checked"}


# The request of each operation, the method that sends it, and the arguments of the method (those
# with names are a mapping), by the operation ids of the published description. A path without a
# slash at its beginning is one of the budget.
OPERATIONS: dict[str, tuple[Any, ...]] = {
    "get_user": ("GET /v1/user", "user"),
    "get_plans": ("GET /v1/budgets", "budgets"),
    "get_plan_by_id": ("GET /v1/budgets/$budget", "export"),
    "get_plan_settings_by_id": ("GET settings", "settings"),
    "get_accounts": ("GET accounts", "accounts"),
    "create_account": ("POST accounts", "create_account", "Travel", "cash", 50.0),
    "get_account_by_id": ("GET accounts/$account", "account", "$account"),
    "get_categories": ("GET categories", "categories"),
    "create_category": ("POST categories", "create_category", "Tools", "$group"),
    "get_category_by_id": ("GET categories/$category", "category", "$category"),
    "update_category": (
        "PATCH categories/$category", "update_category", "$category", {"note": "checked"}),
    "get_month_category_by_id": (
        "GET $may/categories/$category", "category", "$category", "2026-05"),
    "update_month_category": (
        "PATCH $may/categories/$category", "assign", "2026-05", "$category", 12.34),
    "create_category_group": ("POST category_groups", "create_category_group", "Garden"),
    "update_category_group": (
        "PATCH category_groups/$group", "rename_category_group", "$group", "Daily"),
    "get_payees": ("GET payees", "payees"),
    "create_payee": ("POST payees", "create_payee", "Baker"),
    "get_payee_by_id": ("GET payees/$payee", "payee", "$payee"),
    "update_payee": ("PATCH payees/$payee", "rename_payee", "$payee", "Market"),
    "get_payee_locations": ("GET payee_locations", "payee_locations"),
    "get_payee_location_by_id": ("GET payee_locations/$location", "payee_location", "$location"),
    "get_payee_locations_by_payee": (
        "GET payees/$payee/payee_locations", "payee_locations", "$payee"),
    "get_plan_months": ("GET months", "months"),
    "get_plan_month": ("GET $may", "month", "2026-05"),
    "get_money_movements": ("GET money_movements", "money_movements"),
    "get_money_movements_by_month": ("GET $may/money_movements", "money_movements", "2026-05"),
    "get_money_movement_groups": ("GET money_movement_groups", "money_movement_groups"),
    "get_money_movement_groups_by_month": (
        "GET $may/money_movement_groups", "money_movement_groups", "2026-05"),
    "get_transactions": ("GET transactions", "transactions"),
    "create_transaction": ("POST transactions", "create_transactions", [_ROW]),
    "update_transactions": ("PATCH transactions", "update_transactions", [_TRANSACTION]),
    "import_transactions": ("POST transactions/import", "import_linked"),
    "get_transaction_by_id": ("GET transactions/$transaction", "transaction", "$transaction"),
    "update_transaction": (
        "PATCH transactions", "update_transaction", "$transaction", {"memo": "x"}),
    "get_transactions_by_account": (
        "GET accounts/$account/transactions", "transactions_of_account", "$account"),
    "get_transactions_by_category": (
        "GET categories/$category/transactions", "transactions_of_category", "$category"),
    "get_transactions_by_payee": (
        "GET payees/$payee/transactions", "transactions_of_payee", "$payee"),
    "get_transactions_by_month": ("GET $may/transactions", "transactions_of_month", "2026-05"),
    "delete_transaction": (
        "DELETE transactions/$transaction", "delete_transactions", "$transaction"),
    "get_scheduled_transactions": ("GET scheduled_transactions", "scheduled_transactions"),
    "create_scheduled_transaction": (
        "POST scheduled_transactions", "create_scheduled_transactions", [_NEXT]),
    "get_scheduled_transaction_by_id": (
        "GET scheduled_transactions/$schedule", "scheduled_transaction", "$schedule"),
    "update_scheduled_transaction": (
        "PUT scheduled_transactions/$schedule", "update_scheduled_transactions", [_SCHEDULE]),
    "delete_scheduled_transaction": (
        "DELETE scheduled_transactions/$schedule", "delete_scheduled_transactions", "$schedule"),
}  # fmt: skip


def keys_in(home: ServiceWithFacade) -> dict[str, str]:
    """The keys of the budget, of the category Groceries and of the last rows."""
    state = home.service.device.state()
    category = next(row for row in state.categories.live() if row.name == "Groceries")
    transaction = list(state.transactions.live())[-1]
    location = list(state.locations.live())[-1]
    schedule = list(state.scheduled.live())[-1]
    return {
        "budget": state.id, "account": transaction.account_id, "category": category.id,
        "group": category.group_id, "payee": location.payee_id, "location": location.id,
        "transaction": transaction.id, "schedule": schedule.id, "may": "months/2026-05-01",
    }  # fmt: skip


def test_the_table_has_every_operation_of_the_official_client() -> None:
    assert OPERATIONS.keys() == operations().keys()
    assert len(OPERATIONS) == 44
    # bf.update_transaction sends the request of bf.update_transactions.
    assert len({request for request, *_ in OPERATIONS.values()}) == 43


def test_each_operation_is_a_method_that_sends_its_path(subtests: pytest.Subtests) -> None:
    home = ServiceWithFacade(limit=1_000, ttl=0.0)
    bf, wire = home.bf, home.wire
    keys = keys_in(home)
    bf.settings()  # chooses the budget
    for name, operation in OPERATIONS.items():
        request, method, *arguments = json.loads(Template(json.dumps(operation)).substitute(keys))
        fields = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        with subtests.test(name=name):
            before = len(wire.paths)
            getattr(bf, method)(*arguments, **fields)
            path = request if " /" in request else request.replace(" ", f" {home.path}/")
            sent = wire.paths[before:]
            assert path in sent
            # A write reads what is there, and the import what it has added.
            assert len(sent) <= (1 if request.startswith("GET") else 2)
    check_books(home.service)
