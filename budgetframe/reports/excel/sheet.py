"""One frame as a sheet: headings, number formats, widths and frozen panes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from budgetframe._runtime.text import LIKE_FORMULA, width_of
from budgetframe.errors import ToolError
from budgetframe.frames.display import levels_of
from budgetframe.frames.number_text import Currency, in_currency
from budgetframe.frames.reconciliation import RECONCILIATION
from budgetframe.frames.schema import CURRENCY, LINE, LINES, Column
from budgetframe.frames.tables import LEDGER, TABLES
from budgetframe.reports._shared.report import columns_of

from .cells import cells_of, day_number, is_float, is_number, is_time, simplified, text_of
from .number_formats import (
    DAY,
    GENERAL,
    SHARE,
    freq_of,
    looks_like_shares,
    money_format,
    number_format,
    period_format,
)

_MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384  # of a sheet
# Widths are in letters.
_MIN_WIDTH, _MAX_WIDTH = 6, 42
_MAX_FROZEN = 50  # wider frozen columns leave no room for the others
_PRINTED_WIDTH = 200  # on a page of A4, of which letters of 11 points become 8 points high
_A4 = 9  # Excel's number of the paper
_MARGINS = 0.4  # inches
_FILTER_WIDTH = 3  # the button of a filter covers the end of a heading
_LIKE_FORMULA = (*LIKE_FORMULA, "#")  # Excel reads "#N/A" as an error
_TOTALS = {"All", "Total"}  # the last row and column of a pivot table with margins
_HEADING = {
    "bold": True, "bg_color": "#E9EDF2", "bottom": 1, "bottom_color": "#8A9199",
    "valign": "bottom", "text_wrap": True,
}  # fmt: skip
_EVERY = (*(table.columns for table in TABLES.values()), LEDGER)
_COLUMNS: Mapping[str, Column] = {each.name: each for columns in _EVERY for each in columns}
_RECONCILED = {"service", "ledger"}
"""The amounts of a reconciliation; alone, their names can be those of a person's own columns."""


class Formats:
    """The formats of the cells of a workbook; equal properties are one format."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._known: dict[tuple[tuple[str, Any], ...], Any] = {}

    def __call__(self, properties: Mapping[str, Any]) -> Any:
        """The format with these properties."""
        key = tuple(properties.items())
        if key not in self._known:
            self._known[key] = self._book.add_format(dict(properties))
        return self._known[key]


@dataclass(frozen=True, slots=True)
class _Source:
    """A level of the index, or a column of the frame."""

    labels: tuple[Any, ...]  # one for each row of the heading
    data: pd.Series[Any]  # as `simplified` returns it
    column: Column | None  # its definition, if it is a column of this package
    is_level: bool = False
    is_pivoted: bool = False  # whether a pivot table has it, without the name of the values


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column of a sheet: what is written, and the number format of each cell."""

    labels: tuple[Any, ...]
    is_level: bool  # whether it is a level of the index
    data: pd.Series[Any]
    heading: list[tuple[str | float, str]]  # text or number of a day, and its number format
    codes: list[str]


def shown_columns(frame: pd.DataFrame, currency_format: Currency = None) -> list[ShownColumn]:
    """The columns of a frame as a reader should see them; the levels of the index come first."""
    # The currency format is for amounts of a frame that does not state its own.
    if levels_of(frame):  # the lines of a statement have the names and keys that matter
        hidden = {each.name for each in columns_of(frame).values() if each.display == "hidden"}
        frame = frame[[name for name in frame if name not in hidden]]
    sources = _sources(frame)
    money = money_format(own_currency(frame.attrs) or currency_format)
    pivoted = _pivot_format(frame, sources, money)
    freq = str(frame.attrs.get("freq", ""))
    freq_of_headings = freq or _freq_of_labels(frame)
    shown = []
    for source in sources:
        headings, codes = _headings(source, freq_of_headings), _codes(source, freq, money, pivoted)
        shown.append(ShownColumn(source.labels, source.is_level, source.data, headings, codes))
    return shown


def write_sheet(
    sheet: Any, frame: pd.DataFrame, formats: Formats, *, title: str, currency_format: Currency
) -> None:
    """Write a frame to an empty sheet with this title."""
    # The currency format is for amounts of a frame that does not state its own.
    top, columns = frame.columns.nlevels, frame.index.nlevels + frame.shape[1]
    end = top + len(frame)
    if end > _MAX_ROWS or columns > _MAX_COLUMNS:
        raise ToolError(
            f"the frame for the sheet {title!r} has {len(frame):,} rows and {frame.shape[1]:,}"
            f" columns, but a sheet has at most {_MAX_ROWS:,} rows, including the heading, and"
            f" {_MAX_COLUMNS:,} columns: write a part of it"
        )
    shown = shown_columns(frame, currency_format)
    if not shown:
        return
    currency = own_currency(frame.attrs) or currency_format
    levels = levels_of(frame)
    is_list = not shown[0].is_level
    last = None if is_list or frame.empty else shown[0].data.iloc[-1]
    frozen = frozen_width = used_width = printed = 0
    above: list[tuple[str | float, str]] = []
    for at, source in enumerate(shown):
        cells, codes, heading = cells_of(source.data), source.codes, source.heading
        align = "right" if is_number(source.data) else "left"
        for row, (text, code) in enumerate(heading):
            is_repeated = row < top - 1 and heading[: row + 1] == above[: row + 1]
            own = _HEADING | {"align": align, "num_format": code}
            write_cell(sheet, (row, at), "" if is_repeated else text, formats, own)
        above = heading
        is_bold = not is_list and not _TOTALS.isdisjoint(source.labels)
        for row, (cell, code) in enumerate(zip(cells, codes, strict=True), top):
            is_total = is_bold or (row == end - 1 and last in _TOTALS)
            level = levels[row - top] if levels else LINES
            indent = level if levels and source.labels == (LINE,) else 0
            bold = is_total or level < LINES
            own = {"align": align, "num_format": code, "bold": bold, "indent": indent}
            write_cell(sheet, (row, at), cell, formats, own)
        words = str(heading[-1][0]).split() if heading[-1][1] == GENERAL else [DAY]
        word = max(map(width_of, words), default=0) + (_FILTER_WIDTH if is_list else 0)
        width = max(_width(cells, codes[0] if codes else GENERAL, currency), word) + 2
        shown_width = min(max(width, _MIN_WIDTH), _MAX_WIDTH)
        sheet.set_column(at, at, shown_width)
        used_width += shown_width
        if used_width <= _PRINTED_WIDTH and not str(source.labels[-1]).endswith("_id"):
            printed = at
        frozen_width += min(width, _MAX_WIDTH)
        if frozen == at and frozen_width <= _MAX_FROZEN:
            frozen += source.is_level or (is_list and align == "left")
    sheet.freeze_panes(top, frozen)
    if is_list and not levels:
        sheet.autofilter(top - 1, 0, end - 1, len(shown) - 1)
    print_on_pages(sheet)
    sheet.repeat_rows(0, top - 1)
    if is_list and printed < len(shown) - 1:  # all columns of a ledger would be illegible
        sheet.print_area(0, 0, max(end, top + 1) - 1, printed)


def print_on_pages(sheet: Any) -> None:
    """Print a sheet one page wide, on as many numbered pages as the rows need."""
    sheet.set_landscape()
    sheet.set_paper(_A4)
    sheet.set_margins(left=_MARGINS, right=_MARGINS)
    sheet.set_footer("&L&A&RPage &P of &N")
    sheet.fit_to_pages(1, 0)


def write_cell(sheet: Any, at: Any, value: Any, formats: Formats, style: dict[str, Any]) -> None:
    """Write a value; a text is never a formula."""
    if value == "":
        sheet.write_blank(*at, None, formats(style))
    elif isinstance(value, str):
        # Without the quote, Excel makes a formula of the text when somebody edits the cell.
        quote = {"quote_prefix": True} if value.startswith(_LIKE_FORMULA) else {}
        sheet.write_string(*at, value, formats({**style, **quote}))
    elif isinstance(value, bool):
        sheet.write_boolean(*at, value, formats(style))
    elif value is not None:
        sheet.write_number(*at, value, formats(style))


def _sources(frame: pd.DataFrame) -> list[_Source]:
    """The columns of a sheet: the levels of the index, except the numbers of rows, come first."""
    index, nlevels = frame.index, frame.columns.nlevels
    is_plain = index.nlevels == 1 and index.name is None
    is_numbered = is_plain and pd.api.types.is_integer_dtype(index.dtype)
    known = _COLUMNS
    if "report" in frame.attrs or not is_numbered:  # a report, or a pivot table of one
        known = {**_COLUMNS, **columns_of(frame)}
    elif {*frame.columns} >= _RECONCILED:
        known = {**_COLUMNS, **{column.name: column for column in RECONCILIATION}}
    sources = []
    for level, name in enumerate([] if is_numbered else index.names):
        values = simplified(pd.Series(index.get_level_values(level)).reset_index(drop=True))
        labels = ("",) * (nlevels - 1) + ("" if name is None else name,)
        sources.append(_Source(labels, values, known.get(str(name)), is_level=True))
    # The labels of a level that has a name are values, such as the names of categories.
    has_names = [name is None for name in frame.columns.names]
    levels = {str(name) for name in (*index.names, *frame.columns.names)}
    is_pivot = not all(has_names) and not levels.isdisjoint(known)
    is_pivot = is_pivot and (not is_numbered or bool(own_currency(frame.attrs)))
    for position, label in enumerate(frame.columns):
        labels = label if isinstance(label, tuple) else (label,)
        values = simplified(frame.iloc[:, position].reset_index(drop=True))
        names = [str(each) for each, is_name in zip(labels, has_names, strict=True) if is_name]
        columns = (known[name] for name in names if name in known)
        column = next((each for each in columns if _fits(each, values)), None)
        is_pivoted = is_pivot and column is None and not names and is_float(values)
        sources.append(_Source(labels, values, column, is_pivoted=is_pivoted))
    return sources


def _fits(column: Column, values: pd.Series[Any]) -> bool:
    """Whether values can be those of a column; a frame can use the name for something else."""
    if column.unit == CURRENCY:
        return is_float(values)
    return not column.unit or is_number(values)


def own_currency(attrs: Mapping[Any, Any]) -> Mapping[str, Any] | None:
    """The currency format of a frame; of budgets in several currencies only the most decimals."""
    own: Mapping[str, Any] | None = attrs.get("currency_format")
    if own or not attrs.get("budgets"):
        return own
    formats = [each.get("currency_format") or {} for each in attrs["budgets"].values()]
    digits = [each.get("decimal_digits") for each in formats]
    return {"decimal_digits": max(2 if each is None else int(each) for each in digits)}


def _pivot_format(frame: pd.DataFrame, sources: Sequence[_Source], money: str) -> str:
    """The number format of a pivot table that does not name its values; empty if it has none."""
    is_report = "report" in frame.attrs  # `pivot_table` keeps the name of the report
    columns = columns_of(frame) if is_report else {**_COLUMNS, **columns_of(frame)}
    units = {column.unit for column in columns.values()}
    values = [each.data for each in sources if each.is_pivoted]
    if "share" in units and looks_like_shares(values):
        return SHARE
    return money if CURRENCY in units else ""


def _freq_of_labels(frame: pd.DataFrame) -> str:
    """The length of the periods that are labels of columns."""
    labels = pd.Series(frame.columns.to_frame().to_numpy().ravel(), dtype=object)
    days = [each.start_time if isinstance(each, pd.Period) else each for each in labels]
    return freq_of([day for day in days if isinstance(day, pd.Timestamp) and day.tzinfo is None])


def _codes(source: _Source, freq: str, money: str, pivoted: str) -> list[str]:
    """The number format of each cell of a column."""
    values, column = source.data, source.column
    if is_time(values) and column is not None and column.name in {"period", "month"}:
        own = (freq or freq_of([*values.dropna()])) if column.name == "period" else "month"
        return [DAY if pd.isna(day) else period_format(own, day) for day in values]
    other = pivoted if source.is_pivoted else ""
    return [number_format(values, column, money, other)] * len(values)


def _headings(source: _Source, freq: str) -> list[tuple[str | float, str]]:
    """The text, or the number of a day, of each row of the heading, with its number format."""
    column, found = source.column, []
    for label in source.labels:
        day = label.start_time if isinstance(label, pd.Period) else label
        if isinstance(day, pd.Timestamp) and day.tzinfo is None:
            found.append((day_number(day), period_format(freq, day)))
        elif column is not None and label == column.name and column.display != "own name":
            found.append((column.name.replace("_", " ").capitalize(), GENERAL))
        else:
            found.append((text_of("" if label is None else label), GENERAL))
    return found


def _width(cells: Sequence[Any], code: str, currency: Mapping[str, Any] | None) -> int:
    """The width of the widest cell in letters."""
    numbers = {cell for cell in cells if isinstance(cell, int | float)}
    widths = [width_of(cell) for cell in {cell for cell in cells if isinstance(cell, str)}]
    if numbers and "y" in code:
        widths.append(len(code))
    elif numbers and code == GENERAL:
        widths.append(max(len(f"{number:.10g}") for number in numbers))
    elif numbers:
        widths += [width_of(in_currency(end, currency)) + 1 for end in (min(numbers), max(numbers))]
    return max(widths, default=0)
