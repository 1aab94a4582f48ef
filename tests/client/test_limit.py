"""The client asks the rate limiter before each request and records each answer."""

from collections.abc import Callable

import httpx
import pytest

from budgetframe import ServiceAPIError, ToolError

from .wire import ClientUnderTest, account, accounts, answer, error_answer

VERBS = ["get", "post", "put", "patch", "delete"]


def answer_after(under_test: ClientUnderTest, seconds: float, response: httpx.Response) -> None:
    """Let the service take some seconds for its next answer."""

    def later(_: httpx.Request) -> httpx.Response:
        under_test.clock.advance(seconds)
        return response

    under_test.wire.script.append(later)


@pytest.mark.parametrize("verb", [*VERBS, "validate_token"])
def test_denied_request_is_an_error_and_sends_nothing(verb: str) -> None:
    under_test = ClientUnderTest(threshold=0)
    with pytest.raises(ToolError):
        under_test.call(verb, *(["/budgets/b1/accounts"] if verb in VERBS else []))
    assert under_test.wire.requests == []


def test_denied_read_of_a_cached_list_leaves_the_list_alone_and_is_not_recorded() -> None:
    under_test = ClientUnderTest(accounts(5, account("a1", 1_000)), threshold=1)
    under_test.get("/budgets/b1/accounts")
    with pytest.raises(ToolError):
        under_test.get("/budgets/b1/accounts")
    assert under_test.cache.get_knowledge("b1:accounts") == 5
    assert under_test.limiter.check()[1] == 1


@pytest.mark.parametrize(("count", "pause", "text"), [
    (2, 40.0, "(2 requests this hour), try again in 20 seconds"),
    (1, 0.125, "(1 requests this hour), try again in 59 seconds"),
    (1, 60.0, "(1 requests this hour), try again in 0 seconds"),
    (0, 0.0, "(0 requests this hour), try again in 60 seconds"),  # the delay is unknown
])  # fmt: skip
def test_message_states_the_count_and_whole_seconds(count: int, pause: float, text: str) -> None:
    under_test = ClientUnderTest(threshold=count, window_seconds=60.0)
    for _ in range(count):
        under_test.limiter.record()
    under_test.clock.advance(pause)
    with pytest.raises(ToolError) as caught:
        under_test.get("/user")
    assert str(caught.value) == f"rate limit reached {text}"


def test_request_is_recorded_at_the_time_of_its_answer() -> None:
    under_test = ClientUnderTest(threshold=1, window_seconds=60.0)
    answer_after(under_test, 10.0, answer({}))
    under_test.get("/user")
    assert under_test.limiter.check() == (False, 1, 60.0)


def test_request_is_not_recorded_while_it_is_under_way() -> None:
    under_test = ClientUnderTest()
    seen: list[tuple[bool, int, float | None]] = []

    def look(_: httpx.Request) -> httpx.Response:
        seen.append(under_test.limiter.check())
        return answer({})

    under_test.wire.script.append(look)
    under_test.get("/user")
    assert seen == [(True, 0, None)]


@pytest.mark.parametrize("response", [
    pytest.param(lambda: error_answer(404), id="404"),
    pytest.param(lambda: error_answer(429, "429", "too_many_requests", "Too many requests"),
        id="429"),
    pytest.param(lambda: httpx.Response(500, text="<html>"), id="500 html"),
    pytest.param(lambda: httpx.Response(302, headers={"Location": "https://evil.test/"}), id="302"),
    pytest.param(lambda: httpx.Response(200, text="not json"), id="200 not json"),
    pytest.param(lambda: httpx.Response(204), id="204"),
])  # fmt: skip
def test_error_answer_is_recorded(response: Callable[[], httpx.Response]) -> None:
    under_test = ClientUnderTest(response())
    with pytest.raises(ServiceAPIError):
        under_test.get("/user")
    assert under_test.limiter.check() == (True, 1, None)


@pytest.mark.parametrize("failure", [httpx.ReadTimeout("slow"), RuntimeError("a transport bug")])
def test_request_without_a_response_counts_until_the_window_has_passed(failure: Exception) -> None:
    under_test = ClientUnderTest(failure, answer({"a": 1}), threshold=1, window_seconds=60.0)
    with pytest.raises(type(failure)):
        under_test.get("/user")
    under_test.clock.advance(59.0)
    with pytest.raises(ToolError):
        under_test.get("/user")
    under_test.clock.advance(2.0)
    assert under_test.get("/user") == {"a": 1}


def test_request_without_a_response_counts_from_its_end() -> None:
    # The service may have counted it at any moment until then.
    under_test = ClientUnderTest(threshold=1, window_seconds=60.0)

    def fail(_: httpx.Request) -> httpx.Response:
        under_test.clock.advance(30.0)
        raise httpx.ReadTimeout("slow")

    under_test.wire.script.append(fail)
    with pytest.raises(httpx.ReadTimeout):
        under_test.get("/user")
    under_test.clock.advance(50.0)
    with pytest.raises(ToolError):
        under_test.get("/user")
