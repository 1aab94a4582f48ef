"""The changes that reverse what was applied, and what they cannot restore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from budgetframe._changes.collector import Collector
from budgetframe._changes.plan import Change, Compared, creation_of, deletion_of, update_of
from budgetframe._changes.plan_warnings import NOT_DELETED, finished_plan
from budgetframe._changes.refusals import damage_of, refusal_of, with_lost_category
from budgetframe._changes.service_state import read_states
from budgetframe._changes.state import FIELDS, NEVER_EMPTY, Names, State, wire_row
from budgetframe._changes.transfers import Simulation
from budgetframe._runtime.text import number_of
from budgetframe._session.session import Session

from .matching import CATEGORY_DELETED, COUNTERPART_IS_CONFLICT, complete, has_values
from .operation import Operation


async def reversal(session: Session, operation: Operation) -> Compared:
    """The changes that reverse what an operation has done."""
    done = operation.changes_in("done")
    state = await read_states(session, done.values())
    reverse = Collector(state)
    # A split that was created in place of another one is deleted before that one is created.
    replaced = {
        change.replaces: operation.keys.get(position)
        for position, change in done.items()
        if change.replaces is not None
    }
    created = set(operation.keys.values())
    for position, change in done.items():
        match change.action:
            case "update" if change.key in created:
                pass  # a second write of a new row, which is deleted as it is after that
            case "update":
                side = _lost_side(operation, change, state.names)
                _reverse_update(change, state, reverse, side)
            case "create" if change.resource in NOT_DELETED:
                pass
            case "create":
                key = operation.keys.get(position)
                later = [each.after for each in done.values() if each.key == key]
                _reverse_creation(change, key, later, reverse)
            case "delete":
                former = {"replaces": replaced.get(change.key or "")}
                again = creation_of(state.names, change.resource, change.before, **former)
                reverse.add(again, problem=refusal_of(again, state))
    _turn_into_conflicts(reverse, lambda change: damage_of(change, state))
    deletions = {each.key: each.problem for each in reverse.conflicts if each.action == "delete"}
    _turn_into_conflicts(reverse, lambda change: deletions.get(change.replaces or "", ""))
    kept = {each.key for each in reverse.conflicts}
    _turn_into_conflicts(
        reverse, lambda change: COUNTERPART_IS_CONFLICT * (not kept.isdisjoint(change.moved_with))
    )
    booked = [change for change in reverse.changes if change.resource == "transactions"]
    changes = [*reverse.changes, *_restored_sides(operation, booked, state)]
    # Amounts that the budget has had need no warning of their decimals.
    plan = finished_plan(replace(state, currency=None), changes, reverse.conflicts)
    not_undone = [*_not_restored(operation, changes), *plan.not_undone]
    return Compared(replace(plan, not_undone=not_undone), state)


def _turn_into_conflicts(reverse: Collector, problem_of: Callable[[Change], str]) -> None:
    for change in list(reverse.changes):
        if problem := problem_of(change):
            reverse.changes.remove(change)
            reverse.add(change, problem=problem)


def _lost_side(operation: Operation, change: Change, names: Names) -> Change | None:
    """The deleted other side of a changed row that was a transfer, if that side had a category."""
    # Only the creation of this side restores its category: the service creates the other one.
    if change.resource != "transactions" or names.target(change.before.get("payee_id")) is None:
        return None
    for side in operation.changes:
        is_deleted = side.action == "delete" and side.is_side_effect
        if is_deleted and side.key == change.other_side and side.before.get("category_id"):
            return side
    return None


def _reverse_update(change: Change, state: State, reverse: Collector, side: Change | None) -> None:
    raw = state.rows.get(change.place)
    row = {} if raw is None else wire_row(raw, change.resource)
    is_missing_amount = raw is None and change.resource == "month_categories"
    if is_missing_amount:  # nothing is assigned in a month that has no row of the category
        row = {"budgeted": 0}
    before = {name: row.get(name) for name in change.before}
    values = replace(change, before=before, after=change.before)
    if is_missing_amount and change.key not in state.names.categories:
        reverse.add(values, problem=CATEGORY_DELETED)
    elif raw is None and not is_missing_amount:
        reverse.add(values, problem="deleted since then, or created again with another key")
    elif not has_values(row, change.after, state.names) or not (
        side is None or _is_other_side(row, change, side)
    ):
        reverse.add(values, problem="changed since then")
    elif raw is not None and ("subtransactions" in change.after or side is not None):
        deletion = deletion_of(state, change.resource, change.key or "")
        body = {**row, **change.before, "subtransactions": None}
        deleted = replace(change, before=body) if side is None else side
        again = creation_of(state.names, deleted.resource, deleted.before, replaces=change.key)
        reverse.add(deletion, again, problem=refusal_of(again, state))
    else:
        after = {
            name: value
            for name, value in change.before.items()
            if row.get(name) != value and not (value is None and name in NEVER_EMPTY)
        }
        before = {name: row.get(name) for name in after}
        names = {**change.names, **state.names.of(before, after)}
        values = with_lost_category(replace(values, before=before, after=after, names=names), state)
        if after:
            reverse.add(values, problem=refusal_of(values, state))


def _is_other_side(row: Mapping[str, Any], change: Change, side: Change) -> bool:
    """Whether nobody has changed a row since it was the other side of a deleted row."""
    former = {**side.before, "amount": -side.before["amount"], **change.after}
    return all(row[name] == former[name] for name in ("date", "amount", "memo"))


def _reverse_creation(
    change: Change, key: str | None, later: Iterable[Mapping[str, Any]], reverse: Collector
) -> None:
    """Add the deletion of a row that is as it was created, and as `later` writes changed it."""
    raw = reverse.state.rows.get(key)
    if key is None or raw is None:  # it is gone already
        return
    body = complete(change.after, FIELDS[change.resource])
    for fields in later:
        body |= fields
        if "payee_name" in fields:
            del body["payee_id"]
    is_same = has_values(wire_row(raw, change.resource), body, reverse.state.names)
    found = deletion_of(reverse.state, change.resource, key)
    reverse.add(found, problem="" if is_same else "changed since then")


def _restored_sides(operation: Operation, changes: Sequence[Change], state: State) -> list[Change]:
    """The categories of other sides of transfers that the reverse changes do not restore."""
    simulation = Simulation(state, changes)
    touched = {change.key for change in changes}
    found = []
    for change in operation.changes:
        key = change.key or ""
        is_side = change.is_side_effect and change.action == "update" and key not in touched
        if not is_side or key not in state.rows or "category_id" not in change.before:
            continue
        present = wire_row(state.rows[key], "transactions")
        if not has_values(present, change.after, state.names):
            continue  # its cause was not made, or it was changed since then
        row = simulation.rows.get(key, present)
        # The other fields follow from the other side, and cannot be set here.
        after = {"category_id": change.before["category_id"]}
        if row is None or row["category_id"] == after["category_id"]:
            continue
        if state.names.allows_category(row["account_id"], state.names.target(row["payee_id"])):
            found.append(update_of(state, "transactions", key, after))
    return found


def _not_restored(operation: Operation, changes: Sequence[Change]) -> list[str]:
    """What the reverse changes cannot restore."""
    found = []
    if operation.left:
        left = number_of(len(operation.left), "change was", "changes were")
        found.append(f"{left} not made, and cannot be sent any more after the reverse changes")
    deleted = sum(c.action == "delete" and c.is_side_effect for c in operation.changes)
    if deleted:
        text = number_of(deleted, "other side of a transfer comes", "other sides of transfers come")
        found.append(
            f"{text} back under another key, with the state and the memo of the side that is"
            " restored, and without a flag"
        )
    made = operation.changes_in("done").values()
    kept = [each for each in made if each.action == "create" and each.resource in NOT_DELETED]
    if kept:
        shown = ", ".join(repr(each.after["name"]) for each in kept)
        found.append(f"the service deletes no {NOT_DELETED[kept[0].resource]}: {shown} stays")
    again = Counter(change.resource for change in changes if change.action == "create")
    if number := again["transactions"]:
        rows = number_of(number, "deleted row comes", "deleted rows come")
        found.append(f"{rows} back under another key, without import_payee_name and import_id")
    if number := again["scheduled_transactions"]:
        rows = number_of(number, "deleted schedule comes", "deleted schedules come")
        found.append(f"{rows} back under another key")
    imported = sum("import_id" in each.after for each in made if each.action == "create")
    if imported:
        found.append(
            f"the service keeps the import ids of {number_of(imported, 'deleted row')}:"
            " import_rows() lists them in s = imported.skipped, and"
            " bf.changes(s[s['reason'] == 'imported before and deleted']) creates them again"
        )
    return found
