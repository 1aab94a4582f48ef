"""One call of the client: how it is made, and what may come of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import httpx

from budgetframe import ServiceAPIError, ToolError

from .expected import Leeway, Truth, mismatch
from .faults import Flow
from .figures import FIGURES
from .notebook import Kernel

_BROKEN = frozenset({"reset-before", "reset-after", "cut", "timeout"})


@dataclass(eq=False, slots=True)
class Call:
    """A call to be made, in async code or blocking, and its judge.

    Attributes
    ----------
    start, block
        Make it.
    judge
        Says what is wrong with the result, if anything is.
    after
        What follows from its end, whichever it was, unless nothing was sent.
    leave
        Says what it may have left to be remembered, whichever its end was.
    is_quiet
        Whether nothing else is under way from its beginning to its end.
    is_stale
        Whether it gave what was read before, and said so.
    """

    kernel: Kernel
    flow: Flow
    start: Callable[[], Coroutine[Any, Any, Any]]
    judge: Callable[[Call, Any], str | None]
    block: Callable[[], Any] | None = None
    after: Callable[[], None] | None = None
    leave: Callable[[], None] | None = None
    is_quiet: bool = False
    is_stale: bool = False

    @property
    def is_read(self) -> bool:
        return self.after is None

    def ended(self, result: Any, error: BaseException | None) -> None:
        """Judge it.

        Raises
        ------
        AssertionError
            When that must not be.
        """
        flow, kernel = self.flow, self.kernel
        kernel.flows.remove(flow)
        writes = sum(method != "GET" for method, _, _ in flow.asked)
        if self.after is not None and writes:
            self.after()
        if self.leave is not None:
            self.leave()
        shown = flow.key.partition(":")[2].replace(":", " ")
        self.is_stale = any(said.startswith(f"{shown}: shown as of ") for said in flow.notices)
        complaint = kernel.faults.complaint
        if complaint is None and writes > 1:
            complaint = "a write, and it was sent again"
        if complaint is None:
            complaint = self._unmeant(error) if error is not None else self.judge(self, result)
        if complaint is not None:
            raise AssertionError(f"{flow.name} {_state(self)}\n  {complaint}") from error
        if error is None:
            FIGURES["reads" if self.is_read else "writes ok"] += 1
        if flow.hold:
            FIGURES["held"] += 1

    def _unmeant(self, error: BaseException) -> str | None:
        """Why an error must not be; None when it may."""
        if self.kernel.world.sandbox.token in f"{error!s} {error!r}":
            return f"the token shows in {error!r}"
        judges: tuple[tuple[Any, Callable[[Any], str | None]], ...] = (
            (asyncio.CancelledError | KeyboardInterrupt, self._unmeant_end),
            (ToolError, self._unmeant_denial),
            (ServiceAPIError | httpx.TransportError, self._unmeant_failure),
        )
        for kind, judge in judges:
            if isinstance(error, kind):
                return judge(error)
        return f"{type(error).__name__}: {error}"

    def _unmeant_end(self, _error: BaseException) -> str | None:
        FIGURES["interrupted" if self.flow.interrupts else "cancelled"] += 1
        self._lost()
        is_meant = self.flow.is_cancelled or self.flow.interrupts
        return None if is_meant else "cancelled by nobody"

    def _unmeant_denial(self, error: ToolError) -> str | None:
        FIGURES["denied"] += 1
        self._lost()
        faults = self.kernel.faults
        if not str(error).startswith("rate limit reached ("):
            return f"refused: {error}"
        if faults.used < faults.threshold:
            return f"denied with {faults.used} of {faults.threshold}: {error}"
        if self.is_quiet and f"({faults.used} requests" not in str(error):
            return f"counts other than {faults.used}: {error}"
        return self._unshown(error)

    def _unmeant_failure(self, error: ServiceAPIError | httpx.TransportError) -> str | None:
        flow = self.flow
        if isinstance(error, ServiceAPIError) and self._is_meant(error):
            FIGURES["refused" if self.is_read else "writes refused"] += 1
            return None
        if self.kernel.faults.hits == flow.first_hit:
            return f"{error!r}, and nothing went wrong"
        FIGURES["failed"] += 1
        self._lost()
        if self.is_quiet and flow.fault is not None and not _is_of(flow.fault, error):
            return f"{error!r} after {flow.fault}"
        return self._unshown(error)

    def _unshown(self, error: Exception) -> str | None:
        """Why older data should have been shown; None when there are none, or of no use."""
        kernel, flow = self.kernel, self.flow
        # Whether a file still has what a list was that was read in full since is not known.
        is_known = kernel.is_sure_of(flow.key) and not kernel.is_shared
        if self.is_quiet and is_known and kernel.older(flow) and is_passing(error):
            return f"{error!r}, and something older was there to be shown"
        return None

    @property
    def may_be_stale(self) -> bool:
        """Whether something was in the way of asking the service."""
        faults = self.kernel.faults
        return faults.hits != self.flow.first_hit or faults.used >= faults.threshold

    def _lost(self) -> None:
        if not self.is_read:
            FIGURES["writes lost"] += 1

    def _is_meant(self, error: ServiceAPIError) -> bool:
        """Whether the service itself would refuse this."""
        if not self.is_read:
            is_answered = not self.flow.hit or self.flow.fault == "latency"
            return error.status_code in {400, 404, 409} and is_answered
        told = {"id": error.error_id, "name": error.name, "detail": error.detail}
        return any(
            (truth.status, truth.error) == (error.status_code, told)
            for truth in self.kernel.could_be(self.flow)
        )


def _is_of(fault: str, error: Exception) -> bool:
    if fault in _BROKEN:
        return isinstance(error, httpx.TransportError)
    status = {"html": "502", "html-503": "503"}.get(fault.removesuffix("-after"), fault)[:3]
    return isinstance(error, ServiceAPIError) and str(error.status_code) == status


def is_passing(error: Exception) -> bool:
    """Whether it is one that older data help with."""
    if isinstance(error, ServiceAPIError):
        return error.status_code == 429 or error.status_code >= 500
    return True


def _state(call: Call) -> str:
    flow = call.flow
    words = [
        "alone" if call.is_quiet else "",
        "held" if flow.hold else "",
        f"with {flow.fault}" if flow.hit else "",
        "joined" if flow.is_joined else "",
        "stale" if call.is_stale else "",
        f"asked {[(url, cursor) for _, url, cursor in flow.asked]}",
    ]
    return ", ".join(filter(None, words))


def compare(
    call: Call,
    found: Any,
    wanted: Callable[[Truth], Any],
    softened: Callable[[Any, Leeway], Any],
) -> tuple[str | None, list[Truth]]:
    """Hold an answer to everything it could be of; tell what is wrong, and what it is of."""
    kernel, flow = call.kernel, call.flow
    if call.is_stale and not call.may_be_stale:
        return f"said to be stale, and nothing was in the way: {flow.notices}", []
    could_be = [] if call.is_stale and not flow.is_joined else kernel.could_be(flow)
    if call.is_stale:
        could_be += kernel.older(flow)
    truths = [truth for truth in could_be if truth.status < 300]
    is_whole = call.is_quiet and kernel.has_asked(flow) and not call.is_stale
    leeway = kernel.leeway(flow, is_quiet=is_whole)
    matched = [truth for truth in truths if found == wanted(truth)]
    if not matched and leeway:
        soft = softened(found, leeway)
        matched = [truth for truth in truths if soft == softened(wanted(truth), leeway)]
    if matched:
        FIGURES["rows"] += matched[0].rows
        return None, matched
    complaint = mismatch(
        softened(found, leeway), [softened(wanted(t), leeway) for t in truths], Leeway(), "answer"
    )
    return complaint, []
