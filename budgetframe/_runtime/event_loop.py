"""Running a coroutine from synchronous code, in a notebook that already runs an event loop."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from budgetframe.errors import ToolError

from .processes import check_process
from .progress import Progress

_T = TypeVar("_T")
_CLOSED = "the connection was closed while this call was waiting: call again"
_END_SECONDS = 1.0  # how long an exit waits for the thread, and an interrupt for the coroutine


class LoopRunner(Protocol):
    """Runs coroutines for synchronous callers."""

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine to its end and return its result."""

    def close(self) -> None:
        """Release the resources of the runner."""


class OnLoop(Protocol):
    """Awaits a coroutine on the event loop of its connection, from any running loop."""

    async def __call__(self, coroutine: Coroutine[Any, Any, _T], /) -> _T:
        """Return the result of the coroutine."""


class BackgroundLoop:
    """An event loop on a separate daemon thread.

    It works wherever threads work: in a kernel that runs several queued cells, in the callback of a
    widget, under another event loop, in worker threads, in scripts. An interrupt cancels the
    running call. The loop belongs to the process that made it: a forked child has no such thread.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.start_lock = threading.Lock()  # guards the start and the end of the loop
        self._loop: asyncio.AbstractEventLoop | None = None
        self._at_close: list[Callable[[], Awaitable[None]]] = []
        self._pid = os.getpid()
        self._finalizer: weakref.finalize[Any, BackgroundLoop] | None = None
        self._has_warned = False

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on the background loop; the calling thread waits."""
        # On the background loop itself the call would wait for ever, which is a RuntimeError. A
        # connection that another thread closed during the call, or a forked child, is a
        # `ToolError`.
        running = None
        with suppress(RuntimeError):  # it says that no loop runs in this thread
            running = asyncio.get_running_loop()
        if running is not None and running is self._loop:
            coroutine.close()
            raise RuntimeError(
                "a synchronous call inside the loop that it would wait for: await bf.aio instead"
            )
        # The loop of a notebook waits for the cell in any case.
        is_in_notebook = "marimo" in sys.modules or "ipykernel" in sys.modules
        if running is not None and not self._has_warned and not is_in_notebook:
            self._has_warned = True
            warnings.warn(
                "this call blocks the running event loop until the service has answered;"
                " in async code await bf.aio instead, e.g. `await bf.aio.accounts()`",
                RuntimeWarning,
                stacklevel=4,
            )
        future: Future[_T] | None = None
        try:
            future = self.submit(coroutine)
            name = getattr(coroutine, "__name__", "a call")  # compiled coroutines may have no name
            return self.progress.result_of(future, name)
        except CancelledError:
            raise ToolError(_CLOSED) from None
        except BaseException:
            # An interrupt arrives in this waiting thread. It must stop the coroutine too, which
            # says then what it has done.
            if future is not None and future.cancel():
                with suppress(TimeoutError, RuntimeError):  # another thread may close the loop
                    self.submit(_end_of(coroutine)).result(_END_SECONDS)
            raise

    async def on_loop(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Await a coroutine on the background loop; the loop of the caller keeps running."""
        if asyncio.get_running_loop() is self._loop:
            return await coroutine
        try:
            return await asyncio.wrap_future(self.submit(coroutine))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ToolError(_CLOSED) from None

    def call_at_close(self, close: Callable[[], Awaitable[None]]) -> None:
        """Call a function on the current background loop before that loop ends."""
        self._at_close.append(close)

    @property
    def is_started(self) -> bool:
        """Whether the loop has run a coroutine since the last `close`."""
        return self._loop is not None

    def close(self) -> None:
        """Stop the loop and end the thread; the next call starts new ones."""
        with self.start_lock:
            finalizer, self._finalizer, self._loop = self._finalizer, None, None
        if finalizer is not None:
            finalizer()

    def submit(self, coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Run a coroutine on the background loop; the calling thread goes on."""
        check_process(self._pid, coroutine)
        # The same lock as in `close`: the loop cannot end before it has the coroutine.
        with self.start_lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._at_close = []
                args = self._loop, self._at_close
                thread = threading.Thread(None, _serve, "budgetframe", args, daemon=True)
                thread.start()
                # The thread has no reference to this object, so the object can be collected, and
                # the finalizer then ends the thread.
                self._finalizer = weakref.finalize(self, _stop, self._loop, thread, self._pid)
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


def loop_of_client(runner: LoopRunner) -> OnLoop:
    """Return the function that awaits the methods of a client that the caller created."""
    # A client belongs to the loop of its first use: the background loop after a synchronous call,
    # otherwise the running loop.
    pid = os.getpid()

    async def on_loop(coroutine: Coroutine[Any, Any, _T], /) -> _T:
        if isinstance(runner, BackgroundLoop) and runner.is_started:
            return await runner.on_loop(coroutine)
        check_process(pid, coroutine)
        return await coroutine

    return on_loop


class RunningLoop:
    """Runs coroutines inside the event loop that is already running.

    An HTTP client that was used with top-level ``await`` belongs to the loop of the notebook, so a
    background thread cannot use it. This needs nest_asyncio or, preferably, nest_asyncio2.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on the running loop, inside the call."""
        # A `ToolError` if no loop is running or it cannot be entered twice, and in a forked child.
        check_process(self._pid, coroutine)
        try:
            loop = _nestable_loop()
        except BaseException:
            coroutine.close()
            raise
        return loop.run_until_complete(coroutine)

    def close(self) -> None:
        """Do nothing: the loop belongs to the caller."""


def _serve(loop: asyncio.AbstractEventLoop, at_close: list[Callable[[], Awaitable[None]]]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        while tasks := asyncio.all_tasks(loop):  # a cancelled task may have started another one
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        for close in at_close:
            loop.run_until_complete(close())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _end_of(coroutine: Coroutine[Any, Any, object]) -> None:
    """Wait for the end of the task that runs a coroutine on this loop."""
    tasks = [task for task in asyncio.all_tasks() if task.get_coro() is coroutine]
    await asyncio.gather(*tasks, return_exceptions=True)


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, pid: int) -> None:
    if pid != os.getpid() or not thread.is_alive():  # a forked child does not have the thread
        return
    loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(_END_SECONDS)


def _version(package: str) -> tuple[int, ...]:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - seldom used

    try:
        text = version(package)
    except PackageNotFoundError:
        return ()
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


def _nestable_loop() -> asyncio.AbstractEventLoop:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise ToolError(
            'loop="running" needs a running event loop, but no loop is running: use loop="private"'
        ) from None
    if not isinstance(loop, asyncio.BaseEventLoop):
        raise ToolError(
            f'loop="running" cannot enter a loop of {type(loop).__module__} (such as uvloop):'
            ' use loop="private" with a client that was not awaited yet, or await bf.aio'
        )
    if _version("nest-asyncio2") >= (1, 7, 3):
        import nest_asyncio2 as nest_asyncio  # noqa: PLC0415 - it patches asyncio, so only on request
    elif "ipykernel" in sys.modules and _version("ipykernel") >= (7, 1):
        raise ToolError(
            'loop="running" with nest_asyncio silently loses queued cells under ipykernel 7.1 and'
            " later: pip install 'nest-asyncio2>=1.7.3'"
        )
    else:
        import nest_asyncio  # noqa: PLC0415 - as above
    nest_asyncio.apply(loop)
    return loop
