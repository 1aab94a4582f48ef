"""A frame that was converted to Arrow and back equals the frame itself."""

import importlib.metadata
import sys
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from pandas.testing import assert_frame_equal

from budgetframe.frames import LEDGER, TABLES
from budgetframe.frames.arrow import _signature, from_arrow, to_arrow
from budgetframe.frames.schema import Column

LOANS = [{"account_id": "a", "account_name": None, "balance": -5, "interest_rates": {"2026": 1}}]
SHAPES = [table.columns for table in TABLES.values()] + [LEDGER]
COLUMNS = TABLES["transactions"].columns
TEXTS = st.one_of(
    st.none(), st.sampled_from(["", "a", "ß", "\0", "nan", "😀"]),
    st.text(st.characters(codec="utf-8")),
)  # fmt: skip
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "str": TEXTS, "category": st.one_of(st.none(), st.sampled_from(["", "x", "checking", "red"])),
    "bool": st.booleans(), "boolean": st.one_of(st.none(), st.booleans()),
    "Int64": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
    "float64": st.one_of(st.none(), st.floats(allow_infinity=False), st.integers(-9, 9)),
    "datetime64[us]": st.one_of(st.none(), st.sampled_from(["0001-01-01", "2026-02-28"])),
    "datetime64[us, UTC]": st.one_of(st.none(), st.just("2026-02-28T12:30:00.000001Z")),
}  # fmt: skip


@st.composite
def frames(draw: st.DrawFn, columns: tuple[Column, ...]) -> pd.DataFrame:
    """A frame with any values in its columns."""
    n = draw(st.integers(0, 4))
    arrays = {
        column.name: column.array(draw(st.lists(VALUES[column.dtype], min_size=n, max_size=n)))
        for column in columns
    }
    frame = pd.DataFrame(arrays, index=pd.RangeIndex(n))
    frame.attrs = draw(st.sampled_from([{}, {"loans": LOANS}]))
    return frame


def converted(frame: pd.DataFrame, columns: tuple[Column, ...]) -> bytes:
    content = to_arrow(frame, columns)
    assert content is not None
    return content


def small() -> pd.DataFrame:
    """A frame of transactions."""
    row = {"id": "t1", "date": "2026-01-01", "account_id": "a", "amount": 1.5, "cleared": "cleared"}
    row |= {"approved": True, "account_name": "A", "memo": "a memo"}
    return TABLES["transactions"].frame({"transactions": [row]})


def test_a_column_of_texts_in_two_pieces_can_be_converted() -> None:
    columns = TABLES["transactions"].columns
    frame = pd.concat([small(), small()], ignore_index=True)
    restored = from_arrow(converted(frame, columns), columns)
    assert restored is not None
    assert_frame_equal(restored, frame)


@settings(max_examples=2 * settings().max_examples // 3)
@given(data=st.data(), columns=st.sampled_from(SHAPES))
def test_conversion_changes_no_frame(data: st.DataObject, columns: tuple[Column, ...]) -> None:
    frame = data.draw(frames(columns))
    restored = from_arrow(converted(frame, columns), columns)
    assert restored is not None
    assert_frame_equal(restored, frame, check_exact=True, check_column_type=True)
    assert type(restored) is type(frame)
    assert restored.attrs == frame.attrs
    assert type(restored.index) is pd.RangeIndex
    for name in frame.columns:
        assert type(restored[name].array) is type(frame[name].array), name
        kinds = [list(map(type, each[name].astype(object))) for each in (restored, frame)]
        assert kinds[0] == kinds[1], name  # None in place of NaN would be a difference


def test_a_restored_frame_can_be_changed() -> None:
    frame = from_arrow(converted(small(), COLUMNS), COLUMNS)
    assert frame is not None
    for name, value in {"amount": 2.5, "memo": None, "approved": False}.items():
        frame.loc[0, name] = value
    assert [frame["amount"].iloc[0], frame["approved"].iloc[0]] == [2.5, False]
    assert frame["memo"].isna().all()


def test_a_frame_of_another_form_is_not_restored() -> None:
    content = converted(small(), COLUMNS)
    assert from_arrow(content, COLUMNS) is not None
    assert from_arrow(content, COLUMNS[:-1]) is None
    assert from_arrow(content, TABLES["payees"].columns) is None


def test_a_frame_of_other_versions_is_not_restored(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    known = importlib.metadata.version
    content = converted(small(), COLUMNS)
    for package in ("budgetframe", "pandas", "pyarrow"):
        with subtests.test(package=package), monkeypatch.context() as patched:
            patched.setattr(
                "importlib.metadata.version", lambda n, p=package: "9.9" if n == p else known(n)
            )
            _signature.cache_clear()
            assert from_arrow(content, COLUMNS) is None
    _signature.cache_clear()
    assert from_arrow(content, COLUMNS) is not None


def test_damaged_content_is_not_restored(subtests: pytest.Subtests) -> None:
    content = converted(small(), COLUMNS)
    for damaged in (b"", b"damage", content[:100], content[:-200], content[::-1]):
        with subtests.test(value=len(damaged)):
            assert from_arrow(damaged, COLUMNS) is None


def test_dtypes_are_those_of_new_frames_whatever_the_options(subtests: pytest.Subtests) -> None:
    frame = small()
    for option in ("python", "pyarrow"):
        with subtests.test(option=option), pd.option_context("mode.string_storage", option):
            found = from_arrow(converted(frame, COLUMNS), COLUMNS)
            assert found is None or [*map(repr, found.dtypes)] == [*map(repr, frame.dtypes)]


def test_a_dtype_that_the_reader_would_change_is_not_restored() -> None:
    content = converted(small(), COLUMNS)
    table = pa.ipc.open_stream(content).read_all()
    metadata = {**table.schema.metadata, b"dtypes": b"other"}
    sink = pa.BufferOutputStream()
    changed = table.replace_schema_metadata(metadata)
    with pa.ipc.new_stream(sink, changed.schema) as writer:
        writer.write_table(changed)
    assert from_arrow(sink.getvalue().to_pybytes(), COLUMNS) is None


def test_without_pyarrow_no_frame_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = small()
    content = converted(frame, COLUMNS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert to_arrow(frame, COLUMNS) is None
    assert from_arrow(content, COLUMNS) is None
