"""The columns of the lake's tables, and the conversion of frames to Arrow and back.

A table has the columns of the frame with its name, as `budgetframe.frames` defines them, and the
columns that say whose rows they are. Amounts are decimals with three decimals, days are dates, and
choices are texts: every program that reads Delta tables knows these, and their sums are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import replace
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

import pandas as pd
import pyarrow as pa

from budgetframe.frames.export import EXPORTED
from budgetframe.frames.money import currency_units, decimals
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import LEDGER, TABLES

_MONEY = pa.decimal128(18, 3)
_TYPES = {
    "str": pa.large_string(), "category": pa.large_string(), "bool": pa.bool_(),
    "boolean": pa.bool_(), "Int64": pa.int64(), "float64": pa.float64(), "int64": pa.int64(),
    "bytes": pa.large_binary(), "datetime64[us]": pa.date32(),
    "datetime64[us, UTC]": pa.timestamp("us", tz="UTC"),
}  # fmt: skip

VERSION = version("budgetframe")
POSITION = "position"  # the number of a row in its frame: Delta does not keep the order of rows

OWNER_COLUMNS = (
    Column("currency", "str", "", "ISO code of the currency of the budget"),
    Column("as_of", "datetime64[us, UTC]", "", "time of the answer with the rows"),
    Column("budget_id", "str", "", "key of the budget"),
    Column("source", "str", "", "name of the source that the budget was read with"),
)
"""The columns that say whose rows they are, in frames of several budgets."""

_BUCKET = Column("bucket", "int64", "", "partition of the table: crc32(budget_id) % buckets")
OWNER = {column.name: column for column in (*OWNER_COLUMNS, _BUCKET)}
"""The columns that every table has after those of the frame and `POSITION`."""

FRAMES: Mapping[str, Sequence[Column]] = {
    "ledger": LEDGER,
    "budgets": TABLES["budgets"].columns,
    **{name: TABLES[name].columns for name in EXPORTED},
}
"""The columns of the frames in the lake, by table."""

STATE = "_state"
SYNC = "_sync"
RUNS = "_runs"

_BUDGET_NAME = Column("budget_name", "str", "", "name of the budget")
OTHERS: Mapping[str, Sequence[Column]] = {
    STATE: (
        _BUDGET_NAME,
        Column("knowledge", "Int64", "", "server knowledge of the answer", nullable=True),
        Column("month", "str", "", "first day of the month of the request, such as 2026-06-01"),
        Column("row_count", "int64", "rows", "rows of the budget in all tables"),
        Column("currency_format", "str", "", "JSON: how the service writes amounts"),
        Column("attrs", "str", "", "JSON: what the frames state about the accounts"),
        Column("format", "str", "", "columns of the tables when the budget was converted"),
        Column("version", "str", "", "version of budgetframe that converted the budget"),
        Column("content", "bytes", "", "JSON, compressed with zstd: the answer of the service"),
        *OWNER.values(),
    ),
    SYNC: (
        Column("source", "str", "", "name of the source; empty for a forgotten, blocked budget"),
        _BUDGET_NAME,
        Column("status", "str", "", "result of the last attempt, such as ok or limit"),
        Column("reason", "str", "", "why it is not ok, or warnings about the rows"),
        Column("requests", "int64", "requests", "number that the last attempt has sent"),
        Column("row_count", "int64", "rows", "rows of the budget in all tables"),
        Column("tried_at", "datetime64[us, UTC]", "", "time of the last attempt"),
        Column("checked_at", "datetime64[us, UTC]", "", "last time that it was ok", nullable=True),
        Column(
            "next_attempt", "datetime64[us, UTC]", "", "when the limit of requests ends",
            nullable=True,
        ),
        Column(
            "waiting_since", "datetime64[us, UTC]", "",
            "first of the attempts in a row that the limit has stopped", nullable=True,
        ),
        replace(OWNER["as_of"], nullable=True),
        Column("budget_id", "str", "", "key of the budget; empty if it is unknown"),
    ),
    RUNS: (
        Column("started_at", "datetime64[us, UTC]", "", "start of the sync"),
        Column("ended_at", "datetime64[us, UTC]", "", "end of the sync"),
        Column("host", "str", "", "name of the machine"),
        Column("version", "str", "", "version of budgetframe"),
        Column("status", "str", "", "ok, limit (only the limit stopped budgets) or failed"),
        Column("budgets", "int64", "budgets", "number in the result of the sync"),
        Column("changed", "int64", "budgets", "with new rows"),
        Column("limited", "int64", "budgets", "that the limit of requests has stopped"),
        Column("failed", "int64", "budgets", "that are not up to date for another reason"),
        Column("row_count", "int64", "rows", "rows of these budgets in all tables"),
        Column("requests", "int64", "requests", "number without those for lists of budgets"),
        Column(
            "next_attempt", "datetime64[us, UTC]", "", "when the first limit of requests ends",
            nullable=True,
        ),
    ),
}  # fmt: skip
"""The columns of the tables that are no frames."""

DESCRIPTIONS: Mapping[str, str] = {
    "ledger": "leaf rows of all transactions: parts instead of split transactions",
    "budgets": "one row for each budget",
    "accounts": "accounts of each budget",
    "payees": "payees of each budget",
    "payee_locations": "locations of payees",
    "category_groups": "groups of categories",
    "categories": "categories in the month of `as_of`",
    "months": "totals of each month",
    "month_categories": "categories in each month",
    "transactions": "transactions, split ones as one row",
    "subtransactions": "parts of split transactions",
    "scheduled_transactions": "scheduled transactions",
    "scheduled_subtransactions": "parts of scheduled transactions",
    STATE: "what the next sync continues from, one row for each budget",
    SYNC: "result of the last attempt, one row for each source and budget",
    RUNS: "one row for each sync that ended",
}
"""What the rows of each table are."""


def _field(column: Column) -> pa.Field:
    kind = _MONEY if column.unit == CURRENCY else _TYPES[column.dtype]
    comment = column.meaning + (f" ({column.unit})" if column.unit else "")
    return pa.field(column.name, kind, metadata={"comment": comment})


_POSITION = Column(POSITION, "int64", "", "number of the row in the frame of its budget, from 0")
_COLUMNS: Mapping[str, Sequence[Column]] = {
    name: [*(each for each in columns if each.name not in OWNER), _POSITION, *OWNER.values()]
    for name, columns in FRAMES.items()
} | {**OTHERS}
SCHEMAS: Mapping[str, pa.Schema] = {
    name: pa.schema(map(_field, columns)) for name, columns in _COLUMNS.items()
}
"""The Arrow schemas of all tables of a lake, with the meaning of each column as its comment."""

LEFT = Column("has_left", "bool", "", "whether no source of the last sync has the budget")
SHOWN = {**SCHEMAS, "budgets": SCHEMAS["budgets"].append(_field(LEFT))}
"""The same for the views and the frames of all budgets; `LEFT` is in no file."""

KEYS: Mapping[str, AbstractSet[str]] = {
    name: {
        column.name
        for column in columns
        if column.name.endswith(("_id", POSITION, "source", "bucket")) and not column.nullable
    }
    for name, columns in _COLUMNS.items()
}
"""The columns of each table that are never missing."""

_NAMES_AND_TYPES = repr([(name, each.names, each.types) for name, each in SCHEMAS.items()])
FORMAT = blake2b(_NAMES_AND_TYPES.encode(), digest_size=8).hexdigest()
"""Another one if the columns of a table change: budgets are then converted again."""


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
    if kind == _MONEY:
        return decimals(values)
    array = pa.array(values.array, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return array.cast(kind)


def frame_from(name: str, table: pa.Table, columns: Iterable[Column] | None = None) -> pd.DataFrame:
    """The frame of a lake's table, with the facade's dtypes, and by default its columns."""
    chosen = FRAMES[name] if columns is None else columns
    values = {column.name: _values(column, table[column.name]) for column in chosen}
    return pd.DataFrame(values, copy=False)


def _values(column: Column, array: pa.ChunkedArray) -> Any:
    if column.unit == CURRENCY:
        return currency_units(array)
    if column.dtype in {"category", "Int64", "boolean"}:
        return column.array(array.to_pylist())
    if column.dtype == "datetime64[us]":
        array = array.cast(pa.timestamp("us"))
    return array.to_pandas().astype(column.array([]).dtype).array
