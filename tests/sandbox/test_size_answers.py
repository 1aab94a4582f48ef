"""Cached rows: a response from the cache has the same bytes as a new one."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox import ask
from tests.sandbox.ask import BASE, Ids, cursor, delta, read, send, write

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
    return sandbox.device.add_transaction(
        account_id=Ids(sandbox).account("Checking"),
        date=date(2026, 6, 1),
        amount=-10_000,
        payee_name="Corner Market",
        **more,
    )


def with_purchases() -> tuple[Sandbox, str, str]:
    """Return a sandbox and the ids of a new transaction and of a new split."""
    sandbox = Sandbox(budgets=1, years=1, limit=100_000)
    groceries = Ids(sandbox).category("Everyday", "Groceries")
    row = purchase(sandbox, category_id=groceries)
    parts = [NewPart(amount=-4_000, category_id=groceries), NewPart(amount=-6_000)]
    return sandbox, row, purchase(sandbox, parts=parts)


def change_memo(sandbox: Sandbox, row: str, split: str) -> None:
    for key in (row, split):
        sandbox.device.edit_transaction(key, memo="edited")


def make_a_split(sandbox: Sandbox, row: str, _split: str) -> None:
    ask.change(sandbox, row, subtransactions=[{"amount": -9_000}, {"amount": -1_000}])


def make_a_transfer(sandbox: Sandbox, row: str, _split: str) -> None:
    sandbox.device.edit_transaction(row, payee_id=Ids(sandbox).transfer_to("Savings"))


def delete(sandbox: Sandbox, row: str, split: str) -> None:
    sandbox.device.delete_transaction(row)
    write(sandbox, "DELETE", f"{BASE}/transactions/{split}", None)


def rename_the_payee(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.device.rename_payee(Ids(sandbox).payee("Corner Market"), "Eckladen")


def rename_the_category(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.device.rename_category(Ids(sandbox).category("Everyday", "Groceries"), "Lebensmittel")


def rename_the_account(sandbox: Sandbox, _row: str, _split: str) -> None:
    sandbox.device.rename_account(Ids(sandbox).account("Checking"), "Giro")


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
        rows = read(sandbox, "transactions")
        return next(str(each["payee_name"]) for each in rows if each["id"] == row)

    assert name() == "Corner Market"
    rename_the_payee(sandbox, row, "")
    assert name() == "Eckladen"


def test_a_list_has_the_same_bytes_again(shared: Sandbox) -> None:
    first, second = (send(shared, "GET", f"{BASE}/transactions") for _ in range(2))
    assert first.content == second.content
    assert first.headers["content-length"] == str(len(first.content))


def test_an_empty_list_is_an_empty_array(shared: Sandbox) -> None:
    content = send(shared, "GET", f"{BASE}/transactions?until_date=2000-01-01").content
    assert content.startswith(b'{"data":{"transactions":[],"server_knowledge":')


def test_a_delta_contains_exactly_the_changed_transactions(sandbox: Sandbox) -> None:
    before = cursor(sandbox)
    keys = [
        row.id
        for row in sandbox.device.state().transactions.live()
        if row.transfer_account_id is None and row.date > date(2025, 7, 1)
    ]
    for key in keys[:10]:
        sandbox.device.edit_transaction(key, memo="changed elsewhere")
    rows = delta(sandbox, "transactions", before)
    assert [row["id"] for row in rows] == keys[9::-1]
    assert {row["memo"] for row in rows} == {"changed elsewhere"}
