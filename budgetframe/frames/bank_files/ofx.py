"""OFX files of a bank as frames."""

from __future__ import annotations

import re
from codecs import lookup
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

import pandas as pd

from budgetframe.errors import ToolError

from .rows import COLUMNS, check_number, content_of, day, milliunits, row_frame, start_of, where_is

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # ofxtools reads the file

_STATEMENTS = {"STMTRS": "BANKACCTFROM", "CCSTMTRS": "CCACCTFROM", "INVSTMTRS": "INVACCTFROM"}
"""The elements of statements, and the element in each of them that names the account."""

_ENCODING = re.compile(rb"CHARSET:\s*([\w-]+)|<\?xml[^>]*\sencoding=[\"']([\w-]+)")
"""The encoding that the header of OFX 1 or of OFX 2 states."""
_HEADER = 500  # bytes at the start of a file that contain its header


def read_ofx(file: str | PathLike[str] | BinaryIO) -> pd.DataFrame:
    """Read a bank's OFX or QFX file.

    Both versions are read: OFX 1 (SGML) and OFX 2 (XML). Texts that are valid UTF-8 are read as
    UTF-8, whatever encoding the file states, and others in the stated encoding. Amounts are exact
    to the milliunit. The day is that of the bank, in its time zone. Pending rows are left out,
    because the bank may change them. `pandas.read_csv` reads CSV files. `BudgetFrame.import_rows`
    imports the rows.

    The file is read by ofxtools, which ``pip install 'budgetframe[ofx]'`` installs. Its licence is
    the GNU General Public License, version 3, and not the MIT licence of budgetframe: it is never
    a part of the default installation, and nothing else here imports it.

    Parameters
    ----------
    file : path or binary file
        The file. Its name can have any ending.

    Returns
    -------
    DataFrame
        One row per transaction of the bank, in the order of the file, with the columns of
        `read_camt` except ``value_date`` and ``reference``. Texts that the bank does not state are
        missing. ``attrs["currencies"]`` is a list of the currency codes of the amounts.

    Raises
    ------
    ToolError
        When ofxtools is not installed, the file is not an OFX file, is incomplete or has no
        statement, or a row has no day or no exact amount.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = '''<?xml version="1.0" encoding="UTF-8"?>
    ... <?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
    ... <OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR</CURDEF><BANKTRANLIST><STMTTRN>
    ... <DTPOSTED>20260517</DTPOSTED><TRNAMT>-18.40</TRNAMT><NAME>Haus &amp; Hof</NAME></STMTTRN>
    ... </BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>'''
    >>> read_ofx(BytesIO(text.encode()))[["date", "payee_name", "amount"]]
            date  payee_name  amount
    0 2026-05-17  Haus & Hof   -18.4
    """
    name, content = content_of(file)
    if b"<OFX>" in content and b"</OFX>" not in content:
        raise ToolError(f"{name} is incomplete: it does not end with </OFX>. Download it again")
    root = _tree(name, content)
    statements = [element for element in root.iter() if element.tag in _STATEMENTS]
    if not statements:
        raise ToolError(f"{name} has no statement of an account: download the transactions again")
    rows = [row for statement in statements for row in _rows(name, statement)]
    # A lost tag puts rows outside of a statement, or into two of them.
    check_number(name, len(rows), content.count(b"<STMTTRN>"))
    return row_frame(rows, COLUMNS, (_text(statement, "CURDEF") for statement in statements))


def _convert_to_utf8(content: bytes) -> bytes:
    """The content in UTF-8, which ofxtools assumes for OFX 2 and where OFX 1 states no charset.

    Some banks state windows-1252 and write UTF-8. A text in windows-1252 is hardly ever valid
    UTF-8, unless it is plain ASCII. Content that is neither in UTF-8 nor in the encoding that it
    states is a ValueError or LookupError.
    """
    stated = _ENCODING.search(content, 0, _HEADER)
    if stated is None:
        return content
    try:
        content.decode()
    except UnicodeDecodeError:
        codec = stated[stated.lastindex or 0].decode()
        codec = lookup(f"cp{codec}" if codec.isdecimal() else codec).name
        # Files that state ISO-8859-1 contain the euro sign, which only windows-1252 has.
        content = content.decode("cp1252" if codec == "iso8859-1" else codec).encode()
    if stated[1] is not None:
        content = content[: stated.start(1)] + b"NONE" + content[stated.end(1) :]
    return content


def _drop_empty_elements(content: bytes) -> bytes:
    """The content without elements that have neither a text nor a closing tag.

    In OFX 1 a text needs no closing tag. Without a text, ofxtools takes such an element for the
    parent of the elements that follow.
    """
    closed = set(re.findall(rb"</([^<>]+)>", content))
    return re.sub(
        rb"<([^<>/!?]+)>\s*(?=<)", lambda found: found[0] if found[1] in closed else b"", content
    )


def _tree(name: str, content: bytes) -> Element:
    try:
        from ofxtools.Parser import OFXTree  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ToolError("an OFX file needs ofxtools: pip install 'budgetframe[ofx]'") from None
    root: Element | None
    try:
        root = OFXTree().parse(BytesIO(_drop_empty_elements(_convert_to_utf8(content))))
    # The header, the encoding or the elements are wrong; a closing tag is without an opening one.
    except (SyntaxError, ValueError, LookupError) as error:
        root, reason = None, str(error).partition("\n")[0].rstrip(":")
    else:
        reason = "its first element is not <OFX>"
    if root is not None and root.tag == "OFX":
        return root
    if b"OFX" in content[:_HEADER]:
        raise ToolError(f"{name} cannot be read as OFX: {reason}. Download it again, as OFX 1 or 2")
    raise ToolError(
        f"{name} is not an OFX file: {start_of(content)}. pandas.read_csv reads a CSV file"
    )


def _rows(name: str, statement: Element) -> Iterator[dict[str, Any]]:
    account = _text(statement, f"{_STATEMENTS[statement.tag]}/ACCTID")
    for number, row in enumerate(statement.iter("STMTTRN"), start=1):
        where = where_is(name, number, account)
        yield {
            "date": day(_text(row, "DTPOSTED"), where, "DTPOSTED"),
            "payee_name": _text(row, "NAME") or _text(row, "PAYEE/NAME"),
            "memo": _text(row, "MEMO"),
            "amount": milliunits(_text(row, "TRNAMT"), where, "TRNAMT"),
            "bank_account_id": account,
            "bank_row_id": _text(row, "FITID"),
            "currency": _text(row, "CURRENCY/CURSYM"),
        }


def _text(element: Element, path: str) -> str | None:
    """The text of an element below another; None if it is missing or empty."""
    text = unescape(element.findtext(path) or "").strip()
    return text or None
