"""The report targets."""

import calendar
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import TABLES
from budgetframe.reports import Report, targets as targets_of
from budgetframe.sandbox import Sandbox
from tests.frames.columns import Json
from tests.reports.plans import YEN, categories_of, cell, in_month, plan, told
from tests.reports.rows import lines, values

# Wednesday, June 17: June 2026 has five Mondays and Tuesdays, and four of each other day.


def income(*amounts: float, until: str = "2026-05") -> pd.DataFrame:
    """The frame of months with these incomes, of which the last is named, and the running one."""
    days = pd.date_range(end=f"{until}-01", periods=len(amounts), freq="MS")
    rows: list[Json] = [
        {"month": f"{day:%Y-%m-%d}", "income": amount}
        | dict.fromkeys(("budgeted", "activity", "to_be_budgeted"), 0.0)
        for day, amount in zip([*days, pd.Timestamp("2026-06-01")], [*amounts, 9e6], strict=True)
    ]
    return told(TABLES["months"].frame({"months": rows}))


def targets(listed: pd.DataFrame, months: pd.DataFrame, *past: Json, **options: Any) -> Report:
    """The report, with the categories of past months."""
    return targets_of(plan(*past), listed, months, **options)


def goal(kind: str, target: float | None, **more: Any) -> Json:
    """A category with a target, whose other fields are named without ``goal_``."""
    fields = {"type": kind, "target": target} | more
    return cell("goal", 0.0, 0.0, **{f"goal_{name}": value for name, value in fields.items()})


def found(row: Json, *columns: str, **attrs: Any) -> tuple[Any, ...]:
    """The row of the report for a category."""
    frame = categories_of(row)
    frame.attrs |= attrs
    (line,) = lines(targets(frame, income()), *columns)
    return line


REPEATED: dict[str, tuple[Json, tuple[Any, ...]]] = {
    "monthly": (goal("MF", 150.0), ("monthly", 150.0, "2026-06-30")),
    "on a day": (
        goal("NEED", 150.0, cadence=1, cadence_frequency=1, day=16),
        ("monthly", 150.0, "2026-06-16"),
    ),
    "on a day that June does not have": (
        goal("NEED", 150.0, cadence=1, day=31),
        ("monthly", 150.0, "2026-06-30"),
    ),
    "every other month": (
        goal("NEED", 150.0, cadence=1, cadence_frequency=2),
        ("every 2 months", 75.0, None),
    ),
    "weekly on Tuesdays": (
        goal("NEED", 20.0, cadence=2, cadence_frequency=1, day=2),
        ("weekly", 100.0, "2026-06-23"),
    ),
    "weekly on Wednesdays": (goal("NEED", 20.0, cadence=2, day=3), ("weekly", 80.0, "2026-06-17")),
    "weekly on Sundays": (goal("NEED", 20.0, cadence=2, day=0), ("weekly", 80.0, "2026-06-21")),
    "weekly without a weekday": (goal("NEED", 20.0, cadence=2), ("weekly", 80.0, "2026-06-20")),
    "every two weeks from a Monday": (  # June 1, 15 and 29
        goal("NEED", 20.0, cadence=2, cadence_frequency=2, target_date="2026-06-29"),
        ("every 2 weeks", 60.0, "2026-06-29"),
    ),
    "every two weeks from a day of last year, with its weekday": (  # also June 1, 15 and 29
        goal("NEED", 20.0, cadence=2, cadence_frequency=2, day=1, target_date="2025-12-29"),
        ("every 2 weeks", 60.0, "2026-06-29"),
    ),
    "yearly, with the day of an earlier year": (
        goal("NEED", 120.0, cadence=13, target_date="2024-02-29"),
        ("yearly", 10.0, "2027-02-28"),
    ),
    "every two weeks, it is not known which": (
        goal("NEED", 20.0, cadence=2, cadence_frequency=2, day=1),
        ("every 2 weeks", 50.0, None),
    ),
    "every 2 months": (goal("NEED", 90.0, cadence=3), ("every 2 months", 45.0, None)),
    "every 11 months": (goal("NEED", 110.0, cadence=12), ("every 11 months", 10.0, None)),
    "yearly": (
        goal("NEED", 100.0, cadence=13, target_date="2026-08-01"),
        ("yearly", 8.34, "2026-08-01"),
    ),
    "every 3 years": (
        goal("NEED", 360.0, cadence=13, cadence_frequency=3),
        ("every 3 years", 10.0, None),
    ),
    "every 2 years": (goal("NEED", 240.0, cadence=14), ("every 2 years", 10.0, None)),
    "a debt": (goal("DEBT", 280.0, cadence=1), ("monthly", 280.0, "2026-06-30")),
    "a balance without a day": (goal("TB", 9000.0), ("no date", None, None)),
    "a balance that is never repeated": (goal("TB", 9.0, cadence=0), ("no date", None, None)),
    "a cadence of the future": (goal("NEED", 9.0, cadence=15), ("unknown", None, None)),
    "a day that does not exist": (goal("MF", 9.0, day=-1), ("unknown", None, None)),
    "a weekday that does not exist": (goal("NEED", 9.0, cadence=2, day=9), ("unknown", None, None)),
    "a negative number of months": (
        goal("NEED", 9.0, cadence=1, cadence_frequency=-2),
        ("unknown", None, None),
    ),
    "not repeated, and no day": (goal("MF", 9.0, cadence=0), ("no date", None, None)),
    "no amount": (goal("NEED", None, cadence=2), ("weekly", None, "2026-06-20")),
}


@pytest.mark.parametrize("name", REPEATED)
def test_a_repeated_target_costs_its_part_of_a_month(name: str) -> None:
    row, expected = REPEATED[name]
    assert found(row, "cadence", "monthly", "due") == expected


def test_a_target_of_one_day_costs_what_its_month_began_with(subtests: pytest.Subtests) -> None:
    # 1,000 by October, five months: 400 were funded, 120 of them this month: 720 / 5.
    cases: dict[str, tuple[Json, float | None]] = {
        "on the way": ({"goal_overall_funded": 400_000, "budgeted": 120.0}, 144.0),
        "nothing assigned this month": ({"goal_overall_funded": 400_000}, 120.0),
        "rounded up": ({"goal_overall_funded": 399_990}, 120.01),
        "funded": ({"goal_overall_funded": 2_000_000, "budgeted": 50.0}, 0.0),
        "the money was spent": ({"goal_overall_funded": -300_000}, 200.0),
        "it is not known what is funded": ({}, None),
    }
    for name, (more, expected) in cases.items():
        with subtests.test(name=name):
            row = goal("TB", 1000.0, target_date="2026-10-01", months_to_budget=5)
            assert found(row | more, "cadence", "monthly") == ("once", expected)


def test_a_target_whose_day_is_over_needs_all_that_it_lacks_now(subtests: pytest.Subtests) -> None:
    # 1,000 by June 16, yesterday: 300 are funded, 100 of them this month.
    cases: dict[str, tuple[Json, tuple[Any, ...]]] = {
        "the service asks for nothing": ({"goal_under_funded": 0.0}, (800.0, 700.0, False)),
        "the service states nothing": ({}, (800.0, 700.0, False)),
        "the service asks for more": ({"goal_under_funded": 750.0}, (800.0, 750.0, False)),
        "only the rest is known": (
            {"goal_under_funded": 0.0, "goal_overall_funded": None, "goal_overall_left": 700.0},
            (None, 700.0, False)),
        "nothing is known": ({"goal_under_funded": 0.0, "goal_overall_funded": None},
            (None, None, None)),
        "funded": ({"goal_under_funded": 0.0, "goal_overall_funded": 1_000_000},
            (100.0, 0.0, True)),
        "it is due today": ({"goal_under_funded": 0.0, "goal_target_date": "2026-06-17"},
            (800.0, 0.0, True)),
    }  # fmt: skip
    for name, (more, expected) in cases.items():
        with subtests.test(name=name):
            row = goal("TB", 1000.0, target_date="2026-06-16", overall_funded=300_000)
            row |= {"budgeted": 100.0, **more}
            assert found(row, "monthly", "needed", "on_track") == expected


def test_the_months_that_are_left_come_from_the_day_if_the_service_does_not_state_them() -> None:
    row = goal("TB", 1200.0, target_date="2027-05-01", overall_funded=0)
    assert found(row, "monthly") == (100.0,)  # twelve months, June among them


def test_a_cost_is_rounded_up_to_the_smallest_unit_of_the_currency() -> None:
    assert found(goal("NEED", 100.0, cadence=13), "monthly", currency_format=YEN) == (9.0,)


def test_what_the_service_states_is_taken_over(subtests: pytest.Subtests) -> None:
    columns = ("target", "assigned", "available", "needed", "funded", "on_track", "snoozed")
    row = goal(
        "NEED", 200.0, under_funded=40.0, overall_funded=160_000, snoozed_at="2026-06-03T00:00:00Z"
    ) | {"budgeted": 150.0, "balance": 30.0}
    assert found(row, *columns) == (200.0, 150.0, 30.0, 40.0, 0.8, False, True)
    cases: dict[str, tuple[Json, tuple[Any, ...]]] = {
        "funded twice": (
            {"goal_under_funded": 0.0, "goal_overall_funded": 400_000}, (0.0, 2.0, True),
        ),
        "not stated": ({}, (None, None, None)),
        "a target of zero": ({"goal_target": 0.0, "goal_under_funded": 0.0}, (0.0, 1.0, True)),
    }  # fmt: skip
    for name, (more, expected) in cases.items():
        with subtests.test(name=name):
            assert found(goal("NEED", 200.0) | more, "needed", "funded", "on_track") == expected


def test_the_sum_of_the_costs_is_a_share_of_the_mean_income_of_twelve_complete_months() -> None:
    goals = categories_of(
        goal("MF", 150.0), goal("NEED", 20.0, cadence=2, day=2) | {"id": "b", "name": "b"},
        goal("TB", 9000.0) | {"id": "c", "name": "c"},
    )  # fmt: skip
    # Of 13 complete months, the first does not count: 12,000 in 12 months.
    report = targets(goals, income(700_000.0, *[1500.0] * 4, *[750.0] * 8))
    assert report.attrs["monthly_cost"] == 250.0
    assert report.attrs["income_share"] == 0.25
    assert "income_share" not in targets(goals, income()).attrs
    assert targets(goals, income(500.0)).attrs["income_share"] == 0.5
    cents = categories_of(goal("MF", 0.1), goal("MF", 0.2) | {"id": "b"})
    assert targets(cents, income()).attrs["monthly_cost"] == 0.3  # not 0.1 + 0.2


def test_hidden_categories_and_others_can_be_left_out() -> None:
    goals = categories_of(
        goal("MF", 1.0) | {"hidden": True, "name": "Old"},
        goal("MF", 2.0) | {"id": "b", "name": "Food"},
        goal("MF", 4.0) | {"id": "c", "name": "Rent"}, cell("none", 0.0, 0.0, goal_target=0.0),
    )  # fmt: skip
    shown = targets(goals, income())
    assert lines(shown, "category_name") == [("Food",), ("Rent",)]
    assert shown.attrs["left_out"] == ["1 hidden target: include_hidden=True"]
    every = targets(goals, income(), include_hidden=True, exclude_categories="Food")
    assert lines(every, "category_name") == [("Old",), ("Rent",)]
    assert "left_out" not in every.attrs
    with pytest.raises(ToolError, match=r"there is no category or group 'Fod'; .* 'Food'"):
        targets(goals, income(), categories="Fod")


# 10,000 with 9,000 available in June. The months end with May; each has assigned and activity.
PACES: dict[str, tuple[dict[str, Any], list[tuple[float, float]], str | None]] = {
    "six months count: 6 / 1,200": ({}, [(9_000, 0), *[(300, -100)] * 6], "2026-11-01"),
    "rounded up": ({"balance": 9_000.01}, [(166.66, 0)] * 6, "2027-01-01"),  # 999.96 in six
    "without months before the first": ({}, [(0, 0), (0, 0), (250, 0), (0, 0)], "2027-02-01"),
    "pauses count: 6 / 1,250": ({}, [(0, -9), (0, 0), *[(250, 0)] * 5], "2026-11-01"),
    "smaller at last": ({}, [(200, 0), (0, -200)], None),
    "a century": ({}, [(5, 0)] * 2, "2043-02-01"), "more": ({}, [(0.83, 0)] * 6, None),
    "reached": ({"balance": 10_000.0}, [(0, -5)], "2026-06-01"), "no months": ({}, [], None),
    "another type": ({"goal_type": "NEED"}, [(500, 0)], None),
    "an unknown target": ({"goal_target": None}, [(500, 0)], None),
}  # fmt: skip


@pytest.mark.parametrize("name", PACES)
def test_a_balance_is_reached_at_the_mean_of_the_last_months(name: str) -> None:
    more, amounts, expected = PACES[name]
    days = pd.date_range(end="2026-05-01", periods=len(amounts), freq="MS").strftime("%Y-%m")
    past = [in_month(day, cell("goal", *each)) for day, each in zip(days, amounts, strict=True)]
    listed = categories_of(goal("TBD", 10_000.0) | {"balance": 9_000.0} | more)
    this = in_month("2026-06", cell("goal", 9e6, 0))
    assert values(targets(listed, income(), *past, this), "reached_on") == [expected]


def test_a_deleted_category_has_no_target() -> None:
    frame = categories_of(goal("MF", 1.0) | {"id": "a"}, goal("MF", 2.0) | {"id": "b"})
    assert values(targets(frame.assign(deleted=[True, False]), income()), "monthly") == [2.0]


def test_the_month_of_the_categories_must_be_known() -> None:
    frame = categories_of(goal("MF", 1.0))
    frame.attrs = {}
    with pytest.raises(ToolError, match="does not say when it was read"):
        targets(frame, income())


# In another way


def test_the_costs_are_those_of_the_books(subtests: pytest.Subtests) -> None:
    """The goals of the embedded service, and its books by month, in plain integers."""
    sandbox = Sandbox(years=2, budgets=1)
    bf, budget = BudgetFrame.sandbox(sandbox, progress=False), sandbox.budgets[0].budget
    report = bf.reports.targets().set_index("category_id")
    for category in budget.categories.live():
        goal_of, key = category.goal, category.id
        if goal_of is None or category.hidden:
            assert key not in report.index
            continue
        with subtests.test(name=category.name):
            today = budget.today
            if goal_of.target_date is not None and not goal_of.cadence:
                month = budget.category_months[key][budget.current_month]
                before = month.balance - month.activity - month.assigned
                end = goal_of.target_date
                months = 12 * (end.year - today.year) + end.month - today.month + 1
                expected = -(-(goal_of.target - before) // (10 * months)) * 10
            elif goal_of.type == "TB":
                expected = None
            else:
                expected = -(-goal_of.target // (10 * {1: 1, 13: 12}[goal_of.cadence or 1])) * 10
            (monthly,) = report.loc[[key], "monthly"].tolist()
            assert (None if pd.isna(monthly) else round(monthly * 1000)) == expected


@pytest.mark.parametrize("month", ["2026-02", "2026-08", "2028-02"])
def test_the_number_of_weekdays_is_that_of_the_calendar(month: str) -> None:
    weeks = calendar.Calendar(firstweekday=6).monthdayscalendar(*map(int, month.split("-")))
    counts = [float(sum(bool(week[weekday]) for week in weeks)) for weekday in range(7)]
    rows = [
        goal("NEED", 1.0, cadence=2, day=weekday) | {"id": str(weekday)} for weekday in range(7)
    ]
    frame = told(categories_of(*rows), f"{month}-11")
    assert targets(frame, income())["monthly"].tolist() == counts
