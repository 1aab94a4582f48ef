"""Every operation of the published description can be called with a method of the facade."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from budgetframe import BudgetFrame
from tests.facade.service import ServiceWithFacade
from tests.official_sdk.sdk import operations
from tests.sandbox.audit import check_books


class Keys(NamedTuple):
    """Keys of rows of the service."""

    account: str
    category: str
    group: str
    payee: str
    location: str
    transaction: str
    schedule: str


_ROW = {"date": "2026-06-16", "amount": -4.5}
_NEXT = {"date_next": "2026-07-01", "amount": -4.5}


# The method and the path of each operation, and the call that sends it, by the operation ids of the
# published description. A path without a slash at its beginning is one of the budget.
OPERATIONS: dict[str, tuple[str, Callable[[BudgetFrame, Keys], Any]]] = {
    "get_user": ("GET /v1/user", lambda bf, _: bf.user()),
    "get_plans": ("GET /v1/budgets", lambda bf, _: bf.budgets()),
    "get_plan_by_id": ("GET /v1/budgets/{budget}", lambda bf, _: bf.export()),
    "get_plan_settings_by_id": ("GET settings", lambda bf, _: bf.settings()),
    "get_accounts": ("GET accounts", lambda bf, _: bf.accounts()),
    "create_account": ("POST accounts", lambda bf, _: bf.create_account("Travel", "cash", 50.0)),
    "get_account_by_id": ("GET accounts/{account}", lambda bf, of: bf.account(of.account)),
    "get_categories": ("GET categories", lambda bf, _: bf.categories()),
    "create_category": ("POST categories", lambda bf, of: bf.create_category("Tools", of.group)),
    "get_category_by_id": ("GET categories/{category}", lambda bf, of: bf.category(of.category)),
    "update_category": (
        "PATCH categories/{category}",
        lambda bf, of: bf.update_category(of.category, note="checked"),
    ),
    "get_month_category_by_id": (
        "GET months/2026-05-01/categories/{category}",
        lambda bf, of: bf.category(of.category, "2026-05"),
    ),
    "update_month_category": (
        "PATCH months/2026-05-01/categories/{category}",
        lambda bf, of: bf.assign("2026-05", of.category, 12.34),
    ),
    "create_category_group": (
        "POST category_groups",
        lambda bf, _: bf.create_category_group("Garden"),
    ),
    "update_category_group": (
        "PATCH category_groups/{group}",
        lambda bf, of: bf.rename_category_group(of.group, "Daily"),
    ),
    "get_payees": ("GET payees", lambda bf, _: bf.payees()),
    "create_payee": ("POST payees", lambda bf, _: bf.create_payee("Baker")),
    "get_payee_by_id": ("GET payees/{payee}", lambda bf, of: bf.payee(of.payee)),
    "update_payee": ("PATCH payees/{payee}", lambda bf, of: bf.rename_payee(of.payee, "Market")),
    "get_payee_locations": ("GET payee_locations", lambda bf, _: bf.payee_locations()),
    "get_payee_location_by_id": (
        "GET payee_locations/{location}",
        lambda bf, of: bf.payee_location(of.location),
    ),
    "get_payee_locations_by_payee": (
        "GET payees/{payee}/payee_locations",
        lambda bf, of: bf.payee_locations(of.payee),
    ),
    "get_plan_months": ("GET months", lambda bf, _: bf.months()),
    "get_plan_month": ("GET months/2026-05-01", lambda bf, _: bf.month("2026-05")),
    "get_money_movements": ("GET money_movements", lambda bf, _: bf.money_movements()),
    "get_money_movements_by_month": (
        "GET months/2026-05-01/money_movements",
        lambda bf, _: bf.money_movements("2026-05"),
    ),
    "get_money_movement_groups": (
        "GET money_movement_groups",
        lambda bf, _: bf.money_movement_groups(),
    ),
    "get_money_movement_groups_by_month": (
        "GET months/2026-05-01/money_movement_groups",
        lambda bf, _: bf.money_movement_groups("2026-05"),
    ),
    "get_transactions": ("GET transactions", lambda bf, _: bf.transactions()),
    "create_transaction": (
        "POST transactions",
        lambda bf, of: bf.create_transactions([_ROW | {"account_id": of.account}]),
    ),
    "update_transactions": (
        "PATCH transactions",
        lambda bf, of: bf.update_transactions(
            [{"transaction_id": of.transaction, "memo": "checked"}]
        ),
    ),
    "import_transactions": ("POST transactions/import", lambda bf, _: bf.import_linked()),
    "get_transaction_by_id": (
        "GET transactions/{transaction}",
        lambda bf, of: bf.transaction(of.transaction),
    ),
    "update_transaction": (
        "PATCH transactions",
        lambda bf, of: bf.update_transaction(of.transaction, memo="x"),
    ),
    "get_transactions_by_account": (
        "GET accounts/{account}/transactions",
        lambda bf, of: bf.transactions_of_account(of.account),
    ),
    "get_transactions_by_category": (
        "GET categories/{category}/transactions",
        lambda bf, of: bf.transactions_of_category(of.category),
    ),
    "get_transactions_by_payee": (
        "GET payees/{payee}/transactions",
        lambda bf, of: bf.transactions_of_payee(of.payee),
    ),
    "get_transactions_by_month": (
        "GET months/2026-05-01/transactions",
        lambda bf, _: bf.transactions_of_month("2026-05"),
    ),
    "delete_transaction": (
        "DELETE transactions/{transaction}",
        lambda bf, of: bf.delete_transactions(of.transaction),
    ),
    "get_scheduled_transactions": (
        "GET scheduled_transactions",
        lambda bf, _: bf.scheduled_transactions(),
    ),
    "create_scheduled_transaction": (
        "POST scheduled_transactions",
        lambda bf, of: bf.create_scheduled_transactions([_NEXT | {"account_id": of.account}]),
    ),
    "get_scheduled_transaction_by_id": (
        "GET scheduled_transactions/{schedule}",
        lambda bf, of: bf.scheduled_transaction(of.schedule),
    ),
    "update_scheduled_transaction": (
        "PUT scheduled_transactions/{schedule}",
        lambda bf, of: bf.update_scheduled_transactions(
            [{"scheduled_transaction_id": of.schedule, "memo": "checked"}]
        ),
    ),
    "delete_scheduled_transaction": (
        "DELETE scheduled_transactions/{schedule}",
        lambda bf, of: bf.delete_scheduled_transactions(of.schedule),
    ),
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
    # bf.update_transaction sends the request of bf.update_transactions.
    assert len({request for request, _ in OPERATIONS.values()}) == 43


def test_each_operation_is_a_method_that_sends_its_path(subtests: pytest.Subtests) -> None:
    home = ServiceWithFacade(limit=1_000, ttl=0.0)
    bf, wire = home.bf, home.wire
    keys = keys_in(home)
    budget = home.service.device.state().id
    bf.settings()  # chooses the budget
    for name, (request, call) in OPERATIONS.items():
        with subtests.test(name=name):
            before = len(wire.paths)
            call(bf, keys)
            path = request if " /" in request else request.replace(" ", " /v1/budgets/{budget}/")
            sent = wire.paths[before:]
            assert path.format(budget=budget, **keys._asdict()) in sent
            # A write reads what is there, and the import what it has added.
            assert len(sent) <= (1 if request.startswith("GET") else 2)
    check_books(home.service)
