"""The source of a session's client: created here, or passed by the user."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import httpx

from budgetframe._cache.delta_cache import DeltaCache
from budgetframe._client.client import ServiceClient
from budgetframe._client.credentials import Token
from budgetframe._client.limit_guard import LimitGuard
from budgetframe._client.limiter import RateLimiter
from budgetframe._client.retry import Retries
from budgetframe._client.service_clock import ServiceClock
from budgetframe._client.spelling import ConnectionClient
from budgetframe._client.usage import RequestCounter


class OwnClient:
    """Creates a client on the running loop, and a new client if the loop has changed."""

    def __init__(
        self,
        make_http: Callable[[], httpx.AsyncClient],
        call_at_close: Callable[[Callable[[], Awaitable[None]]], None],
        limiter: RateLimiter,
        cache: DeltaCache,
        retries: Retries,
        *,
        token: Token | None = None,
        clock: ServiceClock | None = None,
    ) -> None:
        # All these clients have the limiter and the cache of the token. `call_at_close` takes a
        # function that closes the HTTP client, and that is awaited when the loop ends. The HTTP
        # client contains the token, unless `token` is given.
        self._make_http = make_http
        self._call_at_close = call_at_close
        self._limiter = limiter
        self.guard = LimitGuard(limiter)
        self.cache = cache
        self.counter = RequestCounter()
        self._retries = retries
        self._token = token
        self.clock = clock or ServiceClock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: ServiceClient | None = None

    def __call__(self) -> ServiceClient:
        """Return the client; must be called on the loop that will use it."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            http = self._make_http()
            self._call_at_close(http.aclose)
            self._client = ConnectionClient(
                http,
                self._limiter,
                self.cache,
                retries=self._retries,
                counter=self.counter,
                token=self._token,
                clock=self.clock,
            )
            self._loop = loop
        return self._client


class GivenClient:
    """Returns the client of the user, who will close it. A client without a cache gets one."""

    def __init__(self, client: ServiceClient) -> None:
        if client.cache is None:
            # The client must know the cache, because writes through the client drop entries in it.
            client.cache = DeltaCache()
        self._client = client
        self.guard = client.guard
        self.counter = client.counter
        self.clock = client.clock
        self.cache: DeltaCache = client.cache

    def __call__(self) -> ServiceClient:
        """Return the client."""
        return self._client
