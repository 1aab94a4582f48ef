"""Between a client and the service: requests are held, counted, and made to fail."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import httpx

from budgetframe.sandbox import Fault, FaultPlan

from .expected import Truth
from .service import WINDOW, World

FAULTS = (
    *("reset-before", "reset-after", "cut", "html", "html-503", "500", "503", "429", "404.1"),
    *("html-after", "html-503-after", "500-after", "503-after", "429-after", "404.1-after"),
    *("latency", "timeout"),
)
_SECONDS = {"latency": 2.0, "timeout": 60.0}
_PATIENCE = 20_000
_UNSEEN = 1.0
CURSOR = "last_knowledge_of_server"


@dataclass(eq=False, slots=True)
class Flow:
    """One call of the client, from its beginning to its end.

    Attributes
    ----------
    name
        What was called, for people.
    hold
        Whether its requests wait until they are let go, before the service and after it.
    fault, fault_at, is_outage
        What goes wrong, with which of its requests, and whether with all that follow.
    interrupts
        Whether the person in front of it interrupts it: before the service gets the request, or
        ``after``.
    asked
        Its requests, as path and query without the cursor, and whether there was a cursor.
    """

    name: str
    hold: bool = False
    fault: str | None = None
    fault_at: int = 1
    is_outage: bool = False
    interrupts: str | None = None
    asked: list[tuple[str, str, bool]] = field(default_factory=list)
    hit: bool = False
    is_cancelled: bool = False
    task: asyncio.Future[Any] | None = None
    finish: Callable[[Any, BaseException | None], None] | None = None
    # Of a read: what it may give. See `expectation`.
    url: str = ""
    key: str = ""
    is_frame: bool = False
    is_of_thread: bool = False
    epoch: tuple[int, ...] = ()
    allowed: dict[tuple[tuple[int, ...], Truth], None] = field(default_factory=dict)
    memories: list[Truth] = field(default_factory=list)
    exports: list[Truth] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    is_joined: bool = False
    first_hit: int = 0


FLOW: ContextVar[Flow] = ContextVar("flow")


@dataclass(eq=False, slots=True)
class Held:
    """A request that waits before the service, or its answer behind it."""

    flow: Flow
    gone: asyncio.Future[None]


async def at_once(_seconds: float) -> None:
    """Wait no time at all."""


class Faults(httpx.AsyncBaseTransport):
    """The transport of one client.

    Parameters
    ----------
    world
        The service, and its clock.
    threshold
        How many requests it may get in any window.
    """

    def __init__(self, world: World, threshold: int) -> None:
        self.world = world
        self.threshold = threshold
        self.held: list[Held] = []
        self.arrivals: deque[float] = deque()
        self.ended: deque[float] = deque()
        self.under_way = 0
        self.most = 0
        self.hits = 0
        self.requests = 0
        self.faults: Counter[str] = Counter()
        self.complaint: str | None = None
        self.idle = threading.Event()
        self._inner = world.sandbox.transport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        flow = FLOW.get()
        query = request.url.params
        path = request.url.path.removeprefix("/v1")
        has_cursor = query.get(CURSOR) is not None
        rest = str(query.remove(CURSOR))
        flow.asked.append((request.method, f"{path}?{rest}" if rest else path, has_cursor))
        self.under_way += 1
        try:
            await self._wait(flow, "before")
            self._count()
            response = await self._handed_on(flow, request)
            await self._wait(flow, "after")
            return response
        finally:
            self.under_way -= 1
            self.ended.append(self.world.clock())
            self.idle.set()

    async def _handed_on(self, flow: Flow, request: httpx.Request) -> httpx.Response:
        sandbox = self.world.sandbox
        number = len(flow.asked)
        is_hit = number == flow.fault_at or (flow.is_outage and number > flow.fault_at)
        if flow.fault is not None and is_hit:
            flow.hit = True
            self.hits += 1
            self.faults[flow.fault] += 1
            kind = "latency" if flow.fault == "timeout" else flow.fault
            row = Fault(kind, seconds=_SECONDS.get(flow.fault, 0.0))
            sandbox.faults = FaultPlan([row], wait=at_once)
        try:
            return await self._inner.handle_async_request(request)
        finally:
            sandbox.faults = ()
            self.world.note()

    async def _wait(self, flow: Flow, where: str) -> None:
        if flow.interrupts == where:
            await self._interrupted()
        if flow.hold:
            held = Held(flow, asyncio.get_running_loop().create_future())
            self.held.append(held)
            try:
                await held.gone
            finally:
                self.held.remove(held)

    async def _interrupted(self) -> None:
        """Press Ctrl-C as soon as the person waits, and wait for what comes of it."""
        person = threading.main_thread().ident or 0
        for _ in range(_PATIENCE):
            await asyncio.sleep(0.0002)
            frame = sys._current_frames().get(person)
            if frame is not None and frame.f_code is threading.Condition.wait.__code__:
                signal.pthread_kill(person, signal.SIGINT)
                # Just before the thread begins to wait, a signal is not seen: press once more.
                await asyncio.sleep(_UNSEEN)
        raise AssertionError("nobody waits for this call")

    def _count(self) -> None:
        now = self.world.clock()
        self.requests += 1
        self.arrivals.append(now)
        while self.arrivals[0] <= now - WINDOW:
            self.arrivals.popleft()
        self.most = max(self.most, len(self.arrivals))
        if len(self.arrivals) > self.threshold:
            self.complaint = f"{len(self.arrivals)} requests in a window of {self.threshold}"

    @property
    def used(self) -> int:
        """Requests that must be taken for counted: under way, or ended within the window."""
        start = self.world.clock() - WINDOW
        while self.ended and self.ended[0] < start:
            self.ended.popleft()
        return self.under_way + len(self.ended)
