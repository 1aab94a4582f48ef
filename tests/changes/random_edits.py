"""Random edits of frames, as a user could make them."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox
from tests.changes.budget import with_parts

__all__ = ["random_deletion", "random_edit", "random_rows"]

_TODAY = date(2026, 6, 17)
_OF_SPLIT = ("flag_color", "approved", "cleared", "account_id", "date")


def _day(rng: random.Random) -> str:
    return (_TODAY - timedelta(rng.randrange(200))).isoformat()


def _amount(rng: random.Random) -> float:
    return rng.randint(-90_000, 20_000) / 1000


def _cells(rng: random.Random, sandbox: Sandbox) -> tuple[str, Any]:
    """A column, and a new value for a cell of it."""
    state = sandbox.device.state()
    accounts = list(state.accounts.live())
    categories, payees = list(state.categories.live()), list(state.payees.live())
    values: dict[str, Any] = {
        "amount": _amount(rng),
        "date": pd.Timestamp(_day(rng)),
        "account_id": rng.choice(accounts).id,
        "category_id": rng.choice([None, *categories, *categories]),
        "category_name": rng.choice(categories).name,
        "payee_id": rng.choice([None, *payees, *payees]),
        "payee_name": rng.choice([rng.choice(payees).name, f"New {rng.randrange(10**6)}"]),
        "memo": rng.choice([None, "x", f"memo {rng.randrange(9)}"]),
        "flag_color": rng.choice([None, "red", "blue"]),
        "approved": rng.random() < 0.5,
        "cleared": rng.choice(["cleared", "uncleared", "reconciled"]),
    }
    column = rng.choice(list(values))
    value = values[column]
    return column, getattr(value, "id", value)


def random_edit(rng: random.Random, bf: BudgetFrame, sandbox: Sandbox) -> pd.DataFrame:
    """A frame of transactions in which up to four rows are edited."""
    read = rng.choice([bf.transactions, bf.ledger, bf.subtransactions])
    frame = read()
    frame = frame.sample(rng.choice([1, 4, len(frame)]), random_state=rng.randrange(10**6))
    frame = frame.astype({name: object for name in frame if frame[name].dtype == "category"})
    for row in rng.sample(list(frame.index), min(len(frame), rng.randint(0, 4))):
        column, value = _cells(rng, sandbox)
        rows = [row]
        if column in _OF_SPLIT and "subtransaction_id" in frame:
            rows = list(frame.index[frame["transaction_id"] == frame["transaction_id"][row]])
        for each in rows if column in frame else ():
            frame.at[each, column] = value  # noqa: PD008 - one cell
    if rng.random() < 0.3 and "amount" in frame:
        row = rng.choice(list(frame.index))
        amount = frame["amount"][row]
        parts: list[Any] = [
            {"amount": 1.0},
            {"amount": round(float(amount) - 1.0, 3), "memo": "part"},
        ]
        frame = with_parts(frame, *(parts if each == row else None for each in frame.index))
        frame.loc[row, "category_id"] = None
    return frame


def random_rows(rng: random.Random, sandbox: Sandbox) -> list[dict[str, Any]]:
    """Up to three new rows, some of which are equal, and some are splits."""
    state, rows = sandbox.device.state(), list[dict[str, Any]]()
    categories, payees = list(state.categories.live()), list(state.payees.live())
    for _ in range(rng.choice([0, 0, 1, 3])):
        row: dict[str, Any] = {
            "date": _day(rng),
            "amount": _amount(rng),
            "account_id": rng.choice(list(state.accounts.live())).id,
            "category_id": rng.choice([None, rng.choice(categories).id]),
            "payee_id": rng.choice([None, rng.choice(payees).id]),
            "memo": rng.choice([None, "new"]),
        }
        if row["payee_id"] is None and rng.random() < 0.3:
            row["payee_name"] = f"New {rng.randrange(10**6)}"
        if rng.random() < 0.2:
            amount = rng.randint(-9_000, 9_000) / 1000
            row["category_id"] = None
            row["subtransactions"] = [
                {"amount": amount, "category_id": rng.choice(categories).id},
                {"amount": round(row["amount"] - amount, 3), "payee_id": rng.choice(payees).id},
            ]
        rows += [row] * rng.choice([1, 1, 2])
    return rows


def random_deletion(rng: random.Random, bf: BudgetFrame) -> list[str] | None:
    """None, or the keys of up to three transactions."""
    if rng.random() < 0.7:
        return None
    rows = bf.transactions()
    return list(rows["transaction_id"].sample(rng.randint(1, 3), random_state=rng.randrange(999)))
