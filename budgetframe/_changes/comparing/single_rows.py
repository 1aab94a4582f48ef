"""New and changed accounts, payees, category groups and categories, one in each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgetframe._changes.collector import Collector
from budgetframe._changes.plan import KEYS, Compared, Resource, creation_of, differs
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._changes.refusals import check
from budgetframe._changes.service_state import LIST_OF, fresh_answers, names_in, state_in
from budgetframe._changes.state import State
from budgetframe._session.session import Session


async def creation_of_row(
    session: Session, resource: Resource, body: Mapping[str, Any], *, is_new: bool
) -> Compared:
    """The creation of a row with the fields of a body, which can have the name of a group."""
    state, _ = await _state(session, resource, body, is_new=is_new)
    change = creation_of(state.names, resource, _sent(state, resource, body))
    check(change, state, f"{_entity(resource)} {body['name']!r}")
    return Compared(finished_plan(state, [change]), state)


async def update_of_row(
    session: Session, resource: Resource, fields: Mapping[str, Any], given: str, *, is_new: bool
) -> Compared:
    """The update of a row that is given by its key or its name."""
    column = KEYS[resource]
    state, is_new = await _state(session, resource, fields, given, is_new=is_new)
    key = state.names.key_of(column.removesuffix("_id"), given, column)
    found = Collector(state, resource=resource, sends_all=not is_new)
    change = found.update(key, _sent(state, resource, fields))
    if change is not None:
        check(change, state, f"{_entity(resource)} {key!r}")
    if not is_new and not differs(found.changes):
        return await update_of_row(session, resource, fields, given, is_new=True)
    return Compared(finished_plan(state, found.changes), state, given=[key])


def _entity(resource: Resource) -> str:
    return KEYS[resource].removesuffix("_id").replace("_", " ")


async def _state(
    session: Session,
    resource: Resource,
    fields: Mapping[str, Any],
    given: str | None = None,
    *,
    is_new: bool,
) -> tuple[State, bool]:
    """The rows of a resource, and whether they were read again: if one that is given is missing."""
    name, entity = LIST_OF.get(resource, resource), KEYS[resource].removesuffix("_id")
    wanted = {entity: given, "category_group": fields.get("category_group_id")}
    for new in ([name],) if is_new else ([], [name]):
        answer = (await fresh_answers(session, [name], new=new))[name]
        names = names_in(session, {name: answer}, {})
        if all(each is None or names.has(kind, each) for kind, each in wanted.items()):
            break
        if answer.is_new:
            break
    return await state_in(session, resource, answer, names), answer.is_new


def _sent(state: State, resource: Resource, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as they are sent: the key of a named group, and a name without surplus blanks."""
    found, group = dict(fields), "category_group_id"
    if found.get(group) is not None:
        found[group] = state.names.key_of("category_group", found[group], group)
    if found.get("goal_target", 0) is None:
        found.setdefault("goal_target_date", None)  # the service removes it
    if isinstance(found.get("name"), str):
        name = found["name"]
        found["name"] = " ".join(name.split()) if resource == "payees" else name.strip()
    return found
