"""Writes of one budget: what may be sent, and whether a write that failed was carried out."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from budgetframe._client.responses import WRITE_ADVICE
from budgetframe._client.target import path_of
from budgetframe._resources import RESOURCES
from budgetframe.errors import ServiceAPIError, ToolError

if TYPE_CHECKING:
    from .reads import ReadThrough


class WriteRequest(NamedTuple):
    """A write whose arguments were checked, so that it can be sent as it is."""

    method: str
    path: str
    body: Mapping[str, Any] | None
    item_id: str | None
    """Key of the row that the write changes; None for a new row."""


class Writes:
    """Sends the writes of one budget."""

    def __init__(self, reads: ReadThrough, no_writes: str = "") -> None:
        self.reads = reads
        self.no_writes = no_writes
        """Why nothing may be written; empty if writes are sent."""
        self.writes = 0
        """The number of writes that were sent."""

    def check_may_write(self) -> None:
        """Raise an error if nothing may be written."""
        if self.no_writes:
            raise ToolError(f"{self.no_writes}. Nothing was sent")

    async def prepare_write(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, **ids: str
    ) -> WriteRequest:
        """Return a write that can be sent; an id that cannot be in a path is a `ToolError`.

        The path is a template; `ids` are the ids in it, besides that of the budget. ``id`` is that
        of the row.
        """
        budget = await self.reads.budget()
        try:
            filled = path_of(path, budget_id=budget.id, **ids)
        except ToolError as error:
            raise ToolError(f"{error}. Nothing was sent") from None
        return WriteRequest(method, filled, body, ids.get("id"))

    async def prepare_item(
        self, method: str, name: str, item_id: str | None, body: Mapping[str, Any] | None
    ) -> WriteRequest:
        """Return the write of one row of a resource; a row without an id is new."""
        resource = RESOURCES[name]
        content = None if body is None else {resource.item_key or "": body}
        if item_id is None:
            return await self.prepare_write(method, resource.path, content)
        return await self.prepare_write(method, resource.item_path or "", content, id=item_id)

    async def write(self, request: WriteRequest) -> dict[str, Any]:
        """Send a write once. The cache no longer shows the answers that it makes outdated."""
        self.check_may_write()
        more = {} if request.body is None else {"json": request.body}
        self.writes += 1
        try:
            return await self.reads.client().write(request.method, request.path, **more)
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
    return was_not_sent(error)


def was_not_sent(error: BaseException) -> bool:
    """Whether a write that ended with this error was not even sent."""
    return isinstance(error, ToolError)
