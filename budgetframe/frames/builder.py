"""Build typed frames from the rows of an answer, and update a frame from a later answer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, count
from math import inf
from operator import is_not
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._milliunits import MAX_EXACT, MILLIUNITS
from budgetframe._resources import ROW_KEYS, copy_json, is_deleted, undeleted
from budgetframe._runtime.deferred_warnings import DamagedRows, collected_warnings, defer_warning
from budgetframe._runtime.text import number_of
from budgetframe.errors import ServiceAPIError, ToolError

from .schema import CURRENCY, DELETED, UNFITTING, Column, Slice

Row = Mapping[str, Any]

_NESTED_LISTS = ("categories", "subtransactions")  # fields with the rows of other tables
_PARTS = "subtransactions"
_BATCH = 512  # rows
# Numbers of removed and of added rows after which two lists can agree again, the smallest first.
_STEPS = sorted(((old, new) for old in range(9) for new in range(9) if old + new), key=sum)
PATCH_LIMIT = 50  # patch a frame if at most one row in 50 changed; otherwise build a new frame


NOT_LISTED = "Not listed"
"""Placeholder for the name of an account, a payee, a category or a group that is not listed."""

_SHOWN_LENGTH = 80  # characters of a value in a message


@dataclass(slots=True, eq=False)
class Built:
    """A frame, and the list or the export that it was built from."""

    items: Sequence[Row] | Row  # none if unknown or incomplete: a later frame is built completely
    frame: pd.DataFrame
    damage: Sequence[Warning] = ()
    """The warnings of values that the frame lacks, for each time that it is shown."""


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


@dataclass(frozen=True)
class Table:
    """The definition of a frame: the place and order of its rows, and its columns."""

    name: str  # of the rows, in the plural
    path: tuple[str, ...]
    """Key of the list in an answer; if the rows are parts of its items, also their key in these."""
    order: tuple[str, ...]
    """Columns that the rows are sorted by. Sorting makes the frame of a complete list equal to the
    frame of a list that was merged from deltas."""
    columns: tuple[Column, ...]
    has_parts: bool = False  # whether an item without a list of parts is an error
    is_one: bool = False  # whether the answer has a single item instead of a list

    def frame(
        self, data: Row, *, extra: bool = False, include_deleted: bool = False
    ) -> pd.DataFrame:
        """Build the frame from a data object, as `budgetframe.ServiceClient.get` returns it.

        With `extra`, the fields without a column come after the columns, unchanged. With
        `include_deleted`, the frame also has the deleted rows, and a column ``deleted``.
        """
        items = self._items(data)
        return self._build_frame(items, extra=extra, include_deleted=include_deleted).frame

    def build(self, data: Row, older: Built | None = None, *, extra: bool = False) -> Built:
        """Build the frame; update the `older` one of an earlier answer if only few rows changed."""
        # Unchanged rows must be the same objects in both. Frames with extra fields are built anew.
        items = self._items(data)
        frame = None
        if older is not None and not extra and not isinstance(older.items, Mapping):
            frame = self.patch(older.frame, *difference(older.items, items), count=len(items))
        return self._build_frame(items, extra=extra) if frame is None else Built(items, frame)

    def patch(
        self,
        frame: pd.DataFrame,
        removed: Sequence[Row],
        added: Sequence[Row],
        *,
        count: float = inf,
    ) -> pd.DataFrame | None:
        """Update the frame of an earlier answer; None if it must be built."""
        # The items are those that are only in the earlier answer, of which the keys are enough, and
        # those that are only in the later one, which has `count` items: many changes take longer
        # than a new frame.
        if not self._is_sorted_by_day or (len(removed) + len(added)) * PATCH_LIMIT > count:
            return None
        return self._patch(frame, removed, added)

    def add_deleted(self, data: Row, changes: Row) -> Row:
        """The list, with the deleted rows of all its changes since the beginning added."""
        # Changes that lack most rows of the list do not begin at the beginning, which is a
        # `RuntimeWarning`. They may lack rows that did not change since the first server knowledge.
        try:
            changed = self._last_items(self._items(changes))
            current = undeleted(self._last_items(self._items(data)))
            known = set(map(_key, self._rows(changed, list).rows))
            listed = self._rows(current, undeleted).rows
            lacking = [_label(row) for row in listed if _key(row) not in known]
            # A category that moved to another group is marked as deleted in its former group.
            present = set(map(_key, self._rows(undeleted(changed), undeleted).rows)) - {None}
            items = [self._deleted_part(item, present) for item in changed]
            rows = self._rows([item for item in items if item is not None], list).rows
            deleted = set(map(_key, rows)) - {None}
            kept = [self._drop_deleted(item, deleted) for item in current]
        except (AttributeError, KeyError, TypeError) as error:
            both = (*self._items(data), *self._items(changes))
            raise unexpected(self.name, _problem(both, error)) from None
        if 2 * len(lacking) > len(listed):
            defer_warning(
                f"{self.name}: the service's answer with all changes lacks {len(lacking):,} of"
                f" {len(listed):,} listed rows (first: {shown(lacking[0])}), so that it can"
                " also lack deleted rows: do not rely on include_deleted for this list"
            )
        return {self.path[0]: [item for item in (*kept, *items) if item is not None]}

    def _deleted_part(self, item: Row, present: Container[Any]) -> Row | None:
        """The item with only its deleted rows, except rows that are present elsewhere."""
        if len(self.path) == 1:
            return item if is_deleted(item) else None
        parts = [
            part
            for part in item.get(self.path[1]) or ()
            if (is_deleted(item) or is_deleted(part)) and _key(part) not in present
        ]
        return {**item, self.path[1]: parts} if parts else None

    def _drop_deleted(self, item: Row, deleted: Container[Any]) -> Row | None:
        """The item without its deleted rows."""
        if len(self.path) == 1:
            return None if _key(item) in deleted else item
        parts = [part for part in item.get(self.path[1]) or () if _key(part) not in deleted]
        return {**item, self.path[1]: parts}

    def _items(self, data: Row) -> Sequence[Row]:
        name = self.path[0]
        try:
            items = data[name]
        except (KeyError, TypeError):
            raise unexpected(self.name, f"the answer has no {name!r}") from None
        if self.is_one and isinstance(items, dict):
            return [items]
        if self.is_one or not isinstance(items, list):
            kind = "an object" if self.is_one else "a list"
            problem = f"the answer has {name}={shown(items)}, which is not {kind}"
            raise unexpected(self.name, problem)
        return items

    def _build_frame(
        self, items: Sequence[Row], *, extra: bool = False, include_deleted: bool = False
    ) -> Built:
        keep = list if include_deleted else undeleted
        try:
            kept = keep(items)
            # `add_deleted` splits an item into two: one with its deleted parts only.
            current = kept if include_deleted else self._last_items(kept)
            rows = self._rows(current, keep)
            values = dict(zip(self.columns, rows.values(self.columns), strict=True))
        except (AttributeError, KeyError, OverflowError, TypeError) as error:
            raise unexpected(self.name, _problem(items, error)) from None
        last = last_rows(self.name, [values[column] for column in self._key_columns])
        if last is not None:
            rows = _Rows(*([side[position] for position in last] for side in rows))
            values = dict(zip(self.columns, rows.values(self.columns), strict=True))
        arrays, is_complete = {}, last is None and current is kept
        for column, known in values.items():
            values[column], arrays[column.name] = self._array(column, known, rows)
            is_complete &= values[column] is known
        order = np.array(self._sorted_positions(values, arrays), np.intp)
        extra_fields = self._extra_fields(rows) if extra else {}
        arrays |= extra_fields
        if include_deleted:  # a row is also deleted if its parent is
            both = zip(*(map(is_deleted, side) for side in rows), strict=True)
            arrays[DELETED.name] = DELETED.array(list(map(any, both)))
        ordered = {name: array.take(order) for name, array in arrays.items()}
        frame = pd.DataFrame(ordered, copy=False)
        if extra_fields:
            frame.attrs["extra"] = [*extra_fields]
        # A frame that lacks some of the items, or values of them, cannot be updated from them.
        return Built(items if is_complete else (), frame)

    def _last_items(self, items: Sequence[Row]) -> Sequence[Row]:
        """The items, without outdated versions of splits: their parts must not count."""
        if self.path[1:] != (_PARTS,):
            return items
        last = last_rows(self.path[0], [[item.get("id") for item in items]])
        return items if last is None else [items[position] for position in last]

    def _rows(self, items: Sequence[Row], keep: Callable[[Iterable[Row]], list[Row]]) -> _Rows:
        """The rows of items; of their parts, `keep` chooses those that are rows."""
        if len(self.path) == 1:
            return _Rows(items, items)
        name, rows, parents = self.path[1], list[Row](), list[Row]()
        for item in items:
            listed = item.get(name)
            if listed is None and not self.has_parts:
                continue
            if not isinstance(listed, list):
                raise self._not_a_list(name, item, listed)
            parts = keep(listed)
            rows += parts
            parents += [item] * len(parts)
        return _Rows(rows, parents)

    def _array(self, column: Column, values: list[Any], rows: _Rows) -> tuple[list[Any], Any]:
        """Values that fit the column, and their array."""
        if not column.refuses_others and not column.types.issuperset(map(type, values)):
            types = column.types
            values = self._fitting(column, values, rows, lambda value: type(value) in types)
        try:
            array = column.array(values)
        except UNFITTING:
            values = self._fitting(column, values, rows, column.fits)
            array = column.array(values)
        if column.unit == CURRENCY:
            is_large = np.abs(array) > MAX_EXACT / MILLIUNITS
            if is_large.any():
                self._warn_of_rounded(column, int(is_large.sum()))
        return values, array

    def _warn_of_rounded(self, column: Column, count: int) -> None:
        """Warn of amounts that a float does not represent to the milliunit."""
        defer_warning(
            f"{self.name}: {number_of(count, 'row has', 'rows have')} an amount in"
            f" {column.name} above {MAX_EXACT // MILLIUNITS:,}, where a float is not exact to"
            " the milliunit"
        )

    def _fitting(
        self, column: Column, values: list[Any], rows: _Rows, fits: Callable[[Any], bool]
    ) -> list[Any]:
        """The values, with others in place of those that do not fit; a warning names the first."""
        fitting, wrong = list[Any](), list[tuple[Row, Row, Any]]()
        field = column.name if column.of_parent else column.source
        for row, parent, value in zip(*rows, values, strict=True):
            is_fitting = fits(value)
            fitting.append(value if is_fitting else column.missing)
            if not is_fitting:
                wrong.append((row, parent, value))
        if wrong:
            first, _, value = wrong[0]
            if field in _NESTED_LISTS:
                raise self._not_a_list(field, first, value)
            has = "False" if column.missing is False else "a missing value"
            text = (
                f"{self.name}: {len(wrong):,} of {len(values):,} rows have no usable {field}"
                f" (first: {shown(_label(first))} has {field}={shown(value)}, which is not"
                f" {column.dtype}). The column {column.name} has {has} there"
            )
            warning = RuntimeWarning(text)
            if column.is_strict or any(value is not None for *_, value in wrong):
                warning = DamagedRows(text)
                text_of = f"{self.name}: the row {{}} has {field}={{}}".format
                source = "" if column.of_parent else column.source
                warning.values = [
                    (row, parent, source, text_of(shown(_label(row)), shown(value)))
                    for row, parent, value in wrong
                    if column.is_strict or value is not None
                ]
            defer_warning(warning)
        return fitting

    def _sorted_positions(
        self, values: Mapping[Column, list[Any]], arrays: Mapping[str, Any]
    ) -> Any:
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
        if self._is_sorted_by_day and len(ranks) > 1:  # several months can lack their day
            return _sorted_by_day(arrays[self.order[0]], ranks[1:])
        keys = list(zip(*ranks, strict=True))
        return sorted(range(len(keys)), key=keys.__getitem__)

    @cached_property
    def _key_columns(self) -> list[Column]:
        """The columns that identify a row; none if the rows have no key."""
        if self.path[1:] == (_PARTS,):
            # Its own key, and that of its transaction.
            return [column for column in self.columns if column.source == "id"]
        of_month = "month" if self.path[0] == "months" else ""
        return [
            column
            for column in self.columns
            if column.source == of_month or (column.source == "id" and not column.of_parent)
        ]

    @cached_property
    def _sort_columns(self) -> list[Column]:
        return [column for name in self.order for column in self.columns if column.name == name]

    def _extra_fields(self, rows: _Rows) -> dict[str, Any]:
        """The fields without a column, by name."""
        known = {DELETED.name, *_NESTED_LISTS, *(column.name for column in self.columns)}
        known |= {name for column in self.columns for name in (column.source, column.older_field)}
        names = dict.fromkeys(name for row in rows.rows for name in row if name not in known)
        values = {name: [copy_json(row.get(name)) for row in rows.rows] for name in names}
        return {name: pd.Series(values[name]).array for name in names}

    def _patch(
        self, frame: pd.DataFrame, removed: Sequence[Row], added: Sequence[Row]
    ) -> pd.DataFrame | None:
        """The frame with other items; None if an added row is irregular."""
        with collected_warnings() as found:
            built = self._build_frame(added)
        if found and not built.items:
            return None  # the warnings of the complete frame count all rows
        for warning in found:
            defer_warning(warning)
        new = built.frame
        key = self._key_columns[-1].name  # of the item, also in a frame of parts
        old_keys = {item.get(ROW_KEYS.get(self.path[0], "id")) for item in removed}
        removed_at = np.flatnonzero(frame[key].isin([*old_keys, *new[key]]))
        if not old_keys.issuperset(frame[key].array.take(removed_at)):
            return None
        if not len(removed_at) and new.empty:  # only items without a row in this table changed
            return frame
        return patched(frame, new, self.columns, removed_at, self.order)

    @cached_property
    def _is_sorted_by_day(self) -> bool:
        """Whether the rows are sorted by a day and by keys, none of which is ever missing."""
        first, *others = self._sort_columns
        by_key = all(column.dtype == "str" and not column.nullable for column in others)
        return first.dtype == "datetime64[us]" and not first.nullable and by_key

    def _not_a_list(self, field: str, row: Row, value: Any) -> ServiceAPIError:
        has = f"the row {shown(_label(row))} has {field}={shown(value)}"
        return unexpected(self.name, f"{has}, which is not a list")


def last_rows(name: str, keys: Sequence[Sequence[Any]]) -> list[int] | None:
    """The positions of the last row of each key; None if no key occurs twice."""
    # `keys` has the values of all rows for each field of the key. What is no text is no key, and
    # rows without a key are never equal.
    if not keys:
        return None
    columns: Sequence[Any] = keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))
    with suppress(TypeError):  # a list or an object is no key
        if len(set(columns)) == len(columns):
            return None
    texts = [[key if isinstance(key, str) else None for key in field] for field in keys]
    columns = texts[0]
    if len(texts) > 1:
        columns = [None if None in key else key for key in zip(*texts, strict=True)]
    last = {key: position for position, key in enumerate(columns) if key is not None}
    kept = [at for at, key in enumerate(columns) if key is None or last[key] == at]
    if len(kept) == len(columns):
        return None
    first = next(key for at, key in enumerate(columns) if key is not None and last[key] != at)
    defer_warning(
        f"{name}: {len(columns) - len(kept):,} of {len(columns):,} rows occur twice in one"
        f" answer of the service (first: {shown(first)}). The last row of each key counts"
    )
    return kept


def drop_outdated_rows(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data object of an answer, with the last row of each key in each of its lists."""
    changed = {}
    for name, rows in data.items():
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            key = ROW_KEYS.get(name, "id")
            last = last_rows(name, [[row.get(key) for row in rows]])
            if last is not None:
                changed[name] = [rows[position] for position in last]
    return {**data, **changed} if changed else data


def check_size(largest: float) -> None:
    """Check that an amount in milliunits is exact as a float in currency units."""
    if largest > MAX_EXACT:
        raise ToolError(
            f"an amount of {largest / MILLIUNITS:,.0f} is too large to be exact: floats are exact"
            f" to the thousandth up to {MAX_EXACT / MILLIUNITS:,.0f}"
        )


def shown(value: object) -> str:
    """A value in a message: escaped, and not longer than a line."""
    text = repr(value)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}..."


def unexpected(name: str, problem: str) -> ServiceAPIError:
    """The error for an answer with rows of this name that cannot be used."""
    detail = (
        f"{name}: {problem}. The service's answer is not what this version expects: try again, and"
        " if the error stays, update budgetframe"
    )
    return ServiceAPIError(200, "200", "invalid_response", detail)


def _key(row: Row) -> str | None:
    key = row.get("id")
    return key if isinstance(key, str) else None


def _label(row: Row) -> Any:
    """The value that identifies a row for a person."""
    names = ("id", "month", "category_name", "category_group_name")
    return next((row[name] for name in names if row.get(name) is not None), None)


def _problem(items: Sequence[Any], error: Exception) -> str:
    """What is wrong with a list that caused an error."""
    for position, item in enumerate(items):
        if not isinstance(item, dict):
            return f"element {position} of the list is {shown(item)}, which is not an object"
        for name in _NESTED_LISTS:
            listed, row = item.get(name), shown(_label(item))
            if listed is not None and not isinstance(listed, list):
                return f"the row {row} has {name}={shown(listed)}, which is not a list"
            for at, part in enumerate(listed or ()):
                if not isinstance(part, dict):
                    return f"the row {row} has {name}[{at}]={shown(part)}, which is not an object"
    return f"{type(error).__name__} at {error}"


def _sorted_by_day(days: Any, texts: Sequence[Sequence[str]]) -> Any:
    """The positions in the order of days, and of texts within a day."""
    # Faster than sorting tuples of unsorted rows: most comparisons are those of days, as integers.
    order = np.argsort(days, kind="stable")
    ends = np.flatnonzero(np.diff(days[order].view("int64"))) + 1
    positions: list[int] = order.tolist()
    keys = texts[0] if len(texts) == 1 else list(zip(*texts, strict=True))
    start = 0
    for end in (*ends.tolist(), len(positions)):
        if end - start > 1:
            positions[start:end] = sorted(positions[start:end], key=keys.__getitem__)
        start = end
    return positions


def _place_of(keys: Sequence[Any], key: tuple[Any, ...]) -> int:
    """The position of the row that a row with a key comes before, in rows in their order."""
    days, *texts = keys
    day = np.datetime64(key[0], "us")
    first, end = (int(np.asarray(days).searchsorted(day, side)) for side in ("left", "right"))
    on_day = list(zip(*(text[first:end] for text in texts), strict=True))
    return first + bisect_left(on_day, key[1:])


def patched(
    frame: pd.DataFrame,
    new: pd.DataFrame,
    columns: Iterable[Column],
    removed_at: Any,
    order: Sequence[str],
) -> pd.DataFrame:
    """A frame without some of its rows and with new rows; it shares the unchanged columns."""
    # The positions of the removed rows are sorted. The rows are in the order of a day and texts.
    frame, new = pd.DataFrame(frame), pd.DataFrame(new)  # a column of them is returned faster
    keys = [frame[name].array for name in order]
    new_keys = zip(*(new[name].array for name in order), strict=True)
    added_at = [_place_of(keys, key) for key in new_keys]
    slices = list(_slices(len(frame), removed_at.tolist(), added_at))
    is_in_place = removed_at.tolist() == added_at
    arrays = {}
    for column in columns:
        values, new_values = frame[column.name].array, new[column.name].array
        if not (is_in_place and values.take(removed_at).equals(new_values)):
            values = column.joined((values, new_values), slices)
        arrays[column.name] = values
    return pd.DataFrame(arrays, copy=False)


def _slices(count: int, removed_at: Sequence[int], added_at: Sequence[int]) -> Iterator[Slice]:
    """The slices of the old rows (0) and the added rows (1) that together are the new rows."""
    start = 0
    # An added row goes before the old row at the same position.
    for position, is_removed, number in sorted(
        [*((p, False, n) for n, p in enumerate(added_at)), *((p, True, 0) for p in removed_at)]
    ):
        if start < position:
            yield Slice(0, slice(start, position))
        if not is_removed:
            yield Slice(1, slice(number, number + 1))
        start = position + is_removed
    yield Slice(0, slice(start, count))


def difference(old: Sequence[Row], new: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows only in the old and only in the new list; fast if they share nearly all objects."""
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
