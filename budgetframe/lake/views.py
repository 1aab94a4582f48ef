"""``lake.sql``: which files belong to one state of a lake, and views of them for DuckDB.

The first line is a comment with the state in JSON, which the methods of `Lake` and other programs
read. The views name the same files. Both are in one file, because a process can be killed between
two: then the readers of one would see another state than those of the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa

from .columns import DESCRIPTIONS, SHOWN, STATE, SYNC
from .storage import COMMENT, Snapshot

_HEAD = """\
-- Views for DuckDB on one complete state of the lake, which the line above states. Each commit
-- replaces this file: run it again to see a later state, with .read lake.sql, or in Python with
-- duckdb.connect().execute(Path("lake.sql").read_text("utf-8")). An object store needs a secret.
"""
_TYPES = {
    pa.large_string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.date32(): "DATE",
    pa.timestamp("us", "UTC"): "TIMESTAMPTZ",
}


def script_of(snapshot: Snapshot) -> bytes:
    """The content of the file for a state."""
    return "\n".join(_lines(snapshot)).encode()


def _lines(snapshot: Snapshot) -> Iterator[str]:
    yield f"{COMMENT}{json.dumps(snapshot.manifest)}"
    yield _HEAD
    for name, schema in SHOWN.items():
        if name == STATE:  # the compressed answers
            continue
        columns = [each for each in schema if each.name != "bucket"]  # it is in no file
        # Without rows, for the types and for columns that older files lack.
        empty = ", ".join(
            f'NULL::{_TYPES.get(each.type, "DECIMAL(18,3)")} AS "{each.name}"' for each in columns
        )
        yield f'CREATE OR REPLACE VIEW "{name}" AS SELECT {empty} WHERE false'
        if rows := _rows_of(snapshot, name):
            kept = f"SELECT budget_id{_rows_of(snapshot, SYNC)} WHERE status <> 'left'"
            column = f", budget_id NOT IN ({kept}) AS has_left" if name == "budgets" else ""
            yield f"UNION ALL BY NAME SELECT *{column}{rows}"
        yield f';\nCOMMENT ON VIEW "{name}" IS {_text(DESCRIPTIONS[name])};'
        for each in columns:
            comment = _text(each.metadata[b"comment"].decode())
            yield f'COMMENT ON COLUMN "{name}"."{each.name}" IS {comment};'
        yield ""


def _rows_of(snapshot: Snapshot, name: str) -> str:
    """The end of a query of the rows of a table; empty if it has no files."""
    files = ",\n  ".join(_text(f"{snapshot.address.uri}/{path}") for path in snapshot.paths(name))
    options = "union_by_name = true, hive_partitioning = false"
    return f" FROM read_parquet([\n  {files}], {options})" if files else ""


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
