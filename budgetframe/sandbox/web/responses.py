"""Answers as bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

if TYPE_CHECKING:
    from budgetframe.sandbox.errors import ApiError

Json = dict[str, Any]

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Rendered:
    """An array of which every row is JSON already."""

    __slots__ = ("rows",)

    def __init__(self, rows: list[bytes]) -> None:
        self.rows = rows


def encode(value: object) -> bytes:
    """Write a value as JSON in UTF-8."""
    return _ENCODER.encode(value).encode()


def answer(data: Json, status: int = 200) -> Response:
    """Wrap what a handler gives."""
    return _json({"data": data}, status)


def refuse(refusal: ApiError) -> Response:
    """Turn a refusal into the documented error."""
    return _json(refusal.body(), refusal.status)


def _json(body: Json, status: int) -> Response:
    pieces: list[bytes] = []
    _write(body, pieces)
    return Response(b"".join(pieces), status, media_type="application/json; charset=utf-8")


def _write(value: Any, pieces: list[bytes]) -> None:
    """Write JSON; what is rendered already can stand in an object at any depth."""
    if isinstance(value, Rendered):
        pieces += (b"[", b",".join(value.rows), b"]")
    elif isinstance(value, dict) and value:
        before = b"{"
        for key, inner in value.items():
            pieces += (before, encode(key), b":")
            _write(inner, pieces)
            before = b","
        pieces.append(b"}")
    else:
        pieces.append(encode(value))
