"""A cache with a file returns the same as one in memory, also after restarts of its processes."""

from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from budgetframe import DeltaCache

from .computer import AS_OF, START, Json, Machine, fresh, put, stale

ALL_KEYS = ("b1:payees", "b1:categories", "b2:payees")
KEYS = st.sampled_from(ALL_KEYS)
ANSWERS = st.sampled_from(["b1:payees", "b1:payees:p1", "b1:export", "b1:categories", "b2:payees"])
ALL_STATED: tuple[dict[str, str] | None, ...] = (None, {}, {"since": "1"}, {"since": "2"})
STATED = st.sampled_from(ALL_STATED)
ASKED = st.sampled_from([(), (("since", "1"),), (("since", "2"),)])
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


class FileAndMemory(RuleBasedStateMachine):
    """One cache in memory and two caches on one file, which get the same calls."""

    @initialize(size=st.sampled_from([0, 30]))
    def begin_empty(self, size: int) -> None:
        # Long lists are stored with their deltas; short ones are written in full each time.
        self.padding = [{"id": f"more {n}", "n": n} for n in range(size)]
        self.folder = TemporaryDirectory()
        self.machine = Machine(Path(self.folder.name))
        self.memory = DeltaCache(clock=self.machine.clock, wall_clock=self.machine.wall)
        self.kernels = [self.machine.kernel(), self.machine.kernel()]
        self.reads: list[tuple[Any, Any, int]] = []

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            for kernel in self.kernels:
                assert kernel.uses_the_file
                kernel.file.close()
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
    def files_hold_the_same_lists_as_memory(self) -> None:
        def compare(cache: DeltaCache) -> None:
            for key, stated in product(ALL_KEYS, ALL_STATED):
                expected = self.memory.get_data(key, params=stated)
                assert cache.get_data(key, params=stated) == expected
                knowledge = self.memory.get_knowledge(key, params=stated)
                assert cache.get_knowledge(key, params=stated) == knowledge

        for kernel in self.kernels:
            kernel.cache.answers.read_together(partial(compare, kernel.cache))

    @rule(key=KEYS, params=ASKED, which=WHICH)
    def begin_read(self, key: str, params: tuple[tuple[str, str], ...], which: int) -> None:
        ours, theirs = (
            self.memory.answers.look_up(key, params), self.file(which).answers.look_up(key, params),
        )  # fmt: skip
        assert (ours.cursor, ours.month) == (theirs.cursor, theirs.month)
        self.reads.append((ours, theirs, which))

    @precondition(lambda self: self.reads)
    @rule(rows=ROWS, knowledge=KNOWLEDGE, data=st.data())
    def store(self, rows: list[Json], knowledge: int, data: st.DataObject) -> None:
        ours, theirs, which = data.draw(st.sampled_from(self.reads))
        whole = document(ours.key, self.padding + rows)
        self.memory.answers.store(ours, whole, knowledge)
        self.file(which).answers.store(theirs, whole, knowledge)

    @precondition(lambda self: self.reads)
    @rule(rows=ROWS, knowledge=KNOWLEDGE, data=st.data())
    def apply(self, rows: list[Json], knowledge: int, data: st.DataObject) -> None:
        ours, theirs, which = data.draw(st.sampled_from(self.reads))
        delta = document(ours.key, rows)
        expected = self.memory.answers.apply(ours, delta, knowledge)
        found = self.file(which).answers.apply(theirs, delta, knowledge)
        assert (found and found.data) == (expected and expected.data)

    @precondition(lambda self: self.reads)
    @rule(data=st.data())
    def discard(self, data: st.DataObject) -> None:
        ours, theirs, which = data.draw(st.sampled_from(self.reads))
        self.memory.answers.discard(ours)
        self.file(which).answers.discard(theirs)

    @property
    def as_of(self) -> datetime:
        return datetime.fromtimestamp(START, UTC) + timedelta(milliseconds=self.machine.clock.now)

    @rule(key=ANSWERS, n=st.floats(-9, 9), ttl=SECONDS, which=WHICH)
    def put_answer(self, key: str, n: float, ttl: float, which: int) -> None:
        for cache in (self.memory, self.file(which)):
            put(cache, key, {"n": n}, ttl, self.as_of)

    @rule(key=KEYS, rows=ROWS, knowledge=KNOWLEDGE, ttl=SECONDS, which=WHICH)
    def read_with_a_time_to_live(
        self, key: str, rows: list[Json], knowledge: int, ttl: float, which: int
    ) -> None:
        stamp: dict[str, Any] = {"as_of": self.as_of, "ttl": ttl}
        for cache in (self.memory, self.file(which)):
            token = cache.answers.look_up(key)
            if token.cursor is None:
                cache.answers.store(token, document(key, self.padding + rows), knowledge, **stamp)
            else:
                cache.answers.apply(token, document(key, rows), knowledge, **stamp)

    @rule(key=ANSWERS, ttl=SECONDS, which=WHICH)
    def compare_answers(self, key: str, ttl: float, which: int) -> None:
        assert fresh(self.file(which), key, ttl) == fresh(self.memory, key, ttl)
        assert stale(self.file(which), key) == stale(self.memory, key)
        assert self.file(which).get_ttl(key) == self.memory.get_ttl(key)

    @rule(key=KEYS, which=WHICH)
    def keep_lists_after_a_write(self, key: str, which: int) -> None:
        for cache in (self.memory, self.file(which)):
            cache.answers.invalidate([key], keeps_lists=True)

    @rule(key=KEYS, which=WHICH)
    def invalidate(self, key: str, which: int) -> None:
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
        # After a month a file deletes records that were not read again; memory keeps them.
        if self.machine.wall() + seconds < START + 30 * 86_400.0:
            self.machine.pass_time(seconds)

    @rule(which=WHICH)
    def restart(self, which: int) -> None:
        self.kernels[which].file.close()
        self.kernels[which] = self.machine.kernel()
        self.reads = [read for read in self.reads if read[2] != which]


def test_list_put_last_is_the_newest_even_if_it_did_not_change(either_cache: DeltaCache) -> None:
    for n in (1, 2):
        either_cache.update("b1:payees", {"n": n}, n, params={"since": str(n)})
    either_cache.merge("b1:payees", {"n": 1}, 3, params={"since": "1"})
    assert either_cache.get_data("b1:payees") == {"n": 1}
    token = either_cache.answers.look_up("b1:payees", (("since", "2"),))
    either_cache.answers.apply(token, {}, 4, as_of=AS_OF, ttl=300.0)
    assert either_cache.get_data("b1:payees") == {"n": 2}
    assert either_cache.get_knowledge("b1:payees") == 4


# After each of up to 35 steps, all lists of the three caches are compared.
TestFileAndMemory = pytest.mark.slow(FileAndMemory.TestCase)  # the comparisons
TestFileAndMemory.settings = settings(
    max_examples=settings().max_examples // 2, stateful_step_count=35
)
