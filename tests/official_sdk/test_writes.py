"""One test for each operation that writes; the books are checked after each write."""

from datetime import date
from typing import Any
from uuid import UUID

import pytest

from .sdk import Sdk, ynab

TODAY = date(2026, 6, 17)


def new_row(sdk: Sdk, **more: object) -> "ynab.NewTransaction":
    fields: dict[str, object] = {
        "account_id": sdk.account("Checking"),
        "date": TODAY,
        "amount": -12_340,
    }
    return ynab.NewTransaction.model_validate(fields | more)


def make_row(sdk: Sdk, **more: object) -> Any:
    data = sdk.write(
        201, "create_transaction", ynab.PostTransactionsWrapper(transaction=new_row(sdk, **more))
    ).data
    assert data.transaction is not None
    return data.transaction


# -- accounts and payees -----------------------------------------------------------------------


def test_create_account(sdk: Sdk) -> None:
    for kind in ynab.SaveAccountType:
        new = ynab.SaveAccount(name=f"Neu {kind.value}", type=kind, balance=-250_000)
        account = sdk.write(
            201, "create_account", ynab.PostAccountWrapper(account=new)
        ).data.account
        assert (account.name, account.type.value) == (f"Neu {kind.value}", kind.value)
        assert (account.balance, account.cleared_balance) == (-250_000, -250_000), kind
        assert account.transfer_payee_id is not None, kind


def test_create_payee(sdk: Sdk) -> None:
    body = ynab.PostPayeeWrapper(payee=ynab.PostPayee(name="花屋"))
    payee = sdk.write(201, "create_payee", body).data.payee
    assert (payee.name, payee.transfer_account_id) == ("花屋", None)


def test_update_payee(sdk: Sdk) -> None:
    body = ynab.PatchPayeeWrapper(payee=ynab.SavePayee(name="Weekly Market 2"))
    key = sdk.key("payees", "Weekly Market")
    payee = sdk.write(200, "update_payee", key, body).data.payee
    assert (str(payee.id), payee.name) == (key, "Weekly Market 2")


# -- groups and categories ---------------------------------------------------------------------


def test_create_category_group(sdk: Sdk) -> None:
    body = ynab.PostCategoryGroupWrapper(category_group=ynab.SaveCategoryGroup(name="Garten"))
    group = sdk.write(201, "create_category_group", body).data
    assert group.category_group.name == "Garten"


def test_update_category_group(sdk: Sdk) -> None:
    key = sdk.key("groups", "Savings")
    body = ynab.PatchCategoryGroupWrapper(category_group=ynab.SaveCategoryGroup(name="Later"))
    group = sdk.write(200, "update_category_group", key, body).data
    assert (str(group.category_group.id), group.category_group.name) == (key, "Later")


def test_create_category(sdk: Sdk) -> None:
    new = ynab.NewCategory(
        name="Blumen 🌷",
        category_group_id=UUID(sdk.key("groups", "Everyday")),
        note="every week",
        goal_target=20_000,
        goal_frequency="weekly",
    )
    category = sdk.write(
        201, "create_category", ynab.PostCategoryWrapper(category=new)
    ).data.category
    assert (category.name, category.note) == ("Blumen 🌷", "every week")
    assert (category.goal_type, category.goal_target, category.goal_cadence) == ("NEED", 20_000, 2)


def test_update_category(sdk: Sdk) -> None:
    change = ynab.ExistingCategory(
        name="Notebook", goal_target=2_000_000, goal_target_date=date(2027, 1, 31)
    )
    key = sdk.category("New Laptop")
    category = sdk.write(
        200, "update_category", key, ynab.PatchCategoryWrapper(category=change)
    ).data.category
    assert (category.name, category.goal_type) == ("Notebook", "TB")
    assert (category.goal_target, category.goal_target_date) == (2_000_000, date(2027, 1, 31))


def test_update_month_category(sdk: Sdk) -> None:
    body = ynab.PatchMonthCategoryWrapper(category=ynab.SaveMonthCategory(budgeted=33_000))
    category = sdk.write(
        200, "update_month_category", date(2026, 6, 1), sdk.category("Fuel"), body
    ).data.category
    assert category.budgeted == 33_000


# -- transactions ------------------------------------------------------------------------------


def test_create_transaction(sdk: Sdk) -> None:
    split = new_row(
        sdk,
        payee_name="Neuer Laden",
        memo="für alle",
        cleared="cleared",
        approved=True,
        flag_color="purple",
        subtransactions=[
            {"amount": -2_340, "category_id": sdk.category("Groceries")},
            {"amount": -10_000, "payee_id": sdk.key("payees", "Transfer : Savings")},
        ],
    )
    data = sdk.write(
        201, "create_transaction", ynab.PostTransactionsWrapper(transaction=split)
    ).data
    assert data.transaction is not None
    assert [part.amount for part in data.transaction.subtransactions] == [-2_340, -10_000]

    once, twice = new_row(sdk, import_id="one"), new_row(sdk, import_id="two", amount=-1)
    several = ynab.PostTransactionsWrapper(transactions=[once, twice, once])
    data = sdk.write(201, "create_transaction", several).data
    assert data.duplicate_import_ids == ["one"]
    assert [row.import_id for row in data.transactions or []] == ["one", "two"]
    again = ynab.PostTransactionsWrapper(transaction=twice)
    with pytest.raises(ynab.exceptions.ConflictException):
        sdk.ask("create_transaction", sdk.plan, again)


def test_update_transaction(sdk: Sdk) -> None:
    row = make_row(sdk, memo="before", amount=-1_230)
    body = ynab.PutTransactionWrapper(
        transaction=ynab.ExistingTransaction(memo="after", approved=True)
    )
    changed = sdk.write(200, "update_transaction", row.id, body).data.transaction
    assert (changed.memo, changed.approved, changed.amount) == ("after", True, -1_230)


def test_update_transactions(sdk: Sdk) -> None:
    one, two = make_row(sdk, amount=-3), make_row(sdk, amount=-4, import_id="by import id")
    body = ynab.PatchTransactionsWrapper(
        transactions=[
            ynab.SaveTransactionWithIdOrImportId(id=one.id, amount=-30),
            ynab.SaveTransactionWithIdOrImportId(import_id="by import id", amount=-40),
        ]
    )
    data = sdk.write(200, "update_transactions", body).data
    assert data.transaction_ids == [one.id, two.id]
    assert [row.amount for row in data.transactions or []] == [-30, -40]


def test_delete_transaction(sdk: Sdk) -> None:
    row = make_row(sdk)
    deleted = sdk.write(200, "delete_transaction", row.id).data
    assert (deleted.transaction.id, deleted.transaction.deleted) == (row.id, True)
    with pytest.raises(ynab.exceptions.NotFoundException):
        sdk.ask("get_transaction_by_id", sdk.plan, row.id)


def test_import_transactions(sdk: Sdk) -> None:
    imported = sdk.write(201, "import_transactions")
    assert len(imported.data.transaction_ids) == 2
    nothing = sdk.write(200, "import_transactions")
    assert nothing.data.transaction_ids == []
    sdk.sandbox.device.add_bank_row(
        account_id=sdk.account("Savings"), date=TODAY, amount=4_210, payee_name="Zinsen"
    )
    data = sdk.write(201, "import_transactions").data
    (key,) = data.transaction_ids
    row = sdk.ask("get_transaction_by_id", sdk.plan, key).data.transaction
    assert (row.amount, row.import_id) == (4_210, "YNAB:4210:2026-06-17:1")


# -- scheduled transactions --------------------------------------------------------------------


def schedule(sdk: Sdk, **more: object) -> Any:
    fields = {
        "account_id": sdk.account("Checking"),
        "date": date(2026, 6, 30),
        "amount": -9_900,
        "payee_name": "Zeitung",
        "category_id": sdk.category("Books & Music"),
        "frequency": "monthly",
    }
    new = ynab.SaveScheduledTransaction.model_validate(fields | more)
    return sdk.write(
        201,
        "create_scheduled_transaction",
        ynab.PostScheduledTransactionWrapper(scheduled_transaction=new),
    ).data.scheduled_transaction


def test_create_scheduled_transaction(sdk: Sdk) -> None:
    for frequency in ynab.ScheduledTransactionFrequency:
        if frequency.value not in ("never", "daily", "weekly", "monthly", "yearly"):
            continue  # the service refuses it
        row = schedule(sdk, frequency=frequency.value, flag_color="green")
        assert (row.frequency, row.payee_name) == (frequency.value, "Zeitung")
        assert (row.date_first, row.date_next) == (date(2026, 6, 30), date(2026, 6, 30)), frequency


def test_update_scheduled_transaction(sdk: Sdk) -> None:
    row = schedule(sdk)
    change = ynab.SaveScheduledTransaction.model_validate(
        {
            "account_id": row.account_id,
            "date": date(2026, 7, 15),
            "amount": -12_900,
            "memo": "new price",
        }
    )
    changed = sdk.write(
        200,
        "update_scheduled_transaction",
        str(row.id),
        ynab.PutScheduledTransactionWrapper(scheduled_transaction=change),
    ).data.scheduled_transaction
    assert (changed.id, changed.amount, changed.memo) == (row.id, -12_900, "new price")
    assert (changed.date_next, changed.frequency) == (date(2026, 7, 15), "monthly")


def test_delete_scheduled_transaction(sdk: Sdk) -> None:
    row = schedule(sdk)
    deleted = sdk.write(200, "delete_scheduled_transaction", str(row.id)).data.scheduled_transaction
    assert (deleted.id, deleted.deleted) == (row.id, True)
    with pytest.raises(ynab.exceptions.BadRequestException):
        schedule(sdk, date=TODAY)
