"""How a request ended, and whether it takes a place in the limit."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.facade.scripts import run_script

from .wire import ClientUnderTest, Held, accounts, answer

PATH = "/budgets/b1/accounts"
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)

UNSENDABLE: dict[str, tuple[str, dict[str, Any], type[Exception]]] = {
    "a body that is no JSON": (PATH, {"json": object()}, TypeError),
    "an unknown keyword": (PATH, {"nonsense": 1}, TypeError),
    "a body that contains itself": (PATH, {"json": CIRCLE}, ValueError),
    "a header that is no ASCII": (PATH, {"headers": {"X-Note": "é"}}, ValueError),
    "an address that is too long": (f"/{'x' * 70_000}", {}, httpx.InvalidURL),
}
unsendable = pytest.mark.parametrize(
    ("path", "arguments", "error"), UNSENDABLE.values(), ids=UNSENDABLE.keys()
)


@unsendable
def test_what_cannot_be_sent_takes_no_place(
    path: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    client_under_test = ClientUnderTest(threshold=1)
    with pytest.raises(error):
        client_under_test.run(client_under_test.client.post(path, **arguments))
    assert client_under_test.limiter.usage() == (True, 0, None)


@unsendable
def test_what_cannot_be_sent_leaves_the_place_to_the_next_request(
    path: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    client_under_test = ClientUnderTest(answer({"user": {"id": "u1"}}), threshold=1)
    with pytest.raises(error):
        client_under_test.run(client_under_test.client.post(path, **arguments))
    assert client_under_test.run(client_under_test.client.get("/user")) == {"user": {"id": "u1"}}


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("half an answer"),
        httpx.LocalProtocolError("a header of its own kind"),
        httpx.DecodingError("not gzip"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_what_ended_without_an_answer_takes_a_place(failure: httpx.RequestError) -> None:
    client_under_test = ClientUnderTest(failure, threshold=1)
    with pytest.raises(type(failure)):
        client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.usage() == (False, 1, 3600.0)


@pytest.mark.parametrize("path", ["/user", PATH], ids=["request", "shared read of a list"])
def test_what_was_cancelled_on_its_way_takes_a_place(path: str) -> None:
    async def give_up(client_under_test: ClientUnderTest) -> None:
        reading = asyncio.ensure_future(client_under_test.client.get(path))
        await client_under_test.wire.arrived(1)
        reading.cancel()
        await asyncio.wait({reading})

    client_under_test = ClientUnderTest(Held(accounts(5)), threshold=1)
    client_under_test.run(give_up(client_under_test))
    assert client_under_test.limiter.usage() == (False, 1, 3600.0)


def test_what_was_answered_takes_one_place() -> None:
    client_under_test = ClientUnderTest(answer({}), threshold=1)
    client_under_test.run(client_under_test.client.get("/user"))
    assert client_under_test.limiter.usage() == (False, 1, 3600.0)


def test_a_forked_child_may_send_what_its_parent_has_under_way() -> None:
    ended = run_script("""
        import os
        from budgetframe import RateLimiter
        limiter = RateLimiter(threshold=1, clock=lambda: 0.0)
        limiter.reserve()
        if (child := os.fork()) == 0:
            os._exit(limiter.reserve()[0])
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), limiter.reserve()[0])
    """)
    assert ended.out == "1 False\n"


def test_a_forked_child_counts_what_its_parent_was_answered() -> None:
    ended = run_script("""
        import os
        from budgetframe import RateLimiter
        limiter = RateLimiter(clock=lambda: 0.0)
        limiter.record()
        limiter.reserve()
        if (child := os.fork()) == 0:
            os._exit(limiter.usage()[1])
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), limiter.usage()[1])
    """)
    assert ended.out == "1 2\n"
