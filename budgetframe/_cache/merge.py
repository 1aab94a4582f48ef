"""Merge deltas into cached data: pure functions over parsed JSON.

A delta contains the changes since a server knowledge: whole rows that are new or different, and
rows with ``deleted: true`` in place of deleted ones. No function changes its arguments; old and
merged data share the rows that did not change.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count
from operator import itemgetter
from typing import Any

from budgetframe._resources import AMOUNTS, EXPORT, RECORD_AMOUNTS, RESOURCES, ROW_KEYS, is_deleted
from budgetframe._runtime.deferred_warnings import defer_warning

from .deleted_splits import DELETED_SPLITS, deleted_splits
from .storage import Positions

_Row = dict[str, Any]
_RowPositions = dict[str | int, int]
_GROUPS = "category_groups"
_CATEGORIES = "categories"
_MOST_DELETED = 50  # rows of a delta; after more, the next delta finds the positions again
_EXPORT_KEY = RESOURCES[EXPORT].data_key or ""
_PARENTS = {
    "subtransactions": ("transactions", "transaction_id"),
    "scheduled_subtransactions": ("scheduled_transactions", "scheduled_transaction_id"),
    _CATEGORIES: (_GROUPS, "category_group_id"),
}
"""The lists of an export whose rows belong to a row of another list, and the key of that row."""
_NESTED = {
    **dict.fromkeys(("transactions", "transaction"), "subtransactions"),
    **dict.fromkeys(("scheduled_transactions", "scheduled_transaction"), "subtransactions"),
    **dict.fromkeys((_GROUPS, "months", "month"), _CATEGORIES),
}
"""The field with the rows that belong to a row, by the key of the list or of the single object."""


def is_mergeable(data: dict[str, Any], data_key: str) -> bool:
    """Return whether the list exists and all its rows have a key; in an export, all its lists."""
    value = data.get(data_key)
    if data_key != _EXPORT_KEY:
        return _is_keyed(data_key, value)
    return isinstance(value, dict) and all(
        _is_keyed(name, rows)
        for name, rows in value.items()
        if name in ROW_KEYS or name in _PARENTS
    )


def has_amounts(data: dict[str, Any], *kinds: type) -> bool:
    """Return whether every row of a data object has its amounts, of one of these types."""
    budget = data.get(_EXPORT_KEY)
    return all(
        _have_amounts(name, value if isinstance(value, list) else [value], frozenset(kinds))
        for name, value in (budget if isinstance(budget, dict) else data).items()
    )


def _have_amounts(name: str, listed: list[Any], kinds: frozenset[type]) -> bool:
    fields, nested = AMOUNTS.get(name, ()), _NESTED.get(name)
    if not fields and nested is None:
        return True
    rows = [row for row in listed if isinstance(row, dict) and row.get("deleted") is not True]
    if name in RECORD_AMOUNTS and any("id" in row for row in rows):
        fields = RECORD_AMOUNTS[name]
    if not all(kinds >= {type(row.get(field)) for row in rows} for field in fields):
        return False
    if nested is None:
        return True
    parts = [value for row in rows if isinstance(value := row.get(nested), list)]
    return _have_amounts(nested, list(chain.from_iterable(parts)), kinds)


def merge(
    cached: dict[str, Any], delta: dict[str, Any], positions: Positions | None = None
) -> dict[str, Any]:
    """Merge a delta into cached data.

    - A value that is not a list replaces the cached value.
    - In a list whose rows have a key (``month`` for months, ``id`` otherwise), rows with a known
      key are replaced, new rows are added at the end, and deleted rows are removed. An empty list
      means that nothing changed. A list without keys is replaced.
    - Category groups contain the categories that changed: the fields of the group are updated and
      its categories are merged one by one. A category that moved leaves its old group; a deleted
      group is removed with its categories.

    The result is ``cached`` itself if the delta changes nothing. `positions` are those in
    ``cached`` that are known from an earlier merge: they become the positions in the merged data,
    so that the next merge need not look at every row.
    """
    changed = {}
    positions = {} if positions is None else positions
    for name, value in delta.items():
        known = positions.pop(name, None)  # these are the positions in the old list
        new = value
        if isinstance(value, list):
            new, known = _merge_list(name, cached.get(name), value, known)
        if known is not None:
            positions[name] = known
        if name not in cached or not (new is cached[name] or new == cached[name]):
            changed[name] = new
    return {**cached, **changed} if changed else cached


def merge_under(
    key: str, cached: dict[str, Any], delta: dict[str, Any], positions: Positions
) -> dict[str, Any]:
    """Merge a delta into the data of a key of the cache; in an export, into each of its lists.

    In an export, the parts of splits and the categories of groups are lists of their own. They are
    deleted with the split or the group, whether the delta contains them or not, and deleted
    categories are removed from all months. Splits that the delta deletes are kept in a list beside
    the transactions; see `deleted_splits`.
    """
    old, changes = cached.get(_EXPORT_KEY), delta.get(_EXPORT_KEY)
    if key.partition(":")[2] != EXPORT or not (isinstance(old, dict) and isinstance(changes, dict)):
        return _merge_with_splits(cached, delta, delta, positions)
    orphans = {name: _add_orphans(name, old, changes) for name in _PARENTS}
    with_orphans = {**changes, **{name: rows for name, rows in orphans.items() if rows}}
    budget = _merge_with_splits(old, changes, with_orphans, positions)
    if budget is old:
        return cached
    deleted = {row["id"] for row in with_orphans.get(_CATEGORIES, ()) if is_deleted(row)}
    if deleted and isinstance(budget.get("months"), list):
        budget["months"] = [_drop_categories(month, deleted) for month in budget["months"]]
    return {**cached, _EXPORT_KEY: budget}


def rows_after(name: str, deltas: Iterable[_Row]) -> tuple[set[str | int], list[_Row]] | None:
    """The keys in deltas of a list, and those that are left after them; None if one replaces it."""
    keys, positions = set[str | int](), Positions()
    data: dict[str, Any] = {name: []}
    for delta in deltas:
        if not is_mergeable(delta, name):
            return None
        keys |= {row["id"] for row in delta[name]}
        data = merge(data, delta, positions)
    return keys, data[name]


def _merge_with_splits(old: _Row, delta: _Row, changes: _Row, positions: Positions) -> _Row:
    """Merge the changes, and keep the splits that the delta deletes."""
    name = "transactions"
    rows: Any = old.get(name)

    def stored(key: str | int) -> _Row:
        if name not in positions and _is_keyed(name, rows):
            positions[name] = _row_positions(name, rows)
        position = _position(name, rows, key, positions.get(name, {}))
        return {} if position is None else rows[position]

    splits = deleted_splits(old, delta, stored)
    merged = merge(old, changes, positions)
    return merged if splits == old.get(DELETED_SPLITS, []) else {**merged, DELETED_SPLITS: splits}


def _drop_categories(month: _Row, deleted: set[Any]) -> _Row:
    rows = month.get(_CATEGORIES)
    if not isinstance(rows, list):
        return month
    kept = [row for row in rows if not (isinstance(row, dict) and row.get("id") in deleted)]
    return {**month, _CATEGORIES: kept}


def _add_orphans(name: str, old: _Row, changes: _Row) -> list[_Row]:
    """The changes of a list, with the rows that are deleted because their parent is deleted."""
    parents, parent_key = _PARENTS[name]
    rows: list[_Row] = changes.get(name, [])
    deleted = {row["id"] for row in changes.get(parents, ()) if is_deleted(row)}
    if not deleted:
        return rows
    kept = [row for row in rows if is_deleted(row) or row.get(parent_key) not in deleted]
    known = {row["id"] for row in kept}  # a category can have moved to another group
    return kept + [
        {"id": row["id"], "deleted": True}
        for row in old.get(name, ())
        if row.get(parent_key) in deleted and row["id"] not in known
    ]


def _merge_list(
    name: str, cached: Any, changed: list[Any], positions: _RowPositions | None
) -> tuple[list[Any], _RowPositions | None]:
    old: list[Any] = cached if isinstance(cached, list) else []
    if not _is_keyed(name, changed) or not (positions or _is_keyed(name, old)):
        return changed, None
    if not changed:
        return old, positions
    key = itemgetter(ROW_KEYS.get(name, "id"))
    last = {key(row): row for row in changed}
    if len(last) < len(changed):
        first = next(key(row) for row in changed if last[key(row)] is not row)
        defer_warning(
            f"{name}: {len(changed) - len(last):,} of {len(changed):,} rows occur twice in one"
            f" answer of the service (first: {first!r}). The last row of each key counts"
        )
    if name == _GROUPS:
        return _merge_groups(old, changed), None
    if positions is None:
        positions = _row_positions(name, old)
    if len(positions) < len(old):  # some keys occur twice: the last row counts
        old = list({key(row): row for row in old}.values())
        positions = _row_positions(name, old)
    return _merge_rows(name, old, last, positions)


def _merge_rows(
    name: str, old: list[Any], changed: dict[str | int, _Row], positions: _RowPositions
) -> tuple[list[Any], _RowPositions | None]:
    merged, deleted, added, drift = old.copy(), _RowPositions(), _RowPositions(), 0
    for key, new in changed.items():
        position = _position(name, old, key, positions)
        drift = max(drift, 0 if position is None else positions[key] - position)
        if is_deleted(new):
            deleted |= {} if position is None else {key: position}
        elif position is not None:
            merged[position] = _merge_row(merged[position], new)
        else:
            added[key] = len(merged)
            merged.append(_merge_row({}, new))
    for position in sorted(deleted.values(), reverse=True):
        del merged[position]
    if len(deleted) + drift > _MOST_DELETED:
        return merged, None
    if added or deleted:  # the old positions must stay valid for the old list
        positions = positions | added
        for key in deleted:
            del positions[key]
    return merged, positions


def _merge_row(old: _Row, new: _Row) -> _Row:
    """Return the new row with merged lists: categories of a month, parts of a split."""
    row = dict(new)
    for field, value in new.items():
        if isinstance(value, list):
            if field == _CATEGORIES:
                row[field], _ = _merge_list(field, old.get(field), value, None)
            else:
                row[field] = [part for part in value if not is_deleted(part)]
    if _CATEGORIES in old:
        row.setdefault(_CATEGORIES, old[_CATEGORIES])
    return row


def _merge_groups(old: list[Any], changed: list[Any]) -> list[Any]:
    changed_groups = {group["id"]: group for group in changed}
    locations = _category_locations(changed)
    old_ids = {group["id"] for group in old}
    added = ({"id": group_id} for group_id in changed_groups if group_id not in old_ids)
    merged = []
    for group in (*old, *added):
        changed_group = changed_groups.get(group["id"], {})
        if is_deleted(changed_group):
            continue
        merged_group = {**group, **changed_group}
        if _CATEGORIES in merged_group:
            categories = group.get(_CATEGORIES, ())
            merged_group[_CATEGORIES] = _merge_categories(group["id"], categories, locations)
        merged.append(merged_group)
    return merged


def _category_locations(changed: list[Any]) -> dict[str, tuple[str, _Row] | None]:
    """Return the new group and row of each category in a delta; None if it was deleted."""
    locations: dict[str, tuple[str, _Row] | None] = {}
    for group in changed:
        for category in group.get(_CATEGORIES, ()):
            if is_deleted(group) or is_deleted(category):
                # A move may appear as a deleted row in one group and a row in another group:
                # the category is then not deleted.
                locations.setdefault(category["id"], None)
            else:
                locations[category["id"]] = (group["id"], category)
    return locations


def _merge_categories(
    group_id: str, old: Iterable[_Row], locations: dict[str, tuple[str, _Row] | None]
) -> list[_Row]:
    found = ((key, *location) for key, location in locations.items() if location is not None)
    new = {key: category for key, group, category in found if group == group_id}
    merged = []
    for category in old:
        if category["id"] in new:
            merged.append(new.pop(category["id"]))
        elif category["id"] not in locations:
            merged.append(category)
    return [*merged, *new.values()]


def _position(name: str, rows: list[Any], key: str | int, positions: _RowPositions) -> int | None:
    """The position of the row with a key: the known one, or before it after deletions."""
    position = positions.get(key)
    if position is not None:
        key_of = itemgetter(ROW_KEYS.get(name, "id"))
        position = min(position, len(rows) - 1)
        while key_of(rows[position]) != key:
            position -= 1
    return position


def _row_positions(name: str, rows: list[Any]) -> _RowPositions:
    return dict(zip(map(itemgetter(ROW_KEYS.get(name, "id")), rows), count(), strict=False))


def _is_keyed(name: str, rows: Any) -> bool:
    """Return whether this is a list of rows that all have a key."""
    if not isinstance(rows, list) or not set(map(type, rows)) <= {dict}:
        return False
    try:
        key_types = set(map(type, map(itemgetter(ROW_KEYS.get(name, "id")), rows)))
    except KeyError:
        return False
    return key_types <= {str, int} and (
        name != _GROUPS or all(_is_keyed(_CATEGORIES, row.get(_CATEGORIES, [])) for row in rows)
    )
