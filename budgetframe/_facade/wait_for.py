"""Running the async methods for the synchronous facade."""

from __future__ import annotations

import os
import warnings
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

import httpx

from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.event_loop import LoopRunner
from budgetframe.errors import BudgetFrameError

__all__ = ["DEBUG_VARIABLE", "WaitFor"]

DEBUG_VARIABLE = "BUDGETFRAME_DEBUG"

_T = TypeVar("_T")


class WaitFor:
    """Runs a coroutine for a synchronous method and returns its result.

    Warnings point at the line that called the method. The traceback of an expected error ends at
    the method: its message is complete, and the frames of the event loop and of the libraries
    would hide it. If the environment variable ``BUDGETFRAME_DEBUG`` is set, the traceback also has
    the frames of this package.

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
                debug = bool(os.environ.get(DEBUG_VARIABLE))
                traceback = _frames_of_package(error.__traceback__) if debug else None
                raise error.with_traceback(traceback) from None
        for warning in collected:
            warnings.warn(warning, stacklevel=3)
        return result


def _frames_of_package(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of other packages.

    The frames of the HTTP libraries hold request headers, and the headers hold the token; some
    displays of a traceback show local variables.
    """
    if traceback is None:
        return None
    rest = _frames_of_package(traceback.tb_next)
    frame = traceback.tb_frame
    if str(frame.f_globals.get("__name__")).partition(".")[0] != __name__.partition(".")[0]:
        return rest
    return TracebackType(rest, frame, traceback.tb_lasti, traceback.tb_lineno)
