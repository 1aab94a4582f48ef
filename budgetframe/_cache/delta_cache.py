"""What is remembered of the service's answers: delta entries and time-limited entries."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from budgetframe._resources import EXPORT, RESOURCES, copy_json
from budgetframe._runtime.fork_lock import STATE

from .merge import merge, positions_in
from .storage import Entry, Limited, MemoryShelf, Params, Shelf, ShelfError

__all__ = ["DeltaCache", "Reading"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Reading:
    """One read that is under way, and how things stood when it began."""

    key: str
    params: Params
    entry: Entry | None
    epoch: tuple[object, ...]
    month: str | None

    @property
    def cursor(self) -> int | None:
        """The server knowledge to ask from; a knowledge of 0 is none."""
        return self.entry.knowledge or None if self.entry else None


def _at_once(
    method: Callable[Concatenate[DeltaCache, _P], _T],
) -> Callable[Concatenate[DeltaCache, _P], _T]:
    """Let a method see and change the cache as if nothing else happened meanwhile."""

    @wraps(method)
    def call(self: DeltaCache, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        with STATE:
            try:
                with self._shelf.at_once():
                    return method(self, *args, **kwargs)
            except ShelfError as lost:
                self._shelf = lost.instead
                return method(self, *args, **kwargs)

    return call


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
    shelf : optional
        Keeps what is remembered, in place of this process's memory.

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
        shelf: Shelf | None = None,
    ) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._shelf: Shelf = MemoryShelf() if shelf is None else shelf

    @_at_once
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
        entry = self._find(key, _normal(params))
        return entry.knowledge if entry else None

    @_at_once
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
        entry = self._find(key, _normal(params))
        return copy_json(entry.data) if entry else None

    @_at_once
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
        self._store(key, copy_json(data), server_knowledge, _normal(params))

    @_at_once
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
        stated = _normal(params)
        entry = self._find(key, stated)
        if entry is None:
            self._store(key, copy_json(delta), server_knowledge, stated)
            return copy_json(delta)
        return copy_json(self._merge_into(key, entry, copy_json(delta), server_knowledge))

    @_at_once
    def invalidate(self, key: str) -> None:
        """Drop what is under the key, for all parameters.

        The time-limited entries of the resource go along, and those of the whole-budget export,
        which contains it.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        """
        budget_id, _, resource = _base(key).partition(":")
        export = f"{budget_id}:{EXPORT}"
        self._shelf.drop_entries(lambda k: k == key)
        self._shelf.note_drops(f"{budget_id}:{resource}", export)
        self._drop_limited(key)

    @_at_once
    def expect_drop(self, key: str) -> None:
        """Drop the time-limited entries that would outlive this process, if it ends right now.

        Before a write is sent: afterwards there may be nobody left to call `invalidate`.
        """
        if self._shelf.is_lasting:
            self._drop_limited(key)

    @_at_once
    def invalidate_budget(self, budget_id: str) -> None:
        """Drop everything that is under ``{budget_id}:``."""
        self._drop_all(f"{budget_id}:")

    @_at_once
    def clear(self) -> None:
        """Drop everything, delta entries and time-limited ones."""
        self._drop_all("")

    @_at_once
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
        month = self._month_of(key)
        self._shelf.limit(key, Limited(copy_json(data), self._clock(), ttl_seconds, month, None))

    @_at_once
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
        limited = self._limited(key)
        if limited is None or self._age(limited) >= limited.ttl:
            self._shelf.drop_limited(lambda k: k == key)
            return None
        return copy_json(limited.data)

    # What follows is for the package itself: the same without copies, and safe against what
    # happens while a request is under way.

    @_at_once
    def begin(self, key: str, params: Params = ()) -> Reading:
        """Note how things stand before a request is sent."""
        return Reading(key, params, self._find(key, params), self._epoch(key), self._month_of(key))

    @_at_once
    def remember(self, reading: Reading, data: Any, ttl_seconds: float, as_of: datetime) -> None:
        """`set_ttl` what was read, unless it may be older than what happened since."""
        if self._is_current(reading):
            limited = Limited(data, self._clock(), ttl_seconds, reading.month, as_of)
            self._shelf.limit(reading.key, limited)

    @_at_once
    def recall(self, key: str, ttl_seconds: float) -> tuple[Any, datetime] | None:
        """What was remembered, and as of when, if it is not older than that: to be read only."""
        limited = self._limited(key)
        if limited is None or limited.as_of is None:
            return None
        # Another reader may have allowed it more, or less.
        if self._age(limited) >= min(ttl_seconds, limited.ttl):
            return None
        return limited.data, limited.as_of

    @_at_once
    def recall_expired(self, key: str) -> tuple[Any, datetime] | None:
        """What was remembered, however old, if nothing since has made it wrong for certain."""
        limited = self._limited(key)
        if limited is None or limited.as_of is None:
            return None
        return limited.data, limited.as_of

    @_at_once
    def store(self, reading: Reading, data: dict[str, Any], knowledge: int) -> None:
        """Store a whole list, unless it may be older than what happened since it was asked for."""
        there = self._find(reading.key, reading.params)
        if self._is_current(reading) and (
            there is reading.entry or there is None or there.knowledge <= knowledge
        ):
            positions = positions_in(data)  # now, so that the first delta is as quick as the next
            entry = Entry(data, knowledge, reading.params, reading.month, positions)
            self._put(reading.key, entry)

    @_at_once
    def apply(
        self, reading: Reading, delta: dict[str, Any], knowledge: int
    ) -> dict[str, Any] | None:
        """Merge a delta into the entry it was asked for; None when that is no longer the entry."""
        entry = self._find(reading.key, reading.params)
        if entry is None or entry is not reading.entry:
            return None
        return self._merge_into(reading.key, entry, delta, knowledge)

    @_at_once
    def discard(self, reading: Reading) -> None:
        """Drop the entry of a reading whose answer cannot be trusted as a delta of it."""
        if reading.entry is not None:
            stated = reading.entry.params
            if self._shelf.find(reading.key, stated) is reading.entry:
                self._shelf.drop(reading.key, stated)

    def _is_current(self, reading: Reading) -> bool:
        as_it_began = (reading.epoch, reading.month)
        return as_it_began == (self._epoch(reading.key), self._month_of(reading.key))

    def _find(self, key: str, params: Params | None) -> Entry | None:
        entry = self._shelf.find(key, params) or self._shelf.find(key, None)
        if entry is None and params is None:
            entry = self._shelf.find(key, ()) or self._shelf.newest(key)
        return entry if entry is not None and entry.month == self._month_of(key) else None

    def _store(self, key: str, data: Any, knowledge: int, params: Params | None) -> None:
        if params is None:
            self._shelf.drop_entries(lambda k: k == key)
        self._put(key, Entry(data, knowledge, params, self._month_of(key)))

    def _put(
        self, key: str, entry: Entry, delta: tuple[Entry, dict[str, Any]] | None = None
    ) -> None:
        if entry.params is not None:
            self._shelf.drop(key, None)  # the entry that serves any parameters gives way
        self._shelf.put(key, entry, delta)

    def _merge_into(
        self, key: str, entry: Entry, delta: dict[str, Any], knowledge: int
    ) -> dict[str, Any]:
        if knowledge < entry.knowledge:
            return entry.data
        positions = dict(entry.positions)
        merged = merge(entry.data, delta, positions)
        if merged is entry.data and knowledge == entry.knowledge:
            return merged  # nothing to write down, and others still have the entry that they know
        after = Entry(merged, knowledge, entry.params, entry.month, positions)
        self._put(key, after, (entry, delta))
        return merged

    def _limited(self, key: str) -> Limited | None:
        limited = self._shelf.limited(key)
        return limited if limited is not None and limited.month == self._month_of(key) else None

    def _age(self, limited: Limited) -> float:
        return self._clock() - limited.stored

    def _drop_limited(self, key: str) -> None:
        export = f"{_base(key).partition(':')[0]}:{EXPORT}"
        self._shelf.drop_limited(lambda k: k.startswith((f"{key}:", f"{key}?")) or k == key)
        self._shelf.drop_limited(lambda k: _base(k) == export)

    def _drop_all(self, prefix: str) -> None:
        self._shelf.drop_entries(lambda key: key.startswith(prefix))
        self._shelf.drop_limited(lambda key: key.startswith(prefix))
        self._shelf.note_drops(prefix)

    def _epoch(self, key: str) -> tuple[object, ...]:
        # How often everything (""), a budget or a key was dropped: a read that began before a
        # drop must not store what it got.
        base = _base(key)
        return self._shelf.epoch("", base.partition(":")[0] + ":", base)

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
