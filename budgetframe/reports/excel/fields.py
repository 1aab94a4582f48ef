"""The columns of a sheet, from the index and the columns of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

import pandas as pd

from budgetframe._runtime.printable import width_of
from budgetframe.frames.ledger import LEDGER
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import TABLES
from budgetframe.reports.currency import in_currency
from budgetframe.reports.report import columns_of

from .cells import cells_of, day_number, is_number, is_time, simplified, text_of
from .number_formats import (
    GENERAL,
    SHARE,
    freq_of,
    looks_like_shares,
    money_format,
    number_format,
    period_format,
)

__all__ = ["TOTALS", "Field", "Heading", "fields_of"]

TOTALS = {"All", "Total"}  # the last row and column of a pivot table with margins
_PERIODS = {"period", "month"}  # columns with the first days of periods
_COLUMNS: Mapping[str, Column] = {
    column.name: column
    for columns in (*(table.columns for table in TABLES.values()), LEDGER)
    for column in columns
}


@dataclass(frozen=True, slots=True)
class Heading:
    """A cell of the heading: a text, or Excel's number of a day with its number format."""

    value: str | float
    number_format: str = GENERAL

    def lines(self, width: int) -> list[str]:
        """The lines of the heading in a column of this width; a word is never cut."""
        if not isinstance(self.value, str):
            return [self.number_format]  # about as wide as the day
        return wrap(self.value, width, break_long_words=False) or [""]


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a sheet: a level of the index, or a column of the frame.

    Parameters
    ----------
    headings : sequence of Heading
        The heading, one for each row of the header.
    cells : list
        The values as Excel can represent them: texts, numbers, truth values, None.
    number_format : str
        The number format of the cells.
    own_formats : mapping of float to str
        Number formats for single values; only the first days of quarters have one.
    align : {"left", "right", "center"}
        The alignment of the cells and of the heading.
    width : int
        The width of the widest cell in letters.
    is_label : bool
        Whether it is a level of the index.
    is_key : bool
        Whether it has keys, which nobody reads.
    is_money : bool
        Whether it has amounts.
    is_total : bool
        Whether it is the sum of the other columns.
    """

    headings: Sequence[Heading]
    cells: list[Any]
    number_format: str
    own_formats: Mapping[float, str]
    align: str
    width: int
    is_label: bool
    is_key: bool
    is_money: bool
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class _Source:
    """A column of a sheet before it has formats.

    Parameters
    ----------
    labels : tuple
        Its labels.
    data : Series
        Its values.
    column : Column, optional
        Its definition, if it is a column of this package.
    is_label : bool
        Whether it is a level of the index.
    is_pivoted : bool
        Whether it is a column of a pivot table, without the name of the values.
    """

    labels: tuple[Any, ...]
    data: pd.Series[Any]
    column: Column | None
    is_label: bool
    is_pivoted: bool = False


@dataclass(frozen=True, slots=True)
class _Style:
    """What the formats of a frame depend on.

    Parameters
    ----------
    currency : mapping, optional
        The currency format.
    pivoted : str
        The number format for floats of a pivot table that does not name its values.
    freq : str
        Length of the periods of the frame; empty if it is unknown.
    """

    currency: Mapping[str, Any] | None
    pivoted: str
    freq: str


def fields_of(frame: pd.DataFrame, currency_format: Mapping[str, Any] | None) -> list[Field]:
    """The columns of the sheet of a frame, those of the index first.

    Parameters
    ----------
    frame : DataFrame
        The frame.
    currency_format : mapping, optional
        The currency format for amounts of a frame that does not state its own.
    """
    known = _COLUMNS
    if "report" in frame.attrs or not _has_row_numbers(frame):  # a report, or a pivot table of one
        known = {**_COLUMNS, **columns_of(frame)}
    sources = [*_index_sources(frame, known), *_column_sources(frame, known)]
    style = _style_of(frame, sources, known, currency_format)
    headings = _headings(sources, frame.columns.nlevels, style.freq)
    fields = [_field(each, heading, style) for each, heading in zip(sources, headings, strict=True)]
    if sources and sources[0].is_label and not TOTALS.isdisjoint(sources[-1].labels):
        fields[-1] = replace(fields[-1], is_total=True)
    return fields


def _index_sources(frame: pd.DataFrame, known: Mapping[str, Column]) -> list[_Source]:
    index = frame.index
    if _has_row_numbers(frame):
        return []
    upper = ("",) * (frame.columns.nlevels - 1)
    return [
        _Source(
            (*upper, "" if name is None else name),
            simplified(pd.Series(index.get_level_values(level)).reset_index(drop=True)),
            known.get(str(name)),
            is_label=True,
        )
        for level, name in enumerate(index.names)
    ]


def _has_row_numbers(frame: pd.DataFrame) -> bool:
    """Whether the index has only the numbers of rows, also those of selected rows."""
    index = frame.index
    is_numbers = index.nlevels == 1 and pd.api.types.is_integer_dtype(index.dtype)
    return is_numbers and index.name is None


def _column_sources(frame: pd.DataFrame, known: Mapping[str, Column]) -> list[_Source]:
    # The labels of a level that has a name are values, such as the names of categories.
    has_names = [name is None for name in frame.columns.names]
    levels = {str(name) for name in (*frame.index.names, *frame.columns.names)}
    is_pivot = not all(has_names) and not levels.isdisjoint(known)
    sources = []
    for position, label in enumerate(frame.columns):
        labels = label if isinstance(label, tuple) else (label,)
        values = simplified(frame.iloc[:, position].reset_index(drop=True))
        names = [str(each) for each, is_name in zip(labels, has_names, strict=True) if is_name]
        columns = (known[name] for name in names if name in known)
        column = next((each for each in columns if _fits(each, values)), None)
        is_pivoted = is_pivot and column is None and not names and _is_float(values)
        sources.append(_Source(labels, values, column, is_label=False, is_pivoted=is_pivoted))
    return sources


def _fits(column: Column, values: pd.Series[Any]) -> bool:
    """Whether values can be those of a column; a frame can use the name for something else."""
    if column.unit == CURRENCY:
        return _is_float(values)
    return not column.unit or is_number(values)


def _is_money(source: _Source) -> bool:
    return source.column is not None and source.column.unit == CURRENCY


def _is_float(values: pd.Series[Any]) -> bool:
    return is_number(values) and not pd.api.types.is_integer_dtype(values.dtype)


def _style_of(
    frame: pd.DataFrame,
    sources: Sequence[_Source],
    known: Mapping[str, Column],
    currency_format: Mapping[str, Any] | None,
) -> _Style:
    own = _own_currency(frame.attrs)
    currency = own or currency_format
    floats = [each.data for each in sources if each.is_pivoted]
    freq = str(frame.attrs.get("freq", ""))
    # `pivot_table` keeps the name of the report.
    columns = columns_of(frame) if "report" in frame.attrs else known
    units = {column.unit for column in columns.values()}
    if not own and not (sources and sources[0].is_label):
        return _Style(currency, GENERAL, freq)
    if "share" in units and looks_like_shares(floats):
        return _Style(currency, SHARE, freq)
    if CURRENCY not in units:
        return _Style(currency, GENERAL, freq)
    amounts = [*floats, *(each.data for each in sources if _is_money(each))]
    if currency is None and all((each.dropna() % 1 == 0).all() for each in amounts):
        currency = {"decimal_digits": 0}
    return _Style(currency, money_format(currency), freq)


def _own_currency(attrs: Mapping[Any, Any]) -> Mapping[str, Any] | None:
    """The currency format of a frame; of budgets in several currencies only the most decimals."""
    own: Mapping[str, Any] | None = attrs.get("currency_format")
    if own or not attrs.get("budgets"):
        return own
    formats = [each.get("currency_format") or {} for each in attrs["budgets"].values()]
    digits = [each.get("decimal_digits") for each in formats]
    return {"decimal_digits": max(2 if each is None else int(each) for each in digits)}


def _headings(sources: Sequence[_Source], levels: int, freq: str) -> list[list[Heading]]:
    """The headings of each column, from the top row of the header to the last."""
    freqs = []
    for level in range(levels):
        days = [day for day in (_day(each.labels[level]) for each in sources) if day is not None]
        freqs.append(freq if freq not in ("", "all") else freq_of(days))
    return [
        [
            _heading(label, each.column, level_freq)
            for label, level_freq in zip(each.labels, freqs, strict=True)
        ]
        for each in sources
    ]


def _heading(label: Any, column: Column | None, freq: str) -> Heading:
    day = _day(label)
    number = None if day is None else day_number(day)
    if day is not None and number is not None:
        return Heading(number, period_format(freq, day))
    if column is not None and label == column.name:
        return Heading(column.name.replace("_", " ").capitalize())
    return Heading(text_of("" if label is None else label))


def _day(label: Any) -> pd.Timestamp | None:
    if isinstance(label, pd.Period):
        return label.start_time
    is_day = isinstance(label, pd.Timestamp) and label.tzinfo is None
    return label if is_day else None


def _field(source: _Source, headings: Sequence[Heading], style: _Style) -> Field:
    values, column = source.data, source.column
    cells = cells_of(values)
    money = money_format(style.currency)
    unknown = style.pivoted if source.is_pivoted else GENERAL
    code = number_format(values, column, money=money, unknown=unknown)
    own_formats: dict[float, str] = {}
    if is_time(values) and column is not None and column.name in _PERIODS:
        days = values.dropna()
        freq = style.freq if column.name == "period" and style.freq else freq_of(days)
        code = period_format(freq)
        if freq == "quarter":
            numbers = {day: day_number(day) for day in days.unique()}
            own_formats = {n: period_format(freq, day) for day, n in numbers.items() if n}
    is_money = is_number(values) and code == money
    is_flag = pd.api.types.is_bool_dtype(values.dtype)
    return Field(
        headings=headings,
        cells=cells,
        number_format=code,
        own_formats=own_formats,
        align="right" if is_number(values) else "center" if is_flag else "left",
        width=_width(cells, code, style.currency if is_money else None),
        is_label=source.is_label,
        is_key=column is not None and column.name.endswith("_id"),
        is_money=is_money,
    )


def _width(cells: Sequence[Any], code: str, currency: Mapping[str, Any] | None) -> int:
    """The width of the widest cell in letters."""
    texts = {cell for cell in cells if isinstance(cell, str)}
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    widths = [*map(width_of, texts)]
    if numbers and code == GENERAL:
        widths.append(max(len(f"{number:.10g}") for number in set(numbers)))
    elif numbers and "y" in code:
        widths.append(len(code))
    elif numbers:
        ends = min(numbers), max(numbers)
        widths += [width_of(in_currency(number, currency)) + 1 for number in ends]
    return max(widths, default=0)
