"""Frames as sheets of a workbook."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from os import PathLike
from typing import Any

import pandas as pd

from budgetframe._runtime.printable import visible
from budgetframe.errors import ToolError

from .builder import shown

__all__ = ["to_excel"]

_FORBIDDEN = re.compile(r"[\[\]:*?/\\]|^'|'$")
_MAX_NAME = 31  # letters of the name of a sheet
_FIRST_DAY = pd.Timestamp("1900-03-01")  # Excel counts a 29 February 1900; earlier days are texts
_LIKE_FORMULA = ("=", "+", "-", "@")


def to_excel(path: str | PathLike[str], frames: pd.DataFrame | Mapping[str, pd.DataFrame]) -> None:
    r"""Write frames to an Excel workbook, one sheet for each frame.

    Parameters
    ----------
    path : path
        The file to write; its name ends in ``.xlsx``. An existing file is replaced.
    frames : DataFrame or mapping of str to DataFrame
        A frame, or frames by the names of their sheets, as `BudgetFrame.export` returns them.

    Raises
    ------
    ToolError
        When openpyxl is not installed, the path is not a path that ends in ``.xlsx``, or there are
        no frames.

    Notes
    -----
    - Texts stay texts: a name that begins with ``=``, ``+``, ``-`` or ``@`` is never a formula.
    - Control characters, which a workbook cannot contain, are written as escapes, such as
      ``\x00``.
    - Times are written in UTC without their time zone, which a workbook cannot contain.
    - Days before March 1900, and values that are lists or mappings, are written as text.
    - An index is written only if it is not the row numbers.
    - Characters that the name of a sheet cannot contain become ``_``; a sheet name has at most 31
      characters.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> bf = BudgetFrame.sandbox()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_excel(f"{folder}/budget.xlsx", bf.export())
    ...     sheets = pd.read_excel(f"{folder}/budget.xlsx", sheet_name=None)
    >>> list(sheets)[:3]
    ['accounts', 'payees', 'payee_locations']
    """
    if find_spec("openpyxl") is None:
        raise ToolError("a workbook needs openpyxl: pip install 'budgetframe[excel]'")
    if not isinstance(path, str | PathLike):
        raise ToolError(
            f"path must be a path, but is {_kind(path)}: write to_excel('budget.xlsx', frames)"
        )
    if not str(path).lower().endswith(".xlsx"):
        raise ToolError(f"path={shown(str(path))}: the name of a workbook ends in .xlsx")
    if isinstance(frames, pd.DataFrame):
        frames = {str(frames.attrs.get("report", "Sheet1")): frames}
    values = list(frames.values()) if isinstance(frames, Mapping) else [frames]
    for each in values:
        if not isinstance(each, pd.DataFrame):
            raise ToolError(
                "frames must be a frame, or frames by the names of their sheets, but has"
                f" {_kind(each)}: write to_excel('budget.xlsx', frames)"
            )
    if not frames:
        raise ToolError("there are no frames to write")
    taken: set[str] = set()
    with pd.ExcelWriter(path, engine="openpyxl", datetime_format="YYYY-MM-DD HH:MM:SS") as writer:
        for name, frame in frames.items():
            _write(writer, _sheet_name(str(name), taken), frame)


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"


def _write(writer: Any, name: str, frame: pd.DataFrame) -> None:
    rows = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
    plain = pd.DataFrame({each: _plain(rows.iloc[:, each]) for each in range(rows.shape[1])})
    header = [visible(_joined(label)) for label in rows.columns]
    plain.to_excel(writer, sheet_name=name, index=False, header=header)
    sheet = writer.sheets[name]
    for column, values in plain.items():
        for row in _positions_like_formulas(values):
            _as_text(sheet.cell(row + 2, int(str(column)) + 1))
    for column, label in enumerate(header):
        if label.startswith(_LIKE_FORMULA):
            _as_text(sheet.cell(1, column + 1))


def _as_text(cell: Any) -> None:
    cell.data_type = "s"
    cell.quotePrefix = True  # otherwise Excel makes a formula of it when somebody edits the cell


def _positions_like_formulas(values: pd.Series[Any]) -> list[int]:
    if values.dtype != object:
        return []
    first = (*_LIKE_FORMULA, "#")  # openpyxl writes "#N/A" as an error
    return [n for n, text in enumerate(values) if isinstance(text, str) and text.startswith(first)]


def _plain(values: pd.Series[Any]) -> pd.Series[Any]:
    """The values of a column as Excel can represent them."""
    dtype = values.dtype
    if isinstance(dtype, pd.DatetimeTZDtype):
        times: pd.Series[Any] = values.dt.tz_convert("UTC").dt.tz_localize(None)
        return times
    if pd.api.types.is_datetime64_dtype(dtype):
        return _objects(values, _day)
    if pd.api.types.is_numeric_dtype(dtype):
        return values
    return _objects(values, _cell)


def _objects(values: pd.Series[Any], convert: Callable[[Any], Any]) -> pd.Series[Any]:
    # Not `map`, which would make a column of texts of them again.
    is_missing = values.isna().tolist()
    pairs = zip(values, is_missing, strict=True)
    return pd.Series([None if gone else convert(value) for value, gone in pairs], dtype=object)


def _day(day: pd.Timestamp) -> Any:
    if day < _FIRST_DAY:
        return day.isoformat()[:10]
    return day.date() if day == day.normalize() else day.to_pydatetime()


def _cell(value: Any) -> Any:
    return visible(str(value)) if isinstance(value, str | list | dict | tuple) else value


def _joined(label: Any) -> str:
    return " ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _sheet_name(name: str, taken: set[str]) -> str:
    """A name that a sheet can have and that no other sheet has."""
    allowed = _FORBIDDEN.sub("_", visible(name).replace("\\", "_"))[:_MAX_NAME] or "Sheet"
    unique, number = allowed, 1
    while unique.lower() in taken:  # Excel ignores upper and lower case
        number += 1
        unique = f"{allowed[: _MAX_NAME - len(str(number)) - 1]}_{number}"
    taken.add(unique.lower())
    return unique
