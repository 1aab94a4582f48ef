"""The client calls `check` before a request and `record` after its answer, on any limiter."""

import asyncio
from contextlib import suppress
from typing import Any

import httpx
import pytest

from budgetframe import RateLimiter, ServiceAPIError, ServiceClient, ToolError

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


@pytest.mark.parametrize("limiter_type", [Logbook, Slotted])
@pytest.mark.parametrize(("sent", "calls"), [
    (answer({}), ["check", "record"]), (error_answer(404), ["check", "record"]),
    (httpx.ReadTimeout("slow"), ["check"]),
], ids=["answer", "error", "no answer"])  # fmt: skip
def test_check_comes_before_a_request_and_record_after_its_answer(
    limiter_type: type[Logbook], sent: Answer, calls: list[str]
) -> None:
    limiter = limiter_type()
    client, _ = client_on(limiter, sent)
    with suppress(ServiceAPIError, httpx.ReadTimeout):
        asyncio.run(client.request("GET", "/user"))
    assert limiter.calls == calls


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
