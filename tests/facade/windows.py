"""What a process finds on Windows, as far as Linux can simulate it."""

import os
import sys
from pathlib import Path

import psutil

_FUNCTIONS = (
    "chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getuid", "killpg", "mkfifo",
    "pread", "pwrite", "register_at_fork", "setsid", "statvfs", "uname",
)  # fmt: skip
_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tzdata")


def simulate_windows() -> None:
    """Remove what Windows does not have, and protect open files; call it in its own process.

    The documentation of Python names these functions and modules as those of Unix alone. On
    Windows, a file that Python has open cannot be deleted, renamed or replaced.
    """
    for name in _FUNCTIONS:
        delattr(os, name)
    for name in _MODULES:
        sys.modules[name] = None  # type: ignore[assignment] # its import fails then
    sys.addaudithook(_protect_open_files)


def _protect_open_files(event: str, arguments: tuple[object, ...]) -> None:
    for path in map(str, arguments[: {"os.remove": 1, "os.rename": 2}.get(event, 0)]):
        if Path(path).exists() and any(map(Path(path).samefile, _open_files())):
            raise PermissionError(13, "The process cannot access the file", path)


def _open_files() -> list[Path]:
    return [Path(each.path) for each in psutil.Process().open_files()]
