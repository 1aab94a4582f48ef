"""What a facade stands on: a session, the bridge to its loop, and where it leads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import httpx

from ._bridge import Bridge, PrivateLoop, RunningLoop
from ._client import ServiceClient
from ._connect import (
    BASE_URL,
    CACHE_VARIABLE,
    GivenClient,
    OwnClient,
    Token,
    checked_base_url,
    is_this_machine,
    lasting_cache,
    limiter_of,
)
from ._limiter import RateLimiter
from ._moment import Clocks
from ._patience import OnLimit, Patience
from ._progress import Progress
from ._proof import VerifyingSession
from ._retries import Retries
from ._session import Session
from .errors import ToolError

if TYPE_CHECKING:
    from .sandbox import Sandbox

__all__ = ["How", "Way", "to_given", "to_sandbox", "to_service"]

_Folder = str | PathLike[str] | None


class How(TypedDict):
    """How a budget is read, whichever way leads there."""

    budget: str | None
    ttl: float
    on_limit: OnLimit
    verify: bool
    progress: bool


class Way(NamedTuple):
    """A session on a loop of its own, and the address it asks."""

    session: Session
    bridge: PrivateLoop
    where: str


def _utc_now() -> datetime:
    return datetime.now(UTC)


def session_on(
    source: OwnClient | GivenClient,
    how: How,
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
        patience=Patience(
            how["on_limit"], source.limiter.window_seconds, Progress(how["progress"]), sleep
        ),
        has_records=has_records,
    )


def to_given(
    client: ServiceClient, how: How, *, loop: Literal["private", "running"]
) -> tuple[Session, Bridge]:
    """The way through a client that somebody else made."""
    if loop not in ("private", "running"):
        raise ToolError(f"loop={loop!r}: it is 'private' or 'running'")
    session = session_on(GivenClient(client), how)
    if loop == "running":
        return session, RunningLoop()
    return session, PrivateLoop(session.patience.progress)


def to_service(
    token: str | None, base_url: str, how: How, *, timeout: float, cache_dir: _Folder
) -> Way:
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

    bridge = PrivateLoop(Progress(how["progress"]))
    name = secret.name_at(where)
    limiter = limiter_of(name)
    cache = lasting_cache(cache_dir or os.environ.get(CACHE_VARIABLE), name, limiter)
    source = OwnClient(make_http, bridge.at_end, limiter, cache, Retries())
    return Way(session_on(source, how, has_records=where == BASE_URL), bridge, where)


def to_sandbox(service: Sandbox | None, how: How, *, cache_dir: _Folder) -> Way:
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

    bridge = PrivateLoop(Progress(how["progress"]))
    clocks = Clocks(embedded.clock, lambda: embedded.now().timestamp())
    limiter = RateLimiter(clock=embedded.clock)
    cache = lasting_cache(cache_dir, embedded.instance, limiter, clocks)
    source = OwnClient(make_http, bridge.at_end, limiter, cache, Retries(sleep=wait))
    return Way(session_on(source, how, now=embedded.now, sleep=wait), bridge, embedded.base_url)


def _made() -> Sandbox:
    try:
        from .sandbox import Sandbox  # noqa: PLC0415 - its framework is an extra
    except ModuleNotFoundError as error:
        raise ToolError(
            f"the embedded service needs {error.name}: pip install 'budgetframe[sandbox]'"
        ) from None
    return Sandbox()
