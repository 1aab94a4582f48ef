"""Zip archives of CAMT files, and workbooks, which are zip archives too."""

from __future__ import annotations

from io import BytesIO
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

from budgetframe.errors import ToolError

from . import camt
from .rows import LARGEST, BankFile, Options

_REGISTER = ("Register.csv", "Register.tsv")


def read(name: str, content: bytes, options: Options) -> BankFile:
    """Read a workbook, or all CAMT files of an archive as one."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
            if "xl/workbook.xml" in names:
                from . import excel  # noqa: PLC0415 - an extra, which is slow to import

                return excel.read(name, content, options)
            if any(each.endswith(_REGISTER) for each in names):
                raise ToolError(
                    f"{name} is an export of the budgeting app, whose rows are in a budget already:"
                    " BudgetFrame.from_export reads it"
                )
            parts = [each for each in archive.infolist() if each.filename.lower().endswith(".xml")]
            if not parts or sum(each.file_size for each in parts) > LARGEST:
                raise ToolError(
                    f"{name} is an archive of {len(names)} files, but only archives of CAMT files"
                    f" (.xml) of up to {LARGEST:,} bytes are read: unpack it first"
                )
            files = [
                camt.read(f"{name}: {each.filename}", archive.read(each), options) for each in parts
            ]
    except (BadZipFile, ZlibError, RuntimeError, EOFError) as error:
        raise ToolError(f"{name} cannot be unpacked: {error}. Unpack it first") from None
    found = BankFile(files[0].format, files[0].encoding)
    for each in files:
        found.statements += each.statements
        found.reading += each.reading
        found.problems += each.problems
    return found
