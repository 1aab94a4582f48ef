"""OFX and QFX files of a bank: version 1 (SGML) and version 2 (XML).

Banks write neither valid SGML nor valid XML. Therefore a file is a sequence of tags and values
here, and only the elements that contain rows, balances or currencies need their closing tags.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from html import unescape

from budgetframe._milliunits import to_currency
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.builder import check_size

from .numbers import amounts_of
from .rows import (
    Balance,
    BankFile,
    LeftOut,
    Options,
    Row,
    Statement,
    day,
    question,
    start_of,
    text_of,
    where_is,
)

_PAID = {"CASH", "CHECK", "DEBIT", "DIRECTDEBIT", "FEE", "PAYMENT", "REPEATPMT", "SRVCHG"}
_RECEIVED = {"CREDIT", "DEP", "DIRECTDEP", "DIV"}
"""The types of receipts. Types such as INT, POS and XFER are receipts as well as payments."""

_INVESTMENTS = (
    "BUYDEBT", "BUYMF", "BUYOPT", "BUYOTHER", "BUYSTOCK", "CLOSUREOPT", "INCOME", "INVEXPENSE",
    "JRNLFUND", "JRNLSEC", "MARGININTEREST", "REINVEST", "RETOFCAP", "SELLDEBT", "SELLMF",
    "SELLOPT", "SELLOTHER", "SELLSTOCK", "SPLIT", "TRANSFER",
)  # fmt: skip
_REASONS = {tag: f"an investment ({tag})" for tag in _INVESTMENTS}  # rows that are no bookings
_REASONS["STMTTRNP"] = "the bank has not booked it"
_STATEMENTS = {"STMTRS", "CCSTMTRS", "INVSTMTRS"}
_ROWS = {"STMTTRN", "LEDGERBAL", *_REASONS}
_ELEMENTS = {"OFX", "CURRENCY", "ORIGCURRENCY", *_STATEMENTS, *_ROWS}
_DAYS = ("DTPOSTED", "DTTRADE", "DTTRAN", "DTASOF")
_AMOUNTS = ("TRNAMT", "TOTAL", "BALAMT")
_VALUES = {
    "ACCTID", "BALAMT", "CORRECTACTION", "CORRECTFITID", "CURDEF", "CURRATE", "CURSYM", "DTASOF",
    "DTPOSTED", "DTTRADE", "DTTRAN", "FITID", "MEMO", "NAME", "TOTAL", "TRNAMT", "TRNTYPE",
}  # fmt: skip

_COMMENT = re.compile(r"<!--.*?(-->|\Z)", re.DOTALL)
_START = re.compile(r"<OFX\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w.]*)\s*/?>((?:[^<]+|<(?!/?[A-Za-z][\w.]*\s*/?>))*+)")
"""A tag and the text after it. A ``<`` that begins no tag is a part of the text."""

_EXACT = re.compile(r"[+-]?\d{1,12}([.,]\d{1,3}0*)?", re.ASCII)
_RATE = re.compile(r"\d{1,9}([.,]\d{1,15})?", re.ASCII)
_HEADER = 500  # bytes at the start of a file that contain its header
_ENCODING = re.compile(
    rb"(?:CHARSET|ENCODING)\s*[:=]\s*[\"']?(?:WINDOWS-|CP)?(ISO-8859-\d+|\d{3,4})", re.IGNORECASE
)


@dataclass(slots=True)
class _Element:
    tag: str
    start: int
    values: dict[str, str] = field(default_factory=dict)
    parts: list[_Element] = field(default_factory=list)
    reason: str | None = None  # why a row is no booking


def read(name: str, content: bytes, options: Options) -> BankFile:
    """Read a file. The day of a row is that of the bank, in its time zone."""
    text, encoding, reading = _text_of(name, content, options.encoding)
    file = BankFile("OFX", encoding, reading=reading)
    rows: list[tuple[Statement, str, _Element]] = []
    for element in _statements(name, _COMMENT.sub(lambda each: "\n" * each[0].count("\n"), text)):
        statement = Statement(element.values.get("ACCTID"), element.values.get("CURDEF"))
        file.statements.append(statement)
        _mark_corrected(element.parts, file.problems)
        rows += [(statement, element.tag, part) for part in element.parts if part.tag in _ROWS]
    rows.sort(key=lambda row: row[2].tag == "LEDGERBAL")  # the rows have the numbers of the file
    where = [where_is(name, n, each.account) for n, (each, _, _) in enumerate(rows, start=1)]
    texts = [_amount_in(row) for *_, row in rows]
    amounts, decimal = amounts_of(texts, where.__getitem__, options.decimal)
    file.reading += [decimal] if decimal else []
    converted: list[str] = []
    signs: list[tuple[int, int, str]] = []
    for index, (statement, parent, row) in enumerate(rows):
        amount, values, posted = amounts[index], row.values, None
        date = next((values[tag] for tag in _DAYS if tag in values), None)
        if row.tag == "LEDGERBAL":
            with suppress(ToolError):  # some banks state a balance of the day 00000000
                if amount is not None and options.sign != "outflow":
                    statement.closing = Balance(amount, day(date, where[index], "DTASOF"))
        elif row.reason:
            with suppress(ToolError):
                posted = day(date, where[index], "DTTRAN")
            left_out = LeftOut(index + 1, row.reason, posted, amount, values.get("NAME"))
            statement.left_out.append(left_out)
        elif amount is None:
            raise ToolError(f"{where[index]}: the amount is missing (TRNAMT)")
        else:
            kind, place = values.get("TRNTYPE", "").upper(), f"row {index + 1}"
            stated, amount = amount, _converted(amount, row, statement.currency, where[index])
            if amount != stated:
                amounts_text = f"{to_currency(stated)} became {to_currency(amount)}"
                converted.append(f"{place}: {amounts_text} {statement.currency}")
            # A payment to the account of a card is a receipt of this account.
            is_paid = kind in _PAID and (kind, parent) != ("PAYMENT", "CCSTMTRS")
            signs.append((amount, (kind in _RECEIVED) - is_paid, f"{place} ({kind})"))
            amount = _signed(name, *signs[-1], options.sign)
            found = (values.get(tag) for tag in ("NAME", "MEMO", "FITID"))
            statement.rows.append(Row(day(date, where[index], "DTPOSTED"), amount, *found))
    if options.sign is None:
        _check_signs(name, signs, file.problems)
    if converted:
        were = number_of(len(converted), "amount was", "amounts were")
        file.problems.append(f"{were} converted with the rate of the file, such as {converted[0]}")
    return file


def _text_of(name: str, content: bytes, encoding: str | None) -> tuple[str, str, list[str]]:
    """The text of a file, its encoding, and the sentence about it."""
    # Some banks state windows-1252 and write UTF-8: what the header states counts only if the
    # content is no valid UTF-8. Files that state ISO 8859-1 contain the euro sign of windows-1252.
    stated = _ENCODING.search(content, 0, _HEADER)
    if encoding is None and stated is not None:
        try:
            content.decode()
        except UnicodeDecodeError:
            codec = stated[1].decode().lower()
            codec = {"iso-8859-1": "cp1252"}.get(codec, codec if "-" in codec else f"cp{codec}")
            text, codec, _ = text_of(name, content, codec)
            return text, codec, [f"the encoding is {codec}: the header says so"]
    return text_of(name, content, encoding)


def _amount_in(row: _Element) -> str:
    """The text of the amount; an investment has more decimals than money."""
    text = next((row.values[tag] for tag in _AMOUNTS if tag in row.values), "")
    return "" if row.reason and not _EXACT.fullmatch(text) else text


def _statements(name: str, text: str) -> list[_Element]:
    """The statements of a text, with their rows and balances."""
    start = _START.search(text)
    if start is None:
        raise ToolError(f"{name} is not an OFX file: {start_of(text.encode())}, and has no <OFX>")
    elements = [_Element("OFX", start.start())]
    statements: list[_Element] = []
    amounts, is_complete = 0, False
    for found in _TAG.finditer(text, start.end()):
        is_end, tag, current = bool(found[1]), found[2].upper(), elements[-1]
        if tag in _VALUES and not is_end:
            amounts += tag == "TRNAMT"
            value = unescape(found[3].strip().removeprefix("<![CDATA[").removesuffix("]]>")).strip()
            if value:
                current.values.setdefault(tag, value)
        elif tag == "OFX" and len(elements) == 1:
            is_complete = is_end
        elif tag in _ELEMENTS and not is_end and tag not in {each.tag for each in elements}:
            elements.append(_Element(tag, found.start(), reason=_REASONS.get(tag)))
            current.parts += [elements[-1]]
        elif tag in _ELEMENTS and is_end and tag == current.tag:
            statements += [elements.pop()][: tag in _STATEMENTS]
        elif tag in _ELEMENTS:
            begins, ends = (text.count("\n", 0, at) + 1 for at in (current.start, found.start()))
            reason = f"is not closed before the <{found[1]}{tag}> of line {ends}. Download it again"
            raise ToolError(f"{name} is damaged: the <{current.tag}> of line {begins} {reason}")
    if not is_complete or not statements:
        lacks = "no statement of an account" if is_complete else "no end (</OFX>)"
        raise ToolError(f"{name} is incomplete: it has {lacks}. Download the transactions again")
    _check_number(name, statements, amounts)
    return statements


def _check_number(name: str, statements: list[_Element], stated: int) -> None:
    """Check that no lost tag puts a row outside of a statement, or makes one row of two."""
    found = sum("TRNAMT" in row.values for each in statements for row in each.parts)
    if found != stated:
        were_read = f"{number_of(found, 'row was', 'rows were')} read"
        raise ToolError(f"{name} is damaged: {were_read}, but it has {stated:,}. Download it again")


def _mark_corrected(rows: list[_Element], problems: list[str]) -> None:
    """Mark the rows of a statement that a correction leaves out."""
    with_id = {row.values.get("FITID"): row for row in reversed(rows)}
    for row in rows:
        corrected, action = (row.values.get(f"CORRECT{tag}") for tag in ("FITID", "ACTION"))
        if corrected is None:
            continue
        if action not in ("REPLACE", "DELETE"):
            raise ToolError(
                f"{corrected!r}: {action!r} is neither REPLACE nor DELETE (CORRECTACTION)"
            )
        if action == "DELETE":
            row.reason = f"it deletes the row with the id {corrected}"
        other = with_id.get(corrected, row)
        if other is row:
            which = f"with the id {corrected}: {action} it yourself if it was imported"
            problems.append(f"a row corrects one of an earlier file, {which}")
        else:
            other.reason = f"the bank corrected it: {action}"
        with_id[corrected] = row


def _converted(amount: int, row: _Element, currency: str | None, where: str) -> int:
    """An amount in the currency of its statement; ``CURRENCY`` states that of the amount."""
    other = next((part.values for part in row.parts if part.tag == "CURRENCY"), {})
    code, rate = other.get("CURSYM", currency), other.get("CURRATE", "")
    factor = Decimal(rate.replace(",", ".")) if _RATE.fullmatch(rate) else None
    if code == currency or factor == 1:
        return amount
    if factor is None:
        raise ToolError(f"{where}: the amount is in {code}, and there is no rate (CURRATE)")
    found = 10 * int((amount * factor / 10).to_integral_value(ROUND_HALF_UP))
    check_size(abs(found))
    return found


def _signed(name: str, amount: int, direction: int, place: str, sign: str | None) -> int:
    if sign == "type" and direction == 0 and amount > 0:
        raise ToolError(f"{name}, {place}: this type does not say whether the amount is an inflow")
    if sign == "type" and direction:
        return direction * abs(amount)
    return -amount if sign == "outflow" else amount


def _check_signs(name: str, signs: list[tuple[int, int, str]], problems: list[str]) -> None:
    """Check that the types of the rows agree with the signs of their amounts."""
    wrong = [(place, to_currency(amount)) for amount, sign, place in signs if amount * sign < 0]
    if not wrong:
        return
    place, stated = wrong[0]
    # If no payment is negative, the amounts may have no sign or the opposite one.
    if not any(amount < 0 and direction < 0 for amount, direction, _ in signs):
        readings = {"inflow": f"{stated}", "type": f"{-stated}"}
        raise question(f"{name}, {place}", "sign", readings)
    have = number_of(len(wrong), "amount has", "amounts have")
    problems.append(f"{have} another sign than the type says, such as {stated} in {place}")
