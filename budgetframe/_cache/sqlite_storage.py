"""A shelf in a file, for several processes and for the next one."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_core import from_json, to_json

from .clocks import Moment
from .merge import Positions, merge
from .sqlite_file import SQLiteFile, SQLiteFileError
from .storage import Entry, MemoryStorage, Params, StorageError, TimedEntry

__all__ = ["SQLiteStorage"]

_TEXT_OR_NULL = str | None
_INT_OR_NULL = int | None
_MOST_DELTAS = 200  # after which a list is written down anew, in full


@dataclass(frozen=True, slots=True)
class _Parsed:
    """An entry as it stood in the file at a revision."""

    row: int
    revision: int
    chain: int
    entry: Entry


class SQLiteStorage:
    """Keeps entries and answers in a `SQLiteFile`.

    The file is the truth; memory holds what was parsed of it, by revision. A list is kept as it
    was when it was read in full, followed by the deltas since: a small delta is a small write,
    and other processes merge the same deltas. Checksums run through a list and its deltas, so that
    what is damaged, or not all there, is noticed and not believed.

    Parameters
    ----------
    store : Store
        The file.
    """

    persistent = True

    def __init__(self, store: SQLiteFile) -> None:
        self._store = store
        self._born = ""
        self._parsed: dict[tuple[str, str], _Parsed] = {}
        self._answers: dict[str, tuple[int, int, Any]] = {}
        # What `set_ttl` was given may be any object: it stays in this process.
        self._here = MemoryStorage()
        self._file: sqlite3.Connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything in here takes effect together, or not at all."""
        try:
            with self._store.transaction() as self._file:
                if self._born != self._store.born:  # a new file in the place of the old one
                    self._born = self._store.born
                    self._forget()
                try:
                    yield
                except BaseException:
                    self._forget()  # what memory holds may never come into the file
                    raise
        except SQLiteFileError as lost:
            raise StorageError(_Detached(self._store)) from lost

    def find(self, key: str, params: Params | None) -> Entry | None:
        """The entry of exactly these parameters: the same object until it is replaced."""
        return self._read(key, _text(params))

    def newest(self, key: str) -> Entry | None:
        """The entry under the key that was put last."""
        question = "SELECT params FROM entries WHERE key = ? ORDER BY revision DESC LIMIT 1"
        row = self._row(question, (key,), str)
        return self._read(key, row[0]) if row else None

    def put(self, key: str, entry: Entry, delta: tuple[Entry, dict[str, Any]] | None) -> None:
        """Put an entry in the place of that of the same parameters."""
        place = key, _text(entry.params)
        parsed = self._parsed.get(place)
        if delta is not None and parsed is not None and parsed.entry is delta[0]:
            self._parsed[place] = self._appended(parsed, entry, delta[1])
        if self._parsed.get(place) is parsed:
            self._parsed[place] = self._replaced(*place, entry)
        elif self._is_long(row := self._parsed[place].row):
            with self._followed(row):
                self._parsed[place] = self._replaced(*place, entry)

    def drop(self, key: str, params: Params | None) -> None:
        """Drop the entry of exactly these parameters."""
        self._file.execute("DELETE FROM entries WHERE key = ? AND params = ?", (key, _text(params)))

    def drop_entries(self, is_dropped: Callable[[str], bool]) -> None:
        """Drop all entries under such keys."""
        for key in filter(is_dropped, self._keys("entries")):
            self._file.execute("DELETE FROM entries WHERE key = ?", (key,))

    def get_timed(self, key: str) -> TimedEntry | None:
        """The time-limited entry, whether its time is over or not."""
        row = self._row(
            "SELECT revision, seal, entry, boot, ticks, wall, ttl, month, as_of FROM limited"
            " WHERE key = ?",
            (key,),
            *(int, int, _INT_OR_NULL, str, float, float, float, _TEXT_OR_NULL, str),
        )
        if row is None:
            return self._here.get_timed(key)
        revision, seal, entry, *stated = row
        known = self._answers.get(key)
        if known is None or known[0] != revision:
            question = "SELECT answer FROM limited WHERE key = ?"
            (answer,) = self._sure(self._row(question, (key,), bytes), key)
            known = revision, zlib.crc32(answer), None if entry else _parsed_json(answer, key)
            self._answers[key] = known
        if seal != _sealed([key, entry, *stated], chain=known[1]):
            raise _damaged(key)
        boot, ticks, wall, ttl, month, as_of = stated
        if entry is not None:
            question = "SELECT key, params FROM entries WHERE id = ?"
            place = self._sure(self._row(question, (entry,), str, str), key)
            there = self._read(*place)
            # By another id: what led there and back is damaged.
            if there is None or self._parsed[place].row != entry:
                raise _damaged(key)
            data = there.data
        else:
            data = known[2]
        age = self._store.clocks.most_since(Moment(boot, ticks, wall))
        return TimedEntry(
            data, self._store.clocks.ticks() - age, ttl, month, datetime.fromisoformat(as_of)
        )

    def put_timed(self, key: str, get_timed: TimedEntry) -> None:
        """Put a time-limited entry in the place of the one that is there."""
        self.drop_timed(lambda known: known == key)
        if get_timed.as_of is None:
            self._here.put_timed(key, get_timed)
            return
        # The same list is not written down twice.
        entry = self._row_of(get_timed.data)
        answer = _written(get_timed.data) if entry is None else b""
        stated = [
            *self._store.clocks.now(),
            float(get_timed.ttl),  # as it will be read back: the checksum is over its text
            get_timed.month,
            get_timed.as_of.isoformat(),
        ]
        chain = zlib.crc32(answer)
        seal = _sealed([key, entry, *stated], chain=chain)
        revision = self._next_revision()
        self._file.execute(
            "INSERT INTO limited VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key, revision, seal, entry, answer, *stated),
        )
        self._answers[key] = revision, chain, None if entry else get_timed.data

    def drop_timed(self, is_dropped: Callable[[str], bool]) -> None:
        """Drop the time-limited entries of such keys."""
        self._here.drop_timed(is_dropped)
        for key in filter(is_dropped, self._keys("limited")):
            self._file.execute("DELETE FROM limited WHERE key = ?", (key,))

    def generation(self, *names: str) -> tuple[object, ...]:
        """What is different once `bump_generation` was called with one of the names."""
        counts = dict(self._file.execute("SELECT name, count FROM drops"))
        return (self._born, *(counts.get(name, 0) for name in names))

    def bump_generation(self, *names: str) -> None:
        """Note that what goes by these names was dropped."""
        for name in names:
            self._file.execute("INSERT OR IGNORE INTO drops VALUES (?, 0)", (name,))
            self._file.execute("UPDATE drops SET count = count + 1 WHERE name = ?", (name,))

    def _read(self, key: str, params: str) -> Entry | None:
        row = self._row(
            "SELECT id, revision, seal, knowledge, month FROM entries WHERE key = ? AND params = ?",
            (key, params),
            *(int, int, int, str, _TEXT_OR_NULL),
        )
        known = self._parsed.get((key, params))
        if row is None:
            return None
        entry_id, revision, seal, knowledge, month = row
        if known is not None and known.revision == revision:
            return known.entry
        positions: Positions = {}
        if known is not None and known.row == entry_id:
            data, chain = known.entry.data, known.chain
            positions |= known.entry.positions
        else:
            question = "SELECT whole FROM entries WHERE id = ?"
            (whole,) = self._sure(self._row(question, (entry_id,), bytes), key)
            data, chain = _parsed_json(whole, key), _sealed([entry_id, key, params, month], whole)
            known = None
        deltas = self._file.execute(
            "SELECT delta FROM deltas WHERE entry = ? AND revision > ? ORDER BY revision",
            (entry_id, known.revision if known else 0),
        )
        for (delta,) in deltas:
            if not isinstance(delta, bytes):
                raise _damaged(key)
            chain = zlib.crc32(delta, chain)
            data = merge(data, _parsed_json(delta, key), positions)
        if seal != _sealed([revision, knowledge], chain=chain):
            raise _damaged(key)
        entry = Entry(data, int(knowledge), _params(params), month, positions)
        self._parsed[key, params] = _Parsed(entry_id, revision, chain, entry)
        return entry

    def _appended(self, parsed: _Parsed, entry: Entry, delta: dict[str, Any]) -> _Parsed:
        content = _written(delta)
        revision, chain = self._next_revision(), zlib.crc32(content, parsed.chain)
        self._file.execute("INSERT INTO deltas VALUES (?, ?, ?)", (revision, parsed.row, content))
        self._file.execute(
            "UPDATE entries SET wall = ?, revision = ?, seal = ?, knowledge = ? WHERE id = ?",
            (
                self._store.clocks.wall(),
                revision,
                _sealed([revision, str(entry.knowledge)], chain=chain),
                str(entry.knowledge),  # which may be larger than any integer of SQLite
                parsed.row,
            ),
        )
        return _Parsed(parsed.row, revision, chain, entry)

    def _replaced(self, key: str, params: str, entry: Entry) -> _Parsed:
        whole = _written(entry.data)
        revision = self._next_revision()
        # The revision is the id too: by another one others see that it is another list.
        chain = _sealed([revision, key, params, entry.month], whole)
        seal = _sealed([revision, str(entry.knowledge)], chain=chain)
        self._file.execute("DELETE FROM entries WHERE key = ? AND params = ?", (key, params))
        self._file.execute(
            "INSERT INTO entries (id, key, params, month, knowledge, revision, seal, wall, whole)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(revision, key, params, entry.month, str(entry.knowledge), revision, seal),
                *(self._store.clocks.wall(), whole),
            ),
        )
        return _Parsed(revision, revision, chain, entry)

    @contextmanager
    def _followed(self, row: int) -> Iterator[None]:
        """Let the time-limited entries that show a list go along with it, to its new id."""
        followers = self._file.execute(
            "SELECT key, boot, ticks, wall, ttl, month, as_of FROM limited WHERE entry = ?", (row,)
        ).fetchall()
        self._file.execute("UPDATE limited SET entry = NULL WHERE entry = ?", (row,))
        yield
        (new,) = self._file.execute("SELECT max(id) FROM entries").fetchone()
        for key, *stated in followers:
            seal = _sealed([key, new, *stated], chain=zlib.crc32(b""))
            question = "UPDATE limited SET entry = ?, seal = ? WHERE key = ?"
            self._file.execute(question, (new, seal, key))

    def _is_long(self, row: int) -> bool:
        count, length = self._file.execute(
            "SELECT count(*), total(length(delta)) FROM deltas WHERE entry = ?", (row,)
        ).fetchone()
        (whole,) = self._file.execute(
            "SELECT total(length(whole)) FROM entries WHERE id = ?", (row,)
        ).fetchone()
        return bool(count > _MOST_DELTAS or length > whole)

    def _row_of(self, data: Any) -> int | None:
        """Id of the entry that has these very data, if it is still in the file."""
        for parsed in self._parsed.values():
            if parsed.entry.data is data:
                row = self._row("SELECT id FROM entries WHERE id = ?", (parsed.row,), int)
                return parsed.row if row else None
        return None

    def _next_revision(self) -> int:
        self._file.execute("UPDATE file SET last_revision = last_revision + 1")
        row = self._row("SELECT last_revision FROM file", (), int)
        return int(self._sure(row, "revisions")[0])

    def _keys(self, table: str) -> list[str]:
        keys = [key for (key,) in self._file.execute(f"SELECT DISTINCT key FROM {table}")]  # noqa: S608 - a name of ours
        if not all(isinstance(key, str) for key in keys):
            raise _damaged(table)
        return keys

    def _row(self, question: str, values: tuple[Any, ...], *kinds: Any) -> Any:
        """The first row, whose values are of these types: SQLite does not vouch for that."""
        row = self._file.execute(question, values).fetchone()
        if row is not None and not all(map(isinstance, row, kinds)):
            raise _damaged(str(values))
        return row

    def _sure(self, row: Any, key: str) -> Any:
        if row is None:
            raise _damaged(key)
        return row

    def _forget(self) -> None:
        self._parsed.clear()
        self._answers.clear()


class _Detached(MemoryStorage):
    """Goes on in memory where the file cannot be used any more."""

    def __init__(self, store: SQLiteFile) -> None:
        super().__init__()
        self._store = store

    def bump_generation(self, *names: str) -> None:
        super().bump_generation(*names)
        self._store.mark_outdated()


def _text(params: Params | None) -> str:
    return json.dumps(params)


def _params(text: str) -> Params | None:
    stated = json.loads(text)
    return None if stated is None else tuple((name, value) for name, value in stated)


def _sealed(stated: list[Any], content: bytes = b"", *, chain: int = 0) -> int:
    return zlib.crc32(content, zlib.crc32(json.dumps(stated).encode(), chain))


def _written(document: Any) -> bytes:
    try:
        return to_json(document)
    except ValueError:  # nested deeper than it likes, or with half characters
        return json.dumps(document).encode()


def _parsed_json(content: bytes, key: str) -> Any:
    try:
        return from_json(content)
    except ValueError:
        pass
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise _damaged(key) from None


def _damaged(key: str) -> sqlite3.DatabaseError:
    return sqlite3.DatabaseError(f"what it holds of {key!r} is not what was written")
