"""The values of a column as Excel can represent them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._runtime.text import visible

_MAX_LETTERS = 32_767  # of a cell
_FIRST_DAY = pd.Timestamp("1900-03-01")  # Excel counts a 29 February 1900; earlier days are texts
_EPOCH = pd.Timestamp("1899-12-30")  # day 0 of Excel, as counted from March 1900
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal"}
_DAYS = {"date", "datetime"}


def simplified(values: pd.Series[Any]) -> pd.Series[Any]:
    """The values; times in UTC and decimals get a dtype of numpy, and periods their first days."""
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    if isinstance(values.dtype, pd.ArrowDtype):
        values = _without_arrow(values, values.dtype)
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    return _of_objects(values) if pd.api.types.is_object_dtype(values.dtype) else values


def _without_arrow(values: pd.Series[Any], dtype: Any) -> pd.Series[Any]:
    if dtype.kind == "M":
        has_zone = dtype.pyarrow_dtype.tz is not None
        return values.astype("datetime64[us, UTC]" if has_zone else "datetime64[us]")
    return values.astype("float64") if is_float(values) else values


def _of_objects(values: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers and days that an object column contains, if it has nothing else."""
    kind = pd.api.types.infer_dtype(values, skipna=True)
    known = values.where(values.notna(), None)
    if kind in _NUMBERS:
        return known.astype("float64")
    if kind in _DAYS and all(getattr(day, "tzinfo", None) is None for day in known):
        return pd.Series(np.array(known.tolist(), dtype="datetime64[us]"))
    return values


def is_number(values: pd.Series[Any]) -> bool:
    """Whether the dtype is one of numbers; truth values are no numbers."""
    dtype = values.dtype
    return bool(pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype))


def is_float(values: pd.Series[Any]) -> bool:
    """Whether the dtype is one of numbers with decimals."""
    return is_number(values) and not pd.api.types.is_integer_dtype(values.dtype)


def is_time(values: pd.Series[Any]) -> bool:
    """Whether the dtype is one of days or times."""
    return bool(pd.api.types.is_datetime64_any_dtype(values.dtype))


def cells_of(values: pd.Series[Any]) -> list[Any]:
    """A text, number, truth value or None for each value; a day before March 1900 is a text."""
    if is_time(values):
        return [None if pd.isna(day) else day_number(day) for day in values]
    cells = values.astype(object).mask(values.isna(), None).tolist()
    texts: dict[str, str] = {}  # most texts occur often
    for row, value in enumerate(cells):
        if isinstance(value, str):
            if value not in texts:
                texts[value] = text_of(value)
            cells[row] = texts[value]
        elif not (value is None or isinstance(value, bool) or _is_finite(value)):
            cells[row] = text_of(value)
    return cells


def day_number(day: pd.Timestamp) -> float | str:
    """Excel's number of a day; a text for a day that Excel cannot represent."""
    return day.isoformat()[:10] if day < _FIRST_DAY else (day - _EPOCH) / pd.Timedelta(1, "D")


def day_of(number: float) -> pd.Timestamp:
    """The day that has a number in Excel."""
    return _EPOCH + pd.Timedelta(number, "D")


def text_of(value: Any) -> str:
    """A value as a text that a workbook can contain."""
    return visible(str(value))[:_MAX_LETTERS]


def _is_finite(value: Any) -> bool:  # a workbook has no infinite numbers
    return isinstance(value, int | float | np.number) and math.isfinite(value)
