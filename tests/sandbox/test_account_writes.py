"""Requests that write accounts and payees."""

from __future__ import annotations

from typing import Any

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import Ids, get, refused, write

BASE = "/budgets/last-used"


def ready(sandbox: Sandbox) -> int:
    amount: int = get(sandbox, f"{BASE}/months/current")["month"]["to_be_budgeted"]
    return amount


def open_account(sandbox: Sandbox, kind: str, balance: int) -> dict[str, Any]:
    body = {"account": {"name": "Neues Konto", "type": kind, "balance": balance}}
    data = write(sandbox, "POST", f"{BASE}/accounts", body, 201)
    assert set(data) == {"account"}
    account: dict[str, Any] = data["account"]
    return account


def test_a_new_account_has_a_transfer_payee(sandbox: Sandbox) -> None:
    body = {"account": {"name": "Neues Konto", "type": "checking", "balance": 0}}
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used"
        made = write(sandbox, "POST", f"{path}/accounts", body, 201)["account"]
        assert (made["on_budget"], made["closed"], made["balance"]) == (True, False, 0), spelling
        payee = get(sandbox, f"{path}/payees/{made['transfer_payee_id']}")["payee"]
        assert payee == {
            "id": made["transfer_payee_id"],
            "name": "Transfer : Neues Konto",
            "transfer_account_id": made["id"],
            "deleted": False,
        }, spelling
        rows = get(sandbox, f"{path}/accounts/{made['id']}/transactions")["transactions"]
        assert rows == [], spelling


def test_a_starting_balance_goes_to_ready_to_assign(sandbox: Sandbox) -> None:
    before = ready(sandbox)
    made = open_account(sandbox, "savings", 250_000)
    assert (made["balance"], made["cleared_balance"], made["uncleared_balance"]) == (
        250_000,
        250_000,
        0,
    )
    (row,) = get(sandbox, f"{BASE}/accounts/{made['id']}/transactions")["transactions"]
    assert (row["date"], row["amount"], row["cleared"]) == ("2026-06-17", 250_000, "cleared")
    assert (row["payee_name"], row["category_name"], row["approved"]) == (
        "Starting Balance",
        "Inflow: Ready to Assign",
        True,
    )
    assert ready(sandbox) == before + 250_000


def test_the_starting_balance_of_a_tracking_account_is_not_income(sandbox: Sandbox) -> None:
    before = ready(sandbox)
    made = open_account(sandbox, "otherAsset", 900_000)
    assert (made["on_budget"], made["balance"]) == (False, 900_000)
    (row,) = get(sandbox, f"{BASE}/accounts/{made['id']}/transactions")["transactions"]
    assert row["category_id"] is None
    assert ready(sandbox) == before


def test_a_starting_debt_on_a_card_does_not_reduce_ready_to_assign(sandbox: Sandbox) -> None:
    before = ready(sandbox)
    made = open_account(sandbox, "creditCard", -700_000)
    assert made["balance"] == -700_000
    assert ready(sandbox) == before
    groups = get(sandbox, f"{BASE}/categories")["category_groups"]
    payments = next(row for row in groups if row["name"] == "Credit Card Payments")["categories"]
    assert [(row["name"], row["balance"]) for row in payments][1:] == [("Neues Konto", 0)]


def test_transfers_to_a_new_account(sandbox: Sandbox, ids: Ids) -> None:
    made = open_account(sandbox, "cash", 10_000)
    body = {
        "account_id": ids.account("Checking"),
        "date": "2026-06-17",
        "amount": -5_000,
        "payee_id": made["transfer_payee_id"],
    }
    write(sandbox, "POST", f"{BASE}/transactions", {"transaction": body}, 201)
    account = get(sandbox, f"{BASE}/accounts/{made['id']}")["account"]
    assert (account["balance"], account["uncleared_balance"]) == (15_000, 5_000)


def test_an_invalid_field_of_an_account_is_a_bad_request(shared: Sandbox) -> None:
    known = shared.device.state().knowledge
    cases: tuple[dict[str, Any], ...] = (
        {"name": ""},
        {"name": None},
        {"type": "mortgage"},
        {"type": ""},
        {"type": None},
        {"balance": 1.5},
        {"balance": None},
        {"balance": "10"},
    )
    for fields in cases:
        body = {"name": "New", "type": "cash", "balance": 0} | fields
        status, _ = refused(shared, "POST", f"{BASE}/accounts", json={"account": body})
        assert status == 400, fields
        assert shared.device.state().knowledge == known, fields


def test_a_payee_is_created_and_renamed(sandbox: Sandbox) -> None:
    data = write(sandbox, "POST", f"{BASE}/payees", {"payee": {"name": "Gärtnerei"}}, 201)
    assert set(data) == {"payee", "server_knowledge"}
    key = data["payee"]["id"]
    renamed = write(sandbox, "PATCH", f"{BASE}/payees/{key}", {"payee": {"name": "花屋"}})
    assert renamed["payee"] == data["payee"] | {"name": "花屋"}
    assert renamed["server_knowledge"] == data["server_knowledge"] + 1
    same = write(sandbox, "PATCH", f"{BASE}/payees/{key}", {"payee": {}})
    assert same == renamed


def test_a_renamed_payee_is_found_by_its_new_name(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.payee("Station West")
    write(sandbox, "PATCH", f"{BASE}/payees/{key}", {"payee": {"name": "Tankstelle"}})
    row = {"account_id": ids.account("Checking"), "date": "2026-06-17", "amount": -1}

    def payee_of(name: str) -> str:
        body = {"transaction": row | {"payee_name": name}}
        made = write(sandbox, "POST", f"{BASE}/transactions", body, 201)["transaction"]
        found: str = made["payee_id"]
        return found

    assert payee_of("Tankstelle") == key
    assert payee_of("Station West") != key


def test_a_payee_needs_a_name_of_at_most_five_hundred_characters(shared: Sandbox) -> None:
    names: tuple[object, ...] = ("", " ", None, 5, "x" * 501)
    for name in names:
        status, _ = refused(shared, "POST", f"{BASE}/payees", json={"payee": {"name": name}})
        assert status == 400, name


def test_a_payee_name_of_five_hundred_characters(sandbox: Sandbox) -> None:
    body = {"payee": {"name": "ō" * 500}}
    assert write(sandbox, "POST", f"{BASE}/payees", body, 201)["payee"]["name"] == "ō" * 500


def test_a_transfer_payee_cannot_be_renamed(shared: Sandbox) -> None:
    path = f"{BASE}/payees/{Ids(shared).transfer_to('Savings')}"
    assert refused(shared, "PATCH", path, json={"payee": {"name": "Mine"}})[0] == 400
