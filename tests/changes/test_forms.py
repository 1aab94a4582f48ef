"""Frames in other forms: exactly the edited cells are changes.

The form is that of categories and of time zones; `tests.stateful` edits frames in any dtypes.
"""

import io
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from budgetframe import BudgetFrame
from tests.changes.budget import shown


def through_csv(column: Any, _: str) -> Any:
    """A categorical as a CSV file gives it, with the categories that occur."""
    file = io.StringIO(column.to_csv(index=False))
    return pd.read_csv(file, dtype={column.name: "category"}, skip_blank_lines=False)[column.name]


FORMS: dict[str, Callable[[Any, str], Any]] = {
    "reorder_categories": lambda column, first: column.cat.reorder_categories(
        [first, *(each for each in column.cat.categories if each != first)]
    ),
    "set_categories": lambda column, _: column.cat.set_categories(sorted(column.cat.categories)),
    "astype": lambda column, _: column.astype(object).astype("category"),
    "read_csv": through_csv,
}


@pytest.mark.parametrize("form", FORMS)
def test_an_edited_category_is_a_change_although_its_code_is_that_of_the_former_one(
    bf: BudgetFrame, form: str, subtests: pytest.Subtests
) -> None:
    rows, schedules = bf.transactions(), bf.scheduled_transactions()
    for frame, name, before, after in (
        (rows, "cleared", "uncleared", "cleared"), (rows, "flag_color", "red", "blue"),
        (schedules, "frequency", "never", "daily"),
    ):  # fmt: skip
        with subtests.test(name=name):
            last, edited = frame.index[frame[name] == before][-1], frame.copy()
            edited.loc[last, name] = after
            edited[name] = FORMS[form](edited[name], after)
            assert shown(bf.changes(edited).frame) == [("update", name, before, after)]


def test_other_categories_are_no_changes(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for name, frame in (
        ("cleared", bf.transactions()), ("debt_transaction_type", bf.transactions()),
        ("account_type", bf.ledger()), ("frequency", bf.scheduled_transactions()),
        ("goal_type", bf.categories()),
    ):  # fmt: skip
        with subtests.test(name=name):
            categories = sorted(frame[name].cat.categories)
            edited = frame.assign(**{name: frame[name].cat.set_categories(categories)})
            assert len(bf.changes(edited)) == 0


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Los_Angeles"])
@pytest.mark.parametrize("is_arrow", [False, True])
def test_days_with_a_zone_are_those_shown(bf: BudgetFrame, zone: str, *, is_arrow: bool) -> None:
    in_arrow = pd.ArrowDtype(pa.timestamp("us", tz=zone))

    def in_zone(frame: pd.DataFrame, name: str) -> pd.DataFrame:
        days = frame[name].dt.tz_localize(zone)
        return frame.assign(**{name: days.astype(in_arrow) if is_arrow else days})

    edited = bf.transactions().tail(30)  # the last row is on 2026-06-16
    assert len(bf.changes(in_zone(edited, "date"))) == 0
    edited.loc[edited.index[-1], "date"] = pd.Timestamp("2026-06-02")
    found = bf.changes(in_zone(edited, "date")).frame
    assert shown(found) == [("update", "date", "2026-06-16", "2026-06-02")]
    schedules = in_zone(in_zone(bf.scheduled_transactions(), "date_next"), "date_first")
    assert len(bf.changes(schedules)) == 0  # date_first cannot be changed
    new = {"date": pd.Timestamp("2026-06-15"), "amount": -4.5, "account_name": "Wallet"}
    created = bf.changes(in_zone(pd.DataFrame([new]), "date")).frame
    assert created["date"].tolist() == [pd.Timestamp("2026-06-15")]
