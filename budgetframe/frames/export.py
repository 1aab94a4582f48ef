"""The whole-budget export, brought into the shape of the lists.

The export is flat: its rows refer to each other by id alone, and parts of splits and the
categories of groups are lists of their own.
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
"""The frames an export holds."""

_NAMED_BY = {"account": "accounts", "payee": "payees", "category": "categories"}
_Row = Mapping[str, Any]


def as_lists(budget: _Row) -> Mapping[str, list[_Row]]:
    """Give the lists of an export under the keys and in the shapes of the single lists.

    Each is made when it is asked for.
    """
    return _Lists(budget)


class _Lists(dict[str, list[_Row]]):
    """Lists that are made when they are asked for."""

    def __init__(self, budget: _Row) -> None:
        super().__init__()
        self._budget = budget

    def __missing__(self, name: str) -> list[_Row]:
        make: Callable[[], list[_Row]] = {
            "category_groups": self._groups,
            "months": self._months,
            "transactions": self._transactions,
            "scheduled_transactions": self._scheduled,
        }.get(name, partial(self._rows, name))
        self[name] = make()
        return self[name]

    def _rows(self, name: str) -> list[_Row]:
        return list(self._budget.get(name, ()))

    def _groups(self) -> list[_Row]:
        groups = {group["id"]: group for group in self._rows("category_groups")}
        in_groups = _by(self._rows("categories"), "category_group_id")
        for group_id in in_groups:
            groups.setdefault(group_id, {"id": group_id, "name": None})  # nothing is lost
        return [{**group, "categories": in_groups[key]} for key, group in groups.items()]

    def _months(self) -> list[_Row]:
        groups = {group["id"]: group for group in self._rows("category_groups")}
        return [
            {**month, "categories": [_in_group(row, groups) for row in month.get("categories", ())]}
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
            for entity, listed in _NAMED_BY.items()
        }
        return _nested(self._rows(name), _by(self._rows(parts), parent), names)


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


def _by(rows: Iterable[_Row], field: str) -> dict[str, list[_Row]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row[field]].append(row)
    return grouped
