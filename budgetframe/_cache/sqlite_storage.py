"""A storage in an SQLite file, for several processes and for the next one."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic_core import from_json, to_json

from budgetframe._resources import EXPORT

from .merge import merge_under
from .sqlite_file import SQLiteFile, SQLiteFileBusyError, SQLiteFileError
from .storage import (
    OUTDATED,
    Generation,
    MemoryStorage,
    Params,
    Positions,
    Record,
    StorageError,
    StoredFrame,
    UnpreparedError,
    Unread,
)

_SELECT = (
    "SELECT checksum, key, params, id, revision, deltas, knowledge, month, as_of, wall, ttl"
    " FROM records"
)
_MAX_DELTAS = 200  # with more deltas, a list is written in full again
_MAX_CHANGED = 0.02  # with a larger share of deltas, frames are built again from the whole list
_LARGE = 100_000  # bytes that are parsed or serialised outside of a transaction
_MAX_SECONDS_OF_WRITE = 600.0  # after this time, the process of a write was certainly killed
_MAX_REPEATS = 20  # transactions in a row that are repeated after such work


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The content of a record in the file at a revision."""

    row: int
    revision: int
    deltas: int
    data: Any
    positions: Positions
    stored: float  # when it was stored, or later, by the clock of the cache


class SQLiteStorage:
    """Keeps records in an `SQLiteFile`, as the protocol `Storage` describes.

    The file is authoritative; memory holds the content that was parsed from it, by revision. The
    file contains the full list and the deltas that came after it: a small delta is a small write,
    and other processes merge the same deltas. Each row has a checksum, so that damaged content is
    detected and never shown. Frames that were built from a list are stored beside it, with the
    number of deltas that they contain: later deltas bring them up to date.

    A write of any process is in the file from before it is sent until its answer arrives. Meanwhile
    no process stores an answer that it makes outdated. If the process is killed, this lasts for ten
    minutes, because the service may still carry out the write.

    Large content is parsed and serialised outside of transactions. If another process holds the
    lock of the file, the present call finds no records and stores none. What it drops is dropped by
    a mark beside the file, which every process obeys before it uses the file again. `Record.stored`
    is in seconds of `clock`, which is the clock of the cache.
    """

    persistent = True

    def __init__(self, file: SQLiteFile, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._clock = clock
        self._file_id = ""
        self._parsed: dict[tuple[str, str], _Parsed] = {}
        self._serialised: dict[int, tuple[Any, bytes]] = {}  # with the data, so that its id is kept
        self._repeats = 0
        self._connection: sqlite3.Connection

    @property
    def in_transaction(self) -> bool:
        return self._file.in_transaction

    def prepare(self, data: Any) -> None:
        self._serialised[id(data)] = data, _encode(data)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[None]:
        before = None
        try:
            with self._file.transaction(write=write) as self._connection:
                if self._file_id != self._file.id:  # a new file has replaced the old one
                    self._file_id = self._file.id
                    self._parsed = {}
                if write:
                    before = self._parsed.copy()
                yield
        except BaseException as error:
            if before is not None:  # memory must not hold content that is not in the file
                self._parsed = before
            if isinstance(error, UnpreparedError):
                raise
            self._serialised.clear()
            if isinstance(error, SQLiteFileBusyError):
                raise StorageError(_WhileBusy(self._file), is_temporary=True) from error
            if isinstance(error, SQLiteFileError):
                raise StorageError(_Fallback(self._file)) from error
            raise
        if (self._serialised or self._repeats) and not self._file.in_transaction:
            self._repeats = 0
            self._serialised.clear()

    def find(
        self, key: str, params: Params | None, *, may_be_unread: bool = False
    ) -> Record | None:
        row = self._connection.execute(
            f"{_SELECT} WHERE key = ? AND params = ?", (key, json.dumps(params))
        ).fetchone()
        if row is None:
            self._parsed.pop((key, json.dumps(params)), None)
            return None
        return self._record(row, may_be_unread=may_be_unread)

    def records(self, key: str) -> list[Record]:
        rows = self._connection.execute(f"{_SELECT} WHERE key = ? ORDER BY revision", (key,))
        return list(map(self._record, rows.fetchall()))

    def put(self, key: str, record: Record, delta: dict[str, Any] | None = None) -> None:
        place = key, json.dumps(record.params)
        self._connection.execute("UPDATE file SET last_revision = last_revision + 1")
        row = self._connection.execute("SELECT last_revision FROM file").fetchone()
        if row is None or not isinstance(row[0], int):
            raise _damaged("revisions")
        (revision,) = row
        parsed, known = None, self._parsed.get(place)
        if known is not None and known.data is record.data:
            parsed = replace(known, revision=revision, stored=record.stored)
        elif known is not None and delta is not None:
            parsed = self._append(known, revision, record, delta)
        if parsed is None:
            parsed = self._replace(place, revision, record)
        self._parsed[place] = parsed
        self._describe(place, parsed, record)

    def put_frames(self, key: str, params: Params | None, frames: Mapping[str, bytes]) -> None:
        parsed = self._parsed[key, json.dumps(params)]
        for name, content in frames.items():
            checksum = _checksum(parsed.row, parsed.deltas, name, content=content)
            self._connection.execute(
                "INSERT OR REPLACE INTO frames VALUES (?, ?, ?, ?, ?)",
                (parsed.row, name, parsed.deltas, content, checksum),
            )

    def drop(self, is_dropped: Callable[[str], bool]) -> None:
        keys = [key for (key,) in self._connection.execute("SELECT DISTINCT key FROM records")]
        if not all(isinstance(key, str) for key in keys):
            raise _damaged("keys")
        for key in filter(is_dropped, keys):
            self._connection.execute("DELETE FROM records WHERE key = ?", (key,))
        for place in [parsed for parsed in self._parsed if is_dropped(parsed[0])]:
            del self._parsed[place]

    def drop_one(self, key: str, params: Params | None) -> None:
        place = key, json.dumps(params)
        self._connection.execute("DELETE FROM records WHERE key = ? AND params = ?", place)
        self._parsed.pop(place, None)

    def outdate(self, key: str) -> None:
        rows = self._connection.execute(f"{_SELECT} WHERE key = ?", (key,)).fetchall()
        for checksum, *values in rows:
            if checksum != _checksum(*values):
                raise _damaged(key)
            _, params, row_id, _, _, knowledge, _, _, wall, _ = values
            if knowledge is None:
                self._connection.execute("DELETE FROM records WHERE id = ?", (row_id,))
                self._parsed.pop((key, params), None)
            else:
                self._connection.execute(
                    "UPDATE records SET as_of = NULL, ttl = ?, checksum = ? WHERE id = ?",
                    (OUTDATED, _checksum(*values[:-3], None, wall, OUTDATED), row_id),
                )

    def generation(self, *names: str) -> Generation:
        counts = dict(self._connection.execute("SELECT name, count FROM generations"))
        writes = self._connection.execute(
            "SELECT name FROM writes WHERE abs(wall - ?) <= ?",
            (self._file.wall(), _MAX_SECONDS_OF_WRITE),
        )
        is_written = not {name for (name,) in writes}.isdisjoint(names)
        return Generation((self._file_id, *(counts.get(name, 0) for name in names)), is_written)

    def bump_generation(self, *names: str) -> None:
        self._connection.executemany(
            "INSERT INTO generations VALUES (?, 1)"
            " ON CONFLICT (name) DO UPDATE SET count = count + 1",
            [(name,) for name in names],
        )

    def set_write(self, write: str, *names: str) -> None:
        now = self._file.wall()
        self._connection.execute(
            "DELETE FROM writes WHERE id = ? OR abs(wall - ?) > ?",
            (write, now, _MAX_SECONDS_OF_WRITE),
        )
        self._connection.executemany(
            "INSERT INTO writes VALUES (?, ?, ?)", [(write, name, now) for name in names]
        )

    def _record(self, row: tuple[Any, ...], *, may_be_unread: bool = False) -> Record:
        """Return the record of a row."""
        checksum, *values = row
        key, text, row_id, revision, deltas, knowledge, month, as_of, wall, ttl = values
        if checksum != _checksum(*values):
            raise _damaged(key)
        now, age = self._clock(), self._file.wall() - wall
        parsed, stored = self._parsed.get((key, text)), now - max(0.0, age)
        is_unread = parsed is None or isinstance(parsed.data, Unread)
        if parsed is None or (parsed.row, parsed.revision) != (row_id, revision):
            parsed = None
            frames = self._frames(row_id, deltas, key) if may_be_unread and is_unread else None
            if frames:
                parsed = _Parsed(row_id, revision, deltas, Unread(frames), {}, stored)
                self._parsed[key, text] = parsed
        if parsed is None or (is_unread and not may_be_unread):
            self._parse((key, text), row_id, revision, deltas, stored)
            parsed = self._parsed[key, text]
        params = json.loads(text)
        return Record(
            parsed.data,
            None if params is None else tuple((name, value) for name, value in params),
            None if knowledge is None else int(knowledge),
            month,
            None if as_of is None else datetime.fromisoformat(as_of),
            # If the time is in the future, the clock was set back: the age is unknown. If it was
            # set back by less, this process may know that the record is older.
            min(parsed.stored, now - (age if age >= 0 else float("inf"))),
            ttl,
            parsed.positions,
        )

    def _frames(self, row: int, deltas: int, key: str) -> dict[str, StoredFrame]:
        """Return the stored frames of a record, except those since which many rows have changed."""
        # Those of an export must be up to date: the rows in its deltas have no names.
        frames: dict[str, StoredFrame] = {}
        appended, decoded = self._deltas(row, key, 0), list[Any]()
        if len(appended) != deltas:
            raise _damaged(key)
        most = 0 if key.endswith(f":{EXPORT}") else self._length_of("contents", row) * _MAX_CHANGED
        for name, known, content, checksum in self._connection.execute(
            "SELECT name, deltas, content, content_checksum FROM frames WHERE record = ?"
            " ORDER BY deltas",
            (row,),
        ):
            _require_undamaged(key, content, checksum, row, known, name)
            later = [delta for delta, *_ in appended[known:]]
            if sum(map(len, later)) <= most:
                decoded = decoded or list(map(_decode, later))
                frames[name] = StoredFrame(content, decoded[len(decoded) - len(later) :])
        return frames

    def _deltas(self, row: int, key: str, revision: int) -> list[tuple[bytes, int, int]]:
        """Return the deltas of a record after a revision, in their order."""
        deltas = self._connection.execute(
            "SELECT content, content_checksum, revision FROM deltas"
            " WHERE record = ? AND revision > ? ORDER BY revision",
            (row, revision),
        ).fetchall()
        for delta, checksum, delta_revision in deltas:
            _require_undamaged(key, delta, checksum, delta_revision)
        return deltas

    def _parse(
        self, place: tuple[str, str], row: int, revision: int, deltas: int, stored: float
    ) -> None:
        """Parse the content of a record: all of it, or only the deltas that memory lacks."""
        key, _ = place
        known = self._parsed.get(place)
        unread = known.data if known is not None and isinstance(known.data, Unread) else None
        has_same_content = known is not None and (known.row, known.deltas) == (row, deltas)
        if known is not None and (known.row != row or unread is not None):
            known = None
        content = None
        if known is None:
            content, checksum = self._connection.execute(
                "SELECT content, content_checksum FROM contents WHERE record = ?", (row,)
            ).fetchone() or (None, None)
            _require_undamaged(key, content, checksum, row)
        appended = self._deltas(row, key, known.revision if known is not None else 0)
        if (known.deltas if known is not None else 0) + len(appended) != deltas:
            raise _damaged(key)

        def parse() -> None:
            if known is not None:
                data, positions = known.data, dict(known.positions)
            else:
                data, positions = _decode(content or b""), {}
            for delta, *_ in appended:
                data = merge_under(key, data, _decode(delta), positions)
            self._parsed[place] = _Parsed(row, revision, deltas, data, positions, stored)
            if unread is not None and has_same_content:
                unread.data = data

        size = len(content or b"") + sum(len(delta) for delta, *_ in appended)
        self._prepare_outside(parse, size)

    def _prepare_outside(self, prepare: Callable[[], None], size: int) -> None:
        """Let large content be prepared outside of the transaction, which is then repeated."""
        # It is prepared here if it is small, or if other processes change it again and again.
        if size > _LARGE and self._repeats < _MAX_REPEATS:
            self._repeats += 1
            raise UnpreparedError(prepare)
        prepare()

    def _append(
        self, parsed: _Parsed, revision: int, record: Record, delta: dict[str, Any]
    ) -> _Parsed | None:
        """Write the delta after the list; None if the list must be written in full."""
        whole, content = self._length_of("contents", parsed.row), self._content_of(delta)
        length = self._length_of("deltas", parsed.row) + len(content)
        if parsed.deltas >= _MAX_DELTAS or length > whole:
            if id(record.data) not in self._serialised:
                self._prepare_outside(lambda: self.prepare(record.data), whole)
            return None
        self._connection.execute(
            "INSERT INTO deltas VALUES (?, ?, ?, ?)",
            (revision, parsed.row, content, _checksum(revision, content=content)),
        )
        return _Parsed(
            parsed.row, revision, parsed.deltas + 1, record.data, record.positions, record.stored
        )

    def _length_of(self, table: str, row: int) -> int:
        query = f"SELECT total(length(content)) FROM {table} WHERE record = ?"  # noqa: S608
        (length,) = self._connection.execute(query, (row,)).fetchone()
        return int(length)

    def _replace(self, place: tuple[str, str], revision: int, record: Record) -> _Parsed:
        content = self._content_of(record.data)
        self._connection.execute("DELETE FROM records WHERE key = ? AND params = ?", place)
        # The revision is also the id: a new id shows other processes that the list is a new one.
        self._connection.execute(
            "INSERT INTO records (id, key, params, revision, deltas, wall, ttl, checksum)"
            " VALUES (?, ?, ?, 0, 0, 0, 0, 0)",
            (revision, *place),
        )
        # In its own table, because SQLite writes the whole row again when one value changes.
        self._connection.execute(
            "INSERT INTO contents VALUES (?, ?, ?)",
            (revision, content, _checksum(revision, content=content)),
        )
        return _Parsed(revision, revision, 0, record.data, record.positions, record.stored)

    def _content_of(self, data: Any) -> bytes:
        _, content = self._serialised.get(id(data)) or (data, None)
        return _encode(data) if content is None else content

    def _describe(self, place: tuple[str, str], parsed: _Parsed, record: Record) -> None:
        """Write all values of a record except its content."""
        values = (
            parsed.revision,
            parsed.deltas,
            # As text, because it may be too large for an integer of SQLite.
            None if record.knowledge is None else str(record.knowledge),
            record.month,
            None if record.as_of is None else record.as_of.isoformat(),
            self._file.wall() - max(0.0, self._clock() - record.stored),
            float(record.ttl),
        )
        checksum = _checksum(*place, parsed.row, *values)
        self._connection.execute(
            "UPDATE records SET revision = ?, deltas = ?, knowledge = ?, month = ?, as_of = ?,"
            " wall = ?, ttl = ?, checksum = ? WHERE id = ?",
            (*values, checksum, parsed.row),
        )


class _Fallback(MemoryStorage):
    """Continues in memory after the file became unusable."""

    def __init__(self, file: SQLiteFile) -> None:
        super().__init__()
        self._file = file

    def bump_generation(self, *names: str) -> None:
        super().bump_generation(*names)
        self._file.mark_outdated()


class _WhileBusy(_Fallback):
    """Replaces the file for one call, because another process holds its lock."""

    def put(self, key: str, record: Record, delta: dict[str, Any] | None = None) -> None:
        super().put(key, record, delta)
        self._file.mark_outdated()  # the file still contains the record that this one replaces


def _checksum(*values: object, content: bytes = b"") -> int:
    # The checksum of `repr`, because a damaged value may have any type.
    return zlib.crc32(content, zlib.crc32(repr(values).encode(errors="replace")))


def _encode(document: Any) -> bytes:
    try:
        return to_json(document)
    except ValueError:  # the nesting is too deep, or a string contains a lone surrogate
        return json.dumps(document).encode()


def _require_undamaged(key: str, content: Any, checksum: Any, *values: object) -> None:
    if not isinstance(content, bytes) or checksum != _checksum(*values, content=content):
        raise _damaged(key)


def _decode(content: bytes) -> Any:
    try:
        return from_json(content)
    except ValueError:
        return json.loads(content)


def _damaged(key: str) -> sqlite3.DatabaseError:
    return sqlite3.DatabaseError(f"the content of {key!r} is damaged")
