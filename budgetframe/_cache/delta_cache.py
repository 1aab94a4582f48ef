"""The cache of the service's answers: lists with their server knowledge, and limited answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol
from weakref import WeakSet

from budgetframe._resources import copy_json
from budgetframe._runtime.processes import STATE

from .answers import StoredAnswers
from .deleted_splits import drop_deleted_splits
from .storage import MemoryStorage, Params, Storage


class DeltaCache:
    """Stores lists with their server knowledge, and other answers for a limited time.

    A key is ``{budget_id}:{resource}``. Under one key there is one record for each set of query
    parameters, because a delta of a filtered list must never be merged into another list. The
    public methods return copies. The cache belongs to no event loop and may be used from several
    threads.

    Parameters
    ----------
    clock : callable
        Returns monotonic seconds, for the age of answers.
    wall_clock : callable
        Returns Unix seconds, until an answer states the time of the service. The amounts of
        ``categories`` are those of the current month (UTC). When the month ends, these answers are
        outdated, and so are answers whose key ends in ``:current``.
    storage : optional
        Keeps the records, instead of the memory of this process.

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
        kept: Storage = MemoryStorage() if storage is None else storage
        self.answers = StoredAnswers(kept, clock, wall_clock)
        """For the package: it returns the stored objects themselves."""

    def get_knowledge(self, key: str, *, params: Mapping[str, str] | None = None) -> int | None:
        """Return the server knowledge of a list.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        params : mapping, optional
            Query parameters of the list. Without them, the list that was stored without parameters
            is used, or else the list that was stored last.

        Returns
        -------
        int or None
            None if the list is not stored.
        """
        record = self.answers.find_list(key, _normal(params))
        return None if record is None or record.is_outdated else record.knowledge

    def get_data(
        self, key: str, *, params: Mapping[str, str] | None = None
    ) -> dict[str, Any] | None:
        """Return the data of a list.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        params : mapping, optional
            As in `get_knowledge`.

        Returns
        -------
        dict or None
            A copy; None if the list is not stored.
        """
        record = self.answers.find_list(key, _normal(params))
        return None if record is None or record.is_outdated else _copy(record.data)

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
            The value that the next delta starts from; 0 if the service cannot send deltas.
        params : mapping, optional
            Query parameters of the list. Without them, the list replaces all lists of the key and
            serves requests with any parameters.
        """
        self.answers.put_list(key, _normal(params), copy_json(data), server_knowledge)

    def merge(
        self,
        key: str,
        delta: dict[str, Any],
        server_knowledge: int,
        *,
        params: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Merge a delta into a stored list.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        delta : dict
            The data object of a delta, without its server knowledge.
        server_knowledge : int
            Knowledge of the delta. A delta that is older than the stored list changes nothing.
        params : mapping, optional
            As in `get_knowledge`.

        Returns
        -------
        dict
            A copy of the merged data. If the list is not stored, the delta is stored as the list.
        """
        merged = self.answers.merge(key, _normal(params), copy_json(delta), server_knowledge)
        return _copy(merged.data)

    def invalidate(self, key: str) -> None:
        """Drop everything under a key, for all parameters.

        The time-limited answers of the resource are dropped too, and the whole-budget export,
        because it contains the resource.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        """
        self.answers.invalidate([key])

    def invalidate_budget(self, budget_id: str) -> None:
        """Drop everything under ``{budget_id}:``."""
        self.answers.drop_all(f"{budget_id}:")

    def clear(self) -> None:
        """Drop everything: lists and time-limited answers."""
        self.answers.drop_all("")

    def set_ttl(self, key: str, data: Any, ttl_seconds: float) -> None:
        """Store an object for a limited time.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``, which may continue after a ``:`` or a ``?``.
        data : object
            Parsed JSON, of which a copy is stored, or an immutable object.
        ttl_seconds : float
            Seconds after which the object expires.
        """
        self.answers.set_object(key, copy_json(data), ttl_seconds)

    def get_ttl(self, key: str) -> Any:
        """Return an object that is stored for a limited time.

        Parameters
        ----------
        key : str
            The key of `set_ttl`.

        Returns
        -------
        object
            A copy; None if it is missing or has expired. An expired object is dropped.
        """
        return copy_json(self.answers.find_object(key))


def _copy(data: dict[str, Any]) -> dict[str, Any]:
    return copy_json(drop_deleted_splits(data))


def _normal(params: Mapping[str, str] | None) -> Params | None:
    return None if params is None else tuple(sorted(params.items()))


class _Loop(Protocol):
    @property
    def is_started(self) -> bool:
        """Whether a connection is open, because its loop has run something since it was closed."""


class _Shared(NamedTuple):
    cache: DeltaCache
    loops: WeakSet[_Loop]


def cache_of(key: str, loop: _Loop) -> DeltaCache:
    """Return the cache of a service and a token: the only one in memory of this process."""
    # A notebook often connects again, and then shows what the connection before has read. The key
    # is that of `limiter_of`, and `loop` is the loop of the new connection.
    with STATE:
        drop_unused()
        shared = caches.setdefault((os.getpid(), key), _Shared(DeltaCache(), WeakSet()))
        shared.loops.add(loop)
        return shared.cache


def drop_unused() -> None:
    """Drop the answers that are fresh for nobody from the caches without an open connection."""
    # Called when a connection opens or closes. While one is open, deltas can start from its
    # answers.
    with STATE:
        for shared in caches.values():
            if not any(loop.is_started for loop in shared.loops):
                shared.cache.answers.drop_expired()


caches: dict[tuple[int, str], _Shared] = {}  # by process and key, as the limiters
