"""The folder of a `cache_dir`: files that all processes with one token share."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from budgetframe.errors import ToolError

from .limit_guard import LimitGuard
from .limiter import RateLimiter

if TYPE_CHECKING:
    from budgetframe._cache.sqlite_file import SQLiteFile

_VARIABLE = "BUDGETFRAME_CACHE_DIR"

_files: weakref.WeakValueDictionary[tuple[int, Path], SQLiteFile] = weakref.WeakValueDictionary()
"""The open files, by process and path."""


def cache_folder(given: str | os.PathLike[str] | None) -> Path | None:
    """The folder that was passed, else that of the environment, if any."""
    folder = given or os.environ.get(_VARIABLE) or None
    if not isinstance(folder, str | os.PathLike | None):
        raise ToolError(f"cache_dir={folder!r}: give the path of a folder")
    return None if folder is None else Path(folder).expanduser().absolute()


def path_in(folder: Path, name: str, suffix: str) -> Path:
    """The file of a service and token in a folder."""
    return folder / "budgetframe" / f"{name}{suffix}"


def shared_file(
    folder: Path,
    name: str,
    limiter: RateLimiter,
    *,
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
) -> SQLiteFile:
    """Return the file of a service and token, which also counts the requests of the limiter."""
    # `wall` returns seconds that mean the same in all processes with it.
    from budgetframe._cache.shared_window import SharedWindow  # noqa: PLC0415 - imports sqlite3
    from budgetframe._cache.sqlite_file import SQLiteFile  # noqa: PLC0415

    path = path_in(folder, name, ".sqlite")
    # One connection for the process: closing a second one would give up the locks of the first.
    place = os.getpid(), path
    file = _files.get(place) or _files.setdefault(place, SQLiteFile(path, wall=wall))
    guard = LimitGuard(limiter)
    guard.share(SharedWindow(file, guard.window_seconds, clock))
    return file
