"""A call that takes longer than a second shows its progress, unless that is switched off."""

import asyncio
import io
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, redirect_stderr
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

import httpx
import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from budgetframe import BudgetFrame
from budgetframe._runtime.event_loop import BackgroundLoop
from budgetframe._runtime.progress import Progress
from tests.clock import Clock
from tests.facade.scripts import run_script
from tests.facade.service import data, scripted
from tests.facade.test_run_all import run_all, started_kernel
from tests.main_thread import code_of_main_thread


class Slow(Future[str]):
    """A future that is done after a number of seconds; a wait for it advances its clock."""

    def __init__(
        self, seconds: float, error: BaseException | None = None,
        meanwhile: Mapping[float, Callable[[], object]] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.clock = Clock(0.0)
        self.seconds = seconds
        self.error = error
        self.meanwhile = meanwhile or {}

    def exception(self, timeout: float | None = None) -> BaseException | None:
        assert timeout is not None
        if self.clock() + timeout < self.seconds:
            self.clock.advance(timeout)
            self.meanwhile.get(self.clock(), int)()
            raise TimeoutError
        self.end()
        return super().exception(0)

    def result(self, timeout: float | None = None) -> str:
        assert timeout is not None or self.done(), "a wait without an end"
        if timeout is not None:
            self.exception(timeout)
        return super().result(timeout)

    def end(self) -> None:
        match self.error:
            case None:
                self.set_result("the answer")
            case CancelledError():  # another thread closes the connection
                self.cancel()
            case KeyboardInterrupt():  # the user presses the interrupt key
                raise self.error
            case _:
                self.set_exception(self.error)


class Screen(io.StringIO):
    """A terminal of one line, or a file for what a program writes to standard error."""

    is_terminal = True

    def isatty(self) -> bool:
        super().isatty()  # raises an error after `close`
        return self.is_terminal

    @property
    def said(self) -> list[str]:
        """The texts about calls, each text once."""
        texts = map(str.strip, self.getvalue().split("\r"))
        return list(dict.fromkeys(text for text in texts if text.startswith("budgetframe: ")))

    @property
    def left(self) -> str:
        """The text on the line at the end."""
        line = ""
        for text in self.getvalue().split("\r"):
            line = text + line[len(text) :]
        return line.strip()


def waited_for(future: Slow, screen: Screen | None, *, is_shown: bool = True) -> str:
    with redirect_stderr(screen):
        return Progress(is_shown, clock=future.clock).result_of(future, "transactions")


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.mark.parametrize("is_shown", [True, False])
def test_every_wait_of_the_main_thread_has_an_end(screen: Screen, *, is_shown: bool) -> None:
    screen.is_terminal = False
    assert waited_for(Slow(3.2), screen, is_shown=is_shown) == "the answer"


# The line


def test_a_call_of_less_than_a_second_shows_nothing(screen: Screen) -> None:
    assert waited_for(Slow(1.0), screen) == "the answer"
    assert screen.getvalue() == ""


def test_a_slow_call_shows_its_name_and_the_elapsed_seconds(screen: Screen) -> None:
    assert waited_for(Slow(3.2), screen) == "the answer"
    assert screen.said == [
        "budgetframe: transactions, 1 s", "budgetframe: transactions, 2 s",
        "budgetframe: transactions, 3 s",
    ]  # fmt: skip
    assert screen.left == ""


def test_the_line_is_updated_twice_a_second(screen: Screen) -> None:
    waited_for(Slow(60.0), screen)
    # At 1.0, 1.5, and so on to 59.5.
    assert screen.getvalue().count("budgetframe: ") == 118


# An unfinished wait raises a TimeoutError too.
@pytest.mark.parametrize(
    "error", [ValueError("no"), TimeoutError("no"), KeyboardInterrupt(), CancelledError()], ids=repr
)
def test_the_line_disappears_with_an_error(screen: Screen, error: BaseException) -> None:
    with pytest.raises(type(error)):
        waited_for(Slow(3.2, error), screen)
    assert screen.said[-1] == "budgetframe: transactions, 3 s"
    assert screen.left == ""


def test_the_line_disappears_during_a_countdown(screen: Screen) -> None:
    shown: list[str] = []
    with ExitStack() as limit:

        def reach_the_limit() -> None:
            limit.enter_context(Progress().countdown(60.0, "limit reached"))

        def look() -> None:
            shown.append(screen.getvalue())

        waited_for(Slow(5.2, meanwhile={2.0: reach_the_limit, 3.0: look, 4.0: limit.close}), screen)
    assert f"\r{' ' * len('budgetframe: transactions, 1 s')}\r" in shown[0]
    assert screen.said == [
        "budgetframe: transactions, 1 s", "budgetframe: transactions, 4 s",
        "budgetframe: transactions, 5 s",
    ]  # fmt: skip


def test_a_countdown_disappears_at_its_end(screen: Screen) -> None:
    with redirect_stderr(screen), Progress().countdown(2.0, "limit reached") as advance:
        advance()
        advance()
    assert "\rwaiting for the limit:   0%|" in screen.getvalue()
    assert screen.left == ""


def test_only_the_main_thread_shows_a_line(screen: Screen) -> None:
    future = Slow(3.2)
    future.end()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(waited_for, future, screen).result() == "the answer"
    assert screen.getvalue() == ""


def test_a_log_file_gets_no_line_and_no_countdown(screen: Screen) -> None:
    screen.is_terminal = False
    assert waited_for(Slow(3.2), screen) == "the answer"
    with redirect_stderr(screen), Progress().countdown(2.0, "limit reached") as advance:
        advance()
    assert screen.getvalue() == ""


def test_a_closed_or_missing_stderr_gets_no_line_and_no_countdown(screen: Screen) -> None:
    screen.close()
    with redirect_stderr(screen), Progress().countdown(2.0, "limit reached") as advance:
        advance()
    assert waited_for(Slow(3.2), screen) == waited_for(Slow(3.2), None) == "the answer"


SLOW_CALL = """
import io
import sys
import threading
import types
from concurrent.futures import Future
from budgetframe._runtime.progress import Progress
from tests.main_thread import code_of_main_thread

class Slow(Future):
    def exception(self, timeout):
        if not self.done():
            self.set_result("the answer")
            raise TimeoutError

    def result(self):
        return super().result() if self.done() else "the answer"

def call():
    return Progress(clock=lambda: 1).result_of(Slow(), "transactions")
"""
TERMINAL = """
sys.stderr.isatty = lambda: True
"""
BROKEN_SCREEN = """
class Broken(io.StringIO):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def isatty(self):
        return True

    def write(self, text):
        raise self.error

def count_down():
    with Progress().countdown(1.0, "limit reached"):
        print("a later bar is shown")

for error in (RuntimeError(), KeyboardInterrupt()):
    sys.stderr = Broken(error)
    try:
        print(call())
    except KeyboardInterrupt:
        print("interrupted")
    sys.stderr = sys.__stderr__
    thread = threading.Thread(target=count_down, daemon=True)
    thread.start()
    thread.join(5.0)
"""
COUNTDOWN = """
with Progress().countdown(2.0, "limit reached") as advance:
    advance()
    advance()
"""
QUICK_CALL = """
quick = Future()
quick.set_result("a quick answer")
print(Progress().result_of(quick, "transactions"), "tqdm" in sys.modules)
"""


def test_a_line_that_cannot_be_drawn_loses_no_answer_and_no_later_bar() -> None:
    # In a separate process: a failure would keep all bars of the process from being drawn.
    assert run_script(SLOW_CALL + TERMINAL + BROKEN_SCREEN).out.splitlines() == [
        "the answer", "a later bar is shown", "interrupted", "a later bar is shown",
    ]  # fmt: skip


def test_tqdm_is_imported_for_a_slow_call_only() -> None:
    ended = run_script(SLOW_CALL + TERMINAL + QUICK_CALL + "print(call())")
    assert ended.out == "a quick answer False\nthe answer\n"
    assert ended.err.split() == ["budgetframe:", "transactions,", "0", "s"]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingKernelClient]:
    with started_kernel(tmp_path_factory.mktemp("kernels")) as client:
        run_all(client, [SLOW_CALL])
        yield client


def outputs_of(
    kernel: BlockingKernelClient, cell: str, *, allow_stdin: bool
) -> list[tuple[str, Any]]:
    """The kinds and contents of the outputs that a kernel sends for a cell, in their order."""
    shown: list[tuple[str, Any]] = []

    def keep(message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        if kind not in {"status", "execute_input"}:
            shown.append((kind, content.get("data", content.get("text"))))

    kernel.execute_interactive(cell, allow_stdin=allow_stdin, output_hook=keep, timeout=60)
    return shown


@pytest.mark.slow  # it starts a kernel
def test_a_line_in_a_notebook_is_an_output_that_ends_empty(kernel: BlockingKernelClient) -> None:
    # Not text on standard error: the front end would keep an empty red band.
    shown = outputs_of(kernel, "_ = call()", allow_stdin=True)
    assert [output for output, _ in groupby(shown)] == [
        ("display_data", {}),
        ("update_display_data", {"text/plain": "budgetframe: transactions, 0 s"}),
        ("update_display_data", {}),
    ]


@pytest.mark.slow  # it starts a kernel
def test_a_countdown_in_a_notebook_ends_as_an_empty_output(kernel: BlockingKernelClient) -> None:
    first, *updates = outputs_of(kernel, COUNTDOWN, allow_stdin=True)
    assert first == ("display_data", {})
    assert {kind for kind, _ in updates} == {"update_display_data"}
    assert updates[0][1]["text/plain"].startswith("waiting for the limit:   0%|")
    assert updates[-1] == ("update_display_data", {})


@pytest.mark.slow  # it starts a kernel
def test_a_program_that_executes_notebooks_stores_no_progress(kernel: BlockingKernelClient) -> None:
    # Such a program allows no keyboard input; nbconvert and nbval are examples.
    assert outputs_of(kernel, "_ = call()" + COUNTDOWN, allow_stdin=False) == []


MARIMO = """
sys.modules["marimo"] = types.SimpleNamespace(running_in_notebook=lambda: True)
print(call())
sys.modules["marimo"] = types.SimpleNamespace(running_in_notebook=lambda: False)
print(call())
"""


def test_a_marimo_notebook_shows_a_line_and_its_script_shows_none() -> None:
    ended = run_script(SLOW_CALL + MARIMO)
    assert ended.out == "the answer\nthe answer\n"
    assert ended.err.split() == ["budgetframe:", "transactions,", "0", "s"]


def test_the_variable_that_silences_tqdm_silences_the_line() -> None:
    ended = run_script(SLOW_CALL + TERMINAL + "print(call())", TQDM_DISABLE="1")
    assert (ended.out, ended.err) == ("the answer\n", "")


# Connections


def said_at_once(bf: BudgetFrame) -> BudgetFrame:
    """The same connection, but the progress line appears immediately."""
    bridge = bf._runner
    assert isinstance(bridge, BackgroundLoop)
    bridge.progress = replace(bridge.progress, after=0.0)
    return bf


def is_waiting() -> bool:
    """Whether the main thread is waiting."""
    return code_of_main_thread().co_name == "wait"


class Answering:
    """A service without rows that answers when a condition is true."""

    def __init__(self, when: Callable[[], bool]) -> None:
        self.when = when

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/budgets":
            return data({"budgets": [{"id": "b1", "name": "Home"}]})
        for _ in range(100_000):
            if self.when():
                break
            await asyncio.sleep(0)
        return data({request.url.path.rpartition("/")[2]: [], "server_knowledge": 1})


@pytest.mark.parametrize("name", ["accounts", "subtransactions", "models.payees"])
def test_the_line_names_the_method(screen: Screen, name: str) -> None:
    bf = said_at_once(scripted(Answering(when=lambda: bool(screen.said))))
    with redirect_stderr(screen):
        attrgetter(name)(bf)()
    assert screen.said == [f"budgetframe: {name.removeprefix('models.')}, 0 s"]
    assert screen.left == ""


def test_a_connection_without_progress_shows_nothing(screen: Screen) -> None:
    bf = said_at_once(scripted(Answering(when=is_waiting), progress=False))
    with redirect_stderr(screen):
        bf.accounts()
    assert screen.getvalue() == ""


@pytest.mark.posix
def test_an_interrupt_removes_the_line_and_cancels_the_request(screen: Screen) -> None:
    taken_back: Future[bool] = Future()

    async def never_answer(_request: httpx.Request) -> httpx.Response:
        while not (screen.said and is_waiting()):  # noqa: ASYNC110 - not ours to set
            await asyncio.sleep(0)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            taken_back.set_result(True)
        return data({})

    bf = said_at_once(scripted(never_answer))
    with redirect_stderr(screen), pytest.raises(KeyboardInterrupt):
        bf.accounts()
    assert screen.left == ""
    assert taken_back.result(timeout=20)


@pytest.mark.parametrize("progress", [True, False])
def test_every_kind_of_connection_keeps_its_progress_option(*, progress: bool) -> None:
    bf = BudgetFrame.sandbox(progress=progress)
    other = bf.with_budget("Other")
    made = [
        bf,
        other,
        BudgetFrame.connect("an-access-token", progress=progress),
        scripted(Answering(when=bool), progress=progress),
        *(pickle.loads(pickle.dumps(each)) for each in (bf, other)),  # noqa: S301 - our own
    ]
    for each in made:
        bridge = each._runner
        assert isinstance(bridge, BackgroundLoop)
        assert bridge.progress == each._session.reads.policy.progress == Progress(progress)
