"""Zip archives of CAMT files, and workbooks, which are zip archives too."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

from budgetframe.errors import ToolError

from . import camt
from .rows import LARGEST, BankFile, Options


def read(name: str, content: bytes, options: Options) -> BankFile:
    """Read a workbook, or all CAMT files of an archive as one."""
    parts = []
    try:
        with ZipFile(BytesIO(content)) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
            found = [each for each in archive.infolist() if each.filename.lower().endswith(".xml")]
            is_large = sum(each.file_size for each in found) > LARGEST
            if "xl/workbook.xml" not in names and not is_large:
                parts = [(f"{name}: {each.filename}", archive.read(each)) for each in found]
    except Exception as error:  # noqa: BLE001 - zipfile raises many types for damaged archives
        raise ToolError(f"{name} cannot be unpacked: {error}. Unpack it first") from None
    if "xl/workbook.xml" in names and not is_large:
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
    files = [camt.read(*part, options) for part in parts]
    if len(kinds := sorted({each.format for each in files})) > 1:
        problem = f"has {' and '.join(kinds)} files, which can state the same entries"
        raise ToolError(f"{name} {problem}: unpack it, and read the files of one kind")
    for each in files[1:]:
        files[0].statements += each.statements
        files[0].reading += each.reading
        files[0].problems += each.problems
    return files[0]
