"""Requests that write accounts and payees."""

from typing import Any

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import BASE, Ids, Json, add, get, read, write


def ready(sandbox: Sandbox) -> int:
    amount: int = read(sandbox, "months/current")["to_be_budgeted"]
    return amount


def open_account(sandbox: Sandbox, kind: str, balance: int) -> Json:
    body = {"account": {"name": "Neues Konto", "type": kind, "balance": balance}}
    data = write(sandbox, "POST", f"{BASE}/accounts", body, 201)
    assert set(data) == {"account"}
    account: Json = data["account"]
    return account


def transactions(sandbox: Sandbox, account: Json) -> Any:
    return read(sandbox, f"accounts/{account['id']}/transactions")


def test_a_new_account_has_a_transfer_payee(sandbox: Sandbox) -> None:
    body = {"account": {"name": "Neues Konto", "type": "checking", "balance": 0}}
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used"
        made = write(sandbox, "POST", f"{path}/accounts", body, 201)["account"]
        assert (made["on_budget"], made["closed"], made["balance"]) == (True, False, 0), spelling
        assert get(sandbox, f"{path}/payees/{made['transfer_payee_id']}")["payee"] == {
            "id": made["transfer_payee_id"], "name": "Transfer : Neues Konto",
            "transfer_account_id": made["id"], "deleted": False,
        }, spelling  # fmt: skip
        assert transactions(sandbox, made) == [], spelling


def test_a_starting_balance_goes_to_ready_to_assign(sandbox: Sandbox) -> None:
    before, made = ready(sandbox), open_account(sandbox, "savings", 250_000)
    balances = (made["balance"], made["cleared_balance"], made["uncleared_balance"])
    assert balances == (250_000, 250_000, 0)
    (row,) = transactions(sandbox, made)
    assert (row["date"], row["amount"], row["cleared"]) == ("2026-06-17", 250_000, "cleared")
    assert (row["payee_name"], row["approved"]) == ("Starting Balance", True)
    assert row["category_name"] == "Inflow: Ready to Assign"
    assert ready(sandbox) == before + 250_000


def test_the_starting_balance_of_a_tracking_account_is_not_income(sandbox: Sandbox) -> None:
    before, made = ready(sandbox), open_account(sandbox, "otherAsset", 900_000)
    assert (made["on_budget"], made["balance"]) == (False, 900_000)
    assert [row["category_id"] for row in transactions(sandbox, made)] == [None]
    assert ready(sandbox) == before


def test_a_starting_debt_on_a_card_does_not_reduce_ready_to_assign(sandbox: Sandbox) -> None:
    before = ready(sandbox)
    assert open_account(sandbox, "creditCard", -700_000)["balance"] == -700_000
    assert ready(sandbox) == before
    groups = read(sandbox, "categories")
    payments = next(row for row in groups if row["name"] == "Credit Card Payments")["categories"]
    assert [(row["name"], row["balance"]) for row in payments][1:] == [("Neues Konto", 0)]


def test_transfers_to_a_new_account(sandbox: Sandbox, ids: Ids) -> None:
    made = open_account(sandbox, "cash", 10_000)
    row = {"account_id": ids.account("Checking"), "date": "2026-06-17", "amount": -5_000}
    add(sandbox, row | {"payee_id": made["transfer_payee_id"]})
    account = read(sandbox, f"accounts/{made['id']}")
    assert (account["balance"], account["uncleared_balance"]) == (15_000, 5_000)


def test_a_payee_is_created_and_renamed(sandbox: Sandbox) -> None:
    data = write(sandbox, "POST", f"{BASE}/payees", {"payee": {"name": "ō" * 500}}, 201)
    assert set(data) == {"payee", "server_knowledge"}
    path = f"{BASE}/payees/{data['payee']['id']}"
    renamed = write(sandbox, "PATCH", path, {"payee": {"name": "花屋"}})
    assert renamed["payee"] == data["payee"] | {"name": "花屋"}
    assert renamed["server_knowledge"] == data["server_knowledge"] + 1
    assert write(sandbox, "PATCH", path, {"payee": {}}) == renamed


def test_a_renamed_payee_is_found_by_its_new_name(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.payee("Station West")
    write(sandbox, "PATCH", f"{BASE}/payees/{key}", {"payee": {"name": "Tankstelle"}})
    row = {"account_id": ids.account("Checking"), "date": "2026-06-17", "amount": -1}
    assert add(sandbox, row | {"payee_name": "Tankstelle"})["payee_id"] == key
    assert add(sandbox, row | {"payee_name": "Station West"})["payee_id"] != key
