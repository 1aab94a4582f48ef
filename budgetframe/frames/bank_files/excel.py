"""Excel files of a bank."""

from __future__ import annotations

from datetime import date
from io import BytesIO
from typing import Any

from budgetframe.errors import ToolError

from .rows import BankFile, Options
from .table import headers_of, read_table


def read(name: str, content: bytes, options: Options) -> BankFile:
    """The statements of a workbook: the sheet with a header of transactions."""
    try:
        from openpyxl import load_workbook  # noqa: PLC0415 - an extra
    except ImportError:
        raise ToolError(
            "Excel files need openpyxl: pip install 'budgetframe[excel]', or save the file as CSV"
        ) from None
    try:
        book = load_workbook(BytesIO(content), read_only=True, data_only=True)
        sheets = {}
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # some programs write wrong ones, and rows would be missing
            sheets[sheet.title] = [[_text(cell) for cell in row] for row in sheet.values]
    except Exception as error:  # noqa: BLE001 - openpyxl raises many types for damaged files
        raise ToolError(f"{name} cannot be read as an Excel file: {error}") from None
    found = headers_of(name, sheets, options)
    if len(found) > 1:
        names = ", ".join(found)
        raise ToolError(f"{name} has transactions in the sheets {names}: save one as CSV")
    ((title, header),) = found.items()
    return read_table(name, sheets[title], header, options, BankFile("Excel", None))


def _text(cell: Any) -> str:
    """The text of a cell; numbers have six decimals, so that no separator is in doubt."""
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float):
        return f"{cell:.6f}"
    return "" if cell is None else str(cell).strip()
