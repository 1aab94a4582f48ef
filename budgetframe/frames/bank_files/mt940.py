"""MT940 files of a bank as frames."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from decimal import Decimal
from io import StringIO
from logging import NullHandler, getLogger
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown

from .rows import (
    WITH_REFERENCE,
    check_number,
    content_of,
    milliunits,
    reference,
    row_frame,
    start_of,
    where_is,
)

if TYPE_CHECKING:
    from mt940.models import Transactions

_OPENING = ("final_opening_balance", "intermediate_opening_balance")
_CLOSING = ("final_closing_balance", "intermediate_closing_balance")
_ROW = re.compile(r":61:\d{6}(\d{4}| {4})?R?[CD][A-Z]?\d+,\d*(?![\d.,])", re.IGNORECASE)
"""Day, entry day, mark, third letter of the currency, and amount."""
_WORDS = re.compile("(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|PURP|SVWZ|ABWA|ABWE)[+]")
"""The words of German banks in the text of a payment."""

_SUBFIELD = 27  # characters

_CODES = re.compile(
    "/(TRTP|BENM|ORDP|CNTP|ULTC|ULTD|ULTB|NAME|IBAN|BIC|ADDR|CSID|MARF|EREF|PREF|KREF|SVCL|PURP|RTRN"
    "|REMI|ISDT|OCMT|EXCH|CHGS)(?=/)"
)
"""The code words of Dutch banks, such as ``/BENM//NAME/A. Person/REMI/Rent``."""

_SILENT = NullHandler()  # the library would print the rows that it cannot read


def read_mt940(file: str | PathLike[str] | BinaryIO) -> pd.DataFrame:
    """Read a bank's MT940 file.

    Texts that are valid UTF-8 are read as UTF-8, and others as windows-1252, because the file
    states no encoding. Amounts are exact to the milliunit; that of a reversed receipt (``RC``) is
    negative, and that of a reversed payment (``RD``) positive. The day is the entry date, and if
    there is none, the value date. `BudgetFrame.import_rows` imports the rows.

    The file is read by mt-940, which ``pip install 'budgetframe[mt940]'`` installs.

    Parameters
    ----------
    file : path or binary file
        The file. Its name can have any ending. A `RuntimeWarning` states that the balances in it
        differ by another amount than that of the rows.

    Returns
    -------
    DataFrame
        One row per transaction of the bank, in the order of the file, with the columns of
        `read_camt`. Texts that the bank does not state are missing. Name, memo and reference are
        those of the structured field 86 of German banks (``?20``) and Dutch banks (``/REMI/``); any
        other text of the field is the memo. The id is the reference of the bank after ``//`` in
        field 61. ``attrs["currencies"]`` is a list of the currency codes of the amounts.

    Raises
    ------
    ToolError
        When mt-940 is not installed, the file is not an MT940 file or is incomplete, or a row has
        no day or no exact amount.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = ''':20:STATEMENT
    ... :25:10020030/1234567
    ... :60F:C260516EUR100,00
    ... :61:2605170517D18,40NMSCNONREF
    ... :86:105?20SVWZ+Nails?32Haus & Hof
    ... :62F:C260517EUR81,60'''
    >>> read_mt940(BytesIO(text.encode()))[["date", "payee_name", "memo", "amount"]]
            date  payee_name   memo  amount
    0 2026-05-17  Haus & Hof  Nails   -18.4
    """
    name, content = content_of(file)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    statements = _statements(name, text)
    if not statements:
        raise ToolError(f"{name} is not an MT940 file: {start_of(content)}. Download it again")
    if not all(any(closing in statement.data for closing in _CLOSING) for statement in statements):
        raise ToolError(f"{name} is incomplete: a closing balance is missing. Download it again")
    for line in re.findall("^:61:.*", text, re.MULTILINE):
        if not _ROW.match(line):
            raise ToolError(f"{name}: {shown(line)} has no exact amount such as D12,34 (:61:)")
    rows = [row for statement in statements for row in _rows(name, statement)]
    # A row without a type is overwritten by the next one.
    check_number(name, len(rows), len(re.findall("^:61:", text, re.MULTILINE)))
    for statement in statements:
        rest = _unexplained(statement)
        if rest:
            problem = f"{name}: the balances of a statement differ by {rest} more than its rows"
            warnings.warn(RuntimeWarning(f"{problem}: look for missing rows"), stacklevel=2)
    return row_frame(rows, WITH_REFERENCE, (statement.currency for statement in statements))


def _unexplained(statement: Transactions) -> Decimal:
    """What the closing balance of a statement has beyond the opening balance and the rows."""
    opening, closing = (
        next((statement.data[name] for name in names if name in statement.data), None)
        for names in (_OPENING, _CLOSING)
    )
    if opening is None or closing is None:
        return Decimal()
    rows = sum((row.data["amount"].amount for row in statement), Decimal())
    change: Decimal = closing.amount.amount - opening.amount.amount
    return change - rows


def _statements(name: str, text: str) -> list[Transactions]:
    try:
        import mt940  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ToolError("an MT940 file needs mt-940: pip install 'budgetframe[mt940]'") from None
    getLogger("mt940").addHandler(_SILENT)
    try:
        # A text could be taken for the name of a file. The library leaves out texts of field 86
        # that have no word of German banks: `_details` reads the field.
        return mt940.parse_statements(
            StringIO(text),
            processors={"post_transaction_details": [_text_of_row]},
            options=mt940.Options(
                reversal_sign=True, case_insensitive_marks=True, unbounded_details=True
            ),
        )
    except RuntimeError as error:  # the arguments are a message, the field and its text
        _, tag, stated = error.args
        reason = f"{shown(stated)} is not a field {tag.id}"
    except ValueError:
        reason = "a day does not exist"
    except ArithmeticError:
        reason = "an amount is not a number"
    except AttributeError:  # a field that the library does not know at this place
        reason = "a field is in the wrong place"
    raise ToolError(f"{name} cannot be read as MT940: {reason}. Download it again")


def _text_of_row(
    statement: Transactions, _tag: object, _stated: object, found: dict[str, Any]
) -> dict[str, Any]:
    """The text of a field 86; nothing if it is that of the statement, after its balance."""
    return {} if any(closing in statement.data for closing in _CLOSING) else found


def _rows(name: str, statement: Transactions) -> Iterator[dict[str, Any]]:
    stated = statement.data.get("account_identification") or ""
    account = stated.removesuffix(statement.currency or "").strip() or None
    for number, row in enumerate(statement, start=1):
        text = row.data.get("transaction_details") or row.data["extra_details"] or ""
        payee, memo, end_to_end = _details(text)
        amount = f"{row.data['amount'].amount}"
        yield {
            "date": f"{row.data.get('entry_date') or row.data['date']}",
            "payee_name": payee,
            "memo": memo,
            "amount": milliunits(amount, where_is(name, number, account), ":61:"),
            "bank_account_id": account,
            "bank_row_id": reference(row.data["bank_reference"]),
            "value_date": f"{row.data['date']}",
            "reference": end_to_end or reference(row.data["customer_reference"].strip()),
            "currency": statement.currency,
        }


def _details(text: str) -> tuple[str | None, ...]:
    """The name of the payee, the memo and the reference in a field 86."""
    joined = text.replace("\n", "")
    if re.match(r"\d{3}\?\d\d", joined):
        found = _read_german_bank(joined)
    elif _CODES.match(joined):
        found = _read_dutch_bank(joined)
    else:
        found = ("", text, "")
    payee, memo, end_to_end = (" ".join(words.split()) or None for words in found)
    return payee, memo, reference(end_to_end)


def _read_german_bank(text: str) -> tuple[str, str, str]:
    _, *parts = re.split(r"\?(\d\d)", text)
    fields = list(zip(parts[::2], parts[1::2], strict=True))
    purpose = _joined(part for key, part in fields if re.match("2|6[0-3]", key))
    lead, *parts = _WORDS.split(purpose)
    words = dict(zip(parts[::2], parts[1::2], strict=True))
    payee = _joined(part for key, part in fields if key in ("32", "33"))
    memo = f"{lead} {words.get('SVWZ', '')}"
    return (
        payee or words.get("ABWA") or words.get("ABWE", ""),
        memo if memo.strip() else dict(fields).get("00", ""),
        words.get("EREF", ""),
    )


def _joined(parts: Iterable[str]) -> str:
    """The text in subfields, which goes on in the next one if a subfield is full."""
    return "".join(part if len(part) >= _SUBFIELD else f"{part} " for part in parts)


def _read_dutch_bank(text: str) -> tuple[str, str, str]:
    _, *parts = _CODES.split(text)
    # The first name is that of the other party; those of ultimate parties come later.
    words = dict(reversed([*zip(parts[::2], parts[1::2], strict=True)]))
    of_party = [*words.get("CNTP", "").split("/"), "", "", ""][3]  # account, bank, name, city
    memo = re.sub("^/(USTD|STRD/[^/]*)/+", "", words.get("REMI", "")) or words.get("TRTP", "")
    return (
        words.get("NAME", "").strip("/") or of_party,
        memo.strip("/"),
        words.get("EREF", "").strip("/"),
    )
