"""Cached rows: a response from the cache has the same bytes as a new one."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox.ask import Ids, get, send, write

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
    with sandbox.device.edit() as editor:
        return editor.transactions.add(
            account_id=ids.account("Checking"),
            date=date(2026, 6, 1),
            amount=-10_000,
            payee_id=ids.payee("Corner Market"),
            **more,
        ).id


def with_purchases() -> tuple[Sandbox, str, str]:
    """Return a sandbox and the ids of a new transaction and of a new split."""
    sandbox = Sandbox(budgets=1, years=1, limit=100_000)
    groceries = Ids(sandbox).category("Everyday", "Groceries")
    row = purchase(sandbox, category_id=groceries)
    parts = [NewPart(amount=-4_000, category_id=groceries), NewPart(amount=-6_000)]
    return sandbox, row, purchase(sandbox, parts=parts)


def change_memo(sandbox: Sandbox, row: str, split: str) -> None:
    with sandbox.device.edit() as editor:
        for key in (row, split):
            editor.transactions.edit(editor.budget.transactions[key], {"memo": "edited"})


def make_a_split(sandbox: Sandbox, row: str, _split: str) -> None:
    body = {"transaction": {"subtransactions": [{"amount": -9_000}, {"amount": -1_000}]}}
    write(sandbox, "PUT", f"{TRANSACTIONS}/{row}", body)


def make_a_transfer(sandbox: Sandbox, row: str, _split: str) -> None:
    with sandbox.device.edit() as editor:
        savings = Ids(sandbox).transfer_to("Savings")
        editor.transactions.edit(editor.budget.transactions[row], {"payee_id": savings})


def delete(sandbox: Sandbox, row: str, split: str) -> None:
    with sandbox.device.edit() as editor:
        editor.transactions.delete(editor.budget.transactions[row])
    write(sandbox, "DELETE", f"{TRANSACTIONS}/{split}", None)


def rename_the_payee(sandbox: Sandbox, _row: str, _split: str) -> None:
    with sandbox.device.edit() as editor:
        payee = editor.budget.payees[Ids(sandbox).payee("Corner Market")]
        editor.payees.rename(payee, "Eckladen")


def rename_the_category(sandbox: Sandbox, _row: str, _split: str) -> None:
    with sandbox.device.edit() as editor:
        category = editor.budget.categories[Ids(sandbox).category("Everyday", "Groceries")]
        editor.categories.edit(category, name="Lebensmittel")


def rename_the_account(sandbox: Sandbox, _row: str, _split: str) -> None:
    with sandbox.device.edit() as editor:
        account = editor.budget.accounts[Ids(sandbox).account("Checking")]
        editor.accounts.rename(account, "Giro")


def advance(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.advance(45)


CHANGES = [
    change_memo,
    make_a_split,
    make_a_transfer,
    delete,
    rename_the_payee,
    rename_the_category,
    rename_the_account,
    advance,
]


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change_cached_lists_equal_new_ones(change: Any) -> None:
    cached, new = with_purchases(), with_purchases()
    ids = Ids(cached[0])
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
        assert send(cached[0], "GET", path).status_code == 200, path
    change(*cached)
    change(*new)
    # The order differs: no list may depend on the requests before it.
    expected = {path: send(new[0], "GET", path).content for path in reversed(paths)}
    for path in paths:
        assert send(cached[0], "GET", path).content == expected[path], path


def test_a_cached_transaction_shows_the_new_name_of_its_payee() -> None:
    sandbox, row, _ = with_purchases()

    def name() -> str:
        rows = get(sandbox, TRANSACTIONS)["transactions"]
        return next(str(each["payee_name"]) for each in rows if each["id"] == row)

    assert name() == "Corner Market"
    rename_the_payee(sandbox, row, "")
    assert name() == "Eckladen"


def test_a_large_list_has_the_same_bytes_again() -> None:
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


def test_a_delta_contains_exactly_the_changed_transactions() -> None:
    sandbox = Sandbox(budgets=1, years=1, transactions=3_000)
    before = sandbox.device.state().knowledge
    keys = [
        row.id
        for row in sandbox.device.state().transactions.live()
        if row.transfer_account_id is None and row.date > date(2025, 7, 1)
    ]
    with sandbox.device.edit() as editor:
        for key in keys[:10]:
            row = editor.budget.transactions[key]
            editor.transactions.edit(row, {"memo": "changed elsewhere"})
    delta = get(sandbox, TRANSACTIONS, last_knowledge_of_server=before)["transactions"]
    assert [row["id"] for row in delta] == keys[9::-1]
    assert {row["memo"] for row in delta} == {"changed elsewhere"}
