"""Cached rows: a response from the cache has the same bytes as a new one."""

import itertools
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox import ask
from tests.sandbox.ask import BASE, Ids, cursor, delta, send, write

LISTS = [  # each form of a cached row, with and without a cursor
    "/{spelling}/last-used",
    "/{spelling}/last-used?last_knowledge_of_server=40",
    "/{spelling}/last-used/transactions?since_date=2000-01-01",
    "/{spelling}/last-used/transactions?last_knowledge_of_server=40",
    "/{spelling}/last-used/categories/{category}/transactions?since_date=2000-01-01",
    "/{spelling}/last-used/payees/{payee}/transactions?since_date=2000-01-01",
]


def purchase(sandbox: Sandbox, **more: Any) -> str:
    return sandbox.device.add_transaction(
        account_id=Ids(sandbox).account("Checking"), date=date(2026, 6, 1), amount=-10_000,
        payee_name="Corner Market", **more,
    )  # fmt: skip


def with_purchases() -> tuple[Sandbox, list[str]]:
    """Return a sandbox and the ids of two new transactions and of two new splits."""
    sandbox = Sandbox(budgets=1, years=1, limit=100_000)
    groceries = Ids(sandbox).category("Everyday", "Groceries")
    parts = [NewPart(amount=-4_000, category_id=groceries), NewPart(amount=-6_000)]
    rows = [purchase(sandbox, category_id=groceries) for _ in range(2)]
    return sandbox, [*rows, *(purchase(sandbox, parts=parts) for _ in range(2))]


def rename_the_payee(sandbox: Sandbox) -> None:
    sandbox.device.rename_payee(Ids(sandbox).payee("Corner Market"), "Eckladen")


def change_memos(sandbox: Sandbox, rows: list[str]) -> None:
    for key in (rows[0], rows[2]):
        sandbox.device.edit_transaction(key, memo="edited")


def delete(sandbox: Sandbox, rows: list[str]) -> None:
    sandbox.device.delete_transaction(rows[1])
    write(sandbox, "DELETE", f"{BASE}/transactions/{rows[3]}", None)


PARTS = [{"amount": -9_000}, {"amount": -1_000}]
CHANGES: dict[str, Callable[[Sandbox, list[str]], object]] = {
    "change memos": change_memos,
    "make a split": lambda sandbox, rows: ask.change(sandbox, rows[0], subtransactions=PARTS),
    "make a transfer": lambda sandbox, rows: sandbox.device.edit_transaction(
        rows[1], payee_id=Ids(sandbox).transfer_to("Savings")
    ),
    "rename the payee": lambda sandbox, _: rename_the_payee(sandbox),
    "rename the category": lambda sandbox, _: sandbox.device.rename_category(
        Ids(sandbox).category("Everyday", "Groceries"), "Lebensmittel"
    ),
    "rename the account": lambda sandbox, _: sandbox.device.rename_account(
        Ids(sandbox).account("Checking"), "Giro"
    ),
    "delete": delete,
    "advance": lambda sandbox, _: sandbox.advance(45),
}


def test_after_each_change_cached_lists_equal_new_ones(subtests: pytest.Subtests) -> None:
    cached, rows = with_purchases()
    ids = Ids(cached)
    paths = [
        path.format(
            spelling=spelling, category=ids.category("Everyday", "Groceries"),
            payee=ids.payee("Corner Market"),
        )
        for path, spelling in itertools.product(LISTS, ("budgets", "plans"))
    ]  # fmt: skip
    for path in paths:
        assert send(cached, "GET", path).status_code == 200, path
    for count, (label, change) in enumerate(CHANGES.items(), 1):
        change(cached, rows)
        new, same_rows = with_purchases()
        for earlier in itertools.islice(CHANGES.values(), count):
            earlier(new, same_rows)
        # The order differs: no list may depend on the requests before it.
        expected = {path: send(new, "GET", path).content for path in reversed(paths)}
        for path in paths:
            with subtests.test(label=label, path=path):
                assert send(cached, "GET", path).content == expected[path]


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
