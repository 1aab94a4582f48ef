"""Two public ways to do one thing: one state of the service, one journal, and one error.

One door is the direct method. The other one is `BudgetFrame.changes` with a frame, or the
preview of the method, which every write has.
"""

from contextlib import suppress
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, ServiceAPIError, ToolError
from tests.changes.budget import connect, interrupted, requests, rows_with
from tests.changes.doors import (
    CALLS,
    CREATED,
    DELETED,
    FUEL,
    IDS,
    KEYS,
    MARKET,
    PLAIN,
    PLAN,
    RENT,
    ROW,
    SPLIT,
    TRACKING,
    UPDATED,
    WALLET,
    Case,
    Door,
    End,
    Home,
    assigned,
    behind,
    call,
    category,
    copied,
    delete,
    edit,
    edit_plan,
    frame,
    new,
    previewed,
    row,
    schedule,
)

GONE = "11111111-2222-4333-8444-555555555555"
SAVE = {"payee_name": "Transfer : Savings"}
OTHER_SIDE = {"account_name": "Savings", "amount": 4.5, "payee_name": "Transfer : Wallet"}
PARTS = [{"amount": -3, "category_name": "Rent"}, {"amount": -1.5, "category_name": "Car: Fuel"}]
NONE: dict[str, Any] = dict.fromkeys(("memo", "category_id", "transaction_id"))
IN_HOME = IDS.group("Home")
IN_CAR = {"category_group_name": "Car"}
NOBODY = [{"amount": -4.5, "payee_id": "Nob"}]
NAMED_PARTS = [
    {"amount": -1.5, "category_name": "Insurance", "category_group_name": "Car"},
    {"amount": -3.0, "category_name": "Home: Insurance", "payee_id": "Weekly Market"},
]
OF_PARTS = f'"payee_id": "{MARKET}", "category_id": "{IDS.category("Home", "Insurance")}"'
AS_KEYS = {"account_id": "Wallet", "payee_id": "Weekly Market", "category_id": "Car: Repairs"}
OF_KEYS = (
    f'"account_id": "{WALLET}", "payee_id": "{MARKET}",'
    f' "category_id": "{IDS.category("Car", "Repairs")}"'
)
EMPTY = {
    **dict.fromkeys(("payee_name", "payee_id"), "use None to remove the payee"),
    **dict.fromkeys(("category_name", "category_id"), "use None to remove the category"),
    **dict.fromkeys(("account_name", "account_id"), "give the name of an account"),
}
IN_MILLIUNITS = {"date": "2026-06-16", "account_name": "Wallet", "amount_milliunits": -4001}
INCOME = "Inflow: Ready to Assign"
ALL: dict[str, Any] = ROW | {"payee_name": "Adler Pharmacy", "category_name": "Home: Insurance"}
ALL |= {"memo": "checked", "cleared": "cleared", "approved": True, "flag_color": "green"}
ALONE = ALL | {"category_name": "Insurance", "category_group_name": "Home"}
OF_ALL = (
    '"amount": -4500, "memo": "checked", "cleared": "cleared", "approved": true,'
    f' "flag_color": "green", "flag_name": "Tax", "account_id": "{WALLET}",'
    f' "payee_id": "{IDS.payee("Adler Pharmacy")}",'
    f' "category_id": "{IDS.category("Home", "Insurance")}"'
)
IN_USE = "YNAB:-27000:2026-06-09:1"
BY_IMPORT_ID = call("update_transactions", [{"import_id": IN_USE, "memo": "x"}])
OF_IMPORT_ID = frame(lambda bf: rows_with(bf.transactions(), import_id=IN_USE).assign(memo="x"))
ASSIGN_INCOME = call("assign", "2026-06", INCOME, 5)
MOVE = call("move", "2026-06", "Rent", FUEL, 5)
REFUSED_AMOUNTS: list[tuple[str, tuple[object, ...], str]] = [
    ("assign", ("current", "Grocerie", 5.0), "the closest name is 'Groceries'"),
    ("assign", ("current", "", 5.0), "category='' is empty"),
    ("assign", ("current", INCOME, 5.0), "belongs to the service"),
    ("assign", ("2026-13", "Groceries", 5.0), "is not a month"),
    ("move", ("current", "Groceries", "Groceries", 5.0), "are the same"),
    ("move", ("current", "Groceries", "Everyday: Groceries", 5.0), "are the same"),
    ("move", ("current", None, "Ready to Assign", 5.0), "are the same"),
    ("move", ("current", None, None, 5.0), "are the same"),
    ("move", ("current", "Groceries", None, -5.0), "exchange from_ and to"),
    ("move", ("current", "Insurance", None, 5.0), "write one of 'Car: Insurance'"),
]


def known_and(name: str, key: str) -> Door:
    """An edit of a row and of one that the budget does not have."""
    return call(f"update_{name}s", [{f"{name}_id": each, "memo": "x"} for each in (key, GONE)])


CASES: dict[str, Case] = {
    "names": row(CREATED, '"amount": -4500', payee_name="Kiosk am Ring", category_name="Rent"),
    "keys": row(CREATED, account_name=None, account_id=WALLET, payee_id=MARKET, category_id=RENT),
    "a category with its group": row(CREATED, category_name="Home: Insurance"),
    "a group column": row(CREATED, category_name="Insurance", category_group_name="Car"),
    "blanks in a new payee": row(CREATED, '"name": "Once more"', payee_name="  Once   more "),
    "blanks in a known payee": row(CREATED, payee_name=" Weekly  Market"),
    "a new payee of two rows": new([[2, 0, 0, 0, 0]], *[ROW | {"payee_name": "Baker"}] * 2),
    "a transfer by name": row(CREATED, **SAVE),
    "a transfer by key": row(CREATED, payee_id=IDS.transfer_to("Savings")),
    "a transfer to tracking": row(CREATED, payee_name="Transfer : Index Fund", category_id=RENT),
    "names in parts": row(CREATED, OF_PARTS, subtransactions=NAMED_PARTS, payee_name="Baker"),
    "a split": row(CREATED, subtransactions=PARTS, category_name="Split"),
    "an int": row(CREATED, '"amount": -4000', amount=-4),
    "a Decimal": row(CREATED, '"amount": -4001', amount=Decimal("-4.001")),
    "a sum of floats": row(CREATED, '"amount": 300,', amount=0.1 + 0.2),
    "a long amount": row(CREATED, '"amount": -1234567891,', amount=-1_234_567.891),
    "milliunits": new(CREATED, IN_MILLIUNITS, shows='"amount": -4001'),
    "a date": row(CREATED, date=date(2026, 6, 16)),
    "a Timestamp": row(CREATED, date=pd.Timestamp(2026, 6, 16)),
    "None and NaN": row(CREATED, **NONE, payee_name=float("nan")),
    "NaT, NA and empty texts": row(CREATED, memo=pd.NaT, payee_name=pd.NA, flag_color=""),
    "a flag": row(CREATED, '"flag_color": "red"', flag_color="red", approved=True),
    "the longest memo": row(CREATED, "m" * 500, memo="m" * 500),
    "an import id": row(CREATED, '"import_id": "loaf"', import_id="loaf"),
    "an import id in use": row([[0, 0, 0, 0, 1]], account_name="Checking", import_id=IN_USE),
    "income": row(CREATED, amount=7, category_name=INCOME),
    "all columns": row(CREATED, OF_ALL, **ALL),
    "all columns, with a group": row(CREATED, OF_ALL, **ALONE),
    "no category by its name": row(CREATED, category_name="Uncategorized"),
    "a copied row": copied("not is_split_part and not is_transfer", CREATED),
    "a memo": edit(UPDATED, memo="x"),
    "an amount and a day": edit(UPDATED, amount=-1.501, date="2026-06-01"),
    "another account": edit(UPDATED, account_name="Wallet"),
    "another category": edit(UPDATED, category_name="Home: Repairs"),
    "another category by key": edit(UPDATED, category_id=RENT),
    "another payee": edit(UPDATED, payee_name=" Kiosk  am Ring"),
    "a new payee of a row": edit(UPDATED, payee_name=" The  Baker"),
    "a state and a flag": edit(UPDATED, cleared="reconciled", flag_color="purple"),
    "cleared fields": edit(UPDATED, category_id=None, category_name=None, memo=None),
    "all columns of a row": edit(UPDATED, **ALL)._replace(shows=OF_ALL),
    "all columns of a row, with a group": edit(UPDATED, **ALONE)._replace(shows=OF_ALL),
    "names as keys": edit(UPDATED, PLAIN, **AS_KEYS)._replace(shows=OF_KEYS),
    "no payee": edit(UPDATED, payee_id=None, payee_name=None),
    "one side of a transfer": edit(UPDATED, SAVE, amount=-12.5),
    "the memo of a split": edit(UPDATED, SPLIT, memo="x"),
    "the same value": edit([], account_name="Checking"),
    "a row by its import id": Case([BY_IMPORT_ID, OF_IMPORT_ID], UPDATED),
    "deletions, one key twice": delete([[0, 0, 3, 0, 0]], *KEYS, KEYS[0]),
    "a schedule": schedule(CREATED, payee_name=" A  lender", category_name="Home: Rent"),
    "a schedule of a transfer": schedule(CREATED, **SAVE, frequency=None),
    "an edited schedule": edit_plan(UPDATED, amount=-7.25, memo="x", date_next="2026-07-09"),
    "a deleted schedule": delete(DELETED, PLAN, name="scheduled_transaction"),
    "an assigned amount": assigned(call("assign", "current", "Rent", 5), "2026-06", Rent=5),
    "an earlier month": assigned(call("assign", "2026-05", RENT, 5.5), "2026-05", Rent=5.5),
    "a later month": assigned(call("assign", "2026-08", "Rent", 5), "2026-08", Rent=5),
    "moved money": assigned(MOVE, "2026-06", end=[[0, 2, 0, 0, 0]], Rent=1145, Fuel=112.8),
    "money to assign": assigned(call("move", "2026-06", None, "Fuel", 5), "2026-06", Fuel=112.8),
    "a name": category(UPDATED, {"category_name": "Petrol"}, name="Petrol"),
    "a target": category(UPDATED, {"goal_target": 50.5}, goal_target=50.5),
    "a new category": Case([call("create_category")], CREATED, f'"category_group_id": "{IN_HOME}"'),
    "a group": category(UPDATED, {"category_group_name": "Home"}, category_group_id="Home"),
    **{name: Case([call(name), previewed(name)], end) for name, (end, _, _) in CALLS.items()},
}
REFUSED: dict[str, Case] = {
    "a category of tracking": row("has no category", account_name="Index Fund", category_id=RENT),
    "a category of a transfer": row("has no category", **SAVE, category_name="Rent"),
    "both sides of a transfer": new("the two sides of one", ROW | SAVE, ROW | OTHER_SIDE),
    "a misspelt column": row("write memo for memmo", memmo="x"),
    "an unknown account": row("has no account", account_name=None, account_id=GONE),
    "an unknown category": row("has no category", category_id=GONE),
    "an unknown payee": row("has no payee", payee_id=GONE),
    "a misspelt account": row("closest name is 'Checking'", account_name="Chekking"),
    "a category in small letters": row("names are 'Groceries'", category_name="groceries"),
    "a category of another group": row("'Car'; the", **IN_CAR, category_name="Rent"),
    "a name as a key, of another group": row("'Rent' in the group", **IN_CAR, category_id="Rent"),
    "a contradiction of payees": row("the key of 'Weekly M", payee_id=MARKET, payee_name="Foo"),
    "a payee of a part": row("[0]: the budget has no payee 'Nob'", subtransactions=NOBODY),
    "a misspelt category": row("closest name is 'Groceries'", category_name="Grocerie"),
    "an ambiguous category": row("'Car: Insurance', 'Home: Ins", category_name="Insurance"),
    "a group alone": row("is only a group", category_group_name="Car"),
    "no such transfer": row("no payee 'Transfer : X'", payee_name="Transfer : X"),
    "a transfer to itself": row("to its own account", payee_name="Transfer : Wallet"),
    "a day too old": row("is over five years old", date="2021-06-16"),
    "a day in the future": row("is in the future", date="2026-06-18"),
    "a contradiction": row("the key of 'Savings'", account_id=IDS.account("Savings")),
    "a wrong flag": row("row 0: flag_color='pink'", flag_color="pink"),
    "no amount": row("row 0 has no amount", amount=None),
    "a text as the amount": row("amount='much' is not an amount", amount="much"),
    "no account": row("has no account_id or account_name", account_name=None),
    "an empty account": row("is empty", account_name=" "),
    "an empty payee": row("is empty", payee_name=" "),
    "a payment category": row("row 0: 'Credit Card' is the", category_name="Credit Card"),
    "a split without parts": row("is a split without parts", category_name="Split"),
    "parts that do not add up": row("do not add up", subtransactions=PARTS[:1]),
    "a split with a category": row("no category", subtransactions=PARTS, category_id=RENT),
    "a second row": new("row 1: flag_color='pink'", ROW, ROW | {"flag_color": "pink"}),
    "an unknown key": edit("does not have (first: '111", transaction_id=GONE, memo="x"),
    "the category of a split": edit("cannot change its category", SPLIT, category_name="Rent"),
    "an edit of tracking": edit("has no category", TRACKING, category_name="Rent"),
    "an edit of a transfer": edit("has no category", SAVE, category_name="Rent"),
    "an edited day": edit("is in the future; create a scheduled", date="2026-06-18"),
    **{f"an empty {name}": edit(f"{name} is empty: {advice}", PLAIN, **{name: ""})
       for name, advice in EMPTY.items()},
    "an edited account": edit("account cannot be empty", account_name=None, account_id=None),
    "an unknown deletion": delete("does not have (first: '111", KEYS[0], GONE),
    "a deleted schedule": delete("does not have", PLAN, GONE, name="scheduled_transaction"),
    "an unknown row": Case([known_and("transaction", KEYS[0])], "1 row has a transaction_id that"),
    "an unknown schedule": Case([known_and("scheduled_transaction", PLAN)], "1 row has a sched"),
    "a past schedule": schedule("row 0: date_next=2026-06-17 is not in the future",
        date_next="2026-06-17"),
    "a schedule of tracking": schedule("no category", account_name="Index Fund", category_id=RENT),
    "a frequency": schedule("everyOtherWeek", frequency="everyOtherWeek"),
    "a column of a schedule": schedule("write memo for memmo", memmo="x"),
    "an edited schedule": edit_plan("not in the future", date_next="2026-06-17"),
    "an internal category": assigned(ASSIGN_INCOME, "2026-06", end="the service", **{INCOME: 5}),
    "a name of payments": category("of a card", {"category_name": "x"}, "Credit Card", name="x"),
    **{f"{name} {given}": Case([call(name, *given), call(name, *given, preview=True)], message)
       for name, given, message in REFUSED_AMOUNTS},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_doors_end_in_one_state_and_one_journal(case: Case) -> None:
    found = behind(case.doors)
    assert [error for _, error in found] == [""] * len(found)
    state = found[0][0].state
    assert [home.state == state for home, _ in found] == [True] * len(found)
    assert case.shows in state
    assert (state == "") == (case.end in ([], [[0, 0, 0, 0, 1]]))
    assert [home.journal for home, _ in found] == [case.end] * len(found)


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_all_doors_refuse_with_one_sentence_before_anything_is_sent(case: Case) -> None:
    found = behind(case.doors)
    assert [str(case.end) in error for _, error in found] == [True] * len(found)
    assert [(home.writes, home.journal) for home, _ in found] == [(0, [])] * len(found)
    message = found[0][1]
    assert message.endswith("Nothing was sent")
    assert [error for _, error in found] == [message] * len(found)


# The same call again after a fault

THREE = [ROW | {"memo": memo, "payee_name": "Baker"} for memo in ("a", "b", "b")]
EDITED = [{"transaction_id": key, "memo": "x"} for key in KEYS]
METHODS = ("POST", "PUT", "PATCH", "DELETE")
LOST = ["reset-after", "reset-before", "cut", "503-after", "409-after", "429", "429-after"]
OF_ROWS = ["drop-first-row", "drop-half", "drop-first-row-after", "drop-half-after", "400", "409"]


def rows_of(bf: BudgetFrame) -> pd.DataFrame:
    rows = bf.transactions()
    return rows[rows["transaction_id"].isin(KEYS)].assign(memo="x")


REPEATED: dict[str, tuple[Door, End]] = {
    "new rows": (call("create_transactions", THREE), [[3, 0, 0, 0, 0]]),
    "new rows of a frame": (frame(lambda _: pd.DataFrame(THREE)), [[3, 0, 0, 0, 0]]),
    "edited rows": (call("update_transactions", EDITED), [[0, 3, 0, 0, 0]]),
    "edited rows of a frame": (frame(rows_of), [[0, 3, 0, 0, 0]]),
    "a preview of a name": (previewed("rename_payee"), UPDATED),
    "an amount of a frame": (CASES["an assigned amount"].doors[1], UPDATED),
    "a name by its key": (call("rename_payee", MARKET, "Market"), UPDATED),
    "another name": (call("rename_payee", "Weekly Market", "Market"), UPDATED),
    "another group name": (call("rename_category_group", "Car", "Cars"), UPDATED),
    "one edited": (call("update_transaction"), UPDATED),
    "a note": (call("update_category"), UPDATED),
    "an amount": (call("assign"), UPDATED),
    "moved money": (call("move"), [[0, 2, 0, 0, 0]]),
    "a schedule": (call("create_scheduled_transactions"), CREATED),
    "an account": (call("create_account"), CREATED),
    "a payee": (call("create_payee"), CREATED),
    "deletions": (call("delete_transactions", KEYS), [[0, 0, 3, 0, 0]]),
    "a deleted schedule": (call("delete_scheduled_transactions"), DELETED),
}


@cache
def undisturbed(name: str) -> str:
    home = Home()
    REPEATED[name][0](home.bf)
    return home.state


@pytest.mark.parametrize(
    ("name", "fault"),
    [(name, fault) for name in REPEATED for fault in LOST + (OF_ROWS if "rows" in name else [])],
)
def test_the_same_call_after_a_fault_completes_the_first_one(name: str, fault: str) -> None:
    home, (door, end) = Home(), REPEATED[name]
    home.sandbox.faults = [f"{fault}:{method}:*@1" for method in METHODS]
    is_done = False
    with suppress(ServiceAPIError, httpx.TransportError):
        door(home.bf)
        is_done = True
    assert len(home.sandbox.faults.injected) == 1
    if not is_done:
        door(home.bf)
    assert home.state == undisturbed(name)
    assert home.journal == end


@pytest.mark.parametrize("name", ["new rows", "new rows of a frame"])
def test_the_same_call_after_a_complete_one_creates_the_rows_once_more(name: str) -> None:
    home = Home()
    for _ in range(2):
        REPEATED[name][0](home.bf)
    assert home.journal == [[3, 0, 0, 0, 0]] * 2
    assert home.state.count('"memo": "a"') == 2


@pytest.mark.parametrize("is_new_process", [False, True])
def test_another_connection_completes_a_lost_call(tmp_path: Path, *, is_new_process: bool) -> None:
    """The cell that connects runs again, or a process that knows nothing but the folder."""
    folder = tmp_path if is_new_process else None
    home = Home(cache_dir=folder)
    interrupted(home.sandbox, "reset-after:POST:*@1", lambda: REPEATED["new rows"][0](home.bf))
    home.bf = connect(home.sandbox, cache_dir=folder)
    REPEATED["new rows"][0](home.bf)
    assert home.journal == [[3, 0, 0, 0, 0]]
    assert home.state == undisturbed("new rows")


def test_the_same_rows_through_another_door_complete_the_first_call() -> None:
    home, first = Home(), call("create_transactions", [ROW | {"memo": None}])
    interrupted(home.sandbox, "reset-after:POST:*@1", lambda: first(home.bf))
    home.bf.changes(pd.DataFrame([ROW]).assign(date=pd.Timestamp("2026-06-16"))).apply()
    assert home.journal == CREATED
    assert home.state.count("transactions ") == 1


def test_an_interrupted_call_that_is_older_than_a_day_is_not_continued_in_silence() -> None:
    home = Home()
    interrupted(home.sandbox, "reset-after:POST:*@1", lambda: home.bf.create_transactions([ROW]))
    home.sandbox.advance(2)
    with pytest.raises(ToolError, match=r"interrupted, .*resume\(0\) completes it"):
        home.bf.create_transactions([ROW])
    home.bf.journal().resume(0)
    home.bf.create_transactions([ROW])
    assert home.journal == CREATED * 2


def test_a_new_account_is_recognised_after_another_device_has_changed_its_balance() -> None:
    home = Home()
    interrupted(home.sandbox, "reset-after:POST:*@1", lambda: call("create_account")(home.bf))
    key = rows_with(home.bf.accounts(), account_name="Travel")["account_id"].item()
    home.sandbox.device.add_transaction(account_id=key, date=date(2026, 6, 16), amount=-20_000)
    assert call("create_account")(home.bf).balance == 30.0
    assert home.journal == CREATED


# Lists that are fresh, and that another device has made outdated

MONTH = "2026-09"


@pytest.mark.parametrize(("write", "amount"), [
    (lambda bf: bf.move(MONTH, "Rent", "Fuel", 5), 95.0),
    (lambda bf: bf.assign(MONTH, "Rent", 0), 0.0),
])  # fmt: skip
def test_an_amount_in_a_month_that_a_fresh_list_lacks_is_read(write: Door, amount: float) -> None:
    home = Home()
    home.bf.months(), home.bf.categories()
    home.sandbox.device.assign(RENT, date(2026, 9, 1), 100_000)
    write(home.bf)
    assert home.bf.month(MONTH).set_index("category_name")["budgeted"]["Rent"] == amount


def test_nothing_can_be_assigned_in_a_month_that_the_budget_does_not_have() -> None:
    assert Home().bf.assign(MONTH, "Rent", 0).budgeted == 0.0


@pytest.mark.parametrize("method", ["create_transactions", "update_transaction"])
def test_a_payee_that_was_renamed_elsewhere_is_written_with_the_given_name(method: str) -> None:
    home = Home()
    home.bf.payees(), home.bf.accounts(), home.bf.transactions()
    home.sandbox.device.rename_payee(MARKET, "Bauernmarkt")
    if method == "create_transactions":
        home.bf.create_transactions([ROW | {"payee_name": "Weekly Market"}])
    else:
        home.bf.update_transaction(KEYS[0], payee_name="Weekly Market")
    assert "Weekly Market" in home.bf.transactions()["payee_name"].tolist()


def test_a_name_that_two_payees_have_is_written_as_a_name() -> None:
    home = Home()
    for _ in range(2):
        home.sandbox.device.add_payee("Twin")
    written = home.bf.create_transactions([ROW | {"payee_name": "Twin"}])
    assert written["payee_name"].tolist() == ["Twin"]


def test_a_rule_that_an_outdated_row_breaks_is_checked_with_the_present_row() -> None:
    home = Home()
    rows = rows_with(home.bf.transactions(), account_name="Checking", **SAVE)
    key = rows["transaction_id"].iloc[-1]
    home.bf.accounts(), home.bf.categories(), home.bf.payees()
    home.sandbox.device.edit_transaction(key, payee_id=MARKET)
    assert home.bf.update_transaction(key, category_name="Rent").category_name == "Rent"


def test_an_interrupted_amount_does_not_stop_a_later_one() -> None:
    home = Home()
    interrupted(home.sandbox, "reset-after:PATCH:*@1", lambda: home.bf.assign("2026-06", "Rent", 5))
    home.bf.assign("2026-06", "Rent", 6)
    assert home.bf.assign("2026-06", "Rent", 5).budgeted == 5.0


def test_a_preview_of_a_deletion_shows_the_names_of_both_sides() -> None:
    home = Home()
    rows = rows_with(home.bf.transactions(), account_name="Checking", **SAVE)
    shown = home.bf.delete_transactions(rows["transaction_id"].iloc[-1], preview=True).frame
    assert sorted(shown["account_name"]) == ["Checking", "Savings"]
    assert sorted(shown["payee_name"]) == ["Transfer : Checking", "Transfer : Savings"]


# Previews, undo, and requests


@pytest.mark.parametrize("name", CALLS)
def test_a_preview_shows_the_changes_and_writes_nothing(name: str) -> None:
    home = Home()
    changes = call(name, preview=True)(home.bf)
    assert isinstance(changes, Changes)
    assert changes.requests == (2 if name == "move" else 1)
    assert len(changes.frame) > 0
    assert (home.writes, home.journal) == (0, [])


@pytest.mark.parametrize("name", [
    *("create_transactions", "create_scheduled_transactions", "update_transaction", "assign"),
    *("move", "update_category", "rename_payee", "rename_category_group"),
])  # fmt: skip
def test_a_write_is_one_entry_of_the_journal_which_undo_reverses(name: str) -> None:
    home = Home()
    call(name)(home.bf)
    assert home.state != ""
    assert len(home.bf.journal()) == 1
    home.bf.journal().undo().apply()
    assert home.state == ""


def test_the_undo_of_a_new_row_keeps_its_new_payee() -> None:
    home = Home()
    REPEATED["new rows"][0](home.bf)
    home.bf.journal().undo().apply()
    assert "Baker" in home.bf.payees()["payee_name"].tolist()
    assert len(home.bf.transactions()) == 240


@pytest.mark.parametrize(("name", "shown", "kind"), [
    ("create_account", "account 'Travel'", "accounts"), ("create_payee", "payee 'Baker'", "payees"),
    ("create_category_group", "category group 'Garden'", "category groups"),
    ("create_category", "category 'Tools'", "categories"),
])  # fmt: skip
def test_a_preview_says_what_undo_cannot_remove(name: str, shown: str, kind: str) -> None:
    changes = call(name, preview=True)(Home().bf)
    assert changes.not_undone == [f"creates the {shown}; .undo().apply() does not remove {kind}"]


OBJECTS = ("account", "payee", "category_group", "category")
ROWS = ("create_transactions", "create_scheduled_transactions", "update_transaction")
COSTS: dict[str, tuple[int, int]] = {
    **dict.fromkeys((*ROWS, *(f"create_{each}" for each in OBJECTS)), (1, 2)),
    **dict.fromkeys(("rename_payee", "rename_category_group", "update_category"), (1, 2)),
    "assign": (1, 2), "move": (3, 3),
}  # fmt: skip
"""The requests of a write with fresh lists, and with nothing but the budget."""


@pytest.mark.parametrize("name", COSTS)
def test_a_write_costs_what_its_docstring_says(name: str) -> None:
    home, cold = Home(), Home()
    for method in ("accounts", "categories", "payees", "transactions", "scheduled_transactions"):
        getattr(home.bf, method)()
    home.bf.month("2026-06")
    cold.bf.budgets()
    fresh, cold_cost = COSTS[name]
    assert requests(home.sandbox, lambda: call(name)(home.bf)) == fresh
    assert requests(cold.sandbox, lambda: call(name)(cold.bf)) == cold_cost
