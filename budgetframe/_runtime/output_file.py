"""The file that a command or a method writes: checked before any work, replaced in one step."""

from __future__ import annotations

import os
import tempfile
from os import PathLike
from pathlib import Path

from budgetframe.errors import ToolError

__all__ = ["output_file", "replace_file"]


def output_file(path: str | PathLike[str]) -> Path:
    """Return the path of a file that can be written; of a link, the path of its target.

    Raises
    ------
    ToolError
        If the folder does not exist, the path is that of something else than a file, or it is a
        link without a target: a new file would be where nobody expects it.
    """
    named = Path(path)
    try:
        out = named.resolve(strict=named.is_symlink())
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


def replace_file(path: Path, content: str | bytes) -> None:
    """Replace a file in one step by one that only the user can read (mode 0600)."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as unfinished:
            unfinished.write(content.encode() if isinstance(content, str) else content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise
