"""JSON responses."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json
from starlette.responses import Response

from budgetframe.sandbox.errors import ApiError

Json = dict[str, Any]


class Rendered:
    """A JSON array of rows that are already encoded."""

    __slots__ = ("rows",)

    def __init__(self, rows: list[bytes]) -> None:
        self.rows = rows


def answer(data: Json, status: int = 200) -> Response:
    """Return the response for the data of an operation."""
    return _json({"data": data}, status)


def refuse(error: ApiError) -> Response:
    """Return the response for an error."""
    return _json(error.body(), error.status)


def _json(body: Json, status: int) -> Response:
    pieces: list[bytes] = []
    _write(body, pieces)
    return Response(b"".join(pieces), status, media_type="application/json; charset=utf-8")


def _write(value: Any, pieces: list[bytes]) -> None:
    """Append JSON to `pieces`; objects can contain `Rendered`. Pydantic is five times as fast."""
    if isinstance(value, Rendered):
        pieces += (b"[", b",".join(value.rows), b"]")
    elif isinstance(value, dict) and value:
        before = b"{"
        for key, inner in value.items():
            pieces += (before, to_json(key), b":")
            _write(inner, pieces)
            before = b","
        pieces.append(b"}")
    else:
        pieces.append(to_json(value))
