"""Reads of the same answer that overlap: its time, and how long it is fresh."""

import asyncio
from datetime import datetime, timedelta

import pytest

from budgetframe import DeltaCache
from tests.client.wire import ClientUnderTest, HeldAnswer, accounts, answer, run_pending_tasks

from .computer import AS_OF, Json, fresh, put, stale

LATER = AS_OF + timedelta(seconds=2)
ONE = {"accounts": [{"id": "a1"}]}
Answer = tuple[Json, datetime | None]


def read_together(
    under_test: ClientUnderTest, held: HeldAnswer, path: str, *reads: tuple[datetime | None, float]
) -> list[Answer]:
    """Return the results of reads with these times and times to live, which share a request."""
    client, cache = under_test.client, under_test.cache

    async def script() -> list[Answer]:
        tasks = []
        for as_of, ttl in reads:
            token = cache.answers.look_up("b1:" + path.rpartition("/")[2])
            tasks.append(asyncio.create_task(client.read(path, token, as_of=as_of, ttl=ttl)))
            await run_pending_tasks()
        held.release_answer()
        return [(each.data, each.as_of) for each in await asyncio.gather(*tasks)]

    return under_test.run(script())


def test_read_that_joins_another_returns_the_time_of_the_request(subtests: pytest.Subtests) -> None:
    for path, whole, response in (
        ("/budgets/b1/accounts", ONE, accounts(5, {"id": "a1"})),
        ("/budgets/b1/settings", {"n": 1}, answer({"n": 1})),
    ):
        with subtests.test(path=path):
            held = HeldAnswer(response)
            under_test = ClientUnderTest(held)
            answers = read_together(under_test, held, path, (AS_OF, 60.0), (LATER, 60.0))
            assert answers == [(whole, AS_OF), (whole, AS_OF)]
            assert fresh(under_test.cache, "b1:" + path.rpartition("/")[2], 60.0) == (whole, AS_OF)


@pytest.mark.parametrize("ttls", [(60.0, 300.0), (300.0, 60.0), (0.0, 300.0)])
def test_shared_answer_is_fresh_for_the_time_of_each_read(ttls: tuple[float, float]) -> None:
    held = HeldAnswer(accounts(5, {"id": "a1"}))
    under_test = ClientUnderTest(held)
    read_together(under_test, held, "/budgets/b1/accounts", *((AS_OF, ttls[0]), (LATER, ttls[1])))
    under_test.clock.advance(60.0)
    assert fresh(under_test.cache, "b1:accounts", 60.0) is None
    under_test.clock.advance(239.0)
    assert fresh(under_test.cache, "b1:accounts", 300.0) == (ONE, AS_OF)
    under_test.clock.advance(1.0)
    assert fresh(under_test.cache, "b1:accounts", 300.0) is None


def test_read_that_joins_a_read_without_a_time_stores_its_own() -> None:
    held = HeldAnswer(accounts(5, {"id": "a1"}))
    under_test = ClientUnderTest(held)
    answers = read_together(under_test, held, "/budgets/b1/accounts", (None, 0.0), (LATER, 300.0))
    assert answers == [(ONE, None), (ONE, LATER)]
    assert fresh(under_test.cache, "b1:accounts", 300.0) == (ONE, LATER)


def test_earlier_answer_that_comes_last_replaces_nothing(either_cache: DeltaCache) -> None:
    answers = either_cache.answers
    early, late = answers.look_up("b1:settings"), answers.look_up("b1:settings")
    answers.store(late, {"n": 2}, as_of=LATER, ttl=300.0)
    answers.store(early, {"n": 1}, as_of=AS_OF, ttl=300.0)
    assert stale(either_cache, "b1:settings") == ({"n": 2}, LATER)


def test_earlier_answer_that_comes_last_keeps_the_time_of_a_list(either_cache: DeltaCache) -> None:
    answers = either_cache.answers
    early, late = answers.look_up("b1:accounts"), answers.look_up("b1:accounts")
    answers.store(late, ONE, 5, as_of=LATER, ttl=300.0)
    answers.store(early, {"accounts": [{"id": "a1"}]}, 5, as_of=AS_OF, ttl=300.0)
    assert stale(either_cache, "b1:accounts") == (ONE, LATER)
    early, late = answers.look_up("b1:accounts"), answers.look_up("b1:accounts")
    between, much_later = (LATER + timedelta(seconds=seconds) for seconds in (5, 10))
    answers.apply(late, {"accounts": []}, 5, as_of=much_later, ttl=300.0)
    answers.apply(early, {"accounts": []}, 5, as_of=between, ttl=300.0)
    assert stale(either_cache, "b1:accounts") == (ONE, much_later)


def test_new_answer_is_stored_after_the_wall_clock_was_set_back(either_cache: DeltaCache) -> None:
    put(either_cache, "b1:settings", {"n": 1}, 300.0, LATER)
    put(either_cache, "b1:settings", {"n": 2}, 300.0, AS_OF)
    assert fresh(either_cache, "b1:settings", 300.0) == ({"n": 2}, AS_OF)
