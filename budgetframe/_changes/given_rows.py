"""Updates and deletions of rows that are given by their keys, without a frame that was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from budgetframe._runtime.text import number_of
from budgetframe._session.session import Session
from budgetframe.errors import ToolError
from budgetframe.frames.request_bodies import Keys, Rows, keys_of

from .apply import Application
from .consequences import finished_plan
from .edits import EditedRow, Edits, is_missing, normal_frame
from .frame_kinds import SCHEDULE_COLUMNS, WRITABLE
from .plan import KEYS, Compared, Resource
from .schedules import schedules_plan
from .service_state import names_of, read_state
from .state import Names, Row, State, refused
from .transactions import Comparison, unknown_keys

__all__ = ["delete_rows", "update_rows"]


_WRITABLE: Mapping[Resource, frozenset[str]] = {
    "transactions": WRITABLE,
    "scheduled_transactions": SCHEDULE_COLUMNS,
}
_ENTITIES = ("account", "payee", "category")
_REFERENCES = (*_ENTITIES, "subtransactions")
"""The beginnings of the fields that need the lists of names; updates of transfers need them too."""


async def update_rows(session: Session, resource: Resource, rows: Rows) -> list[Row]:
    """Update transactions or schedules, and return their rows as they are now."""
    given = _given_rows(resource, rows)
    state = await _present(session, resource)
    edited = _edited_rows(resource, given, state)
    needs_names = any(
        state.sides(row.key) or any(name.startswith(_REFERENCES) for name in row.cells)
        for row in edited
    )
    state = await _with_names(session, state, [row.key for row in edited], needed=needs_names)
    if needs_names and not all(_are_listed(row.cells, state.names) for row in edited):
        # Another device may have created them since the lists were read.
        state = replace(state, names=await names_of(session, is_new=True))
    if resource == "transactions":
        comparison = Comparison(state, lambda _: None)
        comparison.edit(Edits(edited, [], []), pd.DataFrame())
        plan = finished_plan(state, comparison.changes, comparison.conflicts)
    else:
        plan = schedules_plan(state, lambda _: None, Edits(edited, [], []), [])
    application = await _applied(session, Compared(plan, state))
    keys = dict.fromkeys(row.key for row in edited)
    if any(change.cause is not None and change.key in keys for change in plan.changes):
        # The service has changed the other side of a transfer, which is given too.
        _, state = await read_state(session, resource, names=state.names)
    found = {**state.rows, **application.written}
    return [found[key] for key in keys if key in found]


async def delete_rows(session: Session, resource: Resource, keys: Keys) -> list[Row]:
    """Delete transactions or schedules, and return their rows as they were."""
    chosen = keys_of(keys, KEYS[resource])
    state = await _with_names(session, await _present(session, resource), chosen, needed=False)
    if resource == "transactions":
        comparison = Comparison(state, lambda _: None)
        comparison.delete(chosen)
        plan = finished_plan(state, comparison.changes, comparison.conflicts)
    else:
        plan = schedules_plan(state, lambda _: None, None, chosen)
    await _applied(session, Compared(plan, state))
    return [state.rows[key] for key in chosen]


async def _present(session: Session, resource: Resource) -> State:
    """The present rows, without names."""
    _, state = await read_state(session, resource, names=Names([], [], []))
    return state


async def _with_names(
    session: Session, state: State, keys: Sequence[str], *, needed: bool
) -> State:
    """The state with the names of the budget, or only with those that these rows state."""
    rows = [state.rows[key] for key in keys if key in state.rows]
    return replace(state, names=await names_of(session) if needed else Names.of_rows(rows))


def _given_rows(resource: Resource, rows: Rows) -> list[Row]:
    """The rows as mappings, with None for empty values."""
    keys = _key_columns(resource)
    given: Iterable[Mapping[Any, Any]]
    if isinstance(rows, pd.DataFrame):
        given = normal_frame(rows, keys).to_dict("records")
    elif isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise refused(f"pass a DataFrame or a list of rows, not {rows!r}")
    else:
        given = rows
    known, found = (*keys, *sorted(_WRITABLE[resource])), list[Row]()
    for position, row in enumerate(given):
        where = f"row {position}"
        if not isinstance(row, Mapping):
            raise refused(f"{where} is {row!r}: pass a mapping of fields to values")
        unknown = [str(name) for name in row if name not in known]
        if unknown:
            raise refused(
                f"{where}: {', '.join(unknown)} cannot be written; these can: {', '.join(known)}"
            )
        cells = {name: None if is_missing(value) else value for name, value in row.items()}
        if all(cells.get(name) is None for name in keys):
            raise refused(f"{where} has no {' or '.join(keys)}")
        found.append(cells)
    if not found:
        raise refused("there are no rows to write")
    return found


def _key_columns(resource: Resource) -> tuple[str, ...]:
    return (KEYS[resource], *(["import_id"] if resource == "transactions" else []))


def _edited_rows(resource: Resource, given: Sequence[Row], state: State) -> list[EditedRow]:
    """The rows with their keys; rows of one key become one row."""
    columns = _key_columns(resource)
    keys = [_key_of(row, columns, f"row {at}", state) for at, row in enumerate(given)]
    unknown = [key for key in keys if key not in state.rows]
    if unknown:
        raise unknown_keys(unknown, columns[0])
    found: dict[str, dict[str, Any]] = {}
    for key, row in zip(keys, given, strict=True):
        cells = found.setdefault(key, {})
        for name, value in row.items():
            if name not in columns and cells.setdefault(name, value) != value:
                raise refused(f"two rows with the key {key!r} have different values of {name}")
    return [
        EditedRow(key, _without_own_names(cells, state.rows[key]), {**state.rows[key], **cells})
        for key, cells in found.items()
    ]


def _without_own_names(cells: Row, raw: Row) -> Row:
    """The cells; of a name and a key, only the one that differs from the present row counts."""
    found = dict(cells)
    for entity in _ENTITIES:
        name, key = f"{entity}_name", f"{entity}_id"
        if name not in found or (entity == "category" and "category_group_name" in found):
            continue
        if found[name] == raw.get(name):
            del found[name]
        elif key in found and found[key] == raw.get(key):
            del found[key]
    return found


def _are_listed(cells: Row, names: Names) -> bool:
    """Whether the budget has the accounts, payees and categories that a row has in its keys."""
    keys = {entity: cells.get(f"{entity}_id") for entity in _ENTITIES}
    return all(key is None or names.lists(entity, key) for entity, key in keys.items())


def _key_of(row: Row, columns: Sequence[str], where: str, state: State) -> str:
    key, import_id = row.get(columns[0]), row.get("import_id")
    if import_id is None:
        return str(key)
    keys = [each for each, raw in state.rows.items() if raw.get("import_id") == import_id]
    if key is not None and key not in keys:
        raise refused(f"{where}: import_id={import_id!r} cannot be given to a row that exists")
    if key is None and len(keys) != 1:
        raise refused(f"{where}: {number_of(len(keys), 'row has', 'rows have')} this import_id")
    return str(key or keys[0])


async def _applied(session: Session, compared: Compared) -> Application:
    """Send changes; everything that was not made is an error."""
    application = Application(session, compared)
    await application.apply()
    conflicts = application.conflicts
    if conflicts:
        total, first = number_of(len(application.operation.changes), "change"), conflicts[0]
        outcome = (
            f"of {total}, {number_of(len(conflicts), 'was', 'were')} not made (first:"
            f" {KEYS[first.resource]} {first.key!r}: {first.problem})"
        )
        if application.refusal is not None:
            application.refusal.add_note(f"O{outcome[1:]}.")
            raise application.refusal
        raise ToolError(outcome)
    return application
