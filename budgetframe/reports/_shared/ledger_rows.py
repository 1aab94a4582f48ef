"""Select the rows of a ledger that a report counts, and group them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._resources import UNCATEGORIZED
from budgetframe._runtime.arguments import check_choice
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import LEDGER

from .group_numbers import group_numbers
from .grouping import By, Key, by_name, groups_overlap
from .hashtags import folded, hashtags_of
from .periods import Freq, Span, first_days
from .row_filters import check_mapping

LEDGER_COLUMNS = tuple(column.name for column in LEDGER)

_COMPLETE = "whether all days of the period count; none is after today"
IS_COMPLETE = Column("is_complete", "bool", "", _COMPLETE)
PERIOD = Column("period", "datetime64[us]", "", "first day of the period")
SPENT = Column("spent", "float64", CURRENCY, "outflow net of refunds; negative: more refunds")

SPENT_RULE = (
    "Spent: rows with a category in budget accounts, net of refunds; negative if the refunds are"
    " larger."
)

Transfers = Literal["to_tracking", "none", "all"]
"""The transfers that count: transfers to and from tracking accounts, none, or all."""

TRANSFER_RULES: Mapping[str, str] = {
    "to_tracking": "A transfer to a tracking account counts by its category; a transfer between"
    " two budget accounts does not count.",
    "none": "No transfer counts, not even a transfer to a tracking account.",
    "all": "All transfers count. Transfers between two budget accounts have no category and cancel"
    " out over all accounts.",
}

_BY_NAME = {column.name: column for column in LEDGER}

_KEYS: Mapping[str, tuple[Column, ...]] = {
    "category": tuple(
        _BY_NAME[name] for name in ("category_id", "category_group_name", "category_name")
    ),
    "group": (_BY_NAME["category_group_id"], _BY_NAME["category_group_name"]),
    "payee": (_BY_NAME["payee_id"], _BY_NAME["payee_name"], _BY_NAME["is_transfer"]),
    "account": (_BY_NAME["account_id"], _BY_NAME["account_name"]),
    "flag": (_BY_NAME["flag_color"], _BY_NAME["flag_name"]),
    "hashtag": (Column("hashtag", "str", "", "word after a # in the memo; missing: no hashtag"),),
}
# The columns that name a group, for each way of grouping.
_OWN_KEYS: tuple[Column, ...] = (
    Column("label", "str", "", "your own label; missing: not in your mapping"),
)

LABEL_COLUMNS: Mapping[str, tuple[str, ...]] = {
    by: tuple(column.name for column in keys if not column.name.endswith("_id"))
    for by, keys in {**_KEYS, "own": _OWN_KEYS}.items()
}
"""Columns with the names of a group, for each way of grouping; ``own`` is a mapping."""

# Columns whose values a mapping can name; hashtags come after them. The last match wins.
_MAPPABLE = (
    "category_group_name", "category_group_id", "category_name", "full_name", "category_id",
    "flag_color", "flag_name",
)  # fmt: skip


class Grouped(NamedTuple):
    """Rows with the position of their group in a column ``label``, and the groups."""

    rows: pd.DataFrame
    labels: pd.DataFrame  # one row per group, with the columns that name it
    keys: tuple[Column, ...]  # the columns of `labels`
    first: Any  # the number of the first property of each group, if there are two; or zeros

    def largest_first(self, totals: Any) -> Any:
        """The order of the groups by their totals; of two properties, by the first one first."""
        of_first = np.zeros(len(totals), dtype="int64")
        np.add.at(of_first, self.first, totals)
        return np.lexsort((-totals, self.first, -of_first[self.first]))


def transfer_mask(ledger: pd.DataFrame, transfers: Transfers) -> Any:
    """Which rows may count: with ``"none"`` the rows that are not transfers, otherwise all."""
    check_choice(transfers, "transfers", Transfers)
    return ~ledger["is_transfer"].to_numpy(bool) | (transfers != "none")


def spending_rows(
    ledger: pd.DataFrame, transfers: Transfers, *, uncategorized: bool
) -> pd.DataFrame:
    """The rows of a ledger that are spending."""
    return pd.DataFrame(ledger[spending_mask(ledger, transfers, uncategorized=uncategorized)])


def spending_mask(ledger: pd.DataFrame, transfers: Transfers, *, uncategorized: bool) -> Any:
    """Which rows of a ledger are spending."""
    counts = ledger["is_spending"]
    if uncategorized:
        counts = counts | ledger["is_uncategorized"]
    kept = counts.to_numpy(bool) & transfer_mask(ledger, transfers)
    if transfers == "all":  # add transfers between budget accounts, which have no other flag
        flagged = ledger["is_spending"] | ledger["is_uncategorized"] | ledger["is_income"]
        kept |= (ledger["is_transfer"] & ledger["on_budget"] & ~flagged).to_numpy(bool)
    return kept


def left_out_rows(
    rows: pd.DataFrame, span: Span | None, transfers: str, *, uncategorized: bool = True
) -> dict[str, tuple[int, str, str]]:
    """The rows of spending that these options leave out, for `make_report`."""
    if span is None or (uncategorized and transfers != "none"):
        return {}
    rows = rows[span.holds(rows["date"])]
    has_none, is_transfer = (rows[name] for name in ("is_uncategorized", "is_transfer"))
    is_left_out = is_transfer & (rows["is_spending"] | has_none) & (transfers == "none")
    without = int((has_none & ~is_left_out).sum()) * (not uncategorized)
    transfer = "transfer to a tracking account", "transfers to tracking accounts"
    return {
        "uncategorized=True": (without, "row without a category", "rows without a category"),
        "transfers='to_tracking'": (int(is_left_out.sum()), *transfer),
    }


def uncategorized_rule(*, counts: bool) -> str:
    """The rule for transactions without a category, as a sentence."""
    return f"Transactions without a category {'count' if counts else 'do not count'}."


def rows_in_span(rows: pd.DataFrame, span: Span | None, freq: Freq) -> pd.DataFrame:
    """The rows of a span, with the first day of their period in a column ``period``."""
    if span is None:
        return rows.iloc[:0].assign(period=rows["date"].iloc[:0])
    is_held = span.holds(rows["date"])
    kept = rows if is_held.all() else rows.loc[is_held]
    return pd.DataFrame(kept).assign(period=first_days(kept["date"], freq, span))


def columns_for(by: By) -> list[str]:
    """The columns of a ledger that `group_rows` needs, with ``date`` and ``amount``."""
    keys = _MAPPABLE if isinstance(by, Mapping) else (each.name for each in _key_columns(by))
    names = dict.fromkeys(["date", "amount", "memo", "is_uncategorized", *keys])
    return [name for name in names if name in _BY_NAME]


def _key_columns(by: Key | Sequence[Key]) -> tuple[Column, ...]:
    """The columns of one or two properties, each once."""
    properties = [by] if isinstance(by, str) else by
    return tuple({each.name: each for name in properties for each in _KEYS[name]}.values())


def group_rows(rows: pd.DataFrame, by: By, ledger: pd.DataFrame) -> Grouped:
    """Group rows of a ledger; the complete ledger has the names that a mapping may contain."""
    if isinstance(by, Mapping):
        by = check_mapping("by", by, ledger, ("categories", "flags", "hashtags"))
        rows, names, keys = rows.assign(own_label=_own_labels(rows, by)), ["own_label"], _OWN_KEYS
    else:
        keys = _key_columns(by)
        names = [column.name for column in keys]
    if groups_overlap(by_name(by)):
        # One row for each hashtag: a transaction with two hashtags counts for both.
        rows = rows.assign(hashtag=hashtags_of(rows)).explode("hashtag")
    # Some rows without a category have the service's own category for them, some have none.
    none = rows["is_uncategorized"].to_numpy(bool)
    for name in {"category_id", "category_group_id"}.intersection(names):
        rows = rows.assign(**{name: rows[name].mask(none, None)})
    if "category_group_id" in names:  # its group holds other categories: the row needs its own name
        group = rows["category_group_name"].mask(none, UNCATEGORIZED)
        rows = rows.assign(category_group_name=group)
    positions = group_numbers(rows, [name for name in names if name != "is_transfer"])
    last = pd.Series(range(len(rows))).groupby(positions).last().to_numpy()
    labels = rows[names].take(last).reset_index(drop=True)
    if "is_transfer" in names:  # rows without a payee can be both
        labels["is_transfer"] = rows["is_transfer"].groupby(positions).all().to_numpy()
    labels = labels.set_axis([column.name for column in keys], axis=1)
    first = np.zeros(len(labels), dtype="int64")
    if isinstance(by, tuple | list):
        first = group_numbers(labels, [column.name for column in _key_columns(by[0])])
    return Grouped(rows.assign(label=positions), labels, keys, first)


def payee_keys(rows: pd.DataFrame) -> pd.Series[Any]:
    """The payee of each row: the key of the account of a transfer, of the payee, or its name."""
    names = rows[["transfer_account_id", "payee_id", "payee_name"]].astype(object)
    payee = names["transfer_account_id"]
    for name in ("payee_id", "payee_name"):
        payee = payee.where(payee.notna(), names[name])
    return payee.where(payee.notna(), None)


def payee_numbers(rows: pd.DataFrame) -> Any:
    """The number of the payee of each row, as `payee_keys` finds it; -1: it has none."""
    # There are far fewer payees than rows: their keys are found once for each of them.
    columns = ["transfer_account_id", "payee_id", "payee_name"]
    numbers = group_numbers(rows, columns)
    last = pd.Series(np.arange(len(rows))).groupby(numbers).last().to_numpy()
    return payee_keys(rows[columns].take(last)).factorize()[0][numbers]


def repeat_labels(labels: pd.DataFrame, periods: int) -> dict[str, Any]:
    """The columns of the labels, repeated once for each period."""
    at = np.tile(np.arange(len(labels)), periods)
    return {name: labels[name].take(at) for name in labels.columns}


def _own_labels(rows: pd.DataFrame, mapping: Mapping[str, str]) -> Any:
    named = rows.assign(full_name=rows["category_group_name"] + ": " + rows["category_name"])
    tags = {folded(name)[1:]: own for name, own in mapping.items() if name[:1] == "#"}
    tagged = hashtags_of(rows).map(lambda found: next((tags[t] for t in found if t in tags), None))
    labels = pd.Series([None] * len(rows), index=rows.index, dtype=object)
    for own in [*(named[column].astype(object).map(mapping) for column in _MAPPABLE), tagged]:
        labels = labels.where(own.isna(), own)
    return labels.where(labels.notna(), None)
