"""One call of the client under test, and the check of its result or its error."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import httpx

from budgetframe import ServiceAPIError, ToolError

from .counts import COUNTS
from .expected import ServiceAnswer, Tolerance, describe_mismatch
from .notebook import Notebook
from .package_internals import is_stale_warning
from .transport import CallTrace

_CONNECTION_FAULTS = frozenset({"reset-before", "reset-after", "cut", "timeout"})

_REFUSALS = (
    "that the budget does not have", "the changes need", "not made", "changes are being applied",
)  # fmt: skip
"""Why a write of a frame is refused before it is sent, or not made, without a denial."""


@dataclass(eq=False, slots=True)
class Call:
    """A call of a notebook, as a coroutine; most calls also have a blocking form."""

    notebook: Notebook
    trace: CallTrace
    run_async: Callable[[], Coroutine[Any, Any, Any]]
    check: Callable[["Call", Any], str | None]
    """Returns what is wrong with the result, or None."""
    run_blocking: Callable[[], Any] | None = None
    on_write_end: Callable[[], None] | None = None
    """Of a write: what the cache may contain after success or an error, if the write was sent."""
    on_end: Callable[[], None] | None = None
    """The same for reads of which `check` cannot do that."""
    is_alone: bool = False
    """Whether no other call runs between the beginning and the end of this one."""
    is_stale: bool = False

    @property
    def is_read(self) -> bool:
        return self.on_write_end is None

    def finish(self, result: Any, error: BaseException | None) -> None:
        """Check that the result is an answer of the service, or that the error has a cause."""
        trace, notebook = self.trace, self.notebook
        notebook.traces.remove(trace)
        writes = sum(method != "GET" for method, _, _ in trace.requests)
        if trace.is_frame and trace.url:  # before a write of this call makes the export invalid
            notebook.record_export(trace)
        if self.on_write_end is not None and writes:
            self.on_write_end()
        if self.on_end is not None:
            self.on_end()
        name = trace.key.partition(":")[2].replace(":", " ")
        self.is_stale = any(is_stale_warning(text, name) for text in trace.warnings)
        problem = notebook.transport.problem
        if problem is None and writes > 1:
            problem = f"the client sent a write {writes} times"
        if problem is None:
            problem = self._check_error(error) if error is not None else self.check(self, result)
        if problem is not None:
            raise AssertionError(f"{trace.name} {_describe(self)}\n  {problem}") from error
        if error is None:
            COUNTS["reads" if self.is_read else "writes ok"] += 1
        if trace.hold:
            COUNTS["calls held"] += 1

    def _check_error(self, error: BaseException) -> str | None:
        """Why this error must not occur, or None if it may."""
        if self.notebook.service.sandbox.token in f"{error!s} {error!r}":
            return f"the token is visible in {error!r}"
        checks: tuple[tuple[Any, Callable[[Any], str | None]], ...] = (
            (asyncio.CancelledError | KeyboardInterrupt, self._check_cancellation),
            (ToolError, self._check_denial),
            (ServiceAPIError | httpx.TransportError, self._check_failure),
        )
        for error_type, check in checks:
            if isinstance(error, error_type):
                return check(error)
        return f"{type(error).__name__}: {error}"

    def _check_cancellation(self, _error: BaseException) -> str | None:
        COUNTS["calls interrupted" if self.trace.interrupt_at else "calls cancelled"] += 1
        self._count_lost_write()
        is_intended = self.trace.is_cancelled or self.trace.interrupt_at
        return None if is_intended else "cancelled, but nothing cancelled this call"

    def _check_denial(self, error: ToolError) -> str | None:
        self._count_lost_write()
        is_unsent = all(method == "GET" for method, _, _ in self.trace.requests)
        is_refused = is_unsent and str(error).endswith("Nothing was sent")
        if not self.is_read and (is_refused or any(text in str(error) for text in _REFUSALS)):
            COUNTS["writes refused"] += 1
            return None
        COUNTS["calls denied by the limit"] += 1
        transport = self.notebook.transport
        if not str(error).startswith("rate limit reached ("):
            return f"denied with another message: {error}"
        if transport.used < transport.threshold:
            return f"denied after {transport.used} of {transport.threshold} requests: {error}"
        if self.is_alone and f"({transport.used} requests" not in str(error):
            return f"the message does not name {transport.used} requests: {error}"
        return self._check_no_stale_data(error)

    def _check_failure(self, error: ServiceAPIError | httpx.TransportError) -> str | None:
        trace = self.trace
        if isinstance(error, ServiceAPIError) and self._is_refusal_of_service(error):
            COUNTS["reads refused" if self.is_read else "writes refused"] += 1
            return None
        if self.notebook.transport.fault_count == trace.fault_count_before:
            return f"{error!r}, but no fault was injected"
        COUNTS["calls failed after a fault"] += 1
        self._count_lost_write()
        if self.is_alone and trace.fault is not None and not _is_error_of(trace.fault, error):
            return f"{error!r} after the fault {trace.fault}"
        return self._check_no_stale_data(error)

    def _check_no_stale_data(self, error: Exception) -> str | None:
        """Why the call should have returned stale data, or None if the error is right."""
        notebook, trace = self.notebook, self.trace
        # With a file: the model does not know whether the file still holds a list after a full
        # read of the same list.
        is_known = notebook.is_certain_of(trace.key) and not notebook.is_shared
        is_due = self.is_read and self.is_alone and is_known and is_temporary(error)
        if is_due and notebook.stale_answers(trace):
            return f"{error!r}, although the cache holds stale data"
        return None

    @property
    def may_be_stale(self) -> bool:
        """Whether a fault or the limit can have prevented the request."""
        transport = self.notebook.transport
        has_fault = transport.fault_count != self.trace.fault_count_before
        return has_fault or transport.used >= transport.threshold

    def _count_lost_write(self) -> None:
        if not self.is_read:
            COUNTS["writes lost"] += 1

    def _is_refusal_of_service(self, error: ServiceAPIError) -> bool:
        """Whether the service itself, without a fault, answers with this error."""
        if not self.is_read:
            is_answered = not self.trace.fault_hit or self.trace.fault == "latency"
            return error.status_code in {400, 404, 409} and is_answered
        return any(
            answer.error is not None
            and (answer.status, answer.error["id"], answer.error["name"])
            == (error.status_code, error.error_id, error.name)
            # The facade may add what to do.
            and error.detail.startswith(answer.error["detail"])
            for answer in self.notebook.possible_answers(self.trace)
        )


def _is_error_of(fault: str, error: Exception) -> bool:
    if fault in _CONNECTION_FAULTS:
        return isinstance(error, httpx.TransportError)
    status = {"html": "502", "html-503": "503"}.get(fault.removesuffix("-after"), fault)[:3]
    return isinstance(error, ServiceAPIError) and str(error.status_code) == status


def is_temporary(error: Exception) -> bool:
    """Whether the facade may return stale data instead of this error."""
    if isinstance(error, ServiceAPIError):
        return error.status_code == 429 or error.status_code >= 500
    return True


def _describe(call: Call) -> str:
    trace = call.trace
    parts = [
        "alone" if call.is_alone else "", "held" if trace.hold else "",
        f"with fault {trace.fault}" if trace.fault_hit else "",
        "may share a request" if trace.may_share_request else "", "stale" if call.is_stale else "",
        f"requests {[(url, has_cursor) for _, url, has_cursor in trace.requests]}",
    ]  # fmt: skip
    return ", ".join(filter(None, parts))


def compare(
    call: Call, actual: Any, expected: Callable[[ServiceAnswer], Any],
    tolerate: Callable[[Any, Tolerance], Any],
) -> tuple[str | None, list[ServiceAnswer]]:  # fmt: skip
    """Compare a result with all answers that it may come from.

    The result is what is wrong, or None; and the answers with which the result agrees.
    """
    notebook, trace = call.notebook, call.trace
    if call.is_stale and not call.may_be_stale:
        return f"stale without a fault and below the limit: {trace.warnings}", []
    possible = (
        [] if call.is_stale and not trace.may_share_request else (notebook.possible_answers(trace))
    )
    if call.is_stale:
        possible += notebook.stale_answers(trace)
    answers = [answer for answer in possible if answer.status < 300]
    may_be_full = call.is_alone and notebook.has_requested(trace) and not call.is_stale
    tolerance = notebook.tolerance(trace, is_alone=may_be_full)
    matched = [answer for answer in answers if actual == expected(answer)]
    if not matched and tolerance:
        reduced = tolerate(actual, tolerance)
        matched = [answer for answer in answers if reduced == tolerate(expected(answer), tolerance)]
    if matched:
        COUNTS["rows compared"] += matched[0].rows
        return None, matched
    reduced_answers = [tolerate(expected(answer), tolerance) for answer in answers]
    return describe_mismatch(tolerate(actual, tolerance), reduced_answers), []
