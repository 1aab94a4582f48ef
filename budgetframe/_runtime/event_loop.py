"""Running a coroutine from synchronous code, in a notebook that already runs an event loop."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, Protocol, TypeVar

from budgetframe.errors import ToolError

from .progress import Progress

__all__ = ["BackgroundLoop", "LoopRunner", "OnLoop", "RunningLoop", "loop_of_client"]

_T = TypeVar("_T")
_CLOSED = "the connection was closed while this call was waiting: call again"
_EXIT_SECONDS = 1.0  # how long an exiting interpreter waits for the thread


class LoopRunner(Protocol):
    """Runs coroutines for synchronous callers."""

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run it to its end and give its result."""

    def close(self) -> None:
        """End what the bridge began."""


class OnLoop(Protocol):
    """Awaits a coroutine on the loop it belongs to, from whatever loop is running."""

    async def __call__(self, coroutine: Coroutine[Any, Any, _T], /) -> _T:
        """Its result."""


async def run_here(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Await it here: the `OnLoop` to nowhere."""
    return await coroutine


class BackgroundLoop:
    """An event loop on a daemon thread of its own.

    It works wherever a thread does: in a kernel that runs several queued cells, in a widget's
    callback, under another event loop, in worker threads, in scripts. An interrupt cancels what is
    under way. After a fork the child gets a thread and a loop of its own.

    Parameters
    ----------
    progress : Progress
        Shows, in the calling thread, that a call takes its time.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._loop: asyncio.AbstractEventLoop | None = None
        self._last: list[Callable[[], Awaitable[None]]] = []
        self._pid = 0
        self._end: weakref.finalize[Any, BackgroundLoop] | None = None
        self._starting = threading.Lock()
        self._has_warned = False

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run it on the private loop; the calling thread waits.

        Raises
        ------
        RuntimeError
            When called from the private loop itself, where waiting would never end.
        ToolError
            When another thread closed the connection meanwhile.
        """
        running = _running_loop()
        if running is not None and running is self._loop:
            coroutine.close()
            message = "a synchronous call inside the loop it would wait for: await bf.aio instead"
            raise RuntimeError(message)
        if running is not None and not self._has_warned and not _in_notebook():
            self._has_warned = True
            warnings.warn(
                "this call blocks the running event loop until the service has answered;"
                " in async code await bf.aio instead, e.g. `await bf.aio.accounts()`",
                RuntimeWarning,
                stacklevel=4,
            )
        future: Future[_T] | None = None
        try:
            future = self._submit(coroutine)
            what = getattr(coroutine, "__name__", "a call")  # one that was compiled may have none
            return self.progress.result_of(future, what)
        except CancelledError:
            raise ToolError(_CLOSED) from None
        except BaseException:
            # An interrupt arrives here, in the waiting thread: stop the work as well.
            if future is not None:
                future.cancel()
            raise

    async def on_loop(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Await it on the private loop; the caller's own loop goes on."""
        if asyncio.get_running_loop() is self._loop:
            return await coroutine
        try:
            return await asyncio.wrap_future(self._submit(coroutine))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ToolError(_CLOSED) from None

    def call_at_close(self, close: Callable[[], Awaitable[None]]) -> None:
        """Have something closed on the loop that is running now, when it ends."""
        self._last.append(close)

    @property
    def is_started(self) -> bool:
        """Whether something ran on the loop since the last `close`."""
        return self._loop is not None and self._pid == os.getpid()

    def close(self) -> None:
        """Stop the loop and end the thread; the next call starts new ones."""
        with self._starting:
            end, self._end, self._loop = self._end, None, None
        if end is not None:
            end()

    def _submit(self, coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
        # Under one lock with `close`: what is submitted is on a loop that will still see it.
        with self._starting:
            if self._loop is None or self._pid != os.getpid():
                self._loop = asyncio.new_event_loop()
                self._last = []
                self._pid = os.getpid()
                thread = threading.Thread(
                    target=_serve, args=(self._loop, self._last), name="budgetframe", daemon=True
                )
                thread.start()
                # The thread knows the loop, not the bridge: a forgotten bridge ends it.
                self._end = weakref.finalize(self, _stop, self._loop, thread, self._pid)
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


def loop_of_client(runner: LoopRunner) -> OnLoop:
    """Where to await a client that somebody else made.

    Where its first use was: on the private loop after a synchronous call, else right here.
    """
    if not isinstance(runner, BackgroundLoop):
        return run_here

    async def on_loop(coroutine: Coroutine[Any, Any, _T], /) -> _T:
        return await (runner.on_loop(coroutine) if runner.is_started else run_here(coroutine))

    return on_loop


class RunningLoop:
    """The event loop that is running already, entered a second time.

    For an HTTP client that was used with top-level ``await`` and therefore belongs to the
    notebook's own loop: the one thing a thread cannot do. Needs nest_asyncio, or better
    nest_asyncio2, which is preferred.
    """

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run it on the running loop, inside the call.

        Raises
        ------
        ToolError
            When no loop is running, or it is of a kind that cannot be entered twice.
        """
        try:
            loop = _nestable_loop()
        except BaseException:
            coroutine.close()
            raise
        return loop.run_until_complete(coroutine)

    def close(self) -> None:
        """Nothing to end: the loop is somebody else's."""


def _serve(loop: asyncio.AbstractEventLoop, last: list[Callable[[], Awaitable[None]]]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        while tasks := asyncio.all_tasks(loop):  # a cancelled one may have begun another
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        for close in last:
            loop.run_until_complete(close())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, pid: int) -> None:
    if pid != os.getpid() or not thread.is_alive():  # a forked child has no such thread
        return
    loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(_EXIT_SECONDS)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _in_notebook() -> bool:
    """Whether the running loop is a notebook's own, which waits for the cell anyway."""
    return "marimo" in sys.modules or "ipykernel" in sys.modules


def _version(package: str) -> tuple[int, ...]:
    try:
        text = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ()
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


def _nestable_loop() -> asyncio.AbstractEventLoop:
    loop = _running_loop()
    if loop is None:
        raise ToolError(
            'loop="running" needs a running event loop, and there is none: use loop="private"'
        )
    if not isinstance(loop, asyncio.BaseEventLoop):
        raise ToolError(
            f'loop="running" cannot enter a loop of {type(loop).__module__} (uvloop is one such):'
            ' use loop="private" with a client that was not awaited yet, or await bf.aio'
        )
    if _version("nest-asyncio2") >= (1, 7, 3):
        import nest_asyncio2 as nest_asyncio  # noqa: PLC0415 - it patches asyncio: only on request
    elif "ipykernel" in sys.modules and _version("ipykernel") >= (7, 1):
        raise ToolError(
            'loop="running" with nest_asyncio silently loses queued cells under ipykernel 7.1 and'
            " later: pip install 'nest-asyncio2>=1.7.3'"
        )
    else:
        import nest_asyncio  # noqa: PLC0415 - as above
    nest_asyncio.apply(loop)
    return loop
