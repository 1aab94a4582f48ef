"""How a delta changes what is cached: pure functions over parsed JSON.

A delta holds what changed since a server knowledge: whole rows that are new or different, and rows
with ``deleted: true`` in place of those that are gone. Nothing here changes its arguments; rows
that did not change are shared between the old and the merged data.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from operator import itemgetter
from typing import Any

from budgetframe._resources import ROW_KEYS, is_deleted

__all__ = ["Positions", "is_mergeable", "merge", "positions_in"]

_Row = dict[str, Any]
_Positions = dict[str | int, int]
Positions = dict[str, _Positions]
"""Where the rows of each list are, by their keys."""
_GROUPS = "category_groups"
_CATEGORIES = "categories"


def is_mergeable(data: dict[str, Any], data_key: str) -> bool:
    """Whether the list is there, and every list at the top has rows that can be told apart."""
    return isinstance(data.get(data_key), list) and all(
        _is_keyed(name, rows) for name, rows in data.items() if isinstance(rows, list)
    )


def positions_in(data: dict[str, Any]) -> Positions:
    """The positions of the rows in each list that a merge would look for.

    Parameters
    ----------
    data : dict
        A data object that `is_mergeable`.
    """
    return {
        name: dict(zip(map(itemgetter(ROW_KEYS.get(name, "id")), rows), count(), strict=False))
        for name, rows in data.items()
        if isinstance(rows, list) and name != _GROUPS
    }


def merge(
    cached: dict[str, Any], delta: dict[str, Any], positions: Positions | None = None
) -> dict[str, Any]:
    """Merge a delta into cached data.

    - A value that is not a list replaces the cached one.
    - In a list whose rows have a key (``month`` for months, ``id`` elsewhere) rows with a known
      key are replaced, new ones are added at the end, deleted ones are removed. An empty list
      means that nothing changed. A list of anything else is replaced.
    - Category groups come as wrappers around the categories that changed: the fields of the group
      are updated and its categories are merged one by one. A category that moved leaves its old
      group; a deleted group takes its categories along.

    Parameters
    ----------
    cached, delta : dict
        The data, and what changed.
    positions : dict, optional
        What is known of the positions in ``cached``, from an earlier merge. It is brought up to
        date with the merged data, and spares the next merge looking at each row.

    Returns
    -------
    dict
        The merged data; ``cached`` itself when the delta changes nothing.
    """
    changed = {}
    positions = {} if positions is None else positions
    for name, value in delta.items():
        known = positions.pop(name, None)  # of what is replaced now
        new = value
        if isinstance(value, list):
            new, known = _merged_list(name, cached.get(name), value, known)
        if known is not None:
            positions[name] = known
        if name not in cached or not (new is cached[name] or new == cached[name]):
            changed[name] = new
    return {**cached, **changed} if changed else cached


def _merged_list(
    name: str, cached: Any, changed: list[Any], positions: _Positions | None
) -> tuple[list[Any], _Positions | None]:
    old: list[Any] = cached if isinstance(cached, list) else []
    if not _is_keyed(name, changed) or not (positions or _is_keyed(name, old)):
        return changed, None
    if not changed:
        return old, positions
    if name == _GROUPS:
        return _merged_groups(old, changed), None
    key = itemgetter(ROW_KEYS.get(name, "id"))
    if positions is None:
        positions = dict(zip(map(key, old), count(), strict=False))
    if len(positions) < len(old):  # some are there twice: the last one counts
        old = list(dict(zip(map(key, old), old, strict=True)).values())
        positions = dict(zip(map(key, old), count(), strict=False))
    return _merged_rows(old, dict(zip(map(key, changed), changed, strict=True)), positions)


def _merged_rows(
    old: list[Any], latest: dict[str | int, _Row], positions: _Positions
) -> tuple[list[Any], _Positions | None]:
    merged, gone, come = old.copy(), list[int](), _Positions()
    for key, new in latest.items():
        position = positions.get(key)
        if is_deleted(new):
            gone += [] if position is None else [position]
        elif position is not None:
            merged[position] = _replaced(merged[position], new)
        else:
            come[key] = len(merged)
            merged.append(_replaced({}, new))
    for position in sorted(gone, reverse=True):
        del merged[position]
    if gone:
        return merged, None  # what came after them moved up
    # Not in place: whoever merges into the old list once more has none of these.
    return merged, positions | come if come else positions


def _replaced(old: _Row, new: _Row) -> _Row:
    """Give the new row, with its own lists merged: categories of a month, parts of a split."""
    row = dict(new)
    for field, value in new.items():
        if isinstance(value, list):
            if field == _CATEGORIES:
                row[field], _ = _merged_list(field, old.get(field), value, None)
            else:
                row[field] = [part for part in value if not is_deleted(part)]
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
        if is_deleted(wrapper):
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
            if is_deleted(group) or is_deleted(category):
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
    """Whether it is a list whose rows can be told apart."""
    if not isinstance(rows, list) or not set(map(type, rows)) <= {dict}:
        return False
    try:
        kinds = set(map(type, map(itemgetter(ROW_KEYS.get(name, "id")), rows)))
    except KeyError:
        return False
    return kinds <= {str, int} and (
        name != _GROUPS or all(_is_keyed(_CATEGORIES, row.get(_CATEGORIES, [])) for row in rows)
    )
