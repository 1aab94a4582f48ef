"""Closing a connection while other threads use it, and the address that it connects to."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TypeVar

import httpx
import pytest

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient, ToolError
from budgetframe._session.reads import Answer
from budgetframe.sandbox import Sandbox, serve
from tests.facade.service import TOKEN, Connect, ScriptedSandbox, data

T = TypeVar("T")


def started(call: Callable[[], T]) -> Future[T]:
    """Start a call on a daemon thread, so that a call that hangs does not block the exit."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - the future raises it again
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future


def test_closing_ends_a_waiting_call_with_an_error_and_the_next_call_is_answered() -> None:
    asked: Future[None] = Future()

    async def answer_the_second_request(_request: httpx.Request) -> httpx.Response:
        if not asked.done():
            asked.set_result(None)
            await asyncio.Event().wait()
        return data({"user": {"id": "u1"}})

    with BudgetFrame.sandbox(ScriptedSandbox(answer_the_second_request)) as bf:
        call = started(lambda: bf.user().id)
        asked.result(timeout=20)
        bf.close()
        with pytest.raises(ToolError, match="closed"):
            call.result(timeout=20)
        assert started(lambda: bf.user().id).result(timeout=20) == "u1"


@pytest.mark.usefixtures("hasty_threads")
def test_calls_begun_while_the_connection_is_closed_all_end() -> None:
    bf = BudgetFrame.sandbox(Sandbox(token=TOKEN, limit=100_000, years=1), ttl=0)
    limiter = bf._session.reads.client.guard.limiter
    assert isinstance(limiter, RateLimiter)
    limiter.threshold = 100_000
    bf.user()
    rounds, callers = 100, 4
    together = threading.Barrier(callers + 1, timeout=20)

    def close() -> str:
        for _ in range(rounds):
            together.wait()
            bf.close()
        return "closed"

    def read() -> str:
        for _ in range(rounds):
            together.wait()
            try:
                bf.user()
            except ToolError as error:  # the call was cancelled and raises an error
                if "closed" not in str(error):
                    raise
        return "read"

    ends = [started(close), *(started(read) for _ in range(callers))]
    assert [end.result(timeout=20) for end in ends] == ["closed", "read", "read", "read", "read"]
    bf.close()


@contextmanager
def proxy() -> Iterator[tuple[str, list[str]]]:
    """A proxy server that records its requests."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(502)

        def do_CONNECT(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Do nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_sees_nothing_of_a_loopback_connection(
    variable: str, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with serve(Sandbox(token=TOKEN, years=1)) as url, proxy() as (address, asked):
        monkeypatch.setenv(variable, address)
        assert len(connect(url).user().id) == 36
    assert asked == []


def empty_movements(bf: BudgetFrame) -> list[str]:
    """Columns of an empty list, before an answer has shown the form that the service uses."""
    name = "money_movements"
    snapshot = Answer(f"b1:{name}", {name: []}, datetime(2026, 6, 17, tzinfo=UTC), "GET")
    return bf._session.frames_from(snapshot, name)[name].columns.tolist()


def test_the_published_service_has_records_of_movements_another_totals(connect: Connect) -> None:
    http = httpx.AsyncClient(base_url="https://api.ynab.com/v1/")
    client = ServiceClient(http, RateLimiter(), DeltaCache())
    for published in (BudgetFrame.connect(TOKEN), BudgetFrame(client), BudgetFrame.sandbox()):
        assert empty_movements(published)[:3] == ["moved_at", "month", "amount"]
    of_another = empty_movements(connect("http://127.0.0.1:9/v1"))
    assert of_another[-3:] == ["allocation", "spent", "income"]
