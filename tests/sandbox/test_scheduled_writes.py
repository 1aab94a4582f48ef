"""Scheduled transactions: requests that write them, and how they are entered when due."""

from datetime import date
from typing import Any

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox.ask import BASE, Ids, Json, cursor, delta, get, read, refused, send, write
from tests.sandbox.audit import check_books

PATH = f"{BASE}/scheduled_transactions"


def fields(ids: Ids, **more: Any) -> Json:
    return {
        "account_id": ids.account("Checking"), "date": "2026-06-20", "amount": -9_900,
        "payee_name": "Zeitung", "category_id": ids.category("Health & Fun", "Books & Music"),
        "frequency": "monthly",
    } | more  # fmt: skip


def schedule(sandbox: Sandbox, ids: Ids, **more: Any) -> Json:
    data = write(sandbox, "POST", PATH, {"scheduled_transaction": fields(ids, **more)}, 201)
    assert set(data) == {"scheduled_transaction"}
    row: Json = data["scheduled_transaction"]
    return row


def change(sandbox: Sandbox, key: str, **more: Any) -> Json:
    data = write(sandbox, "PUT", f"{PATH}/{key}", {"scheduled_transaction": more})
    row: Json = data["scheduled_transaction"]
    return row


def status_of(sandbox: Sandbox, path: str) -> int:
    return send(sandbox, "GET", f"{BASE}/{path}").status_code


def test_a_new_scheduled_transaction(sandbox: Sandbox, ids: Ids) -> None:
    body = {"scheduled_transaction": fields(ids, memo="für alle", flag_color="blue")}
    expected = (
        {"date_first": "2026-06-20", "date_next": "2026-06-20", "payee_name": "Zeitung"}
        | {"category_name": "Books & Music", "flag_color": "blue"}
        | {"flag_name": "Shared", "memo": "für alle", "subtransactions": []}
    )
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used/scheduled_transactions"
        row = write(sandbox, "POST", path, body, 201)["scheduled_transaction"]
        assert {name: row[name] for name in expected} == expected, spelling
        assert get(sandbox, f"{path}/{row['id']}")["scheduled_transaction"] == row, spelling


def test_a_scheduled_transaction_needs_an_account_and_a_date(sandbox: Sandbox, ids: Ids) -> None:
    new = {"account_id": ids.account("Checking"), "date": "2031-06-17"}
    row = write(sandbox, "POST", PATH, {"scheduled_transaction": new}, 201)["scheduled_transaction"]
    assert (row["amount"], row["frequency"], row["payee_id"]) == (0, "never", None)


def test_a_scheduled_row_changes_nothing_before_it_is_due(sandbox: Sandbox, ids: Ids) -> None:
    before = read(sandbox, "accounts"), read(sandbox, "months")
    schedule(sandbox, ids)
    assert (read(sandbox, "accounts"), read(sandbox, "months")) == before


def test_an_update_changes_only_the_fields_of_its_body(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, memo="kept")
    key = row["id"]
    assert change(sandbox, key, amount=-1) == row | {"amount": -1}
    assert change(sandbox, key, frequency=None, memo=None) == row | {"amount": -1, "memo": None}
    moved = change(sandbox, key, date="2026-07-01", frequency="yearly")
    assert (moved["date_first"], moved["date_next"]) == ("2026-07-01", "2026-07-01")
    assert moved["frequency"] == "yearly"


def test_a_scheduled_transaction_becomes_a_transfer_and_back(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, payee_id=ids.transfer_to("Savings"), payee_name=None)
    assert (row["transfer_account_id"], row["category_id"]) == (ids.account("Savings"), None)
    back = change(sandbox, row["id"], payee_name="Zeitung")
    assert (back["transfer_account_id"], back["payee_name"]) == (None, "Zeitung")


def test_a_deleted_schedule_is_in_the_delta_and_never_due(sandbox: Sandbox, ids: Ids) -> None:
    row, before = schedule(sandbox, ids), cursor(sandbox)
    deleted = write(sandbox, "DELETE", f"{PATH}/{row['id']}", None)["scheduled_transaction"]
    assert deleted == row | {"deleted": True}
    assert delta(sandbox, "scheduled_transactions", before) == [deleted]
    assert send(sandbox, "DELETE", f"{PATH}/{row['id']}").status_code == 404
    sandbox.advance(60)
    assert status_of(sandbox, f"transactions/{row['id']}_2026-06-20") == 404


def test_the_amount_of_a_scheduled_split_cannot_be_changed(sandbox: Sandbox) -> None:
    split = next(row for row in read(sandbox, "scheduled_transactions") if row["subtransactions"])
    assert change(sandbox, split["id"], amount=-1, memo="new") == split | {"memo": "new"}


# -- due dates ---------------------------------------------------------------------------------


def test_a_due_transaction_is_entered_with_its_date(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, flag_color="red", memo="daily news")
    path = f"transactions/{row['id']}_2026-06-20"
    sandbox.advance(2)
    assert status_of(sandbox, path) == 404
    category = f"categories/{row['category_id']}"
    before = read(sandbox, category)["activity"]
    sandbox.advance(1)
    check_books(sandbox)
    expected = {"date": "2026-06-20", "amount": -9_900, "approved": False, "cleared": "uncleared"}
    expected |= {"payee_name": "Zeitung", "flag_color": "red", "memo": "daily news"}
    entered = read(sandbox, path)
    assert {name: entered[name] for name in expected} == expected
    assert read(sandbox, category)["activity"] == before - 9_900
    after = read(sandbox, f"scheduled_transactions/{row['id']}")
    assert (after["date_first"], after["date_next"]) == ("2026-06-20", "2026-07-20")


def test_several_due_dates_are_entered_at_once_in_their_months(sandbox: Sandbox, ids: Ids) -> None:
    row = schedule(sandbox, ids, frequency="weekly")
    sandbox.advance(45)
    check_books(sandbox)
    assert sandbox.today == date(2026, 8, 1)
    for day in ("2026-06-20", "2026-06-27", "2026-07-04", "2026-07-25", "2026-08-01"):
        assert read(sandbox, f"transactions/{row['id']}_{day}")["date"] == day
    assert read(sandbox, f"scheduled_transactions/{row['id']}")["date_next"] == "2026-08-08"
    july = read(sandbox, f"months/2026-07-01/categories/{row['category_id']}")
    assert july["activity"] == -39_600  # four Saturdays


def test_a_scheduled_transfer_and_a_scheduled_split_are_entered(sandbox: Sandbox, ids: Ids) -> None:
    when: dict[str, Any] = {"account_id": ids.account("Checking"), "date": date(2026, 6, 18)}
    parts = [
        NewPart(amount=-5_000, category_id=ids.category("Everyday", "Groceries")),
        NewPart(amount=-3_000, payee_id=ids.transfer_to("Wallet")),
    ]
    transfer = sandbox.device.schedule(**when, amount=-30_000, payee_id=ids.transfer_to("Savings"))
    split = sandbox.device.schedule(**when, amount=-8_000, parts=parts)
    sandbox.advance(1)
    check_books(sandbox)
    one = read(sandbox, f"transactions/{transfer}_2026-06-18")
    other = read(sandbox, f"transactions/{one['transfer_transaction_id']}")
    assert (other["account_name"], other["amount"]) == ("Savings", 30_000)
    entered = read(sandbox, f"transactions/{split}_2026-06-18")
    assert [part["amount"] for part in entered["subtransactions"]] == [-5_000, -3_000]
    assert entered["subtransactions"][1]["transfer_account_id"] == ids.account("Wallet")


def test_a_schedule_without_repetition_ends_once_entered(sandbox: Sandbox, ids: Ids) -> None:
    row, before = schedule(sandbox, ids, frequency="never"), cursor(sandbox)
    sandbox.advance(3)
    assert status_of(sandbox, f"scheduled_transactions/{row['id']}") == 404
    for spelling, date_next in (("budgets", None), ("plans", "2026-06-20")):
        path = f"/{spelling}/last-used/scheduled_transactions"
        rows = get(sandbox, path, last_knowledge_of_server=before)["scheduled_transactions"]
        found = next(each for each in rows if each["id"] == row["id"])
        assert (found["deleted"], found["date_next"]) == (True, date_next), spelling


def test_a_day_without_due_transactions_is_not_a_write(sandbox: Sandbox) -> None:
    known = cursor(sandbox)
    sandbox.advance(1)
    assert cursor(sandbox) == known


def test_all_due_transactions_of_one_advance_are_one_write(sandbox: Sandbox, ids: Ids) -> None:
    schedule(sandbox, ids)
    schedule(sandbox, ids, frequency="daily")
    known = cursor(sandbox)
    sandbox.advance(30)
    assert cursor(sandbox) == known + 1


def test_a_budget_that_never_had_a_schedule_has_no_list(sandbox: Sandbox, ids: Ids) -> None:
    sandbox.device.forget_schedules()
    for spelling in ("budgets", "plans"):
        status, error = refused(sandbox, "GET", f"/{spelling}/last-used/scheduled_transactions")
        assert (status, error["id"]) == (404, "404.2")
    row = schedule(sandbox, ids)
    assert read(sandbox, "scheduled_transactions") == [row]
    write(sandbox, "DELETE", f"{PATH}/{row['id']}", None)
    assert read(sandbox, "scheduled_transactions") == []


def test_a_schedule_with_another_frequency_can_be_deleted_and_not_written() -> None:
    for is_lenient, changed, created in ((False, 400, 400), (True, 200, 201)):
        service = Sandbox(years=1, budgets=1, lenient=is_lenient)
        rows = read(service, "scheduled_transactions")
        row = next(each for each in rows if each["frequency"] == "everyOtherWeek")
        path, memo = f"{PATH}/{row['id']}", {"scheduled_transaction": {"memo": "x"}}
        assert send(service, "PUT", path, json=memo).status_code == changed
        new = {"scheduled_transaction": fields(Ids(service), frequency="twiceAMonth")}
        answer = send(service, "POST", PATH, json=new)
        assert answer.status_code == created
        if created == 400:
            assert answer.json()["error"]["detail"] == "twiceAMonth is not a valid frequency"
        write(service, "DELETE", path, None)
