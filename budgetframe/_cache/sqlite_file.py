"""An SQLite file that several processes share; if they cannot use it, they work without it."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
import uuid
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.processes import STATE, check_process

from .private_file import make_private, require_private

_VERSION = 5  # of the schema below; a file of a later version is left alone
_APPLICATION = 0x42756446  # distinguishes SQLite files of this kind from others
_TIMEOUT = 5.0  # seconds to wait for another process that is writing
_SHORT_TIMEOUT = 0.1  # the same, while the file is known to be busy

_SCHEMA = """
CREATE TABLE file (id TEXT NOT NULL, last_revision INTEGER NOT NULL);
CREATE TABLE records (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, params TEXT NOT NULL,
    revision INTEGER NOT NULL, deltas INTEGER NOT NULL, knowledge TEXT, month TEXT,
    as_of TEXT, wall REAL NOT NULL, ttl REAL NOT NULL, checksum INTEGER NOT NULL,
    UNIQUE (key, params)
);
CREATE TABLE contents (
    record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
    content BLOB NOT NULL, content_checksum INTEGER NOT NULL
);
CREATE TABLE frames (
    record INTEGER NOT NULL REFERENCES records ON DELETE CASCADE, name TEXT NOT NULL,
    deltas INTEGER NOT NULL, content BLOB NOT NULL, content_checksum INTEGER NOT NULL,
    PRIMARY KEY (record, name)
);
CREATE TABLE deltas (
    revision INTEGER PRIMARY KEY,
    record INTEGER NOT NULL REFERENCES records ON DELETE CASCADE,
    content BLOB NOT NULL, content_checksum INTEGER NOT NULL
);
CREATE INDEX deltas_by_record ON deltas (record);
CREATE TABLE generations (name TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE writes (id TEXT NOT NULL, name TEXT NOT NULL, wall REAL NOT NULL);
CREATE TABLE requests (
    id INTEGER PRIMARY KEY, owner TEXT NOT NULL, is_under_way INTEGER NOT NULL,
    wall REAL NOT NULL
);
"""

# SQLite's error codes for a damaged file; other codes have causes outside of the file.
_DAMAGE = frozenset({
    sqlite3.SQLITE_ERROR,  # the statements are correct: a table or a column is missing
    sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_NOTADB,
})  # fmt: skip
# UnicodeError: Python decodes and encodes text of SQLite, even the text of error messages.
_FILE_ERRORS = (sqlite3.Error, OSError, UnicodeError)
_KEPT_SECONDS = 30 * 86_400.0  # records that nobody has requested for longer are deleted
_PRIMARY = 0xFF  # the bits of an error code that hold the primary code


class SQLiteFileError(Exception):
    """The file is unusable. A warning was issued, and the file will not be opened again."""


class SQLiteFileBusyError(SQLiteFileError):
    """Another process holds the lock of the file. The next use tries again."""


class SQLiteFile:
    """An SQLite file for data that outlive a process and are shared by several.

    The file is opened at its first use; it and its folder are created with access for the user
    alone. If it is unusable (no permission, no space, damaged, written by a later version), one
    warning is issued, and from then on every use raises an `SQLiteFileError`. A damaged file is
    deleted first, so that the next process starts with a new file. A file of an earlier version is
    replaced.

    If another process holds the lock for longer than `timeout` seconds, only the present use raises
    an `SQLiteFileBusyError`. The following uses wait for a short time only, until one succeeds.
    `wall` returns Unix seconds.
    """

    def __init__(
        self, path: Path, *, wall: Callable[[], float] = time.time, timeout: float = _TIMEOUT
    ) -> None:
        self.path = path
        self._outdated = path.with_suffix(".outdated")  # its existence is the mark
        self.wall = wall
        self.id = ""
        self._timeout = self._wait_seconds = timeout
        self._is_busy = False  # whether the last transaction did not get the lock
        self._connection: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._pid = os.getpid()
        self._is_writing = False  # whether the open transaction has the write lock
        self._is_lost = False
        self._closing: weakref.finalize[[], SQLiteFile] | None = None

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Begin a block whose statements see one state and take effect together.

        The block receives the connection. A transaction inside another transaction is a part of it.
        With `write`, it takes the write lock now, which is a `RuntimeError` inside a transaction
        without it. Otherwise other processes can write at the same time, and the block must not
        write.

        An unusable file raises `SQLiteFileError`; a lock of another process raises
        `SQLiteFileBusyError`, and nothing was written. A forked child raises `ToolError`: the
        connection is that of the parent.
        """
        check_process(self._pid)
        with STATE:
            try:
                outer = self._connection
                if outer is not None and not outer.in_transaction:
                    outer = None
                if outer is not None and write and not self._is_writing:
                    raise RuntimeError(
                        "write=True inside a transaction without it: pass it to the outer one"
                    )
                connection = outer or self._open()
                try:
                    if outer is None:
                        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                        self._is_writing = write
                    yield connection
                    if outer is None and not self._is_lost:
                        connection.commit()
                except BaseException:
                    if outer is None and not self._is_lost:
                        connection.rollback()
                    raise
                if outer is None and write and self._is_busy:  # a read does not need the write lock
                    self._set_busy(is_busy=False)
            except _FILE_ERRORS as error:
                raise self._failed(error) from None

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection is not None and self._connection.in_transaction

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with STATE:
            if self._closing is not None:
                self._closing()
            self._connection = self._closing = None

    def mark_outdated(self) -> None:
        """Let every process drop all records before it uses the file again; this needs no lock."""
        with suppress(OSError):
            require_private(self.path.parent, stat.S_IFDIR, 0o700)
            self._outdated.touch(mode=0o600)

    def _open(self) -> sqlite3.Connection:
        if self._is_lost:
            raise SQLiteFileError
        connection = self._connection
        if connection is None or self._inode != _inode(self.path):
            # After the file was deleted, nobody would read what is written to it.
            self.close()
            connection = self._open_new()
        if self._outdated.exists():
            self._drop_outdated(connection)
        return connection

    def _open_new(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except _FILE_ERRORS as error:
            if not _is_damage(error):
                raise
            # Delete it first: a program that turns the warning into an error must not find the
            # damaged file again.
            self._delete()
            self._warn(f"cannot be read ({error}): starting with a new one")
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        make_private(self.path)
        # Before the file is opened: so the next use detects a replacement in between.
        self._inode = _inode(self.path)
        connection = sqlite3.connect(
            self.path, timeout=self._wait_seconds, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN IMMEDIATE")
            self._set_up(connection)
            oldest = self.wall() - _KEPT_SECONDS
            connection.execute("DELETE FROM records WHERE wall < ?", (oldest,))
            connection.commit()
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._closing = weakref.finalize(self, connection.close)
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        """Create the tables if they are missing."""
        count_tables = "SELECT count(*) FROM sqlite_master"
        questions = ("PRAGMA application_id", "PRAGMA user_version", count_tables)
        answers = (connection.execute(question).fetchone()[0] for question in questions)
        application, version, tables = answers
        if tables and application != _APPLICATION:
            raise OSError("it is not a file of budgetframe")
        if tables and version > _VERSION:
            raise OSError(f"its format is {version}, and this version can read format {_VERSION}")
        if tables and version < _VERSION:  # it is replaced, as a damaged file
            raise sqlite3.DatabaseError(f"its format is {version}, that of an earlier version")
        if not tables:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute("INSERT INTO file VALUES (?, 0)", (uuid.uuid4().hex,))
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        row = connection.execute("SELECT id FROM file").fetchone()
        if row is None:
            raise sqlite3.DatabaseError("its own id is missing")
        self.id = row[0]

    def _drop_outdated(self, connection: sqlite3.Connection) -> None:
        """Drop all records, because a process could not drop some of them."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute("DELETE FROM records")
            # No read that is under way may store its answer.
            connection.execute(
                "INSERT INTO generations VALUES ('', 1)"
                " ON CONFLICT (name) DO UPDATE SET count = count + 1"
            )
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        # After the commit: a process that ends before it has dropped nothing.
        self._outdated.unlink(missing_ok=True)

    def _set_busy(self, *, is_busy: bool) -> None:
        self._is_busy = is_busy
        self._wait_seconds = min(self._timeout, _SHORT_TIMEOUT) if is_busy else self._timeout
        if self._connection is not None:
            milliseconds = int(1_000 * self._wait_seconds)
            self._connection.execute(f"PRAGMA busy_timeout = {milliseconds}")

    def _failed(self, error: Exception) -> SQLiteFileError:
        """Return the error to raise; unless the file is only busy, stop using it and warn once."""
        if _code_of(error) == sqlite3.SQLITE_BUSY:
            self._set_busy(is_busy=True)
            return SQLiteFileBusyError(str(error))
        if not self._is_lost:
            self._is_lost = True
            self.mark_outdated()
            self.close()
            if _is_damage(error):
                self._delete()
            self._warn(
                f"cannot be used ({error}): continuing without it. Requests of other processes"
                " with this token are not counted, answers from before their writes are shown"
                " within the time to live, and nothing is kept for a restart"
            )
        return SQLiteFileError(str(error))

    def _delete(self) -> None:
        if self._inode != _inode(self.path):  # another process has replaced it already
            return
        for suffix in ("-journal", "-wal", "-shm", ""):
            with suppress(OSError):
                Path(f"{self.path}{suffix}").unlink()

    def _warn(self, problem: str) -> None:
        defer_warning(f"the cache file {self.path} {problem}")


def _is_damage(error: Exception) -> bool:
    code = _code_of(error)
    if code is None:  # raised by this package, or by Python for text that cannot be decoded
        kinds = (sqlite3.DatabaseError, sqlite3.OperationalError, UnicodeDecodeError)
        return type(error) in kinds
    return code in _DAMAGE


def _code_of(error: Exception) -> int | None:
    """Return the primary error code of SQLite; None if the error is not from SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
