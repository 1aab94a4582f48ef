"""Bring a lake up to date: plan the reads, run them here or on Dask workers, commit the results.

Each task reads some budgets of one token, and a token has one task at a time, because the limit of
requests is that of the token. The next task is that of the token whose next budget comes first:
those that the limit stopped in an earlier sync, the longest waiting ones first; then the others, in
the order of their buckets, so that a commit rewrites few buckets; last those without an answer, the
longest untried ones first. The calling thread starts the tasks; this process reads in a second
thread, and commits in a third one.
"""

from __future__ import annotations

import logging
import socket
import warnings
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import fields, replace
from datetime import datetime, timedelta
from heapq import heappop, heappush
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pandas as pd
import pyarrow as pa

from budgetframe._client.cache_folder import shared_file
from budgetframe._client.credentials import Token
from budgetframe._client.limit_guard import LimitGuard
from budgetframe._client.limiter import PUBLISHED_WINDOW, limiter_of
from budgetframe._client.service_clock import utc_now
from budgetframe._runtime.arguments import closest_names
from budgetframe.errors import ToolError

from .columns import FORMAT, OTHERS, RUNS, SCHEMAS, STATE, SYNC
from .erasure import blocked_key
from .reads import BudgetRead, Known, Listed, Reads, ReadTask, outcome_of, read_in_process
from .sources import Access, Source, TokenCommand, sources_by_name
from .storage import LakeAddress
from .writer import LEAST_BUCKETS, Writer

if TYPE_CHECKING:
    from budgetframe._cache.sqlite_file import SQLiteFile

_FINE = ("ok", "duplicate", "blocked")  # the statuses of budgets for which nothing is to do

_SHOWN = ("source", "budget_id", "budget_name", "status", "reason", "requests", "row_count")
_DTYPES = {column.name: column.dtype for column in OTHERS[SYNC]}
SYNC_COLUMNS = {name: _DTYPES[name] for name in _SHOWN} | {"changed": "bool"}
_KNOWN_COLUMNS = [each.name for each in fields(Known) if each.name in SCHEMAS[STATE].names]
_LOGGED_FIGURES = ("status", "budgets", "changed", "limited", "failed", "row_count", "requests")
_BUDGETS_OF_BUCKET = 10
_READS_IN_LINE = 4  # budgets of a task, for each read that it has under way
_MAX_BYTES = 64_000_000  # of rows before a commit
_FETCHES = 8  # of results from workers at once: each takes 12 ms, mostly of latency
_PAUSE = 2.0  # seconds without a result, after which the others are committed
_LIMIT = timedelta(seconds=PUBLISHED_WINDOW)  # the longest one
_FRESH = timedelta(minutes=10)  # of a token that a program has printed

_LOG = logging.getLogger(__name__)

_Row = dict[str, Any]


def checked_sources(sources: Iterable[Source], client: Any, cache_dir: Path | None) -> list[Source]:
    """The sources of a sync, if its arguments are valid: nothing is written yet."""
    if client is not None and not hasattr(client, "nthreads"):
        raise ToolError(f"client={client!r}: it must be a distributed.Client")
    listed: list[Any] = [*sources] if isinstance(sources, Iterable) else [None]
    if not all(isinstance(source, Source) for source in listed):
        raise ToolError("sources must be a list of Source, one for each token")
    for source in sources_by_name(listed).values():
        if isinstance(source.token, str):
            Token(source.token).refuse_in(cache_dir=cache_dir)
    return listed


def sync_lake(
    address: LakeAddress,
    sources: Iterable[Source],
    client: Any = None,
    *,
    concurrency: int,
    verify: bool,
    full: Iterable[str] = (),
    cache_dir: Path | None = None,
    partial: bool = False,
    buckets: int | None = None,
    now: Callable[[], datetime] = utc_now,
) -> pd.DataFrame:
    """Read the changes of all budgets and commit them; `Lake.sync` describes the parameters."""
    # The function `now` is sent to the workers, and must return the time in UTC.
    by_name = {source.name: source for source in sources}
    with (
        ThreadPoolExecutor(1 + _FETCHES, thread_name_prefix="budgetframe-lake") as pool,
        closing(_Workers(client, concurrency, pool)) as workers,
    ):
        writer = Writer(address)
        options: Any = {"verify": verify, "full": {*full}, "partial": partial, "buckets": buckets}
        return _Sync(writer, by_name, workers, pool, cache_dir, now=now, **options).run()


class _Workers:
    """The workers of a Dask cluster; without a client, this process."""

    def __init__(self, client: Any, concurrency: int, pool: ThreadPoolExecutor) -> None:
        addresses = [""] if client is None else [*client.nthreads()]
        if not addresses:
            raise ToolError("the Dask cluster has no worker: start one, or wait for it")
        self._client = client
        self._pool = pool
        self._here = Reads()
        self._free = dict.fromkeys(addresses, concurrency)  # the reads that each worker can begin
        self._ended = SimpleQueue[tuple[str, ReadTask, Future[list[BudgetRead]]]]()
        self._loans: dict[str, int] = {}
        """The numbers of requests that are reserved for other processes, by `Access.key`."""
        self.concurrency = concurrency

    def share(self, tokens: int) -> int:
        """The number of reads for the next task, if so many tokens wait for one; 0: no worker."""
        free = self._free.values()
        return min(max(free), -(-sum(free) // tokens))

    def start(self, task: ReadTask) -> None:
        """Start to read on the worker that has most to spare, or in this process."""
        address = max(self._free, key=self._free.__getitem__)
        self._free[address] -= task.at_once
        if self._client is None or task.access.is_of_process:
            # A copy of an object that renews its token would not renew the original, and a folder
            # of this machine need not exist on another one.
            future: Any = self._here.start(task)
        else:
            guard = LimitGuard(task.limiter)
            limiter, self._loans[task.access.key] = guard.lend(task.most_requests)
            future = self._client.submit(
                _read_beside_others,
                replace(task, limiter=limiter),
                key=f"budgetframe-read-{uuid4().hex}",  # the key must not depend on tokens
                pure=False,
                workers=[address],
                allow_other_workers=True,
            )
        future.add_done_callback(lambda done: self._fetch(address, task, done))

    def _fetch(self, address: str, task: ReadTask, done: Any) -> None:
        with suppress(RuntimeError):  # the sync has ended with an error, and with it the pool
            self._ended.put((address, task, self._pool.submit(done.result)))

    def results(self) -> tuple[str, list[BudgetRead]]:
        """The results of the next task that ends, and its token's key; `Empty` after `_PAUSE`."""
        address, task, future = self._ended.get(timeout=_PAUSE)
        self._free[address] += task.at_once
        sent = None
        try:
            results = future.result()
            sent = sum(each.requests for each in results)
        except Exception as error:  # noqa: BLE001 - a worker can end for any reason
            reason = f"the worker failed ({type(error).__name__})"
            results = [BudgetRead(each, "failed", reason) for each in task.budgets]
        self._settle(task.access.key, sent)
        return task.access.key, results

    def _settle(self, key: str, sent: int | None = None) -> None:
        """Count the requests of another process; without their number, all that were reserved."""
        if (lent := self._loans.pop(key, None)) is not None:
            LimitGuard(limiter_of(key)).settle(lent, lent if sent is None else sent)

    def close(self) -> None:
        """Stop the reads of this process; after an error, workers may still send requests."""
        self._here.close()
        for key in [*self._loans]:
            self._settle(key)


def _read_beside_others(task: ReadTask) -> list[BudgetRead]:
    """Read on a Dask worker, whose thread is free for the next task meanwhile."""
    from distributed import secede  # noqa: PLC0415 - slow to import, and only a worker needs it

    secede()
    return read_in_process(task)


class _Sync:
    """One sync."""

    def __init__(
        self,
        writer: Writer,
        sources: Mapping[str, Source],
        workers: _Workers,
        pool: ThreadPoolExecutor,
        cache_dir: Path | None,
        *,
        verify: bool,
        full: AbstractSet[str],
        partial: bool,
        buckets: int | None,
        now: Callable[[], datetime],
    ) -> None:
        self._writer = writer
        self._sources = sources
        self._workers = workers
        self._pool = pool
        self._cache_dir = cache_dir
        self._verify = verify
        self._full = full  # the names and ids of budgets to read in full
        self._partial = partial  # whether other syncs read other sources
        self._now = now
        self._start_time = now()
        self._rows: list[_Row] = []  # the rows of the result
        self._pending: list[tuple[BudgetRead, _Row]] = []
        """The results that are not committed yet, and their rows of ``_sync``."""
        self._committing = pool.submit(lambda: None)  # the last commit
        states = writer.snapshot.read(STATE, columns=_KNOWN_COLUMNS).to_pylist()
        self._state = {row["budget_id"]: Known(**row) for row in states}
        self._log: list[_Row] = writer.snapshot.read(SYNC).to_pylist()  # as it was before this sync
        self._logged: dict[str, dict[str, _Row]] = defaultdict(dict)
        """The same by source and budget, of several rows without a budget the last one."""
        self._readers: dict[str, list[str]] = defaultdict(list)  # the sources of these, by budget
        for row in self._log:
            self._logged[row["source"]][row["budget_id"]] = row
            self._readers[row["budget_id"]].append(row["source"])
        self._files: dict[str, SQLiteFile] = {}  # with the counts of requests, by `Source.key`
        self._failures = set[tuple[str, str]]()  # the sources and budgets that have a failure
        self._outdated = set[tuple[str, str]]()  # of the rows of ``_sync``: they hold no more
        self._printed: dict[str, tuple[Access | BudgetRead, datetime]] = {}
        """What programs for tokens have led to, and until when it is used, by `Source.key`."""
        self._buckets = buckets

    def run(self) -> pd.DataFrame:
        """Run the sync and return its result."""
        _LOG.info("sync started: %d sources, %d budgets", len(self._sources), len(self._state))
        planned = self._planned()
        size = 0
        for results in self._read(planned):
            self._add(results)
            size += sum(each.size for each in results)
            # If all reads that are under way are slow, the results of the others do not wait.
            is_idle = not results and size and self._committing.done()
            if is_idle or size > _MAX_BYTES:
                self._commit()
                size = 0
        run = self._run_row()
        self._commit(run)
        self._committing.result()
        _LOG.info("sync ended: %s", ", ".join(f"{key} {run[key]}" for key in _LOGGED_FIGURES))
        frame = self._frame()
        frame.attrs["run"] = run
        frame.attrs["failures"] = [*filter(self._is_failure, self._rows)]
        return frame

    def _read(self, planned: Iterable[Known]) -> Iterator[list[BudgetRead]]:
        """Read budgets; the results of each task when it ends, and none if that takes long."""
        order = {known: number for number, known in enumerate(planned)}
        lines: dict[str, deque[Known]] = defaultdict(deque)  # by token
        for known in order:
            lines[self._sources[known.source].key].append(known)
        idle = [(order[line[0]], key) for key, line in lines.items()]  # a heap
        under_way = 0
        while idle or under_way:
            if idle and (at_once := self._workers.share(len(idle))):
                _, key = heappop(idle)
                count = min(len(lines[key]), at_once * _READS_IN_LINE)
                budgets = [lines[key].popleft() for _ in range(count)]
                access = self._access(budgets[0].source)
                if isinstance(access, Access):
                    self._workers.start(self._task(access, budgets, at_once))
                    under_way += 1
                    continue
                results = [replace(access, known=each) for each in budgets]
            else:
                try:
                    key, results = self._workers.results()
                except Empty:
                    yield []
                    continue
                under_way -= 1
                if key in self._files:  # so that a sync of many tokens has few open files
                    self._files[key].close()
            line = lines[key]
            line.extendleft(reversed([each.known for each in results if not each.status]))
            for failure in [each for each in results if each.is_of_token][:1]:
                untried = replace(failure, requests=0, tried_at=None)
                results += [replace(untried, known=each) for each in line]
                line.clear()
            if line:
                heappush(idle, (order[line[0]], key))
            yield [each for each in results if each.status]

    def _planned(self) -> list[Known]:
        """The budgets to read, in the order in which they are read."""
        listed: dict[str, list[Listed]] = {}
        chosen: dict[str, list[Listed]] = {}
        for name, answer in self._listed():
            if isinstance(answer, BudgetRead):
                self._fail_source(name, answer)
            else:
                listed[name] = answer
                chosen[name] = [one for one in answer if self._is_chosen(name, one.id, one.name)]
        if self._full:
            self._check_full(chain(*chosen.values()))
        every_id = {budget.id for budgets in chosen.values() for budget in budgets if budget.id}
        planned = dict[str, Known]()
        for name in filter(chosen.__contains__, self._sources):  # not in the order of the answers
            self._add_missing(name, listed[name], chosen[name], every_id)
            for budget in chosen[name]:
                known = self._known(name, budget.id, budget.name)
                if not budget.id:
                    self._add([BudgetRead(known, budget.status, budget.reason)])
                    continue
                key = blocked_key(budget.id)
                if key in self._logged[""]:
                    reason = f"it was forgotten: budgetframe lake allow LAKE {key} permits it"
                    blocked = BudgetRead(Known(name, key, ""), "blocked", reason)
                    self._rows.append(self._row(blocked))
                    continue
                if reason := self._reason_against(known, budget.as_of, planned):
                    self._rows.append(self._row(BudgetRead(known, "duplicate", reason)))
                elif not self._is_waiting(known):
                    planned[budget.id] = known
        self._add_left(every_id, self._sources.keys() - chosen.keys())
        self._choose_buckets(len(planned))
        return sorted(planned.values(), key=self._order)

    def _reason_against(self, known: Known, of_file: Any, planned: dict[str, Known]) -> str:
        """Why a budget is not read with a source that lists it, because of another source."""
        if known.budget_id in planned:
            return f"the source {planned[known.budget_id].source!r} reads the same budget"
        owner = self._state.get(known.budget_id, known).source
        is_other = owner != known.source and (self._partial or owner in self._sources)
        if is_other and of_file and known.as_of and of_file < known.as_of:
            return f"the lake has newer rows of the source {owner!r} than this file"
        return ""

    def _choose_buckets(self, budgets: int) -> None:
        """Set the number of buckets if there are no rows; otherwise say if another one is asked."""
        asked, present = self._buckets, self._writer.snapshot.buckets
        if not self._state:
            default = max(LEAST_BUCKETS, -(-budgets // _BUDGETS_OF_BUCKET))
            self._writer.set_buckets(asked or default)
        elif asked not in {None, present}:
            text = (
                f"buckets={asked}: the lake has {present} and keeps them; lake.rebuild({asked}) or"
                f" 'budgetframe lake rebuild LAKE --buckets {asked}' changes the number"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=6)

    def _check_full(self, listed: Iterable[Listed]) -> None:
        logged = [row for row in self._log if row["budget_id"]]
        known = {text for row in logged for text in (row["budget_id"], row["budget_name"])}
        known |= {text for budget in listed for text in (budget.id, budget.name)}
        for each in self._full - known:
            close = ", ".join(closest_names(each, known)) or "none"
            raise ToolError(f"full: no source has a budget {each!r}; the closest: {close}")

    def _order(self, known: Known) -> tuple[float, float, int, str]:
        """The order of the reads: first what the limit stopped, last what can stop the others."""
        logged = self._logged[known.source].get(known.budget_id, {})
        since = logged.get("waiting_since")
        bucket = self._writer.snapshot.bucket_of(known.budget_id)
        first = float("inf") if since is None else since.timestamp()
        last = logged["tried_at"].timestamp() if logged.get("status") == "unreachable" else 0.0
        return first, last, bucket, known.budget_id

    def _listed(self) -> Iterator[tuple[str, list[Listed] | BudgetRead]]:
        """The budgets of each source, or the result of the failed request."""
        names: dict[str, list[str]] = defaultdict(list)  # by token
        for name, source in self._sources.items():
            names[source.key].append(name)
        wanted = [Known(of_token[0], "", "") for of_token in names.values()]
        # Together, because a program can take a second, or never end.
        tokens = {each.source: self._sources[each.source].token for each in wanted}
        programs = (name for name, token in tokens.items() if isinstance(token, TokenCommand))
        list(self._pool.map(self._access, programs))
        for result in chain.from_iterable(self._read(wanted)):
            answer = [*result.listed] if result.status == "ok" else result
            yield from ((name, answer) for name in names[self._sources[result.known.source].key])

    def _access(self, name: str) -> Access | BudgetRead:
        """The present access of a source, or its failure."""
        source = self._sources[name]
        known, until = self._printed.get(source.key, (None, self._now()))
        if isinstance(known, BudgetRead) or (known is not None and self._now() < until):
            return known
        try:
            known = source.access()
        except Exception as error:  # noqa: BLE001 - also of a function of the user
            known = outcome_of(Known(name, "", ""), error, self._now())
        if isinstance(source.token, TokenCommand):
            self._printed[source.key] = known, self._now() + _FRESH
        return known

    def _task(self, access: Access, budgets: Sequence[Known], at_once: int) -> ReadTask:
        limiter, concurrency = limiter_of(access.key), self._workers.concurrency
        given = access.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._cache_dir and given and access.key not in self._files:
            name = Token(given).name_at(access.base_url)
            self._files[access.key] = shared_file(self._cache_dir, name, limiter)
        snapshot = self._writer.snapshot
        return ReadTask(access, limiter, budgets, at_once, concurrency, snapshot, self._now)

    def _known(self, source: str, budget_id: str, budget_name: str) -> Known:
        """A budget of a source, with what the lake knows about it."""
        known = self._state.get(budget_id) or Known(source, budget_id, budget_name)
        return replace(
            known,
            source=source,
            is_current=known.source == source and known.format == FORMAT,
            knowledge=None if {budget_id, budget_name} & self._full else known.knowledge,
            verify=self._verify and self._sources[source].verify,
        )

    def _is_chosen(self, source: str, budget_id: str, budget_name: str) -> bool:
        wanted = self._sources[source].budgets
        return wanted == "all" or budget_id in wanted or budget_name in wanted

    def _add_missing(
        self,
        name: str,
        listed: Sequence[Listed],
        chosen: Sequence[Listed],
        every_id: AbstractSet[str],
    ) -> None:
        """Record the budgets that a source must have, and does not have any more, or never had."""
        new_names = {budget.id: budget.name for budget in listed}
        wanted = self._sources[name].budgets
        gone = [each for each in self._read_before(name) if each.budget_id not in every_id]
        if wanted == "all" and "" not in new_names:  # a row without an id could be theirs
            gone = []
        for each in gone:
            reason = "the source lists no such budget any more; its last rows stay in the lake"
            if each.budget_id in new_names:  # it was chosen by its earlier name
                reason = (
                    f"this budget is now called {new_names[each.budget_id]!r}: change `budgets` of"
                    " the source, or name its id"
                )
            self._add([BudgetRead(each, "missing", reason)])
        found = {text for each in chosen for text in (each.id, each.name)}
        found |= {text for each in gone for text in (each.budget_id, each.budget_name)}
        for missing in sorted({*(() if wanted == "all" else wanted)} - found):
            reason = f"the source gives access to no budget {missing!r}"
            self._add([BudgetRead(Known(name, "", missing), "missing", reason)])

    def _add_left(self, every_id: AbstractSet[str], failed: AbstractSet[str]) -> None:
        """Record the budgets that no source reads any more, unless a source without a list may."""
        reason = "no source reads this budget any more; its last rows stay until it is forgotten"
        active = [row for row in self._log if row["source"] in failed and row["status"] != "left"]
        present = {*every_id, *(row["budget_id"] for row in active)}
        for row in self._log:
            source, budget_id = key = row["source"], row["budget_id"]
            is_other = not source or (self._partial and source not in self._sources)
            if is_other or key in self._failures:
                continue
            if not budget_id and source not in failed:
                self._outdated.add(key)  # this sync has no failure without a budget
            elif budget_id and budget_id not in present:
                known = self._state.get(budget_id) or Known(source, budget_id, "")
                known = replace(known, source=source, budget_name=row["budget_name"])
                result = BudgetRead(known, "left", reason)
                if row["status"] == "left":
                    self._rows.append(self._row(result))
                else:
                    self._add([result])

    def _is_failure(self, row: _Row) -> bool:
        """Whether a person must know of a row; that a budget has left, only once."""
        logged = self._logged[row["source"]].get(row["budget_id"], {})
        was_left = row["status"] == "left" == logged.get("status")
        return row["status"] not in _FINE and not was_left

    def _is_waiting(self, known: Known) -> bool:
        """Whether the limit of the last attempt still holds: no request is sent then."""
        logged = self._logged[known.source].get(known.budget_id)
        if logged is None or logged["status"] != "limit":
            return False
        rest = (logged["next_attempt"] or self._now()) - self._now()
        if not timedelta() < rest <= _LIMIT:  # a later one is by a clock that was ahead
            return False
        waiting = BudgetRead(known, "limit", logged["reason"], next_attempt=logged["next_attempt"])
        self._rows.append(self._row(waiting))
        return True

    def _fail_source(self, name: str, failure: BudgetRead) -> None:
        """Record the failure of a token for each budget that was read with it before."""
        known = self._read_before(name) or [Known(name, "", "")]
        self._add(replace(failure, known=each, requests=0) for each in known)

    def _read_before(self, name: str) -> list[Known]:
        """The budgets that were read with a source before, as far as they are chosen."""
        return [
            self._known(name, budget_id, row["budget_name"])
            for budget_id, row in self._logged[name].items()
            if budget_id and row["status"] != "left"
            if self._is_chosen(name, budget_id, row["budget_name"])
        ]

    def _add(self, results: Iterable[BudgetRead]) -> None:
        """Keep results for the next commit."""
        for result in results:
            known, row = result.known, self._row(result)
            self._rows.append(row)
            if result.status != "ok":
                # The id alone, and not that of a file: names and reasons can be those of people.
                is_file = getattr(self._sources.get(known.source), "exports", "") is not None
                shown = "of a file" if is_file else known.budget_id or "unknown"
                _LOG.warning("budget %s: %s", shown, result.status)
                self._failures.add((known.source, known.budget_id))
            self._pending.append((result, row))

    def _commit(self, run: Mapping[str, Any] | None = None) -> None:
        """Begin to commit the results that are not committed yet, at the end with the run."""
        self._committing.result()
        pending, self._pending = self._pending, []
        changed = [each for each, _ in pending if each.tables is not None]
        parts = [each.tables for each in changed if each.tables is not None]
        names = parts[0] if parts else ()
        tables = {name: pa.concat_tables([each[name] for each in parts]) for name in names}
        if run is not None:
            tables[RUNS] = pa.Table.from_pylist([run], SCHEMAS[RUNS])
        replaced = [each.known.budget_id for each in changed if each.known.budget_id in self._state]
        log = pa.Table.from_pylist([row for _, row in pending], SCHEMAS[SYNC])
        for each, _ in pending:
            if each.status == "ok":  # another source has read the budget before
                known = each.known
                readers = {(source, known.budget_id) for source in self._readers[known.budget_id]}
                self._outdated |= readers - self._failures - {(known.source, known.budget_id)}
        self._committing = self._pool.submit(
            self._writer.commit, tables, log, replaced=replaced, dropped={*self._outdated}
        )
        _LOG.info("commit %d budgets, %d with new rows", len(pending), len(changed))

    def _row(self, result: BudgetRead) -> _Row:
        """The row about a budget in ``_sync``, and in the result of the sync."""
        known, state = result.known, _state_of(result)
        logged = self._logged[known.source].get(known.budget_id, {})
        waiting = min(logged.get("waiting_since") or self._start_time, self._start_time)
        before = logged.get("tried_at") if result.status == "unreachable" else None
        tried_at = result.tried_at or before or self._start_time  # if it was not tried
        return {
            "source": known.source,
            "budget_id": known.budget_id,
            "budget_name": state.get("budget_name") or known.budget_name,
            "status": result.status,
            "reason": result.reason,
            "requests": result.requests,
            "row_count": state.get("row_count", known.row_count),
            "changed": result.tables is not None,
            "tried_at": tried_at,
            "checked_at": tried_at if result.status == "ok" else logged.get("checked_at"),
            "next_attempt": result.next_attempt,
            "waiting_since": waiting if result.status == "limit" else None,
            "as_of": state.get("as_of", known.as_of),
        }

    def _run_row(self) -> _Row:
        """The row about this sync in ``_runs``."""
        limited = sum(row["status"] == "limit" for row in self._rows)
        failed = sum(map(self._is_failure, self._rows)) - limited
        attempts = [row["next_attempt"] for row in self._rows if row["next_attempt"]]
        return {
            "started_at": self._start_time,
            "ended_at": self._now(),
            "host": socket.gethostname(),
            "version": version("budgetframe"),
            "status": "failed" if failed else "limit" if limited else "ok",
            "budgets": len(self._rows),
            "changed": sum(row["changed"] for row in self._rows),
            "limited": limited,
            "failed": failed,
            "row_count": sum({row["budget_id"]: row["row_count"] for row in self._rows}.values()),
            "requests": sum(row["requests"] for row in self._rows),
            "next_attempt": min(attempts, default=None),
        }

    def _frame(self) -> pd.DataFrame:
        """The result of the sync, in the order of the sources."""
        names = dict.fromkeys([*self._sources, *sorted(self._logged)])  # also former ones
        order = {name: number for number, name in enumerate(names)}
        self._rows.sort(key=lambda row: (order[row["source"]], row["budget_name"]))
        return pd.DataFrame(self._rows, columns=[*SYNC_COLUMNS]).astype(SYNC_COLUMNS)


def _state_of(result: BudgetRead) -> _Row:
    """The new state of a budget; empty if it has not changed."""
    if result.tables is None:
        return {}
    found: _Row
    (found,) = result.tables[STATE].select(["budget_name", "row_count", "as_of"]).to_pylist()
    return found
