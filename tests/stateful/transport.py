"""The transport between a client and the service: it holds, counts and fails requests."""

import asyncio
import signal
import threading
from collections import Counter, deque
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

from budgetframe.sandbox import Fault, FaultPlan
from tests.main_thread import code_of_main_thread

from .expected import ServiceAnswer
from .service import WINDOW, Service

FAULTS = (
    *("reset-before", "reset-after", "cut", "html", "html-503", "500", "503", "429", "404.1"),
    *("html-after", "html-503-after", "500-after", "503-after", "429-after", "404.1-after"),
    *("latency", "timeout"),
)
_SECONDS = {"latency": 2.0, "timeout": 60.0}
_MAX_POLLS = 20_000
_POLL_SECONDS = 0.0002
_SECONDS_UNTIL_NEXT_SIGNAL = 1.0
CURSOR = "last_knowledge_of_server"


@dataclass(eq=False, slots=True)
class CallTrace:
    """What shall happen to the requests of one call, and a record of what happened."""

    name: str
    hold: bool = False
    """Whether each request waits twice until the state machine releases it: before it reaches the
    service, and before its response reaches the client."""
    fault: str | None = None
    fault_at: int = 1
    """The number of the request that gets the fault; in an outage, all later ones get it too."""
    is_outage: bool = False
    interrupt_at: str | None = None
    """When to send SIGINT: ``before`` the service gets the request, or ``after`` that."""
    requests: list[tuple[str, str, bool]] = field(default_factory=list)
    """Method, path with query but without the cursor, and whether the request had a cursor."""
    fault_hit: bool = False
    is_cancelled: bool = False
    task: asyncio.Future[Any] | None = None
    url: str = ""
    """Of a read: the request that answers it; `key` is that of its list in the cache."""
    key: str = ""
    is_frame: bool = False
    """Whether the call returns a frame or a model of the facade."""
    is_in_thread: bool = False
    """Whether the call runs at the same time as others in a thread pool."""
    generation: tuple[int, ...] = ()
    """The generation of the key when the call began (`Notebook.generation`)."""
    allowed: dict[tuple[tuple[int, ...], ServiceAnswer], None] = field(default_factory=dict)
    """The answers of the service since the beginning of the call, with the generation of the key at
    that time."""
    cached_answers: list[ServiceAnswer] = field(default_factory=list)
    """The answers that the cache may have contained during the call."""
    cached_exports: list[ServiceAnswer] = field(default_factory=list)
    """The same for the whole export."""
    may_use_export: bool = False
    """Whether the call may use the response to a request of the export, also of another call."""
    export_generation: tuple[int, ...] = ()
    """The generation of the export when this request was sent."""
    warnings: list[str] = field(default_factory=list)
    may_share_request: bool = False
    """Whether the call may have used the response to a request of another call."""
    fault_count_before: int = 0
    """The number of faults of the transport that cannot have affected the call."""
    drops: int = -1
    """`Notebook.drops` when the call began."""
    full_reads: int = 0
    """The number of requests that had read a list in full when the call began."""

    @property
    def has_written(self) -> bool:
        """Whether the call has sent a write."""
        return any(method != "GET" for method, _, _ in self.requests)


CURRENT_TRACE: ContextVar[CallTrace] = ContextVar("current_trace")


@dataclass(eq=False, slots=True)
class HeldRequest:
    """A request, or its response, that waits until `released` is set."""

    trace: CallTrace
    released: asyncio.Future[None]


async def no_wait(_seconds: float) -> None:
    """Return at once instead of sleeping."""


class OnRequest(Protocol):
    """Is called with the trace, the URL without its cursor, and whether it had a cursor."""

    def __call__(self, sent_by: CallTrace, requested: str, *, has_cursor: bool) -> None: ...


def _ignore(sent_by: CallTrace, requested: str, *, has_cursor: bool) -> None:
    del sent_by, requested, has_cursor


class FaultyTransport(httpx.AsyncBaseTransport):
    """The transport of all clients that share one limit: a number of requests in one window."""

    def __init__(self, service: Service, threshold: int) -> None:
        self.service = service
        self.threshold = threshold
        self.held: list[HeldRequest] = []
        self.max_in_window = 0
        self.fault_count = 0
        self.request_count = 0
        self.faults_by_kind: Counter[str] = Counter()
        self.on_request: OnRequest = _ignore
        """Is called with each GET request before the service receives it."""
        self.problem: str | None = None
        """What the transport itself found to be wrong, if anything."""
        self._arrivals: deque[float] = deque()
        self._end_times: deque[float] = deque()
        self._under_way = 0
        self._inner = service.sandbox.transport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        trace = CURRENT_TRACE.get()
        query, path = request.url.params, request.url.path.removeprefix("/v1")
        has_cursor, rest = query.get(CURSOR) is not None, str(query.remove(CURSOR))
        url = f"{path}?{rest}" if rest else path
        trace.requests.append((request.method, url, has_cursor))
        if request.method == "GET":
            self.on_request(trace, url, has_cursor=has_cursor)
        self._under_way += 1
        try:
            await self._wait(trace, "before")
            self._count_request()
            response = await self._send(trace, request)
            await self._wait(trace, "after")
            return response
        finally:
            self._under_way -= 1
            self._end_times.append(self.service.clock())

    async def _send(self, trace: CallTrace, request: httpx.Request) -> httpx.Response:
        sandbox, number = self.service.sandbox, len(trace.requests)
        is_hit = number == trace.fault_at or (trace.is_outage and number > trace.fault_at)
        if trace.fault is not None and is_hit:
            trace.fault_hit = True
            self.fault_count += 1
            self.faults_by_kind[trace.fault] += 1
            kind = "latency" if trace.fault == "timeout" else trace.fault
            fault = Fault(kind, seconds=_SECONDS.get(trace.fault, 0.0))
            sandbox.faults = FaultPlan([fault], wait=no_wait)
        try:
            return await self._inner.handle_async_request(request)
        finally:
            sandbox.faults = ()
            self.service.record_changes()

    async def _wait(self, trace: CallTrace, where: str) -> None:
        if trace.interrupt_at == where:
            await self._interrupt_main_thread()
        if trace.hold:
            held = HeldRequest(trace, asyncio.get_running_loop().create_future())
            self.held.append(held)
            try:
                await held.released
            finally:
                self.held.remove(held)

    async def _interrupt_main_thread(self) -> None:
        """Send SIGINT as soon as the main thread waits, until this request is cancelled."""
        main = threading.main_thread().ident or 0
        for _ in range(_MAX_POLLS):
            await asyncio.sleep(_POLL_SECONDS)
            if code_of_main_thread() is threading.Condition.wait.__code__:
                signal.pthread_kill(main, signal.SIGINT)
                # A signal that arrives just before the thread begins to wait has no effect until
                # the wait ends, so another signal may be necessary.
                await asyncio.sleep(_SECONDS_UNTIL_NEXT_SIGNAL)
        raise AssertionError("the main thread does not wait for this call")

    def _count_request(self) -> None:
        now = self.service.clock()
        self.request_count += 1
        self._arrivals.append(now)
        while self._arrivals[0] <= now - WINDOW:
            self._arrivals.popleft()
        count = len(self._arrivals)
        self.max_in_window = max(self.max_in_window, count)
        if count > self.threshold:
            self.problem = f"{count} requests in a window, {self.threshold} are allowed"

    @property
    def used(self) -> int:
        """Requests that count against the limit: under way, or ended within the window."""
        start = self.service.clock() - WINDOW
        while self._end_times and self._end_times[0] < start:
            self._end_times.popleft()
        return self._under_way + len(self._end_times)
