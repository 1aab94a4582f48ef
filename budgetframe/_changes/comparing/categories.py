"""Changes of categories and of assigned amounts: in edited frames, assigned, or moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from budgetframe._changes.collector import BaseRows, Collector, changed_since
from budgetframe._changes.plan import Change, Compared, Resource, differs
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._changes.refusals import check
from budgetframe._changes.service_state import read_month
from budgetframe._changes.state import State, wire_row
from budgetframe._resources import current_month
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe.frames.request_bodies import BODIES

from .edits import Edits
from .fields import reference

if TYPE_CHECKING:
    from budgetframe._session.session import Session

READY_NAMES = frozenset({None, "Ready to Assign", "Inflow: Ready to Assign"})
_CATEGORY = BODIES["update_category"].fields
_CATEGORY_FIELDS = {
    "category_name": "name", "note": "note", "goal_target": "goal_target",
    "goal_target_date": "goal_target_date",
}  # fmt: skip


def changed_categories(
    resource: Resource, state: State, base_rows: BaseRows, edits: Edits, *, read_in: str
) -> Collector:
    """The changes of categories, or of their assigned amounts."""
    found = Collector(state, base_rows, resource)
    if resource == "categories":
        _add_categories(found, edits, read_in)
    else:
        _add_assigned(found, edits)
    return found


def _add_categories(found: Collector, edits: Edits, read_in: str) -> None:
    """Add the changes of categories, and of their assigned amounts in the current month."""
    state, month = found.state, current_month(found.state.today)
    for row in edits.changed:
        where = f"category {row.key!r}"
        after = {
            field: None
            if row.cells[name] is None
            else _CATEGORY[field](row.cells[name], f"{where}: {name}")
            for name, field in _CATEGORY_FIELDS.items()
            if name in row.cells
        }
        after |= reference(state.names, "category_group", row.cells, row.row, where)
        if after.get("goal_target", 0) is None:
            after.setdefault("goal_target_date", None)  # the service removes it
        change = found.update(row.key, after)
        if change is not None:
            check(change, state, where)
        if "budgeted" in row.cells:
            if read_in and read_in[:7] != month[:7]:
                raise refused(
                    f"{where}: budgeted is the amount that was assigned in {read_in[:7]}, and the"
                    f" current month is {month[:7]}: read categories() again, or use month()"
                )
            _assign(found, row.key, month, row.cells["budgeted"], where)
    if edits.new:
        advice = "create a category with bf.create_category()"
        raise refused(f"{number_of(len(edits.new), 'row')} without a category_id: {advice}")


def _add_assigned(found: Collector, edits: Edits) -> None:
    """Add the changes of assigned amounts; the key of a row is its month and category."""
    for row in edits.changed:
        month, _, key = row.key.partition(" ")
        name = found.state.names.name("category", key)
        _assign(found, key, month, row.cells["budgeted"], f"category {name!r} in {month[:7]}")
    if edits.new:
        rows = number_of(len(edits.new), "row")
        raise refused(f"{rows} without a month, or without a category_id or category_name")


def _assign(found: Collector, key: str, month: str, amount: Any, where: str) -> None:
    """Add the assigned amount of a row, in currency units."""
    if amount is None:
        raise refused(f"{where}: budgeted cannot be empty")
    key = found.state.names.key_of("category", key, where)
    budgeted = BODIES["month_category"].fields["budgeted"](amount, f"{where}: budgeted")
    add_assigned(found, key, month, budgeted)


def add_assigned(found: Collector, key: str, month: str, budgeted: int) -> None:
    """Add a new assigned amount in milliunits, or a conflict."""
    names = found.state.names
    name = names.name("category", key)
    if names.is_internal(key):
        where = f"category {name!r} in {month[:7]}"
        raise refused(f"{where} belongs to the service: nothing can be assigned to it")
    place = f"{month} {key}"
    raw, base = found.state.rows.get(place), found.base_rows(place)
    before = 0 if raw is None else wire_row(raw, "month_categories")["budgeted"]
    if before == budgeted and not found.sends_all:
        return
    change = Change(
        action="update", resource="month_categories", key=key, month=month,
        before={"budgeted": before}, after={"budgeted": budgeted},
        shown={"date": month, "category_name": name},
    )  # fmt: skip
    found.add(change, problem=changed_since(base, {"budgeted": before}, {}))


# Amounts that are assigned or moved without a frame


async def assignment(
    session: Session, month: str, category: str, milliunits: int, *, is_new: bool
) -> Compared:
    """The change of the amount that is assigned to a category in a month, or in the current one."""
    state, first, known = await read_month(session, month, is_new=is_new)
    if known and not state.names.has("category", category):  # another device may have created it
        state, first, known = await read_month(session, month, is_new=True)
    key = state.names.key_of("category", category, "category")
    place = f"{first} {key}"  # of a category that has no row in a month yet
    sends_all = known or place not in state.rows
    found = Collector(state, resource="month_categories", sends_all=sends_all)
    add_assigned(found, key, first, milliunits)
    if known and not differs(found.changes):
        return await assignment(session, month, category, milliunits, is_new=True)
    return _planned(found, [place])


async def movement(
    session: Session,
    month: str,
    from_: str | None,
    to: str | None,
    milliunits: int,
    **_is_new: bool,
) -> Compared:
    """The changes that move money between two categories in a month, which is always read again."""
    # A category is a key, a name, or a group and a name; None and the names of Ready to Assign mean
    # Ready to Assign.
    state, first, _ = await read_month(session, month, is_new=True)
    found, keys = Collector(state, resource="month_categories"), []
    for argument, end, change in (("from_", from_, -milliunits), ("to", to, milliunits)):
        if end in READY_NAMES:
            continue
        key = state.names.key_of("category", end, argument)
        if not state.names.is_income(key):
            row = state.rows.get(f"{first} {key}", {})
            before = wire_row(row, "month_categories")["budgeted"] or 0
            add_assigned(found, key, first, before + change)
            keys.append(key)
    if len(set(keys)) < max(len(keys), 1):
        raise refused(f"from_={from_!r} and to={to!r} are the same")
    move_together(found)
    return _planned(found, [f"{first} {key}" for key in keys])


def move_together(found: Collector) -> None:
    """Let none of the changed amounts be changed without the others."""
    keys = [str(change.key) for change in found.changes]
    found.changes[:] = [
        replace(change, moved_with=tuple(key for key in keys if key != change.key))
        for change in found.changes
    ]


def _planned(found: Collector, given: Sequence[str]) -> Compared:
    return Compared(finished_plan(found.state, found.changes), found.state, given=given)
