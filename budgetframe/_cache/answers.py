"""The stored answers: transactions of a storage, and the rules for what may be stored or shown."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache, partial, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from budgetframe._resources import EXPORT, RESOURCES, current_month
from budgetframe._runtime.processes import STATE

from .merge import merge_under
from .storage import Generation, Params, Positions, Record, Storage, StorageError, UnpreparedError

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Method = Callable[Concatenate["StoredAnswers", _P], _T]


class ReadToken(NamedTuple):
    """The state of the cache when a read begins."""

    key: str
    params: Params
    record: Record | None  # the stored record
    cursor: int | None  # the server knowledge that a delta can start from; None: read in full
    generation: Generation  # shows later whether the record was dropped
    month: str | None
    began: float  # shows later whether the month ended, by the time that the answers state


class Read(NamedTuple):
    """The data of a read, and what the callers that share it need to know."""

    data: dict[str, Any]  # the data object, which must not be changed
    as_of: datetime | None  # the time of the request
    knowledge: int | None  # the server knowledge of the data, if a delta can start from them
    has_amounts: bool = True


class _Merged(NamedTuple):
    """A delta, and the data that it was merged into."""

    data: dict[str, Any]
    knowledge: int | None
    positions: Positions
    delta: dict[str, Any]

    @classmethod
    def of(
        cls, key: str, record: Record | None, delta: dict[str, Any], knowledge: int | None
    ) -> _Merged:
        """Merge a delta into the data of a record; without a record, the delta is the data."""
        if record is None:
            return cls(delta, knowledge, {}, delta)
        positions = dict(record.positions)
        data = merge_under(key, record.data, delta, positions)
        return cls(data, knowledge, positions, delta)


def _transaction(*, write: bool) -> Callable[[_Method[_P, _T]], _Method[_P, _T]]:
    """Run a method, again if necessary, in one transaction; after a failure, in the fallback."""
    # A method that such a method calls is a part of its transaction: the outer one runs again.

    def decorate(method: _Method[_P, _T]) -> _Method[_P, _T]:
        @wraps(method)
        def call(self: StoredAnswers, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
            with STATE:
                while True:  # the storage bounds the number of repetitions
                    storage = self.storage
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
                        self.storage = error.fallback
                        try:
                            return method(self, *args, **kwargs)
                        finally:
                            if error.is_temporary:
                                self.storage = storage

        return call

    return decorate


class StoredAnswers:
    """The answers in a storage, for the client and the session of this package.

    The methods return the stored objects themselves, which must not be changed. The cache may
    change while a request is under way: a read begins with `look_up`, and its answer is stored only
    if nothing has made it outdated since.

    `clock` returns monotonic seconds, for the age of answers, and `wall_clock` Unix seconds, for
    the month of answers that show the current one until an answer states the time of the service.
    """

    def __init__(
        self, storage: Storage, clock: Callable[[], float], wall_clock: Callable[[], float]
    ) -> None:
        self.storage = storage
        self.clock = clock
        self.longest_ttl = 0.0  # seconds for which an answer is fresh for the most patient reader
        self._wall_clock = wall_clock
        self._ahead = 0.0  # seconds by which the service is ahead of `wall_clock`
        self._objects: dict[str, tuple[Generation, Record]] = {}
        """Objects that are kept for a limited time, which a file could not hold, and the generation
        of each: another process may drop it."""

    @_transaction(write=False)
    def read_together(self, read: Callable[[], _T]) -> _T:
        """Call a function whose reads see one state of the storage. It may be called again."""
        return read()

    def observe(self, date: datetime) -> None:
        """Take the time of the service from an answer that has arrived now."""
        self._ahead = date.timestamp() - self._wall_clock()

    @_transaction(write=False)
    def look_up(self, key: str, params: Params = ()) -> ReadToken:
        """Return the state of the cache for a read that begins now."""
        record = self._find(key, params)
        cursor = record.knowledge or None if record else None  # a knowledge of 0 is no cursor
        generation, month = self._generation(key), self._month_of(key)
        return ReadToken(key, params, record, cursor, generation, month, self._wall_clock())

    @_transaction(write=False)
    def find_fresh(
        self, key: str, params: Params, ttl: float, *, may_be_unread: bool = False
    ) -> Record | None:
        """Return a record that needs no request; `may_be_unread`: its data can be an `Unread`."""
        record = self._find(key, params, may_be_unread=may_be_unread)
        if record is None or record.as_of is None:
            return None
        return record if self.clock() - record.stored < ttl else None

    @_transaction(write=False)
    def is_due(self, key: str, params: Params, ttl: float) -> bool:
        """Whether an answer is stored that cannot be shown without a request."""
        record = self._find(key, params, may_be_unread=True)
        if record is None or record.as_of is None:
            return False
        return self.find_fresh(key, params, ttl, may_be_unread=True) is None

    @_transaction(write=False)
    def find_list(self, key: str, params: Params | None) -> Record | None:
        """Return the list with these parameters; without parameters, the best match."""
        if params is not None:
            record = self._find(key, params)
        else:
            lists = [record for record in self.storage.records(key) if record.knowledge is not None]
            lists.sort(key=lambda record: (record.params is None, record.params == ()))
            record = lists[-1] if lists else None
        if record is None or record.knowledge is None or record.month != self._month_of(key):
            return None
        return record

    def store(
        self,
        token: ReadToken,
        data: Any,
        knowledge: int | None = None,
        *,
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> None:
        """Store a whole answer, unless it may be outdated."""
        # It is not stored if its key was dropped or its month ended after the read began, if a
        # write to it is under way, or if a newer answer was stored in the meantime.
        month = self._month_of(token.key, token.began)
        record = Record(data, token.params, knowledge, month, as_of, self.clock(), ttl)
        with STATE:
            self.storage.prepare(data)
            self._store(token, record)

    def apply(
        self,
        token: ReadToken,
        delta: dict[str, Any],
        knowledge: int | None,
        *,
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> Record | None:
        """Merge a delta into the list it was requested for; None if the list was replaced."""
        # The merged list is not stored if it may be from before a write. Without a knowledge, the
        # next read is a full one.
        if token.record is None:
            return None
        merged = _Merged.of(token.key, token.record, delta, knowledge)
        with STATE:
            self.storage.prepare(delta)
            return self._apply(token, merged, as_of, ttl)

    def merge(
        self, key: str, params: Params | None, delta: dict[str, Any], knowledge: int
    ) -> Record:
        """Merge a delta into a list; if the list is not stored, the delta is stored as the list."""
        while True:
            stored = self.find_list(key, params)
            merged = _Merged.of(key, stored, delta, knowledge)
            record = self._replace_list(key, params, stored, merged)
            if record is not None:  # else, the list was changed in between
                return record

    def put_list(self, key: str, params: Params | None, data: Any, knowledge: int) -> None:
        """Store a whole list, whatever is stored."""
        with STATE:
            self.storage.prepare(data)
            self._put_list(key, params, data, knowledge)

    @_transaction(write=True)
    def stamp(self, token: ReadToken, data: Any, as_of: datetime, ttl: float) -> None:
        """Let an answer that another read has stored be fresh for `ttl`, if it is still stored."""
        record = self._find(token.key, token.params)
        if not self._is_current(token):  # a list from before a write may still be stored
            return
        if record is None:
            self.store(token, data, as_of=as_of, ttl=ttl)
        elif record.data is data and (record.as_of is None or record.as_of < as_of):
            self._put(token.key, replace(record, as_of=as_of, stored=self.clock(), ttl=ttl))

    @_transaction(write=True)
    def store_frames(self, key: str, params: Params, data: Any, frames: dict[str, bytes]) -> None:
        """Store frames of the data of a record, if the record still has these data."""
        record = self._find(key, params, may_be_unread=True)
        if record is not None and record.data is data:
            self.storage.put_frames(key, record.params, frames)

    @_transaction(write=True)
    def discard(self, token: ReadToken) -> None:
        """Drop the record of a read, because the answer is no valid delta of it."""
        if token.record is not None:
            stored = self.storage.find(token.key, token.record.params)
            known = token.record.data, token.record.knowledge
            if stored is not None and stored.data is known[0] and stored.knowledge == known[1]:
                self.storage.drop_one(token.key, token.record.params)

    @_transaction(write=True)
    def forget_knowledge(self, key: str, data: Any) -> None:
        """Let no delta start from these data, because rows in them are damaged."""
        for record in self.storage.records(key):
            if record.data is data and record.knowledge is not None:
                self._put(key, replace(record, knowledge=None))

    @_transaction(write=True)
    def invalidate(self, keys: Sequence[str], *, keeps_lists: bool = False) -> None:
        """Drop all under some keys, their time-limited answers, and the whole-budget export."""
        # With `keeps_lists`, lists and the export stay, not shown any more, to start deltas from.
        for key in keys:
            self._invalidate(key, keeps_lists=keeps_lists)

    def begin_write(self, keys: Sequence[str], *, keeps_lists: bool = False) -> Callable[[], None]:
        """Drop everything under some keys, or under all, because a write is sent now."""
        # No answer under them is stored until the write has ended: if this process is killed after
        # the service has carried it out, nobody drops them. The result drops everything again: call
        # it when the write has ended, also after an error.
        write = uuid.uuid4().hex
        names = {name for key in keys for name in _dropped_with(key)} or {""}
        drop = partial(self._drop_for_write, keys, write, keeps_lists=keeps_lists)
        drop(names)
        return partial(drop, ())

    @_transaction(write=True)
    def _drop_for_write(
        self, keys: Sequence[str], write: str, names: Iterable[str], *, keeps_lists: bool
    ) -> None:
        self.storage.set_write(write, *names)
        if keys:
            self.invalidate(keys, keeps_lists=keeps_lists)
        else:
            self.drop_all("")

    @_transaction(write=True)
    def drop_all(self, *prefixes: str) -> None:
        """Drop everything whose key begins with a prefix: a budget with a colon, or nothing."""
        self._drop(lambda key: key.startswith(prefixes), *prefixes)

    @_transaction(write=True)
    def drop_expired(self) -> None:
        """Drop everything that is fresh for no reader."""
        newest = self.clock() - self.longest_ttl
        self.storage.drop(
            lambda key: all(record.stored <= newest for record in self.storage.records(key))
        )

    @_transaction(write=False)
    def set_object(self, key: str, value: Any, ttl: float) -> None:
        """Keep an object for a limited time."""
        record = Record(value, month=self._month_of(key), stored=self.clock(), ttl=ttl)
        self._objects[key] = self._generation(key), record

    @_transaction(write=False)
    def find_object(self, key: str) -> Any:
        """Return an object or an answer that is kept for a limited time; None if it has expired."""
        now, month = self.clock(), self._month_of(key)
        answers = [record for record in self.storage.records(key) if record.as_of is not None]
        generation, kept = self._objects.get(key, (None, None))
        for record in (kept if generation == self._generation(key) else None, *answers[-1:]):
            if record is None:
                continue
            if now - record.stored < record.ttl and record.month == month:
                return record.data
            self._objects.pop(key, None)
        return None

    def _find(self, key: str, params: Params, *, may_be_unread: bool = False) -> Record | None:
        find = partial(self.storage.find, key, may_be_unread=may_be_unread)
        record = find(params) or find(None)
        if record is not None and record.month is not None and record.month != self._month_of(key):
            return None
        return record

    @_transaction(write=True)
    def _store(self, token: ReadToken, record: Record) -> None:
        if not self._is_current(token):
            return
        stored, knowledge = self._find(token.key, token.params), record.knowledge
        if stored is not None:
            if knowledge is not None and (
                # A list that was there when the read began may be replaced by one with less.
                (stored.knowledge or 0) > max(knowledge, token.cursor or 0)
            ):
                return
            is_overtaken = _is_overtaken(token, stored, record.as_of)
            if is_overtaken and knowledge is None:
                return
            if stored.as_of is not None and (record.as_of is None or is_overtaken):
                # Its freshness stays.
                record = replace(record, as_of=stored.as_of, stored=stored.stored, ttl=stored.ttl)
        self._put(token.key, record)

    @_transaction(write=True)
    def _apply(
        self, token: ReadToken, merged: _Merged, as_of: datetime | None, ttl: float
    ) -> Record | None:
        record = self._find(token.key, token.params)
        if record is None or token.record is None or record.data is not token.record.data:
            return None
        if record.knowledge is None:  # a damaged row was found in it since then
            return None
        if not self._is_current(token):  # the delta may be from before a write
            return replace(record, data=merged.data, knowledge=merged.knowledge)
        if _is_overtaken(token, record, as_of):
            as_of = None
        return self._put_merged(token.key, record, merged, as_of=as_of, ttl=ttl)

    @_transaction(write=True)
    def _put_list(
        self, key: str, params: Params | None, data: Any, knowledge: int | None
    ) -> Record:
        if params is None:
            self.storage.drop(lambda k: k == key)
        record = Record(data, params, knowledge, self._month_of(key), stored=self.clock())
        self._put(key, record)
        return record

    @_transaction(write=True)
    def _replace_list(
        self, key: str, params: Params | None, expected: Record | None, merged: _Merged
    ) -> Record | None:
        """Store merged data; None if another list than the expected one is stored."""
        stored = self.find_list(key, params)
        if stored is None or expected is None:
            if stored is not expected:
                return None
            return self._put_list(key, params, merged.data, merged.knowledge)
        return self._put_merged(key, stored, merged) if stored.data is expected.data else None

    def _put(self, key: str, record: Record, delta: dict[str, Any] | None = None) -> None:
        if record.params is not None:
            self.storage.drop_one(key, None)  # it replaces the list that serves any parameters
        self.storage.put(key, record, delta)

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
        new, known = record, record.knowledge
        if known is None or merged.knowledge is None or merged.knowledge >= known:
            new = replace(
                record, data=merged.data, knowledge=merged.knowledge, positions=merged.positions
            )
        has_new_data = new.data is not record.data
        is_same = not has_new_data and new.knowledge == record.knowledge
        if is_same and as_of is None and not record.is_outdated:
            return record
        if as_of is not None or record.as_of is None:  # without `as_of`, its freshness stays
            new = replace(new, as_of=as_of, stored=self.clock(), ttl=ttl)
        self._put(key, new, merged.delta if has_new_data else None)
        return new

    def _invalidate(self, key: str, *, keeps_lists: bool) -> None:
        names = _dropped_with(key)
        self._drop(
            lambda k: k == key or k.startswith((f"{key}:", f"{key}?")) or _base(k) == names[1],
            *names,
            kept=names if keeps_lists else (),
        )

    def _drop(self, drops: Callable[[str], bool], *names: str, kept: Sequence[str] = ()) -> None:
        """Drop everything under some keys, except the lists of the names that are kept."""
        for key in list(filter(drops, self._objects)):
            del self._objects[key]
        self.storage.drop(lambda key: drops(key) and key not in kept)
        for name in kept:
            self.storage.outdate(name)
        self.storage.bump_generation(*names)

    def _generation(self, key: str) -> Generation:
        # The value changes when everything (""), the budget or the key is dropped: a read that
        # began before a drop must not store its answer.
        base = _base(key)
        return self.storage.generation("", base.partition(":")[0] + ":", base)

    def _is_current(self, token: ReadToken) -> bool:
        """Whether no key was dropped, no month ended since a read began, and no process writes."""
        if self._month_of(token.key) != self._month_of(token.key, token.began):
            return False
        return self._generation(token.key) == token.generation._replace(is_written=False)

    def _month_of(self, key: str, wall: float | None = None) -> str | None:
        """Return the month of a time, by default now, if the answer depends on the current one."""
        if not _is_of_current_month(key):
            return None
        seconds = self._wall_clock() if wall is None else wall
        return current_month(datetime.fromtimestamp(seconds + self._ahead, UTC))


def _is_overtaken(token: ReadToken, stored: Record, as_of: datetime | None) -> bool:
    """Whether a read that began later has stored its answer while this read was under way."""
    # A later time of an older answer only shows that the wall clock was set back.
    if as_of is None or stored.as_of is None:
        return False
    is_same = token.record is not None and token.record.as_of == stored.as_of
    return not is_same and as_of < stored.as_of


@lru_cache(maxsize=1024)
def _is_of_current_month(key: str) -> bool:
    resource = RESOURCES.get(_base(key).partition(":")[2])
    return bool(resource and resource.of_current_month) or key.endswith(":current")


def _dropped_with(key: str) -> tuple[str, str]:
    """Return what is dropped with a key: its resource, and the whole-budget export."""
    base = _base(key)
    return base, f"{base.partition(':')[0]}:{EXPORT}"


def _base(key: str) -> str:
    """Return ``{budget_id}:{resource}`` of a key that may continue after a ``:`` or a ``?``."""
    budget_id, _, rest = key.partition(":")
    return f"{budget_id}:{rest.partition(':')[0].partition('?')[0]}"
