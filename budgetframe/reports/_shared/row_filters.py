"""Filters of rows by account, category, payee, flag, hashtag and memo, with their rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import numpy as np
import pandas as pd

from budgetframe._resources import key_text
from budgetframe._runtime.arguments import closest_names
from budgetframe._runtime.text import whole_text
from budgetframe.errors import ToolError

from .hashtags import folded, hashtags_of

Names = str | Sequence[str]


class AccountFilters(TypedDict, total=False):
    """The filters of reports on accounts; a filter that is left out selects all."""

    accounts: Names | None
    exclude_accounts: Names


class CategoryFilters(TypedDict, total=False):
    """The filters of reports on categories."""

    categories: Names | None
    exclude_categories: Names


class PayeeFilters(TypedDict, total=False):
    """The filters by what else a row of the ledger has."""

    payees: Names | None
    exclude_payees: Names
    flags: Names | None
    hashtags: Names | None
    memo: str | None


class PartFilters(AccountFilters, PayeeFilters, total=False):
    """The filters of reports on rows without a category."""


class RowFilters(AccountFilters, CategoryFilters, PayeeFilters, total=False):
    """The filters of reports on rows of the ledger."""


Entity = Literal["accounts", "categories", "payees", "flags", "hashtags", "memo"]


class _Named(NamedTuple):
    """An entity that filters name."""

    singular: str
    columns: tuple[str, ...]  # with its names; the column after a key has the name for it
    where: str  # where a person finds the names
    is_of_row: bool = False  # whether it is a property of a row, which can have several


_SIDES = ("", "from_", "to_")  # of columns of categories; a move of money has two sides
_OF_CATEGORY = ("id", "name", "group_id", "group_name")
_NAMED: Mapping[Entity, _Named] = {
    "accounts": _Named(
        "account", ("account_id", "account_name"), "bf.accounts() lists the accounts",
    ),
    "categories": _Named(
        "category",
        tuple(f"{side}category_{name}" for side in _SIDES for name in _OF_CATEGORY),
        "bf.categories() lists the categories and their groups",
    ),
    "payees": _Named("payee", ("payee_id", "payee_name"), "bf.payees() lists the payees"),
    "flags": _Named(
        "flag", ("flag_color", "flag_name"), "a flag is named by its colour or by its own name",
        is_of_row=True,
    ),
    "hashtags": _Named("hashtag", (), "a hashtag is a word after # in a memo", is_of_row=True),
}  # fmt: skip
FILTERS = tuple(name for name in RowFilters.__annotations__ if name != "memo")
"""The parameters of reports that select or exclude rows by names."""
COLUMNS_OF_FILTERS: Mapping[str, list[str]] = {
    name: [name for name in named.columns if name[-3:] != "_id"] for name, named in _NAMED.items()
}
"""The columns with the names that these parameters take."""


class RowFilter(NamedTuple):
    """The names and keys of rows that count and do not count, by entities with a filter."""

    selected: Mapping[Entity, tuple[str, ...]]
    excluded: Mapping[Entity, tuple[str, ...]]
    given: Mapping[str, list[str]]  # the names of both by argument, for ``attrs["filters"]``

    @property
    def rules(self) -> list[str]:
        """The filter as sentences."""
        excluded = ((entity, self.given[f"exclude_{entity}"]) for entity in self.excluded)
        return [
            *(_selection(entity, self.given[entity]) for entity in self.selected),
            *(f"Excluded {entity}: {', '.join(names)}." for entity, names in excluded),
        ]

    def rows(self, frame: pd.DataFrame, *entities: Entity) -> pd.DataFrame:
        """The rows that count; with `entities`, by these filters alone."""
        if not self.given:  # a ledger is large: without a filter it is not copied
            return frame
        kept: pd.DataFrame = frame[self.mask(frame, *entities)]  # with the terms of loans in attrs
        return kept

    def mask(self, rows: pd.DataFrame, *entities: Entity) -> Any:
        """Which rows count; with `entities`, by these filters alone."""
        kept = np.ones(len(rows), dtype=bool)
        for entity in entities or (*_NAMED, "memo"):
            if entity in self.selected:
                kept &= _is_named(rows, entity, self.selected[entity])
            if entity in self.excluded:
                kept &= ~_is_named(rows, entity, self.excluded[entity])
        return kept


def row_filter(
    known: Sequence[pd.DataFrame],
    filters: Mapping[str, Any],
    *,
    on_budget: bool = False,
    missing: str = "the ledger has no rows of {names}",
) -> RowFilter:
    """Check the names in the filters of a report."""
    # The known names and keys are in columns of the ledger, or of other frames, with the same
    # names. If these have no rows, every name is permitted. With `on_budget`, only rows of budget
    # accounts count and can be selected. `missing` is the message for unknown ``{names}``.
    selected: dict[Entity, tuple[str, ...]] = {}
    excluded: dict[Entity, tuple[str, ...]] = {}
    for entity in _NAMED:
        given = filters.get(entity)
        if given is not None:
            selected[entity] = names_of(given, entity)
        names = names_of(filters.get(f"exclude_{entity}", ()), f"exclude_{entity}")
        if names:
            excluded[entity] = names
    shown: dict[str, list[str]] = {}
    for prefix, names_by_entity in (("", selected), ("exclude_", excluded)):
        # To exclude the rows of a tracking account changes nothing, and it is no mistake.
        is_limited = on_budget and not prefix
        for entity, names in names_by_entity.items():
            labels = _known_names(known, entity, is_limited=is_limited)
            if any(map(len, known)):
                where = f"{missing}{' in budget accounts' if is_limited else ''}"
                check_known(prefix + entity, names, labels, where, [entity])
            shown[prefix + entity] = [*dict.fromkeys(labels.get(name, name) for name in names)]
    memo = filters.get("memo")
    if memo is not None:
        check_memo(memo)
        selected["memo"], shown["memo"] = (memo,), [memo]
    return RowFilter(selected, excluded, shown)


def check_mapping(
    argument: str,
    mapping: Mapping[Any, str],
    ledger: pd.DataFrame,
    entities: Sequence[Entity],
    others: Sequence[pd.DataFrame] = (),
) -> dict[str, str]:
    """Check a mapping like a filter, hashtags with #; return it with the service's spelling."""
    # It names what is in budget accounts or, if there are `others`, what is in any of the frames.
    given = {str(key_text(name)): whole_text(value) for name, value in mapping.items()}
    labels: dict[str, str] = {}
    for entity in entities if given else ():
        found = _known_names([ledger, *others], entity, is_limited=not others)
        labels |= {f"#{tag}": tag for tag in found} if entity == "hashtags" else found
    if len(ledger):
        names = [name if name in labels or name[:1] != "#" else folded(name) for name in given]
        where = f"the ledger has no rows of {{names}}{'' if others else ' in budget accounts'}"
        check_known(argument, names, labels, where, entities)
    return given


def check_memo(memo: str, _name: str = "memo") -> None:
    """Check that a part of a memo has at least one letter."""
    if not memo.strip():
        raise ToolError(f"memo={memo!r}: it must be a part of the memo, or left out")


def category_filter(known: Sequence[pd.DataFrame], filters: CategoryFilters) -> RowFilter:
    """Check the names of a filter by category, whose frames are no ledgers."""
    return row_filter(known, filters, missing="there is no category or group {names}")


def names_of(given: object, argument: str) -> tuple[str, ...]:
    """The names and keys in an argument; a selection has at least one."""
    names = [given] if isinstance(given, str | UUID) else given
    keys = [key_text(name) for name in names] if isinstance(names, Collection) else [None]
    texts = [name for name in keys if isinstance(name, str)]
    if len(texts) < len(keys):
        raise ToolError(f"{argument}={given!r}: it must be a name or a key, or a list of them")
    if argument == "hashtags":
        texts = [folded(text).removeprefix("#") for text in texts]
    found = tuple(dict.fromkeys(texts))
    for entity, named in _NAMED.items():
        if entity == argument and not found:
            advice = f"Name at least one {named.singular}, or leave the argument out"
            raise ToolError(f"{argument}: there is no name in it. {advice}")
    return found


def _is_named(rows: pd.DataFrame, entity: Entity, names: Sequence[str]) -> Any:
    """Which rows have one of the names in a column of the entity, or a part of a memo."""
    if entity == "hashtags":
        wanted = {*names}
        return hashtags_of(rows).map(lambda tags: not wanted.isdisjoint(tags)).to_numpy(bool)
    if entity == "memo":
        text = folded(names[0])
        memos = rows["memo"].astype(object).where(rows["memo"].notna(), "")
        return memos.map(lambda memo: text in folded(memo)).to_numpy(bool)
    found = np.zeros(len(rows), dtype=bool)
    for column in _NAMED[entity].columns:
        if column in rows:
            found |= rows[column].isin(names).to_numpy(bool)
    if entity == "categories" and any(": " in name for name in names):
        for group, category in _full_names(rows):
            for text, (group_name, name) in _pairs(rows, group, category).items():
                if text in names:
                    found |= ((rows[group] == group_name) & (rows[category] == name)).to_numpy(bool)
    return found


def _full_names(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """The columns of groups and categories, which together are the full name of a category."""
    sides = [(f"{side}category_group_name", f"{side}category_name") for side in _SIDES]
    return [each for each in sides if {*each} <= {*rows.columns}]


def _pairs(rows: pd.DataFrame, group: str, category: str) -> dict[str, tuple[str, str]]:
    """The names of groups and their categories, by the full names of the categories."""
    known = rows[[group, category]].drop_duplicates().dropna().itertuples(index=False)
    return {f"{group_name}: {name}": (group_name, name) for group_name, name in known}


def _labels(frame: pd.DataFrame, counted: Any, entity: Entity) -> dict[str, str]:
    """The names and keys in rows that count, with the name that a rule shows for each of them."""
    if entity == "hashtags":
        tags = hashtags_of(frame.loc[counted]) if "memo" in frame else ()
        return {tag: f"#{tag}" for each in tags for tag in each}
    columns = [column for column in _NAMED[entity].columns if column in frame]
    labels: dict[str, str] = {}
    table = frame.loc[counted, columns].drop_duplicates().astype(object)
    for column, following in zip(columns, [*columns, ""][1:], strict=True):
        is_key = column.endswith("_id") and following == column.replace("_id", "_name")
        values = table[column]
        shown = table[following].where(table[following].notna(), values) if is_key else values
        has_value = values.notna()
        labels |= dict(zip(values[has_value], shown[has_value], strict=True))
    for group, category in _full_names(table):
        full_names = _pairs(table, group, category)
        groups: dict[str, list[str]] = {}
        for group_name, name in full_names.values():
            groups.setdefault(name, []).append(group_name)
        several = {name: _of_groups(name, found) for name, found in groups.items() if found[1:]}
        labels = {**dict(zip(full_names, full_names, strict=True)), **labels, **several}
    return labels


def _of_groups(name: str, groups: list[str]) -> str:
    """What a rule shows of a name that categories of several groups have."""
    return f"{name} (of {' and '.join(sorted(groups))})"


def rule_of_mapping(by: object, ledger: pd.DataFrame) -> str:
    """The sentence about names in a mapping that several categories have; empty if none has."""
    if not isinstance(by, Mapping):
        return ""
    labels = _known_names([ledger], "categories", is_limited=True)
    shown = [labels[name] for name in by if labels.get(name, "").startswith(f"{name} (of ")]
    return f"Several categories count for a name: {', '.join(shown)}." if shown else ""


def _known_names(
    frames: Sequence[pd.DataFrame], entity: Entity, *, is_limited: bool
) -> dict[str, str]:
    """The names and keys in rows, or in those of budget accounts, and what a rule shows of each."""
    labels: dict[str, str] = {}
    for frame in frames:
        counted = frame["on_budget"].to_numpy(bool) if is_limited else slice(None)
        labels |= _labels(frame, counted, entity)
    return labels


def check_known(
    argument: str,
    names: Sequence[str],
    known: Collection[str],
    missing: str,
    entities: Sequence[Entity],
) -> None:
    """Check that names are known; the error has `missing` with the ``{names}``, and close ones."""
    unknown = [name for name in names if name not in known]
    if not unknown:
        return
    close = [name for each in unknown for name in closest_names(each, known)]
    noun = "names are" if len(set(close)) > 1 else "name is"
    advice = f"the closest {noun} {', '.join(map(repr, dict.fromkeys(close)))}"
    if not close:
        advice = "; ".join(_NAMED[entity].where for entity in entities)
        if "categories" in entities and "ledger" in missing:
            advice += "; leave out a category without transactions"
    raise ToolError(f"{argument}: {missing.format(names=', '.join(map(repr, unknown)))}; {advice}")


def _selection(entity: Entity, names: Sequence[str]) -> str:
    *before, last = names
    if entity == "memo":
        return f"Only rows with {last!r} in the memo count."
    named = _NAMED[entity]
    if not before:
        noun, verb, listed = named.singular, "counts", last
    else:
        word = "or" if named.is_of_row else "and"  # a row with one of the flags counts
        noun, verb, listed = entity, "count", f"{', '.join(before)} {word} {last}"
    if named.is_of_row:
        return f"Only rows with the {noun} {listed} count."
    return f"Only the {noun} {listed} {verb}."
