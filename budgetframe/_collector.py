"""The garbage collector, put aside while a large answer is taken apart."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused_collector"]


@contextmanager
def paused_collector() -> Iterator[None]:
    """Let a piece of code make millions of objects that stay, none of them garbage.

    The collector would look through all of them again and again, for half of the time it takes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Where another thread has it paused as well, it goes on a little earlier: no harm.
        if was_enabled:
            gc.enable()
