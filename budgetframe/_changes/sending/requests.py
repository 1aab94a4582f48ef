"""The requests of writes: the only place that sends them, and whether a failed one was made."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from budgetframe._changes.plan import Change
from budgetframe._client.responses import WRITE_ADVICE, invalid_response
from budgetframe._client.target import path_of
from budgetframe._resources import CATEGORY_IN_MONTH, RESOURCES
from budgetframe._runtime.arguments import nothing_sent
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import number_of
from budgetframe.errors import ServiceAPIError, ToolError

if TYPE_CHECKING:
    from budgetframe._session.session import Session


class WriteRequest(NamedTuple):
    """One write that can be sent: nothing in it can be refused before it is sent."""

    method: str
    path: str
    body: Mapping[str, Any] | None


def check_may_write(session: Session) -> None:
    """Raise an error if the connection is read-only."""
    if session.no_writes:
        raise ToolError(f"{session.no_writes}. Nothing was sent")


async def request_of(
    session: Session, method: str, path: str, body: Mapping[str, Any] | None = None, **ids: str
) -> WriteRequest:
    """The write to a path, a template with ids; an id that cannot be sent is an error."""
    budget = await session.reads.budget()
    with nothing_sent():
        return WriteRequest(method, path_of(path, budget_id=budget.id, **ids), body)


async def request_of_row(
    session: Session, method: str, change: Change, body: Mapping[str, Any] | None
) -> WriteRequest:
    """The write of one row, or of its assigned amount in a month; a new row has no key."""
    key, month = change.key or "", change.month
    if month is not None:
        amount = {"category": body}
        return await request_of(session, method, CATEGORY_IN_MONTH, amount, month=month, id=key)
    resource = RESOURCES[change.resource]
    item = None if body is None else {resource.item_key or "": body}
    path, ids = (resource.item_path, {"id": key}) if key else (resource.path, {})
    return await request_of(session, method, path, item, **ids)


async def send(session: Session, request: WriteRequest) -> dict[str, Any]:
    """Send a write, once. No answer that becomes outdated is shown any more."""
    check_may_write(session)
    more = {} if request.body is None else {"json": request.body}
    session.writes += 1
    try:
        return await session.reads.client().write(request.method, request.path, **more)
    except ServiceAPIError as error:
        if not was_refused(error):
            error.add_note(WRITE_ADVICE)
        raise


_UNCERTAIN = (HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
"""Statuses that a service or a proxy may also answer after it has carried out a write."""


def was_refused(error: BaseException) -> bool:
    """Whether a write that ended with this error was certainly not carried out."""
    if isinstance(error, ServiceAPIError):
        is_refusal = HTTPStatus.BAD_REQUEST <= error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
        return is_refusal and error.status_code not in _UNCERTAIN
    return isinstance(error, ToolError)


def unusable_answer(problem: str) -> ServiceAPIError:
    """The error for an answer to a write that may have been carried out."""
    error = invalid_response(200, problem)
    error.add_note(WRITE_ADVICE)
    return error


def check_limit(session: Session, requests: int) -> None:
    """Raise an error if the limit leaves fewer requests than changes need."""
    guard = session.reads.client.guard
    _, used, retry_after = guard.usage()
    left = max(0, guard.threshold - used)
    if left < requests:
        raise ToolError(
            f"the changes need {number_of(requests, 'request')}, but the limit leaves {left:,} of"
            f" {guard.threshold:,}: wait for up to one hour, or write fewer rows. Nothing was sent",
            retry_after=retry_after,
        )


def report_outcome(error: BaseException, outcome: str) -> None:
    """Say what was done before an error: in a note, or in a warning if a call is interrupted."""
    if isinstance(error, asyncio.CancelledError):
        # No note: the caller, who interrupted the call, gets another exception.
        defer_warning(outcome)
    else:
        error.add_note(outcome)
