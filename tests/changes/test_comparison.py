"""What counts as a change in an edited frame."""

import asyncio
import io
import os
import weakref
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError, reports
from budgetframe._session.frame_states import states_of

from .budget import connect, connected, let_it_grow_old, rows_with, shown, small_sandbox, with_parts

UNKNOWN = (
    "the state in which this frame was read is not known, so that a change made elsewhere since"
    " then would be reverted: read the frame again, or copy the attrs of the frame that was read"
)
FORGOTTEN = (
    "the state in which this frame was read is not known any more, because newer ones were read"
    " since then or it comes from another process, so that a change made elsewhere since then"
    " would be reverted: read the frame again, and edit that one"
)


def last(bf: BudgetFrame, **cells: Any) -> pd.DataFrame:
    """The last transaction, which is 7.80 for groceries from the Wallet, with other cells."""
    return bf.transactions().tail(1).assign(**cells)


def test_an_unedited_frame_changes_nothing(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    frames = {
        "transactions": bf.transactions(),
        "in thousandths": bf.transactions(money="milliunits"),
        "as decimals": bf.transactions(money="decimal"),
        "shuffled": bf.transactions().sample(frac=1, random_state=1),
        "some rows and columns": bf.transactions()[["transaction_id", "memo"]].head(3),
        "with the key as index": bf.transactions().set_index("transaction_id"),
        "ledger": bf.ledger(),
        "ledger in thousandths": bf.ledger(money="milliunits"),
        "parts": bf.subtransactions(),
        "schedules": bf.scheduled_transactions(),
        "categories": bf.categories(),
        "a month": bf.month("2026-05"),
        "all months": bf.month_categories(),
        "with empty texts": bf.transactions().assign(
            memo=bf.transactions()["memo"].fillna(""),
            category_name=bf.transactions()["category_name"].astype(object).fillna(""),
        ),
        "with columns of the user": bf.transactions().assign(mine=1),
        "with deleted rows": bf.transactions(include_deleted=True),
        "with all fields": bf.transactions(extra=True),
    }
    for name, frame in frames.items():
        with subtests.test(name=name):
            changes = bf.changes(frame)
            assert (len(changes), changes.requests, changes.warnings) == (0, 0, [])
            assert len(changes.conflicts) == 0


def test_an_empty_text_clears_a_memo(bf: BudgetFrame) -> None:
    noted = bf.transactions().dropna(subset="memo").query("memo == 'Cash back'").tail(1)
    assert shown(bf.changes(noted.assign(memo="")).frame)[0] == (
        "update", "memo", "Cash back", None,
    )  # fmt: skip


def test_a_cell_that_differs_is_a_change(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    cells: list[tuple[str, Any, Any, Any]] = [
        ("amount", -4.5, -7.8, -4.5),
        ("date", "2026-06-01", "2026-06-16", "2026-06-01"),
        ("date", pd.Timestamp("2026-06-01"), "2026-06-16", "2026-06-01"),
        ("account_name", "Checking", "Wallet", "Checking"),
        ("category_name", "Eating Out", "Groceries", "Eating Out"),
        ("category_name", None, "Groceries", None),
        ("category_id", float("nan"), "Groceries", None),
        ("payee_name", "Corner Market", "Grüner Markt", "Corner Market"),
        ("payee_name", " Corner  Market ", "Grüner Markt", "Corner Market"),
        ("payee_name", " Somebody  New ", "Grüner Markt", "Somebody New"),
        ("payee_name", "Somebody New", "Grüner Markt", "Somebody New"),
        ("payee_id", pd.NA, "Grüner Markt", None),
        ("memo", "checked", None, "checked"),
        ("cleared", "cleared", "uncleared", "cleared"),
        ("approved", False, True, False),
        ("flag_color", "red", None, "red"),
    ]
    for name, cell, before, after in cells:
        with subtests.test(name=name, cell=cell):
            column = {"category_id": "category_name", "payee_id": "payee_name"}.get(name, name)
            changes = bf.changes(last(bf, **{name: cell}))
            assert shown(changes.frame) == [("update", column, before, after)]


def test_an_amount_may_be_in_any_form_of_money(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for money in ("float", "milliunits", "decimal"):
        with subtests.test(money=money):
            edited = bf.transactions(money=money).tail(1)
            name = "amount_milliunits" if money == "milliunits" else "amount"
            edited[name] = edited[name] + edited[name]
            assert shown(bf.changes(edited).frame) == [("update", "amount", -7.8, -15.6)]


def test_the_group_tells_two_categories_of_the_same_name_apart(bf: BudgetFrame) -> None:
    keys = rows_with(bf.categories(), category_name="Insurance").set_index("category_group_name")
    cells = {"category_name": "Insurance", "category_group_name": "Home"}
    (change,) = bf.changes(bf.ledger().tail(1).assign(**cells))._aio.application.plan.changes
    assert change.after == {"category_id": keys["category_id"]["Home"]}
    # The group of the row decides if the user sets only the name.
    home = rows_with(bf.ledger(), category_name="Internet").tail(1)
    (change,) = bf.changes(home.assign(category_name="Insurance"))._aio.application.plan.changes
    assert change.after == {"category_id": keys["category_id"]["Home"]}


def test_one_row_that_changes_in_three_fields_is_one_row_of_one_request(bf: BudgetFrame) -> None:
    changes = bf.changes(last(bf, amount=-1.0, memo="x", flag_color="red"))
    assert (len(changes.frame), len(changes), changes.requests) == (3, 1, 1)


def test_rows_without_a_key_are_created(bf: BudgetFrame) -> None:
    rows = pd.DataFrame([
        {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet", "memo": "a"},
        {"date": "2026-06-15", "amount": -10.0, "account_name": "Checking",
         "payee_name": "Corner Market",
         "subtransactions": [{"amount": -4.0, "category_name": "Groceries"},
             {"amount": -6.0, "category_name": "Fuel", "memo": "b"}]},
    ])  # fmt: skip
    changes = bf.changes(rows)
    assert shown(changes.frame) == [
        ("create", "amount", None, -4.5),
        ("create", "memo", None, "a"),
        ("create", "amount", None, -10.0),
        ("create", "subtransactions", None, "-4,00 € · Groceries"),
        ("create", "subtransactions", None, "-6,00 € · Fuel · b"),
    ]
    assert changes.requests == 1
    together = pd.concat([bf.transactions(), rows], ignore_index=True)
    assert shown(bf.changes(together).frame) == shown(changes.frame)


def test_rows_added_with_concat_may_have_missing_cells_of_any_kind(bf: BudgetFrame) -> None:
    categories = bf.categories()
    edited = pd.concat([categories.astype(object), categories.head(1).astype(object)])
    edited = edited.assign(note="x").drop_duplicates("category_id")
    edited.attrs = categories.attrs
    ordinary = edited[~edited["category_group_name"].str.contains("Internal")]
    assert len(bf.changes(ordinary)) == len(ordinary)


def test_a_replaced_split_gets_its_new_payee(bf: BudgetFrame) -> None:
    rows = bf.transactions()
    split = rows[rows["is_split"]].tail(1)
    parts = [{"amount": float(split["amount"].iloc[0])}]
    edited = with_parts(split.assign(payee_name="New shop"), parts)
    created = bf.changes(edited, splits="replace")._aio.application.plan.changes[-1]
    assert created.after["payee_name"] == "New shop"
    assert "payee_id" not in created.after  # of both, the service would take the key


def test_a_schedule_that_becomes_a_transfer_loses_its_category(bf: BudgetFrame) -> None:
    schedule = rows_with(bf.scheduled_transactions(), payee_name="Linden Housing")
    assert shown(bf.changes(schedule.assign(payee_name="Transfer : Savings")).frame) == [
        ("update", "payee_name", "Linden Housing", "Transfer : Savings"),
        ("update", "category_name", "Rent", None),
    ]


def test_a_transaction_becomes_a_split_by_its_parts(bf: BudgetFrame) -> None:
    parts = [{"amount": -5.0, "category_name": "Fuel"}, {"amount": -2.8, "memo": "b"}]
    changes = bf.changes(with_parts(last(bf), parts))
    assert shown(changes.frame) == [
        ("update", "subtransactions", None, "-5,00 € · Fuel"),
        ("update", "subtransactions", None, "-2,80 € · b"),
        ("update", "category_name", "Groceries", None),
    ]
    assert changes.requests == 1


def test_what_the_service_changes_too_is_shown(bf: BudgetFrame) -> None:
    """A transfer within the budget has no category, and its other side is a new row."""
    changes = bf.changes(last(bf, payee_name="Transfer : Savings"))
    assert shown(changes.frame) == [
        ("update", "payee_name", "Grüner Markt", "Transfer : Savings"),
        ("update", "category_name", "Groceries", None), ("create", "amount", None, 7.8),
    ]  # fmt: skip
    assert changes.frame["account_name"].tolist() == ["Wallet", "Wallet", "Savings"]
    assert changes.requests == 1
    tracking = bf.changes(last(bf, account_name="Index Fund")).frame
    assert ("update", "category_name", "Groceries", None) in shown(tracking)


def test_rows_to_delete_are_keys_a_series_or_a_frame(bf: BudgetFrame) -> None:
    rows = bf.transactions().iloc[[-1, -4]]
    keys = rows["transaction_id"]
    for delete in (list(keys), keys, rows, bf.ledger().iloc[[-1, -4]]):
        assert shown(bf.changes(delete=delete).frame) == [
            ("delete", "amount", -7.8, None), ("delete", "amount", -4.3, None),
        ]  # fmt: skip
    assert len(bf.changes(delete=keys.head(0))) == 0


@pytest.mark.parametrize("is_before_preview", [True, False])
def test_a_row_that_was_split_elsewhere_is_not_deleted(*, is_before_preview: bool) -> None:
    """A row without a category has the same fields as before, and its parts would be lost."""
    sandbox, bf = connected()
    new = {"account_name": "Checking", "date": "2026-06-17", "amount": -6.0}
    key = bf.create_transactions([new])["transaction_id"].item()
    row = bf.transactions().query("transaction_id == @key")

    def split() -> None:
        parts = [{"amount": -4.0, "memo": "theirs"}, {"amount": -2.0}]
        connect(sandbox).update_transaction(key, subtransactions=parts)

    if is_before_preview:
        split()
    changes = bf.changes(delete=row)
    if not is_before_preview:
        split()
        let_it_grow_old(changes)
    problems = changes.apply().conflicts["problem"].unique().tolist()
    read = "frame was read" if is_before_preview else "comparison"
    assert problems == [f"changed since the {read}: subtransactions"]
    assert key in {*bf.transactions()["transaction_id"]}


def test_schedules_categories_and_assigned_amounts_can_be_changed(
    bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    schedule = rows_with(bf.scheduled_transactions(), payee_name="Linden Housing")
    category = rows_with(bf.categories(), category_name="Fuel")
    month = rows_with(bf.month("2026-05"), category_name="Fuel")
    cases = [
        (schedule.assign(amount=-1200.0), ("update", "amount", -1198.3, -1200.0)),
        (schedule.assign(date_next="2026-07-05"),
         ("update", "date_next", "2026-07-01", "2026-07-05")),
        (schedule.assign(frequency="weekly"), ("update", "frequency", "monthly", "weekly")),
        (category.assign(note="diesel"), ("update", "note", None, "diesel")),
        (category.assign(category_name="Petrol"), ("update", "category_name", "Fuel", "Petrol")),
        (category.assign(category_group_name="Home"),
         ("update", "category_group_name", "Car", "Home")),
        (category.assign(goal_target=50.0), ("update", "goal_target", None, 50.0)),
        (category.assign(budgeted=120.0), ("update", "budgeted", 115.0, 120.0)),
        (month.assign(budgeted=1.5), ("update", "budgeted", month["budgeted"].iloc[0], 1.5)),
        (month.assign(month="2026-07", budgeted=9.0), ("update", "budgeted", 0.0, 9.0)),
    ]  # fmt: skip
    for edited, expected in cases:
        with subtests.test(expected=expected):
            changes = bf.changes(edited)
            assert shown(changes.frame) == [expected]
            assert changes.requests == 1
    new = {"date_next": "2026-07-01", "amount": -5.0, "account_name": "Wallet"}
    created = bf.changes(pd.DataFrame([{**new, "frequency": "monthly"}]))
    assert ("create", "frequency", None, "monthly") in shown(created.frame)
    assert shown(bf.changes(delete=schedule).frame)[0][0] == "delete"


def test_assigned_amounts_may_have_names_only(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for month, group, before, expected in (
        ("2026-06", "Home", 20.0, "2026-06-01"), ("current", "Home", 20.0, "2026-06-01"),
        ("2026-05", "Car", 50.0, "2026-05-01"), ("2026-07", "Car", 0.0, "2026-07-01"),
    ):  # fmt: skip
        with subtests.test(month=month, group=group):
            row = {"month": month, "category_name": "Insurance", "category_group_name": group}
            frame = bf.changes(pd.DataFrame([{**row, "budgeted": 70.0}])).frame
            assert shown(frame) == [("update", "budgeted", before, 70.0)]
            assert frame["date"].tolist() == [pd.Timestamp(expected)]
    named = bf.month("2026-06").drop(columns="category_id").assign(budgeted=70.0)
    assert len(bf.changes(rows_with(named, category_name="Fuel"))) == 1


def test_a_frame_of_a_file_is_compared_with_its_state_without_a_warning(bf: BudgetFrame) -> None:
    file = io.BytesIO()
    bf.transactions().to_parquet(file)
    edited = pd.read_parquet(file)
    edited.loc[edited.index[-1], "memo"] = "checked"
    changes = bf.changes(edited)
    assert shown(changes.frame) == [("update", "memo", None, "checked")]
    assert changes.warnings == []


def test_a_frame_without_attrs_is_compared_with_the_present_and_warns(bf: BudgetFrame) -> None:
    edited = pd.read_csv(io.StringIO(bf.transactions().to_csv(index=False)))
    assert bf.changes(edited).warnings == []
    edited["memo"] = edited["memo"].astype(object)
    edited.loc[edited.index[-1], "memo"] = "checked"
    changes = bf.changes(edited)
    assert shown(changes.frame) == [("update", "memo", None, "checked")]
    assert changes.warnings == [UNKNOWN]


def test_a_selection_of_the_suggestions_is_compared_with_the_ledger_that_they_come_from() -> None:
    sandbox, bf = connected()
    rows = rows_with(bf.transactions(), payee_name="Grüner Markt").tail(2)
    bf.changes(rows.assign(category_id=None)).apply()
    todo = bf.reports.suggestions().query("row_count >= 3 and share >= 0.8")
    sandbox.device.edit_transaction(rows["transaction_id"].iloc[0], memo="theirs")
    changes = bf.changes(todo)
    assert shown(changes.frame) == [("update", "category_name", None, "Groceries")]
    assert changes.conflicts["problem"].tolist() == ["changed since the frame was read: memo"]
    assert changes.warnings == []


def test_a_report_prepares_the_changes_of_its_chosen_rows() -> None:
    _, bf = connected()
    rows = rows_with(bf.transactions(), payee_name="Grüner Markt").tail(2)
    bf.changes(rows.assign(category_id=None)).apply()
    todo = bf.reports.suggestions()
    assert len(todo.changes()) == 2
    last = todo.query("payee_name == 'Grüner Markt'").changes([-1])
    assert last.frame["transaction_id"].tolist() == [rows["transaction_id"].iloc[-1]]

    async def awaited() -> int:
        return len(await (await bf.aio.reports.suggestions()).changes())

    assert asyncio.run(awaited()) == 2
    with pytest.raises(ToolError, match=r"calculate it with bf\.reports\.suggestions\(\)$"):
        reports.suggestions(bf.ledger()).changes()
    with pytest.raises(ToolError, match=r"^changes: spending leads to no change; .* suggestions"):
        bf.reports.spending().changes()


def test_a_frame_that_is_older_than_eight_other_states_is_compared_with_the_present_state() -> None:
    sandbox = small_sandbox()
    bf = connect(sandbox, ttl=0)
    first = bf.transactions()
    frames = [first]
    for number in range(8):
        sandbox.device.edit_transaction(first["transaction_id"].iloc[0], memo=f"theirs {number}")
        frames.append(bf.transactions())
    forgotten, known = (bf.changes(each.assign(memo="mine").head(1)) for each in frames[:2])
    assert shown(forgotten.frame) == [("update", "memo", "theirs 7", "mine")]
    assert forgotten.warnings[0] == FORGOTTEN
    assert known.frame.empty
    assert known.conflicts["problem"].tolist() == ["changed since the frame was read: memo"]
    assert FORGOTTEN not in known.warnings


def test_two_states_of_one_moment_are_told_apart() -> None:
    bf = connect(small_sandbox())  # the clock of the service stands still
    before = bf.month("2026-06")
    bf.assign("2026-06", "Fuel", 7.0)
    after = bf.month("2026-06")
    assert before.attrs["version"] != after.attrs["version"]
    older, newer = (
        bf.changes(rows_with(each, category_name="Fuel").assign(budgeted=9.0))
        for each in (before, after)
    )
    assert older.conflicts["problem"].tolist() == ["changed since the frame was read: budgeted"]
    assert shown(newer.frame) == [("update", "budgeted", 7.0, 9.0)]


@pytest.mark.parametrize("is_earlier_connection", [False, True])
def test_a_frame_of_another_object_keeps_its_state(*, is_earlier_connection: bool) -> None:
    sandbox, bf = connected()
    frame = bf.with_budget("Household").transactions().tail(1)
    if is_earlier_connection:
        bf.close()
        bf = connect(sandbox)
    sandbox.device.edit_transaction(frame["transaction_id"].iloc[0], memo="theirs")
    changes = bf.with_budget("Household").changes(frame.assign(memo="mine"))
    assert changes.conflicts["problem"].tolist() == ["changed since the frame was read: memo"]


def test_states_end_with_the_last_connection_and_are_not_those_of_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = states_of("a service and a token")
    assert states_of("a service and a token") is states
    with monkeypatch.context() as child:
        child.setattr(os, "getpid", lambda: -1)
        assert states_of("a service and a token") is not states
    of_states = weakref.ref(states)
    del states
    assert of_states() is None


def test_the_version_of_a_frame_is_a_plain_text(bf: BudgetFrame) -> None:
    read = bf.transactions()
    assert read.attrs["version"] == "52"
    assert type(read.attrs["version"]) is str
