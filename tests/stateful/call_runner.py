"""Run calls as tasks of an event loop, or in threads, and check how they end."""

import asyncio
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from functools import cache
from typing import Any

from budgetframe import StaleDataWarning

from .calls import Call
from .counts import COUNTS
from .notebook import Notebook
from .package_internals import run_pending_callbacks
from .transport import CURRENT_TRACE, CallTrace, HeldRequest

_THREADS = 4
_SWITCH_SECONDS = 0.0002


@cache
def _thread_pool() -> ThreadPoolExecutor:
    # Threads that take turns more often than usual (5 ms) meet in more places.
    sys.setswitchinterval(_SWITCH_SECONDS)
    return ThreadPoolExecutor(_THREADS)


class CallRunner:
    """All calls that run at the moment, and the event loop that runs them.

    A call runs until all its requests are done, or until the transport of its notebook holds one
    (`CallTrace.hold`).
    """

    def __init__(self, notebooks: list[Notebook]) -> None:
        self.calls: list[Call] = []
        self.loop_errors: list[dict[str, Any]] = []
        """Errors that no task caught, reported by the event loop."""
        self._notebooks = notebooks
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda _, context: self.loop_errors.append(context))
        warnings.filterwarnings("always", category=StaleDataWarning)
        # Random rows have categories that the service removes.
        warnings.filterwarnings("ignore", message="the service accepted the write")
        warnings.showwarning = _record_warning

    def close(self) -> None:
        """Cancel all calls; `close_loop` follows when the notebooks are closed."""
        for call in self.calls:
            if call.trace.task is not None:
                call.trace.task.cancel()
        self._run_until_blocked()

    def close_loop(self) -> None:
        """Close the event loop."""
        self._loop.close()

    @property
    def held(self) -> list[HeldRequest]:
        """All requests that are held."""
        return [held for notebook in self._notebooks for held in notebook.transport.held]

    def run(self, call: Call) -> None:
        """Begin a call, and check its result at once unless a request is held."""
        trace, notebook = call.trace, call.notebook
        call.is_alone = not trace.hold and not notebook.traces
        notebook.begin(trace)
        context = copy_context()
        context.run(CURRENT_TRACE.set, trace)
        trace.task = self._loop.create_task(call.run_async(), context=context)
        self.calls.append(call)
        self.check_finished()
        if not trace.task.done():
            call.is_alone = False

    def release(self, held: HeldRequest) -> None:
        """Let a held request continue."""
        held.released.set_result(None)
        self.check_finished()

    def cancel(self, call: Call) -> None:
        """Cancel the task of a call; `check_finished` must follow."""
        assert call.trace.task is not None
        call.trace.is_cancelled = True
        call.trace.task.cancel()

    def check_finished(self) -> None:
        """Run all tasks until they are blocked, and check those that are done."""
        self._run_until_blocked()
        done = [call for call in self.calls if call.trace.task and call.trace.task.done()]
        for call in sorted(done, key=_check_order):
            self.calls.remove(call)
            task = call.trace.task
            assert task is not None
            error = asyncio.CancelledError() if task.cancelled() else task.exception()
            call.finish(None if error else task.result(), error)

    def finish_all(self) -> None:
        """Release all held requests until no call runs."""
        while held := self.held:
            held[0].trace.hold = False
            self.release(held[0])
        assert not self.calls, [call.trace.name for call in self.calls]

    def run_in_threads(self, notebook: Notebook, calls: list[Call]) -> None:
        """Run blocking calls at the same time, each in a thread."""
        barrier = threading.Barrier(len(calls))
        for call in calls:
            notebook.begin(call.trace)
            # Calls at the same time may use one request together.
            call.trace.may_share_request = call.trace.is_in_thread = True

        def run(call: Call) -> Any:
            CURRENT_TRACE.set(call.trace)
            barrier.wait()
            assert call.run_blocking is not None
            return call.run_blocking()

        futures = [_thread_pool().submit(Context.run, copy_context(), run, call) for call in calls]
        errors = [future.exception() for future in futures]
        COUNTS["calls in threads"] += len(calls)
        ended = zip(calls, futures, errors, strict=True)
        for call, future, error in sorted(ended, key=lambda end: _check_order(end[0])):
            call.finish(None if error else future.result(), error)

    def run_interrupted(self, call: Call) -> None:
        """Run a blocking call in this thread; its transport interrupts it with SIGINT."""
        notebook = call.notebook
        notebook.begin(call.trace)
        error: BaseException | None = None
        result = None

        def run() -> Any:
            CURRENT_TRACE.set(call.trace)
            assert call.run_blocking is not None
            return call.run_blocking()

        def wait_for_background_loop() -> None:
            CURRENT_TRACE.set(CallTrace("wait for the background loop"))
            run_pending_callbacks(notebook.process.blocking_facades[0])

        try:
            result = copy_context().run(run)
        except (Exception, KeyboardInterrupt) as raised:  # noqa: BLE001 - Call.finish checks it
            error = raised
        copy_context().run(wait_for_background_loop)
        call.finish(result, error)

    def _run_until_blocked(self) -> None:
        ready: Any = getattr(self._loop, "_ready")  # noqa: B009 - asyncio has no public name for it
        while True:
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()
            if not ready:
                break


def _check_order(call: Call) -> tuple[bool, bool]:
    """Sort key for calls that end together: writes, then the export, then the other reads.

    A read may return what a write at the same moment changed, and a list may come from the export.
    A write that changed nothing has only read.
    """
    return not call.trace.has_written, not call.trace.key.endswith(":export")


def _record_warning(message: Warning | str, *_: object, **__: object) -> None:
    CURRENT_TRACE.get().warnings.append(str(message))
