"""Build typed frames from the rows of an answer, and update a frame from a later answer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import is_not
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._resources import copy_json, is_deleted
from budgetframe.errors import ServiceAPIError

from .schema import Column, Slice

__all__ = ["Built", "Row", "Table", "undeleted"]

Row = Mapping[str, Any]

_DELETED = Column("deleted", "bool", "", "whether it was deleted")
_NESTED_LISTS = ("categories", "subtransactions")  # fields with the rows of other tables
_BATCH = 512  # rows
# Numbers of removed and of added rows after which two lists can agree again, the smallest first.
_STEPS = sorted(((old, new) for old in range(9) for new in range(9) if old + new), key=sum)
_PATCH_LIMIT = 50  # patch a frame if at most one row in 50 changed; otherwise build a new frame


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A frame, and the list of the answer that it was built from."""

    items: Sequence[Row]
    frame: pd.DataFrame


class _Rows(NamedTuple):
    """The rows of a frame, and the parent of each row; a row without a parent is its own parent."""

    rows: Sequence[Row]
    parents: Sequence[Row]

    def values(self, columns: Sequence[Column]) -> list[list[Any]]:
        """The values of each column."""
        values: list[list[Any]] = [[] for _ in columns]
        # All columns of one batch after the other: the dictionaries of a batch stay in the cache
        # of the processor, which makes this three times as fast.
        for start in range(0, len(self.rows), _BATCH):
            rows, parents = (side[start : start + _BATCH] for side in self)
            for column, known in zip(columns, values, strict=True):
                known.extend(column.values(parents if column.of_parent else rows))
        return values


@dataclass(frozen=True, slots=True)
class Table:
    """The definition of a frame: its columns, the place of its rows in an answer, and their order.

    Parameters
    ----------
    name : str
        Name of the rows, in the plural.
    columns : tuple of Column
        The columns, in order.
    path : tuple of str
        Key of the list in the data object of the service. If the rows are parts of the items of
        this list, the second element is the key of the parts in an item.
    order : tuple of str
        Columns that the rows are sorted by. Sorting makes the frame of a complete list equal to
        the frame of a list that was merged from deltas.
    has_parts : bool
        Whether an item without a list of parts is an error.
    """

    name: str
    columns: tuple[Column, ...]
    path: tuple[str, ...]
    order: tuple[str, ...]
    has_parts: bool = False

    def frame(
        self, data: Row, *, extra: bool = False, include_deleted: bool = False
    ) -> pd.DataFrame:
        """Build the frame from a data object, as `budgetframe.ServiceClient.get` returns it.

        Parameters
        ----------
        data : mapping
            The data object.
        extra : bool
            Whether to add the fields without a column, unchanged, after the columns.
        include_deleted : bool
            Whether to keep rows that are marked as deleted, and to add a column ``deleted``.

        Raises
        ------
        ServiceAPIError
            When a field is missing or does not have the type of its column; the message names the
            row and the field.
        """
        return self._build_frame(self._items(data), extra=extra, include_deleted=include_deleted)

    def build(self, data: Row, older: Built | None = None, *, extra: bool = False) -> Built:
        """Build the frame; update the frame of an earlier answer if only few rows changed.

        Parameters
        ----------
        data : mapping
            The data object.
        older : Built, optional
            The result for an earlier answer. Rows that did not change must be the same objects in
            both answers.
        extra : bool
            As for `frame`. A frame with extra fields is always built completely.
        """
        items = self._items(data)
        frame = None if older is None or extra else self._patch(older, items)
        return Built(items, self._build_frame(items, extra=extra) if frame is None else frame)

    def with_deleted(self, data: Row, changes: Row) -> Row:
        """The list, with the deleted rows of a list of changes added.

        Parameters
        ----------
        data, changes : mapping
            Data objects of the service: the list, and all its changes since the beginning.
        """
        try:
            changed = self._items(changes)
            # A category that moved to another group is marked as deleted in its former group.
            present = {row.get("id") for row in self._rows(changed, undeleted).rows}
            items = [self._deleted_part(item, present) for item in changed]
            rows = self._rows([item for item in items if item is not None], list).rows
            deleted = {row.get("id") for row in rows}
            kept = [self._without(item, deleted) for item in undeleted(self._items(data))]
        except (AttributeError, KeyError, TypeError) as error:
            raise self._unexpected(f"{type(error).__name__} at {error}") from None
        return {self.path[0]: [item for item in (*kept, *items) if item is not None]}

    def _deleted_part(self, item: Row, present: Container[Any]) -> Row | None:
        """The item with only its deleted rows, except rows that are present elsewhere."""
        if len(self.path) == 1:
            return item if is_deleted(item) else None
        parts = [
            part
            for part in item.get(self.path[1], ())
            if (is_deleted(item) or is_deleted(part)) and part.get("id") not in present
        ]
        return {**item, self.path[1]: parts} if parts else None

    def _without(self, item: Row, deleted: Container[Any]) -> Row | None:
        """The item without its deleted rows."""
        if len(self.path) == 1:
            return None if item.get("id") in deleted else item
        parts = [part for part in item.get(self.path[1], ()) if part.get("id") not in deleted]
        return {**item, self.path[1]: parts}

    def _items(self, data: Row) -> Sequence[Row]:
        try:
            items = data[self.path[0]]
        except (AttributeError, KeyError, TypeError) as error:
            raise self._unexpected(f"{type(error).__name__} at {error}") from None
        return [items] if isinstance(items, dict) else items

    def _build_frame(
        self, items: Sequence[Row], *, extra: bool = False, include_deleted: bool = False
    ) -> pd.DataFrame:
        keep = list if include_deleted else undeleted
        try:
            rows = self._rows(items, keep)
            values = dict(zip(self.columns, rows.values(self.columns), strict=True))
        except (AttributeError, KeyError, OverflowError, TypeError) as error:
            raise self._unexpected(f"{type(error).__name__} at {error}") from None
        arrays = {c.name: self._array(c, values[c], rows) for c in self.columns}
        order = self._sorted_positions(values, arrays)
        if extra:
            arrays |= self._extra_fields(rows)
        if include_deleted:  # a row is also deleted if its parent is
            both = zip(*(map(is_deleted, side) for side in rows), strict=True)
            arrays[_DELETED.name] = _DELETED.array(list(map(any, both)))
        return pd.DataFrame(arrays).take(order).set_axis(pd.RangeIndex(len(order)))

    def _rows(self, items: Iterable[Row], keep: Callable[[Iterable[Row]], list[Row]]) -> _Rows:
        items = keep(items)
        if len(self.path) == 1:
            return _Rows(items, items)
        name, rows, parents = self.path[1], list[Row](), list[Row]()
        for item in items:
            listed = item.get(name)
            if listed is None and not self.has_parts:
                continue
            if not isinstance(listed, list):
                raise self._unexpected(
                    f"the row {_label(item)!r} has {name}={listed!r}, which is not a list"
                )
            parts = keep(listed)
            rows += parts
            parents += [item] * len(parts)
        return _Rows(rows, parents)

    def _array(self, column: Column, values: list[Any], rows: _Rows) -> Any:
        types = column.types
        if not types.issuperset(map(type, values)):
            for row, value in zip(rows.rows, values, strict=True):
                if type(value) not in types:
                    raise self._invalid_value(column, row, value)
        try:
            return column.array(values)
        except (ValueError, OverflowError):
            for row, value in zip(rows.rows, values, strict=True):
                try:
                    column.array([value])
                except (ValueError, OverflowError):
                    raise self._invalid_value(column, row, value) from None
            raise

    def _sorted_positions(
        self, values: Mapping[Column, list[Any]], arrays: Mapping[str, Any]
    ) -> list[int]:
        """The positions of the rows in sorted order; missing values come last."""
        ranks = []
        for column in self._sort_columns:
            rank = values[column]
            if column.dtype == "datetime64[us, UTC]":  # equal times can have different texts
                rank = pd.Series(arrays[column.name]).astype("int64").tolist()
            if None in values[column]:
                pairs = zip(values[column], rank, strict=True)
                rank = [(value is None, value and place) for value, place in pairs]
            ranks.append(rank)
        keys = list(zip(*ranks, strict=True))
        return sorted(range(len(keys)), key=keys.__getitem__)

    @property
    def _sort_columns(self) -> list[Column]:
        return [column for name in self.order for column in self.columns if column.name == name]

    def _extra_fields(self, rows: _Rows) -> dict[str, Any]:
        """The fields without a column, by name."""
        known = {_DELETED.name, *_NESTED_LISTS, *(column.name for column in self.columns)}
        known |= {column.source for column in self.columns}
        names = dict.fromkeys(name for row in rows.rows for name in row if name not in known)
        return {name: pd.Series([copy_json(row.get(name)) for row in rows.rows]) for name in names}

    def _patch(self, older: Built, items: Sequence[Row]) -> pd.DataFrame | None:
        """The frame of these items, from the older frame; None if too many rows changed."""
        if not self._is_sorted_by_day:
            return None
        removed, added = _difference(older.items, items)
        if (len(removed) + len(added)) * _PATCH_LIMIT > len(items):
            return None
        frame, new = older.frame, self._build_frame(added)
        old_keys = zip(*self._rows(removed, undeleted).values(self._sort_columns), strict=True)
        new_keys = zip(*(new[name].array for name in self.order), strict=True)
        keys = [frame[name].array for name in self.order]
        removed_at = sorted(_position(keys, key) for key in old_keys)
        added_at = sorted(_position(keys, key) for key in new_keys)
        slices = list(_slices(len(frame), removed_at, added_at))
        arrays = {}
        for column in self.columns:
            old_values, new_values = frame[column.name].array, new[column.name].array
            is_unchanged = removed_at == added_at and pd.Series(old_values[removed_at]).equals(
                pd.Series(new_values)
            )
            arrays[column.name] = (
                old_values if is_unchanged else column.joined((old_values, new_values), slices)
            )
        return pd.DataFrame(arrays, copy=False)

    @property
    def _is_sorted_by_day(self) -> bool:
        """Whether the rows are sorted by a day and by keys, none of which is ever missing."""
        first, *others = self._sort_columns
        by_key = all(column.dtype == "str" and not column.nullable for column in others)
        return first.dtype == "datetime64[us]" and not first.nullable and by_key

    def _invalid_value(self, column: Column, row: Row, value: Any) -> ServiceAPIError:
        field = column.name if column.of_parent else column.source
        return self._unexpected(
            f"the row {_label(row)!r} has {field}={value!r}, which is not {column.dtype}"
        )

    def _unexpected(self, problem: str) -> ServiceAPIError:
        detail = f"{self.name}: {problem}. The service's answer is not what this version expects"
        return ServiceAPIError(200, "200", "invalid_response", detail)


def undeleted(rows: Iterable[Row]) -> list[Row]:
    """The rows that are not deleted."""
    return [row for row in rows if row.get("deleted") is not True]


def _label(row: Row) -> Any:
    """The value that identifies a row for a person."""
    names = ("id", "month", "category_name", "category_group_name")
    return next((row[name] for name in names if row.get(name) is not None), None)


def _position(keys: Sequence[Any], key: tuple[Any, ...]) -> int:
    """The position of a key, or its insertion point, in rows sorted by day and texts."""
    days, *texts = keys
    day = pd.Timestamp(key[0]).as_unit("us")
    first, end = (int(days.searchsorted(day, side)) for side in ("left", "right"))
    on_day = list(zip(*(text[first:end] for text in texts), strict=True))
    return first + bisect_left(on_day, key[1:])


def _slices(count: int, removed_at: Sequence[int], added_at: Sequence[int]) -> Iterator[Slice]:
    """The slices of the old rows (0) and the added rows (1) that together are the new rows."""
    start = 0
    # An added row goes before the old row at the same position.
    for position, is_removed, number in sorted(
        [*((p, False, n) for n, p in enumerate(added_at)), *((p, True, 0) for p in removed_at)]
    ):
        yield Slice(0, slice(start, position))
        yield Slice(1, slice(number, number if is_removed else number + 1))
        start = position + is_removed
    yield Slice(0, slice(start, count))


def _difference(old: Sequence[Row], new: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows that are only in the old list, and those that are only in the new list.

    The comparison is fast if the lists share nearly all objects, as they do after a merge.
    """
    removed, added = list[Row](), list[Row]()
    i, j = 0, 0
    while i < len(old) and j < len(new):
        both = old[i : i + _BATCH], new[j : j + _BATCH]
        if both[0] == both[1]:
            i, j = i + len(both[0]), j + len(both[1])
            continue
        same = next(compress(count(), map(is_not, *both)), min(map(len, both)))
        i, j = i + same, j + same
        if same < min(map(len, both)):
            step = next((s for s in _STEPS if _is_same(old, i + s[0], new, j + s[1])), None)
            if step is None:
                break
            removed += old[i : i + step[0]]
            added += new[j : j + step[1]]
            i, j = i + step[0], j + step[1]
    old_ids, new_ids = set(map(id, old[i:])), set(map(id, new[j:]))
    removed += [row for row in old[i:] if id(row) not in new_ids]
    added += [row for row in new[j:] if id(row) not in old_ids]
    return removed, added


def _is_same(old: Sequence[Row], i: int, new: Sequence[Row], j: int) -> bool:
    return i < len(old) and j < len(new) and old[i] is new[j]
