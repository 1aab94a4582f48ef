"""Zip archives of CAMT files, and workbooks, which are zip archives too."""

from __future__ import annotations

from budgetframe.errors import ToolError

from . import camt
from .rows import LARGEST, BankFile, Options, unpacked


def read(name: str, content: bytes, options: Options) -> BankFile:
    """Read a workbook, or all CAMT files of an archive as one."""
    names, parts = unpacked(name, content, (".xml",))
    if "xl/workbook.xml" in names and parts:
        from . import excel  # noqa: PLC0415 - an extra, which is slow to import

        return excel.read(name, content, options)
    if any(each.endswith(("Register.csv", "Register.tsv")) for each in names):
        problem = "is an export of the budgeting app, whose rows are in a budget already:"
        raise ToolError(f"{name} {problem} BudgetFrame.from_export reads it")
    if not parts:
        raise ToolError(
            f"{name} is an archive of {len(names)} files, but only workbooks and archives of CAMT"
            f" files (.xml) of up to {LARGEST:,} bytes are read: unpack it first"
        )
    files = [camt.read(f"{name}: {part}", each, options) for part, each in parts]
    if len(kinds := sorted({each.format for each in files})) > 1:
        problem = f"has {' and '.join(kinds)} files, which can state the same entries"
        raise ToolError(f"{name} {problem}: unpack it, and read the files of one kind")
    for each in files[1:]:
        files[0].statements += each.statements
        files[0].reading += each.reading
        files[0].problems += each.problems
    return files[0]
