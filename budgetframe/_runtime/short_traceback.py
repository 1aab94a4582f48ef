"""Errors and interrupts whose traceback has no frame of this package: their message is complete."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar, cast

from budgetframe.errors import BudgetFrameError

_DEBUG_VARIABLE = "BUDGETFRAME_DEBUG"

_E = TypeVar("_E", bound=BaseException)
_F = TypeVar("_F", bound=Callable[..., Any])


def debugged() -> bool:
    """Whether the environment asks for tracebacks with the frames of this package."""
    return bool(os.environ.get(_DEBUG_VARIABLE))


def shown_without_frames(function: _F) -> _F:
    """Remove the frames of this package from expected errors and interrupts of a function."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (BudgetFrameError, KeyboardInterrupt) as error:
            if debugged():
                raise
            raise without_frames(error) from None

    return cast("_F", call)


def without_frames(error: _E) -> _E:
    """The error without the frames below, and without any frame of this package in IPython."""
    # IPython calls this attribute to show an error. The errors of httpx have no class of this
    # package that could have it as a method.
    error._render_traceback_ = _shown_in_ipython  # type: ignore[attr-defined]
    return error.with_traceback(None)


def _shown_in_ipython() -> list[str]:
    """The lines that IPython shows of the current error: the user's frames and the message."""
    from IPython import get_ipython  # noqa: PLC0415 - only IPython calls this function

    error = sys.exc_info()[1]
    if error is None:
        return []
    users = frames_of(error.__traceback__, of_package=False)
    formatter = get_ipython().InteractiveTB
    lines: list[str] = formatter.structured_traceback(type(error), error, users)
    return lines


def frames_of(traceback: TracebackType | None, *, of_package: bool) -> TracebackType | None:
    """The part of a traceback with only the frames of this package, or without them."""
    # The frames of the HTTP libraries hold request headers, and the headers hold the token; some
    # displays of a traceback show local variables.
    if traceback is None:
        return None
    rest = frames_of(traceback.tb_next, of_package=of_package)
    frame = traceback.tb_frame
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    if (package == __name__.partition(".")[0]) is not of_package:
        return rest
    return TracebackType(rest, frame, traceback.tb_lasti, traceback.tb_lineno)
