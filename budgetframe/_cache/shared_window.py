"""The requests that other processes with the same token have sent."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from .sqlite_file import SQLiteFile, SQLiteFileError

# A request that is under way for longer belongs to a process that has ended.
_MAX_SECONDS_UNDER_WAY = 600.0

_T = TypeVar("_T", bound=tuple[bool, int, float | None])


class SharedWindow:
    """Records the requests of this process in a file, and reads those of other processes there.

    If the file cannot be used, the requests that were read last still count. If it was only busy,
    the next call of `reserve` or `release` writes all requests of this process to it. All times are
    in seconds of `clock`, which is the clock of the limiter.
    """

    def __init__(self, file: SQLiteFile, window_seconds: float, clock: Callable[[], float]) -> None:
        self._file = file
        self._window = window_seconds
        self._clock = clock
        # Id of the file that contains the requests of this process; "" after the file was busy.
        self._written_to = ""
        self._read_from = ""  # id of the file that the requests of others were read from
        self._others: list[float] = []
        # Seconds of `clock` and of the wall clock when the times in the file were last updated.
        self._last_clocks: tuple[float, float] | None = None
        self._owner = uuid.uuid4().hex  # marks the requests of this process
        self._under_way = 0

    def reserve(self, decide: Callable[[list[float]], _T], own: Iterable[float]) -> _T:
        """Decide with the times of the others, and record a request if it is allowed."""
        # `decide` takes the times of the others' requests, and its result begins with the decision.
        # `own` are the times of the requests of this process, for a file that does not contain them
        # yet. No other process can reserve in between.
        try:
            with self._updated(own) as connection:
                decision = decide(self._others)
                if decision[0]:
                    self._insert(connection, self._file.wall(), is_under_way=True)
        except SQLiteFileError:
            decision = decide(self._still_in_window())
        self._under_way += decision[0]
        return decision

    def times(self) -> list[float]:
        """Return the times of the others' requests in the window."""
        with suppress(SQLiteFileError), self._file.transaction() as connection:
            if self._read_from in {"", self._file.id}:  # a new file lacks the known requests
                self._refresh(connection, self._forward_jump())
                self._read_from = self._file.id
        return self._still_in_window()

    def release(self, own: Iterable[float], *, counts: bool) -> None:
        """End a request of `reserve`, which counts if it was sent; `own` is the same as there."""
        try:
            with suppress(SQLiteFileError), self._updated(own) as connection:
                begun = connection.execute(
                    "SELECT min(id) FROM requests WHERE owner = ? AND is_under_way", (self._owner,)
                ).fetchone()
                connection.execute("DELETE FROM requests WHERE id = ?", begun)
                if counts:
                    self._insert(connection, self._file.wall(), is_under_way=False)
        finally:
            self._under_way = max(0, self._under_way - 1)

    @contextmanager
    def _updated(self, own: Iterable[float]) -> Iterator[sqlite3.Connection]:
        """Begin a transaction that has the times of others, and stores those of this process."""
        clocks = self._clock(), self._file.wall()
        try:
            with self._file.transaction(write=True) as connection:
                self._update_times(connection)
                if self._written_to != self._file.id:
                    self._write_to_new_file(connection, own)
                self._refresh(connection)
                yield connection
        except SQLiteFileError:
            self._written_to = ""
            raise
        # After the commit: a transaction that was interrupted has written nothing.
        self._written_to = self._read_from = self._file.id
        self._last_clocks = clocks

    def _write_to_new_file(self, connection: sqlite3.Connection, own: Iterable[float]) -> None:
        """Record the known requests of this process and of others in a file that lacks them."""
        now = self._file.wall()
        # The file may contain a part of them.
        connection.execute("DELETE FROM requests WHERE owner = ?", (self._owner,))
        requests = [(self._owner, own)]
        if self._read_from not in {"", self._file.id}:
            # Several processes may record the same requests of others, and these then count
            # twice. Without this, requests of processes that have ended would be missing.
            requests.append((uuid.uuid4().hex, self._still_in_window()))
        for owner, times in requests:
            for time in times:
                wall = now - (self._clock() - time)
                self._insert(connection, wall, owner=owner, is_under_way=False)
        for _ in range(self._under_way):
            self._insert(connection, now, is_under_way=True)

    def _forward_jump(self) -> float:
        """Return the seconds that the wall clock was set forward since the last `reserve`."""
        # A suspended machine looks the same if the monotonic clock stops in the meantime. A process
        # that starts later cannot know of the jump.
        if self._last_clocks is None:
            return 0.0
        clock, wall = self._last_clocks
        return max(0.0, (self._file.wall() - wall) - (self._clock() - clock))

    def _update_times(self, connection: sqlite3.Connection) -> None:
        """Follow changes of the wall clock, and delete the requests that have left the window."""
        now, jump = self._file.wall(), self._forward_jump()
        if jump:
            # Otherwise requests would leave the window too early. Times that may be later than the
            # jump stay: all processes that were running before it do the same.
            connection.execute(
                "UPDATE requests SET wall = wall + ? WHERE wall <= ?", (jump, now - jump)
            )
        connection.execute(
            "DELETE FROM requests WHERE wall + is_under_way * ? < ?",
            (_MAX_SECONDS_UNDER_WAY, now - self._window),
        )
        # If a time is in the future, the clock was set back. Such a request counts from now on,
        # so that it counts for one window at most.
        connection.execute("UPDATE requests SET wall = ? WHERE wall > ?", (now, now))

    def _refresh(self, connection: sqlite3.Connection, jump: float = 0.0) -> None:
        """Read the times of the others; `jump` is the one that the file does not follow yet."""
        wall = self._file.wall()
        rows = connection.execute(
            "SELECT ? - wall - is_under_way * ? - (wall <= ?) * ? FROM requests WHERE owner != ?",
            (wall, _MAX_SECONDS_UNDER_WAY, wall - jump, jump, self._owner),
        )
        now = self._clock()
        ages = [age for (age,) in rows]
        if not all(isinstance(age, float) for age in ages):
            raise sqlite3.DatabaseError("the requests in it are damaged")
        self._others = [now - max(0.0, age) for age in ages if age <= self._window]

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
            (owner or self._owner, is_under_way, wall),
        )

    def _still_in_window(self) -> list[float]:
        now = self._clock()
        return [time for time in self._others if time + self._window >= now]
