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
    session: Session, resource: Resource, months: Iterable[str] = (), names: Names | None = None
) -> tuple[Answer, State]:
    """Read the current rows of a resource with one request, and the names if they are not fresh."""
    if resource != "month_categories":
        answer = await session.read_list(LIST_OF.get(resource, resource), is_new=True)
        return answer, await state_in(session, resource, answer, names)
    chosen = set(months)
    found = await _read_month(session, *chosen, is_new=True) if len(chosen) == 1 else None
    answer = found or await session.reads.read_export(is_new=True)
    rows = _assigned_in(session, answer, "month_categories" if found is None else "month")
    return answer, _state(session, rows, names or await names_of(session))


async def state_in(
    session: Session, resource: Resource, answer: Answer, names: Names | None = None
) -> State:
    """The rows of a resource in an answer; names that are not given cost up to three requests."""
    if resource in ("transactions", "scheduled_transactions"):
        parts = resource.replace("transactions", "subtransactions")
        listed = session.usable_lists(answer, resource, parts)[resource]
        return booked_state(session, listed, names or await names_of(session))
    name = LIST_OF.get(resource, resource)
    listed = session.usable_lists(answer, name)[LISTS_OF_NAMES[name]]
    if resource != "categories":
        found = {row["id"]: row for row in undeleted(listed)}
        return _state(session, found, names or names_in(session, {name: answer}, {}))
    month, rows = current_month(session.reads.now().date()), dict[str, Row]()
    for group in undeleted(listed):
        for row in undeleted(group.get("categories") or ()):
            rows[row["id"]] = {**row, "category_group_id": group["id"]}
            rows[f"{month} {row['id']}"] = {"budgeted": row.get("budgeted")}
    return _state(session, rows, names or await names_of(session, {"categories": listed}))


def _state(session: Session, rows: Mapping[str, Row], names: Names) -> State:
    return State(rows, names, session.reads.now().date(), session.reads.currency_format)


def booked_state(session: Session, rows: Iterable[Row], names: Names) -> State:
    """The state of a list of transactions or schedules."""
    return State.of(rows, names, session.reads.now().date(), session.reads.currency_format)


async def fresh_answers(
    session: Session, names: Iterable[str], new: Iterable[str] = ()
) -> dict[str, Answer]:
    """Fresh lists of the budget, and some that are read again, with one request at most."""
    # If several lists must be read, the request is that of the export, which contains all of them.
    # Lists cost a request each only if the service does not send the export, or no names in it.
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
    """The assigned amounts of a month with the names of its categories, and its first day."""
    # The last element says whether an answer was used that is not new. One request is sent at most,
    # and one more for the names if the budget does not have the month yet.
    today = session.reads.now().date()
    await session.reads.budget()
    current = current_month(today)
    first = current if month == "current" else month
    known = None if is_new else _fresh_amounts(session, first)
    if known is not None:
        return known, first, True
    is_coming, answer = first > current, None
    if is_coming and not any(session.reads.find_fresh_lists({n: ()}) for n in _OF_MONTHS):
        export = await session.reads.read_export(is_new=True)  # it has the names too
        return amounts_in(session, export), first, False
    is_known = not is_new and is_coming and _lacks_month(session, first)
    if not is_known:
        must_exist = first <= current
        answer = await _read_month(session, month, is_new=is_new, must_exist=must_exist)
    if answer is None:  # nothing is assigned in a month that the budget does not have yet
        names = names_in(session, await fresh_answers(session, ["categories"]), {})
        return _state(session, {}, names), first, is_known
    content = session.usable_lists(answer, "month")["month"]
    first = str(content.get("month"))  # the current month may end before the answer comes
    groups: dict[Any, dict[str, Any]] = {}
    for row in content.get("categories") or ():
        group = {"id": row.get("category_group_id"), "name": row.get("category_group_name")}
        groups.setdefault(group["id"], {**group, "categories": []})["categories"].append(row)
    names = Names(categories=groups.values())
    return _state(session, _assigned_in(session, answer, "month"), names), first, not answer.is_new


_OF_MONTHS = ("months", "categories")  # which months there are, and which categories they have


def _lacks_month(session: Session, first: str) -> bool:
    """Whether a fresh list of the months does not have a month."""
    found = session.reads.find_fresh_lists({"months": ()})
    if found is None:
        return False
    listed = session.lists_in(found["months"])["months"]
    return all(row.get("month") != first for row in listed)


def _fresh_amounts(session: Session, month: str) -> State | None:
    """The assigned amounts in fresh lists; None if none is fresh."""
    export = session.reads.find_fresh_lists({EXPORT: ()})
    if export is not None:
        return amounts_in(session, export[EXPORT])
    is_current = month == current_month(session.reads.now().date())
    listed = session.reads.find_fresh_lists({"categories": ()}) if is_current else None
    if listed is None:
        return None
    names = names_in(session, listed, {})
    rows = {f"{month} {key}": row for key, row in names.categories.items()}
    return _state(session, rows, names)


def amounts_in(session: Session, export: Answer) -> State:
    """The assigned amounts in an export, and the names of the categories."""
    names = names_in(session, {"categories": export}, {})
    return _state(session, _assigned_in(session, export, "month_categories"), names)


async def read_states(
    session: Session, changes: Iterable[Change], names: Names | None = None
) -> State:
    """Read the current rows that changes are about, with one request for each list."""
    kinds: dict[Any, set[str]] = defaultdict(set)
    for change in changes:
        kinds[change.resource].add(change.month or "")
    state = _state(session, {}, names or Names())
    for resource, months in kinds.items():
        _, read = await read_state(session, resource, months, names)
        sides = {**state.other_sides_of_parts, **read.other_sides_of_parts}
        state = replace(read, rows={**state.rows, **read.rows}, other_sides_of_parts=sides)
    return state


def _assigned_in(session: Session, answer: Answer, table: str) -> dict[str, Row]:
    """The assigned amounts in an answer, by month and category."""
    lists = session.usable_lists(answer, table)
    listed = [lists["month"]] if table == "month" else lists["months"]
    return {
        f"{month['month']} {row['id']}": row
        for month in listed
        for row in undeleted(month.get("categories") or ())
    }


async def _read_month(
    session: Session, month: str, *, is_new: bool, must_exist: bool = False
) -> Answer | None:
    """Read one month; None if the budget has no such month yet."""
    try:
        return await session.reads.read_item("months", month, is_new=is_new)
    except ServiceAPIError as error:
        if must_exist or error.status_code != HTTPStatus.NOT_FOUND:
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


async def names_of(session: Session, known: Mapping[str, Iterable[Row]] | None = None) -> Names:
    """The names of all three lists; each that is neither known nor fresh costs a request."""
    known = known or {}
    missing = [name for name in LISTS_OF_NAMES if name not in known]
    return names_in(session, {name: await session.answer_of(name) for name in missing}, known)


LIST_OF: Mapping[str, str] = {"category_groups": "categories"}
"""The list that contains the rows of a resource, where it is another one."""

LISTS_OF_NAMES = {"accounts": "accounts", "categories": "category_groups", "payees": "payees"}
"""The lists with the names of keys, and where they are in the export."""
