"""Reading the budgets of a token: what one process does, without knowledge of Dask."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from weakref import WeakValueDictionary

import httpx
import pyarrow as pa

from budgetframe._cache.deltas import Meaning, Payload, meaning_of
from budgetframe._cache.merge import merge_under
from budgetframe._client.http_client import new_http
from budgetframe._client.limiter import PUBLISHED_WINDOW, RateLimiter
from budgetframe._client.responses import invalid_response, without_excerpt
from budgetframe._client.retry import Retries
from budgetframe._client.service_clock import ServiceClock
from budgetframe._client.spelling import ConnectionClient
from budgetframe._client.target import Target, path_of
from budgetframe._client.usage import RequestCounter
from budgetframe._milliunits import convert_in_place
from budgetframe._resources import EXPORT, RESOURCES, current_month, undeleted
from budgetframe._runtime.deferred_warnings import collected_warnings, defer_warning
from budgetframe._runtime.event_loop import BackgroundLoop
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe._runtime.processes import STATE as PROCESS_STATE
from budgetframe._runtime.progress import Progress
from budgetframe._runtime.text import printable
from budgetframe._session.budget_choice import budget_from, no_budget
from budgetframe.errors import ServiceAPIError, ToolError

from .conversion import answer_in, tables_of
from .export_folder import ExportFile, files_in, newest, read_file
from .sources import Access
from .storage import Snapshot

# Seconds in which an answer begins and continues; a whole one has four times as long. The published
# service ends a request after 30 s. An export of 100,000 transactions has 100 MB: 7 Mbit/s.
_TIMEOUT = 30.0
# The longest time from the computation of amounts to the `Date` of their answer.
_LONGEST_ANSWER = timedelta(seconds=30)
_REASON_LENGTH = 300
_MAX_READ = 16_000_000  # bytes of rows that a process holds before it begins no more reads
_WHOLE_AT_ONCE = 6  # whole budgets, each in memory: converting them takes longer than the latency
_WHOLE_OF_TASK = 2  # at least: the others of a slow token need not wait for each other
_STATUSES = {
    HTTPStatus.UNAUTHORIZED: "refused",
    HTTPStatus.FORBIDDEN: "refused",
    HTTPStatus.TOO_MANY_REQUESTS: "limit",
}
_KINDS = 2  # of requests for a budget: for its changes, and for all of it


@dataclass(frozen=True, slots=True)
class Known:
    """A budget to read, and what the lake knows about it; without an id, a list of budgets."""

    source: str
    budget_id: str
    budget_name: str
    knowledge: int | None = None
    month: str | None = None
    row_count: int = 0
    currency_format: str = "{}"  # JSON, as in the table ``_state``

    as_of: datetime | None = None
    format: str | None = None  # that of the rows in the lake, as in the table ``_state``

    is_current: bool = True  # whether the rows have the present format and the present source

    verify: bool = True  # whether the sums of its rows must agree with the service's own figures

    def cursor(self, now: datetime) -> int | None:
        """The server knowledge since which to request changes; None if all of it must be read."""
        # The export has the amounts of the current month: in a new month it is read in full. A
        # negative knowledge is the version of a file. A clock that is behind makes no difference.
        if (self.month or "") < current_month(now) or (self.knowledge or 0) <= 0:
            return None
        return self.knowledge


@dataclass(frozen=True, slots=True)
class Listed:
    """A budget of a source; its id is empty if it cannot be read."""

    id: str
    name: str
    status: str = ""
    reason: str = ""  # why it cannot be read, with the status
    as_of: datetime | None = None  # of a file


@dataclass(frozen=True)
class ReadTask:
    """Budgets that are read with one token."""

    access: Access
    limiter: RateLimiter
    budgets: Sequence[Known]
    at_once: int  # number of reads under way at once
    concurrency: int  # the same of the whole process, which holds `_MAX_READ` bytes of rows
    snapshot: Snapshot = field(repr=False)
    now: Callable[[], datetime] = field(repr=False)

    @property
    def most_requests(self) -> int:
        """Number of requests that it sends at most."""
        return len(self.budgets) * _KINDS * Retries().attempts

    def part(self, number: int) -> int:
        """The part of a number of the process that belongs to this task."""
        return max(1, number * self.at_once // self.concurrency)


@dataclass(frozen=True)
class BudgetRead:
    """The result of reading one budget."""

    known: Known
    status: str  # as in the result of `Lake.sync`; empty if there was no room for the budget
    reason: str = ""
    requests: int = 0
    next_attempt: datetime | None = None
    tables: Mapping[str, pa.Table] | None = field(default=None, repr=False)
    """The new rows; None if nothing changed."""
    listed: Sequence[Listed] = ()  # the budgets of the token, if they were read

    is_of_token: bool = False  # whether the outcome is the same for all budgets of the token

    tried_at: datetime | None = None  # the end of the read; None if nothing was read

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
        with suppress(RuntimeError):  # it has no request
            text = f"{error.request.url.host}: {text}"
        # After an answer in vain, no other budget of the token waits as long in this sync.
        status, is_of_token = "unreachable", isinstance(error, httpx.TimeoutException)
    elif not isinstance(error, ToolError):  # its message may contain anything
        text = f"unexpected {type(error).__name__}"
    attempt = None if wait is None else now + timedelta(seconds=wait)
    return BudgetRead(known, status, text, requests, attempt, is_of_token=is_of_token, tried_at=now)


def _reason(text: str) -> str:
    return printable(" ".join(text.split()))[:_REASON_LENGTH]


class Reads:
    """What the reads of a process share: an event loop, HTTP clients, and the memory."""

    def __init__(self) -> None:
        self._loop = BackgroundLoop(Progress())
        self._clients: dict[str, httpx.AsyncClient] = {}
        self._clocks: dict[str, ServiceClock] = {}  # by address
        self.whole = asyncio.Semaphore(_WHOLE_AT_ONCE)

    def start(self, task: ReadTask) -> Future[list[BudgetRead]]:
        """Start to read the budgets of a task."""
        return self._loop.submit(_read(task, self))

    def close(self) -> None:
        """Cancel the reads that are under way, and close the clients."""
        self._loop.close()

    def http(self, base_url: str) -> httpx.AsyncClient:
        """The client for an address: creating one for each token would take longer."""
        if base_url not in self._clients:
            # The tasks limit the connections.
            http = new_http(base_url, timeout=_TIMEOUT, limits=httpx.Limits())
            # A cookie belongs to the person whose token got it.
            http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
            self._loop.call_at_close(http.aclose)
            self._clients[base_url] = http
        return self._clients[base_url]

    def clock(self, task: ReadTask) -> ServiceClock:
        """The time of the service of a task, which each of its answers sets."""
        return self._clocks.setdefault(task.access.base_url, ServiceClock(task.now))


_of_process = WeakValueDictionary[int, Reads]()
"""By the number of the process; it ends with the last task that uses it."""


def read_in_process(task: ReadTask) -> list[BudgetRead]:
    """Read the budgets of a task, together with those of the other tasks in this process."""
    with PROCESS_STATE:
        reads = _of_process.setdefault(os.getpid(), Reads())
    return reads.start(task).result()


async def _read(task: ReadTask, reads: Reads) -> list[BudgetRead]:
    at_once = asyncio.Semaphore(task.at_once)
    whole_at_once = asyncio.Semaphore(max(_WHOLE_OF_TASK, task.part(_WHOLE_AT_ONCE)))
    folder, size, first = task.access.folder, 0, task.budgets[0]
    files = {} if folder is None or not first.budget_id else newest(files_in(folder, first.source))
    failed: BudgetRead | None = None  # for the token as a whole

    async def read(known: Known) -> BudgetRead:
        nonlocal failed, size
        is_whole = known.budget_id and known.cursor(reads.clock(task).now()) is None
        limits = (whole_at_once, reads.whole) if is_whole else (nullcontext(), nullcontext())
        async with at_once, limits[0], limits[1]:
            if failed is not None:
                return replace(failed, known=known, requests=0, tried_at=None)
            if size > task.part(_MAX_READ):
                return BudgetRead(known, "")
            result = await _Reader(task, reads, files.get(known.budget_id)).read(known)
        size += result.size
        if result.is_of_token:
            failed = result
        return result

    return [*await asyncio.gather(*map(read, task.budgets))]


def _agreeing_months(budget: Mapping[str, Any]) -> list[str]:
    """The months of a whole budget whose amounts are those of its list of categories."""

    def amounts(rows: Any) -> dict[Any, list[Any]]:
        names = RESOURCES["categories"].amounts
        return {row.get("id"): [*map(row.get, names)] for row in undeleted(rows or ())}

    months, shown = budget.get("months") or (), amounts(budget.get("categories"))
    return [row["month"] for row in months if amounts(row.get("categories")) == shown]


def _month_of(budget: Mapping[str, Any], date: datetime | None, now: datetime) -> str:
    """The month of the amounts of a whole answer, which states its time, or does not."""
    # The month can end while an answer is computed, before its `Date`.
    stated = current_month(date or now)
    if date is not None and current_month(date - _LONGEST_ANSWER) == stated:
        return stated
    months = [m for m in _agreeing_months(budget) if date is None or m <= stated]
    return max(months, default=stated)


def _listed(row: Any) -> Listed:
    try:
        budget = budget_from(row)
    except ServiceAPIError:
        budget = budget_from({**(row if isinstance(row, dict) else {}), "id": ""})
        return Listed("", budget.name, "invalid", "a row of the list of budgets has no id")
    return Listed(budget.id, budget.name)


class _Reader:
    """Reads one budget, and counts the requests.

    The answer is converted on the event loop, so that other reads wait for 0.25 s with 2,000
    transactions. With threads, other parsed answers waited in memory, which took a third more.
    """

    def __init__(self, task: ReadTask, reads: Reads, file: ExportFile | None) -> None:
        self._task = task
        self._reads = reads
        self._file = file
        self._counter = RequestCounter()
        self._options: dict[str, Any] = {"headers": dict(task.access.headers)}
        if task.access.auth is not None:
            self._options["auth"] = task.access.auth

    async def _fetch(self, path: str, cursor: int | None = None) -> Payload:
        """Request an answer, or the changes since a server knowledge."""
        http, limiter = self._reads.http(self._task.access.base_url), self._task.limiter
        counter, clock = self._counter, self._reads.clock(self._task)
        client = ConnectionClient(http, limiter, retries=Retries(), counter=counter, clock=clock)
        return await client.fetch(Target.of(path, None), self._options, cursor=cursor)

    async def read(self, known: Known) -> BudgetRead:
        """Read the changes of a budget, or all of it if there is no cursor; or the list."""
        try:
            with collected_warnings() as warnings:
                tables = await self._tables(known) if known.budget_id else None
                listed = () if known.budget_id else await self._listed()
        except Exception as error:  # noqa: BLE001 - it concerns this budget alone
            return outcome_of(known, error, self._task.now(), self._counter.total)
        reason, total = _reason("; ".join(map(str, warnings))), self._counter.total
        now = self._task.now()
        return BudgetRead(known, "ok", reason, total, tables=tables, listed=listed, tried_at=now)

    async def _listed(self) -> Sequence[Listed]:
        folder = self._task.access.folder
        if folder is not None:
            files = [*files_in(folder, self._task.budgets[0].source)]
            unusable = (file for file in files if file.problem)
            return [
                *(Listed("", file.budget_name, "failed", file.problem) for file in unusable),
                *(
                    Listed(key, file.budget_name, as_of=file.as_of)
                    for key, file in newest(files).items()
                ),
            ]
        try:
            rows = (await self._fetch("/budgets")).data.get("budgets")
        except ServiceAPIError as error:
            raise no_budget(error) from None
        if not isinstance(rows, list):
            raise invalid_response(HTTPStatus.OK, "has no list of budgets")
        return [*map(_listed, rows)]

    async def _tables(self, known: Known) -> Mapping[str, pa.Table] | None:
        if self._task.access.folder is not None:
            return self._of_file(known)
        path = path_of(RESOURCES[EXPORT].path, budget_id=known.budget_id)
        clock = self._reads.clock(self._task)
        cursor = known.cursor(clock.now())
        if cursor is not None:
            payload = await self._fetch(path, cursor)
            try:
                with collected_warnings() as warnings:
                    tables = await self._merged(known, payload, cursor)
            except Exception:  # noqa: BLE001, S110 - a full answer repairs every damage
                pass
            else:
                for warning in warnings:
                    defer_warning(warning)
                return tables
        began = clock.now()
        data, knowledge, has_amounts, date = await self._fetch(path)
        budget = data.get("budget")
        if not isinstance(budget, dict) or budget.get("id") != known.budget_id:
            raise invalid_response(HTTPStatus.OK, "has no whole budget")
        knowledge = knowledge if has_amounts else None
        month, as_of = _month_of(budget, date, began), date or began
        return self._convert(known, budget, knowledge, month, as_of, is_whole=True)

    def _of_file(self, known: Known) -> Mapping[str, pa.Table] | None:
        """The rows of the file of a budget; None if the lake has read this version of it."""
        if self._file is None:
            raise ToolError("the file was removed or changed during the sync: start it again")
        if self._file.version == known.knowledge and known.is_current:
            return None
        export = read_file(self._file.path, known.source)
        if export.budget["id"] != known.budget_id:
            raise ToolError(f"{export.path} was replaced during the sync: start it again")
        with paused_gc():
            convert_in_place(export.budget)
        month, version = current_month(export.as_of), self._file.version
        return self._convert(known, export.budget, version, month, export.as_of, is_whole=True)

    async def _merged(
        self, known: Known, payload: Payload, cursor: int
    ) -> Mapping[str, pa.Table] | None:
        """Merge changes into the stored answer; None if nothing changed."""
        form = json.loads(known.currency_format)
        budget = {"id": known.budget_id, "name": known.budget_name, "currency_format": form}
        # Without the lists: the stored answer is read only if something changed.
        meaning = meaning_of(payload, cursor=cursor, data_key="budget", stored={"budget": budget})
        is_of_month = payload.date is None or current_month(payload.date) == known.month
        if meaning is Meaning.READ_IN_FULL or not is_of_month:
            raise invalid_response(HTTPStatus.OK, "has no changes that can be merged")
        if meaning is Meaning.UNCHANGED and known.is_current:
            return None
        stored = await asyncio.to_thread(answer_in, self._task.snapshot, known.budget_id)
        month, now = known.month or "", self._reads.clock(self._task).now()
        if meaning is Meaning.UNCHANGED:
            return self._convert(known, stored, cursor, month, known.as_of or now)
        with paused_gc():
            key = f"{known.budget_id}:{EXPORT}"
            merged = merge_under(key, {"budget": stored}, payload.data, {})["budget"]
        has_month = payload.date is not None or not merged.get("categories")
        if not has_month and month not in _agreeing_months(merged):
            raise invalid_response(HTTPStatus.OK, "has changes of another month")
        knowledge = payload.knowledge if meaning is Meaning.MERGE else None
        return self._convert(known, merged, knowledge, month, payload.date or now)

    def _convert(
        self,
        known: Known,
        budget: dict[str, Any],
        knowledge: int | None,
        month: str,
        as_of: datetime,
        *,
        is_whole: bool = False,
    ) -> dict[str, pa.Table]:
        """Convert a whole budget to the rows of all tables."""
        # Without a knowledge, the next read asks for the whole budget again.
        state = {
            "source": known.source,
            "as_of": as_of,
            "bucket": self._task.snapshot.bucket_of(known.budget_id),
            "knowledge": knowledge,
            "month": month,
        }
        return tables_of(budget, state, verify=known.verify, is_whole=is_whole)
