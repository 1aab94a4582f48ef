"""What a facade stands on: a session, the bridge to its loop, and where it leads."""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import httpx

from budgetframe._cache.delta_cache import DeltaCache
from budgetframe._client.client import ServiceClient
from budgetframe._client.limiter import RateLimiter
from budgetframe._client.retry import Retries
from budgetframe._runtime.event_loop import BackgroundLoop, LoopRunner, RunningLoop
from budgetframe._runtime.progress import Progress
from budgetframe._session.client_source import GivenClient, OwnClient
from budgetframe._session.on_limit import LimitPolicy, OnLimit
from budgetframe._session.reads import ReadThrough
from budgetframe._session.session import Session
from budgetframe.errors import ToolError

from .credentials import BASE_URL, Token, checked_base_url, is_this_machine

if TYPE_CHECKING:
    from budgetframe._cache.sqlite_file import SQLiteFile
    from budgetframe.sandbox import Sandbox

__all__ = [
    "CACHE_VARIABLE",
    "Connection",
    "Options",
    "connect_client",
    "connect_sandbox",
    "connect_service",
]

CACHE_VARIABLE = "BUDGETFRAME_CACHE_DIR"
_CACHE_FOLDER = "budgetframe"
_Folder = str | PathLike[str] | None

_limiters: dict[str, RateLimiter] = {}
_files: weakref.WeakValueDictionary[Path, SQLiteFile] = weakref.WeakValueDictionary()


class Options(TypedDict):
    """How a budget is read, whichever way leads there."""

    budget: str | None
    ttl: float
    on_limit: OnLimit
    verify: bool
    progress: bool


class Connection(NamedTuple):
    """A session on a loop of its own, and the address it asks."""

    session: Session
    runner: BackgroundLoop
    where: str


def _utc_now() -> datetime:
    return datetime.now(UTC)


def limiter_of(name: str) -> RateLimiter:
    """The limiter of what goes by this name, one for the whole process.

    The service counts by token: a second connection must not begin to count from nothing.
    """
    return _limiters.setdefault(name, RateLimiter())


def open_cache(
    folder: str | os.PathLike[str] | None,
    name: str,
    limiter: RateLimiter,
    *,
    clock: Callable[[], float] = time.monotonic,
    wall_clock: Callable[[], float] = time.time,
    file_clock: Callable[[], float] = time.time,
) -> DeltaCache:
    """Return a cache in a file of a folder, which also holds the window of the limiter.

    Parameters
    ----------
    folder : path or None
        Without a folder the cache is in memory.
    name : str
        Name of the service and the token: each has a file.
    limiter : RateLimiter
        Shares its window through the file.
    clock, wall_clock : callable
        As for `DeltaCache`.
    file_clock : callable
        Returns seconds that mean the same in all processes with this file.
    """
    if not folder:
        return DeltaCache(clock=clock, wall_clock=wall_clock)
    from budgetframe._cache.shared_window import SharedWindow  # noqa: PLC0415 - imports sqlite3
    from budgetframe._cache.sqlite_file import SQLiteFile  # noqa: PLC0415
    from budgetframe._cache.sqlite_storage import SQLiteStorage  # noqa: PLC0415

    path = Path(folder).expanduser().absolute() / _CACHE_FOLDER / f"{name}.sqlite"
    # One connection for the process: closing a second one would give up the locks of the first.
    file = _files.get(path) or _files.setdefault(path, SQLiteFile(path, wall=file_clock))
    limiter.share(SharedWindow(file, limiter.window_seconds, clock))
    return DeltaCache(clock=clock, wall_clock=wall_clock, storage=SQLiteStorage(file, clock))


def session_on(
    source: OwnClient | GivenClient,
    options: Options,
    *,
    now: Callable[[], datetime] = _utc_now,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    has_records: bool = False,
) -> Session:
    """Return a session with these options."""
    progress = Progress(options["progress"])
    reads = ReadThrough(
        source,
        budget=options["budget"],
        ttl=options["ttl"],
        now=now,
        policy=LimitPolicy(options["on_limit"], source.limiter.window_seconds, progress, sleep),
    )
    return Session(reads, has_records=has_records, verify=options["verify"])


def connect_client(
    client: ServiceClient, how: Options, *, loop: Literal["private", "running"]
) -> tuple[Session, LoopRunner]:
    """The way through a client that somebody else made."""
    if loop not in ("private", "running"):
        raise ToolError(f"loop={loop!r}: it is 'private' or 'running'")
    session = session_on(GivenClient(client), how)
    if loop == "running":
        return session, RunningLoop()
    return session, BackgroundLoop(session.reads.policy.progress)


def connect_service(
    token: str | None, base_url: str, how: Options, *, timeout: float, cache_dir: _Folder
) -> Connection:
    """The way to a service with a token."""
    secret = Token(token)
    where = checked_base_url(base_url)

    def make_http() -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=where,
            headers=secret.headers,
            timeout=timeout,
            # What may go unencrypted to this machine must not go to a proxy.
            trust_env=not is_this_machine(where),
        )

    runner = BackgroundLoop(Progress(how["progress"]))
    name = secret.name_at(where)
    limiter = limiter_of(name)
    cache = open_cache(cache_dir or os.environ.get(CACHE_VARIABLE), name, limiter)
    source = OwnClient(make_http, runner.call_at_close, limiter, cache, Retries())
    return Connection(session_on(source, how, has_records=where == BASE_URL), runner, where)


def connect_sandbox(service: Sandbox | None, how: Options, *, cache_dir: _Folder) -> Connection:
    """The way to the embedded service; to a new one where none is given."""
    embedded = _made() if service is None else service

    def make_http() -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=embedded.base_url,
            headers={"Authorization": f"Bearer {embedded.token}"},
            transport=embedded.transport(),
        )

    async def wait(seconds: float) -> None:
        await embedded.faults.wait(seconds)

    runner = BackgroundLoop(Progress(how["progress"]))
    limiter = RateLimiter(clock=embedded.clock)
    cache = open_cache(
        cache_dir,
        embedded.instance,
        limiter,
        clock=embedded.clock,
        wall_clock=lambda: embedded.now().timestamp(),
        # Its days move by hand, and its seconds by the clock: both make answers older.
        file_clock=lambda: embedded.now().timestamp() + embedded.clock(),
    )
    source = OwnClient(make_http, runner.call_at_close, limiter, cache, Retries(sleep=wait))
    return Connection(
        session_on(source, how, now=embedded.now, sleep=wait), runner, embedded.base_url
    )


def _made() -> Sandbox:
    try:
        from budgetframe.sandbox import Sandbox  # noqa: PLC0415 - its framework is an extra
    except ModuleNotFoundError as error:
        raise ToolError(
            f"the embedded service needs {error.name}: pip install 'budgetframe[sandbox]'"
        ) from None
    return Sandbox()
