"""What all parts of the awaitable facade stand on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from budgetframe._bridge import Hop
from budgetframe._responses import invalid_response
from budgetframe._session import Session

__all__ = ["Base", "modelled"]

_M = TypeVar("_M", bound=BaseModel)


class Base:
    """A session, and the way to where its HTTP client lives."""

    def __init__(self, session: Session, hop: Hop) -> None:
        self._session = session
        # Where the HTTP client lives on a loop of its own, every call goes there.
        self.hop = hop


def modelled(shape: type[_M], data: Mapping[str, Any]) -> _M:
    """The data as a model; an answer that does not fit is a `ServiceAPIError`."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise invalid_response(200, f"not what this version expects in it: {problems}") from None
