"""Conversion of the export of a budget to the shapes of the single lists.

The export is flat: its rows refer to each other only by id. Split parts and the categories of
groups are separate lists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
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
"""The frames that an export contains."""

_NAME_LISTS = {"account": "accounts", "payee": "payees", "category": "categories"}
_Row = Mapping[str, Any]


def as_lists(budget: _Row) -> Mapping[str, list[_Row]]:
    """The lists of an export, with the keys and shapes of the single lists.

    Each list is built on first access.
    """
    return _Lists(budget)


class _Lists(dict[str, list[_Row]]):
    """Lists that are built on first access."""

    def __init__(self, budget: _Row) -> None:
        super().__init__()
        self._budget = budget

    def __missing__(self, name: str) -> list[_Row]:
        build: Callable[[], list[_Row]] = {
            "category_groups": self._groups,
            "months": self._months,
            "transactions": self._transactions,
            "scheduled_transactions": self._scheduled,
        }.get(name, partial(self._rows, name))
        self[name] = build()
        return self[name]

    def _rows(self, name: str) -> list[_Row]:
        return list(self._budget.get(name, ()))

    def _groups(self) -> list[_Row]:
        groups = {group["id"]: group for group in self._rows("category_groups")}
        by_group = _grouped_by(self._rows("categories"), "category_group_id")
        for group_id in by_group:  # keep categories whose group is not in the export
            groups.setdefault(group_id, {"id": group_id, "name": None})
        return [{**group, "categories": by_group[key]} for key, group in groups.items()]

    def _months(self) -> list[_Row]:
        groups = {group["id"]: group for group in self._rows("category_groups")}
        return [
            {
                **month,
                "categories": [
                    _with_group_name(row, groups) for row in month.get("categories", ())
                ],
            }
            for month in self._rows("months")
        ]

    def _transactions(self) -> list[_Row]:
        return self._nested("transactions", "subtransactions", "transaction_id")

    def _scheduled(self) -> list[_Row]:
        parts = "scheduled_subtransactions"
        return self._nested("scheduled_transactions", parts, "scheduled_transaction_id")

    def _nested(self, name: str, parts: str, parent: str) -> list[_Row]:
        names = {
            entity: {row["id"]: row["name"] for row in self._rows(listed)}
            for entity, listed in _NAME_LISTS.items()
        }
        return _nested(self._rows(name), _grouped_by(self._rows(parts), parent), names)


def _nested(
    rows: Iterable[_Row], parts: Mapping[str, list[_Row]], names: Mapping[str, Mapping[str, str]]
) -> list[_Row]:
    nested: list[_Row] = []
    for row in rows:
        own = [_with_names(part, names) for part in parts.get(row["id"], ())]
        named = _with_names(row, names)
        if own:
            named["category_name"] = "Split"  # as in the single list
        nested.append({**named, "subtransactions": own})
    return nested


def _with_names(row: _Row, names: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    joined = {
        f"{entity}_name": by_id.get(row[f"{entity}_id"])
        for entity, by_id in names.items()
        if f"{entity}_id" in row
    }
    return {**joined, **row}


def _with_group_name(category: _Row, groups: Mapping[str, _Row]) -> dict[str, Any]:
    group = groups.get(category["category_group_id"], {})
    return {"category_group_name": group.get("name"), **category}


def _grouped_by(rows: Iterable[_Row], field: str) -> dict[str, list[_Row]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row[field]].append(row)
    return grouped
