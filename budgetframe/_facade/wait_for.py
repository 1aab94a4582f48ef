"""Running the async methods for the synchronous facade."""

from __future__ import annotations

import warnings
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx

from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.event_loop import LoopRunner
from budgetframe._runtime.short_traceback import debugged, frames_of, without_frames
from budgetframe.errors import BudgetFrameError

_T = TypeVar("_T")


class WaitFor:
    """Runs a coroutine for a synchronous method and returns its result."""

    # Warnings point at the line that called the method; those of an interrupted call are notes of
    # the interrupt, because they say what a write has done. The traceback of an interrupt or an
    # expected error ends at the method, and in a notebook at the line that called it: the frames of
    # the event loop and of the libraries would hide the message.

    def __init__(self, runner: LoopRunner) -> None:
        self._runner = runner

    def __call__(self, coroutine: Coroutine[Any, Any, _T], *, stacklevel: int = 3) -> _T:
        with collected_warnings() as collected:
            try:
                result = self._runner.run(coroutine)
            except (BudgetFrameError, httpx.RequestError, KeyboardInterrupt) as error:
                for warning in collected if isinstance(error, KeyboardInterrupt) else ():
                    error.add_note(str(warning))
                if debugged():
                    own = frames_of(error.__traceback__, of_package=True)
                    raise error.with_traceback(own) from None
                raise without_frames(error) from None
        for warning in collected:
            warnings.warn(warning, stacklevel=stacklevel)
        return result


def passed(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments in the ``locals()`` of a method, for the async method of the same name."""
    return {name: value for name, value in arguments.items() if name != "self"}
