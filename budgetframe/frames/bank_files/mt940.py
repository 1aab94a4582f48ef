"""MT940 and MT942 files of banks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from budgetframe._milliunits import to_currency
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown

from .rows import (
    Balance,
    BankFile,
    Options,
    Row,
    Statement,
    day,
    milliunits,
    reference,
    start_of,
    text_of,
    where_is,
)

_FIELD = re.compile(r"^[ \t]*:(\d\d[A-Z]?|NS):", re.MULTILINE)
_ENVELOPE = re.compile(r"^[ \t]*-?\}?(\{\d:.*)?$", re.MULTILINE)
_BALANCE = re.compile(r"([CD])(\d{6})([A-Z]{3})?([\d.,]+)")
_ROW = re.compile(
    r"\s*(\d{6})(\d{4}| {4})?(R?[CD])[A-Z]?(\d+(?:,\d*|\.\d{0,2})?|,\d+)(?![^A-Z\s/])"
    r" *(?:[A-Z][A-Z\d]{2}[A-Z\d ])?([^\n]*)(.*)",
    re.IGNORECASE | re.DOTALL,
)
"""Day, entry day, mark, third letter of the currency, amount, type, references, and more text.
Three digits after a point are no amount: they could be thousands."""
_INTERIM = ("34F", "90C", "90D")  # only MT942 has them
_PAGE = re.compile(r"/(\d{1,5})\s*$", re.ASCII)
_NONE = (False, False, 0)  # whether a page begins and ends within a statement, and its number or 0
_SUM = re.compile(r"(\d{1,5})([A-Z]{3})([\d.,]+)")
_SIGNS = {"C": 1, "D": -1, "RC": -1, "RD": 1}
_HALF_YEAR = 6  # months
_WORDS = re.compile("(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|PURP|SVWZ|ABWA|ABWE)[+]")
"""The words of German banks in the text of a payment."""

_SUBFIELD = 27  # characters
_CODES = re.compile(
    "/(TRTP|BENM|ORDP|CNTP|ULTC|ULTD|ULTB|NAME|IBAN|BIC|ADDR|CSID|MARF|EREF|PREF|KREF|SVCL|PURP|RTRN"
    "|REMI|ISDT|OCMT|EXCH|CHGS)(?=/)"
)
"""The code words of Dutch banks, such as ``/BENM//NAME/A. Person/REMI/Rent``."""

_Fields = Sequence[tuple[str, str]]  # tags and texts


def read(name: str, content: bytes, options: Options) -> BankFile:
    """Read the statements of an MT940 file, or the rows of an MT942 file."""
    # The amount of a reversed receipt (``RC``) is negative, and that of a reversed payment (``RD``)
    # positive. The day is the entry date, and if there is none, the value date. Name and memo are
    # those of the structured field 86 of German banks (``?20``) and Dutch banks (``/REMI/``); any
    # other text of the field is the memo. The id is the reference of the bank after ``//``.
    text, encoding, reading = text_of(name, content, options.encoding)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = BankFile("MT940", encoding, reading=reading)
    pages: dict[str | None, list[tuple[bool, bool, int]]] = {}
    for message in re.split(r"^(?=[ \t]*:20:)", text, flags=re.MULTILINE):
        _, *parts = _FIELD.split(_ENVELOPE.sub("", message))
        fields = list(zip(parts[::2], parts[1::2], strict=True))
        stated = next((_PAGE.search(value) for tag, value in fields if tag in ("28", "28C")), None)
        accounts = (value.strip() for tag, value in fields if tag in ("25", "25P"))
        account = next(accounts, "").partition("\n")[0] or None  # the bank is on the next line
        starts = [at for at, (tag, _) in enumerate(fields) if tag in ("60F", "60M")] or [0]
        for start, end in pairwise([0, *starts[1:], len(fields)]):
            part = fields[start:end]
            tags = {tag for tag, _ in part}
            if tags & {"61", "60F", "60M", *_INTERIM}:
                found.statements.append(_statement(name, part, account, options, found))
                page = "60M" in tags, "62M" in tags, int(stated[1]) if stated else 0
                pages.setdefault(account, []).append(page)
    if not found.statements:
        raise ToolError(f"{name} is not an MT940 file: {start_of(content)}. Download it again")
    for account, each in pages.items():
        for (_, goes_on, before), (continues, _, number) in pairwise([_NONE, *each, _NONE]):
            if goes_on != continues or (continues and number > before + 1):
                place = f" next to page {before or number}" if before or number else ""
                problem = f"a page of account {account} is missing{place}: download the file again"
                found.problems.append(problem)
    return found


def _statement(
    name: str, fields: _Fields, account: str | None, options: Options, file: BankFile
) -> Statement:
    found, sums = Statement(account), []
    entries: list[list[str]] = []
    for tag, value in fields:
        if tag in ("60F", "60M"):
            found.opening = _balance(name, tag, value, found)
        elif tag in ("62F", "62M"):
            found.closing = _balance(name, tag, value, found)
        elif tag == "61":
            entries.append([value.rstrip(), ""])
        elif tag == "86" and entries and not found.closing:  # else it is that of the statement
            entries[-1][1] = value
        elif tag in _INTERIM:
            file.format = "MT942"
            sums.append((tag, value))
            found.currency = value.lstrip("0123456789")[:3]
    if found.opening and not found.closing:
        raise ToolError(f"{name} is incomplete: a closing balance is missing. Download it again")
    found.account = (account or "").removesuffix(found.currency or "").strip() or None
    numbered = enumerate(entries, start=1)
    found.rows = [_row(where_is(name, at, found.account), *entry) for at, entry in numbered]
    _read_bare_amounts(name, found, fields, options.decimal)
    for tag, value in sums:
        stated = _SUM.match(value)
        signs = [row.amount for row in found.rows if (row.amount > 0) == (tag == "90C")]
        amount = abs(sum(signs))
        if stated and (int(stated[1]), milliunits(stated[3], name, tag)) != (len(signs), amount):
            file.problems.append(
                f"field {tag} states {number_of(int(stated[1]), 'row')} of {stated[3]}, but there"
                f" are {len(signs):,} of {to_currency(amount)}: look for missing rows"
            )
    return found


def _balance(name: str, tag: str, value: str, statement: Statement) -> Balance:
    stated = _BALANCE.match(value.strip())
    if not stated:
        raise ToolError(f"{name}: {shown(value.strip())} is not a balance (:{tag}:)")
    statement.currency = stated[3] or statement.currency
    where = f"{name}, field {tag}"
    amount = _SIGNS[stated[1]] * milliunits(stated[4], where, tag)
    return Balance(amount, day(f"20{stated[2]}", where, tag))


def _row(where: str, text: str, details: str) -> Row:
    stated = _ROW.fullmatch(text)
    if not stated:
        raise ToolError(f"{where}: {shown(text)} has no exact amount such as D12,34 (:61:)")
    value_date, entry_date, mark, amount, references, more = stated.groups()
    date = f"20{value_date}"  # that of interest can be February 30
    if entry_date and entry_date.strip():
        apart = int(entry_date[:2]) - int(value_date[2:4])
        year = int(date[:4]) + (apart < -_HALF_YEAR) - (apart > _HALF_YEAR)
        date = f"{year}{entry_date}"
    payee, memo = _details(details.rstrip() or more)
    bank_row_id = reference(references.partition("//")[2].strip())
    signed = _SIGNS[mark.upper()] * milliunits(amount, where, ":61:")
    return Row(day(date, where, ":61:"), signed, payee, memo, bank_row_id)


def _read_bare_amounts(name: str, found: Statement, fields: _Fields, decimal: str | None) -> None:
    """Decide by the balances whether ``C500``, without its comma, is 500 units or hundredths."""
    texts = [value.rstrip() for tag, value in fields if tag == "61"]
    stated = map(_ROW.fullmatch, texts)
    bare = [at for at, each in enumerate(stated) if each and each[4].strip("0").isdecimal()]
    if not bare or decimal:
        return
    in_hundredths = list(found.rows)
    for at in bare:
        in_hundredths[at] = found.rows[at]._replace(amount=found.rows[at].amount // 100)
    fitting = []
    is_exact = all(re.search("[.,]", value) for tag, value in fields if tag[:2] in ("60", "62"))
    if found.opening and found.closing and is_exact:
        change = found.closing.amount - found.opening.amount
        for rows in (found.rows, in_hundredths):
            fitting += [rows] if sum(row.amount for row in rows) == change else []
    if len(fitting) != 1:
        where = where_is(name, bare[0] + 1, found.account)
        raise ToolError(
            f"{where}: the amount in {shown(texts[bare[0]])} has no comma, and the balances do not"
            " show whether it is in units or in hundredths. Pass decimal=',' if it is in units"
        )
    found.rows = fitting[0]


def _details(text: str) -> list[str | None]:
    """The name of the payee and the memo in a field 86."""
    joined = text.replace("\n", "")
    if re.match(r"\d{3}\?\d\d", joined):
        found = _read_german_bank(joined)
    elif _CODES.match(joined):
        found = _read_dutch_bank(joined)
    else:
        found = ("", text)
    return [" ".join(words.split()) or None for words in found]


def _read_german_bank(text: str) -> tuple[str, str]:
    _, *parts = re.split(r"\?(\d\d)", text)
    fields = list(zip(parts[::2], parts[1::2], strict=True))
    purpose = _joined(part for key, part in fields if re.match("2|6[0-3]", key))
    lead, *parts = _WORDS.split(purpose)
    words = dict(zip(parts[::2], parts[1::2], strict=True))
    payee = _joined(part for key, part in fields if key in ("32", "33"))
    memo = f"{lead} {words.get('SVWZ', '')}"
    name = payee or words.get("ABWA") or words.get("ABWE", "")
    return name, memo if memo.strip() else dict(fields).get("00", "")


def _joined(parts: Iterable[str]) -> str:
    """The text in subfields, which goes on in the next one if a subfield is full."""
    return "".join(part if len(part) >= _SUBFIELD else f"{part} " for part in parts)


def _read_dutch_bank(text: str) -> tuple[str, str]:
    _, *parts = _CODES.split(text)
    # The first name is that of the other party; those of ultimate parties come later.
    words = dict(reversed([*zip(parts[::2], parts[1::2], strict=True)]))
    of_party = [*words.get("CNTP", "").split("/"), "", "", ""][3]  # account, bank, name, city
    memo = re.sub("^/(USTD|STRD/[^/]*)/+", "", words.get("REMI", "")) or words.get("TRTP", "")
    return words.get("NAME", "").strip("/") or of_party, memo.strip("/")
