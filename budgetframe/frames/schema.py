"""Columns: name, dtype, unit and meaning as data, and the conversion of values to arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from types import NoneType
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

CURRENCY = "currency"
"""The unit of money: units of the budget's currency."""

SHARE = "share"
"""The unit of shares and rates: fractions, which people see as per cent."""

LINE, LEVEL, LINES = "line", "level", 2
"""The columns of a statement, and the level of its lines that are not sums of other lines."""

MILLIUNITS_SUFFIX = "_milliunits"
"""The end of the names of columns in milliunits."""

_STR = pd.api.types.pandas_dtype(str)

TEXT = np.dtype(object) if isinstance(_STR, np.dtype) else _STR
"""The default text dtype of pandas when it was imported: `str` since pandas 3, `object` before."""

_IN_ARROW = getattr(TEXT, "storage", "") == "pyarrow"

_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,), "category": (str,), "bool": (bool,), "boolean": (bool,), "Int64": (int,),
    "float64": (float, int), "datetime64[us]": (str,), "datetime64[us, UTC]": (str,),
}  # fmt: skip
"""The Python types of the values of each dtype."""

UNFITTING = (ValueError, OverflowError, TypeError)
"""What numpy and pandas raise for values that a dtype cannot represent."""

_NUMPY_DTYPES = frozenset(
    {"bool", "float64", "datetime64[us]", *(["str"] if isinstance(TEXT, np.dtype) else [])}
)


class Slice(NamedTuple):
    """A slice of one of two arrays: of the first (0) or the second (1)."""

    side: int
    rows: slice


@dataclass(frozen=True)
class Column:
    """One column of a frame.

    Parameters
    ----------
    name, dtype, unit, meaning : str
        The documentation of the column. The dtype ``str`` is the default text dtype of pandas:
        ``str`` on pandas 3, ``object`` on pandas 2. A unit of ``currency`` means units of the
        budget's currency.
    field : str
        Field of the row that has the value; by default the name of the column.
    nullable : bool
        Whether the field may be null or missing.
    vocabulary : tuple of str
        Known values of a ``category`` column, in order. Unknown values are kept and come after
        them.
    of_parent : bool
        Whether the field belongs to the parent of the row: to the group of a category, to the
        transaction of a subtransaction, or to the month of a category.
    convert : callable, optional
        Function that converts the value of the field to the value of the column.
    older_field : str
        Deprecated field that has the value if the field is null or missing.
    display : {"", "always", "whole", "unless zero", "own name", "hidden"}
        What the display of a frame does with the column besides its rules: it always or never shows
        the column, never cuts it, or only names it if every row has a zero. A heading of a page or
        sheet does not change an own name, which is that of an account, for example.
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
    older_field: str = ""
    display: Literal["", "always", "whole", "unless zero", "own name", "hidden"] = ""

    @cached_property
    def source(self) -> str:
        """The field that has the value."""
        return self.field or self.name

    @cached_property
    def types(self) -> set[type]:
        """Python types of the values that fit the column."""
        absent = {NoneType} if self.nullable else set()
        as_text = {str} if self.unit == "degrees" else set()
        return {*_TYPES[self.dtype], *absent, *as_text}

    @property
    def refuses_others(self) -> bool:
        """Whether `array` itself refuses every value of another type."""
        return _IN_ARROW and self.dtype == "str" and self.nullable

    @property
    def missing(self) -> Any:
        """The value in place of one that does not fit: the dtype of flags has no missing value."""
        return False if self.dtype == "bool" else None

    @cached_property
    def is_strict(self) -> bool:
        """Whether a row without a value is damaged: figures lack its key, day, amount or flag."""
        is_key = self.source == "id" or self.name.endswith("_id")
        return is_key or self.unit == CURRENCY or self.dtype.startswith(("bool", "datetime"))

    def fits(self, value: Any) -> bool:
        """Whether an array of the dtype of the column can represent a value."""
        try:
            self.array([value])
        except UNFITTING:
            return False
        return True

    def values(self, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
        """The value for each row; None where a field is missing."""
        try:
            values = list(map(itemgetter(self.source), rows))
        except KeyError:
            values = [row.get(self.source) for row in rows]
        if self.older_field and None in values:
            pairs = zip(values, rows, strict=True)
            values = [row.get(self.older_field) if v is None else v for v, row in pairs]
        return values if self.convert is None else list(map(self.convert, values))

    def array(self, values: list[Any]) -> Any:
        """Convert values to an array of the dtype; a value that it cannot represent is an error."""
        match self.dtype:
            case "str":
                return _texts(values)
            case "category":
                return self._categorical(values)
            case "datetime64[us]":
                if not {10}.issuperset(map(len, {value for value in values if value is not None})):
                    raise ValueError("a day must have ten characters")
                return np.array(values, dtype=self.dtype)  # None becomes NaT
            case "datetime64[us, UTC]":
                if "" in values:  # pandas would read it as a missing value
                    raise ValueError("an empty text is not a time")
                times = pd.Series(values, dtype=object)
                return pd.to_datetime(times, format="ISO8601", utc=True).astype(self.dtype).array
            case "Int64" | "boolean":
                return pd.array(values, dtype=self.dtype)
            case _:
                array = np.array(values, dtype=self.dtype)
                if self.dtype == "float64" and np.isinf(array).any():
                    raise ValueError("the number is not finite")
                return array

    def joined(self, arrays: tuple[Any, Any], slices: Sequence[Slice]) -> Any:
        """Join slices of two arrays of this column."""
        if self.dtype == "category":
            return self._joined_categories(*arrays, slices)
        if self.dtype in _NUMPY_DTYPES:  # several times as fast as pd.concat
            return _joined_in_numpy(arrays, slices)
        if self.dtype == "str" and _IN_ARROW:
            return _joined_texts(arrays, slices)
        return pd.concat([pd.Series(arrays[side][rows]) for side, rows in slices]).array

    def _joined_categories(self, old: Any, new: Any, slices: Sequence[Slice]) -> Any:
        if not old.categories.equals(new.categories):
            both = pd.CategoricalDtype(self.categories({*old.categories, *new.categories}))
            old, new = old.astype(both), new.astype(both)
        found = _joined_in_numpy((old.codes, new.codes), slices)
        joined: Any = pd.Categorical.from_codes(found, categories=old.categories)
        if len(joined.categories) > len(self.vocabulary):  # an unknown value can be gone now
            return joined.set_categories(self.categories(set(joined.dropna())))
        return joined

    def categories(self, values: Iterable[str]) -> list[str]:
        """The vocabulary, followed by the unknown values among the given ones."""
        return [*self.vocabulary, *sorted(set(values) - set(self.vocabulary))]

    def _categorical(self, values: Sequence[str | None]) -> pd.Categorical[str]:
        # An empty text is no choice: the service sends it for a transaction without a flag.
        categories = self.categories(set(filter(None, values)))
        codes: dict[str | None, int] = {None: -1, "": -1} | {
            value: code for code, value in enumerate(categories)
        }
        found = np.fromiter(map(codes.__getitem__, values), np.intp, len(values))
        return pd.Categorical.from_codes(found, categories=pd.Index(categories))


DELETED = Column("deleted", "bool", "", "whether it was deleted")
"""The column that `include_deleted` adds."""


def deleted_rows(frame: pd.DataFrame) -> Any:
    """Which rows of a frame are deleted; none of a frame that was read without them."""
    if DELETED.name not in frame:
        return np.zeros(len(frame), bool)
    return frame[DELETED.name].fillna(value=False).to_numpy(bool)


def _texts(values: list[Any]) -> Any:
    """Convert texts and None to an array of the text dtype."""
    if _IN_ARROW:  # the same result as from pandas, without a check of each value
        import pyarrow as pa  # noqa: PLC0415 - pandas uses it, so that it is installed

        try:
            array = pa.array(values, type=pa.large_string())
        except UnicodeEncodeError:  # half a character in a frame of the user
            encoded = [text and text.encode("utf-16", "surrogatepass") for text in values]
            whole = [text and text.decode("utf-16", "replace") for text in encoded]
            array = pa.array(whole, type=pa.large_string())
        return pd.array(array, dtype=TEXT)
    return pd.Series(np.array(values, dtype=object), dtype=TEXT).array


def _joined_in_numpy(arrays: tuple[Any, Any], slices: Sequence[Slice]) -> Any:
    sides = list(map(np.asarray, arrays))
    return np.concatenate([sides[side][rows] for side, rows in slices])


def _joined_texts(arrays: tuple[Any, Any], slices: Sequence[Slice]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    # One chunk: `take` is slow on several chunks, and each change would add more of them.
    in_chunks = [array.__arrow_array__() for array in arrays]
    sides = [side.chunk(0) if side.num_chunks == 1 else side.combine_chunks() for side in in_chunks]
    return pd.array(pa.concat_arrays([sides[side][rows] for side, rows in slices]), dtype=TEXT)


def keys_last(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The same columns, with the keys after the other columns."""
    return tuple(sorted(columns, key=lambda column: column.name.endswith("_id")))


def frame_of_rows(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """The frame of rows whose cells are in the order of the columns."""
    cells = zip(*rows, strict=True) if rows else ([] for _ in columns)
    named = zip(columns, cells, strict=True)
    return pd.DataFrame({column.name: column.array(list(values)) for column, values in named})


def column_table(columns: Iterable[Column]) -> str:
    """Write columns as a plain text table for a docstring.

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


def with_attrs(frame: pd.DataFrame, attrs: Mapping[Any, Any]) -> pd.DataFrame:
    """A copy of a frame with these attrs, for example the name and the currency of the budget."""
    same = frame.copy(deep=False)
    same.attrs = dict(attrs)
    return same
