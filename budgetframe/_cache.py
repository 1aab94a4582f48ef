"""What is remembered of the service's answers: delta entries and time-limited entries."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ._merge import copy_json, merge
from ._resources import EXPORT, RESOURCES
from ._target import Params

__all__ = ["DeltaCache", "Reading"]


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A list as of a server knowledge. Never changed: a merge makes a new one."""

    data: dict[str, Any]
    knowledge: int
    params: Params | None  # None: stored by hand, serves any
    month: str | None  # the UTC month its amounts belong to, where they belong to one


@dataclass(frozen=True, slots=True, eq=False)
class _Limited:
    """Something that is remembered for a limited time. Its data are never changed."""

    data: Any
    stored: float
    until: float
    month: str | None
    as_of: datetime | None


@dataclass(frozen=True, slots=True)
class Reading:
    """One read that is under way, and how things stood when it began."""

    key: str
    params: Params
    entry: _Entry | None
    epoch: tuple[int, ...]
    month: str | None

    @property
    def cursor(self) -> int | None:
        """The server knowledge to ask from; a knowledge of 0 is none."""
        return self.entry.knowledge or None if self.entry else None


class DeltaCache:
    """Remembers lists with the server knowledge they are of, and answers for a limited time.

    A key is ``{budget_id}:{resource}``. Under one key there is an entry for each set of query
    parameters it was read with, for a delta of a filtered list must never be merged into another.
    What is handed out is a copy. The cache belongs to no event loop and may be used from several
    threads.

    Parameters
    ----------
    clock : callable
        Gives monotonic seconds, for time-limited entries.
    wall_clock : callable
        Gives Unix seconds. The amounts of ``categories`` are those of the current month (UTC);
        they are dropped when that month is over, as is what has a key that ends in ``:current``.

    Examples
    --------
    >>> cache = DeltaCache()
    >>> cache.update("b1:payees", {"payees": [{"id": "p1", "name": "Baker"}]}, 7)
    >>> delta = {"payees": [{"id": "p1", "deleted": True}, {"id": "p2", "name": "Grocer"}]}
    >>> cache.merge("b1:payees", delta, 9)
    {'payees': [{'id': 'p2', 'name': 'Grocer'}]}
    >>> cache.get_knowledge("b1:payees")
    9
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._entries: dict[str, dict[Params | None, _Entry]] = {}
        self._limited: dict[str, _Limited] = {}
        # How often a key, a budget, or everything ("") was dropped: a read that began before a
        # drop must not store what it got.
        self._drops: Counter[str] = Counter()
        self._lock = threading.RLock()

    def get_knowledge(self, key: str, *, params: Mapping[str, str] | None = None) -> int | None:
        """Server knowledge of an entry.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        params : mapping, optional
            Query parameters it was read with. Without them this speaks of the entry that was made
            without any, else of the newest.

        Returns
        -------
        int or None
            None when there is no entry.
        """
        with self._lock:
            entry = self._find(key, _normal(params))
            return entry.knowledge if entry else None

    def get_data(
        self, key: str, *, params: Mapping[str, str] | None = None
    ) -> dict[str, Any] | None:
        """Data of an entry.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        params : mapping, optional
            As in `get_knowledge`.

        Returns
        -------
        dict or None
            A copy; None when there is no entry.
        """
        with self._lock:
            entry = self._find(key, _normal(params))
        return copy_json(entry.data) if entry else None

    def update(
        self,
        key: str,
        data: dict[str, Any],
        server_knowledge: int,
        *,
        params: Mapping[str, str] | None = None,
    ) -> None:
        """Store a whole list.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        data : dict
            The data object, without its server knowledge.
        server_knowledge : int
            What to ask for changes since; 0 for nothing.
        params : mapping, optional
            Query parameters it was read with. Without them it replaces everything under the key
            and serves any.
        """
        with self._lock:
            stated = _normal(params)
            if stated is None:
                self._entries.pop(key, None)
            self._put(key, _Entry(copy_json(data), server_knowledge, stated, self._month_of(key)))

    def merge(
        self,
        key: str,
        delta: dict[str, Any],
        server_knowledge: int,
        *,
        params: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Merge a delta into the entry and give a copy of the result.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        delta : dict
            The data object of a delta, without its server knowledge.
        server_knowledge : int
            Of the delta. One that is lower than the entry's changes nothing: it is older.
        params : mapping, optional
            As in `get_knowledge`.

        Returns
        -------
        dict
            A copy of the merged data; the delta itself where there was no entry, and it is stored
            as one then.
        """
        with self._lock:
            stated = _normal(params)
            entry = self._find(key, stated)
            if entry is None:
                self.update(key, delta, server_knowledge, params=params)
                return copy_json(delta)
            return copy_json(self._merge_into(key, entry, copy_json(delta), server_knowledge))

    def invalidate(self, key: str) -> None:
        """Drop what is under the key, for all parameters.

        The time-limited entries of the resource go along, and those of the whole-budget export,
        which contains it.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        """
        with self._lock:
            budget_id, _, resource = _base(key).partition(":")
            export = f"{budget_id}:{EXPORT}"
            self._entries.pop(key, None)
            self._drops.update({f"{budget_id}:{resource}", export})
            self._drop_limited(lambda k: k.startswith((f"{key}:", f"{key}?")) or k == key)
            self._drop_limited(lambda k: _base(k) == export)

    def invalidate_budget(self, budget_id: str) -> None:
        """Drop everything that is under ``{budget_id}:``."""
        with self._lock:
            prefix = f"{budget_id}:"
            for key in [key for key in self._entries if key.startswith(prefix)]:
                del self._entries[key]
            self._drop_limited(lambda key: key.startswith(prefix))
            self._drops[prefix] += 1

    def clear(self) -> None:
        """Drop everything, delta entries and time-limited ones."""
        with self._lock:
            self._entries.clear()
            self._limited.clear()
            self._drops[""] += 1

    def set_ttl(self, key: str, data: Any, ttl_seconds: float) -> None:
        """Store something for a limited time.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``, which may go on after a ``:`` or a ``?``.
        data : object
            Parsed JSON, of which a copy is stored, or an object that nobody can change.
        ttl_seconds : float
            Seconds after which it is gone.
        """
        with self._lock:
            self._limit(key, copy_json(data), ttl_seconds, self._month_of(key), None)

    def get_ttl(self, key: str) -> Any:
        """Give a copy of what `set_ttl` stored.

        Parameters
        ----------
        key : str
            As it was stored under.

        Returns
        -------
        object
            None when it is missing, or its time is over; it is dropped then.
        """
        with self._lock:
            limited = self._valid(key)
        return None if limited is None else copy_json(limited.data)

    # What follows is for the package itself: the same without copies, and safe against what
    # happens while a request is under way.

    def begin(self, key: str, params: Params = ()) -> Reading:
        """Note how things stand before a request is sent."""
        with self._lock:
            return Reading(
                key, params, self._find(key, params), self._epoch(key), self._month_of(key)
            )

    def is_current(self, reading: Reading) -> bool:
        """Whether nothing the reading depends on was dropped since it began."""
        with self._lock:
            as_it_began = (reading.epoch, reading.month)
            return as_it_began == (self._epoch(reading.key), self._month_of(reading.key))

    def remember(self, reading: Reading, data: Any, ttl_seconds: float, as_of: datetime) -> None:
        """`set_ttl` what was read, unless it may be older than what happened since."""
        with self._lock:
            if self.is_current(reading):
                self._limit(reading.key, data, ttl_seconds, reading.month, as_of)

    def recall(self, key: str, ttl_seconds: float) -> tuple[Any, datetime] | None:
        """What was remembered, and as of when, if it is not older than that: to be read only."""
        with self._lock:
            limited = self._valid(key)
            if limited is None or limited.as_of is None:
                return None
            if self._clock() >= limited.stored + ttl_seconds:  # another reader allowed it more
                return None
            return limited.data, limited.as_of

    def store(self, reading: Reading, data: dict[str, Any], knowledge: int) -> None:
        """Store a whole list, unless it may be older than what happened since it was asked for."""
        with self._lock:
            there = self._find(reading.key, reading.params)
            if self.is_current(reading) and (
                there is reading.entry or there is None or there.knowledge <= knowledge
            ):
                self._put(reading.key, _Entry(data, knowledge, reading.params, reading.month))

    def apply(
        self, reading: Reading, delta: dict[str, Any], knowledge: int
    ) -> dict[str, Any] | None:
        """Merge a delta into the entry it was asked for; None when that is no longer the entry."""
        with self._lock:
            entry = self._find(reading.key, reading.params)
            if entry is None or entry is not reading.entry:
                return None
            return self._merge_into(reading.key, entry, delta, knowledge)

    def discard(self, reading: Reading) -> None:
        """Drop the entry of a reading whose answer cannot be trusted as a delta of it."""
        with self._lock:
            entries = self._entries.get(reading.key, {})
            if reading.entry and entries.get(reading.entry.params) is reading.entry:
                del entries[reading.entry.params]

    def _find(self, key: str, params: Params | None) -> _Entry | None:
        entries = self._entries.get(key, {})
        entry = entries.get(params, entries.get(None))
        if entry is None and params is None and entries:
            entry = entries.get((), entries[next(reversed(entries))])
        if entry is not None and entry.month != self._month_of(key):
            del entries[entry.params]
            return None
        return entry

    def _put(self, key: str, entry: _Entry) -> None:
        entries = self._entries.setdefault(key, {})
        # The entry that serves any parameters gives way; popping first makes the new one newest.
        entries.pop(None, None)
        entries.pop(entry.params, None)
        entries[entry.params] = entry

    def _merge_into(
        self, key: str, entry: _Entry, delta: dict[str, Any], knowledge: int
    ) -> dict[str, Any]:
        if knowledge < entry.knowledge:
            return entry.data
        merged = merge(entry.data, delta)
        self._put(key, _Entry(merged, knowledge, entry.params, entry.month))
        return merged

    def _limit(
        self, key: str, data: Any, ttl_seconds: float, month: str | None, as_of: datetime | None
    ) -> None:
        now = self._clock()
        self._limited[key] = _Limited(data, now, now + ttl_seconds, month, as_of)

    def _valid(self, key: str) -> _Limited | None:
        limited = self._limited.get(key)
        if limited is None:
            return None
        if self._clock() >= limited.until or limited.month != self._month_of(key):
            del self._limited[key]
            return None
        return limited

    def _drop_limited(self, is_dropped: Callable[[str], bool]) -> None:
        for key in [key for key in self._limited if is_dropped(key)]:
            del self._limited[key]

    def _epoch(self, key: str) -> tuple[int, ...]:
        base = _base(key)
        budget = base.partition(":")[0] + ":"
        return self._drops[""], self._drops[budget], self._drops[base]

    def _month_of(self, key: str) -> str | None:
        """The current month, for what is of the current month whichever that is."""
        resource = RESOURCES.get(_base(key).partition(":")[2])
        if not (resource and resource.of_current_month) and not key.endswith(":current"):
            return None
        return f"{datetime.fromtimestamp(self._wall_clock(), UTC):%Y-%m}"


def _base(key: str) -> str:
    """``{budget_id}:{resource}`` of a key that may go on after a ``:`` or a ``?``."""
    budget_id, _, rest = key.partition(":")
    return f"{budget_id}:{rest.partition(':')[0].partition('?')[0]}"


def _normal(params: Mapping[str, str] | None) -> Params | None:
    return None if params is None else tuple(sorted(params.items()))
