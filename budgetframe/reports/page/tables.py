"""A frame as the table of a page: the columns that a person reads, and the text of each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe.frames.display import levels_of
from budgetframe.frames.number_text import Currency, in_currency, number_text, share_text
from budgetframe.reports.excel.cells import day_of, is_number, is_time
from budgetframe.reports.excel.number_formats import DAY, GENERAL, SHARE, money_format
from budgetframe.reports.excel.sheet import ShownColumn, own_currency, shown_columns

_DAYS = {DAY: "%Y-%m-%d", f"{DAY} hh:mm": "%Y-%m-%d %H:%M", "mmm yyyy": "%b %Y", "yyyy": "%Y"}
_PER_CENT = '0"%"'


class TableCell(NamedTuple):
    """The text of a table cell, and its CSS class: "number", "day" or "text", with a level."""

    text: str
    css_class: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts."""

    header: Sequence[TableCell]
    rows: Sequence[Sequence[TableCell]]
    row_heading: int  # the position of the column that names the rows
    main: int | None  # the position of the column that a phone shows beside it


def table_of(
    frame: pd.DataFrame, currency: Currency, *, row_headings: Sequence[str] = (), main: str = ""
) -> Table:
    """The table of a frame."""
    # `row_headings` are names of columns; the first of them that the frame has names the rows. By
    # default it is the last level of the index, or the first column; a category is named by itself
    # and not by its group. `main` is the name of the main column, by default the first one with
    # amounts, or with numbers.
    currency = own_currency(frame.attrs) or currency
    columns = shown_columns(frame, currency)
    header = [TableCell(_heading(column), _css_class(column.data)) for column in columns]
    texts = [_texts(column, currency) for column in columns]
    classes = [cell.css_class for cell in header]
    rows = [[*map(TableCell, row, classes)] for row in zip(*texts, strict=True)]
    for row, level in zip(rows, levels_of(frame), strict=False):
        row[:] = [cell._replace(css_class=f"{cell.css_class} level{level}") for cell in row]
    names = [str(column.labels[-1]) for column in columns]
    levels = sum(column.is_level for column in columns)
    named = (names.index(name) for name in row_headings if name in names)
    is_category = names[:1] == ["category_group_name"] and "category_name" in names
    usual = names.index("category_name") if is_category else max(levels - 1, 0)
    row_heading = next(named, usual)
    money = money_format(currency)
    candidates = [at for at, column in enumerate(columns) if is_number(column.data)]
    amounts = [at for at in candidates if columns[at].codes[:1] == [money]]
    first = next((at for at in (*amounts, *candidates) if at != row_heading), None)
    return Table(header, rows, row_heading, names.index(main) if main in names else first)


def _heading(column: ShownColumn) -> str:
    """The labels of a column in one text."""
    texts = [
        text if isinstance(text, str) else _day_text(day_of(text), code)
        for text, code in column.heading
    ]
    return ", ".join(filter(None, texts))


def _css_class(values: pd.Series[Any]) -> str:
    if is_number(values):
        return "number"
    return "day" if is_time(values) else "text"


def _texts(column: ShownColumn, currency_format: Currency) -> list[str]:
    money = money_format(currency_format)
    texts = []
    for value, code in zip(column.data, column.codes, strict=True):
        is_amount = code == money and not isinstance(value, pd.Timestamp)
        if not isinstance(value, list | dict) and pd.isna(value):
            texts.append("")
        elif is_amount:
            texts.append(in_currency(value, currency_format))
        else:
            texts.append(_text(value, code, currency_format, is_number=is_number(column.data)))
    return texts


def _text(value: Any, code: str, currency_format: Currency, *, is_number: bool) -> str:
    if isinstance(value, pd.Timestamp):
        return _day_text(value, code)
    if not is_number:
        return ("yes" if value else "") if isinstance(value, bool | np.bool_) else str(value)
    if code == SHARE:
        return share_text(value, currency_format)
    if code == _PER_CENT:
        return f"{value:.0f}%"
    if code != GENERAL:
        return number_text(value, 0, currency_format)
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def _day_text(day: pd.Timestamp, code: str) -> str:
    if code.startswith('"Q'):
        return f"Q{day.quarter} {day:%Y}"
    return f"{day:{_DAYS.get(code, _DAYS[DAY])}}"
