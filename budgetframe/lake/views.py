"""``lake.sql``: which files belong to one state of a lake, and views of them for DuckDB.

The first line is a comment with the state in JSON, which the methods of `Lake` and other programs
read. The views name the same files. Both are in one file, because a process can be killed between
two: then the readers of one would see another state than those of the other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from budgetframe._runtime.output_file import output_file, replace_file
from budgetframe.errors import ToolError

from .columns import DESCRIPTIONS, SHOWN, STATE, SYNC
from .storage import COMMENT, VIEWS, LakeAddress, Snapshot, check_address

_HEAD = """\
-- Views for DuckDB on one complete state of the lake, which the line above states.
-- {} commit replaces this file: {} it again to see a later state. Run it with .read, or in Python
-- with duckdb.connect().execute(Path(FILE).read_text("utf-8")). An object store needs a secret.
"""
_TYPES = {
    pa.large_string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.date32(): "DATE",
    pa.timestamp("us", "UTC"): "TIMESTAMPTZ",
}


def script_of(snapshot: Snapshot, *update: str) -> bytes:
    """The content of the file for a state."""
    head = _HEAD.format(*update or ("Each", "run"))
    return "\n".join(_lines(snapshot, head)).encode()


def write_elsewhere(
    snapshot: Snapshot, file: str | os.PathLike[str] | None, mount: str | None
) -> str:
    """Write the script for readers who see the lake at another address; return its path."""
    if not file or not mount or not isinstance(mount, str):
        raise ToolError("views: pass both a file and its mount, which is a text, or neither")
    path, elsewhere = output_file(file), LakeAddress(mount.rstrip("/"))
    check_address(elsewhere.uri.replace("\\", "/"))  # Windows can read it, too
    if path == Path(snapshot.address.uri, VIEWS).resolve():
        raise ToolError(f"{path} is the script of the lake itself: name another file")
    replace_file(path, script_of(replace(snapshot, address=elsewhere), "No", "write"), 0o666)
    return str(path)


def _lines(snapshot: Snapshot, head: str) -> Iterator[str]:
    yield f"{COMMENT}{json.dumps(snapshot.manifest)}"
    yield head
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
