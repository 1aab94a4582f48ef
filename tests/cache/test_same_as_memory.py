"""A cache in a file answers as one in memory does, restarts and neighbours included."""

from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from budgetframe import DeltaCache

from .computer import START, Json, Machine

ALL_KEYS = ("b1:payees", "b1:categories", "b2:payees")
KEYS = st.sampled_from(ALL_KEYS)
ANSWERS = st.sampled_from(["b1:payees", "b1:payees:p1", "b1:export", "b1:categories", "b2:payees"])
ALL_STATED: tuple[dict[str, str] | None, ...] = (None, {}, {"since": "1"})
STATED = st.sampled_from(ALL_STATED)
ASKED = st.sampled_from([(), (("since", "1"),)])
SECONDS = st.sampled_from([0.0, 1.0, 299.0, 300.0, 3_600.0])
KNOWLEDGE = st.integers(1, 6)
WHICH = st.sampled_from([0, 1])
ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["r1", "r2", "r3", "r4"]), "n": st.floats(-9, 9)},
        optional={"deleted": st.booleans(), "note": st.text(max_size=3) | st.none()},
    ),
    unique_by=lambda row: str(row["id"]),
    max_size=4,
)


def document(key: str, rows: list[Json]) -> Json:
    name = key.partition(":")[2]
    if name == "categories":
        return {"category_groups": [{"id": "g1", "categories": rows}]}
    return {name: rows}


class Lockstep(RuleBasedStateMachine):
    """One cache in memory, and two in turns on one file, which are the same to whoever asks."""

    @initialize(size=st.sampled_from([0, 60]))
    def begin_with_nothing(self, size: int) -> None:
        # Long lists are kept with their deltas, short ones are written anew each time.
        self.padding = [{"id": f"more {n}", "n": n} for n in range(size)]
        self.folder = TemporaryDirectory()
        self.machine = Machine(Path(self.folder.name))
        self.memory = DeltaCache(clock=self.machine.ticks, wall_clock=self.machine.wall)
        self.kernels = [self.machine.kernel(), self.machine.kernel()]
        self.readings: list[tuple[Any, Any, int]] = []
        self.lists: set[str] = set()  # answers that are lists of the cache, as the client's are

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            for kernel in self.kernels:
                assert kernel.is_on_the_file
                kernel.store.close()
            self.folder.cleanup()

    def file(self, which: int) -> DeltaCache:
        return self.kernels[which].cache

    @rule(key=KEYS, rows=ROWS, knowledge=KNOWLEDGE, stated=STATED, which=WHICH)
    def update(
        self, key: str, rows: list[Json], knowledge: int, stated: dict[str, str] | None, which: int
    ) -> None:
        whole = document(key, self.padding + rows)
        for cache in (self.memory, self.file(which)):
            cache.update(key, whole, knowledge, params=stated)

    @rule(key=KEYS, rows=ROWS, knowledge=KNOWLEDGE, stated=STATED, which=WHICH)
    def merge(
        self, key: str, rows: list[Json], knowledge: int, stated: dict[str, str] | None, which: int
    ) -> None:
        delta = document(key, rows)
        expected = self.memory.merge(key, delta, knowledge, params=stated)
        assert self.file(which).merge(key, delta, knowledge, params=stated) == expected

    @invariant()
    def both_know_what_memory_knows(self) -> None:
        for kernel, key, stated in product(self.kernels, ALL_KEYS, ALL_STATED):
            expected = self.memory.get_data(key, params=stated)
            assert kernel.cache.get_data(key, params=stated) == expected
            known = self.memory.get_knowledge(key, params=stated)
            assert kernel.cache.get_knowledge(key, params=stated) == known

    @rule(key=KEYS, params=ASKED, which=WHICH)
    def begin_read(self, key: str, params: tuple[tuple[str, str], ...], which: int) -> None:
        ours, theirs = self.memory.begin_read(key, params), self.file(which).begin_read(key, params)
        assert (ours.cursor, ours.month) == (theirs.cursor, theirs.month)
        self.readings.append((ours, theirs, which))

    @precondition(lambda self: self.readings)
    @rule(rows=ROWS, knowledge=KNOWLEDGE, data=st.data())
    def store(self, rows: list[Json], knowledge: int, data: st.DataObject) -> None:
        ours, theirs, which = data.draw(st.sampled_from(self.readings))
        whole = document(ours.key, self.padding + rows)
        self.memory.store(ours, whole, knowledge)
        self.file(which).store(theirs, whole, knowledge)

    @precondition(lambda self: self.readings)
    @rule(rows=ROWS, knowledge=KNOWLEDGE, data=st.data())
    def apply(self, rows: list[Json], knowledge: int, data: st.DataObject) -> None:
        ours, theirs, which = data.draw(st.sampled_from(self.readings))
        delta = document(ours.key, rows)
        expected = self.memory.apply(ours, delta, knowledge)
        assert self.file(which).apply(theirs, delta, knowledge) == expected

    @precondition(lambda self: self.readings)
    @rule(data=st.data())
    def discard(self, data: st.DataObject) -> None:
        ours, theirs, which = data.draw(st.sampled_from(self.readings))
        self.memory.discard(ours)
        self.file(which).discard(theirs)

    @property
    def as_of(self) -> datetime:
        return datetime.fromtimestamp(START, UTC) + timedelta(milliseconds=self.machine.ticks.now)

    @rule(key=ANSWERS, n=st.floats(-9, 9), ttl=SECONDS, which=WHICH)
    def put_timed(self, key: str, n: float, ttl: float, which: int) -> None:
        self.lists.discard(key)
        for cache in (self.memory, self.file(which)):
            cache.put_timed(cache.begin_read(key), {"n": n}, ttl, self.as_of)

    @rule(key=KEYS, rows=ROWS, knowledge=KNOWLEDGE, ttl=SECONDS, which=WHICH)
    def read_and_remember(
        self, key: str, rows: list[Json], knowledge: int, ttl: float, which: int
    ) -> None:
        self.lists.add(key)
        for cache in (self.memory, self.file(which)):
            reading = cache.begin_read(key)
            whole = document(key, self.padding + rows)
            if reading.cursor is None:
                cache.store(reading, whole, knowledge)
            else:
                whole = cache.apply(reading, document(key, rows), knowledge) or whole
            cache.put_timed(reading, whole, ttl, self.as_of)

    @rule(key=ANSWERS, ttl=SECONDS, which=WHICH)
    def get_timed(self, key: str, ttl: float, which: int) -> None:
        pairs = [
            (self.file(which).get_timed(key, ttl), self.memory.get_timed(key, ttl)),
            (self.file(which).get_stale(key), self.memory.get_stale(key)),
        ]
        for lasting, expected in pairs:
            if key not in self.lists or lasting == expected:
                assert lasting == expected
            else:
                # A list that an answer shares with the cache may have gone on since, or gone.
                assert expected is not None
                entry = self.memory.begin_read(key).entry
                assert lasting is None or (entry and lasting == (entry.data, expected[1]))

    @rule(key=KEYS, which=WHICH)
    def invalidate(self, key: str, which: int) -> None:
        for cache in (self.memory, self.file(which)):
            cache.invalidate(key)

    @rule(key=ANSWERS, which=WHICH)
    def expect_drop(self, key: str, which: int) -> None:
        # In memory there is nothing to outlive the process; what follows a write is a drop.
        self.file(which).expect_drop(key)
        for cache in (self.memory, self.file(which)):
            cache.invalidate(key)

    @rule(budget_id=st.sampled_from(["b1", "b2"]), which=WHICH)
    def invalidate_budget(self, budget_id: str, which: int) -> None:
        for cache in (self.memory, self.file(which)):
            cache.invalidate_budget(budget_id)

    @rule(which=WHICH)
    def clear(self, which: int) -> None:
        for cache in (self.memory, self.file(which)):
            cache.clear()

    @rule(seconds=SECONDS | st.just(20 * 86_400.0))
    def time_passes(self, seconds: float) -> None:
        # After a month a file gives up what nobody has read again; a memory never does.
        if self.machine.wall() + seconds < START + 30 * 86_400.0:
            self.machine.pass_time(seconds)

    @rule(which=WHICH)
    def restart(self, which: int) -> None:
        self.kernels[which].store.close()
        self.kernels[which] = self.machine.kernel()
        self.readings = [reading for reading in self.readings if reading[2] != which]


LockstepTest = Lockstep.TestCase
LockstepTest.settings = settings(max_examples=30, stateful_step_count=35, deadline=None)
