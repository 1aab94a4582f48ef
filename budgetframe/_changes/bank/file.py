"""The rows of a bank's file, read from the columns of a frame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pandas as pd

from budgetframe._changes.bank_rows import BankRow
from budgetframe._runtime.arguments import closest_names, nothing_sent, refused
from budgetframe._runtime.text import number_of
from budgetframe.frames.bank_files.reader import read_bank_file
from budgetframe.frames.builder import check_size
from budgetframe.frames.request_bodies import LONGEST, check_text, milliunits_of

_COLUMNS = ("date", "amount", "payee_name", "memo", "bank_row_id")
_REQUIRED = ("date", "amount", "payee_name")
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}.*)?", re.ASCII)
_ADVICE = "read_bank_file(path), or the path instead of the frame, reads the texts of a bank's file"
_SHOWN = 3  # rows that a message names
_EXACT = 1e15  # floats below have all digits of a whole number


def frame_of(
    file: Any, columns: Mapping[str, str] | None
) -> tuple[pd.DataFrame, Mapping[str, str] | None]:
    """The frame of a file, and the names of the columns that it has still to be given."""
    if isinstance(file, pd.DataFrame):
        return file, columns
    with nothing_sent():
        return read_bank_file(file, columns=columns), None


def named_columns(
    frame: pd.DataFrame, columns: Mapping[str, str] | None
) -> dict[str, pd.Series[Any]]:
    """The columns of the frame by their names here."""
    given = columns or {}
    sources: dict[str, Any] = {name: name for name in _COLUMNS if name not in given}
    for source, name in given.items():
        _check_column(source, name, frame)
        if name in sources and sources[name] in given:
            raise refused(f"columns: {sources[name]!r} and {source!r} both mean {name!r}")
        sources[name] = source
    found = {name: frame[source] for name, source in sources.items() if source in frame}
    missing = [name for name in _REQUIRED if name not in found]
    if missing and not len(frame.columns):
        raise refused("the frame has no columns")
    if missing:
        raise refused(
            f"the frame has no column {', '.join(missing)}: its columns are"
            f" {', '.join(map(repr, frame))}. Write which one it is:"
            f" columns={{'a column': {missing[0]!r}}}"
        )
    for name, values in found.items():
        if isinstance(values, pd.DataFrame):
            raise refused(f"the frame has two columns named {sources[name]!r}")
    for name, plural in (("account", "accounts of the bank"), ("currency", "currencies")):
        others = [] if name not in frame else list(map(repr, frame[name].dropna().unique()))
        if len(others) > 1:
            raise refused(
                f"the rows are of {len(others)} {plural} ({', '.join(others)}): select those of one"
                f" with budgetframe.read_bank_file(file, account={others[0]})"
            )
    return found


def _check_column(source: str, name: str, frame: pd.DataFrame) -> None:
    """Check one name of a column in the frame, and what it is here."""
    if name not in _COLUMNS:
        close = closest_names(str(name), _COLUMNS)
        advice = f"{name!r} is none of {', '.join(_COLUMNS)}"
        if close:
            advice += f"; the closest name is {close[0]!r}"
        if source in _COLUMNS and name in frame:
            advice = f"the name in the frame comes first: columns={{{name!r}: {source!r}}}"
        raise refused(f"columns={{{source!r}: {name!r}}}: {advice}")
    if source not in frame:
        close = closest_names(str(source), map(str, frame)) or list(map(str, frame))
        raise refused(
            f"columns: the frame has no column {source!r}; the closest names are"
            f" {', '.join(map(repr, close))}"
        )


def bank_rows(columns: Mapping[str, pd.Series[Any]]) -> tuple[list[BankRow], list[str]]:
    """The rows of a file, and the warnings of texts that are too long."""
    cells = {
        name: [None if pd.isna(cell) is True else cell for cell in values.astype(object)]
        for name, values in columns.items()
    }
    days = [_day(cell) for cell in cells["date"]]
    _require("date", cells["date"], days, f"but a day is a date or '2026-05-17': {_ADVICE}")
    numbers = [None if isinstance(cell, str | bool) else cell for cell in cells["amount"]]
    _require("amount", cells["amount"], numbers, f"but an amount is a number: {_ADVICE}")
    amounts = [milliunits_of(cell, f"row {at}: amount") for at, cell in enumerate(cells["amount"])]
    check_size(max(map(abs, amounts), default=0))
    texts: dict[str, Sequence[str | None]] = {
        name: [_text(name, position, cell) for position, cell in enumerate(cells[name])]
        for name in ("payee_name", "memo", "bank_row_id")
        if name in cells
    }
    warnings = []
    for name, longest in LONGEST.items():
        values = texts.get(name, ())
        long = [position for position, text in enumerate(values) if len(text or "") > longest]
        texts[name] = [text and text[:longest].rstrip() for text in values]
        if long:
            warnings.append(
                f"{name}: {rows_at(long, values)} more than {longest} characters, which is all that"
                " the service accepts: the rest of the text is left out (the first row is row 0)"
            )
    empty = [None] * len(days)
    named = [texts.get(name) or empty for name in ("bank_row_id", "payee_name", "memo")]
    of_rows = zip(days, amounts, *named, strict=True)
    return [BankRow(day, amount, "", *texts) for day, amount, *texts in of_rows], warnings


def _day(cell: Any) -> Any:
    """The day of a cell; None if it is not certain."""
    if isinstance(cell, date):  # also a datetime and a Timestamp
        return date(cell.year, cell.month, cell.day)
    found = _ISO.fullmatch(cell) if isinstance(cell, str) else None
    try:
        return None if found is None else date.fromisoformat(found[1])
    except ValueError:
        return None


def _text(name: str, position: int, cell: Any) -> str | None:
    """A text without surplus blanks; None if it is empty."""
    # pandas reads a column of whole numbers as floats if a cell is empty.
    if isinstance(cell, float) and cell.is_integer():
        if abs(cell) >= _EXACT:
            raise refused(
                f"row {position}: {name}={cell!r} is a float, which cannot hold all digits of a"
                " number of more than 15 digits (the first row is row 0): read the column as text,"
                " with the dtype str"
            )
        cell = int(cell)
    text = "" if cell is None else " ".join(str(cell).split())
    check_text(text, f"row {position}: {name}")
    return text or None


def _require(name: str, cells: Sequence[Any], values: Sequence[Any], problem: str) -> None:
    """Check that each row has a value."""
    missing = [position for position, cell in enumerate(cells) if cell is None]
    if missing:
        raise refused(f"{name}: {rows_at(missing, cells)} none (the first row is row 0)")
    wrong = [position for position, value in enumerate(values) if value is None]
    if wrong:
        first = repr(cells[wrong[0]])
        if len(wrong) > 1:
            first = f"other values (the first: {first})"
        raise refused(f"{name}: {rows_at(wrong, cells)} {first}, {problem}. The first row is row 0")


def rows_at(
    positions: Sequence[int], rows: Sequence[Any], has: str = "has", have: str = "have"
) -> str:
    """The rows at these positions, with a verb, for a message."""
    if len(positions) == 1:
        return f"row {positions[0]} {has}"
    shown = ", ".join(map(str, positions[:_SHOWN])) + (", ..." if len(positions) > _SHOWN else "")
    return f"{len(positions):,} of {number_of(len(rows), 'row')} ({shown}) {have}"
