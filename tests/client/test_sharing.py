"""Concurrent reads of one list share a request; each reader gets its own copy."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from budgetframe import ServiceAPIError, ToolError

from .wire import (
    ClientUnderTest,
    HeldAnswer,
    Json,
    accounts,
    answer,
    error_answer,
    run_pending_tasks,
)

PATH = "/budgets/b1/accounts"
ONE = {"accounts": [{"id": "a1"}]}


def one(knowledge: int = 5) -> httpx.Response:
    return accounts(knowledge, {"id": "a1"})


def read_together(under_test: ClientUnderTest, held: list[HeldAnswer], *reads: Json) -> list[Any]:
    """Return the results of several reads that begin before the answers arrive."""

    async def script() -> list[Any]:
        begun = [asyncio.create_task(under_test.client.get(**({"path": PATH} | r))) for r in reads]
        await run_pending_tasks()
        for each in held:
            each.release_answer()
        return list(await asyncio.gather(*begun, return_exceptions=True))

    return under_test.run(script())


def test_concurrent_reads_of_one_list_share_one_request_with_one_place_in_the_limit() -> None:
    held = HeldAnswer(one())
    under_test = ClientUnderTest(held, threshold=1)
    first, *others = read_together(under_test, [held], {}, {}, {})
    first["accounts"][0]["id"] = "changed"  # each reader gets its own copy
    assert others == [ONE, ONE]
    assert len(under_test.wire.requests) == 1
    assert under_test.limiter.check() == (False, 1, 3600.0)


def test_concurrent_reads_share_one_delta() -> None:
    held = HeldAnswer(accounts(6, {"id": "a2"}))
    under_test = ClientUnderTest(held)
    under_test.cache.update("b1:accounts", {"accounts": [{"id": "a1"}]}, 5)
    both = {"accounts": [{"id": "a1"}, {"id": "a2"}]}
    assert (read_together(under_test, [held], {}, {}), under_test.wire.cursors) == (
        [both, both], ["5"],
    )  # fmt: skip


@pytest.mark.parametrize(("sent", "threshold", "error"), [
    (error_answer(503), 1, ServiceAPIError), (httpx.ReadTimeout("slow"), 1, httpx.ReadTimeout),
    (one(), 0, ToolError),
], ids=["error", "no answer", "denied"])  # fmt: skip
def test_error_of_a_shared_request_reaches_every_reader(
    sent: httpx.Response | Exception, threshold: int, error: type[Exception]
) -> None:
    held = HeldAnswer(sent)
    outcomes = read_together(ClientUnderTest(held, threshold=threshold), [held], {}, {}, {})
    assert [type(outcome) for outcome in outcomes] == [error] * 3


def test_spelling_of_the_path_does_not_stop_sharing() -> None:
    held = HeldAnswer(one())
    under_test = ClientUnderTest(held)
    outcome = read_together(under_test, [held], {}, {"path": "budgets/b1/accounts/"})
    assert (outcome, len(under_test.wire.requests)) == ([ONE, ONE], 1)


@pytest.mark.parametrize("other", [
    pytest.param({"path": "/budgets/b2/accounts"}, id="budget"),
    pytest.param({"path": "/budgets/b1/payees"}, id="resource"),
    pytest.param({"params": {"since_date": "2020-01-01"}}, id="since_date"),
    pytest.param({"params": {"type": "unapproved"}}, id="filter"),
    pytest.param({"params": {"last_knowledge_of_server": "0"}},
        id="cursor in params"),
])  # fmt: skip
def test_reads_of_different_entries_are_not_shared(other: Json) -> None:
    held = [HeldAnswer(answer({"rows": [], "server_knowledge": 1})) for _ in range(2)]
    under_test = ClientUnderTest(*held)
    read_together(under_test, held, {}, other)
    assert len(under_test.wire.requests) == 2


def test_read_after_the_answer_sends_another_request() -> None:
    held = HeldAnswer(one())
    under_test = ClientUnderTest(held, accounts(6))
    read_together(under_test, [held], {}, {})
    under_test.get(PATH)
    assert under_test.wire.cursors == [None, "5"]


def test_read_after_a_shared_failure_sends_another_request() -> None:
    held = HeldAnswer(error_answer(503))
    under_test = ClientUnderTest(held, one())
    read_together(under_test, [held], {}, {})
    assert under_test.get(PATH) == ONE


@pytest.mark.parametrize(
    "outcome", [answer({}), error_answer(400), httpx.ReadTimeout("slow")],
    ids=["answer", "error", "no answer"],
)  # fmt: skip
def test_read_after_a_write_joins_no_earlier_request(outcome: httpx.Response | Exception) -> None:
    held = HeldAnswer(one(5))
    under_test = ClientUnderTest(held, outcome, accounts(7, {"id": "a1"}, {"id": "a2"}))

    async def script() -> list[Json]:
        before = await under_test.begin(under_test.client.get(PATH))
        await asyncio.gather(under_test.client.post(PATH), return_exceptions=True)
        after = asyncio.create_task(under_test.client.get(PATH))
        await under_test.wire.arrived(3)
        held.release_answer()
        return [await before, await after]

    assert under_test.run(script()) == [ONE, {"accounts": [{"id": "a1"}, {"id": "a2"}]}]
    assert under_test.cache.get_knowledge("b1:accounts") == 7  # not that of the older answer


def test_read_begun_after_a_write_to_a_linked_resource_joins_no_earlier_request() -> None:
    held = HeldAnswer(one(5))
    under_test = ClientUnderTest(held, answer({}), accounts(7))

    async def script() -> None:
        before = await under_test.begin(under_test.client.get(PATH))
        await under_test.client.post("/budgets/b1/transactions")
        await under_test.client.get(PATH)
        held.release_answer()
        await before

    under_test.run(script())
    assert under_test.wire.calls == [
        "GET /budgets/b1/accounts", "POST /budgets/b1/transactions", "GET /budgets/b1/accounts",
    ]  # fmt: skip


@pytest.mark.parametrize("cancelled", [0, 1])
def test_cancelling_one_reader_does_not_affect_the_other(cancelled: int) -> None:
    held = HeldAnswer(one())
    under_test = ClientUnderTest(held)

    async def script() -> tuple[list[bool], Json]:
        reads = [asyncio.create_task(under_test.client.get(PATH)) for _ in range(2)]
        await run_pending_tasks()
        reads[cancelled].cancel()
        await run_pending_tasks()
        states = [reads[cancelled].cancelled(), reads[1 - cancelled].done()]
        held.release_answer()
        return states, await reads[1 - cancelled]

    assert under_test.run(script()) == ([True, False], ONE)
    assert under_test.cache.get_knowledge("b1:accounts") == 5


def cancel_all(under_test: ClientUnderTest, then: Callable[[], None] = lambda: None) -> None:
    """Cancel both readers of a list, and do something before other tasks run."""

    async def script() -> None:
        reads = [asyncio.create_task(under_test.client.get(PATH)) for _ in range(2)]
        await run_pending_tasks()
        for read in reads:
            read.cancel()
        await asyncio.gather(*reads, return_exceptions=True)
        then()
        await run_pending_tasks()

    under_test.run(script())


def test_request_whose_readers_were_all_cancelled_counts_although_it_is_not_recorded() -> None:
    under_test = ClientUnderTest(HeldAnswer(one()), one(), threshold=2)
    cancel_all(under_test)
    assert under_test.limiter.check() == (True, 0, None)
    assert under_test.get(PATH) == ONE
    with pytest.raises(ToolError):
        under_test.get(PATH)


def test_answer_that_comes_after_all_readers_were_cancelled_is_not_recorded() -> None:
    held = HeldAnswer(one())
    under_test = ClientUnderTest(held)
    cancel_all(under_test, held.release_answer)
    assert (under_test.limiter.check(), under_test.cache.get_data("b1:accounts")) == (
        (True, 0, None), None,
    )  # fmt: skip


def test_reader_in_another_loop_at_the_same_time_gets_the_list_too() -> None:
    held = HeldAnswer(one())
    under_test = ClientUnderTest(held, one())

    async def script() -> list[Json]:
        here = await under_test.begin(under_test.client.get(PATH))
        there = await asyncio.to_thread(lambda: asyncio.run(under_test.client.get(PATH)))
        held.release_answer()
        return [await here, there]

    assert under_test.run(script()) == [ONE, ONE]


def test_reads_are_shared_in_each_of_successive_event_loops() -> None:
    first, second = HeldAnswer(one(5)), HeldAnswer(accounts(6))
    under_test = ClientUnderTest(first, second)
    outcomes = [read_together(under_test, [held], {}, {}) for held in (first, second)]
    assert (outcomes, under_test.wire.cursors) == ([[ONE, ONE], [ONE, ONE]], [None, "5"])


def test_read_that_a_closed_loop_left_behind_does_not_block_the_next_loop() -> None:
    under_test = ClientUnderTest(HeldAnswer(one()), one())
    under_test.run(under_test.begin(under_test.client.get(PATH)))
    assert under_test.get(PATH) == ONE
