"""A bank's statement: its file beside the rows of an account, and the rows that are reconciled."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._changes.bank_rows import BankRow, amount_of, day_of, is_row_of
from budgetframe._changes.comparing.compare import compare
from budgetframe._changes.plan import Compared
from budgetframe._milliunits import to_currency
from budgetframe._resources import COUNTED
from budgetframe._session.session import Session
from budgetframe.errors import ToolError
from budgetframe.frames.display import show_tables
from budgetframe.frames.schema import CURRENCY, Column, frame_of_rows, with_attrs
from budgetframe.frames.tables import TABLES
from budgetframe.reports.statement import ComparedBalance

from .imports import SKIPPED, FileRows

_OF_FILE = {column.name: column for column in SKIPPED}
_OF_ROWS = {column.name: column for column in TABLES["transactions"].columns}
_ONLY_BANK = [_OF_FILE[name] for name in ("date", "amount", "payee_name", "memo")]
_ONLY_HERE = [
    _OF_ROWS[name] for name in ("date", "payee_name", "memo", "amount", "cleared", "transaction_id")
]
_DIFFERING = [
    *_ONLY_BANK[:3],
    _OF_FILE["existing_date"],
    Column("existing_amount", "float64", CURRENCY, "amount of the row that exists"),
    _OF_FILE["existing_payee_name"],
    _OF_FILE["existing_transaction_id"],
]


class BankFile(NamedTuple):
    """The rows of a bank's file beside those of an account, up to the day of the statement."""

    only_bank: pd.DataFrame
    only_here: pd.DataFrame
    differing: pd.DataFrame
    warnings: list[str]


def bank_file(found: FileRows, index: pd.Index[Any], on: date, attrs: dict[Any, Any]) -> BankFile:
    """The rows that only the bank or only the account has, and the pairs that differ."""
    # A row of the account can be missing in the file only from the first day of the file on, and
    # only up to `on`, the day of the statement. `index` is that of the file.
    state, names, rows = found.state, found.state.names, found.rows
    existing = {key: raw for key, raw in state.rows.items() if is_row_of(raw, found.account_id)}
    # The row that was imported for a row of the bank can be in another account now.
    known = {
        position: same.key
        for position, same in found.same.items()
        if same.key is not None and same.key in existing
    }
    missing = [
        position
        for position, row in enumerate(rows)
        if found.first[position] == position and position not in known and row.date <= on
    ]
    only_bank = [(*_cells(rows[position]), rows[position].memo) for position in missing]
    first = min((row.date for row in rows), default=date.max)
    extra = existing.keys() - known.values()
    only_here = []
    for key, raw in existing.items():
        if key in extra and first <= day_of(raw) <= on:
            payee = names.name("payee", raw.get("payee_id"))
            cells = raw["date"], payee, raw.get("memo"), raw["amount"], raw.get("cleared"), key
            only_here.append(cells)
    differing = []
    for position, key in known.items():
        row, raw = rows[position], existing[key]
        is_same = (row.date, row.amount) == (day_of(raw), amount_of(raw))
        if not is_same and min(row.date, day_of(raw)) <= on:
            payee = names.name("payee", raw.get("payee_id"))
            differing.append((*_cells(row), raw["date"], raw["amount"], payee, key))
    by_day_and_key = itemgetter(0, -1)
    return BankFile(
        with_attrs(frame_of_rows(_ONLY_BANK, only_bank).set_axis(index[missing]), attrs),
        with_attrs(frame_of_rows(_ONLY_HERE, sorted(only_here, key=by_day_and_key)), attrs),
        with_attrs(frame_of_rows(_DIFFERING, sorted(differing, key=by_day_and_key)), attrs),
        found.warnings,
    )


def _cells(row: BankRow) -> tuple[str, float, str | None]:
    return row.date.isoformat(), to_currency(row.amount), row.payee_name


async def reconciling(
    session: Session, compared: ComparedBalance, account_id: str, number: int | None
) -> Compared:
    """The plan that accepts a statement with one of its sets."""
    # It is an error if the difference is not zero then, or if rows of it changed since it was read.
    edited = compared.reconciled(number)
    found, _ = await compare(session, edited, None, splits="error")
    on, keys = compared.on.date(), {*edited["transaction_id"]}
    now = {
        key: (amount_of(raw), raw.get("cleared") in COUNTED)
        for key, raw in found.state.rows.items()
        if is_row_of(raw, account_id)
        and (key in keys or raw.get("cleared") in COUNTED)
        and day_of(raw) <= on
    }
    if found.plan.conflicts or now != compared.relied_on(keys):
        raise ToolError(
            "rows of the account were changed since this statement was made: write"
            " bf.statement(...) once more. Nothing was sent"
        )
    place = (account_id, on.isoformat())
    changes = [replace(change, balance_of=place) for change in found.plan.changes]
    return replace(found, plan=replace(found.plan, changes=changes))


show_tables(_ONLY_BANK, _ONLY_HERE, _DIFFERING, whole=("cleared",))
