"""The cache of the service's answers: lists with their server knowledge, and limited answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from budgetframe._resources import EXPORT, RESOURCES, copy_json
from budgetframe._runtime.fork_lock import STATE

from .merge import merge_under, positions_in
from .storage import (
    MemoryStorage,
    Params,
    Positions,
    Record,
    Storage,
    StorageError,
    UnpreparedError,
)

__all__ = ["DeltaCache", "ReadToken"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
# A client calls the overrides that a subclass has of these methods.
_INTERFACE = (
    *("get_knowledge", "get_data", "update", "merge"),
    *("invalidate", "invalidate_budget", "clear", "set_ttl", "get_ttl"),
)
_Method = Callable[Concatenate["DeltaCache", _P], _T]


@dataclass(frozen=True, slots=True)
class ReadToken:
    """The state of the cache when a read begins.

    Parameters
    ----------
    key, params : str, Params
        The key and query parameters of the read.
    record : Record or None
        The stored record.
    cursor : int or None
        The server knowledge that a delta can start from. None: the list must be read in full.
    generation, month
        Values that show later whether the record was dropped or its month ended.
    """

    key: str
    params: Params
    record: Record | None
    cursor: int | None
    generation: tuple[object, ...]
    month: str | None


class _Merged(NamedTuple):
    """A delta, and the data that it was merged into."""

    data: dict[str, Any]
    knowledge: int
    positions: Positions
    delta: dict[str, Any]

    @classmethod
    def of(cls, key: str, record: Record | None, delta: dict[str, Any], knowledge: int) -> _Merged:
        """Merge a delta into the data of a record; without a record, the delta is the data."""
        if record is None:
            return cls(delta, knowledge, {}, delta)
        positions = dict(record.positions)
        data = merge_under(key, record.data, delta, positions)
        return cls(data, knowledge, positions, delta)


def _transaction(*, write: bool) -> Callable[[_Method[_P, _T]], _Method[_P, _T]]:
    """Run a method in one transaction, again if necessary; if the storage fails, in the fallback.

    A method that another such method calls is a part of its transaction: the outer one runs again.
    """

    def decorate(method: _Method[_P, _T]) -> _Method[_P, _T]:
        @wraps(method)
        def call(self: DeltaCache, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
            with STATE:
                while True:  # the storage bounds the number of repetitions
                    storage = self._storage
                    try:
                        with storage.transaction(write=write):
                            return method(self, *args, **kwargs)
                    except UnpreparedError as error:
                        if storage.in_transaction:
                            raise
                        error.prepare()
                    except StorageError as error:
                        if storage.in_transaction:
                            raise
                        self._storage = error.fallback
                        try:
                            return method(self, *args, **kwargs)
                        finally:
                            if error.is_temporary:
                                self._storage = storage

        return call

    return decorate


class DeltaCache:
    """Stores lists with their server knowledge, and other answers for a limited time.

    A key is ``{budget_id}:{resource}``. Under one key there is one record for each set of query
    parameters, because a delta of a filtered list must never be merged into another list. The
    public methods return copies. The cache belongs to no event loop and may be used from several
    threads.

    A subclass may override any public method, and a client then calls the override. Before it
    requests a list, it calls `get_knowledge` and sends the value; None or 0 means that it reads the
    list in full. It passes a delta to `merge` and returns the result, unless `get_data` returns
    None; it passes a full answer to `update`. Both are called only if no write came in between.
    After a write it calls `invalidate` for each key, or `clear`; ``refresh()`` calls
    `invalidate_budget`. A `BudgetFrame` passes each fresh answer to `set_ttl`, and sends a request
    if `get_ttl` returns None. All calls have the parameters that are documented here, `params`
    included.

    Parameters
    ----------
    clock : callable
        Returns monotonic seconds, for the age of answers.
    wall_clock : callable
        Returns Unix seconds. The amounts of ``categories`` are those of the current month (UTC).
        When the month ends, these answers are outdated, and so are answers whose key ends in
        ``:current``.
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
        self._clock = clock
        self._wall_clock = wall_clock
        self._storage: Storage = MemoryStorage() if storage is None else storage
        # Entries of `set_ttl` may be objects that cannot be written to a file.
        self._timed: dict[str, Record] = {}
        self._overridden = frozenset(
            name
            for name in _INTERFACE
            if getattr(type(self), name) is not getattr(DeltaCache, name)
        )

    @_transaction(write=False)
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
        record = self._find_list(key, _normal(params))
        return None if record is None or record.is_outdated else record.knowledge

    @_transaction(write=False)
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
        record = self._find_list(key, _normal(params))
        return None if record is None or record.is_outdated else copy_json(record.data)

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
        data = copy_json(data)
        with STATE:
            self._storage.prepare(data)
            self._store_list(key, data, server_knowledge, _normal(params))

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
        delta, normal_params = copy_json(delta), _normal(params)
        while True:
            stored = self._list_of(key, normal_params)
            merged = _Merged.of(key, stored, delta, server_knowledge)
            record = self._replace_list(key, normal_params, stored, merged)
            if record is not None:  # else, it was changed in between
                return copy_json(record.data)

    @_transaction(write=True)
    def invalidate(self, key: str) -> None:
        """Drop everything under a key, for all parameters.

        The time-limited answers of the resource are dropped too, and the whole-budget export,
        because it contains the resource.

        Parameters
        ----------
        key : str
            ``{budget_id}:{resource}``.
        """
        self._invalidate(key)

    @_transaction(write=True)
    def invalidate_budget(self, budget_id: str) -> None:
        """Drop everything under ``{budget_id}:``."""
        prefix = f"{budget_id}:"
        self._drop(lambda key: key.startswith(prefix), prefix)

    @_transaction(write=True)
    def clear(self) -> None:
        """Drop everything: lists and time-limited answers."""
        self._drop(lambda _: True, "")

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
        with STATE:
            self._timed[key] = Record(
                copy_json(data), month=self._month_of(key), stored=self._clock(), ttl=ttl_seconds
            )

    @_transaction(write=False)
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
        now, month = self._clock(), self._month_of(key)
        answers = [record for record in self._storage.records(key) if record.as_of is not None]
        for record in (self._timed.get(key), *answers[-1:]):
            if record is None:
                continue
            if now - record.stored < record.ttl and record.month == month:
                return copy_json(record.data)
            self._timed.pop(key, None)
        return None

    # Only the package calls the methods below. They do not copy, and they take into account
    # that the cache may change while a request is under way.

    @property
    def merges_exports(self) -> bool:
        """Whether exports are stored with their knowledge: overrides know only lists."""
        return not self._overridden

    @property
    def seconds(self) -> float:
        """The time of the clock of the cache."""
        return self._clock()

    @property
    def persistent(self) -> bool:
        """Whether the records outlive the process."""
        return self._storage.persistent

    @_transaction(write=False)
    def read_together(self, read: Callable[[], _T]) -> _T:
        """Call a function whose reads see one state of the storage. It may be called again."""
        return read()

    @_transaction(write=True)
    def write_together(self, write: Callable[[], _T]) -> _T:
        """Call a function whose changes take effect together. It may be called again."""
        return write()

    @_transaction(write=False)
    def look_up(self, key: str, params: Params = ()) -> ReadToken:
        """Return the state of the cache for a read that begins now."""
        record = self._find(key, params)
        cursor = record.knowledge or None if record else None  # a knowledge of 0 is no cursor
        generation, month = self._generation(key), self._month_of(key)
        return ReadToken(key, params, record, cursor, generation, month)

    def with_cursor(self, token: ReadToken) -> ReadToken:
        """Return the token with the cursor to send: an override of `get_knowledge` decides."""
        if "get_knowledge" not in self._overridden:
            return token
        knowledge = self.get_knowledge(token.key, params=dict(token.params))
        return replace(token, cursor=knowledge or None)

    @_transaction(write=True)
    def invalidate_all(self, keys: Sequence[str], *, keeps_lists: bool = False) -> None:
        """Drop everything under several keys, which a write has made outdated.

        With `keeps_lists`, their lists and the export stay and are not shown any more: the next
        deltas start from them. The cache may know nothing of lists that an override stores.
        """
        for key in keys:
            if keeps_lists and not self._overridden:
                self._invalidate(key, keeps_lists=True)
                continue
            self.invalidate(key)
            if "invalidate" in self._overridden:
                # A read that began before the write must not store its answer in any case.
                self._storage.bump_generation(_base(key))

    @_transaction(write=False)
    def find_fresh(
        self, key: str, params: Params, ttl: float, *, may_be_unread: bool = False
    ) -> Record | None:
        """Return the record of an answer that can be shown without a request.

        Another reader may have allowed the record a shorter life than `ttl`. If it may be unread,
        its data can be an `Unread`.
        """
        if "get_ttl" in self._overridden and self.get_ttl(key) is None:
            return None
        record = self._find(key, params, may_be_unread=may_be_unread)
        if record is None or record.as_of is None:
            return None
        return record if self._clock() - record.stored < min(ttl, record.ttl) else None

    @_transaction(write=False)
    def is_due(self, key: str, params: Params, ttl: float) -> bool:
        """Whether an answer is stored that cannot be shown without a request."""
        record = self._find(key, params, may_be_unread=True)
        is_stored = record is not None and record.as_of is not None
        return is_stored and self.find_fresh(key, params, ttl, may_be_unread=True) is None

    def store(
        self,
        token: ReadToken,
        data: Any,
        knowledge: int | None = None,
        *,
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> None:
        """Store a whole answer, unless it may be outdated.

        It is not stored if its key was dropped or its month ended after the read began, or if a
        newer answer was stored in the meantime.
        """
        # Compute the positions now, so that the first delta is as fast as the next ones.
        positions = positions_in(data) if knowledge is not None else {}
        now = self._clock()
        record = Record(data, token.params, knowledge, token.month, as_of, now, ttl, positions)
        with STATE:
            self._storage.prepare(data)
            self._store(token, record)

    def apply(
        self,
        token: ReadToken,
        delta: dict[str, Any],
        knowledge: int,
        *,
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> Record | None:
        """Merge a delta into the list it was requested for; None if the list was replaced."""
        if (
            "get_data" in self._overridden
            and self.get_data(token.key, params=dict(token.params)) is None
        ):
            return None
        if "merge" in self._overridden:
            return self._apply_override(token, delta, knowledge, as_of, ttl)
        if token.record is None:
            return None
        merged = _Merged.of(token.key, token.record, delta, knowledge)
        with STATE:
            self._storage.prepare(delta)
            return self._apply(token, merged, as_of, ttl)

    @_transaction(write=True)
    def stamp(self, token: ReadToken, data: Any, as_of: datetime, ttl: float) -> None:
        """Let an answer that another read has stored be fresh for `ttl`, if it is still stored."""
        record = self._find(token.key, token.params)
        if not self._is_current(token):  # a list from before a write may still be stored
            return
        if record is None:
            self.store(token, data, as_of=as_of, ttl=ttl)
        elif record.data is data and (record.as_of is None or record.as_of < as_of):
            self._put(token.key, replace(record, as_of=as_of, stored=self._clock(), ttl=ttl))
        elif record.data is data and record.ttl < ttl:
            self._put(token.key, replace(record, ttl=ttl))

    @_transaction(write=True)
    def store_frames(
        self, key: str, params: Params, data: Any, frames: Mapping[str, bytes]
    ) -> None:
        """Store frames of the data of a record, if the record still has these data."""
        record = self._find(key, params, may_be_unread=True)
        if record is not None and record.data is data:
            self._storage.put_frames(key, record.params, frames)

    @_transaction(write=True)
    def discard(self, token: ReadToken) -> None:
        """Drop the record of a read, because the answer is no valid delta of it."""
        if token.record is not None:
            stored = self._storage.find(token.key, token.record.params)
            known = token.record.data, token.record.knowledge
            if stored is not None and stored.data is known[0] and stored.knowledge == known[1]:
                self._storage.drop_one(token.key, token.record.params)

    def _find(self, key: str, params: Params, *, may_be_unread: bool = False) -> Record | None:
        find = self._storage.find_unread if may_be_unread else self._storage.find
        record = find(key, params) or find(key, None)
        if record is not None and record.month is not None and record.month != self._month_of(key):
            return None
        return record

    def _find_list(self, key: str, params: Params | None) -> Record | None:
        """Return the list with these parameters; without parameters, the best match."""
        if params is not None:
            record = self._find(key, params)
        else:
            lists = [each for each in self._storage.records(key) if each.knowledge is not None]
            lists.sort(key=lambda each: (each.params is None, each.params == ()))
            record = lists[-1] if lists else None
        if record is None or record.knowledge is None or record.month != self._month_of(key):
            return None
        return record

    @_transaction(write=True)
    def _store_list(self, key: str, data: Any, knowledge: int, params: Params | None) -> Record:
        if params is None:
            self._storage.drop(lambda k: k == key)
        record = Record(data, params, knowledge, self._month_of(key), stored=self._clock())
        self._put(key, record)
        return record

    @_transaction(write=False)
    def _list_of(self, key: str, params: Params | None) -> Record | None:
        return self._find_list(key, params)

    @_transaction(write=True)
    def _replace_list(
        self, key: str, params: Params | None, expected: Record | None, merged: _Merged
    ) -> Record | None:
        """Store merged data; None if another list than the expected one is stored."""
        stored = self._find_list(key, params)
        if stored is None or expected is None:
            if stored is not expected:
                return None
            return self._store_list(key, merged.data, merged.knowledge, params)
        return self._put_merged(key, stored, merged) if stored.data is expected.data else None

    @_transaction(write=True)
    def _store(self, token: ReadToken, record: Record) -> None:
        if not self._is_current(token):
            return
        stored, knowledge = self._find(token.key, token.params), record.knowledge
        if (
            stored is not None
            and knowledge is not None
            # A list that was there when the read began may be replaced by one with less knowledge.
            and (stored.knowledge or 0) > max(knowledge, token.cursor or 0)
        ):
            return
        is_overtaken = stored is not None and _is_overtaken(token, stored, record.as_of)
        if is_overtaken and knowledge is None:
            return
        if (
            stored is not None
            and stored.as_of is not None
            and (record.as_of is None or is_overtaken)
        ):
            # Its freshness stays.
            record = replace(record, as_of=stored.as_of, stored=stored.stored, ttl=stored.ttl)
        if knowledge is not None and "update" in self._overridden:
            self.update(token.key, record.data, knowledge, params=dict(token.params))
            self._set_fresh(token, record.as_of, record.stored, record.ttl)
        else:
            self._put(token.key, record)

    @_transaction(write=True)
    def _apply_override(
        self,
        token: ReadToken,
        delta: dict[str, Any],
        knowledge: int,
        as_of: datetime | None,
        ttl: float,
    ) -> Record | None:
        """Do the same as `apply` with an override of `merge`."""
        stored = self._find(token.key, token.params)
        if (
            not self._is_current(token)
            or (stored and stored.data) is not (token.record and token.record.data)
            or self.with_cursor(token).cursor != token.cursor
        ):
            return None
        data = self.merge(token.key, delta, knowledge, params=dict(token.params))
        if stored is None or not _is_overtaken(token, stored, as_of):
            self._set_fresh(token, as_of, self._clock(), ttl)
        return Record(data, token.params, knowledge)

    def _set_fresh(
        self, token: ReadToken, as_of: datetime | None, stored: float, ttl: float
    ) -> None:
        """Let the list that an override has stored be fresh, if it is stored in this cache."""
        record = self._find(token.key, token.params)
        if record is not None and as_of is not None:
            self._put(token.key, replace(record, as_of=as_of, stored=stored, ttl=ttl))

    def _is_current(self, token: ReadToken) -> bool:
        """Whether no key was dropped and no month ended after a read began."""
        return (token.generation, token.month) == (
            self._generation(token.key),
            self._month_of(token.key),
        )

    @_transaction(write=True)
    def _apply(
        self, token: ReadToken, merged: _Merged, as_of: datetime | None, ttl: float
    ) -> Record | None:
        record = self._find(token.key, token.params)
        if record is None or token.record is None or record.data is not token.record.data:
            return None
        if not self._is_current(token):  # the delta may be from before a write
            return None
        if _is_overtaken(token, record, as_of):
            as_of = None
        return self._put_merged(token.key, record, merged, as_of=as_of, ttl=ttl)

    def _put(self, key: str, record: Record, delta: dict[str, Any] | None = None) -> None:
        if record.params is not None:
            self._storage.drop_one(key, None)  # it replaces the list that serves any parameters
        self._storage.put(key, record, delta)
        if record.as_of is not None and "set_ttl" in self._overridden:
            self.set_ttl(key, record.data, record.stored + record.ttl - self._clock())

    def _put_merged(
        self,
        key: str,
        record: Record,
        merged: _Merged,
        *,
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> Record:
        """Replace a record with merged data, unless the delta is older than the record."""
        new = record
        if record.knowledge is None or merged.knowledge >= record.knowledge:
            new = replace(
                record,
                data=merged.data,
                knowledge=merged.knowledge,
                positions=merged.positions,
            )
        has_new_data = new.data is not record.data
        is_same = not has_new_data and new.knowledge == record.knowledge
        if is_same and as_of is None and not record.is_outdated:
            return record
        if as_of is not None or record.as_of is None:  # without `as_of`, its freshness stays
            new = replace(new, as_of=as_of, stored=self._clock(), ttl=ttl)
        self._put(key, new, merged.delta if has_new_data else None)
        return new

    def _invalidate(self, key: str, *, keeps_lists: bool = False) -> None:
        base = _base(key)
        export = f"{base.partition(':')[0]}:{EXPORT}"
        self._drop(
            lambda k: k == key or k.startswith((f"{key}:", f"{key}?")) or _base(k) == export,
            base,
            export,
            keeps_lists=keeps_lists,
        )

    def _drop(
        self, is_dropped: Callable[[str], bool], *names: str, keeps_lists: bool = False
    ) -> None:
        """Drop everything under some keys; with `keeps_lists`, except the lists of these names."""
        for key in list(filter(is_dropped, self._timed)):
            del self._timed[key]
        kept = names if keeps_lists else ()
        self._storage.drop(lambda key: is_dropped(key) and key not in kept)
        for name in kept:
            self._storage.outdate(name)
        self._storage.bump_generation(*names)

    def _generation(self, key: str) -> tuple[object, ...]:
        # The value changes when everything (""), the budget or the key is dropped: a read that
        # began before a drop must not store its answer.
        base = _base(key)
        return self._storage.generation("", base.partition(":")[0] + ":", base)

    def _month_of(self, key: str) -> str | None:
        """Return the current month, if the answer depends on the current month."""
        if not _is_of_current_month(key):
            return None
        return f"{datetime.fromtimestamp(self._wall_clock(), UTC):%Y-%m}"


def _is_overtaken(token: ReadToken, stored: Record, as_of: datetime | None) -> bool:
    """Whether a read that began later has stored its answer while this read was under way.

    If the stored answer is older than this read, its later time only shows that the wall clock was
    set back.
    """
    if as_of is None or stored.as_of is None:
        return False
    is_same = token.record is not None and token.record.as_of == stored.as_of
    return not is_same and as_of < stored.as_of


@lru_cache(maxsize=1024)
def _is_of_current_month(key: str) -> bool:
    resource = RESOURCES.get(_base(key).partition(":")[2])
    return bool(resource and resource.of_current_month) or key.endswith(":current")


def _base(key: str) -> str:
    """Return ``{budget_id}:{resource}`` of a key that may continue after a ``:`` or a ``?``."""
    budget_id, _, rest = key.partition(":")
    return f"{budget_id}:{rest.partition(':')[0].partition('?')[0]}"


def _normal(params: Mapping[str, str] | None) -> Params | None:
    return None if params is None else tuple(sorted(params.items()))
