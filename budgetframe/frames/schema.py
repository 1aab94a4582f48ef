"""What a column is, and how a list of rows becomes typed columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._milliunits import to_currency
from budgetframe.errors import ServiceAPIError

__all__ = ["Column", "Table", "column_table", "live"]

Row = Mapping[str, Any]

# The text dtype that pandas itself gives: `str` since pandas 3, `object` before.
_TEXT = pd.Series(["text"]).dtype

_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "category": (str,),
    "bool": (bool,),
    "Int64": (int,),
    "float64": (float, int),
    "datetime64[us]": (str,),
    "datetime64[us, UTC]": (str,),
}
"""Python types that a column of a dtype is made from."""


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
    in_milliunits : bool
        Whether integers in it are milliunits that nobody converted yet.
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    field: str = ""
    nullable: bool = False
    vocabulary: tuple[str, ...] = ()
    in_milliunits: bool = False

    def values(self, rows: Sequence[Row]) -> list[Any]:
        """The field of every row; None where a nullable one is missing."""
        field = self.field or self.name
        try:
            values = list(map(itemgetter(field), rows))
        except KeyError:
            values = [row.get(field) for row in rows]
        if self.in_milliunits:
            return [to_currency(value) if type(value) is int else value for value in values]
        return values

    @property
    def types(self) -> set[type]:
        """Python types of the values that fit the column."""
        absent = {NoneType} if self.nullable else set()
        as_text = {str} if self.unit == "degrees" else set()
        return {*_TYPES[self.dtype], *absent, *as_text}

    def array(self, values: list[Any]) -> Any:
        """The values as an array of the column's dtype."""
        match self.dtype:
            case "str":
                return pd.Series(values, dtype=_TEXT)
            case "category":
                unknown = sorted(set(values) - {None, *self.vocabulary})
                return pd.Categorical(values, categories=[*self.vocabulary, *unknown])
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
                return pd.to_datetime(times, format="ISO8601", utc=True).astype(self.dtype)
            case "Int64":
                return pd.array(values, dtype="Int64")
            case _:
                return np.array(values, dtype=self.dtype)


@dataclass(frozen=True, slots=True)
class Table:
    """A frame: its columns, where its rows are in the service's answer, and their order.

    Parameters
    ----------
    name : str
        Of the rows, in the plural.
    columns : tuple of Column
        In order.
    rows : callable
        Gives the rows of a data object of the service.
    order : tuple of str
        Columns the rows are sorted by, so that a list read whole and one put together from deltas
        give the same frame.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[Row], Iterable[Row]]
    order: tuple[str, ...]

    def frame(self, data: Row) -> pd.DataFrame:
        """Build the frame of a data object, as `budgetframe.ServiceClient.get` gives it.

        Raises
        ------
        ServiceAPIError
            When a field is missing or of another type than the column; it names row and field.
        """
        try:
            rows = list(live(self.rows(data)))
        except (AttributeError, KeyError, TypeError) as error:
            raise self._unexpected(f"{type(error).__name__} at {error}") from None
        columns = {column.name: self._column(column, rows) for column in self.columns}
        frame = pd.DataFrame(columns)
        return frame.sort_values(list(self.order), kind="stable", ignore_index=True)

    def _column(self, column: Column, rows: Sequence[Row]) -> Any:
        values = column.values(rows)
        types = column.types
        if not types.issuperset(map(type, values)):
            for row, value in zip(rows, values, strict=True):
                if type(value) not in types:
                    raise self._misfit(column, row, value)
        try:
            return column.array(values)
        except (ValueError, OverflowError):
            for row, value in zip(rows, values, strict=True):
                try:
                    column.array([value])
                except (ValueError, OverflowError):
                    raise self._misfit(column, row, value) from None
            raise

    def _misfit(self, column: Column, row: Row, value: Any) -> ServiceAPIError:
        names = ("id", "month", "category_name", "category_group_name")
        row_id = next((row[name] for name in names if row.get(name) is not None), None)
        return self._unexpected(
            f"the row {row_id!r} has {column.field or column.name}={value!r}, which is not"
            f" {column.dtype}"
        )

    def _unexpected(self, problem: str) -> ServiceAPIError:
        detail = f"{self.name}: {problem}. The service's answer is not what this version expects"
        return ServiceAPIError(200, "200", "invalid_response", detail)


def live(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows that are not deleted."""
    return (row for row in rows if row.get("deleted") is not True)


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
