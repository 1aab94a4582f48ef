"""What is served from kept bytes is what would be written anew."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox.ask import Ids, get, send, write

Json = dict[str, Any]
TRANSACTIONS = "/budgets/last-used/transactions"
LISTS = [
    "/{spelling}/last-used",
    "/{spelling}/last-used?last_knowledge_of_server=40",
    "/{spelling}/last-used/transactions",
    "/{spelling}/last-used/transactions?since_date=2000-01-01",
    "/{spelling}/last-used/transactions?type=unapproved",
    "/{spelling}/last-used/transactions?last_knowledge_of_server=40",
    "/{spelling}/last-used/months/2026-05-01/transactions",
    "/{spelling}/last-used/accounts/{account}/transactions",
    "/{spelling}/last-used/categories/{category}/transactions?since_date=2000-01-01",
    "/{spelling}/last-used/payees/{payee}/transactions?since_date=2000-01-01",
]


def purchase(sandbox: Sandbox, **more: Any) -> str:
    ids = Ids(sandbox)
    return sandbox.device.add_transaction(
        account_id=ids.account("Checking"),
        date=date(2026, 6, 1),
        amount=-10_000,
        payee_name="Corner Market",
        **more,
    )


def with_purchases() -> tuple[Sandbox, str, str]:
    """A sandbox with a row and a split of which the rest of a test knows the ids."""
    sandbox = Sandbox(budgets=1, years=1, limit=100_000)
    groceries = Ids(sandbox).category("Everyday", "Groceries")
    row = purchase(sandbox, category_id=groceries)
    parts = [NewPart(amount=-4_000, category_id=groceries), NewPart(amount=-6_000)]
    return sandbox, row, purchase(sandbox, parts=parts)


def change_memo(sandbox: Sandbox, row: str, split: str) -> None:
    sandbox.device.edit_transaction(row, memo="edited")
    sandbox.device.edit_transaction(split, memo="edited too")


def make_a_split(sandbox: Sandbox, row: str, _split: str) -> None:
    body = {"transaction": {"subtransactions": [{"amount": -9_000}, {"amount": -1_000}]}}
    write(sandbox, "PUT", f"{TRANSACTIONS}/{row}", body)


def make_a_transfer(sandbox: Sandbox, row: str, _split: str) -> None:
    sandbox.device.edit_transaction(row, payee_id=Ids(sandbox).transfer_to("Savings"))


def delete(sandbox: Sandbox, row: str, split: str) -> None:
    sandbox.device.delete_transaction(row)
    write(sandbox, "DELETE", f"{TRANSACTIONS}/{split}", None)


def rename_the_payee(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.device.rename_payee(Ids(sandbox).payee("Corner Market"), "Eckladen")


def rename_the_category(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.device.rename_category(Ids(sandbox).category("Everyday", "Groceries"), "Lebensmittel")


def rename_the_account(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.device.rename_account(Ids(sandbox).account("Checking"), "Giro")


def move_on(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.advance(45)


CHANGES = [
    change_memo,
    make_a_split,
    make_a_transfer,
    delete,
    rename_the_payee,
    rename_the_category,
    rename_the_account,
    move_on,
]


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change_every_list_is_as_if_written_for_the_first_time(change: Any) -> None:
    read_before, read_after = with_purchases(), with_purchases()
    ids = Ids(read_before[0])
    paths = [
        path.format(
            spelling=spelling,
            account=ids.account("Checking"),
            category=ids.category("Everyday", "Groceries"),
            payee=ids.payee("Corner Market"),
        )
        for path, spelling in itertools.product(LISTS, ("budgets", "plans"))
    ]
    for path in paths:
        assert send(read_before[0], "GET", path).status_code == 200
    change(*read_before)
    change(*read_after)
    # In another order: no list may depend on what was asked for before it.
    anew = {path: send(read_after[0], "GET", path).content for path in reversed(paths)}
    assert {path: send(read_before[0], "GET", path).content for path in paths} == anew


def test_a_renamed_payee_shows_in_a_row_that_was_served_before() -> None:
    sandbox, row, _ = with_purchases()

    def name() -> str:
        rows = get(sandbox, TRANSACTIONS)["transactions"]
        return next(str(each["payee_name"]) for each in rows if each["id"] == row)

    assert name() == "Corner Market"
    rename_the_payee(sandbox, row, "")
    assert name() == "Eckladen"


def test_an_answer_of_many_rows_is_the_same_twice() -> None:
    sandbox = Sandbox(budgets=1, years=1, transactions=3_000)
    path = f"{TRANSACTIONS}?since_date=2000-01-01"
    first, second = (send(sandbox, "GET", path) for _ in range(2))
    assert first.content == second.content
    assert first.headers["content-length"] == str(len(first.content))
    assert len(first.json()["data"]["transactions"]) == 3_000


def test_an_empty_list_is_an_empty_array() -> None:
    sandbox = Sandbox(budgets=1, years=1)
    content = send(sandbox, "GET", f"{TRANSACTIONS}?until_date=2000-01-01").content
    assert content.startswith(b'{"data":{"transactions":[],"server_knowledge":')


def test_a_delta_of_ten_rows_has_ten() -> None:
    sandbox = Sandbox(budgets=1, years=1, transactions=3_000)
    before = sandbox.device.state().knowledge
    keys = [
        row.id
        for row in sandbox.device.state().transactions.live()
        if row.transfer_account_id is None and row.date > date(2025, 7, 1)
    ]
    for key in keys[:10]:
        sandbox.device.edit_transaction(key, memo="changed elsewhere")
    delta = get(sandbox, TRANSACTIONS, last_knowledge_of_server=before)["transactions"]
    assert [row["id"] for row in delta] == keys[9::-1]
    assert {row["memo"] for row in delta} == {"changed elsewhere"}
