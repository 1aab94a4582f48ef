"""Answers as bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

if TYPE_CHECKING:
    from budgetframe.sandbox._refusals import Refusal

Json = dict[str, Any]


def answer(data: Json, status: int = 200) -> Response:
    """Wrap what a handler gives."""
    return _json({"data": data}, status)


def refuse(refusal: Refusal) -> Response:
    """Turn a refusal into the documented error."""
    return _json(refusal.body(), refusal.status)


def _json(body: Json, status: int) -> Response:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(content.encode(), status, media_type="application/json; charset=utf-8")
