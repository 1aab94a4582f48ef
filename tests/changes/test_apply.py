"""Sending changes: requests, conflicts, interruptions, undo and the journal."""

import json
import re
import stat
import warnings
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, ServiceAPIError, ToolError
from budgetframe._changes import journal_of
from budgetframe.sandbox import Sandbox
from tests.changes.budget import (
    Content,
    connect,
    connected,
    content,
    interrupted,
    let_it_grow_old,
    plain_rows,
    requests,
    rows_with,
    shown,
    small_sandbox,
    with_parts,
)
from tests.sandbox.audit import check_books

ROW = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet", "approved": True}


def memos(sandbox: Sandbox, text: str) -> int:
    """The number of transactions with a memo."""
    return sum(row.memo == text for row in sandbox.device.state().transactions.live())


def many(bf: BudgetFrame, count: int) -> Changes:
    """Updates of this many rows, none of which is a transfer or a split."""
    return bf.changes(plain_rows(bf, count).assign(memo="checked"))


# Requests


def test_160_recategorised_rows_cost_one_delta_and_four_writes() -> None:
    sandbox, bf = connected(years=1)
    ledger = bf.ledger()
    rows = ledger[ledger["is_spending"] & ~ledger["is_split_part"] & ~ledger["is_transfer"]]
    edited = rows[rows["category_name"] != "Rent"].tail(160).assign(category_name="Rent")
    found: list[Changes] = []
    assert requests(sandbox, lambda: found.append(bf.changes(edited))) == 1
    assert requests(sandbox, found[0].apply) == 4
    assert found[0].counts == {"left": 0, "done": 160, "unknown": 0, "conflicts": 0}
    assert requests(sandbox, found[0].apply) == 0  # nothing is left


def test_an_older_comparison_is_repeated_before_the_changes_are_sent() -> None:
    sandbox, bf = connected()
    key = bf.transactions()["transaction_id"].iloc[-1]
    changes = bf.changes(bf.transactions().iloc[[-1, -4]].assign(memo="checked"))
    let_it_grow_old(changes)
    sandbox.device.edit_transaction(key, flag_color="red")
    assert requests(sandbox, changes.apply) == 2
    assert changes.counts == {"left": 0, "done": 1, "unknown": 0, "conflicts": 1}
    assert changes.conflicts["problem"].tolist() == ["changed since the comparison: flag_color"]
    assert memos(sandbox, "checked") == 1


def test_deletions_and_assigned_amounts_are_sent_one_by_one_decreases_first() -> None:
    sandbox, bf = connected()
    june = bf.month("2026-06").set_index("category_name", drop=False).loc[["Rent", "Fuel", "Sport"]]
    changes = bf.changes(june.assign(budgeted=[1300.0, 1.0, 0.0]))
    order = [
        changes.frame["category_name"][position]
        for request in changes._aio.application.requests
        for position in request.positions
    ]
    assert order == ["Fuel", "Sport", "Rent"]
    assert requests(sandbox, changes.apply) == 3
    deletion = bf.changes(delete=bf.transactions().tail(3))
    assert (deletion.requests, len(deletion)) == (2, 3)  # two of the rows are one transfer
    assert requests(sandbox, deletion.apply) == 2


def test_too_few_requests_are_refused_before_anything_is_sent() -> None:
    sandbox, bf = connected(years=1, limit=12)
    changes = many(bf, 400)
    with pytest.raises(ToolError, match=r"the changes need 8 requests, but the limit leaves 6 of"):
        changes.apply()
    assert memos(sandbox, "checked") == 0
    assert len(bf.journal()) == 0


# Conflicts


def test_a_row_that_was_changed_elsewhere_is_not_overwritten() -> None:
    sandbox, bf = connected()
    edited = bf.ledger().tail(1).assign(memo="mine")
    sandbox.device.edit_transaction(edited["transaction_id"].iloc[0], memo="theirs")
    changes = bf.changes(edited)
    assert (len(changes), changes.requests) == (0, 0)
    assert shown(changes.conflicts) == [("update", "memo", "theirs", "mine")]
    assert changes.conflicts["problem"].tolist() == ["changed since the frame was read: memo"]
    changes.apply()
    assert (memos(sandbox, "theirs"), memos(sandbox, "mine")) == (1, 0)
    changes.apply(overwrite=True)
    assert (memos(sandbox, "theirs"), memos(sandbox, "mine")) == (0, 1)
    changes.undo().apply()
    assert (memos(sandbox, "theirs"), memos(sandbox, "mine")) == (1, 0)


def test_a_field_that_has_the_edited_value_already_is_no_conflict() -> None:
    sandbox, bf = connected()
    edited = bf.transactions().tail(1).assign(memo="one")
    for frame in (edited, bf.scheduled_transactions().head(1).assign(memo="one")):
        bf.changes(frame).apply()
        again = bf.changes(frame.assign(flag_color="red"))
        assert shown(again.frame) == [("update", "flag_color", None, "red")]
        assert len(again.conflicts) == 0
        other = bf.changes(frame.assign(memo="two"))
        assert other.conflicts["problem"].tolist() == ["changed since the frame was read: memo"]
    sandbox.device.edit_transaction(edited["transaction_id"].iloc[0], amount=-1_000)
    conflicts = bf.changes(edited.assign(flag_color="red")).conflicts
    assert conflicts["problem"].tolist() == ["changed since the frame was read: amount"]


def test_rows_that_were_deleted_elsewhere_are_conflicts_that_cannot_be_overwritten() -> None:
    sandbox, bf = connected()
    last = bf.transactions().tail(1)
    sandbox.device.delete_transaction(last["transaction_id"].iloc[0])
    for changes in (bf.changes(last.assign(memo="x")), bf.changes(delete=last)):
        assert set(changes.conflicts["problem"]) == {"deleted since the frame was read"}
        assert changes.apply(overwrite=True).counts["conflicts"] == 1


def test_a_change_that_somebody_else_makes_before_it_is_sent_is_not_undone() -> None:
    sandbox, bf = connected()
    rows = bf.transactions().iloc[[-1, -4]]
    keys = list(rows["transaction_id"])
    changes = bf.changes(rows.tail(1).assign(memo="both"), delete=keys[:1])
    let_it_grow_old(changes)
    sandbox.device.delete_transaction(keys[0])
    sandbox.device.edit_transaction(keys[1], memo="both")
    changes.apply()
    problems = ["made already, not by this application", "deleted since the comparison"]
    assert changes.conflicts["problem"].drop_duplicates().tolist() == problems
    assert len(bf.journal()) == 0


def test_a_transfer_is_not_deleted_if_its_other_side_was_changed_elsewhere() -> None:
    sandbox, bf = connected()
    rows = bf.transactions()
    saved = rows_with(rows, payee_name="Transfer : Savings").tail(1)
    sandbox.device.edit_transaction(saved["transfer_transaction_id"].iloc[0], flag_color="red")
    changes = bf.changes(rows.head(0), delete=saved)
    assert set(changes.conflicts["problem"]) == {"changed since the frame was read: flag_color"}


def test_a_split_is_not_replaced_if_the_other_side_of_a_part_was_changed_elsewhere() -> None:
    sandbox, bf = connected()
    rows = bf.ledger()
    part = rows[rows["is_split_part"] & rows["is_transfer"]].tail(1)
    split = sandbox.device.state().transactions[part["transaction_id"].iloc[0]]
    (side,) = (key for each in split.parts if (key := each.transfer_transaction_id) is not None)
    sandbox.device.edit_transaction(side, flag_color="red")
    changes = bf.changes(part.assign(amount=-1.0), splits="replace")
    assert set(changes.conflicts["problem"]) == {"changed since the frame was read: flag_color"}


def test_the_other_side_of_an_overwritten_transfer_is_listed() -> None:
    sandbox, bf = connected()
    saved = rows_with(bf.transactions(), payee_name="Transfer : Savings").tail(1)
    sandbox.device.edit_transaction(saved["transaction_id"].iloc[0], flag_color="red")
    changes = bf.changes(saved.assign(amount=-1.0))
    assert len(changes) == 0
    changes.apply(overwrite=True)
    assert [row[1:] for row in shown(changes.frame)] == [
        ("amount", -300.0, -1.0), ("amount", 300.0, 1.0),
    ]  # fmt: skip


def test_the_overwritten_deletion_of_one_side_of_a_transfer_is_undone_with_its_category() -> None:
    sandbox, bf = connected()
    rows = bf.transactions()
    saved = rows_with(rows, payee_name="Transfer : Index Fund").tail(1)
    side = rows[rows["transaction_id"].isin(saved["transfer_transaction_id"])]
    sandbox.device.edit_transaction(side["transaction_id"].iloc[0], memo="theirs")
    before, changes = content(sandbox), bf.changes(delete=side).apply(overwrite=True)
    assert changes.frame["account_name"].drop_duplicates().tolist() == ["Checking", "Index Fund"]
    changes.undo().apply()
    assert content(sandbox) == before


def test_the_other_side_of_a_transfer_in_conflict_is_not_listed() -> None:
    sandbox, bf = connected()
    saved = rows_with(bf.transactions(), payee_name="Transfer : Savings").tail(1)
    changes = bf.changes(saved.assign(amount=-1.0))
    assert len(changes) == 2
    let_it_grow_old(changes)
    sandbox.device.edit_transaction(saved["transaction_id"].iloc[0], flag_color="red")
    changes.apply()
    assert (len(changes), changes.counts["conflicts"]) == (0, 1)


@pytest.mark.parametrize(
    "when", ["before the comparison", "after the comparison", "undo of a new split"]
)
def test_a_split_is_replaced_completely_or_not_at_all(when: str) -> None:
    """Also if it is edited on another device; undo of a new split does the same."""
    sandbox, bf = connected()
    parts = bf.ledger()
    part, plain = parts[parts["is_split_part"]].tail(1), plain_rows(bf, 1)
    split = with_parts(plain, [{"amount": plain["amount"].iloc[0]}]).assign(category_id=None)
    is_undo = when == "undo of a new split"
    key = (plain if is_undo else part)["transaction_id"].iloc[0]
    new = bf.changes(split).apply() if is_undo else None
    if when == "before the comparison":
        sandbox.device.edit_transaction(key, memo="theirs")
    changes = (
        new.undo()
        if new is not None
        else bf.changes(part.assign(category_name="Fuel"), splits="replace")
    )
    if when != "before the comparison":
        sandbox.device.edit_transaction(key, memo="theirs")
        let_it_grow_old(changes)
    before = content(sandbox)
    changes.apply()
    assert changes.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 2}
    assert content(sandbox) == before
    changes.apply(overwrite=True)
    assert changes.counts == {"left": 0, "done": 2, "unknown": 0, "conflicts": 0}
    assert content(sandbox).total() == before.total()
    assert key not in bf.transactions()["transaction_id"].tolist()


def test_each_overwritten_split_is_created_again_with_its_own_parts() -> None:
    sandbox, bf = connected()
    parts = bf.ledger()
    two = parts[parts["is_split_part"]].drop_duplicates("transaction_id").tail(2)
    rows = bf.transactions()
    amounts = rows[rows["transaction_id"].isin(two["transaction_id"])]["amount"].tolist()
    assert len({*amounts}) == 2
    changes = bf.changes(two.assign(memo="mine"), splits="replace")
    for key in two["transaction_id"]:
        sandbox.device.edit_transaction(key, memo="theirs")
    let_it_grow_old(changes)
    changes.apply(overwrite=True)
    assert changes.counts == {"left": 0, "done": 4, "unknown": 0, "conflicts": 0}
    again = bf.transactions()
    is_new = ~again["transaction_id"].isin(rows["transaction_id"])
    assert again[is_new & again["is_split"]]["amount"].tolist() == amounts


def test_changes_that_were_prepared_together_are_compared_with_each_other() -> None:
    sandbox, bf = connected()
    last = bf.transactions().tail(1)
    fuel = rows_with(bf.month("2026-06"), category_name="Fuel")
    pairs = [
        (bf.changes(last.assign(memo="a")), bf.changes(last.assign(memo="b"))),
        (bf.changes(fuel.assign(budgeted=1.0)), bf.changes(fuel.assign(budgeted=2.0))),
        (bf.changes(delete=last), bf.changes(last.assign(memo="c"))),
    ]
    for first, second in pairs[:2]:
        first.apply()
        assert requests(sandbox, second.apply) == 1
        assert second.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
    assert memos(sandbox, "a") == 1
    assert rows_with(bf.month("2026-06"), category_name="Fuel")["budgeted"].tolist() == [1.0]
    first, second = pairs[2]
    first.apply(overwrite=True)
    second.apply()
    assert second.conflicts["problem"].tolist() == ["deleted since the comparison"]


@pytest.mark.parametrize(
    "when", ["before the comparison", "after it", "after a lost request", "on another device"]
)
def test_an_equal_row_of_another_application_is_not_taken_for_a_lost_one(when: str) -> None:
    sandbox, bf = connected()
    if when == "on another device":
        key = bf.accounts().set_index("account_name")["account_id"]["Wallet"]
        sandbox.device.add_transaction(
            account_id=key, date=date(2026, 6, 16), amount=-4_500, memo="same", approved=True
        )
    row = pd.DataFrame([{**ROW, "memo": "same"}])
    other = bf.changes(row)
    if when == "before the comparison":
        other.apply()
    changes = bf.changes(row)
    if when == "after it":
        other.apply()
    interrupted(sandbox, "reset-before:POST:*@1", changes.apply)
    if when == "after a lost request":
        other.apply()
    changes.apply()
    assert memos(sandbox, "same") == 2


def test_a_conflict_of_a_part_of_a_deleted_split_is_listed() -> None:
    sandbox, bf = connected()
    part = bf.subtransactions().tail(1)
    sandbox.device.delete_transaction(part["transaction_id"].iloc[0])
    changes = bf.changes(part.assign(memo="mine"), splits="replace")
    assert shown(changes.conflicts) == [("update", "memo", None, "mine")]


def test_conflicts_in_schedules_categories_and_assigned_amounts(subtests: pytest.Subtests) -> None:
    sandbox, bf = connected()
    schedule = rows_with(bf.scheduled_transactions(), payee_name="Linden Housing")
    fuel = rows_with(bf.categories(), category_name="Fuel")
    month = rows_with(bf.month("2026-05"), category_name="Fuel")
    key = fuel["category_id"].iloc[0]
    sandbox.device.edit_scheduled(schedule["scheduled_transaction_id"].iloc[0], amount=-1_000)
    sandbox.device.rename_category(key, "Petrol")
    sandbox.device.assign(key, date(2026, 5, 1), 5_000)
    for edited, field in (
        (schedule.assign(memo="x"), "amount"), (fuel.assign(note="x"), "name"),
        (month.assign(budgeted=1.0), "budgeted"),
    ):  # fmt: skip
        with subtests.test(field=field):
            problem = f"changed since the frame was read: {field}"
            assert bf.changes(edited).conflicts["problem"].tolist() == [problem]


# Interruptions


LOST = [
    *((kind, each) for kind in ("reset-after", "reset-before") for each in ("PATCH", "DELETE")),
    *((kind, "POST") for kind in ("reset-after", "reset-before", "cut", "503-after", "html")),
    *((kind, "POST") for kind in ("429-after", "429")),
]
"""Faults after which it is not known whether the request was carried out."""


@pytest.mark.parametrize(("kind", "method"), LOST)
def test_after_a_lost_answer_nothing_is_missing_or_made_twice(kind: str, method: str) -> None:
    sandbox, bf = connected()
    plain, new = plain_rows(bf, 60), pd.DataFrame([{**ROW, "memo": "same"}] * 3)
    edited = pd.concat([plain.head(58).assign(memo="checked"), new], ignore_index=True)
    edited.attrs = plain.attrs
    changes = bf.changes(edited, delete=plain.tail(2))
    assert changes.requests == 5
    error = interrupted(sandbox, f"{kind}:{method}:*@1", changes.apply)
    assert re.match(r"Of 63 changes, \d+ were made, \d+ may have been made", error.__notes__[-1])
    assert "interrupted" in repr(changes)
    # One request finds out what was made; the others send the rest.
    assert requests(sandbox, changes.apply) <= 1 + 5
    assert changes.counts == {"left": 0, "done": 63, "unknown": 0, "conflicts": 0}
    assert (memos(sandbox, "checked"), memos(sandbox, "same")) == (58, 3)
    check_books(sandbox)
    changes.undo().apply()
    assert (memos(sandbox, "checked"), memos(sandbox, "same")) == (0, 0)


def test_a_refused_request_changes_nothing_and_says_what_was_done() -> None:
    sandbox, bf = connected()
    changes = many(bf, 60)
    sandbox.faults = ["400:PATCH:*@2"]
    with pytest.raises(ServiceAPIError) as caught:
        changes.apply()
    (note,) = caught.value.__notes__
    assert note.startswith("Of 60 changes, 50 were made, and 10 were not made. The service refused")
    sandbox.faults = []
    assert changes.apply().counts["done"] == 60


@pytest.mark.parametrize("status", ["400", "404.2", "409"])
def test_a_single_row_that_is_refused_is_a_conflict_and_the_others_are_sent(status: str) -> None:
    sandbox, bf = connected()
    last = bf.transactions().iloc[[-1, -4]]
    changes = bf.changes(pd.DataFrame([{**ROW, "memo": "new"}]), delete=last)
    sandbox.faults = [f"{status}:DELETE:*@1"]
    changes.apply()
    sandbox.faults = []
    assert changes.counts == {"left": 0, "done": 2, "unknown": 0, "conflicts": 1}
    (problem,) = changes.conflicts["problem"].unique()
    assert problem.startswith("the service refused it: ")
    assert bf.journal().frame["left"].tolist() == [0]
    assert changes.apply(overwrite=True).counts["done"] == 3


@pytest.mark.parametrize("rows", [1, 3])
def test_a_write_that_was_carried_out_and_answered_with_a_conflict_is_made_once(rows: int) -> None:
    sandbox, bf = connected()
    before = content(sandbox)
    changes = bf.changes(pd.DataFrame([{**ROW, "memo": "new"}] * rows))
    sandbox.faults = ["409-after:POST", "409-after:DELETE"]
    assert requests(sandbox, changes.apply) == 2  # one of them reads what was made
    assert changes.counts == {"left": 0, "done": rows, "unknown": 0, "conflicts": 0}
    changes.undo().apply()
    assert content(sandbox) == before


def test_several_rows_that_the_service_refuses_with_a_conflict_can_be_sent_later() -> None:
    sandbox, bf = connected()
    changes = bf.changes(pd.DataFrame([{**ROW, "memo": "new"}] * 3))
    error = interrupted(sandbox, "409:POST:*@1", changes.apply)
    assert "3 were not made. The service refused 3 of them together" in error.__notes__[-1]
    assert requests(sandbox, changes.apply) == 1
    assert memos(sandbox, "new") == 3


def test_a_split_whose_deletion_is_refused_is_not_created_again() -> None:
    sandbox, bf = connected()
    ledger = bf.ledger()
    part, before = ledger[ledger["is_split_part"]].tail(1), content(sandbox)
    changes = bf.changes(part.assign(category_name="Fuel"), splits="replace")
    sandbox.faults = ["400:DELETE:*@1"]
    assert requests(sandbox, changes.apply) == 1
    assert changes.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 2}
    assert content(sandbox) == before


@pytest.mark.parametrize(("edit", "target", "problem"), [
    ({"account_name": "Checking"}, "Wallet", "it would be a transfer to its own account"),
    ({"category_id": None}, "Savings",
     "a transfer between two accounts of the budget has no category"),
])  # fmt: skip
def test_an_undo_that_the_service_would_refuse_because_of_a_later_transfer_is_a_conflict(
    edit: dict[str, Any], target: str, problem: str
) -> None:
    bf = connect(small_sandbox())
    row = plain_rows(bf, 500, account_name="Wallet").dropna(subset="category_id").tail(1)
    key, first = row["transaction_id"].iloc[0], bf.changes(row.assign(**edit)).apply()
    again = rows_with(bf.transactions(), transaction_id=key)
    bf.changes(again.assign(payee_name=f"Transfer : {target}")).apply()
    reverse = first.undo()
    assert reverse.conflicts["problem"].tolist() == [problem]
    assert reverse.requests == 0


def test_a_row_that_has_become_a_split_keeps_its_date_and_is_a_conflict() -> None:
    bf = connect(small_sandbox())
    row = plain_rows(bf, 500, category_id=None).query("amount < 0").tail(1)
    key, amount = row["transaction_id"].iloc[0], row["amount"].iloc[0]
    first = bf.changes(row.assign(date="2026-03-05")).apply()
    again = rows_with(bf.transactions(), transaction_id=key)
    # The split and the next change are prepared together: neither sees the other one.
    later = bf.changes(again.assign(date="2026-03-06"))
    bf.changes(with_parts(again, [{"amount": amount}])).apply()
    reverse = first.undo()
    assert (reverse.requests, reverse.conflicts["problem"].tolist()) == (
        0, ["it is a split, whose date, amount, category and parts the service does not change"],
    )  # fmt: skip
    later.apply()
    assert later.conflicts["problem"].tolist() == ["changed since the comparison: subtransactions"]
    later.apply(overwrite=True)
    assert later.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
    assert rows_with(bf.transactions(), transaction_id=key)["date"].dt.day.tolist() == [5]


def test_a_replaced_split_that_was_edited_since_then_is_not_restored_beside_it() -> None:
    sandbox, bf = connected()
    ledger = bf.ledger()
    part = ledger[ledger["is_split_part"]].tail(1)
    changes = bf.changes(part.assign(category_name="Fuel"), splits="replace").apply()
    (new,) = set(bf.transactions()["transaction_id"]) - set(ledger["transaction_id"])
    sandbox.device.edit_transaction(new, memo="theirs")
    reverse = changes.undo()
    assert set(reverse.conflicts["action"]) == {"create", "delete"}
    assert set(reverse.conflicts["problem"]) == {"changed since then"}
    assert reverse.requests == 0


def test_an_application_that_the_service_refuses_does_not_block_the_others() -> None:
    sandbox, bf = connected()
    first, second = many(bf, 60), bf.changes(pd.DataFrame([{**ROW, "memo": "new"}] * 60))
    before = content(sandbox)
    for changes, method, number in ((first, "PATCH", 2), (second, "POST", 1)):
        sandbox.faults = [f"400:{method}:*@{number}"]
        with pytest.raises(ServiceAPIError):
            changes.apply()
    sandbox.faults = []
    assert bf.journal().frame["left"].tolist() == [10, 60]
    reverse = bf.journal().undo(0)
    assert (
        "10 changes were not made, and cannot be sent any more after the reverse changes"
        in reverse.warnings
    )
    reverse.apply()
    assert content(sandbox) == before
    # The rest of an application that was undone is not sent.
    assert bf.journal().frame["left"].tolist() == [0, 60, 0]
    calls: list[Callable[[], Changes]] = [first.apply, first.undo, lambda: bf.journal().undo(0)]
    for call in calls:
        with pytest.raises(ToolError, match=r"entry 0 was undone by entry 2: .*\.undo\(2"):
            call()
    with pytest.raises(ToolError, match="entry 0 was not interrupted: there is nothing to resume"):
        bf.journal().resume(0)
    bf.journal().resume(1)
    assert (memos(sandbox, "new"), memos(sandbox, "checked")) == (60, 0)


def test_a_new_row_that_was_edited_elsewhere_after_a_lost_answer_is_a_conflict() -> None:
    sandbox, bf = connected()
    changes = bf.changes(pd.DataFrame([{**ROW, "memo": "new"}]))
    interrupted(sandbox, "reset-after:POST:*@1", changes.apply)
    (row,) = (row for row in sandbox.device.state().transactions.live() if row.memo == "new")
    sandbox.device.edit_transaction(row.id, memo="edited")
    changes.apply()
    assert changes.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
    assert (
        "it may exist already, edited elsewhere: compare it with the row"
        in changes.conflicts["problem"].iloc[0]
    )
    assert (memos(sandbox, "new"), memos(sandbox, "edited")) == (0, 1)


def test_two_new_rows_with_one_import_id_are_one_row(subtests: pytest.Subtests) -> None:
    row = {**ROW, "import_id": "YNAB:-4500:2026-06-16:1"}
    for faults in ([], ["reset-after:POST:*@1"]):
        with subtests.test(faults=faults):
            sandbox, bf = connected()
            changes = bf.changes(pd.DataFrame([row, row]))
            sandbox.faults = faults
            with suppress(httpx.TransportError):
                changes.apply()
            sandbox.faults = []
            changes.apply()
            assert changes.counts == {"left": 0, "done": 1, "unknown": 0, "conflicts": 1}
            (problem,) = changes.conflicts["problem"].unique()
            assert problem.startswith("the import id is already in use, by a row or by a deleted")


def test_the_limit_that_other_programs_use_up_only_interrupts() -> None:
    sandbox, bf = connected()
    changes = many(bf, 120)
    sandbox.faults = ["429:PATCH:*@2,3"]
    for done in (50, 50):
        with pytest.raises(ServiceAPIError):
            changes.apply()
        assert changes.counts["done"] == done
    assert changes.apply().counts["done"] == 120


# Undo


def undone(sandbox: Sandbox, changes: Changes) -> tuple[Content, Content]:
    """The transactions before some changes, and after they were applied and undone."""
    before = content(sandbox)
    changes.apply()
    assert content(sandbox) != before
    reverse = changes.undo()
    assert len(reverse.conflicts) == 0
    reverse.apply()
    return before, content(sandbox)


def test_after_undo_the_budget_contains_what_it_contained_before(subtests: pytest.Subtests) -> None:
    sandbox, bf = connected(years=1)
    ledger = bf.ledger()
    part = ledger[ledger["is_split_part"]].tail(1)
    transfer = rows_with(bf.transactions(), account_name="Index Fund").tail(1)
    split = {**ROW, "subtransactions": [{"amount": -4.5, "memo": "all"}]}
    saved = {**ROW, "payee_name": "Transfer : Savings"}
    cases: dict[str, Callable[[], Changes]] = {
        "cleared cells": lambda: bf.changes(
            bf.transactions().tail(1).assign(category_name=None, payee_name=None, memo="x")),
        "new rows": lambda: bf.changes(pd.DataFrame([ROW, ROW, split, saved])),
        "a new payee": lambda: bf.changes(bf.transactions().tail(1).assign(payee_name="New")),
        "deleted rows": lambda: bf.changes(delete=bf.transactions().iloc[[-1, -4, -6]]),
        "one side of a transfer": lambda: bf.changes(delete=transfer),
        "no transfer any more": lambda: bf.changes(
            rows_with(bf.transactions(), account_name="Index Fund").tail(1).assign(
                payee_name=None)),
        "a moved transfer": lambda: bf.changes(
            rows_with(bf.transactions(), payee_name="Transfer : Index Fund").tail(1).assign(
                account_name="Savings", amount=-1.0)),
        "a new split of a row": lambda: bf.changes(
            with_parts(bf.transactions().tail(1), [{"amount": -7.8, "memo": "all"}])),
        "a replaced split": lambda: bf.changes(part.assign(category_name="Fuel", amount=-1.0),
            splits="replace"),
    }  # fmt: skip
    for name, changes in cases.items():
        with subtests.test(name=name):
            before, after = undone(sandbox, changes())
            assert after == before


def test_undo_does_not_revert_a_later_change() -> None:
    sandbox, bf = connected()
    new = bf.changes(pd.DataFrame([{**ROW, "memo": "new"}])).apply()
    update = bf.changes(bf.transactions().tail(1).assign(memo="mine")).apply()
    for row in list(sandbox.device.state().transactions.live()):
        if row.memo in ("new", "mine"):
            sandbox.device.edit_transaction(row.id, memo="theirs", amount=-1)
    for changes in (new, update):
        reverse = changes.undo()
        assert len(reverse) == 0
        assert set(reverse.conflicts["problem"]) == {"changed since then"}
        reverse.apply()
    assert memos(sandbox, "theirs") == 2


def test_what_the_service_cannot_restore_is_a_conflict_of_undo(subtests: pytest.Subtests) -> None:
    sandbox = small_sandbox()
    bf = connect(sandbox, ttl=0)
    schedules = bf.scheduled_transactions()
    split = schedules[schedules["is_split"]].head(1)
    plain = rows_with(schedules, payee_name="Linden Housing")
    food = rows_with(bf.transactions(), category_name="Groceries").tail(1)
    groceries = food["category_id"].iloc[0]
    fuel = rows_with(bf.categories(), category_name="Fuel")["category_id"].iloc[0]
    applied = [bf.changes(delete=each).apply() for each in (split, plain, food)]
    sandbox.advance(31)
    sandbox.device.delete_category(groceries, fuel)
    problems = [
        "the service creates no parts of schedules", "date_next=2026-07-01 is not in the future",
        "its category was deleted",
    ]  # fmt: skip
    for changes, problem in zip(applied, problems, strict=True):
        with subtests.test(problem=problem):
            reverse = changes.undo()
            assert (len(reverse), set(reverse.conflicts["problem"])) == (0, {problem})


def test_a_warning_of_undo_counts_the_schedules_that_it_creates_again() -> None:
    bf = connect(small_sandbox())
    deleted = bf.changes(delete=bf.scheduled_transactions()).apply()
    # One is split, and two have a frequency that the service does not write.
    assert "3 deleted schedules come back under another key" in deleted.undo().warnings


def test_wrong_arguments_of_changes_and_the_journal_are_refused(subtests: pytest.Subtests) -> None:
    bf = connect(small_sandbox())
    changes = many(bf, 1).apply()
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: bf.journal().undo("x"), "number='x': it must be a whole number"),  # type: ignore[arg-type]
        (lambda: bf.journal().undo(True), "number=True: it must be a whole number"),  # noqa: FBT003
        (lambda: bf.journal().resume("x"), "number='x': it must be a whole number"),  # type: ignore[arg-type]
        (lambda: changes.apply(overwrite="no"), "overwrite='no': it must be True or False"),  # type: ignore[arg-type]
        (lambda: bf.journal().resume(0), "entry 0 was not interrupted: there is nothing to resume"),
    ]
    for call, message in cases:
        with subtests.test(message=message), pytest.raises(ToolError, match=message):
            call()


def test_the_preview_counts_the_lists_of_names_that_new_payees_need() -> None:
    sandbox, bf = connected()
    rows = [{**ROW, "payee_name": "New payee", "memo": str(number)} for number in range(60)]
    changes = bf.changes(pd.DataFrame(rows))
    interrupted(sandbox, "reset-after:POST:*@2", changes.apply)
    assert (changes._aio.requests, changes._aio.reads) == (1, 4)
    assert requests(sandbox, changes.apply) == 4  # the second request was carried out


def test_the_category_that_a_schedule_loses_is_shown_by_undo_and_overwrite() -> None:
    sandbox, bf = connected()

    def schedule() -> pd.DataFrame:
        return rows_with(bf.scheduled_transactions(), payee_name="Linden Housing")

    lost = ("update", "category_name", "Rent", None)
    key = schedule()["scheduled_transaction_id"].iloc[0]
    bf.changes(schedule().assign(category_id=None)).apply()
    back = bf.changes(schedule().assign(account_name="Index Fund")).apply().undo().apply()
    overwriting = bf.changes(schedule().assign(account_name="Index Fund"))
    with sandbox.device.edit() as editor:
        rent = next(row.id for row in editor.budget.categories.live() if row.name == "Rent")
    sandbox.device.edit_scheduled(key, category_id=rent)
    assert lost in shown(back.undo().frame)
    let_it_grow_old(overwriting)
    overwriting.apply()
    overwriting.apply(overwrite=True)
    assert lost in shown(overwriting.frame)
    assert schedule()["category_id"].isna().all()
    overwriting.undo().apply()
    assert schedule()["category_name"].tolist() == ["Rent"]


def test_schedules_categories_and_assigned_amounts_are_undone(subtests: pytest.Subtests) -> None:
    bf = connect(small_sandbox())
    schedule = rows_with(bf.scheduled_transactions(), payee_name="Linden Housing")
    fuel = rows_with(bf.categories(), category_name="Fuel")
    month = rows_with(bf.month("2026-05"), category_name="Fuel")
    keys = ["scheduled_transaction_id", "flag_name"]
    new = {"date_next": "2026-07-01", "amount": -5.0, "account_name": "Wallet"}
    cases: dict[str, Any] = {
        "a schedule": lambda: bf.changes(schedule.assign(amount=-1.0, memo="x")),
        "a new schedule": lambda: bf.changes(pd.DataFrame([{**new, "frequency": "monthly"}])),
        "a deleted schedule": lambda: bf.changes(delete=schedule),
        "a category": lambda: bf.changes(fuel.assign(note="x", goal_target=5.0, budgeted=1.0)),
        "an assigned amount": lambda: bf.changes(month.assign(budgeted=1.0)),
    }

    def state() -> list[Any]:
        schedules = bf.scheduled_transactions().drop(columns=[*keys, "date_first"])
        frames = [schedules.sort_values("amount"), bf.categories(), bf.month("2026-05")]
        return [frame.to_csv(index=False) for frame in frames]

    for name, changes in cases.items():
        with subtests.test(name=name):
            before, applied = state(), changes().apply()
            assert state() != before
            applied.undo().apply()
            assert state() == before


def test_changes_can_be_undone_once() -> None:
    """A second undo would create deleted rows again."""
    sandbox, bf = connected()
    ledger = bf.ledger()
    part = ledger[ledger["is_split_part"]].tail(1)
    ways: list[Callable[[], Changes]] = [
        lambda: bf.changes(delete=bf.transactions().tail(1)),
        lambda: bf.changes(part.assign(category_name="Fuel"), splits="replace"),
    ]
    for number, prepare in enumerate(ways):
        before = content(sandbox)
        changes, entry = prepare().apply(), 4 * number
        one, other = changes.undo(), bf.journal().undo(entry)
        one.apply()
        refused = rf"entry {entry} was undone by entry {entry + 1}: .*undo\({entry + 1}\)"
        for call in (changes.undo, lambda: bf.journal().undo(entry), other.apply):  # noqa: B023
            with pytest.raises(ToolError, match=refused):
                call()
        assert content(sandbox) == before
        one.undo().apply()
        assert content(sandbox) != before
        refused = f"entry {entry} was undone by entry {entry + 1}, and that by entry {entry + 2}:"
        with pytest.raises(ToolError, match=refused):
            changes.undo()
        bf.journal().undo().apply()
        assert content(sandbox) == before


def test_a_removed_target_is_restored_with_its_day() -> None:
    bf = connect(small_sandbox())
    fuel = rows_with(bf.categories(), category_name="Fuel")
    bf.changes(fuel.assign(goal_target=50.0, goal_target_date="2027-01-01")).apply()
    fuel = rows_with(bf.categories(), category_name="Fuel")
    changes = bf.changes(fuel.assign(goal_target=None))
    assert changes.frame["field"].tolist() == ["goal_target", "goal_target_date"]
    changes.apply().undo().apply()
    again = rows_with(bf.categories(), category_name="Fuel")
    columns = ["goal_target", "goal_target_date"]
    assert again[columns].to_csv() == fuel[columns].to_csv()


# The journal


def test_the_journal_continues_and_undoes_in_another_process(tmp_path: Path) -> None:
    """Another connection with the same folder knows nothing but the file."""
    sandbox = small_sandbox()
    bf, before = connect(sandbox, cache_dir=tmp_path), content(sandbox)
    changes = bf.changes(
        pd.DataFrame([{**ROW, "memo": "same"}] * 60), delete=bf.transactions().tail(1)
    )
    interrupted(sandbox, "reset-after:POST:*@2", changes.apply)
    bf.close()
    later = connect(sandbox, cache_dir=tmp_path)
    journal = later.journal()
    columns = ["created", "updated", "deleted", "left", "conflicts"]
    assert journal.frame[columns].to_numpy().tolist() == [[50, 0, 0, 11, 0]]
    ways: list[Callable[[], Changes]] = [lambda: journal.undo(0), changes.undo]
    for undo in ways:
        with pytest.raises(ToolError, match="was interrupted, and it is not known what was made"):
            undo()
    assert requests(sandbox, journal.resume) == 2  # the present rows, and the deletion
    assert memos(sandbox, "same") == 60
    journal = later.journal()
    assert journal.frame[columns].to_numpy().tolist() == [[60, 0, 1, 0, 0]]
    with pytest.raises(ToolError, match="no application of changes was interrupted"):
        journal.resume()
    with pytest.raises(ToolError, match="7 is not in the journal: it has 1 entry"):
        journal.undo(7)
    journal.undo(0).apply()
    assert content(sandbox) == before
    assert later.journal().frame["undoes"].fillna(-1).tolist() == [-1, 0]


def test_changes_that_the_journal_has_continued_are_not_sent_again() -> None:
    sandbox, bf = connected()
    changes = bf.changes(pd.DataFrame([{**ROW, "memo": "same"}] * 60))
    interrupted(sandbox, "500:POST:*@1", changes.apply)
    bf.journal().resume()
    assert requests(sandbox, changes.apply) == 0
    assert memos(sandbox, "same") == 60
    changes.undo().apply()
    assert memos(sandbox, "same") == 0


def test_only_one_process_and_thread_applies_changes_at_the_same_time(tmp_path: Path) -> None:
    sandbox = small_sandbox()
    for folder in (tmp_path, None):
        bf = connect(sandbox, cache_dir=folder)
        changes = many(bf, 60)
        other = bf if folder is None else connect(sandbox, cache_dir=folder)
        journal = other._runner.run(journal_of(other._session))
        with journal.locked(), pytest.raises(ToolError, match="by another process or thread"):
            changes.apply()
        assert memos(sandbox, "checked") == 0
        assert changes.apply().counts["done"] == 60
        changes.undo().apply()


@pytest.mark.posix
def test_the_journal_has_mode_0600_and_no_token_and_survives_a_torn_line(tmp_path: Path) -> None:
    sandbox = small_sandbox(token="a-secret-of-this-test")
    bf = connect(sandbox, cache_dir=tmp_path)
    bf.changes(pd.DataFrame([ROW])).apply()
    (path,) = tmp_path.rglob("*.journal")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert b"a-secret-of-this-test" not in path.read_bytes()
    lines = path.read_bytes()
    path.write_bytes(lines + b'{"format":3,"id":"torn')
    assert len(bf.journal()) == 1
    bf.changes(bf.transactions().tail(1).assign(memo="x")).apply()
    assert bf.journal().frame["updated"].tolist() == [0, 1]
    # A process that was killed before the last line was written does not repeat the request.
    path.write_bytes(b"".join(lines.splitlines(keepends=True)[:-1]))
    assert bf.journal().frame["left"].tolist() == [1]
    bf.journal().resume()
    assert sum(row.amount == -4_500 and row.date.isoformat() == "2026-06-16"
               for row in sandbox.device.state().transactions.live()) == 1  # fmt: skip


def test_a_row_costs_at_most_a_kilobyte_of_the_journal(subtests: pytest.Subtests) -> None:
    bf, rows = connect(small_sandbox()), 150  # three requests
    lines = bf._session.journal.lines
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range("2025-01-01", "2026-06-16")]
    different = pd.DataFrame(
        {"date": [days[each % 500] for each in range(rows)],
         "amount": [-10.0 - each for each in range(rows)], "payee_name": "Bakery"}
    )  # fmt: skip
    same = pd.DataFrame([ROW] * rows)
    applications: list[Callable[[], Changes]] = [
        lambda: bf.import_rows(different, account="Checking").apply(),
        lambda: bf.changes(same).apply(),
        lambda: bf.changes(same).apply(),  # beside as many rows that are like each of them
        lambda: bf.changes(rows_with(bf.transactions(), amount=-4.5).assign(memo="x")).apply(),
        lambda: bf.changes(delete=rows_with(bf.transactions(), payee_name="Bakery")[:60]).apply(),
        lambda: bf.journal().undo().apply(),
    ]
    for number, application in enumerate(applications):
        with subtests.test(number=number):
            before, changes = len(lines), application()
            assert len("".join(lines[before:]).encode()) <= 1000 * changes.counts["done"]


def test_all_connections_to_a_budget_from_one_object_share_the_journal_in_memory() -> None:
    bf = connect(small_sandbox())
    rows = bf.with_budget("東京の家計").transactions()
    plain = rows_with(rows, transfer_account_id=None, is_split=False).tail(1)
    bf.with_budget("東京の家計").changes(plain.assign(memo="x")).apply()
    assert (len(bf.journal()), len(bf.with_budget("東京の家計").journal())) == (0, 1)


def test_an_unusable_journal_is_kept_in_memory(tmp_path: Path, subtests: pytest.Subtests) -> None:
    sandbox = small_sandbox()
    (tmp_path / "file").write_text("not a folder", "utf-8")
    bf = connect(sandbox, cache_dir=tmp_path / "folder")
    bf.changes(pd.DataFrame([ROW])).apply()
    (path,) = tmp_path.rglob("*.journal")
    path.unlink()
    path.mkdir()
    bank = pd.DataFrame([{"date": "2026-06-16", "amount": -3.0, "payee_name": "Bakery"}])
    for name in ("folder", "file"):
        with subtests.test(name=name), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bf = connect(sandbox, cache_dir=tmp_path / name)
            assert len(bf.journal()) == 0
            assert any("cannot be read" in str(each.message) for each in caught)
            assert len(bf.import_rows(bank, account="Wallet")) == 1
            bf.changes(bf.transactions().tail(1).assign(memo="mine")).apply()
            texts = [str(each.message) for each in caught]
            assert sum("this process keeps it in memory" in text for text in texts) == 1
            assert len(bf.journal()) == 1
            bf.journal().undo().apply()
            assert memos(sandbox, "mine") == 0


def test_a_damaged_journal_gives_a_warning(tmp_path: Path, subtests: pytest.Subtests) -> None:
    bf = connect(small_sandbox(), cache_dir=tmp_path)
    for memo in ("one", "two"):
        bf.changes(bf.transactions().tail(1).assign(memo=memo)).apply()
    (path,) = tmp_path.rglob("*.journal")
    lines = path.read_text("utf-8").splitlines(keepends=True)
    assert len(lines) == 6
    begin, found = json.loads(lines[3]), json.loads(lines[5])
    damaged: dict[str, tuple[int, str, int, list[int]]] = {
        "no JSON": (3, "garbage\n", 3, [1]),
        "half of a line": (3, lines[3][:30] + "\n", 2, [1]),
        "no text": (3, "\0\xff\n", 3, [1]),
        "a list": (3, "[1]\n", 3, [1]),
        "a wrong day": (3, json.dumps(begin | {"started": "yesterday"}), 3, [1]),
        "wrong changes": (3, json.dumps(begin | {"changes": 5}), 3, [1]),
        "wrong payees": (5, json.dumps(found | {"payees": [1]}), 1, [1, 0]),
        "wrong keys": (5, json.dumps(found | {"keys": [1]}), 1, [1, 0]),
        "a wrong position": (5, json.dumps(found | {"done": ["x"]}), 1, [1, 0]),
    }
    for name, (at, line, number, updated) in damaged.items():
        with subtests.test(name=name):
            path.write_text("".join([*lines[:at], line.strip() + "\n", *lines[at + 1 :]]), "utf-8")
            text = "1 line" if number == 1 else f"{number} lines"
            with pytest.warns(RuntimeWarning, match=f"{text} of the journal .* cannot be read"):
                assert bf.journal().frame["updated"].tolist() == updated


def test_a_journal_of_another_format_is_set_aside_with_one_message(tmp_path: Path) -> None:
    bf = connect(small_sandbox(), cache_dir=tmp_path)
    bf.changes(bf.transactions().tail(1).assign(memo="one")).apply()
    (path,) = tmp_path.rglob("*.journal")
    other = b'{"event":"begin","id":"1","budget_id":"b","at":"2026-06-17","changes":[]}\n'
    for number in (1, 2):
        path.write_bytes(other)
        with pytest.warns(RuntimeWarning, match="was written by another version") as caught:
            assert len(bf.journal()) == 0
        (message,) = caught
        aside = path.with_name(f"{path.name}.{number}")
        assert f"it is now {aside}, and a new journal begins" in str(message.message)
        assert aside.read_bytes() == other
        bf.changes(bf.transactions().tail(1).assign(memo=f"{number} more")).apply()
        assert len(bf.journal()) == 1  # without a warning
