"""What the readers of bank files share: the content of a file, its statements and their rows."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from io import BytesIO
from os import PathLike, fsdecode
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from budgetframe._milliunits import MILLIUNITS
from budgetframe.errors import ToolError
from budgetframe.frames.builder import check_size, shown
from budgetframe.frames.dates import day_of

if TYPE_CHECKING:
    from budgetframe.frames import request_bodies

LARGEST = 50_000_000  # bytes; an XML file of this size needs about a gigabyte of memory
_AMOUNT = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)", re.ASCII)
_LONGEST_AMOUNT = 25  # characters
_START = 40  # characters of a file that a message shows
_NO_REFERENCES = ("", "NONREF", "NOTPROVIDED", "EREF", "KREF", "MARF", "PREF")


class Options(NamedTuple):
    """The arguments of `read_bank_file` that decide how a file is read."""

    columns: Mapping[str, str] | None = None
    encoding: str | None = None
    dates: str | None = None
    decimal: str | None = None
    sign: str | None = None


class Row(NamedTuple):
    """A row that the bank has booked, in milliunits of the currency of its statement."""

    date: str
    amount: int
    payee_name: str | None = None
    memo: str | None = None
    bank_row_id: str | None = None


class LeftOut(NamedTuple):
    """A row of a file that is no booking of its account, as far as it is known."""

    row: int  # its number in the file, from 1
    reason: str
    date: str | None = None
    amount: int | None = None
    payee_name: str | None = None


class Balance(NamedTuple):
    """A balance in milliunits, at the end of a day (opening: before the first row)."""

    amount: int
    date: str | None = None


@dataclass(slots=True)
class Statement:
    """Rows of one account and one currency, between two balances if the bank states them."""

    account: str | None = None
    currency: str | None = None
    opening: Balance | None = None
    closing: Balance | None = None
    rows: list[Row] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(slots=True)
class BankFile:
    """What a file contains, and how it was read."""

    format: str
    encoding: str | None
    statements: list[Statement] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)  # rows of no statement
    reading: list[str] = field(default_factory=list)  # the decisions about the file, as sentences
    problems: list[str] = field(default_factory=list)  # what a person has to look at, as warnings


def content_of(file: request_bodies.BankFile) -> tuple[str, bytes]:
    """The name of a file for messages, and its content."""
    name = "the file"
    content: Any = file
    if isinstance(file, str | PathLike):
        name = shown(fsdecode(file))
        with open(file, "rb") as opened:  # noqa: PTH123 - it accepts every path
            content = opened.read(LARGEST + 1)
    elif hasattr(file, "read"):
        content = file.read(LARGEST + 1)
    if not isinstance(content, bytes):
        raise ToolError("file must be a path, bytes, or a file that was opened with mode 'rb'")
    if len(content) > LARGEST:
        raise ToolError(
            f"{name} has more than {LARGEST:,} bytes: download the transactions of a shorter time"
        )
    return name, content


def unpacked(
    name: str, content: bytes, suffixes: tuple[str, ...]
) -> tuple[list[str], list[tuple[str, bytes]]]:
    """The names of the files in a zip archive, and the contents of those with some suffixes."""
    # There are no contents if they have more than `LARGEST` bytes, or are packed in an unusual way,
    # which would be unpacked as a whole, whatever size they state.
    try:
        with ZipFile(BytesIO(content)) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
            own = [name for name in names if "__MACOSX" not in name]  # a Mac adds others
            wanted = [archive.getinfo(name) for name in own if name.lower().endswith(suffixes)]
            is_usual = {entry.compress_type for entry in wanted} <= {ZIP_STORED, ZIP_DEFLATED}
            if not is_usual or sum(entry.file_size for entry in wanted) > LARGEST:
                return names, []
            # `ZipFile.read` unpacks an entry as a whole, whatever size it states.
            return names, [(e.filename, archive.open(e).read(e.file_size)) for e in wanted]
    except Exception as error:  # noqa: BLE001 - zipfile raises many types for damaged archives
        raise ToolError(f"{name} cannot be unpacked: {error}. Unpack it first") from None


def text_of(name: str, content: bytes, encoding: str | None = None) -> tuple[str, str, list[str]]:
    """The text of a file, its encoding, and the sentence about it if it is not plain UTF-8."""
    # A text in windows-1252 or ISO 8859 is hardly ever valid UTF-8, unless it is plain ASCII.
    if content.startswith(BOM_UTF8):
        found, why = "utf-8-sig", "its first bytes say so"
    elif content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        found, why = "utf-16", "its first bytes say so"
    elif b"\0" in content[:2]:
        found = "utf-16-be" if content[:1] == b"\0" else "utf-16-le"
        why = "every second byte is 0"
    elif encoding is not None:
        found, why = encoding, "as given"
    else:
        try:
            return content.decode(), "utf-8", []
        except UnicodeDecodeError:
            # The euro sign is a byte of its own in each of the two; nobody writes the sign "¤".
            found = "iso8859-15" if b"\xa4" in content and b"\x80" not in content else "cp1252"
            why = "the content is no valid UTF-8; encoding= decides otherwise"
    try:
        return content.decode(found), found, [f"the encoding is {found}: {why}"]
    except (UnicodeDecodeError, LookupError) as error:
        advice = "Pass the encoding of the file, such as encoding='cp1250'"
        raise ToolError(f"{name} cannot be read as {found}: {error}. {advice}") from None


def start_of(content: bytes) -> str:
    """The start of a file in a message."""
    start = " ".join(content[: 10 * _START].decode("ascii", "replace").split())
    return f"it starts with {start[:_START]!r}"


def where_is(name: str, number: int, account: str | None) -> str:
    """The place of a row in a message."""
    return f"{name}, row {number}{f' of account {account}' if account else ''}"


def reference(text: str | None) -> str | None:
    """A reference; None if the text states that there is none, or that it is in another field."""
    return None if text in _NO_REFERENCES else text


def day(text: str | None, where: str, field: str) -> str:
    """A day as ``2026-05-17``, from a text that starts with it or with ``20260517``."""
    digits = (text or "").replace("-", "")
    try:
        return f"{day_of(f'{digits[:4]}-{digits[4:6]}-{digits[6:8]}', field):%Y-%m-%d}"
    except ToolError:
        raise ToolError(f"{where}: {text!r} is not a day ({field})") from None


def milliunits(text: str | None, where: str, field: str) -> int:
    """An amount in milliunits; the decimal separator is a point or a comma."""
    if not _AMOUNT.fullmatch(text or "") or len(text or "") > _LONGEST_AMOUNT:
        raise ToolError(f"{where}: {shown(text)} is not an amount ({field})")
    amount = Decimal(str(text).replace(",", ".")) * MILLIUNITS
    if amount != int(amount):
        raise ToolError(f"{where}: the amount {text} has more than three decimals ({field})")
    check_size(abs(int(amount)))
    return int(amount)


def question(where: str, argument: str, readings: Mapping[str, str]) -> ToolError:
    """The error of a row that has two readings, with the values of the argument that decides."""
    both = ", and ".join(f"{text} with {argument}={value!r}" for value, text in readings.items())
    advice = "Pass the argument that is right, to read_bank_file for the file of a bank"
    return ToolError(f"{where} can be read in two ways: {both}. {advice}")
