"""Models of answers with damaged rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_core import ErrorDetails, ValidationError

from budgetframe._resources import copy_json
from budgetframe._runtime.deferred_warnings import DamagedRows, defer_warning
from budgetframe._runtime.text import number_of, row_name

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")
_EMPTY: Mapping[str, Any] = {"string": "", "bool": False, "int": 0} | dict.fromkeys(
    ("float", "finite", "value"), nan
)
"""The value of a required field without one, by the kind of the error."""
_SHOWN_LENGTH = 80  # characters of a value in a message


def model_without_damage(shape: type[_M], data: Mapping[str, Any], error: ValidationError) -> _M:
    """A model of a data object in which the values that caused an error are missing."""
    # A missing value is None; if the field requires one, it is NaN, False or an empty text. The
    # same holds for a required field that a row of a list lacks. A `RuntimeWarning` names the row
    # of the first one. If the data lack a list or an object, or a single object lacks a required
    # field, the error is raised.
    problems, repaired = error.errors(), copy_json(data)
    if not all(_is_of_value(problem) for problem in problems):
        raise error
    places = [_replace(repaired, problem["loc"], None) for problem in problems]
    try:
        model = shape.model_validate(repaired)
    except ValidationError as remaining:
        for problem in remaining.errors():
            _replace(repaired, problem["loc"], _EMPTY.get(_kind(problem)))
        model = shape.model_validate(repaired)
    first = f"{places[0]}={problems[0]['input']!r}"[:_SHOWN_LENGTH]
    count = number_of(len({*places}), "value", "values")
    defer_warning(DamagedRows(f"{count} in the answer cannot be used (first: {first})"))
    return model


def _kind(problem: ErrorDetails) -> str:
    return problem["type"].partition("_")[0]


def _is_of_value(problem: ErrorDetails) -> bool:
    """Whether a problem is that of one value, and not of a list or an object."""
    is_lacking = problem["type"] == "missing" and any(isinstance(e, int) for e in problem["loc"])
    return is_lacking or _kind(problem) in _EMPTY


def _replace(data: Any, place: Sequence[int | str], value: Any) -> str:
    """Replace the value at a place; return the list, the row and the field."""
    node, name, row, is_choice = data, "", "", False
    *outer, field = place
    for step in outer:
        if isinstance(step, str) and step not in node:
            is_choice = True  # the name of one of several models for a row
            continue
        node = node[step]
        if isinstance(step, str):
            name = step
        else:
            row = f"{row_name(name, node, step)} has "
    if field in node or not is_choice:
        node[field] = value
    return f"{row}{field}"
