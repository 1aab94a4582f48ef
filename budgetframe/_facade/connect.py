"""What a facade stands on: a session, the bridge to its loop, and where it leads."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import httpx

from budgetframe._cache.clocks import Clocks
from budgetframe._cache.delta_cache import DeltaCache
from budgetframe._client.client import ServiceClient
from budgetframe._client.limiter import RateLimiter
from budgetframe._client.retry import Retries
from budgetframe._runtime.event_loop import BackgroundLoop, LoopRunner, RunningLoop
from budgetframe._runtime.progress import Progress
from budgetframe._session.client_source import GivenClient, OwnClient
from budgetframe._session.on_limit import LimitPolicy, OnLimit
from budgetframe._session.session import Session
from budgetframe._session.verify import VerifyingSession
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
_stores: weakref.WeakValueDictionary[Path, SQLiteFile] = weakref.WeakValueDictionary()


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


def lasting_cache(
    folder: str | os.PathLike[str] | None,
    name: str,
    limiter: RateLimiter,
    clocks: Clocks | None = None,
) -> DeltaCache:
    """A cache in a file of that folder, and the limiter's window with it.

    Parameters
    ----------
    folder : path or None
        Without one the cache is in memory.
    name : str
        What the service and the token go by: each has a file of its own.
    limiter : RateLimiter
        Shares its window through the file.
    clocks : Clocks, optional
        Those of this machine, unless the service lives by others.
    """
    clocks = clocks or Clocks()
    if not folder:
        return DeltaCache(clock=clocks.ticks, wall_clock=clocks.wall)
    from budgetframe._cache.shared_window import SharedWindow  # noqa: PLC0415
    from budgetframe._cache.sqlite_file import SQLiteFile  # noqa: PLC0415
    from budgetframe._cache.sqlite_storage import SQLiteStorage  # noqa: PLC0415 - SQLite, which few need

    path = Path(folder).expanduser().absolute() / _CACHE_FOLDER / f"{name}.sqlite"
    # One connection for the process: closing a second one would give up the locks of the first.
    store = _stores.get(path) or _stores.setdefault(path, SQLiteFile(path, clocks=clocks))
    limiter.share(SharedWindow(store, limiter.window_seconds, clocks.ticks))
    return DeltaCache(clock=clocks.ticks, wall_clock=clocks.wall, storage=SQLiteStorage(store))


def session_on(
    source: OwnClient | GivenClient,
    how: Options,
    *,
    now: Callable[[], datetime] = _utc_now,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    has_records: bool = False,
) -> Session:
    """A session that reads in that way."""
    return (VerifyingSession if how["verify"] else Session)(
        source,
        budget=how["budget"],
        ttl=how["ttl"],
        now=now,
        policy=LimitPolicy(
            how["on_limit"], source.limiter.window_seconds, Progress(how["progress"]), sleep
        ),
        has_records=has_records,
    )


def connect_client(
    client: ServiceClient, how: Options, *, loop: Literal["private", "running"]
) -> tuple[Session, LoopRunner]:
    """The way through a client that somebody else made."""
    if loop not in ("private", "running"):
        raise ToolError(f"loop={loop!r}: it is 'private' or 'running'")
    session = session_on(GivenClient(client), how)
    if loop == "running":
        return session, RunningLoop()
    return session, BackgroundLoop(session.policy.progress)


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
    cache = lasting_cache(cache_dir or os.environ.get(CACHE_VARIABLE), name, limiter)
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
    clocks = Clocks(embedded.clock, lambda: embedded.now().timestamp())
    limiter = RateLimiter(clock=embedded.clock)
    cache = lasting_cache(cache_dir, embedded.instance, limiter, clocks)
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
