"""Pausing the garbage collector while a large answer is parsed."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused_gc"]


class _PauseCounter:
    """The number of pauses that are active, and whether the collector ran before the first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.active = 0
        self.was_enabled = False

    def begin(self) -> None:
        with self.lock:
            if not self.active:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.active += 1

    def end(self) -> None:
        with self.lock:
            self.active -= 1
            if not self.active and self.was_enabled:
                gc.enable()


_pauses = _PauseCounter()


def _end_all_pauses() -> None:
    """End the pauses in a forked child: the threads that began them do not exist there."""
    _pauses.lock = threading.Lock()
    if _pauses.active:
        _pauses.active = 1
        _pauses.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_all_pauses)


@contextmanager
def paused_gc() -> Iterator[None]:
    """Pause the garbage collector in a block that creates millions of permanent objects.

    The collector would scan all of them repeatedly and find no garbage; that takes half of the
    time of the block.
    """
    _pauses.begin()
    try:
        yield
    finally:
        _pauses.end()
