"""The columns of the lake's tables, and the conversion of frames to Arrow and back.

A table has the columns of the frame with its name, as `budgetframe.frames` defines them, and the
columns that say whose rows they are. Amounts are decimals with three decimals, days are dates, and
choices are texts: every program that reads Delta tables knows these types, and sums of decimals are
exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from budgetframe.frames.export import EXPORTED
from budgetframe.frames.money import currency_units, decimals
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import LEDGER, TABLES

__all__ = [
    "FRAMES",
    "OWNER",
    "OWNER_COLUMNS",
    "POSITION",
    "SCHEMAS",
    "STATE",
    "SYNC",
    "frame_from",
    "table_from",
]

_MONEY = pa.decimal128(18, 3)
_TYPES = {
    "str": pa.large_string(),
    "category": pa.large_string(),
    "bool": pa.bool_(),
    "boolean": pa.bool_(),
    "Int64": pa.int64(),
    "float64": pa.float64(),
    "datetime64[us]": pa.date32(),
    "datetime64[us, UTC]": pa.timestamp("us", tz="UTC"),
}

OWNER = {
    "currency": pa.large_string(),
    "as_of": pa.timestamp("us", tz="UTC"),
    "budget_id": pa.large_string(),
    "bucket": pa.int64(),
}
"""The columns that every table has after those of the frame and `POSITION`."""

POSITION = "position"
"""The column with the number of a row in its frame: Delta does not keep the order of rows."""

OWNER_COLUMNS = (
    Column("currency", "str", "", "ISO code of the currency of the budget"),
    Column("as_of", "datetime64[us, UTC]", "", "time of the request of the rows"),
    Column("budget_id", "str", "", "key of the budget"),
)
"""The columns of `OWNER` in frames of several budgets."""

FRAMES: Mapping[str, Sequence[Column]] = {
    "ledger": LEDGER,
    "budgets": TABLES["budgets"].columns,
    **{name: TABLES[name].columns for name in EXPORTED},
}
"""The columns of the frames in the lake, by table."""

STATE = "_state"
SYNC = "_sync"


def _schema(columns: Sequence[Column]) -> pa.Schema:
    fields = {each.name: _arrow_type(each) for each in columns if each.name not in OWNER}
    return pa.schema({**fields, POSITION: pa.int64(), **OWNER})


def _arrow_type(column: Column) -> pa.DataType:
    return _MONEY if column.unit == CURRENCY else _TYPES[column.dtype]


_TEXT, _TIME = _TYPES["str"], OWNER["as_of"]
SCHEMAS: Mapping[str, pa.Schema] = {
    **{name: _schema(columns) for name, columns in FRAMES.items()},
    # What the next sync continues from: the service's answer, compressed, and its knowledge.
    STATE: pa.schema(
        {
            "budget_name": _TEXT,
            "knowledge": pa.int64(),
            "month": _TEXT,
            "row_count": pa.int64(),
            "currency_format": _TEXT,
            "attrs": _TEXT,
            "content": pa.large_binary(),
            **OWNER,
        }
    ),
    SYNC: pa.schema(
        {
            "source": _TEXT,
            "budget_name": _TEXT,
            "status": _TEXT,
            "reason": _TEXT,
            "requests": pa.int64(),
            "rows": pa.int64(),
            "tried_at": _TIME,
            "next_attempt": _TIME,
            # The first of the attempts in a row that the limit has stopped.
            "waiting_since": _TIME,
            "as_of": _TIME,
            "budget_id": _TEXT,
            "bucket": pa.int64(),
        }
    ),
}
"""The Arrow schemas of all tables of a lake."""


def table_from(name: str, frame: pd.DataFrame, owner: Mapping[str, Any]) -> pa.Table:
    """Convert the frame of one budget, whose amounts are floats, to a table of the lake."""
    return pa.table(
        [
            pa.array(range(len(frame)), field.type)
            if field.name == POSITION
            else pa.repeat(pa.scalar(owner[field.name], field.type), len(frame))
            if field.name in OWNER
            else _array(frame[field.name], field.type)
            for field in SCHEMAS[name]
        ],
        schema=SCHEMAS[name],
    )


def _array(values: pd.Series[Any], kind: pa.DataType) -> pa.Array:
    """The values of a column of a frame in Arrow."""
    if kind == _MONEY:
        return decimals(values)
    array = pa.array(values.array, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return array.cast(kind)


def frame_from(name: str, table: pa.Table, columns: Iterable[Column] | None = None) -> pd.DataFrame:
    """Convert a table of the lake to the frame, with the dtypes that the facade returns.

    By default, it has the columns of the facade.
    """
    chosen = FRAMES[name] if columns is None else columns
    return pd.DataFrame(
        {column.name: _values(column, table[column.name]) for column in chosen}, copy=False
    )


def _values(column: Column, array: pa.ChunkedArray) -> Any:
    """The values of a column of a frame."""
    if column.unit == CURRENCY:
        return currency_units(array)
    if column.dtype in {"category", "Int64", "boolean"}:
        return column.array(array.to_pylist())
    if column.dtype == "datetime64[us]":
        array = array.cast(pa.timestamp("us"))
    return array.to_pandas().astype(column.array([]).dtype).array
