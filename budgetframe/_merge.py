"""How a delta changes what is cached: pure functions over parsed JSON.

A delta holds what changed since a server knowledge: whole rows that are new or different, and rows
with ``deleted: true`` in place of those that are gone. Nothing here changes its arguments; rows
that did not change are shared between the old and the merged data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, cast

from ._resources import ROW_KEYS

__all__ = ["copy_json", "is_mergeable", "merge"]

_T = TypeVar("_T")
_Row = dict[str, Any]
_GROUPS = "category_groups"
_CATEGORIES = "categories"


def copy_json(value: _T) -> _T:
    """Copy a parsed JSON document, so that its receiver may do with it what it likes."""
    document: Any = value
    if type(document) is dict:
        document = {field: copy_json(child) for field, child in document.items()}
    elif type(document) is list:
        document = [copy_json(child) for child in document]
    return cast("_T", document)


def is_mergeable(data: dict[str, Any], data_key: str) -> bool:
    """Whether the list is there, and every list at the top has rows that can be told apart."""
    return isinstance(data.get(data_key), list) and all(
        _is_keyed(name, rows) for name, rows in data.items() if isinstance(rows, list)
    )


def merge(cached: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """Merge a delta into cached data.

    - A value that is not a list replaces the cached one.
    - In a list whose rows have a key (``month`` for months, ``id`` elsewhere) rows with a known
      key are replaced, new ones are added at the end, deleted ones are removed. An empty list
      means that nothing changed. A list of anything else is replaced.
    - Category groups come as wrappers around the categories that changed: the fields of the group
      are updated and its categories are merged one by one. A category that moved leaves its old
      group; a deleted group takes its categories along.

    Returns
    -------
    dict
        The merged data; ``cached`` itself when the delta changes nothing.
    """
    changed = {}
    for name, value in delta.items():
        new = _merged_list(name, cached.get(name), value) if isinstance(value, list) else value
        if name not in cached or not (new is cached[name] or new == cached[name]):
            changed[name] = new
    return {**cached, **changed} if changed else cached


def _merged_list(name: str, cached: Any, changed: list[Any]) -> list[Any]:
    old: list[Any] = cached if isinstance(cached, list) else []
    if not _is_keyed(name, changed) or not _is_keyed(name, old):
        return changed
    if not changed:
        return old
    if name == _GROUPS:
        return _merged_groups(old, changed)
    return _merged_rows(old, changed, ROW_KEYS.get(name, "id"))


def _merged_rows(old: list[Any], changed: list[Any], key: str) -> list[Any]:
    latest = {row[key]: row for row in changed}
    merged = []
    for row in old:
        new = latest.pop(row[key], None)
        if new is None:
            merged.append(row)
        elif not _is_deleted(new):
            merged.append(_replaced(row, new))
    merged.extend(_replaced({}, new) for new in latest.values() if not _is_deleted(new))
    return merged


def _replaced(old: _Row, new: _Row) -> _Row:
    """Give the new row, with its own lists merged: categories of a month, parts of a split."""
    row = dict(new)
    for field, value in new.items():
        if isinstance(value, list):
            if field == _CATEGORIES:
                row[field] = _merged_list(field, old.get(field), value)
            else:
                row[field] = [part for part in value if not _is_deleted(part)]
    if _CATEGORIES in old:
        row.setdefault(_CATEGORIES, old[_CATEGORIES])
    return row


def _merged_groups(old: list[Any], changed: list[Any]) -> list[Any]:
    wrappers = {group["id"]: group for group in changed}
    homes = _homes(changed)
    known = {group["id"] for group in old}
    merged = []
    for group in (*old, *({"id": group_id} for group_id in wrappers if group_id not in known)):
        wrapper = wrappers.get(group["id"], {})
        if _is_deleted(wrapper):
            continue
        merged_group = {**group, **wrapper}
        if _CATEGORIES in merged_group:
            merged_group[_CATEGORIES] = _merged_categories(
                group["id"], group.get(_CATEGORIES, ()), homes
            )
        merged.append(merged_group)
    return merged


def _homes(changed: list[Any]) -> dict[str, tuple[str, _Row] | None]:
    """Where each category of a delta lives now: its group and row, or None when it is deleted."""
    homes: dict[str, tuple[str, _Row] | None] = {}
    for group in changed:
        for category in group.get(_CATEGORIES, ()):
            if _is_deleted(group) or _is_deleted(category):
                # A move may show as a tombstone here and a row elsewhere: the row counts.
                homes.setdefault(category["id"], None)
            else:
                homes[category["id"]] = (group["id"], category)
    return homes


def _merged_categories(
    group_id: str,
    old: Iterable[_Row],
    homes: dict[str, tuple[str, _Row] | None],
) -> list[_Row]:
    arriving = {
        category_id: home[1]
        for category_id, home in homes.items()
        if home is not None and home[0] == group_id
    }
    merged = []
    for category in old:
        if category["id"] in arriving:
            merged.append(arriving.pop(category["id"]))
        elif category["id"] not in homes:
            merged.append(category)
    return [*merged, *arriving.values()]


def _is_keyed(name: str, rows: Any) -> bool:
    key = ROW_KEYS.get(name, "id")
    return isinstance(rows, list) and all(
        isinstance(row, dict)
        and isinstance(row.get(key), str | int)
        and (name != _GROUPS or _is_keyed(_CATEGORIES, row.get(_CATEGORIES, [])))
        for row in rows
    )


def _is_deleted(row: Any) -> bool:
    return isinstance(row, dict) and row.get("deleted") is True
