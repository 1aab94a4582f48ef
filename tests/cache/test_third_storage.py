"""DeltaCache on a storage backend that is neither memory nor SQLite: JSON text in dicts.

The storage implements the protocol `Storage` only from its documentation. It fails if DeltaCache
needs more than the protocol says, for example access outside a transaction or mutable records. The
tests in `test_entries.py` and `test_ttl.py` use it too.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from budgetframe import DeltaCache
from budgetframe._cache.storage import OUTDATED, Generation, MemoryStorage, Params, Record, Storage
from tests.clock import Clock

from .computer import fresh, put, stale

PAYEES = "b1:payees"
BAKER = {"id": "p1", "name": "Baker"}
GROCER = {"id": "p2", "name": "Grocer"}
NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


class JsonStorage:
    """Records as JSON text, which is parsed once for each text."""

    persistent = False

    def __init__(self) -> None:
        self._texts: dict[tuple[str, Params | None], str] = {}
        self._data: dict[str, Any] = {}
        self._generations: Counter[str] = Counter()
        self._writes: dict[str, set[str]] = {}
        self._is_open = False

    @property
    def in_transaction(self) -> bool:
        return self._is_open

    def prepare(self, data: Any) -> None:
        assert not self._is_open, "slow work inside a transaction"
        json.dumps(data)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[None]:
        del write
        was_open, self._is_open = self._is_open, True
        try:
            yield
        finally:
            self._is_open = was_open

    def find(
        self, key: str, params: Params | None, *, may_be_unread: bool = False
    ) -> Record | None:
        del may_be_unread
        self._require_transaction()
        if (key, params) not in self._texts:
            return None
        fields, text = json.loads(self._texts[key, params])
        if text not in self._data:
            self._data[text] = json.loads(text)
        knowledge, month, as_of, stored, ttl = fields
        when = None if as_of is None else datetime.fromisoformat(as_of)
        return Record(self._data[text], params, knowledge, month, when, stored, ttl)

    def put_frames(self, key: str, params: Params | None, frames: Mapping[str, bytes]) -> None:
        raise NotImplementedError

    def records(self, key: str) -> list[Record]:
        found = [self.find(*place) for place in self._texts if place[0] == key]
        return [record for record in found if record is not None]

    def put(self, key: str, record: Record, delta: dict[str, Any] | None = None) -> None:
        del delta
        self.drop_one(key, record.params)
        as_of = None if record.as_of is None else record.as_of.isoformat()
        fields = (record.knowledge, record.month, as_of, record.stored, record.ttl)
        self._texts[key, record.params] = json.dumps([fields, json.dumps(record.data)])

    def drop(self, is_dropped: Callable[[str], bool]) -> None:
        self._require_transaction()
        for key, params in list(self._texts):
            if is_dropped(key):
                del self._texts[key, params]

    def drop_one(self, key: str, params: Params | None) -> None:
        self._require_transaction()
        self._texts.pop((key, params), None)

    def outdate(self, key: str) -> None:
        for record in self.records(key):
            self.drop_one(key, record.params)
            if record.knowledge is not None:
                self.put(key, replace(record, as_of=None, ttl=OUTDATED))

    def generation(self, *names: str) -> Generation:
        self._require_transaction()
        is_written = any(not written.isdisjoint(names) for written in self._writes.values())
        return Generation(tuple(self._generations[name] for name in names), is_written)

    def bump_generation(self, *names: str) -> None:
        self._require_transaction()
        self._generations.update(names)

    def set_write(self, write: str, *names: str) -> None:
        self._require_transaction()
        self._writes[write] = {*names}

    def _require_transaction(self) -> None:
        assert self._is_open, "access outside a transaction"


STORAGES: list[Callable[[], Storage]] = [MemoryStorage, JsonStorage]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> DeltaCache:
    return DeltaCache(clock=clock, wall_clock=NOON.timestamp, storage=JsonStorage())


def test_read_that_began_before_an_invalidation_is_not_stored(cache: DeltaCache) -> None:
    token = cache.answers.look_up(PAYEES)
    cache.invalidate(PAYEES)
    cache.answers.store(token, {"payees": [BAKER]}, 7, as_of=NOON, ttl=300.0)
    assert cache.get_data(PAYEES) is None
    assert stale(cache, PAYEES) is None


def test_a_write_whose_changes_deltas_contain_keeps_the_list(cache: DeltaCache) -> None:
    cache.answers.store(cache.answers.look_up(PAYEES), {"payees": [BAKER]}, 7, as_of=NOON, ttl=300)
    put(cache, "b1:payees:p1", {"payee": BAKER}, 300.0, NOON)
    cache.set_ttl(PAYEES, {"payees": []}, 300.0)
    before = cache.answers.look_up(PAYEES)
    cache.answers.invalidate([PAYEES], keeps_lists=True)
    assert (fresh(cache, PAYEES, 300.0), stale(cache, PAYEES)) == (None, None)
    assert (stale(cache, "b1:payees:p1"), cache.get_ttl(PAYEES)) == (None, None)
    returned = cache.answers.apply(before, {"payees": [GROCER]}, 9, as_of=NOON, ttl=300.0)
    assert returned is not None
    assert returned.data == {"payees": [BAKER, GROCER]}
    cache.answers.stamp(before, before.record and before.record.data, NOON, 300.0)
    assert stale(cache, PAYEES) is None
    merged = cache.answers.apply(
        cache.answers.look_up(PAYEES), {"payees": [GROCER]}, 9, as_of=NOON, ttl=300.0
    )
    assert merged is not None
    assert fresh(cache, PAYEES, 300.0) == ({"payees": [BAKER, GROCER]}, NOON)


def test_delta_is_applied_only_to_the_list_that_its_read_began_with(cache: DeltaCache) -> None:
    cache.answers.store(cache.answers.look_up(PAYEES), {"payees": [BAKER]}, 7)
    token, late = cache.answers.look_up(PAYEES), cache.answers.look_up(PAYEES)
    assert token.cursor == 7
    expected = {"payees": [BAKER, GROCER]}
    merged = cache.answers.apply(token, {"payees": [GROCER]}, 9)
    assert merged is not None
    assert merged.data == expected
    assert cache.answers.apply(late, {"payees": [GROCER | {"name": "old"}]}, 8) is None
    assert cache.get_data(PAYEES, params={}) == expected


def test_stale_data_outlive_their_ttl(cache: DeltaCache, clock: Clock) -> None:
    put(cache, PAYEES, {"payees": [BAKER]}, 300.0, NOON)
    assert fresh(cache, PAYEES, 300.0) == ({"payees": [BAKER]}, NOON)
    clock.advance(300.0)
    assert fresh(cache, PAYEES, 300.0) is None
    assert stale(cache, PAYEES) == ({"payees": [BAKER]}, NOON)
