"""Lists with a cursor (`last_knowledge_of_server`): changed and deleted rows only."""

from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox.ask import BASE, Ids, Json, cursor, delta, get, read
from tests.sandbox.audit import check_books


def spend(sandbox: Sandbox, ids: Ids, day: int = 16, **more: Any) -> str:
    key = sandbox.device.add_transaction(
        account_id=ids.account("Checking"), date=date(2026, 6, day), amount=-30_000, **more
    )
    check_books(sandbox)
    return key


def on_groceries(ids: Ids) -> Json:
    return {
        "payee_id": ids.payee("Corner Market"),
        "category_id": ids.category("Everyday", "Groceries"),
    }


def delete(sandbox: Sandbox, key: str) -> None:
    sandbox.device.delete_transaction(key)
    check_books(sandbox)


def test_without_changes_the_list_is_empty_and_the_knowledge_equal(sandbox: Sandbox) -> None:
    known = cursor(sandbox)
    answer = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)
    assert answer == {"transactions": [], "server_knowledge": known}


def test_a_cursor_of_zero_requests_all_rows(sandbox: Sandbox) -> None:
    assert delta(sandbox, "payees", 0) == read(sandbox, "payees")


def test_a_new_transaction_changes_account_category_and_month(sandbox: Sandbox, ids: Ids) -> None:
    known, key = cursor(sandbox), spend(sandbox, ids, **on_groceries(ids))
    assert get(sandbox, f"{BASE}/payees")["server_knowledge"] == known + 1
    assert [row["id"] for row in delta(sandbox, "transactions", known)] == [key]
    assert [row["name"] for row in delta(sandbox, "accounts", known)] == ["Checking"]
    assert [row["month"] for row in delta(sandbox, "months", known)] == ["2026-06-01"]
    assert delta(sandbox, "payees", known) == []
    (group,) = delta(sandbox, "categories", known)
    names = [row["name"] for row in group["categories"]]
    assert (group["name"], names) == ("Everyday", ["Groceries"])


def test_a_deleted_transaction_is_only_in_deltas(sandbox: Sandbox, ids: Ids) -> None:
    key, known = spend(sandbox, ids), cursor(sandbox)
    delete(sandbox, key)
    found = [(row["id"], row["deleted"]) for row in delta(sandbox, "transactions", known)]
    assert found == [(key, True)]
    assert key not in {row["id"] for row in read(sandbox, "transactions")}


@pytest.mark.parametrize("path", ["transactions", "accounts", "payees", "scheduled_transactions"])
def test_an_old_cursor_returns_the_deleted_generated_rows(shared: Sandbox, path: str) -> None:
    assert any(row["deleted"] for row in delta(shared, path, 1))


def test_an_old_cursor_returns_deleted_groups_with_their_categories(shared: Sandbox) -> None:
    deleted = next(group for group in delta(shared, "categories", 1) if group["name"] == "Wedding")
    assert deleted["deleted"]
    assert [(row["name"], row["deleted"]) for row in deleted["categories"]] == [("Band", True)]


def test_both_sides_of_a_deleted_transfer_are_in_the_delta(sandbox: Sandbox, ids: Ids) -> None:
    key = spend(sandbox, ids, payee_id=ids.transfer_to("Savings"))
    other = read(sandbox, f"transactions/{key}")["transfer_transaction_id"]
    known = cursor(sandbox)
    delete(sandbox, other)
    found = {(row["id"], row["deleted"]) for row in delta(sandbox, "transactions", known)}
    assert found == {(key, True), (other, True)}


def test_deltas_have_the_default_of_one_year_and_advance(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    key = sandbox.device.add_transaction(
        account_id=ids.account("Checking"), date=date(2024, 5, 5), amount=-1_000
    )
    answer = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)
    assert answer == {"transactions": [], "server_knowledge": known + 1}
    wide = read(sandbox, "transactions", last_knowledge_of_server=known, since_date="2000-01-01")
    assert [row["id"] for row in wide] == [key]


def test_a_delta_has_another_order_than_the_full_list(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    keys = [spend(sandbox, ids, day=day) for day in (10, 12, 14)]
    assert [row["id"] for row in delta(sandbox, "transactions", known)] == keys[::-1]
    whole = [row["id"] for row in read(sandbox, "transactions")]
    assert [key for key in whole if key in keys] == keys


def test_a_renamed_payee_is_in_the_delta_but_its_rows_are_not(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    sandbox.device.rename_payee(ids.payee("Corner Market"), "Corner Market & Sons")
    assert delta(sandbox, "transactions", known) == []
    assert [row["name"] for row in delta(sandbox, "payees", known)] == ["Corner Market & Sons"]
    assert "Corner Market & Sons" in {row["payee_name"] for row in read(sandbox, "transactions")}


def test_a_renamed_card_renames_its_payee_and_payment_category(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    sandbox.device.rename_account(ids.account("Credit Card"), "Plastic")
    assert [row["name"] for row in delta(sandbox, "payees", known)] == ["Transfer : Plastic"]
    (group,) = delta(sandbox, "categories", known)
    assert [row["name"] for row in group["categories"]] == ["Plastic"]


def test_a_category_in_a_new_group_is_listed_in_the_new_group(sandbox: Sandbox, ids: Ids) -> None:
    known, holiday = cursor(sandbox), ids.category("Health & Fun", "Holiday")
    sandbox.device.move_category(holiday, ids.group("Savings"))
    (group,) = delta(sandbox, "categories", known)
    assert (group["name"], [row["id"] for row in group["categories"]]) == ("Savings", [holiday])


def test_a_past_amount_changes_later_months_and_adds_a_movement(sandbox: Sandbox, ids: Ids) -> None:
    known, category = cursor(sandbox), ids.category("Savings", "Rücklagen")
    sandbox.device.assign(category, date(2026, 4, 1), 5_000)
    check_books(sandbox)
    months = {row["month"] for row in delta(sandbox, "months", known)}
    assert months == {"2026-04-01", "2026-05-01", "2026-06-01"}
    path = "/plans/last-used/money_movements"
    (move,) = get(sandbox, path, last_knowledge_of_server=known)["money_movements"]
    assert (move["month"], move["amount"]) == ("2026-04-01", 5_000)
    assert (move["from_category_id"], move["to_category_id"]) == (None, category)


def test_the_delta_of_the_export_has_only_changed_categories(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    spend(sandbox, ids, **on_groceries(ids))
    whole = delta(sandbox, "", known)
    months = [(row["month"], [one["name"] for one in row["categories"]]) for row in whole["months"]]
    assert months == [("2026-06-01", ["Groceries"])]
    assert len(whole["transactions"]) == 1
    assert whole["payees"] == whole["scheduled_transactions"] == []


def test_a_delta_of_an_export_has_the_parts_of_a_changed_split(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    parts = [
        NewPart(amount=-10_000, category_id=ids.category("Everyday", "Groceries")),
        NewPart(amount=-20_000, payee_id=ids.transfer_to("Wallet")),
    ]
    key, whole = spend(sandbox, ids, parts=parts), delta(sandbox, "", known)
    assert [row["transaction_id"] for row in whole["subtransactions"]] == [key, key]
    delete(sandbox, key)
    whole = delta(sandbox, "", known)
    assert [row["deleted"] for row in whole["subtransactions"]] == [True, True]
    assert [row["deleted"] for row in whole["transactions"]] == [True, True]
