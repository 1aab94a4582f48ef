"""Where a session gets its client from: made here, or given by the user."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

import httpx

from budgetframe._cache.delta_cache import DeltaCache
from budgetframe._client.client import ServiceClient
from budgetframe._client.limiter import RateLimiter
from budgetframe._client.retry import Retries
from budgetframe._client.usage import RequestCounter
from budgetframe.errors import ToolError

__all__ = ["GivenClient", "OwnClient"]


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
        call_at_close: Callable[[Callable[[], Awaitable[None]]], None],
        limiter: RateLimiter,
        cache: DeltaCache,
        retries: Retries,
    ) -> None:
        self._make_http = make_http
        self._call_at_close = call_at_close
        self.limiter = limiter
        self.cache = cache
        self.counter = RequestCounter()
        self._retries = retries
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: ServiceClient | None = None

    def __call__(self) -> ServiceClient:
        """The client; called on the loop that will use it."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            http = self._make_http()
            self._call_at_close(http.aclose)
            self._client = ServiceClient(
                http, self.limiter, self.cache, retries=self._retries, counter=self.counter
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
        self.counter = client.counter
        self.cache: DeltaCache = client.cache

    def __call__(self) -> ServiceClient:
        """The client."""
        if self._pid != os.getpid():
            raise ToolError(
                "this BudgetFrame came along into a forked process with an HTTP client whose"
                " connections belong to the parent: make a new client in this process"
            )
        return self._client
