"""New, updated and deleted rows that are given as such, without a frame that was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from budgetframe._changes.plan import KEYS, WRITABLE, Compared, Resource, differs
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._changes.service_state import (
    LISTS_OF_NAMES,
    fresh_answers,
    names_in,
    read_state,
    state_in,
)
from budgetframe._changes.state import Names, Row, State
from budgetframe._resources import TRANSFER_PREFIX
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe._session.names import LISTS
from budgetframe._session.written import parts_of
from budgetframe.errors import ToolError
from budgetframe.frames.request_bodies import (
    BODIES,
    Body,
    Keys,
    Rows,
    check_cells,
    keys_of,
    parts_to_write,
    rows_to_write,
    without_keys,
)

from .edits import EditedRow, normal_frame
from .fields import CONVERT, check_filled
from .transactions import NOUNS, Comparison, unknown_keys

if TYPE_CHECKING:
    from budgetframe._session.reads import Answer
    from budgetframe._session.session import Session


_WHOLE_FRAMES = ". bf.changes(frame) takes an edited frame with all its columns"
_ENTITIES = ("account", "payee", "category")
_LISTS = {
    "account": {"accounts"}, "payee": {"accounts", "payees"},
    "category": {"accounts", "categories"}, "subtransactions": {"accounts", "categories", "payees"},
}  # fmt: skip
"""The lists of names that changes need, by the beginnings of their columns."""


def rows_to_create(resource: Resource, rows: Rows) -> list[dict[str, Any]]:
    """New rows that are checked as far as this needs no lists of the budget."""
    given = without_keys(rows_to_write(rows))
    for position, row in enumerate(given):
        check_cells(row, BODIES[f"create_{resource}"], f"row {position}")
    return given


def converted_rows(resource: Resource, rows: Iterable[Row]) -> list[Any]:
    """New rows in one form, whatever form their days, amounts and empty cells have."""
    return [_converted(row, BODIES[f"create_{resource}"].fields) for row in rows]


def _converted(row: Row, fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The cells of a row as the service writes them, sorted by their columns."""
    found = []
    for name in sorted(fields.keys() & row.keys()):
        value = row[name]
        if name == "subtransactions" and value is not None:
            found.append((name, [_converted(part, fields) for part in parts_to_write(value, name)]))
        elif value is not None:
            found.append((name, fields[name](value, name)))
    return found


async def creations_of(
    session: Session, resource: Resource, given: Sequence[Row], *, is_new: bool
) -> Compared:
    """The creations of transactions or schedules."""
    # The present rows must be known: without them, nobody can tell which rows a request without an
    # answer has made. With `is_new`, they are read again.
    lists = (resource, "accounts", *_lists_of(given))
    answers = await fresh_answers(session, lists, new=[resource] if is_new else [])
    names = await _names_of_rows(session, answers, {}, given)
    state = await state_in(session, resource, answers[resource], names)
    comparison = Comparison(state, resource=resource)
    comparison.create(given)
    return _compared(state, comparison)


async def updates_of(
    session: Session, resource: Resource, given: Sequence[Row], *, is_new: bool
) -> Compared:
    """The updates of transactions or schedules."""
    # Without `is_new`, the present rows can be those of an answer that is fresh. Then, all given
    # fields are sent, because another device may have changed them since.
    wanted: list[str] = [resource]
    if not is_new and session.reads.find_fresh_lists({resource: ()}) is None:
        wanted += LISTS_OF_NAMES  # one request has all of them, if others are not fresh either
    answer = (await fresh_answers(session, wanted, new=[resource] if is_new else []))[resource]
    state = await state_in(session, resource, answer, Names())
    if not answer.is_new and any(row.get(KEYS[resource]) not in state.rows for row in given):
        answer, state = await read_state(session, resource, names=state.names)
    sends_all = not answer.is_new
    edited = _edited_rows(resource, given, state, keeps_names=sends_all)
    state = await _with_names(session, state, edited)
    comparison = Comparison(state, resource=resource, sends_all=sends_all)
    try:
        comparison.edit(edited)
    except ToolError:  # another device may have changed the row that breaks a rule
        if not sends_all or _lists_that_lack(state.names, given):
            raise
        return await updates_of(session, resource, given, is_new=True)
    if sends_all and not differs(comparison.changes):
        return await updates_of(session, resource, given, is_new=True)
    return _compared(state, comparison, [row.key for row in edited])


def keys_to_delete(resource: Resource, keys: Keys) -> list[str]:
    """The keys of transactions or schedules, which are checked."""
    return keys_of(keys, KEYS[resource])


async def deletions_of(
    session: Session, resource: Resource, chosen: Sequence[str], *, is_new: bool
) -> Compared:
    """The deletions of transactions or schedules."""
    answer = (await fresh_answers(session, [resource], new=[resource] if is_new else []))[resource]
    state = await state_in(session, resource, answer, Names())
    sides = (side for key in chosen for side in state.sides(key))
    rows = [state.rows[key] for key in dict.fromkeys([*chosen, *sides]) if key in state.rows]
    state = replace(state, names=Names(**Names.stated_by(rows)))
    comparison = Comparison(state, resource=resource)
    comparison.delete(chosen, {})
    return _compared(state, comparison, chosen)


def _compared(state: State, comparison: Comparison, given: Sequence[str] = ()) -> Compared:
    plan = finished_plan(state, comparison.changes, comparison.conflicts)
    return Compared(plan, state, given=list(dict.fromkeys(given)))


async def _with_names(session: Session, state: State, edited: Sequence[EditedRow]) -> State:
    """The state with the names that the changes need, and with those that their rows state."""
    cells = [row.cells for row in edited]
    wanted = _lists_of(cells)
    if any(state.sides(row.key) for row in edited):
        wanted = set(LISTS_OF_NAMES)
    answers = await fresh_answers(session, wanted)
    stated = Names.stated_by(state.rows[row.key] for row in edited)
    return replace(state, names=await _names_of_rows(session, answers, stated, cells))


def _lists_of(rows: Iterable[Row]) -> set[str]:
    """The lists of names that the columns of rows need."""
    beginnings = {name.partition("_")[0] for row in rows for name in row if row[name] is not None}
    return {name for each in beginnings for name in _LISTS.get(each, ())}


async def _names_of_rows(
    session: Session,
    answers: dict[str, Answer],
    stated: Mapping[str, Iterable[Row]],
    rows: Sequence[Row],
) -> Names:
    """The names in answers and those that are stated; a list that lacks one is read again."""
    names = _names_in(session, answers, stated)
    lacking = _lists_that_lack(names, rows)
    outdated = [name for name in lacking if name in answers and not answers[name].is_new]
    if not outdated:
        return names
    # Another device may have created them since the lists were read.
    answers |= await fresh_answers(session, outdated, new=outdated)
    return _names_in(session, answers, stated)


def _lists_that_lack(names: Names, rows: Iterable[Row]) -> set[str]:
    return {
        LISTS[entity]
        for given in rows
        for row in (given, *(given.get("subtransactions") or ()))
        for entity in _ENTITIES
        for column in (f"{entity}_id", f"{entity}_name")
        if _is_lacking(names, entity, column, row.get(column))
    }


def _names_in(
    session: Session, answers: Mapping[str, Answer], stated: Mapping[str, Iterable[Row]]
) -> Names:
    names = names_in(session, answers, stated)
    names.has_new_payees = "payees" not in answers or answers["payees"].is_new
    return names


def _is_lacking(names: Names, entity: str, column: str, given: object) -> bool:
    """Whether no list has a key or a name; the service creates an unknown payee."""
    if not isinstance(given, str) or names.has(entity, given):
        return False
    return column != "payee_name" or given.startswith(TRANSFER_PREFIX)


def _key_columns(resource: Resource) -> tuple[str, ...]:
    return (KEYS[resource], *(["import_id"] if resource == "transactions" else []))


def rows_to_update(resource: Resource, rows: Rows, call: str = "") -> list[dict[str, Any]]:
    """The rows to update, with None for empty values and keys as texts."""
    # They are checked as far as this needs no lists of the budget. Messages name the call that
    # updates one row, or the number of the row.
    keys = _key_columns(resource)
    if isinstance(rows, pd.DataFrame):
        rows = normal_frame(rows, keys)
    found = rows_to_write(rows)
    fields = {name: CONVERT[name] for name in sorted(WRITABLE[resource])}
    body = Body(fields, ignored=frozenset(keys))
    for position, row in enumerate(found):
        where, key = call or f"row {position}", row.get(keys[0])
        check_filled(row, where if key is None else f"{NOUNS[resource]} {key!r}")
        check_cells(row, body, where, advice="" if call else _WHOLE_FRAMES)
        if all(row.get(name) is None for name in keys):
            raise refused(f"{where} has no {' or '.join(keys)}")
    return found


def _edited_rows(
    resource: Resource, given: Sequence[Row], state: State, *, keeps_names: bool
) -> list[EditedRow]:
    """The rows with their keys; several rows can have the same one."""
    # Of a name and a key, only the one counts that differs from the present row, unless names are
    # kept.
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
        own = cells if keeps_names else _without_own_names(cells, raw)
        found.append(EditedRow(key, own, {**raw, **cells}))
    return found


def _without_own_names(cells: Row, raw: Row) -> Row:
    """The cells without names or keys that the present row has."""
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
