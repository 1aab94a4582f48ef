"""The states of a lake: which files its tables have, and reading them.

Each table is a Delta table and has its own versions. The file ``lake.sql`` makes them one: it
states the version of each table and the files of this version. `Writer` replaces it as a whole
after each commit, and every reader begins with it: in Python, in SQL, and in any other program.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any
from zlib import crc32

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs as pa_fs
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler

from budgetframe._runtime.output_file import replace_file
from budgetframe._runtime.text import printable
from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day

from .columns import POSITION, SCHEMAS, SYNC

BUCKETS = "buckets"  # application transaction of ``_sync`` whose version is the number of buckets

DATA = [name for name in SCHEMAS if name != SYNC]
VIEWS = "lake.sql"
LEASE = "_lease"  # the folder of the lock of the writer, or of its table
COMMENT = "-- "  # the start of the first line of `VIEWS`, before the state in JSON

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")  # colours in the texts of errors
_REFUSED = re.compile(r"[\[\]*?\\]|%[0-9A-Fa-f]{2}")
_OF_BUCKET = re.compile(r"/bucket=(\d+)/")

_Files = Mapping[int, Sequence[str]]  # paths of the files of a table below the address, by bucket


@dataclass(frozen=True)
class LakeAddress:
    """The address of a lake; its repr has no options, because they can contain secrets."""

    uri: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, uri: str | os.PathLike[str], options: Mapping[str, str] | None) -> LakeAddress:
        """Return the address, with an absolute path if it is a local folder."""
        text = os.fspath(uri) if isinstance(uri, str | os.PathLike) else None
        if not isinstance(text, str) or not text.strip():
            raise ToolError(f"the address of a lake is {uri!r}: it must be a folder or a URI")
        known = {} if options is None else options
        if not isinstance(known, Mapping) or not all(
            isinstance(each, str) for each in (*known, *known.values())
        ):
            raise ToolError("storage_options: it must be a mapping of texts to texts")
        if "://" not in text:
            text = str(Path(text).expanduser().absolute())
            if Path(text).is_file():
                raise ToolError(f"{text} is a file: the address of a lake is that of a folder")
        check_address(text if "://" in text else text.replace(os.sep, "/"))
        return cls(text.rstrip("/"), dict(known))

    def open(self, name: str, version: int | datetime | None = None) -> DeltaTable:
        """Open a table, by default at its last version."""
        number = version if isinstance(version, int) else None
        options = dict(self.options) or None
        try:
            table = DeltaTable(f"{self.uri}/{name}", version=number, storage_options=options)
        except TableNotFoundError:
            if name == SYNC:
                raise self._missing() from None
            raise
        if isinstance(version, datetime):
            table.load_as_version(version)
        return table

    @property
    def files(self) -> pa_fs.FileSystem:
        """The files of the lake, to read and to delete."""
        if "://" not in self.uri:
            return pa_fs.SubTreeFileSystem(self.uri, pa_fs.LocalFileSystem())
        return pa_fs.PyFileSystem(self._store())

    def paths(self) -> list[str]:
        """Return the paths of all files in the lake, except those of the lock of its writer."""
        found = self.files.get_file_info(pa_fs.FileSelector("", recursive=True))
        lock = f"{LEASE}/"  # POSIX ends a lock if its process closes the file anywhere
        return [each.path for each in found if each.is_file and not each.path.startswith(lock)]

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        try:
            with self.files.open_input_stream(path) as stream:
                content: bytes = stream.read()
        except FileNotFoundError:
            return None
        return content

    def write(self, path: str, content: bytes) -> None:
        """Replace a file as a whole."""
        if "://" not in self.uri:
            replace_file(Path(self.uri, path), content, 0o666)  # less what the umask removes
            return
        # Not the stream of pyarrow, which passes buffers that the storage does not take.
        stream = self._store()._handler.open_output_stream(path)  # noqa: SLF001
        stream.write(content)
        stream.close()  # type: ignore[attr-defined]  # its types lack it

    def _missing(self) -> ToolError:
        advice = "lake.sync() or the command 'budgetframe sync' creates it"
        return ToolError(f"there is no lake at {self.uri}: {advice}")

    def _store(self) -> DeltaStorageHandler:
        return _store_at(self.uri, tuple(self.options.items()))

    def snapshot(self) -> Snapshot:
        """Return the last complete state."""
        state = self.stated()
        if state is None:
            raise self._missing()
        return state

    def stated(self) -> Snapshot | None:
        """Return the state in ``lake.sql``; None if there is no such file."""
        with explained(self):
            views = self.read(VIEWS)
        if views is None:
            return None
        found = json.loads(views.partition(b"\n")[0][len(COMMENT) :])
        tables = found["tables"].items()
        versions = {name: table["version"] for name, table in tables}
        files = {name: _by_bucket(table["files"]) for name, table in tables}
        return Snapshot(self, found["buckets"], versions, files)

    def past(self, when: Day) -> Snapshot:
        """Return the complete state of an earlier time."""
        time = None
        with suppress(TypeError, ValueError):
            time = pd.Timestamp(when)
        if pd.isna(time):  # also None is NaT for pandas
            raise ToolError(f"{when!r} is not a time: use a text like '2026-10-01'")
        at = (time.tz_localize("UTC") if time.tzinfo is None else time).to_pydatetime()
        self.snapshot()  # an error if there is no lake
        with explained(self):
            sync = self.open(SYNC, at)
            # Delta returns its first state for an earlier time.
            if all(each["timestamp"] / 1000 > at.timestamp() for each in sync.history()):
                raise ToolError(f"the lake has no state of {at}: name a later time")
            return self.stated_by(sync)

    def stated_by(self, sync: DeltaTable) -> Snapshot:
        """Return the state that a commit of ``_sync`` states."""
        stated = {name: sync.transaction_version(name) for name in (*DATA, BUCKETS)}
        versions = {name: version for name, version in stated.items() if version is not None}
        if len(versions) < len(stated):
            raise ToolError("the lake has no complete state of this time: name a later one")
        buckets = versions.pop(BUCKETS)
        with _of_past():
            files = {name: files_of(self.open(name, versions[name])) for name in DATA}
        files[SYNC], versions[SYNC] = files_of(sync), sync.version()
        return Snapshot(self, buckets, versions, files)


def check_whole(value: object, argument: str, least: int = 1, most: int = 1_000_000) -> None:
    """Check an argument: a value that is no whole number of this range is a `ToolError`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ToolError(f"{argument}={value!r}: it must be a whole number from {least} to {most:,}")


def checked_names(value: object, argument: str) -> list[str]:
    """Return the names in a list; what is no list of texts is a `ToolError`."""
    names: Any = [*value] if isinstance(value, Iterable) and not isinstance(value, str) else [None]
    if not all(isinstance(name, str) for name in names):
        raise ToolError(f"{argument}={value!r}: it must be a list of names")
    return [*names]


def check_address(text: str) -> None:
    """Refuse an address with a character that Delta or DuckDB would not take as it is."""
    found = _REFUSED.search(text)
    if found:
        raise ToolError(
            f"the address of a lake is {text}: Delta and DuckDB cannot use {found[0]!r} in it;"
            " use a folder whose path has no bracket, *, ? or backslash, and no % before two"
            " hexadecimal digits"
        )


@lru_cache(maxsize=16)  # each one has connections of its own
def _store_at(uri: str, options: tuple[tuple[str, str], ...]) -> DeltaStorageHandler:
    return DeltaStorageHandler(uri, dict(options) or None)


def files_of(table: DeltaTable) -> _Files:
    """The files of a table at its version."""
    name = table.table_uri.rstrip("/").rpartition("/")[2]
    paths = pa.table(table.get_add_actions())["path"].to_pylist()
    return _by_bucket(f"{name}/{path}" for path in paths)


def _by_bucket(paths: Iterable[str]) -> _Files:
    """Paths by the bucket that their folder names; 0 if a table has no buckets."""
    files: dict[int, list[str]] = defaultdict(list)
    for path in paths:
        found = _OF_BUCKET.search(path)
        files[int(found[1]) if found else 0].append(path)
    return dict(files)


@dataclass(frozen=True)
class Snapshot:
    """One consistent state of a lake."""

    address: LakeAddress
    buckets: int
    versions: Mapping[str, int]
    files: Mapping[str, _Files] = field(repr=False)

    @property
    def manifest(self) -> dict[str, Any]:
        """The state, for JSON."""
        files = {name: [*self.paths(name)] for name in self.versions}
        tables = {name: {"version": self.versions[name], "files": files[name]} for name in files}
        return {"buckets": self.buckets, "bucket": "crc32(budget_id) % buckets", "tables": tables}

    def is_last(self) -> bool:
        """Whether no other state was published after this one."""
        return self.versions == self.address.snapshot().versions

    def of(self, names: Iterable[str]) -> Snapshot:
        """The state of some tables, which is smaller to send to another process."""
        return replace(self, files={name: self.files[name] for name in names})

    def table(self, name: str) -> DeltaTable:
        """Open a table at the version of this state, if this state still exists."""
        with explained(self.address), _of_past():
            return self.address.open(name, self.versions[name])

    def bucket_of(self, budget_id: str) -> int:
        """The bucket of a budget."""
        return crc32(budget_id.encode()) % self.buckets

    def read(
        self,
        name: str,
        *,
        buckets: Iterable[int] | None = None,
        budget_ids: Iterable[str] | None = None,
        columns: list[str] | None = None,
    ) -> pa.Table:
        """Read rows of a table: all, those of some buckets, or those of some budgets."""
        # Whole rows of a frame are sorted by budget, and then in the order of the frame. Columns
        # that the files of an earlier version of the package lack are missing.
        wanted = None if budget_ids is None else pa.array(budget_ids, pa.large_string())
        if wanted is not None:
            buckets = {*map(self.bucket_of, wanted.to_pylist())}
        chosen = self.files[name].keys() if buckets is None else {*buckets}
        paths = [(path, bucket) for bucket in chosen for path in self.files[name].get(bucket, ())]
        dataset = ds.FileSystemDataset.from_paths(
            [path for path, _ in paths],
            schema=SCHEMAS[name],
            format=ds.ParquetFileFormat(),
            filesystem=self.address.files,
            partitions=[ds.field("bucket") == bucket for _, bucket in paths],
        )
        condition = None if wanted is None else ds.field("budget_id").isin(wanted)
        with explained(self.address), _of_past():
            rows = dataset.to_table(columns=columns, filter=condition)
        if POSITION in rows.column_names:
            rows = rows.sort_by([("budget_id", "ascending"), (POSITION, "ascending")])
        return rows

    def paths(self, name: str) -> Iterator[str]:
        """The files of a table."""
        return chain.from_iterable(self.files[name].values())


@contextmanager
def explained(address: LakeAddress, path: str = "") -> Iterator[None]:
    """Raise a ToolError that explains an error of Delta or of the storage."""
    try:
        yield
    except CommitFailedError:
        raise ToolError(
            f"another process has changed the lake at {address.uri} meanwhile, because this one was"
            " suspended for longer than its turn lasts: run this again"
        ) from None
    except (DeltaError, OSError, pa.ArrowException) as error:
        text = f"the lake at {address.uri} cannot be read or written: {path}{': ' if path else ''}"
        raise ToolError(text + _text(error)) from None


@contextmanager
def _of_past() -> Iterator[None]:
    """Raise a ToolError if the logs or files of a state do not exist any more."""
    try:
        yield
    except (TableNotFoundError, FileNotFoundError):
        raise ToolError(
            "this state of the lake no longer exists, because `vacuum` or `forget` deleted it:"
            " read the lake again (lake.report(), lake.ledger() and others read its last state);"
            " if this is the last state, a file of the lake is missing: sync into a new folder"
        ) from None


def _text(error: Exception) -> str:
    return printable(" ".join(_ESCAPES.sub("", str(error)).split()))
