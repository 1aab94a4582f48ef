"""The lock that survives a fork."""

from __future__ import annotations

import os
import threading

__all__ = ["STATE"]

STATE = threading.RLock()
"""Guards what connections share: the limit, what is remembered, the files of both.

One for all. Held while the process forks, so that no child is born in the middle of a change, with
a lock that nobody there will give back, or with a transaction that is its parent's too.
"""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=STATE.acquire, after_in_parent=STATE.release, after_in_child=STATE.release
    )
