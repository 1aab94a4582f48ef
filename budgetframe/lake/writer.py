"""Commits to the tables of a lake, and their maintenance.

A writer commits the other tables first, then ``_sync``, and replaces ``lake.sql`` last. If it is
killed in between, nobody sees what it wrote. The commit of ``_sync`` decides: it states the version
of every other table (as application transactions, a part of the Delta protocol), and the next
writer restores the tables to these versions and writes ``lake.sql``. There is one writer at a time
(see `turn`); if one was suspended until its turn had ended, its commits conflict with those of the
next one, because they have the same application transaction. Logs are only cleaned after ``_sync``,
so that the versions that it states can always be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import (
    CommitProperties,
    DeltaTable,
    Schema,
    Transaction,
    WriterProperties,
    write_deltalake,
)

from budgetframe.errors import ToolError

from .columns import DESCRIPTIONS, FRAMES, KEYS, RUNS, SCHEMAS, STATE, SYNC
from .conversion import answer_from, tables_of
from .storage import BUCKETS, DATA, VIEWS, LakeAddress, Snapshot, explained, files_of
from .views import script_of

_T = TypeVar("_T")
_BUCKETS_AT_ONCE = 4  # that a commit rewrites: they are in memory
_MAX_FILES = 8  # of a bucket, before a commit rewrites it
_OF_BUDGETS = (*FRAMES, STATE)
_WRITER = "budgetframe"  # application transaction of each commit to any other table
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
_LOG_FILE = re.compile(r"_delta_log/(\d{20})\.(json|checkpoint\.parquet)")
_UNFINISHED = re.compile(re.escape(VIEWS) + r"\.[0-9a-f]{16}")  # of a writer that was killed
LEAST_BUCKETS = 16
_PROPERTIES = WriterProperties(compression="ZSTD")
_ADDING: Any = {"schema_mode": "merge", "writer_properties": _PROPERTIES}
"""How to write columns that a table of an earlier version lacks."""


def create_lake(address: LakeAddress, buckets: int) -> None:
    """Create the tables, unless there is a lake; ``_sync`` comes last and makes it one."""
    with explained(address):
        if address.read(VIEWS) is not None:
            return
        _of_each(DATA, lambda name: _create(address, name, buckets))
        versions = _of_each(DATA, lambda name: address.open(name).version())
        _create(address, SYNC, buckets, _with_versions({**versions, BUCKETS: buckets}))
    Writer(address)  # it writes `lake.sql`


def _create(
    address: LakeAddress, name: str, buckets: int, commit: CommitProperties | None = None
) -> None:
    fields = [each.with_nullable(each.name not in KEYS[name]) for each in SCHEMAS[name]]
    has_buckets = "bucket" in SCHEMAS[name].names
    rule = _rule(buckets) if has_buckets else {}
    DeltaTable.create(
        f"{address.uri}/{name}",
        pa.schema(fields),
        mode="ignore",
        partition_by=["bucket"] if has_buckets else None,
        name=name,
        description=DESCRIPTIONS[name],
        configuration={**_CONFIGURATION, **rule},
        raise_if_key_not_exists=False,  # the rule is not a property of Delta
        storage_options=dict(address.options) or None,
        commit_properties=commit,
    )


def _rule(buckets: int) -> dict[str, str]:
    """The property of a table that says how its bucket is computed."""
    return {"budgetframe.bucket": f"crc32(budget_id) % {buckets}"}


class Writer:
    """Commits to a lake, for the process that has the `turn`; a later writer makes it fail."""

    def __init__(self, address: LakeAddress, *, rebuilds: bool = False) -> None:
        self.address = address
        self._tables: dict[str, DeltaTable] = {}
        with explained(self.address):
            # Before the others: if another writer publishes now, this one conflicts.
            sync = self._tables[SYNC] = address.open(SYNC)
            self._tables.update(_of_each(DATA, address.open))
            restored = _of_each(DATA, lambda name: self._restore(name, sync))
            if not rebuilds:
                self._check_types()
            buckets: Any = sync.transaction_version(BUCKETS)
            self.snapshot = Snapshot(address, buckets, {}, {})
            self._note_versions()
            if any(restored.values()):
                self._publish()
            else:
                self._write_views()

    def commit(
        self,
        tables: Mapping[str, pa.Table],
        log: pa.Table | None = None,
        *,
        replaced: Iterable[str] = (),
        dropped: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Add and replace rows of budgets in all tables, as one step."""
        # `tables` has the new rows by table; the present rows of the budgets `replaced` are
        # removed. `log` has the new rows of ``_sync``, in place of those of the same source and
        # budget; those of the sources and budgets `dropped` are removed.
        old = {*replaced}
        with explained(self.address):
            _of_each(DATA, lambda name: self._replace(name, tables.get(name), old))
            self._publish(log, {*dropped})

    def set_buckets(self, number: int) -> None:
        """Change the number of buckets of tables without rows; the next commit publishes it."""
        if number == self.snapshot.buckets:
            return
        with explained(self.address):
            _of_each(_OF_BUDGETS, lambda name: self._set_properties(name, _rule(number)))
        self.snapshot = replace(self.snapshot, buckets=number)

    def rebuild(self, buckets: int | None) -> int:
        """Write all tables of frames again from the stored answers; return how many budgets."""
        # The new rows become visible together: a rebuild that is killed changes nothing.
        count = 0
        with explained(self.address):
            states = self.snapshot
            _of_each(_OF_BUDGETS, self._empty)
            self.set_buckets(buckets or states.buckets)
            self._note_versions()
            for bucket in states.files[STATE]:
                rows = states.read(STATE, buckets=[bucket]).to_pylist()
                for row in rows:
                    row["bucket"] = self.snapshot.bucket_of(row["budget_id"])
                budgets = [
                    tables_of(answer_from(row.pop("content")), row, verify=False) for row in rows
                ]
                count += len(budgets)
                for name in _OF_BUDGETS:
                    self._replace(name, pa.concat_tables([each[name] for each in budgets]), set())
            if self.snapshot.buckets != states.buckets:
                _of_each(_OF_BUDGETS, self._compact)  # a file for each former bucket
            self._publish()
        return count

    def compact(self) -> None:
        """Join the small files of each bucket."""
        with explained(self.address):
            _of_each(DATA, self._compact)
            self._publish()

    def vacuum(self, hours: int) -> int:
        """Delete the files and logs of states before the last hours; return the number of files."""
        # Delta compares the clocks of writers and of the storage. If no earlier state is kept, no
        # clock decides: what the states since the new checkpoints do not name is deleted.
        deleted = dict[str, Any]()
        with explained(self.address):
            self._publish()  # a sync that is running cannot publish any more, and stops
            if hours:
                old: Any = {"enforce_retention_duration": False, "dry_run": False, "full": True}
                deleted = _of_each(SCHEMAS, lambda name: self._tables[name].vacuum(hours, **old))
            self._set_retention(f"interval {hours} hours", f"interval {hours} hours")
            first = self.snapshot
            _of_each(SCHEMAS, lambda name: self._tables[name].create_checkpoint())
            if hours:
                _of_each(SCHEMAS, lambda name: self._tables[name].cleanup_metadata())
            # Before this writer publishes: no file that a later one has written is in the list.
            present = [] if hours else self.address.paths()
            self._set_retention(f"interval {hours} hours", _ALWAYS)  # until the next call
            unnamed = self._unnamed(present, first)
            _of_each(unnamed, self.address.files.delete_file)
        return len(unnamed) + sum(map(len, deleted.values()))

    def _unnamed(self, paths: Iterable[str], first: Snapshot) -> list[str]:
        """The files of tables that no state since the first one needs, and unfinished ones."""
        named = {f"{name}/_delta_log/_last_checkpoint" for name in SCHEMAS}
        named |= {
            path for each in (first, self.snapshot) for name in SCHEMAS for path in each.paths(name)
        }

        def is_named(path: str) -> bool:
            name, _, inner = path.partition("/")
            if name not in SCHEMAS:  # it can be a file of the owner
                return not _UNFINISHED.fullmatch(path)
            entry = _LOG_FILE.fullmatch(inner)
            return path in named if entry is None else int(entry[1]) >= first.versions[name]

        return [path for path in paths if not is_named(path)]

    def _set_retention(self, of_logs: str, of_deleted_files: str) -> None:
        properties = {"delta.logRetentionDuration": of_logs}
        properties |= {"delta.deletedFileRetentionDuration": of_deleted_files}
        _of_each(SCHEMAS, lambda name: self._set_properties(name, properties))
        self._publish()

    def _set_properties(self, name: str, properties: Mapping[str, str]) -> None:
        self._tables[name].alter.set_table_properties({**properties}, raise_if_not_exists=False)

    def _restore(self, name: str, sync: DeltaTable) -> bool:
        """Undo what a writer has committed that was killed before it could publish it."""
        table, version = self._tables[name], sync.transaction_version(name)
        if version is None or table.version() == version:
            return False
        table.restore(version, commit_properties=_by_writer(table))
        return True

    def _check_types(self) -> None:
        """Refuse columns of other types, which Delta would convert."""
        for name in FRAMES:
            kinds = {each.name: each.type for each in Schema.from_arrow(SCHEMAS[name]).fields}
            for each in self._tables[name].schema().fields:
                if kinds.get(each.name, each.type) != each.type:
                    raise ToolError(
                        f"the column {each.name} of the table {name} has another type than in this"
                        " version of budgetframe: lake.rebuild() or 'budgetframe lake rebuild'"
                        " writes all tables again, without a request"
                    )

    def _empty(self, name: str) -> None:
        """Remove all rows of a table, and give it the present columns."""
        table = self._tables[name]
        rows, commit = SCHEMAS[name].empty_table(), _by_writer(table)
        write_deltalake(
            table, rows, mode="overwrite", schema_mode="overwrite", commit_properties=commit
        )

    def _replace(self, name: str, new: pa.Table | None, old: set[str]) -> None:
        """Add rows to a table; rewrite the buckets of replaced budgets, and those of many files."""
        table, files = self._tables[name], self.snapshot.files[name]
        rows = SCHEMAS[name].empty_table() if new is None else new
        buckets = _buckets_of(rows)
        present = buckets.unique().to_pylist()
        full = {each for each in present if len(files.get(each, ())) >= _MAX_FILES}
        rewritten = sorted(full | {*map(self.snapshot.bucket_of, old if name != RUNS else ())})
        commit = _by_writer(table)
        added = rows.filter(pc.invert(_is_in(buckets, rewritten)))
        if added.num_rows:
            write_deltalake(table, added, mode="append", commit_properties=commit, **_ADDING)
        for start in range(0, len(rewritten), _BUCKETS_AT_ONCE):
            some = rewritten[start : start + _BUCKETS_AT_ONCE]
            # In memory, because Delta must not wait for a reader that itself waits for Delta.
            kept = self.snapshot.read(name, buckets=some)
            if name != RUNS:
                kept = kept.filter(pc.invert(_is_in(kept["budget_id"], old)))
            new_rows = rows.filter(_is_in(buckets, some))
            _overwrite(table, pa.concat_tables([kept, new_rows]), some, commit)

    def _publish(
        self, log: pa.Table | None = None, dropped: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Commit rows of ``_sync`` and the present versions of all tables; replace `lake.sql`."""
        table = self._tables[SYNC]
        versions = {name: self._tables[name].version() for name in DATA}
        new = SCHEMAS[SYNC].empty_table() if log is None else log
        gone = {*dropped, *_keys(new)}
        old = self.snapshot.read(SYNC)
        kept = old.filter(pa.array([key not in gone for key in _keys(old)], pa.bool_()))
        commit = _with_versions({**versions, BUCKETS: self.snapshot.buckets})
        _overwrite(table, pa.concat_tables([kept, new]), (), commit)
        self._note_versions()
        self._write_views()

    def _note_versions(self) -> None:
        """Note the present versions of all tables, and the files of those that have changed."""
        known = self.snapshot.versions
        versions = {name: self._tables[name].version() for name in SCHEMAS}
        files = {
            name: self.snapshot.files[name]
            if known.get(name) == version
            else files_of(self._tables[name])
            for name, version in versions.items()
        }
        self.snapshot = replace(self.snapshot, versions=versions, files=files)

    def _write_views(self) -> None:
        """Replace ``lake.sql``, unless another writer has stated this or a later state."""
        state, is_last = self.snapshot, False
        while not is_last:
            stated = self.address.stated()
            if stated is None or stated.versions[SYNC] < state.versions[SYNC]:
                self.address.write(VIEWS, script_of(state))
            # Between the comparison and the end of the write, another writer may have written.
            sync = self.address.open(SYNC)
            is_last = sync.version() <= state.versions[SYNC]
            if not is_last:
                state = self.address.stated_by(sync)

    def _compact(self, name: str) -> None:
        table = self._tables[name]
        table.optimize.compact(writer_properties=_PROPERTIES, commit_properties=_by_writer(table))


def _is_in(values: pa.ChunkedArray, known: Iterable[Any]) -> pa.ChunkedArray:
    return pc.is_in(values, pa.array([*known], values.type))


def _buckets_of(rows: pa.Table) -> pa.ChunkedArray:
    """The bucket of each row; 0 in a table without buckets."""
    if "bucket" in rows.column_names:
        return rows["bucket"]
    return pa.chunked_array([pa.repeat(pa.scalar(0, pa.int64()), rows.num_rows)])


def _overwrite(
    table: DeltaTable, rows: pa.Table, buckets: Iterable[int], commit: CommitProperties
) -> None:
    """Replace rows of some buckets, or of a table without; its log has neither names nor keys."""
    some = ", ".join(map(str, buckets))
    where = f"bucket IN ({some})" if "bucket" in rows.column_names else None
    properties = {"commit_properties": commit, **_ADDING}
    write_deltalake(table, rows, mode="overwrite", predicate=where, **properties)


def _keys(log: pa.Table) -> list[tuple[str, str]]:
    """The source and the budget of each row of ``_sync``."""
    return [*zip(log["source"].to_pylist(), log["budget_id"].to_pylist(), strict=True)]


def _of_each(names: Iterable[str], call: Callable[[str], _T]) -> dict[str, _T]:
    """Call a function with each name, in threads: the latency of the storage dominates."""
    known = [*names]
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(known, pool.map(call, known), strict=True))


def _with_versions(versions: Mapping[str, int]) -> CommitProperties:
    transactions = [Transaction(name, version) for name, version in versions.items()]
    return CommitProperties(app_transactions=transactions)


def _by_writer(table: DeltaTable) -> CommitProperties:
    """What makes the commits of two writers conflict."""
    return _with_versions({_WRITER: table.version() + 1})
