"""Where faults happen: between the gate and the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse

from budgetframe.sandbox.errors import ApiError

from .responses import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .faults import Effect, FaultPlan

CONNECTION = "budgetframe.line"
"""Key of the connection among the extensions of an ASGI scope."""

_PAGE = """<!DOCTYPE html>
<html><head><title>{status} {reason}</title></head>
<body><center><h1>{status} {reason}</h1></center><hr><center>edge</center></body></html>
"""
_REASONS = {"502": "Bad Gateway", "503": "Service Temporarily Unavailable"}


class ClientConnection:
    """The connection that a request came over, as far as faults go; servers know better ones."""

    patience: float | None = None
    """Seconds after which the client gives up, where that has to be acted out."""

    async def reset(self, receive: Receive) -> None:
        """Reset the connection."""
        del receive
        raise ConnectionResetError("fault on request")

    async def give_up(self) -> None:
        """Let the client have waited long enough."""

    async def cut(self, start: Message, half: bytes, send: Send) -> None:
        """Announce a whole body, send a part of it, and end the connection."""
        await send(start)
        await send({"type": "http.response.body", "body": half, "more_body": True})


class FaultMiddleware:
    """Serves an app through a plan of faults."""

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
        line: ClientConnection = scope.get("extensions", {}).get(CONNECTION) or ClientConnection()
        late = line.patience is not None and fault.seconds > line.patience
        if fault.seconds:
            await plan.wait(line.patience if late and line.patience else fault.seconds)
        answered = _Collected()
        if fault.effect.act == "wait" and not late:
            await self._app(scope, receive, send)
            return
        if fault.effect.applied:
            await self._app(scope, receive, answered)
        if late:
            await line.give_up()
        elif fault.effect.act == "reset":
            await line.reset(receive)
        elif fault.effect.act == "cut":
            await line.cut(answered.start, answered.body[: len(answered.body) // 2], send)
        else:
            await _instead(fault.effect)(scope, receive, send)


class _Collected:
    """An answer that is kept here instead of being sent."""

    def __init__(self) -> None:
        self.start: Message = {}
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        else:
            self.body += message.get("body", b"")


def _instead(effect: Effect) -> Response:
    """Give the answer that comes instead of the service's own."""
    if effect.act == "refuse":
        return refuse(ApiError(effect.detail))
    page = _PAGE.format(status=effect.detail, reason=_REASONS[effect.detail])
    return HTMLResponse(page, int(effect.detail))
