"""Update a ledger in the rows that changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .builder import PATCH_LIMIT, Built, patched
from .export import changed_rows
from .ledger import add_account_attrs, ledger_rows
from .tables import LEDGER

_NAMES: Mapping[str, tuple[str, ...]] = {
    "account_id": ("account_name", "account_type", "on_budget"),
    "category_id": ("category_name", "category_group_id", "category_group_name"),
    "payee_id": ("payee_name",),
}
"""The columns that a ledger has of accounts, categories and payees, by the key of these rows."""

_OTHER_KEYS = {"account_id": ("transfer_account_id",)}  # other columns of a ledger with these keys

_KEY = "transaction_id"


def names_in(older: pd.DataFrame, *names: pd.DataFrame) -> str:
    """What a ledger has of the frames of accounts, categories and payees, as a text to compare."""
    used = [names[0]["account_type"].cat.categories.tolist()]  # also those without a row
    for (key, columns), listed in zip(_NAMES.items(), names, strict=True):
        keys = pd.concat([older[name] for name in (key, *_OTHER_KEYS.get(key, ()))]).unique()
        rows = listed.loc[listed[key].isin(keys), [key, *columns]]
        used += rows.sort_values(key).to_numpy(object).tolist()
    return repr(used)


def with_names(rows: pd.DataFrame, *names: pd.DataFrame) -> pd.DataFrame:
    """A ledger to store, whose only attr is what it has of the frames of names."""
    stored = rows.copy(deep=False)
    stored.attrs = {"names": names_in(rows, *names)}
    return stored


def patched_ledger(
    older: pd.DataFrame, before: Sequence[Built], after: Sequence[Built]
) -> pd.DataFrame | None:
    """The ledger of some frames, updated from the ledger of earlier frames."""
    # The frames are transactions, subtransactions, accounts, categories and payees. Rows of the
    # lists that did not change must be the same objects before and after. The result is None as in
    # `with_rows_of`.
    rows = [built.items for built in (*before[:2], *after[:2])]
    if not all(rows) or len({isinstance(items, Mapping) for items in rows}) > 1:
        return None
    changed = changed_rows(before[0].items, after[0].items)
    if changed is None:
        return None
    # Rows with a name that changed are replaced as well.
    keys = {row["id"] for side in changed for row in side}
    keys |= _renamed(older, before[2:], after[2:])
    return with_rows_of(keys, older, *(built.frame for built in after))


def with_rows_of(
    keys: Collection[Any], older: pd.DataFrame, *frames: pd.DataFrame
) -> pd.DataFrame | None:
    """An earlier ledger, in which some transactions have the rows of the frames of `ledger`."""
    # The result is None if too many rows changed, or if a ledger has irregular rows, about which
    # only the complete ledger can warn.
    if len(keys) * PATCH_LIMIT > len(older) or not _is_regular(older):
        return None
    transactions, parts, *names = frames
    transactions, parts = (rows.take(_rows_of(rows, keys)) for rows in (transactions, parts))
    splits = transactions.loc[transactions["is_split"], _KEY]
    if not splits.isin(parts[_KEY]).all():
        return None  # the complete ledger raises the error
    new = ledger_rows(transactions, parts, *names)
    if not _is_regular(new):
        return None
    frame = patched(older, new, LEDGER, _rows_of(older, keys), ("date", _KEY))
    for name, dtype in new.dtypes.items():
        if frame[name].dtype != dtype:  # categories also have values that no row of the ledger has
            frame[name] = frame[name].astype(dtype)
    return add_account_attrs(frame, names[0])


def _rows_of(frame: pd.DataFrame, keys: Collection[Any]) -> Any:
    return np.flatnonzero(frame[_KEY].isin(list(keys)))


def _is_regular(rows: pd.DataFrame) -> bool:
    """Whether each split has the sum of its parts, and the service lists all accounts."""
    return not rows["is_remainder"].any() and not rows["account_type"].isna().any()


def _renamed(older: pd.DataFrame, before: Sequence[Built], after: Sequence[Built]) -> set[str]:
    """The transactions in a ledger with an account, a category or a payee that changed."""
    renamed = set[str]()
    for (key, names), old, new in zip(_NAMES.items(), before, after, strict=True):
        if old is new:
            continue
        rows = pd.concat([built.frame[[key, *names]] for built in (old, new)])
        changed = rows.drop_duplicates(keep=False)[key]
        if changed.empty:
            continue
        for column in (key, *_OTHER_KEYS.get(key, ())):
            renamed |= set(older.loc[older[column].isin(changed), _KEY])
    return renamed
