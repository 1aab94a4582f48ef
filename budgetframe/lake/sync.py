"""Bring a lake up to date: plan the reads, run them here or on Dask workers, commit the results.

The budgets are read in rounds, in the order of their buckets, so that a commit rewrites few
buckets. In a round, all budgets of a token are read by one worker, because the limit of requests is
that of the token. While a round is read, the results of the round before are committed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Protocol
from uuid import uuid4

import pandas as pd
import pyarrow as pa

from budgetframe._client.limiter import RateLimiter
from budgetframe._session.budget_choice import Budget
from budgetframe.errors import ToolError

from .columns import SCHEMAS, STATE, SYNC
from .reads import BudgetRead, Known, ReadTask, Unit, list_budgets, outcome_of, read_budgets
from .sources import Access, Source
from .storage import LakeAddress, Writer

__all__ = ["SYNC_COLUMNS", "sync_lake"]

SYNC_COLUMNS = {
    "source": "str",
    "budget_id": "str",
    "budget_name": "str",
    "status": "str",
    "reason": "str",
    "requests": "int64",
    "rows": "int64",
    "changed": "bool",
}
_READS_IN_LINE = 4  # budgets of a round, for each read that a worker has under way
_MAX_READ = 16_000_000  # bytes of rows that a worker holds before it begins no more reads
_MAX_BYTES = 64_000_000  # of rows before a commit
_MAX_PENDING = 256  # changed budgets before a commit
_MAX_SECONDS = 30.0  # since the first result that is not committed: a kill loses these reads

_limiters: dict[str, RateLimiter] = {}
"""The limiters of all tokens of this process, by `Access.key`."""


class _Future(Protocol):
    def result(self) -> Any:
        """Wait for the result."""


class _Workers(Protocol):
    count: int

    def start(self, call: Callable[[ReadTask], Any], task: ReadTask, number: int) -> _Future:
        """Start a function on a worker; the number `count` means this process."""


def sync_lake(
    address: LakeAddress,
    sources: Iterable[Source],
    client: Any = None,
    *,
    concurrency: int,
    verify: bool,
) -> pd.DataFrame:
    """Read the changes of all budgets and commit them; `Lake.sync` describes the parameters."""
    by_name = dict[str, Source]()
    for source in sources:
        if by_name.setdefault(source.name, source) is not source:
            raise ToolError(f"two sources have the name {source.name!r}: give each its own name")
    with ThreadPoolExecutor(1, thread_name_prefix="budgetframe-lake") as pool:
        workers = _Here(pool) if client is None else _OnDask(client, pool)
        return _Sync(Writer(address), by_name, workers, concurrency, verify=verify).run()


class _Here:
    """One worker: a thread of this process."""

    count = 1

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def start(self, call: Callable[[ReadTask], Any], task: ReadTask, number: int) -> _Future:
        del number
        return self._pool.submit(call, task)


class _OnDask:
    """The workers of a Dask cluster."""

    def __init__(self, client: Any, pool: ThreadPoolExecutor) -> None:
        self._client = client
        self._pool = pool
        self._addresses = [*client.nthreads()]
        self.count = len(self._addresses)
        if not self.count:
            raise ToolError("the Dask cluster has no worker: start one, or wait for it")

    def start(self, call: Callable[[ReadTask], Any], task: ReadTask, number: int) -> _Future:
        if number == self.count:
            return self._pool.submit(call, task)
        future: _Future = self._client.submit(
            call,
            task,
            key=f"budgetframe-{call.__name__}-{uuid4().hex}",  # the key must not depend on tokens
            pure=False,
            workers=[self._addresses[number]],
            allow_other_workers=True,
        )
        return future


class _Sync:
    """One sync."""

    def __init__(
        self,
        writer: Writer,
        sources: Mapping[str, Source],
        workers: _Workers,
        concurrency: int,
        *,
        verify: bool,
    ) -> None:
        self._writer = writer
        self._sources = sources
        self._workers = workers
        self._concurrency = concurrency
        self._verify = verify
        self._rows: list[dict[str, Any]] = []
        """The rows of the result."""
        self._pending: list[BudgetRead] = []
        self._pending_since = 0.0
        snapshot = writer.snapshot
        columns = ["budget_id", "budget_name", "knowledge", "month", "row_count"]
        self._state = {
            row["budget_id"]: row for row in snapshot.read(STATE, columns=columns).to_pylist()
        }
        self._logged = {
            (row["source"], row["budget_id"]): row for row in snapshot.read(SYNC).to_pylist()
        }

    def run(self) -> pd.DataFrame:
        """Run the sync and return its result."""
        queue = deque(self._planned())
        reading = self._start_round(queue)
        while reading:
            results = [*chain.from_iterable(self._result_of(*each) for each in reading)]
            queue.extendleft(reversed([each.known for each in results if not each.status]))
            reading = self._start_round(queue)
            self._add(each for each in results if each.status)
        self._commit()
        return self._frame()

    def _planned(self) -> list[Known]:
        """The budgets to read, in the order of their buckets."""
        planned = dict[str, Known]()
        for name, answer in self._listed():
            if isinstance(answer, BudgetRead):
                self._fail_source(name, answer)
                continue
            for known in self._chosen(self._sources[name], answer):
                if known.budget_id in planned:
                    other = planned[known.budget_id].source
                    reason = f"the source {other!r} reads the same budget"
                    self._record(BudgetRead(known, "duplicate", reason))
                elif not self._is_waiting(known):
                    planned[known.budget_id] = known
        bucket_of = self._writer.snapshot.bucket_of
        return sorted(
            planned.values(), key=lambda each: (bucket_of(each.budget_id), each.budget_id)
        )

    def _listed(self) -> Iterator[tuple[str, Any]]:
        """The budgets of each source, or the result of the failed request."""
        names: dict[str, list[str]] = {}  # by token
        units: dict[str, Unit] = {}
        for name in self._sources:
            access = self._access(name)
            if isinstance(access, BudgetRead):
                yield name, access
                continue
            names.setdefault(access.key, []).append(name)
            units[access.key] = self._unit(access, [Known(name, "", "")])
        for task, future in self._start(list_budgets, units.values()):
            for unit, answer in zip(task.units, self._result_of(task, future), strict=True):
                yield from ((name, answer) for name in names[unit.access.key])

    def _access(self, name: str) -> Access | BudgetRead:
        """The present access of a source, or its failure."""
        try:
            return self._sources[name].access()
        except Exception as error:  # noqa: BLE001 - also of a function of the user
            return outcome_of(Known(name, "", ""), error)

    def _unit(self, access: Access, budgets: Sequence[Known]) -> Unit:
        limiter = _limiters.setdefault(access.key, RateLimiter(clock=time.time))
        return Unit(access, limiter, budgets)

    def _start(
        self, call: Callable[[ReadTask], Any], units: Iterable[Unit]
    ) -> list[tuple[ReadTask, _Future]]:
        """Start a function on all workers, with about as many budgets on each."""
        shares: list[list[Unit]] = [[] for _ in range(self._workers.count)]
        here: list[Unit] = []
        for unit in sorted(units, key=lambda unit: -len(unit.budgets)):
            least = min(shares, key=lambda share: sum(len(each.budgets) for each in share))
            # A copy of an object that renews its token would not renew the original.
            (here if unit.access.auth is not None else least).append(unit)
        return [
            (task, self._workers.start(call, task, number))
            for number, share in enumerate([*shares, here])
            if share
            for task in [self._task(share)]
        ]

    def _task(self, units: Sequence[Unit]) -> ReadTask:
        return ReadTask(units, self._writer.snapshot, self._concurrency, self._verify, _MAX_READ)

    def _result_of(self, task: ReadTask, future: _Future) -> list[Any]:
        """The results of a task, one for each of its budgets."""
        try:
            results, limiters = future.result()
        except Exception as error:  # noqa: BLE001 - a worker can end for any reason
            reason = f"the worker failed ({type(error).__name__})"
            known = [each for unit in task.units for each in unit.budgets]
            return [BudgetRead(each, "failed", reason) for each in known]
        for unit, limiter in zip(task.units, limiters, strict=True):
            _limiters[unit.access.key] = limiter
        found: list[Any] = results
        return found

    def _chosen(self, source: Source, budgets: Sequence[Budget]) -> Iterator[Known]:
        """The budgets of a source that are to be read."""
        wanted = None if source.budgets == "all" else {*source.budgets}
        for budget in budgets:
            if wanted is not None and not wanted & {budget.id, budget.name}:
                continue
            state = self._state.get(budget.id)
            if state is None:
                yield Known(source.name, budget.id, budget.name)
            else:
                yield Known(
                    source.name,
                    budget.id,
                    state["budget_name"],
                    state["knowledge"],
                    state["month"],
                    state["row_count"],
                )
        found = {each for budget in budgets for each in (budget.id, budget.name)}
        for missing in sorted((wanted or set()) - found):
            reason = f"the token gives access to no budget {missing!r}"
            self._record(BudgetRead(Known(source.name, "", missing), "failed", reason))

    def _is_waiting(self, known: Known) -> bool:
        """Whether the limit of the last attempt still holds: no request is sent then."""
        logged = self._logged.get((known.source, known.budget_id))
        if logged is None or logged["status"] != "limit":
            return False
        if logged["next_attempt"] is None or logged["next_attempt"] <= datetime.now(UTC):
            return False
        self._record(BudgetRead(known, "limit", logged["reason"]))
        return True

    def _fail_source(self, name: str, failure: BudgetRead) -> None:
        """Record the failure of a token for each budget that was read with it before."""
        known = [
            Known(name, each, row["budget_name"], row_count=row["rows"])
            for (source, each), row in self._logged.items()
            if source == name and each
        ]
        for number, each in enumerate(known or [Known(name, "", "")]):
            requests = 0 if number else failure.requests
            self._add([replace(failure, known=each, requests=requests)])

    def _start_round(self, queue: deque[Known]) -> list[tuple[ReadTask, _Future]]:
        """Start the next reads, all budgets of a token on the same worker."""
        size = self._workers.count * self._concurrency * _READS_IN_LINE
        taken = [queue.popleft() for _ in range(min(len(queue), size))]
        accesses = {name: self._access(name) for name in {each.source for each in taken}}
        budgets: dict[str, list[Known]] = {}
        units: dict[str, Unit] = {}
        for known in taken:
            access = accesses[known.source]
            if isinstance(access, BudgetRead):
                self._add([replace(access, known=known)])
                continue
            budgets.setdefault(access.key, []).append(known)
            units[access.key] = self._unit(access, budgets[access.key])
        if not units and queue:  # no source of these budgets has a token at present
            return self._start_round(queue)
        return self._start(read_budgets, units.values())

    def _add(self, results: Iterable[BudgetRead]) -> None:
        """Keep results, and commit if there are enough."""
        for result in results:
            logged = self._logged.get((result.known.source, result.known.budget_id))
            is_same = result.status == "ok" and logged is not None and logged["status"] == "ok"
            if result.tables is not None or not is_same:
                self._pending_since = self._pending_since or time.monotonic()
                self._pending.append(result)
            self._record(result)
        size = sum(each.size for each in self._pending)
        if self._pending and (
            len(self._pending) >= _MAX_PENDING
            or size > _MAX_BYTES
            or time.monotonic() - self._pending_since > _MAX_SECONDS
        ):
            self._commit()

    def _commit(self) -> None:
        """Commit the results that are not committed yet."""
        pending, self._pending, self._pending_since = self._pending, [], 0.0
        if not pending:
            return
        changed = [each.tables for each in pending if each.tables is not None]
        tables = {
            name: pa.concat_tables([each[name] for each in changed])
            for name in (changed[0] if changed else ())
        }
        replaced = [
            each.known.budget_id
            for each in pending
            if each.tables is not None and each.known.budget_id in self._state
        ]
        now = datetime.now(UTC)
        rows = [self._log_row(each, now) for each in pending]
        log = pa.Table.from_pylist(rows, SCHEMAS[SYNC])
        # The row of a failure at a time when the budgets of the source were unknown.
        without_budget = {(each.known.source, "") for each in pending if each.known.budget_id}
        dropped = without_budget & self._logged.keys()
        self._writer.commit(tables, log, replaced=replaced, dropped=dropped)

    def _log_row(self, result: BudgetRead, now: datetime) -> dict[str, Any]:
        """The row of `_sync` about a budget."""
        known = result.known
        logged = self._logged.get((known.source, known.budget_id), {})
        state = _state_of(result)
        return {
            "source": known.source,
            "budget_id": known.budget_id,
            "budget_name": state.get("budget_name") or known.budget_name,
            "status": result.status,
            "reason": result.reason,
            "requests": result.requests,
            "rows": state.get("row_count", known.row_count),
            "tried_at": now,
            "next_attempt": result.next_attempt,
            "as_of": state.get("as_of", logged.get("as_of")),
            "bucket": self._writer.snapshot.bucket_of(known.budget_id),
        }

    def _record(self, result: BudgetRead) -> None:
        """Add a row to the result, without the rows that were read."""
        known, state = result.known, _state_of(result)
        self._rows.append(
            {
                "source": known.source,
                "budget_id": known.budget_id,
                "budget_name": state.get("budget_name") or known.budget_name,
                "status": result.status,
                "reason": result.reason,
                "requests": result.requests,
                "rows": state.get("row_count", known.row_count),
                "changed": result.tables is not None,
            }
        )

    def _frame(self) -> pd.DataFrame:
        """The result of the sync, in the order of the sources."""
        order = {name: number for number, name in enumerate(self._sources)}
        self._rows.sort(key=lambda row: (order[row["source"]], row["budget_name"]))
        return pd.DataFrame(self._rows, columns=[*SYNC_COLUMNS]).astype(SYNC_COLUMNS)


def _state_of(result: BudgetRead) -> dict[str, Any]:
    """The new state of a budget; empty if it has not changed."""
    if result.tables is None:
        return {}
    columns = ["budget_name", "row_count", "as_of"]
    (row,) = result.tables[STATE].select(columns).to_pylist()
    found: dict[str, Any] = row
    return found
