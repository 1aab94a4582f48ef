"""Writes of many rows, in requests that are sent one after the other."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from budgetframe._client.responses import WRITE_ADVICE, invalid_response
from budgetframe._resources import RESOURCES, is_deleted
from budgetframe.errors import ToolError
from budgetframe.frames.tables import TABLES

from .reads import ReadThrough, WriteRequest, was_refused

__all__ = [
    "BATCH_ROWS",
    "check_limit",
    "report_outcome",
    "update_schedules",
    "write_rows",
    "write_transactions",
]

BATCH_ROWS = 50
"""Rows of one request: the service refuses much larger ones."""


async def write_transactions(
    reads: ReadThrough, method: str, bodies: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Write transactions in one or more requests, and return their answers as one.

    Parameters
    ----------
    reads : ReadThrough
        Sends the requests, one after the other.
    method : str
        POST or PATCH.
    bodies : sequence of dict
        The rows, as the service expects them.

    Raises
    ------
    ToolError
        If the limit does not leave enough requests for all rows. Nothing was sent.
    ServiceAPIError, httpx.RequestError
        If one request fails. If there are several, a note says which rows were written.
    """
    path = RESOURCES["transactions"].path
    requests = [
        await reads.prepare_write(
            method, path, {"transactions": list(bodies[start : start + BATCH_ROWS])}
        )
        for start in range(0, len(bodies), BATCH_ROWS)
    ]
    written: dict[str, Any] = {"transactions": [], "duplicate_import_ids": []}
    answers = await _Batches(reads, "transactions", len(bodies), BATCH_ROWS).send(requests)
    for data in answers:
        for name in written:
            written[name] += data.get(name) or ()
    return written


async def write_rows(
    reads: ReadThrough,
    method: str,
    name: str,
    rows: Sequence[tuple[str | None, Mapping[str, Any] | None]],
) -> list[dict[str, Any]]:
    """Write rows with one request for each row, and return the rows of the answers.

    Deleted rows are returned without the mark of a deleted row. A transaction that was deleted
    together with the other side of its transfer is skipped.

    Parameters
    ----------
    reads : ReadThrough
        Sends the requests, one after the other.
    method : str
        POST, PUT or DELETE.
    name : str
        The resource of the rows.
    rows : sequence of tuple
        Key and body of each row; a new row has no key, and a deletion no body.

    Raises
    ------
    ToolError, ServiceAPIError, httpx.RequestError
        As for `write_transactions`.
    """
    requests = [await reads.prepare_item(method, name, key, body) for key, body in rows]
    answers = await _Batches(reads, name, len(rows)).send(requests)
    written = [answer[RESOURCES[name].item_key or ""] for answer in answers]
    return list(map(_before_deletion, written)) if method == "DELETE" else written


async def update_schedules(
    reads: ReadThrough, bodies: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Update scheduled transactions with `write_rows`.

    The published description requires the account and the next day in each request. If a row lacks
    one, the current list is read, and its value is sent.

    Parameters
    ----------
    reads : ReadThrough
        Reads the current list and sends the requests.
    bodies : sequence of mapping
        The fields that change, with the key of the row.

    Raises
    ------
    ToolError
        Also if a row needs a current value and its schedule is not listed or is completed.
    """
    name, key = "scheduled_transactions", "scheduled_transaction_id"
    known: dict[str, Any] = {}
    if any(not {"account_id", "date"} <= body.keys() for body in bodies):
        answer = await reads.read_list(name, is_new=True)
        with reads.dropped_if_unusable(answer):
            TABLES[name].frame(answer.data)  # raises if a row is not as expected
        known = {row["id"]: row for row in answer.data[name] if not is_deleted(row)}
    rows = []
    for position, body in enumerate(bodies):
        fields = {field: value for field, value in body.items() if field != key}
        current = known.get(body[key], {})
        for field, source in (("account_id", "account_id"), ("date", "date_next")):
            if field not in fields and current.get(source) is None:
                problem = "is completed" if current else f"is not in bf.{name}()"
                raise ToolError(
                    f"row {position}: the schedule {body[key]!r} {problem}; it can only be changed"
                    " with its account_id and date_next. Nothing was sent"
                )
            fields.setdefault(field, current.get(source))
        rows.append((body[key], fields))
    return await write_rows(reads, "PUT", name, rows)


def check_limit(
    reads: ReadThrough, requests: int, need: str, *, action: str = "", rows_of_request: int = 0
) -> None:
    """Check that the limit leaves enough requests for a call.

    Parameters
    ----------
    reads : ReadThrough
        Knows the limit.
    requests : int
        Number of requests that the call will send.
    need : str
        What needs the requests, for the message.
    action : str
        What the call does with its rows, as a verb.
    rows_of_request : int
        Number of rows in one request; 0 if a part of the call is useless.

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
    some = f"{action} at most {rows:,} rows now, or " if rows else ""
    raise ToolError(
        f"{need}, but the limit leaves {left:,} of {guard.threshold:,} requests: {some}wait for up"
        " to one hour. Nothing was sent",
        retry_after=retry_after,
    )


class _Batches:
    """Rows that are written in several requests.

    Parameters
    ----------
    reads : ReadThrough
        Sends the requests.
    name : str
        The resource of the rows.
    count : int
        Number of rows.
    size : int
        Number of rows in one request; with more than one, an answer has a list of rows.
    """

    def __init__(self, reads: ReadThrough, name: str, count: int, size: int = 1) -> None:
        self._reads = reads
        self._name = name
        self._count = count
        self._size = size
        self._key = (name if size > 1 else RESOURCES[name].item_key) or ""

    async def send(self, requests: Sequence[WriteRequest]) -> list[dict[str, Any]]:
        """Send the requests in order and return their answers."""
        if len(requests) > 1:
            of_rows = f" of {self._size} rows" if self._size > 1 else ""
            check_limit(
                self._reads,
                len(requests),
                f"{self._count:,} rows need {len(requests):,} requests{of_rows}",
                action=_verbs(requests[0])[0],
                rows_of_request=self._size,
            )
        answers, deleted = list[dict[str, Any]](), set[str | None]()
        with self._reads.policy.progress.counting(self._count) as advance:
            for number, request in enumerate(requests):
                start = number * self._size
                if request.item_id not in deleted:
                    try:
                        answers.append(self._checked(await self._reads.write(request)))
                    except (Exception, asyncio.CancelledError) as error:
                        if len(requests) > 1:
                            report_outcome(error, self._outcome(error, start, request))
                        raise
                    if request.method == "DELETE":
                        deleted.update(_other_sides(answers[-1]))
                advance(min(self._size, self._count - start))
        return answers

    def _checked(self, data: dict[str, Any]) -> dict[str, Any]:
        """The answer, if it has the written rows."""
        if not isinstance(data.get(self._key), list if self._size > 1 else dict):
            missing = "list of the written transactions" if self._size > 1 else self._key
            error = invalid_response(200, f"has no {missing}")
            error.add_note(WRITE_ADVICE)
            raise error
        return data

    def _outcome(self, error: BaseException, start: int, request: WriteRequest) -> str:
        """What happened to the rows, if the request failed that begins at a position."""
        infinitive, participle = _verbs(request)
        end = min(start + self._size, self._count)
        sentences = [
            f"{_rows(0, start)} {participle}" if start else f"no row was {participle} before"
        ]
        if isinstance(error, ToolError):
            end = start
        elif was_refused(error):
            index = f" (an index in the message is one of them, counted from row {start})"
            sentences.append(f"{_rows(start, end)} refused{index if self._size > 1 else ''}")
        else:
            sentences.append(
                f"{_rows(start, end)} sent, and may have been {participle}: read the"
                f" {self._name.replace('_', ' ')} before you {infinitive} these rows again"
            )
        if end < self._count:
            sentences.append(f"{_rows(end, self._count)} not sent")
        return f"Of {self._count:,} rows: {'; '.join(sentences)}."


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


def _verbs(request: WriteRequest) -> tuple[str, str]:
    return ("delete", "deleted") if request.method == "DELETE" else ("write", "written")


def _rows(start: int, end: int) -> str:
    return f"row {start:,} was" if end - start == 1 else f"rows {start:,} to {end - 1:,} were"


def _before_deletion(row: dict[str, Any]) -> dict[str, Any]:
    return row | {
        "deleted": False,
        "subtransactions": [part | {"deleted": False} for part in _parts(row)],
    }


def _other_sides(data: dict[str, Any]) -> Iterator[str]:
    """The other sides of the transfers of a deleted transaction: they were deleted with it."""
    row = data.get("transaction") or {}
    for each in (row, *_parts(row)):
        if isinstance(each.get("transfer_transaction_id"), str):
            yield each["transfer_transaction_id"]


def _parts(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    parts = row.get("subtransactions")
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
