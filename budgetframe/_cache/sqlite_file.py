"""An SQLite file that several processes share, and that nobody depends on."""

from __future__ import annotations

import os
import sqlite3
import stat
import uuid
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.fork_lock import STATE

from .clocks import Clocks

__all__ = ["SQLiteFile", "SQLiteFileError"]

_VERSION = 1  # of the schema below; a file of a later one is left alone
_APPLICATION = 0x42756446  # tells SQLite files of this kind from others
_PATIENCE = 5.0  # seconds to wait for another process that is writing

_SCHEMA = """
CREATE TABLE file (born TEXT NOT NULL, last_revision INTEGER NOT NULL);
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    params TEXT NOT NULL,
    month TEXT,
    knowledge TEXT NOT NULL,
    revision INTEGER NOT NULL,
    seal INTEGER NOT NULL,
    wall REAL NOT NULL,
    whole BLOB NOT NULL,
    UNIQUE (key, params)
);
CREATE TABLE deltas (
    revision INTEGER PRIMARY KEY,
    entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    delta BLOB NOT NULL
);
CREATE INDEX deltas_by_entry ON deltas (entry);
CREATE TABLE limited (
    key TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    seal INTEGER NOT NULL,
    entry INTEGER REFERENCES entries ON DELETE CASCADE,
    answer BLOB NOT NULL,
    boot TEXT NOT NULL,
    ticks REAL NOT NULL,
    wall REAL NOT NULL,
    ttl REAL NOT NULL,
    month TEXT,
    as_of TEXT NOT NULL
);
CREATE INDEX limited_by_entry ON limited (entry);
CREATE TABLE drops (name TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    is_under_way INTEGER NOT NULL,
    boot TEXT NOT NULL,
    ticks REAL NOT NULL,
    wall REAL NOT NULL,
    seal INTEGER NOT NULL
);
"""

# What SQLite says of a file that is not as it was written; the rest is about its surroundings.
_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_ERROR,  # our questions are sound: a table or a column is missing
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_TOOBIG,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_NOTADB,
    }
)
# Python decodes and encodes text on the way, even that of error messages.
_TROUBLE = (sqlite3.Error, OSError, UnicodeError)
_KEPT_SECONDS = 30 * 86_400.0  # after which what nobody has read again is deleted
_PRIMARY = 0xFF  # of the bits of an error code; the others say more


class SQLiteFileError(Exception):
    """The file cannot be used; that was said, and it will not be tried again."""


class SQLiteFile:
    """An SQLite file for what should outlive a process and be common to several.

    It is opened at the first use. Whatever is wrong with it (no place for it, no right to it,
    damaged, locked for long, written by a later version) is said in one warning; from then on
    every use is a `SQLiteFileError`. A damaged file is put out of the way first, so that the next
    process starts with a new one.

    Parameters
    ----------
    path : Path
        The file. Its folder is made, for the user alone, and so is the file.
    clocks : Clocks
        What is written down is written down by these.
    patience : float
        Seconds to wait for another process that is writing.
    """

    def __init__(
        self, path: Path, *, clocks: Clocks | None = None, patience: float = _PATIENCE
    ) -> None:
        self.path = path
        self.clocks = clocks or Clocks()
        self._patience = patience
        self._connection: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._pid = 0
        self._is_lost = False
        self._closing: weakref.finalize[[], SQLiteFile] | None = None
        self.born = ""

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A connection, all of whose statements take effect together, or not at all.

        Raises
        ------
        StoreError
            When the file cannot be used.
        """
        with STATE:
            try:
                connection = self._opened()
                try:
                    connection.execute("BEGIN IMMEDIATE")
                    yield connection
                    connection.commit()
                except BaseException:
                    connection.rollback()
                    raise
            except _TROUBLE as error:
                raise self._lost(error) from None

    @property
    def is_lost(self) -> bool:
        """Whether the file cannot be used, and will not be tried again."""
        return self._is_lost

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with STATE:
            if self._closing is not None:
                self._closing()
            self._connection = self._closing = None

    def mark_outdated(self) -> None:
        """Have the next one who opens the file drop its time-limited entries.

        For when something was to be dropped and the file could not be used.
        """
        with suppress(OSError):
            self._outdated.touch(mode=0o600)

    @property
    def _outdated(self) -> Path:
        return self.path.with_suffix(".outdated")

    def _opened(self) -> sqlite3.Connection:
        if self._is_lost:
            raise SQLiteFileError
        if self._connection is not None:
            if self._pid == os.getpid() and self._inode == _inode(self.path):
                return self._connection
            # Forked, or somebody deleted the file: what would be written to it is nobody's.
            self.close()
        try:
            connection = self._connected()
        except _TROUBLE as error:
            if not _is_damage(error):
                raise
            # Put away first: who makes an error of the warning has a new file the next time.
            self._put_away()
            self._say(f"is damaged ({error}): starting with a new one")
            connection = self._connected()
        self._connection, self._pid = connection, os.getpid()
        self._closing = weakref.finalize(self, connection.close)
        return connection

    def _connected(self) -> sqlite3.Connection:
        _make_private(self.path)
        # Before it is opened: whoever replaces it meanwhile is noticed at the next use.
        self._inode = _inode(self.path)
        connection = sqlite3.connect(
            self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN IMMEDIATE")
            self._set_up(connection)
            for table in ("limited", "entries"):  # of parameters that do not come back
                oldest = self.clocks.wall() - _KEPT_SECONDS
                connection.execute(f"DELETE FROM {table} WHERE wall < ?", (oldest,))  # noqa: S608
            is_outdated = self._outdated.exists()
            if is_outdated:
                connection.execute("DELETE FROM limited")
            connection.commit()
        except BaseException:
            connection.close()
            raise
        if is_outdated:  # not earlier: whoever dies before the commit has dropped nothing
            self._outdated.unlink(missing_ok=True)
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        of_application, version, tables = (
            connection.execute(question).fetchone()[0]
            for question in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if not tables:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute("INSERT INTO file VALUES (?, 0)", (uuid.uuid4().hex,))
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        elif of_application != _APPLICATION:
            raise OSError("it is not a file of budgetframe")
        elif version != _VERSION:
            raise OSError(f"its format is {version}, and this version knows {_VERSION}")
        row = connection.execute("SELECT born FROM file").fetchone()
        if row is None:
            raise sqlite3.DatabaseError("it does not say since when it is there")
        self.born = row[0]

    def _lost(self, error: Exception) -> SQLiteFileError:
        self._is_lost = True
        self.mark_outdated()
        self.close()
        if _is_damage(error):
            self._put_away()
        self._say(
            f"cannot be used ({error}): going on without it. What other processes do with this"
            " token is not counted, and nothing will be there after a restart"
        )
        return SQLiteFileError(str(error))

    def _put_away(self) -> None:
        if self._inode != _inode(self.path):  # somebody else was faster, and this is a new one
            return
        for suffix in ("-journal", "-wal", "-shm", ""):
            with suppress(OSError):
                Path(f"{self.path}{suffix}").unlink()

    def _say(self, what: str) -> None:
        defer_warning(RuntimeWarning(f"the cache file {self.path} {what}"))


def _is_damage(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # said by us, or by Python of a text that is none
        said = (sqlite3.DatabaseError, sqlite3.OperationalError, UnicodeDecodeError)
        return type(error) in said
    return code & _PRIMARY in _DAMAGE


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _make_private(path: Path) -> None:
    """Make the folder and the file, if they are not there, and keep others out of them."""
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        # Made here, because SQLite would make it readable for others.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for place, kind, mode in ((path.parent, stat.S_IFDIR, 0o700), (path, stat.S_IFREG, 0o600)):
        status = place.lstat()
        if stat.S_IFMT(status.st_mode) != kind:
            raise PermissionError(f"{place} is a link, or not what it should be")
        if status.st_uid != getattr(os, "getuid", lambda: 0)():
            raise PermissionError(f"{place} is somebody else's")
        if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
            place.chmod(mode)
