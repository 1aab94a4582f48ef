"""Requests that write transactions, assigned amounts and category groups."""

from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox

from .ask import BASE, Ids, Json, add, change, get, knowledge, read, refused, send, write

ROWS = f"{BASE}/transactions"


def row(ids: Ids, **more: Any) -> Json:
    return {
        "account_id": ids.account("Checking"), "date": "2026-06-16", "amount": -12_340,
        "category_id": ids.category("Everyday", "Groceries"),
    } | more  # fmt: skip


def balance(sandbox: Sandbox, ids: Ids, account: str) -> int:
    amount: int = read(sandbox, f"accounts/{ids.account(account)}")["balance"]
    return amount


def groceries(sandbox: Sandbox, ids: Ids, month: str = "current") -> dict[str, int]:
    key = ids.category("Everyday", "Groceries")
    category: dict[str, int] = read(sandbox, f"months/{month}/categories/{key}")
    return category


def month_of(sandbox: Sandbox, month: str = "current") -> dict[str, int]:
    found: dict[str, int] = read(sandbox, f"months/{month}")
    return found


def is_gone(sandbox: Sandbox, key: str) -> bool:
    return send(sandbox, "GET", f"{ROWS}/{key}").status_code == 404


def test_a_new_transaction_changes_account_category_and_month(sandbox: Sandbox, ids: Ids) -> None:
    checking, before = balance(sandbox, ids, "Checking"), groceries(sandbox, ids)
    month = month_of(sandbox)
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
    assert month_of(sandbox)["activity"] == month["activity"] - 12_340


def test_a_payee_name_adds_one_payee(sandbox: Sandbox, ids: Ids) -> None:
    body = {"transactions": [row(ids, payee_name="Twice"), row(ids, payee_name="Twice")]}
    data = write(sandbox, "POST", ROWS, body, 201)
    assert len({made["payee_id"] for made in data["transactions"]}) == 1
    assert [payee["name"] for payee in read(sandbox, "payees")].count("Twice") == 1


def test_income_goes_to_ready_to_assign(sandbox: Sandbox, ids: Ids) -> None:
    before = month_of(sandbox)
    inflow = ids.category("Internal Master Category", "Inflow: Ready to Assign")
    add(sandbox, row(ids, amount=100_000, category_id=inflow))
    after = month_of(sandbox)
    assert after["income"] == before["income"] + 100_000
    assert after["to_be_budgeted"] == before["to_be_budgeted"] + 100_000
    assert after["activity"] == before["activity"]


def test_spending_on_a_card_moves_money_to_its_payment_category(sandbox: Sandbox, ids: Ids) -> None:
    payment = f"categories/{ids.category('Credit Card Payments', 'Credit Card')}"
    before = read(sandbox, payment)["balance"]
    assert groceries(sandbox, ids)["balance"] > 5_000
    add(sandbox, row(ids, account_id=ids.account("Credit Card"), amount=-5_000))
    assert read(sandbox, payment)["balance"] == before + 5_000
    add(sandbox, row(ids, amount=-2_000, payee_id=ids.transfer_to("Credit Card")))
    assert read(sandbox, payment)["balance"] == before + 3_000


def test_only_cash_overspending_lowers_the_next_ready_to_assign(sandbox: Sandbox, ids: Ids) -> None:
    def ready() -> tuple[int, int]:
        may, june = (month_of(sandbox, f"2026-{month}-01") for month in ("05", "06"))
        return may["to_be_budgeted"], june["to_be_budgeted"]

    fund = ids.category("Savings", "Rücklagen")
    spent = row(ids, date="2026-05-20", category_id=fund)
    may, june = ready()
    add(sandbox, spent | {"account_id": ids.account("Credit Card"), "amount": -7_000})
    assert ready() == (may, june)
    add(sandbox, spent | {"amount": -9_000})
    assert ready() == (may, june - 9_000)
    assert read(sandbox, f"months/2026-06-01/categories/{fund}")["balance"] == 0


def test_changes_of_a_transfer_change_its_other_side(sandbox: Sandbox, ids: Ids) -> None:
    made = add(sandbox, row(ids, amount=-50_000, payee_id=ids.transfer_to("Savings")))
    assert made["category_id"] is None
    assert made["transfer_account_id"] == ids.account("Savings")
    key, other_key = made["id"], made["transfer_transaction_id"]
    other = read(sandbox, f"transactions/{other_key}")
    assert (other["amount"], other["account_name"]) == (50_000, "Savings")
    assert (other["transfer_transaction_id"], other["payee_name"]) == (key, "Transfer : Checking")

    change(sandbox, other_key, amount=60_000, date="2026-06-10")
    made = read(sandbox, f"transactions/{key}")
    assert (made["amount"], made["date"]) == (-60_000, "2026-06-10")
    change(sandbox, key, payee_id=ids.transfer_to("Wallet"))
    assert read(sandbox, f"transactions/{other_key}")["account_name"] == "Wallet"
    made = change(sandbox, key, payee_id=ids.payee("Corner Market"))
    assert made["transfer_account_id"] is None
    assert is_gone(sandbox, other_key)


def test_a_payment_of_the_loan_keeps_its_category(sandbox: Sandbox, ids: Ids) -> None:
    loan = {"payee_id": ids.transfer_to("Car Loan")}
    made = add(sandbox, row(ids, **loan, category_id=ids.category("Car", "Loan Payment")))
    assert made["category_name"] == "Loan Payment"
    other = read(sandbox, f"transactions/{made['transfer_transaction_id']}")
    assert (other["category_id"], other["debt_transaction_type"]) == (None, "payment")


def test_parts_of_a_split_count_in_their_own_categories(sandbox: Sandbox, ids: Ids) -> None:
    before = groceries(sandbox, ids)["activity"]
    parts = [
        {"amount": -10_000, "category_id": ids.category("Everyday", "Groceries")},
        {"amount": -20_000, "payee_id": ids.transfer_to("Wallet"), "memo": "cash"},
    ]
    made = add(sandbox, row(ids, amount=-30_000, subtransactions=parts))
    assert (made["category_id"], made["category_name"]) == (None, "Split")
    assert groceries(sandbox, ids)["activity"] == before - 10_000
    to_wallet = made["subtransactions"][1]
    assert to_wallet["transfer_account_id"] == ids.account("Wallet")
    other = read(sandbox, f"transactions/{to_wallet['transfer_transaction_id']}")
    assert (other["amount"], other["transfer_transaction_id"]) == (20_000, made["id"])

    ignored = {"amount": -1, "date": "2050-01-01", "category_id": ids.category("Car", "Fuel")}
    changed = change(sandbox, made["id"], **ignored, memo="new", subtransactions=[])
    assert changed == made | {"memo": "new"}

    sandbox.device.state().is_lenient = True
    assert write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)["transaction"]["deleted"]
    assert groceries(sandbox, ids)["activity"] == before
    assert is_gone(sandbox, other["id"])


def test_a_side_of_a_part_is_not_split_and_deletes_the_split(sandbox: Sandbox, ids: Ids) -> None:
    parts = [{"amount": -5_000, "payee_id": ids.transfer_to("Wallet")}]
    made = add(sandbox, row(ids, amount=-5_000, subtransactions=parts))
    other = made["subtransactions"][0]["transfer_transaction_id"]
    own = {"payee_id": ids.payee("Corner Market"), "subtransactions": [{"amount": 5_000}]}
    changed = change(sandbox, other, **own)
    assert (changed["payee_name"], changed["subtransactions"]) == ("Transfer : Checking", [])
    write(sandbox, "DELETE", f"{ROWS}/{other}", None)
    assert is_gone(sandbox, made["id"])


def test_the_parts_of_a_split_must_sum_to_its_amount(sandbox: Sandbox, ids: Ids) -> None:
    body = {"transaction": row(ids, subtransactions=[{"amount": -1_000}])}
    status, error = refused(sandbox, "POST", ROWS, json=body)
    detail = "amount must equal the sum of subtransaction amounts (index: 0)"
    assert (status, error) == (400, {"id": "400", "name": "bad_request", "detail": detail})


def test_an_update_can_turn_a_transaction_into_a_split(sandbox: Sandbox, ids: Ids) -> None:
    made = add(sandbox, row(ids))
    changed = change(sandbox, made["id"], category_id=None, subtransactions=[{"amount": -12_340}])
    assert changed["category_name"] == "Split"
    assert [part["amount"] for part in changed["subtransactions"]] == [-12_340]


def test_an_update_changes_only_the_fields_of_its_body(sandbox: Sandbox, ids: Ids) -> None:
    kept = {"memo": "kept", "flag_color": "red", "approved": True, "cleared": "cleared"}
    made = add(sandbox, row(ids, **kept))
    body = {"transactions": [{"id": made["id"], "amount": -1_000}]}
    (changed,) = write(sandbox, "PATCH", ROWS, body)["transactions"]
    assert changed == made | {"amount": -1_000}


def test_an_import_id_stays_used_after_its_row_is_deleted(sandbox: Sandbox, ids: Ids) -> None:
    body = row(ids, import_id="YNAB:-12340:2026-06-16:1")
    made = add(sandbox, body)
    status, error = refused(sandbox, "POST", ROWS, json={"transaction": body})
    assert (status, error["id"], error["name"]) == (409, "409", "conflict")
    write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)
    assert refused(sandbox, "POST", ROWS, json={"transaction": body})[0] == 409
    other = body | {"import_id": "new"}
    data = write(sandbox, "POST", ROWS, {"transactions": [body, other, other]}, 201)
    assert data["duplicate_import_ids"] == ["YNAB:-12340:2026-06-16:1", "new"]
    assert len(data["transaction_ids"]) == len(data["transactions"]) == 1
    add(sandbox, body | {"account_id": ids.account("Savings")})


def test_a_batch_selects_transactions_by_id_or_import_id(sandbox: Sandbox, ids: Ids) -> None:
    key = add(sandbox, row(ids, import_id="here"))["id"]
    for selected in ({"import_id": "here"}, {"id": key, "import_id": "another"}):
        body = {"transactions": [selected | {"memo": str(selected)}]}
        (changed,) = write(sandbox, "PATCH", ROWS, body)["transactions"]
        assert (changed["memo"], changed["import_id"]) == (str(selected), "here")


def test_an_invalid_row_refuses_the_whole_batch(sandbox: Sandbox, ids: Ids) -> None:
    before = read(sandbox, "payees")
    body = {"transactions": [row(ids, payee_name="Never"), row(ids, amount="12")]}
    status, error = refused(sandbox, "POST", ROWS, json=body)
    assert (status, error["detail"]) == (400, "amount must be an integer (index: 1)")
    assert read(sandbox, "payees") == before


def test_a_deleted_transaction_no_longer_counts(sandbox: Sandbox, ids: Ids) -> None:
    checking, before = balance(sandbox, ids, "Checking"), groceries(sandbox, ids)
    made = add(sandbox, row(ids))
    deleted = write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)
    assert deleted["transaction"] == made | {"deleted": True}
    assert balance(sandbox, ids, "Checking") == checking
    assert groceries(sandbox, ids) == before
    assert send(sandbox, "DELETE", f"{ROWS}/{made['id']}").status_code == 404


def test_a_new_date_in_another_month_changes_both_months(sandbox: Sandbox, ids: Ids) -> None:
    made = add(sandbox, row(ids))
    may, june = groceries(sandbox, ids, "2026-05-01"), groceries(sandbox, ids)
    change(sandbox, made["id"], date="2026-05-31")
    assert groceries(sandbox, ids, "2026-05-01")["activity"] == may["activity"] - 12_340
    assert groceries(sandbox, ids)["activity"] == june["activity"] + 12_340


def test_a_transaction_before_the_first_month_adds_months(sandbox: Sandbox, ids: Ids) -> None:
    add(sandbox, row(ids, date="2022-11-05"))
    assert get(sandbox, "/budgets")["budgets"][0]["first_month"] == "2022-11-01"
    assert read(sandbox, "months")[-1]["activity"] == -12_340


def test_assigning_changes_two_categories_and_adds_a_movement(sandbox: Sandbox, ids: Ids) -> None:
    before, month = groceries(sandbox, ids), month_of(sandbox)
    key = ids.category("Everyday", "Groceries")
    body = {"category": {"budgeted": before["budgeted"] + 25_000, "name": "ignored"}}
    data = write(sandbox, "PATCH", f"{BASE}/months/current/categories/{key}", body)
    assert set(data) == {"category", "server_knowledge"}
    assert data["category"]["balance"] == before["balance"] + 25_000
    assert data["category"]["name"] == "Groceries"
    assert month_of(sandbox)["to_be_budgeted"] == month["to_be_budgeted"] - 25_000
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
    flags = {"hidden": False, "internal": False, "deleted": False}
    assert group == {"id": group["id"], "name": "Garten", **flags}
    body = {"category_group": {"name": "Garden"}}
    renamed = write(sandbox, "PATCH", f"{path}/{group['id']}", body)
    assert renamed["category_group"]["name"] == "Garden"
    assert renamed["server_knowledge"] == data["server_knowledge"] + 1
    shown = read(sandbox, "categories")[-1]
    assert (shown["name"], shown["categories"]) == ("Garden", [])


def test_the_payment_category_of_a_card_is_ignored(sandbox: Sandbox, ids: Ids) -> None:
    payment = ids.category("Credit Card Payments", "Credit Card")
    assert add(sandbox, row(ids, category_id=payment))["category_id"] is None
    made = add(sandbox, row(ids))
    assert change(sandbox, made["id"], category_id=payment, memo="new") == made | {"memo": "new"}


def test_the_last_and_the_first_valid_date(sandbox: Sandbox, ids: Ids) -> None:
    for day in ("2026-06-17", "2021-06-17"):
        assert add(sandbox, row(ids, date=day))["date"] == day


def test_a_split_of_a_transfer_on_a_device_ends_the_transfer(sandbox: Sandbox, ids: Ids) -> None:
    made = add(sandbox, row(ids, payee_id=ids.transfer_to("Savings")))
    part = NewPart(amount=-12_340, category_id=ids.category("Everyday", "Groceries"))
    with sandbox.device.edit() as editor:
        editor.transactions.edit(editor.budget.transactions[made["id"]], {}, [part])
    split = read(sandbox, f"transactions/{made['id']}")
    assert (split["payee_id"], split["transfer_account_id"]) == (None, None)
    assert is_gone(sandbox, made["transfer_transaction_id"])


IN_TRACKING_ACCOUNT = "a transaction in a tracking account cannot have subtransactions"
OF_TRANSFER = "a transfer cannot have subtransactions"


def test_a_split_in_a_tracking_account_and_of_a_transfer_is_refused(
    sandbox: Sandbox, ids: Ids, subtests: pytest.Subtests
) -> None:
    to_split: Json = {"subtransactions": [{"amount": -12_340}]}
    other_side = {"subtransactions": [{"amount": 12_340}]}
    in_fund = row(ids, account_id=ids.account("Index Fund"))
    transfer = row(ids, payee_id=ids.transfer_to("Savings"))
    split, one, other = (add(sandbox, body) for body in (row(ids) | to_split, in_fund, transfer))
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


def test_the_name_of_a_transfer_payee_is_refused_in_a_new_row(
    sandbox: Sandbox, ids: Ids, subtests: pytest.Subtests
) -> None:
    before, named = knowledge(sandbox), row(ids, payee_name="Transfer : Savings")
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
    made = add(sandbox, row(ids, payee_name="Transfer : Savings", payee_id=payee_id))
    assert (made["payee_id"], made["transfer_account_id"]) == (payee_id, None)


@pytest.mark.parametrize(
    "key", [{}, {"id": None}, {"id": "nobody"}, {"id": 5}, {"import_id": "none"}, {"import_id": 5}]
)
def test_a_batch_with_an_unknown_transaction_is_refused(shared: Sandbox, key: Json) -> None:
    status, error = refused(shared, "PATCH", ROWS, json={"transactions": [key | {"memo": "x"}]})
    assert (status, error["detail"].endswith("(index: 0)")) == (400, True)


def test_texts_of_the_maximum_length(sandbox: Sandbox, ids: Ids) -> None:
    texts = {"payee_name": "ō" * 200, "memo": "ß" * 500, "import_id": "i" * 36}
    made = add(sandbox, row(ids, **texts))
    assert {name: made[name] for name in texts} == texts


def test_an_empty_flag_color_and_null_remove_the_flag(sandbox: Sandbox, ids: Ids) -> None:
    for color in ("", None):
        changed = change(sandbox, add(sandbox, row(ids, flag_color="red"))["id"], flag_color=color)
        assert (changed["flag_color"], changed["flag_name"]) == (None, None), color
