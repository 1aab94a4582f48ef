"""The rows of a bank's file as new transactions, without the rows that exist already."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._changes.bank_rows import (
    FEW_DAYS,
    MATCHING_DAYS,
    BankRow,
    amount_of,
    day_of,
    is_row_of,
    near_rows,
    occurrence_of,
    without_id,
)
from budgetframe._changes.comparing.transactions import Comparison
from budgetframe._changes.plan import Compared
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._changes.sending.import_history import IMPORTED, History, Recognised
from budgetframe._changes.sending.journal import journal_of
from budgetframe._changes.service_state import read_state
from budgetframe._changes.state import State, five_years_before
from budgetframe._milliunits import to_currency
from budgetframe._runtime.text import number_of
from budgetframe._session.session import Session
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.rules import SET
from budgetframe.frames.schema import CURRENCY, Column, frame_of_rows

from .file import bank_rows, frame_of, named_columns, rows_at

Edit = Callable[[pd.DataFrame], pd.DataFrame]  # returns the rows of a frame that it changes

_SHOWN = 10  # rows that a message names
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


class FileRows(NamedTuple):
    """The rows of a bank's file, and those of them that the account has."""

    rows: list[BankRow]
    first: Mapping[int, int]  # the position of each row, and of the first one with the same bank id
    same: Mapping[int, Recognised]  # the rows that the account has, by their positions
    history: History
    state: State
    account_id: str
    warnings: list[str]


async def file_rows(
    session: Session, frame: pd.DataFrame, account: str, columns: Mapping[str, str] | None
) -> FileRows:
    """Read the rows of a bank's file, and find those that the account has."""
    rows, warnings = bank_rows(named_columns(frame, columns))
    first = _first_of_each(rows)
    _, state = await read_state(session, "transactions")
    account_id = state.names.key_of("account", account, "account")
    state.check_account(account_id)
    operations = (await journal_of(session)).operations(without_changes=True)
    history = History.of(operations, account_id, state, _deleted_ids(session, account_id))
    chosen = sorted(set(first.values()))
    named, others = history.named([rows[at] for at in chosen])
    for position, row in zip(chosen, named, strict=True):
        rows[position] = row
    known = history.recognised([rows[at] for at in chosen], account_id, state)
    same = {chosen[number]: each for number, each in known.items()}
    warnings += [*_warn_of_currency(frame, session)]
    if others:
        have = rows_at([chosen[number] for number in others], rows)
        warnings.append(
            f"bank_row_id: {have} the id of a row with another amount, day or payee (the first row"
            " is row 0): this bank uses ids twice, and a row is the same one only with the same"
            " amount and day"
        )
    return FileRows(rows, first, same, history, state, account_id, warnings)


async def import_plan(
    session: Session,
    file: Any,
    account: str,
    columns: Mapping[str, str] | None,
    edit: Edit | None = None,
) -> tuple[Compared, pd.DataFrame]:
    """Find the new rows of a bank's file, edit them, and return those that are left out too."""
    frame, columns = frame_of(file, columns)
    found = await file_rows(session, frame, account, columns)
    rows, first, same, history, state, account_id, warnings = found
    left = _left_out(rows, first, same, history.used, state.today)
    new = [position for position in range(len(rows)) if position not in left]
    no_id = without_id(rows, new, account_id, state)
    comparison = Comparison(state)
    created = [
        {
            "account_id": account_id, "date": rows[position].date,
            "amount": to_currency(rows[position].amount), "payee_name": rows[position].payee_name,
            "memo": rows[position].memo, "cleared": "cleared",
            "import_id": None if position in no_id else rows[position].import_id,
        }
        for position in new
    ]  # fmt: skip
    comparison.create(created if edit is None else _edited(created, edit, account_id, state))
    pairs = zip(comparison.changes, new, strict=True)
    changes = [replace(change, bank_row=_identity(rows[at])) for change, at in pairs]
    facts = [
        {"account_id": account_id, **_identity(rows[position]), **more}
        for position, each in same.items()
        if (more := _new_fact(rows[position], each, history)) is not None
    ]
    warnings += [
        *_warn_of_bank_ids(rows, first, new),
        *_warn_of_missing_ids(no_id),
        *_warn_of_near_rows({each: rows[each] for each in new}, same, account_id, state),
        *_warn_of_facts(facts, new),
    ]
    plan = finished_plan(state, changes, warnings=warnings)
    plan = replace(plan, recognised=facts)
    skipped = _skipped_frame(rows, left, state, state.names.name("account", account_id))
    skipped.attrs = {name: frame.attrs.get(name, []) for name in ("reading", "left_out")}
    return Compared(plan, state), skipped.set_axis(frame.index[sorted(left)])


def _edited(
    created: Sequence[Mapping[str, Any]], edit: Edit, account_id: str, state: State
) -> list[Mapping[str, Any]]:
    """New rows with the values that they are set to."""
    found = list(created)
    if not found:
        return found
    account_name = state.names.name("account", account_id)
    on_budget = state.names.on_budget(account_id)
    rows = edit(pd.DataFrame(found).assign(account_name=account_name, on_budget=on_budget))
    cells = rows.reindex(columns=[*SET.values()]).astype(object)
    values = cells.where(cells.notna(), None).to_numpy()
    for position, row in zip(rows.index, values, strict=True):
        found[position] = {**found[position], **dict(zip(SET.values(), row, strict=True))}
    return found


def _identity(row: BankRow) -> dict[str, str]:
    """What the journal keeps of a row, to recognise it in another file."""
    of_bank = {"bank_row_id": row.bank_row_id, "payee_name": row.payee_name}
    given = {name: each for name, each in of_bank.items() if row.bank_row_id and each is not None}
    return {"import_id": row.import_id, **given}


def _new_fact(row: BankRow, known: Recognised, history: History) -> dict[str, Any] | None:
    """What the journal does not know of a row that exists; None if it knows everything."""
    is_new_id = row.bank_row_id is not None and not history.has_id(row)
    if known.reason == IMPORTED or row.import_id in history.matched:
        return {} if is_new_id else None
    return {"is_matched": True}


def _skipped_frame(
    rows: Sequence[BankRow], left: Mapping[int, Recognised], state: State, account_name: str | None
) -> pd.DataFrame:
    """The rows that are left out, in the order of the file."""
    cells = []
    for position, (reason, key) in sorted(left.items()):
        row, raw = rows[position], state.rows.get(key, {})
        payee = state.names.name("payee", raw.get("payee_id"))
        given = row.date.isoformat(), to_currency(row.amount), row.payee_name, row.memo
        cells.append((*given, account_name, reason, raw.get("date"), payee, key))
    return frame_of_rows(SKIPPED, cells)


# The rows that are left out


def _deleted_ids(session: Session, account_id: str) -> set[str]:
    """The import ids of the account in an answer with deleted rows, if one is there."""
    answer = session.reads.find_changes("transactions")
    rows: Iterable[Mapping[str, Any]] = () if answer is None else answer.data["transactions"]
    found = {row.get("import_id") for row in rows if row.get("account_id") == account_id}
    return {each for each in found if each is not None}


def _first_of_each(rows: Sequence[BankRow]) -> dict[int, int]:
    """The position of each row, and of the first row with the same id, amount, day and payee."""
    # Some banks use an id twice: with another amount, day or payee, it is another row.
    first: dict[Any, int] = {}
    same = [row._replace(memo=None) if row.bank_row_id else at for at, row in enumerate(rows)]
    return {at: first.setdefault(each, at) for at, each in enumerate(same)}


def _left_out(
    rows: Sequence[BankRow],
    first: Mapping[int, int],
    same: Mapping[int, Recognised],
    used: Collection[str],
    today: date,
) -> dict[int, Recognised]:
    """The positions of the rows that are not created, and the reasons."""
    left: dict[int, Recognised] = {}
    oldest = five_years_before(today)
    for position, row in enumerate(rows):
        if first[position] != position:
            left[position] = Recognised("bank_row_id twice in the file")
        elif position in same:
            left[position] = same[position]
        elif row.import_id in used:
            left[position] = Recognised("imported before and deleted")
        elif row.date > today:
            left[position] = Recognised("in the future")
        elif row.date.isoformat() < oldest:
            left[position] = Recognised("over five years ago")
    return left


# Warnings


def _warn_of_currency(frame: pd.DataFrame, session: Session) -> Iterator[str]:
    stated = frame.attrs.get("currency")
    budget = session.reads.chosen
    own = ((budget and budget.currency_format) or {}).get("iso_code")
    if None not in (stated, own) and stated != own:
        yield f"the file has amounts in {stated}, but the budget is in {own}"


def _warn_of_bank_ids(
    rows: Sequence[BankRow], first: Mapping[int, int], new: Collection[int]
) -> Iterator[str]:
    """Warnings of the bank's ids of rows: repeated ones, and those that may be no ids."""
    twice = [position for position, at in first.items() if at != position]
    if twice:
        them = "it is" if len(twice) == 1 else "they are"
        yield (
            f"bank_row_id: {rows_at(twice, rows, 'repeats', 'repeat')} the id of an earlier row, so"
            f" that {them} left out (the first row is row 0)"
        )
    times: Counter[tuple[int, date]] = Counter()
    further = []
    for position in sorted(set(first.values())):
        row = rows[position]
        times[row.amount, row.date] += 1
        if position in new and occurrence_of(row) > times[row.amount, row.date]:
            further.append(position)
    if further:
        yield (
            f"bank_row_id: {rows_at(further, rows)} the amount and the day of a row that was"
            " imported before with another id, and that is not in this file (the first row is row"
            " 0). If the bank gives a row another id in each file, leave out the column"
        )


def _warn_of_facts(facts: Collection[Any], new: Collection[int]) -> Iterator[str]:
    if facts and not new:
        yield (
            "nothing is new, but apply() notes in the journal which rows of the account the rows of"
            " the file are: without this, a later file may take them for other rows"
        )


def _warn_of_near_rows(
    new: Mapping[int, BankRow], same: Mapping[int, Recognised], account_id: str, state: State
) -> Iterator[str]:
    """The warning of new rows that may be rows with other import ids; each of those counts once."""
    # The bank may have changed the day of a row, of which its connection or another file had the
    # former day. An equal purchase of another day looks the same, so that a person has to decide.
    recognised = {each.key for each in same.values()}
    free: dict[tuple[int, date], list[str]] = defaultdict(list)
    for key, raw in state.rows.items():
        if is_row_of(raw, account_id) and raw.get("import_id") and key not in recognised:
            free[amount_of(raw), day_of(raw)].append(key)
    days = dict.fromkeys(chain(*free.values()), FEW_DAYS)
    found: dict[str, int] = {}  # by the key of the row that exists
    for position, row in new.items():
        near = (key for _, key in near_rows((row.amount, row.date), free, days))
        key = next((each for each in near if each not in found), None)
        if key is not None:
            found[key] = position
    if found:
        key, first = next(iter(found.items()))
        row, other = new[first], state.rows[key]["date"]
        positions = [*found.values()]
        shown = ", ".join(map(str, positions[:_SHOWN])) + (", ..." if len(found) > _SHOWN else "")
        amount = in_currency(to_currency(row.amount), state.currency, exact=True)
        one, many = "new row is a probable duplicate", "new rows are probable duplicates"
        are = number_of(len(found), one, many)
        yield (
            f"{are}: a row of the same amount, with another import id, is up to {FEW_DAYS} days"
            f" apart (first: {row.date}, {amount}, and {other}). To leave out"
            f" what is one, import frame.reset_index(drop=True).drop([{shown}])"
        )


def _warn_of_missing_ids(without_id: Collection[int]) -> Iterator[str]:
    if without_id:
        number = len(without_id)
        ids, them = ("an import id", "it") if number == 1 else ("import ids", "them")
        yield (
            f"{number_of(number, 'new row is', 'new rows are')} sent without {ids}: the service"
            f" would merge {them} with another row of the same amount, up to {MATCHING_DAYS} days"
            f" apart, and not create {them}"
        )
