"""The middleware that produces faults; it runs after admission and before the routes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgetframe.sandbox.errors import ApiError

from .faults import Effect, FaultPlan
from .responses import refuse

CONNECTION = "budgetframe.connection"  # of the `ClientConnection` in the extensions of a scope

_PAGE = """<!DOCTYPE html>
<html><head><title>{status} {reason}</title></head>
<body><center><h1>{status} {reason}</h1></center><hr><center>edge</center></body></html>
"""
_REASONS = {"502": "Bad Gateway", "503": "Service Temporarily Unavailable"}


class ClientConnection:
    """The connection of a request. Transports replace it with one that can really fail."""

    read_timeout: float | None = None
    """Read timeout of the client in seconds, if this connection has to simulate it."""

    async def reset(self, receive: Receive) -> None:
        """Reset the connection."""
        del receive
        raise ConnectionResetError("fault on request")

    async def time_out(self) -> None:
        """Simulate the read timeout of the client."""

    async def cut(self, start: Message, half: bytes, send: Send) -> None:
        """Send the headers of the whole body and a part of it, then end the connection."""
        await send(start)
        await send({"type": "http.response.body", "body": half, "more_body": True})


class FaultMiddleware:
    """Applies a fault plan to the requests of an app."""

    def __init__(self, app: ASGIApp, plan: Callable[[], FaultPlan]) -> None:
        self._app = app
        self._plan = plan

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        plan = self._plan()
        fault = None
        if scope["type"] == "http":
            fault = plan.draw(scope["method"], scope["path"].removeprefix("/v1"))
        if fault is None:
            await self._app(scope, receive, send)
            return
        extensions = scope.get("extensions", {})
        connection: ClientConnection = extensions.get(CONNECTION) or ClientConnection()
        timeout = connection.read_timeout
        is_late = timeout is not None and fault.seconds > timeout
        if fault.seconds:
            await plan.wait(timeout if is_late and timeout else fault.seconds)
        collected = _CollectedResponse()
        if fault.effect.act == "wait" and not is_late:
            await self._app(scope, receive, send)
            return
        if fault.effect.act in ("drop-field", "rows") and not is_late:
            await _drop(self._app, fault.effect, scope, receive, send)
            return
        if fault.effect.applied:
            await self._app(scope, receive, collected)
        if is_late:
            await connection.time_out()
        elif fault.effect.act == "reset":
            await connection.reset(receive)
        elif fault.effect.act == "cut":
            await connection.cut(collected.start, collected.body[: len(collected.body) // 2], send)
        else:
            await _replacement(fault.effect)(scope, receive, send)


class _CollectedResponse:
    """A response that is stored instead of being sent."""

    def __init__(self) -> None:
        self.start: Message = {}
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        else:
            self.body += message.get("body", b"")


async def _drop(app: ASGIApp, effect: Effect, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve a write, of which a field or rows are ignored, or missing or twice in the answer."""
    content = await Request(scope, receive).body()
    body = json.loads(content) if content else {}
    rows: list[Any] = body.get(_ROWS) or []
    is_of_rows = bool(rows)
    if effect.act == "drop-field":
        given = [row for row in rows or body.values() if effect.detail in row]
        if given:
            del given[-1][effect.detail]
    elif is_of_rows and effect.applied:
        collected = _CollectedResponse()
        await app(scope, _once(content), collected)
        answer = json.loads(collected.body)
        for name in (_ROWS, "transaction_ids"):
            if name in answer.get("data", {}):
                answer["data"][name] = _ROWS_LEFT[effect.detail](answer["data"][name])
        await JSONResponse(answer, collected.start["status"])(scope, receive, send)
        return
    elif is_of_rows:
        body[_ROWS] = _ROWS_LEFT[effect.detail](rows)
        if not body[_ROWS]:
            await JSONResponse({"data": dict(_NOTHING_WRITTEN)})(scope, receive, send)
            return
    await app(scope, _once(json.dumps(body).encode() if content else b""), send)


_ROWS = "transactions"
_ROWS_LEFT: dict[str, Callable[[list[Any]], list[Any]]] = {
    "drop-row": lambda rows: rows[:-1],
    "drop-first-row": lambda rows: rows[1:],
    "drop-half": lambda rows: rows[1::2],
    "repeat-rows": lambda rows: [row for row in rows for _ in range(2)],
}
_NOTHING_WRITTEN: dict[str, Any] = {
    "transaction_ids": [], _ROWS: [], "duplicate_import_ids": [], "server_knowledge": 0,
}  # fmt: skip


def _once(content: bytes) -> Receive:
    """A request body as one message."""

    async def receive() -> Message:
        return {"type": "http.request", "body": content, "more_body": False}

    return receive


def _replacement(effect: Effect) -> Response:
    """Return the response that replaces the response of the service."""
    if effect.act == "refuse":
        return refuse(ApiError(effect.detail))
    page = _PAGE.format(status=effect.detail, reason=_REASONS[effect.detail])
    return HTMLResponse(page, int(effect.detail))
