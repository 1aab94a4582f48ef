"""The client calls `check` before a request and `record` after its answer, on any limiter."""

import asyncio
from typing import Any

import httpx
import pytest

from budgetframe import RateLimiter, ServiceClient, ToolError

from .wire import BASE_URL, Answer, Wire, answer, error_answer


class Logbook:
    """An object with nothing but the two methods; it writes down the calls."""

    def __init__(self, allowed: int = 100) -> None:
        self.calls: list[str] = []
        self.allowed = allowed

    def check(self) -> tuple[bool, int, float | None]:
        self.calls.append("check")
        count = self.calls.count("record")
        return count < self.allowed, count, None if count < self.allowed else 12.9

    def record(self) -> None:
        self.calls.append("record")


class Slotted(Logbook):
    """A limiter without a hash and without weak references."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]


class Denying(RateLimiter):
    def check(self) -> tuple[bool, int, float | None]:
        return False, 201, 12.9


def client_on(limiter: Any, *script: Answer) -> tuple[ServiceClient, Wire]:
    wire = Wire(*script)
    http = httpx.AsyncClient(transport=httpx.MockTransport(wire), base_url=BASE_URL)
    return ServiceClient(http, limiter), wire


def test_check_comes_before_a_request_and_record_after_its_answer(
    subtests: pytest.Subtests,
) -> None:
    for limiter in (Logbook(), Slotted()):
        with subtests.test(name=type(limiter).__name__):
            client, _ = client_on(limiter, answer({}), error_answer(500))
            asyncio.run(client.request("GET", "/user"))
            assert limiter.calls == ["check", "record"]


def test_error_answer_is_recorded_once_on_any_limiter() -> None:
    limiter = Logbook()
    client, _ = client_on(limiter, error_answer(404))
    with pytest.raises(Exception, match="Resource not found"):
        asyncio.run(client.request("GET", "/user"))
    assert limiter.calls == ["check", "record"]


def test_request_without_an_answer_is_not_recorded_on_any_limiter() -> None:
    limiter = Logbook()
    client, _ = client_on(limiter, httpx.ReadTimeout("slow"))
    with pytest.raises(httpx.ReadTimeout):
        asyncio.run(client.request("GET", "/user"))
    assert limiter.calls == ["check"]


def test_denial_of_an_overridden_check_is_obeyed() -> None:
    client, wire = client_on(Denying(), answer({}))
    with pytest.raises(ToolError) as caught:
        asyncio.run(client.get("/user"))
    assert str(caught.value) == (
        "rate limit reached (201 requests this hour), try again in 12 seconds"
    )
    assert caught.value.retry_after == 12.9
    assert wire.calls == []


def test_denial_of_another_limiter_is_obeyed() -> None:
    client, wire = client_on(Logbook(allowed=1), answer({}), answer({}))
    asyncio.run(client.get("/user"))
    with pytest.raises(ToolError, match=r"1 requests this hour\), try again in 12 seconds"):
        asyncio.run(client.get("/user"))
    assert wire.calls == ["GET /user"]


def test_burst_on_a_limiter_without_a_threshold_sends_at_most_200_requests() -> None:
    client, wire = client_on(Logbook(allowed=1000), *[answer({})] * 300)

    async def burst() -> list[dict[str, Any] | BaseException]:
        calls = [client.get("/user") for _ in range(300)]
        return await asyncio.gather(*calls, return_exceptions=True)

    results = asyncio.run(burst())
    assert len(wire.calls) == 200
    assert sum(isinstance(each, ToolError) for each in results) == 100


def test_overridden_record_is_called() -> None:
    calls = []

    class Recording(RateLimiter):
        def record(self) -> None:
            calls.append("record")
            super().record()

    limiter = Recording()
    client, _ = client_on(limiter, answer({}))
    asyncio.run(client.get("/user"))
    assert calls == ["record"]
    assert limiter.check() == (True, 1, None)
