"""Files that only the user can read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def make_private(path: Path) -> None:
    """Create the folder and the file if they are missing, with access for the user alone."""
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    require_private(path.parent, stat.S_IFDIR, 0o700)  # before anything is created in it
    with suppress(FileExistsError):
        # Created here, because SQLite would make it readable for others.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    require_private(path, stat.S_IFREG, 0o600)


def require_private(path: Path, kind: int, mode: int) -> None:
    """Remove the access of others to a folder or a file; raise an error if it is not the user's."""
    status = path.lstat()
    if stat.S_IFMT(status.st_mode) != kind:
        raise PermissionError(f"{path} is a link, or of the wrong type")
    if status.st_uid != getattr(os, "getuid", lambda: 0)():
        raise PermissionError(f"{path} belongs to another user")
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
        path.chmod(mode)
