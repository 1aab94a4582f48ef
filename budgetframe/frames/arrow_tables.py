"""Tables of other libraries, such as polars and pyarrow, as DataFrames."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Protocol, TypeVar, cast

import pandas as pd

from budgetframe.errors import ToolError

_T = TypeVar("_T")


class ArrowTable(Protocol):
    """A table with the Arrow PyCapsule interface, for example of polars, pyarrow or DuckDB."""

    @property
    def columns(self) -> Any:
        """The columns or their names, which a single column does not have."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The data of the table."""


def is_frame(value: object) -> bool:
    """Whether a value is a DataFrame or a table of another library; a single column is neither."""
    # The attributes of the value itself are not read: the columns of a LazyFrame are slow to find.
    return all(hasattr(type(value), name) for name in ("columns", "__arrow_c_stream__"))


def in_pandas(value: _T | ArrowTable) -> _T | pd.DataFrame:
    """Convert a table of another library to a DataFrame; any other value is returned unchanged.

    Days and times have microseconds, whole numbers and flags can be missing, and decimals stay
    exact. Categories become texts. Without pyarrow, a table of another library is a `ToolError`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> in_pandas(pa.table({"amount": [-4.5], "cleared": [None]}))
       amount cleared
    0    -4.5    None
    """
    if isinstance(value, pd.DataFrame) or not is_frame(value):
        return cast("_T", value)
    require_pyarrow(f"a table of {type(value).__module__.partition('.')[0]}")
    import pyarrow as pa  # noqa: PLC0415 - an extra

    table = pa.table(value)
    cells: dict[str, Any] = {}
    for at, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        kind = column.type
        if pa.types.is_dictionary(kind):  # some versions of pyarrow cannot convert those of polars
            table = table.set_column(at, name, pa.array(column.to_pylist()))
        elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            time = pa.timestamp("us", getattr(kind, "tz", None))
            table = table.set_column(at, name, column.cast(time, safe=False))
        elif pa.types.is_nested(kind):  # such as the parts of splits, as lists and mappings
            cells[name] = pd.Series(column.to_pylist(), dtype=object)
        elif pa.types.is_boolean(kind) and column.null_count:
            cells[name] = pd.array(column.to_pylist(), dtype="boolean")

    def dtype_of(kind: Any) -> Any:
        if pa.types.is_decimal(kind):
            return pd.ArrowDtype(kind)
        return pd.Int64Dtype() if pa.types.is_integer(kind) else None

    frame: pd.DataFrame = table.to_pandas(types_mapper=dtype_of)
    for name, values in cells.items():
        frame[name] = getattr(values, "array", values)  # whatever the index
    return frame


def require_pyarrow(what: str) -> None:
    """Check that pyarrow, an extra, is installed."""
    if find_spec("pyarrow") is None:
        raise ToolError(f"{what} needs pyarrow: pip install 'budgetframe[arrow]'")
