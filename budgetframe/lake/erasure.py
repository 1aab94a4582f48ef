"""Proof that a budget is erased: a search for its id in all files of a lake."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pyarrow.parquet as pq

from .storage import LakeAddress, explained


class Erasure(NamedTuple):
    """What `budgetframe.lake.Lake.forget` has done and found.

    Attributes
    ----------
    budget_id : str
        The id, which `budgetframe.lake.Lake.allow` needs; empty for a source.
    files_deleted : int
        Number of files that the lake does not need any more.
    files_searched : int
        Number of files that are left; 0 for a source, because its name can be in other texts.
    files_with_id : int
        Number of these that contain the id: 0, otherwise it is an error.
    """

    budget_id: str
    files_deleted: int
    files_searched: int
    files_with_id: int


def files_with(address: LakeAddress, budget_id: str) -> tuple[int, list[str]]:
    """Search all files of a lake for an id; return their number, and those that contain it."""
    word = re.compile(rf"(?<![\w-]){re.escape(budget_id)}(?![\w-])")  # no part of another id
    with explained(address), ThreadPoolExecutor() as pool:
        paths = address.paths()
        found = [*pool.map(lambda path: _contains(address, path, budget_id, word), paths)]
    return len(paths), [path for path, is_found in zip(paths, found, strict=True) if is_found]


def _contains(address: LakeAddress, path: str, budget_id: str, word: re.Pattern[str]) -> bool:
    if not path.endswith(".parquet"):
        return bool(word.search((address.read(path) or b"").decode(errors="replace")))
    with address.files.open_input_file(path) as file, pq.ParquetFile(file) as content:
        if "/bucket=" in path:  # each row names its budget, also one whose answer is compressed
            return budget_id in content.read(["budget_id"])["budget_id"].unique().to_pylist()
        return any(word.search(repr(each.to_pylist())) for each in content.iter_batches())
