"""Removal of a budget, and the proof: a search for its id in all files that are left."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from budgetframe.errors import ToolError

from .columns import SCHEMAS, SYNC
from .kept_reports import forget_kept
from .partitions import id_of
from .storage import LakeAddress, explained

if TYPE_CHECKING:
    from .writer import Writer

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Erasure(NamedTuple):
    """What `budgetframe.lake.Lake.forget` has done and found.

    Attributes
    ----------
    budget_id : str
        The id, which `budgetframe.lake.Lake.allow` needs; empty for a source.
    files_deleted : int
        Number of files that the lake does not need any more.
    files_searched : int
        Number of files that are left; 0 for a source, because its name can be in other texts.
    files_with_id : int
        Number of these that contain the id: 0, otherwise it is an error.
    """

    budget_id: str
    files_deleted: int
    files_searched: int
    files_with_id: int


def forget(writer: Writer, budget: str, cache_dir: Path | None, *, block: bool) -> Erasure:
    """Remove a budget or a source, delete all files with it, and search those that are left."""
    rows = writer.snapshot.read(SYNC).to_pylist()
    keys = [(row["source"], row["budget_id"]) for row in rows]
    names = {row["budget_name"] for row in rows if row["budget_id"]}
    if budget not in names and (budget, "") in keys:
        writer.commit({}, dropped=[(budget, "")])
        return Erasure("", clean(writer, 0, cache_dir), 0, 0)
    # An id need not be known: after an interrupted call, the next one does the rest.
    try:
        budget_id = budget if _ID.fullmatch(str(budget)) else id_of(budget, writer.snapshot)
    except ToolError as error:
        error.add_note("If a call with this name was interrupted, pass the id of the budget")
        raise
    blocked = [blocked_row(budget_id)] if block else []
    log = pa.Table.from_pylist(blocked, SCHEMAS[SYNC])
    # A row without a budget can name the same person, as the name of a file.
    dropped = [(key[0], each) for key in keys if key[1] == budget_id for each in (budget_id, "")]
    writer.commit({}, log, replaced=[budget_id], dropped=dropped)
    deleted = clean(writer, 0, cache_dir)
    searched, found = files_with(writer.address, budget_id)
    if found:
        raise ToolError(
            f"{budget_id} is removed from the tables, but {len(found)} of {searched:,} files that"
            f" are left contain it: {', '.join(found[:5])}. Delete those that are not of the lake,"
            " and forget this id again, which repeats the search"
        )
    return Erasure(budget_id, deleted, searched, len(found))


def clean(writer: Writer, hours: int, cache_dir: Path | None) -> int:
    """Delete the files of earlier states, and the results of reports if no such state stays."""
    deleted = writer.vacuum(hours)
    with explained(writer.address):
        forget_kept(None if hours else cache_dir)
    return deleted


def allow(writer: Writer, budget_id: str) -> None:
    """Permit that a sync reads a budget again."""
    hashed = {str(budget_id), blocked_key(str(budget_id))}
    logged = writer.snapshot.read(SYNC, columns=["source", "budget_id"]).to_pylist()
    found = hashed & {row["budget_id"] for row in logged if not row["source"]}
    if not found:
        raise ToolError(f"no budget with the id {budget_id!r} is blocked in this lake")
    writer.commit({}, dropped=[("", key) for key in found])


def blocked_key(budget_id: str) -> str:
    """What ``_sync`` has instead of the id of a budget that was forgotten and is blocked."""
    return f"blake2b:{blake2b(budget_id.encode(), digest_size=16).hexdigest()}"


def blocked_row(budget_id: str) -> dict[str, Any]:
    """The row of ``_sync`` about a budget that must not be read."""
    texts = {"source": "", "budget_name": "", "reason": "it was forgotten", "status": "blocked"}
    return {**texts, "budget_id": blocked_key(budget_id), "requests": 0, "row_count": 0}


def files_with(address: LakeAddress, budget_id: str) -> tuple[int, list[str]]:
    """Search all files of a lake for an id; return their number, and those that contain it."""
    word = re.compile(rf"(?<![\w-]){re.escape(budget_id)}(?![\w-])")  # no part of another id
    with explained(address), ThreadPoolExecutor() as pool:
        paths = address.paths()
        found = [*pool.map(lambda path: _contains(address, path, budget_id, word), paths)]
    return len(paths), [path for path, is_found in zip(paths, found, strict=True) if is_found]


def _contains(address: LakeAddress, path: str, budget_id: str, word: re.Pattern[str]) -> bool:
    table, _, inner = path.partition("/")
    with explained(address, path):
        if path.endswith(".parquet"):
            with (
                suppress(pa.ArrowException),  # then it is no Parquet, or damaged
                address.files.open_input_file(path) as file,
                pq.ParquetFile(file) as content,
            ):
                if table in SCHEMAS and inner.startswith("bucket="):  # each row names its budget
                    ids = content.read(["budget_id"])["budget_id"]
                    return budget_id in ids.unique().to_pylist()
                return any(word.search(repr(each.to_pylist())) for each in content.iter_batches())
        return bool(word.search((address.read(path) or b"").decode(errors="replace")))
