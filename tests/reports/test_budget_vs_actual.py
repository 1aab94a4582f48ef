"""The report budget_vs_actual."""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.frames import TABLES, in_money, milliunits
from budgetframe.reports import budget_vs_actual
from tests.frames.columns import TEXT
from tests.reports.plans import TOKYO, cell, household, in_month, plan
from tests.reports.rows import lines, values

COLUMNS = {
    "period": "datetime64[us]",
    "category_id": str(TEXT),
    "category_group_name": str(TEXT),
    "category_name": str(TEXT),
    "hidden": "bool",
    "assigned": "float64",
    "spent": "float64",
    "difference": "float64",
    "available": "float64",
    "target": "float64",
    "under_funded": "float64",
    "is_complete": "bool",
}


def spring(as_of: str | None = "2026-06-17") -> pd.DataFrame:
    """March to August; the frame was read in June."""
    return plan(
        in_month("2026-03", cell("food", 100.1, -80.0, 20.1), cell("ready", 0.0, 2000.0)),
        in_month("2026-04", cell("food", 100.1, -130.2, -10.0), cell("none", 0.0, -7.7, -7.7)),
        in_month("2026-05", cell("food", 100.2, 15.5, 105.7), cell("gym", 20.0, -20.0)),
        in_month("2026-06", cell("food", 0.3, -0.1, 105.9), cell("card", 50.0, 60.0, 110.0)),
        in_month("2026-07", cell("food", 90.0, 0.0, 195.9)),
        in_month("2026-08", cell("food", 80.0, 0.0, 275.9)),
        as_of=as_of,
    )


def of_food(report: pd.DataFrame, *names: str) -> list[tuple[Any, ...]]:
    return lines(report[report["category_id"] == "food"], "period", *names)


# Columns


@pytest.mark.parametrize(
    ("since", "as_of", "expected"),
    [
        ("2026-05", "2026-06-17", [True, False]),
        ("2026-05", "2026-06-30", [True, True]),
        ("2026-06", "2026-06-17", [False]),
        ("2026-07", "2026-06-17", [False, False]),
        ("2026-07", None, [True, True]),  # nobody knows the day
    ],
)
def test_a_month_is_complete_after_its_last_day(
    since: str, as_of: str | None, expected: list[bool]
) -> None:
    found = budget_vs_actual(spring(as_of), since=since)
    assert [is_complete for _, is_complete in of_food(found, "is_complete")] == expected


def test_each_month_states_assigned_spent_difference_and_available() -> None:
    found = budget_vs_actual(spring())
    assert of_food(found, "assigned", "spent", "difference", "available") == [
        ("2026-03-01", 100.1, 80.0, 20.1, 20.1),
        ("2026-04-01", 100.1, 130.2, -30.1, -10.0),
        ("2026-05-01", 100.2, -15.5, 115.7, 105.7),
        ("2026-06-01", 0.3, 0.1, 0.2, 105.9),
    ]


@pytest.mark.parametrize(
    ("freq", "expected"),
    [
        (
            "quarter",
            [("2026-01-01", 100.1, 80.0, 20.1, 20.1), ("2026-04-01", 200.6, 114.8, 85.8, 105.9)],
        ),
        ("year", [("2026-01-01", 300.7, 194.8, 105.9, 105.9)]),
        ("all", [("2026-03-01", 300.7, 194.8, 105.9, 105.9)]),
    ],
)
def test_longer_periods_have_sums_and_the_state_of_their_last_month(
    freq: Any, expected: list[tuple[Any, ...]]
) -> None:
    found = budget_vs_actual(spring(), freq=freq)
    assert of_food(found, "assigned", "spent", "difference", "available") == expected


def test_sums_have_no_float_error() -> None:
    tenths = [in_month(f"2026-0{n}", cell("food", 0.1, -0.1)) for n in range(1, 4)]
    found = budget_vs_actual(plan(*tenths), freq="quarter")
    assert lines(found, "assigned", "spent", "difference") == [(0.3, 0.3, 0.0)]


def test_the_goal_is_the_goal_of_the_last_month_of_the_period() -> None:
    months = plan(
        in_month("2026-04", cell("food", 1.0, 0.0, goal_target=300.0, goal_under_funded=299.0)),
        in_month("2026-05", cell("food", 1.0, 0.0, goal_target=400.0, goal_under_funded=12.5)),
    )
    found = budget_vs_actual(months, freq="quarter")
    assert lines(found, "target", "under_funded") == [(400.0, 12.5)]


def test_without_a_goal_target_and_under_funded_are_missing() -> None:
    found = budget_vs_actual(spring(), since="2026-03", until="2026-03")
    assert lines(found, "target", "under_funded") == [(None, None)]


def test_the_last_month_of_a_period_is_the_latest_not_the_last_row() -> None:
    months = plan(
        in_month("2026-04", cell("food", 1.0, 0.0, 1.0)),
        in_month("2026-05", cell("food", 2.0, 0.0, 3.0)),
    ).iloc[::-1]
    assert values(budget_vs_actual(months, freq="quarter"), "available") == [3.0]


# Rows


def test_a_category_name_in_two_groups_is_two_rows() -> None:
    month = in_month("2026-06", cell("office", 5.0, -1.0), cell("food", 7.0, -2.0))
    found = budget_vs_actual(plan(month))
    assert lines(found, "category_id", "category_group_name", "category_name", "spent") == [
        ("food", "Daily", "Food", 2.0),
        ("office", "Office", "Food", 1.0),
    ]


def test_rows_are_sorted_by_period_then_group_then_name() -> None:
    months = [
        in_month(month, cell("gym", 0, 0), cell("tea", 0, 0), cell("food", 0, 0))
        for month in ("2026-05", "2026-06")
    ]
    found = budget_vs_actual(plan(*months))
    assert values(found, "category_id") == ["food", "tea", "gym", "food", "tea", "gym"]
    assert values(found, "period") == ["2026-05-01"] * 3 + ["2026-06-01"] * 3


def test_a_category_without_activity_is_a_row_of_zeros() -> None:
    found = budget_vs_actual(plan(in_month("2026-06", cell("food", 0.0, 0.0))))
    assert lines(found, "category_id", "assigned", "spent") == [("food", 0.0, 0.0)]


def test_transactions_without_a_category_have_a_row() -> None:
    found = budget_vs_actual(spring(), since="2026-04", until="2026-04")
    assert lines(found, "category_name", "spent") == [("Food", 130.2), ("Uncategorized", 7.7)]


def test_future_months_are_left_out_by_default() -> None:
    assert max(values(budget_vs_actual(spring()), "period")) == "2026-06-01"


def test_future_months_are_included_with_until() -> None:
    found = budget_vs_actual(spring(), until="2026-07")
    assert of_food(found, "available")[-1] == ("2026-07-01", 195.9)


def test_a_frame_without_a_time_is_used_completely() -> None:
    assert max(values(budget_vs_actual(spring(as_of=None)), "period")) == "2026-08-01"


def test_a_day_as_since_or_until_selects_its_whole_month() -> None:
    found = budget_vs_actual(spring(), since="2026-04-30", until="2026-05-02")
    assert [day for day, *_ in of_food(found)] == ["2026-04-01", "2026-05-01"]


def test_hidden_categories_are_included_and_marked() -> None:
    found = budget_vs_actual(spring(), since="2026-05")
    assert ("gym", True) in lines(found, "category_id", "hidden")


def test_hidden_categories_can_be_left_out() -> None:
    found = budget_vs_actual(spring(), include_hidden=False)
    assert "gym" not in values(found, "category_id")


def test_card_payments_are_left_out() -> None:
    assert "card" not in values(budget_vs_actual(spring()), "category_id")


def test_card_payments_can_be_included() -> None:
    found = budget_vs_actual(spring(), include_cards=True)
    cards = found[found["category_id"] == "card"]
    assert lines(cards, "assigned", "spent", "available") == [(50.0, -60.0, 110.0)]


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({}, "Hidden categories are included."),
        ({"include_hidden": False}, "Hidden categories are left out."),
        ({}, "Card payments are left out."),
        ({"include_cards": True}, "Card payments are included."),
        ({"since": "2026-04"}, "Months from 2026-04 to 2026-06."),
    ],
)
def test_the_rules_state_the_parameters(options: dict[str, Any], rule: str) -> None:
    assert rule in budget_vs_actual(spring(), **options).attrs["rules"]


# Empty frames and rejected arguments


def test_without_rows_columns_and_dtypes_are_the_same(subtests: pytest.Subtests) -> None:
    cases: dict[str, pd.DataFrame] = {
        "no plan": budget_vs_actual(plan()),
        "no plan and no day": budget_vs_actual(plan(as_of=None)),
        "no month": budget_vs_actual(spring(), since="2020-01", until="2020-12"),
    }
    for label, empty in cases.items():
        with subtests.test(label=label):
            assert len(empty) == 0
            assert dict(empty.dtypes.astype(str)) == COLUMNS


def test_another_frame_raises_an_error() -> None:
    months = TABLES["months"].frame({"months": []})
    with pytest.raises(ToolError, match=r"category_id.*bf\.month_categories\(\)"):
        budget_vs_actual(months)


def test_a_frame_in_milliunits_raises_an_error() -> None:
    with pytest.raises(ToolError, match=r"budgeted.*currency units"):
        budget_vs_actual(in_money(spring(), "milliunits"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"freq": "week"}, "freq='week'"),
        ({"since": "2026-13"}, "since='2026-13"),
        ({"since": "2026-05", "until": "2026-04"}, "since=2026-05-01 is after until=2026-04-01"),
    ],
)
def test_an_invalid_argument_raises_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        budget_vs_actual(spring(), **options)


# Comparison with the service's own figures


def test_assigned_is_the_total_of_the_service_in_every_month(subtests: pytest.Subtests) -> None:
    for budget, seed in product(("Household", TOKYO), (1, 2)):
        with subtests.test(budget=budget, seed=seed):
            bf = household(seed, budget)
            found = budget_vs_actual(bf.month_categories(), include_cards=True)
            sums = milliunits(found["assigned"]).groupby(found["period"]).sum()
            months = bf.months()
            assert sums.tolist() == milliunits(months["budgeted"]).tolist()
            assert sums.index.tolist() == months["month"].tolist()


def test_spent_is_the_activity_of_the_service_in_every_month(subtests: pytest.Subtests) -> None:
    for budget, seed in product(("Household", TOKYO), (1, 2)):
        with subtests.test(budget=budget, seed=seed):
            bf = household(seed, budget)
            found = budget_vs_actual(bf.month_categories())
            sums = milliunits(found["spent"]).groupby(found["period"]).sum()
            assert sums.tolist() == (-milliunits(bf.months()["activity"])).tolist()
