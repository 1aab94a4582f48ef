"""A frame that is updated from an older frame equals a newly built frame."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pandas.testing import assert_frame_equal

from budgetframe.frames import TABLES
from budgetframe.frames.builder import Built
from tests.frames.columns import Json

DAYS = ("2026-01-01", "2026-01-02", "2026-02-28", "2026-03-01")
COLORS = (None, "red", "", "mauve", "teal")


def transaction(number: int, day: str, **more: Any) -> Json:
    """A transaction; the order of the keys differs from the order of creation."""
    row: Json = (
        {"id": f"t{number * 7919 % 1000:03}", "date": day, "amount": -float(number)}
        | {"account_id": "a1", "account_name": "Checking", "approved": True, "cleared": "cleared"}
        | {"deleted": False, "memo": None, "flag_color": None, "subtransactions": []}
    )
    return row | more


def part(number: int, of: Json, amount: float) -> Json:
    row = {"id": f"{of['id']}-{number}", "transaction_id": of["id"]}
    return row | {"amount": amount, "deleted": False}


def split(row: Json) -> Json:
    return row | {"subtransactions": [part(1, row, -1.0), part(2, row, -2.0)]}


def many(count: int = 700) -> list[Json]:
    rows = [transaction(number, DAYS[number % 3]) for number in range(count)]
    rows[::40] = map(split, rows[::40])
    return rows


def built(name: str, rows: list[Json], older: Built | None = None) -> Built:
    return TABLES[name].build({"transactions": rows}, older)


def assert_patched(before: list[Json], after: list[Json]) -> None:
    for name in ("transactions", "subtransactions"):
        older = built(name, before)
        kept = older.frame.copy(deep=True)
        patched = built(name, after, older).frame
        assert_frame_equal(patched, TABLES[name].frame({"transactions": after}))
        assert patched.index.start == 0  # type: ignore[attr-defined]
        assert_frame_equal(older.frame, kept)


# Each kind of change


def test_a_changed_row_keeps_its_position() -> None:
    rows = many()
    after = [*rows[:7], rows[7] | {"memo": "changed", "amount": 0.5}, *rows[8:]]
    assert_patched(rows, after)
    frame = built("transactions", after, built("transactions", rows)).frame
    (found,) = frame.index[frame["transaction_id"] == rows[7]["id"]]
    assert frame.loc[found, "memo"] == "changed"
    assert frame.loc[found, "amount"] == 0.5
    assert frame["memo"].notna().sum() == 1


def test_an_unchanged_column_shares_its_memory() -> None:
    rows = many()
    older = built("transactions", rows)
    newer = built("transactions", [rows[0] | {"memo": "changed"}, *rows[1:]], older)
    assert newer.frame["amount"].to_numpy().base is older.frame["amount"].to_numpy().base


def test_a_row_with_a_new_day_moves_to_it() -> None:
    rows = many()
    moved = rows[7] | {"date": "2026-03-01"}
    after = [*rows[:7], moved, *rows[8:]]
    assert_patched(rows, after)
    frame = built("transactions", after, built("transactions", rows)).frame
    assert frame["transaction_id"].iloc[-1] == moved["id"]


def test_a_row_that_occurs_twice_later_counts_once() -> None:
    rows = many()
    for again in (rows[0] | {"amount": 7.0, "date": "2026-03-01"}, rows[0]):
        for name in ("transactions", "subtransactions"):
            older = built(name, rows)
            with pytest.warns(RuntimeWarning, match="transactions: 1 of 701 rows occur twice"):
                newer = built(name, [*rows, again], older)
            assert len(newer.frame) == len(older.frame)
            after = [*rows[1:], again]  # a delta leaves each row once
            expected = TABLES[name].frame({"transactions": after})
            assert_frame_equal(built(name, after, newer).frame, expected)


@pytest.mark.parametrize(("number", "replaced_by"), [
    pytest.param(200, [], id="a removed row"),
    pytest.param(200, [transaction(200, DAYS[2], deleted=True)], id="a row marked as deleted"),
    pytest.param(3, [split(transaction(3, DAYS[0]))], id="a row that becomes a split"),
    pytest.param(40, [transaction(40, DAYS[1])], id="a row that is no longer split"),
])  # fmt: skip
def test_a_frame_with_another_row_equals_a_new_frame(number: int, replaced_by: list[Json]) -> None:
    rows = many()
    assert_patched(rows, [*rows[:number], *replaced_by, *rows[number + 1 :]])


def test_new_rows_are_inserted_at_their_days() -> None:
    rows = many()
    first, last = transaction(901, "2025-12-31"), transaction(902, "2026-12-31")
    assert_patched(rows, [*rows, last, first])
    frame = built("transactions", [*rows, last, first], built("transactions", rows)).frame
    assert frame["transaction_id"].iloc[[0, -1]].tolist() == [first["id"], last["id"]]


def test_an_unknown_category_is_added_and_removed_again() -> None:
    rows = many()
    mauve = [*rows[:9], rows[9] | {"flag_color": "mauve"}, *rows[10:]]
    assert_patched(rows, mauve)
    assert_patched(mauve, rows)
    frame = built("transactions", rows, built("transactions", mauve)).frame
    assert "mauve" not in frame["flag_color"].cat.categories


def test_a_frame_without_remaining_rows_is_empty() -> None:
    rows = many()
    assert_patched(rows, [])
    assert_patched([], rows)


def test_an_invalid_value_in_a_changed_row_is_an_error() -> None:
    rows = many()
    older = built("transactions", rows)
    with pytest.raises(Exception, match=r"has amount='much', which is not float64"):
        built("transactions", [rows[0] | {"amount": "much"}, *rows[1:]], older)


# Random changes


@st.composite
def deltas(draw: st.DrawFn) -> list[Json]:
    """The rows of `many` after a few random changes, in the order of a merged list."""
    rows = list(many())
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.sampled_from(["change", "delete", "add", "split", "none"])):
            case "change":
                day, color = draw(st.sampled_from(DAYS)), draw(st.sampled_from(COLORS))
                rows[at] = rows[at] | {"date": day, "flag_color": color, "memo": "x"}
            case "delete":
                del rows[at]
            case "add":
                number = draw(st.integers(700, 999))
                new = transaction(number, draw(st.sampled_from(DAYS)))
                if all(row["id"] != new["id"] for row in rows):
                    rows.append(new)
            case "split":
                count = draw(st.integers(0, 3))
                parts = [part(number, rows[at], -0.25) for number in range(count)]
                rows[at] = rows[at] | {"subtransactions": parts}
    return rows


BEFORE = many()


@settings(max_examples=settings().max_examples // 5, deadline=None)
@given(st.lists(deltas(), min_size=1, max_size=4))
def test_a_frame_updated_several_times_equals_a_new_frame(steps: list[list[Json]]) -> None:
    known = BEFORE
    older = {name: built(name, known) for name in ("transactions", "subtransactions")}
    for after in steps:
        same = {row["id"]: row for row in known}
        # As after a merge: rows that did not change are the same objects.
        known = [same[row["id"]] if same.get(row["id"]) == row else row for row in after]
        for name, earlier in older.items():
            kept = earlier.frame.copy(deep=True)
            older[name] = built(name, known, earlier)
            assert_frame_equal(older[name].frame, TABLES[name].frame({"transactions": known}))
            assert_frame_equal(earlier.frame, kept)
