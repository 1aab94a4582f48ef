"""The report budget_vs_actual."""

from typing import Any

import pandas as pd
import pytest

from budgetframe.frames import milliunits
from budgetframe.reports import budget_vs_actual
from tests.reports.plans import TOKYO, cell, household, in_month, plan
from tests.reports.rows import lines, values


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


def test_a_target_of_zero_without_a_goal_is_missing() -> None:
    goals = [
        cell("none of it", 1.0, 0.0, goal_type=None, goal_target=0.0),
        cell("paused", 1.0, 0.0, goal_type="NEED", goal_target=0.0, goal_under_funded=0.0),
        cell("set", 1.0, 0.0, goal_type="TB", goal_target=50.0), cell("unknown", 1.0, 0.0),
    ]  # fmt: skip
    found = budget_vs_actual(plan(in_month("2026-06", *goals)))
    assert lines(found, "category_name", "target") == [
        ("none of it", None), ("paused", 0.0), ("set", 50.0), ("unknown", None),
    ]  # fmt: skip


@pytest.mark.parametrize(("since", "as_of", "expected"), [
    ("2026-05", "2026-06-17", [True, False]),
    ("2026-05", "2026-06-30", [True, True]),
    ("2026-06", "2026-06-17", [False]),
    ("2026-07", "2026-06-17", [False, False]),
    ("2026-07", None, [True, True]),  # nobody knows the day
])  # fmt: skip
def test_months_are_complete_when_over(since: str, as_of: str | None, expected: list[bool]) -> None:
    found = budget_vs_actual(spring(as_of), since=since)
    assert [is_complete for _, is_complete in of_food(found, "is_complete")] == expected


def test_each_month_states_assigned_spent_difference_and_available() -> None:
    assert of_food(budget_vs_actual(spring()), "assigned", "spent", "difference", "available") == [
        ("2026-03-01", 100.1, 80.0, 20.1, 20.1), ("2026-04-01", 100.1, 130.2, -30.1, -10.0),
        ("2026-05-01", 100.2, -15.5, 115.7, 105.7), ("2026-06-01", 0.3, 0.1, 0.2, 105.9),
    ]  # fmt: skip


@pytest.mark.parametrize(("freq", "expected"), [
    ("quarter",
     [("2026-01-01", 100.1, 80.0, 20.1, 20.1), ("2026-04-01", 200.6, 114.8, 85.8, 105.9)]),
    ("year", [("2026-01-01", 300.7, 194.8, 105.9, 105.9)]),
    ("all", [("2026-03-01", 300.7, 194.8, 105.9, 105.9)]),
])  # fmt: skip
def test_longer_periods_have_sums_and_the_state_of_their_last_month(
    freq: Any, expected: list[tuple[Any, ...]]
) -> None:
    found = budget_vs_actual(spring(), freq=freq)
    assert of_food(found, "assigned", "spent", "difference", "available") == expected


def test_goal_and_balance_are_those_of_the_last_month_of_the_period() -> None:
    months = plan(
        in_month(
            "2026-04", cell("food", 1.0, 0.0, 1.0, goal_target=300.0, goal_under_funded=299.0)
        ),
        in_month("2026-05", cell("food", 2.0, 0.0, 3.0, goal_target=400.0, goal_under_funded=12.5)),
    )
    for rows in (months, months.iloc[::-1]):
        found = budget_vs_actual(rows, freq="quarter")
        assert lines(found, "target", "under_funded", "available") == [(400.0, 12.5, 3.0)]
    without = budget_vs_actual(spring(), since="2026-03", until="2026-03")
    assert lines(without, "target", "under_funded") == [(None, None)]


# Rows


def test_a_category_name_in_two_groups_is_two_rows() -> None:
    month = in_month("2026-06", cell("office", 5.0, -1.0), cell("food", 7.0, -2.0))
    found = budget_vs_actual(plan(month))
    assert lines(found, "category_id", "category_group_name", "category_name", "spent") == [
        ("food", "Daily", "Food", 2.0), ("office", "Office", "Food", 1.0),
    ]  # fmt: skip


def test_rows_are_sorted_by_period_then_group_then_name() -> None:
    months = [
        in_month(month, cell("gym", 0, 0), cell("tea", 0, 0), cell("food", 0, 0))
        for month in ("2026-05", "2026-06")
    ]
    found = budget_vs_actual(plan(*months))
    assert values(found, "category_id") == ["food", "tea", "gym", "food", "tea", "gym"]
    assert values(found, "period") == ["2026-05-01"] * 3 + ["2026-06-01"] * 3


def test_transactions_without_a_category_have_a_row() -> None:
    found = budget_vs_actual(spring(), since="2026-04", until="2026-04")
    assert lines(found, "category_name", "spent") == [("Food", 130.2), ("Uncategorized", 7.7)]


def test_future_months_are_included_with_until_or_if_the_day_is_unknown() -> None:
    assert max(values(budget_vs_actual(spring()), "period")) == "2026-06-01"
    found = budget_vs_actual(spring(), until="2026-07")
    assert of_food(found, "available")[-1] == ("2026-07-01", 195.9)
    assert max(values(budget_vs_actual(spring(as_of=None)), "period")) == "2026-08-01"


def test_a_day_as_since_or_until_selects_its_whole_month() -> None:
    found = budget_vs_actual(spring(), since="2026-04-30", until="2026-05-02")
    assert [day for day, *_ in of_food(found)] == ["2026-04-01", "2026-05-01"]


def test_hidden_categories_are_marked_and_can_be_left_out() -> None:
    found = budget_vs_actual(spring(), since="2026-05")
    assert ("gym", True) in lines(found, "category_id", "hidden")
    shown = budget_vs_actual(spring(), include_hidden=False, since="2026-05")
    assert "gym" not in values(shown, "category_id")
    assert shown.attrs["left_out"] == [
        "1 hidden category: include_hidden=True", "1 card payment category: include_cards=True",
    ]  # fmt: skip


def test_card_payments_are_left_out_unless_they_are_asked_for() -> None:
    assert "card" not in values(budget_vs_actual(spring()), "category_id")
    found = budget_vs_actual(spring(), include_cards=True)
    assert "left_out" not in found.attrs
    cards = found[found["category_id"] == "card"]
    assert lines(cards, "assigned", "spent", "available") == [(50.0, -60.0, 110.0)]


@pytest.mark.parametrize(("options", "rule"), [
    ({}, "Hidden categories are included."),
    ({"include_hidden": False}, "Hidden categories are left out."),
    ({}, "Card payments are left out."), ({"include_cards": True}, "Card payments are included."),
    ({"since": "2026-04"}, "Months from 2026-04 to 2026-06."),
])  # fmt: skip
def test_the_rules_state_the_parameters(options: dict[str, Any], rule: str) -> None:
    assert rule in budget_vs_actual(spring(), **options).attrs["rules"]


# Comparison with the service's own figures


@pytest.mark.parametrize(("seed", "budget"), [(1, "Household"), (2, TOKYO)])
def test_assigned_and_spent_are_the_monthly_totals_of_the_service(seed: int, budget: str) -> None:
    bf = household(seed, budget)
    months, plan = bf.months(), bf.month_categories()
    every = budget_vs_actual(plan, include_cards=True)
    assigned = milliunits(every["assigned"]).groupby(every["period"]).sum()
    assert assigned.tolist() == milliunits(months["budgeted"]).tolist()
    assert assigned.index.tolist() == months["month"].tolist()
    found = budget_vs_actual(plan)
    spent = milliunits(found["spent"]).groupby(found["period"]).sum()
    assert spent.tolist() == (-milliunits(months["activity"])).tolist()
