"""The splits that deltas have deleted, as a list beside the transactions.

The service leaves the amounts of a deleted split in the activity of its categories until another
transaction of the category is written. A full answer has no deleted rows: only what is remembered
of deltas explains these amounts. The list stays until the next full answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgetframe._resources import is_deleted

DELETED_SPLITS = "deleted_splits"
"""Key of the list in stored transactions, and in a stored export; no answer has it."""

_Row = dict[str, Any]
_DELETED: _Row = {"deleted": True}


def deleted_splits(
    old: Mapping[str, Any], changes: Mapping[str, Any], stored: Callable[[str | int], _Row]
) -> list[_Row]:
    """Return the splits that the changes and earlier ones have deleted, each with its parts."""
    # `old` are the stored transactions or the stored export, and `changes` is a delta of it.
    # `stored` returns the transaction in `old` with a key, or an empty row.
    new = {row["id"]: row for row in _rows(changes, "transactions")}
    # A row that is there again, because its deletion was undone, is not deleted any more.
    known = [row for row in _rows(old, DELETED_SPLITS) if is_deleted(new.get(row["id"], _DELETED))]
    deleted = {key: row for key, row in new.items() if is_deleted(row)}
    for row in known:
        deleted.pop(row["id"], None)
    splits = []
    for key, row in deleted.items():
        former = stored(key)  # the delta has the last state of a row; what it lacks is as before
        parts = row.get("subtransactions") or _parts_of(changes, key)
        parts = parts or former.get("subtransactions") or _parts_of(old, key)
        splits.append({**former, **row, "subtransactions": parts})
    return [*known, *(split for split in splits if split["subtransactions"])]


def _parts_of(data: Mapping[str, Any], key: Any) -> list[_Row]:
    """The parts of a split that an export has in a list of their own."""
    return [part for part in _rows(data, "subtransactions") if part.get("transaction_id") == key]


def _rows(data: Mapping[str, Any], name: str) -> list[_Row]:
    """The rows of a list that have a key; a list that a user has stored may have others."""
    rows = data.get(name)
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str | int)]


def drop_deleted_splits(data: _Row) -> _Row:
    """Return data as the service sends them."""
    return {name: value for name, value in data.items() if name != DELETED_SPLITS}
