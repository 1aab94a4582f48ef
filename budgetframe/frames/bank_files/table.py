"""Tables of a bank, from CSV and Excel files: their columns, rows, signs and balances."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from budgetframe._milliunits import to_currency
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown

from .days import days_of, possible_days
from .numbers import amounts_of, currency_of, possible_amounts
from .rows import Balance, BankFile, LeftOut, Options, Row, Statement, question
from .words import COLUMNS, PART_OF_TOTAL, PENDING, SIGNS, TOTAL, plain

Cells = list[str]
Columns = Mapping[str, list[int]]  # the indexes of the columns of each meaning, the likeliest first

_TESTS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("date", "value"), possible_days),
    **dict.fromkeys(("amount", "debit", "credit", "balance"), possible_amounts),
    "sign": lambda text: plain(text) in SIGNS,
    "currency": str.isalpha,
}
"""What at least half of the texts in a column of a meaning are."""
_SAMPLE = 1000  # rows for this test
HEAD = 200  # rows in which the header is searched
_IBAN = re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_SIGNS = {
    "inflow": "positive amounts are inflows",
    "outflow": "positive amounts are outflows",
    "type": "a column, a word or a plus sign says whether an amount is an inflow",
}


class Header(NamedTuple):
    """The header of a table, and the number of its row."""

    names: Cells
    columns: Columns
    row: int


@dataclass(slots=True)
class _Entry:
    """A row that is a booking."""

    number: int
    cells: Cells
    key: tuple[str | None, str | None]  # account and currency
    date: str = ""
    amount: int = 0
    mark: int = 0  # 1 if a word says that it is an inflow, -1 for an outflow
    balance: int | None = None


def headers_of(
    name: str, tables: Mapping[str, Sequence[Cells]], options: Options
) -> dict[str, Header]:
    """The headers of the tables that have one; in a table without one, columns have numbers."""
    given = options.columns or {}
    if unknown := {*given.values()} - {*COLUMNS}:
        raise ToolError(f"columns=: {shown(min(unknown))} is none of {', '.join(COLUMNS)}")
    found: dict[str, Header] = {}
    for table, rows in tables.items():
        numbers = [str(n) for n in range(1, max(map(len, rows), default=0) + 1)]
        for row, names in enumerate([numbers, *rows[:HEAD]]):
            columns = _columns(names, given)
            has_day = columns["date"] or columns["value"]
            is_header = has_day and _money(columns) and {*given} <= {*names}
            if is_header and found.setdefault(table, Header(names, columns, row)).names != names:
                raise ToolError(f"{name}, row {row}: a second header. Make a file of each table")
    if not found:
        widest = max(tables.values(), key=lambda rows: max(map(len, rows), default=0))
        raise _no_header(name, widest)
    return found


def _columns(names: Cells, given: Mapping[str, str]) -> Columns:
    """What the columns with some names are."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        places.setdefault(f"={given[name]}" if name in given else plain(name), []).append(at)
    return {
        each: places.get(f"={each}") or [at for name in known for at in places.get(name, [])]
        for each, known in COLUMNS.items()
    }


def _no_header(name: str, rows: Sequence[Cells]) -> ToolError:
    """The error of a table whose columns are unknown."""
    first = " / ".join(", ".join(filter(None, row)) for row in rows[:4] if any(row))
    return ToolError(
        f"{name} has no header with known names of a day and an amount: {shown(first)}. Pass what"
        " its columns are, such as columns={'Buchungstag': 'date', 'Umsatz': 'amount'}; in a file"
        " without a header, their names are '1', '2' and so on"
    )


def read_table(
    name: str, rows: Sequence[Cells], header: Header, options: Options, found: BankFile
) -> BankFile:
    """Add the statements of a table to a file."""
    names = header.names
    body = {
        number: row + [""] * (len(names) - len(row))
        for number, row in enumerate(rows, start=1)
        if number > header.row and any(row) and row != names
    }
    columns = {each: _fitting(each, header, [*body.values()]) for each in COLUMNS}
    columns["date"] = columns["date"] or columns["value"]
    money = _money(columns)
    if not columns["date"] or not money:
        raise _no_header(name, rows)
    iban = _IBAN.search(" ".join(text for row in rows[: header.row] for text in row))
    entries: list[_Entry] = []
    left_out: list[LeftOut] = []
    for number, row in body.items():
        code = _text(row, columns["currency"])
        unit = currency_of(code) or code or currency_of(f"{_text(row, money)} {names[money[0]]}")
        account = _text(row, columns["account"]) or (iban[0] if iban else None)
        if reason := _reason(f"{name}, row {number}", row, columns, len(names)):
            left_out.append(LeftOut(number, reason, payee_name=max(row, key=len)))
        else:
            entries.append(_Entry(number, row, (account, unit)))

    def where(index: int) -> str:
        return f"{name}, row {entries[index % len(entries)].number}"

    texts = [each.cells[columns["date"][0]] for each in entries]
    others = [row[at] for row in body.values() for at in columns["date"] + columns["value"]]
    days, order = days_of([*texts, *filter(possible_days, others)], where, options.dates)
    used = money + columns["balance"][:1]
    texts = [each.cells[at] for at in used for each in entries]
    texts = [text if possible_amounts(text) or _has_digit(text) else "" for text in texts]
    numbers, notation = amounts_of(texts, where, options.decimal)
    for index, each in enumerate(entries):
        each.date, own = days[index], numbers[index :: len(entries)]
        each.balance = own.pop() if columns["balance"] else None
        word = SIGNS.get(plain(_text(each.cells, columns["sign"])), int(texts[index][:1] == "+"))
        each.mark = word if len(own) == 1 else -1 if own[0] else 1
        each.amount = sum(filter(None, own))
        if len([*filter(None, own)]) > 1:
            raise ToolError(f"{where(index)}: it has a debit and a credit. Correct the row")
    amounts, sign = _signed(entries, where, options.sign)
    places = ", ".join(repr(names[at]) for at in [columns["date"][0], *money])
    found.reading += [f"day and amount are in {places}", *filter(None, (order, notation, sign))]
    found.statements = _statements(entries, amounts, columns) or [Statement()]
    found.left_out = left_out
    if not entries and any(each.reason == "no amount" for each in left_out):
        raise _no_header(name, rows)
    _add_notes(found, entries, columns)
    if broken := _breaks(entries, amounts)[0]:
        found.problems.append(
            f"{number_of(len(broken), 'balance differs', 'balances differ')} in {names[used[-1]]!r}"
            " from the one before and the amount, first in row"
            f" {entries[broken[0]].number}: look for missing rows"
        )
    return found


def _add_notes(found: BankFile, entries: list[_Entry], columns: Columns) -> None:
    """Add what a person should know about fees and about the status of rows."""
    fees = [each for each in entries if re.search("[1-9]", _text(each.cells, columns["fee"]))]
    if fees:
        found.problems.append(
            f"{number_of(len(fees), 'row has', 'rows have')} a fee, first in row {fees[0].number},"
            " which is not in the amount: enter it by hand"
        )
    if columns["status"] and entries:
        statuses = dict.fromkeys(_text(each.cells, columns["status"]) for each in entries)
        found.reading.append(f"booked are rows with the status {', '.join([*statuses][:9])}")


def _money(columns: Columns) -> list[int]:
    """The column of amounts, or those of debits and credits."""
    return columns["amount"][:1] or columns["debit"][:1] + columns["credit"][:1]


def _fitting(meaning: str, header: Header, rows: list[Cells]) -> list[int]:
    """The columns whose texts can have a meaning, the likeliest first."""
    test = _TESTS.get(meaning, bool)
    texts = {}
    for at in header.columns[meaning]:
        own = [row[at] for row in rows[:_SAMPLE] if row[at] and sum(map(bool, row)) > 1]
        if 2 * len([*filter(test, own)]) >= len(own):
            texts[at] = own
    fitting = sorted(texts, key=lambda at: not texts[at])
    if meaning == "amount" and len(fitting) > 1:
        (first, one), (second, other) = ((header.names[at], texts[at]) for at in fitting[:2])
        if first == second and one != other:
            raise ToolError(f"two columns have the name {first!r}. Give them names that differ")
    return fitting


def _statements(entries: list[_Entry], amounts: list[int], columns: Columns) -> list[Statement]:
    """The rows of each account and currency in the order of the file, and their balances."""
    ids = [_text(each.cells, columns["bank_row_id"]) for each in entries]
    if len({*ids}) < len(ids):
        ids = [""] * len(ids)  # what is in several rows is the id of none
    statements = {each.key: Statement(*each.key) for each in entries}
    for each, amount, row_id in zip(entries, amounts, ids, strict=True):
        payee = _text(each.cells, columns["payer"] if amount > 0 else [])
        payee = payee or _text(each.cells, columns["payee_name"] or columns["memo"])
        memos = dict.fromkeys(each.cells[at] for at in columns["memo"])
        memo = " ".join(text for text in memos if text not in ("", payee))
        row = Row(each.date, amount, payee or None, memo or None, row_id or None)
        statements[each.key].rows.append(row)
    broken, order = _breaks(entries, amounts)
    unseen = {*statements}
    for index in order:
        each, statement = entries[index], statements[entries[index].key]
        if each.key in unseen and each.balance is not None and not broken:
            statement.opening = Balance(each.balance - amounts[index])
        unseen.discard(each.key)
        statement.closing = None if each.balance is None else Balance(each.balance, each.date)
    return [*statements.values()]


def _text(cells: Cells, indexes: Iterable[int]) -> str:
    """The first text in some cells."""
    return next((cells[at] for at in indexes if cells[at]), "")


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _reason(where: str, row: Cells, columns: Columns, width: int) -> str | None:
    """Why a row is no booking; None if it is one."""
    day = row[columns["date"][0]]
    amount = next((row[at] for at in _money(columns) if _has_digit(row[at])), "")
    words = {plain(cell) for cell in row} - ({"total"} if possible_days(day) else set())
    if any(map(TOTAL.fullmatch, words)):  # on a day, "Total" is a petrol station
        return "a balance or a total"
    if not amount or not (possible_days(day) or possible_amounts(amount)):
        return "no amount" if possible_days(day) else "no day and no amount"
    if pending := PENDING.search(f"{_text(row, columns['status'])} {day}"):
        return f"not booked: {pending[0]}"
    if any(row[width:]):
        raise ToolError(f"{where}: it has more cells than the header: put its texts in quotes")
    if possible_days(day):
        return None
    if any(possible_days(row[at]) for at in columns["date"] + columns["value"]):
        return "not booked: no booking day"
    if any(PART_OF_TOTAL.search(plain(cell)) for cell in row):
        return "a balance or a total"
    raise ToolError(f"{where}: the amount {shown(amount)} has no day. Correct or delete the row")


def _signed(
    entries: list[_Entry], where: Callable[[int], str], sign: str | None
) -> tuple[list[int], str]:
    """The amounts with their signs, and how these were decided."""
    stated = [each.amount for each in entries]
    readings = {"inflow": stated, "outflow": [-amount for amount in stated]}
    marked = {(each.mark, each.amount > 0) for each in entries if each.amount}
    if all(mark for mark, _ in marked):
        readings["type"] = [each.mark * abs(each.amount) for each in entries]
    if sign:
        if sign not in readings:
            raise ToolError(f"sign={sign!r}: no column has a word such as 'debit' in each row")
        return readings[sign], f"{_SIGNS[sign]}, as given"
    agree = {(mark > 0) == is_positive for mark, is_positive in marked if mark}
    unsigned = all(is_positive for _, is_positive in marked)
    possible = ["inflow"]
    if "type" in readings and (unsigned or marked == {(1, False), (-1, True)}):
        possible = ["type"]
    elif False in agree or (unsigned and marked):
        possible += ["type" if "type" in readings else "outflow"]
    fitting = [name for name, amounts in readings.items() if not _breaks(entries, amounts)[0]]
    checks = sum(each.balance is not None for each in entries) - 1
    is_clear = len(fitting) < len(readings) and len({(*readings[each],) for each in fitting}) == 1
    if is_clear and (checks > 1 or len(possible) > 1):  # one can fit by chance
        return readings[fitting[0]], f"{_SIGNS[fitting[0]]}, as the balances show"
    for index, amounts in enumerate(zip(*(readings[name] for name in possible), strict=True)):
        if len({*amounts}) > 1:
            texts = [f"the amount is {to_currency(amount):,.2f}" for amount in amounts]
            raise question(where(index), "sign", dict(zip(possible, texts, strict=True)))
    return readings[possible[0]], _SIGNS[possible[0]]


def _breaks(entries: list[_Entry], amounts: list[int]) -> tuple[list[int], Sequence[int]]:
    """The rows whose balance is not the one before and their amount, and the oldest-first order."""
    found: list[tuple[list[int], Sequence[int]]] = []
    orders = [range(len(entries)), range(len(entries))[::-1]]
    if entries and entries[0].date > entries[-1].date:
        orders.reverse()  # if no balance decides, the days do
    for order in orders:
        totals: dict[tuple[str | None, str | None], int] = {}
        broken = []
        for index in order:
            key, balance = entries[index].key, entries[index].balance
            if key in totals:
                totals[key] += amounts[index]
            if balance is not None:
                if totals.setdefault(key, balance) != balance:
                    broken.append(index)
                totals[key] = balance
        found.append((broken, order))
    return min(found, key=lambda each: len(each[0]))
