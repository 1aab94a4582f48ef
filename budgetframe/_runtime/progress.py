"""Progress of calls that take longer than a second, and of waits for the request limit."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

_T = TypeVar("_T")

_countdowns: list[str] = []  # countdowns of all connections that are visible now


@dataclass(frozen=True, slots=True)
class Progress:
    """Shows progress in a terminal or a notebook; elsewhere, as in a log file, it shows nothing."""

    is_shown: bool = True
    after: float = 1.0  # seconds until the progress of a call is shown
    every: float = 0.5  # seconds between two updates
    clock: Callable[[], float] = time.monotonic
    _counts: list[list[str]] = field(default_factory=list, init=False, repr=False, compare=False)
    """One element for each call that counts its rows: a list of the text to show."""

    def result_of(self, future: Future[_T], call: str) -> _T:
        """Wait for a result; a line shows the name of a slow call and the elapsed seconds."""
        # Only in the main thread, because a person waits for that one. A pool of eight threads
        # would draw eight lines, and a worker of a server would draw into its log.
        if threading.current_thread() is threading.main_thread():
            start = self.clock()
            try:
                # Not `result`: the coroutine may itself raise a TimeoutError.
                future.exception(self.after)
            except TimeoutError:
                if self._can_draw():
                    self._show_until_done(future, call, start)
            while not future.done():  # many short waits: on Windows, Ctrl+C ends no endless one
                with suppress(TimeoutError):
                    future.exception(self.every)
        return future.result()

    def _show_until_done(self, future: Future[Any], call: str, start: float) -> None:
        is_done = False
        with closing(_StatusLine()) as line:
            while not is_done:
                count = "".join(text for count in self._counts[-1:] for text in count)
                line.show(f"budgetframe: {call}{count}, {int(self.clock() - start)} s")
                with suppress(TimeoutError):
                    future.exception(self.every)
                    is_done = True

    @contextmanager
    def counting(self, total: int) -> Iterator[Callable[[int], object]]:
        """Show how many rows of a call are done; call the function it gives with more rows."""
        done, shown = 0, [""]

        def advance(rows: int) -> None:
            nonlocal done
            done += rows
            shown[0] = f", {done:,} of {total:,} rows"

        self._counts.append(shown)
        try:
            yield advance
        finally:
            self._counts[:] = [count for count in self._counts if count is not shown]

    @contextmanager
    def countdown(self, seconds: float, reason: str) -> Iterator[Callable[[], object]]:
        """A bar for the wait for the limit; call the function it gives once for each second."""
        if not self._can_draw():
            yield lambda: None
            return
        with _bar(total=math.ceil(seconds), desc="waiting for the limit", unit="s") as bar:
            bar.set_postfix_str(reason)
            _countdowns.append(reason)
            try:
                yield bar.update
            finally:
                _countdowns.remove(reason)

    def _can_draw(self) -> bool:
        return self.is_shown and (_is_in_notebook() or _is_in_terminal())


class _StatusLine:
    """A line of text that tqdm draws. A countdown replaces it, because that shows more."""

    def __init__(self) -> None:
        self._bar: tqdm[NoReturn] | None = None

    def show(self, text: str) -> None:
        # A display that fails must not lose the answer, above all that of a write. Displays fail
        # if a replacement of tqdm needs a total (marimo), or if the terminal is broken.
        with suppress(Exception):
            if _countdowns:
                self.close()
            elif self._bar is None:
                self._bar = _bar(desc=text, bar_format="{desc}")
            else:
                self._bar.set_description_str(text)

    def close(self) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            with suppress(Exception):
                bar.close()


def _is_in_terminal() -> bool:
    """Whether standard error is a terminal; it may be closed, and pythonw has none."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:
        return False


def kernel() -> Any:
    """The kernel of Jupyter in which this code runs, or None."""
    # An imported ipykernel is not enough: plugins of pytest import it too.
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return None if get_ipython is None else getattr(get_ipython(), "kernel", None)


def _is_in_notebook() -> bool:
    """Whether a person looks at a notebook of Jupyter or of marimo."""
    # Programs that execute notebooks allow no keyboard input, and would store the progress.
    if (running := kernel()) is not None:
        return bool(getattr(running, "_allow_stdin", True))
    in_marimo = getattr(sys.modules.get("marimo"), "running_in_notebook", None)
    return in_marimo is not None and bool(in_marimo())


class _Output:
    """The file to which tqdm writes in a kernel: an output below the cell that becomes empty.

    Text on standard error would leave an empty red band, because no text can remove it.
    """

    encoding = "utf-8"  # tqdm draws with more than ASCII

    def __init__(self) -> None:
        self._handle: Any = None

    def write(self, text: str) -> None:
        from IPython.display import display  # noqa: PLC0415 - a kernel has imported it

        if self._handle is None:
            # Empty: a front end that cannot replace an output shows nothing, and no old text.
            self._handle = display({}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        shown = text.strip()
        self._handle.update({"text/plain": shown} if shown else {}, raw=True)

    def flush(self) -> None:
        """Do nothing: an output is sent when it is written."""


def _bar(**options: Any) -> tqdm[NoReturn]:
    """A bar that disappears when it is closed."""
    if kernel() is not None:
        options |= {"file": _Output(), "position": 0}  # the others are in other outputs
    return _bars()(leave=False, **options)


@cache
def _bars() -> type[tqdm[NoReturn]]:
    from tqdm import tqdm  # noqa: PLC0415 - it is slow and rarely needed

    class Bar(tqdm):  # type: ignore[type-arg] # not generic at run time
        def refresh(self, *_args: Any, **_options: Any) -> None:
            # The method of tqdm keeps its lock if an interrupt or an error ends the drawing. The
            # next bar of another thread, such as that of the event loop, would wait for ever.
            with self.get_lock():  # type: ignore[no-untyped-call]
                super().refresh(nolock=True)

    return Bar
