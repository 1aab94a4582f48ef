"""The Delta tables of a lake: one consistent state of all tables, and commits to them.

Each table is a Delta table and has its own versions. The table ``_sync`` makes them one: its last
commit states the version of every other table (as application transactions, a part of the Delta
protocol). Readers open the tables at these versions. A sync commits the other tables first and
``_sync`` last; if it is killed in between, nobody sees what it wrote, and the next writer restores
the tables to the versions that ``_sync`` states. Two writers at the same time cannot both succeed:
commits with the same application transaction conflict. Logs are only cleaned after ``_sync``, so
that the versions that it states can always be read.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from deltalake import (
    CommitProperties,
    DeltaTable,
    Transaction,
    WriterProperties,
    write_deltalake,
)
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from budgetframe._runtime.text import printable
from budgetframe.errors import ToolError

from .columns import POSITION, SCHEMAS, SYNC

__all__ = ["LakeAddress", "Snapshot", "Writer"]

_T = TypeVar("_T")
_BUCKETS = "buckets"  # application transaction of `_sync` whose version is the number of buckets
_BUCKETS_AT_ONCE = 4  # that a commit rewrites: they are in memory
_WRITER = "budgetframe"  # application transaction of each commit to any other table
_DATA = [name for name in SCHEMAS if name != SYNC]
_ALWAYS = "interval 36500 days"
_CONFIGURATION: Mapping[str, str | None] = {
    # The log would contain the smallest and the largest name, memo and key of each file.
    "delta.dataSkippingNumIndexedCols": "0",
    # With it, a commit could delete the log of the version that `_sync` states.
    "delta.enableExpiredLogCleanup": "false",
    # A checkpoint would leave out which files were removed before that, and `vacuum` would delete
    # these files, although a state that it keeps needs them.
    "delta.deletedFileRetentionDuration": _ALWAYS,
}
_LOG_PAUSE = 0.05  # seconds
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")  # colours in the texts of errors
_REFUSED = re.compile(r"[\[\]]|%[0-9A-Fa-f]{2}")
_PROPERTIES = WriterProperties(compression="ZSTD")
_OVERTAKEN = (
    "another sync, or a maintenance of the lake (compact, forget, vacuum), has changed the lake"
    " since this one began, and this one has stopped. The lake is in a consistent state: run it"
    " again when nothing else changes the lake"
)


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
        found = _REFUSED.search(text)
        if found:
            raise ToolError(
                f"the address of a lake is {text}: Delta cannot use {found[0]!r} in it; use a"
                " folder whose path has no bracket, and no % before two hexadecimal digits"
            )
        return cls(text.rstrip("/"), dict(known))

    def open(self, name: str, version: int | datetime | None = None) -> DeltaTable:
        """Open a table, by default at its last version; one with other columns is refused."""
        number = version if isinstance(version, int) else None
        uri, options = f"{self.uri}/{name}", dict(self.options)
        table = DeltaTable(uri, version=number, storage_options=options or None)
        if isinstance(version, datetime):
            table.load_as_version(version)
        differing = {field.name for field in table.schema().fields} ^ {*SCHEMAS[name].names}
        if differing:
            raise ToolError(
                f"the lake at {self.uri} is that of another version of budgetframe: its table"
                f" {name} differs in {', '.join(sorted(differing))}; sync into a new folder, which"
                " reads each budget once, or install that version"
            )
        return table

    def create(self, buckets: int) -> None:
        """Create the tables, unless there is a lake; ``_sync`` comes last and makes it one."""
        with _explained(self):
            try:
                self.open(SYNC)
            except TableNotFoundError:
                pass
            else:
                return
            if "://" not in self.uri:
                Path(self.uri).mkdir(mode=0o700, parents=True, exist_ok=True)
            of_each(_DATA, lambda name: self._create(name, None))
            versions = of_each(_DATA, lambda name: self.open(name).version())
            self._create(SYNC, _commit({**versions, _BUCKETS: buckets}))

    def _create(self, name: str, commit: CommitProperties | None) -> None:
        DeltaTable.create(
            f"{self.uri}/{name}",
            SCHEMAS[name],
            mode="ignore",
            partition_by=["bucket"],
            configuration=_CONFIGURATION,
            storage_options=dict(self.options) or None,
            commit_properties=commit,
        )

    def snapshot(self, at: datetime | None = None) -> Snapshot:
        """Return the last state that is complete, or that of an earlier time."""
        with _explained(self):
            try:
                sync = self.open(SYNC, at)
            except TableNotFoundError:
                raise ToolError(
                    f"there is no lake at {self.uri}: lake.sync() or the command"
                    " 'budgetframe sync' creates it"
                ) from None
            entries = [] if at is None else sync.history()
        # Delta returns its first state for an earlier time.
        if at is not None and all(each["timestamp"] / 1000 > at.timestamp() for each in entries):
            raise ToolError(f"the lake has no state of {at}: name a later time")
        stated = {name: sync.transaction_version(name) for name in (*_DATA, _BUCKETS)}
        versions = {name: version for name, version in stated.items() if version is not None}
        if len(versions) < len(stated):
            raise ToolError(f"the lake has no complete state of {at}: name a later time")
        buckets = versions.pop(_BUCKETS)
        return Snapshot(self, {**versions, SYNC: sync.version()}, buckets)


@dataclass(frozen=True)
class Snapshot:
    """One consistent state of a lake."""

    address: LakeAddress
    versions: Mapping[str, int]
    buckets: int
    _opened: dict[str, DeltaTable] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """The tables that this process has opened, because a large log takes long to read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.address, self.versions, self.buckets)

    def table(self, name: str) -> DeltaTable:
        """Open a table at the version of this state, if this state still exists."""
        with _explained(self.address), _of_past():
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
        """Read rows of a table: all, those of some buckets, or those of some budgets.

        Whole rows of a frame are sorted by budget, and then in the order of the frame.
        """
        wanted = None if budget_ids is None else [*budget_ids]
        if wanted is not None:
            buckets = {self.bucket_of(each) for each in wanted}
        if name not in self._opened:
            self._opened[name] = self.table(name)
        with _explained(self.address), _of_past():
            rows = _read(self._opened[name], name, buckets, wanted, columns)
        if POSITION in rows.column_names:
            rows = rows.sort_by([("budget_id", "ascending"), (POSITION, "ascending")])
        return rows


def _read(
    table: DeltaTable,
    name: str,
    buckets: Iterable[int] | None = None,
    budget_ids: Iterable[str] | None = None,
    columns: list[str] | None = None,
) -> pa.Table:
    """Read rows of a table: all, or those of some buckets or budgets."""
    names = columns or SCHEMAS[name].names
    schema = pa.schema([SCHEMAS[name].field(each) for each in names])
    # Not a filter of the rows: it would be tested on each file of the table.
    wanted = None if buckets is None else [("bucket", "in", [*buckets])]
    dataset = table.to_pyarrow_dataset(file_pruning_predicate=wanted, as_large_types=True)
    condition = None if budget_ids is None else ds.field("budget_id").isin([*budget_ids])
    return dataset.to_table(columns=names, filter=condition).cast(schema)


def _is_in(values: pa.ChunkedArray, known: Iterable[Any]) -> pa.ChunkedArray:
    return pc.is_in(values, pa.array([*known], values.type))


class Writer:
    """Commits to a lake. There is one writer at a time: another one at work is an error."""

    def __init__(self, address: LakeAddress) -> None:
        self.address = address
        self.snapshot = address.snapshot()
        self._tables: dict[str, DeltaTable] = {}
        with self._explained():
            # At the version that was read: if another writer publishes now, this one conflicts.
            self._tables[SYNC] = address.open(SYNC, self.snapshot.versions[SYNC])
            self._tables.update(of_each(_DATA, address.open))
            restored = of_each(_DATA, self._restore)
            if any(restored.values()):
                self._publish()

    def commit(
        self,
        tables: Mapping[str, pa.Table],
        log: pa.Table | None = None,
        *,
        replaced: Iterable[str] = (),
        dropped: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Add and replace rows of budgets in all tables, as one step.

        `tables` has the new rows by table; the present rows of the budgets `replaced` are removed.
        `log` has the new rows of ``_sync``, in place of those of the same source and budget; those
        of the sources and budgets `dropped` are removed.
        """
        old = {*replaced}
        with self._explained():
            if tables or old:
                of_each(_DATA, lambda name: self._replace(name, tables.get(name), old))
            self._publish(log, {*dropped})

    def read(self, name: str, columns: list[str]) -> pa.Table:
        """Read a table as it was when this writer began."""
        with self._explained():
            return self.snapshot.read(name, columns=columns)

    def compact(self) -> None:
        """Join the small files of each bucket."""
        with self._explained():
            of_each(_DATA, self._compact)
            self._publish()

    def vacuum(self, hours: int) -> int:
        """Delete the files and logs of states before the last hours; return the number of files."""
        with self._explained():
            self._publish()  # a sync that is running cannot publish any more, and stops
            deleted = of_each(SCHEMAS, lambda name: _vacuum(self._tables[name], hours))
        self.clean_logs(hours)
        return sum(map(len, deleted.values()))

    def clean_logs(self, hours: int) -> None:
        """Write a checkpoint of each table, and delete the logs of states before the last hours."""
        with self._explained():
            self._set_retention(f"interval {hours} hours", f"interval {hours} hours")
            time.sleep(_LOG_PAUSE)  # an entry must be older than the retention
            of_each(SCHEMAS, lambda name: _clean_log(self._tables[name]))
            self._set_retention(f"interval {hours} hours", _ALWAYS)  # until the next call

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise a ToolError that explains an error, also if another writer has caused it."""
        try:
            with _explained(self.address):
                yield
        except ToolError:
            own = self._tables.get(SYNC)
            last = self.snapshot.versions[SYNC] if own is None else own.version()
            if self.address.snapshot().versions[SYNC] > last:
                raise ToolError(_OVERTAKEN) from None
            raise

    def _set_retention(self, of_logs: str, of_deleted_files: str) -> None:
        properties = {
            "delta.logRetentionDuration": of_logs,
            "delta.deletedFileRetentionDuration": of_deleted_files,
        }
        of_each(SCHEMAS, lambda name: self._tables[name].alter.set_table_properties({**properties}))
        self._publish()

    def _restore(self, name: str) -> bool:
        """Undo what a writer has committed that was killed before it could publish it."""
        table, version = self._tables[name], self.snapshot.versions[name]
        if table.version() == version:
            return False
        table.restore(version, commit_properties=_by_writer(table))
        return True

    def _replace(self, name: str, new: pa.Table | None, old: set[str]) -> None:
        """Add rows to a table; rewrite the buckets of the budgets that are replaced."""
        table, rows = self._tables[name], SCHEMAS[name].empty_table() if new is None else new
        commit = _by_writer(table)
        if not old:
            if rows.num_rows:
                write_deltalake(
                    table,
                    rows,
                    mode="append",
                    writer_properties=_PROPERTIES,
                    commit_properties=commit,
                )
            return
        buckets = sorted({*map(self.snapshot.bucket_of, old), *rows["bucket"].unique().to_pylist()})
        for start in range(0, len(buckets), _BUCKETS_AT_ONCE):
            some = buckets[start : start + _BUCKETS_AT_ONCE]
            # In memory, because Delta must not wait for a reader that itself waits for Delta.
            kept = _read(table, name, some)
            kept = kept.filter(pc.invert(_is_in(kept["budget_id"], old)))
            new_rows = rows.filter(_is_in(rows["bucket"], some))
            _overwrite(table, pa.concat_tables([kept, new_rows]), some, commit)

    def _publish(
        self, log: pa.Table | None = None, dropped: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Commit rows of ``_sync``, and with them the present versions of all tables."""
        table = self._tables[SYNC]
        versions = {name: self._tables[name].version() for name in _DATA}
        commit = _commit({**versions, _BUCKETS: self.snapshot.buckets})
        new = SCHEMAS[SYNC].empty_table() if log is None else log
        gone = {*dropped, *_keys(new)}
        # Without a new row, any bucket will do: it is rewritten as it is.
        buckets = {self.snapshot.bucket_of(budget_id) for _, budget_id in gone} or {0}
        old = _read(table, SYNC, buckets)
        kept = old.filter(pa.array([key not in gone for key in _keys(old)], pa.bool_()))
        _overwrite(table, pa.concat_tables([kept, new]), buckets, commit)
        versions[SYNC] = table.version()
        self.snapshot = replace(self.snapshot, versions=versions)

    def _compact(self, name: str) -> None:
        table = self._tables[name]
        table.optimize.compact(writer_properties=_PROPERTIES, commit_properties=_by_writer(table))


def _overwrite(
    table: DeltaTable,
    rows: pa.Table,
    buckets: Iterable[int],
    commit: CommitProperties,
) -> None:
    """Replace the rows of some buckets. No name and no key is in the log of the table."""
    write_deltalake(
        table,
        rows,
        mode="overwrite",
        predicate=f"bucket IN ({', '.join(map(str, sorted(buckets)))})",
        writer_properties=_PROPERTIES,
        commit_properties=commit,
    )


def _keys(log: pa.Table) -> list[tuple[str, str]]:
    """The source and the budget of each row of ``_sync``."""
    return [*zip(log["source"].to_pylist(), log["budget_id"].to_pylist(), strict=True)]


def _vacuum(table: DeltaTable, hours: int) -> list[str]:
    return table.vacuum(hours, dry_run=False, enforce_retention_duration=False, full=True)


def _clean_log(table: DeltaTable) -> None:
    table.create_checkpoint()
    table.cleanup_metadata()


def of_each(names: Iterable[str], call: Callable[[str], _T]) -> dict[str, _T]:
    """Call a function with each name, in threads: the latency of the storage dominates."""
    known = [*names]
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(known, pool.map(call, known), strict=True))


@contextmanager
def _explained(address: LakeAddress) -> Iterator[None]:
    """Raise a ToolError that explains an error of Delta or of the storage."""
    try:
        yield
    except CommitFailedError as error:
        raise ToolError(f"{_OVERTAKEN} ({_text(error)})") from None
    except (DeltaError, OSError) as error:
        raise ToolError(
            f"the lake at {address.uri} cannot be read or written: {_text(error)}"
        ) from None


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


def _commit(versions: Mapping[str, int]) -> CommitProperties:
    return CommitProperties(
        app_transactions=[Transaction(name, version) for name, version in versions.items()]
    )


def _by_writer(table: DeltaTable) -> CommitProperties:
    """What makes the commits of two writers conflict."""
    return _commit({_WRITER: table.version() + 1})
