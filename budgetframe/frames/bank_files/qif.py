"""QIF files of banks and of programs."""

from __future__ import annotations

from collections.abc import Iterator

from budgetframe._milliunits import to_currency
from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown

from .days import days_of, possible_days
from .numbers import amounts_of
from .rows import Balance, BankFile, LeftOut, Options, Row, Statement, question, text_of, where_is

_BANKS = ("bank", "cash", "ccard", "oth a", "oth l")  # sections with records of an account
_INVESTMENTS = ("invst", "port")

Record = dict[str, str]


def read(name: str, content: bytes, options: Options) -> BankFile:
    """Read the rows of the accounts in a QIF file."""
    # The parts of a split are not rows; if they do not add up to the amount, a problem says so. A
    # record "Opening Balance" with the account itself as its category is no row, but the balance
    # before the first row. Investments are left out, because an amount in them is not always cash.
    text, encoding, reading = text_of(name, content, options.encoding)
    found = BankFile("QIF", encoding, reading=reading)
    records = _records_of_accounts(name, text, found)

    def where(at: int) -> str:
        return where_is(name, at + 1, None)

    texts = [record.get("T", record.get("U", "")) for _, record, _ in records]
    pieces = [each for _, _, parts in records for each in parts]
    days, order = days_of([record["D"] for _, record, _ in records], where, options.dates)
    amounts, decimal = amounts_of([*texts, *pieces], where, options.decimal)
    found.reading += [each for each in (order, decimal) if each]
    stated = [each for each in amounts if each]
    if options.sign not in ("inflow", "outflow") and stated and min(stated) > 0:
        value = to_currency(stated[0])
        raise question(name, "sign", {"inflow": f"{value}", "outflow": f"{-value}"})
    direction = -1 if options.sign == "outflow" else 1
    signed = [(each or 0) * direction for each in amounts]
    of_parts = iter(signed[len(texts) :])
    for at, (statement, record, parts) in enumerate(records):
        amount, split = signed[at], sum(next(of_parts) for _ in parts)
        if parts and split != amount:
            rest = to_currency(amount - split)
            found.problems.append(f"row {at + 1}: the parts of the split lack {rest} of its amount")
        payee, category = record.get("P", ""), record.get("L", "")
        own = f"[{statement.account or category[1:-1]}]"
        if payee.lower() == "opening balance" and category == own:
            statement.opening = Balance(amount, days[at])
            reason = "the balance before the first row"
            statement.left_out.append(LeftOut(at + 1, reason, days[at], amount, payee))
        else:
            memo = record.get("M", category) or None
            statement.rows.append(Row(days[at], amount, payee or None, memo))
    return found


def _records_of_accounts(
    name: str, text: str, found: BankFile
) -> list[tuple[Statement, Record, list[str]]]:
    """The records that are rows of accounts; the statements with what is left out are added."""
    records: list[tuple[Statement, Record, list[str]]] = []
    statements: dict[str | None, Statement] = {}
    types: dict[str | None, str] = {}
    for section, account, record, parts in _records(name, text):
        if section in (*_BANKS, *_INVESTMENTS):
            statement = statements.setdefault(account, Statement(account))
        if section in _INVESTMENTS:
            reason = f"an investment ({record.get('N', 'of no kind')})"
            left_out = LeftOut(len(statement.left_out) + 1, reason, payee_name=record.get("Y"))
            statement.left_out.append(left_out)
        elif section in _BANKS:
            if "D" not in record or not record.keys() & {"T", "U"}:
                problem = f"{shown(' '.join(record.values()))} has no day or no amount"
                raise ToolError(f"{where_is(name, len(records) + 1, account)}: {problem}")
            if types.setdefault(account, section) != section:
                both = f"!Type:{types[account]} and !Type:{section}"
                raise ToolError(f"{name} has {both} without the names of their accounts (!Account)")
            records.append((statement, record, parts))
        elif possible_days(record.get("D", "")) and record.keys() & {"T", "U"}:
            known = ", ".join(f"!Type:{each}" for each in _BANKS)
            raise ToolError(f"{name} has rows in the section {section!r}, which is none of {known}")
    found.statements += statements.values()
    if not statements:
        raise ToolError(f"{name} has no section of an account, such as !Type:Bank")
    return records


def _records(name: str, text: str) -> Iterator[tuple[str, str | None, Record, list[str]]]:
    """The section, the account, the fields, and the amounts of the parts of each record."""
    section, account = "", None
    record: Record = {}
    parts: list[str] = []
    for line in [*text.splitlines(), "^"]:
        code, value = line[:1].upper(), line[1:].strip()
        if code in ("!", "^"):
            if section == "account":
                account = record.get("N") or account
            elif record:
                yield section, account, record, parts
            record, parts = {}, []
            if code == "!":
                section = (value.partition(":")[2].strip() or value).lower()
        elif code == "D" and code in record:
            raise ToolError(f"{name} is damaged: the line ^ is missing before {shown(line)}")
        elif code == "$":
            parts.append(value)
        elif code and value:
            record.setdefault(code, value)
