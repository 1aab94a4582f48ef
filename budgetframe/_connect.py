"""What a connection is made of: the token, the address, the HTTP client, the limiter."""

from __future__ import annotations

import asyncio
import getpass
import hashlib
import os
import sys
import weakref
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from ._cache import DeltaCache
from ._client import ServiceClient
from ._limiter import RateLimiter
from ._meter import Meter
from ._moment import Clocks
from ._retries import Retries
from .errors import ToolError

if TYPE_CHECKING:
    from ._store import Store

__all__ = [
    "BASE_URL",
    "CACHE_VARIABLE",
    "TOKEN_VARIABLE",
    "GivenClient",
    "OwnClient",
    "Token",
    "checked_base_url",
    "is_this_machine",
    "lasting_cache",
    "limiter_of",
]

BASE_URL = "https://api.ynab.com/v1"
TOKEN_VARIABLE = "BUDGETFRAME_TOKEN"  # noqa: S105 - the name of the variable
CACHE_VARIABLE = "BUDGETFRAME_CACHE_DIR"
_CACHE_FOLDER = "budgetframe"
_PORTS = 65535
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

_limiters: dict[str, RateLimiter] = {}
_stores: weakref.WeakValueDictionary[Path, Store] = weakref.WeakValueDictionary()


class Token:
    """A token that shows in no repr and no pickle.

    Parameters
    ----------
    value : str or None
        The token; without it the environment variable ``BUDGETFRAME_TOKEN`` is read, and where
        there is none a person at a terminal or in a notebook is asked, without echo.
    """

    def __init__(self, value: str | None = None) -> None:
        self._value = _checked(value or os.environ.get(TOKEN_VARIABLE) or _asked())

    def __repr__(self) -> str:
        return "Token(...)"

    def __reduce__(self) -> tuple[type[Token], tuple[()]]:
        return Token, ()

    @property
    def headers(self) -> dict[str, str]:
        """The authorization header."""
        return {"Authorization": f"Bearer {self._value}"}

    def name_at(self, base_url: str) -> str:
        """What this token goes by at this address, in a form that does not lead back to it."""
        salt = f"budgetframe {base_url}".encode()
        return hashlib.scrypt(self._value.encode(), salt=salt, n=2**13, r=8, p=1, dklen=16).hex()


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
    from ._file_shelf import FileShelf  # noqa: PLC0415 - SQLite, which few need
    from ._shared_window import SharedWindow  # noqa: PLC0415
    from ._store import Store  # noqa: PLC0415

    path = Path(folder).expanduser().absolute() / _CACHE_FOLDER / f"{name}.sqlite"
    # One connection for the process: closing a second one would give up the locks of the first.
    store = _stores.get(path) or _stores.setdefault(path, Store(path, clocks=clocks))
    limiter.share(SharedWindow(store, limiter.window_seconds, clocks.ticks))
    return DeltaCache(clock=clocks.ticks, wall_clock=clocks.wall, shelf=FileShelf(store))


class OwnClient:
    """Makes a client on the loop it is asked on, and another one when that loop is gone.

    The limiter and the cache stay the same.

    Parameters
    ----------
    make_http : callable
        Makes the HTTP client.
    at_end : callable
        Takes what has to be awaited when the loop ends: the closing of the HTTP client.
    limiter : RateLimiter
        Of the token.
    cache : DeltaCache
        Of the token.
    retries : Retries
        For reads.
    """

    def __init__(
        self,
        make_http: Callable[[], httpx.AsyncClient],
        at_end: Callable[[Callable[[], Awaitable[None]]], None],
        limiter: RateLimiter,
        cache: DeltaCache,
        retries: Retries,
    ) -> None:
        self._make_http = make_http
        self._at_end = at_end
        self.limiter = limiter
        self.cache = cache
        self.meter = Meter()
        self._retries = retries
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: ServiceClient | None = None

    def __call__(self) -> ServiceClient:
        """The client; called on the loop that will use it."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            http = self._make_http()
            self._at_end(http.aclose)
            self._client = ServiceClient(
                http, self.limiter, self.cache, retries=self._retries, meter=self.meter
            )
            self._loop = loop
        return self._client


class GivenClient:
    """A client that somebody else made and will close; without a cache, it is given one."""

    def __init__(self, client: ServiceClient) -> None:
        if client.cache is None:
            # It has to be the client's own: what is written through the client must reach it.
            client.cache = DeltaCache()
        self._client = client
        self._pid = os.getpid()
        self.limiter = client.limiter
        self.meter = client.meter
        self.cache: DeltaCache = client.cache

    def __call__(self) -> ServiceClient:
        """The client."""
        if self._pid != os.getpid():
            raise ToolError(
                "this BudgetFrame came along into a forked process with an HTTP client whose"
                " connections belong to the parent: make a new client in this process"
            )
        return self._client


def checked_base_url(base_url: str) -> str:
    """The address, if a token may be sent there.

    Raises
    ------
    ToolError
        For anything but https, except on this machine.
    """
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    if not url.host or url.userinfo or url.query or url.fragment or (url.port or 0) > _PORTS:
        raise ToolError(
            "base_url is not the address of a service: give one like 'https://api.ynab.com/v1'"
        )
    if url.scheme != "https" and not (url.scheme == "http" and is_this_machine(base_url)):
        raise ToolError(
            f"base_url {base_url!r} is not https: the token would be readable on the way"
            " (http is accepted for 127.0.0.1 and localhost)"
        )
    # As httpx spells it: one address is one limit, however it was written.
    return str(url).rstrip("/")


def is_this_machine(base_url: str) -> bool:
    """Whether an address is a loopback one."""
    return httpx.URL(base_url).host in _LOOPBACK


def _checked(token: str) -> str:
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ToolError(
            "the token is empty or has characters no token has (blanks, line breaks, non-ASCII):"
            " pass the token alone, without 'Bearer' and without quotes"
        )
    return token


def _asked() -> str:
    if "ipykernel" in sys.modules or (sys.stdin is not None and sys.stdin.isatty()):
        try:
            return getpass.getpass("Access token of the budgeting service: ")
        except (EOFError, NotImplementedError):  # a kernel that nobody can type into
            pass
    raise ToolError(
        f"no token: set the environment variable {TOKEN_VARIABLE} (best), or pass"
        " BudgetFrame.connect(token). BudgetFrame.sandbox() needs none"
    )
