"""A connection of the socket server that a fault can reset."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from budgetframe.sandbox.web.fault_middleware import CONNECTION, ClientConnection

if TYPE_CHECKING:
    import asyncio

    from starlette.types import Receive, Scope, Send

_NO_LINGER = struct.pack("ii", 1, 0)


class Connection(H11Protocol):
    """Passes the connection of each request to the app."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        app = self.app

        async def with_connection(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[CONNECTION] = _SocketConnection(self.transport)
            await app(scope, receive, send)

        self.app = with_connection


class _SocketConnection(ClientConnection):
    """The socket of a request."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    async def reset(self, receive: Receive) -> None:
        """Reset the connection, and return after the server has noticed it."""
        client_socket = self._transport.get_extra_info("socket")
        # With a linger time of zero, closing the socket sends a reset instead of a normal end.
        client_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self._transport.abort()
        while (await receive())["type"] != "http.disconnect":
            pass
