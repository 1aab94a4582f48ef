"""Updates and deletions of rows that are given by their keys, without a frame that was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from budgetframe._resources import key_text
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe._session.written import parts_of
from budgetframe.frames.request_bodies import Keys, Rows, check_columns, is_missing, keys_of

from .edits import EditedRow, normal_frame
from .plan import KEYS, WRITABLE, Compared, Resource
from .plan_warnings import finished_plan
from .service_state import names_of, read_state
from .state import Names, Row, State
from .transactions import Comparison, unknown_keys

if TYPE_CHECKING:
    from budgetframe._session.session import Session


_WHOLE_FRAMES = ". bf.changes(frame) takes an edited frame with all its columns"
_ENTITIES = ("account", "payee", "category")
_LISTS = {
    "account": {"accounts"},
    "payee": {"accounts", "payees"},
    "category": {"accounts", "categories"},
    "subtransactions": {"accounts", "categories", "payees"},
}
"""The lists of names that changes need, by the beginnings of their columns."""


async def updates_of(
    session: Session, resource: Resource, rows: Rows
) -> tuple[Compared, list[str]]:
    """The updates of transactions or schedules, and the keys of these."""
    given = _given_rows(resource, rows)
    state = await _present(session, resource)
    edited = _edited_rows(resource, given, state)
    state = await _with_names(session, state, edited)
    currency = session.budget_attrs().get("currency_format")
    comparison = Comparison(state, resource=resource, currency=currency)
    comparison.edit(edited)
    plan = finished_plan(state, comparison.changes, comparison.conflicts, currency=currency)
    return Compared(plan, state), [row.key for row in edited]


async def deletions_of(
    session: Session, resource: Resource, keys: Keys
) -> tuple[Compared, list[str]]:
    """The deletions of transactions or schedules, and the keys of these."""
    chosen = keys_of(keys, KEYS[resource])
    state = await _present(session, resource)
    rows = [state.rows[key] for key in chosen if key in state.rows]
    state = replace(state, names=Names(**Names.stated_by(rows)))
    currency = session.budget_attrs().get("currency_format")
    comparison = Comparison(state, resource=resource, currency=currency)
    comparison.delete(chosen)
    plan = finished_plan(state, comparison.changes, comparison.conflicts, currency=currency)
    return Compared(plan, state), chosen


async def _present(session: Session, resource: Resource) -> State:
    """The present rows, without names."""
    _, state = await read_state(session, resource, names=Names([], [], []))
    return state


async def _with_names(session: Session, state: State, edited: Sequence[EditedRow]) -> State:
    """The state with the names that the changes need, and with those that their rows state."""
    wanted: set[str] = set()
    for row in edited:
        beginnings = {name.partition("_")[0] for name in row.cells}
        beginnings |= {"subtransactions"} if state.sides(row.key) else set()
        wanted.update(*(_LISTS.get(each, ()) for each in beginnings))
    stated = Names.stated_by(state.rows[row.key] for row in edited)
    known = {name: rows for name, rows in stated.items() if name not in wanted}
    names = await names_of(session, known)
    cells = [row.cells for row in edited]
    if any(names.missing({each: row.get(each) for each in _KEYS_OF_NAMES}) for row in cells):
        # Another device may have created them since the lists were read.
        names = await names_of(session, known, is_new=True)
    return replace(state, names=names)


_KEYS_OF_NAMES = [f"{entity}_id" for entity in _ENTITIES]


def _given_rows(resource: Resource, rows: Rows) -> list[Row]:
    """The rows as mappings, with None for empty values and keys as texts."""
    keys = _key_columns(resource)
    given: Iterable[Mapping[Any, Any]]
    if isinstance(rows, pd.DataFrame):
        given = normal_frame(rows, keys).to_dict("records")
    elif isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise refused(f"pass a DataFrame or a list of rows, not {rows!r}")
    else:
        given = rows
    known, found = (*keys, *sorted(WRITABLE[resource])), list[Row]()
    for position, row in enumerate(given):
        where = f"row {position}"
        if not isinstance(row, Mapping):
            raise refused(f"{where} is {row!r}: pass a mapping of fields to values")
        check_columns(row, known, where, advice=_WHOLE_FRAMES)
        cells = {name: _cell(name, value) for name, value in row.items()}
        if all(cells.get(name) is None for name in keys):
            raise refused(f"{where} has no {' or '.join(keys)}")
        found.append(cells)
    if not found:
        raise refused("there are no rows to write")
    return found


def _cell(name: str, value: Any) -> Any:
    """A cell; a key can be a UUID."""
    if is_missing(value):
        return None
    if name == "import_id":
        return str(value)
    return key_text(value) if name.endswith("_id") else value


def _key_columns(resource: Resource) -> tuple[str, ...]:
    return (KEYS[resource], *(["import_id"] if resource == "transactions" else []))


def _edited_rows(resource: Resource, given: Sequence[Row], state: State) -> list[EditedRow]:
    """The rows with their keys; several rows can have the same one."""
    columns = _key_columns(resource)
    keys = [_key_of(row, columns, f"row {at}", state) for at, row in enumerate(given)]
    unknown = [key for key in keys if key not in state.rows]
    if unknown:
        raise unknown_keys(unknown, columns[0])
    found = []
    names: dict[tuple[str, str], Any] = {}
    for key, row in zip(keys, given, strict=True):
        raw = state.rows[key]
        for name, value in row.items():  # a name of the present row does not count later
            if name.endswith("_name") and names.setdefault((key, name), value) != value:
                raise refused(f"two rows with the key {key!r} have different values of {name}")
        has_no_parts = "subtransactions" in row and row["subtransactions"] in (None, [])
        if has_no_parts and parts_of(raw):
            raise refused(
                f"transaction {key!r}: subtransactions cannot be empty, because the service cannot"
                " remove the parts of a split. Leave subtransactions out, or delete the"
                " transaction and create it as one row"
            )
        left = (*columns, *(["subtransactions"] if has_no_parts else []))
        cells = {name: value for name, value in row.items() if name not in left}
        found.append(EditedRow(key, _without_own_names(cells, raw), {**raw, **cells}))
    return found


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
