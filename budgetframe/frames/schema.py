"""What a column is: name, dtype, unit and meaning as data, and how values become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

__all__ = ["CURRENCY", "Column", "Run", "column_table"]

CURRENCY = "currency"
"""The unit of money: units of the budget's currency."""

# The text dtype that pandas itself gives: `str` since pandas 3, `object` before.
_TEXT = pd.Series(["text"]).dtype
_IN_ARROW = getattr(_TEXT, "storage", "") == "pyarrow"

_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "category": (str,),
    "bool": (bool,),
    "boolean": (bool,),
    "Int64": (int,),
    "float64": (float, int),
    "datetime64[us]": (str,),
    "datetime64[us, UTC]": (str,),
}
"""Python types that a column of a dtype is made from."""


class Run(NamedTuple):
    """A stretch of one of two arrays."""

    side: int
    rows: slice


_OF_NUMPY = ("bool", "float64", "datetime64[us]")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a frame.

    Parameters
    ----------
    name, dtype, unit, meaning : str
        As documented. The dtype ``str`` is pandas' own text dtype: ``str`` on pandas 3, ``object``
        on pandas 2. A unit of ``currency`` means units of the budget's currency.
    field : str
        Field of the row it is made from; by default the name.
    nullable : bool
        Whether the field may be null or missing.
    vocabulary : tuple of str
        Known values of a ``category`` column, in order. Other values are kept, after these.
    of_parent : bool
        Whether it is a field of what the row is a part of: of the group of a category, of the
        transaction of a part, of the month of its categories.
    convert : callable, optional
        Makes the value of the field's, where it is not that itself.
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    field: str = ""
    nullable: bool = False
    vocabulary: tuple[str, ...] = ()
    of_parent: bool = False
    convert: Callable[[Any], Any] | None = None

    @property
    def source(self) -> str:
        """The field it is made from."""
        return self.field or self.name

    @property
    def types(self) -> set[type]:
        """Python types of the values that fit the column."""
        absent = {NoneType} if self.nullable else set()
        as_text = {str} if self.unit == "degrees" else set()
        return {*_TYPES[self.dtype], *absent, *as_text}

    def values(self, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
        """The value for each row; None where a field is missing."""
        try:
            values = list(map(itemgetter(self.source), rows))
        except KeyError:
            values = [row.get(self.source) for row in rows]
        return values if self.convert is None else list(map(self.convert, values))

    def array(self, values: list[Any]) -> Any:
        """The values, of its types, as an array of its dtype.

        Raises
        ------
        ValueError, OverflowError
            For a value that the dtype cannot hold.
        """
        match self.dtype:
            case "str":
                return _texts(values)
            case "category":
                return self._choices(values)
            case "datetime64[us]":
                if not {10, 0}.issuperset(len(value or "") for value in values) or "" in values:
                    message = "a day is ten characters long"
                    raise ValueError(message)
                return np.array(values, dtype=self.dtype)  # None becomes NaT
            case "datetime64[us, UTC]":
                if "" in values:  # pandas takes it for a missing one
                    message = "an empty text is no time"
                    raise ValueError(message)
                times = pd.Series(values, dtype=object)
                return pd.to_datetime(times, format="ISO8601", utc=True).astype(self.dtype).array
            case "Int64" | "boolean":
                return pd.array(values, dtype=self.dtype)
            case _:
                return np.array(values, dtype=self.dtype)

    def joined(self, arrays: tuple[Any, Any], runs: Sequence[Run]) -> Any:
        """Stretches of two of its arrays, one after the other."""
        if self.dtype == "category":
            return self._joined_choices(*arrays, runs)
        pieces = [arrays[side][rows] for side, rows in runs if rows.stop > rows.start]
        if self.dtype == "str" and _IN_ARROW:
            return _joined_texts(pieces or [arrays[0][:0]])
        if self.dtype in _OF_NUMPY:  # several times as fast
            return np.concatenate([np.asarray(piece) for piece in pieces or [arrays[0][:0]]])
        return pd.concat(map(pd.Series, pieces or [arrays[0][:0]])).array

    def _joined_choices(self, old: Any, new: Any, runs: Sequence[Run]) -> Any:
        if not old.categories.equals(new.categories):
            both = pd.CategoricalDtype(self.categories({*old.categories, *new.categories}))
            old, new = old.astype(both), new.astype(both)
        codes = old.codes, new.codes
        found = np.concatenate([codes[side][rows] for side, rows in runs])
        joined: Any = pd.Categorical.from_codes(found, categories=old.categories)
        if len(joined.categories) > len(self.vocabulary):  # some may not be there any more
            return joined.set_categories(self.categories(set(joined.dropna())))
        return joined

    def categories(self, values: Iterable[str]) -> list[str]:
        """The known values, and after them the unknown ones among these."""
        return [*self.vocabulary, *sorted(set(values) - set(self.vocabulary))]

    def _choices(self, values: Sequence[str | None]) -> pd.Categorical[str]:
        categories = self.categories({value for value in values if value is not None})
        codes = {None: -1} | {value: code for code, value in enumerate(categories)}
        found = np.fromiter(map(codes.__getitem__, values), np.intp, len(values))
        return pd.Categorical.from_codes(found, categories=pd.Index(categories))


def _texts(values: list[Any]) -> Any:
    """Texts and None as an array of the text dtype."""
    if _IN_ARROW:  # as pandas would, without looking at each value in between
        import pyarrow as pa  # noqa: PLC0415 - it is there where pandas uses it

        return pd.array(pa.array(values, type=pa.large_string()), dtype=_TEXT)
    return pd.Series(np.array(values, dtype=object), dtype=_TEXT).array


def _joined_texts(pieces: Sequence[Any]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    # In one piece: taking from several is slow, and there would be more with each change.
    chunks = [chunk for piece in pieces for chunk in piece.__arrow_array__().chunks]
    return pd.array(pa.concat_arrays(chunks), dtype=_TEXT)


def column_table(columns: Iterable[Column]) -> str:
    """Lay the columns out as a table for a docstring, readable as plain text.

    Examples
    --------
    >>> print(column_table([Column("amount", "float64", "currency", "negative: outflow")]))
    column  dtype    unit      meaning
    ------  -------  --------  -----------------
    amount  float64  currency  negative: outflow
    """
    cells = [("column", "dtype", "unit", "meaning")]
    cells += [(column.name, column.dtype, column.unit, column.meaning) for column in columns]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join(lines)
