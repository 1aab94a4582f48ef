"""The table of the amounts that are assigned in a month, by the messages of the notebook."""

from dataclasses import replace
from datetime import date
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, Review
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connected, requests
from tests.review.table import Table

AMOUNTS = {"Fuel": 125.0, "Groceries": 368.51, "Rent": 1208.3}
"""New amounts in June, each 10 € more: 343,06 € are left to assign before, 313,06 € after them."""


def planned(bf: BudgetFrame, month: str = "2026-06", amounts: Any = AMOUNTS) -> Changes:
    """Changes of the amounts that are assigned in a month."""
    rows = {"month": month, "category_name": [*amounts], "budgeted": [*amounts.values()]}
    return bf.changes(pd.DataFrame(rows))


def opened(**given: Any) -> tuple[Sandbox, BudgetFrame, Review, Table]:
    """A review of new amounts, and its table."""
    sandbox, bf = connected(years=1)
    review = bf.review(planned(bf, **given))
    return sandbox, bf, review, Table(review)


def assigned(bf: BudgetFrame, month: str = "2026-06") -> list[float]:
    """What the service has assigned to the three categories."""
    frame = bf.month(month).set_index("category_name")["budgeted"]
    return [frame[name] for name in AMOUNTS]


def left(bf: BudgetFrame) -> dict[str, float]:
    """What the service states as left to assign, from June on."""
    frame = bf.months().query("month >= '2026-06-01'")
    return dict(zip(frame["month"].dt.strftime("%Y-%m"), frame["to_be_budgeted"], strict=True))


def test_a_plan_is_shown_in_its_order_with_what_is_left_to_assign_above() -> None:
    sandbox, bf = connected(years=1)
    changes = planned(bf, amounts={"Rent": 1000.0, "Fuel": 125.0})
    application, (first, second) = changes._aio.application, changes._aio.application.plan.changes
    of_plan = {"rule": "the target", "wanted": 1_250_000, "got": 1_000_000}
    first = replace(first, shown={**first.shown, **of_plan})
    application.plan = replace(application.plan, changes=[first, second])
    assert requests(sandbox, lambda: bf.review(changes)) == 1
    table = Table(review := bf.review(changes))
    title = "2 rows to review, assigned in 2026-06"
    assert (table.all["title"], table.all["month"]) == (title, "2026-06-01")
    names = ("group", "category", "rule", "wanted", "before", "assigned", "state")
    assert [[row[name] for name in names] for row in table.rows.values()] == [
        ["Home", "Rent", "the target", "1.250,00 €", "1.198,30 €", "1.000,00 €", ""],
        ["Car", "Fuel", "", "", "115,00 €", "125,00 €", ""],
    ]
    assert [each["value"] for each in table.all["actions"]] == ["discard", "restore"]
    shown = "Left to assign from 2026-06 on: 531,36 € (before: 343,06 €)"
    assert (table.summary["left"], table.summary["too_much"]) == (shown, False)
    table.edit("state", "discard", 1)
    assert review.changes._aio.application.plan.changes[0].shown == first.shown


def test_an_edit_changes_what_is_left_to_assign_without_a_request() -> None:
    sandbox, _, review, table = opened()
    assert requests(sandbox, lambda: table.edit("assigned", "1.500,005", 1)) == 0
    assert table.column("assigned") == ["125,00 €", "1.500,005 €", "1.208,30 €"]
    shown = "⚠ Left to assign from 2026-06 on: -818,435 € (before: 343,06 €)"
    assert (table.summary["left"], table.summary["too_much"]) == (shown, True)
    warnings = [
        "1 amount has more decimals than the currency (first: 1.500,005 €)",
        "818,435 € more is assigned than there is",
    ]
    assert (table.summary["warnings"], table.summary["apply"]) == (warnings, True)
    assert ["Groceries 2026-06", "253,52 €", "1.395,015 €"] in table.summary["effects"]
    assert review.changes.frame["after"].tolist() == [125.0, 1500.005, 1208.3]


TYPED = [("12,5 lei", "12,50"), ("-1.000", "-1.000,00"), ("0", "0,00"), (" 7 €", "7,00")]


@pytest.mark.parametrize(("typed", "shown"), TYPED)
def test_an_amount_is_typed_in_the_format_of_the_budget(typed: str, shown: str) -> None:
    sandbox, bf = connected(years=1)
    budget = sandbox.budgets[0].budget
    budget.currency = replace(budget.currency, currency_symbol="lei")
    table = Table(bf.review(planned(bf)))
    table.edit("assigned", typed, 2)
    assert (table.rows[2]["assigned"], table.rows[2]["problem"]) == (f"{shown} lei", "")


@pytest.mark.parametrize("typed", ["ten", None, "12.5", "5 S", "1,2,3"])
def test_a_wrong_amount_is_explained_beside_its_cell_and_not_taken(typed: Any) -> None:
    problem = f"'{typed or ''}' is no amount, such as 1.234,50 €"
    _, _, review, table = opened()
    table.edit("assigned", "100", 0, 1)
    table.edit("assigned", typed, 1)
    assert [row["problem"] for row in table.rows.values()] == ["", problem, ""]
    assert table.summary["message"] == f"The edit was taken back: {problem}"
    assert table.column("assigned") == ["100,00 €", "100,00 €", "1.208,30 €"]
    assert (len(review.changes), table.summary["apply"]) == (3, True)
    table.edit("state", "discard", 0)
    table.send(type="ready")  # another view
    assert table.rows[1]["problem"] == problem
    table.edit("assigned", "50", 1)
    assert (table.column("problem"), table.rows[1]["assigned"]) == ([""] * 3, "50,00 €")


def test_a_row_can_be_left_out_and_restored() -> None:
    _, _, review, table = opened()
    table.edit("state", "discard", 0)
    assert [table.rows[0][name] for name in ("state", "struck")] == ["left out", True]
    assert table.summary["left"].startswith("Left to assign from 2026-06 on: 323,06 €")
    assert review.changes.frame["category_name"].tolist() == ["Groceries", "Rent"]
    table.edit("state", "restore", 0)
    assert (table.rows[0]["assigned"], len(review.changes)) == ("125,00 €", 3)
    table.edit("assigned", "115", 0)
    assert (table.column("changed"), len(review.changes)) == ([[], *[["assigned"]] * 2], 2)


def test_apply_leaves_what_was_shown_and_undo_restores_all_amounts() -> None:
    _, bf, _, table = opened()
    table.edit("assigned", "300,25", 1)
    table.press("apply", stop=True)
    assert table.outcomes == {"applied": 1, "not sent yet": 2}
    shown = "Left to assign from 2026-06 on: 381,32 €"
    assert table.summary["left"] == f"{shown} (before: 343,06 €)"
    table.press("apply")
    assert (left(bf), assigned(bf)) == ({"2026-06": 381.32}, [125.0, 300.25, 1208.3])
    assert table.outcomes == {"applied": 3}
    assert (table.column("before"), table.summary["left"]) == (table.column("assigned"), shown)
    table.press("undo")
    assert (left(bf), table.outcomes) == ({"2026-06": 343.06}, {"undone": 3})
    assert assigned(bf) == [115.0, 358.51, 1198.3]


LATER = [  # in July, and the changed amount of Fuel
    (300, "2026-06", 125.0, "⚠ Left to assign from 2026-06 on: -17,85 € (before: -7,85 €)"),
    (300, "2026-09", 10.0, "⚠ Left to assign from 2026-09 on: -17,85 € (before: -7,85 €)"),
    (0, "2026-07", 10.0, "Left to assign from 2026-07 on: 282,15 € (before: 292,15 €)"),
]


@pytest.mark.parametrize("case", LATER)
def test_later_months_and_overspending_count(case: tuple[int, str, float, str]) -> None:
    later, month, fuel, shown = case
    # July: 343.06 - 24.61 (Household Goods) - 8.50 (Sport) - 17.80 (Uncategorized) = 292.15
    _, bf = connected(years=1)
    if later:
        bf.assign("2026-07", "Rent", later)
    table = Table(bf.review(planned(bf, month, {"Fuel": fuel})))
    assert table.summary["left"] == shown
    table.press("apply")
    assert min(left(bf).values()) == (-17.85 if later else 282.15)


def test_an_amount_that_was_changed_elsewhere_is_sent_after_a_tick_and_undo_restores_it() -> None:
    sandbox, bf, _, table = opened()
    keys = bf.categories().set_index("category_name")["category_id"]
    sandbox.device.assign(keys["Groceries"], date(2026, 6, 1), 50_000)
    table.press("preview")
    problem = "changed since the frame was read: budgeted. Now: assigned 50,00 €"
    assert table.column("problem") == ["", problem, ""]
    assert table.column("before") == ["115,00 €", "50,00 €", "1.198,30 €"]
    assert table.summary["left"].endswith(" on: 631,57 € (before: 651,57 €)")
    table.press("apply")
    assert (assigned(bf), table.rows[1]["assigned"]) == ([125.0, 50.0, 1208.3], "368,51 €")
    table.tick(1)
    table.press("apply")
    assert assigned(bf) == [125.0, 368.51, 1208.3]
    table.press("undo")
    assert assigned(bf) == [125.0, 50.0, 1208.3]


def test_an_edited_cover_is_made_as_a_whole_or_not_at_all() -> None:
    sandbox, bf = connected(years=1)
    bf.assign("current", "Rent", 0)
    before = bf.month("current").set_index("category_name")["budgeted"]
    table = Table(bf.review(bf.cover(sources=["Emergency Fund", "New Laptop"], keep=0)))
    names = {row["category"]: at for at, row in table.rows.items()}
    table.edit("assigned", "1,00", names["Emergency Fund"])
    BudgetFrame.sandbox(sandbox).assign("current", "Rent", 7.0)
    table.press("apply")
    bf.refresh()
    after = bf.month("current").set_index("category_name")["budgeted"]
    assert after.drop("Rent").equals(before.drop("Rent"))
    assert after["Rent"] == 7.0


def test_a_deleted_category_says_so_and_the_others_are_sent() -> None:
    sandbox, bf, review, table = opened()
    table.edit("assigned", "1", 0)
    keys = bf.categories().set_index("category_name")["category_id"]
    sandbox.device.delete_category(keys["Groceries"], keys["Clothing"])
    table.press("apply")
    assert table.column("state") == ["applied", "deleted", "applied"]
    assert table.rows[1]["problem"] == "the category or the month does not exist any more"
    assert table.rows[1]["fixed"] == {"assigned": ("a deleted category", "deleted categories")}
    assert review.frame["category_name"].tolist() == ["Fuel", "Rent"]


def test_a_month_that_ended_while_its_table_was_open_gets_its_amounts() -> None:
    sandbox, bf, _, table = opened()
    sandbox.advance(20)
    table.edit("assigned", "200", 0)
    table.press("apply")
    assert (assigned(bf), table.outcomes) == ([200.0, 368.51, 1208.3], {"applied": 3})
    # July has what is left in June without the overspending: 238.06 - 54.61 - 8.50 - 17.80
    assert left(bf) == {"2026-06": 238.06, "2026-07": 157.15}
    assert table.summary["left"] == "Left to assign from 2026-06 on: 157,15 €"


def test_the_frame_has_the_edits_for_other_code() -> None:
    _, bf, review, table = opened(month="2026-08", amounts={"Fuel": 10.0, "Rent": 20.0})
    table.edit("assigned", "30", 1)
    amounts = review.frame.set_index("category_name")["budgeted"]
    assert amounts.to_dict() == {"Fuel": 10.0, "Rent": 30.0}
    assert bf.changes(review.frame).warnings == []
    bf.changes(review.frame).apply()
    assert assigned(bf, "2026-08") == [10.0, 0.0, 30.0]


def test_a_terminal_shows_the_plan_and_the_line_to_write() -> None:
    _, bf, review, table = opened(amounts={"Fuel": 125.0})
    lines = repr(review).splitlines()
    assert lines[0] == "Review: 1 row; 1 row will be updated"
    assert lines[2].split()[:5] == ["update", "2026-06-01", "Fuel", "budgeted", "115,00"]
    assert "  next: review.changes.apply() sends the changes" in lines
    table.edit("state", "discard", 0)
    line = "  next: bf.changes(review.frame.assign(budgeted=...)).apply() changes rows"
    assert repr(review).splitlines()[1] == line
    assert "assign(" not in repr(bf.review(planned(bf, amounts={"Fuel": 115.0})))
