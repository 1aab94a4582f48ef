"""The changes that reverse what was applied, and what they cannot restore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from budgetframe._runtime.text import number_of

from .collector import Collector
from .consequences import finished_plan
from .descriptions import described, without_missing
from .matching import complete, has_values
from .operation import Operation
from .plan import Change, Compared, Plan, Resource
from .refusals import refusal_of, with_lost_category
from .service_state import read_states
from .state import FIELDS, Names, State, wire_row
from .transfers import Simulation

__all__ = ["reversal"]

if TYPE_CHECKING:
    from budgetframe._session.session import Session


async def reversal(session: Session, operation: Operation) -> Compared:
    """The changes that reverse what an operation has done."""
    done = operation.positions("done")
    changes = [operation.changes[position] for position in done]
    state = await read_states(session, changes)
    reverse = Collector(state)
    # A split that was created in place of another one is deleted before that one is created.
    replaced = {
        change.replaces: operation.keys.get(position)
        for position, change in zip(done, changes, strict=True)
        if change.replaces is not None
    }
    for position, change in zip(done, changes, strict=True):
        match change.action:
            case "update":
                side = _lost_side(operation, change, state.names)
                _reverse_update(change, state, reverse, side)
            case "create":
                _reverse_creation(change, operation.keys.get(position), state, reverse)
            case "delete":
                again = _created_again(change, state, replaced.get(change.key or ""))
                reverse.add(again, problem=refusal_of(again, state))
    _keep_replacements_together(reverse)
    booked = [each for each in reverse.changes if each.resource == "transactions"]
    others = [each for each in reverse.changes if each.resource != "transactions"]
    booked += _restored_sides(operation, booked, state)
    plan = finished_plan(state, booked, reverse.conflicts)
    warnings = [*plan.warnings, *_not_restored(operation, [*booked, *others])]
    return Compared(Plan([*plan.changes, *others], plan.conflicts, warnings), state)


def _keep_replacements_together(reverse: Collector) -> None:
    """Make the creation of a row a conflict if the deletion that it follows is one."""
    problems = {each.key: each.problem for each in reverse.conflicts if each.action == "delete"}
    for change in [each for each in reverse.changes if each.replaces in problems]:
        reverse.changes.remove(change)
        reverse.add(change, problem=problems[change.replaces])


def _created_again(change: Change, state: State, replaces: str | None) -> Change:
    """The creation of a deleted row."""
    return described(
        state.names,
        {},
        "create",
        change.resource,
        after=without_missing(change.before),
        replaces=replaces,
    )


def _lost_side(operation: Operation, change: Change, names: Names) -> Change | None:
    """The deleted other side of a changed row that was a transfer, if that side had a category.

    Only the creation of this side restores its category: the service creates the other one.
    """
    target = names.target(change.before.get("payee_id"))
    if target is None or change.resource != "transactions":
        return None
    for each in operation.changes:
        row = each.before
        if (
            each.action == "delete"
            and each.cause is not None
            and row.get("category_id") is not None
            and row["account_id"] == target
            and each.key == change.shown.get("other_side")
        ):
            return each
    return None


def _reverse_update(change: Change, state: State, reverse: Collector, side: Change | None) -> None:
    raw = state.rows.get(change.place)
    row = {} if raw is None else wire_row(raw, change.resource)
    values = replace(
        change, before={name: row.get(name) for name in change.before}, after=change.before
    )
    if raw is None and change.resource != "month_categories":
        reverse.add(values, problem="deleted since then, or created again with another key")
    elif not has_values(row, change.after, state.names) or not (
        side is None or _is_other_side(row, change, side)
    ):
        reverse.add(values, problem="changed since then")
    elif raw is not None and ("subtransactions" in change.after or side is not None):
        deletion = described(
            state.names, raw, "delete", change.resource, key=change.key, before=row
        )
        body = {**row, **change.before, "subtransactions": None}
        deleted = replace(change, before=body) if side is None else side
        again = _created_again(deleted, state, change.key)
        reverse.add(deletion, again, problem=refusal_of(again, state))
    else:
        different = [name for name in change.before if row.get(name) != change.before[name]]
        if different:
            before = {name: row[name] for name in different}
            after = {name: change.before[name] for name in different}
            names = {**change.names, **state.names.of(before, after)}
            values = replace(change, before=before, after=after, names=names)
            values = with_lost_category(values, state)
            reverse.add(values, problem=refusal_of(values, state))


def _is_other_side(row: Mapping[str, Any], change: Change, side: Change) -> bool:
    """Whether nobody has changed a row since it was the other side of a deleted row."""
    former = {**side.before, "amount": -side.before["amount"], **change.after}
    return all(row[name] == former[name] for name in ("date", "amount", "memo"))


def _reverse_creation(change: Change, key: str | None, state: State, reverse: Collector) -> None:
    raw = state.rows.get(key)
    if key is None or raw is None:  # it is gone already
        return
    row = wire_row(raw, change.resource)
    found = described(state.names, raw, "delete", change.resource, key=key, before=row)
    body = complete(change.after, FIELDS[change.resource])
    is_same = has_values(row, body, state.names)
    reverse.add(found, problem="" if is_same else "changed since then")


def _restored_sides(operation: Operation, changes: Sequence[Change], state: State) -> list[Change]:
    """Updates of other sides of transfers that the reverse changes do not restore."""
    simulation = Simulation(state, changes)
    touched = {change.key for change in changes}
    found = []
    for change in operation.changes:
        raw = state.rows.get(change.key)
        if change.cause is None or change.action != "update" or raw is None:
            continue
        row = simulation.rows.get(change.key or "", wire_row(raw, "transactions"))
        if row is None or change.key in touched:
            continue
        after = {name: value for name, value in change.before.items() if row.get(name) != value}
        # The fields that follow from the other side cannot be set here.
        after = {name: value for name, value in after.items() if name == "category_id"}
        if after:
            current = wire_row(raw, "transactions")
            before = {name: current[name] for name in after}
            found.append(
                described(
                    state.names,
                    raw,
                    "update",
                    "transactions",
                    key=change.key,
                    before=before,
                    after=after,
                )
            )
    return found


_CREATED_AGAIN: Sequence[tuple[Resource, str, str]] = (
    ("transactions", "deleted row", ", without import_payee_name and import_id"),
    ("scheduled_transactions", "deleted schedule", ""),
)
"""The lists with rows that are created again, how a row is called, and what it has lost."""


def _not_restored(operation: Operation, changes: Sequence[Change]) -> list[str]:
    """What the reverse changes cannot restore."""
    found = []
    if operation.left:
        left = number_of(len(operation.left), "change was", "changes were")
        found.append(f"{left} not made, and cannot be sent any more after the reverse changes")
    counts = Counter(change.action for change in operation.changes if change.cause is not None)
    if counts["delete"]:
        sides = number_of(
            counts["delete"], "other side of a transfer comes", "other sides of transfers come"
        )
        found.append(
            f"{sides} back under another key, with the state and the memo of the side that is"
            " restored, and without a flag"
        )
    again = Counter(each.resource for each in changes if each.action == "create")
    for resource, name, more in _CREATED_AGAIN:
        if again[resource]:
            rows = number_of(again[resource], f"{name} comes", f"{name}s come")
            found.append(f"{rows} back under another key{more}")
    made = (operation.changes[each] for each in operation.positions("done"))
    imported = sum("import_id" in each.after for each in made if each.action == "create")
    if imported:
        found.append(
            f"the service keeps the import ids of {number_of(imported, 'deleted row')}:"
            " import_rows() lists them in s = imported.skipped, and"
            " bf.changes(s[s['reason'] == 'imported before and deleted']) creates them again"
        )
    return found
