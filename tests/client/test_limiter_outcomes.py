"""Which outcomes of a request take a place in the limit."""

from typing import Any

import httpx
import pytest

from budgetframe import RateLimiter, ToolError
from budgetframe._client.limit_guard import LimitGuard
from budgetframe._client.usage import RequestCounter
from tests.cache.child import result_of

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


@pytest.mark.parametrize(("path", "arguments", "error"), UNSENDABLE.values(), ids=UNSENDABLE)
def test_request_that_cannot_be_sent_takes_no_place(
    path: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    under_test = ClientUnderTest(answer({"user": {"id": "u1"}}), threshold=1)
    with pytest.raises(error):
        under_test.post(path, **arguments)
    assert under_test.guard.usage() == (True, 0, None)
    assert under_test.get("/user") == {"user": {"id": "u1"}}


def test_request_without_an_answer_takes_a_place(subtests: pytest.Subtests) -> None:
    cases = [
        httpx.ConnectError("refused"), httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("half an answer"), httpx.LocalProtocolError("an invalid header"),
        httpx.DecodingError("not gzip"),
    ]  # fmt: skip
    for failure in cases:
        with subtests.test(failure=failure):
            under_test = ClientUnderTest(failure, threshold=1)
            with pytest.raises(type(failure)):
                under_test.get("/user")
            assert under_test.guard.usage() == (False, 1, 3600.0)


@pytest.mark.parametrize("path", ["/user", PATH], ids=["request", "shared read of a list"])
def test_request_cancelled_while_under_way_takes_a_place(path: str) -> None:
    under_test = ClientUnderTest(HeldAnswer(accounts(5)), threshold=1)
    under_test.run(under_test.cancel(under_test.client.get(path)))
    assert under_test.guard.usage() == (False, 1, 3600.0)


@pytest.mark.posix
def test_a_forked_child_counts_the_answered_requests_of_its_parent_only() -> None:
    limiter = RateLimiter(threshold=2, clock=lambda: 0.0)
    limiter.record()
    guard = LimitGuard(limiter)
    guard.reserve()

    def in_child() -> tuple[bool, int, float | None]:
        with pytest.raises(ToolError, match="made in another process"):
            guard.usage()
        return LimitGuard(limiter).usage()

    assert result_of(in_child) == "(True, 1, None)"
    assert guard.usage()[1] == 2


def hooked(hook: Any, *, when: str = "response", threshold: int = 3) -> ClientUnderTest:
    """A client whose HTTP client has a hook of the user."""
    under_test = ClientUnderTest(*[httpx.Response(500)] * 5, threshold=threshold)
    under_test.http.event_hooks = {when: [hook]}
    return under_test


async def refuse_status(response: httpx.Response) -> None:
    response.raise_for_status()


async def fail(_: object) -> None:
    raise ValueError("the hook failed")


def test_limit_holds_when_a_hook_raises(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, Any, type[Exception]]] = [
        ("response", refuse_status, httpx.HTTPStatusError), ("response", fail, ValueError),
        ("request", fail, ValueError),
    ]  # fmt: skip
    for when, hook, error in cases:
        with subtests.test(when=when, name=error.__name__):
            under_test = hooked(hook, when=when)
            for _ in range(3):
                with pytest.raises(error):
                    under_test.request("GET", "/user")
            with pytest.raises(ToolError, match="3 requests"):
                under_test.request("GET", "/user")


def test_error_status_that_a_hook_refuses_is_recorded_and_has_no_credentials() -> None:
    under_test = hooked(refuse_status)
    with pytest.raises(httpx.HTTPStatusError) as caught:
        under_test.request("GET", "/user")
    for request in (caught.value.request, caught.value.response.request):
        assert "authorization" not in request.headers
    assert caught.value.response.status_code == 500
    assert not hasattr(caught.value, "__notes__")
    assert under_test.limiter.check() == (True, 1, None)


def test_closed_http_client_takes_no_place() -> None:
    under_test = ClientUnderTest(threshold=1)
    under_test.run(under_test.http.aclose())
    for _ in range(2):
        with pytest.raises(RuntimeError, match="closed: create a new one"):
            under_test.request("GET", "/user")
    assert under_test.guard.usage() == (True, 0, None)


def test_exception_between_the_reservation_and_the_sending_takes_no_place() -> None:
    class Interrupting(RequestCounter):
        def count(self, _resource: str) -> None:
            raise KeyboardInterrupt

    under_test = ClientUnderTest(threshold=1)
    under_test.client.counter = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        under_test.client.request("GET", "/user").send(None)
    assert under_test.guard.usage() == (True, 0, None)
