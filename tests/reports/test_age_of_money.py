"""The report age_of_money."""

import pandas as pd
import pytest

from budgetframe.frames import TABLES
from budgetframe.reports import age_of_money
from tests.frames.columns import Json
from tests.reports.plans import told
from tests.reports.rows import lines, values


def months(as_of: str | None = "2026-06-17", **ages: int | None) -> pd.DataFrame:
    """The frame of these months, ``jan=30``."""
    names = ("jan", "feb", "mar", "apr", "may", "jun", "jul")
    numbers = {name: number for number, name in enumerate(names, 1)}
    rows: list[Json] = [
        (
            {"month": f"2026-{numbers[name]:02}-01", "age_of_money": age}
            | dict.fromkeys(("income", "budgeted", "activity", "to_be_budgeted"), 0.0)
        )
        for name, age in ages.items()
    ]
    return told(TABLES["months"].frame({"months": rows}), as_of)


def test_age_of_money_has_the_age_of_each_month_and_its_change() -> None:
    found = age_of_money(months(jan=30, feb=41, mar=39))
    assert lines(found, "month", "age_of_money", "change") == [
        ("2026-01-01", 30, None), ("2026-02-01", 41, 11), ("2026-03-01", 39, -2),
    ]  # fmt: skip


@pytest.mark.parametrize(("ages", "expected"), [
    ({"jan": 30, "feb": None, "mar": 39, "apr": 40}, [None, None, None, 1]),
    ({"jan": 30, "mar": 39, "apr": 40}, [None, None, 1]), ({"jan": 0, "feb": 0}, [None, 0]),
])  # fmt: skip
def test_the_change_after_an_unknown_age_or_a_missing_month_is_missing(
    ages: dict[str, int | None], expected: list[int | None]
) -> None:
    found = age_of_money(months("2026-06-17", **ages))
    assert values(found, "change") == expected
    assert values(found, "age_of_money") == list(ages.values())


def test_future_months_are_included_only_with_until() -> None:
    given = months(may=1, jun=2, jul=3)
    assert values(age_of_money(given), "month") == ["2026-05-01", "2026-06-01"]
    assert lines(age_of_money(given, until="2026-07"), "month", "change")[-1] == ("2026-07-01", 1)


def test_the_first_month_has_the_change_from_the_month_before() -> None:
    found = age_of_money(months(jan=30, feb=41, mar=39), since="2026-03")
    assert lines(found, "month", "change") == [("2026-03-01", -2)]


def test_rows_are_sorted_for_every_order_of_the_frame() -> None:
    found = age_of_money(months(jan=30, feb=41, mar=39).iloc[::-1])
    assert values(found, "change") == [None, 11, -2]
