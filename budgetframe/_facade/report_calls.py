"""Wrong calls of the reports of a budget: a misspelt argument, and a frame, which none takes."""

from __future__ import annotations

from functools import wraps
from typing import Any, TypeVar

from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import is_frame
from budgetframe.reports._shared.arguments import check_names
from budgetframe.reports._shared.inputs import INPUTS

_C = TypeVar("_C", bound=type)
_OWN_FRAMES = {"events", "rates"}  # arguments that can be frames of the user


def explaining_calls(kind: _C) -> _C:
    """Let the methods of the reports name the argument that is meant, and refuse frames."""
    for name in INPUTS:
        setattr(kind, name, _explaining(getattr(kind, name)))
    return kind


def _explaining(method: Any) -> Any:
    name = method.__name__

    @shown_without_frames
    @wraps(method)
    def call(reports: Any, *args: Any, **kwargs: Any) -> Any:
        named = [value for argument, value in kwargs.items() if argument not in _OWN_FRAMES]
        if any(map(is_frame, (*args, *named))):
            advice = f"pass a frame to the function budgetframe.reports.{name}()"
            raise ToolError(f"bf.reports.{name}() reads its frames itself and takes none; {advice}")
        check_names(method, kwargs, f"{type(reports).__name__}.{name}")
        return method(reports, *args, **kwargs)

    return call
