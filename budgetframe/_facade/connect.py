"""Building a connection: the session, the runner of its event loop, and the address."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import httpx

from budgetframe._cache.delta_cache import DeltaCache, cache_of
from budgetframe._client.cache_folder import cache_folder, path_in, shared_file
from budgetframe._client.client import ServiceClient
from budgetframe._client.credentials import Token, checked_base_url
from budgetframe._client.http_client import new_http
from budgetframe._client.limiter import RateLimiter, limiter_of
from budgetframe._client.retry import Retries
from budgetframe._client.service_clock import ServiceClock
from budgetframe._resources import BASE_URL
from budgetframe._runtime.arguments import check_arguments, is_number
from budgetframe._runtime.event_loop import BackgroundLoop, LoopRunner, RunningLoop
from budgetframe._runtime.progress import Progress
from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe._session.client_source import GivenClient, OwnClient
from budgetframe._session.export_file import ExportTransport, read_export
from budgetframe._session.frame_states import states_of
from budgetframe._session.journal_memory import memory_of
from budgetframe._session.on_limit import LimitPolicy, OnLimit
from budgetframe._session.reads import ReadThrough
from budgetframe._session.session import Session
from budgetframe.errors import ToolError

if TYPE_CHECKING:
    from budgetframe.sandbox import Sandbox

READ_ONLY_VARIABLE = "BUDGETFRAME_READ_ONLY"
_Folder = str | PathLike[str] | None


class Options(TypedDict):
    """Options for reading a budget; they are the same for every kind of connection."""

    budget: str | None
    ttl: float
    on_limit: OnLimit
    verify: bool
    progress: bool
    read_only: bool


class Connection(NamedTuple):
    """A session, the background loop of its HTTP client, and the address of the service."""

    session: Session
    runner: BackgroundLoop
    base_url: str


def _open_cache(
    folder: Path | None,
    name: str,
    limiter: RateLimiter,
    *,
    clock: Callable[[], float] = time.monotonic,
    wall_clock: Callable[[], float] = time.time,
    file_clock: Callable[[], float] = time.time,
) -> DeltaCache:
    """Return a cache in a file of a folder, which also holds the window of the limiter."""
    # Without a folder, the cache is in memory. The name is that of a service and a token, which
    # have a file of their own.
    if folder is None:
        return DeltaCache(clock=clock, wall_clock=wall_clock)
    from budgetframe._cache.sqlite_storage import SQLiteStorage  # noqa: PLC0415 - imports sqlite3

    file = shared_file(folder, name, limiter, clock=clock, wall=file_clock)
    return DeltaCache(clock=clock, wall_clock=wall_clock, storage=SQLiteStorage(file, clock))


@shown_without_frames
def _new_session(
    source: OwnClient | GivenClient,
    options: Options,
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    has_records: bool = False,
    journal_path: Path | None = None,
    key: str = "",
    no_writes: str = "",
) -> Session:
    """Return a session with these options; the key is that of what connections share."""
    check_arguments(Options, (), options)
    progress = Progress(options["progress"])
    policy = LimitPolicy(options["on_limit"], source.guard.window_seconds, progress, sleep)
    reads = ReadThrough(source, budget=options["budget"], ttl=options["ttl"], policy=policy)
    return Session(
        reads, no_writes=no_writes or _no_writes(given=options["read_only"]),
        has_records=has_records, verify=options["verify"], journal_path=journal_path,
        states=states_of(key) if key else None,
        journal=memory_of(key, journal_path) if key else None,
    )  # fmt: skip


def _no_writes(*, given: bool) -> str:
    """Why a connection writes nothing; empty if it does."""
    set_to = os.environ.get(READ_ONLY_VARIABLE, "")
    if set_to not in ("", "0", "1"):
        values = "1, for connections that only read, or 0"
        raise ToolError(f"the environment variable {READ_ONLY_VARIABLE} must be {values}")
    if given or set_to == "1":
        reason = "read_only=True" if given else f"{READ_ONLY_VARIABLE}=1"
        return f"this connection is read-only ({reason})"
    return ""


def connect_client(
    client: ServiceClient, options: Options, *, loop: Literal["private", "running"]
) -> tuple[Session, LoopRunner]:
    """A session and a runner for a client that the caller created."""
    if loop not in ("private", "running"):
        raise ToolError(f"loop={loop!r}: it must be 'private' or 'running'")
    is_published = str(client.base_url).rstrip("/") == BASE_URL
    session = _new_session(GivenClient(client), options, has_records=is_published)
    if loop == "running":
        return session, RunningLoop()
    return session, BackgroundLoop(session.reads.policy.progress)


def connect_service(
    token: Token,
    base_url: str,
    options: Options,
    *,
    timeout: float,
    cache_dir: _Folder,
    on_response: Callable[[httpx.Response], Awaitable[None]] | None = None,
) -> Connection:
    """A connection to a service with a token; `on_response` is called with every response."""
    address = checked_base_url(base_url)
    token.check(address)
    token.refuse_in(base_url=base_url, cache_dir=cache_dir, timeout=timeout, **options)
    if not is_number(timeout) or not 0 < timeout < math.inf:
        raise ToolError(f"timeout={timeout!r}: give the seconds to wait for an answer, like 30")

    def make_http() -> httpx.AsyncClient:
        http = new_http(address, timeout=timeout, on_response=on_response)
        http.headers.update(token.headers)
        return http

    runner = BackgroundLoop(Progress(options["progress"]))
    function = token if token.is_function else None
    name, key = token.name_at(address), token.key_at(address)
    limiter = limiter_of(key)
    # Nobody knows yet whose token a function returns: only a folder that was passed is its owner's.
    folder = None if token.is_function and not cache_dir else cache_folder(cache_dir)
    if folder or token.is_function:
        cache = _open_cache(folder, name, limiter)
    else:
        cache = cache_of(key, runner)
    source = OwnClient(make_http, runner.call_at_close, limiter, cache, Retries(), token=function)
    path, records = path_in(folder, name, ".journal") if folder else None, address == BASE_URL
    session = _new_session(source, options, has_records=records, journal_path=path, key=key)
    return Connection(session, runner, address)


def connect_sandbox(service: Sandbox | None, options: Options, *, cache_dir: _Folder) -> Connection:
    """A connection to the embedded service, by default to a new one."""
    embedded = _new_sandbox() if service is None else service

    def make_http() -> httpx.AsyncClient:
        headers, transport = {"Authorization": f"Bearer {embedded.token}"}, embedded.transport()
        return httpx.AsyncClient(base_url=embedded.base_url, headers=headers, transport=transport)

    async def wait(seconds: float) -> None:
        await embedded.faults.wait(seconds)

    runner = BackgroundLoop(Progress(options["progress"]))
    limiter = limiter_of(embedded.instance, embedded.clock)
    folder = cache_folder(cache_dir) if cache_dir else None
    cache = _open_cache(
        folder, embedded.instance, limiter, clock=embedded.clock,
        wall_clock=lambda: embedded.now().timestamp(),
        # Its days move by hand, and its seconds by the clock: both make answers older.
        file_clock=lambda: embedded.now().timestamp() + embedded.clock(),
    )  # fmt: skip
    # Its time also moves by hand: no time that has passed since an answer is added to it.
    clock, retries = ServiceClock(embedded.now, ahead=timedelta()), Retries(sleep=wait)
    source = OwnClient(make_http, runner.call_at_close, limiter, cache, retries, clock=clock)
    path = path_in(folder, embedded.instance, ".journal") if folder else None
    records = not embedded.movement_totals
    session = _new_session(
        source, options, sleep=wait, has_records=records, journal_path=path, key=embedded.instance
    )
    return Connection(session, runner, embedded.base_url)


class _NoLimit(RateLimiter):
    """The limiter of a connection that sends nothing."""

    def record(self) -> None:
        """Count no request."""


def connect_export(
    path: str | PathLike[str],
    *,
    as_of: str | datetime | None = None,
    dates: str | None = None,
    on_response: Callable[[httpx.Response], Awaitable[None]] | None = None,
) -> Connection:
    """A connection that reads a file, and sends nothing."""
    export = read_export(path, as_of=as_of, dates=dates)
    runner = BackgroundLoop(Progress())

    def make_http() -> httpx.AsyncClient:
        hooks = {"response": [on_response] if on_response else []}
        transport = ExportTransport(export)
        return httpx.AsyncClient(base_url="http://file", transport=transport, event_hooks=hooks)

    clock = ServiceClock(lambda: export.as_of, ahead=timedelta())
    limiter, cache = _NoLimit(), DeltaCache()
    source = OwnClient(make_http, runner.call_at_close, limiter, cache, Retries(), clock=clock)
    options = Options(
        budget=export.budget["name"], ttl=math.inf, on_limit="raise", verify=False, progress=True,
        read_only=False,
    )  # fmt: skip
    no_writes = f"this budget comes from the file {export.path.name}, which is only read"
    session = _new_session(source, options, no_writes=no_writes)
    session.unknown = export.unknown
    return Connection(session, runner, str(export.path))


def _new_sandbox() -> Sandbox:
    try:
        from budgetframe.sandbox import Sandbox  # noqa: PLC0415 - its web framework is an extra
    except ModuleNotFoundError as error:
        raise ToolError(
            f"the embedded service needs {error.name}: pip install 'budgetframe[sandbox]'"
        ) from None
    return Sandbox()
