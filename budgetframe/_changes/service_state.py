"""The current rows that changes are about, read from the service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from budgetframe._resources import undeleted
from budgetframe._session.reads import Answer
from budgetframe.errors import ServiceAPIError

from .plan import Change, Resource
from .state import Names, Row, State, current_month

if TYPE_CHECKING:
    from budgetframe._session.session import Session


async def read_state(
    session: Session,
    resource: Resource,
    months: Iterable[str] = (),
    names: Names | None = None,
) -> tuple[Answer, State]:
    """Read the current rows of a resource with one request, and the names if they are not fresh."""
    today = session.reads.now().date()
    wanted = sorted(set(months))
    if resource == "month_categories":
        answer, rows, problems = await _read_assigned(session, wanted)
        return answer, State(rows, names or await names_of(session), today, damage=problems)
    answer = await session.read_list(resource, is_new=True)
    if resource == "categories":
        rows = {}
        lists, damage = session.usable_lists(answer, "categories")
        month = current_month(today)
        for group in undeleted(lists["category_groups"]):
            for row in undeleted(group.get("categories") or ()):
                rows[row["id"]] = {**row, "category_group_id": group["id"]}
                rows[f"{month} {row['id']}"] = row
        problems = {str(each.row.get("id")): each.problem for each in damage}
        problems |= {f"{month} {key}": problem for key, problem in problems.items()}
        names = names or await names_of(session, {"categories": lists["category_groups"]})
        return answer, State(rows, names, today, damage=problems)
    parts = resource.replace("transactions", "subtransactions")
    lists, damage = session.usable_lists(answer, resource, parts)
    state = State.of(lists[resource], names or await names_of(session), today)
    problems = {str(each.parent.get("id")): each.problem for each in damage}
    return answer, replace(state, damage=problems)


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
                damage={**state.damage, **found.damage},
            )
        )
    return state or State({}, Names([], [], []), session.reads.now().date())


async def _read_assigned(
    session: Session, months: list[str]
) -> tuple[Answer, dict[str, Mapping[str, Any]], dict[str, str]]:
    """Read the assigned amounts of months: of one month alone, or with the export."""
    answer = await _read_month(session, months[0]) if len(months) == 1 else None
    if answer is not None:
        return answer, *assigned_in(session, answer, "month")
    answer = await session.reads.read_export(is_new=True)
    return answer, *assigned_in(session, answer, "month_categories")


def assigned_in(
    session: Session, answer: Answer, table: str
) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """The assigned amounts in an answer, and those that cannot be used, by month and category."""
    lists, damage = session.usable_lists(answer, table)
    listed = [lists["month"]] if table == "month" else lists["months"]
    rows = {
        f"{month['month']} {row['id']}": row
        for month in listed
        for row in undeleted(month.get("categories") or ())
    }
    return rows, {f"{d.parent.get('month')} {d.row.get('id')}": d.problem for d in damage}


async def _read_month(session: Session, month: str) -> Answer | None:
    """Read one month; None if the budget has no such month yet."""
    try:
        return await session.reads.read_item("months", month, is_new=True)
    except ServiceAPIError as error:
        if error.status_code != HTTPStatus.NOT_FOUND:
            raise
        return None


async def names_of(
    session: Session, known: Mapping[str, Iterable[Row]] | None = None, *, is_new: bool = False
) -> Names:
    """The names of accounts, categories and payees.

    A list that is not fresh and that is not known already costs a request.
    """
    found, problems = dict(known or {}), dict[str, str]()
    for name, key in LISTS_OF_NAMES.items():
        if name not in found:
            read = session.reads.read_list(name, is_new=True) if is_new else session.answer_of(name)
            answer = await read
            lists, damage = session.usable_lists(answer, name)
            found[name] = lists[key]
            decisive = (each for each in damage if each.field in _DECISIVE)
            problems |= {str(each.row.get("id")): each.problem for each in decisive}
    names = Names(**found)
    names.damage = problems
    return names


_DECISIVE = ("on_budget", "transfer_payee_id", "transfer_account_id")
"""The fields of accounts and payees that decide what a row means."""


LISTS_OF_NAMES = {"accounts": "accounts", "categories": "category_groups", "payees": "payees"}
"""The lists with the names of keys, and where they are in the export."""
