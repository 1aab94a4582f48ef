"""The part of the limit's window that other processes have used."""

from __future__ import annotations

import os
import sqlite3
import uuid
import zlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from .clocks import Moment
from .sqlite_file import SQLiteFile, SQLiteFileError

__all__ = ["SharedWindow"]

# A request of another process that is under way for longer will not end: its process has.
_LONGEST = 600.0

_T = TypeVar("_T", bound=tuple[bool, int, float | None])


class SharedWindow:
    """Tells other processes of the requests of this one, and this one of theirs.

    Once the file cannot be used, it knows what it knew last.

    Parameters
    ----------
    store : Store
        The file.
    window_seconds : float
        Length of the window in seconds.
    clock : callable
        The clock of the limiter, in whose seconds times are stated here.
    """

    def __init__(
        self, store: SQLiteFile, window_seconds: float, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._window = window_seconds
        self._clock = clock
        self._born = ""
        self._known: list[float] = []
        self._owner = ""
        self._pid = 0
        self._under_way = 0

    @property
    def knows_parent(self) -> bool:
        """Whether what the parent of a forked process has sent is among the times of others."""
        return not self._store.is_lost

    def reserve(self, decide: Callable[[list[float]], _T], own: Iterable[float]) -> _T:
        """Judge with the times of the others, and if that allows it, tell them of a request.

        Nobody else is admitted in between.

        Parameters
        ----------
        judge : callable
            Takes the times of the others' requests; what it gives begins with the decision.
        own : iterable of float
            Times of the requests of this process, for a file that does not know them yet.
        """
        try:
            with self._store.transaction() as file:
                self._refresh(file, own)
                verdict = decide(self._known)
                if verdict[0]:
                    self._insert(file, self._store.clocks.now(), is_under_way=True)
        except SQLiteFileError:
            verdict = decide(self._still_known())
        self._under_way += verdict[0]
        return verdict

    def times(self, own: Iterable[float]) -> list[float]:
        """Times of the others' requests in the window."""
        try:
            with self._store.transaction() as file:
                self._refresh(file, own)
        except SQLiteFileError:
            pass
        return self._still_known()

    def record(self) -> None:
        """Tell the others of a request that has ended now."""
        try:
            with self._store.transaction() as file:
                self._insert(file, self._store.clocks.now(), is_under_way=False)
        except SQLiteFileError:
            pass

    def release(self, *, counts: bool) -> None:
        """End what `reserve` began; a request that was never sent does not count."""
        ended = (
            "UPDATE requests SET is_under_way = 0, boot = ?, ticks = ?, wall = ?, seal = ?"
            if counts
            else "DELETE FROM requests"
        )
        now = self._store.clocks.now()
        name = self._name()
        stated = (*now, _sealed(name, 0, now)) if counts else ()
        one = "WHERE id = (SELECT min(id) FROM requests WHERE owner = ? AND is_under_way)"
        self._under_way = max(0, self._under_way - 1)
        try:
            with self._store.transaction() as file:
                done = file.execute(f"{ended} {one}", (*stated, name))
                # Not there: it is another file by now, or the request took all too long.
                if counts and not done.rowcount:
                    self._insert(file, now, is_under_way=False)
        except SQLiteFileError:
            pass

    def _refresh(self, file: sqlite3.Connection, own: Iterable[float]) -> None:
        if self._born != self._store.born:  # a file that knows nothing of this process
            self._born = self._store.born
            now = self._store.clocks.now()
            # What the old file said of others goes along: twice, where they do so too, for nothing
            # else would be there of those that have ended.
            for owner, times in ((self._name(), own), (uuid.uuid4().hex, self._still_known())):
                for time in times:
                    age = self._clock() - time
                    then = Moment(now.boot, now.ticks - age, now.wall - age)
                    self._insert(file, then, owner=owner, is_under_way=False)
            for _ in range(self._under_way):
                self._insert(file, now, is_under_way=True)
        # What is over is deleted whoever owns it: nobody else may come by to do so.
        self._known = [
            self._clock() - age
            for request_id, owner, age in self._ages(file)
            if not self._is_over(file, request_id, age) and owner != self._name()
        ]

    def _ages(self, file: sqlite3.Connection) -> Iterable[tuple[int, str, float]]:
        now = self._store.clocks.now()
        rows = file.execute("SELECT id, seal, owner, is_under_way, boot, ticks, wall FROM requests")
        for request_id, seal, owner, is_under_way, *written in rows.fetchall():
            then = Moment(*written)
            if seal != _sealed(owner, is_under_way, then):
                raise sqlite3.DatabaseError("what it holds of a request is not what was written")
            age = self._store.clocks.least_since(then)
            if then.boot != now.boot or then.wall > now.wall:
                # From before the machine was started anew, or the clock set back: from now on the
                # monotonic clock counts, and one window is the longest that this can last.
                then = Moment(now.boot, now.ticks - age, now.wall - age)
                file.execute(
                    "UPDATE requests SET boot = ?, ticks = ?, wall = ?, seal = ? WHERE id = ?",
                    (*then, _sealed(owner, is_under_way, then), request_id),
                )
            yield request_id, owner, max(0.0, age - _LONGEST) if is_under_way else age

    def _is_over(self, file: sqlite3.Connection, request_id: int, age: float) -> bool:
        if age <= self._window:  # an age equal to the window still counts
            return False
        file.execute("DELETE FROM requests WHERE id = ?", (request_id,))
        return True

    def _insert(
        self,
        file: sqlite3.Connection,
        then: Moment,
        *,
        is_under_way: bool,
        owner: str | None = None,
    ) -> None:
        owner = owner or self._name()
        file.execute(
            "INSERT INTO requests (owner, is_under_way, boot, ticks, wall, seal)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (owner, is_under_way, *then, _sealed(owner, int(is_under_way), then)),
        )

    def _still_known(self) -> list[float]:
        now = self._clock()
        return [time for time in self._known if time + self._window >= now]

    def _name(self) -> str:
        """What the requests of this process go by; a forked child is another one."""
        if self._pid != os.getpid():
            self._pid, self._owner = os.getpid(), uuid.uuid4().hex
            self._under_way = 0
        return self._owner


def _sealed(owner: Any, is_under_way: Any, then: Moment) -> int:
    # By their spelling: what is damaged may be of any type.
    return zlib.crc32(repr((owner, is_under_way, *then)).encode(errors="replace"))
