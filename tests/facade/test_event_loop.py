"""Synchronous calls: from threads, interrupted, closed, and from inside the background loop."""

import asyncio
import gc
import signal
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from traceback import extract_tb

import httpx
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ToolError
from tests.facade.service import ServiceWithFacade, data, one_budget, scripted
from tests.main_thread import code_of_main_thread

NO_ACCOUNTS = {"accounts": [], "server_knowledge": 1}


class Threads:
    """The threads of the package that started since this object was created."""

    def __init__(self) -> None:
        self.before = set(threading.enumerate())

    def __len__(self) -> int:
        new = set(threading.enumerate()) - self.before
        return sum(thread.name == "budgetframe" for thread in new)


# Threads


def test_calls_from_eight_threads_at_once_share_their_requests_and_one_thread() -> None:
    new, home = Threads(), ServiceWithFacade()
    names = ["accounts", "payees"] * 16
    with ThreadPoolExecutor(8) as pool:
        frames = list(pool.map(lambda name: getattr(home.bf, name)(), names))
    for name, frame in zip(names, frames, strict=True):
        assert_frame_equal(frame, getattr(home.bf, name)())
    assert sorted(home.wire.lists) == ["accounts", "budgets", "payees"]
    assert len(new) == 1
    home.bf.close()


CELL: ContextVar[str] = ContextVar("CELL", default="nowhere")


def test_a_request_knows_the_context_of_its_caller() -> None:
    asked: list[str] = []

    def handler(_request: httpx.Request) -> httpx.Response:
        asked.append(CELL.get())
        return data(NO_ACCOUNTS)

    bf, token = scripted(one_budget(handler)), CELL.set("the third cell")
    bf.accounts()
    CELL.reset(token)
    assert asked == ["the third cell"]


# Calls from inside the background loop


@pytest.mark.posix
def test_a_call_from_inside_the_background_loop_is_an_error_and_not_a_deadlock() -> None:
    caught: list[RuntimeError] = []

    def handler(_request: httpx.Request) -> httpx.Response:
        for call in (bf.accounts, bf.user, bf.export):
            with pytest.raises(RuntimeError, match=r"await bf\.aio") as error:
                call()
            caught.append(error.value)
        return data(NO_ACCOUNTS)

    bf = scripted(one_budget(handler))
    bf.accounts()
    assert len(caught) == 3


# Interrupts


async def interrupt_the_waiting_call() -> None:
    """Send the signal as soon as the main thread waits for the answer."""
    main = threading.main_thread().ident or 0
    while code_of_main_thread().co_name != "wait":  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0)
    signal.pthread_kill(main, signal.SIGINT)


class Interrupting(httpx.AsyncBaseTransport):
    """A service that interrupts the second request with a method, and never answers it."""

    def __init__(self, home: ServiceWithFacade, method: str) -> None:
        self.inner, self.method, self.number = home.wire.inner, method, 0
        self.cancelled: Future[None] = Future()
        home.wire.inner = self

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.number += request.method == self.method
        if self.number == 2 and request.method == self.method:
            await interrupt_the_waiting_call()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.set_result(None)
                raise
        return await self.inner.handle_async_request(request)


def test_an_interrupt_cancels_the_request_and_the_next_call_works_at_once() -> None:
    home = ServiceWithFacade()
    service = Interrupting(home, "GET")
    with pytest.raises(KeyboardInterrupt) as caught:
        home.bf.accounts()
    frames = [frame.name for frame in extract_tb(caught.value.__traceback__)]
    assert frames[1:] == ["accounts", "__call__"]
    assert hasattr(caught.value, "_render_traceback_")  # IPython shows no frame of the package
    assert len(home.bf.payees()) > 0
    service.cancelled.result(timeout=20)
    assert home.bf.requests.used == 3  # the cancelled request may have been counted
    assert len(home.bf.accounts()) > 0
    assert home.wire.lists == ["budgets", "accounts", "payees", "accounts"]


def test_an_interrupted_write_says_what_was_made_and_how_to_continue() -> None:
    home = ServiceWithFacade(limit=200)
    Interrupting(home, "PATCH")
    rows = home.bf.transactions().query("not is_split and transfer_account_id.isna()").tail(51)
    with pytest.raises(KeyboardInterrupt) as caught:
        home.bf.update_transactions(rows[["transaction_id"]].assign(memo="sold"))
    made, _, advice = caught.value.__notes__[0].partition(" To continue, call ")
    assert made == "Of 51 changes, 50 were made, 1 may have been made, and 0 were not made."
    assert advice.startswith("bf.journal().resume(), also in a new process, or apply() or the same")


# Closing


def test_a_connection_has_a_thread_from_its_first_call_until_it_is_closed_and_opens_again() -> None:
    new = Threads()
    with BudgetFrame.sandbox() as bf:
        repr(bf)
        assert len(new) == 0
        before = bf.accounts()
        assert len(new) == 1
    assert len(new) == 0
    used = bf.requests.used
    assert_frame_equal(bf.accounts(), before)
    assert bf.requests.used == used
    bf.user()
    assert bf.requests.used == used + 1
    bf.close()
    assert len(new) == 0


@pytest.mark.parametrize("times", [1, 2])
def test_closing_an_unused_or_closed_connection_does_nothing(times: int) -> None:
    bf = BudgetFrame.sandbox()
    for _ in range(times):
        bf.close()
    assert len(bf.accounts()) == 7


def test_leaving_a_with_block_closes_and_hands_errors_on() -> None:
    new = Threads()
    with pytest.raises(ToolError), BudgetFrame.sandbox(budget="nowhere") as bf:
        bf.accounts()
    assert len(new) == 0


def test_a_forgotten_connection_ends_its_thread() -> None:
    new, bf = Threads(), BudgetFrame.sandbox()
    bf.accounts()
    del bf
    gc.collect()
    assert len(new) == 0


def test_a_given_client_is_never_closed(home: ServiceWithFacade) -> None:
    with home.bf:
        home.bf.accounts()
    assert not home.http.is_closed
