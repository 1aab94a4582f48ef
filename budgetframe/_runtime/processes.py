"""What belongs to one process: the lock of the shared state, and each connection."""

from __future__ import annotations

import os
import threading
from collections.abc import Coroutine
from typing import Any

from budgetframe.errors import ToolError


class _Lock(type(threading.RLock())):  # type: ignore[misc] # mypy sees a function
    """A lock that an interrupt between its acquisition and the block of `with` leaves unlocked.

    In Python 3.14, `with` does not release it then: https://github.com/python/cpython/issues/148874.
    """

    def __enter__(self) -> None:
        # An interrupt can come at the end of each call, but not while targets are filled.
        [_] = map(self.acquire, (True,))


STATE = _Lock()
"""Guards the state that connections share: the request limit, the cache, and the files of both.

The process holds this lock while it forks. So a child that connects itself does not wait for a
thread of its parent, and a child that ends cannot roll back a transaction of its parent.
"""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=STATE.acquire, after_in_parent=STATE.release, after_in_child=STATE.release
    )


def check_process(pid: int, coroutine: Coroutine[Any, Any, Any] | None = None) -> None:
    """Close the coroutine and raise a `ToolError` in a child that a connected process forked."""
    if pid != os.getpid():
        if coroutine is not None:
            coroutine.close()
        raise ToolError(
            f"this connection was made in another process (PID {pid}). Connect again in this"
            " process: call BudgetFrame.connect() or BudgetFrame.sandbox(), or create a new"
            " ServiceClient"
        )
