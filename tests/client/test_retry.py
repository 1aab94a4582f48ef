"""Reads are repeated after temporary failures; writes are never repeated."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from budgetframe import DeltaCache, RateLimiter, ServiceAPIError, ServiceClient, ToolError
from budgetframe._client.retry import Retries
from tests.clock import Clock

from .wire import (
    BASE_URL,
    Answer,
    HeldAnswer,
    Wire,
    account,
    accounts,
    answer,
    error_answer,
    run_pending_tasks,
)


class Pauses:
    """Keep the lengths of the pauses without pausing."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class RetryingClient:
    """A client with retries."""

    def __init__(self, *script: Answer, threshold: int = 200, attempts: int = 3) -> None:
        self.wire = Wire(*script)
        self.pauses = Pauses()
        self.limiter = RateLimiter(threshold, clock=Clock())
        self.client = ServiceClient(
            httpx.AsyncClient(transport=httpx.MockTransport(self.wire), base_url=BASE_URL),
            self.limiter, DeltaCache(clock=Clock()), retries=Retries(attempts, sleep=self.pauses),
        )  # fmt: skip

    def get(self, path: str = "/user") -> Any:
        return asyncio.run(self.client.get(path))


USER = answer({"user": {"id": "u1"}})
TEMPORARY: dict[str, Callable[[], Answer]] = {
    "502": lambda: httpx.Response(502, html="<h1>Bad Gateway</h1>"),
    "503": lambda: error_answer(503, "503", "service_unavailable", "Down for a moment"),
    "504": lambda: httpx.Response(504),
    "no connection": lambda: httpx.ConnectError("refused"),
    "broken connection": lambda: httpx.ReadError("reset"),
    "closed connection": lambda: httpx.RemoteProtocolError("closed without an answer"),
    "slow connection": lambda: httpx.ConnectTimeout("slow"),
}
PERMANENT: dict[str, Callable[[], Answer]] = {
    "400": lambda: error_answer(400, "400", "bad_request", "No"),
    "401": lambda: error_answer(401, "401", "not_authorized", "Unauthorized"),
    "404": error_answer,
    "429": lambda: error_answer(429, "429", "too_many_requests", "Too many requests"),
    "500": lambda: error_answer(500, "500", "internal_server_error", "Broken"),
    "no data": lambda: httpx.Response(200, html="<h1>Log in</h1>"),
    "no answer in time": lambda: httpx.ReadTimeout("slow"),
}


@pytest.mark.parametrize("failure", TEMPORARY.values(), ids=TEMPORARY)
def test_read_is_repeated_after_a_temporary_failure(failure: Callable[[], Answer]) -> None:
    under_test = RetryingClient(failure(), failure(), USER)
    assert under_test.get() == {"user": {"id": "u1"}}
    assert under_test.wire.calls == ["GET /user"] * 3
    assert len(under_test.pauses.seconds) == 2


@pytest.mark.parametrize("failure", PERMANENT.values(), ids=PERMANENT)
def test_read_is_not_repeated_after_a_permanent_failure(failure: Callable[[], Answer]) -> None:
    under_test = RetryingClient(failure())
    with pytest.raises((ServiceAPIError, httpx.ReadTimeout)):
        under_test.get()
    assert under_test.wire.calls == ["GET /user"]


@pytest.mark.parametrize("failure", TEMPORARY.values(), ids=TEMPORARY)
def test_write_is_never_repeated(failure: Callable[[], Answer]) -> None:
    under_test = RetryingClient(failure())
    with pytest.raises((ServiceAPIError, httpx.TransportError)):
        asyncio.run(under_test.client.post("/budgets/b1/payees", json={"payee": {"name": "x"}}))
    assert under_test.wire.calls == ["POST /budgets/b1/payees"]


def test_request_with_get_is_sent_once() -> None:
    under_test = RetryingClient(httpx.Response(503))
    with pytest.raises(ServiceAPIError):
        asyncio.run(under_test.client.request("GET", "/user"))
    assert under_test.wire.calls == ["GET /user"]


def test_error_of_the_last_attempt_is_raised() -> None:
    under_test = RetryingClient(httpx.Response(502), httpx.Response(503), httpx.Response(504))
    with pytest.raises(ServiceAPIError) as caught:
        under_test.get()
    assert caught.value.status_code == 504


def test_each_attempt_counts_against_the_limit() -> None:
    under_test = RetryingClient(httpx.Response(503), httpx.Response(503), USER)
    under_test.get()
    assert under_test.client.guard.usage()[1] == 3


def test_error_of_the_service_is_raised_when_the_limit_denies_another_attempt() -> None:
    under_test = RetryingClient(httpx.Response(502), httpx.Response(503), threshold=2)
    with pytest.raises(ServiceAPIError) as caught:
        under_test.get()
    assert caught.value.status_code == 503
    assert under_test.wire.calls == ["GET /user"] * 2
    assert len(under_test.pauses.seconds) == 2


def test_tool_error_is_raised_when_the_limit_denies_the_first_attempt() -> None:
    under_test = RetryingClient(USER, threshold=1)
    under_test.get()
    with pytest.raises(ToolError, match="rate limit reached"):
        under_test.get()
    assert under_test.pauses.seconds == []


def test_bounds_of_the_pauses_double_from_one_second_to_the_longest_pause() -> None:
    async def pauses_of_a_read() -> list[float]:
        pauses = Pauses()

        async def fail() -> None:
            raise httpx.ConnectError("refused")

        with pytest.raises(httpx.ConnectError):
            await Retries(5, longest=4.0, sleep=pauses).run(fail)
        return pauses.seconds

    async def pauses_of_many_reads() -> list[list[float]]:
        return [await pauses_of_a_read() for _ in range(500)]

    pauses = asyncio.run(pauses_of_many_reads())
    assert {len(seconds) for seconds in pauses} == {4}
    # 500 random pauses fill the range between zero and their bound; all are different.
    for number, bound in enumerate((1.0, 2.0, 4.0, 4.0)):
        seconds = [pauses_of_read[number] for pauses_of_read in pauses]
        assert 0.0 <= min(seconds) < 0.05 * bound, number
        assert 0.95 * bound < max(seconds) <= bound, number
        assert len(set(seconds)) == 500, number


def test_default_pauses_are_four_seconds_at_most() -> None:
    under_test = RetryingClient(*(httpx.Response(503) for _ in range(40)), attempts=40)
    with pytest.raises(ServiceAPIError):
        under_test.get()
    pauses = under_test.pauses.seconds
    assert len(set(pauses)) == 39
    assert pauses[0] <= 1.0
    assert 2.0 < max(pauses) <= 4.0


def test_concurrent_readers_share_a_repeated_request() -> None:
    async def both() -> list[Any]:
        held = HeldAnswer(httpx.Response(503))
        under_test = RetryingClient(held, accounts(1, account("a", 12_340)))
        path = "/budgets/b1/accounts"
        reads = [asyncio.create_task(under_test.client.get(path)) for _ in range(5)]
        await run_pending_tasks()
        held.release_answer()
        answers = await asyncio.gather(*reads)
        assert under_test.wire.calls == ["GET /budgets/b1/accounts"] * 2
        return answers

    assert [answer["accounts"][0]["balance"] for answer in asyncio.run(both())] == [12.34] * 5


def test_delta_is_repeated_with_the_same_cursor() -> None:
    under_test = RetryingClient(accounts(7, account("a", 1_000)), httpx.Response(503), accounts(8))
    under_test.get("/budgets/b1/accounts")
    under_test.get("/budgets/b1/accounts")
    assert under_test.wire.cursors == [None, "7", "7"]


def test_read_can_be_cancelled_during_a_pause() -> None:
    async def cancelled() -> None:
        never = asyncio.Event()

        async def pause(_seconds: float) -> None:
            await never.wait()

        wire = Wire(httpx.Response(503))
        http = httpx.AsyncClient(transport=httpx.MockTransport(wire), base_url=BASE_URL)
        client = ServiceClient(http, RateLimiter(), DeltaCache(), retries=Retries(sleep=pause))
        read = asyncio.create_task(client.get("/user"))
        await run_pending_tasks()
        read.cancel()
        with pytest.raises(asyncio.CancelledError):
            await read
        assert wire.calls == ["GET /user"]

    asyncio.run(cancelled())
