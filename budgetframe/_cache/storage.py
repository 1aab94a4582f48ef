"""Where a cache keeps its records: the protocol, and the storage in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol

Params = tuple[tuple[str, str], ...]  # sorted query parameters, so that equal ones compare equal
Positions = dict[str, dict[str | int, int]]
"""The positions of the rows in each list of an answer, by the keys of the rows."""


OUTDATED = -1.0  # the `ttl` of a list from before an own write


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """All that the cache knows about one answer; it never changes: a merge creates a new one."""

    data: Any  # the data object of the answer
    params: Params | None = ()
    """Parameters of the request; None: stored by `DeltaCache.update`, and serves any parameters."""
    knowledge: int | None = None  # for the next delta; None: the service sends no deltas of it
    month: str | None = None  # the UTC month of the amounts; None: they belong to no month
    as_of: datetime | None = None  # when it was requested; None: it may be merged into, not shown
    stored: float = 0.0
    """Seconds of the monotonic clock of the cache. A storage that outlives the process stores the
    time of the wall clock, and returns `stored` so that the reading process sees the same age."""
    ttl: float = 0.0  # that of who stored it; `OUTDATED`: a list from before an own write
    positions: Positions = field(default_factory=dict)  # of the rows, if they are known

    @property
    def is_outdated(self) -> bool:
        """Whether this is a list from before an own write, from which only a delta may start."""
        return self.ttl == OUTDATED


class Generation(NamedTuple):
    """The generation of some records: a read may store its answer only if it is still the same."""

    drops: tuple[object, ...]  # a value that changes with each call of `bump_generation`
    is_written: bool = False  # whether a write makes the records outdated: no answer may be stored


class StoredFrame(NamedTuple):
    """A frame of data in a file, and the deltas that were merged into the data after it."""

    content: bytes
    deltas: Sequence[dict[str, Any]]


class Unread:
    """Takes the place of data in a file that nobody has read, if frames of them are stored."""

    def __init__(self, frames: Mapping[str, StoredFrame]) -> None:
        self.frames = frames
        self.data: Any = None  # the data, as soon as they are read
        self.restored: dict[str, Any] = {}  # what was made of the frames, by their names


class StorageError(Exception):
    """A storage cannot be used, and `fallback` takes its place, once if `is_temporary`."""

    def __init__(self, fallback: Storage, *, is_temporary: bool = False) -> None:
        super().__init__()
        self.fallback = fallback
        self.is_temporary = is_temporary


class UnpreparedError(Exception):
    """A transaction needs slow work: call `prepare` outside of its lock, then repeat it."""

    def __init__(self, prepare: Callable[[], None]) -> None:
        super().__init__()
        self.prepare = prepare


class Storage(Protocol):
    """Keeps records by key and query parameters.

    A transaction may raise a `StorageError` or an `UnpreparedError`. It has then changed nothing.
    """

    persistent: bool  # whether the records outlive the process

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open that may raise an error."""

    def prepare(self, data: Any) -> None:
        """Do the slow work of a later `put` of these data, outside of the transaction."""

    def transaction(self, *, write: bool = False) -> AbstractContextManager[None]:
        """Begin a block whose calls see one state and take effect together, or not at all.

        Transactions can be nested: the outermost one counts. Changes need `write`.
        """

    def find(
        self, key: str, params: Params | None, *, may_be_unread: bool = False
    ) -> Record | None:
        """Return the record with exactly these parameters.

        Until the record changes, it has the same data object each time: readers recognize by its
        identity that an answer is still the same. If it may be unread, the record can have `Unread`
        in place of data of which frames are stored.
        """

    def records(self, key: str) -> list[Record]:
        """Return all records of a key; the record that was put last comes last."""

    def put(self, key: str, record: Record, delta: dict[str, Any] | None = None) -> None:
        """Replace the record of a key; with `delta`, the data are the old ones merged with it."""

    def put_frames(self, key: str, params: Params | None, frames: Mapping[str, bytes]) -> None:
        """Store frames of the data of a record, until the data are replaced."""

    def drop(self, is_dropped: Callable[[str], bool]) -> None:
        """Drop all records of the keys for which the function returns True."""

    def drop_one(self, key: str, params: Params | None) -> None:
        """Drop the record with exactly these parameters."""

    def outdate(self, key: str) -> None:
        """Set `as_of` to None and `ttl` to `OUTDATED` for a key; drop records without knowledge."""

    def generation(self, *names: str) -> Generation:
        """Return the generation of the records of some names; no two storages or files share it."""

    def bump_generation(self, *names: str) -> None:
        """Record that the records of these names were dropped."""

    def set_write(self, write: str, *names: str) -> None:
        """Record a write that makes records of these names outdated; without names, its end.

        If the process is killed, the end is never recorded: the write then counts for some minutes.
        A storage that other processes do not use need not know of writes.
        """


class MemoryStorage:
    """A storage in the memory of this process."""

    persistent = False
    in_transaction = False

    def __init__(self) -> None:
        self._records: dict[str, dict[Params | None, Record]] = {}
        self._drops: Counter[str] = Counter()

    def prepare(self, data: Any) -> None:
        del data

    def transaction(self, *, write: bool = False) -> AbstractContextManager[None]:
        del write
        return nullcontext()

    def find(
        self, key: str, params: Params | None, *, may_be_unread: bool = False
    ) -> Record | None:
        del may_be_unread
        return self._records.get(key, {}).get(params)

    def records(self, key: str) -> list[Record]:
        return list(self._records.get(key, {}).values())

    def put(self, key: str, record: Record, delta: dict[str, Any] | None = None) -> None:
        del delta
        records = self._records.setdefault(key, {})
        records.pop(record.params, None)  # the new record must come last
        records[record.params] = record

    def put_frames(self, key: str, params: Params | None, frames: Mapping[str, bytes]) -> None:
        del key, params, frames

    def drop(self, is_dropped: Callable[[str], bool]) -> None:
        for key in list(filter(is_dropped, self._records)):
            del self._records[key]

    def drop_one(self, key: str, params: Params | None) -> None:
        self._records.get(key, {}).pop(params, None)

    def outdate(self, key: str) -> None:
        self._records[key] = {
            record.params: replace(record, as_of=None, ttl=OUTDATED)
            for record in self.records(key)
            if record.knowledge is not None
        }

    def generation(self, *names: str) -> Generation:
        # The storage is part of the value: a read that began with another storage is outdated.
        return Generation((self, *(self._drops[name] for name in names)))

    def bump_generation(self, *names: str) -> None:
        self._drops.update(names)

    def set_write(self, write: str, *names: str) -> None:
        del write, names
