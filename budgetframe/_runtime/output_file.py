"""The file that a command or a method writes: checked before any work, replaced in one step."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from os import PathLike
from pathlib import Path
from secrets import token_hex

from budgetframe.errors import ToolError

_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4)  # seconds
_PREFIX = 50  # letters of the name that the unfinished file begins with: a name can be too long


def output_file(path: str | PathLike[str]) -> Path:
    """Return the path of a file that can be written; of a link, the path of its target."""
    # It is a `ToolError` if the folder does not exist, the path is that of something else than a
    # file, or it is a link without a target: a new file would be where nobody expects it.
    named = Path(path)
    try:
        out = named.resolve(strict=named.is_symlink())
    except ValueError:  # half a character or a zero in it
        raise ToolError(f"{str(named)!r} cannot be the name of a file") from None
    except (OSError, RuntimeError):  # Python 3.11 and 3.12 raise RuntimeError for links in a circle
        raise ToolError(
            f"{named} is a link to a file that does not exist: remove the link or name another"
            " file, nothing was written"
        ) from None
    if not out.parent.is_dir():
        raise ToolError(
            f"the folder {out.parent} does not exist: create it first, nothing was written"
        )
    if out.exists() and not out.is_file():
        raise ToolError(f"{out} exists and is not a file: name a file, nothing was written")
    return out


def replace_file(path: Path, content: str | bytes, mode: int = 0o600) -> None:
    """Replace a file in one step, by default by one that only the user can read."""
    # Windows does not replace a file while a program reads it: then it is tried again for a second.
    unfinished = path.with_name(f"{path.name[:_PREFIX]}.{token_hex(8)}")
    try:
        handle = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        for pause in _PAUSES:
            with suppress(PermissionError):
                unfinished.replace(path)
                return
            time.sleep(pause)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)  # an interrupt can come after the replacement
        raise
