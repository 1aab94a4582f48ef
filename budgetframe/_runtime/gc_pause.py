"""Pausing the garbage collector while a large answer is parsed."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _State:
    """The number of pauses that are active, and whether the collector ran before the first."""

    lock = threading.Lock()
    active = 0
    was_enabled = False


def _end_all_pauses() -> None:
    """End the pauses in a forked child: the threads that began them do not exist there."""
    _State.lock = threading.Lock()
    if _State.active and _State.was_enabled:
        gc.enable()
    _State.active = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_all_pauses)


@contextmanager
def paused_gc() -> Iterator[None]:
    """Pause the garbage collector in a block that creates millions of permanent objects."""
    # Its repeated scans of all of them find no garbage, and take half of the time of the block.
    with _State.lock:
        if not _State.active:
            _State.was_enabled = gc.isenabled()
            gc.disable()
        _State.active += 1
    try:
        yield
    finally:
        with _State.lock:
            # A forked child has ended the pauses of its parent.
            _State.active = max(0, _State.active - 1)
            if not _State.active and _State.was_enabled:
                gc.enable()
