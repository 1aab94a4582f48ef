"""Reading budgets of many tokens: what one worker does, without knowledge of Dask."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa

from budgetframe._cache.deltas import Meaning, Payload, meaning_of
from budgetframe._cache.merge import merge_under
from budgetframe._client.client import ServiceClient
from budgetframe._client.http_client import new_http
from budgetframe._client.limiter import PUBLISHED_WINDOW, RateLimiter
from budgetframe._client.responses import invalid_response, without_excerpt
from budgetframe._client.retry import Retries
from budgetframe._client.target import Target, path_of
from budgetframe._client.usage import RequestCounter
from budgetframe._milliunits import convert_in_place
from budgetframe._resources import EXPORT, RESOURCES
from budgetframe._runtime.deferred_warnings import collected_warnings, defer_warning
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe._runtime.text import printable
from budgetframe._session.budget_choice import budget_from
from budgetframe._session.export_file import read_export
from budgetframe.errors import ServiceAPIError, ToolError

from .conversion import answer_in, month_of, tables_of
from .export_folder import ExportFile, files_in, newest
from .sources import Access
from .storage import Snapshot

__all__ = [
    "BudgetRead",
    "Known",
    "Listed",
    "ReadTask",
    "Unit",
    "list_budgets",
    "outcome_of",
    "read_budgets",
]

_TIMEOUT = 60.0  # seconds for an answer: an export of 100,000 transactions has 100 MB
_REASON_LENGTH = 300
_WHOLE_AT_ONCE = 6  # whole budgets, each in memory: converting them takes longer than the latency
_STATUSES = {
    HTTPStatus.UNAUTHORIZED: "refused",
    HTTPStatus.FORBIDDEN: "refused",
    HTTPStatus.TOO_MANY_REQUESTS: "limit",
}
_KINDS = 2  # of requests for a budget: for its changes, and for all of it


@dataclass(frozen=True, slots=True)
class Known:
    """A budget to read, and what the lake knows about it."""

    source: str
    budget_id: str
    budget_name: str
    knowledge: int | None = None
    month: str | None = None
    row_count: int = 0
    currency_format: str = "{}"
    """JSON, as in the table ``_state``."""

    as_of: datetime | None = None
    format: str | None = None
    """That of the rows in the lake, as in the table ``_state``."""

    is_current: bool = True
    """Whether the rows have the present format and the present source."""

    verify: bool = True
    """Whether the sums of its transactions must agree with the service's own figures."""

    def cursor(self, now: datetime) -> int | None:
        """The server knowledge since which to request changes; None if all of it must be read.

        The export has the amounts of the current month: in a new month it is read in full. A
        negative knowledge is the version of a file.
        """
        if self.month != month_of(now) or (self.knowledge or 0) <= 0:
            return None
        return self.knowledge


@dataclass(frozen=True, slots=True)
class Listed:
    """A budget of a source; its id is empty if it cannot be read."""

    id: str
    name: str
    status: str = ""
    reason: str = ""
    """Why it cannot be read, with the status."""


@dataclass(frozen=True)
class Unit:
    """The budgets that one worker reads with one token."""

    access: Access
    limiter: RateLimiter
    budgets: Sequence[Known] = ()

    @property
    def most_requests(self) -> int:
        """Number of requests that the worker sends at most."""
        return len(self.budgets) * _KINDS * Retries().attempts


@dataclass(frozen=True)
class ReadTask:
    """What one worker reads: units that share an event loop."""

    units: Sequence[Unit]
    snapshot: Snapshot = field(repr=False)
    concurrency: int
    max_bytes: int
    now: Callable[[], datetime] = field(repr=False)


@dataclass(frozen=True)
class BudgetRead:
    """The result of reading one budget."""

    known: Known
    status: str
    """As in the result of `Lake.sync`; empty if there was no room for the budget."""
    reason: str = ""
    requests: int = 0
    next_attempt: datetime | None = None
    tables: Mapping[str, pa.Table] | None = field(default=None, repr=False)
    """The new rows; None if nothing changed."""

    is_of_token: bool = False
    """Whether the outcome is the same for all budgets of the token."""

    tried_at: datetime | None = None
    """The end of the read; None if nothing was read."""

    @property
    def size(self) -> int:
        """Bytes of the new rows."""
        return sum(table.nbytes for table in (self.tables or {}).values())


def outcome_of(known: Known, error: Exception, now: datetime, requests: int = 0) -> BudgetRead:
    """The result of a read that raised an error."""
    # The lake keeps the text for each budget of the token: it must not name one of them.
    text = _reason(without_excerpt(str(error)))
    wait, status, is_of_token = None, "failed", False
    if isinstance(error, ToolError) and error.retry_after is not None:
        status, wait, is_of_token = "limit", error.retry_after, True
    elif isinstance(error, ServiceAPIError) and error.status_code in _STATUSES:
        status = _STATUSES[HTTPStatus(error.status_code)]
        wait = PUBLISHED_WINDOW if status == "limit" else None
        is_of_token = error.status_code != HTTPStatus.FORBIDDEN
    elif isinstance(error, ServiceAPIError):
        status = "invalid" if error.name == "invalid_response" else "failed"
    elif isinstance(error, httpx.RequestError):
        status = "unreachable"
    elif not isinstance(error, ToolError):  # its message may contain anything
        text = f"unexpected {type(error).__name__}"
    attempt = None if wait is None else now + timedelta(seconds=wait)
    return BudgetRead(known, status, text, requests, attempt, is_of_token=is_of_token, tried_at=now)


def _reason(text: str) -> str:
    return printable(" ".join(text.split()))[:_REASON_LENGTH]


def list_budgets(task: ReadTask) -> list[tuple[list[Listed] | BudgetRead, int]]:
    """Return the budgets of each unit, or its failure; and the number of its requests."""
    return asyncio.run(_list_budgets(task))


def read_budgets(task: ReadTask) -> list[tuple[list[BudgetRead], int]]:
    """Return the results of the budgets of each unit, and the number of its requests."""
    answers = asyncio.run(_read_budgets(task))
    return [(results, sum(each.requests for each in results)) for results in answers]


async def _list_budgets(task: ReadTask) -> list[tuple[list[Listed] | BudgetRead, int]]:
    semaphore = asyncio.Semaphore(task.concurrency)

    async def of_unit(unit: Unit) -> tuple[list[Listed] | BudgetRead, int]:
        reader = _Reader(unit, clients, task)
        answer: list[Listed] | BudgetRead
        async with semaphore:
            try:
                if unit.access.folder is not None:
                    answer = _budgets_of(unit.access.folder)
                else:
                    answer = _budgets_in((await reader.fetch("/budgets")).data)
            except Exception as error:  # noqa: BLE001 - it concerns this token alone
                answer = outcome_of(unit.budgets[0], error, task.now(), reader.requests)
        return answer, reader.requests

    async with _HttpClients(task.concurrency) as clients:
        return [*await asyncio.gather(*map(of_unit, task.units))]


async def _read_budgets(task: ReadTask) -> list[list[BudgetRead]]:
    semaphore, of_whole = asyncio.Semaphore(task.concurrency), asyncio.Semaphore(_WHOLE_AT_ONCE)
    size = 0

    async def of_unit(unit: Unit) -> list[BudgetRead]:
        failed: BudgetRead | None = None  # for the token as a whole
        folder = unit.access.folder
        files = newest(files_in(folder)) if folder is not None else {}

        async def of_budget(known: Known) -> BudgetRead:
            nonlocal failed, size
            is_whole = known.cursor(task.now()) is None
            async with semaphore, of_whole if is_whole else nullcontext():
                if failed is not None:
                    return replace(failed, known=known, requests=0)
                if size > task.max_bytes:
                    return BudgetRead(known, "")
                file = files.get(known.budget_id)
                result = await _Reader(unit, clients, task, file).read(known)
            size += result.size
            if result.is_of_token:
                failed = result
            return result

        return [*await asyncio.gather(*map(of_budget, unit.budgets))]

    async with _HttpClients(task.concurrency) as clients:
        return [*await asyncio.gather(*map(of_unit, task.units))]


def _budgets_of(folder: Path) -> list[Listed]:
    """The budgets in the files of a folder, and the files that cannot be read."""
    files = [*files_in(folder)]
    return [
        *(Listed("", file.budget_name, "failed", file.problem) for file in files if file.problem),
        *(Listed(key, file.budget_name) for key, file in newest(files).items()),
    ]


def _budgets_in(data: dict[str, Any]) -> list[Listed]:
    rows = data.get("budgets")
    if not isinstance(rows, list):
        raise invalid_response(HTTPStatus.OK, "has no list of budgets")
    return [*map(_listed, rows)]


def _listed(row: Any) -> Listed:
    """The budget of a row of the list."""
    try:
        budget = budget_from(row)
    except ServiceAPIError:
        budget = budget_from({**(row if isinstance(row, dict) else {}), "id": ""})
        return Listed("", budget.name, "invalid", "a row of the list of budgets has no id")
    return Listed(budget.id, budget.name)


class _HttpClients(AsyncExitStack):
    """One HTTP client for each address: creating one for each token would take longer."""

    def __init__(self, concurrency: int) -> None:
        super().__init__()
        self._limits = httpx.Limits(max_connections=concurrency)
        self._clients: dict[str, httpx.AsyncClient] = {}

    def of(self, access: Access) -> httpx.AsyncClient:
        if access.base_url not in self._clients:
            http = new_http(access.base_url, timeout=_TIMEOUT, limits=self._limits)
            # A cookie belongs to the person whose token got it.
            http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
            self.push_async_callback(http.aclose)
            self._clients[access.base_url] = http
        return self._clients[access.base_url]


class _Reader:
    """Reads one budget, and counts the requests.

    The answer is converted on the event loop, so that other reads wait for 0.25 s with 2,000
    transactions. With threads, other parsed answers waited in memory, which took a third more.
    """

    def __init__(
        self, unit: Unit, clients: _HttpClients, task: ReadTask, file: ExportFile | None = None
    ) -> None:
        self._unit = unit
        self._file = file
        self._clients = clients
        self._counter = RequestCounter()
        self._task = task
        self._options: dict[str, Any] = {"headers": dict(unit.access.headers)}
        if unit.access.auth is not None:
            self._options["auth"] = unit.access.auth

    @property
    def requests(self) -> int:
        """Number of requests that were sent."""
        return self._counter.total

    async def fetch(self, path: str, cursor: int | None = None) -> Payload:
        """Request an answer, or the changes since a server knowledge."""
        http, limiter = self._clients.of(self._unit.access), self._unit.limiter
        client = ServiceClient(http, limiter, retries=Retries(), counter=self._counter)
        return await client.fetch(Target.of(path, None), self._options, cursor=cursor)

    async def read(self, known: Known) -> BudgetRead:
        """Read the changes of a budget, or all of it if there is no cursor."""
        try:
            with collected_warnings() as warnings:
                tables = await self._tables(known)
        except Exception as error:  # noqa: BLE001 - it concerns this budget alone
            return outcome_of(known, error, self._task.now(), self.requests)
        reason = _reason("; ".join(map(str, warnings)))
        now = self._task.now()
        return BudgetRead(known, "ok", reason, self.requests, tables=tables, tried_at=now)

    async def _tables(self, known: Known) -> Mapping[str, pa.Table] | None:
        if self._unit.access.folder is not None:
            return self._of_file(known)
        path = path_of(RESOURCES[EXPORT].path, budget_id=known.budget_id)
        began = self._task.now()
        cursor = known.cursor(began)
        if cursor is not None:
            payload = await self.fetch(path, cursor)
            try:
                with collected_warnings() as warnings:
                    tables = await self._merged(known, payload, cursor, began)
            except Exception:  # noqa: BLE001, S110 - a full answer repairs every damage
                pass
            else:
                for warning in warnings:
                    defer_warning(warning)
                return tables
            began = self._task.now()
        data, knowledge, has_amounts, date = await self.fetch(path)
        budget = data.get("budget")
        if not isinstance(budget, dict) or budget.get("id") != known.budget_id:
            raise invalid_response(HTTPStatus.OK, "has no whole budget")
        knowledge = knowledge if has_amounts else None
        return self._convert(known, budget, knowledge, (began, date), is_whole=True)

    def _of_file(self, known: Known) -> Mapping[str, pa.Table] | None:
        """The rows of the file of a budget; None if the lake has read this version of it."""
        if self._file is None:
            raise ToolError("the file was removed or changed during the sync: start it again")
        if self._file.version == known.knowledge and known.is_current:
            return None
        export = read_export(self._file.path)
        if export.budget["id"] != known.budget_id:
            raise ToolError(f"{export.path} was replaced during the sync: start it again")
        with paused_gc():
            convert_in_place(export.budget)
        times = export.as_of, export.as_of
        return self._convert(known, export.budget, self._file.version, times, is_whole=True)

    async def _merged(
        self, known: Known, payload: Payload, cursor: int, began: datetime
    ) -> Mapping[str, pa.Table] | None:
        """Merge changes into the stored answer; None if nothing changed."""
        budget = {
            "id": known.budget_id,
            "name": known.budget_name,
            "currency_format": json.loads(known.currency_format),
        }
        # Without the lists: the stored answer is read only if something changed.
        meaning = meaning_of(payload, cursor=cursor, data_key="budget", stored={"budget": budget})
        is_of_month = known.cursor(self._task.now()) == cursor
        if meaning is Meaning.READ_IN_FULL or not is_of_month:
            raise invalid_response(HTTPStatus.OK, "has no changes that can be merged")
        if meaning is Meaning.UNCHANGED and known.is_current:
            return None
        stored = await asyncio.to_thread(answer_in, self._task.snapshot, known.budget_id)
        if meaning is Meaning.UNCHANGED:
            return self._convert(known, stored, cursor, (began, known.as_of))
        with paused_gc():
            key = f"{known.budget_id}:{EXPORT}"
            merged = merge_under(key, {"budget": stored}, payload.data, {})["budget"]
        knowledge = payload.knowledge if meaning is Meaning.MERGE else None
        return self._convert(known, merged, knowledge, (began, payload.date))

    def _convert(
        self,
        known: Known,
        budget: dict[str, Any],
        knowledge: int | None,
        times: tuple[datetime, datetime | None],
        *,
        is_whole: bool = False,
    ) -> dict[str, pa.Table]:
        """Convert a whole budget to the rows of all tables.

        The times are that of the request by the clock of the sync, and that which the response
        states. Without a knowledge, the next read asks for the whole budget again.
        """
        began, date = times
        state = {
            "source": known.source,
            "as_of": date or began,
            "bucket": self._task.snapshot.bucket_of(known.budget_id),
            "knowledge": knowledge,
            "month": month_of(began),
        }
        return tables_of(budget, state, verify=known.verify, is_whole=is_whole)
