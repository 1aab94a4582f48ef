"""Scheduled transactions: written, falling due, entered."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import NewPart, Sandbox, check_books
from budgetframe.sandbox.state.schedule_dates import next_date
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


@pytest.mark.parametrize("spelling", ["budgets", "plans"])
def test_a_schedule_is_made(sandbox: Sandbox, ids: Ids, spelling: str) -> None:
    path = f"/{spelling}/last-used/scheduled_transactions"
    body = {"scheduled_transaction": fields(ids, memo="für alle", flag_color="blue")}
    row = write(sandbox, "POST", path, body, 201)["scheduled_transaction"]
    assert (row["date_first"], row["date_next"]) == ("2026-06-20", "2026-06-20")
    assert (row["payee_name"], row["category_name"]) == ("Zeitung", "Books & Music")
    assert (row["flag_color"], row["flag_name"], row["memo"]) == ("blue", "Shared", "für alle")
    assert row["subtransactions"] == []
    assert get(sandbox, f"{path}/{row['id']}")["scheduled_transaction"] == row


def test_a_schedule_needs_only_an_account_and_a_date(sandbox: Sandbox, ids: Ids) -> None:
    new = {"account_id": ids.account("Checking"), "date": "2031-06-17"}
    row = write(sandbox, "POST", PATH, {"scheduled_transaction": new}, 201)["scheduled_transaction"]
    assert (row["amount"], row["frequency"], row["payee_id"]) == (0, "never", None)


def test_a_schedule_moves_nothing_until_it_is_due(sandbox: Sandbox, ids: Ids) -> None:
    before = get(sandbox, f"{BASE}/accounts"), get(sandbox, f"{BASE}/months")
    schedule(sandbox, ids)
    after = get(sandbox, f"{BASE}/accounts"), get(sandbox, f"{BASE}/months")
    assert after[0]["accounts"] == before[0]["accounts"]
    assert after[1]["months"] == before[1]["months"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
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
    ],
)
def test_what_does_not_fit_a_schedule_is_a_bad_request(
    shared: Sandbox, field: str, value: Any
) -> None:
    known = shared.device.state().knowledge
    body = {"scheduled_transaction": fields(Ids(shared), **{field: value})}
    assert refused(shared, "POST", PATH, json=body)[0] == 400
    assert shared.device.state().knowledge == known


def test_a_card_payment_cannot_be_scheduled(shared: Sandbox) -> None:
    ids = Ids(shared)
    payment = ids.category("Credit Card Payments", "Credit Card")
    body = {"scheduled_transaction": fields(ids, category_id=payment)}
    assert refused(shared, "POST", PATH, json=body)[0] == 400


def test_an_update_of_a_schedule_changes_what_it_states_only(sandbox: Sandbox, ids: Ids) -> None:
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


def test_a_schedule_becomes_a_transfer_and_back(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, payee_id=ids.transfer_to("Savings"), payee_name=None)
    assert (row["transfer_account_id"], row["category_id"]) == (ids.account("Savings"), None)
    body = {"scheduled_transaction": {"payee_name": "Zeitung"}}
    back = write(sandbox, "PUT", f"{PATH}/{row['id']}", body)["scheduled_transaction"]
    assert (back["transfer_account_id"], back["payee_name"]) == (None, "Zeitung")


def test_a_deleted_schedule_is_a_tombstone(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids)
    before = get(sandbox, PATH)["server_knowledge"]
    gone = write(sandbox, "DELETE", f"{PATH}/{row['id']}", None)["scheduled_transaction"]
    assert gone == row | {"deleted": True}
    delta = get(sandbox, PATH, last_knowledge_of_server=before)["scheduled_transactions"]
    assert delta == [gone]
    assert send(sandbox, "DELETE", f"{PATH}/{row['id']}").status_code == 404
    sandbox.advance(60)
    assert send(sandbox, "GET", f"{BASE}/transactions/{row['id']}_2026-06-20").status_code == 404


def test_the_split_of_a_schedule_stays_as_it_is(sandbox: Sandbox) -> None:
    rows = get(sandbox, PATH)["scheduled_transactions"]
    split = next(row for row in rows if row["subtransactions"])
    body = {"scheduled_transaction": {"amount": -1, "memo": "new"}}
    changed = write(sandbox, "PUT", f"{PATH}/{split['id']}", body)["scheduled_transaction"]
    assert changed == split | {"memo": "new"}


# -- falling due -------------------------------------------------------------------------------


def test_what_falls_due_is_entered_under_its_date(sandbox: Sandbox, ids: Ids) -> None:
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


def test_several_dates_at_once_are_all_entered_in_their_months(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, frequency="everyOtherWeek")
    sandbox.advance(45)
    check_books(sandbox)
    assert sandbox.today == date(2026, 8, 1)
    for day in ("2026-06-20", "2026-07-04", "2026-07-18", "2026-08-01"):
        key = f"{row['id']}_{day}"
        assert get(sandbox, f"{BASE}/transactions/{key}")["transaction"]["date"] == day
    shown = get(sandbox, f"{PATH}/{row['id']}")["scheduled_transaction"]
    assert shown["date_next"] == "2026-08-15"
    july = f"{BASE}/months/2026-07-01/categories/{row['category_id']}"
    assert get(sandbox, july)["category"]["activity"] == -19_800


def test_a_transfer_and_a_split_are_entered_as_such(sandbox: Sandbox, ids: Ids) -> None:
    transfer = sandbox.device.schedule(
        account_id=ids.account("Checking"),
        date=date(2026, 6, 18),
        amount=-30_000,
        payee_id=ids.transfer_to("Savings"),
    )
    split = sandbox.device.schedule(
        account_id=ids.account("Checking"),
        date=date(2026, 6, 18),
        amount=-8_000,
        parts=[
            NewPart(amount=-5_000, category_id=ids.category("Everyday", "Groceries")),
            NewPart(amount=-3_000, payee_id=ids.transfer_to("Wallet")),
        ],
    )
    sandbox.advance(1)
    check_books(sandbox)
    moved = get(sandbox, f"{BASE}/transactions/{transfer}_2026-06-18")["transaction"]
    mirror = get(sandbox, f"{BASE}/transactions/{moved['transfer_transaction_id']}")["transaction"]
    assert (mirror["account_name"], mirror["amount"]) == ("Savings", 30_000)
    parted = get(sandbox, f"{BASE}/transactions/{split}_2026-06-18")["transaction"]
    assert [part["amount"] for part in parted["subtransactions"]] == [-5_000, -3_000]
    assert parted["subtransactions"][1]["transfer_account_id"] == ids.account("Wallet")


def test_what_happens_once_is_then_completed(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, frequency="never")
    before = get(sandbox, PATH)["server_knowledge"]
    sandbox.advance(3)
    assert send(sandbox, "GET", f"{PATH}/{row['id']}").status_code == 404

    def tombstone(spelling: str) -> dict[str, Any]:
        rows = get(
            sandbox,
            f"/{spelling}/last-used/scheduled_transactions",
            last_knowledge_of_server=before,
        )["scheduled_transactions"]
        found: dict[str, Any] = next(each for each in rows if each["id"] == row["id"])
        assert found["deleted"]
        return found

    assert tombstone("budgets")["date_next"] is None
    assert tombstone("plans")["date_next"] == "2026-06-20"


def test_another_day_on_which_nothing_is_due_writes_nothing(sandbox: Sandbox) -> None:
    known = sandbox.device.state().knowledge
    sandbox.advance(1)
    assert sandbox.device.state().knowledge == known


def test_a_day_with_something_due_is_one_write(sandbox: Sandbox, ids: Ids) -> None:
    schedule(sandbox, ids)
    schedule(sandbox, ids, frequency="daily")
    known = sandbox.device.state().knowledge
    sandbox.advance(30)
    assert sandbox.device.state().knowledge == known + 1


@pytest.mark.parametrize(
    ("frequency", "first", "dates"),
    [
        ("never", "2026-01-31", [None]),
        ("daily", "2026-02-28", ["2026-03-01", "2026-03-02"]),
        ("weekly", "2026-02-25", ["2026-03-04", "2026-03-11"]),
        ("everyOtherWeek", "2026-12-25", ["2027-01-08", "2027-01-22"]),
        ("twiceAMonth", "2026-01-01", ["2026-01-16", "2026-02-01", "2026-02-16"]),
        ("twiceAMonth", "2026-01-15", ["2026-01-30", "2026-02-15", "2026-02-28", "2026-03-15"]),
        ("twiceAMonth", "2026-01-31", ["2026-02-15", "2026-02-28", "2026-03-15", "2026-03-30"]),
        ("every4Weeks", "2026-02-01", ["2026-03-01", "2026-03-29"]),
        ("monthly", "2026-01-31", ["2026-02-28", "2026-03-31", "2026-04-30"]),
        ("monthly", "2026-11-05", ["2026-12-05", "2027-01-05"]),
        ("everyOtherMonth", "2026-11-30", ["2027-01-30", "2027-03-30"]),
        ("every3Months", "2026-11-30", ["2027-02-28", "2027-05-30"]),
        ("every4Months", "2026-10-31", ["2027-02-28", "2027-06-30", "2027-10-31"]),
        ("twiceAYear", "2026-08-31", ["2027-02-28", "2027-08-31"]),
        ("yearly", "2024-02-29", ["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]),
        ("everyOtherYear", "2026-06-17", ["2028-06-17", "2030-06-17"]),
    ],
)
def test_the_next_date(frequency: str, first: str, dates: list[str | None]) -> None:
    start = when = date.fromisoformat(first)
    for expected in dates:
        coming = next_date(frequency, start, when)
        assert (coming and coming.isoformat()) == expected
        when = coming or when


def test_a_budget_that_never_had_a_schedule_has_no_list_of_them(sandbox: Sandbox, ids: Ids) -> None:
    sandbox.device.forget_schedules()
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used/scheduled_transactions"
        status, error = refused(sandbox, "GET", path)
        assert (status, error["id"]) == (404, "404.2")
    row = schedule(sandbox, ids)
    assert get(sandbox, PATH)["scheduled_transactions"] == [row]
    write(sandbox, "DELETE", f"{PATH}/{row['id']}", None)
    assert get(sandbox, PATH)["scheduled_transactions"] == []
