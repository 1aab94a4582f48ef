"""What a process knows of a journal of changes, besides its file."""

from __future__ import annotations

import os
from asyncio import AbstractEventLoop, Lock as TurnLock
from pathlib import Path
from threading import Lock
from weakref import WeakKeyDictionary


class JournalMemory:
    """The part of a journal that lasts as long as the process."""

    def __init__(self) -> None:
        self.lines: list[str] = []  # the whole journal, or lines that could not be written
        self.undone: dict[str, str] = {}  # what this process has begun to undo, and by what
        self.lock = Lock()  # held while changes are applied
        self.turns: WeakKeyDictionary[AbstractEventLoop, TurnLock] = WeakKeyDictionary()
        """With these locks, an application of changes on the same event loop waits for others."""


def memory_of(key: str, path: Path | None) -> JournalMemory:
    """The memory of a journal, for all connections of this process with its file."""
    # A notebook often connects again, and then continues what the connection before has begun. The
    # key is that of `limiter_of`.
    return _memories.setdefault((os.getpid(), key, path), JournalMemory())


_memories: dict[tuple[int, str, Path | None], JournalMemory] = {}
"""By process, key and file: in a forked child, a thread of the parent may have held the lock."""
