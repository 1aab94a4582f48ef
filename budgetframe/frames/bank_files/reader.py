"""The files of a bank as frames: one function for all formats."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

import pandas as pd

from budgetframe._milliunits import to_currency
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames import request_bodies
from budgetframe.frames.schema import CURRENCY, Column, frame_of_rows

from .days import ORDERS
from .rows import BankFile, Options, Statement, content_of

COLUMNS = (
    Column("date", "datetime64[us]", "", "day on which the bank booked the row"),
    Column("amount", "float64", CURRENCY, "negative: outflow"),
    Column("payee_name", "str", "", "name of the payee"),
    Column("memo", "str", "", "note of the bank"),
    Column("bank_row_id", "str", "", "the bank's id of the row"),
    Column("currency", "str", "", "code of the currency of the amount"),
    Column("account", "str", "", "number of the account at the bank"),
)

_SIGNS, _DATES = (None, "inflow", "outflow", "type"), (None, *ORDERS)
_OPTIONS = {
    "camt": (),
    "mt940": ("encoding", "decimal"),
    "ofx": ("encoding", "decimal", "sign"),
    "qif": ("encoding", "dates", "decimal", "sign"),
}
"""The arguments that decide something about a format; all of them if it is not here."""
_HEAD = 4096  # bytes that tell the format
_FORMATS: tuple[tuple[str, str], ...] = (
    (r"PK\x03\x04", "archive"),
    (r".*<(\w+:)?(BkToCstmr|Document\b)", "camt"),
    (r".*(<OFX\s*>|OFXHEADER|<\?OFX)", "ofx"),
    (r"(.*\n)?!(Type|Account|Option|Clear)\b", "qif"),
    (r"(.*\n)?\s*:(20|25|28C?|60[FM]):", "mt940"),
    ("", "delimited"),
)
"""What the start of a file matches first, and the module of its reader."""

_DOWNLOAD = "download the transactions as CSV, OFX or CAMT"
_OTHERS = (
    ("%PDF", f"is a PDF file: {_DOWNLOAD}"),
    ("\xd0\xcf\x11\xe0", "is an old Excel file (.xls): open it and save it as .xlsx"),
    (r"<(!DOCTYPE\s+)?html\b", f"is an HTML page, whatever its name says: {_DOWNLOAD}"),
    (r'[\[{]\s*"', "is a JSON file: BudgetFrame.from_export reads an export of the service"),
    (
        r'"?Account"?[,\t]"?Flag"?[,\t].*Outflow',
        "is the register of the budgeting app, whose rows are in a budget already",
    ),
)
"""What is no file of a bank's transactions, and what to do."""


def read_bank_file(
    file: request_bodies.BankFile,
    *,
    account: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    dates: str | None = None,
    decimal: str | None = None,
    sign: str | None = None,
) -> pd.DataFrame:
    r"""Read a file of a bank: CSV, Excel, OFX, QFX, QIF, CAMT.052 to CAMT.054, MT940 or MT942.

    The format is found in the content. Amounts are exact to the milliunit. Nothing is guessed: if
    two readings are possible that give other amounts or days, the error shows a row in both
    readings and names the argument that decides. `BudgetFrame.import_rows` imports the rows, and
    `BudgetFrame.statement` compares them with those of an account.

    Parameters
    ----------
    file : path, bytes or binary file
        The file, of at most 50 MB. Its name can have any ending.
    account : str, optional
        The account at the bank, if the file has several: its number, the end of its number, or the
        code of its currency. By default the rows of all accounts are returned.
    columns : mapping, optional
        What columns of a CSV or Excel file are, by their names in the file: the columns below, or
        ``"debit"``, ``"credit"``, ``"sign"``, ``"balance"``, ``"status"`` or ``"fee"``.
    encoding : str, optional
        The encoding of the text. By default UTF-8 if the content is valid UTF-8, then the one that
        the file states, then windows-1252 or ISO 8859-15.
    dates : {"dd/mm/yyyy", "mm/dd/yyyy", "yyyy/mm/dd"}, optional
        The order of day, month and year, with any separator.
    decimal : {",", "."}, optional
        The decimal separator.
    sign : {"inflow", "outflow", "type"}, optional
        What a positive amount is, or that the type of a row says whether it is an inflow.

    Returns
    -------
    DataFrame
        One row per booking, in the order of the file. Texts that the bank does not state are
        missing. ``attrs`` has ``format``, ``encoding``, ``account``, ``currency``,
        ``opening_balance``, ``opening_date``, ``closing_balance``, ``closing_date``, ``left_out``
        (rows that are no bookings of the account, each with its ``reason``) and ``reading`` (the
        decisions about the file, as sentences).

        column         dtype           unit      meaning
        -------------  --------------  --------  ------------------------------------
        date           datetime64[us]            day on which the bank booked the row
        amount         float64         currency  negative: outflow
        payee_name     str                       name of the payee
        memo           str                       note of the bank
        bank_row_id    str                       the bank's id of the row
        currency       str                       code of the currency of the amount
        account        str                       number of the account at the bank

    Warns
    -----
    RuntimeWarning
        When the balances in the file differ by another amount than that of the rows, a page is
        missing, or the file contradicts itself in another way.

    Raises
    ------
    ToolError
        When two readings are possible, the file is incomplete or of no known format, a row has no
        day or no exact amount, or openpyxl is missing, which Excel files need: it is in the extra
        ``excel``.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> found = read_bank_file(b"Date;Payee;Amount\n31/05/2026;Bakery;-1.234,50\n")
    >>> found[["date", "payee_name", "amount"]]
            date payee_name  amount
    0 2026-05-31     Bakery -1234.5
    """
    name, content = content_of(file)
    for argument, value, known in (
        ("sign", sign, _SIGNS), ("dates", dates, _DATES), ("decimal", decimal, (None, ".", ",")),
    ):  # fmt: skip
        if value not in known:
            raise ToolError(f"{argument}={value!r} is none of {', '.join(map(repr, known[1:]))}")
    module, read = _reader_of(name, content)
    options = Options(columns, encoding, dates, decimal, sign)
    accepted = _OPTIONS.get(module, options._fields)
    for argument, value in options._asdict().items():
        if value is not None and argument not in accepted:
            raise ToolError(f"{argument}= decides nothing in {name}: leave it out")
    found = read(name, content, options)
    statements = [_joined(each, found) for each in _chosen(name, found, account)]
    frame = frame_of_rows(COLUMNS, [cells for each in statements for cells in _cells(each)])
    frame.attrs.update(_attrs(found, statements))
    for problem in found.problems:
        warnings.warn(f"{name}: {problem}", RuntimeWarning, stacklevel=2)
    return frame


def _reader_of(name: str, content: bytes) -> tuple[str, Callable[..., BankFile]]:
    """The module that reads a content, and its function."""
    # Without the zeros, also the ASCII characters of UTF-16 are recognised.
    head = content[:_HEAD].removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").decode("latin-1")
    head = head.removeprefix("\xff\xfe").removeprefix("\xfe\xff").lstrip()
    if not head:
        raise ToolError(f"{name} is empty: {_DOWNLOAD}")
    flags = re.IGNORECASE | re.DOTALL
    for start, problem in _OTHERS:
        if re.match(start, head, flags):
            raise ToolError(f"{name} {problem}")
    module = next(each for start, each in _FORMATS if re.match(start, head, flags))
    return module, import_module(f"{__package__}.{module}").read


def _chosen(name: str, found: BankFile, account: str | None) -> list[list[Statement]]:
    """The statements of each account, or those of one account; repeated ones count once."""
    groups: dict[tuple[str | None, str | None], list[Statement]] = {}
    seen: set[Any] = set()
    for each in found.statements:
        group = groups.setdefault((each.account, each.currency), [])
        balances = each.opening, each.closing
        content = (each.account, each.currency, *balances, *each.rows)
        # Without balances and ids, equal rows can be other ones.
        is_sure = None not in balances or all(row.bank_row_id for row in each.rows)
        if each.rows and is_sure and content in seen:
            number = number_of(len(each.rows), "row")
            found.reading.append(f"a statement of {number} that the file repeats counts once")
        else:
            group.append(each)
            seen.add(content)
    if account is None:
        return [*groups.values()]
    wanted = "".join(account.split())
    chosen = [
        group
        for (number, currency), group in groups.items()
        if wanted == currency or "".join((number or "").split()).endswith(wanted)
    ]
    if len(chosen) != 1 or not wanted:
        known = ", ".join(" in ".join(filter(None, key)) or "without a number" for key in groups)
        raise ToolError(
            f"account={account!r} is {number_of(len(chosen), 'account')} of {name}; its accounts"
            f" are: {known}. Pass the number of one, its end, or the code of its currency"
        )
    return chosen


def _joined(statements: list[Statement], found: BankFile) -> Statement:
    """The statements of one account as one; balances that the rows do not explain are problems."""
    ordered = sorted(statements, key=_first_day)
    for each in ordered:
        if each.opening and each.closing:
            change = each.closing.amount - each.opening.amount
            rest = to_currency(change - sum(row.amount for row in each.rows))
            if rest:
                problem = f"differ by {rest} more than its rows: look for missing rows"
                found.problems.append(f"the balances of a statement{_of(each)} {problem}")
    for before, after in pairwise(ordered):
        if before.closing and after.opening and before.closing.amount != after.opening.amount:
            here, there = (to_currency(each.amount) for each in (after.opening, before.closing))
            other = f"the one before ends with {there}: a statement or a page is missing"
            found.problems.append(f"the statement{_of(after)} begins with {here}, but {other}")
    account, currency = statements[0].account, statements[0].currency
    rows = [row for each in statements for row in each.rows]
    left_out = [row for each in statements for row in each.left_out]
    return Statement(account, currency, ordered[0].opening, ordered[-1].closing, rows, left_out)


def _first_day(statement: Statement) -> str:
    days = [row.date for row in statement.rows]
    days += [each.date for each in (statement.opening, statement.closing) if each and each.date]
    return min(days, default="")


def _of(statement: Statement) -> str:
    account = f" of account {statement.account}" if statement.account else ""
    return f"{account} from {_first_day(statement)}" if _first_day(statement) else account


def _cells(statement: Statement) -> Iterator[tuple[Any, ...]]:
    for row in statement.rows:
        texts = row.payee_name, row.memo, row.bank_row_id
        yield row.date, to_currency(row.amount), *texts, statement.currency, statement.account


def _attrs(found: BankFile, statements: Sequence[Statement]) -> dict[str, Any]:
    only = statements[0] if len(statements) == 1 else Statement()
    attrs: dict[str, Any] = {"format": found.format, "encoding": found.encoding}
    attrs |= {"account": only.account, "currency": only.currency}
    for name, balance in (("opening", only.opening), ("closing", only.closing)):
        attrs[f"{name}_balance"] = balance and to_currency(balance.amount)
        attrs[f"{name}_date"] = balance and balance.date
    rows = [*found.left_out, *(row for each in statements for row in each.left_out)]
    attrs["left_out"] = [row._asdict() for row in rows]
    for row in attrs["left_out"]:
        row["amount"] = None if row["amount"] is None else to_currency(row["amount"])
    return {**attrs, "reading": [*found.reading, *found.problems]}
