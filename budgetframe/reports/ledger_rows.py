"""Which rows of a ledger a report counts, and what they are grouped by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames import LEDGER, Column
from budgetframe.frames.ledger import UNCATEGORIZED

from .periods import check_choice

__all__ = [
    "KEYS",
    "TRANSFERS",
    "By",
    "Grouped",
    "Transfers",
    "disambiguated",
    "grouped",
    "left_out",
    "spent_rows",
    "spread",
    "transfer_mask",
]

Transfers = Literal["to_tracking", "none", "all"]
"""Which transfers count: those to and from tracking accounts, none, or all."""

TRANSFERS: Mapping[str, str] = {
    "to_tracking": "A transfer to a tracking account counts by its category; one between two"
    " accounts of the budget does not.",
    "none": "No transfer counts, not even one to a tracking account.",
    "all": "All transfers count, those between two accounts of the budget too, which have no"
    " category and cancel out over all accounts.",
}
"""The rule in words."""

_COLUMNS = {column.name: column for column in LEDGER}

KEYS: Mapping[str, tuple[Column, ...]] = {
    "category": tuple(
        _COLUMNS[name] for name in ("category_id", "category_group_name", "category_name")
    ),
    "group": (_COLUMNS["category_group_id"], _COLUMNS["category_group_name"]),
    "payee": (_COLUMNS["payee_id"], _COLUMNS["payee_name"]),
    "account": (_COLUMNS["account_id"], _COLUMNS["account_name"]),
    "flag": (_COLUMNS["flag_color"], _COLUMNS["flag_name"]),
    "hashtag": (Column("hashtag", "str", "", "word after a # in the memo; missing: none"),),
    "own": (Column("label", "str", "", "your own name; missing: not in your mapping"),),
}
"""What rows can be grouped by, and the columns that then say so."""

By = Literal["category", "group", "payee", "account", "flag", "hashtag"] | Mapping[str, str]
"""A word, or names of your own by group, category, flag or hashtag."""

# What a mapping can name, beside hashtags; of two that fit, the later one decides.
_NAMED = ("category_group_name", "category_name", "category_id", "flag_color", "flag_name")
_HASHTAG = r"#([^\W\d]\w*)"  # "#42" is the number of an order


class Grouped(NamedTuple):
    """Rows with the position of their ``label``, the labels, and the columns that name them."""

    rows: pd.DataFrame
    labels: pd.DataFrame
    keys: tuple[Column, ...]


def transfer_mask(ledger: pd.DataFrame, transfers: Transfers) -> Any:
    """Which rows may count: all, or those that are no transfers."""
    check_choice(transfers, "transfers", Transfers)
    return ~ledger["is_transfer"].to_numpy(bool) | (transfers != "none")


def spent_rows(ledger: pd.DataFrame, transfers: Transfers, *, uncategorized: bool) -> pd.DataFrame:
    """The rows that are spending, by the rules asked for."""
    counts = ledger["is_spending"]
    if uncategorized:
        counts = counts | ledger["is_uncategorized"]
    kept = counts.to_numpy(bool) & transfer_mask(ledger, transfers)
    if transfers == "all":  # those that stay in the budget too, which are nothing else
        other = ledger["is_spending"] | ledger["is_uncategorized"] | ledger["is_income"]
        kept |= (ledger["is_transfer"] & ledger["on_budget"] & ~other).to_numpy(bool)
    return pd.DataFrame(ledger[kept])


def grouped(rows: pd.DataFrame, by: By, ledger: pd.DataFrame) -> Grouped:
    """The rows by what they are grouped by.

    Raises
    ------
    ToolError
        For a word that is none of those, and for a mapping none of whose names is in the ledger.
    """
    if isinstance(by, Mapping):
        by = {name.lower() if name.startswith("#") else name: own for name, own in by.items()}
        _check_own(by, ledger)
        kind, rows = "own", rows.assign(label_name=_own_labels(rows, by))
        names = ["label_name"]
    else:
        check_choice(by, "by", [name for name in KEYS if name != "own"])
        kind = by
        names = [column.name for column in KEYS[kind]]
    if kind == "hashtag":
        # One row for each word: a row with two of them counts for both.
        rows = rows.assign(hashtag=_hashtags(rows)).explode("hashtag", ignore_index=True)
    elif kind in {"category", "group"}:
        # The service has a category for rows without one, and not all of these are in it.
        none = rows["is_uncategorized"].to_numpy(bool)
        rows = rows.assign(**{names[0]: rows[names[0]].astype(object).mask(none, None)})
        if kind == "group":  # which is the service's own for what is in no other
            named = rows[names[1]].astype(object).mask(none, UNCATEGORIZED)
            rows = rows.assign(**{names[1]: named})
    key = rows[names].astype(object).where(rows[names].notna(), "")
    positions = key.groupby(names, sort=False).ngroup().to_numpy()
    last = pd.Series(range(len(rows))).groupby(positions).last().to_numpy()
    labels = rows[names].take(last).reset_index(drop=True)
    if kind == "own":
        labels = labels.set_axis(["label"], axis=1)
    return Grouped(rows.assign(label=positions), labels, KEYS[kind])


def spread(labels: pd.DataFrame, periods: int) -> dict[str, Any]:
    """The columns of the labels, all of them once for each period."""
    at = np.tile(np.arange(len(labels)), periods)
    return {name: labels[name].take(at) for name in labels.columns}


def disambiguated(rows: pd.DataFrame, group: str, name: str) -> pd.Series[str]:
    """What each category is called; with its group, where another one is called the same."""
    names, groups = rows[name].astype(object), rows[group].astype(object)
    kinds = rows[[group, name]].drop_duplicates()[name].astype(object)
    is_twice = names.isin(kinds[kinds.duplicated(keep=False)].dropna()) & groups.notna()
    return names.mask(is_twice, names + " (" + groups + ")")


def left_out(rows: pd.DataFrame, names: Sequence[str], entity: str) -> Any:
    """Which rows are of the accounts or categories that are named by name or key.

    Raises
    ------
    ToolError
        For a name that is nowhere among the rows, which would leave nothing out silently.
    """
    names = [names] if isinstance(names, str) else list(names)
    columns = [f"{entity}_id", f"{entity}_name"]
    if entity == "category":
        columns.append("category_group_name")
    known = {value for column in columns for value in rows[column].dropna().unique()}
    unknown = [name for name in names if name not in known]
    if unknown and len(rows):
        raise ToolError(
            f"{', '.join(map(repr, unknown))}: no {entity} of that name or key among what is on"
            " budget in the ledger"
        )
    return (
        pd.concat([rows[column].isin(names) for column in columns], axis=1).any(axis=1).to_numpy()
    )


def _check_own(mapping: Mapping[str, str], ledger: pd.DataFrame) -> None:
    known = {value for column in _NAMED for value in ledger[column].dropna().unique()}
    known |= {f"#{tag}" for tags in _hashtags(ledger) for tag in tags}
    if mapping and len(ledger) and not known & set(mapping):
        raise ToolError(
            f"by: none of {', '.join(map(repr, list(mapping)[:5]))} is a category, a group, a flag"
            " or a #hashtag here"
        )
    if not all(isinstance(own, str) for own in mapping.values()):
        raise ToolError("by: the names that a mapping gives are texts")


def _own_labels(rows: pd.DataFrame, mapping: Mapping[str, str]) -> Any:
    labels = pd.Series([None] * len(rows), index=rows.index, dtype=object)
    tagged = _hashtags(rows).map(
        lambda tags: next((mapping[f"#{tag}"] for tag in tags if f"#{tag}" in mapping), None)
    )
    for own in [*(rows[column].astype(object).map(mapping) for column in _NAMED), tagged]:
        labels = labels.where(own.isna(), own)
    return labels.where(labels.notna(), None)


def _hashtags(rows: pd.DataFrame) -> pd.Series[Any]:
    """The words after a # in each memo, once each."""
    words = rows["memo"].astype(object).str.lower().str.findall(_HASHTAG)
    return words.map(lambda found: [*dict.fromkeys(found)] if isinstance(found, list) else [])
