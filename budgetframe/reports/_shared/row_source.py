"""The rows of a ledger behind the rows of a report."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._runtime.arguments import closest_names
from budgetframe.errors import ToolError
from budgetframe.frames.dates import day_of

_DAYS = r"\d{4}(-\d{2}){0,2}"  # a year, a month or a day

Positions = Callable[[int], Any]
Columns = Mapping[str, Positions]
"""For each column, the function from the number of a row of the report to the rows behind it."""


class CountedRows:
    """Rows of a frame that a report adds up, with their label and day."""

    def __init__(self, rows: pd.DataFrame, labels: Any = None) -> None:
        # They have the column ``date``, and as index their positions in the frame (`numbered`).
        self._positions = rows.index.to_numpy()
        self._days = rows["date"].to_numpy()
        self._labels = np.asarray(labels if labels is not None else ())

    @cached_property
    def _of_label(self) -> Mapping[Any, Any]:
        """The places of the rows of each label: a report can have a row for each of many labels."""
        return pd.Series(self._labels).groupby(self._labels).indices

    def behind(self, labels: Any = None, *, first: Any = None, last: Any = None) -> Positions:
        """The function that returns the positions of the rows behind a row of the report."""
        # For each row of the report, `labels` has the label of the rows behind it, or a list of
        # labels, and `first` and `last` have the first and the last of their days.

        def positions(number: int) -> Any:
            found, days = self._positions, self._days
            if labels is not None:
                wanted = np.atleast_1d(labels[number]).tolist()
                places = [self._of_label[label] for label in wanted if label in self._of_label]
                at = np.concatenate([np.zeros(0, dtype="int64"), *places])
                found, days = found[at], days[at]
            kept = np.ones(len(found), dtype=bool)
            if first is not None:
                kept &= days >= first[number]
            if last is not None:
                kept &= days <= last[number]
            return found[kept]

        return positions


@dataclass(frozen=True, eq=False)
class RowSource:
    """The rows of a frame behind each row of a report."""

    frame: pd.DataFrame  # the ledger, or another frame whose rows the report adds up
    keys: tuple[str, ...]  # the columns of the report that identify a row
    # The first column of sums is the main one. A callable gets the frame that `numbered` returns.
    columns: Columns | Callable[[pd.DataFrame], Columns]
    table: Mapping[str, Any] = field(default_factory=dict)  # the columns `keys` of the report

    def of(self, values: Mapping[str, Any]) -> RowSource:
        """The source of a report with these columns."""
        # A shallow copy: columns that the user adds to the ledger or replaces do not change it.
        shallow = self.frame.copy(deep=False)
        return replace(self, frame=shallow, table={name: values[name] for name in self.keys})

    def rows(self, chosen: pd.DataFrame, column: str | None) -> pd.DataFrame:
        """The rows of the frame behind a column of some rows of the report, each once."""
        columns = self.columns
        if not isinstance(columns, Mapping):
            columns = columns(numbered(self.frame))
        column = next(iter(columns)) if column is None else column
        if column not in columns:
            known = f"{reprlib.repr([*columns])[1:-1]}; other columns are not sums of rows"
            raise ToolError(f"column={column!r}: rows() knows the rows behind {known}")
        found = [columns[column](number) for number in self._numbers(chosen)]
        positions = np.unique(np.concatenate([np.zeros(0, dtype="int64"), *found]))
        return self.frame.take(positions)

    def _numbers(self, chosen: pd.DataFrame) -> list[int]:
        """The numbers of some rows in the calculated report."""
        missing = [name for name in self.keys if name not in chosen]
        if missing:
            advice = "which identifies its rows: use the report as it was calculated"
            raise ToolError(f"the report has no column {', '.join(missing)} any more, {advice}")
        table, rows = pd.DataFrame(self.table), chosen[[*self.keys]].reset_index(drop=True)
        # The index of the calculated report is the number, unless the user changed the index.
        index = chosen.index
        is_number = pd.api.types.is_integer_dtype(index) and bool(len(table))
        numbers = np.clip(index, 0, len(table) - 1) if is_number else np.zeros(len(rows), int)
        is_same = np.zeros(len(rows), dtype=bool)
        if is_number:
            is_same = _are_equal(table.take(numbers), rows)
        found: list[int] = np.asarray(numbers)[is_same].tolist()
        for row in rows[~is_same].to_dict("records"):
            equal = np.flatnonzero(_are_equal(table, row))
            if not len(equal):
                advice = f"{_written(row)}: remove this row, or use the report as it was calculated"
                raise ToolError(f"the report was calculated without the row {advice}")
            found += equal.tolist()
        return found


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the positions of its rows as index, without a copy of the data."""
    rows = frame.copy(deep=False)
    rows.index = pd.RangeIndex(len(rows))
    return rows


def selected_rows(
    report: pd.DataFrame, name: str, at: object, values: Mapping[str, Any]
) -> pd.DataFrame:
    """The row of a report at a position, or the rows with certain values; otherwise all rows."""
    # Negative positions count from the end. A text for a column of days is a day, month or year.
    if at is not None:
        if values:
            raise ToolError("rows: pass a position or values of columns, not both")
        return rows_at(report, name, "rows", at)
    kept = np.ones(len(report), dtype=bool)
    for column, value in values.items():
        has_value = _has_value(report, name, column, value)
        if not has_value.any():
            problem = f"no row of the report {name} has this value"
            raise ToolError(f"{column}={value!r}: {problem}{_closest(report[column], value)}")
        kept &= has_value
    if values and not kept.any():
        problem = f"no row of the report {name} has all the values"
        raise ToolError(f"{problem} {_written(values)}: pass fewer of them")
    return report[kept]


def rows_at(report: pd.DataFrame, name: str, call: str, at: Any) -> pd.DataFrame:
    """The rows of a report at one or several positions, for a method whose name is `call`."""
    count, positions = len(report), []
    for each in at if pd.api.types.is_list_like(at) else [at]:
        if not isinstance(each, int | np.integer) or isinstance(each, bool):
            column = next(each for each in report.columns if not str(each).endswith("_id"))
            other = f", or values of columns, such as rows({column}=...)" * (call == "rows")
            advice = f"pass the position of a row, such as {call}(0){other}"
            raise ToolError(f"{call}({each!r}): {advice}")
        if not -count <= each < count:
            known = f"positions 0 to {count - 1}" if count else "no rows"
            raise ToolError(f"{call}({each}): the report {name} has {known}")
        positions.append(int(each))
    return report.iloc[positions]


def budget_rows(columns: Mapping[str, Any], report: pd.DataFrame) -> pd.DataFrame:
    """A frame for `BudgetFrame.changes`, of rows of the budget that a report is about."""
    frame = pd.DataFrame(columns)
    frame.attrs = {name: report.attrs[name] for name in _OF_BUDGET if name in report.attrs}
    return frame


_OF_BUDGET = ("budget", "source", "version")


def _has_value(report: pd.DataFrame, name: str, column: str, value: Any) -> Any:
    if column not in report:
        columns = [*map(str, report.columns)]
        close = closest_names(column, columns)
        known = f"the closest: {', '.join(close)}" if close else f"it has {', '.join(columns)}"
        raise ToolError(f"{column}={value!r}: the report {name} has no column {column}; {known}")
    if pd.api.types.is_list_like(value):
        raise ToolError(f"{column}={value!r}: pass one value, or select rows of the report first")
    found = report[column]
    if pd.isna(value):
        return found.isna().to_numpy(bool)
    if pd.api.types.is_datetime64_any_dtype(found):
        days = _days(value, column)
        return ((found >= days.start_time) & (found <= days.end_time)).to_numpy(bool)
    return found.eq(value).fillna(value=False).to_numpy(bool)


def _days(value: Any, column: str) -> pd.Period:
    """A day, month or year as a period of days."""
    if isinstance(value, pd.Period):
        return value
    if isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    if isinstance(value, date):
        return pd.Period(day_of(value, column), "D")
    if isinstance(value, str) and re.fullmatch(_DAYS, value):
        try:
            return pd.Period(value)
        except ValueError:
            pass
    forms = "'2026-05-17', '2026-05' or '2026'"
    raise ToolError(f"{column}={value!r} is not a day, month or year: write it as {forms}")


def _closest(column: pd.Series[Any], value: Any) -> str:
    """The values of a column that are the closest to a value, as the end of a message."""
    known = column.dropna().drop_duplicates()
    if pd.isna(value) or known.empty:
        return ""
    if pd.api.types.is_datetime64_any_dtype(known):
        nearest = (known - _days(value, str(column.name)).start_time).abs().argmin()
        return f"; the closest is {f'{known.iloc[nearest]:%Y-%m-%d}'[: len(str(value))]}"
    texts = [each for each in known if isinstance(each, str)]
    close = closest_names(str(value), texts)
    return f"; the closest: {', '.join(map(repr, close))}" if close else ""


def _are_equal(table: pd.DataFrame, values: Any) -> Any:
    """Which rows of a table have these values; a missing value equals a missing value."""
    equal = np.ones(len(table), dtype=bool)
    for name, column in table.items():
        both = np.empty((2, len(table)), dtype=object)
        both[0], both[1] = column.astype(object), values[name]
        both[pd.isna(both)] = None
        equal &= (both[0] == both[1]).astype(bool)
    return equal


def _written(values: Mapping[Any, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())
