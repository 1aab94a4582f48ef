"""All writes of transactions take the same columns, with names or keys."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame
from tests.changes.budget import connect, plain_rows, small_sandbox

NAMES: dict[str, Any] = {
    "date": "2026-06-15",
    "amount": -4.5,
    "account_name": "Wallet",
    "payee_name": "Adler Pharmacy",
    "category_name": "Home: Insurance",
    "memo": "checked",
    "cleared": "cleared",
    "approved": True,
    "flag_color": "green",
}
ALONE = {**NAMES, "category_name": "Insurance", "category_group_name": "Home"}


def _created(bf: BudgetFrame, _: str, row: dict[str, Any]) -> str:
    return str(bf.create_transactions([row])["transaction_id"].iloc[0])


def _created_from_a_frame(bf: BudgetFrame, _: str, row: dict[str, Any]) -> str:
    known = set(bf.transactions()["transaction_id"])
    bf.changes(pd.DataFrame([row])).apply()
    (key,) = set(bf.transactions()["transaction_id"]) - known
    return str(key)


def _updated_alone(bf: BudgetFrame, key: str, row: dict[str, Any]) -> str:
    return str(bf.update_transaction(key, **row).id)


def _updated(bf: BudgetFrame, key: str, row: dict[str, Any]) -> str:
    bf.update_transactions([{"transaction_id": key, **row}])
    return key


def _changed(bf: BudgetFrame, key: str, row: dict[str, Any]) -> str:
    bf.changes(pd.DataFrame([{"transaction_id": key, **row}])).apply()
    return key


@pytest.mark.parametrize(
    "write", [_created, _created_from_a_frame, _updated_alone, _updated, _changed]
)
@pytest.mark.parametrize("row", [NAMES, ALONE], ids=["group in the name", "group in a column"])
def test_every_write_takes_the_same_columns(
    write: Callable[[BudgetFrame, str, dict[str, Any]], str], row: dict[str, Any]
) -> None:
    bf = connect(small_sandbox())
    key = write(bf, plain_rows(bf, 1)["transaction_id"].iloc[0], row)
    ledger = bf.ledger().set_index("transaction_id").loc[key]
    cells = {name: ledger[name] for name in (*NAMES, "category_group_name")}
    assert cells | {"date": f"{ledger['date']:%Y-%m-%d}"} == {
        **NAMES,
        "category_name": "Insurance",
        "category_group_name": "Home",
    }
