"""The data of an answer as a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_core import ValidationError

from budgetframe._client.responses import invalid_response

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")


def model_of(shape: type[_M], data: Mapping[str, Any]) -> _M:
    """Return the data as a model; a missing list or object in them is a `ServiceAPIError`."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        from budgetframe.models.lenient import model_without_damage  # noqa: PLC0415 - seldom needed

        try:
            return model_without_damage(shape, data, error)
        except ValidationError:
            found = ((".".join(map(str, each["loc"])), each["msg"]) for each in error.errors())
            problems = "; ".join(f"{place}: {problem}" for place, problem in found)
        text = f"is not what this version expects: {problems}. Try again, and if the error stays,"
        raise invalid_response(200, f"{text} update budgetframe") from None
