"""The HTTP client of a connection or a lake."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from ssl import PROTOCOL_TLS_CLIENT, SSLContext

import httpx

from .credentials import is_this_machine
from .environment import check_key_log, check_network

_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20)


def new_http(
    base_url: str,
    *,
    timeout: float,
    on_response: Callable[[httpx.Response], Awaitable[None]] | None = None,
    limits: httpx.Limits = _LIMITS,
) -> httpx.AsyncClient:
    """Return an HTTP client for a service; `on_response` is called with every response.

    It has no token yet: the local variables of this function are part of a traceback.

    Raises
    ------
    ToolError
        If a variable of the environment is wrong.
    """
    # Requests to this machine may be unencrypted, so they must not go to a proxy.
    trust_env = not is_this_machine(base_url)
    has_tls = httpx.URL(base_url).scheme == "https"
    if has_tls:
        check_key_log()
    if trust_env:
        check_network()
    return httpx.AsyncClient(
        base_url=base_url,
        timeout=timeout,
        limits=limits,
        # Without TLS, no certificates are needed: loading them takes 20 ms.
        verify=has_tls or SSLContext(PROTOCOL_TLS_CLIENT),
        trust_env=trust_env,
        event_hooks={"response": [on_response] if on_response else []},
    )
