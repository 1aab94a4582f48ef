"""Where a cache keeps what it remembers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from .merge import Positions

__all__ = ["Entry", "MemoryStorage", "Params", "Storage", "StorageError", "TimedEntry"]

Params = tuple[tuple[str, str], ...]
"""Query parameters in an order of their own, so that equal ones compare equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A list as of a server knowledge. Never changed: a merge makes a new one."""

    data: dict[str, Any]
    knowledge: int
    params: Params | None  # None: stored by hand, serves any
    month: str | None  # the UTC month its amounts belong to, where they belong to one
    positions: Positions = field(default_factory=dict)  # what a merge has found out of its lists


@dataclass(frozen=True, slots=True, eq=False)
class TimedEntry:
    """Something that is remembered for a limited time. Its data are never changed."""

    data: Any
    stored: float
    ttl: float
    month: str | None
    as_of: datetime | None


class StorageError(Exception):
    """What a shelf keeps cannot be reached any more.

    Parameters
    ----------
    instead : Shelf
        What to go on with.
    """

    def __init__(self, instead: Storage) -> None:
        super().__init__()
        self.instead = instead


class Storage(Protocol):
    """Keeps entries by key and parameters, and time-limited ones by key."""

    persistent: bool
    """Whether it outlives the process."""

    def transaction(self) -> AbstractContextManager[None]:
        """Everything in here takes effect together, or not at all."""

    def find(self, key: str, params: Params | None) -> Entry | None:
        """The entry of exactly these parameters: the same object until it is replaced."""

    def newest(self, key: str) -> Entry | None:
        """The entry under the key that was put last."""

    def put(self, key: str, entry: Entry, delta: tuple[Entry, dict[str, Any]] | None) -> None:
        """Put an entry in the place of that of the same parameters.

        `delta` is what the entry came from, where it came from a merge: the entry that is there
        now, and the delta merged into it.
        """

    def drop(self, key: str, params: Params | None) -> None:
        """Drop the entry of exactly these parameters."""

    def drop_entries(self, is_dropped: Callable[[str], bool]) -> None:
        """Drop all entries under such keys."""

    def get_timed(self, key: str) -> TimedEntry | None:
        """The time-limited entry, whether its time is over or not."""

    def put_timed(self, key: str, get_timed: TimedEntry) -> None:
        """Put a time-limited entry in the place of the one that is there."""

    def drop_timed(self, is_dropped: Callable[[str], bool]) -> None:
        """Drop the time-limited entries of such keys."""

    def generation(self, *names: str) -> tuple[object, ...]:
        """What is different once `bump_generation` was called with one of the names."""

    def bump_generation(self, *names: str) -> None:
        """Note that what goes by these names was dropped."""


class MemoryStorage:
    """A shelf in the memory of this process."""

    persistent = False

    def __init__(self) -> None:
        self._entries: dict[str, dict[Params | None, Entry]] = {}
        self._timed: dict[str, TimedEntry] = {}
        self._drops: Counter[str] = Counter()

    def transaction(self) -> AbstractContextManager[None]:
        return nullcontext()

    def find(self, key: str, params: Params | None) -> Entry | None:
        return self._entries.get(key, {}).get(params)

    def newest(self, key: str) -> Entry | None:
        entries = self._entries.get(key)
        return entries[next(reversed(entries))] if entries else None

    def put(self, key: str, entry: Entry, delta: tuple[Entry, dict[str, Any]] | None) -> None:
        del delta
        entries = self._entries.setdefault(key, {})
        entries.pop(entry.params, None)  # so that it comes last
        entries[entry.params] = entry

    def drop(self, key: str, params: Params | None) -> None:
        self._entries.get(key, {}).pop(params, None)

    def drop_entries(self, is_dropped: Callable[[str], bool]) -> None:
        for key in list(filter(is_dropped, self._entries)):
            del self._entries[key]

    def get_timed(self, key: str) -> TimedEntry | None:
        return self._timed.get(key)

    def put_timed(self, key: str, get_timed: TimedEntry) -> None:
        self._timed[key] = get_timed

    def drop_timed(self, is_dropped: Callable[[str], bool]) -> None:
        for key in list(filter(is_dropped, self._timed)):
            del self._timed[key]

    def generation(self, *names: str) -> tuple[object, ...]:
        # Itself too: what was begun on another shelf is of no use on this one.
        return (self, *(self._drops[name] for name in names))

    def bump_generation(self, *names: str) -> None:
        self._drops.update(names)
