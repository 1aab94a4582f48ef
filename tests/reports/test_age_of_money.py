"""The report age_of_money."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
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
        {
            "month": f"2026-{numbers[name]:02}-01",
            "income": 0.0,
            "budgeted": 0.0,
            "activity": 0.0,
            "to_be_budgeted": 0.0,
            "age_of_money": age,
        }
        for name, age in ages.items()
    ]
    return told(TABLES["months"].frame({"months": rows}), as_of)


def test_age_of_money_has_the_age_of_each_month_and_its_change() -> None:
    found = age_of_money(months(jan=30, feb=41, mar=39))
    assert lines(found, "month", "age_of_money", "change") == [
        ("2026-01-01", 30, None),
        ("2026-02-01", 41, 11),
        ("2026-03-01", 39, -2),
    ]


def test_an_unknown_age_and_the_change_after_it_are_missing() -> None:
    found = age_of_money(months(jan=30, feb=None, mar=39, apr=40))
    assert lines(found, "age_of_money", "change") == [(30, None), (None, None), (39, None), (40, 1)]


def test_the_change_after_a_missing_month_is_missing() -> None:
    assert values(age_of_money(months(jan=30, mar=39, apr=40)), "change") == [None, None, 1]


def test_an_age_of_zero_days_is_zero() -> None:
    assert values(age_of_money(months(jan=0, feb=0)), "age_of_money") == [0, 0]


def test_the_first_month_has_the_change_from_the_month_before() -> None:
    found = age_of_money(months(jan=30, feb=41, mar=39), since="2026-03")
    assert lines(found, "month", "change") == [("2026-03-01", -2)]


def test_future_months_are_left_out() -> None:
    assert max(values(age_of_money(months(may=1, jun=2, jul=3)), "month")) == "2026-06-01"


def test_future_months_are_included_with_until() -> None:
    found = age_of_money(months(may=1, jun=2, jul=3), until="2026-07")
    assert lines(found, "month", "change")[-1] == ("2026-07-01", 1)


def test_rows_are_sorted_for_every_order_of_the_frame() -> None:
    found = age_of_money(months(jan=30, feb=41, mar=39).iloc[::-1])
    assert values(found, "change") == [None, 11, -2]


def test_without_rows_columns_and_dtypes_are_the_same(subtests: pytest.Subtests) -> None:
    cases: dict[str, pd.DataFrame] = {
        "no months": age_of_money(months()),
        "no months and no day": age_of_money(months(as_of=None)),
        "only months to come": age_of_money(months(jun=3, as_of="2026-05-31")),
    }
    for label, empty in cases.items():
        with subtests.test(label=label):
            assert len(empty) == 0
            assert dict(empty.dtypes.astype(str)) == {
                "month": "datetime64[us]",
                "age_of_money": "Int64",
                "change": "Int64",
            }


def test_with_rows_dtypes_are_the_documented_ones() -> None:
    found = age_of_money(months(jan=30, feb=None))
    assert [str(dtype) for dtype in found.dtypes] == ["datetime64[us]", "Int64", "Int64"]


def test_another_frame_raises_an_error() -> None:
    with pytest.raises(ToolError, match=r"age_of_money: .*bf\.months\(\)"):
        age_of_money(pd.DataFrame({"month": []}))


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ({"since": "June"}, "since='June'"),
        ({"since": "2026-05", "until": "2026-04"}, "since=2026-05-01 is after until=2026-04-01"),
    ],
)
def test_an_invalid_argument_raises_an_error(ends: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        age_of_money(months(jan=30), **ends)
