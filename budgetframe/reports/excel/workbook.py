"""Frames as sheets of a workbook."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO
from os import PathLike
from typing import Any

import pandas as pd

from budgetframe._runtime.output_file import output_file
from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe._runtime.text import visible
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.builder import shown

_FORBIDDEN = re.compile(r"[\[\]:*?/\\]|^'|'$")
_RESERVED = "history"  # Excel uses the name for a sheet of changes
_MAX_NAME = 31  # letters of the name of a sheet
_NOTES = "How it is counted"
_NOTES_WIDTH = 100  # letters


@shown_without_frames
def to_excel(
    path: str | PathLike[str],
    frames: pd.DataFrame | ArrowTable | Mapping[str, pd.DataFrame | ArrowTable],
) -> None:
    r"""Write frames to an Excel workbook, one sheet for each frame.

    The workbook is for people: amounts have the currency format of the budget, months and columns
    have headings to read, and headings stay in view. The rules of reports are on a last sheet,
    ``How it is counted``.

    Parameters
    ----------
    path : path
        The file to write; its name ends in ``.xlsx``. An existing file is replaced.
    frames : DataFrame, ArrowTable, or mapping of str to these
        A frame or report, or several by the names of their sheets, as `BudgetFrame.export` returns
        them.

    Raises
    ------
    ToolError
        When XlsxWriter is not installed, the path is not a path that ends in ``.xlsx``, there are
        no frames, a frame has more rows or columns than a sheet can have, or the file cannot be
        written: its folder does not exist, or it is a link without a target.

    Notes
    -----
    - Texts stay texts: a name that begins with ``=``, ``+``, ``-`` or ``@`` is never a formula.
    - Control characters, which a workbook cannot contain, are written as escapes, such as
      ``\x00``.
    - Times are written in UTC without their time zone, which a workbook cannot contain.
    - Days before March 1900, and values that are lists or mappings, are written as text.
    - Columns of this package have a heading to read: ``category_name`` becomes ``Category name``.
      All other headings stay as they are.
    - Excel shows separators, and names of months, in the language of the user. The values are
      numbers and days, not texts.
    - A pivot table keeps its labels in view. ``DataFrame.pivot`` and ``unstack`` remove the
      ``attrs`` of a frame; its amounts then have the currency format of the other frames if these
      have one in common, and otherwise no symbol. ``pivot_table`` keeps the ``attrs``. With
      ``margins=True, margins_name="Total"`` it adds totals, which are written in bold.
    - A float column that is not one of this package has no format, for example the column of a
      second unit that you added. The columns of a pivot table are amounts if the table does not
      name its values, as in ``pivot_table("spent", ...)``; they are shares if none is above 1 and
      some have more than three decimals. ``pivot_table(["kwh"], ...)`` names the values.
    - An index is written, except the numbers of rows.
    - Printed pages are as wide as the sheet and repeat the headings. Of a wide list, such as a
      ledger, only the first columns are printed, without keys: all of them would be illegible. The
      print area of the sheet can be changed.
    - Characters that the name of a sheet cannot contain become ``_``; a sheet name has at most 31
      characters. Excel reserves the name ``History``: the sheet is ``History_``.

    Examples
    --------
    A summary of a year, by category and month:

    >>> import tempfile
    >>> import pandas as pd
    >>> bf = BudgetFrame.sandbox()
    >>> spent = bf.reports.spending(freq="month", since="2025-01-01", until="2025-12-31")
    >>> groups = ["category_group_name", "category_name"]
    >>> year = spent.pivot_table("spent", groups, "period", aggfunc="sum")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_excel(f"{folder}/2025.xlsx", {"2025": year, "Accounts": bf.accounts()})
    ...     sheets = pd.read_excel(f"{folder}/2025.xlsx", sheet_name=None)
    >>> list(sheets)
    ['2025', 'Accounts', 'How it is counted']
    """
    if find_spec("xlsxwriter") is None:
        raise ToolError("a workbook needs XlsxWriter: pip install 'budgetframe[excel]'")
    if not isinstance(path, str | PathLike):
        advice = "write to_excel('budget.xlsx', frames)"
        raise ToolError(f"path must be a path, but is {kind_of(path)}: {advice}")
    if not str(path).lower().endswith(".xlsx"):
        raise ToolError(f"path={shown(str(path))}: the name of a workbook ends in .xlsx")
    given = in_pandas(frames)
    if not isinstance(given, Mapping):
        given = {str(getattr(given, "attrs", {}).get("report", "Sheet1")): given}
    sheets = list[tuple[str, pd.DataFrame]]()
    for name, each in given.items():
        frame = in_pandas(each)
        if not isinstance(frame, pd.DataFrame):
            raise ToolError(
                "frames must be a frame, or frames by the names of their sheets, but has"
                f" {kind_of(each)}: write to_excel('budget.xlsx', frames)"
            )
        sheets.append((str(name), frame))
    if not sheets:
        raise ToolError("there are no frames to write")
    out = output_file(path)
    content = BytesIO()  # a failure leaves an existing file as it is
    _write_book(content, sheets)
    out.write_bytes(content.getvalue())


def kind_of(value: object) -> str:
    """What a value is, for an error."""
    return f"a value of type {type(value).__name__}"


def common_value(values: Sequence[Any]) -> Any:
    """The value that all frames that state one have in common; None without one."""
    known = [each for each in values if each]
    return known[0] if known and all(each == known[0] for each in known) else None


def _write_book(content: BytesIO, frames: Sequence[tuple[str, pd.DataFrame]]) -> None:
    from xlsxwriter import Workbook  # noqa: PLC0415 - an extra, and slow to import

    from .sheet import Formats, write_sheet  # noqa: PLC0415 - with it

    # Frames that state no currency format have that of the others, if these agree.
    common = common_value([frame.attrs.get("currency_format") for _, frame in frames])
    taken: set[str] = set()
    with Workbook(content, {"in_memory": True}) as book:
        formats = Formats(book)
        noted = {}
        for name, frame in frames:
            unique = _sheet_name(name, taken)
            sheet = book.add_worksheet(unique)
            write_sheet(sheet, frame, formats, title=unique, currency_format=common)
            if frame.attrs.get("rules") or frame.attrs.get("stale"):
                noted[unique] = frame.attrs
        if noted:
            _write_notes(book.add_worksheet(_sheet_name(_NOTES, taken)), noted, formats)


def _write_notes(sheet: Any, noted: Mapping[str, Mapping[Any, Any]], formats: Any) -> None:
    """Write the origin and the rules of each report."""
    from .sheet import print_on_pages, write_cell  # noqa: PLC0415 - as above

    sheet.set_column(0, 0, _NOTES_WIDTH)
    print_on_pages(sheet)
    row = 0
    for name, attrs in noted.items():
        origin = [str(attrs["budget"])] if attrs.get("budget") else []
        origin += [f"as of {str(attrs['as_of'])[:10]}"] if attrs.get("as_of") else []
        lines = [name, ", ".join(origin), attrs.get("stale", ""), *attrs.get("rules", ())]
        for text in filter(None, lines):
            style = {"bold": text in (name, attrs.get("stale")), "text_wrap": True}
            write_cell(sheet, (row, 0), visible(str(text)), formats, style)
            row += 1
        row += 1


def _sheet_name(name: str, taken: set[str]) -> str:
    """A name that a sheet can have and that no other sheet has."""
    allowed = _FORBIDDEN.sub("_", visible(name).replace("\\", "_"))[:_MAX_NAME] or "Sheet"
    if allowed.lower() == _RESERVED:
        allowed += "_"
    unique, number = allowed, 1
    while unique.lower() in taken:  # Excel ignores upper and lower case
        number += 1
        unique = f"{allowed[: _MAX_NAME - len(str(number)) - 1]}_{number}"
    taken.add(unique.lower())
    return unique
