"""The table of a review, by the messages between the notebook and Python."""

import json
import re
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, Review, ToolError
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connected, content, let_it_grow_old, plain_rows, requests
from tests.review.table import Table
from tests.sandbox.audit import check_books


def opened(what: Any = None, **options: Any) -> tuple[Sandbox, BudgetFrame, Review, Table]:
    """A review of a new budget, and its table."""
    sandbox, bf = connected(years=1)
    review = bf.review(what(bf) if callable(what) else what, **options)
    return sandbox, bf, review, Table(review)


def last_rows(count: int, **cells: Any) -> Any:
    """A function that reads the last rows of a budget that are neither transfers nor splits."""
    return lambda bf: plain_rows(bf, count, **cells)


def bank_file(bf: BudgetFrame) -> Any:
    """The changes of a bank's file with three new rows."""
    rows = [("2026-06-10", -3.33), ("2026-06-11", -4.44), ("2026-06-12", -5.55)]
    frame = pd.DataFrame(rows, columns=["date", "amount"]).assign(payee_name="Kiosk")
    return bf.import_rows(frame, account="Wallet")


def press_with_fault(sandbox: Sandbox, table: Table, button: str, fault: str) -> None:
    """Press a button while the service has a fault."""
    sandbox.faults = [fault]
    table.press(button)
    sandbox.faults = []


# Rows


def test_without_rows_those_that_are_not_approved_or_have_no_category_are_shown() -> None:
    _, _, _, table = opened()
    names = ("day", "payee", "amount", "category", "state", "suggestion")
    assert [[row[name] for name in names] for row in table.rows.values()] == [
        ["2026-04-17", "Kiosk am Ring", "-9,50 €", "Uncategorized", "reconciled", {}],
        ["2026-06-12", "Corner Market", "-12,34 €", "Groceries", "not approved, cleared",
         {"state": "approve"}],
        ["2026-06-14", "Kiosk am Ring", "-17,80 €", "Uncategorized", "not approved, uncleared", {}],
        ["2026-06-15", "Station West", "-49,30 €", "Fuel", "not approved, uncleared",
         {"state": "approve"}],
    ]  # fmt: skip


def test_the_rows_of_a_frame_are_shown_with_its_edits() -> None:
    _, _, review, table = opened(lambda bf: plain_rows(bf, 2).assign(memo=["", "checked"]))
    assert table.column("changed") == [[], ["memo"]]
    assert review.changes.frame[["field", "after"]].to_numpy().tolist() == [["memo", "checked"]]
    table.edit("state", "discard", 1)
    assert (table.column("memo"), len(review.changes)) == (["", ""], 0)
    table.edit("state", "restore", 1)
    assert (table.column("memo"), len(review.changes)) == (["", "checked"], 1)
    table.edit("memo", "", 1)
    assert len(review.changes) == 0
    table.edit("payee", "Bakery", 1)
    assert review.changes.frame["after"].tolist() == ["Bakery"]


def test_names_are_shown_with_what_a_person_cannot_see() -> None:
    sandbox, bf = connected(years=1)
    bf.changes(plain_rows(bf, 1).assign(memo="<b>\u202eabc")).apply()
    assert Table(bf.review(plain_rows(bf, 1))).column("memo") == ["<b>\\u202eabc"]
    check_books(sandbox)


def test_the_categories_have_their_groups_and_what_is_available() -> None:
    _, bf, _, table = opened()
    shown = {each["label"]: each for each in table.all["categories"]}
    assert shown["no category"]["value"] is None
    assert {"Internal Master Category", "Hidden Categories"} & {
        each["group"] for name, each in shown.items() if name != "Inflow: Ready to Assign"
    } == set()
    assert bf.month("2026-06").set_index("category_name")["balance"]["Groceries"] == 253.52
    groceries = shown["Groceries"]
    assert (groceries["group"], groceries["available"]) == ("Everyday", "253,52 €")


def test_the_changes_of_other_rows_than_transactions_are_refused() -> None:
    _, bf = connected(years=1)
    with pytest.raises(ToolError, match=r"shows changes of transactions, or .* these are others"):
        bf.review(bf.rename_payee("Kiosk am Ring", "Kiosk", preview=True))
    fuel = bf.month_categories(since="2026-05").query("category_name == 'Fuel'")
    with pytest.raises(ToolError, match=r"of the amounts that are assigned in one month, and"):
        bf.review(bf.changes(fuel.assign(budgeted=1.0)))
    fuel = bf.categories().query("category_name == 'Fuel'").assign(category_name="Petrol")
    with pytest.raises(ToolError, match=r"of the amounts that are assigned in one month, and"):
        bf.review(bf.changes(fuel.assign(budgeted=1.0)))
    with pytest.raises(ToolError, match=r"what has no transactions"):
        bf.review(bf.month("2026-06").tail(1))
    with pytest.raises(ToolError, match=r"rows of the report net_worth: they are no transactions"):
        bf.review(bf.reports.net_worth())
    changes = bf.changes(plain_rows(bf, 1).assign(memo="x")).apply()
    with pytest.raises(ToolError, match=r"these changes were applied already"):
        bf.review(changes)


# Edits


def test_an_edit_changes_the_rows_and_the_sums_below_without_a_request() -> None:
    sandbox, _, review, table = opened()
    table.edit("category", "Groceries", 2)  # the first edit reads the figures of the budget
    assert requests(sandbox, lambda: table.edit("memo", "Eggs", 1)) == 0
    assert table.column("category") == ["Uncategorized", "Groceries", "Groceries", "Fuel"]
    assert table.column("changed") == [[], ["memo"], ["category"], []]
    cost = "2 changes: 1 write request, and 1 read first; the limit leaves"
    assert table.summary["changes"].startswith(cost)
    assert table.summary["effects"] == [
        ["Groceries 2026-06", "253,52 €", "235,72 €"],
        ["Uncategorized 2026-06", "-17,80 €", "0,00 €"],
    ]
    assert sorted(review.changes.frame["field"]) == ["category_name", "memo"]
    assert review.frame["memo"].fillna("").tolist() == ["?", "Eggs", "", ""]


def test_a_value_as_before_is_no_edit() -> None:
    _, _, _, table = opened()
    table.edit("category", None, 0)
    table.edit("category", "Fuel", 1)
    table.edit("category", "Groceries", 1)
    assert (table.column("changed"), table.summary["changes"]) == ([[]] * 4, "0 changes")


def test_a_tick_accepts_what_a_row_suggests_and_an_edit_of_it_too() -> None:
    _, _, review, table = opened()
    table.tick(1, 2)
    assert table.column("ticked") == [False, True, True, False]
    assert table.column("changed") == [[], ["state"], [], []]
    table.edit("flag", "red", 1)
    assert (table.rows[1]["ticked"], table.rows[1]["changed"]) == (False, ["flag", "state"])
    assert review.changes.frame[["field", "after"]].to_numpy().tolist() == [
        ["approved", True], ["flag_color", "red"],
    ]  # fmt: skip


def test_the_suggested_category_is_that_of_most_rows_of_the_payee() -> None:
    def without_category(bf: BudgetFrame) -> pd.DataFrame:
        fuel = bf.ledger().query("payee_name == 'Station West'").tail(1)
        bf.changes(fuel.assign(category_name=None, category_id=None)).apply()
        return bf.reports.suggestions()

    _, _, review, table = opened(without_category)
    (row,) = (row for row in table.rows.values() if row["payee"] == "Station West")
    assert row["suggestion"] == {"category": "Fuel", "state": "approve"}
    assert re.fullmatch(r"\d+ rows, 100,0%", row["note"])
    table.tick(row["id"])
    assert review.changes.frame["after"].tolist() == [True, "Fuel"]
    table.press("apply")
    assert (table.rows[row["id"]]["suggestion"], table.rows[row["id"]]["note"]) == ({}, "")


def test_all_parts_of_a_split_share_their_state_and_keep_their_categories() -> None:
    _, _, review, table = opened(lambda bf: bf.ledger().query("is_split_part").tail(1))
    assert len(table.rows) > 1
    part = ("a part of a split", "parts of splits")
    fixed = {"category": part, "payee": part, "memo": part}
    assert table.column("fixed") == [fixed] * len(table.rows)
    table.edit("flag", "green", 0)
    table.edit("memo", "ignored", 0)
    assert set(table.column("flag")) == {"green"}
    assert review.changes.frame["field"].tolist() == ["flag_color"]


def test_a_transfer_keeps_its_payee_and_one_within_the_budget_has_no_category() -> None:
    def transfers(bf: BudgetFrame) -> pd.DataFrame:
        rows = bf.ledger(since="2026-05-20").query("is_transfer and account_name == 'Checking'")
        return rows.drop_duplicates("payee_name")

    _, _, _, table = opened(transfers)
    to_other, inside = {"payee": "a transfer"}, "a transfer inside the budget"
    both = {"category": inside, **to_other}
    assert {
        row["payee"]: {name: one for name, (one, _) in row["fixed"].items()}
        for row in table.rows.values()
    } == {
        "Transfer : Credit Card": both, "Transfer : Savings": both, "Transfer : Wallet": both,
        "Transfer : Car Loan": to_other, "Transfer : Index Fund": to_other,
    }  # fmt: skip


def test_a_deleted_row_can_be_taken_back() -> None:
    _, _, review, table = opened()
    table.edit("state", "delete", 2)
    assert table.rows[2]["struck"]
    assert review.changes.frame["action"].unique().tolist() == ["delete"]
    table.edit("state", "discard", 2)
    assert (table.rows[2]["struck"], len(review.changes)) == (False, 0)


def test_an_edit_that_is_refused_is_explained_and_taken_back() -> None:
    _, _, review, table = opened(last_rows(2))
    table.edit("memo", "Eggs", 0)
    table.edit("payee", "Transfer : Nowhere", 0, 1)
    assert "taken back: " in table.summary["message"]
    assert "the budget has no payee 'Transfer : Nowhere'" in table.summary["message"]
    assert (table.column("changed"), table.summary["apply"]) == ([["memo"], []], True)
    table.edit("payee", "Nobody", 1)
    assert (table.summary["message"], len(review.changes)) == ("", 2)


# Buttons


def test_apply_sends_each_change_once_also_after_a_double_click() -> None:
    sandbox, bf, _, table = opened()
    table.tick(1, 3)
    revision = table.summary["revision"]
    assert requests(sandbox, lambda: table.send(type="apply", revision=revision)) == 4
    assert table.progress == [(2, 2)]
    assert requests(sandbox, lambda: table.send(type="apply", revision=revision)) == 0
    assert table.summary["message"] == "2 rows were updated"
    assert table.column("state") == [
        "reconciled", "applied, cleared", "not approved, uncleared", "applied, uncleared",
    ]  # fmt: skip
    assert (~bf.transactions()["approved"]).sum() == 1


def test_undo_restores_what_was_applied() -> None:
    sandbox, _, _, table = opened()
    before = content(sandbox)
    table.tick(1)
    table.edit("state", "delete", 2)
    table.press("apply")
    assert table.column("struck") == [False, False, True, False]
    assert not table.summary["apply"]
    table.press("undo")
    assert content(sandbox) == before
    assert table.column("state") == [
        "reconciled",
        "undone, not approved, cleared",
        "undone, not approved, uncleared",  # the service has it under another key
        "not approved, uncleared",
    ]
    assert not table.summary["undo"]
    assert table.summary["message"] == "undo: 1 row was created, 1 row was updated"


def test_an_undo_keeps_the_edits_that_were_not_sent() -> None:
    _, _, _, table = opened()
    table.edit("memo", "first", 1)
    table.press("apply")
    table.edit("memo", "second", 1, 2)
    table.press("undo")
    assert table.column("memo") == ["?", "second", "second", ""]
    assert (table.summary["changes"][:11], table.summary["undo"]) == ("2 changes: ", False)
    table.edit("state", "discard", 1)
    assert table.column("memo") == ["?", "", "second", ""]


def test_a_row_in_conflict_is_only_sent_after_it_was_ticked_or_edited_again() -> None:
    sandbox, bf, review, table = opened()
    table.edit("memo", "mine", 1, 2)
    key = review.frame["transaction_id"].iloc[1]
    sandbox.device.edit_transaction(key, memo="theirs")
    table.press("preview")
    problem = "changed since the frame was read: memo. Now: memo theirs"
    assert table.column("problem") == ["", problem, "", ""]
    table.edit("flag", "red", 2)
    table.press("apply")
    assert table.column("memo") == ["?", "mine", "mine", ""]
    assert table.column("changed") == [[], ["memo"], [], []]
    assert bf.transactions().set_index("transaction_id")["memo"][key] == "theirs"
    assert not table.summary["apply"]
    table.tick(1)
    table.press("apply")
    assert bf.transactions().set_index("transaction_id")["memo"][key] == "mine"
    assert table.column("problem") == [""] * 4


def test_a_row_in_conflict_can_be_edited_after_a_preview() -> None:
    sandbox, bf, review, table = opened()
    table.edit("memo", "mine", 1)
    key = review.frame["transaction_id"].iloc[1]
    sandbox.device.edit_transaction(key, memo="theirs")
    table.press("preview")
    table.edit("memo", "both", 1)
    table.press("apply")
    assert bf.transactions().set_index("transaction_id")["memo"][key] == "both"


def test_a_given_change_that_became_a_conflict_is_sent_from_the_present_row_after_a_tick() -> None:
    sandbox, bf, review, table = opened(lambda bf: plain_rows(bf, 2).assign(memo="mine"))
    first, second = review.frame["transaction_id"]
    sandbox.device.edit_transaction(first, memo="theirs")
    table.press("preview")
    table.tick(1)  # the conflict is not ticked yet
    table.press("apply")
    memos = bf.transactions().set_index("transaction_id")["memo"]
    assert (memos[first], memos[second]) == ("theirs", "mine")
    table.tick(0)
    table.press("apply")
    assert bf.transactions().set_index("transaction_id")["memo"][first] == "mine"
    table.press("undo")
    assert bf.transactions().set_index("transaction_id")["memo"][first] == "theirs"


def test_a_tick_sends_a_given_conflict_besides_the_other_given_changes() -> None:
    def with_conflict(bf: BudgetFrame) -> Any:
        rows = plain_rows(bf, 2)
        bf.changes(rows.head(1).assign(memo="theirs")).apply()
        return bf.changes(rows.assign(memo="mine"))

    _, bf, review, table = opened(with_conflict)
    assert [bool(problem) for problem in table.column("problem")] == [True, False]
    table.tick(0)
    table.press("apply")
    memos = bf.transactions().set_index("transaction_id")["memo"]
    assert memos[review.frame["transaction_id"]].tolist() == ["mine", "mine"]


def test_rows_say_what_was_applied_before_the_network_was_lost_and_apply_continues() -> None:
    sandbox, bf, _, table = opened(last_rows(120))
    table.edit("memo", "checked", *range(120))
    press_with_fault(sandbox, table, "apply", "reset-after:PATCH:*@2")
    assert table.outcomes == {"applied": 50, "sent": 50, "not sent yet": 20}
    assert table.summary["message"] == (
        "ReadError: the connection broke. Apply finds out what was made, and sends the rest"
    )
    table.edit("memo", "other", 0)
    assert table.summary["message"] == "press Apply to continue, or Undo, before you edit rows"
    revision = table.summary["revision"]
    assert requests(sandbox, lambda: table.send(type="preview", revision=revision)) == 0
    assert requests(sandbox, lambda: table.send(type="apply", revision=revision - 1)) == 0
    table.press("apply")
    assert table.column("problem") == [""] * 120
    assert (bf.transactions()["memo"] == "checked").sum() == 120


def test_a_stop_between_two_requests_leaves_the_rest_to_a_second_apply_or_to_undo() -> None:
    sandbox, bf, review, table = opened(last_rows(120))
    before = content(sandbox)
    table.edit("memo", "checked", *range(120))
    # The rows are compared, and the first of three requests is sent.
    assert requests(sandbox, lambda: table.press("apply", stop=True)) == 2
    assert table.summary["message"] == "stopped after 50 of 120 changes: Apply sends the rest"
    assert table.outcomes == {"applied": 50, "not sent yet": 70}
    assert table.column("changed") == [[]] * 50 + [["memo"]] * 70
    assert set(table.column("memo")) == {"checked"}
    assert table.summary["changes"].startswith("70 changes left: 2 write requests, and 1 read")
    assert bf.journal().frame[["updated", "left"]].to_numpy().tolist() == [[50, 70]]
    assert requests(sandbox, lambda: table.press("apply", stop=True)) == 1
    assert table.progress == [(50, 120), (100, 120)]
    assert requests(sandbox, lambda: table.press("apply")) == 3  # the last one, and two lists
    assert table.summary["message"] == "120 rows were updated"
    table.press("undo", stop=True)
    assert table.summary["message"] == "stopped after 50 of 120 changes: Undo sends the rest"
    table.press("undo")
    assert content(sandbox) == before
    assert len(review.changes) == 0


def test_after_a_stop_only_what_is_left_is_marked_and_warned_of() -> None:
    rows = "account_name == 'Checking' and (is_transfer or not approved)"
    _, _, _, table = opened(lambda bf: bf.ledger(since="2026-06-01").query(rows))
    table.edit("memo", "checked", 0)
    table.edit("state", "delete", 5)
    table.tick(2)
    table.press("apply", stop=True)
    assert table.outcomes["applied"] == 2
    assert [table.rows[2][name] for name in ("ticked", "suggestion", "changed")] == [False, {}, []]
    assert table.summary["warnings"][1:] == ["the other side of 1 transfer will be deleted too"]


def test_after_ten_seconds_a_stopped_apply_compares_the_rest_once_more() -> None:
    sandbox, _, review, table = opened(last_rows(120))
    table.edit("memo", "checked", *range(120))
    table.press("apply", stop=True)
    sandbox.device.edit_transaction(review.frame["transaction_id"].iloc[119], memo="theirs")
    let_it_grow_old(review.changes)
    table.press("apply")
    assert table.summary["message"].startswith("119 rows were updated")
    assert table.column("problem")[119].endswith(": memo. Now: memo theirs")


def test_another_view_goes_on_and_a_stop_after_the_last_request_changes_nothing() -> None:
    sandbox, _, review, table = opened(last_rows(120))
    table.edit("memo", "checked", *range(120))
    table.send(type="apply", revision=table.summary["revision"])
    revision = table.summary["revision"]
    table.send(type="ready")
    assert (table.summary["phase"], table.summary["go_on"]) == ("sending", True)
    assert requests(sandbox, lambda: table.send(type="go_on", revision=revision)) == 1
    assert requests(sandbox, lambda: table.send(type="go_on", revision=revision)) == 0
    review.changes.apply()  # code sends the rest
    table.send(type="stop", revision=revision)
    assert table.outcomes == {"applied": 120}
    assert (table.summary["phase"], table.summary["message"]) == ("ready", "")
    stop = {"type": "stop", "revision": table.summary["revision"]}
    assert requests(sandbox, lambda: table.send(**stop)) == 0


def test_the_rows_are_read_later_if_the_network_is_lost_after_the_changes_were_sent() -> None:
    sandbox, _, review, table = opened()
    table.tick(1)
    sandbox.faults = ["reset-before:GET:*@2-"]  # the first one compares the changes
    table.press("apply")
    assert table.summary["message"].startswith("ReadError: ")
    sandbox.faults = []
    table.edit("memo", "Eggs", 2)
    assert table.column("state")[1] == "applied, cleared"
    assert review.changes.frame["after"].tolist() == ["Eggs"]


@pytest.mark.parametrize("first", ["edit", "preview"])
def test_changes_that_code_has_applied_are_not_sent_again(first: str) -> None:
    _, bf, review, table = opened(bank_file)
    before = len(bf.transactions())
    table.edit("memo", "Bread", 1)
    review.changes.apply()
    if first == "preview":
        table.press("preview")
    table.edit("memo", "Eggs", 0)
    assert table.column("state")[1] == "applied, not approved, cleared"
    table.press("apply")
    assert len(bf.transactions()) == before + 3


def test_an_undo_after_a_part_was_sent_reverses_it_and_keeps_the_other_edits() -> None:
    sandbox, bf, _, table = opened(last_rows(120))
    table.edit("memo", "checked", *range(120))
    press_with_fault(sandbox, table, "apply", "400:PATCH:*@2")
    table.press("undo")
    assert (bf.transactions()["memo"] == "checked").sum() == 0
    assert table.outcomes["undone"] == 50
    assert table.summary["changes"].startswith("70 changes: 2 write requests")
    table.press("apply")
    assert (bf.transactions()["memo"] == "checked").sum() == 70


def test_new_rows_of_which_a_part_was_sent_can_be_undone() -> None:
    rows = pd.DataFrame({"date": "2026-06-10", "amount": [-1.0 - n for n in range(60)]})
    rows = rows.assign(account_name="Wallet", payee_name="Kiosk")
    sandbox, _, _, table = opened(lambda bf: bf.changes(rows))
    before = content(sandbox)
    press_with_fault(sandbox, table, "apply", "400:POST:*@2")
    table.press("undo")
    assert content(sandbox) == before
    assert table.outcomes["undone"] == 50


def test_an_undo_that_the_network_interrupts_is_continued_by_undo() -> None:
    sandbox, _, _, table = opened(last_rows(120))
    before = content(sandbox)
    table.edit("memo", "checked", *range(120))
    table.press("apply")
    press_with_fault(sandbox, table, "undo", "reset-after:PATCH:*@2")
    assert table.summary["message"].endswith("Undo finds out what was made, and sends the rest")
    assert (table.summary["apply"], table.summary["undo"]) == (False, True)
    table.edit("memo", "other", 0)
    assert table.summary["message"] == "press Undo before you edit rows"
    table.press("undo")
    assert content(sandbox) == before


def test_a_row_that_an_undo_does_not_restore_says_why() -> None:
    sandbox, _, review, table = opened()
    table.edit("memo", "mine", 1, 2)
    table.press("apply")
    sandbox.device.edit_transaction(review.frame["transaction_id"].iloc[1], memo="theirs")
    table.press("undo")
    assert table.column("memo") == ["?", "theirs", "", ""]
    assert table.column("problem") == ["", "changed since then", "", ""]
    assert table.column("state")[2].startswith("undone, ")
    assert table.outcomes["undone"] == 1


def test_a_prepared_amount_stays_in_a_conflict_until_it_is_sent() -> None:
    sandbox, bf, review, table = opened(lambda bf: plain_rows(bf, 1).assign(amount=-1.0, memo="a"))
    assert review.frame[["amount", "memo"]].to_numpy().tolist() == [[-1.0, "a"]]
    key = review.frame["transaction_id"].item()
    sandbox.device.edit_transaction(key, memo="theirs")
    let_it_grow_old(review.changes)
    table.press("apply")
    assert table.column("problem") == ["changed since the comparison: memo. Now: memo theirs"]
    table.tick(0)
    table.press("apply")
    row = bf.transactions().set_index("transaction_id").loc[key]
    assert (row["amount"], row["memo"]) == (-1.0, "a")


def test_an_edited_change_that_was_prepared_before_is_compared_once_more_when_it_is_sent() -> None:
    sandbox, bf, review, table = opened(lambda bf: plain_rows(bf, 1).assign(memo="a"))
    table.edit("flag", "red", 0)
    key = review.frame["transaction_id"].item()
    sandbox.device.edit_transaction(key, memo="theirs")
    table.press("apply")
    assert bf.transactions().set_index("transaction_id")["memo"][key] == "theirs"
    assert table.column("problem")[0].endswith("Now: memo theirs, flag empty")


def test_the_other_rows_keep_their_suggestions_and_available_amounts_are_new_after_apply() -> None:
    _, _, _, table = opened()
    table.edit("category", "Groceries", 2)
    table.tick(1)
    table.press("apply")
    assert table.column("suggestion") == [{}, {}, {}, {"state": "approve"}]
    shown = {each["label"]: each["available"] for each in table.all["categories"]}
    assert shown["Groceries"] == "235,72 €"
    table.press("undo")
    assert table.column("suggestion") == [{}, {"state": "approve"}, {}, {"state": "approve"}]


def test_what_was_applied_in_the_table_can_be_undone_in_code() -> None:
    sandbox, _, review, table = opened()
    before = content(sandbox)
    table.tick(1)
    table.press("apply")
    assert "  next: review.changes.undo() prepares the reverse changes" in repr(review)
    review.changes.undo().apply()
    assert content(sandbox) == before
    table.edit("memo", "Eggs", 2)
    assert table.column("state")[1] == "undone, not approved, cleared"
    assert not table.summary["undo"]


def test_a_read_only_connection_says_that_nothing_can_be_sent() -> None:
    table = Table(BudgetFrame.sandbox(read_only=True).review())
    table.tick(1)
    assert (table.summary["changes"][:10], table.summary["apply"]) == ("1 change: ", False)
    assert "read-only" in table.summary["warnings"][0]


# Files, duplicates and statements


def test_new_rows_of_a_file_keep_their_ids_and_can_be_left_out() -> None:
    _, bf, _, table = opened(bank_file)
    table.edit("category", "Groceries", 0)
    table.edit("state", "discard", 1)
    table.edit("payee", "Corner Kiosk", 2)
    assert table.column("state")[1] == "new, left out, not approved, cleared"
    table.press("apply")
    assert table.column("payee") == ["Kiosk", "Kiosk", "Corner Kiosk"]
    left = bank_file(bf)
    assert left.frame["date"].unique().tolist() == [pd.Timestamp("2026-06-11")]
    assert left.skipped["reason"].tolist() == ["imported before", "imported before"]
    assert table.summary["changes"] == "0 changes"


def test_the_given_changes_are_the_same_object_until_an_edit() -> None:
    _, bf = connected(years=1)
    given = bank_file(bf)
    review = bf.review(given)
    table = Table(review)
    assert review.changes is given
    table.edit("memo", "x", 0)
    assert review.changes is not given
    assert review.changes is review.changes
    assert len(review.changes.skipped) == 0


def test_a_tick_deletes_the_row_of_a_duplicate_unless_the_other_one_was_deleted() -> None:
    def entered_twice(bf: BudgetFrame) -> pd.DataFrame:
        columns = ["date", "amount", "account_name", "payee_name", "category_name"]
        bf.changes(plain_rows(bf, 1, account_name="Wallet")[columns]).apply()
        return bf.reports.duplicates()

    sandbox, bf, review, table = opened(entered_twice)
    kept = bf.reports.duplicates()["kept_transaction_id"].item()
    assert table.rows[0]["note"] == "entered twice; 2026-06-16 Grüner Markt is kept"
    table.tick(0)
    assert table.rows[0]["struck"]
    sandbox.device.delete_transaction(kept)
    table.press("apply")
    assert table.rows[0]["problem"] == f"the other row of the pair was deleted: {kept}"
    assert review.frame["transaction_id"].item() in set(bf.transactions()["transaction_id"])


def test_ticks_of_a_statement_show_the_difference_that_is_left() -> None:
    _, bf = connected(years=1)
    cleared = bf.statement("Wallet", 0, "2026-06-17").cleared
    table = Table(bf.review(bf.statement("Wallet", cleared - 4.3 - 7.8, "2026-06-17")))
    open_rows = [number for number, row in table.rows.items() if row["suggestion"]]
    table.tick(*open_rows[:1])
    assert table.summary["effects"][0] == ["difference to the bank", "-12,10 €", "-7,80 €"]
    table.tick(*open_rows)
    assert table.summary["effects"][0][2] == "0,00 €"


def test_a_row_after_the_day_of_a_statement_has_no_suggestion() -> None:
    _, _, _, table = opened(lambda bf: bf.statement("Wallet", 0, "2026-06-15"))
    suggestions = {row["day"]: row["suggestion"] for row in table.rows.values()}
    assert suggestions["2026-06-15"] == {"state": "cleared"}
    assert suggestions["2026-06-16"] == {}


# What is saved and shown elsewhere


@pytest.mark.parametrize("keep", [False, True])
def test_the_state_that_a_notebook_saves_has_rows_only_if_it_is_asked_for(*, keep: bool) -> None:
    _, _, _, table = opened(keep=keep)
    table.edit("memo", "Eggs", 1)
    state = [one["data"] for one in table.widget.comm.sent if one["data"].get("method") != "custom"]
    text = json.dumps([*state, table.widget.get_state()])
    assert [name in text for name in ["Corner Market", "Groceries", "12,34", "Eggs"]] == [keep] * 4


def test_a_terminal_shows_the_changes_and_the_line_to_write() -> None:
    _, _, review, table = opened()
    assert repr(review).splitlines() == [
        "Review: 4 rows; nothing to change",
        "  next: bf.changes(review.frame.assign(category_name=...)).apply() changes rows",
        "  table: a notebook shows them as a table to edit, with the extra widget",
    ]
    table.edit("memo", "Eggs", 0)
    lines = repr(review).splitlines()
    assert lines[0] == "Review: 4 rows; 1 row will be updated"
    assert "  next: review.changes.apply() sends the changes" in lines
    assert "text/html" in review._repr_mimebundle_()
