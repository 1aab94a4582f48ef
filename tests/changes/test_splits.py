"""Selections with splits, which the service does not change: the error, and the rows left out."""

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from tests.changes.budget import connect, rows_with, small_sandbox

PART = "part of a split: the service cannot change its category"


def selected(frame: pd.DataFrame) -> pd.DataFrame:
    """Four rows of one payee with another category; the last one is a split or a part of it."""
    rows = rows_with(frame, payee_name="Corner Market")
    last = rows[rows["date"] <= "2026-04-26"].tail(4)
    return last.sort_values("amount", ascending=False).assign(category_name="Household Goods")


def refusal(bf: BudgetFrame, *edited: pd.DataFrame, **more: object) -> str:
    """The message of the error."""
    with pytest.raises(ToolError) as caught:
        bf.changes(*edited, **more)  # type: ignore[arg-type]
    return str(caught.value)


def test_the_error_names_the_split_its_values_and_arguments_that_work(bf: BudgetFrame) -> None:
    assert refusal(bf, selected(bf.transactions())) == (
        "1 of 4 changed rows is a split (2026-04-26, Corner Market, -80,00 €): the service cannot"
        " change its category. In bf.changes(), the rows of bf.ledger() are the parts: edited"
        ' there, they are changed with splits="replace", which keeps a transfer inside;'
        ' splits="skip" leaves it out and changes the other 3 rows; splits="replace" deletes the'
        " split and creates it again, with a new key, as one row without parts, so that the"
        " transfer inside it is lost. Nothing was sent"
    )


def test_the_error_speaks_of_transfers_only_if_one_is_inside(bf: BudgetFrame) -> None:
    splits = rows_with(bf.transactions(), is_split=True).assign(category_name="Groceries")
    assert "so that the transfer inside 1 split is lost" in refusal(bf, splits)
    message = refusal(bf, rows_with(splits, payee_name="Haus & Hof"))
    assert 'the parts: edited there, they are changed with splits="replace"; splits="sk' in message
    assert "transfer" not in message


def test_the_parts_of_the_ledger_are_changed_and_a_transfer_inside_is_kept() -> None:
    bf = connect(small_sandbox())
    edited = rows_with(selected(bf.ledger()), is_split_part=True)
    changes = bf.changes(edited, splits="replace").apply()
    kept = "the service keeps the amounts of deleted parts in the activity of"
    end = "until another transaction of the category is written"
    assert f"{kept} Groceries {end}" in changes.warnings
    rows = rows_with(bf.ledger(), date=pd.Timestamp("2026-04-26"), is_split_part=True)
    assert rows[["payee_name", "amount"]].sort_values("amount").to_numpy().tolist() == [
        ["Transfer : Wallet", -50.0], ["Corner Market", -30.0],
    ]  # fmt: skip
    undo = changes.undo()
    assert f"{kept} Household Goods {end}" in undo.warnings
    assert "activity of Household Goods until" in " ".join(repr(undo).split())


def test_a_category_of_a_new_part_is_not_named_for_a_deleted_one() -> None:
    bf = connect(small_sandbox())
    parts = rows_with(bf.ledger(), payee_name="Haus & Hof", is_split_part=True).tail(2)
    assert "activity" not in str(bf.changes(parts.assign(memo="mine"), splits="replace").warnings)
    whole = rows_with(bf.transactions(), payee_name="Haus & Hof", is_split=True).tail(1)
    (warning,) = (text for text in bf.changes(delete=whole).warnings if "activity" in text)
    assert warning == (
        "the service keeps the amounts of deleted parts in the activity of Groceries, Household"
        " Goods until another transaction of the categories is written"
    )


def test_the_error_of_a_part_names_the_part_and_its_split(bf: BudgetFrame) -> None:
    assert refusal(bf, selected(bf.ledger())) == (
        "1 of 4 changed rows is a part of a split (2026-04-26, Corner Market, -30,00 € of"
        ' -80,00 €): the service cannot change its category. In bf.changes(), splits="skip" leaves'
        ' it out and changes the other 3 rows; splits="replace" deletes the split and creates it'
        " again, with a new key, with the changed parts. Nothing was sent"
    )


def test_an_error_of_several_splits_names_three_of_them(bf: BudgetFrame) -> None:
    message = refusal(bf, bf.subtransactions().assign(memo="mine"))
    assert "8 of 8 changed rows are parts of splits (2025-08-21, Haus & Hof, -51,94 €" in message
    assert "; and 1 more): the service cannot change their memo. In bf.changes()," in message


@pytest.mark.parametrize(("name", "reason", "amount"), [
    ("transactions", "split: the service cannot change its category", -80.0),
    ("ledger", PART, -30.0),
])  # fmt: skip
def test_splits_are_left_out_and_other_rows_changed(name: str, reason: str, amount: float) -> None:
    bf = connect(small_sandbox())
    edited = selected(getattr(bf, name)())
    changes = bf.changes(edited, splits="skip")
    assert changes.frame["after"].tolist() == ["Household Goods"] * 3
    left_out = changes.skipped
    assert left_out[["payee_name", "amount", "reason"]].to_numpy().tolist() == [
        ["Corner Market", amount, reason]
    ]
    assert left_out["date"].dt.strftime("%Y-%m-%d").tolist() == ["2026-04-26"]
    assert left_out.index.isin(edited.index).all()
    changes.apply()
    current = rows_with(bf.transactions(), payee_name="Corner Market")
    assert (current["category_name"] == "Household Goods").sum() == 3
    assert rows_with(current, is_split=True)["amount"].tolist() == [-80.0]


def test_rows_that_were_left_out_can_be_changed_with_replace() -> None:
    bf = connect(small_sandbox())
    left_out = bf.changes(selected(bf.ledger()), splits="skip").skipped
    changes = bf.changes(left_out, splits="replace").apply()
    assert "the state in which this frame was read" not in str(changes.warnings)
    parts = rows_with(bf.ledger(), payee_name="Corner Market", is_split_part=True)
    assert parts[["amount", "category_name"]].to_numpy().tolist() == [[-30.0, "Household Goods"]]


def test_a_field_that_can_be_changed_is_no_reason_to_leave_a_split_out(bf: BudgetFrame) -> None:
    split = rows_with(bf.transactions(), is_split=True).tail(1)
    assert bf.changes(split.assign(memo="mine"), splits="skip").skipped.empty
    assert bf.changes(split.assign(memo="mine"), splits="skip").requests == 1
    both = bf.changes(split.assign(memo="mine", category_name="Fuel"), splits="skip")
    assert len(both.skipped) == 1  # a row is changed as a whole or not at all
    assert both.requests == 0


def test_a_row_given_by_its_key_is_left_out_with_what_identifies_it(bf: BudgetFrame) -> None:
    keys = selected(bf.transactions())[["transaction_id", "category_name"]]
    left_out = bf.changes(pd.DataFrame(keys.to_dict("records")), splits="skip").skipped
    assert list(left_out)[:4] == ["date", "payee_name", "amount", "reason"]
    assert left_out["payee_name"].tolist() == ["Corner Market"]
    assert left_out["amount"].tolist() == [-80.0]


def test_split_schedules_can_only_be_left_out(bf: BudgetFrame) -> None:
    edited = rows_with(bf.scheduled_transactions(), is_split=True).assign(amount=-5.0)
    for splits in ("error", "replace"):
        assert refusal(bf, edited, splits=splits) == (
            "1 of 1 changed row is a split (2026-06-20, Weekly Market, -55,00 €): the service"
            ' cannot change its amount. In bf.changes(), splits="skip" leaves it out. Nothing was'
            " sent"
        )
    left_out = bf.changes(edited, splits="skip")
    assert left_out.skipped["amount"].tolist() == [-5.0]
    assert "replace" not in repr(left_out)


def test_a_part_without_the_other_parts_is_not_deleted(bf: BudgetFrame) -> None:
    ledger = selected(bf.ledger()).drop(columns="category_name")
    assert refusal(bf, delete=ledger) == (
        "1 row in delete= is a part of a split whose other parts are not in it (first:"
        " 2026-04-26, Corner Market, -30,00 €): the service deletes only whole transactions."
        ' In bf.changes(), splits="skip" leaves it out; rows of bf.transactions() are whole'
        " transactions. Nothing was sent"
    )
    changes = bf.changes(delete=ledger, splits="skip")
    assert changes.frame.query("field == 'amount'")["action"].tolist() == ["delete"] * 3
    assert changes.skipped["reason"].tolist() == [
        "part of a split: the service deletes only whole transactions"
    ]


def test_the_preview_shows_the_rows_that_are_left_out(bf: BudgetFrame) -> None:
    changes = bf.changes(selected(bf.ledger()), splits="skip")
    lines = [line.strip() for line in repr(changes).splitlines()]
    assert lines[0] == "Changes: 3 rows will be updated"
    assert f"2026-04-26 Corner Market -30,00 € {PART}" in lines
    assert (
        'left out: 1 row is in .skipped; with splits="replace", it is changed by a deletion and a'
        in " ".join(lines)
    )
    assert PART in changes._repr_html_()


def test_nothing_is_left_out_without_splits(bf: BudgetFrame) -> None:
    assert bf.changes(bf.transactions().tail(1).assign(memo="mine"), splits="skip").skipped.empty
    assert bf.changes(bf.transactions().tail(1).assign(memo="mine")).skipped.empty
