"""A budget of which a split was deleted stays in the lake, and is read in full at most once."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd

from budgetframe.lake import Lake
from budgetframe.sandbox import NewPart
from budgetframe.sandbox.state.rows import Category
from tests.lake.service import EURO, YEN, Service

KNOWN = "the service counts other rows: 1 of"


def category(service: Service, budget: str = EURO) -> Category:
    """A category without transactions."""
    rows = service.budget(budget).categories.live()
    return next(row for row in rows if row.name in {"New Laptop", "Neuer Laptop"})


def add_split(service: Service) -> str:
    """Add a split of 30.00, of which 10.00 are in the category; return its key."""
    budget = service.budget(EURO)
    account = next(row for row in budget.accounts.live() if row.name == "Checking")
    parts = [
        NewPart(amount=-10_000, category_id=category(service).id),
        NewPart(amount=-20_000, payee_id=wallet(service)),
    ]
    return service.sandbox.device.add_transaction(
        account_id=account.id, date=date(2026, 5, 20), amount=-30_000, parts=parts, budget=EURO
    )


def wallet(service: Service) -> str:
    """The payee of transfers to the wallet."""
    rows = service.budget(EURO).accounts.live()
    return next(row for row in rows if row.name == "Wallet").transfer_payee_id


def delete(service: Service, key: str) -> None:
    service.sandbox.device.delete_transaction(key, budget=EURO)


def sync(lake: Lake, service: Service) -> pd.Series[Any]:
    """The row about the budget."""
    result = lake.sync([service.source()]).set_index("budget_name")
    assert result.loc[YEN, "status"] == "ok"
    row: Any = result.loc[EURO]
    assert isinstance(row, pd.Series)
    return row


def test_a_split_that_the_lake_had_explains_the_difference(service: Service, lake: Lake) -> None:
    key = add_split(service)
    sync(lake, service)
    delete(service, key)
    for _ in range(2):
        row = sync(lake, service)
        assert (row["status"], row["reason"], row["requests"]) == ("ok", "", 1)
        service.spend(-4.5)
    assert key not in lake.frame("ledger", budget=EURO)["transaction_id"].tolist()


def test_a_split_that_was_made_and_deleted_between_two_syncs_explains_the_difference(
    service: Service, lake: Lake
) -> None:
    delete(service, add_split(service))
    row = sync(lake, service)
    assert (row["status"], row["reason"], row["requests"]) == ("ok", "", 1)


def test_a_deletion_the_lake_has_not_seen_fails_nothing(service: Service, new_lake: Lake) -> None:
    delete(service, add_split(service))
    row = sync(new_lake, service)
    assert (row["status"], row["requests"]) == ("ok", 1)
    assert row["reason"].startswith(KNOWN)
    assert row["reason"].endswith("by 10.00")
    service.spend(-4.5)
    row = sync(new_lake, service)  # the difference is known: no full read
    assert (row["status"], row["requests"]) == ("ok", 1)
    assert row["reason"].startswith(KNOWN)


def test_a_new_difference_causes_one_full_read(service: Service, lake: Lake) -> None:
    budget = service.budget(EURO)
    month = budget.category_months[category(service).id][2026 * 12 + 4]
    month.activity += 5_000
    month.stamp = budget.knowledge + 1
    service.spend(-4.5)
    for requests in (2, 1):
        row = sync(lake, service)
        assert (row["status"], row["requests"]) == ("ok", requests)
        assert row["reason"].startswith(KNOWN)
        service.spend(-4.5)


def test_an_account_and_a_category_that_differ_are_invalid(service: Service, lake: Lake) -> None:
    service.spend(-4.5)
    budget = service.budget(EURO)
    account = next(row for row in budget.accounts.live() if row.name == "Checking")
    account.cleared_balance += 10
    budget.accounts.put(account, budget.knowledge)
    budget.category_months[category(service).id][2026 * 12 + 4].activity += 5_000
    row = sync(lake, service)
    assert (row["status"], row["requests"]) == ("invalid", 2)
    assert "does not agree with its own figures" in row["reason"]
