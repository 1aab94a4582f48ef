"""Random edits of frames in any form: exactly the edited cells are changes.

The form is that of the dtypes, of categories and of a file that another process reads.
"""

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from budgetframe import BudgetFrame
from tests.changes.budget import connect, shown, small_sandbox
from tests.changes.forms import in_other_dtypes, through_a_file
from tests.programs import programs

ROWS = 60  # of a frame of transactions
COLORS = ["red", "orange", "yellow", "green", "blue", "purple", None]
Edit = tuple[str, str, Any, Any]
"""The key of a row, the column, and the values before and after."""

VALUES: dict[str, list[Any]] = {
    "cleared": ["uncleared", "cleared", "reconciled"],
    "flag_color": COLORS,
    "approved": [False, True],
    "memo": ["checked", "", None],
    "amount": [-1.25, -99.0],
    "date": ["2026-05-02", "2026-04-03"],
    "date_next": ["2026-08-02", "2026-09-03"],
    "frequency": ["monthly", "weekly", "yearly", "daily"],
    "note": ["a note", None],
    "budgeted": [12.34, 0.0],
}
"""What is written into cells of a column."""

TABLES: dict[str, tuple[str, Callable[[BudgetFrame], pd.DataFrame]]] = {
    "transactions": ("transaction_id", BudgetFrame.transactions),
    "ledger": ("transaction_id", BudgetFrame.ledger),
    "scheduled_transactions": ("scheduled_transaction_id", BudgetFrame.scheduled_transactions),
    "categories": ("category_id", BudgetFrame.categories),
    "month": ("category_id", lambda bf: bf.month("2026-05")),
}


def plain(frame: pd.DataFrame, rng: random.Random) -> pd.DataFrame:
    """Rows whose change changes no other row, without those of the service."""
    mask = pd.Series(data=True, index=frame.index)
    for name in ("transfer_account_id", "transfer_transaction_id", "subtransaction_id"):
        mask &= frame[name].isna() if name in frame else True
    if "is_split" in frame:
        mask &= ~frame["is_split"]
    if "frequency" in frame:  # the service does not change others
        mask &= frame["frequency"].isin(VALUES["frequency"])
    if "hidden" in frame:
        mask &= ~frame["category_group_name"].isin(["Internal Master Category"])
        mask &= ~frame["category_group_name"].isin(["Credit Card Payments"])
    chosen = frame[mask]
    return chosen.sample(min(len(chosen), ROWS), random_state=rng.randrange(10**6))


def cell_of(value: Any) -> Any:
    """A cell as it is shown: a day as text, None for a missing value."""
    if pd.isna(value) or value == "":
        return None
    return f"{value:%Y-%m-%d}" if isinstance(value, pd.Timestamp) else value


def edited_cells(
    rng: random.Random, frame: pd.DataFrame, key: str
) -> tuple[pd.DataFrame, set[Edit]]:
    """The frame with edits of some of its cells, and what these edits are."""
    frame, edits = frame.copy(), set()
    is_month = "month" in frame  # of which only the assigned amount can be changed
    columns = [name for name in frame if name in VALUES and not (is_month and name == "note")]
    for name in rng.sample(columns, rng.randint(0, len(columns))):
        cells = frame[name].astype(object)
        for row in rng.sample(list(frame.index), min(len(frame), rng.randint(1, 6))):
            before, value = cell_of(cells[row]), rng.choice(VALUES[name])
            if before == cell_of(value) or (frame[name].dtype == bool and value is None):
                continue
            edits.add((frame[key][row], name, before, cell_of(value)))
            cells[row] = pd.Timestamp(value) if name.startswith("date") else value
        is_category = isinstance(frame[name].dtype, pd.CategoricalDtype)
        dtype: Any = "category" if is_category else frame[name].dtype
        frame[name] = cells.where(cells.notna(), None).astype(dtype)
    return frame, edits


@pytest.fixture(scope="module")
def connections(tmp_path_factory: pytest.TempPathFactory) -> list[BudgetFrame]:
    """Two connections to a budget that no test of this module changes."""
    sandbox = small_sandbox(limit=10**6)
    return [connect(sandbox, ttl=1e6, cache_dir=tmp_path_factory.mktemp("cache")) for _ in range(2)]


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
    connections: list[BudgetFrame], form: str, subtests: pytest.Subtests
) -> None:
    bf = connections[0]
    rows, schedules = bf.transactions(), bf.scheduled_transactions()
    for frame, name, before, after in (
        (rows, "cleared", "uncleared", "cleared"),
        (rows, "flag_color", "red", "blue"),
        (schedules, "frequency", "never", "daily"),
    ):
        with subtests.test(name=name):
            last = frame.index[frame[name] == before][-1]
            edited = frame.copy()
            edited.loc[last, name] = after
            edited[name] = FORMS[form](edited[name], after)
            assert shown(bf.changes(edited).frame) == [("update", name, before, after)]


def test_other_categories_of_the_same_values_are_no_changes(
    connections: list[BudgetFrame], subtests: pytest.Subtests
) -> None:
    bf = connections[0]
    for name, frame in (
        ("cleared", bf.transactions()),
        ("debt_transaction_type", bf.transactions()),
        ("account_type", bf.ledger()),
        ("frequency", bf.scheduled_transactions()),
        ("goal_type", bf.categories()),
    ):
        with subtests.test(name=name):
            categories = sorted(frame[name].cat.categories)
            edited = frame.assign(**{name: frame[name].cat.set_categories(categories)})
            assert len(bf.changes(edited)) == 0


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Los_Angeles"])
@pytest.mark.parametrize("is_arrow", [False, True])
def test_days_with_a_time_zone_are_the_days_that_they_show(
    connections: list[BudgetFrame], zone: str, *, is_arrow: bool
) -> None:
    bf = connections[0]
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


def test_exactly_the_edited_cells_are_changes_whatever_the_form_of_the_frame(
    connections: list[BudgetFrame], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for seed in programs(8):
        rng = random.Random(seed)  # noqa: S311 - for tests
        bf, other = connections
        table = rng.choice(list(TABLES))
        key, read = TABLES[table]
        with subtests.test(seed=seed, table=table):
            frame, edits = edited_cells(rng, plain(read(bf), rng), key)
            frame = in_other_dtypes(rng, frame)
            if rng.random() < 0.5:
                frame, bf = through_a_file(rng, frame, tmp_path), other
            changes = bf.changes(frame)
            rows = changes.frame
            keys: Any = rows.get(key, [])  # there is no such column without changes
            found = [(at, *edit[1:]) for at, edit in zip(keys, shown(rows), strict=True)]
            assert sorted(found, key=str) == sorted(edits, key=str)
