"""Requests that write transactions, assigned amounts and category groups."""

from __future__ import annotations

from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox.ask import Ids, Json, get, knowledge, refused, send, write

BASE = "/budgets/last-used"
ROWS = f"{BASE}/transactions"


def row(ids: Ids, **more: Any) -> dict[str, Any]:
    return {
        "account_id": ids.account("Checking"),
        "date": "2026-06-16",
        "amount": -12_340,
        "category_id": ids.category("Everyday", "Groceries"),
    } | more


def balance(sandbox: Sandbox, ids: Ids, account: str) -> int:
    key = ids.account(account)
    amount: int = get(sandbox, f"{BASE}/accounts/{key}")["account"]["balance"]
    return amount


def groceries(sandbox: Sandbox, ids: Ids, month: str = "current") -> dict[str, int]:
    key = ids.category("Everyday", "Groceries")
    category: dict[str, int] = get(sandbox, f"{BASE}/months/{month}/categories/{key}")["category"]
    return category


def test_a_new_transaction_changes_account_category_and_month(sandbox: Sandbox, ids: Ids) -> None:
    checking, before = balance(sandbox, ids, "Checking"), groceries(sandbox, ids)
    month = get(sandbox, f"{BASE}/months/current")["month"]
    data = write(sandbox, "POST", ROWS, {"transaction": row(ids, payee_name="Neuer Laden")}, 201)
    assert set(data) == {"transaction_ids", "server_knowledge", "transaction"}
    made = data["transaction"]
    assert data["transaction_ids"] == [made["id"]]
    assert (made["payee_name"], made["category_name"]) == ("Neuer Laden", "Groceries")
    assert (made["approved"], made["cleared"]) == (False, "uncleared")
    assert balance(sandbox, ids, "Checking") == checking - 12_340
    after = groceries(sandbox, ids)
    assert after["activity"] == before["activity"] - 12_340
    assert after["balance"] == before["balance"] - 12_340
    activity = get(sandbox, f"{BASE}/months/current")["month"]["activity"]
    assert activity == month["activity"] - 12_340


def test_a_payee_name_adds_one_payee(sandbox: Sandbox, ids: Ids) -> None:
    body = {"transactions": [row(ids, payee_name="Twice"), row(ids, payee_name="Twice")]}
    data = write(sandbox, "POST", ROWS, body, 201)
    assert len({made["payee_id"] for made in data["transactions"]}) == 1
    names = [payee["name"] for payee in get(sandbox, f"{BASE}/payees")["payees"]]
    assert names.count("Twice") == 1


def test_income_goes_to_ready_to_assign(sandbox: Sandbox, ids: Ids) -> None:
    before = get(sandbox, f"{BASE}/months/current")["month"]
    inflow = ids.category("Internal Master Category", "Inflow: Ready to Assign")
    write(sandbox, "POST", ROWS, {"transaction": row(ids, amount=100_000, category_id=inflow)}, 201)
    after = get(sandbox, f"{BASE}/months/current")["month"]
    assert after["income"] == before["income"] + 100_000
    assert after["to_be_budgeted"] == before["to_be_budgeted"] + 100_000
    assert after["activity"] == before["activity"]


def test_spending_on_the_card_moves_money_to_its_payment_category(
    sandbox: Sandbox, ids: Ids
) -> None:
    payment = ids.category("Credit Card Payments", "Credit Card")

    def available() -> int:
        amount: int = get(sandbox, f"{BASE}/categories/{payment}")["category"]["balance"]
        return amount

    before = available()
    assert groceries(sandbox, ids)["balance"] > 5_000
    card = ids.account("Credit Card")
    write(sandbox, "POST", ROWS, {"transaction": row(ids, account_id=card, amount=-5_000)}, 201)
    assert available() == before + 5_000
    write(
        sandbox,
        "POST",
        ROWS,
        {"transaction": row(ids, amount=-2_000, payee_id=ids.transfer_to("Credit Card"))},
        201,
    )
    assert available() == before + 3_000


def test_only_cash_overspending_reduces_ready_to_assign_of_the_next_month(
    sandbox: Sandbox, ids: Ids
) -> None:
    def ready(month: str) -> int:
        amount: int = get(sandbox, f"{BASE}/months/{month}")["month"]["to_be_budgeted"]
        return amount

    fund = ids.category("Savings", "Rücklagen")
    may, june = ready("2026-05-01"), ready("2026-06-01")
    on_card = row(
        ids,
        account_id=ids.account("Credit Card"),
        date="2026-05-20",
        amount=-7_000,
        category_id=fund,
    )
    write(sandbox, "POST", ROWS, {"transaction": on_card}, 201)
    assert (ready("2026-05-01"), ready("2026-06-01")) == (may, june)
    in_cash = row(ids, date="2026-05-20", amount=-9_000, category_id=fund)
    write(sandbox, "POST", ROWS, {"transaction": in_cash}, 201)
    assert (ready("2026-05-01"), ready("2026-06-01")) == (may, june - 9_000)
    later = get(sandbox, f"{BASE}/months/2026-06-01/categories/{fund}")["category"]
    assert later["balance"] == 0


def test_changes_of_a_transfer_change_its_other_side(sandbox: Sandbox, ids: Ids) -> None:
    body = row(ids, amount=-50_000, payee_id=ids.transfer_to("Savings"))
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    assert made["category_id"] is None
    assert made["transfer_account_id"] == ids.account("Savings")
    path = f"{ROWS}/{made['transfer_transaction_id']}"
    other = get(sandbox, path)["transaction"]
    assert (other["amount"], other["account_name"]) == (50_000, "Savings")
    assert other["transfer_transaction_id"] == made["id"]
    assert other["payee_name"] == "Transfer : Checking"

    write(sandbox, "PUT", path, {"transaction": {"amount": 60_000, "date": "2026-06-10"}})
    made = get(sandbox, f"{ROWS}/{made['id']}")["transaction"]
    assert (made["amount"], made["date"]) == (-60_000, "2026-06-10")

    write(
        sandbox,
        "PUT",
        f"{ROWS}/{made['id']}",
        {"transaction": {"payee_id": ids.transfer_to("Wallet")}},
    )
    assert get(sandbox, path)["transaction"]["account_name"] == "Wallet"

    write(
        sandbox,
        "PUT",
        f"{ROWS}/{made['id']}",
        {"transaction": {"payee_id": ids.payee("Corner Market")}},
    )
    assert send(sandbox, "GET", path).status_code == 404
    assert get(sandbox, f"{ROWS}/{made['id']}")["transaction"]["transfer_account_id"] is None


def test_a_payment_of_the_loan_keeps_its_category(sandbox: Sandbox, ids: Ids) -> None:
    body = row(
        ids, payee_id=ids.transfer_to("Car Loan"), category_id=ids.category("Car", "Loan Payment")
    )
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    assert made["category_name"] == "Loan Payment"
    other = get(sandbox, f"{ROWS}/{made['transfer_transaction_id']}")["transaction"]
    assert (other["category_id"], other["debt_transaction_type"]) == (None, "payment")


def test_parts_of_a_split_count_in_their_own_categories(sandbox: Sandbox, ids: Ids) -> None:
    before = groceries(sandbox, ids)["activity"]
    body = row(
        ids,
        amount=-30_000,
        subtransactions=[
            {"amount": -10_000, "category_id": ids.category("Everyday", "Groceries")},
            {"amount": -20_000, "payee_id": ids.transfer_to("Wallet"), "memo": "cash"},
        ],
    )
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    assert (made["category_id"], made["category_name"]) == (None, "Split")
    assert groceries(sandbox, ids)["activity"] == before - 10_000
    other = get(sandbox, f"{ROWS}/{made['subtransactions'][1]['transfer_transaction_id']}")
    assert other["transaction"]["amount"] == 20_000
    assert other["transaction"]["transfer_transaction_id"] == made["id"]

    change = {"amount": -1, "date": "2026-06-01", "memo": "new", "subtransactions": []}
    path = f"{ROWS}/{made['id']}"
    changed = write(sandbox, "PUT", path, {"transaction": change})["transaction"]
    assert (changed["amount"], changed["date"], changed["memo"]) == (-30_000, "2026-06-16", "new")
    assert len(changed["subtransactions"]) == 2

    deleted = write(sandbox, "DELETE", path, None)["transaction"]
    assert deleted["deleted"]
    assert groceries(sandbox, ids)["activity"] == before


def test_deleting_the_other_side_of_a_part_deletes_the_split(sandbox: Sandbox, ids: Ids) -> None:
    body = row(
        ids,
        amount=-5_000,
        subtransactions=[{"amount": -5_000, "payee_id": ids.transfer_to("Wallet")}],
    )
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    other = made["subtransactions"][0]["transfer_transaction_id"]
    write(sandbox, "DELETE", f"{ROWS}/{other}", None)
    assert send(sandbox, "GET", f"{ROWS}/{made['id']}").status_code == 404


def test_the_parts_of_a_split_must_sum_to_its_amount(sandbox: Sandbox, ids: Ids) -> None:
    body = row(ids, subtransactions=[{"amount": -1_000}])
    assert refused(sandbox, "POST", ROWS, json={"transaction": body}) == (
        400,
        {
            "id": "400",
            "name": "bad_request",
            "detail": "amount must equal the sum of subtransaction amounts (index: 0)",
        },
    )


def test_an_update_can_turn_a_transaction_into_a_split(sandbox: Sandbox, ids: Ids) -> None:
    made = write(sandbox, "POST", ROWS, {"transaction": row(ids)}, 201)["transaction"]
    body = {"transaction": {"category_id": None, "subtransactions": [{"amount": -12_340}]}}
    changed = write(sandbox, "PUT", f"{ROWS}/{made['id']}", body)["transaction"]
    assert changed["category_name"] == "Split"
    assert [part["amount"] for part in changed["subtransactions"]] == [-12_340]


def test_an_update_changes_only_the_fields_of_its_body(sandbox: Sandbox, ids: Ids) -> None:
    body = row(ids, memo="kept", flag_color="red", approved=True, cleared="cleared")
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    changed = write(
        sandbox, "PATCH", ROWS, {"transactions": [{"id": made["id"], "amount": -1_000}]}
    )["transactions"][0]
    assert changed == made | {"amount": -1_000}


def test_an_import_id_stays_used_after_the_transaction_is_deleted(
    sandbox: Sandbox, ids: Ids
) -> None:
    body = row(ids, import_id="YNAB:-12340:2026-06-16:1")
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    status, error = refused(sandbox, "POST", ROWS, json={"transaction": body})
    assert (status, error["id"], error["name"]) == (409, "409", "conflict")
    write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)
    assert refused(sandbox, "POST", ROWS, json={"transaction": body})[0] == 409
    other = body | {"import_id": "new"}
    batch = {"transactions": [body, other, other]}
    data = write(sandbox, "POST", ROWS, batch, 201)
    assert data["duplicate_import_ids"] == ["YNAB:-12340:2026-06-16:1", "new"]
    assert len(data["transaction_ids"]) == len(data["transactions"]) == 1
    elsewhere = body | {"account_id": ids.account("Savings")}
    write(sandbox, "POST", ROWS, {"transaction": elsewhere}, 201)


def test_a_batch_selects_transactions_by_import_id(sandbox: Sandbox, ids: Ids) -> None:
    write(sandbox, "POST", ROWS, {"transaction": row(ids, import_id="here")}, 201)
    body = {"transactions": [{"import_id": "here", "memo": "found"}]}
    assert write(sandbox, "PATCH", ROWS, body)["transactions"][0]["memo"] == "found"


def test_an_invalid_row_refuses_the_whole_batch(sandbox: Sandbox, ids: Ids) -> None:
    before = get(sandbox, f"{BASE}/payees")
    body = {"transactions": [row(ids, payee_name="Never"), row(ids, amount="12")]}
    status, error = refused(sandbox, "POST", ROWS, json=body)
    assert (status, error["detail"]) == (400, "amount must be an integer (index: 1)")
    assert get(sandbox, f"{BASE}/payees") == before


def test_a_deleted_transaction_no_longer_counts(sandbox: Sandbox, ids: Ids) -> None:
    checking, before = balance(sandbox, ids, "Checking"), groceries(sandbox, ids)
    made = write(sandbox, "POST", ROWS, {"transaction": row(ids)}, 201)["transaction"]
    deleted = write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)
    assert deleted["transaction"] == made | {"deleted": True}
    assert balance(sandbox, ids, "Checking") == checking
    assert groceries(sandbox, ids) == before
    assert send(sandbox, "DELETE", f"{ROWS}/{made['id']}").status_code == 404


def test_a_new_date_in_another_month_changes_both_months(sandbox: Sandbox, ids: Ids) -> None:
    made = write(sandbox, "POST", ROWS, {"transaction": row(ids)}, 201)["transaction"]
    may, june = groceries(sandbox, ids, "2026-05-01"), groceries(sandbox, ids)
    write(sandbox, "PUT", f"{ROWS}/{made['id']}", {"transaction": {"date": "2026-05-31"}})
    assert groceries(sandbox, ids, "2026-05-01")["activity"] == may["activity"] - 12_340
    assert groceries(sandbox, ids)["activity"] == june["activity"] + 12_340


def test_a_transaction_before_the_first_month_adds_months(sandbox: Sandbox, ids: Ids) -> None:
    write(sandbox, "POST", ROWS, {"transaction": row(ids, date="2022-11-05")}, 201)
    assert get(sandbox, "/budgets")["budgets"][0]["first_month"] == "2022-11-01"
    assert get(sandbox, f"{BASE}/months")["months"][-1]["activity"] == -12_340


def test_assigning_changes_category_and_ready_to_assign_and_adds_a_movement(
    sandbox: Sandbox, ids: Ids
) -> None:
    before, month = groceries(sandbox, ids), get(sandbox, f"{BASE}/months/current")["month"]
    key = ids.category("Everyday", "Groceries")
    target = before["budgeted"] + 25_000
    data = write(
        sandbox,
        "PATCH",
        f"{BASE}/months/current/categories/{key}",
        {"category": {"budgeted": target, "name": "ignored"}},
    )
    assert set(data) == {"category", "server_knowledge"}
    assert data["category"]["balance"] == before["balance"] + 25_000
    assert data["category"]["name"] == "Groceries"
    after = get(sandbox, f"{BASE}/months/current")["month"]
    assert after["to_be_budgeted"] == month["to_be_budgeted"] - 25_000
    move = get(sandbox, "/plans/last-used/money_movements")["money_movements"][-1]
    assert (move["from_category_id"], move["to_category_id"], move["amount"]) == (None, key, 25_000)


def test_assigning_in_a_future_month_adds_the_month(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    carried = groceries(sandbox, ids)["balance"]
    path = f"{BASE}/months/2026-09-01/categories/{key}"
    shown = write(sandbox, "PATCH", path, {"category": {"budgeted": 1_000}})["category"]
    assert shown["balance"] == carried + 1_000
    assert get(sandbox, "/budgets")["budgets"][0]["last_month"] == "2026-09-01"


def test_category_groups_are_created_and_renamed(sandbox: Sandbox) -> None:
    path = f"{BASE}/category_groups"
    data = write(sandbox, "POST", path, {"category_group": {"name": "Garten"}}, 201)
    group = data["category_group"]
    assert group == {
        "id": group["id"],
        "name": "Garten",
        "hidden": False,
        "internal": False,
        "deleted": False,
    }
    renamed = write(
        sandbox, "PATCH", f"{path}/{group['id']}", {"category_group": {"name": "Garden"}}
    )
    assert renamed["category_group"]["name"] == "Garden"
    assert renamed["server_knowledge"] == data["server_knowledge"] + 1
    shown = get(sandbox, f"{BASE}/categories")["category_groups"][-1]
    assert (shown["name"], shown["categories"]) == ("Garden", [])


def test_both_path_spellings_write_to_the_same_budget(sandbox: Sandbox, ids: Ids) -> None:
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used/transactions"
        made = write(sandbox, "POST", path, {"transaction": row(ids)}, 201)["transaction"]
        for other in ("budgets", "plans"):
            found = get(sandbox, f"/{other}/last-used/transactions/{made['id']}")["transaction"]
            assert found["amount"] == -12_340, (spelling, other)


def test_the_payment_category_of_a_card_is_ignored(sandbox: Sandbox, ids: Ids) -> None:
    payment = ids.category("Credit Card Payments", "Credit Card")
    data = write(sandbox, "POST", ROWS, {"transaction": row(ids, category_id=payment)}, 201)
    assert data["transaction"]["category_id"] is None


def test_the_last_and_the_first_valid_date(sandbox: Sandbox, ids: Ids) -> None:
    for day in ("2026-06-17", "2021-06-17"):
        made = write(sandbox, "POST", ROWS, {"transaction": row(ids, date=day)}, 201)
        assert made["transaction"]["date"] == day


def test_an_update_with_a_payment_category_keeps_the_category(sandbox: Sandbox, ids: Ids) -> None:
    made = write(sandbox, "POST", ROWS, {"transaction": row(ids)}, 201)["transaction"]
    payment = ids.category("Credit Card Payments", "Credit Card")
    body = {"transaction": {"category_id": payment, "memo": "new"}}
    changed = write(sandbox, "PUT", f"{ROWS}/{made['id']}", body)["transaction"]
    assert changed == made | {"memo": "new"}


def test_a_split_of_a_transfer_on_a_device_ends_the_transfer(sandbox: Sandbox, ids: Ids) -> None:
    body = row(ids, payee_id=ids.transfer_to("Savings"))
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    part = NewPart(amount=-12_340, category_id=ids.category("Everyday", "Groceries"))
    with sandbox.device.edit() as editor:
        editor.transactions.edit(editor.budget.transactions[made["id"]], {}, [part])
    split = get(sandbox, f"{ROWS}/{made['id']}")["transaction"]
    assert (split["payee_id"], split["transfer_account_id"]) == (None, None)
    assert send(sandbox, "GET", f"{ROWS}/{made['transfer_transaction_id']}").status_code == 404


IN_TRACKING_ACCOUNT = "a transaction in a tracking account cannot have subtransactions"
OF_TRANSFER = "a transfer cannot have subtransactions"


def test_a_split_in_a_tracking_account_and_of_a_transfer_is_refused(
    sandbox: Sandbox, ids: Ids, subtests: pytest.Subtests
) -> None:
    parts = [{"amount": -12_340}]
    in_fund = row(ids, account_id=ids.account("Index Fund"))
    transfer = row(ids, payee_id=ids.transfer_to("Savings"))
    split = write(sandbox, "POST", ROWS, {"transaction": row(ids, subtransactions=parts)}, 201)[
        "transaction"
    ]
    one, other = (
        write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
        for body in (in_fund, transfer)
    )
    to_split: Json = {"subtransactions": parts}
    other_side = {"subtransactions": [{"amount": 12_340}]}
    cases: tuple[tuple[str, str, Json, str], ...] = (
        ("POST", ROWS, in_fund | to_split, IN_TRACKING_ACCOUNT),
        ("POST", ROWS, transfer | to_split, OF_TRANSFER),
        ("PUT", f"{ROWS}/{one['id']}", to_split, IN_TRACKING_ACCOUNT),
        ("PUT", f"{ROWS}/{other['id']}", to_split, OF_TRANSFER),
        ("PUT", f"{ROWS}/{other['transfer_transaction_id']}", other_side, OF_TRANSFER),
        ("PUT", f"{ROWS}/{split['id']}", {"account_id": one["account_id"]}, IN_TRACKING_ACCOUNT),
        ("PUT", f"{ROWS}/{split['id']}", {"payee_id": other["payee_id"]}, OF_TRANSFER),
    )
    before = knowledge(sandbox)
    for method, path, body, detail in cases:
        with subtests.test(method=method, path=path, body=body):
            status, error = refused(sandbox, method, path, json={"transaction": body})
            assert status == 400
            assert error["detail"].removesuffix(" (index: 0)") == detail
    assert knowledge(sandbox) == before


def test_a_part_of_a_split_can_be_a_transfer(sandbox: Sandbox, ids: Ids) -> None:
    parts = [{"amount": -12_340, "payee_id": ids.transfer_to("Wallet")}]
    body = {"transaction": row(ids, subtransactions=parts)}
    made = write(sandbox, "POST", ROWS, body, 201)["transaction"]
    assert made["subtransactions"][0]["transfer_account_id"] == ids.account("Wallet")


def test_the_name_of_a_transfer_payee_is_refused_in_a_new_row(
    sandbox: Sandbox, ids: Ids, subtests: pytest.Subtests
) -> None:
    before = knowledge(sandbox)
    named = row(ids, payee_name="Transfer : Savings")
    detail = "payee_name must not be that of a transfer, use payee_id"
    in_part = row(ids, subtransactions=[{"amount": -12_340, "payee_name": "Transfer : Savings"}])
    scheduled = named | {"date": "2026-06-18"}
    for path, body, expected in (
        (ROWS, {"transaction": named}, f"{detail} (index: 0)"),
        (ROWS, {"transactions": [row(ids), named]}, f"{detail} (index: 1)"),
        (ROWS, {"transaction": in_part}, f"{detail} (index: 0)"),
        (f"{BASE}/scheduled_transactions", {"scheduled_transaction": scheduled}, detail),
    ):
        with subtests.test(path=path, body=body):
            status, error = refused(sandbox, "POST", path, json=body)
            assert (status, error["id"], error["detail"]) == (400, "400", expected)
    assert knowledge(sandbox) == before


def test_with_a_payee_id_the_payee_name_does_not_count(sandbox: Sandbox, ids: Ids) -> None:
    payee_id = ids.payee("Corner Market")
    body = row(ids, payee_name="Transfer : Savings", payee_id=payee_id)
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    assert (made["payee_id"], made["transfer_account_id"]) == (payee_id, None)


def test_an_update_of_a_split_ignores_date_amount_and_category(sandbox: Sandbox, ids: Ids) -> None:
    body = row(ids, subtransactions=[{"amount": -12_340}])
    made = write(sandbox, "POST", ROWS, {"transaction": body}, 201)["transaction"]
    ignored = {"date": "2050-01-01", "amount": 5, "category_id": ids.category("Car", "Fuel")}
    same = write(sandbox, "PUT", f"{ROWS}/{made['id']}", {"transaction": ignored})["transaction"]
    assert same == made


def test_an_id_has_priority_over_an_import_id(sandbox: Sandbox, ids: Ids) -> None:
    made = write(sandbox, "POST", ROWS, {"transaction": row(ids, import_id="mine")}, 201)
    change = {"id": made["transaction"]["id"], "import_id": "another", "memo": "found"}
    changed = write(sandbox, "PATCH", ROWS, {"transactions": [change]})["transactions"][0]
    assert (changed["memo"], changed["import_id"]) == ("found", "mine")


def test_a_batch_with_an_unknown_transaction_is_refused(shared: Sandbox) -> None:
    keys: tuple[dict[str, Any], ...] = (
        {},
        {"id": None},
        {"id": "nobody"},
        {"id": 5},
        {"import_id": "none"},
        {"import_id": 5},
    )
    for key in keys:
        body = {"transactions": [key | {"memo": "x"}]}
        status, error = refused(shared, "PATCH", ROWS, json=body)
        assert status == 400, key
        assert error["detail"].endswith("(index: 0)"), key


def test_texts_of_the_maximum_length(sandbox: Sandbox, ids: Ids) -> None:
    texts = {"payee_name": "ō" * 200, "memo": "ß" * 500, "import_id": "i" * 36}
    made = write(sandbox, "POST", ROWS, {"transaction": row(ids, **texts)}, 201)["transaction"]
    assert {name: made[name] for name in texts} == texts


def test_an_empty_flag_color_and_null_remove_the_flag(sandbox: Sandbox, ids: Ids) -> None:
    for color in ("", None):
        made = write(sandbox, "POST", ROWS, {"transaction": row(ids, flag_color="red")}, 201)
        path = f"{ROWS}/{made['transaction']['id']}"
        changed = write(sandbox, "PUT", path, {"transaction": {"flag_color": color}})["transaction"]
        assert (changed["flag_color"], changed["flag_name"]) == (None, None), color
