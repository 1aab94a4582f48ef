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
from .storage import Entry, MemoryStorage, Params, Storage, StorageError, TimedEntry

__all__ = ["DeltaCache", "ReadToken"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ReadToken:
    """One read that is under way, and how things stood when it began."""

    key: str
    params: Params
    entry: Entry | None
    generation: tuple[object, ...]
    month: str | None

    @property
    def cursor(self) -> int | None:
        """The server knowledge to ask from; a knowledge of 0 is none."""
        return self.entry.knowledge or None if self.entry else None


def _in_transaction(
    method: Callable[Concatenate[DeltaCache, _P], _T],
) -> Callable[Concatenate[DeltaCache, _P], _T]:
    """Let a method see and change the cache as if nothing else happened meanwhile."""

    @wraps(method)
    def call(self: DeltaCache, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        with STATE:
            try:
                with self._storage.transaction():
                    return method(self, *args, **kwargs)
            except StorageError as lost:
                self._storage = lost.instead
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
        storage: Storage | None = None,
    ) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._storage: Storage = MemoryStorage() if storage is None else storage

    @_in_transaction
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

    @_in_transaction
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

    @_in_transaction
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

    @_in_transaction
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

    @_in_transaction
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
        self._storage.drop_entries(lambda k: k == key)
        self._storage.bump_generation(f"{budget_id}:{resource}", export)
        self._drop_timed(key)

    @_in_transaction
    def expect_drop(self, key: str) -> None:
        """Drop the time-limited entries that would outlive this process, if it ends right now.

        Before a write is sent: afterwards there may be nobody left to call `invalidate`.
        """
        if self._storage.persistent:
            self._drop_timed(key)

    @_in_transaction
    def invalidate_budget(self, budget_id: str) -> None:
        """Drop everything that is under ``{budget_id}:``."""
        self._drop_all(f"{budget_id}:")

    @_in_transaction
    def clear(self) -> None:
        """Drop everything, delta entries and time-limited ones."""
        self._drop_all("")

    @_in_transaction
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
        self._storage.put_timed(
            key, TimedEntry(copy_json(data), self._clock(), ttl_seconds, month, None)
        )

    @_in_transaction
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
        get_timed = self._timed(key)
        if get_timed is None or self._age(get_timed) >= get_timed.ttl:
            self._storage.drop_timed(lambda k: k == key)
            return None
        return copy_json(get_timed.data)

    # What follows is for the package itself: the same without copies, and safe against what
    # happens while a request is under way.

    @_in_transaction
    def begin_read(self, key: str, params: Params = ()) -> ReadToken:
        """Note how things stand before a request is sent."""
        return ReadToken(
            key, params, self._find(key, params), self._generation(key), self._month_of(key)
        )

    @_in_transaction
    def put_timed(
        self, read_token: ReadToken, data: Any, ttl_seconds: float, as_of: datetime
    ) -> None:
        """`set_ttl` what was read, unless it may be older than what happened since."""
        if self._is_current(read_token):
            get_timed = TimedEntry(data, self._clock(), ttl_seconds, read_token.month, as_of)
            self._storage.put_timed(read_token.key, get_timed)

    @_in_transaction
    def get_timed(self, key: str, ttl_seconds: float) -> tuple[Any, datetime] | None:
        """What was remembered, and as of when, if it is not older than that: to be read only."""
        get_timed = self._timed(key)
        if get_timed is None or get_timed.as_of is None:
            return None
        # Another reader may have allowed it more, or less.
        if self._age(get_timed) >= min(ttl_seconds, get_timed.ttl):
            return None
        return get_timed.data, get_timed.as_of

    @_in_transaction
    def get_stale(self, key: str) -> tuple[Any, datetime] | None:
        """What was remembered, however old, if nothing since has made it wrong for certain."""
        get_timed = self._timed(key)
        if get_timed is None or get_timed.as_of is None:
            return None
        return get_timed.data, get_timed.as_of

    @_in_transaction
    def store(self, read_token: ReadToken, data: dict[str, Any], knowledge: int) -> None:
        """Store a whole list, unless it may be older than what happened since it was asked for."""
        there = self._find(read_token.key, read_token.params)
        if self._is_current(read_token) and (
            there is read_token.entry or there is None or there.knowledge <= knowledge
        ):
            positions = positions_in(data)  # now, so that the first delta is as quick as the next
            entry = Entry(data, knowledge, read_token.params, read_token.month, positions)
            self._put(read_token.key, entry)

    @_in_transaction
    def apply(
        self, read_token: ReadToken, delta: dict[str, Any], knowledge: int
    ) -> dict[str, Any] | None:
        """Merge a delta into the entry it was asked for; None when that is no longer the entry."""
        entry = self._find(read_token.key, read_token.params)
        if entry is None or entry is not read_token.entry:
            return None
        return self._merge_into(read_token.key, entry, delta, knowledge)

    @_in_transaction
    def discard(self, read_token: ReadToken) -> None:
        """Drop the entry of a reading whose answer cannot be trusted as a delta of it."""
        if read_token.entry is not None:
            stated = read_token.entry.params
            if self._storage.find(read_token.key, stated) is read_token.entry:
                self._storage.drop(read_token.key, stated)

    def _is_current(self, read_token: ReadToken) -> bool:
        as_it_began = (read_token.generation, read_token.month)
        return as_it_began == (self._generation(read_token.key), self._month_of(read_token.key))

    def _find(self, key: str, params: Params | None) -> Entry | None:
        entry = self._storage.find(key, params) or self._storage.find(key, None)
        if entry is None and params is None:
            entry = self._storage.find(key, ()) or self._storage.newest(key)
        return entry if entry is not None and entry.month == self._month_of(key) else None

    def _store(self, key: str, data: Any, knowledge: int, params: Params | None) -> None:
        if params is None:
            self._storage.drop_entries(lambda k: k == key)
        self._put(key, Entry(data, knowledge, params, self._month_of(key)))

    def _put(
        self, key: str, entry: Entry, delta: tuple[Entry, dict[str, Any]] | None = None
    ) -> None:
        if entry.params is not None:
            self._storage.drop(key, None)  # the entry that serves any parameters gives way
        self._storage.put(key, entry, delta)

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

    def _timed(self, key: str) -> TimedEntry | None:
        get_timed = self._storage.get_timed(key)
        return (
            get_timed if get_timed is not None and get_timed.month == self._month_of(key) else None
        )

    def _age(self, get_timed: TimedEntry) -> float:
        return self._clock() - get_timed.stored

    def _drop_timed(self, key: str) -> None:
        export = f"{_base(key).partition(':')[0]}:{EXPORT}"
        self._storage.drop_timed(lambda k: k.startswith((f"{key}:", f"{key}?")) or k == key)
        self._storage.drop_timed(lambda k: _base(k) == export)

    def _drop_all(self, prefix: str) -> None:
        self._storage.drop_entries(lambda key: key.startswith(prefix))
        self._storage.drop_timed(lambda key: key.startswith(prefix))
        self._storage.bump_generation(prefix)

    def _generation(self, key: str) -> tuple[object, ...]:
        # How often everything (""), a budget or a key was dropped: a read that began before a
        # drop must not store what it got.
        base = _base(key)
        return self._storage.generation("", base.partition(":")[0] + ":", base)

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
