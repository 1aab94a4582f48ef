"""Running the async methods for the synchronous facade."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

import httpx

from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.event_loop import LoopRunner
from budgetframe.errors import BudgetFrameError

__all__ = ["DEBUG_VARIABLE", "WaitFor", "without_frames"]

DEBUG_VARIABLE = "BUDGETFRAME_DEBUG"

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Exception)


class WaitFor:
    """Runs a coroutine for a synchronous method and returns its result.

    Warnings point at the line that called the method. The traceback of an expected error ends at
    the method, and in a notebook at the line that called it: the message is complete, and the
    frames of the event loop and of the libraries would hide it. If the environment variable
    ``BUDGETFRAME_DEBUG`` is set, the traceback also has the frames of this package.

    Parameters
    ----------
    runner : LoopRunner
        Runs coroutines.
    """

    def __init__(self, runner: LoopRunner) -> None:
        self._runner = runner

    def __call__(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        with collected_warnings() as collected:
            try:
                result = self._runner.run(coroutine)
            except (BudgetFrameError, httpx.RequestError) as error:
                if os.environ.get(DEBUG_VARIABLE):
                    own = _frames(error.__traceback__, of_package=True)
                    raise error.with_traceback(own) from None
                raise without_frames(error) from None
        for warning in collected:
            warnings.warn(warning, stacklevel=3)
        return result


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
    users = _frames(error.__traceback__, of_package=False)
    formatter = get_ipython().InteractiveTB
    lines: list[str] = formatter.structured_traceback(type(error), error, users)
    return lines


def _frames(traceback: TracebackType | None, *, of_package: bool) -> TracebackType | None:
    """The part of a traceback with only the frames of this package, or without them.

    The frames of the HTTP libraries hold request headers, and the headers hold the token; some
    displays of a traceback show local variables.
    """
    if traceback is None:
        return None
    rest = _frames(traceback.tb_next, of_package=of_package)
    frame = traceback.tb_frame
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    if (package == __name__.partition(".")[0]) is not of_package:
        return rest
    return TracebackType(rest, frame, traceback.tb_lasti, traceback.tb_lineno)
