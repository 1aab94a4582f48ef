"""Lists as models: objects from the same answers as the frames."""

import asyncio
from typing import Any

import pytest

from budgetframe import models
from tests.facade.service import ServiceWithFacade, read_only

# The model of each list, and the column of the frame that has its keys.
LISTS: dict[str, tuple[type[Any], str]] = {
    "budgets": (models.BudgetSummary, "budget_id"),
    "accounts": (models.Account, "account_id"),
    "category_groups": (models.CategoryGroupWithCategories, "category_group_id"),
    "payees": (models.Payee, "payee_id"),
    "payee_locations": (models.PayeeLocation, "payee_location_id"),
    "transactions": (models.TransactionDetail, "transaction_id"),
    "scheduled_transactions": (models.ScheduledTransactionDetail, "scheduled_transaction_id"),
}


def test_models_have_the_rows_of_the_frame_and_cost_no_further_request(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    for name, (shape, key) in LISTS.items():
        with subtests.test(name=name):
            frame = getattr(home.bf, name)()
            served, rows = home.served, getattr(home.bf.models, name)()
            assert home.served == served
            assert {type(row) for row in rows} == {shape}
            assert sorted(row.id for row in rows) == sorted(frame[key])


def test_models_of_months_are_those_of_the_frame() -> None:
    bf = read_only()
    found = {month.month: month.budgeted for month in bf.models.months()}
    frame = bf.months()
    days = frame["month"].dt.strftime("%Y-%m-%d")
    assert found == dict(zip(days, frame["budgeted"], strict=True))


def test_models_of_transactions_have_their_parts() -> None:
    bf = read_only()
    parts = [part.id for row in bf.models.transactions() for part in row.subtransactions]
    assert sorted(parts) == sorted(bf.subtransactions()["subtransaction_id"])


def test_aio_models_returns_the_same_models() -> None:
    bf = read_only()
    assert asyncio.run(bf.aio.models.payees()) == bf.models.payees()
    assert {name for name in dir(bf.models) if not name.startswith("_")} == {*LISTS, "months"}
