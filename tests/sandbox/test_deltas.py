from __future__ import annotations

from datetime import date

from budgetframe.sandbox import NewPart, Sandbox, check_books
from tests.sandbox.ask import Ids, get

BASE = "/budgets/last-used"


def cursor(sandbox: Sandbox) -> int:
    knowledge: int = get(sandbox, f"{BASE}/payees")["server_knowledge"]
    return knowledge


def spend(sandbox: Sandbox, ids: Ids, amount: int = -10_000, day: int = 16) -> str:
    key = sandbox.device.add_transaction(
        account_id=ids.account("Checking"),
        date=date(2026, 6, day),
        amount=amount,
        payee_name="Corner Market",
        category_id=ids.category("Everyday", "Groceries"),
    )
    check_books(sandbox)
    return key


def test_nothing_new_is_an_empty_list_and_the_same_knowledge(sandbox: Sandbox) -> None:
    known = cursor(sandbox)
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)
    assert delta == {"transactions": [], "server_knowledge": known}


def test_a_cursor_of_zero_asks_for_everything(sandbox: Sandbox) -> None:
    whole = get(sandbox, f"{BASE}/payees")
    assert get(sandbox, f"{BASE}/payees", last_knowledge_of_server=0) == whole


def test_one_new_row_touches_its_account_category_and_month(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    key = spend(sandbox, ids)

    def delta(path: str, data_key: str) -> list[dict[str, object]]:
        data = get(sandbox, f"{BASE}/{path}", last_knowledge_of_server=known)
        assert data["server_knowledge"] == known + 1
        rows: list[dict[str, object]] = data[data_key]
        return rows

    assert [row["id"] for row in delta("transactions", "transactions")] == [key]
    assert [row["name"] for row in delta("accounts", "accounts")] == ["Checking"]
    assert [row["month"] for row in delta("months", "months")] == ["2026-06-01"]
    assert delta("payees", "payees") == []
    groups = get(sandbox, f"{BASE}/categories", last_knowledge_of_server=known)["category_groups"]
    assert [(g["name"], [row["name"] for row in g["categories"]]) for g in groups] == [
        ("Everyday", ["Groceries"])
    ]


def test_a_deleted_row_is_a_tombstone_in_deltas_only(sandbox: Sandbox, ids: Ids) -> None:
    key = spend(sandbox, ids)
    known = cursor(sandbox)
    sandbox.device.delete_transaction(key)
    check_books(sandbox)
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)["transactions"]
    assert [(row["id"], row["deleted"]) for row in delta] == [(key, True)]
    whole = get(sandbox, f"{BASE}/transactions")["transactions"]
    assert key not in {row["id"] for row in whole}


def test_history_has_tombstones_for_a_very_old_cursor(sandbox: Sandbox) -> None:
    for path, key in (
        ("transactions", "transactions"),
        ("accounts", "accounts"),
        ("payees", "payees"),
        ("scheduled_transactions", "scheduled_transactions"),
    ):
        rows = get(sandbox, f"{BASE}/{path}", last_knowledge_of_server=1)[key]
        assert any(row["deleted"] for row in rows)
    groups = get(sandbox, f"{BASE}/categories", last_knowledge_of_server=1)["category_groups"]
    gone = next(group for group in groups if group["name"] == "Wedding")
    assert gone["deleted"]
    assert [(row["name"], row["deleted"]) for row in gone["categories"]] == [("Band", True)]


def test_both_sides_of_a_deleted_transfer_are_in_the_delta(sandbox: Sandbox, ids: Ids) -> None:
    key = sandbox.device.add_transaction(
        account_id=ids.account("Checking"),
        date=date(2026, 6, 16),
        amount=-20_000,
        payee_id=ids.transfer_to("Savings"),
    )
    other = get(sandbox, f"{BASE}/transactions/{key}")["transaction"]["transfer_transaction_id"]
    known = cursor(sandbox)
    sandbox.device.delete_transaction(other)
    check_books(sandbox)
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)["transactions"]
    assert {(row["id"], row["deleted"]) for row in delta} == {(key, True), (other, True)}


def test_the_one_year_window_cuts_deltas_too_and_the_cursor_still_moves(
    sandbox: Sandbox, ids: Ids
) -> None:
    known = cursor(sandbox)
    key = sandbox.device.add_transaction(
        account_id=ids.account("Checking"), date=date(2024, 5, 5), amount=-1_000
    )
    path = f"{BASE}/transactions"
    assert get(sandbox, path, last_knowledge_of_server=known) == {
        "transactions": [],
        "server_knowledge": known + 1,
    }
    wide = get(sandbox, path, last_knowledge_of_server=known, since_date="2000-01-01")
    assert [row["id"] for row in wide["transactions"]] == [key]


def test_a_delta_comes_in_another_order_than_the_full_list(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    keys = [spend(sandbox, ids, day=day) for day in (10, 12, 14)]
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)["transactions"]
    assert [row["id"] for row in delta] == keys[::-1]
    whole = [row["id"] for row in get(sandbox, f"{BASE}/transactions")["transactions"]]
    assert [key for key in whole if key in keys] == keys


def test_a_rename_resends_the_row_but_not_its_transactions(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    sandbox.device.rename_payee(ids.payee("Corner Market"), "Corner Market & Sons")
    assert get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known) == {
        "transactions": [],
        "server_knowledge": known + 1,
    }
    payees = get(sandbox, f"{BASE}/payees", last_knowledge_of_server=known)["payees"]
    assert [row["name"] for row in payees] == ["Corner Market & Sons"]
    rows = get(sandbox, f"{BASE}/transactions")["transactions"]
    assert "Corner Market & Sons" in {row["payee_name"] for row in rows}


def test_a_renamed_account_renames_its_transfer_payee_and_payment_category(
    sandbox: Sandbox, ids: Ids
) -> None:
    known = cursor(sandbox)
    sandbox.device.rename_account(ids.account("Credit Card"), "Plastic")
    payees = get(sandbox, f"{BASE}/payees", last_knowledge_of_server=known)["payees"]
    assert [row["name"] for row in payees] == ["Transfer : Plastic"]
    groups = get(sandbox, f"{BASE}/categories", last_knowledge_of_server=known)["category_groups"]
    assert [row["name"] for row in groups[0]["categories"]] == ["Plastic"]


def test_a_category_that_changed_group_comes_in_its_new_wrapper(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    holiday = ids.category("Health & Fun", "Holiday")
    sandbox.device.move_category(holiday, ids.group("Savings"))
    groups = get(sandbox, f"{BASE}/categories", last_knowledge_of_server=known)["category_groups"]
    assert [(g["name"], [row["id"] for row in g["categories"]]) for g in groups] == [
        ("Savings", [holiday])
    ]


def test_assigning_in_a_past_month_moves_later_months_along(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    sandbox.device.assign(ids.category("Savings", "Rücklagen"), date(2026, 4, 1), 5_000)
    check_books(sandbox)
    months = get(sandbox, f"{BASE}/months", last_knowledge_of_server=known)["months"]
    assert {row["month"] for row in months} == {"2026-04-01", "2026-05-01", "2026-06-01"}


def test_the_delta_of_the_export_holds_changed_categories_of_months_only(
    sandbox: Sandbox, ids: Ids
) -> None:
    known = cursor(sandbox)
    spend(sandbox, ids)
    delta = get(sandbox, BASE, last_knowledge_of_server=known)["budget"]
    assert [
        (month["month"], [row["name"] for row in month["categories"]]) for month in delta["months"]
    ] == [("2026-06-01", ["Groceries"])]
    assert len(delta["transactions"]) == 1
    assert delta["payees"] == delta["scheduled_transactions"] == []


def test_the_export_sends_parts_of_a_changed_split(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    key = sandbox.device.add_transaction(
        account_id=ids.account("Checking"),
        date=date(2026, 6, 16),
        amount=-30_000,
        parts=[
            NewPart(amount=-10_000, category_id=ids.category("Everyday", "Groceries")),
            NewPart(amount=-20_000, payee_id=ids.transfer_to("Wallet")),
        ],
    )
    check_books(sandbox)
    delta = get(sandbox, BASE, last_knowledge_of_server=known)["budget"]
    assert [row["transaction_id"] for row in delta["subtransactions"]] == [key, key]
    sandbox.device.delete_transaction(key)
    check_books(sandbox)
    gone = get(sandbox, BASE, last_knowledge_of_server=known)["budget"]
    assert [row["deleted"] for row in gone["subtransactions"]] == [True, True]
    assert [row["deleted"] for row in gone["transactions"]] == [True, True]


def test_plans_have_deltas_of_movements(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    category = ids.category("Savings", "Rücklagen")
    sandbox.device.assign(category, date(2026, 6, 1), 5_000)
    delta = get(sandbox, "/plans/last-used/money_movements", last_knowledge_of_server=known)
    assert [
        (row["month"], row["from_category_id"], row["to_category_id"], row["amount"])
        for row in delta["money_movements"]
    ] == [("2026-06-01", None, category, 5_000)]
