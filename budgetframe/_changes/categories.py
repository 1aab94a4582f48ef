"""Comparison of edited frames of schedules, categories and assigned amounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from budgetframe._runtime.text import number_of
from budgetframe.frames.request_bodies import BODIES

from .collector import BaseRows, Collector, changed_since
from .edits import EditedRow, Edits
from .plan import Change, Plan
from .state import Names, State, current_month, refused, wire_row

__all__ = [
    "assignments_plan",
    "categories_plan",
]

_CATEGORY = BODIES["update_category"].fields
_CATEGORY_FIELDS = {
    "category_name": "name",
    "note": "note",
    "goal_target": "goal_target",
    "goal_target_date": "goal_target_date",
}


def categories_plan(state: State, base_rows: BaseRows, edits: Edits, *, read_in: str) -> Plan:
    """The changes of categories, and of their assigned amounts in the current month."""
    names, month = state.names, current_month(state.today)
    found = Collector(state, base_rows, "categories")
    assigned = Collector(state, base_rows, "month_categories")
    for row in edits.changed:
        where = f"category {row.key!r}"
        after = {
            field: None
            if row.cells[name] is None
            else _CATEGORY[field](row.cells[name], f"{where}: {name}")
            for name, field in _CATEGORY_FIELDS.items()
            if name in row.cells
        }
        after |= _group_of(names, row, where)
        if any(after.get(name, "") is None for name in ("name", "category_group_id")):
            raise refused(f"{where}: its name and its group cannot be empty")
        if after and names.is_internal(row.key):
            raise refused(f"{where} belongs to the service and cannot be changed")
        if names.is_payment(row.key) and {"name", "category_group_id"} & after.keys():
            raise refused(
                f"{where} is the payment category of a card: its name and group cannot be changed"
            )
        found.update(row.key, after, partial(_check_goal, where))
        if "budgeted" in row.cells:
            if read_in and read_in[:7] != month[:7]:
                raise refused(
                    f"{where}: budgeted is the amount that was assigned in {read_in[:7]}, and the"
                    f" current month is {month[:7]}: read categories() again, or use month()"
                )
            _assign(assigned, row.key, month, row.cells["budgeted"], where)
    if edits.new:
        raise refused(
            f"{number_of(len(edits.new), 'row')} without a category_id: create a category with"
            " bf.create_category()"
        )
    return Plan(
        [*found.changes, *assigned.changes],
        [*found.conflicts, *assigned.conflicts],
        _no_undo(found),
    )


def _check_goal(where: str, current: Mapping[str, Any], after: dict[str, Any]) -> None:
    row = {**current, **after}
    if row["goal_target"] is None and current.get("goal_target_date") is not None:
        after.setdefault("goal_target_date", None)  # the service removes it
    if row["goal_target"] is None and after.get("goal_target_date") is not None:
        raise refused(f"{where}: goal_target_date is the day of a target, but goal_target is empty")


def _no_undo(found: Collector) -> list[str]:
    """What the reverse changes cannot restore."""
    goals = [
        change
        for change in found.changes
        if "goal_target" in change.after and change.after["goal_target"] is None
    ]
    if not goals:
        return []
    return ["a removed target may come back with another frequency: the service lists none"]


def _group_of(names: Names, row: EditedRow, where: str) -> dict[str, Any]:
    key, name = row.cells.get("category_group_id"), row.cells.get("category_group_name")
    if key is not None:
        key = names.key_of("category_group", key, where)
        if name is not None and names.name("category_group", key) != name:
            raise refused(
                f"{where}: category_group_id is that of {names.name('category_group', key)!r}, but"
                f" category_group_name={name!r}: change only one of them"
            )
        return {"category_group_id": key}
    if name is not None:
        return {"category_group_id": names.key("category_group", name, where)}
    if {"category_group_id", "category_group_name"} & row.cells.keys():
        return {"category_group_id": None}
    return {}


def assignments_plan(
    state: State, base_rows: Callable[[Any], Mapping[str, Any] | None], edits: Edits
) -> Plan:
    """The changes of assigned amounts; the key of a row is its month and category."""
    found = Collector(state, base_rows, "month_categories")
    for row in edits.changed:
        month, _, key = row.key.partition(" ")
        name = state.names.name("category", key)
        _assign(found, key, month, row.cells["budgeted"], f"category {name!r} in {month[:7]}")
    if edits.new:
        raise refused(
            f"{number_of(len(edits.new), 'row')} without a month, or without a category_id or"
            " category_name"
        )
    return Plan(found.changes, found.conflicts)


def _assign(found: Collector, key: str, month: str, amount: Any, where: str) -> None:
    """Add a new assigned amount, or a conflict."""
    names = found.state.names
    if amount is None:
        raise refused(f"{where}: budgeted cannot be empty")
    key = names.key_of("category", key, where)
    if names.is_internal(key):
        raise refused(f"{where} belongs to the service: nothing can be assigned to it")
    budgeted = BODIES["month_category"].fields["budgeted"](amount, f"{where}: budgeted")
    place = f"{month} {key}"
    raw, base = found.state.rows.get(place), found.base_rows(place)
    before = 0 if raw is None else wire_row(raw, "month_categories")["budgeted"]
    if before == budgeted:
        return
    change = Change(
        action="update",
        resource="month_categories",
        key=key,
        month=month,
        before={"budgeted": before},
        after={"budgeted": budgeted},
        shown={
            "date": month,
            "category_name": names.name("category", key),
        },
    )
    found.add(change, problem=changed_since(base, {"budgeted": before}, {}))
