"""One lock for all shared state, safe across a fork."""

from __future__ import annotations

import os
import threading

__all__ = ["STATE"]

STATE = threading.RLock()
"""Guards the state that connections share: the request limit, the cache, and the files of both.

The process holds this lock while it forks. So a child process never starts in the middle of a
change, with a lock that no thread of the child will release, or inside a transaction of its parent.
"""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=STATE.acquire, after_in_parent=STATE.release, after_in_child=STATE.release
    )
