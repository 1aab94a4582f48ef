"""The requests that other processes with the same token have sent."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from .sqlite_file import SQLiteFile, SQLiteFileError

__all__ = ["SharedWindow"]

# A request of another process that is under way for longer will never end: its process has.
_LONGEST = 600.0

_T = TypeVar("_T", bound=tuple[bool, int, float | None])


class SharedWindow:
    """Records the requests of this process in a file, and reads those of other processes there.

    When the file cannot be used any more, the requests that were read last still count.

    Parameters
    ----------
    file : SQLiteFile
        The file.
    window_seconds : float
        Length of the window in seconds.
    clock : callable
        The clock of the limiter, in whose seconds times are given here.
    """

    def __init__(self, file: SQLiteFile, window_seconds: float, clock: Callable[[], float]) -> None:
        self._file = file
        self._window = window_seconds
        self._clock = clock
        self._told = ""  # id of the file that holds the requests of this process
        self._source = ""  # id of the file that the requests of others were read from
        self._known: list[float] = []
        self._owner = ""
        self._pid = 0
        self._under_way = 0

    @property
    def knows_parent(self) -> bool:
        """Whether the times of others include those of the parent of a forked process."""
        return not self._file.is_lost

    def reserve(self, decide: Callable[[list[float]], _T], own: Iterable[float]) -> _T:
        """Decide with the times of the others, and record a request if it is allowed.

        No other process can reserve in between.

        Parameters
        ----------
        decide : callable
            Takes the times of the others' requests; its result begins with the decision.
        own : iterable of float
            Times of the requests of this process, for a file that does not hold them yet.
        """
        try:
            with self._file.transaction(write=True) as connection:
                self._tell_new_file(connection, own)
                self._refresh(connection)
                verdict = decide(self._known)
                if verdict[0]:
                    self._insert(connection, self._file.wall(), is_under_way=True)
        except SQLiteFileError:
            verdict = decide(self._still_known())
        self._under_way += verdict[0]
        return verdict

    def times(self) -> list[float]:
        """Times of the others' requests in the window."""
        with suppress(SQLiteFileError), self._file.transaction() as connection:
            self._refresh(connection)
        return self._still_known()

    def record(self) -> None:
        """Record a request that has ended now."""
        with suppress(SQLiteFileError), self._file.transaction(write=True) as connection:
            self._insert(connection, self._file.wall(), is_under_way=False)

    def release(self, *, counts: bool) -> None:
        """End a request that `reserve` began; a request that was never sent does not count."""
        self._under_way = max(0, self._under_way - 1)
        now = self._file.wall()
        with suppress(SQLiteFileError), self._file.transaction(write=True) as connection:
            begun = connection.execute(
                "SELECT min(id) FROM requests WHERE owner = ? AND is_under_way", (self._name(),)
            ).fetchone()
            connection.execute("DELETE FROM requests WHERE id = ?", begun)
            if counts:
                self._insert(connection, now, is_under_way=False)

    def _tell_new_file(self, connection: sqlite3.Connection, own: Iterable[float]) -> None:
        """Record what is known of this process and of the others in a file that is new to it."""
        if self._told != self._file.id:
            now = self._file.wall()
            told = [(self._name(), own)]
            if self._source != self._file.id:
                # Several processes may record the same requests of others, so that these count
                # twice: requests that have ended would otherwise be missing in the new file.
                told.append((uuid.uuid4().hex, self._still_known()))
            for owner, times in told:
                for time in times:
                    wall = now - (self._clock() - time)
                    self._insert(connection, wall, owner=owner, is_under_way=False)
            for _ in range(self._under_way):
                self._insert(connection, now, is_under_way=True)
            self._told = self._source = self._file.id
        # Requests of processes that have ended are deleted here too.
        oldest = self._file.wall() - self._window
        connection.execute(
            "DELETE FROM requests WHERE wall + is_under_way * ? < ?", (_LONGEST, oldest)
        )
        # A time in the future shows that the clock was set back. It counts from now on, so that
        # it counts for one window at most.
        now = self._file.wall()
        connection.execute("UPDATE requests SET wall = ? WHERE wall > ?", (now, now))

    def _refresh(self, connection: sqlite3.Connection) -> None:
        if self._source not in {"", self._file.id}:  # a new file, which holds none of them yet
            return
        self._source = self._file.id
        rows = connection.execute(
            "SELECT ? - wall - is_under_way * ? FROM requests WHERE owner != ?",
            (self._file.wall(), _LONGEST, self._name()),
        )
        now = self._clock()
        ages = [age for (age,) in rows]
        if not all(isinstance(age, float) for age in ages):
            raise sqlite3.DatabaseError("its requests are damaged")
        self._known = [now - max(0.0, age) for age in ages if age <= self._window]

    def _insert(
        self,
        connection: sqlite3.Connection,
        wall: float,
        *,
        is_under_way: bool,
        owner: str | None = None,
    ) -> None:
        connection.execute(
            "INSERT INTO requests (owner, is_under_way, wall) VALUES (?, ?, ?)",
            (owner or self._name(), is_under_way, wall),
        )

    def _still_known(self) -> list[float]:
        now = self._clock()
        return [time for time in self._known if time + self._window >= now]

    def _name(self) -> str:
        """Name of the owner of this process's requests; a forked child has another one."""
        if self._pid != os.getpid():
            self._pid, self._owner = os.getpid(), uuid.uuid4().hex
            self._under_way = 0
        return self._owner
