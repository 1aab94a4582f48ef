"""`assign` and `move` with ``preview=True``: changes that ``apply`` sends and ``undo`` reverses."""

import asyncio
from typing import assert_type

import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, models
from budgetframe._facade.aio.changes import AsyncChanges
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connected, interrupted, let_it_grow_old, requests, shown


def delete_category(sandbox: Sandbox, name: str) -> None:
    """Delete a category on another device; Household Goods gets its rows."""
    keys = {each.name: each.id for each in sandbox.device.state().categories.live()}
    sandbox.device.delete_category(keys[name], keys["Household Goods"])


def assigned(bf: BudgetFrame, name: str) -> float:
    """The amount that is assigned to a category in the current month."""
    bf.refresh()
    return bf.category(name).budgeted or 0.0


def test_a_preview_of_the_present_amount_changes_nothing() -> None:
    _, bf = connected()
    changes = bf.assign("current", "Groceries", assigned(bf, "Groceries"), preview=True)
    assert changes.requests == 0
    assert repr(changes) == "Changes: nothing to change"


def test_a_preview_shows_what_is_left_to_assign() -> None:
    _, bf = connected()
    before = assigned(bf, "Groceries")
    changes = bf.move("current", None, "Groceries", 20.0, preview=True)
    assert shown(changes.frame) == [("update", "budgeted", before, before + 20)]
    rows = changes.effects.set_index(["name", "quantity"])["difference"].round(2).to_dict()
    assert rows["Groceries", "available"] == 20.0
    assert -20.0 in rows.values()


@pytest.mark.parametrize("changed", ["Groceries", "Eating Out"])
def test_neither_half_of_a_move_is_made_if_one_was_changed_elsewhere(changed: str) -> None:
    sandbox, bf = connected()
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True)
    BudgetFrame.sandbox(sandbox).assign("current", changed, 77.0)
    before = {name: assigned(bf, name) for name in ("Groceries", "Eating Out")}
    let_it_grow_old(changes)
    assert changes.apply().counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 2}
    problems = "changed since the comparison: budgeted", "the other half of the move is a conflict"
    assert set(changes.conflicts["problem"]) == {*problems}
    assert {name: assigned(bf, name) for name in before} == before


@pytest.mark.parametrize("changed", ["Groceries", "Eating Out"])
def test_neither_half_of_a_move_is_undone_if_one_was_changed_elsewhere(changed: str) -> None:
    sandbox, bf = connected()
    former = {name: assigned(bf, name) for name in ("Groceries", "Eating Out")}
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True).apply()
    BudgetFrame.sandbox(sandbox).assign("current", changed, 77.0)
    before, undo = {name: assigned(bf, name) for name in former}, changes.undo()
    assert undo.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 2}
    problems = undo.conflicts.set_index("category_name")["problem"].to_dict()
    assert problems.pop(changed) == "changed since then"
    assert [*problems.values()] == ["the other half of the move is a conflict"]
    assert "the other half of the move is a conflict" in repr(undo)
    assert undo.apply().counts["done"] == 0
    assert {name: assigned(bf, name) for name in former} == before
    undo.apply(overwrite=True)
    assert {name: assigned(bf, name) for name in former} == former


def problems_of(changes: Changes) -> dict[str, str]:
    conflicts = changes.conflicts
    return dict(zip(conflicts["category_name"], conflicts["problem"], strict=True))


def test_the_second_half_of_a_move_is_not_sent_if_the_first_one_is_refused() -> None:
    sandbox, bf = connected()
    former = {name: assigned(bf, name) for name in ("Groceries", "Eating Out")}
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True)
    sandbox.faults = ["400:PATCH:*/categories/*@1"]
    assert requests(sandbox, changes.apply) == 1
    problems = problems_of(changes)
    assert problems["Groceries"] == "the service refused it: Bad request"
    assert problems["Eating Out"] == "the other half of the move is a conflict"
    assert {name: assigned(bf, name) for name in former} == former


def test_a_half_of_a_move_that_was_made_alone_is_named_and_can_be_undone() -> None:
    sandbox, bf = connected()
    former = {name: assigned(bf, name) for name in ("Groceries", "Eating Out")}
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True)
    sandbox.faults = ["400:PATCH:*/categories/*@2"]
    changes.apply()
    sandbox.faults = []
    made = (
        "Only the other half of the move was made: the money is in Ready to Assign, and"
        " .undo().apply() restores it"
    )
    assert problems_of(changes)["Eating Out"].endswith(f". {made}")
    assert assigned(bf, "Groceries") == round(former["Groceries"] - 20, 2)
    changes.undo().apply()
    assert {name: assigned(bf, name) for name in former} == former


def test_no_half_of_a_move_is_sent_again_after_an_error_if_the_other_one_is_a_conflict() -> None:
    sandbox, bf = connected()
    former = assigned(bf, "Groceries")
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True)
    interrupted(sandbox, "reset-before:PATCH:*/categories/*", changes.apply)
    BudgetFrame.sandbox(sandbox).assign("current", "Eating Out", 77.0)
    changes.apply()
    assert problems_of(changes)["Groceries"] == "the other half of the move is a conflict"
    assert assigned(bf, "Groceries") == former


@pytest.mark.parametrize("deleted", ["Groceries", "Eating Out"])
def test_a_move_from_or_to_a_deleted_category_cannot_be_overwritten(deleted: str) -> None:
    sandbox, bf = connected()
    (kept,) = {"Groceries", "Eating Out"} - {deleted}
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True)
    delete_category(sandbox, deleted)
    before = assigned(bf, kept)
    let_it_grow_old(changes)
    assert changes.apply(overwrite=True).counts["conflicts"] == 2
    assert problems_of(changes) == {
        deleted: "the category or the month does not exist any more",
        kept: "the other half of the move is a conflict",
    }
    assert changes.apply(overwrite=True).counts["conflicts"] == 2
    assert assigned(bf, kept) == before


@pytest.mark.parametrize("is_refreshed", [True, False])
def test_nothing_of_a_move_to_a_deleted_category_is_undone(*, is_refreshed: bool) -> None:
    sandbox, bf = connected()
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True).apply()
    delete_category(sandbox, "Eating Out")
    before = bf.category("Groceries").budgeted
    if is_refreshed:
        bf.refresh()
    undo = changes.undo()
    problems = problems_of(undo)
    assert problems["Groceries"] == "the other half of the move is a conflict"
    if is_refreshed:
        assert problems["Eating Out"] == "its category was deleted"
    for overwrite in (False, True):
        assert undo.apply(overwrite=overwrite).counts["done"] == 0
    assert assigned(bf, "Groceries") == before


@pytest.mark.parametrize("amount", [99.5, 0.0])
def test_the_amount_of_a_deleted_category_is_not_undone(amount: float) -> None:
    sandbox, bf = connected()
    changes = bf.assign("current", "Eating Out", amount, preview=True).apply()
    delete_category(sandbox, "Eating Out")
    bf.refresh()
    undo = changes.undo()
    assert [*undo.conflicts["problem"]] == ["its category was deleted"]
    assert undo.apply(overwrite=True).counts["done"] == 0


def test_the_async_methods_have_previews_too() -> None:
    _, bf = connected()

    async def preview() -> tuple[int, int]:
        assigned = await bf.aio.assign("current", "Groceries", 99.5, preview=True)
        moved = await bf.aio.move("current", "Groceries", None, 5.0, preview=True)
        assert_type(assigned, AsyncChanges)
        assert_type(moved, AsyncChanges)
        return (await assigned.apply()).counts["done"], moved.requests

    assert asyncio.run(preview()) == (1, 1)


def test_type_checkers_know_what_is_returned() -> None:
    _, bf = connected()
    assert_type(bf.assign("current", "Groceries", 99.5), models.Category)
    assert_type(bf.assign("current", "Groceries", 99.5, preview=True), Changes)
    assert_type(bf.move("current", "Groceries", None, 5.0), pd.DataFrame)
    assert_type(bf.move("current", "Groceries", None, 5.0, preview=True), Changes)
    for preview in (False, True):
        assert_type(
            bf.move("current", "Groceries", None, 5.0, preview=preview), pd.DataFrame | Changes
        )
