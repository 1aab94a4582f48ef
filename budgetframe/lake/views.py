"""``lake.sql``: a script for DuckDB with one view for each table of a lake."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from .columns import DESCRIPTIONS, SCHEMAS, STATE
from .storage import MANIFEST, LakeAddress, explained

__all__ = ["VIEWS", "write_views"]

VIEWS = "lake.sql"

_COLUMNS = "_columns"  # folder with one file without rows for each table
_HEAD = """\
-- Views for DuckDB (1.1 or later) on the last complete state of the lake, which {manifest} names.
-- Run this script again to see a later state: .read lake.sql, or in Python
-- duckdb.execute(open("lake.sql").read()). In an object store, create a secret for it first.
"""
_VIEW = """
SET VARIABLE "{name}_files" = (
  SELECT list({root} || file) FROM (
    SELECT unnest(from_json(tables -> '$.{name}.files', '["VARCHAR"]')) AS file
    FROM read_json({manifest}, columns = {{tables: 'JSON'}})));
CREATE OR REPLACE VIEW "{name}" AS SELECT * FROM read_parquet(
  list_prepend({columns}, coalesce(getvariable('{name}_files'), [])),
  union_by_name = true, hive_partitioning = false);
COMMENT ON VIEW "{name}" IS {description};
"""


def write_views(address: LakeAddress) -> None:
    """Write the script, unless it is there; it depends on the address and the columns alone."""
    script = "".join(_script(address)).encode()
    with explained(address):
        if address.read(VIEWS) == script:
            return
        for name in SCHEMAS:
            if name != STATE:
                file = io.BytesIO()
                pq.write_table(_visible(name).empty_table(), file)
                address.write(f"{_COLUMNS}/{name}.parquet", file.getvalue())
        address.write(VIEWS, script)


def _visible(name: str) -> pa.Schema:
    """The columns of a view: the bucket is in no file."""
    return pa.schema([each for each in SCHEMAS[name] if each.name != "bucket"])


def _script(address: LakeAddress) -> Iterator[str]:
    """The parts of the script."""
    yield _HEAD.format(manifest=MANIFEST)
    for name in SCHEMAS:
        if name == STATE:  # the compressed answers
            continue
        yield _VIEW.format(
            name=name,
            root=_text(f"{address.uri}/"),
            manifest=_text(f"{address.uri}/{MANIFEST}"),
            columns=_text(f"{address.uri}/{_COLUMNS}/{name}.parquet"),
            description=_text(DESCRIPTIONS[name]),
        )
        for column in _visible(name):
            comment = _text(column.metadata[b"comment"].decode())
            yield f'COMMENT ON COLUMN "{name}"."{column.name}" IS {comment};\n'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
