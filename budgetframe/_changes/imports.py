"""The rows of a bank's file as new transactions, without the rows that exist already."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._milliunits import MILLIUNITS, to_currency
from budgetframe._runtime.choices import closest_names
from budgetframe._runtime.number_of import number_of
from budgetframe._session.session import Session
from budgetframe.frames.money import check_size
from budgetframe.frames.one_line import decimals_of
from budgetframe.frames.request_bodies import BODIES, milliunits_of
from budgetframe.frames.schema import CURRENCY, Column

from .compare import Compared
from .completion import amount_warnings, finished_plan, five_years_before
from .current_rows import read_state
from .outcome import ID_IN_USE
from .send import journal_of
from .state import Names, State, refused
from .transactions import Comparison

__all__ = ["SKIPPED", "Imported", "import_plan"]

FEW_DAYS = 5
"""Days between a row of the bank and the row without an import id that is taken for the same."""
MATCHING_DAYS = 10
"""Days within which the service merges a row that has an import id with one that has none."""

SKIPPED = (
    Column("date", "datetime64[us]", "", "day in the file"),
    Column("amount", "float64", CURRENCY, "negative: outflow"),
    Column("payee_name", "str", "", "payee in the file"),
    Column("memo", "str", "", "memo in the file"),
    Column("account_name", "str", "", "the account"),
    Column("reason", "str", "", "why the row is left out"),
    Column("existing_date", "datetime64[us]", "", "day of the row that exists"),
    Column("existing_payee_name", "str", "", "payee of the row that exists"),
    Column("existing_transaction_id", "str", "", "key of the row that exists"),
)
"""The columns of the frame of rows that are left out."""

_COLUMNS = ("date", "amount", "payee_name", "memo")
_REQUIRED = ("date", "amount", "payee_name")
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}.*)?", re.ASCII)
_CONVERT = BODIES["create_transactions"].fields
_SHOWN = 3  # rows that a message names


class _BankRow(NamedTuple):
    """One row of a file; the amount is in milliunits."""

    date: date
    amount: int
    payee_name: str | None
    memo: str | None
    import_id: str


class _Existing(NamedTuple):
    """A transaction of the account; the amount is in milliunits."""

    key: str
    date: date
    amount: int
    import_id: str | None


class _Left(NamedTuple):
    """Why a row is left out, and the key of the row that exists."""

    reason: str
    key: str | None = None


class Imported(NamedTuple):
    """The plan for the new rows of a file, and the rows that are left out."""

    compared: Compared
    skipped: pd.DataFrame


async def import_plan(
    session: Session, frame: pd.DataFrame, account: str, columns: Mapping[str, str] | None
) -> Imported:
    """Find the rows of a bank's file that the account does not have.

    Parameters
    ----------
    session : Session
        Reads the current rows.
    frame : DataFrame
        The rows of the file.
    account : str
        Key or name of the account.
    columns : mapping or None
        The names of columns here, by their names in the frame.

    Raises
    ------
    ToolError
        For a frame that cannot be imported; its rows are checked before the first request.
    """
    rows = _bank_rows(_named_columns(frame, columns))
    _, state = await read_state(session, "transactions")
    account_id = _account_id(account, state.names)
    existing = _rows_of(account_id, state)
    used = await _used_ids(session, account_id)
    left = _left_out(rows, existing, used, state.today)
    new = [position for position in range(len(rows)) if position not in left]
    without_id = _without_id(rows, new, existing)
    comparison = Comparison(state, lambda _: None)
    comparison.create(
        {
            "account_id": account_id,
            "date": rows[position].date,
            "amount": to_currency(rows[position].amount),
            "payee_name": rows[position].payee_name,
            "memo": rows[position].memo,
            "cleared": "cleared",
            "import_id": None if position in without_id else rows[position].import_id,
        }
        for position in new
    )
    decimals = decimals_of(session.budget_attrs().get("currency_format"))
    warnings = [
        *_of_currency(frame, session),
        *_of_ids(without_id),
        *amount_warnings(comparison.changes, decimals),
    ]
    plan = finished_plan(state, comparison.changes, warnings=warnings)
    skipped = _skipped_frame(rows, left, state, state.names.name("account", account_id))
    return Imported(Compared(plan, state), skipped.set_axis(frame.index[sorted(left)]))


def _rows_of(account_id: str, state: State) -> list[_Existing]:
    """The transactions of an account that have an amount and a day."""
    return [
        _Existing(
            key,
            date.fromisoformat(raw["date"]),
            round(raw["amount"] * MILLIUNITS),
            raw.get("import_id"),
        )
        for key, raw in state.rows.items()
        if raw.get("account_id") == account_id and None not in (raw.get("date"), raw.get("amount"))
    ]


def _skipped_frame(
    rows: Sequence[_BankRow], left: Mapping[int, _Left], state: State, account_name: str | None
) -> pd.DataFrame:
    """The rows that are left out, in the order of the file."""
    values: dict[str, list[Any]] = {column.name: [] for column in SKIPPED}
    for position, (reason, key) in sorted(left.items()):
        row, raw = rows[position], state.rows.get(key, {})
        cells = (
            row.date.isoformat(),
            to_currency(row.amount),
            row.payee_name,
            row.memo,
            account_name,
            reason,
            raw.get("date"),
            state.names.name("payee", raw.get("payee_id")),
            key,
        )
        for name, cell in zip(values, cells, strict=True):
            values[name].append(cell)
    return pd.DataFrame({column.name: column.array(values[column.name]) for column in SKIPPED})


# The rows of the file


def _named_columns(
    frame: pd.DataFrame, columns: Mapping[str, str] | None
) -> dict[str, pd.Series[Any]]:
    """The columns of the frame by their names here."""
    if not isinstance(frame, pd.DataFrame):
        raise refused(f"frame is {type(frame).__name__}: pass a DataFrame")
    given = columns or {}
    sources: dict[str, Any] = {name: name for name in _COLUMNS if name not in given}
    for source, name in given.items():
        _check_column(source, name, frame)
        if name in sources and sources[name] in given:
            raise refused(f"columns: {sources[name]!r} and {source!r} both mean {name!r}")
        sources[name] = source
    found = {name: frame[source] for name, source in sources.items() if source in frame}
    missing = [name for name in _REQUIRED if name not in found]
    if missing and not len(frame.columns):
        raise refused("the frame has no columns")
    if missing:
        raise refused(
            f"the frame has no column {', '.join(missing)}: its columns are"
            f" {', '.join(map(repr, frame))}. Write which one it is:"
            f" columns={{'a column': {missing[0]!r}}}"
        )
    for name, values in found.items():
        if isinstance(values, pd.DataFrame):
            raise refused(f"the frame has two columns named {sources[name]!r}")
    if "bank_account_id" in frame:
        numbers = list(map(repr, frame["bank_account_id"].dropna().unique()))
        if len(numbers) > 1:
            raise refused(
                f"the rows are of {len(numbers)} accounts of the bank ({', '.join(numbers)}):"
                " select those of one with frame[frame['bank_account_id'] == ...]"
            )
    return found


def _check_column(source: str, name: str, frame: pd.DataFrame) -> None:
    """Check one name of a column in the frame, and what it is here."""
    if name not in _COLUMNS:
        close = closest_names(str(name), _COLUMNS)
        advice = f"{name!r} is none of {', '.join(_COLUMNS)}"
        if close:
            advice += f"; the closest name is {close[0]!r}"
        if source in _COLUMNS and name in frame:
            advice = f"the name in the frame comes first: columns={{{name!r}: {source!r}}}"
        raise refused(f"columns={{{source!r}: {name!r}}}: {advice}")
    if source not in frame:
        close = closest_names(str(source), map(str, frame)) or list(map(str, frame))
        raise refused(
            f"columns: the frame has no column {source!r}; the closest names are"
            f" {', '.join(map(repr, close))}"
        )


def _bank_rows(columns: Mapping[str, pd.Series[Any]]) -> list[_BankRow]:
    """The rows of a file, with import ids that count equal rows of the same day.

    Raises
    ------
    ToolError
        If rows have no day or no amount, or one that is ambiguous.
    """
    cells = {name: _cells(values) for name, values in columns.items()}
    days = [_day(cell) for cell in cells["date"]]
    name = columns["date"].name
    advice = (
        f"convert the column with pd.to_datetime(frame[{name!r}], dayfirst=True) if 03/04/2026 is"
        " in April, with dayfirst=False if it is in March, or with format='%d.%m.%Y'"
    )
    if any(isinstance(cell, int) for cell in cells["date"]):
        advice = (
            "if they were texts as '15.06.2026', pd.read_csv(..., thousands='.') has made numbers"
            f" of them: pass dtype={{{name!r}: 'str'}} too, and then {advice}"
        )
    _require("date", cells["date"], days, f"but a day is '2026-05-17': {advice}")
    _require(
        "amount",
        cells["amount"],
        [None if isinstance(cell, str | bool) else cell for cell in cells["amount"]],
        "but an amount is a number: convert texts with pd.to_numeric, or read them with"
        " pd.read_csv(..., decimal=',', thousands='.')",
    )
    amounts = [
        milliunits_of(cell, f"row {position}: amount")
        for position, cell in enumerate(cells["amount"])
    ]
    check_size(max(map(abs, amounts), default=0))
    texts = {
        name: [_text(name, position, cell) for position, cell in enumerate(cells[name])]
        for name in ("payee_name", "memo")
        if name in cells
    }
    times: Counter[tuple[Any, int]] = Counter()
    rows = []
    for position, (day, amount) in enumerate(zip(days, amounts, strict=True)):
        times[day, amount] += 1
        payee_name, memo = (
            texts[name][position] if name in texts else None for name in ("payee_name", "memo")
        )
        import_id = f"YNAB:{amount}:{day}:{times[day, amount]}"
        rows.append(_BankRow(day, amount, payee_name, memo, import_id))
    return rows


def _cells(values: pd.Series[Any]) -> list[Any]:
    """The cells of a column, with None for missing values."""
    found = values.astype(object)
    return [None if pd.isna(cell) is True else cell for cell in found]


def _day(cell: Any) -> Any:
    """The day of a cell; None if it is not certain."""
    if isinstance(cell, date):  # also a datetime and a Timestamp
        return date(cell.year, cell.month, cell.day)
    found = _ISO.fullmatch(cell) if isinstance(cell, str) else None
    try:
        return None if found is None else date.fromisoformat(found[1])
    except ValueError:
        return None


def _text(name: str, position: int, cell: Any) -> str | None:
    """A text without surplus blanks; None if it is empty."""
    if cell is None:
        return None
    text = " ".join(str(cell).split())
    converted: str | None = _CONVERT[name](text, f"row {position}: {name}") if text else None
    return converted


def _require(name: str, cells: Sequence[Any], values: Sequence[Any], problem: str) -> None:
    """Check that each row has a value."""
    missing = [position for position, cell in enumerate(cells) if cell is None]
    if missing:
        have = "has" if len(missing) == 1 else "have"
        raise refused(f"{name}: {_rows_at(missing, cells)} {have} none (the first row is row 0)")
    wrong = [position for position, value in enumerate(values) if value is None]
    if wrong:
        first = f"has {cells[wrong[0]]!r}"
        if len(wrong) > 1:
            first = f"have other values (the first: {cells[wrong[0]]!r})"
        raise refused(
            f"{name}: {_rows_at(wrong, cells)} {first}, {problem}. The first row is row 0"
        )


def _rows_at(positions: Sequence[int], rows: Sequence[Any]) -> str:
    """The rows at these positions, for a message."""
    if len(positions) == 1:
        return f"row {positions[0]}"
    shown = ", ".join(map(str, positions[:_SHOWN])) + (", ..." if len(positions) > _SHOWN else "")
    return f"{len(positions):,} of {number_of(len(rows), 'row')} ({shown})"


def _account_id(account: str, names: Names) -> str:
    if account in names.accounts:
        return account
    return str(names.key("account", account, "account"))


# The rows that are left out


async def _used_ids(session: Session, account_id: str) -> set[str]:
    """The import ids that rows of the account are known to have had, also deleted rows.

    The journal and an answer with deleted rows know them.
    """
    found = set()
    for operation in (await journal_of(session)).operations():
        for position in operation.positions("done", "conflict"):
            change, body = operation.changes[position], operation.changes[position].after
            if (
                change.action == "create"
                and body.get("account_id") == account_id
                and change.problem in ("", ID_IN_USE)
            ):
                found.add(body.get("import_id"))
    answer = session.reads.find_changes("transactions")
    rows: Iterable[Mapping[str, Any]] = () if answer is None else answer.data["transactions"]
    found |= {row.get("import_id") for row in rows if row.get("account_id") == account_id}
    return {each for each in found if each is not None}


def _left_out(
    rows: Sequence[_BankRow], existing: Sequence[_Existing], used: Collection[str], today: date
) -> dict[int, _Left]:
    """The positions of the rows that are not created, and the reasons."""
    left: dict[int, _Left] = {}
    by_id = {each.import_id: each.key for each in existing if each.import_id is not None}
    for position, row in enumerate(rows):
        if row.import_id in by_id:
            left[position] = _Left("imported before", by_id[row.import_id])
    taken = {each.key for each in left.values()}
    for distance, position, key in _pairs(rows, existing):
        if position not in left and key not in taken:
            taken.add(key)
            days = f", {number_of(distance, 'day')} apart" if distance else " and day"
            left[position] = _Left(f"same amount{days}", key)
    first = five_years_before(today)
    for position, row in enumerate(rows):
        if position in left:
            continue
        if row.import_id in used:
            left[position] = _Left("imported before and deleted")
        elif row.date > today:
            left[position] = _Left("in the future")
        elif row.date.isoformat() < first:
            left[position] = _Left("over five years ago")
    return left


def _pairs(rows: Sequence[_BankRow], existing: Sequence[_Existing]) -> list[tuple[int, int, str]]:
    """Days apart, position and key of equal amounts, the nearest day first.

    An existing row with another import id comes from a bank too: only the same day counts.
    """
    by_day: dict[tuple[int, int], list[_Existing]] = defaultdict(list)
    for each in existing:
        by_day[each.amount, each.date.toordinal()].append(each)
    found = [
        (abs(days), row.date, position, each.date, each.key)
        for position, row in enumerate(rows)
        for days in range(-FEW_DAYS, FEW_DAYS + 1)
        for each in by_day.get((row.amount, row.date.toordinal() + days), ())
        if days == 0 or each.import_id is None
    ]
    return [(distance, position, key) for distance, _, position, _, key in sorted(found)]


def _without_id(
    rows: Sequence[_BankRow], new: Iterable[int], existing: Iterable[_Existing]
) -> set[int]:
    """The new rows that are created without an import id.

    The service merges a row that has an import id with a row of the same amount that has none,
    within ten days: it would not create the new row. A new row without an import id can have the
    same effect on other new rows.
    """
    days: dict[int, list[tuple[int, int | None]]] = defaultdict(list)
    for position in new:
        days[rows[position].amount].append((rows[position].date.toordinal(), position))
    for each in existing:
        if each.import_id is None and each.amount in days:
            days[each.amount].append((each.date.toordinal(), None))
    found: set[int] = set()
    for of_amount in days.values():
        chain: list[tuple[int, int | None]] = []
        for point in sorted(of_amount, key=lambda each: each[0]):
            if chain and point[0] - chain[-1][0] > MATCHING_DAYS:
                found |= _new_of(chain)
                chain = []
            chain.append(point)
        found |= _new_of(chain)
    return found


def _new_of(chain: Sequence[tuple[int, int | None]]) -> set[int]:
    """The positions of new rows in a chain of near days, if an existing row is among them."""
    positions = {position for _, position in chain}
    return {each for each in positions if each is not None} if None in positions else set()


# Warnings


def _of_currency(frame: pd.DataFrame, session: Session) -> list[str]:
    stated = frame.attrs.get("currencies") or []
    budget = session.reads.chosen
    own = ((budget and budget.currency_format) or {}).get("iso_code")
    others = [code for code in stated if own is not None and code != own]
    if not others:
        return []
    return [f"the file has amounts in {', '.join(others)}, but the budget is in {own}"]


def _of_ids(without_id: Collection[int]) -> list[str]:
    if not without_id:
        return []
    number = len(without_id)
    ids, them = ("an import id", "it") if number == 1 else ("import ids", "them")
    text = (
        f"{number_of(number, 'new row is', 'new rows are')} sent without {ids}: the"
        f" service would merge {them} with another row of the same amount, up to {MATCHING_DAYS}"
        f" days apart, and not create {them}"
    )
    return [text]
