"""What the readers of bank files share: the content of a file, its rows, and their frame."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from os import PathLike, fsdecode
from typing import Any, BinaryIO

import pandas as pd

from budgetframe._milliunits import MILLIUNITS, to_currency
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown
from budgetframe.frames.dates import day_of
from budgetframe.frames.money import check_size
from budgetframe.frames.schema import CURRENCY, Column

COLUMNS = (
    Column("date", "datetime64[us]", "", "day on which the bank posted the row"),
    Column("payee_name", "str", "", "name of the payee"),
    Column("memo", "str", "", "note of the bank"),
    Column("amount", "float64", CURRENCY, "negative: outflow"),
    Column("bank_account_id", "str", "", "number of the account at the bank"),
    Column("bank_row_id", "str", "", "the bank's id of the row, unique in its account"),
)
WITH_REFERENCE = (
    *COLUMNS,
    Column("value_date", "datetime64[us]", "", "day from which interest counts"),
    Column("reference", "str", "", "the payer's reference of the payment"),
)

_LARGEST = 50_000_000  # bytes; an XML file of this size needs about a gigabyte of memory
_AMOUNT = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)", re.ASCII)
_LONGEST_AMOUNT = 25  # characters
_START = 40  # characters of a file that a message shows
_NO_REFERENCES = ("", "NONREF", "NOTPROVIDED", "EREF", "KREF", "MARF", "PREF")


def content_of(file: str | PathLike[str] | BinaryIO) -> tuple[str, bytes]:
    """The name of a file for messages, and its content."""
    if isinstance(file, str | PathLike):
        name = shown(fsdecode(file))
        with open(file, "rb") as opened:  # noqa: PTH123 - it accepts every path
            content: Any = opened.read(_LARGEST + 1)
    else:
        name = "the file"
        content = file.read(_LARGEST + 1) if hasattr(file, "read") else None
    if not isinstance(content, bytes):
        raise ToolError("file must be a path or a file that was opened with mode 'rb'")
    if len(content) > _LARGEST:
        raise ToolError(
            f"{name} has more than {_LARGEST:,} bytes: download the transactions of a shorter time"
        )
    return name, content.removeprefix(BOM_UTF8)


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


def check_number(name: str, found: int, stated: int) -> None:
    """Check that all rows of a file were read."""
    if found != stated:
        were_read = f"{number_of(found, 'row was', 'rows were')} read"
        raise ToolError(f"{name} is damaged: {were_read}, but it has {stated:,}. Download it again")


def row_frame(
    rows: Sequence[Mapping[str, Any]], columns: Iterable[Column], currencies: Iterable[str | None]
) -> pd.DataFrame:
    """The frame of the rows of a file, whose amounts are in milliunits.

    Each row has the values of the columns, and the currency of the amount. `currencies` are further
    ones of the file: those of statements, which may have no rows.
    """
    currencies = {*currencies, *(row["currency"] for row in rows)} - {None}
    rows = [{**row, "amount": to_currency(row["amount"])} for row in rows]
    frame = pd.DataFrame(
        {column.name: column.array([row[column.name] for row in rows]) for column in columns}
    )
    frame.attrs["currencies"] = sorted(currencies)
    return frame
