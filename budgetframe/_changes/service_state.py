"""The current rows that changes are about, read from the service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx

from budgetframe._resources import EXPORT, current_month, undeleted
from budgetframe._session.reads import Answer
from budgetframe.errors import ServiceAPIError

from .plan import Change, Resource
from .state import Names, Row, State

if TYPE_CHECKING:
    from budgetframe._session.session import Session


async def read_state(
    session: Session,
    resource: Resource,
    months: Iterable[str] = (),
    names: Names | None = None,
) -> tuple[Answer, State]:
    """Read the current rows of a resource with one request, and the names if they are not fresh."""
    if resource == "month_categories":
        answer, rows = await _read_assigned(session, sorted(set(months)))
        today = session.reads.now().date()
        return answer, State(rows, names or await names_of(session), today)
    answer = await session.read_list(LIST_OF.get(resource, resource), is_new=True)
    return answer, await state_in(session, resource, answer, names)


async def state_in(
    session: Session, resource: Resource, answer: Answer, names: Names | None = None
) -> State:
    """The rows of a resource in an answer; names that are not given cost up to three requests."""
    today = session.reads.now().date()
    if resource in ("transactions", "scheduled_transactions"):
        parts = resource.replace("transactions", "subtransactions")
        listed = session.usable_lists(answer, resource, parts)[resource]
        return State.of(listed, names or await names_of(session), today)
    own = names_in(session, {LIST_OF.get(resource, resource): answer}, {})
    if resource in ("accounts", "payees"):
        listed = session.usable_lists(answer, resource)[resource]
        return State({row["id"]: row for row in undeleted(listed)}, names or own, today)
    groups = session.usable_lists(answer, "categories")["category_groups"]
    rows: dict[str, Row] = {}
    if resource == "category_groups":
        return State({group["id"]: group for group in undeleted(groups)}, names or own, today)
    for group in undeleted(groups):
        for row in undeleted(group.get("categories") or ()):
            rows[row["id"]] = {**row, "category_group_id": group["id"]}
            rows[f"{current_month(today)} {row['id']}"] = {"budgeted": row.get("budgeted")}
    return State(rows, names or await names_of(session, {"categories": groups}), today)


async def fresh_answers(
    session: Session, names: Iterable[str], new: Iterable[str] = ()
) -> dict[str, Answer]:
    """Lists of the budget that are fresh, and some that are read again, with one request at most.

    If several lists must be read, the request is that of the export, which contains all of them.
    Lists cost a request each only if the service does not send the export, or no names in it.
    """
    await session.reads.budget()
    wanted = sorted({*names, *new})
    found: dict[str, Answer] = {}
    for name in {*wanted}.difference(new):
        found |= session.reads.find_fresh_lists({name: ()}) or {}
    missing = [name for name in wanted if name not in found]
    if len(missing) > 1:
        with suppress(ServiceAPIError, httpx.RequestError):  # then, each list tells what is wrong
            export = await session.reads.read_export(is_new=True)
            without = session.reads.lists_without_names(export)
            found |= {name: export for name in missing if name not in without}
    for name in missing:
        if name not in found:
            found[name] = await session.read_list(name, is_new=True)
    return found


async def read_month(session: Session, month: str, *, is_new: bool) -> tuple[State, str, bool]:
    """The assigned amounts of a month with the names of its categories, and its first day.

    The last element says whether an answer was used that is not new. One request is sent at most,
    and one more for the names if the budget does not have the month yet.
    """
    today = session.reads.now().date()
    await session.reads.budget()
    current = current_month(today)
    first = current if month == "current" else month
    found = None if is_new else _fresh_amounts(session, first, is_current=first == current)
    if found is not None:
        return State(*found, today), first, True
    months = session.reads.find_fresh_lists({"months": ()}) if first > current else None
    is_known = not months or first in {row["month"] for row in months["months"].data["months"]}
    try:
        answer = await session.reads.read_item("months", month, is_new=is_new) if is_known else None
    except ServiceAPIError as error:
        if error.status_code != HTTPStatus.NOT_FOUND or first <= current:
            raise
        answer = None
    if answer is None:  # nothing is assigned in a month that the budget does not have yet
        names = names_in(session, await fresh_answers(session, ["categories"]), {})
        return State({}, names, today), first, False
    content = session.usable_lists(answer, "month")["month"]
    first = str(content.get("month"))  # the current month may end before the answer comes
    groups: dict[Any, dict[str, Any]] = {}
    for row in content.get("categories") or ():
        group = {"id": row.get("category_group_id"), "name": row.get("category_group_name")}
        groups.setdefault(group["id"], {**group, "categories": []})["categories"].append(row)
    names = Names([], groups.values(), [])
    return State(assigned_in(session, answer, "month"), names, today), first, not answer.is_new


def _fresh_amounts(
    session: Session, month: str, *, is_current: bool
) -> tuple[dict[str, Row], Names] | None:
    """The assigned amounts in fresh lists, and the names of their categories."""
    export = session.reads.find_fresh_lists({EXPORT: ()})
    if export is not None:
        return _amounts_in(session, export[EXPORT])
    listed = session.reads.find_fresh_lists({"categories": ()}) if is_current else None
    if listed is None:
        return None
    groups = session.usable_lists(listed["categories"], "categories")["category_groups"]
    names = Names([], groups, [])
    return {f"{month} {key}": row for key, row in names.categories.items()}, names


def _amounts_in(session: Session, export: Answer) -> tuple[dict[str, Row], Names]:
    groups = session.usable_lists(export, "categories")["category_groups"]
    return assigned_in(session, export, "month_categories"), Names([], groups, [])


async def read_states(
    session: Session, changes: Iterable[Change], names: Names | None = None
) -> State:
    """Read the current rows that changes are about, with one request for each list."""
    kinds: dict[Any, set[str]] = defaultdict(set)
    for change in changes:
        kinds[change.resource].add(change.month or "")
    state: State | None = None
    for resource, months in kinds.items():
        _, found = await read_state(session, resource, months, names)
        state = (
            found
            if state is None
            else replace(
                found,
                rows={**state.rows, **found.rows},
                other_sides_of_parts={**state.other_sides_of_parts, **found.other_sides_of_parts},
            )
        )
    return state or State({}, Names([], [], []), session.reads.now().date())


async def _read_assigned(
    session: Session, months: list[str]
) -> tuple[Answer, dict[str, Mapping[str, Any]]]:
    """Read the assigned amounts of months: of one month alone, or with the export."""
    answer = await _read_month(session, months[0]) if len(months) == 1 else None
    if answer is not None:
        return answer, assigned_in(session, answer, "month")
    answer = await session.reads.read_export(is_new=True)
    return answer, assigned_in(session, answer, "month_categories")


def assigned_in(session: Session, answer: Answer, table: str) -> dict[str, Mapping[str, Any]]:
    """The assigned amounts in an answer, by month and category."""
    lists = session.usable_lists(answer, table)
    listed = [lists["month"]] if table == "month" else lists["months"]
    return {
        f"{month['month']} {row['id']}": row
        for month in listed
        for row in undeleted(month.get("categories") or ())
    }


async def _read_month(session: Session, month: str) -> Answer | None:
    """Read one month; None if the budget has no such month yet."""
    try:
        return await session.reads.read_item("months", month, is_new=True)
    except ServiceAPIError as error:
        if error.status_code != HTTPStatus.NOT_FOUND:
            raise
        return None


def names_in(
    session: Session, answers: Mapping[str, Answer], stated: Mapping[str, Iterable[Row]]
) -> Names:
    """The names in lists that were read; those of the other lists are stated."""
    found: dict[str, Iterable[Row]] = {}
    for name, key in LISTS_OF_NAMES.items():
        found[name] = stated.get(name, ())
        if name in answers:
            found[name] = session.usable_lists(answers[name], name)[key]
    return Names(**found)


async def names_of(
    session: Session, known: Mapping[str, Iterable[Row]] | None = None, *, is_new: bool = False
) -> Names:
    """The names of accounts, categories and payees.

    A list that is not fresh and that is not known already costs a request.
    """
    found = dict(known or {})
    for name, key in LISTS_OF_NAMES.items():
        if name not in found:
            read = session.reads.read_list(name, is_new=True) if is_new else session.answer_of(name)
            found[name] = session.usable_lists(await read, name)[key]
    return Names(**found)


LIST_OF: Mapping[str, str] = {"category_groups": "categories"}
"""The list that contains the rows of a resource, where it is another one."""

LISTS_OF_NAMES = {"accounts": "accounts", "categories": "category_groups", "payees": "payees"}
"""The lists with the names of keys, and where they are in the export."""
