"""Which outcomes of a request take a place in the limit."""

import asyncio
from typing import Any

import httpx
import pytest

from budgetframe import RateLimiter
from budgetframe._client.limit_guard import LimitGuard
from tests.cache.child import result_of
from tests.case import case

from .wire import ClientUnderTest, HeldAnswer, accounts, answer

PATH = "/budgets/b1/accounts"
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)

UNSENDABLE: dict[str, tuple[str, dict[str, Any], type[Exception]]] = {
    "a body that is not JSON": (PATH, {"json": object()}, TypeError),
    "an unknown keyword": (PATH, {"nonsense": 1}, TypeError),
    "a body that contains itself": (PATH, {"json": CIRCLE}, ValueError),
    "a header that is not ASCII": (PATH, {"headers": {"X-Note": "é"}}, ValueError),
    "an address that is too long": (f"/{'x' * 70_000}", {}, httpx.InvalidURL),
}


def test_request_that_cannot_be_sent_takes_no_place() -> None:
    for name, (path, arguments, error) in UNSENDABLE.items():
        with case(name):
            under_test = ClientUnderTest(threshold=1)
            with pytest.raises(error):
                under_test.post(path, **arguments)
            assert under_test.guard.usage() == (True, 0, None)


def test_request_that_cannot_be_sent_leaves_its_place_to_the_next_request() -> None:
    for name, (path, arguments, error) in UNSENDABLE.items():
        with case(name):
            under_test = ClientUnderTest(answer({"user": {"id": "u1"}}), threshold=1)
            with pytest.raises(error):
                under_test.post(path, **arguments)
            assert under_test.get("/user") == {"user": {"id": "u1"}}


def test_request_without_an_answer_takes_a_place() -> None:
    cases = [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("half an answer"),
        httpx.LocalProtocolError("an invalid header"),
        httpx.DecodingError("not gzip"),
    ]
    for failure in cases:
        with case(failure):
            under_test = ClientUnderTest(failure, threshold=1)
            with pytest.raises(type(failure)):
                under_test.get("/user")
            assert under_test.guard.usage() == (False, 1, 3600.0)


@pytest.mark.parametrize("path", ["/user", PATH], ids=["request", "shared read of a list"])
def test_request_cancelled_while_under_way_takes_a_place(path: str) -> None:
    async def give_up(under_test: ClientUnderTest) -> None:
        reading = asyncio.ensure_future(under_test.client.get(path))
        await under_test.wire.arrived(1)
        reading.cancel()
        await asyncio.wait({reading})

    under_test = ClientUnderTest(HeldAnswer(accounts(5)), threshold=1)
    under_test.run(give_up(under_test))
    assert under_test.guard.usage() == (False, 1, 3600.0)


def test_answered_request_takes_one_place() -> None:
    under_test = ClientUnderTest(answer({}), threshold=1)
    under_test.get("/user")
    assert under_test.guard.usage() == (False, 1, 3600.0)


def test_request_under_way_in_the_parent_takes_no_place_in_a_forked_child() -> None:
    guard = LimitGuard(RateLimiter(threshold=1, clock=lambda: 0.0))
    guard.reserve()
    assert result_of(lambda: guard.reserve()[0]) == "True"
    assert not guard.reserve()[0]


def test_answered_request_of_the_parent_counts_in_a_forked_child() -> None:
    limiter = RateLimiter(clock=lambda: 0.0)
    limiter.record()
    guard = LimitGuard(limiter)
    guard.reserve()
    assert result_of(lambda: guard.usage()[1]) == "1"
    assert guard.usage()[1] == 2
