"""The garbage collector, put aside while a large answer is taken apart."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused_gc"]


class _Pause:
    """How many have it paused now, and whether it ran before the first of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0
        self.was_enabled = False

    def begin(self) -> None:
        with self.lock:
            if not self.depth:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.depth += 1

    def end(self) -> None:
        with self.lock:
            self.depth -= 1
            if not self.depth and self.was_enabled:
                gc.enable()


_pause = _Pause()


def _in_child() -> None:
    """Those who had it paused are not in a forked child."""
    _pause.lock = threading.Lock()
    if _pause.depth:
        _pause.depth = 1
        _pause.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


@contextmanager
def paused_gc() -> Iterator[None]:
    """Let a piece of code make millions of objects that stay, none of them garbage.

    The collector would look through all of them again and again, for half of the time it takes.
    """
    _pause.begin()
    try:
        yield
    finally:
        _pause.end()
