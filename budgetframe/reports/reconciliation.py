"""Comparison of the service's own figures with the sums of the ledger, to the milliunit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import CARD_GROUP, COUNTED, INTERNAL_GROUP, UNCATEGORIZED
from budgetframe.frames.builder import NOT_LISTED
from budgetframe.frames.internal_categories import uncategorized_rows
from budgetframe.frames.ledger import counted, is_starting_balance, leaves
from budgetframe.frames.money import check_sums, exact
from budgetframe.frames.reconciliation import (
    ACCOUNT,
    AVAILABLE,
    CARD_PAYMENTS,
    CATEGORY_MONTH,
    DELETED_SPLITS,
    LOAN_COSTS,
    NO_UNCATEGORIZED,
    PARTS,
    RECONCILIATION,
    Reconciliation,
)
from budgetframe.frames.tables import TABLES

from ._shared.loan_rule import LoanHistory, loan_histories
from ._shared.periods import months_later

_MANY_SUMS = 4096
_OF_BOOKED = ["date", "amount", "category_id", "category_name", "transaction_id"]
_OF_LOANS = [
    "account_id", "date", "amount", "debt_transaction_type", "payee_name", "transfer_account_id",
]  # fmt: skip
_TEXTS = ("str", "category")
_Rows = dict[str, Any]  # the values of each column


def reconcile(
    accounts: pd.DataFrame,
    month_categories: pd.DataFrame,
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
    *,
    deleted_splits: Sequence[Mapping[str, Any]] = (),
    available: bool = False,
) -> Reconciliation:
    """Compare the service's own figures with the sums of the transactions.

    The first two frames have the service's figures and come from one export; ``attrs["loans"]`` of
    the accounts has the terms of the loans. The others are the complete ledger. The result has a
    row for each account, and for each category and month, that either side has. A row that is
    missing on one side counts as zero there.

    The activity of a category in a month is the sum of its rows in budget accounts; a split counts
    with its parts. A transfer between two budget accounts counts in no category. Any other row
    without a category counts in ``Uncategorized``.

    Four kinds of rows are expected to differ. If they do, ``reason`` states it:

    * categories of the group ``Credit Card Payments``: their activity is the money that the
      service moves to them and out of them. No transaction has one of these categories.
    * rows without a category, if the service has no category ``Uncategorized`` to compare with.
    * loans, if interest and escrow explain the difference to the milliunit.
    * categories of deleted splits: the service leaves their parts in the activity until another
      transaction of the category is written. Those in `deleted_splits` explain a difference that is
      the sum of some of them in this category and month.

    With `available`, the available amounts are compared too: each is what was left in the last
    month of the category, unless it was overspent, plus the amount assigned, plus the activity.
    """
    check_sums(transactions, "amount")
    check_sums(subtransactions, "amount")
    booked = leaves(transactions, subtransactions)
    of_accounts = _accounts(accounts, transactions, booked)
    of_categories = _category_months(accounts, month_categories, booked, deleted_splits)
    parts = [of_accounts, of_categories]
    if available:
        has_figures = not month_categories.empty
        parts = [*parts[: 1 + has_figures], _available(month_categories)]
    names = [column.name for column in RECONCILIATION]
    rows = {name: np.concatenate([part[name] for part in parts]) for name in names}
    texts = {c.name: c.array(rows[c.name].tolist()) for c in RECONCILIATION if c.dtype in _TEXTS}
    return Reconciliation(rows | texts)


def _accounts(accounts: pd.DataFrame, transactions: pd.DataFrame, rows: pd.DataFrame) -> _Rows:
    numbers, keys = _numbered(accounts["account_id"], transactions["account_id"])
    names = _names(numbers, keys, "account", accounts, transactions)
    sums = _compared(numbers, exact(accounts, "balance"), exact(transactions))
    loans = {loan.account_id: loan for loan in _loans(accounts, rows)}
    for name in ("interest", "escrow"):
        costs = {key: sum(getattr(cost, name) for cost in loans[key].costs) for key in loans}
        sums[f"{name}_milliunits"] = np.array([costs.get(key, 0) for key in keys], "int64")
    explained = sums["interest_milliunits"] + sums["escrow_milliunits"]
    unexplained = sums["difference_milliunits"] - explained
    is_loan = (explained != 0) & (unexplained == 0)
    sums["reason"] = [LOAN_COSTS if each else None for each in is_loan]
    amount, is_cleared = exact(transactions), transactions["cleared"].isin(COUNTED).to_numpy(bool)
    parts = {}
    for name, is_counted in zip(PARTS, (is_cleared, ~is_cleared), strict=True):
        column = f"{name}_balance"
        stated = numbers[: len(accounts)][accounts[column].notna()]
        is_stated = np.isin(np.arange(len(keys)), stated)
        part = _compared(numbers, exact(accounts, column), amount * is_counted)
        parts[name] = np.where(is_stated, part["difference_milliunits"], 0)
    # The costs of a loan are in one of the two; it is not known in which one.
    is_uncleared = parts["uncleared"] == explained
    costs = {"cleared": np.where(is_uncleared, 0, explained)}
    costs["uncleared"] = explained - costs["cleared"]
    for name, difference in parts.items():
        sums[f"{name}_milliunits"] = np.where(difference == 0, 0, difference - costs[name])
    sums |= {"unexplained_milliunits": unexplained, "account_name": names, "account_id": keys}
    return _ordered(sums, ACCOUNT, _sorted(names, keys))


def _loans(accounts: pd.DataFrame, rows: pd.DataFrame) -> list[LoanHistory]:
    """The loans among the accounts, with the interest and escrow that the rows do not record."""
    keys = [each["account_id"] for each in accounts.attrs.get("loans", ())]
    if not keys:
        return []
    at = np.flatnonzero(rows["account_id"].isin(keys).to_numpy(bool))
    of_loans = rows[_OF_LOANS].take(at)
    of_loans["is_starting_balance"] = is_starting_balance(of_loans)
    of_loans.attrs = dict(accounts.attrs)
    return loan_histories(of_loans)


def _category_months(
    accounts: pd.DataFrame,
    month_categories: pd.DataFrame,
    rows: pd.DataFrame,
    deleted_splits: Sequence[Mapping[str, Any]],
) -> _Rows:
    uncategorized = month_categories.loc[uncategorized_rows(month_categories), "category_id"]
    no_category = "" if uncategorized.empty else str(uncategorized.iloc[0])

    booked = _booked(accounts, rows, no_category)
    of_service = months_later(month_categories["month"].to_numpy(), 0)
    numbers, keys = _numbered(month_categories["category_id"], booked["category_id"])
    of_month, months = pd.factorize(np.concatenate([of_service, booked["month"].to_numpy()]))
    is_place = (numbers >= 0) & (of_month >= 0)
    places, different = pd.factorize(np.where(is_place, of_month * len(keys) + numbers, -1))
    sums = _compared(places, exact(month_categories, "activity"), exact(booked))
    of_month, of_category = np.divmod(different, max(len(keys), 1))

    listed = numbers[: len(month_categories)]
    groups = _last(listed, month_categories["category_group_name"], len(keys))
    names = _names(numbers, keys, "category", month_categories, booked)
    texts = {"category_group_name": groups, "category_name": names, "category_id": keys}
    ranks = np.argsort(_sorted(groups, names, keys))
    sums |= {name: np.array(known, object)[of_category] for name, known in texts.items()}
    sums["month"] = months[of_month]
    order = np.lexsort((ranks[of_category], sums["month"]))

    difference = sums["difference_milliunits"]
    reasons = np.full(len(different), None, dtype=object)
    reasons[(difference != 0) & (sums["category_group_name"] == CARD_GROUP)] = CARD_PAYMENTS
    reasons[(difference != 0) & (sums["category_id"] == "")] = NO_UNCATEGORIZED
    left = np.flatnonzero((difference != 0) & (reasons == None))  # noqa: E711 - of each element
    amounts = _of_deleted_splits(accounts, deleted_splits, no_category) if len(left) else {}
    for number in left:
        place = pd.Timestamp(sums["month"][number]), sums["category_id"][number]
        if -difference[number] in _sums(amounts.get(place, ())):
            reasons[number] = DELETED_SPLITS
    sums["category_id"][sums["category_id"] == ""] = None
    sums["unexplained_milliunits"] = np.where(reasons == None, difference, 0)  # noqa: E711
    sums["reason"] = reasons
    return _ordered(sums, CATEGORY_MONTH, order[different[order] >= 0])


def _available(month_categories: pd.DataFrame) -> _Rows:
    """The stated available amounts and those that follow; the service has other rules for cards."""
    is_own = ~month_categories["category_group_name"].isin((INTERNAL_GROUP, CARD_GROUP))
    rows = month_categories[is_own.to_numpy(bool)].sort_values("month", kind="stable")
    carried = pd.Series(exact(rows, "balance")).groupby(rows["category_id"].to_numpy()).shift()
    made = carried.fillna(0).clip(lower=0) + exact(rows, "budgeted") + exact(rows, "activity")
    difference = made.to_numpy("int64") - exact(rows, "balance")
    texts = ("month", "category_group_name", "category_name", "category_id")
    sums = {
        **{name: rows[name].to_numpy() for name in texts},
        **{f"{name}_milliunits": difference for name in ("difference", "unexplained")},
        "service": rows["balance"].to_numpy(), "ledger": made.to_numpy() / MILLIUNITS,
    }  # fmt: skip
    return _ordered(sums, AVAILABLE, range(len(rows)))


def _booked(accounts: pd.DataFrame, every: pd.DataFrame, no_category: str) -> pd.DataFrame:
    """The rows that count in a category, with their month."""
    rows: pd.DataFrame = every[_OF_BOOKED].take(np.flatnonzero(counted(every, accounts)))
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
        kept = {**split, "deleted": False, "subtransactions": parts}
        rows.append({"account_name": NOT_LISTED, **kept})  # a row of an export has no names
    tables = [TABLES[name] for name in ("transactions", "subtransactions")]
    whole, of_parts = (table.frame({"transactions": rows}) for table in tables)
    booked = _booked(accounts, leaves(whole, of_parts), no_category)
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


def _numbered(service: pd.Series[str], ledger: pd.Series[str]) -> tuple[Any, list[str]]:
    """The numbers of the keys of both sides, -1 for a missing key; and the key of each number."""
    numbers, keys = pd.factorize(pd.concat([service, ledger], ignore_index=True))
    return numbers, keys.tolist()


def _compared(numbers: Any, of_service: Any, of_ledger: Any) -> _Rows:
    """The figures of both sides, and their difference, for each number of a key."""
    stated, booked = np.split(numbers, [len(of_service)])
    count = numbers.max(initial=-1) + 1
    service, ledger = np.zeros((2, count + 1), "int64")  # the last: rows without a key
    np.add.at(service, stated, of_service)
    np.add.at(ledger, booked, of_ledger)
    is_stated = np.zeros(count + 1, bool)
    is_stated[stated] = True
    return {
        "service": np.where(is_stated, service / MILLIUNITS, np.nan)[:-1],
        "ledger": (ledger / MILLIUNITS)[:-1],
        "difference_milliunits": (ledger - service)[:-1],
    }


def _names(
    numbers: Any, keys: list[str], entity: str, service: pd.DataFrame, ledger: pd.DataFrame
) -> list[str | None]:
    """The names that the service states, otherwise the newest names in the ledger, by key."""
    name = f"{entity}_name"
    names = _last(numbers[: len(service)], service[name], len(keys))
    if None in names:
        is_lacking = np.array([*(each is None for each in names), False])  # the last: no key
        booked = numbers[len(service) :]
        at = np.flatnonzero(is_lacking[booked])
        newest_last = ledger[["date", name]].take(at).assign(number=booked[at])
        newest_last = newest_last.sort_values(["date", name])
        newest = _last(newest_last["number"].to_numpy(), newest_last[name], len(keys))
        names = [new if old is None else old for old, new in zip(names, newest, strict=True)]
        names = [NOT_LISTED if each is None else each for each in names]
    return names


def _last(numbers: Any, texts: pd.Series[str], count: int) -> list[str | None]:
    """The text in the last row of each number; None without a row, and for a missing text."""
    at = np.full(count + 1, -1)  # the last: rows without a key
    at[numbers] = np.arange(len(numbers))
    known = texts.array.take(at[:-1], allow_fill=True)
    return [None if pd.isna(text) else text for text in known]


def _sorted(*texts: Sequence[str | None]) -> list[int]:
    """The positions in the order of the texts; missing ones come last."""
    keys = [[(text is None, text or "") for text in each] for each in texts]
    ranks = [*zip(*keys, strict=True)]
    return sorted(range(len(ranks)), key=ranks.__getitem__)


def _ordered(known: _Rows, subject: str, order: Any) -> _Rows:
    """All columns of the rows of a subject in their order, also those that it does not have."""
    at = np.asarray(order, "int64")
    zeros, nothing = np.zeros(len(at), "int64"), np.full(len(at), None)
    return {
        "subject": np.full(len(at), subject, object),
        "month": np.full(len(at), "NaT", "datetime64[us]"),
        "reason": nothing,
        **dict.fromkeys(("account_name", "category_group_name", "category_name"), nothing),
        **dict.fromkeys(("account_id", "category_id"), nothing),
        **{f"{name}_milliunits": zeros for name in ("interest", "escrow", *PARTS)},
        # Texts are objects: an array of texts would drop a final NUL.
        **{
            name: (np.array(values, object) if isinstance(values, list) else values)[at]
            for name, values in known.items()
        },
    }
