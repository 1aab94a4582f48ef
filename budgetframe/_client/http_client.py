"""The HTTP client of a connection or a lake."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

import httpx

from .credentials import is_this_machine

_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20)
# The published service ends a request after 30 s: with its default, `connect` waits for 120 s, in
# which a slow line receives a large budget.
_MOST_TIMEOUTS = 4


class _HTTPClient(httpx.AsyncClient):
    """An HTTP client that also limits an attempt as a whole, for servers that send byte by byte."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        longest = _MOST_TIMEOUTS * float(self.timeout.read or 0.0)
        try:
            async with asyncio.timeout(longest):
                return await super().send(request, **options)
        except TimeoutError:
            pass  # raised below, so that it has no cause: httpx converts its own timeouts
        message = f"no complete answer within {longest:g} s, which is {_MOST_TIMEOUTS} x timeout"
        raise httpx.ReadTimeout(message, request=request)


def new_http(
    base_url: str,
    *,
    timeout: float,
    on_response: Callable[[httpx.Response], Awaitable[None]] | None = None,
    limits: httpx.Limits = _LIMITS,
) -> httpx.AsyncClient:
    """Return an HTTP client for a service; `on_response` is called with every response."""
    # No step of a request takes longer than `timeout`, and an attempt as a whole not longer than
    # four times that: the error is then an `httpx.TimeoutException`. It has no token yet: the local
    # variables of this function are part of a traceback. A wrong variable of the environment is a
    # `ToolError`.
    from .environment import check_key_log, check_network  # noqa: PLC0415 - the sandbox needs none

    # Requests to this machine may be unencrypted, so they must not go to a proxy.
    trust_env = not is_this_machine(base_url)
    has_tls = httpx.URL(base_url).scheme == "https"
    if has_tls:
        check_key_log()
    if trust_env:
        check_network()
    return _HTTPClient(
        base_url=base_url, timeout=timeout, limits=limits, trust_env=trust_env,
        # Without TLS, no certificates are needed: loading them takes 20 ms.
        verify=has_tls or SSLContext(PROTOCOL_TLS_CLIENT),
        event_hooks={"response": [on_response] if on_response else []},
    )  # fmt: skip
