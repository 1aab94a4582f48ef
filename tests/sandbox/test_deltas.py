"""Lists with a cursor (`last_knowledge_of_server`): changed and deleted rows only."""

from __future__ import annotations

from datetime import date

from budgetframe.sandbox import NewPart, Sandbox, check_books
from tests.sandbox.ask import Ids, get

BASE = "/budgets/last-used"


def cursor(sandbox: Sandbox) -> int:
    knowledge: int = get(sandbox, f"{BASE}/payees")["server_knowledge"]
    return knowledge


def spend(sandbox: Sandbox, ids: Ids, amount: int = -10_000, day: int = 16) -> str:
    with sandbox.device.edit() as editor:
        row = editor.transactions.add(
            account_id=ids.account("Checking"),
            date=date(2026, 6, day),
            amount=amount,
            payee_id=ids.payee("Corner Market"),
            category_id=ids.category("Everyday", "Groceries"),
        )
    check_books(sandbox)
    return row.id


def delete(sandbox: Sandbox, key: str) -> None:
    with sandbox.device.edit() as editor:
        editor.transactions.delete(editor.budget.transactions[key])
    check_books(sandbox)


def test_without_changes_the_list_is_empty_and_the_knowledge_equal(sandbox: Sandbox) -> None:
    known = cursor(sandbox)
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)
    assert delta == {"transactions": [], "server_knowledge": known}


def test_a_cursor_of_zero_requests_all_rows(sandbox: Sandbox) -> None:
    whole = get(sandbox, f"{BASE}/payees")
    assert get(sandbox, f"{BASE}/payees", last_knowledge_of_server=0) == whole


def test_a_new_transaction_changes_its_account_category_and_month(
    sandbox: Sandbox, ids: Ids
) -> None:
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


def test_a_deleted_transaction_is_only_in_deltas(sandbox: Sandbox, ids: Ids) -> None:
    key = spend(sandbox, ids)
    known = cursor(sandbox)
    delete(sandbox, key)
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)["transactions"]
    assert [(row["id"], row["deleted"]) for row in delta] == [(key, True)]
    whole = get(sandbox, f"{BASE}/transactions")["transactions"]
    assert key not in {row["id"] for row in whole}


def test_an_old_cursor_returns_deleted_rows_of_the_generated_budget(sandbox: Sandbox) -> None:
    for path, key in (
        ("transactions", "transactions"),
        ("accounts", "accounts"),
        ("payees", "payees"),
        ("scheduled_transactions", "scheduled_transactions"),
    ):
        rows = get(sandbox, f"{BASE}/{path}", last_knowledge_of_server=1)[key]
        assert any(row["deleted"] for row in rows), path
    groups = get(sandbox, f"{BASE}/categories", last_knowledge_of_server=1)["category_groups"]
    deleted = next(group for group in groups if group["name"] == "Wedding")
    assert deleted["deleted"]
    assert [(row["name"], row["deleted"]) for row in deleted["categories"]] == [("Band", True)]


def test_both_sides_of_a_deleted_transfer_are_in_the_delta(sandbox: Sandbox, ids: Ids) -> None:
    with sandbox.device.edit() as editor:
        key = editor.transactions.add(
            account_id=ids.account("Checking"),
            date=date(2026, 6, 16),
            amount=-20_000,
            payee_id=ids.transfer_to("Savings"),
        ).id
    other = get(sandbox, f"{BASE}/transactions/{key}")["transaction"]["transfer_transaction_id"]
    known = cursor(sandbox)
    delete(sandbox, other)
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)["transactions"]
    assert {(row["id"], row["deleted"]) for row in delta} == {(key, True), (other, True)}


def test_the_default_of_one_year_applies_to_deltas_and_the_cursor_advances(
    sandbox: Sandbox, ids: Ids
) -> None:
    known = cursor(sandbox)
    with sandbox.device.edit() as editor:
        key = editor.transactions.add(
            account_id=ids.account("Checking"), date=date(2024, 5, 5), amount=-1_000
        ).id
    path = f"{BASE}/transactions"
    assert get(sandbox, path, last_knowledge_of_server=known) == {
        "transactions": [],
        "server_knowledge": known + 1,
    }
    wide = get(sandbox, path, last_knowledge_of_server=known, since_date="2000-01-01")
    assert [row["id"] for row in wide["transactions"]] == [key]


def test_a_delta_has_another_order_than_the_full_list(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    keys = [spend(sandbox, ids, day=day) for day in (10, 12, 14)]
    delta = get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known)["transactions"]
    assert [row["id"] for row in delta] == keys[::-1]
    whole = [row["id"] for row in get(sandbox, f"{BASE}/transactions")["transactions"]]
    assert [key for key in whole if key in keys] == keys


def test_a_renamed_payee_is_in_the_delta_but_its_transactions_are_not(
    sandbox: Sandbox, ids: Ids
) -> None:
    known = cursor(sandbox)
    with sandbox.device.edit() as editor:
        payee = editor.budget.payees[ids.payee("Corner Market")]
        editor.payees.rename(payee, "Corner Market & Sons")
    assert get(sandbox, f"{BASE}/transactions", last_knowledge_of_server=known) == {
        "transactions": [],
        "server_knowledge": known + 1,
    }
    payees = get(sandbox, f"{BASE}/payees", last_knowledge_of_server=known)["payees"]
    assert [row["name"] for row in payees] == ["Corner Market & Sons"]
    rows = get(sandbox, f"{BASE}/transactions")["transactions"]
    assert "Corner Market & Sons" in {row["payee_name"] for row in rows}


def test_renaming_a_card_renames_its_transfer_payee_and_payment_category(
    sandbox: Sandbox, ids: Ids
) -> None:
    known = cursor(sandbox)
    with sandbox.device.edit() as editor:
        editor.accounts.rename(editor.budget.accounts[ids.account("Credit Card")], "Plastic")
    payees = get(sandbox, f"{BASE}/payees", last_knowledge_of_server=known)["payees"]
    assert [row["name"] for row in payees] == ["Transfer : Plastic"]
    groups = get(sandbox, f"{BASE}/categories", last_knowledge_of_server=known)["category_groups"]
    assert [row["name"] for row in groups[0]["categories"]] == ["Plastic"]


def test_a_category_in_a_new_group_is_listed_in_the_new_group(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    holiday = ids.category("Health & Fun", "Holiday")
    with sandbox.device.edit() as editor:
        category = editor.budget.categories[holiday]
        editor.categories.edit(category, group_id=ids.group("Savings"))
    groups = get(sandbox, f"{BASE}/categories", last_knowledge_of_server=known)["category_groups"]
    assert [(g["name"], [row["id"] for row in g["categories"]]) for g in groups] == [
        ("Savings", [holiday])
    ]


def test_assigning_in_a_past_month_changes_the_later_months(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    category = ids.category("Savings", "Rücklagen")
    with sandbox.device.edit() as editor:
        april = editor.budget.current_month - 2
        editor.categories.assign(editor.budget.categories[category], april, 5_000)
    check_books(sandbox)
    months = get(sandbox, f"{BASE}/months", last_knowledge_of_server=known)["months"]
    assert {row["month"] for row in months} == {"2026-04-01", "2026-05-01", "2026-06-01"}


def test_the_delta_of_the_export_contains_only_changed_categories_of_months(
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


def test_the_delta_of_the_export_contains_the_parts_of_a_changed_split(
    sandbox: Sandbox, ids: Ids
) -> None:
    known = cursor(sandbox)
    parts = [
        NewPart(amount=-10_000, category_id=ids.category("Everyday", "Groceries")),
        NewPart(amount=-20_000, payee_id=ids.transfer_to("Wallet")),
    ]
    with sandbox.device.edit() as editor:
        key = editor.transactions.add(
            account_id=ids.account("Checking"), date=date(2026, 6, 16), amount=-30_000, parts=parts
        ).id
    check_books(sandbox)
    delta = get(sandbox, BASE, last_knowledge_of_server=known)["budget"]
    assert [row["transaction_id"] for row in delta["subtransactions"]] == [key, key]
    delete(sandbox, key)
    deleted = get(sandbox, BASE, last_knowledge_of_server=known)["budget"]
    assert [row["deleted"] for row in deleted["subtransactions"]] == [True, True]
    assert [row["deleted"] for row in deleted["transactions"]] == [True, True]


def test_under_plans_money_movements_have_deltas(sandbox: Sandbox, ids: Ids) -> None:
    known = cursor(sandbox)
    category = ids.category("Savings", "Rücklagen")
    with sandbox.device.edit() as editor:
        june = editor.budget.current_month
        editor.categories.assign(editor.budget.categories[category], june, 5_000)
    delta = get(sandbox, "/plans/last-used/money_movements", last_knowledge_of_server=known)
    assert [
        (row["month"], row["from_category_id"], row["to_category_id"], row["amount"])
        for row in delta["money_movements"]
    ] == [("2026-06-01", None, category, 5_000)]
