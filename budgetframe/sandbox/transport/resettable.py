"""A connection of the real server that can be reset on request."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from budgetframe.sandbox.web.fault_middleware import CONNECTION, ClientConnection

if TYPE_CHECKING:
    import asyncio

    from starlette.types import Receive, Scope, Send

_RESET_AT_ONCE = struct.pack("ii", 1, 0)


class Connection(H11Protocol):
    """Tells the app over which connection a request came."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        app = self.app

        async def with_connection(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[CONNECTION] = _SocketConnection(self.transport)
            await app(scope, receive, send)

        self.app = with_connection


class _SocketConnection(ClientConnection):
    """The socket below a request."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    async def reset(self, receive: Receive) -> None:
        """Reset the connection, and stay until the server has noticed."""
        below = self._transport.get_extra_info("socket")
        # Without lingering, closing sends a reset; otherwise it would be an orderly end.
        below.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_ONCE)
        self._transport.abort()
        while (await receive())["type"] != "http.disconnect":
            pass
