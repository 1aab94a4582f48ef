"""The whole-budget export, brought into the shape of the lists.

The export is flat: its rows refer to each other by id alone, and parts of splits and the
categories of groups are lists of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["EXPORTED", "as_lists"]

EXPORTED = (
    "accounts",
    "payees",
    "payee_locations",
    "category_groups",
    "categories",
    "months",
    "month_categories",
    "transactions",
    "subtransactions",
    "scheduled_transactions",
    "scheduled_subtransactions",
)
"""The frames an export holds."""

_Row = Mapping[str, Any]


def as_lists(budget: _Row) -> dict[str, list[_Row]]:
    """Give the lists of an export under the keys and in the shapes of the single lists."""
    groups: dict[str, _Row] = {group["id"]: group for group in budget.get("category_groups", ())}
    names = {
        "account": _names(budget.get("accounts", ())),
        "payee": _names(budget.get("payees", ())),
        "category": _names(budget.get("categories", ())),
    }
    months = [
        {**month, "categories": [_in_group(row, groups) for row in month.get("categories", ())]}
        for month in budget.get("months", ())
    ]
    in_groups = _by(budget.get("categories", ()), "category_group_id")
    for group_id in in_groups:
        groups.setdefault(group_id, {"id": group_id, "name": None})  # not listed: nothing is lost
    return {
        "accounts": list(budget.get("accounts", ())),
        "payees": list(budget.get("payees", ())),
        "payee_locations": list(budget.get("payee_locations", ())),
        "category_groups": [
            {**group, "categories": in_groups[group_id]} for group_id, group in groups.items()
        ],
        "months": months,
        "transactions": _nested(
            budget.get("transactions", ()),
            _by(budget.get("subtransactions", ()), "transaction_id"),
            names,
        ),
        "scheduled_transactions": _nested(
            budget.get("scheduled_transactions", ()),
            _by(budget.get("scheduled_subtransactions", ()), "scheduled_transaction_id"),
            names,
        ),
    }


def _nested(
    rows: Iterable[_Row], parts: Mapping[str, list[_Row]], names: Mapping[str, Mapping[str, str]]
) -> list[_Row]:
    nested: list[_Row] = []
    for row in rows:
        own = [_named(part, names) for part in parts.get(row["id"], ())]
        named = _named(row, names)
        if own:
            named["category_name"] = "Split"  # as the single list says it
        nested.append({**named, "subtransactions": own})
    return nested


def _named(row: _Row, names: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    joined = {
        f"{entity}_name": by_id.get(row[f"{entity}_id"])
        for entity, by_id in names.items()
        if f"{entity}_id" in row
    }
    return {**joined, **row}


def _in_group(category: _Row, groups: Mapping[str, _Row]) -> dict[str, Any]:
    group = groups.get(category["category_group_id"], {})
    return {"category_group_name": group.get("name"), **category}


def _names(rows: Iterable[_Row]) -> dict[str, str]:
    return {row["id"]: row["name"] for row in rows}


def _by(rows: Iterable[_Row], field: str) -> dict[str, list[_Row]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row[field]].append(row)
    return grouped
