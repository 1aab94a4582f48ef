"""The budgets in the files of a folder, for a source of a lake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid5

from budgetframe._runtime.text import printable
from budgetframe._session.export_file import Export, read_export
from budgetframe.errors import ServiceAPIError, ToolError

_SUFFIXES = (".json", ".json.gz", ".zip")
_NAMESPACE = UUID("0c0e4f9f-52c2-4d0c-9f43-5b3c6c1f6a0e")
_LIKE_ANOTHER = "has no id, and the name and start of another budget: put it into another folder"
_VERSION_BYTES = 7  # so that a version is an integer of 64 bits


class ExportFile(NamedTuple):
    """A file and its budget; the id is empty if the file has a problem."""

    path: Path
    budget_id: str
    budget_name: str
    as_of: datetime | None = None
    version: int = 0  # negative, unlike a server knowledge; another one after each change
    problem: str = ""
    accounts: frozenset[str] = frozenset()  # their keys, if the file has none of the budget


def files_in(folder: Path, source: str) -> Iterator[ExportFile]:
    """The files of a source, the oldest first; no file of a budget is an error."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.name.endswith(_SUFFIXES))
    except OSError as error:
        raise ToolError(f"{folder} cannot be read: {error.strerror}") from None
    if not paths:
        raise ToolError(f"{folder} has no files *.json, *.json.gz or *.zip: put exports there")
    files = sorted((_read(path, source) for path in paths), key=lambda file: str(file.as_of))
    last = dict[str, ExportFile]()  # by budget
    for file in files:
        both = last.get(file.budget_id, file).accounts, file.accounts
        if 2 * len(both[0] & both[1]) < min(map(len, both)):
            # One person's budget must not take the place of another one's.
            problem = f"{printable(str(file.path))} {_LIKE_ANOTHER}"
            yield ExportFile(file.path, "", file.path.name, problem=problem)
        else:
            last[file.budget_id] = file
            yield file


def _read(path: Path, source: str) -> ExportFile:
    try:
        status = path.lstat()
        return _file(path, source, status.st_size, status.st_mtime_ns)
    except (ToolError, ServiceAPIError, OSError) as error:
        return ExportFile(path, "", path.name, problem=str(error))


def read_file(path: Path, source: str) -> Export:
    """The export in a file; a budget without an id gets one by its source, name and start."""
    export = read_export(path)
    budget = export.budget
    if not export.has_id:
        start = budget["id"] if budget.get("is_app_export") else budget.get("first_month")
        budget["id"] = str(uuid5(_NAMESPACE, repr((source, budget["name"], start))))
    return export


def newest(files: Iterable[ExportFile]) -> dict[str, ExportFile]:
    """The newest file of each budget, by its id."""
    return {file.budget_id: file for file in files if not file.problem}  # the last one


@lru_cache(maxsize=10_000)  # a process that syncs again reads only the files that have changed
def _file(path: Path, source: str, size: int, modified: int) -> ExportFile:
    export = read_file(path, source)
    content = repr((path.name, size, modified)).encode()
    version = -1 - int.from_bytes(blake2b(content, digest_size=_VERSION_BYTES).digest())
    file = ExportFile(path, export.budget["id"], export.budget["name"], export.as_of, version)
    rows = [{"id": ""}] if export.has_id else export.lists["accounts"]
    return file._replace(accounts=frozenset(str(row.get("id")) for row in rows))
