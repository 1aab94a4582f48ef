"""Reads are tried again after what passes; writes never are."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from budgetframe import DeltaCache, RateLimiter, ServiceAPIError, ServiceClient, ToolError
from budgetframe._client.retry import Retries
from tests.clock import Clock

from .case import case
from .wire import BASE_URL, Answer, Held, Wire, account, accounts, answer, refusal, settle


class Pauses:
    """Remembers how long each pause should have been, and takes none."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Persistent:
    """A client that tries again."""

    def __init__(self, *script: Answer, threshold: int = 200, attempts: int = 3) -> None:
        self.wire = Wire(*script)
        self.pauses = Pauses()
        self.limiter = RateLimiter(threshold, clock=Clock())
        self.client = ServiceClient(
            httpx.AsyncClient(transport=httpx.MockTransport(self.wire), base_url=BASE_URL),
            self.limiter,
            DeltaCache(clock=Clock()),
            retries=Retries(attempts, sleep=self.pauses),
        )

    def get(self, path: str = "/user") -> Any:
        return asyncio.run(self.client.get(path))


USER = answer({"user": {"id": "u1"}})
PASSING: dict[str, Callable[[], Answer]] = {
    "502": lambda: httpx.Response(502, html="<h1>Bad Gateway</h1>"),
    "503": lambda: refusal(503, "503", "service_unavailable", "Down for a moment"),
    "504": lambda: httpx.Response(504),
    "no connection": lambda: httpx.ConnectError("refused"),
    "broken connection": lambda: httpx.ReadError("reset"),
    "closed connection": lambda: httpx.RemoteProtocolError("closed without an answer"),
    "slow connection": lambda: httpx.ConnectTimeout("slow"),
}
LASTING: dict[str, Callable[[], Answer]] = {
    "400": lambda: refusal(400, "400", "bad_request", "No"),
    "401": lambda: refusal(401, "401", "not_authorized", "Unauthorized"),
    "404": refusal,
    "429": lambda: refusal(429, "429", "too_many_requests", "Too many requests"),
    "500": lambda: refusal(500, "500", "internal_server_error", "Broken"),
    "no data": lambda: httpx.Response(200, html="<h1>Log in</h1>"),
    "no answer in time": lambda: httpx.ReadTimeout("slow"),
}


def test_a_read_is_tried_again_after_what_passes() -> None:
    for name, failure in PASSING.items():
        with case(name):
            under_test = Persistent(failure(), failure(), USER)
            assert under_test.get() == {"user": {"id": "u1"}}
            assert under_test.wire.calls == ["GET /user"] * 3
            assert len(under_test.pauses.seconds) == 2


def test_a_read_is_not_tried_again_after_what_stays() -> None:
    for name, failure in LASTING.items():
        with case(name):
            under_test = Persistent(failure())
            with pytest.raises((ServiceAPIError, httpx.ReadTimeout)):
                under_test.get()
            assert under_test.wire.calls == ["GET /user"]


def test_a_write_is_sent_once_whatever_happens() -> None:
    for name, failure in PASSING.items():
        with case(name):
            under_test = Persistent(failure())
            with pytest.raises((ServiceAPIError, httpx.TransportError)):
                asyncio.run(
                    under_test.client.post("/budgets/b1/payees", json={"payee": {"name": "x"}})
                )
            assert under_test.wire.calls == ["POST /budgets/b1/payees"]


def test_request_sends_once_as_it_says() -> None:
    under_test = Persistent(httpx.Response(503))
    with pytest.raises(ServiceAPIError):
        asyncio.run(under_test.client.request("GET", "/user"))
    assert under_test.wire.calls == ["GET /user"]


def test_a_client_that_was_given_no_retries_sends_once() -> None:
    wire = Wire(httpx.Response(503))
    http = httpx.AsyncClient(transport=httpx.MockTransport(wire), base_url=BASE_URL)
    with pytest.raises(ServiceAPIError):
        asyncio.run(ServiceClient(http, RateLimiter(), DeltaCache()).get("/user"))
    assert wire.calls == ["GET /user"]


def test_the_last_error_is_the_result() -> None:
    under_test = Persistent(httpx.Response(502), httpx.Response(503), httpx.Response(504))
    with pytest.raises(ServiceAPIError) as caught:
        under_test.get()
    assert caught.value.status_code == 504


def test_each_try_takes_its_place_in_the_limit() -> None:
    under_test = Persistent(httpx.Response(503), httpx.Response(503), USER)
    under_test.get()
    assert under_test.limiter.usage()[1] == 3


def test_where_the_limit_allows_no_other_try_the_service_s_error_is_the_result() -> None:
    under_test = Persistent(httpx.Response(502), httpx.Response(503), threshold=2)
    with pytest.raises(ServiceAPIError) as caught:
        under_test.get()
    assert caught.value.status_code == 503
    assert under_test.wire.calls == ["GET /user"] * 2
    assert len(under_test.pauses.seconds) == 2


def test_where_the_limit_allows_none_at_all_it_is_the_limit_s_refusal() -> None:
    under_test = Persistent(USER, threshold=1)
    under_test.get()
    with pytest.raises(ToolError, match="rate limit reached"):
        under_test.get()
    assert under_test.pauses.seconds == []


def test_pauses_differ_and_grow_no_longer_than_four_seconds() -> None:
    under_test = Persistent(*(httpx.Response(503) for _ in range(40)), attempts=40)
    with pytest.raises(ServiceAPIError):
        under_test.get()
    pauses = under_test.pauses.seconds
    assert len(set(pauses)) == 39
    assert max(pauses[:1]) <= 1.0
    assert max(pauses) <= 4.0
    assert max(pauses) > 2.0


def test_readers_who_wait_together_try_again_together() -> None:
    async def both() -> list[Any]:
        held = Held(httpx.Response(503))
        under_test = Persistent(held, accounts(1, account("a", 12_340)))
        path = "/budgets/b1/accounts"
        reads = [asyncio.create_task(under_test.client.get(path)) for _ in range(5)]
        await settle()
        held.let_go()
        answers = await asyncio.gather(*reads)
        assert under_test.wire.calls == ["GET /budgets/b1/accounts"] * 2
        return answers

    assert [answer["accounts"][0]["balance"] for answer in asyncio.run(both())] == [12.34] * 5


def test_a_delta_is_tried_again_with_the_same_cursor() -> None:
    under_test = Persistent(accounts(7, account("a", 1_000)), httpx.Response(503), accounts(8))
    under_test.get("/budgets/b1/accounts")
    under_test.get("/budgets/b1/accounts")
    assert under_test.wire.cursors == [None, "7", "7"]


def test_a_cancelled_pause_ends_the_read() -> None:
    async def cancelled() -> None:
        never = asyncio.Event()

        async def pause(_seconds: float) -> None:
            await never.wait()

        wire = Wire(httpx.Response(503))
        http = httpx.AsyncClient(transport=httpx.MockTransport(wire), base_url=BASE_URL)
        client = ServiceClient(http, RateLimiter(), DeltaCache(), retries=Retries(sleep=pause))
        read = asyncio.create_task(client.get("/user"))
        await settle()
        read.cancel()
        with pytest.raises(asyncio.CancelledError):
            await read
        assert wire.calls == ["GET /user"]

    asyncio.run(cancelled())
