"""The report money_flow, from records and from totals."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import TABLES, milliunits
from budgetframe.frames.tables import table_for
from budgetframe.reports import money_flow
from budgetframe.sandbox import Sandbox
from tests.facade.service import data, one_budget, scripted
from tests.frames.columns import TEXT, Json
from tests.reports.plans import categories, told
from tests.reports.rows import lines, values
from tests.sandbox.ask import get

LISTED = categories("food", "office", "tea", "card")
COLUMNS = {
    "month": "datetime64[us]",
    "from_category_id": str(TEXT),
    "from_category_name": str(TEXT),
    "from_category_group_name": str(TEXT),
    "to_category_id": str(TEXT),
    "to_category_name": str(TEXT),
    "to_category_group_name": str(TEXT),
    "amount": "float64",
    "moves": "Int64",
}


def move(amount: float, to: str | None, of: str | None = None, month: str = "2026-05") -> Json:
    """One record; source and target may be missing."""
    return {
        "month": f"{month}-01",
        "moved_at": "2026-05-03T08:00:00Z",
        "amount": amount,
        "from_category_id": of,
        "to_category_id": to,
        **dict.fromkeys(("note", "money_movement_group_id", "performed_by_user_id")),
    }


def records(*rows: Json) -> pd.DataFrame:
    keyed = [{"id": f"m{number}", **row} for number, row in enumerate(rows)]
    return told(TABLES["money_movement_records"].frame({"money_movements": keyed}))


def totals(*rows: tuple[str | None, str, float]) -> pd.DataFrame:
    """Totals: group, category and assigned amount."""
    answer = [
        {
            "category_group_name": group,
            "category_name": name,
            "allocation": amount,
            "spent": 0.0,
            "income": 0.0,
        }
        for group, name, amount in rows
    ]
    return told(TABLES["money_movements"].frame({"money_movements": answer}))


# Records


def test_a_move_has_key_name_and_group_of_both_categories() -> None:
    found = money_flow(records(move(12.5, "food", "tea")), LISTED)
    assert lines(found, *COLUMNS) == [
        ("2026-05-01", "tea", "tea", "Daily", "food", "Food", "Daily", 12.5, 1)
    ]


def test_a_missing_source_is_ready_to_assign() -> None:
    found = money_flow(records(move(5.0, "food")), LISTED)
    assert lines(found, *list(COLUMNS)[1:4]) == [(None, "Ready to Assign", None)]


def test_a_missing_target_is_ready_to_assign() -> None:
    found = money_flow(records(move(5.0, None, "food")), LISTED)
    assert lines(found, *list(COLUMNS)[4:7]) == [(None, "Ready to Assign", None)]


def test_moves_of_a_month_between_the_same_categories_are_added_up_and_counted() -> None:
    found = money_flow(records(*(move(0.1, "food", "tea") for _ in range(3))), LISTED)
    assert lines(found, "amount", "moves") == [(0.3, 3)]


def test_moves_from_ready_to_assign_are_added_up_too() -> None:
    found = money_flow(records(move(1.0, "food"), move(2.0, "food")), LISTED)
    assert lines(found, "amount", "moves") == [(3.0, 2)]


def test_moves_in_opposite_directions_are_two_rows() -> None:
    found = money_flow(records(move(5.0, "food", "tea"), move(3.0, "tea", "food")), LISTED)
    assert lines(found, "from_category_id", "to_category_id", "amount") == [
        ("tea", "food", 5.0),
        ("food", "tea", 3.0),
    ]


def test_moves_of_two_months_are_two_rows() -> None:
    rows = records(move(5.0, "food", month="2026-05"), move(4.0, "food", month="2026-04"))
    found = money_flow(rows, LISTED)
    assert lines(found, "month", "amount") == [("2026-04-01", 4.0), ("2026-05-01", 5.0)]


def test_two_categories_with_the_same_name_are_two_rows() -> None:
    found = money_flow(records(move(1.0, "food"), move(2.0, "office")), LISTED)
    assert lines(found, "to_category_name", "to_category_group_name", "amount") == [
        ("Food", "Office", 2.0),
        ("Food", "Daily", 1.0),
    ]


def test_the_largest_move_of_a_month_comes_first() -> None:
    rows = (move(1.0, "food"), move(9.0, "tea"), move(5.0, "office"))
    assert values(money_flow(records(*rows), LISTED), "amount") == [9.0, 5.0, 1.0]


def test_equal_moves_are_sorted_by_name() -> None:
    rows = (move(1.0, "tea"), move(1.0, "food"), move(1.0, "card", "tea"))
    found = money_flow(records(*rows), LISTED)
    assert lines(found, "from_category_name", "to_category_name") == [
        ("Ready to Assign", "Food"),
        ("Ready to Assign", "tea"),
        ("tea", "Visa"),
    ]


def test_a_move_of_zero_has_no_row() -> None:
    assert len(money_flow(records(move(0.0, "food")), LISTED)) == 0


def test_a_deleted_category_has_its_key_as_name() -> None:
    found = money_flow(records(move(5.0, "gone", "food")), LISTED)
    assert lines(found, "to_category_name", "to_category_group_name") == [("gone", None)]


@pytest.mark.parametrize("month", ["2026-04", "2026-04-01", date(2026, 4, 17)])
def test_a_month_can_be_written_in_several_ways(month: Any) -> None:
    rows = records(move(5.0, "food", month="2026-05"), move(4.0, "food", month="2026-04"))
    assert values(money_flow(rows, LISTED, month=month), "month") == ["2026-04-01"]


def test_a_month_before_the_first_record_has_no_rows() -> None:
    found = money_flow(records(move(5.0, "food")), LISTED, month="2020-01")
    assert len(found) == 0


def test_attrs_state_the_first_month_of_the_records() -> None:
    rows = records(move(5.0, "food", month="2026-05"), move(4.0, "food", month="2026-04"))
    assert money_flow(rows, LISTED, month="2026-05").attrs["known_since"] == "2026-04-01"


def test_the_rules_state_the_first_month_of_the_records() -> None:
    rules = money_flow(records(move(5.0, "food", month="2025-01")), LISTED).attrs["rules"]
    assert rules[-1] == (
        "Months before the first record are unknown, not zero: the records start with 2025-01."
    )


def test_records_of_one_month_do_not_state_the_first_month() -> None:
    found = money_flow(records(move(5.0, "food")), LISTED, month="2026-05")
    assert "known_since" not in found.attrs
    assert found.attrs["rules"][-1] == "Months before the first record are unknown, not zero."


# Totals


def test_a_total_is_a_move_from_ready_to_assign_in_no_month() -> None:
    found = money_flow(totals(("Daily", "Food", 30.5)), LISTED)
    assert lines(found, *COLUMNS) == [
        (None, None, "Ready to Assign", None, "food", "Food", "Daily", 30.5, None)
    ]


def test_a_negative_total_is_a_move_to_ready_to_assign() -> None:
    found = money_flow(totals(("Daily", "Food", -30.5)), LISTED)
    assert lines(found, "from_category_id", "to_category_id", "to_category_name", "amount") == [
        ("food", None, "Ready to Assign", 30.5)
    ]


def test_totals_with_the_same_name_in_two_groups_are_two_rows() -> None:
    found = money_flow(totals(("Daily", "Food", 1.0), ("Office", "Food", 2.0)), LISTED)
    assert lines(found, "to_category_id", "amount") == [("office", 2.0), ("food", 1.0)]


def test_a_total_of_zero_has_no_row() -> None:
    assert len(money_flow(totals(("Daily", "Food", 0.0)), LISTED)) == 0


def test_totals_get_the_month_that_is_passed() -> None:
    found = money_flow(totals(("Daily", "Food", 1.0)), LISTED, month="2026-05")
    assert values(found, "month") == ["2026-05-01"]


def test_a_total_of_a_category_that_is_not_listed_keeps_its_name() -> None:
    found = money_flow(totals((None, "Wedding", 7.0)), LISTED)
    assert lines(found, "to_category_name", "amount") == [("Wedding", 7.0)]


def test_totals_do_not_state_a_first_month() -> None:
    assert "known_since" not in money_flow(totals(("Daily", "Food", 1.0)), LISTED).attrs


def test_the_rules_state_the_shape_of_the_frame(subtests: pytest.Subtests) -> None:
    cases: list[tuple[pd.DataFrame, str]] = [
        (records(), "Each record is one move."),
        (totals(), "The amounts are the assigned amounts of each category."),
    ]
    for frame, rule in cases:
        with subtests.test(frame=frame, rule=rule):
            assert money_flow(frame, LISTED).attrs["rules"][0] == rule


# Empty frames and rejected arguments


def test_without_rows_columns_and_dtypes_are_the_same(subtests: pytest.Subtests) -> None:
    cases: dict[str, pd.DataFrame] = {"records": records(), "totals": totals()}
    for label, frame in cases.items():
        with subtests.test(label=label):
            found = money_flow(frame, categories())
            assert len(found) == 0
            assert dict(found.dtypes.astype(str)) == COLUMNS


def test_with_rows_dtypes_are_the_documented_ones(subtests: pytest.Subtests) -> None:
    cases: dict[str, pd.DataFrame] = {
        "record": records(move(1.0, "food")),
        "total": totals(("Daily", "Food", 1.0)),
    }
    for label, frame in cases.items():
        with subtests.test(label=label):
            assert dict(money_flow(frame, LISTED).dtypes.astype(str)) == COLUMNS


def test_another_frame_raises_an_error() -> None:
    with pytest.raises(ToolError, match=r"bf\.money_movements\(\)"):
        money_flow(LISTED, LISTED)


def test_another_frame_of_categories_raises_an_error() -> None:
    with pytest.raises(ToolError, match=r"bf\.categories\(\)"):
        money_flow(records(), records())


@pytest.mark.parametrize("month", ["May", "2026-05-17"])
def test_an_invalid_month_raises_an_error(month: str) -> None:
    with pytest.raises(ToolError, match=f"month='{month}'"):
        money_flow(records(), LISTED, month=month)


# Comparison with the sandbox


@pytest.fixture
def service() -> Sandbox:
    return Sandbox(seed=2)


def recorded(service: Sandbox) -> pd.DataFrame:
    """The records that the service returns for the newer spelling of its paths."""
    answer = get(service, "/plans/last-used/money_movements")
    rows = [{**row, "amount": row["amount"] / 1000} for row in answer["money_movements"]]
    found = {"money_movements": rows}
    return told(table_for("money_movements", found).frame(found))


def test_the_records_add_up_to_the_assigned_amounts(service: Sandbox) -> None:
    bf = BudgetFrame.sandbox(service)
    found = money_flow(recorded(service), bf.categories())
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
    bf = BudgetFrame.sandbox()
    found = bf.reports.money_flow(month="2026-05")
    assigned = bf.month("2026-05")
    kept = assigned[assigned["budgeted"] != 0].set_index("category_id")["budgeted"]
    assert found.set_index("to_category_id")["amount"].to_dict() == kept.to_dict()


def test_the_report_method_returns_the_report_of_the_records() -> None:
    rows = [move(2500, "food", "tea"), move(9000, "food", month="2026-04")]
    listed = [{"id": f"m{number}", **row} for number, row in enumerate(rows)]
    groups = [{"id": "g", "name": "Daily", "hidden": False, "categories": []}]

    def answer(request: Any) -> Any:
        if request.url.path.endswith("categories"):
            return data({"category_groups": groups, "server_knowledge": 1})
        return data({"money_movements": listed, "server_knowledge": 1})

    found = scripted(one_budget(answer)).reports.money_flow()
    assert lines(found, "month", "from_category_name", "to_category_name", "amount") == [
        ("2026-04-01", "Ready to Assign", "food", 9.0),
        ("2026-05-01", "tea", "food", 2.5),
    ]
