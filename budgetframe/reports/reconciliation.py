"""Comparison of the service's own figures with the sums of the ledger, to the milliunit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import CARD_GROUP, UNCATEGORIZED
from budgetframe.frames.builder import NOT_LISTED
from budgetframe.frames.internal_categories import uncategorized_rows
from budgetframe.frames.ledger import counted, is_starting_balance, leaves
from budgetframe.frames.money import exact
from budgetframe.frames.reconciliation import (
    ACCOUNT,
    CARD_PAYMENTS,
    CATEGORY_MONTH,
    DELETED_SPLITS,
    LOAN_COSTS,
    NO_UNCATEGORIZED,
    RECONCILIATION,
    Reconciliation,
)
from budgetframe.frames.tables import TABLES

from ._shared.loan_rule import LoanHistory, loan_histories
from ._shared.periods import months_later
from ._shared.report_types import typed_values

__all__ = ["reconcile"]

_MANY_SUMS = 4096


def reconcile(
    accounts: pd.DataFrame,
    month_categories: pd.DataFrame,
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
    *,
    deleted_splits: Sequence[Mapping[str, Any]] = (),
) -> Reconciliation:
    """Compare the service's own figures with the sums of the transactions.

    The balance of an account is the sum of its transactions; that of a loan also contains interest
    and escrow, which are calculated with the service's rule. The activity of a category in a
    month is the sum of its rows in that month in budget accounts; a split counts with its parts.
    A transfer between two budget accounts counts in no category. Any other row without a category
    counts in ``Uncategorized``.

    The first two frames have the service's figures and come from one export; ``attrs["loans"]`` of
    the accounts has the terms of the loans. The others are the complete ledger. The result has a
    row for each account, and for each category and month, that either side has. A row that is
    missing on one side counts as zero there.

    Four kinds of rows are expected to differ. If they do, ``reason`` states it:

    * categories of the group ``Credit Card Payments``: their activity is the money that the
      service moves to them when spending on the card is covered, and out of them when the card
      is paid. No transaction has one of these categories.
    * rows without a category, if the service has no category ``Uncategorized`` to compare with.
    * loans, if interest and escrow explain the difference to the milliunit. Otherwise the rest is
      in ``unexplained_milliunits``, and the row does not agree.
    * categories of deleted splits: the service leaves their parts in the activity until another
      transaction of the category is written. `deleted_splits` has the splits that were seen as
      deleted, as rows of the service. They explain a difference that is the sum of some of them in
      this category and month.

    All sums are sums of integer milliunits. ``n / 1000`` is the float nearest to the quotient.
    Multiplied by 1000 it differs from ``n`` by less than one half for every ``n`` below 2**51 (two
    trillion currency units), so that rounding restores ``n``.
    """
    frame = pd.concat(
        [
            _accounts(accounts, transactions, subtransactions),
            _category_months(
                accounts, month_categories, transactions, subtransactions, deleted_splits
            ),
        ],
        ignore_index=True,
    )
    return Reconciliation(frame)


def _accounts(
    accounts: pd.DataFrame, transactions: pd.DataFrame, subtransactions: pd.DataFrame
) -> pd.DataFrame:
    key = ["account_id"]
    rows = _compared(accounts, "balance", transactions, key)
    rows["account_name"] = _names(rows, "account", accounts, transactions)
    rows = rows.sort_values(["account_name", "account_id"], kind="stable", ignore_index=True)
    loans = {loan.account_id: loan for loan in _loans(accounts, transactions, subtransactions)}
    for name in ("interest", "escrow"):
        sums = {key: sum(getattr(each, name) for each in loan.costs) for key, loan in loans.items()}
        rows[f"{name}_milliunits"] = [sums.get(key, 0) for key in rows["account_id"]]
    explained = rows["interest_milliunits"] + rows["escrow_milliunits"]
    rows["unexplained_milliunits"] = rows["difference_milliunits"] - explained
    is_loan = (explained != 0) & (rows["unexplained_milliunits"] == 0)
    return _typed(rows, ACCOUNT, [LOAN_COSTS if each else None for each in is_loan])


def _loans(
    accounts: pd.DataFrame, transactions: pd.DataFrame, subtransactions: pd.DataFrame
) -> list[LoanHistory]:
    """The loans among the accounts, with the interest and escrow that the rows do not record."""
    keys = [each["account_id"] for each in accounts.attrs.get("loans", ())]
    if not keys:
        return []
    of_loans = transactions[transactions["account_id"].isin(keys).to_numpy(bool)]
    is_part = subtransactions["transaction_id"].isin(of_loans["transaction_id"]).to_numpy(bool)
    rows = leaves(of_loans.reset_index(drop=True), subtransactions[is_part])
    rows["is_starting_balance"] = is_starting_balance(rows)
    rows.attrs = dict(accounts.attrs)
    return loan_histories(rows)


def _category_months(
    accounts: pd.DataFrame,
    month_categories: pd.DataFrame,
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
    deleted_splits: Sequence[Mapping[str, Any]],
) -> pd.DataFrame:
    uncategorized = month_categories.loc[uncategorized_rows(month_categories), "category_id"]
    no_category = "" if uncategorized.empty else str(uncategorized.iloc[0])

    booked = _booked(accounts, transactions, subtransactions, no_category)
    service = month_categories.assign(month=months_later(month_categories["month"].to_numpy(), 0))
    rows = _compared(service, "activity", booked, ["month", "category_id"])

    rows["category_group_name"] = _looked_up(rows["category_id"], service, "category_group_name")
    rows["category_name"] = _names(rows, "category", service, booked)
    order = ["month", "category_group_name", "category_name", "category_id"]
    rows = rows.sort_values(order, kind="stable", ignore_index=True)

    differs = rows["difference_milliunits"] != 0
    is_card, has_none = rows["category_group_name"] == CARD_GROUP, rows["category_id"] == ""
    reasons = np.full(len(rows), None, dtype=object)
    reasons[(differs & is_card).to_numpy(bool)] = CARD_PAYMENTS
    reasons[(differs & has_none).to_numpy(bool)] = NO_UNCATEGORIZED
    left = {
        (rows["month"][number], rows["category_id"][number]): number
        for number in np.flatnonzero(differs.to_numpy(bool))
        if reasons[number] is None
    }
    amounts = _of_deleted_splits(accounts, deleted_splits, no_category) if left else {}
    for place, number in left.items():
        if -rows["difference_milliunits"][number] in _sums(amounts.get(place, ())):
            reasons[number] = DELETED_SPLITS
    rows["category_id"] = rows["category_id"].mask(has_none)
    has_reason = pd.Series(reasons, index=rows.index).notna()
    rows["unexplained_milliunits"] = rows["difference_milliunits"].mask(has_reason, 0)
    return _typed(rows, CATEGORY_MONTH, reasons.tolist())


def _booked(
    accounts: pd.DataFrame,
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
    no_category: str,
) -> pd.DataFrame:
    """The rows that count in a category, with their month."""
    rows = leaves(transactions, subtransactions)
    rows = pd.DataFrame(rows[counted(rows, accounts)])
    rows["category_id"] = rows["category_id"].fillna(no_category)
    rows["category_name"] = rows["category_name"].fillna(UNCATEGORIZED)
    rows["month"] = months_later(rows["date"].to_numpy(), 0)
    return rows


def _of_deleted_splits(
    accounts: pd.DataFrame, splits: Sequence[Mapping[str, Any]], no_category: str
) -> dict[tuple[Any, Any], list[int]]:
    """The amounts of deleted splits by month and category, in milliunits: one for each split."""
    rows = []
    for split in splits:
        parts = [{**part, "deleted": False} for part in split["subtransactions"]]
        # A row of an export has no names.
        rows.append(
            {"account_name": NOT_LISTED, **split, "deleted": False, "subtransactions": parts}
        )
    tables = [TABLES[name] for name in ("transactions", "subtransactions")]
    whole, of_parts = (table.frame({"transactions": rows}) for table in tables)
    booked = _booked(accounts, whole, of_parts, no_category)
    keys = ["month", "category_id", "transaction_id"]
    sums = booked[keys].assign(amount=exact(booked)).groupby(keys, sort=False)["amount"].sum()
    found: dict[tuple[Any, Any], list[int]] = defaultdict(list)
    for key, amount in sums.items():
        month, category_id, _ = cast("tuple[Any, Any, Any]", key)
        found[month, category_id].append(int(amount))
    return found


def _sums(amounts: Iterable[int]) -> set[int]:
    """The sums of one or more of these amounts; not all of them if there are very many."""
    found: set[int] = set()
    for amount in amounts:
        if len(found) < _MANY_SUMS:
            found |= {amount, *(each + amount for each in found)}
    return found


def _compared(
    service: pd.DataFrame, figure: str, ledger: pd.DataFrame, key: list[str]
) -> pd.DataFrame:
    """The figures of both sides by key, and their difference."""
    stated = service[key].assign(of_service=exact(service, figure), of_ledger=0, known=True)
    booked = ledger[key].assign(of_service=0, of_ledger=exact(ledger), known=False)
    # A sum over both sides: a join would turn the integers into floats if a side is missing.
    rows = pd.concat([stated, booked], ignore_index=True).groupby(key, sort=False)
    sums = rows[["of_service", "of_ledger"]].sum().assign(known=rows["known"].any()).reset_index()
    sums["service"] = (sums["of_service"] / MILLIUNITS).where(sums["known"])
    sums["ledger"] = sums["of_ledger"] / MILLIUNITS
    sums["difference_milliunits"] = sums["of_ledger"] - sums["of_service"]
    return sums.assign(interest_milliunits=0, escrow_milliunits=0)


def _names(
    rows: pd.DataFrame, entity: str, service: pd.DataFrame, ledger: pd.DataFrame
) -> pd.Series[str]:
    """The names that the service states, otherwise the newest names in the ledger."""
    key, name = f"{entity}_id", f"{entity}_name"
    names = _looked_up(rows[key], service, name)
    if names.isna().any():
        newest_last = ledger[ledger[key].isin(rows.loc[names.isna(), key])]
        newest_last = newest_last.sort_values(["date", name])
        names = names.fillna(_looked_up(rows[key], newest_last, name))
    return names


def _looked_up(keys: pd.Series[str], rows: pd.DataFrame, column: str) -> pd.Series[str]:
    """A column of the last row of each key; missing for keys without a row."""
    by_key = rows.drop_duplicates(str(keys.name), keep="last").set_index(str(keys.name))
    # As objects: the result of a look-up in an empty frame would be floats.
    return keys.map(by_key[column].astype(object)).astype(object)


def _typed(rows: pd.DataFrame, subject: str, reasons: list[str | None]) -> pd.DataFrame:
    """All columns with their dtypes, including the columns that the subject does not have."""
    given = rows.assign(subject=subject, reason=pd.Series(reasons, rows.index, dtype=object))
    given = given.reindex(columns=[column.name for column in RECONCILIATION])
    return pd.DataFrame({c.name: typed_values(c, given[c.name]) for c in RECONCILIATION})
