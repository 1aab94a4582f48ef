"""Imported transactions, and how they are matched with transactions entered by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox, check_books
from tests.sandbox.ask import Ids, get, refused, send, write

BASE = "/budgets/last-used"
ROWS = f"{BASE}/transactions"


def by_hand(ids: Ids, **more: Any) -> dict[str, Any]:
    return {
        "account_id": ids.account("Savings"),
        "date": "2026-06-10",
        "amount": -4_321,
        "payee_name": "Blumenladen",
        "category_id": ids.category("Everyday", "Groceries"),
        "memo": "mine",
        "approved": True,
    } | more


def enter(sandbox: Sandbox, row: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = write(sandbox, "POST", ROWS, {"transaction": row}, 201)["transaction"]
    return made


def imported(ids: Ids, **more: Any) -> dict[str, Any]:
    return {
        "account_id": ids.account("Savings"),
        "date": "2026-06-12",
        "amount": -4_321,
        "payee_name": "BLUMEN 0815",
        "import_id": "YNAB:-4321:2026-06-12:1",
        "cleared": "cleared",
    } | more


def balance(sandbox: Sandbox, ids: Ids) -> int:
    path = f"{BASE}/accounts/{ids.account('Savings')}"
    amount: int = get(sandbox, path)["account"]["balance"]
    return amount


def test_an_imported_transaction_is_matched_with_one_entered_by_hand(
    sandbox: Sandbox, ids: Ids
) -> None:
    row = enter(sandbox, by_hand(ids))
    before = balance(sandbox, ids)
    found = enter(sandbox, imported(ids))
    assert found == row | {
        "approved": False,
        "cleared": "cleared",
        "import_id": "YNAB:-4321:2026-06-12:1",
        "import_payee_name": "BLUMEN 0815",
        "import_payee_name_original": "BLUMEN 0815",
        "matched_transaction_id": found["matched_transaction_id"],
    }
    assert found["matched_transaction_id"] not in {None, row["id"]}
    assert balance(sandbox, ids) == before
    assert refused(sandbox, "POST", ROWS, json={"transaction": imported(ids)})[0] == 409


def test_another_date_amount_or_import_id_is_not_matched(sandbox: Sandbox, ids: Ids) -> None:
    differences: tuple[dict[str, Any], ...] = (
        {"date": "2026-06-02"},
        {"amount": -4_322},
        {"import_id": "earlier"},
    )
    rows = [enter(sandbox, by_hand(ids, **other))["id"] for other in differences]
    made = enter(sandbox, imported(ids, date="2026-06-13", approved=True))
    assert made["id"] not in rows
    assert (made["matched_transaction_id"], made["payee_name"]) == (None, "BLUMEN 0815")
    assert made["import_payee_name"] == "BLUMEN 0815"


def test_dates_up_to_ten_days_apart_are_matched(sandbox: Sandbox, ids: Ids) -> None:
    for number, day in enumerate(("2026-06-02", "2026-06-03", "2026-06-13")):
        row = enter(sandbox, by_hand(ids, date=day))
        matched = enter(sandbox, imported(ids, import_id=f"import {number}"))
        assert matched["id"] == row["id"], day


def test_another_account_is_not_matched(sandbox: Sandbox, ids: Ids) -> None:
    row = enter(sandbox, by_hand(ids, account_id=ids.account("Wallet")))
    assert enter(sandbox, imported(ids))["id"] != row["id"]


def test_the_nearest_date_is_matched_and_only_once(sandbox: Sandbox, ids: Ids) -> None:
    far = enter(sandbox, by_hand(ids, date="2026-06-05"))
    near = enter(sandbox, by_hand(ids, date="2026-06-11"))
    body = {"transactions": [imported(ids), imported(ids, import_id="two")]}
    data = write(sandbox, "POST", ROWS, body, 201)
    assert data["transaction_ids"] == [near["id"], far["id"]]
    third = enter(sandbox, imported(ids, import_id="three"))
    assert third["id"] not in data["transaction_ids"]


def test_a_deleted_transaction_is_not_matched(sandbox: Sandbox, ids: Ids) -> None:
    row = enter(sandbox, by_hand(ids))
    write(sandbox, "DELETE", f"{ROWS}/{row['id']}", None)
    assert enter(sandbox, imported(ids))["id"] != row["id"]


@pytest.mark.parametrize("spelling", ["budgets", "plans"])
def test_the_rows_of_linked_banks_are_imported_once(sandbox: Sandbox, spelling: str) -> None:
    path = f"/{spelling}/last-used/transactions"
    accounts = get(sandbox, f"{BASE}/accounts")["accounts"]
    assert [row["name"] for row in accounts if row["direct_import_linked"]] == ["Checking"]
    data = write(sandbox, "POST", f"{path}/import", None, 201)
    assert set(data) == {"transaction_ids"}
    matched, new = (get(sandbox, f"{path}/{key}")["transaction"] for key in data["transaction_ids"])
    assert (matched["payee_name"], matched["amount"]) == ("Kiosk am Ring", -17_800)
    assert matched["matched_transaction_id"] is not None
    assert (new["payee_name"], new["amount"], new["date"]) == ("Tonspur", -23_900, "2026-06-16")
    assert (new["import_id"], new["matched_transaction_id"]) == ("YNAB:-23900:2026-06-16:1", None)
    assert (new["cleared"], new["approved"], new["category_id"]) == ("cleared", False, None)
    known = sandbox.device.state().knowledge
    assert write(sandbox, "POST", f"{path}/import", None) == {"transaction_ids": []}
    assert sandbox.device.state().knowledge == known


def test_two_equal_rows_of_a_bank_are_two_transactions(sandbox: Sandbox, ids: Ids) -> None:
    write(sandbox, "POST", f"{ROWS}/import", None, 201)
    with sandbox.device.edit() as editor:
        savings = editor.budget.accounts[ids.account("Savings")]
        import_ids = [
            editor.imports.add_bank_row(savings, date(2026, 6, 17), 100, "Zinsen") for _ in range(2)
        ]
    assert import_ids == ["YNAB:100:2026-06-17:1", "YNAB:100:2026-06-17:2"]
    assert len(write(sandbox, "POST", f"{ROWS}/import", None, 201)["transaction_ids"]) == 2
    check_books(sandbox)


def test_a_bank_row_that_was_imported_by_a_request_is_skipped(sandbox: Sandbox, ids: Ids) -> None:
    write(sandbox, "POST", f"{ROWS}/import", None, 201)
    enter(sandbox, imported(ids))
    with sandbox.device.edit() as editor:
        savings = editor.budget.accounts[ids.account("Savings")]
        editor.imports.add_bank_row(savings, date(2026, 6, 12), -4_321, "BLUMEN 0815")
    assert write(sandbox, "POST", f"{ROWS}/import", None) == {"transaction_ids": []}


def test_import_is_not_the_id_of_a_transaction(shared: Sandbox) -> None:
    assert send(shared, "GET", f"{ROWS}/import").status_code == 404
