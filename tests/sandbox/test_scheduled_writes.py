"""Scheduled transactions: requests that write them, and how they are entered when due."""

from __future__ import annotations

from datetime import date
from typing import Any

from budgetframe.sandbox import NewPart, Sandbox, check_books
from budgetframe.sandbox.state.rows import Table
from tests.sandbox.ask import Ids, get, refused, send, write

BASE = "/budgets/last-used"
PATH = f"{BASE}/scheduled_transactions"


def fields(ids: Ids, **more: Any) -> dict[str, Any]:
    return {
        "account_id": ids.account("Checking"),
        "date": "2026-06-20",
        "amount": -9_900,
        "payee_name": "Zeitung",
        "category_id": ids.category("Health & Fun", "Books & Music"),
        "frequency": "monthly",
    } | more


def schedule(sandbox: Sandbox, ids: Ids, **more: Any) -> dict[str, Any]:
    body = {"scheduled_transaction": fields(ids, **more)}
    data = write(sandbox, "POST", PATH, body, 201)
    assert set(data) == {"scheduled_transaction"}
    row: dict[str, Any] = data["scheduled_transaction"]
    return row


def test_a_new_scheduled_transaction(sandbox: Sandbox, ids: Ids) -> None:
    body = {"scheduled_transaction": fields(ids, memo="für alle", flag_color="blue")}
    expected = {
        "date_first": "2026-06-20",
        "date_next": "2026-06-20",
        "payee_name": "Zeitung",
        "category_name": "Books & Music",
        "flag_color": "blue",
        "flag_name": "Shared",
        "memo": "für alle",
        "subtransactions": [],
    }
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used/scheduled_transactions"
        row = write(sandbox, "POST", path, body, 201)["scheduled_transaction"]
        assert {name: row[name] for name in expected} == expected, spelling
        assert get(sandbox, f"{path}/{row['id']}")["scheduled_transaction"] == row, spelling


def test_a_scheduled_transaction_needs_only_an_account_and_a_date(
    sandbox: Sandbox, ids: Ids
) -> None:
    new = {"account_id": ids.account("Checking"), "date": "2031-06-17"}
    row = write(sandbox, "POST", PATH, {"scheduled_transaction": new}, 201)["scheduled_transaction"]
    assert (row["amount"], row["frequency"], row["payee_id"]) == (0, "never", None)


def test_a_scheduled_transaction_changes_nothing_before_it_is_due(
    sandbox: Sandbox, ids: Ids
) -> None:
    before = get(sandbox, f"{BASE}/accounts"), get(sandbox, f"{BASE}/months")
    schedule(sandbox, ids)
    after = get(sandbox, f"{BASE}/accounts"), get(sandbox, f"{BASE}/months")
    assert after[0]["accounts"] == before[0]["accounts"]
    assert after[1]["months"] == before[1]["months"]


def test_an_invalid_field_of_a_scheduled_transaction_is_a_bad_request(shared: Sandbox) -> None:
    known = shared.device.state().knowledge
    for field, value in (
        ("date", "2026-06-17"),
        ("date", "2031-06-18"),
        ("date", None),
        ("account_id", None),
        ("amount", "5"),
        ("payee_id", "nobody"),
        ("payee_name", "x" * 201),
        ("memo", "x" * 501),
        ("flag_color", "pink"),
        ("frequency", "hourly"),
        ("frequency", ""),
    ):
        body = {"scheduled_transaction": fields(Ids(shared), **{field: value})}
        assert refused(shared, "POST", PATH, json=body)[0] == 400, (field, value)
        assert shared.device.state().knowledge == known, (field, value)


def test_a_scheduled_transaction_cannot_have_a_payment_category(shared: Sandbox) -> None:
    ids = Ids(shared)
    payment = ids.category("Credit Card Payments", "Credit Card")
    body = {"scheduled_transaction": fields(ids, category_id=payment)}
    assert refused(shared, "POST", PATH, json=body)[0] == 400


def test_an_update_changes_only_the_fields_of_its_body(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, memo="kept")
    path = f"{PATH}/{row['id']}"

    def change(**more: Any) -> dict[str, Any]:
        body = {"scheduled_transaction": more}
        changed: dict[str, Any] = write(sandbox, "PUT", path, body)["scheduled_transaction"]
        return changed

    assert change(amount=-1) == row | {"amount": -1}
    assert change(frequency=None, memo=None) == row | {"amount": -1, "memo": None}
    moved = change(date="2026-07-01", frequency="yearly")
    assert (moved["date_first"], moved["date_next"]) == ("2026-07-01", "2026-07-01")
    assert moved["frequency"] == "yearly"


def test_a_scheduled_transaction_becomes_a_transfer_and_back(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, payee_id=ids.transfer_to("Savings"), payee_name=None)
    assert (row["transfer_account_id"], row["category_id"]) == (ids.account("Savings"), None)
    body = {"scheduled_transaction": {"payee_name": "Zeitung"}}
    back = write(sandbox, "PUT", f"{PATH}/{row['id']}", body)["scheduled_transaction"]
    assert (back["transfer_account_id"], back["payee_name"]) == (None, "Zeitung")


def test_a_deleted_scheduled_transaction_is_in_the_delta_and_never_due(
    sandbox: Sandbox, ids: Ids
) -> None:
    row = schedule(sandbox, ids)
    before = get(sandbox, PATH)["server_knowledge"]
    deleted = write(sandbox, "DELETE", f"{PATH}/{row['id']}", None)["scheduled_transaction"]
    assert deleted == row | {"deleted": True}
    delta = get(sandbox, PATH, last_knowledge_of_server=before)["scheduled_transactions"]
    assert delta == [deleted]
    assert send(sandbox, "DELETE", f"{PATH}/{row['id']}").status_code == 404
    sandbox.advance(60)
    assert send(sandbox, "GET", f"{BASE}/transactions/{row['id']}_2026-06-20").status_code == 404


def test_the_amount_of_a_scheduled_split_cannot_be_changed(sandbox: Sandbox) -> None:
    rows = get(sandbox, PATH)["scheduled_transactions"]
    split = next(row for row in rows if row["subtransactions"])
    body = {"scheduled_transaction": {"amount": -1, "memo": "new"}}
    changed = write(sandbox, "PUT", f"{PATH}/{split['id']}", body)["scheduled_transaction"]
    assert changed == split | {"memo": "new"}


# -- due dates ---------------------------------------------------------------------------------


def test_a_due_transaction_is_entered_with_its_date(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, flag_color="red", memo="daily news")
    key = f"{row['id']}_2026-06-20"
    sandbox.advance(2)
    assert send(sandbox, "GET", f"{BASE}/transactions/{key}").status_code == 404
    category = f"{BASE}/categories/{row['category_id']}"
    before = get(sandbox, category)["category"]["activity"]
    sandbox.advance(1)
    check_books(sandbox)
    entered = get(sandbox, f"{BASE}/transactions/{key}")["transaction"]
    assert (entered["date"], entered["amount"]) == ("2026-06-20", -9_900)
    assert (entered["approved"], entered["cleared"]) == (False, "uncleared")
    assert (entered["payee_name"], entered["flag_color"], entered["memo"]) == (
        "Zeitung",
        "red",
        "daily news",
    )
    assert get(sandbox, category)["category"]["activity"] == before - 9_900
    after = get(sandbox, f"{PATH}/{row['id']}")["scheduled_transaction"]
    assert (after["date_first"], after["date_next"]) == ("2026-06-20", "2026-07-20")


def test_several_due_dates_are_entered_at_once_in_their_months(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, frequency="everyOtherWeek")
    sandbox.advance(45)
    check_books(sandbox)
    assert sandbox.today == date(2026, 8, 1)
    for day in ("2026-06-20", "2026-07-04", "2026-07-18", "2026-08-01"):
        key = f"{row['id']}_{day}"
        assert get(sandbox, f"{BASE}/transactions/{key}")["transaction"]["date"] == day
    after = get(sandbox, f"{PATH}/{row['id']}")["scheduled_transaction"]
    assert after["date_next"] == "2026-08-15"
    july = f"{BASE}/months/2026-07-01/categories/{row['category_id']}"
    assert get(sandbox, july)["category"]["activity"] == -19_800


def test_a_scheduled_transfer_and_a_scheduled_split_are_entered(sandbox: Sandbox, ids: Ids) -> None:
    when: dict[str, Any] = {"account_id": ids.account("Checking"), "date": date(2026, 6, 18)}
    parts = [
        NewPart(amount=-5_000, category_id=ids.category("Everyday", "Groceries")),
        NewPart(amount=-3_000, payee_id=ids.transfer_to("Wallet")),
    ]
    with sandbox.device.edit() as editor:
        savings = ids.transfer_to("Savings")
        transfer = editor.schedules.add(**when, amount=-30_000, payee_id=savings).id
        split = editor.schedules.add(**when, amount=-8_000, parts=parts).id
    sandbox.advance(1)
    check_books(sandbox)
    one = get(sandbox, f"{BASE}/transactions/{transfer}_2026-06-18")["transaction"]
    other = get(sandbox, f"{BASE}/transactions/{one['transfer_transaction_id']}")["transaction"]
    assert (other["account_name"], other["amount"]) == ("Savings", 30_000)
    entered = get(sandbox, f"{BASE}/transactions/{split}_2026-06-18")["transaction"]
    assert [part["amount"] for part in entered["subtransactions"]] == [-5_000, -3_000]
    assert entered["subtransactions"][1]["transfer_account_id"] == ids.account("Wallet")


def test_a_scheduled_transaction_without_repetition_is_completed_once_entered(
    sandbox: Sandbox, ids: Ids
) -> None:
    row = schedule(sandbox, ids, frequency="never")
    before = get(sandbox, PATH)["server_knowledge"]
    sandbox.advance(3)
    assert send(sandbox, "GET", f"{PATH}/{row['id']}").status_code == 404

    def deleted_row(spelling: str) -> dict[str, Any]:
        rows = get(
            sandbox,
            f"/{spelling}/last-used/scheduled_transactions",
            last_knowledge_of_server=before,
        )["scheduled_transactions"]
        found: dict[str, Any] = next(each for each in rows if each["id"] == row["id"])
        assert found["deleted"]
        return found

    assert deleted_row("budgets")["date_next"] is None
    assert deleted_row("plans")["date_next"] == "2026-06-20"


def test_a_day_without_due_transactions_is_not_a_write(sandbox: Sandbox) -> None:
    known = sandbox.device.state().knowledge
    sandbox.advance(1)
    assert sandbox.device.state().knowledge == known


def test_all_due_transactions_of_one_advance_are_one_write(sandbox: Sandbox, ids: Ids) -> None:
    schedule(sandbox, ids)
    schedule(sandbox, ids, frequency="daily")
    known = sandbox.device.state().knowledge
    sandbox.advance(30)
    assert sandbox.device.state().knowledge == known + 1


def test_a_budget_that_never_had_a_scheduled_transaction_has_no_list(
    sandbox: Sandbox, ids: Ids
) -> None:
    with sandbox.device.edit() as editor:
        editor.budget.scheduled = Table()
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used/scheduled_transactions"
        status, error = refused(sandbox, "GET", path)
        assert (status, error["id"]) == (404, "404.2")
    row = schedule(sandbox, ids)
    assert get(sandbox, PATH)["scheduled_transactions"] == [row]
    write(sandbox, "DELETE", f"{PATH}/{row['id']}", None)
    assert get(sandbox, PATH)["scheduled_transactions"] == []
