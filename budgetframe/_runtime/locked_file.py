"""A file that only one thread of one process can lock, on every system."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def locked_file(path: Path) -> sqlite3.Connection | None:
    """Lock a file until it is closed or the process ends; None if it is locked already."""
    try:
        file = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            file.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            file.close()
            raise
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return None
        raise OSError(f"{path}: {error}") from None
    return file
