"""The report money_flow, from records and from totals."""

from datetime import date
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import TABLES, milliunits
from budgetframe.reports import money_flow
from budgetframe.sandbox import Sandbox
from tests.frames.columns import Json
from tests.reports.plans import categories, told
from tests.reports.rows import lines, values

LISTED = categories("food", "office", "tea", "card")


SOURCE, TARGET = (
    tuple(f"{side}_category_{name}" for name in ("id", "name", "group_name"))
    for side in ("from", "to")
)
READY = (None, "Ready to Assign", None)


def move(amount: float, to: str | None, of: str | None = None, month: str = "2026-05") -> Json:
    """One record; source and target may be missing."""
    return (
        {"month": f"{month}-01", "moved_at": "2026-05-03T08:00:00Z"}
        | {"amount": amount, "from_category_id": of, "to_category_id": to}
        | dict.fromkeys(("note", "money_movement_group_id", "performed_by_user_id"))
    )


def records(*rows: Json) -> pd.DataFrame:
    keyed = [{"id": f"m{number}", **row} for number, row in enumerate(rows)]
    return told(TABLES["money_movement_records"].frame({"money_movements": keyed}))


def totals(*rows: tuple[str | None, str, float]) -> pd.DataFrame:
    """Totals: group, category and assigned amount."""
    answer = [
        (
            {"category_group_name": group, "category_name": name, "allocation": amount}
            | dict.fromkeys(("spent", "income"), 0.0)
        )
        for group, name, amount in rows
    ]
    return told(TABLES["money_movements"].frame({"money_movements": answer}))


# Records


@pytest.mark.parametrize(("record", "source", "target"), [
    (move(5.0, "food", "tea"), ("tea", "tea", "Daily"), ("food", "Food", "Daily")),
    (move(5.0, "food"), READY, ("food", "Food", "Daily")),
    (move(5.0, None, "food"), ("food", "Food", "Daily"), READY),
    (move(5.0, "gone", "tea"), ("tea", "tea", "Daily"), ("gone", "gone", None)),
])  # fmt: skip
def test_a_move_has_key_name_and_group_of_both_sides(
    record: Json, source: tuple[Any, ...], target: tuple[Any, ...]
) -> None:
    found = money_flow(records(record), LISTED)
    assert lines(found, *SOURCE, *TARGET) == [(*source, *target)]
    assert lines(found, "month", "amount", "moves") == [("2026-05-01", 5.0, 1)]


def test_moves_of_a_month_with_the_same_source_and_target_are_one_row() -> None:
    rows = (
        *(move(0.1, "food", "tea") for _ in range(3)), move(3.0, "tea", "food"),
        *(move(1.0, "food", month="2026-04") for _ in range(2)), move(0.0, "office"),
    )  # fmt: skip
    assert lines(money_flow(records(*rows), LISTED), "month", "amount", "moves") == [
        ("2026-04-01", 2.0, 2), ("2026-05-01", 3.0, 1), ("2026-05-01", 0.3, 3),
    ]  # fmt: skip


def test_the_moves_of_a_month_are_sorted_by_amount_then_by_name() -> None:
    rows = (move(1.0, "tea"), move(1.0, "food"), move(1.0, "card", "tea"), move(2.0, "office"))
    names = ("from_category_name", "to_category_name", "to_category_group_name")
    assert lines(money_flow(records(*rows), LISTED), *names) == [
        ("Ready to Assign", "Food", "Office"), ("Ready to Assign", "Food", "Daily"),
        ("Ready to Assign", "tea", "Daily"), ("tea", "Visa", "Credit Card Payments"),
    ]  # fmt: skip


@pytest.mark.parametrize("month", ["2026-04", "2026-04-01", date(2026, 4, 17)])
def test_a_month_can_be_written_in_several_ways(month: Any) -> None:
    rows = records(move(5.0, "food", month="2026-05"), move(4.0, "food", month="2026-04"))
    assert values(money_flow(rows, LISTED, month=month), "month") == ["2026-04-01"]


def test_attrs_and_rules_state_the_first_month_of_all_records() -> None:
    rows = records(move(5.0, "food", month="2026-05"), move(4.0, "food", month="2026-04"))
    found = money_flow(rows, LISTED, month="2026-05")
    assert found.attrs["known_since"] == "2026-04-01"
    rule = "Months before the first record are unknown, not zero"
    assert found.attrs["rules"][-1] == f"{rule}: the records start with 2026-04."
    assert len(money_flow(rows, LISTED, month="2020-01")) == 0
    # Neither the records of one month alone nor totals say when all records start.
    for frame in (records(move(5.0, "food")), totals(("Daily", "Food", 1.0))):
        found = money_flow(frame, LISTED, month="2026-05")
        assert "known_since" not in found.attrs
        assert found.attrs["rules"][-1] == f"{rule}."


# Totals


def test_a_total_is_a_move_from_or_to_ready_to_assign_in_no_month() -> None:
    rows = [("Daily", "Food", 30.5), ("Office", "Food", -2.0), (None, "Wedding", 7.0)]
    found = money_flow(totals(*rows, ("Daily", "tea", 0.0)), LISTED)
    assert lines(found, "month", *SOURCE, *TARGET, "amount", "moves") == [
        (None, *READY, "food", "Food", "Daily", 30.5, None),
        (None, *READY, "Wedding", "Wedding", None, 7.0, None),
        (None, "office", "Food", "Office", *READY, 2.0, None),
    ]
    assert {*values(money_flow(totals(*rows), LISTED, month="2026-05"), "month")} == {"2026-05-01"}


def test_the_rules_state_the_shape_of_the_frame(subtests: pytest.Subtests) -> None:
    cases: list[tuple[pd.DataFrame, str]] = [
        (records(), "Each record is one move."),
        (totals(), "The amounts are the assigned amounts of each category."),
    ]
    for frame, rule in cases:
        with subtests.test(frame=frame, rule=rule):
            assert money_flow(frame, LISTED).attrs["rules"][0] == rule


# Empty frames and rejected arguments


@pytest.mark.parametrize("month", ["May", "2026-05-17"])
def test_an_invalid_month_raises_an_error(month: str) -> None:
    with pytest.raises(ToolError, match=f"month='{month}'"):
        money_flow(records(), LISTED, month=month)


# Comparison with the sandbox


@pytest.fixture
def service() -> Sandbox:
    return Sandbox(seed=2, years=1, budgets=1)


def test_the_records_add_up_to_the_assigned_amounts(service: Sandbox) -> None:
    bf = BudgetFrame.sandbox(service)
    found = bf.reports.money_flow()
    flows = found.assign(amount=milliunits(found["amount"]))
    into = flows.groupby(["month", "to_category_id"])["amount"].sum()
    out = flows.groupby(["month", "from_category_id"])["amount"].sum()
    net = into.rename_axis(["month", "key"]).sub(out.rename_axis(["month", "key"]), fill_value=0)
    plan = bf.month_categories(since=str(found["month"].min())[:7])
    assigned = milliunits(plan.set_index(["month", "category_id"])["budgeted"])
    assigned = assigned[assigned != 0]
    assert len(assigned) > 300
    assert net[net != 0].astype("int64").to_dict() == assigned.astype("int64").to_dict()


def test_the_totals_of_a_month_are_its_assigned_amounts() -> None:
    bf = BudgetFrame.sandbox(Sandbox(years=1, budgets=1, movement_totals=True))
    found, assigned = bf.reports.money_flow(month="2026-05"), bf.month("2026-05")
    kept = assigned[assigned["budgeted"] != 0].set_index("category_id")["budgeted"]
    assert found.set_index("to_category_id")["amount"].to_dict() == kept.to_dict()
