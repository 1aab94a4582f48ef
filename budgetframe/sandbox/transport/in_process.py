"""The service without a socket; its faults raise the errors that a socket would raise."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgetframe.sandbox.web.fault_middleware import CONNECTION, ClientConnection


class InProcess(httpx.AsyncBaseTransport):
    """Passes requests to an ASGI app; it works on every event loop."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        connection = _InProcessConnection(request)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self._app(dict(scope, extensions={CONNECTION: connection}), receive, send)

        response = await httpx.ASGITransport(app=app).handle_async_request(request)
        if connection.half is None:
            return response
        status, headers = response.status_code, response.headers
        stream = _CutShort(connection.half, headers["content-length"], request)
        return httpx.Response(status, headers=headers, stream=stream, request=request)


class _InProcessConnection(ClientConnection):
    """Simulates a connection that fails."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request
        self.read_timeout = request.extensions.get("timeout", {}).get("read")
        self.half: bytes | None = None

    async def reset(self, receive: Receive) -> None:
        del receive
        raise httpx.ReadError("", request=self._request)

    async def time_out(self) -> None:
        raise httpx.ReadTimeout("", request=self._request)

    async def cut(self, start: Message, half: bytes, send: Send) -> None:
        """Store the half of the body; the stream of the response ends with an error."""
        self.half = half
        await send(start)
        await send({"type": "http.response.body", "body": b""})


class _CutShort(httpx.AsyncByteStream):
    """A body that is shorter than announced."""

    def __init__(self, half: bytes, announced: str, request: httpx.Request) -> None:
        self._half = half
        self._announced = announced
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._half
        raise httpx.RemoteProtocolError(
            "peer closed connection without sending complete message body "
            f"(received {len(self._half)} bytes, expected {self._announced})",
            request=self._request,
        )
