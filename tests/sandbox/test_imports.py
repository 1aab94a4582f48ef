"""Imported transactions, and how they are matched with transactions entered by hand."""

from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import BASE, Ids, Json, add, get, read, refused, send, write
from tests.sandbox.audit import check_books

ROWS = f"{BASE}/transactions"


def by_hand(ids: Ids, **more: Any) -> Json:
    return {
        "account_id": ids.account("Savings"), "date": "2026-06-10", "amount": -4_321,
        "payee_name": "Blumenladen", "category_id": ids.category("Everyday", "Groceries"),
        "memo": "mine", "approved": True,
    } | more  # fmt: skip


def imported(ids: Ids, **more: Any) -> Json:
    return {
        "account_id": ids.account("Savings"), "date": "2026-06-12", "amount": -4_321,
        "payee_name": "BLUMEN 0815", "import_id": "YNAB:-4321:2026-06-12:1", "cleared": "cleared",
    } | more  # fmt: skip


def test_an_imported_transaction_matches_one_entered_by_hand(sandbox: Sandbox, ids: Ids) -> None:
    savings, row = f"accounts/{ids.account('Savings')}", add(sandbox, by_hand(ids))
    before, found = read(sandbox, savings)["balance"], add(sandbox, imported(ids))
    assert found == row | {
        "approved": False, "cleared": "cleared", "import_id": "YNAB:-4321:2026-06-12:1",
        "import_payee_name": "BLUMEN 0815", "import_payee_name_original": "BLUMEN 0815",
        "matched_transaction_id": found["matched_transaction_id"],
    }  # fmt: skip
    assert found["matched_transaction_id"] not in {None, row["id"]}
    assert read(sandbox, savings)["balance"] == before
    assert refused(sandbox, "POST", ROWS, json={"transaction": imported(ids)})[0] == 409


def test_another_account_date_amount_or_import_id_has_no_match(sandbox: Sandbox, ids: Ids) -> None:
    differences: tuple[Json, ...] = (
        {"import_id": "earlier"}, {"date": "2026-06-02"}, {"amount": -4_322},
        {"account_id": ids.account("Wallet")},
    )  # fmt: skip
    rows = [add(sandbox, by_hand(ids, **other))["id"] for other in differences]
    made = add(sandbox, imported(ids, date="2026-06-13", approved=True))
    assert made["id"] not in rows
    assert (made["matched_transaction_id"], made["payee_name"]) == (None, "BLUMEN 0815")
    assert made["import_payee_name"] == "BLUMEN 0815"


@pytest.mark.parametrize("day", ["2026-06-02", "2026-06-03", "2026-06-13"])
def test_dates_up_to_ten_days_apart_are_matched(sandbox: Sandbox, ids: Ids, day: str) -> None:
    assert add(sandbox, by_hand(ids, date=day))["id"] == add(sandbox, imported(ids))["id"]


def test_the_nearest_date_is_matched_and_only_once(sandbox: Sandbox, ids: Ids) -> None:
    far = add(sandbox, by_hand(ids, date="2026-06-05"))
    near = add(sandbox, by_hand(ids, date="2026-06-11"))
    body = {"transactions": [imported(ids), imported(ids, import_id="two")]}
    data = write(sandbox, "POST", ROWS, body, 201)
    assert data["transaction_ids"] == [near["id"], far["id"]]
    assert add(sandbox, imported(ids, import_id="three"))["id"] not in data["transaction_ids"]


def test_a_deleted_transaction_is_not_matched(sandbox: Sandbox, ids: Ids) -> None:
    row = add(sandbox, by_hand(ids))
    write(sandbox, "DELETE", f"{ROWS}/{row['id']}", None)
    assert add(sandbox, imported(ids))["id"] != row["id"]


@pytest.mark.parametrize("spelling", ["budgets", "plans"])
def test_the_rows_of_linked_banks_are_imported_once(sandbox: Sandbox, spelling: str) -> None:
    path = f"/{spelling}/last-used/transactions"
    linked = [row["name"] for row in read(sandbox, "accounts") if row["direct_import_linked"]]
    assert linked == ["Checking"]
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
    bank_row: Json = {"date": date(2026, 6, 17), "amount": 100, "payee_name": "Zinsen"}
    savings = ids.account("Savings")
    import_ids = [sandbox.device.add_bank_row(account_id=savings, **bank_row) for _ in range(2)]
    assert import_ids == ["YNAB:100:2026-06-17:1", "YNAB:100:2026-06-17:2"]
    assert len(write(sandbox, "POST", f"{ROWS}/import", None, 201)["transaction_ids"]) == 2
    check_books(sandbox)


def test_a_bank_row_that_was_imported_by_a_request_is_skipped(sandbox: Sandbox, ids: Ids) -> None:
    write(sandbox, "POST", f"{ROWS}/import", None, 201)
    add(sandbox, imported(ids))
    bank_row: Json = {"date": date(2026, 6, 12), "amount": -4_321, "payee_name": "BLUMEN 0815"}
    sandbox.device.add_bank_row(account_id=ids.account("Savings"), **bank_row)
    assert write(sandbox, "POST", f"{ROWS}/import", None) == {"transaction_ids": []}


def test_import_is_not_the_id_of_a_transaction(shared: Sandbox) -> None:
    assert send(shared, "GET", f"{ROWS}/import").status_code == 404
