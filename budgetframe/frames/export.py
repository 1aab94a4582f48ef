"""Conversion of the export, whose rows refer to each other by id, to the shapes of the lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from budgetframe._runtime.deferred_warnings import DamagedRows, defer_warning
from budgetframe._runtime.text import number_of

from .builder import NOT_LISTED, difference, last_rows, shown, unexpected

EXPORTED = (
    "accounts", "payees", "payee_locations", "category_groups", "categories", "months",
    "month_categories", "transactions", "subtransactions", "scheduled_transactions",
    "scheduled_subtransactions",
)  # fmt: skip
"""The frames that an export contains."""

_MAY_LACK = ("payee_locations", "scheduled_subtransactions")
"""Lists that exports of earlier years lack; no other list refers to their rows."""

_NAME_LISTS = {"account": "accounts", "payee": "payees", "category": "categories"}
_ABSENT = object()
_Row = Mapping[str, Any]
_Names = Sequence[tuple[str, str, Mapping[Any, Any]]]  # fields of a key and a name, and the names


def as_lists(budget: _Row) -> Mapping[str, list[_Row]]:
    """The lists of an export, with the keys and shapes of the single lists."""
    # Each list is built on first access. An account, a payee, a category or a group that the export
    # does not list has the name ``Not listed``. A `RuntimeWarning` names the first group that is
    # not listed. Access to a list that the export lacks, or that is no list of objects, is a
    # `ServiceAPIError`. Only ``payee_locations`` and ``scheduled_subtransactions`` may be missing:
    # they are then empty.
    return _Lists(budget)


def lists_without_names(budget: object) -> frozenset[str]:
    """The lists whose rows refer to something that an export does not list."""
    # An export has a name only where it lists the account, the payee, the category or the group;
    # the rows of the single lists have names themselves. An export that is no object of lists of
    # objects has no such list here: its frames report what is wrong.
    found = set()
    try:
        lists: Any = budget
        groups = _keys(lists, "category_groups")
        if _keys(lists, "categories", "category_group_id") - groups:
            found.add("categories")
        rows = lists["categories"]
        in_groups = [row for row in rows if row.get("category_group_id") in groups]
        listed = {
            "account_id": _keys(lists, "accounts"),
            "payee_id": _keys(lists, "payees"),
            "category_id": {row.get("id") for row in in_groups},
        }
        for name, parts in (
            ("transactions", "subtransactions"),
            ("scheduled_transactions", "scheduled_subtransactions"),
        ):
            for field, known in listed.items():
                used = _keys(lists, name, field) | _keys(lists, parts, field)
                if used - known - {None}:
                    found.add(name)
    except (AttributeError, KeyError, TypeError):
        return frozenset()
    return frozenset(found)


def _keys(budget: _Row, name: str, field: str = "id") -> set[Any]:
    """The values of a field in a list of an export."""
    return {row.get(field) for row in budget.get(name, ())}


def changed_rows(before: Any, after: Any) -> tuple[list[_Row], list[_Row]] | None:
    """The transactions that only the earlier answer has, and those that only the later one has."""
    # The answers are two lists of transactions or two exports, with the same objects for rows that
    # did not change. In exports, the rows have the shape of the single list, and a row with a name
    # or a part that changed is among them. The result is None if a key or a name is a list or an
    # object: only a frame of all rows can report it.
    if not isinstance(after, Mapping):
        return difference(before, after)
    lists = _Lists(after)
    for name in ("transactions", "subtransactions", *_NAME_LISTS.values()):
        lists.check(name)
    try:
        ids = _changed_ids(before, after)
        removed, added = (_only(budget, ids) for budget in (before, after))
        return _Lists(removed).transactions(), _Lists(added).transactions()
    except TypeError:  # a list or an object cannot be an element of a set
        return None


def _changed_ids(before: _Row, after: _Row) -> set[Any]:
    """The keys of the transactions that differ between two exports, also in a part or a name."""
    ids = set[Any]()
    for name, key in (("transactions", "id"), ("subtransactions", "transaction_id")):
        ids.update(row.get(key) for rows in difference(before[name], after[name]) for row in rows)
        for entity, listed in _NAME_LISTS.items():
            renamed = _names_in(before, listed).items() ^ _names_in(after, listed).items()
            keys = {changed for changed, _ in renamed}
            if keys:
                field = f"{entity}_id"
                ids.update(row.get(key) for row in after[name] if row.get(field) in keys)
    return ids


def _only(budget: _Row, ids: set[Any]) -> _Row:
    """An export with only some of its transactions."""
    rows = [row for row in budget["transactions"] if row.get("id") in ids]
    parts = [row for row in budget["subtransactions"] if row.get("transaction_id") in ids]
    return {**budget, "transactions": rows, "subtransactions": parts}


def _names_in(budget: _Row, listed: str) -> dict[Any, Any]:
    return {row.get("id"): row.get("name") for row in budget[listed]}


class _Lists(dict[str, list[_Row]]):
    """Lists that are built on first access."""

    def __init__(self, budget: _Row) -> None:
        super().__init__()
        self._budget = budget

    def __missing__(self, name: str) -> list[_Row]:
        build: Callable[[], list[_Row]] = {
            "category_groups": self._groups,
            "months": self._months,
            "transactions": self.transactions,
            "scheduled_transactions": self._scheduled,
        }.get(name, partial(self._rows, name))
        try:
            self[name] = build()
        except TypeError:
            found: list[str] = []
            self._budget = _drop_wrong_keys(self._budget, found)
            if not found:
                raise
            count = number_of(len(found), "key")
            defer_warning(DamagedRows(f"{count} in the export cannot be used (first: {found[0]})"))
            self.clear()  # lists that were built from the other keys
            self[name] = build()
        return self[name]

    def _rows(self, name: str) -> list[_Row]:
        return list(self.check(name))

    def check(self, name: str) -> list[_Row]:
        """The list in the export, if it is a list of objects."""
        if name not in self._budget and name not in _MAY_LACK:
            raise unexpected(name, f"the export has no {name!r}")
        rows: list[_Row] = self._budget.get(name, [])
        if not isinstance(rows, list):
            problem = f"the export has {name}={shown(rows)}, which is not a list"
            raise unexpected(name, problem)
        for position, row in enumerate(rows):
            if not isinstance(row, dict):
                problem = f"element {position} of the list is {shown(row)}, which is not an object"
                raise unexpected(name, problem)
        return rows

    def _groups(self) -> list[_Row]:
        listed = self._rows("category_groups")
        last_rows("category_groups", [[group.get("id") for group in listed]])  # warns
        groups = {group.get("id"): group for group in listed}
        by_group = _grouped_by(self._rows("categories"), "category_group_id")
        kept = {key: rows for key, rows in by_group.items() if key not in groups}
        for group_id in kept:
            unlisted = {"id": group_id, "name": NOT_LISTED, "hidden": False, "deleted": False}
            groups[group_id] = unlisted
        if kept:
            defer_warning(
                f"categories: {sum(map(len, kept.values())):,} rows belong to a group that the"
                f" export does not list (first: category_group_id {shown(next(iter(kept)))})."
                f" They are in the group {NOT_LISTED!r}"
            )
        return [{**group, "categories": by_group[key]} for key, group in groups.items()]

    def _months(self) -> list[_Row]:
        names = {group.get("id"): group.get("name") for group in self._rows("category_groups")}
        months: list[_Row] = []
        for month in self._rows("months"):
            rows = month.get("categories")  # without a list, month_categories is an error
            if isinstance(rows, list):
                rows = [_add_group_name(row, names) for row in rows]
            months.append({**month, "categories": rows})
        return months

    def transactions(self) -> list[_Row]:
        return self._nested("transactions", "subtransactions", "transaction_id")

    def _scheduled(self) -> list[_Row]:
        parts = "scheduled_subtransactions"
        return self._nested("scheduled_transactions", parts, "scheduled_transaction_id")

    def _nested(self, name: str, parts: str, parent: str) -> list[_Row]:
        names = [
            (f"{entity}_id", f"{entity}_name", _names_in(self, listed))
            for entity, listed in _NAME_LISTS.items()
        ]
        by_parent = _grouped_by(self._rows(parts), parent)
        rows = _nested(self._rows(name), by_parent, names)
        if by_parent:  # the parts of a transaction that is not listed have no day
            defer_warning(
                f"{parts}: {sum(map(len, by_parent.values())):,} rows are left out, because the"
                f" export does not list their {parent} (first: {shown(next(iter(by_parent)))})"
            )
        return rows


def _drop_wrong_keys(node: Any, found: list[str]) -> Any:
    """The lists of an export without the keys that are lists or objects, which are described."""
    if isinstance(node, list):
        return [_drop_wrong_keys(child, found) for child in node]
    if not isinstance(node, dict):
        return node
    nested = [name for name, value in node.items() if isinstance(value, list | dict)]
    wrong = [name for name in nested if name == "id" or name.endswith("_id")]
    found += [f"{name}={shown(node[name])}" for name in wrong]
    kept = {name: _drop_wrong_keys(value, found) for name, value in node.items()}
    return kept | dict.fromkeys(wrong)


def _nested(rows: Iterable[_Row], parts: dict[Any, list[_Row]], names: _Names) -> list[_Row]:
    """The rows with their names and parts; parts without a row stay in `parts`."""
    own_parts: dict[Any, list[_Row]] = {}
    nested: list[_Row] = []
    for row in rows:
        key = row.get("id")
        if key in parts:
            own_parts[key] = [_add_names(part, names) for part in parts.pop(key)]
        own = own_parts.get(key, [])
        named = _add_names(row, names)
        if own:
            named["category_name"] = "Split"  # as in the single list
        named["subtransactions"] = own
        nested.append(named)
    return nested


def _add_names(row: _Row, names: _Names) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for key_field, name_field, by_id in names:
        key = row.get(key_field, _ABSENT)
        if key is not _ABSENT:
            named[name_field] = None if key is None else by_id.get(key, NOT_LISTED)
    named.update(row)
    return named


def _add_group_name(category: Any, names: Mapping[Any, Any]) -> Any:
    if not isinstance(category, dict):
        return category
    name = names.get(category.get("category_group_id"), NOT_LISTED)
    return {"category_group_name": name, **category}


def _grouped_by(rows: Iterable[_Row], field: str) -> dict[Any, list[_Row]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row.get(field)].append(row)
    return grouped
