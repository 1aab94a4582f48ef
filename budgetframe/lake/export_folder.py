"""The budgets in the files of a folder, for a source of a lake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from budgetframe._session.export_file import read_export
from budgetframe.errors import ToolError

_SUFFIXES = (".json", ".json.gz", ".zip")
_VERSION_BYTES = 7  # so that a version is an integer of 64 bits


class ExportFile(NamedTuple):
    """A file and its budget; the id is empty if the file has a problem."""

    path: Path
    budget_id: str
    budget_name: str
    as_of: datetime | None = None
    version: int = 0  # negative, unlike a server knowledge; another one after each change
    problem: str = ""


def files_in(folder: Path) -> Iterator[ExportFile]:
    """The files of a folder, in the order of their names; no file of a budget is an error."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.name.endswith(_SUFFIXES))
    except OSError as error:
        raise ToolError(f"{folder} cannot be read: {error.strerror}") from None
    if not paths:
        raise ToolError(f"{folder} has no files *.json, *.json.gz or *.zip: put exports there")
    for path in paths:
        try:
            status = path.lstat()
            yield _file(path, status.st_size, status.st_mtime_ns)
        except (ToolError, OSError) as error:
            yield ExportFile(path, "", path.name, problem=str(error))


def newest(files: Iterable[ExportFile]) -> dict[str, ExportFile]:
    """The newest file of each budget, by its id."""
    usable = [file for file in files if not file.problem]
    return {file.budget_id: file for file in sorted(usable, key=lambda file: str(file.as_of))}


@lru_cache(maxsize=10_000)  # a process that syncs again reads only the files that have changed
def _file(path: Path, size: int, modified: int) -> ExportFile:
    export = read_export(path)
    content = repr((path.name, size, modified)).encode()
    version = -1 - int.from_bytes(blake2b(content, digest_size=_VERSION_BYTES).digest())
    return ExportFile(path, export.budget["id"], export.budget["name"], export.as_of, version)
