"""The ledger: every leaf of every transaction, with current names and what it counts as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError

from .money import milliunits
from .schema import Column
from .tables import TABLES

__all__ = ["CARD_GROUP", "INTERNAL_GROUP", "LEDGER", "UNCATEGORIZED", "counted", "leaves", "ledger"]

CARD_GROUP = "Credit Card Payments"
INTERNAL_GROUP = "Internal Master Category"
_INCOME = ("Inflow: Ready to Assign", "Inflow: To be Budgeted")  # now, and as it once was called
UNCATEGORIZED = "Uncategorized"
_STARTING_BALANCE = "Starting Balance"
NOT_LISTED = "Not listed"
"""What stands for the name of a category, or of its group, that the service does not tell."""
_ENTERED_FROM_SCHEDULE = r"_\d{4}-\d\d-\d\d$"


def _like(table: str, *names: str) -> tuple[Column, ...]:
    """Columns as a table has them."""
    by_name = {column.name: column for column in TABLES[table].columns}
    return tuple(by_name[name] for name in names)


def _flag(name: str, meaning: str) -> Column:
    return Column(name, "bool", "", meaning)


LEDGER = (
    *_like("transactions", "transaction_id"),
    Column("subtransaction_id", "str", "", "key of the part; missing unless it is one"),
    *_like("transactions", "date", "amount", "account_id", "account_name"),
    *_like("accounts", "account_type", "on_budget"),
    *_like("transactions", "payee_id", "payee_name"),
    Column("category_id", "str", "", "key of the category"),
    *_like("transactions", "category_name"),
    Column("category_group_id", "str", "", "key of its group"),
    *_like("categories", "category_group_name"),
    *_like("transactions", "memo", "cleared", "approved", "flag_color", "flag_name"),
    *_like("transactions", "transfer_account_id"),
    Column("transfer_account_name", "str", "", "name of the other account of a transfer"),
    Column("transfer_on_budget", "boolean", "", "whether that account's money is in the budget"),
    *_like("transactions", "transfer_transaction_id", "debt_transaction_type"),
    _flag("is_transfer", "whether it goes to or comes from another account"),
    _flag("is_income", "whether it is income"),
    _flag("is_spending", "whether it is spending, or a refund of some"),
    _flag("is_uncategorized", "whether it lacks the category that it should have"),
    _flag("is_starting_balance", "whether an account began with it"),
    _flag("is_split_part", "whether it is a part of a split"),
    _flag("is_scheduled", "whether it was entered from a schedule"),
)
"""Columns of the ledger."""

_OWN = (
    "transaction_id", "subtransaction_id", "date", "amount", "account_id", "account_name",
    "payee_id", "payee_name", "category_id", "category_name", "memo", "transfer_account_id",
    "transfer_transaction_id",
)  # fmt: skip
_OF_WHOLE = ("cleared", "approved", "flag_color", "flag_name", "debt_transaction_type")


def leaves(transactions: pd.DataFrame, subtransactions: pd.DataFrame) -> pd.DataFrame:
    """One row per transaction that is no split, and one per part of those that are.

    Parameters
    ----------
    transactions, subtransactions : DataFrame
        The frames of these names, of one moment.

    Returns
    -------
    DataFrame
        In the order of the transactions. A part has the state and the flag of the whole, and its
        payee and memo where it has none of its own.

    Raises
    ------
    ToolError
        For parts of splits that are not among the transactions.
    """
    parents = _positions(transactions, subtransactions["transaction_id"])
    if (parents < 0).any():
        raise ToolError(
            f"{(parents < 0).sum():,} of {len(parents):,} parts are of splits that are not there:"
            " give the transactions and subtransactions of one moment and one period"
        )
    is_split = transactions["is_split"].to_numpy(bool)
    of_whole = transactions.take(parents).set_axis(subtransactions.index)
    parts = subtransactions.assign(**{name: of_whole[name] for name in _OF_WHOLE})
    has_payee = parts["payee_id"].notna() | parts["payee_name"].notna()
    for name in ("payee_id", "payee_name"):
        parts[name] = parts[name].where(has_payee, of_whole[name])
    parts["memo"] = parts["memo"].where(parts["memo"].notna(), of_whole["memo"])

    at = np.flatnonzero(~is_split)
    whole = transactions.take(at)
    whole.insert(1, "subtransaction_id", _missing(len(whole)))
    rows = pd.concat([part[[*_OWN, *_OF_WHOLE]] for part in (whole, parts)], ignore_index=True)
    order = np.argsort(np.concatenate([at, parents]), kind="stable")
    return rows.take(order).set_axis(pd.RangeIndex(len(order)))


def counted(rows: pd.DataFrame, accounts: pd.DataFrame) -> Any:
    """Which leaves count in a category, or would if they had one.

    Those of accounts on budget, but for what stays on budget: transfers between two such
    accounts. An account that is not listed is taken to be on budget; of what went to or came from
    one such, what has a category counts.

    Parameters
    ----------
    rows : DataFrame
        Leaves.
    accounts : DataFrame
        The frame of this name.

    Returns
    -------
    ndarray of bool
        One for each row.
    """
    on_budget = accounts["on_budget"].to_numpy(bool)
    of_account = _positions(accounts, rows["account_id"])
    of_target = _positions(accounts, rows["transfer_account_id"])
    is_lost = rows["transfer_account_id"].notna().to_numpy(bool) & (of_target < 0)
    has_category = rows["category_id"].notna().to_numpy(bool)
    stays = _flags(on_budget, of_target, unknown=False) | (is_lost & ~has_category)
    return _flags(on_budget, of_account, unknown=True) & ~stays


def ledger(
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
    accounts: pd.DataFrame,
    categories: pd.DataFrame,
    payees: pd.DataFrame,
) -> pd.DataFrame:
    """The leaves of all transactions with current names, and what each counts as.

    Parameters
    ----------
    transactions, subtransactions, accounts, categories, payees : DataFrame
        The frames of these names.

    Returns
    -------
    DataFrame
        With the columns `LEDGER`, by the rules that `BudgetFrame.ledger` states.

    Raises
    ------
    ToolError
        As for `leaves`, and when the parts of a split do not add up to it: nothing is left out
        silently.
    """
    _check_parts(transactions, subtransactions)
    rows = leaves(transactions, subtransactions)
    of_account = _positions(accounts, rows["account_id"])
    of_target = _positions(accounts, rows["transfer_account_id"])
    of_category = _positions(categories, rows["category_id"])
    of_payee = _positions(payees, rows["payee_id"])
    on_budget = accounts["on_budget"].to_numpy(bool)

    rows["account_name"] = _current(rows, accounts, "account_name", of_account)
    rows["account_type"] = _taken(accounts, "account_type", of_account)
    rows["on_budget"] = _flags(on_budget, of_account, unknown=True)
    rows["payee_name"] = _current(rows, payees, "payee_name", of_payee)
    rows["transfer_account_name"] = _taken(accounts, "account_name", of_target)
    rows["transfer_on_budget"] = pd.arrays.BooleanArray(
        _flags(on_budget, of_target, unknown=False), of_target < 0
    )
    rows["category_name"] = _current(rows, categories, "category_name", of_category)
    for name in ("category_group_id", "category_group_name"):
        rows[name] = _taken(categories, name, of_category)

    is_internal = (categories["category_group_name"] == INTERNAL_GROUP).to_numpy(bool)
    names = categories["category_name"]
    is_income_category = is_internal & names.isin(_INCOME).to_numpy(bool)
    is_no_category = is_internal & (names == UNCATEGORIZED).to_numpy(bool)
    lacks_category = rows["category_id"].isna().to_numpy(bool) | _flags(
        is_no_category, of_category, unknown=False
    )
    in_income = _flags(is_income_category, of_category, unknown=False)
    is_transfer = rows["transfer_account_id"].notna().to_numpy(bool)
    is_starting = (rows["payee_name"] == _STARTING_BALANCE).to_numpy(bool) & ~is_transfer
    counts = counted(rows, accounts)

    rows["is_transfer"] = is_transfer
    rows["is_income"] = counts & in_income & ~is_starting
    rows["is_spending"] = counts & ~in_income & ~lacks_category & ~is_starting
    rows["is_uncategorized"] = counts & lacks_category & ~is_starting
    rows["is_starting_balance"] = is_starting
    rows["is_split_part"] = rows["subtransaction_id"].notna().to_numpy(bool)
    rows["is_scheduled"] = (
        rows["transaction_id"].str.contains(_ENTERED_FROM_SCHEDULE).to_numpy(bool)
    )
    # Named, because grouping by a missing name would drop them.
    shown = {"category_name": UNCATEGORIZED, "category_group_name": INTERNAL_GROUP}
    for name, value in shown.items():
        named = rows[name].where(rows["category_id"].notna() & rows[name].notna(), None)
        named = named.where(rows["category_id"].isna() | named.notna(), NOT_LISTED)
        rows[name] = named.where(~rows["is_uncategorized"], value)
    return rows[[column.name for column in LEDGER]]


def _check_parts(transactions: pd.DataFrame, subtransactions: pd.DataFrame) -> None:
    parents = _positions(transactions, subtransactions["transaction_id"])
    sums = np.zeros(len(transactions) + 1, dtype="int64")  # the last one for parts of no split
    np.add.at(sums, parents, milliunits(subtransactions["amount"]).to_numpy())
    is_split = transactions["is_split"].to_numpy(bool)
    wrong = transactions[is_split & (sums[:-1] != milliunits(transactions["amount"]).to_numpy())]
    if len(wrong):
        raise ToolError(
            f"the parts of {len(wrong):,} of {is_split.sum():,} splits do not add up to them"
            f" ({wrong['transaction_id'].iloc[0]} is the first): give the transactions and"
            " subtransactions of one moment and one period"
        )


def _positions(frame: pd.DataFrame, keys: pd.Series[str]) -> Any:
    """Where the row of each key is; -1 where there is none."""
    listed = pd.Index(frame.iloc[:, 0])
    last = np.flatnonzero(~listed.duplicated(keep="last"))
    return np.append(last, -1)[listed[last].get_indexer(pd.Index(keys))]


def _taken(frame: pd.DataFrame, name: str, positions: Any) -> Any:
    taken = frame[name].array.take(positions, allow_fill=True)
    if taken.dtype == object:  # the texts of pandas 2, where None is what is missing
        taken[positions < 0] = None
    return taken


def _current(rows: pd.DataFrame, frame: pd.DataFrame, name: str, positions: Any) -> Any:
    """The name by key; the one that the row came with, where the key is not listed."""
    current = pd.Series(_taken(frame, name, positions), index=rows.index)
    return current.where(positions >= 0, rows[name])


def _flags(values: Any, positions: Any, *, unknown: bool) -> Any:
    return np.append(values, unknown)[positions]


def _missing(count: int) -> Any:
    return LEDGER[1].array([None] * count)
