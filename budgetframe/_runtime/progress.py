"""What is shown while something takes longer than a second."""

from __future__ import annotations

import math
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from tqdm.auto import tqdm

__all__ = ["Progress"]

_T = TypeVar("_T")

_countdowns: list[str] = []  # those that show now, of all connections


@dataclass(frozen=True, slots=True)
class Progress:
    """Bars, or none.

    Parameters
    ----------
    is_shown : bool
        Whether there are any.
    after, every : float
        Seconds until a call is spoken of, and from then on between two looks at it.
    clock : callable
        Gives seconds.
    """

    is_shown: bool = True
    after: float = 1.0
    every: float = 0.5
    clock: Callable[[], float] = time.monotonic

    def result_of(self, future: Future[_T], what: str) -> _T:
        """Wait for a result; where that takes long, a line says for what and how long already."""
        # It is the main thread that a person waits for: a pool of eight would draw eight lines, and
        # a server's worker into its log.
        if self.is_shown and threading.current_thread() is threading.main_thread():
            start = self.clock()
            seconds = self.after
            with closing(_Line()) as line:
                while not _is_done(future, seconds):
                    line.say(f"budgetframe: {what}, {int(self.clock() - start)} s")
                    seconds = self.every
        return future.result()

    @contextmanager
    def countdown(self, seconds: float, why: str) -> Iterator[Callable[[], object]]:
        """A bar for the wait for the limit; what it gives moves it on by a second."""
        if not self.is_shown:
            yield lambda: None
            return
        with _bars()(total=math.ceil(seconds), desc="waiting for the limit", unit="s") as bar:
            bar.set_postfix_str(why)
            _countdowns.append(why)
            try:
                yield bar.update
            finally:
                _countdowns.remove(why)


class _Line:
    """A line of text, drawn by tqdm, that makes room for a countdown: that one says more."""

    def __init__(self) -> None:
        self._bar: tqdm[NoReturn] | None = None

    def say(self, text: str) -> None:
        if sys.stderr is None:  # pythonw: nobody to say it to
            return
        # The answer, of a write above all, is not to be lost to a display that is not up to it:
        # a stand-in for tqdm that wants a total (marimo), a broken screen.
        with suppress(Exception):
            if _countdowns:
                self.close()
            elif self._bar is None:
                self._bar = _bars()(desc=text, bar_format="{desc}", leave=False)
            else:
                self._bar.set_description_str(text)

    def close(self) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            with suppress(Exception):
                bar.close()


def _is_done(future: Future[Any], seconds: float) -> bool:
    """Whether it is, by then."""
    try:
        # Not `result`, which may raise a TimeoutError of its own.
        future.exception(seconds)
    except TimeoutError:
        return False
    return True


@cache
def _bars() -> type[tqdm[NoReturn]]:
    with warnings.catch_warnings():
        # Where widgets are missing the bar is one of text: nothing to be warned of.
        warnings.filterwarnings("ignore", "IProgress not found")
        from tqdm.auto import tqdm  # noqa: PLC0415 - slow, and seldom needed

    class Bar(tqdm):  # type: ignore[type-arg] # it has no arguments at run time
        def refresh(self, *_args: Any, **_options: Any) -> None:
            # tqdm's own keeps its lock when an interrupt or an error ends the drawing, and the
            # next bar of another thread, which is the loop's, would wait for it for ever.
            with self.get_lock():  # type: ignore[no-untyped-call]
                super().refresh(nolock=True)

    return Bar
