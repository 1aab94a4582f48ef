"""Creation of many rows, in requests that are sent one after the other."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from budgetframe._client.responses import WRITE_ADVICE, invalid_response
from budgetframe._resources import BATCH_ROWS, RESOURCES
from budgetframe.errors import ServiceAPIError, ToolError

from .reads import ReadThrough
from .writes import Writes, was_not_sent, was_refused
from .written import warn_of_unapplied


async def create_rows(
    writes: Writes, name: str, bodies: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Create transactions, several in one request, or schedules, one in each request.

    Parameters
    ----------
    writes : Writes
        Sends the requests, one after the other.
    name : str
        The resource of the rows.
    bodies : sequence of mapping
        The rows, as the service expects them.

    Returns
    -------
    list of dict
        The answers.

    Raises
    ------
    ToolError
        If the limit does not leave enough requests for all rows. Nothing was sent.
    ServiceAPIError, httpx.RequestError
        If one request fails. If there are several, a note says which rows were written.
    """
    reads, count, resource = writes.reads, len(bodies), RESOURCES[name]
    size = BATCH_ROWS if name == "transactions" else 1
    key, shape = (name, list) if size > 1 else (resource.item_key or "", dict)
    requests = [
        await writes.prepare_write(
            "POST", resource.path, {key: bodies[at : at + size] if size > 1 else bodies[at]}
        )
        for at in range(0, count, size)
    ]
    if len(requests) > 1:
        of_rows = f" of {size} rows" if size > 1 else ""
        need = f"{count:,} rows need {len(requests):,} requests{of_rows}"
        check_limit(reads, len(requests), need, rows_of_request=size)
    answers = []
    with reads.policy.progress.counting(count) as advance:
        for start, request in zip(range(0, count, size), requests, strict=True):
            end = min(start + size, count)
            try:
                answer = await writes.write(request)
                if not isinstance(answer.get(key), shape):
                    missing = "list of the written transactions" if size > 1 else key
                    raise unusable_answer(f"has no {missing}")  # noqa: TRY301 - as a lost answer
            except (Exception, asyncio.CancelledError) as error:
                if len(requests) > 1:
                    report_outcome(error, _outcome(error, name, start, end, count))
                raise
            warn_of_unapplied(request.body, answer, reads.currency_format)
            answers.append(answer)
            advance(end - start)
    return answers


def unusable_answer(problem: str) -> ServiceAPIError:
    """The error for an answer to a write that may have been carried out."""
    error = invalid_response(200, problem)
    error.add_note(WRITE_ADVICE)
    return error


def check_limit(reads: ReadThrough, requests: int, need: str, *, rows_of_request: int = 0) -> None:
    """Check that the limit leaves enough requests for a call.

    Parameters
    ----------
    reads : ReadThrough
        Knows the limit.
    requests : int
        Number of requests that the call will send.
    need : str
        What needs the requests, for the message.
    rows_of_request : int
        Number of rows that one request writes; 0 if a part of the call is useless.

    Raises
    ------
    ToolError
        If the limit leaves fewer requests.
    """
    guard = reads.client.guard
    _, used, retry_after = guard.usage()
    left = max(0, guard.threshold - used)
    if left >= requests:
        return
    rows = left * rows_of_request
    some = f"write at most {rows:,} rows now, or " if rows else ""
    raise ToolError(
        f"{need}, but the limit leaves {left:,} of {guard.threshold:,} requests: {some}wait for up"
        " to one hour. Nothing was sent",
        retry_after=retry_after,
    )


def _outcome(error: BaseException, name: str, start: int, end: int, count: int) -> str:
    """What happened to the rows, if the request with those from `start` to `end` failed."""
    sentences = [f"{_rows(0, start)} written" if start else "no row was written before"]
    if was_not_sent(error):
        end = start
    elif was_refused(error):
        index = f" (an index in the message is one of them, counted from row {start})"
        sentences.append(f"{_rows(start, end)} refused{index if name == 'transactions' else ''}")
    else:
        sentences.append(
            f"{_rows(start, end)} sent, and may have been written: read the"
            f" {name.replace('_', ' ')} before you write these rows again"
        )
    if end < count:
        sentences.append(f"{_rows(end, count)} not sent")
    return f"Of {count:,} rows: {'; '.join(sentences)}."


def report_outcome(error: BaseException, outcome: str) -> None:
    """Say what a call has done before it failed: in a note, or in a warning if it is interrupted.

    Parameters
    ----------
    error : BaseException
        The error that ends the call.
    outcome : str
        What was done.
    """
    if isinstance(error, asyncio.CancelledError):
        # No note: the caller, who interrupted the call, gets another exception.
        warnings.warn(outcome, RuntimeWarning, stacklevel=1)
    else:
        error.add_note(outcome)


def _rows(start: int, end: int) -> str:
    return f"row {start:,} was" if end - start == 1 else f"rows {start:,} to {end - 1:,} were"
