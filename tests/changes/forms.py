"""Other forms of a frame, with the same values in all of its cells: dtypes and categories."""

import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa

Column = Any
Form = Callable[[random.Random, Column], Column]


def _in_arrow(dtype: pa.DataType) -> Form:
    return lambda _, column: column.astype(pd.ArrowDtype(dtype))


def _in_plain_dtype(dtype: Any) -> Form:
    return lambda _, column: column.astype(dtype)


def _as_objects(convert: Callable[[Any], Any]) -> Form:
    """The cells as Python objects."""

    def form(_: random.Random, column: Column) -> Column:
        cells = [None if pd.isna(cell) else convert(cell) for cell in column]
        return pd.Series(cells, column.index, dtype=object, name=column.name)

    return form


def _in_categories(rng: random.Random, column: Column) -> Column:
    """A categorical whose categories have any order, with or without unused ones."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype("category")
    if rng.random() < 0.5:
        column = column.cat.remove_unused_categories()
    categories = list(column.cat.categories)
    if rng.random() < 0.3 and all(isinstance(each, str) for each in categories):
        categories += [f"unused {len(categories)}"]
    rng.shuffle(categories)
    return column.cat.set_categories(categories, ordered=rng.random() < 0.3)


def _in_zone(rng: random.Random, column: Column) -> Column:
    return column.dt.tz_localize(rng.choice(["UTC", "Europe/Berlin", "America/Los_Angeles"]))


def _in_zone_of_arrow(rng: random.Random, column: Column) -> Column:
    zoned = _in_zone(rng, column)
    return zoned.astype(pd.ArrowDtype(pa.timestamp("us", tz=str(zoned.dtype.tz))))


_TEXTS: Sequence[Form] = (
    _in_plain_dtype("string"), _in_arrow(pa.string()), _as_objects(str), _in_categories,
    _in_arrow(pa.dictionary(pa.int32(), pa.string())),
)  # fmt: skip
_CATEGORIES: Sequence[Form] = (*_TEXTS, _in_categories, _in_categories)
_DAYS: Sequence[Form] = (
    _in_plain_dtype("datetime64[ns]"), _in_arrow(pa.timestamp("ns")), _in_arrow(pa.date32()),
    _as_objects(lambda cell: cell), _as_objects(lambda cell: cell.date()),
    _as_objects(lambda cell: cell.strftime("%Y-%m-%d")),
    _in_categories, _in_zone, _in_zone_of_arrow,
)  # fmt: skip
_TIMES: Sequence[Form] = (
    _as_objects(lambda cell: cell), _as_objects(lambda cell: cell.isoformat()),
    lambda _, column: column.dt.tz_convert("Europe/Berlin"),
    _in_arrow(pa.timestamp("us", tz="UTC")),
)  # fmt: skip
_FLAGS: Sequence[Form] = (
    _in_plain_dtype("boolean"), _in_arrow(pa.bool_()), _as_objects(bool), _in_categories,
)  # fmt: skip
_NUMBERS: Sequence[Form] = (
    _in_plain_dtype("Float64"), _in_arrow(pa.float64()), _as_objects(float),
    _as_objects(lambda cell: Decimal(str(cell))), _in_arrow(pa.decimal128(25, 3)), _in_categories,
)  # fmt: skip


def _forms_of(column: Column) -> Sequence[Form]:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _CATEGORIES
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _TIMES
    by_kind = {"M": _DAYS, "b": _FLAGS, "f": _NUMBERS, "i": _NUMBERS}
    if dtype.kind in by_kind:
        return by_kind[dtype.kind]
    if column.dtype == object:  # cells of several types, or lists, which no category can be
        return [] if column.map(lambda cell: isinstance(cell, list)).any() else [_in_categories]
    return _TEXTS


def in_other_dtypes(rng: random.Random, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame that was read from the budget, with other dtypes of some columns."""
    forms = {str(name): _forms_of(frame[name]) for name in frame if rng.random() < 0.4}
    found = {name: rng.choice(of)(rng, frame[name]) for name, of in forms.items() if of}
    return frame.assign(**found)
