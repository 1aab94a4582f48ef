"""Completion of a plan: what the service changes in addition, and the warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .descriptions import described, without_missing
from .plan import Change, Plan
from .plan_warnings import warnings_of
from .state import FIELDS, State, refused, wire_row
from .transfers import Simulation

__all__ = [
    "finished_plan",
]


def finished_plan(
    state: State,
    changes: Sequence[Change],
    conflicts: Sequence[Change] = (),
    warnings: Sequence[str] = (),
) -> Plan:
    """The plan with everything that the service changes in addition, and with warnings."""
    changes = _with_main_sides(changes, state)
    simulation = Simulation(state, Plan(changes).in_order())
    by_key = {change.key: change for change in changes if change.key is not None}
    created = {key: number for number, key in enumerate(simulation.created)}
    found: list[Change] = []
    for change in changes:
        cause = simulation.causes.get(change.key or "")
        if change.action == "update":
            found.append(_with_effects(change, simulation, state))
        else:  # the deletion of one side of a transfer deletes the other side
            is_caused = change.action == "delete" and cause is not None
            found.append(replace(change, cause=cause) if is_caused else change)
    for key in simulation.rows:
        if key not in created and key not in by_key:
            found += _caused(key, simulation, state)
    return Plan(found, conflicts, [*warnings, *warnings_of(found, state)])


def _caused(key: str, simulation: Simulation, state: State) -> list[Change]:
    """What the service does to a row that no change names."""
    names, raw = state.names, state.rows.get(key)
    before, row = simulation.before(key), simulation.rows[key]
    cause = simulation.causes.get(key, "")
    if raw is None or before is None:
        body = {name: value for name, value in (row or {}).items() if name != "other_side"}
        change = described(
            names, {}, "create", "transactions", after=without_missing(body), cause=cause
        )
        return [change] if body else []
    if row is None:
        return [
            described(names, raw, "delete", "transactions", key=key, before=before, cause=cause)
        ]
    after = {name: row[name] for name in FIELDS["transactions"] if row[name] != before[name]}
    known = {name: before[name] for name in after}
    change = described(
        names, raw, "update", "transactions", key=key, before=known, after=after, cause=cause
    )
    return [change] if after else []


def _with_main_sides(changes: Sequence[Change], state: State) -> list[Change]:
    """The changes, with the deletion of the side of a transfer that can be restored completely.

    A part of a split can only be restored with its split, and a category only on its own side.
    """
    found: dict[Any, Change] = {}
    for number, given in enumerate(changes):
        change, key, main = given, given.key or "", None
        if change.action == "delete":
            other = state.rows[key].get("transfer_transaction_id") or ""
            main = state.other_sides_of_parts.get(key)
            if main is None and (state.rows.get(other) or {}).get("category_id") is not None:
                main = other
        if main is not None and main in state.rows:
            raw = state.rows[main]
            change = described(
                state.names,
                raw,
                "delete",
                "transactions",
                key=main,
                before=wire_row(raw, "transactions"),
            )
        found.setdefault((change.action, change.key) if change.key else number, change)
    return list(found.values())


def _with_effects(change: Change, simulation: Simulation, state: State) -> Change:
    """An update with the fields of its row that the service changes too."""
    row, before = simulation.rows.get(change.key or ""), simulation.before(change.key or "")
    if row is None or before is None:
        raise refused(
            f"transaction {change.key!r} is changed, but it is deleted with the other side of its"
            " transfer"
        )
    for name, value in change.after.items():
        if name not in ("payee_name", "subtransactions") and row.get(name) != value:
            raise refused(
                f"transaction {change.key!r}: the two sides of a transfer contradict each other:"
                f" {name} is {value!r} here, and would be {row.get(name)!r} because of the other"
                " side"
            )
    if "payee_name" in change.after:
        before = {**before, "payee_id": None}
    more = {
        name: row[name]
        for name in FIELDS["transactions"]
        if row[name] != before[name] and name not in change.after
    }
    if not more:
        return change
    after = {**change.after, **more}
    known = {name: before[name] for name in more}
    return replace(
        change,
        before={**change.before, **known},
        after=after,
        names={**change.names, **state.names.of(known, after)},
    )
