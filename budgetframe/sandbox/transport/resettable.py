"""A connection of the server that a fault can reset, for loopback hosts and timely headers."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from budgetframe.sandbox.errors import ApiError
from budgetframe.sandbox.web.fault_middleware import CONNECTION, ClientConnection
from budgetframe.sandbox.web.responses import refuse

_NO_LINGER = struct.pack("ii", 1, 0)
_PORT = re.compile(r":\d*$")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


class Connection(H11Protocol):
    """Passes the connection of each request to the app.

    A request for another host name than a loopback one is refused: a web page could give its own
    name the address of this machine, and then read the budgets in the browser of the user.
    """

    header_seconds = 10.0
    """Seconds in which the headers of a request must arrive; otherwise the connection is closed."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        app = self.app
        self._header_timer: asyncio.TimerHandle | None = None

        async def with_connection(scope: Scope, receive: Receive, send: Send) -> None:
            if not _is_for_this_machine(scope):
                await refuse(ApiError("421"))(scope, receive, send)
                return
            scope.setdefault("extensions", {})[CONNECTION] = _SocketConnection(self.transport)
            await app(scope, receive, send)

        self.app = with_connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first request."""
        super().connection_made(transport)
        self._limit_headers()

    def data_received(self, data: bytes) -> None:
        """Start the time limit at the first byte of a request; end it when its headers are read."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._limit_headers()
        else:
            self._end_limit()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the time limit."""
        self._end_limit()
        super().connection_lost(exc)

    def _limit_headers(self) -> None:
        if self._header_timer is None:
            self._header_timer = self.loop.call_later(self.header_seconds, self.transport.close)

    def _end_limit(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None


def _is_for_this_machine(scope: Scope) -> bool:
    hosts = [str(value, "latin-1").lower() for name, value in scope["headers"] if name == b"host"]
    return bool(hosts) and all(_PORT.sub("", host) in _LOOPBACK for host in hosts)


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
