"""The ledger: one row per transaction or split part, with current names and classification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._milliunits import to_milliunits
from budgetframe._resources import INTERNAL_GROUP, STARTING_BALANCE, UNCATEGORIZED, copy_json
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe.errors import ToolError

from .builder import NOT_LISTED, shown
from .internal_categories import income_rows, uncategorized_rows, warn_of_unknown_names
from .money import check_sums, currency, exact
from .number_text import in_currency
from .schema import deleted_rows
from .tables import LEDGER

_Columns = Mapping[str, Any] | pd.DataFrame
_ENTERED_FROM_SCHEDULE = r"_\d{4}-\d\d-\d\d$"


_SUBTRANSACTION_ID = next(column for column in LEDGER if column.name == "subtransaction_id")
_KEY = _SUBTRANSACTION_ID.name
_OWN_FIELDS = (
    "transaction_id", "subtransaction_id", "date", "amount", "account_id", "account_name",
    "payee_id", "payee_name", "category_id", "category_name", "memo", "transfer_account_id",
    "transfer_transaction_id",
)  # fmt: skip
_OF_DIFFERENCES = ("account_id", "account_name", "account_type", "on_budget", "balance")
_PARENT_FIELDS = ("cleared", "approved", "flag_color", "flag_name", "debt_transaction_type")


def leaves(transactions: pd.DataFrame, subtransactions: pd.DataFrame) -> pd.DataFrame:
    """One row per transaction that is not split, and one row per part of a split transaction.

    Parameters
    ----------
    transactions, subtransactions : DataFrame
        The frames with these names, read at the same time.

    Returns
    -------
    DataFrame
        Rows in the order of the transactions. A part has the state and the flag of its
        transaction, and also its payee and memo if the part has none.

    Raises
    ------
    ToolError
        For parts whose transaction is missing.
    """
    transactions, subtransactions = _join_splits_without_key(transactions, subtransactions)
    return _frame(_leaves(transactions, subtransactions), transactions, subtransactions)


def _join_splits_without_key(
    transactions: pd.DataFrame, subtransactions: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows; a damaged split without a key is one row, because it cannot have its parts."""
    has_key = transactions["transaction_id"].notna()
    if has_key.all():
        return transactions, subtransactions
    whole = transactions.assign(is_split=transactions["is_split"] & has_key)
    return whole, subtransactions[subtransactions["transaction_id"].notna().to_numpy(bool)]


def _leaves(transactions: pd.DataFrame, subtransactions: pd.DataFrame) -> dict[str, Any]:
    """The columns of `leaves`, as arrays: each assignment to a frame takes as long as a sum."""
    parents = positions_of(transactions, "transaction_id", subtransactions["transaction_id"])
    if (parents < 0).any():
        raise ToolError(
            f"the split transaction of {(parents < 0).sum():,} of {len(parents):,} parts is"
            " missing: pass transactions and subtransactions that were read at the same time for"
            " the same period"
        )
    at = np.flatnonzero(~transactions["is_split"].to_numpy(bool))
    order = np.argsort(np.concatenate([at, parents]), kind="stable")
    of_parent = np.concatenate([at, parents])[order]
    from_both = np.concatenate([at, len(transactions) + np.arange(len(parents))])[order]
    is_part = from_both >= len(transactions)
    no_keys = pd.Series(_SUBTRANSACTION_ID.array([None] * len(transactions)))
    own = {
        name: _joined(no_keys if name == _KEY else transactions[name], subtransactions[name])
        for name in _OWN_FIELDS
    }
    rows = {name: array.take(from_both) for name, array in own.items()}
    has_payee = ~(pd.isna(rows["payee_id"]) & pd.isna(rows["payee_name"]))
    lacks = dict.fromkeys(("payee_id", "payee_name"), is_part & ~has_payee)
    lacks["memo"] = is_part & pd.isna(rows["memo"])
    for name, is_lacking in lacks.items():
        if is_lacking.any():
            rows[name] = own[name].take(np.where(is_lacking, of_parent, from_both))
    return rows | {name: transactions[name].array.take(of_parent) for name in _PARENT_FIELDS}


def _frame(columns: Mapping[str, Any], *parts: pd.DataFrame) -> pd.DataFrame:
    """A frame of columns, with the `attrs` of the first frame of its rows if no other contradicts.

    Transactions can have been removed before a day on which the first split is.
    """
    frame = pd.DataFrame(columns, copy=False)
    if all(parts[0].attrs | part.attrs == parts[0].attrs for part in parts):
        frame.attrs = parts[0].attrs
    return frame


def _joined(first: Any, second: Any) -> Any:
    """Two columns of the same dtype as one array."""
    if second.empty:  # most updates of a ledger have no part of a split
        return first.array
    return pd.concat([first, second], ignore_index=True).array


def counted(rows: pd.DataFrame, accounts: pd.DataFrame) -> Any:
    """Which rows count in a category, or would count if they had a category.

    These are the rows of budget accounts, except transfers between two budget accounts. An
    account that is not listed counts as a budget account. A transfer to or from an account that
    is not listed counts if it has a category.

    Parameters
    ----------
    rows : DataFrame
        Rows of `leaves`.
    accounts : DataFrame
        The frame with this name.

    Returns
    -------
    ndarray of bool
        One value for each row.
    """
    of_account = positions_of(accounts, "account_id", rows["account_id"])
    of_target = positions_of(accounts, "account_id", rows["transfer_account_id"])
    return _counted(rows, accounts["on_budget"].to_numpy(bool), of_account, of_target)


def _counted(rows: _Columns, on_budget: Any, of_account: Any, of_target: Any) -> Any:
    """Which rows count, by the positions of their accounts."""
    is_unlisted = pd.notna(rows["transfer_account_id"]) & (of_target < 0)
    has_category = pd.notna(rows["category_id"])
    is_internal = _flags(on_budget, of_target, unknown=False) | (is_unlisted & ~has_category)
    return np.asarray(_flags(on_budget, of_account, unknown=True) & ~is_internal)


def ledger(
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
    accounts: pd.DataFrame,
    categories: pd.DataFrame,
    payees: pd.DataFrame,
) -> pd.DataFrame:
    """One row per transaction or split part, with current names and classification.

    Parameters
    ----------
    transactions, subtransactions, accounts, categories, payees : DataFrame
        The frames with these names.

    Returns
    -------
    DataFrame
        With the columns `LEDGER`. `BudgetFrame.ledger` documents the rules of the classification.
        If ``accounts.attrs["loans"]`` has the terms of loans, ``attrs["loans"]`` has them too, each
        with ``rows_total``, the sum of the rows of the account in milliunits. The other accounts
        whose balance is not the sum of their rows are in ``attrs["differences"]``.

    Raises
    ------
    ToolError
        For parts whose transaction is missing, and for splits without any part.

    Warns
    -----
    RuntimeWarning
        For splits whose parts do not add up to their amount. One more row with ``is_remainder``
        has the difference, so that no amount is ever lost. The message names the first split. For
        rows of accounts that are not listed. For income of payees without a name, because it can be
        a starting balance. For categories of the internal group with an unknown name, once in a
        process.
    """
    rows = ledger_rows(transactions, subtransactions, accounts, categories, payees)
    return add_account_attrs(rows, accounts)


def ledger_rows(*frames: pd.DataFrame) -> pd.DataFrame:
    """The rows of a `ledger` of frames, without what its ``attrs`` state about the accounts."""
    transactions, subtransactions, accounts, categories, payees = frames
    transactions, subtransactions = _join_splits_without_key(transactions, subtransactions)
    remainders = _remainders(transactions, subtransactions)
    if len(remainders):
        subtransactions = pd.concat([subtransactions, remainders], ignore_index=True)
    rows = _leaves(transactions, subtransactions)
    is_part = pd.notna(rows["subtransaction_id"])
    is_remainder = np.zeros(len(is_part), bool)
    if len(remainders):
        is_of_split = pd.Series(rows["transaction_id"]).isin(remainders["transaction_id"])
        is_remainder = is_of_split.to_numpy(bool) & ~is_part
    of_account = positions_of(accounts, "account_id", rows["account_id"])
    of_target = positions_of(accounts, "account_id", rows["transfer_account_id"])
    of_category = positions_of(categories, "category_id", rows["category_id"])
    of_payee = positions_of(payees, "payee_id", rows["payee_id"])
    on_budget = accounts["on_budget"].to_numpy(bool)

    _warn_of_unlisted_accounts(rows["account_id"][of_account < 0], len(is_part))
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

    has_category = pd.notna(rows["category_id"])
    lacks_category = ~has_category | _flags(
        uncategorized_rows(categories), of_category, unknown=False
    )
    in_income = _flags(income_rows(categories), of_category, unknown=False)
    warn_of_unknown_names(pd.Series(rows["category_name"][in_income]))
    is_starting = is_starting_balance(rows)
    counts = _counted(rows, on_budget, of_account, of_target)

    rows["is_transfer"] = pd.notna(rows["transfer_account_id"])
    rows["is_income"] = counts & in_income & ~is_starting
    is_nameless = pd.isna(rows["payee_name"]) | np.asarray(rows["payee_name"] == NOT_LISTED)
    _warn_of_nameless_payees(rows["payee_id"][rows["is_income"] & is_nameless])
    rows["is_spending"] = counts & ~in_income & ~lacks_category & ~is_starting
    rows["is_uncategorized"] = counts & lacks_category & ~is_starting
    rows["is_starting_balance"] = is_starting
    rows["is_split_part"] = is_part | is_remainder
    rows["is_remainder"] = is_remainder
    rows["is_scheduled"] = (
        pd.Series(rows["transaction_id"]).str.contains(_ENTERED_FROM_SCHEDULE).to_numpy(bool)
    )
    # Placeholders instead of missing names, because groupby drops rows with a missing key.
    placeholders = {"category_name": UNCATEGORIZED, "category_group_name": INTERNAL_GROUP}
    for name, value in placeholders.items():
        named = _replace_texts(rows[name], ~has_category & pd.notna(rows[name]), None)
        named = _replace_texts(named, has_category & pd.isna(named), NOT_LISTED)
        rows[name] = _replace_texts(named, rows["is_uncategorized"], value)
    for entity in ("account", "payee"):
        name = f"{entity}_name"
        is_nameless = pd.notna(rows[f"{entity}_id"]) & pd.isna(rows[name])
        rows[name] = _replace_texts(rows[name], is_nameless, NOT_LISTED)
    columns = {column.name: rows[column.name] for column in LEDGER}
    return _frame(columns, transactions, subtransactions)


def add_account_attrs(rows: pd.DataFrame, accounts: pd.DataFrame) -> pd.DataFrame:
    """The rows of a ledger, with what its ``attrs`` state about the accounts.

    These are the terms of the loans, and the other accounts whose balance is not the sum of their
    rows. A loan without any row is one of the others: nothing can be calculated for it.
    """
    check_sums(rows, "amount")
    codes, with_rows = pd.factorize(rows["account_id"])
    sums = np.zeros(len(with_rows) + 1, dtype="int64")  # the last: rows without the key of one
    np.add.at(sums, codes, exact(rows))
    sum_of = dict(zip(with_rows, sums[:-1].tolist(), strict=True))
    terms = accounts.attrs.get("loans", ())
    keys, lacks_key = accounts["account_id"].tolist(), accounts["account_id"].isna()
    gone = (deleted_rows(accounts) | lacks_key).tolist()  # nothing can belong to the latter
    last = {key: number for number, key in enumerate(keys) if not gone[number]}
    totals = {key: sum_of.get(key, 0) for key in last}
    loans = {loan["account_id"] for loan in terms}.intersection(sum_of)
    others = accounts.take(sorted(number for key, number in last.items() if key not in loans))
    with_totals = [_add_total(loan, totals.get(loan["account_id"], 0)) for loan in terms]
    found = {"loans": with_totals, "differences": _differences(others, totals)}
    rows.attrs |= {name: entries for name, entries in found.items() if entries}
    return rows


def _add_total(terms: Mapping[str, Any], total: int) -> dict[str, Any]:
    """The terms of a loan, with the sum of its rows and with a name in any case."""
    copied: dict[str, Any] = copy_json({**terms})
    if copied["account_name"] is None:
        copied["account_name"] = NOT_LISTED
    return {**copied, "rows_total": total}


def _differences(accounts: pd.DataFrame, totals: Mapping[str, int]) -> list[dict[str, Any]]:
    """The accounts whose balance is not the sum of their rows."""
    sums = np.array([totals[key] for key in accounts["account_id"]], dtype="int64")
    is_stated = accounts["balance"].notna().to_numpy(bool)
    differing = accounts[is_stated & (exact(accounts, "balance") != sums)]
    columns = (differing[column].tolist() for column in _OF_DIFFERENCES)
    return [
        {
            "account_id": key,
            "account_name": NOT_LISTED if pd.isna(name) else name,
            "account_type": None if pd.isna(kind) else kind,
            "on_budget": bool(on_budget),
            "balance": to_milliunits(balance),
            "rows_total": totals[key],
        }
        for key, name, kind, on_budget, balance in zip(*columns, strict=True)
    ]


def is_starting_balance(rows: _Columns) -> Any:
    """Which rows are the starting balance of an account."""
    is_named = np.asarray(rows["payee_name"] == STARTING_BALANCE, bool)
    return is_named & np.asarray(pd.isna(rows["transfer_account_id"]))


def _remainders(transactions: pd.DataFrame, subtransactions: pd.DataFrame) -> pd.DataFrame:
    """What the parts of splits lack, as parts without a key."""
    parents = positions_of(transactions, "transaction_id", subtransactions["transaction_id"])
    lacking = np.append(exact(transactions), 0)  # the last: parts without a split
    np.subtract.at(lacking, parents, exact(subtransactions))
    is_split = transactions["is_split"].to_numpy(bool)
    is_empty = is_split.copy()
    is_empty[parents[parents >= 0]] = False
    if is_empty.any():
        raise ToolError(
            f"{is_empty.sum():,} of {is_split.sum():,} splits have no part (first:"
            f" {shown(transactions['transaction_id'][is_empty].iloc[0])}): pass transactions and"
            " subtransactions that were read at the same time for the same period"
        )
    has_amount = transactions["amount"].notna().to_numpy(bool)
    at = np.flatnonzero(is_split & has_amount & (lacking[:-1] != 0))
    if not len(at):
        return subtransactions.iloc[:0]
    splits = transactions.take(at)
    rows = subtransactions.iloc[:0].reindex(range(len(at))).astype(subtransactions.dtypes)
    for name in ("transaction_id", "date", "account_id", "account_name"):
        rows[name] = splits[name].array
    rows["amount"] = currency(lacking[at])
    first, remainder = splits.iloc[0], rows["amount"].iloc[0]
    form = transactions.attrs.get("currency_format")
    payee = "no payee" if pd.isna(first["payee_name"]) else shown(first["payee_name"])
    defer_warning(
        f"the parts of {len(at):,} of {is_split.sum():,} splits do not add up to the amount"
        f" of the split (first: {first['date']:%Y-%m-%d}, {payee}, amount"
        f" {in_currency(first['amount'], form, exact=True)}, remainder"
        f" {in_currency(remainder, form, exact=True)},"
        f" transaction_id {shown(first['transaction_id'])}). The ledger has one more row"
        " for each of them, marked is_remainder, so that its sums are the balances: correct"
        " the split in the service"
    )
    return rows


def _warn_of_unlisted_accounts(keys: Any, count: int) -> None:
    if len(keys):
        defer_warning(
            f"{len(keys):,} of {count:,} rows of the ledger belong to an account that the"
            f" service does not list (first: account_id {shown(keys[0])}). They have the"
            f" account's name as in the transaction, or {NOT_LISTED!r}, and count as rows of"
            " a budget account"
        )


def _warn_of_nameless_payees(payees: Any) -> None:
    keys = payees[pd.notna(payees)]
    if len(keys):
        defer_warning(
            f"{len(keys):,} rows of income in the ledger have a payee that the service does not"
            f" list and that has no name (first: payee_id {shown(keys[0])}), as in an"
            " export. Those of them that are starting balances count as income"
        )


def positions_of(frame: pd.DataFrame, column: str, keys: Any) -> Any:
    """The position of the last row of each key in a frame; -1 for a key without a row."""
    last = {key: position for position, key in enumerate(frame[column].tolist())}
    # Most keys occur often, and to look up a text is slower than to number it.
    codes, different = pd.factorize(pd.Series(keys))
    return np.array([*(last.get(key, -1) for key in different), -1])[codes]


def _taken(frame: pd.DataFrame, name: str, positions: Any) -> Any:
    taken = frame[name].array.take(positions, allow_fill=True)
    if frame[name].dtype == object:  # texts in pandas 2, where None is the missing value
        taken[positions < 0] = None
    return taken


def _current(rows: _Columns, frame: pd.DataFrame, name: str, positions: Any) -> Any:
    """The current name of each key; the name in the row if the key is not listed."""
    at = np.where(positions >= 0, positions, len(frame) + np.arange(len(positions)))
    return _joined(frame[name], pd.Series(rows[name])).take(at)


def _replace_texts(texts: Any, where: Any, text: str | None) -> Any:
    """The texts, with another one in some rows."""
    if not where.any():
        return texts
    both = _joined(pd.Series(texts), pd.Series(_SUBTRANSACTION_ID.array([text])))
    return both.take(np.where(where, len(texts), np.arange(len(texts))))


def _flags(values: Any, positions: Any, *, unknown: bool) -> Any:
    """The flag at each position; `unknown` for the position -1."""
    return np.append(values, unknown)[positions]
