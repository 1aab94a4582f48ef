"""The service without a socket, failing as a socket would."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from budgetframe.sandbox.web.fault_middleware import CONNECTION, ClientConnection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class InProcess(httpx.AsyncBaseTransport):
    """Hands requests to an ASGI app. It is bound to no event loop."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        line = _InProcessConnection(request)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self._app(dict(scope, extensions={CONNECTION: line}), receive, send)

        response = await httpx.ASGITransport(app=app).handle_async_request(request)
        if line.half is None:
            return response
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_CutShort(line.half, response.headers["content-length"], request),
            request=request,
        )


class _InProcessConnection(ClientConnection):
    """Acts out on a request what its connection would go through."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request
        self.patience = request.extensions.get("timeout", {}).get("read")
        self.half: bytes | None = None

    async def reset(self, receive: Receive) -> None:
        """Fail as reading from a connection does that is reset."""
        del receive
        raise httpx.ReadError("", request=self._request)

    async def give_up(self) -> None:
        """Fail as reading does that takes too long."""
        raise httpx.ReadTimeout("", request=self._request)

    async def cut(self, start: Message, half: bytes, send: Send) -> None:
        """Keep the half for the response; its stream ends with the failure."""
        self.half = half
        await send(start)
        await send({"type": "http.response.body", "body": b""})


class _CutShort(httpx.AsyncByteStream):
    """A body whose connection ends too early."""

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
