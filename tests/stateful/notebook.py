"""A notebook of the test, and a model of what its cache may contain."""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from .client_process import ClientProcess
from .counts import COUNTS
from .expected import ServiceAnswer, Tolerance
from .package_internals import OnLimit
from .service import EARLIEST, Service
from .transport import CallTrace, FaultyTransport

_AFTER_TRANSACTIONS = (
    "accounts categories months payees scheduled_transactions money_movements money_movement_groups"
)
_AFTER_CATEGORIES = (
    "categories months transactions scheduled_transactions money_movements money_movement_groups"
)
INVALIDATED = {
    "transactions": _AFTER_TRANSACTIONS,
    "accounts": "payees transactions categories months money_movements money_movement_groups",
    "categories": _AFTER_CATEGORIES,
    "category_groups": _AFTER_CATEGORIES,
    "months": "categories money_movements money_movement_groups",
    "payees": "transactions scheduled_transactions payee_locations",
    "scheduled_transactions": "payees",
}
"""The lists that a write to a resource invalidates, besides the resource's own list."""

KEPT_AFTER = ("transactions", "scheduled_transactions", "months")
"""The resources after whose writes a facade reads deltas of the lists that it had."""

DELTA_LISTS = (
    *("accounts", "categories", "payees", "months", "transactions", "scheduled_transactions"),
    *("money_movements", "money_movement_groups"),
)
"""The lists that the service can send as deltas."""


@dataclass(frozen=True, slots=True)
class CachedList:
    """What the cache may contain for one list, and the request that has read it."""

    at: float
    """When the list was stored, in seconds of the service's clock."""
    url: str
    answers: list[ServiceAnswer]
    """The cache contains one of these answers."""
    is_certain: bool
    """Whether the cache certainly contains the list."""


class Notebook:
    """One cache and one limit, with one or two processes that use them.

    With a folder, two processes share a cache file in it. Without one, the notebook has one process
    with a cache in memory.
    """

    def __init__(
        self, service: Service, *, threshold: int, ttl: float, on_limit: OnLimit, has_retries: bool,
        folder: Path | None,
    ) -> None:  # fmt: skip
        self.service = service
        self.ttl = ttl
        self.on_limit = on_limit
        self.is_shared = folder is not None
        self.transport = FaultyTransport(service, threshold)
        self.transport.on_request = self._on_request

        def start_process() -> ClientProcess:
            return ClientProcess(
                self.transport, ttl=ttl, on_limit=on_limit, has_retries=has_retries, folder=folder
            )

        self._start_process = start_process
        self._processes = [start_process() for _ in range(2 if folder else 1)]
        self.process = self._processes[0]
        self.traces: list[CallTrace] = []
        """The calls that run now."""
        self.cached_lists: dict[str, CachedList] = {}
        self._older_answers: dict[str, list[ServiceAnswer]] = {}
        self.prefixes: set[str] = set()
        """The path prefixes, of ``budgets`` and ``plans``, under which lists were read."""
        self._generations: Counter[str] = Counter()
        self._full_read_at: dict[str, int] = {}
        self.drops = 0
        """The number of ended writes after which no delta may start from an earlier list."""
        self._full_reads: list[str] = []
        """The requests that have read a list in full, in their order."""
        self._dropped: dict[str, set[str]] = {}
        """By path: the requests that have read a list in full since the last of these writes."""
        self._kept: set[str] = set()
        """Paths of lists that were kept after a write of a facade, and were not read since."""
        service.on_change.append(self._on_service_change)

    def select_process(self, number: int) -> "Notebook":
        """Let one of the processes do the next call."""
        self.process = self._processes[number % len(self._processes)]
        return self

    def restart(self) -> None:
        """End the selected process, and start another one on the same cache file."""
        number = self._processes.index(self.process)
        self.process.close()
        self.process = self._processes[number] = self._start_process()

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.close()

    # -- invalidation ----------------------------------------------------------------------------

    def generation(self, key: str) -> tuple[int, ...]:
        """A number that changes when the cache entry under a key becomes invalid."""
        budget_id, _, rest = key.partition(":")
        resource = rest.partition(":")[0]
        has_current_month = resource in {"categories", "export"} or rest.endswith(":current")
        names = (f"{budget_id}:{resource}", "month" if has_current_month else "")
        return tuple(self._generations[name] for name in names)

    def invalidate_after_write(
        self, trace: CallTrace, budget_id: str, resource: str, *, keeps_lists: bool = False
    ) -> None:
        """Invalidate everything that the write of a call to a resource may change.

        With `keeps_lists`, the next delta of each list may start from an earlier one.
        """
        names = (resource, *INVALIDATED[resource].split())
        for name in names:
            self.invalidate(f"{budget_id}:{name}")
        paths = {f"/budgets/{budget_id}/{name}" for name in names} | {f"/budgets/{budget_id}"}
        if keeps_lists:
            self._kept |= paths
        else:
            self.drops += 1
            self._kept -= paths
            # Calls that run now, or ended before this one, may have read in full after the write.
            requests = [request for trace in self.traces for request in trace.requests]
            urls = {_budgets_url(url) for _, url, has_cursor in requests if not has_cursor}
            urls |= {*self._full_reads[trace.full_reads :]}
            self._dropped |= {path: set(urls) for path in paths}

    def invalidate(self, key: str) -> None:
        """Invalidate one list, and the export that contains it."""
        budget_id = key.partition(":")[0]
        self._bump_generations({key, f"{budget_id}:export"})

    def invalidate_budget(self, budget_id: str) -> None:
        """Invalidate all lists of a budget; "" stands for what belongs to no budget."""
        names = (*DELTA_LISTS, "payee_locations", "settings", "export", "budgets", "user")
        self._bump_generations({f"{budget_id}:{name}" for name in names})

    def invalidate_current_month(self) -> None:
        """Invalidate the amounts of the current month, because another month begins."""
        self._bump_generations({"month"})

    def _bump_generations(self, names: set[str]) -> None:
        of_traces = {trace: self.generation(trace.key) for trace in self.traces if trace.url}
        of_lists = {key: self.generation(key) for key in self.cached_lists}
        self._generations.update(names)
        for key, generation in of_lists.items():
            if self.generation(key) != generation:
                del self.cached_lists[key], self._older_answers[key]
        for trace, generation in of_traces.items():
            if self.generation(trace.key) != generation:
                self._allow_current_answer(trace)

    def _on_service_change(self) -> None:
        for trace in self.traces:
            if trace.url:
                self._allow_current_answer(trace)

    def _allow_current_answer(self, trace: CallTrace) -> None:
        trace.allowed[self.generation(trace.key), self.service.answer(trace.url)] = None
        if trace.may_use_export:
            trace.cached_exports.append(self.service.answer(_export_url(trace.key)))

    def _check_base(self, sent_by: CallTrace, url: str, *, has_cursor: bool) -> str | None:
        """What is wrong with a request: after a new name, its list must be read in full first."""
        url = _budgets_url(url)
        path = url.partition("?")[0]
        if sent_by.key.startswith(":raw"):
            return None
        if path in self._kept:
            self._kept.remove(path)
            COUNTS[
                "deltas after a kept list" if has_cursor else "full reads after a kept list"
            ] += 1
        read_in_full = self._dropped.setdefault(path, {url})
        if not has_cursor:
            read_in_full.add(url)
            self._full_reads.append(url)
        if url in read_in_full or sent_by.drops != self.drops:
            return None
        return f"{url} was read as changes of a list from before a write that changed names"

    def _on_request(self, sent_by: CallTrace, requested: str, *, has_cursor: bool) -> None:
        """Let the calls that run now use an export that one of them requests."""
        problem = self._check_base(sent_by, requested, has_cursor=has_cursor)
        self.transport.problem = self.transport.problem or problem
        url = requested.partition("?")[0]
        for trace in self.traces:
            if trace.is_frame and trace.url and url == _export_url(trace.key):
                trace.may_use_export = True
                trace.export_generation = self.generation(_export_key(trace.key))
                trace.cached_exports = _distinct(trace.cached_exports, [self.service.answer(url)])

    def record_export(self, trace: CallTrace) -> None:
        """Record that the cache may contain an export that this call or another one has requested.

        That other call may have been cancelled: its request continues if this call waits for it.
        """
        url, key = _export_url(trace.key), _export_key(trace.key)
        has_requested = any(requested == url for _, requested, _ in trace.requests)
        if trace.key != key and (has_requested or trace.may_use_export):
            older, now = self._older_answers.get(key, []), self.service.clock()
            self._older_answers[key] = _distinct(older, trace.cached_exports)
            # The call may also have used the export that was in the cache when it began.
            answers = _distinct(self._cached_answers(key), trace.cached_exports)
            self.cached_lists[key] = CachedList(now, url, answers, is_certain=False)
            self._add_to_running_calls(key, answers)

    # -- before a call ---------------------------------------------------------------------------

    def begin(self, trace: CallTrace) -> None:
        """Add a call, and record what it may return as of now."""
        trace.fault_count_before = self.transport.fault_count
        trace.drops, trace.full_reads = self.drops, len(self._full_reads)
        if trace.url:
            trace.generation = self.generation(trace.key)
        for other in self.traces:
            urls = {url for _, url, _ in other.requests}
            # A call that needs the list of budgets uses the request of another call that already
            # reads it, even if that other call was cancelled meanwhile.
            reads_budgets = other.is_frame or "/budgets" in urls
            if other.url == trace.url or trace.url in urls or reads_budgets:
                trace.fault_count_before = min(trace.fault_count_before, other.fault_count_before)
            if trace.url and (other.url == trace.url or trace.url in urls):
                trace.may_share_request = True
            if trace.url and other.url == trace.url:
                other.may_share_request = True
                trace.allowed |= {one: None for one in other.allowed if one[0] == trace.generation}
        if trace.url:
            trace.allowed[trace.generation, self.service.answer(trace.url)] = None
            trace.cached_answers = _distinct(trace.cached_answers, self._cached_answers(trace.key))
            exports = self._cached_answers(_export_key(trace.key))
            trace.cached_exports = _distinct(trace.cached_exports, exports)
            self._join_export_of_others(trace)
        self.traces.append(trace)

    def _join_export_of_others(self, trace: CallTrace) -> None:
        """Let a call that begins now use the export that another call has requested."""
        key = _export_key(trace.key)
        for other in self.traces:
            is_same = other.may_use_export and _export_key(other.key) == key
            if is_same and other.export_generation == self.generation(key):
                trace.may_use_export = True
                trace.export_generation = other.export_generation
                trace.cached_exports = _distinct(trace.cached_exports, other.cached_exports)
                if trace.key == key:
                    allowed = [(trace.generation, answer) for answer in other.cached_exports]
                    trace.allowed |= dict.fromkeys(allowed)

    def fresh_list(self, key: str) -> CachedList | None:
        """What the cache may contain under a key, if it is younger than the time to live."""
        cached = self.cached_lists.get(key)
        return cached if cached and self._age(cached) < self.ttl else None

    def _cached_answers(self, key: str) -> list[ServiceAnswer]:
        cached = self.fresh_list(key)
        return cached.answers if cached else []

    def _age(self, cached: CachedList) -> float:
        # Days that pass only at the service do not count: no clock of the notebook has moved.
        return self.service.clock() - cached.at

    # -- after a call ----------------------------------------------------------------------------

    def possible_answers(self, trace: CallTrace) -> list[ServiceAnswer]:
        """The answers that a read may return at its end."""
        has_requested = self.has_requested(trace)
        answers: list[ServiceAnswer] = []
        if has_requested or trace.may_share_request:
            answers += [answer for _, answer in trace.allowed]
        if trace.url == "/budgets":
            # Any frame may have read the list of budgets to find its own budget, and the response
            # to that request may have been held for any time.
            answers += [*self.service.past_budget_lists, self.service.answer("/budgets")]
        return answers if has_requested else [*answers, *trace.cached_answers]

    def has_requested(self, trace: CallTrace) -> bool:
        """Whether a call sent a request for its list, and did not only use the cache."""
        if trace.key.startswith(":raw"):
            return bool(trace.requests)
        return any(url == trace.url for _, url, _ in trace.requests)

    def is_certain_of(self, key: str) -> bool:
        """Whether the cache certainly contains the list that was read last."""
        cached = self.cached_lists.get(key)
        return cached is not None and cached.is_certain

    def stale_answers(self, trace: CallTrace) -> list[ServiceAnswer]:
        """The answers that a call may return when the service does not answer."""
        if self.on_limit != "stale" or not trace.is_frame:
            return []
        if trace.url == "/budgets":
            return [*self.service.past_budget_lists, self.service.answer("/budgets")]
        return self._older_answers.get(trace.key, [])

    def stale_exports(self, trace: CallTrace) -> list[ServiceAnswer]:
        """The exports from which a list may come when the service does not answer."""
        return self._older_answers.get(_export_key(trace.key), [])

    def record_stored(
        self, trace: CallTrace, answers: list[ServiceAnswer], *, is_certain: bool
    ) -> None:
        """Record that a frame was built from one of these answers, and is in the cache now."""
        # More than one answer may agree with the frame: a frame of subtransactions, for example,
        # does not show a change of a row without subtransactions.
        current = self.generation(trace.key)
        answers = [
            answer
            for generation, answer in trace.allowed
            # The order of threads is unknown, and so are the invalidations between them.
            if answer in answers and (generation == current or trace.is_in_thread)
        ]
        if not answers:
            return
        if not is_certain:  # the call may have used the cache, and left the entry as it was
            answers = _distinct(self._cached_answers(trace.key), answers)
        now = self.service.clock()
        self.cached_lists[trace.key] = CachedList(now, trace.url, answers, is_certain)
        # If another call read the same list meanwhile, the cache may contain that other answer.
        older = [] if is_certain else self._older_answers.get(trace.key, [])
        self._older_answers[trace.key] = _distinct(older, answers)
        self._add_to_running_calls(trace.key, answers)

    def record_possibly_stored(self, key: str, url: str) -> None:
        """Record that the cache contains either the current answer or the entry from before."""
        answers = _distinct(self._cached_answers(key), [self.service.answer(url)])
        self.cached_lists[key] = CachedList(self.service.clock(), url, answers, is_certain=False)
        self._older_answers[key] = _distinct(self._older_answers.get(key, []), answers)
        self._add_to_running_calls(key, answers)

    def record_read_by_client(self, trace: CallTrace, answers: list[ServiceAnswer]) -> None:
        """Record that `ServiceClient.get` updated a list.

        A cache file stores a list once, for the client and for the facade.
        """
        cached = self.cached_lists.get(trace.key)
        if cached is not None and cached.url == _budgets_url(trace.url):
            both = _distinct(cached.answers, answers)
            self.cached_lists[trace.key] = replace(cached, answers=both)
            self._older_answers[trace.key] = _distinct(self._older_answers[trace.key], answers)
            self._add_to_running_calls(trace.key, answers)

    def _add_to_running_calls(self, key: str, answers: list[ServiceAnswer]) -> None:
        for other in self.traces:
            if other.key == key:
                other.cached_answers = _distinct(other.cached_answers, answers)
            if _export_key(other.key) == key:
                other.cached_exports = _distinct(other.cached_exports, answers)

    def record_full_read(self, trace: CallTrace) -> None:
        """Record the version at which a list was read without a cursor, if this call did so."""
        if any(url == trace.url and not has_cursor for _, url, has_cursor in trace.requests):
            self._full_read_at[_budgets_url(trace.url)] = self.service.version

    def tolerance(self, trace: CallTrace, *, is_alone: bool) -> Tolerance:
        """How a list may differ from a full answer of the service."""
        resource = trace.url.partition("?")[0].split("/")[3:]
        if len(resource) != 1 or resource[0] not in DELTA_LISTS:
            return Tolerance()
        service, is_filtered, since = self.service, False, None
        if resource == ["transactions"]:
            is_filtered = not trace.url.endswith(f"={EARLIEST}")
            since = service.default_since_date if "=" not in trace.url else None
        read_at = self._full_read_at.get(_budgets_url(trace.url), -1) if is_alone else -1
        return Tolerance(
            names=read_at < service.renamed_at[trace.url.split("/")[2]],
            ids=service.crossed_start_since(read_at) if is_filtered else frozenset(),
            since=since,
            prefix=len(self.prefixes) > 1,
        )


def _distinct(*lists: list[ServiceAnswer]) -> list[ServiceAnswer]:
    """All answers of several lists, each once: without this, the lists grow with each read."""
    return [*dict.fromkeys(chain(*lists))]


def _budgets_url(url: str) -> str:
    return url.replace("/plans/", "/budgets/", 1)


def _export_url(key: str) -> str:
    return f"/budgets/{key.partition(':')[0]}"


def _export_key(key: str) -> str:
    return f"{key.partition(':')[0]}:export"
