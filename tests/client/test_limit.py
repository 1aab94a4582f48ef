"""The rate limiter in front of the wire: when it is asked, what it counts, what it says."""

from collections.abc import Callable

import httpx
import pytest

from budgetframe import ServiceAPIError, ToolError

from .wire import ClientUnderTest, account, accounts, answer, refusal

VERBS = ["get", "post", "put", "patch", "delete"]


def taking(client_under_test: ClientUnderTest, seconds: float, response: httpx.Response) -> None:
    """Let the next answer of the service take that long."""

    def later(_: httpx.Request) -> httpx.Response:
        client_under_test.clock.advance(seconds)
        return response

    client_under_test.wire.script.append(later)


@pytest.mark.parametrize("verb", VERBS)
def test_denied_request_raises_tool_error(verb: str) -> None:
    client_under_test = ClientUnderTest(threshold=0)
    with pytest.raises(ToolError):
        client_under_test.run(getattr(client_under_test.client, verb)("/user"))


@pytest.mark.parametrize("verb", VERBS)
def test_denied_request_sends_nothing(verb: str) -> None:
    client_under_test = ClientUnderTest(threshold=0)
    with pytest.raises(ToolError):
        client_under_test.run(getattr(client_under_test.client, verb)("/budgets/b1/accounts"))
    assert client_under_test.wire.requests == []


def test_denied_request_is_not_recorded() -> None:
    client_under_test = ClientUnderTest(answer({}), threshold=1)
    client_under_test.run(client_under_test.client.get("/user"))
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.check()[1] == 1


def test_validate_token_passes_the_limiter() -> None:
    client_under_test = ClientUnderTest(threshold=0)
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.validate_token())


def test_read_of_a_cached_list_passes_the_limiter() -> None:
    client_under_test = ClientUnderTest(accounts(5, account("a1", 1_000)), threshold=1)
    client_under_test.run(client_under_test.client.get("/budgets/b1/accounts"))
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/budgets/b1/accounts"))


def test_denied_read_leaves_the_cached_list_alone() -> None:
    client_under_test = ClientUnderTest(accounts(5, account("a1", 1_000)), threshold=1)
    client_under_test.run(client_under_test.client.get("/budgets/b1/accounts"))
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/budgets/b1/accounts"))
    assert client_under_test.cache.get_knowledge("b1:accounts") == 5


def test_message_states_the_count_and_the_delay() -> None:
    client_under_test = ClientUnderTest(answer({}), answer({}), threshold=2)
    client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(100.0)
    with pytest.raises(ToolError) as caught:
        client_under_test.run(client_under_test.client.get("/user"))
    assert (
        str(caught.value) == "rate limit reached (2 requests this hour), try again in 3500 seconds"
    )


def test_delay_in_the_message_is_the_integer_part() -> None:
    client_under_test = ClientUnderTest(answer({}), threshold=1, window_seconds=60.0)
    client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(0.125)  # leaves 59.875
    with pytest.raises(ToolError) as caught:
        client_under_test.run(client_under_test.client.get("/user"))
    assert str(caught.value) == "rate limit reached (1 requests this hour), try again in 59 seconds"


def test_delay_of_zero_prints_zero() -> None:
    client_under_test = ClientUnderTest(answer({}), threshold=1, window_seconds=60.0)
    client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(60.0)
    with pytest.raises(ToolError) as caught:
        client_under_test.run(client_under_test.client.get("/user"))
    assert str(caught.value) == "rate limit reached (1 requests this hour), try again in 0 seconds"


def test_missing_delay_prints_sixty() -> None:
    client_under_test = ClientUnderTest(threshold=0)
    with pytest.raises(ToolError) as caught:
        client_under_test.run(client_under_test.client.get("/user"))
    assert str(caught.value) == "rate limit reached (0 requests this hour), try again in 60 seconds"


def test_requests_recorded_from_outside_count() -> None:
    client_under_test = ClientUnderTest(threshold=3)
    for _ in range(3):
        client_under_test.limiter.record()
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/user"))


def test_answered_request_is_recorded_once() -> None:
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.check() == (True, 1, None)


def test_request_is_recorded_at_the_time_of_its_answer() -> None:
    client_under_test = ClientUnderTest(threshold=1, window_seconds=60.0)
    taking(client_under_test, 10.0, answer({}))
    client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.check() == (False, 1, 60.0)


def test_request_is_not_recorded_while_it_is_under_way() -> None:
    client_under_test = ClientUnderTest()
    seen: list[tuple[bool, int, float | None]] = []

    def look(_: httpx.Request) -> httpx.Response:
        seen.append(client_under_test.limiter.check())
        return answer({})

    client_under_test.wire.script.append(look)
    client_under_test.run(client_under_test.client.get("/user"))
    assert seen == [(True, 0, None)]


@pytest.mark.parametrize(
    "response",
    [
        lambda: refusal(404),
        lambda: refusal(429, "429", "too_many_requests", "Too many requests"),
        lambda: httpx.Response(500, text="<html>"),
        lambda: httpx.Response(302, headers={"Location": "https://evil.test/"}),
        lambda: httpx.Response(200, text="not json"),
        lambda: httpx.Response(204),
    ],
    ids=["404", "429", "500 html", "302", "200 not json", "204"],
)
def test_error_answer_is_recorded(response: Callable[[], httpx.Response]) -> None:
    client_under_test = ClientUnderTest(response())
    with pytest.raises(ServiceAPIError):
        client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.check() == (True, 1, None)


def test_error_answer_is_recorded_at_the_time_it_comes() -> None:
    client_under_test = ClientUnderTest(threshold=1, window_seconds=60.0)
    taking(client_under_test, 25.0, refusal(500))
    with pytest.raises(ServiceAPIError):
        client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.check() == (False, 1, 60.0)


def test_request_without_a_response_is_not_recorded() -> None:
    client_under_test = ClientUnderTest(httpx.ConnectError("refused"))
    with pytest.raises(httpx.ConnectError):
        client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.check() == (True, 0, None)


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("half an answer"),
        httpx.DecodingError("not gzip"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_request_without_a_response_counts_against_the_threshold(
    failure: httpx.RequestError,
) -> None:
    client_under_test = ClientUnderTest(failure, threshold=1)
    with pytest.raises(type(failure)):
        client_under_test.run(client_under_test.client.get("/user"))
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/user"))


def test_request_without_a_response_counts_until_the_window_has_passed() -> None:
    client_under_test = ClientUnderTest(httpx.ReadTimeout("slow"), threshold=1, window_seconds=60.0)
    with pytest.raises(httpx.ReadTimeout):
        client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(59.0)
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/user"))


def test_request_without_a_response_counts_no_longer_than_one_window() -> None:
    client_under_test = ClientUnderTest(
        httpx.ReadTimeout("slow"), answer({"a": 1}), threshold=1, window_seconds=60.0
    )
    with pytest.raises(httpx.ReadTimeout):
        client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(61.0)
    assert client_under_test.run(client_under_test.client.get("/user")) == {"a": 1}


def test_request_without_a_response_counts_from_its_end() -> None:
    # The service may have counted it at any moment until then.
    client_under_test = ClientUnderTest(threshold=1, window_seconds=60.0)

    def fail(_: httpx.Request) -> httpx.Response:
        client_under_test.clock.advance(30.0)
        raise httpx.ReadTimeout("slow")

    client_under_test.wire.script.append(fail)
    with pytest.raises(httpx.ReadTimeout):
        client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(50.0)
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/user"))


def test_lost_requests_and_answered_ones_count_together() -> None:
    client_under_test = ClientUnderTest(httpx.ConnectError("refused"), answer({}), threshold=2)
    with pytest.raises(httpx.ConnectError):
        client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.run(client_under_test.client.get("/user"))
    with pytest.raises(ToolError):
        client_under_test.run(client_under_test.client.get("/user"))


def test_unforeseen_failure_gives_its_place_back_after_one_window() -> None:
    client_under_test = ClientUnderTest(
        RuntimeError("a bug in a transport"), answer({"a": 1}), threshold=1
    )
    with pytest.raises(RuntimeError):
        client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(3601.0)
    assert client_under_test.run(client_under_test.client.get("/user")) == {"a": 1}


def test_unknown_keyword_gives_its_place_back_after_one_window() -> None:
    client_under_test = ClientUnderTest(answer({"a": 1}), threshold=1)
    with pytest.raises(TypeError):
        client_under_test.run(client_under_test.client.get("/user", nonsense=1))
    client_under_test.clock.advance(3601.0)
    assert client_under_test.run(client_under_test.client.get("/user")) == {"a": 1}


def test_window_of_answered_requests_slides() -> None:
    client_under_test = ClientUnderTest(
        answer({}), answer({"a": 1}), threshold=1, window_seconds=60.0
    )
    client_under_test.run(client_under_test.client.get("/user"))
    client_under_test.clock.advance(60.5)
    assert client_under_test.run(client_under_test.client.get("/user")) == {"a": 1}
