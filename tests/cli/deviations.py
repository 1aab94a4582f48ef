"""The embedded service with deliberate deviations in its answers."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgetframe.sandbox import Sandbox

Json = dict[str, Any]
Change = Callable[[str, Json], object]
"""A function that changes the data object of an answer; the first argument is its name."""


MARK = "Zq7"
"""A text that some tests put before names and ids; it is removed from the paths of requests."""


class DeviatingSandbox(Sandbox):
    """A sandbox that changes its answers with the functions in `changes`."""

    changes: tuple[Change, ...] = ()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.requests: list[str] = []
        """Method, path and query of all requests."""
        self.app = self._deviating(self.app)

    def _deviating(self, inner: ASGIApp) -> ASGIApp:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            scope = dict(
                scope, path=scope["path"].replace(MARK, ""),
                raw_path=scope["raw_path"].replace(MARK.encode(), b""),
            )  # fmt: skip
            query = scope["query_string"].decode()
            self.requests.append(f"{scope['method']} {scope['path']}{'?' if query else ''}{query}")
            messages: list[Message] = []

            async def collect(message: Message) -> None:
                messages.append(message)

            await inner(scope, receive, collect)
            if not messages:  # a fault has reset the connection
                return
            start = messages[0]
            if start["status"] != 200:
                for message in messages:
                    await send(message)
                return
            content = json.loads(b"".join(message.get("body", b"") for message in messages[1:]))
            for change in self.changes:
                change(answer_name(scope), content["data"])
            body = json.dumps(content).encode()
            headers = [one for one in start["headers"] if one[0] != b"content-length"]
            headers.append((b"content-length", str(len(body)).encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        return app


def answer_name(scope: Scope) -> str:
    """The name of an answer: its resource, and what distinguishes it from other answers."""
    segments: list[str] = scope["path"].removeprefix("/v1/").split("/")
    query = parse_qs(scope["query_string"].decode())
    if len(segments) == 2:
        return "export"
    if segments[-1] == "current":
        return "month"
    return segments[-1] + (" since 1" if query.get("last_knowledge_of_server") == ["1"] else "")


def on(name: str, change: Callable[[Json], object]) -> Change:
    """A change of one answer."""
    return lambda found, data: change(data) if found == name else None


def each(key: str, change: Callable[[Json], object]) -> Callable[[Json], object]:
    """A change of every row of a list."""
    return lambda data: [change(row) for row in data[key]]


def splits(data: Json) -> list[Json]:
    """The transactions that have parts."""
    return [row for row in data["transactions"] if row["subtransactions"]]
