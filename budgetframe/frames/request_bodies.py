"""Conversion of the rows and arguments of writes to request bodies, with amounts in milliunits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from os import PathLike
from typing import Any, BinaryIO, NamedTuple, get_args

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import WRITABLE_FREQUENCIES, key_text
from budgetframe._runtime.arguments import closest_names, nothing_sent, refused

from .arrow_tables import ArrowTable
from .dates import Day, day_of, month_of
from .schema import MILLIUNITS_SUFFIX
from .tables import LEDGER, TABLES, AccountType, GoalFrequency

Rows = pd.DataFrame | ArrowTable | Iterable[Mapping[str, Any]]
"""Rows to write, as a frame or as mappings."""

Keys = str | pd.DataFrame | ArrowTable | Iterable[str]
"""Keys of rows: one key, several keys, or a frame with a column of keys."""

BankFile = str | PathLike[str] | bytes | BinaryIO
"""A file of a bank: its path, its content, or the opened file."""

_SIMILARITY = 0.85  # of a misspelt column
_OTHER_NAMES = {"flag": "flag_color", "note": "memo", "notes": "memo", "assigned": "budgeted"}
_IN_MILLIUNITS = f"amount{MILLIUNITS_SUFFIX}"
_KEYS_OF_ROWS = ("transaction_id", "subtransaction_id", "scheduled_transaction_id")
_ROUNDING_ERROR = Decimal("1e-12")  # relative error of a float after some arithmetic
_MAX_ROUNDING_ERROR = Decimal("0.01")  # milliunits
_EXACT_BELOW = 2**53  # a float represents all integers below this exactly


class Body(NamedTuple):
    """The body of one write: its fields, and what the service requires."""

    fields: Mapping[str, Callable[[Any, str], Any]]  # they convert values, by names of frames
    needed: tuple[str, ...] = ()  # required fields; ``a or b`` requires one of them
    is_update: bool = False  # whether an empty value clears its field; otherwise, it is not sent
    never_empty: tuple[str, ...] = ()  # fields that an update cannot clear
    ignored: frozenset[str] = frozenset()  # the other columns of frames, which new rows may have


def rows_to_write(rows: Rows) -> list[dict[str, Any]]:
    """The cells of rows by the names of their columns, with None for an empty value.

    An amount in milliunits is converted to currency units, and a key can be a UUID.

    Examples
    --------
    >>> rows_to_write([{"account_id": "a1", "amount_milliunits": -4500, "memo": float("nan")}])
    [{'account_id': 'a1', 'memo': None, 'amount': Decimal('-4.5')}]
    """
    found = []
    for position, row in enumerate(_mappings(rows)):
        if not isinstance(row, Mapping):
            raise refused(f"row {position} is {row!r}: pass a mapping of fields to values")
        cells = with_amount(row, f"row {position}")
        found.append({str(name): _cell(str(name), value) for name, value in cells.items()})
    if not found:
        raise refused("there are no rows to write")
    return found


def _cell(name: str, value: Any) -> Any:
    if is_missing(value):
        return None
    if name == "import_id":
        return str(value)
    return key_text(value) if name.endswith("_id") else value


def without_keys(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """New rows without the keys of rows, which must be empty: a row that exists is no new one."""
    found = []
    for position, row in enumerate(rows):
        for field in _KEYS_OF_ROWS:
            if row.get(field) is not None:
                advice = f"bf.changes() changes it. To create a copy, leave out {field}"
                raise refused(f"row {position} has a {field}, as a row that exists: {advice}")
        found.append({name: cell for name, cell in row.items() if name not in _KEYS_OF_ROWS})
    return found


def check_cells(cells: Mapping[str, Any], body: Body, where: str, *, advice: str = "") -> None:
    """Check the columns and values of a row to write; a cell that is None has no value.

    An unknown column, a missing required field, an amount that is not a whole number of milliunits,
    an invalid day and a text that is too long are errors.

    Examples
    --------
    >>> row = {"account_id": "a1", "date": "2026-05-17", "amount": -4.5, "memmo": "a"}
    >>> try:
    ...     check_cells(row, BODIES["create_transactions"], "row 0")
    ... except ToolError as error:
    ...     print(str(error).partition(";")[0])
    row 0: memmo cannot be written (write memo for memmo)
    """
    given = {name: cell for name, cell in cells.items() if cell is not None}
    unknown = [name for name in given if name not in body.fields and name not in body.ignored]
    if unknown:
        check_columns(unknown, tuple(body.fields), where, advice=advice)
    for field in body.needed:
        if all(given.get(name) is None for name in field.split(" or ")):
            raise refused(f"{where} has no {field}")
    for name, cell in given.items():
        if name in body.fields:
            body.fields[name](cell, f"{where}: {name}")


def body_of(values: Mapping[str, Any], body: Body, where: str) -> dict[str, Any]:
    """Convert the arguments of a write to a request body; `where` is its name in messages."""
    # A field that cannot be written, a missing required field, a value of another type and no value
    # at all are errors. An empty value (None, NaN, NA, NaT) clears the field of an update, and is
    # not sent for a new row.
    check_columns(values, tuple(body.fields), where)
    cells = {field: None if is_missing(value) else value for field, value in values.items()}
    given = {field: cell for field, cell in cells.items() if cell is not None or body.is_update}
    for field in body.needed:
        if given.get(field) is None:
            raise refused(f"{where} has no {field}")
    for field in body.never_empty:
        if given.get(field, 0) in (None, ""):
            raise refused(f"{where}: {field} cannot be empty")
    if not given:
        raise refused(f"{where}: there is nothing to write; give one of {', '.join(body.fields)}")
    return {
        _SENT.get(field, field): None
        if value is None or (body.is_update and value == "")
        else body.fields[field](value, f"{where}: {field}")
        for field, value in given.items()
    }


def keys_of(keys: Keys, column: str) -> list[str]:
    """Return the keys of rows, or those in a column of a frame, each key once, in order.

    It is an error if there is no key, or if one is missing or is not a text.
    """
    if isinstance(keys, pd.DataFrame):
        if column not in keys:
            raise refused(f"the frame has no column {column}")
        keys = keys[column]
    elif isinstance(keys, str):
        keys = [keys]
    elif isinstance(keys, Mapping) or not isinstance(keys, Iterable):
        raise refused(f"pass a DataFrame or a list of keys, not {keys!r}")
    found = dict.fromkeys(_key(key, f"row {row}: {column}") for row, key in enumerate(keys))
    if not found:
        raise refused(f"there are no rows: no {column} was given")
    return list(found)


def milliunits_of(amount: Any, where: str) -> int:
    """Convert an amount in currency units to milliunits; a fraction of them is an error."""
    try:
        exact = Decimal(str(amount)) * MILLIUNITS
        whole = exact.to_integral_value()
        # Sums of floats have small errors: 0.1 + 0.2 must become 300 milliunits.
        tolerance = Decimal(0)
        if isinstance(amount, float):
            tolerance = min(_ROUNDING_ERROR * (1 + abs(whole)), _MAX_ROUNDING_ERROR)
        if whole.is_finite() and abs(whole) >= _EXACT_BELOW:
            limit = f"{_EXACT_BELOW // MILLIUNITS:,}"
            raise refused(f"{where}={amount!r} is too large: an amount is below {limit}")
        if abs(exact - whole) <= tolerance:
            return int(whole)
    except ArithmeticError:
        pass
    raise refused(f"{where}={amount!r} is not an amount with at most three decimals")


def month_to_write(month: Day) -> str:
    """Convert a month with `month_of`; the message of its error adds that nothing was sent."""
    with nothing_sent():
        return month_of(month)


def _mappings(rows: Rows) -> Iterable[Mapping[str, Any]]:
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise refused(f"pass a DataFrame or a list of rows, not {rows!r}")
    if not isinstance(rows, pd.DataFrame):
        return rows
    return [{str(field): value for field, value in row.items()} for row in rows.to_dict("records")]


def is_missing(value: Any) -> bool:
    """Whether a cell has no value: None, NaN, NaT or NA."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def meant_column(name: str, writable: Iterable[str]) -> str | None:
    """The column that can be written and that another name probably means."""
    meant = {column: column for column in writable}
    meant |= {column.removesuffix("_name"): column for column in meant}
    meant |= {name: column for name, column in _OTHER_NAMES.items() if column in meant}
    normal = name.strip().casefold().replace(" ", "_")
    close = closest_names(normal, meant, 1, cutoff=_SIMILARITY)
    return meant[close[0]] if close else None


def check_columns(
    row: Iterable[Any], known: Sequence[str], where: str, *, advice: str = ""
) -> None:
    """Check that a row has only columns that can be written; the message has the meant ones."""
    unknown = [str(field) for field in row if field not in known]
    if not unknown:
        return
    meant = {field: meant_column(field, known) for field in unknown}
    hints = [f"write {column} for {field}" for field, column in meant.items() if column]
    hint = f" ({', '.join(hints)})" if hints else ""
    writable = f"these can: {', '.join(known)}{advice}"
    raise refused(f"{where}: {', '.join(unknown)} cannot be written{hint}; {writable}")


def with_amount(row: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The fields with the amount in currency units, also if it is given in milliunits."""
    if _IN_MILLIUNITS not in row:
        return row
    if "amount" in row:
        raise refused(f"{where} has amount and {_IN_MILLIUNITS}: keep one of them")
    found = dict(row)
    amount = found.pop(_IN_MILLIUNITS)
    if not is_missing(amount):
        milliunits, rest = divmod(milliunits_of(amount, f"{where}: {_IN_MILLIUNITS}"), MILLIUNITS)
        if rest:
            raise refused(f"{where}: {_IN_MILLIUNITS}={amount!r} is not a whole number")
        amount = Decimal(milliunits) / MILLIUNITS
    return {**found, "amount": amount}


def check_text(value: str, where: str) -> None:
    """Check that a text has no lone surrogate: half a character cannot be sent."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = value[error.start]
        raise refused(
            f"{where} has {half!r} at position {error.start}, which is half a character and cannot"
            " be sent: correct the text"
        ) from None


def _key(value: Any, where: str) -> str:
    key = key_text(value)
    if isinstance(key, str):
        check_text(key, where)
    if not isinstance(key, str) or not key.strip(". "):
        raise refused(f"{where}={value!r} is not a key: take it from a frame")
    return key


def _key_or_name(value: Any, where: str) -> str:
    return _NAME(key_text(value), where)


def _day(value: Any, where: str) -> str:
    with nothing_sent():
        return f"{day_of(value, where):%Y-%m-%d}"


def _flag(value: Any, where: str) -> bool:
    if value not in (True, False):
        raise refused(f"{where}={value!r} is neither True nor False")
    return bool(value)


def _text(longest: int | None = None, *, may_be_blank: bool = True) -> Callable[[Any, str], str]:
    """A conversion of texts; the published description limits the length of some of them."""

    def convert(value: Any, where: str) -> str:
        if not isinstance(value, str):
            raise refused(f"{where}={value!r} is not a text")
        check_text(value, where)
        if not may_be_blank and not value.strip():
            raise refused(f"{where}={value!r} is empty")
        if longest is not None and len(value) > longest:
            raise refused(f"{where} has {len(value):,} characters; at most {longest:,} are allowed")
        return value

    return convert


def _choice(*choices: str) -> Callable[[Any, str], str]:
    def convert(value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in choices:
            raise refused(f"{where}={value!r}: it must be one of {', '.join(map(repr, choices))}")
        return value

    return convert


def _vocabulary(table: str, column: str) -> tuple[str, ...]:
    return next(found.vocabulary for found in TABLES[table].columns if found.name == column)


def check_parts(value: Any, where: str) -> None:
    """Check the parts of a split, which are a list of mappings."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or not all(isinstance(part, Mapping) for part in value):
        raise refused(f"{where}={value!r} is not a list of parts")
    for number, part in enumerate(parts_to_write(value, where)):
        check_cells(part, _PART, f"{where}[{number}]")


def parts_to_write(parts: Iterable[Mapping[str, Any]], where: str) -> list[dict[str, Any]]:
    """The cells of the parts of a split, as `rows_to_write` returns those of rows."""
    found = []
    for number, part in enumerate(parts):
        cells = with_amount(part, f"{where}[{number}]")
        found.append({str(name): _cell(str(name), value) for name, value in cells.items()})
    return found


_SENT = {"account_type": "type", "date_next": "date"}
"""The names of fields in bodies, where they are not those of the frames."""

LONGEST = {"payee_name": 200, "memo": 500}  # characters that the service accepts in a transaction

_NAME = _text(may_be_blank=False)
_ACCOUNT: Mapping[str, Callable[[Any, str], Any]] = {
    "account_id": _key_or_name, "account_name": _NAME,
}  # fmt: skip
_PAYEE_AND_CATEGORY: Mapping[str, Callable[[Any, str], Any]] = {
    "amount": milliunits_of, "payee_id": _key_or_name,
    "payee_name": _text(LONGEST["payee_name"], may_be_blank=False), "category_id": _key_or_name,
    "category_name": _NAME, "category_group_name": _NAME, "memo": _text(LONGEST["memo"]),
}  # fmt: skip
_PART = Body(_PAYEE_AND_CATEGORY, needed=("amount",))
_FLAG_COLOR = _choice(*_vocabulary("transactions", "flag_color"), "")  # "" removes the flag
_TRANSACTION: Mapping[str, Callable[[Any, str], Any]] = {
    **_ACCOUNT, "date": _day, **_PAYEE_AND_CATEGORY,
    "cleared": _choice(*_vocabulary("transactions", "cleared")), "approved": _flag,
    "flag_color": _FLAG_COLOR, "import_id": _text(36), "subtransactions": check_parts,
}  # fmt: skip
_SCHEDULED: Mapping[str, Callable[[Any, str], Any]] = {
    **_ACCOUNT, "date_next": _day, "frequency": _choice(*WRITABLE_FREQUENCIES),
    **_PAYEE_AND_CATEGORY, "flag_color": _FLAG_COLOR,
}  # fmt: skip


_OF_ROWS = (
    *_KEYS_OF_ROWS, "deleted", "reason", "existing_date", "existing_payee_name",
    "existing_transaction_id", "rule",
)  # fmt: skip
"""Further columns of frames whose rows can be new ones, such as those that an import left out."""


def _others_of_frames(fields: Iterable[str]) -> frozenset[str]:
    """The columns of frames of transactions or schedules that are not fields of a new row."""
    tables = (TABLES["transactions"].columns, TABLES["scheduled_transactions"].columns, LEDGER)
    names = {column.name for columns in tables for column in columns}
    return frozenset({*names, *_OF_ROWS}.difference(fields))


_CATEGORY: Mapping[str, Callable[[Any, str], Any]] = {
    "name": _NAME, "category_group_id": _key_or_name, "note": _text(), "goal_target": milliunits_of,
    "goal_target_date": _day, "goal_frequency": _choice(*get_args(GoalFrequency)),
    "goal_needs_whole_amount": _flag,
}  # fmt: skip


def _named(longest: int | None = None) -> Body:
    return Body({"name": _text(longest, may_be_blank=False)}, needed=("name",))


BODIES: Mapping[str, Body] = {
    "create_transactions": Body(
        _TRANSACTION, ("account_id or account_name", "date", "amount"),
        ignored=_others_of_frames(_TRANSACTION),
    ),
    "update_transaction": Body(
        {name: convert for name, convert in _TRANSACTION.items() if name != "import_id"}
    ),
    "create_scheduled_transactions": Body(
        _SCHEDULED, ("account_id or account_name", "date_next or date"),
        ignored=_others_of_frames(_SCHEDULED),
    ),
    "create_account": Body(
        {"name": _NAME, "account_type": _choice(*get_args(AccountType)), "balance": milliunits_of},
        ("name", "account_type", "balance"),
    ),
    **dict.fromkeys(("create_payee", "rename_payee"), _named(500)),
    **dict.fromkeys(("create_category_group", "rename_category_group"), _named(50)),
    "create_category": Body(_CATEGORY, ("name", "category_group_id")),
    "update_category": Body(
        _CATEGORY, is_update=True, never_empty=("name", "category_group_id", "goal_frequency")
    ),
    "month_category": Body({"budgeted": milliunits_of}, ("budgeted",)),
}  # fmt: skip
"""The bodies of all writes, as the published description of the service defines them."""
EVENT = Body(
    {
        **_ACCOUNT, **{f"transfer_{name}": convert for name, convert in _ACCOUNT.items()},
        "date": _day, "until": _day, "amount": milliunits_of, "note": _text(),
        "frequency": _choice(*_vocabulary("scheduled_transactions", "frequency")),
    },
    needed=("account_id or account_name", "date", "amount"),
)  # fmt: skip
"""An event of a forecast, which is not sent."""
