"""CAMT.053 and CAMT.052 files of a bank as frames."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

import pandas as pd

from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError

from .rows import (
    WITH_REFERENCE,
    content_of,
    day,
    milliunits,
    reference,
    row_frame,
    start_of,
    where_is,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element, TreeBuilder

_STATEMENTS = {"BkToCstmrStmt": "Stmt", "BkToCstmrAcctRpt": "Rpt"}
"""The element of a message, CAMT.053 or CAMT.052, and that of a statement in it."""

_SIGNS = {"CRDT": 1, "DBIT": -1}
_AMOUNTS = ("Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt")
"""Where a detail of an entry has its amount."""

_NAMES = ("{0}/Nm", "{0}/Pty/Nm", "Ultmt{0}/Nm", "Ultmt{0}/Pty/Nm", "{0}/Agt/FinInstnId/Nm")
"""Where the name of a creditor or debtor is. `Pty` and `Agt` are in versions since 8."""

_DEEPEST = 100  # levels of elements; the format has about 20
_CHUNK = 1 << 20  # bytes; an error of `_Target` ends the parsing at the end of a chunk


def read_camt(file: str | PathLike[str] | BinaryIO) -> pd.DataFrame:
    """Read a bank's CAMT.053 or CAMT.052 file.

    All versions since 2 are read. Amounts are exact to the milliunit, and their sign is the stated
    direction (``CdtDbtInd``), also of a reversal. Entries that are not booked are left out, because
    the bank may change them. A batch is one row for each of its details that has an amount in the
    currency of the entry, if these amounts add up to the entry, and otherwise one row. Two warnings
    state the number of entries that are left out, and of batches whose details do not add up. The
    day is that of the bank, in its time zone. `BudgetFrame.import_rows` imports the rows.

    Parameters
    ----------
    file : path or binary file
        The file. Its name can have any ending.

    Returns
    -------
    DataFrame
        One row per booked entry or detail of a batch, in the order of the file; the same columns
        and dtypes when there are none. Texts that the bank does not state are missing. The payee is
        the creditor of a payment and the debtor of a receipt. The memo is the remittance
        information, and if there is none, the bank's text of the entry. The id is ``AcctSvcrRef``;
        details of a batch without ids of their own have that of the entry with their number.
        ``attrs["currencies"]`` is a list of the currency codes of the amounts.

        column           dtype           unit      meaning
        ---------------  --------------  --------  --------------------------------------------
        date             datetime64[us]            day on which the bank posted the row
        payee_name       str                       name of the payee
        memo             str                       note of the bank
        amount           float64         currency  negative: outflow
        bank_account_id  str                       number of the account at the bank
        bank_row_id      str                       the bank's id of the row, unique in its account
        value_date       datetime64[us]            day from which interest counts
        reference        str                       the payer's reference of the payment

    Raises
    ------
    ToolError
        When the file is not such a file, is incomplete or has a document type declaration, or an
        entry has no day, no direction or no exact amount.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = '''<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="EUR">18.40</Amt>
    ... <CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-05-17</Dt></BookgDt>
    ... <NtryDtls><TxDtls><RltdPties><Cdtr><Nm>Haus &amp; Hof</Nm></Cdtr></RltdPties></TxDtls>
    ... </NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>'''
    >>> read_camt(BytesIO(text.encode()))[["date", "payee_name", "amount"]]
            date  payee_name  amount
    0 2026-05-17  Haus & Hof   -18.4
    """
    name, content = content_of(file)
    statements = [
        statement
        for message in _tree(name, content)
        for statement in message.iterfind(_STATEMENTS.get(message.tag, ""))
    ]
    problems: Counter[str] = Counter()
    rows = [row for statement in statements for row in _rows(name, statement, problems)]
    if problems["pending"]:
        them = number_of(problems["pending"], "entry is", "entries are")
        warnings.warn(f"{name}: {them} left out: the bank has not booked them", stacklevel=2)
    if problems["batch"]:
        them = number_of(problems["batch"], "batch is one row", "batches are one row each")
        warnings.warn(f"{name}: {them}: the details do not add up to the amount", stacklevel=2)
    currencies = (_text(statement, "Acct/Ccy") for statement in statements)
    return row_frame(rows, WITH_REFERENCE, currencies)


class _Target:
    """Builds the tree of a file, without namespaces.

    It refuses what no bank writes: a document type, which can define entities that expand to
    gigabytes or read other files, and very deep elements.
    """

    def __init__(self, name: str, builder: TreeBuilder) -> None:
        self._name = name
        self._builder = builder
        self._depth = 0
        self.data = builder.data
        self.close = builder.close

    def doctype(self, *_: object) -> None:
        raise ToolError(f"{self._name} has a document type declaration, which no CAMT file has")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ToolError(f"{self._name} has elements in more than {_DEEPEST} others")
        self._builder.start(tag.rpartition("}")[2], attributes)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._builder.end(tag.rpartition("}")[2])


def _tree(name: str, content: bytes) -> Element:
    from xml.etree.ElementTree import ParseError, TreeBuilder, XMLParser  # noqa: PLC0415 - slow, and rarely used

    # `_Target` refuses what is dangerous in files of others.
    parser = XMLParser(target=_Target(name, TreeBuilder()))  # noqa: S314
    try:
        for start in range(0, len(content), _CHUNK):
            parser.feed(content[start : start + _CHUNK])
        root: Element = parser.close()
    except (ParseError, ValueError, LookupError) as error:  # the elements or the encoding are wrong
        reason = str(error)
    else:
        names = [element.tag for element in root]
        if root.tag == "Document" and any(name in _STATEMENTS for name in names):
            return root
        reason = f"its elements are {', '.join([root.tag, *names][:3])}"
    raise ToolError(
        f"{name} is not a complete CAMT.053 or CAMT.052 file: {reason}; {start_of(content)}."
        " Download it again, and unpack an archive first"
    )


def _rows(name: str, statement: Element, problems: Counter[str]) -> Iterator[dict[str, Any]]:
    account = _text(statement, "Acct/Id/IBAN", "Acct/Id/Othr/Id")
    for number, entry in enumerate(statement.iterfind("Ntry"), start=1):
        if _text(entry, "Sts", "Sts/Cd") != "BOOK":
            problems["pending"] += 1
            continue
        where = where_is(name, number, account)
        value_date = _text(entry, "ValDt/Dt", "ValDt/DtTm")
        posted = _text(entry, "BookgDt/Dt", "BookgDt/DtTm") or value_date
        direction = _text(entry, "CdtDbtInd")
        parts, is_split = _parts(entry, direction, where)
        problems["batch"] += not is_split
        for (detail, amount), row_id in zip(parts, _ids(entry, parts), strict=True):
            is_payment = (_text(detail, "CdtDbtInd") or direction) == "DBIT"
            yield {
                "date": day(posted, where, "BookgDt"),
                "payee_name": _payee(entry, detail, account, is_payment=is_payment),
                "memo": _memo(entry, detail),
                "amount": amount,
                "bank_account_id": account,
                "bank_row_id": row_id,
                "value_date": value_date and day(value_date, where, "ValDt"),
                "reference": reference(_text(detail, "Refs/EndToEndId")),
                "currency": _currency(entry, "Amt") or None,
            }


def _parts(
    entry: Element, direction: str | None, where: str
) -> tuple[list[tuple[Element, int]], bool]:
    """The details of an entry that are rows, with their amounts.

    If the amounts of the details do not add up to the entry, it is one row, and the second value
    is False.
    """
    amount = _amount(entry, "Amt", direction, where)
    details = entry.findall("NtryDtls/TxDtls")
    if len(details) == 1:
        return [(details[0], amount)], True
    currency = _currency(entry, "Amt")
    found = []
    for detail in details:
        path = next((path for path in _AMOUNTS if _currency(detail, path) == currency), None)
        if path is not None:
            sign = _text(detail, "CdtDbtInd") or direction
            found.append((detail, _amount(detail, path, sign, where)))
    if found and sum(part for _, part in found) == amount:
        return found, True
    return [(entry, amount)], not found  # an entry has no parties: the row has no payee


def _amount(element: Element, path: str, direction: str | None, where: str) -> int:
    """An amount in milliunits; the sign is that of its direction."""
    if direction not in _SIGNS:
        raise ToolError(f"{where}: {direction!r} is neither CRDT nor DBIT (CdtDbtInd)")
    text = _text(element, path)
    amount = milliunits(text, where, "Amt")
    if amount < 0:
        raise ToolError(f"{where}: the amount {text} has a sign besides its direction (Amt)")
    return _SIGNS[direction] * amount


def _currency(element: Element, path: str) -> str | None:
    """The currency of an amount; an empty text if it states none, and None if it is missing."""
    found = element.find(path)
    return None if found is None else found.get("Ccy", "")


def _ids(entry: Element, parts: list[tuple[Element, int]]) -> list[str | None]:
    """The bank's ids of the rows of an entry."""
    of_entry = reference(_text(entry, "AcctSvcrRef"))
    of_parts = [reference(_text(detail, "Refs/AcctSvcrRef")) for detail, _ in parts]
    if len(parts) == 1:
        return [of_entry or of_parts[0]]
    if None not in of_parts and len({*of_parts}) == len(parts):
        return of_parts
    return [of_entry and f"{of_entry}/{number}" for number in range(1, len(parts) + 1)]


def _payee(entry: Element, detail: Element, account: str | None, *, is_payment: bool) -> str | None:
    """The name of the other party.

    The creditor of a reversal is that of the payment that it reverses, so that the other party of
    money that comes back is the creditor. Some banks exchange the parties: the number of the
    account tells which party is its owner.
    """
    is_reversal = _text(entry, "RvslInd") in ("true", "1")
    other, owner = ("Cdtr", "Dbtr") if is_payment != is_reversal else ("Dbtr", "Cdtr")
    if account is not None and _text(detail, f"RltdPties/{other}Acct/Id/IBAN") == account:
        other = owner
    return _text(detail, *(f"RltdPties/{path.format(other)}" for path in _NAMES))


def _memo(entry: Element, detail: Element) -> str | None:
    texts = [*detail.iterfind("RmtInf/Ustrd"), *detail.iterfind("RmtInf/Strd/CdtrRefInf/Ref")]
    memo = " ".join(filter(None, (_text(text, ".") for text in texts)))
    return memo or _text(detail, "AddtlTxInf") or _text(entry, "AddtlNtryInf")


def _text(element: Element, *paths: str) -> str | None:
    """The first text of elements below another; None if all are missing or empty."""
    texts = (" ".join((element.findtext(path) or "").split()) for path in paths)
    return next(filter(None, texts), None)
