"""One test for each operation that writes; the books are checked after each write.

The client turns the mappings of these tests into its models before it sends them.
"""

from datetime import date
from typing import Any
from uuid import UUID

import pytest

from .sdk import Json, Sdk, ynab

TODAY = date(2026, 6, 17)


def new_row(sdk: Sdk, **more: object) -> Json:
    return {"account_id": sdk.account("Checking"), "date": TODAY, "amount": -12_340} | more


def make_row(sdk: Sdk, **more: object) -> Any:
    return sdk.write(201, "create_transaction", {"transaction": new_row(sdk, **more)}).transaction


# -- accounts and payees -----------------------------------------------------------------------


def test_create_account(sdk: Sdk) -> None:
    for kind in ynab.SaveAccountType:
        new = {"name": f"Neu {kind.value}", "type": kind, "balance": -250_000}
        account = sdk.write(201, "create_account", {"account": new}).account
        assert (account.name, account.type.value) == (f"Neu {kind.value}", kind.value)
        assert (account.balance, account.cleared_balance) == (-250_000, -250_000), kind
        assert account.transfer_payee_id is not None, kind


def test_create_payee(sdk: Sdk) -> None:
    payee = sdk.write(201, "create_payee", {"payee": {"name": "花屋"}}).payee
    assert (payee.name, payee.transfer_account_id) == ("花屋", None)


def test_update_payee(sdk: Sdk) -> None:
    key = sdk.key("payees", "Weekly Market")
    payee = sdk.write(200, "update_payee", key, {"payee": {"name": "Weekly Market 2"}}).payee
    assert (str(payee.id), payee.name) == (key, "Weekly Market 2")


# -- groups and categories ---------------------------------------------------------------------


def test_create_category_group(sdk: Sdk) -> None:
    group = sdk.write(201, "create_category_group", {"category_group": {"name": "Garten"}})
    assert group.category_group.name == "Garten"


def test_update_category_group(sdk: Sdk) -> None:
    key = sdk.key("groups", "Savings")
    group = sdk.write(200, "update_category_group", key, {"category_group": {"name": "Later"}})
    assert (str(group.category_group.id), group.category_group.name) == (key, "Later")


def test_create_category(sdk: Sdk) -> None:
    new = {"name": "Blumen 🌷", "note": "every week", "goal_target": 20_000}
    new |= {"category_group_id": UUID(sdk.key("groups", "Everyday")), "goal_frequency": "weekly"}
    category = sdk.write(201, "create_category", {"category": new}).category
    assert (category.name, category.note) == ("Blumen 🌷", "every week")
    assert (category.goal_type, category.goal_target, category.goal_cadence) == ("NEED", 20_000, 2)


def test_update_category(sdk: Sdk) -> None:
    change = {"name": "Notebook", "goal_target": 2_000_000, "goal_target_date": date(2027, 1, 31)}
    key = sdk.category("New Laptop")
    category = sdk.write(200, "update_category", key, {"category": change}).category
    assert (category.name, category.goal_type) == ("Notebook", "TB")
    assert (category.goal_target, category.goal_target_date) == (2_000_000, date(2027, 1, 31))


def test_update_month_category(sdk: Sdk) -> None:
    place, body = (date(2026, 6, 1), sdk.category("Fuel")), {"category": {"budgeted": 33_000}}
    category = sdk.write(200, "update_month_category", *place, body).category
    assert category.budgeted == 33_000


# -- transactions ------------------------------------------------------------------------------


def test_create_transaction(sdk: Sdk) -> None:
    parts = [
        {"amount": -2_340, "category_id": sdk.category("Groceries")},
        {"amount": -10_000, "payee_id": sdk.key("payees", "Transfer : Savings")},
    ]
    state = {"cleared": "cleared", "approved": True, "flag_color": "purple", "memo": "für alle"}
    row = make_row(sdk, payee_name="Neuer Laden", subtransactions=parts, **state)
    assert [part.amount for part in row.subtransactions] == [-2_340, -10_000]

    once, twice = new_row(sdk, import_id="one"), new_row(sdk, import_id="two", amount=-1)
    data = sdk.write(201, "create_transaction", {"transactions": [once, twice, once]})
    assert data.duplicate_import_ids == ["one"]
    assert [row.import_id for row in data.transactions or []] == ["one", "two"]
    with pytest.raises(ynab.exceptions.ConflictException):
        sdk.ask("create_transaction", sdk.plan, {"transaction": twice})


def test_update_transaction(sdk: Sdk) -> None:
    row = make_row(sdk, memo="before", amount=-1_230)
    body = {"transaction": {"memo": "after", "approved": True}}
    changed = sdk.write(200, "update_transaction", row.id, body).transaction
    assert (changed.memo, changed.approved, changed.amount) == ("after", True, -1_230)


def test_update_transactions(sdk: Sdk) -> None:
    one, two = make_row(sdk, amount=-3), make_row(sdk, amount=-4, import_id="by import id")
    changes = [{"id": one.id, "amount": -30}, {"import_id": "by import id", "amount": -40}]
    data = sdk.write(200, "update_transactions", {"transactions": changes})
    assert data.transaction_ids == [one.id, two.id]
    assert [row.amount for row in data.transactions or []] == [-30, -40]


def test_delete_transaction(sdk: Sdk) -> None:
    row = make_row(sdk)
    deleted = sdk.write(200, "delete_transaction", row.id).transaction
    assert (deleted.id, deleted.deleted) == (row.id, True)
    with pytest.raises(ynab.exceptions.NotFoundException):
        sdk.ask("get_transaction_by_id", sdk.plan, row.id)


def test_import_transactions(sdk: Sdk) -> None:
    assert len(sdk.write(201, "import_transactions").transaction_ids) == 2
    assert sdk.write(200, "import_transactions").transaction_ids == []
    sdk.sandbox.device.add_bank_row(
        account_id=sdk.account("Savings"), date=TODAY, amount=4_210, payee_name="Zinsen"
    )
    (key,) = sdk.write(201, "import_transactions").transaction_ids
    row = sdk.ask("get_transaction_by_id", sdk.plan, key).data.transaction
    assert (row.amount, row.import_id) == (4_210, "YNAB:4210:2026-06-17:1")


# -- scheduled transactions --------------------------------------------------------------------


def schedule(sdk: Sdk, **more: object) -> Any:
    fields = {"date": date(2026, 6, 30), "amount": -9_900, "payee_name": "Zeitung"}
    fields |= {"account_id": sdk.account("Checking"), "frequency": "monthly"}
    fields |= {"category_id": sdk.category("Books & Music"), **more}
    body = {"scheduled_transaction": fields}
    return sdk.write(201, "create_scheduled_transaction", body).scheduled_transaction


def test_create_scheduled_transaction(sdk: Sdk) -> None:
    for frequency in ynab.ScheduledTransactionFrequency:
        if frequency.value not in ("never", "daily", "weekly", "monthly", "yearly"):
            continue  # the service refuses it
        row = schedule(sdk, frequency=frequency.value, flag_color="green")
        assert (row.frequency, row.payee_name) == (frequency.value, "Zeitung")
        assert (row.date_first, row.date_next) == (date(2026, 6, 30), date(2026, 6, 30)), frequency


def test_update_scheduled_transaction(sdk: Sdk) -> None:
    row = schedule(sdk)
    change = {"date": date(2026, 7, 15), "amount": -12_900, "memo": "new price"}
    body = {"scheduled_transaction": {"account_id": row.account_id, **change}}
    changed = sdk.write(200, "update_scheduled_transaction", str(row.id), body)
    changed = changed.scheduled_transaction
    assert (changed.id, changed.amount, changed.memo) == (row.id, -12_900, "new price")
    assert (changed.date_next, changed.frequency) == (date(2026, 7, 15), "monthly")


def test_delete_scheduled_transaction(sdk: Sdk) -> None:
    row = schedule(sdk)
    deleted = sdk.write(200, "delete_scheduled_transaction", str(row.id)).scheduled_transaction
    assert (deleted.id, deleted.deleted) == (row.id, True)
    with pytest.raises(ynab.exceptions.BadRequestException):
        schedule(sdk, date=TODAY)
