"""One frame as a sheet: headings, formats, widths, frozen panes, filters and printed pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from xlsxwriter.utility import xl_rowcol_to_cell

from budgetframe._runtime.printable import visible, width_of
from budgetframe.errors import ToolError

from .fields import TOTALS, Field, Heading, fields_of

__all__ = ["Formats", "write_sheet", "write_text"]

_MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384  # of a sheet
# Widths are in letters.
_MIN_WIDTH, _MAX_WIDTH = 6, 42
_MAX_FROZEN = 50  # wider frozen columns leave no room for the others
_MAX_PRINTED = 220  # of a page in landscape; smaller letters are hard to read
_FILTER_WIDTH = 3  # the button of a filter covers the end of a heading
_LINE_HEIGHT = 15  # points
_MAX_PAGE_TITLE = 100  # letters; the header of a page has at most 255
_LIKE_FORMULA = ("=", "+", "-", "@", "#")  # Excel reads "#N/A" as an error

_HEADER = {
    "bold": True, "bg_color": "#E9EDF2", "bottom": 1, "bottom_color": "#8A9199",
    "valign": "bottom", "text_wrap": True,
}  # fmt: skip
_TOTAL_ROW = {"bold": True, "top": 1, "top_color": "#8A9199"}
_NEGATIVE = {"font_color": "#B3261E"}
_FAINT = {"font_color": "#8A9199"}


class Formats:
    """The formats of the cells of a workbook; equal properties are one format.

    Parameters
    ----------
    book : xlsxwriter.Workbook
        The workbook.
    """

    def __init__(self, book: Any) -> None:
        self._book = book
        self._known: dict[tuple[tuple[str, Any], ...], Any] = {}

    def __call__(self, properties: Mapping[str, Any]) -> Any:
        """The format with these properties."""
        key = tuple(sorted(properties.items()))
        if key not in self._known:
            self._known[key] = self._book.add_format(dict(properties))
        return self._known[key]


def write_sheet(
    sheet: Any,
    frame: pd.DataFrame,
    formats: Formats,
    *,
    title: str,
    currency_format: Mapping[str, Any] | None,
) -> None:
    """Write a frame to an empty sheet.

    Parameters
    ----------
    sheet : xlsxwriter.worksheet.Worksheet
        The sheet.
    frame : DataFrame
        The frame.
    formats : Formats
        The formats of the workbook.
    title : str
        The title of printed pages.
    currency_format : mapping, optional
        The currency format for amounts of a frame that does not state its own.

    Raises
    ------
    ToolError
        If the frame has more rows or columns than a sheet can have.
    """
    rows, columns = len(frame), frame.index.nlevels + frame.shape[1]
    if frame.columns.nlevels + rows > _MAX_ROWS or columns > _MAX_COLUMNS:
        raise ToolError(
            f"the frame for the sheet {title!r} has {rows:,} rows and {frame.shape[1]:,} columns,"
            f" but a sheet has at most {_MAX_ROWS:,} rows, including the heading, and"
            f" {_MAX_COLUMNS:,} columns: write a part of it"
        )
    fields = fields_of(frame, currency_format)
    if fields:
        _SheetWriter(sheet, formats, fields).write()
    _set_up_page(sheet, title, frame.attrs)


def write_text(
    sheet: Any, cell: tuple[int, int], text: str, formats: Formats, style: Mapping[str, Any]
) -> None:
    """Write a text that is never a formula."""
    # Without the quote, Excel makes a formula of the text when somebody edits the cell.
    quote = {"quote_prefix": True} if text.startswith(_LIKE_FORMULA) else {}
    sheet.write_string(*cell, text, formats({**style, **quote}))


def _set_up_page(sheet: Any, title: str, attrs: Mapping[Any, Any]) -> None:
    sheet.set_landscape()
    sheet.set_margins(left=0.4, right=0.4, top=0.8, bottom=0.6)
    budget, day = attrs.get("budget", ""), str(attrs.get("as_of", ""))[:10]
    sheet.set_header(f"&L{_printed(budget)}&C{_printed(title)}&R{day}")
    sheet.set_footer("&RPage &P of &N")


def _printed(text: object) -> str:
    """A text in the header of a page, where ``&`` begins an instruction."""
    return visible(str(text))[:_MAX_PAGE_TITLE].replace("&", "&&")


class _SheetWriter:
    """Write the columns of one sheet.

    Parameters
    ----------
    sheet : xlsxwriter.worksheet.Worksheet
        The sheet.
    formats : Formats
        The formats of the workbook.
    fields : sequence of Field
        The columns, at least one.
    """

    def __init__(self, sheet: Any, formats: Formats, fields: Sequence[Field]) -> None:
        self._sheet, self._formats, self._fields = sheet, formats, fields
        self._top = len(fields[0].headings)
        self._end = self._top + len(fields[0].cells)
        self._labels = sum(field.is_label for field in fields)
        self._has_filter = not self._labels and self._end > self._top
        # Keys are folded away, unless nothing else names the rows.
        is_named = any(field.align == "left" and not field.is_key for field in fields)
        self._folded = {at for at, field in enumerate(fields) if field.is_key and is_named}
        self._widths = [self._width(field) for field in fields]

    def write(self) -> None:
        """Write the heading and the cells."""
        sheet, last = self._sheet, len(self._fields) - 1
        has_total = bool(self._labels) and not TOTALS.isdisjoint(self._fields[0].cells[-1:])
        styles = self._styles()
        for at, (field, style) in enumerate(zip(self._fields, styles, strict=True)):
            fold = {"hidden": True, "level": 1} if at in self._folded else {}
            sheet.set_column(at, at, self._widths[at], self._formats(style), fold)
            self._write_cells(at, field, style)
            if has_total:
                self._write_total(at, field, style)
            if self._end > self._top:
                self._add_colours(at, field)
        self._write_heading(styles)
        frozen = self._frozen()
        sheet.freeze_panes(self._top, frozen)
        if self._has_filter:
            sheet.autofilter(self._top - 1, 0, self._end - 1, last)
        sheet.repeat_rows(0, self._top - 1)
        if frozen:
            sheet.repeat_columns(0, frozen - 1)
        shown = sum(width for at, width in enumerate(self._widths) if at not in self._folded)
        sheet.fit_to_pages(-(-shown // _MAX_PRINTED), 0)  # and as many pages as the rows need

    def _width(self, field: Field) -> int:
        """The width of the widest cell, or of the longest word of the heading."""
        words = [word for heading in field.headings[-1:] for word in heading.lines(1)]
        longest = max(map(width_of, words), default=0) + (_FILTER_WIDTH if self._has_filter else 0)
        # A cell has a margin, and the letters of a heading are bold.
        return min(max(field.width + 2, longest + 2, _MIN_WIDTH), _MAX_WIDTH)

    def _styles(self) -> list[dict[str, Any]]:
        """The properties of the cells of each column."""
        styles: list[dict[str, Any]] = []
        after = ""
        for at, field in reversed([*enumerate(self._fields)]):
            style: dict[str, Any] = {"num_format": field.number_format, "align": field.align}
            if field.align == "right" and after == "left":
                style["indent"] = 1  # a number keeps a distance from the text to its right
            if field.is_total:
                style["bold"] = True
            styles.insert(0, style)
            after = after if at in self._folded else field.align
        return styles

    def _write_cells(self, at: int, field: Field, style: Mapping[str, Any]) -> None:
        sheet, normal = self._sheet, self._formats(style)
        quoted = self._formats({**style, "quote_prefix": True})
        # Not a conditional format: LibreOffice 7.4 ends when truth values have one.
        faint = self._formats({**style, **_FAINT})
        own = {
            value: self._formats({**style, "num_format": code})
            for value, code in field.own_formats.items()
        }
        for row, cell in enumerate(field.cells, self._top):
            if cell is None:
                continue
            if isinstance(cell, str):
                is_quoted = cell.startswith(_LIKE_FORMULA)
                sheet.write_string(row, at, cell, quoted if is_quoted else normal)
            elif isinstance(cell, bool):
                sheet.write_boolean(row, at, cell, normal if cell else faint)
            else:
                sheet.write_number(row, at, cell, own.get(cell, normal) if own else normal)

    def _write_total(self, at: int, field: Field, style: Mapping[str, Any]) -> None:
        """Write the cell of the last row again, as a total."""
        row, cell, total = self._end - 1, field.cells[-1], {**style, **_TOTAL_ROW}
        if isinstance(cell, int | float):
            self._sheet.write_number(row, at, cell, self._formats(total))
        else:
            write_text(self._sheet, (row, at), cell or "", self._formats, total)

    def _add_colours(self, at: int, field: Field) -> None:
        own, above = (xl_rowcol_to_cell(row, at) for row in (self._top, self._top - 1))
        if field.is_money and _are_few_negative(field.cells):
            rule, colour = f"={own}<0", _NEGATIVE
        elif field.is_label and at < self._labels - 1:  # a label that repeats the label above
            rule, colour = f"={own}={above}", _FAINT
        else:
            return
        criteria = {"type": "formula", "criteria": rule, "format": self._formats(colour)}
        self._sheet.conditional_format(self._top, at, self._end - 1, at, criteria)

    def _write_heading(self, styles: Sequence[Mapping[str, Any]]) -> None:
        for row in range(self._top):
            is_last = row == self._top - 1
            lines = 1
            above: list[Heading] = []
            for at, (field, style) in enumerate(zip(self._fields, styles, strict=True)):
                heading = field.headings[row]
                own = {**style, **_HEADER, "num_format": heading.number_format}
                if is_last:
                    room = self._widths[at] - (_FILTER_WIDTH if self._has_filter else 0)
                    shown = [] if at in self._folded else heading.lines(room)
                    lines = max(lines, len(shown))
                else:  # the text covers the columns to its right that have the same heading
                    own |= {"align": "left", "indent": 0, "text_wrap": False}
                is_repeated = not is_last and above == [*field.headings[: row + 1]]
                above = [*field.headings[: row + 1]]
                if is_repeated or heading.value == "":
                    self._sheet.write_blank(row, at, None, self._formats(own))
                elif isinstance(heading.value, str):
                    write_text(self._sheet, (row, at), heading.value, self._formats, own)
                else:
                    self._sheet.write_number(row, at, heading.value, self._formats(own))
            self._sheet.set_row(row, _LINE_HEIGHT * lines + 3)

    def _frozen(self) -> int:
        """The number of columns that stay in view: those of the index, or the first texts."""
        width = count = 0
        for at, field in enumerate(self._fields):
            is_name = field.is_label if self._labels else field.align == "left"
            width += 0 if at in self._folded else self._widths[at]
            if not is_name or width > _MAX_FROZEN:
                break
            count = at + 1
        return count


def _are_few_negative(cells: Sequence[Any]) -> bool:
    """Whether negative amounts are exceptions to mark, and not the rule as in a ledger."""
    negative = sum(isinstance(cell, int | float) and cell < 0 for cell in cells)
    return negative * 2 < len(cells)
