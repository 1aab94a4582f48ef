"""From the rows of an answer to a typed frame, and from that to the next one."""

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

from .schema import Column, Run

__all__ = ["Built", "Row", "Table", "live"]

Row = Mapping[str, Any]

_DELETED = Column("deleted", "bool", "", "whether it was deleted")
_PARTS = ("categories", "subtransactions")  # rows of other tables
_AT_ONCE = 512  # rows
# How many rows were deleted and put in before both lists agree again; the smallest steps first.
_STEPS = sorted(((gone, come) for gone in range(9) for come in range(9) if gone + come), key=sum)
_PATCHED_SHARE = 50  # of the rows, at most one in so many: beyond that, all are built anew


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A frame, and the list of the answer that it was made of."""

    items: Sequence[Row]
    frame: pd.DataFrame


class _Rows(NamedTuple):
    """The rows of a frame, and what each is a part of: itself, where it is a part of nothing."""

    rows: Sequence[Row]
    parents: Sequence[Row]

    def values(self, columns: Sequence[Column]) -> list[list[Any]]:
        """The values of each column."""
        values: list[list[Any]] = [[] for _ in columns]
        # Some rows at a time, all columns of them: their dictionaries stay in the processor's
        # cache, and a column takes a third of the time.
        for start in range(0, len(self.rows), _AT_ONCE):
            rows, parents = (side[start : start + _AT_ONCE] for side in self)
            for column, known in zip(columns, values, strict=True):
                known.extend(column.values(parents if column.of_parent else rows))
        return values


@dataclass(frozen=True, slots=True)
class Table:
    """A frame: its columns, where its rows are in the service's answer, and their order.

    Parameters
    ----------
    name : str
        Of the rows, in the plural.
    columns : tuple of Column
        In order.
    path : tuple of str
        Key of the list in the data object of the service; where the rows are parts of its items,
        also the key of their list there.
    order : tuple of str
        Columns the rows are sorted by, so that a list read whole and one put together from deltas
        give the same frame.
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
        """Build the frame of a data object, as `budgetframe.ServiceClient.get` gives it.

        Parameters
        ----------
        data : mapping
            The data object.
        extra : bool
            Whether to keep the fields that no column is made from, as they come, after the others.
        include_deleted : bool
            Whether to keep rows that are marked as deleted; a column ``deleted`` tells them.

        Raises
        ------
        ServiceAPIError
            When a field is missing or of another type than the column; it names row and field.
        """
        return self._framed(self._items(data), extra=extra, include_deleted=include_deleted)

    def build(self, data: Row, older: Built | None = None, *, extra: bool = False) -> Built:
        """Build the frame, from that of an earlier answer where only few rows changed since.

        Parameters
        ----------
        data : mapping
            The data object.
        older : Built, optional
            What was built of an earlier one. Rows that did not change are the same objects in both.
        extra : bool
            As for `frame`. Such a frame is built anew.
        """
        items = self._items(data)
        frame = None if older is None or extra else self._patched(older, items)
        return Built(items, self._framed(items, extra=extra) if frame is None else frame)

    def with_deleted(self, data: Row, changes: Row) -> Row:
        """The list, with what is marked as deleted in a list of changes.

        Parameters
        ----------
        data, changes : mapping
            Data objects of the service: the list, and what changed in it since the beginning.
        """
        try:
            changed = self._items(changes)
            # A category that moved shows as deleted where it was: it is there all the same.
            there = {row.get("id") for row in self._rows(changed, live).rows}
            items = [self._gone(item, there) for item in changed]
            rows = self._rows([item for item in items if item is not None], list).rows
            gone = {row.get("id") for row in rows}
            kept = [self._without(item, gone) for item in live(self._items(data))]
        except (AttributeError, KeyError, TypeError) as error:
            raise self._unexpected(f"{type(error).__name__} at {error}") from None
        return {self.path[0]: [item for item in (*kept, *items) if item is not None]}

    def _gone(self, item: Row, there: Container[Any]) -> Row | None:
        """What is deleted of an item, but for what is elsewhere now."""
        if len(self.path) == 1:
            return item if is_deleted(item) else None
        parts = [
            part
            for part in item.get(self.path[1], ())
            if (is_deleted(item) or is_deleted(part)) and part.get("id") not in there
        ]
        return {**item, self.path[1]: parts} if parts else None

    def _without(self, item: Row, gone: Container[Any]) -> Row | None:
        """An item without what is deleted by now."""
        if len(self.path) == 1:
            return None if item.get("id") in gone else item
        parts = [part for part in item.get(self.path[1], ()) if part.get("id") not in gone]
        return {**item, self.path[1]: parts}

    def _items(self, data: Row) -> Sequence[Row]:
        try:
            items = data[self.path[0]]
        except (AttributeError, KeyError, TypeError) as error:
            raise self._unexpected(f"{type(error).__name__} at {error}") from None
        return [items] if isinstance(items, dict) else items

    def _framed(
        self, items: Sequence[Row], *, extra: bool = False, include_deleted: bool = False
    ) -> pd.DataFrame:
        keep = list if include_deleted else live
        try:
            rows = self._rows(items, keep)
            values = dict(zip(self.columns, rows.values(self.columns), strict=True))
        except (AttributeError, KeyError, OverflowError, TypeError) as error:
            raise self._unexpected(f"{type(error).__name__} at {error}") from None
        arrays = {c.name: self._array(c, values[c], rows) for c in self.columns}
        order = self._order(values, arrays)
        if extra:
            arrays |= self._unnamed(rows)
        if include_deleted:
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
                    f"the row {_named(item)!r} has {name}={listed!r}, which is not a list"
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
                    raise self._misfit(column, row, value)
        try:
            return column.array(values)
        except (ValueError, OverflowError):
            for row, value in zip(rows.rows, values, strict=True):
                try:
                    column.array([value])
                except (ValueError, OverflowError):
                    raise self._misfit(column, row, value) from None
            raise

    def _order(self, values: Mapping[Column, list[Any]], arrays: Mapping[str, Any]) -> list[int]:
        """Positions of the rows, in their order; what is missing comes last."""
        ranks = []
        for column in self._ordering:
            rank = values[column]
            if column.dtype == "datetime64[us, UTC]":  # one moment can be written in several ways
                rank = pd.Series(arrays[column.name]).astype("int64").tolist()
            if None in values[column]:
                pairs = zip(values[column], rank, strict=True)
                rank = [(value is None, value and place) for value, place in pairs]
            ranks.append(rank)
        keys = list(zip(*ranks, strict=True))
        return sorted(range(len(keys)), key=keys.__getitem__)

    @property
    def _ordering(self) -> list[Column]:
        return [column for name in self.order for column in self.columns if column.name == name]

    def _unnamed(self, rows: _Rows) -> dict[str, Any]:
        """The fields that no column is made from, by their names."""
        named = {_DELETED.name, *_PARTS, *(column.name for column in self.columns)}
        named |= {column.source for column in self.columns}
        names = dict.fromkeys(name for row in rows.rows for name in row if name not in named)
        return {name: pd.Series([copy_json(row.get(name)) for row in rows.rows]) for name in names}

    def _patched(self, older: Built, items: Sequence[Row]) -> pd.DataFrame | None:
        """The frame of these items, made from the older one; None where that is not worth it."""
        if not self._is_by_day:
            return None
        removed, added = _difference(older.items, items)
        if (len(removed) + len(added)) * _PATCHED_SHARE > len(items):
            return None
        frame, new = older.frame, self._framed(added)
        old_keys = zip(*self._rows(removed, live).values(self._ordering), strict=True)
        new_keys = zip(*(new[name].array for name in self.order), strict=True)
        there = [frame[name].array for name in self.order]
        gone, at = (sorted(_position(there, key) for key in keys) for keys in (old_keys, new_keys))
        runs = list(_runs(len(frame), gone, at))
        arrays = {}
        for column in self.columns:
            known, fresh = frame[column.name].array, new[column.name].array
            is_same = gone == at and pd.Series(known[gone]).equals(pd.Series(fresh))
            arrays[column.name] = known if is_same else column.joined((known, fresh), runs)
        return pd.DataFrame(arrays, copy=False)

    @property
    def _is_by_day(self) -> bool:
        first, *others = self._ordering
        by_key = all(column.dtype == "str" and not column.nullable for column in others)
        return first.dtype == "datetime64[us]" and not first.nullable and by_key

    def _misfit(self, column: Column, row: Row, value: Any) -> ServiceAPIError:
        field = column.name if column.of_parent else column.source
        return self._unexpected(
            f"the row {_named(row)!r} has {field}={value!r}, which is not {column.dtype}"
        )

    def _unexpected(self, problem: str) -> ServiceAPIError:
        detail = f"{self.name}: {problem}. The service's answer is not what this version expects"
        return ServiceAPIError(200, "200", "invalid_response", detail)


def _named(row: Row) -> Any:
    """What a person tells a row by."""
    names = ("id", "month", "category_name", "category_group_name")
    return next((row[name] for name in names if row.get(name) is not None), None)


def live(rows: Iterable[Row]) -> list[Row]:
    """The rows that are not deleted."""
    return [row for row in rows if row.get("deleted") is not True]


def _position(keys: Sequence[Any], key: tuple[Any, ...]) -> int:
    """Where the row of that key is, or would be, among rows sorted by day and texts."""
    days, *texts = keys
    day = pd.Timestamp(key[0]).as_unit("us")
    first, end = (int(days.searchsorted(day, side)) for side in ("left", "right"))
    of_day = list(zip(*(text[first:end] for text in texts), strict=True))
    return first + bisect_left(of_day, key[1:])


def _runs(count: int, gone: Sequence[int], at: Sequence[int]) -> Iterator[Run]:
    """Stretches of the old rows and of the new ones that make up the rows as they are now."""
    start = 0
    # What is new stands before the old row of the same position.
    for position, is_gone, number in sorted(
        [*((p, False, n) for n, p in enumerate(at)), *((p, True, 0) for p in gone)]
    ):
        yield Run(0, slice(start, position))
        yield Run(1, slice(number, number if is_gone else number + 1))
        start = position + is_gone
    yield Run(0, slice(start, count))


def _difference(old: Sequence[Row], new: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows that are only in the one, and only in the other list.

    Quick where both share nearly all objects, as a merge leaves them.
    """
    removed, added = list[Row](), list[Row]()
    here, there = 0, 0
    while here < len(old) and there < len(new):
        both = old[here : here + _AT_ONCE], new[there : there + _AT_ONCE]
        if both[0] == both[1]:
            here, there = here + len(both[0]), there + len(both[1])
            continue
        same = next(compress(count(), map(is_not, *both)), min(map(len, both)))
        here, there = here + same, there + same
        if same < min(map(len, both)):
            step = next((s for s in _STEPS if _meet(old, here + s[0], new, there + s[1])), None)
            if step is None:
                break
            removed += old[here : here + step[0]]
            added += new[there : there + step[1]]
            here, there = here + step[0], there + step[1]
    was, is_ = set(map(id, old[here:])), set(map(id, new[there:]))
    removed += [row for row in old[here:] if id(row) not in is_]
    added += [row for row in new[there:] if id(row) not in was]
    return removed, added


def _meet(old: Sequence[Row], here: int, new: Sequence[Row], there: int) -> bool:
    return here < len(old) and there < len(new) and old[here] is new[there]
