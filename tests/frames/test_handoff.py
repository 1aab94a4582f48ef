"""Frames in Parquet, Arrow, DuckDB, polars and Excel, and what these formats lose."""

from decimal import Decimal
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from budgetframe import BudgetFrame
from budgetframe.frames import TABLES, in_money
from budgetframe.frames.money import Money
from tests.frames.columns import TEXT, moments, money, text
from tests.frames.examples import EXAMPLES


class Becomes(NamedTuple):
    """The types of a column in Arrow, DuckDB and polars."""

    arrow: str
    duckdb: str
    polars: Any


TYPES = {
    "str": Becomes("string", "VARCHAR", pl.String()),
    "category": Becomes("dictionary", "ENUM", pl.Categorical()),
    "bool": Becomes("bool", "BOOLEAN", pl.Boolean()),
    "boolean": Becomes("bool", "BOOLEAN", pl.Boolean()),
    "Int64": Becomes("int64", "BIGINT", pl.Int64()),
    "float64": Becomes("double", "DOUBLE", pl.Float64()),
    "datetime64[us]": Becomes("timestamp[us]", "TIMESTAMP", pl.Datetime("us")),
    "datetime64[us, UTC]": Becomes(
        "timestamp[us, tz=UTC]", "TIMESTAMP WITH TIME ZONE", pl.Datetime("us", "UTC")
    ),
}
# On pandas 2 texts are Python objects: a column without values does not show that it has texts.
MISSING_OBJECTS = Becomes("null", "INTEGER", pl.Null())
# The accounts of the sandbox.
BALANCES = {
    "Car Loan": Decimal("-1468.000"), "Checking": Decimal("8062.990"),
    "Credit Card": Decimal("-1577.490"), "Index Fund": Decimal("16516.430"),
    "Old Savings": Decimal("0.000"), "Savings": Decimal("18800.000"), "Wallet": Decimal("344.250"),
}  # fmt: skip


def without_values(name: str) -> pd.DataFrame:
    """A frame whose nullable columns have no value at all."""
    example = EXAMPLES[name]
    payload = example.fresh()
    for row in example.rows(payload):
        row.update(dict.fromkeys(example.nullable))
    return TABLES[name].frame(payload)


@cache
def filled() -> dict[str, pd.DataFrame]:
    return {
        **{f"{name}-example": example.frame for name, example in EXAMPLES.items()},
        **{f"{name}-nulls": without_values(name) for name in EXAMPLES if EXAMPLES[name].nullable},
    }


@cache
def empty() -> dict[str, pd.DataFrame]:
    return {f"{name}-empty": TABLES[name].frame(each.empty) for name, each in EXAMPLES.items()}


def frames() -> list[tuple[str, str, pd.DataFrame]]:
    """The label, the name of the table and the frame."""
    return [(name, name.partition("-")[0], frame) for name, frame in (filled() | empty()).items()]


def becomes(name: str, frame: pd.DataFrame) -> dict[str, Becomes]:
    """The expected types of the columns of a frame, from its schema."""
    types = {column.name: TYPES[column.dtype] for column in TABLES[name].columns}
    if not isinstance(TEXT, pd.StringDtype):
        missing = frame.select_dtypes(object).isna().all()
        types |= dict.fromkeys(missing.index[missing], MISSING_OBJECTS)
    return types


def asked(frame: pd.DataFrame, query: str) -> Any:  # noqa: ARG001
    """The result of a DuckDB query; the query refers to the frame by its variable name."""
    return duckdb.sql(query)


@pytest.fixture(scope="module")
def household() -> BudgetFrame:
    return BudgetFrame.sandbox()


def through_parquet(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    frame.to_parquet(folder / "frame.parquet")
    return pd.read_parquet(folder / "frame.parquet")


def through_excel(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    return through_excel_sheets([frame], folder)[0]


def through_excel_sheets(frames: list[pd.DataFrame], folder: Path) -> list[pd.DataFrame]:
    """The frames after they were written to the sheets of one workbook, which is faster."""
    path = folder / "frames.xlsx"
    with pd.ExcelWriter(path, engine="openpyxl") as workbook:
        for place, frame in enumerate(frames):
            frame.to_excel(workbook, sheet_name=str(place), index=False)
    # Read the cells without conversion: "NA" is a text.
    sheets = pd.read_excel(
        path, sheet_name=None, dtype=object, keep_default_na=False, na_values=[""]
    )
    return [sheets[str(place)].astype(frame.dtypes) for place, frame in enumerate(frames)]


# Parquet


def test_parquet_restores_the_frame(tmp_path: Path, subtests: pytest.Subtests) -> None:
    kinds: list[Money] = ["float", "decimal"]  # the test of the ledger has milliunits
    for (label, frame), kind in product(filled().items(), kinds):
        with subtests.test(label=label, kind=kind):
            given = in_money(frame, kind)
            read = through_parquet(given, tmp_path)
            assert_frame_equal(read.astype(given.dtypes) if kind == "decimal" else read, given)


def test_astype_restores_empty_vocabularies(tmp_path: Path, subtests: pytest.Subtests) -> None:
    forgotten = pd.CategoricalDtype(pd.Index([], dtype=object))
    for label, frame in empty().items():
        with subtests.test(label=label):
            read = through_parquet(frame, tmp_path)
            expected = frame.astype(dict.fromkeys(frame.select_dtypes("category"), forgotten))
            assert_frame_equal(read, expected)
            assert_frame_equal(read.astype(frame.dtypes), frame)


def test_without_astype_pandas_reads_decimals_as_python_objects(tmp_path: Path) -> None:
    exact = in_money(EXAMPLES["transactions"].frame, "decimal")
    amounts = through_parquet(exact, tmp_path)["amount"]
    assert amounts.dtype == object
    assert amounts.tolist() == [Decimal("-0.001"), Decimal("2100.000"), Decimal("-91.900")]


def test_parquet_restores_the_ledger(
    household: BudgetFrame, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for kind in ("float", "milliunits"):
        with subtests.test(kind=kind):
            ledger = household.ledger(money=kind)
            read = through_parquet(ledger, tmp_path)
            assert_series_equal(read.dtypes, ledger.dtypes)
            assert ledger.compare(read).empty


def test_duckdb_and_polars_read_decimals_of_parquet(household: BudgetFrame, tmp_path: Path) -> None:
    path = tmp_path / "ledger.parquet"
    ledger = household.ledger(money="decimal")
    ledger.to_parquet(path)
    total = [(Decimal("40678.180"),)]
    assert asked(ledger, f"select sum(amount) from '{path}'").fetchall() == total  # noqa: S608
    assert pl.read_parquet(path).select(pl.col("amount").sum()).rows() == total


def test_parquet_keeps_the_attrs(household: BudgetFrame, tmp_path: Path) -> None:
    assert through_parquet(household.ledger(), tmp_path).attrs["budget"] == "Household"


def test_parquet_keeps_an_unknown_value(tmp_path: Path) -> None:
    payload = EXAMPLES["transactions"].fresh()
    payload["transactions"][0]["cleared"] = "disputed"
    read = through_parquet(TABLES["transactions"].frame(payload), tmp_path)["cleared"]
    assert read.cat.categories.tolist() == ["uncleared", "cleared", "reconciled", "disputed"]


# Arrow


def test_every_column_has_its_type_in_arrow_duckdb_and_polars(subtests: pytest.Subtests) -> None:
    for label, name, frame in frames():
        with subtests.test(label=label):
            schema, answer = pa.table(frame).schema, asked(frame, "from frame")
            assert schema.names == answer.columns
            in_arrow = (str(kind).removeprefix("large_").split("<")[0] for kind in schema.types)
            in_duckdb = (str(kind).split("(")[0] for kind in answer.types)
            in_polars = pl.from_dataframe(frame).schema
            kinds = zip(in_arrow, in_duckdb, in_polars.values(), strict=True)
            found = dict(zip(in_polars, map(Becomes._make, kinds), strict=True))
            assert found == becomes(name, frame)
            assert [*found] == schema.names


def test_arrow_keeps_vocabularies_and_decimals() -> None:
    table = pa.table(in_money(EXAMPLES["transactions"].frame[:0], "decimal"))
    assert table.schema.field("amount").type == pa.decimal128(18, 3)
    filled = pa.table(EXAMPLES["transactions"].frame)["cleared"].chunk(0)
    assert filled.dictionary.to_pylist() == ["uncleared", "cleared", "reconciled"]


# DuckDB


def test_duckdb_adds_decimals_up_exactly(household: BudgetFrame) -> None:
    for frame, amount in (
        (household.ledger(money="decimal"), "amount"),
        (household.ledger(), "amount::decimal(18, 3)"),
    ):
        query = f"select account_name, sum({amount}) from frame group by all"  # noqa: S608
        answer = asked(frame, query)
        assert [str(kind) for kind in answer.types] == ["VARCHAR", "DECIMAL(38,3)"]
        assert dict(answer.fetchall()) == BALANCES


def test_missing_values_are_null_in_duckdb_and_polars() -> None:
    query = "select category_id, goal_target from frame where goal_target is null"
    frame = EXAMPLES["categories"].frame
    assert asked(frame, query).fetchall() == [("c1", None), ("c3", None)]
    assert pl.from_dataframe(frame)["goal_target"].is_null().to_list() == [True, True, False]


def test_with_decimals_duckdb_reads_categories_as_texts() -> None:
    exact = in_money(EXAMPLES["transactions"].frame, "decimal")
    answer = asked(exact, "select amount, cleared from frame")
    assert [str(kind) for kind in answer.types] == ["DECIMAL(18,3)", "VARCHAR"]


# polars


def test_the_polars_constructor_keeps_columns_of_missing_texts(subtests: pytest.Subtests) -> None:
    for label, name, frame in frames():
        with subtests.test(label=label):
            assert dict(pl.DataFrame(frame).schema) == {
                column.name: TYPES[column.dtype].polars for column in TABLES[name].columns
            }


# Excel


def test_excel_restores_values_except_time_zones(tmp_path: Path, subtests: pytest.Subtests) -> None:
    given = []
    for frame in filled().values():
        written = frame.mask(frame == "")  # an empty text becomes an empty cell
        for name in frame.select_dtypes("datetimetz"):
            written[name] = frame[name].dt.tz_localize(None)
        given.append(written)
    found = through_excel_sheets(given, tmp_path)
    for label, written, read in zip(filled(), given, found, strict=True):
        with subtests.test(label=label):
            assert written.compare(read).empty


def test_excel_rejects_times_with_a_zone(tmp_path: Path) -> None:
    moved = pd.DataFrame({"moved_at": moments("2026-06-01T07:59:59")})
    with pytest.raises(ValueError, match="does not support datetimes with timezones"):
        through_excel(moved, tmp_path)


def test_excel_keeps_texts_that_look_like_something_else_but_for_formulas(tmp_path: Path) -> None:
    texts = ["=1+1", "0815", "NA", "TRUE", "2026-05-01", "1+1"]
    read = through_excel(pd.DataFrame({"memo": text(*texts)}), tmp_path)["memo"]
    assert pd.isna(read.iloc[0])
    assert read.tolist()[1:] == texts[1:]


def test_excel_keeps_amounts_to_the_milliunit(tmp_path: Path) -> None:
    amounts = pd.DataFrame({"amount": money(-0.001, 1_999_999_999_999.999, 0.1 + 0.2)})
    read = through_excel(amounts, tmp_path)
    assert read["amount"].tolist() == [-0.001, 1_999_999_999_999.999, 0.3]


def test_decimals_survive_excel(household: BudgetFrame, tmp_path: Path) -> None:
    read = through_excel(household.ledger(money="decimal")[["account_name", "amount"]], tmp_path)
    assert read.groupby("account_name")["amount"].sum().to_dict() == BALANCES
