"""Results of reports in a `cache_dir`: a budget that has not changed is not computed again.

Each report of a lake with its arguments has a file with the results of all budgets.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from budgetframe._cache.private_file import make_private
from budgetframe._runtime.output_file import replace_file

from .columns import VERSION

_FOLDER = "budgetframe-reports"
_SIZE = 16  # bytes of the checksum that a file begins with
_MOST_FILES = 32  # those that were written last stay
_COMPRESSED = pa.ipc.IpcWriteOptions(compression="zstd")
_SCHEMA = pa.schema({
    "state": pa.large_string(), "warned": pa.list_(pa.large_string()), "rows": pa.large_binary(),
})  # fmt: skip


class Result(NamedTuple):
    """The report of one budget."""

    frame: pd.DataFrame | None
    warned: list[str]
    reason: str = ""  # why there is no frame


def kept_path(
    folder: Path | None, lake: str, report: str, options: Mapping[str, object]
) -> Path | None:
    """The file of a report; None if there is no folder, or no exact text of the arguments."""
    key = [lake, report, sorted(options.items()), VERSION, pd.__version__, pa.__version__]
    try:
        text = json.dumps(key, default=_text_of_day)
    except (TypeError, ValueError):
        return None
    digest = blake2b(text.encode(), digest_size=_SIZE).hexdigest()
    return folder and folder / _FOLDER / f"{report}-{digest}"


def _text_of_day(value: object) -> str:
    if isinstance(value, date):
        return repr(value)
    raise TypeError


def read_kept(path: Path) -> dict[str, Result]:
    """The results in a file by the state of the budget; none if the file cannot be used."""
    with suppress(OSError):
        make_private(path)
        stored = path.read_bytes()
        if stored[:_SIZE] == blake2b(content := stored[_SIZE:], digest_size=_SIZE).digest():
            rows = pa.ipc.open_stream(content).read_all().to_pylist()
            return {row["state"]: Result(_unpacked(row["rows"]), row["warned"]) for row in rows}
    return {}


def write_kept(path: Path, kept: Mapping[str, Result]) -> None:
    """Replace the file of a report, and delete the oldest files if there are too many."""
    rows = [
        {"state": state, "warned": warned, "rows": _packed(pa.Table.from_pandas(frame))}
        for state, (frame, warned, _) in kept.items()
    ]
    try:
        make_private(path)
        content = _packed(pa.Table.from_pylist(rows, _SCHEMA), _COMPRESSED)
        replace_file(path, blake2b(content, digest_size=_SIZE).digest() + content)
        with suppress(FileNotFoundError):  # another process deletes the oldest files, too
            files = sorted(path.parent.iterdir(), key=lambda each: each.stat().st_mtime_ns)
            for old in files[:-_MOST_FILES]:
                old.unlink(missing_ok=True)
    except OSError as error:
        warnings.warn(f"the report is not kept: {error}", RuntimeWarning, stacklevel=4)


def forget_kept(folder: Path | None) -> None:
    """Delete all results in a folder: each file has those of many budgets."""
    for path in folder.glob(f"{_FOLDER}/*") if folder else ():
        path.unlink(missing_ok=True)


def _packed(table: pa.Table, options: pa.ipc.IpcWriteOptions | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _unpacked(content: bytes) -> pd.DataFrame:
    frame: pd.DataFrame = pa.ipc.open_stream(content).read_all().to_pandas()
    return frame
