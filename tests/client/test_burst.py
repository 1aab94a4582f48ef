"""Many requests at once: requests under way count, in any order of the answers."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

import pytest

from budgetframe import ServiceClient, ToolError

from .wire import ClientUnderTest, HeldAnswer, answer, run_pending_tasks

Request = Coroutine[Any, Any, Any]


def burst(under_test: ClientUnderTest, held: list[HeldAnswer], count: int) -> list[Any]:
    """Begin some reads at once, then release the answers."""
    reads = [under_test.client.get(f"/budgets/b{n}/settings") for n in range(count)]
    return at_once(under_test, held, reads)


def at_once(
    under_test: ClientUnderTest, held: list[HeldAnswer], requests: Iterable[Request]
) -> list[Any]:
    """Begin requests at once, then release the answers in this order."""

    async def script() -> list[Any]:
        tasks = [asyncio.create_task(request) for request in requests]
        await run_pending_tasks()
        for one in held:
            one.release_answer()
            await run_pending_tasks()
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    return under_test.run(script())


def answers(count: int) -> list[HeldAnswer]:
    return [HeldAnswer(answer({"n": n})) for n in range(count)]


def test_burst_sends_no_more_than_the_threshold_and_refuses_the_others() -> None:
    held = answers(10)
    under_test = ClientUnderTest(*held, threshold=10)
    outcomes = burst(under_test, held, 50)
    assert len(under_test.wire.requests) == 10
    assert [isinstance(one, ToolError) for one in outcomes] == [False] * 10 + [True] * 40


def test_requests_under_way_count_in_the_message() -> None:
    held = answers(3)
    outcomes = burst(ClientUnderTest(*held, threshold=3), held, 4)
    assert str(outcomes[3]) == "rate limit reached (3 requests this hour), try again in 60 seconds"


def test_requests_of_a_burst_count_for_one_window() -> None:
    held = answers(2)
    under_test = ClientUnderTest(*held, answer({"a": 1}), answer({"a": 2}), threshold=2)
    burst(under_test, held, 5)
    under_test.clock.advance(3601.0)
    assert [under_test.get("/user") for _ in range(2)] == [{"a": 1}, {"a": 2}]


def test_request_under_way_for_longer_than_the_window_still_counts() -> None:
    held = answers(1)
    under_test = ClientUnderTest(*held, threshold=1, window_seconds=60.0)

    async def script() -> list[Any]:
        first = await under_test.begin(under_test.client.get("/user"))
        under_test.clock.advance(600.0)
        second = await asyncio.gather(under_test.client.get("/user"), return_exceptions=True)
        held[0].release_answer()
        return [await first, *map(type, second)]

    assert under_test.run(script()) == [{"n": 0}, ToolError]


def test_requests_under_way_of_two_clients_on_one_limiter_count_together() -> None:
    held = answers(3)
    under_test = ClientUnderTest(*held, threshold=3)
    clients = (under_test.client, ServiceClient(under_test.http, under_test.limiter))
    reads = [client.get(f"/budgets/b{n}/settings") for n in range(10) for client in clients]
    refused = sum(isinstance(one, ToolError) for one in at_once(under_test, held, reads))
    assert (len(under_test.wire.requests), refused) == (3, 17)


def test_writes_under_way_count_as_well() -> None:
    held = answers(2)
    under_test = ClientUnderTest(*held, threshold=2)
    at_once(under_test, held, [under_test.client.post("/budgets/b1/payees") for _ in range(6)])
    assert len(under_test.wire.requests) == 2


def test_cancelled_request_counts_for_one_window_although_it_is_not_recorded() -> None:
    under_test = ClientUnderTest(*answers(1), answer({"a": 1}), threshold=1)
    assert under_test.run(under_test.cancel(under_test.client.get("/user")))
    assert under_test.limiter.check() == (True, 0, None)
    with pytest.raises(ToolError):
        under_test.get("/user")
    under_test.clock.advance(3601.0)
    assert under_test.get("/user") == {"a": 1}
