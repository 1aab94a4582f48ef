"""The fields of the service for the cells of a row: amounts, days, parts, and keys of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgetframe._changes.plan import WRITABLE, Resource
from budgetframe._changes.state import PART_FIELDS, Names, Row
from budgetframe._resources import TRANSFER_PREFIX
from budgetframe._runtime.arguments import refused
from budgetframe._session.names import needs_category
from budgetframe.frames.request_bodies import BODIES, check_parts, parts_to_write

OF_PART = (*PART_FIELDS, "payee_name")  # the fields of a part of a split that can be changed
_ENTITIES = ("account", "payee", "category")
_CANNOT_BE_EMPTY = ("date", "date_next", "frequency", "amount", "cleared", "approved")
_IF_EMPTY = {"account": "give the name of an account"}  # a row cannot be without an account
_PLAIN = (*_CANNOT_BE_EMPTY, "memo", "flag_color", "import_id")
CONVERT: Mapping[str, Callable[[Any, str], Any]] = {
    **BODIES["create_transactions"].fields,
    **BODIES["create_scheduled_transactions"].fields,
}


def fields_of(names: Names, cells: Row, row: Row, where: str) -> dict[str, Any]:
    """The fields of the service for the changed cells of a row."""
    check_filled(cells, where)
    found: dict[str, Any] = {}
    for name in _PLAIN:
        if name not in cells:
            continue
        value = cells[name]
        converted = None if value is None else CONVERT[name](value, f"{where}: {name}")
        found["date" if name == "date_next" else name] = None if converted == "" else converted
    if cells.get("subtransactions") is not None:
        found["subtransactions"] = _new_parts(names, cells["subtransactions"], where)
    for entity in _ENTITIES:
        found |= reference(names, entity, cells, row, where)
    if "subtransactions" in found:
        found.setdefault("category_id", None)
    return found


def new_body(names: Names, resource: Resource, row: Row, where: str) -> dict[str, Any]:
    """The fields of a new row."""
    given = {name: value for name, value in row.items() if value is not None}
    if resource == "scheduled_transactions" and "date" in given:
        given.setdefault("date_next", given["date"])
    writable = {*WRITABLE[resource], *(["import_id"] if resource == "transactions" else [])}
    cells = {name: value for name, value in given.items() if name in writable}
    body = fields_of(names, cells, given, where)
    if resource == "scheduled_transactions":
        body.setdefault("amount", 0)
    return body


def _new_parts(names: Names, parts: Any, where: str) -> list[dict[str, Any]]:
    where = f"{where}: subtransactions"
    check_parts(parts, where)
    found = []
    for number, part in enumerate(parts_to_write(parts, where)):
        cells = {name: value for name, value in part.items() if value is not None}
        fields = fields_of(names, cells, part, f"{where}[{number}]")
        found.append({name: value for name, value in fields.items() if value is not None})
    return found


def reference(names: Names, entity: str, cells: Row, row: Row, where: str) -> dict[str, Any]:
    """The key of an account, a payee, a category or a group, from a changed key or name."""
    column, column_of_name = f"{entity}_id", f"{entity}_name"
    has_name = column_of_name in cells or (
        entity == "category" and "category_group_name" in cells and column not in cells
    )
    if column not in cells and not has_name:
        return {}
    key, name = cells.get(column), cells.get(column_of_name)
    if has_name and column_of_name not in cells:
        name = row.get("category_name")
    group = cells.get("category_group_name") if entity == "category" else None
    if key is not None:
        key = names.key_of(entity, key, where, group=group)
        if name is not None and not names.has_name(entity, key, name):
            raise refused(
                f"{where}: {column} is the key of {names.full_name(entity, key)!r}, and"
                f" {column_of_name} is {name!r}: give only one of them. To write {name!r}, leave"
                f' out {column}, in a frame with rows.drop(columns="{column}"); to keep the key,'
                f" leave out {column_of_name}"
            )
    elif name is not None:
        name = names.without_surplus_blanks(name) if entity == "payee" else name
        near = row.get("category_group_name") if entity == "category" else None
        key = names.key(entity, name, where, group=group, near=near)
        if key is None:  # a payee
            return {"payee_name": _new_payee(name, where)}
    elif group is not None:
        raise refused(needs_category(group, where))
    if entity == "category" and names.is_uncategorized(key):
        key = None
    return {column: key}


def check_filled(cells: Row, where: str) -> None:
    """Check that the changed cells of a row clear nothing that a row must have."""
    # A key or a name that is an empty text is an error too: only None removes a payee or a
    # category.
    for name in _CANNOT_BE_EMPTY:
        if cells.get(name, "") is None:
            raise refused(f"{where}: {name} cannot be empty")
    accounts = [cells[name] for name in ("account_id", "account_name") if name in cells]
    if accounts and all(account is None for account in accounts):
        raise refused(f"{where}: the account cannot be empty")
    for entity in _ENTITIES:
        for name in (f"{entity}_id", f"{entity}_name"):
            if isinstance(cells.get(name), str) and not cells[name].strip():
                advice = _IF_EMPTY.get(entity, f"use None to remove the {entity}")
                raise refused(f"{where}: {name} is empty: {advice}")


def _new_payee(name: str, where: str) -> str:
    if name.startswith(TRANSFER_PREFIX):
        raise refused(
            f"{where}: the budget has no payee {name!r}; the payee of a transfer is in bf.payees()"
        )
    converted: str = CONVERT["payee_name"](name, f"{where}: payee_name")
    return converted
