"""Update a ledger in the rows that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from budgetframe._resources import undeleted

from .builder import PATCH_LIMIT, Built, patched, rows_at
from .export import changed_rows
from .ledger import add_account_attrs, ledger_rows
from .tables import LEDGER

_Key = tuple[pd.Timestamp, str]
"""The day and the key of a transaction: ledgers and tables of rows are sorted by them."""

_SORTED_BY = ("date", "transaction_id")

_NAMES: Mapping[str, tuple[str, ...]] = {
    "account_id": ("account_name", "account_type", "on_budget"),
    "category_id": ("category_name", "category_group_id", "category_group_name"),
    "payee_id": ("payee_name",),
}
"""The columns that a ledger has of accounts, categories and payees, by the key of these rows."""

_OTHER_KEYS = {"account_id": ("transfer_account_id",)}
"""Further columns of a ledger with these keys."""


def patched_ledger(
    older: pd.DataFrame, before: Sequence[Built], after: Sequence[Built]
) -> pd.DataFrame | None:
    """The ledger of some frames, updated from the ledger of earlier frames.

    The frames are transactions, subtransactions, accounts, categories and payees. Rows of the lists
    that did not change must be the same objects before and after. The result is None if too many
    rows changed, or if a ledger has irregular rows, about which only the complete ledger can warn.
    """
    rows = [built.items for built in (*before[:2], *after[:2])]
    is_one_kind = len({isinstance(items, Mapping) for items in rows}) == 1
    if not all(rows) or not is_one_kind or not _is_regular(older):
        return None
    changed = changed_rows(before[0].items, after[0].items)
    if changed is None:
        return None
    removed, added = ({_key_of(row) for row in undeleted(rows_of_side)} for rows_of_side in changed)
    # Rows with a name that changed are replaced as well.
    renamed = _renamed(older, before[2:], after[2:]) - removed
    if (len(removed) + len(added) + len(renamed)) * PATCH_LIMIT > len(older):
        return None
    transactions, parts, *names = (built.frame for built in after)
    transactions, parts = (
        rows.take(list(chain(*_positions(rows, added | renamed)))) for rows in (transactions, parts)
    )
    splits = transactions.loc[transactions["is_split"], "transaction_id"]
    if len(transactions) != len(added | renamed) or not splits.isin(parts["transaction_id"]).all():
        return None  # the complete ledger raises the error
    new = ledger_rows(transactions, parts, *names)
    if not _is_regular(new):
        return None
    removed_at = list(chain(*_positions(older, removed | renamed)))
    keys = zip(new["date"], new["transaction_id"], strict=True)
    added_at = [rows.start for rows in _positions(older, keys)]
    frame = patched(older, new, LEDGER, removed_at, added_at)
    for name, dtype in new.dtypes.items():
        if frame[name].dtype != dtype:  # categories also have values that no row of the ledger has
            frame[name] = frame[name].astype(dtype)
    return add_account_attrs(frame, after[2].frame)


def _is_regular(rows: pd.DataFrame) -> bool:
    """Whether each split has the sum of its parts, and the service lists all accounts."""
    return not rows["is_remainder"].any() and not rows["account_type"].isna().any()


def _key_of(row: Mapping[str, Any]) -> _Key:
    return pd.Timestamp(row["date"]).as_unit("us"), row["id"]


def _renamed(older: pd.DataFrame, before: Sequence[Built], after: Sequence[Built]) -> set[_Key]:
    """The transactions in a ledger with an account, a category or a payee that changed."""
    renamed = set[_Key]()
    for (key, names), old, new in zip(_NAMES.items(), before, after, strict=True):
        if old is new:
            continue
        rows = pd.concat([built.frame[[key, *names]] for built in (old, new)])
        changed = rows.drop_duplicates(keep=False)[key]
        if changed.empty:
            continue
        for column in (key, *_OTHER_KEYS.get(key, ())):
            rows = older.loc[older[column].isin(changed).to_numpy(bool), [*_SORTED_BY]]
            renamed |= set(rows.itertuples(index=False, name=None))
    return renamed


def _positions(frame: pd.DataFrame, keys: Iterable[_Key]) -> list[range]:
    """The positions of the rows of each transaction, in the order of the ledger."""
    sorted_by = [frame[name].array for name in _SORTED_BY]
    return [rows_at(sorted_by, key) for key in sorted(keys)]
