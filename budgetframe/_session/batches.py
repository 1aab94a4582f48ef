"""Writes of many transactions, in requests of at most fifty rows."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from budgetframe._client.responses import invalid_response
from budgetframe.errors import ServiceAPIError, ToolError

from .reads import ReadThrough

__all__ = ["BATCH_ROWS", "write_transactions"]

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
    await reads.budget()  # its request must not reduce what the limit leaves
    starts = range(0, len(bodies), BATCH_ROWS)
    if len(starts) > 1:
        _check_limit(reads, len(bodies), len(starts))
    written: dict[str, Any] = {"transactions": [], "duplicate_import_ids": []}
    for start in starts:
        body = {"transactions": list(bodies[start : start + BATCH_ROWS])}
        try:
            data = _checked(await reads.write(method, "transactions", None, body))
        except asyncio.CancelledError as error:
            # No note: the caller, who interrupted the call, gets another exception.
            if len(starts) > 1:
                warnings.warn(_outcome(error, start, len(bodies)), RuntimeWarning, stacklevel=1)
            raise
        except Exception as error:
            if len(starts) > 1:
                error.add_note(_outcome(error, start, len(bodies)))
            raise
        for name in written:
            written[name] += data.get(name) or ()
    return written


def _checked(data: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(data.get("transactions"), list):
        raise invalid_response(200, "has no list of the written transactions")
    return data


def _check_limit(reads: ReadThrough, rows: int, requests: int) -> None:
    guard = reads.client.guard
    _, used, retry_after = guard.usage()
    left = max(0, guard.threshold - used)
    if left >= requests:
        return
    some = f"write at most {left * BATCH_ROWS:,} rows now, or " if left else ""
    raise ToolError(
        f"{rows:,} rows need {requests:,} requests of {BATCH_ROWS} rows, but the limit leaves"
        f" {left:,} of {guard.threshold:,} requests: {some}wait for up to one hour. Nothing was"
        " sent",
        retry_after=retry_after,
    )


def _outcome(error: BaseException, start: int, count: int) -> str:
    """What happened to the rows, if the request failed that begins at a position."""
    end = min(start + BATCH_ROWS, count)
    sentences = [f"{_rows(0, start)} written" if start else "no row was written before"]
    if isinstance(error, ToolError):
        end = start
    elif isinstance(error, ServiceAPIError) and (
        HTTPStatus.BAD_REQUEST <= error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    ):
        sentences.append(
            f"{_rows(start, end)} refused (an index in the message is one of them,"
            f" counted from row {start})"
        )
    else:
        sentences.append(
            f"{_rows(start, end)} sent, and may have been written: read the"
            " transactions before you write these rows again"
        )
    if end < count:
        sentences.append(f"{_rows(end, count)} not sent")
    return f"Of {count:,} rows: {'; '.join(sentences)}."


def _rows(start: int, end: int) -> str:
    return f"row {start:,} was" if end - start == 1 else f"rows {start:,} to {end - 1:,} were"
