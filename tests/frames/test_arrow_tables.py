"""Frames in the hands of polars, DuckDB and pyarrow, and tables of these as DataFrames."""

import sys
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import milliunits
from budgetframe.frames.arrow_tables import in_pandas
from budgetframe.frames.tables import MONEY
from tests.facade.service import LISTS, untouched
from tests.frames.columns import TEXT
from tests.frames.test_handoff import asked


@pytest.fixture(scope="module")
def bf() -> BudgetFrame:
    return BudgetFrame.sandbox(untouched())


def frames_of(bf: BudgetFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for name in (*LISTS, "budgets", "ledger", "month_categories"):
        yield name, getattr(bf, name)()
    yield "month", bf.month("2026-05")
    yield "spending", bf.reports.spending(freq="month")


# The number of rows in a library, and the sums of columns in milliunits.


def in_polars(frame: pd.DataFrame, money: list[str]) -> list[int]:
    rows = pl.DataFrame(frame)
    return [len(rows), *(int((rows[name] * 1000).round().cast(pl.Int64).sum()) for name in money)]


def in_duckdb(frame: pd.DataFrame, money: list[str]) -> list[int]:
    sums = [f"coalesce(sum(round({name} * 1000)::bigint), 0)" for name in money]
    query = f"select {', '.join(['count(*)', *sums])} from frame"  # noqa: S608
    return [int(each) for each in asked(frame, query).fetchall()[0]]


def in_pyarrow(frame: pd.DataFrame, money: list[str]) -> list[int]:
    table = pa.table(frame)
    exact = [pc.cast(pc.round(pc.multiply(table[name], 1000.0)), pa.int64()) for name in money]
    return [table.num_rows, *(pc.sum(each, min_count=0).as_py() for each in exact)]


LIBRARIES = (in_polars, in_duckdb, in_pyarrow)


def test_other_libraries_read_all_rows_and_exact_sums_of_every_frame(
    bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    for label, frame in frames_of(bf):
        money = [name for name in frame if name in MONEY or name == "spent"]
        sums = [int(milliunits(frame[name]).sum()) for name in money]
        for read in LIBRARIES:
            with subtests.test(label=label, library=read.__name__):
                assert read(frame, money) == [len(frame), *sums]


@pytest.mark.parametrize("read", LIBRARIES)
def test_the_sum_of_the_ledger_is_that_of_the_accounts(bf: BudgetFrame, read: Any) -> None:
    assert read(bf.ledger(), ["amount"])[1] == 40_678_180


def test_other_libraries_lose_the_attrs_and_without_decimals_exact_amounts(bf: BudgetFrame) -> None:
    ledger, exact = bf.ledger(), bf.ledger(money="decimal")
    assert ledger.attrs["budget"] == "Household"
    assert in_pandas(pl.DataFrame(ledger)).attrs == {}
    assert asked(ledger, "from frame").df().attrs == {}
    kind = "select any_value(typeof(amount)) from frame"
    assert asked(ledger, kind).fetchall() == [("DOUBLE",)]
    assert asked(exact, kind).fetchall() == [("DECIMAL(18,3)",)]
    assert pl.DataFrame(ledger).schema["amount"] == pl.Float64()
    assert pl.DataFrame(exact).schema["amount"] == pl.Decimal(18, 3)
    assert pa.table(ledger).schema.field("amount").type == pa.float64()
    assert pa.table(exact).schema.field("amount").type == pa.decimal128(18, 3)


# Tables of other libraries

DAY, PARTS = pd.Timestamp("2026-05-17"), [{"amount": -1.5, "memo": None}]
COLUMNS: dict[str, tuple[pl.Series, str, list[Any]]] = {
    "text": (pl.Series(["a", None]), str(TEXT), ["a", None]),
    "category": (pl.Series(["a", None], dtype=pl.Categorical), str(TEXT), ["a", None]),
    "enum": (pl.Series(["a", None], dtype=pl.Enum(["b", "a"])), str(TEXT), ["a", None]),
    "null": (pl.Series([None, None]), "object", [None, None]),
    "date": (pl.Series([date(2026, 5, 17), None]), "datetime64[us]", [DAY, None]),
    "nanoseconds": (
        pl.Series([datetime(2026, 5, 17), None], dtype=pl.Datetime("ns")),  # noqa: DTZ001 - a day
        "datetime64[us]", [DAY, None]),
    "zone": (pl.Series([datetime(2026, 5, 17), None]).dt.replace_time_zone("UTC"),  # noqa: DTZ001
             "datetime64[us, UTC]", [DAY.tz_localize("UTC"), None]),
    "flag": (pl.Series([True, False]), "bool", [True, False]),
    "missing flag": (pl.Series([True, None]), "boolean", [True, None]),
    "number": (pl.Series([12345678901234567, None]), "Int64", [12345678901234567, None]),
    "float": (pl.Series([-4.5, None]), "float64", [-4.5, None]),
    "decimal": (pl.Series([Decimal("0.001"), None], dtype=pl.Decimal(18, 3)),
        "decimal128(18, 3)[pyarrow]", [Decimal("0.001"), None]),
    "parts": (pl.Series([PARTS, None]), "object", [PARTS, None]),
}  # fmt: skip
"""A column of polars, and its dtype and its cells as a DataFrame."""


def test_columns_get_the_dtypes_of_frames(subtests: pytest.Subtests) -> None:
    frame = in_pandas(pl.DataFrame({name: column for name, (column, _, _) in COLUMNS.items()}))
    for name, (_, dtype, cells) in COLUMNS.items():
        with subtests.test(name=name):
            assert str(frame[name].dtype) == dtype
            column = frame[name].astype(object)
            assert column.where(column.notna(), None).tolist() == cells


def test_only_tables_are_converted() -> None:
    for value in (pl.Series(["t1"]), pd.DataFrame(), ["t1"], "t1", None):
        assert in_pandas(value) is value


def test_without_pyarrow_a_foreign_table_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ToolError) as caught:
        in_pandas(pl.DataFrame({"amount": [1.0]}))
    assert str(caught.value) == (
        "a table of polars needs pyarrow: pip install 'budgetframe[arrow]'"
    )
    assert isinstance(in_pandas(pl.Series(["t1"])), pl.Series)
