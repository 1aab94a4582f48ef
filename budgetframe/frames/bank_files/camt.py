"""CAMT.052, CAMT.053 and CAMT.054 files of a bank."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from budgetframe.errors import ToolError

from .rows import (
    Balance,
    BankFile,
    LeftOut,
    Options,
    Row,
    Statement,
    day,
    milliunits,
    reference,
    start_of,
    where_is,
)

_MESSAGES = {
    "BkToCstmrAcctRpt": ("CAMT.052", "Rpt"),
    "BkToCstmrStmt": ("CAMT.053", "Stmt"),
    "BkToCstmrDbtCdtNtfctn": ("CAMT.054", "Ntfctn"),
}
"""How the element of a message begins, its format, and the element of a statement in it."""

_SIGNS = {"CRDT": 1, "DBIT": -1}
_AMOUNTS = ("Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt")  # of a detail of an entry
_IN_ACCOUNT = ("AnncdPstngAmt", "CntrValAmt", "TxAmt", "InstdAmt")
"""Where an entry in another currency has the amount in that of the account."""

_NAMES = ("{0}/Nm", "{0}/Pty/Nm", "Ultmt{0}/Nm", "Ultmt{0}/Pty/Nm", "{0}/Agt/FinInstnId/Nm")
"""Where the name of a creditor or debtor is. `Pty` and `Agt` are in versions since 8."""
_REMITTANCE = ("Ustrd", "Strd/CdtrRefInf/Ref", "Strd/AddtlRmtInf")

_REASONS = {"PDNG": "pending", "INFO": "only for information", "FUTR": "in the future"}
_DOCUMENTS = re.compile(rb"(?=<\?xml)|(?<=Document>)\s*(?=<(?:\w+:)?Document\b)")
"""Where the next document of a file begins."""
_DETAIL = "NtryDtls/TxDtls"
_DEEPEST = 100  # levels of elements; the format has about 20
_CHUNK = 1 << 20  # bytes; an error of `_Builder` ends the parsing at the end of a chunk


def read(name: str, content: bytes, options: Options) -> BankFile:
    """Read the statements of all documents of a CAMT file."""
    # The sign of an amount is the stated direction, also of a reversal. A batch is one row for each
    # of its details that has an amount in the currency of the entry, if these amounts add up to the
    # entry, and otherwise one row. The payee is the creditor of a payment or the debtor of a
    # receipt.
    del options  # the format leaves nothing open
    encoding = re.match(rb"\s*<\?xml[^>]*encoding=[\"']([\w-]+)", content)
    found = BankFile("", encoding[1].decode().lower() if encoding else "utf-8")
    numbers, pages = Counter[str](), set[tuple[str, str | None]]()
    for part in _DOCUMENTS.split(content):
        for message in _messages(name, part) if part.strip() else ():
            found.format, tag = next(v for k, v in _MESSAGES.items() if message.tag.startswith(k))
            for path in ("GrpHdr/MsgPgntn", f"{tag}/{tag}Pgntn"):
                for page in message.iterfind(path):
                    pages.add(((_text(page, "PgNb") or "")[:5], _text(page, "LastPgInd")))
            for each in message.iterfind(tag):
                found.statements.append(_statement(name, each, found, numbers))
    found.reading += [f"{text}: {number:,}" for text, number in numbers.items() if number]
    known = {(int(number), last) for number, last in pages if number.isdecimal()}
    stated = {n - 1 for n, _ in known} | {n + 1 for n, last in known if last == "false"}
    if missing := stated - {-1, 0, *(n for n, _ in known)}:
        found.problems.append(f"page {min(missing)} is missing: its rows are in another file")
    return found


class _Builder(TreeBuilder):
    """Builds the tree of a file without namespaces, and refuses what no bank writes."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._depth = 0

    def doctype(self, *_: object) -> None:
        # A document type can define entities that expand to gigabytes or read other files.
        raise ToolError(f"{self._name} has a document type declaration, which no CAMT file has")

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ToolError(f"{self._name} has elements in more than {_DEEPEST} others")
        return super().start(tag.rpartition("}")[2], attributes)

    def end(self, tag: str) -> Element:
        self._depth -= 1
        return super().end(tag.rpartition("}")[2])


def _messages(name: str, content: bytes) -> list[Element]:
    parser = XMLParser(target=_Builder(name))  # noqa: S314 - it refuses what is dangerous
    try:
        for start in range(0, len(content), _CHUNK):
            parser.feed(content[start : start + _CHUNK])
        root: Element = parser.close()
    except (ParseError, ValueError, LookupError) as error:  # the elements or the encoding are wrong
        reason = str(error)
    else:
        found = [each for each in root.iter() if each.tag.startswith((*_MESSAGES,))]
        if found:
            return found
        reason = f"its elements are {', '.join([root.tag, *(each.tag for each in root)][:3])}"
    problem = f"{reason}; {start_of(content)}. Download it again"
    raise ToolError(f"{name} is not a complete CAMT file (052, 053 or 054): {problem}")


def _statement(name: str, element: Element, file: BankFile, numbers: Counter[str]) -> Statement:
    account = _text(element, "Acct/Id/IBAN", "Acct/Id/Othr/Id", "Acct/Id/PrtryAcct/Id")
    amounts = (_currency(element, path) for path in ("Bal/Amt", "Ntry/Amt"))
    stated = (_text(element, "Acct/Ccy"), *amounts)
    currency = next((code for code in stated if code and code != "XXX"), None)
    found = Statement(account, currency)
    try:
        found.opening = next(iter(_balances(element, currency, "OPBD", "PRCD")), None)
        found.closing = next(reversed(_balances(element, currency, "CLBD")), None)
    except ToolError as error:  # the rows have no need of the balances
        file.problems.append(f"the balances are not checked: {error}")
    for number, entry in enumerate(element.iterfind("Ntry"), start=1):
        where = where_is(name, number, account)
        status = _text(entry, "Sts", "Sts/Cd", "Sts/Prtry")
        numbers["entries without a status, which are read as booked"] += status is None
        if status in (None, "BOOK"):
            found.rows += _rows(entry, account, currency or "", where, numbers)
        else:
            reason = f"{_REASONS.get(status, status)}: the bank has not booked it"
            amount = _amount(entry, "Amt", _text(entry, "CdtDbtInd"), where)
            found.left_out.append(LeftOut(number, reason, _text(entry, "BookgDt/Dt"), amount))
    return found


def _balances(statement: Element, currency: str | None, *codes: str) -> list[Balance]:
    """The balances of these kinds, in this order and then by their days."""
    found = []
    for balance in statement.iterfind("Bal"):
        code = _text(balance, "Tp/CdOrPrtry/Cd", "Tp/Cd")
        if code in codes and _currency(balance, "Amt") in (currency, ""):
            where = f"balance {code}"
            amount = _amount(balance, "Amt", _text(balance, "CdtDbtInd"), where)
            date = _text(balance, "Dt/Dt", "Dt/DtTm")
            found.append((codes.index(code), Balance(amount, date and day(date, where, "Dt"))))
    return [each for _, each in sorted(found, key=lambda each: (each[0], each[1].date or ""))]


def _rows(
    entry: Element, account: str | None, currency: str, where: str, numbers: Counter[str]
) -> list[Row]:
    posted = _text(entry, "BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm")
    direction = _text(entry, "CdtDbtInd")
    parts, is_split = _parts(entry, direction, currency, where)
    numbers["batches as one row, whose details do not add up to the amount"] += not is_split
    rows = []
    for (detail, amount), row_id in zip(parts, _ids(entry, parts), strict=True):
        is_payment = (_text(detail, "CdtDbtInd") or direction) == "DBIT"
        payee = _payee(entry, detail, account, is_payment=is_payment)
        rows.append(Row(day(posted, where, "BookgDt"), amount, payee, _memo(entry, detail), row_id))
    return rows


def _parts(
    entry: Element, direction: str | None, currency: str, where: str
) -> tuple[list[tuple[Element, int]], bool]:
    """The details that are rows, with their amounts; and False if these do not add up."""
    details = entry.findall(_DETAIL) or entry.findall("TxDtls")
    path, stated = "Amt", _currency(entry, "Amt")
    if currency and stated not in (None, "", currency):
        paths = [f"{each}/AmtDtls/{kind}/Amt" for each in (".", _DETAIL) for kind in _IN_ACCOUNT]
        found_at = [each for each in paths if _currency(entry, each) == currency]
        if len(details) > 1 or not found_at:
            raise ToolError(
                f"{where}: the amount is {_text(entry, 'Amt')} {stated}, and the file does not"
                f" state it in {currency}, the currency of the account. Remove the entry from the"
                " file, and enter it by hand"
            )
        path = found_at[0]
    amount = _amount(entry, path, direction, where)
    if len(details) == 1:
        return [(details[0], amount)], True
    found = []
    for detail in details:
        path = next((path for path in _AMOUNTS if _currency(detail, path) == stated), "")
        if path:
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
    if amount < 0 or "," in str(text):
        raise ToolError(
            f"{where}: the amount {text} has a sign or a comma, which no amount has (Amt)"
        )
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
    """The name of the other party."""
    # A reversal has the creditor of the payment that it reverses, the other party of money that
    # comes back. Some banks exchange the parties: the number of the account tells which is its
    # owner.
    is_reversal = _text(entry, "RvslInd") in ("true", "1")
    other, owner = ("Cdtr", "Dbtr") if is_payment != is_reversal else ("Dbtr", "Cdtr")
    if account is not None and _text(detail, f"RltdPties/{other}Acct/Id/IBAN") == account:
        other = owner
    names = (_text(detail, f"RltdPties/{path.format(other)}") for path in _NAMES)
    return next(filter(reference, names), None)


def _memo(entry: Element, detail: Element) -> str | None:
    texts = [each for path in _REMITTANCE for each in detail.iterfind(f"RmtInf/{path}")]
    memo = " ".join(text for each in texts if (text := reference(_text(each, "."))))
    return memo or _text(detail, "AddtlTxInf") or _text(entry, "AddtlNtryInf")


def _text(element: Element, *paths: str) -> str | None:
    """The first text of elements below another; None if all are missing or empty."""
    texts = (" ".join((element.findtext(path) or "").split()) for path in paths)
    return next(filter(None, texts), None)
