"""The current rows that changes are about, read from the service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from budgetframe._resources import current_month, undeleted
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
    today = session.reads.now().date()
    wanted = sorted(set(months))
    if resource == "month_categories":
        answer, rows = await _read_assigned(session, wanted)
        return answer, State(rows, names or await names_of(session), today)
    answer = await session.read_list(resource, is_new=True)
    if resource == "categories":
        rows = {}
        groups = session.usable_lists(answer, "categories")["category_groups"]
        month = current_month(today)
        for group in undeleted(groups):
            for row in undeleted(group.get("categories") or ()):
                rows[row["id"]] = {**row, "category_group_id": group["id"]}
                rows[f"{month} {row['id']}"] = row
        return answer, State(rows, names or await names_of(session, {"categories": groups}), today)
    parts = resource.replace("transactions", "subtransactions")
    listed = session.usable_lists(answer, resource, parts)[resource]
    return answer, State.of(listed, names or await names_of(session), today)


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


LISTS_OF_NAMES = {"accounts": "accounts", "categories": "category_groups", "payees": "payees"}
"""The lists with the names of keys, and where they are in the export."""
