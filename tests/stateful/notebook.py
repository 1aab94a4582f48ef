"""A notebook with its connection, and what is known of what it may remember."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from budgetframe._session.on_limit import OnLimit

from .expected import Leeway, Truth
from .faults import Faults, Flow
from .process import Process
from .service import World

_AFTER_TRANSACTIONS = (
    "accounts categories months payees scheduled_transactions money_movements money_movement_groups"
)
_AFTER_CATEGORIES = (
    "categories months transactions scheduled_transactions money_movements money_movement_groups"
)
DROPPED = {
    "transactions": _AFTER_TRANSACTIONS,
    "accounts": "payees transactions categories months",
    "categories": _AFTER_CATEGORIES,
    "category_groups": _AFTER_CATEGORIES,
    "months": "categories money_movements money_movement_groups",
    "payees": "transactions scheduled_transactions payee_locations",
    "scheduled_transactions": "payees",
}
"""What a write makes stale besides its own."""

LISTS = (
    *("accounts", "categories", "payees", "months", "transactions", "scheduled_transactions"),
    *("money_movements", "money_movement_groups"),
)
"""What can be asked for as deltas."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a frame was made of that is remembered."""

    at: float
    wall: float
    url: str
    truths: list[Truth]
    is_sure: bool


class Kernel:
    """One memory and one limit, and the one or two processes that have them in common.

    Parameters
    ----------
    world
        The service.
    threshold, ttl, on_limit, has_retries
        Of the limiter, of the frames, and of the client.
    folder
        Where the file is that two processes share; without one there is one process, and its
        memory ends with it.
    """

    def __init__(
        self,
        world: World,
        *,
        threshold: int,
        ttl: float,
        on_limit: OnLimit,
        has_retries: bool,
        folder: Path | None,
    ) -> None:
        self.world = world
        self.ttl = ttl
        self.on_limit = on_limit
        self.is_shared = folder is not None
        self.faults = Faults(world, threshold)

        def start() -> Process:
            return Process(
                world,
                self.faults,
                ttl=ttl,
                on_limit=on_limit,
                has_retries=has_retries,
                folder=folder,
            )

        self._start = start
        self._processes = [start() for _ in range(2 if folder else 1)]
        self.process = self._processes[0]
        self.flows: list[Flow] = []
        self.seen: dict[str, Seen] = {}
        self._pasts: dict[str, list[Truth]] = {}
        self.spellings: set[str] = set()
        self._epochs: Counter[str] = Counter()
        self._read_whole_at: dict[str, int] = {}
        world.on_change.append(self._changed)

    def turn(self, number: int) -> Kernel:
        """Go on in one of the processes."""
        self.process = self._processes[number % len(self._processes)]
        return self

    def restart(self) -> None:
        """End this process, and start another one on the same file."""
        number = self._processes.index(self.process)
        self.process.close()
        self.process = self._processes[number] = self._start()

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.close()

    # -- what is dropped -------------------------------------------------------------------------

    def epoch(self, key: str) -> tuple[int, ...]:
        """What is different once what is under a key must not be remembered any more."""
        budget_id, _, rest = key.partition(":")
        resource = rest.partition(":")[0]
        of_current = resource in {"categories", "export"} or rest.endswith(":current")
        names = (f"{budget_id}:{resource}", "month" if of_current else "")
        return tuple(self._epochs[name] for name in names)

    def wrote(self, budget_id: str, resource: str) -> None:
        """A write came to an end, whichever."""
        for name in (resource, *DROPPED[resource].split()):
            self.drop(f"{budget_id}:{name}")

    def drop(self, key: str) -> None:
        """Something is not to be remembered any more, nor the export that contains it."""
        budget_id = key.partition(":")[0]
        self._bump({key, f"{budget_id}:export"})

    def drop_budget(self, budget_id: str) -> None:
        """Nothing of a budget is to be remembered any more; "" is what is of no budget."""
        names = (*LISTS, "payee_locations", "settings", "export", "budgets", "user")
        self._bump({f"{budget_id}:{name}" for name in names})

    def month_ended(self) -> None:
        """Amounts of the current month are of another month now."""
        self._bump({"month"})

    def _bump(self, names: set[str]) -> None:
        before = {flow: self.epoch(flow.key) for flow in self.flows if flow.url}
        kept = {key: self.epoch(key) for key in self.seen}
        self._epochs.update(names)
        for key, epoch in kept.items():
            if self.epoch(key) != epoch:
                del self.seen[key], self._pasts[key]
        for flow, epoch in before.items():
            if self.epoch(flow.key) != epoch:
                flow.allowed[self.epoch(flow.key), self.world.truth(flow.url)] = None

    def _changed(self) -> None:
        for flow in self.flows:
            if flow.url:
                flow.allowed[self.epoch(flow.key), self.world.truth(flow.url)] = None

    # -- the life of a call ----------------------------------------------------------------------

    def begin(self, flow: Flow) -> None:
        """Note what a call may give, as far as that is known when it begins."""
        flow.first_hit = self.faults.hits
        if flow.url:
            flow.epoch = self.epoch(flow.key)
        for other in self.flows:
            urls = {url for _, url, _ in other.asked}
            # Frames join those who are looking for the budget already, also when whoever began
            # that has given up.
            is_choosing = other.is_frame or "/budgets" in urls
            if other.url == flow.url or flow.url in urls or is_choosing:
                flow.first_hit = min(flow.first_hit, other.first_hit)
            if flow.url and (other.url == flow.url or flow.url in urls):
                flow.is_joined = True
            if flow.url and other.url == flow.url:
                other.is_joined = True
                flow.allowed |= {each: None for each in other.allowed if each[0] == flow.epoch}
        if flow.url:
            flow.allowed[flow.epoch, self.world.truth(flow.url)] = None
            flow.memories += self._recalled_truths(flow.key)
            flow.exports += self._recalled_truths(_export(flow.key))
        self.flows.append(flow)

    def recalled(self, key: str) -> Seen | None:
        """What may be remembered under a key now."""
        known = self.seen.get(key)
        return known if known and self._age(known) < self.ttl else None

    def _recalled_truths(self, key: str) -> list[Truth]:
        known = self.recalled(key)
        return known.truths if known else []

    def _age(self, known: Seen) -> float:
        # In a file the wall clock counts as well: a machine that sleeps has no other one.
        by_wall = self.world.wall() - known.wall if self.is_shared else 0.0
        return max(self.world.clock() - known.at, by_wall)

    def is_sure_of(self, key: str) -> bool:
        """Whether what was read last is remembered for certain."""
        known = self.seen.get(key)
        return known is not None and known.is_sure

    def older(self, flow: Flow) -> list[Truth]:
        """What may be shown where the service cannot be asked."""
        if self.on_limit != "stale" or not flow.is_frame:
            return []
        if flow.url == "/budgets":
            return [*self.world.summaries, self.world.truth("/budgets")]
        return self._pasts.get(flow.key, [])

    def older_exports(self, flow: Flow) -> list[Truth]:
        """What lists may be made of where the service cannot be asked."""
        return self._pasts.get(_export(flow.key), [])

    def remember(self, flow: Flow, truths: list[Truth], *, is_sure: bool) -> None:
        """A frame was made of one of these."""
        # Several may show the same: a list of parts says little of the rows around them.
        current = self.epoch(flow.key)
        truths = [
            truth
            for epoch, truth in flow.allowed
            # Which of several threads came first is not known, nor what was dropped in between.
            if truth in truths and (epoch == current or flow.is_of_thread)
        ]
        if not truths:
            return
        if not is_sure:  # it may have come from memory, and left that as it was
            truths = [*self._recalled_truths(flow.key), *truths]
        now = self.world.clock(), self.world.wall()
        self.seen[flow.key] = Seen(*now, flow.url, truths, is_sure)
        # What others have read at the same time may be what is there now.
        past = [] if is_sure else self._pasts.get(flow.key, [])
        self._pasts[flow.key] = [*past, *truths]
        self._tell(flow.key, truths)

    def perhaps(self, key: str, url: str) -> None:
        """What is there now may be remembered, or what was."""
        truths = [*self._recalled_truths(key), self.world.truth(url)]
        self.seen[key] = Seen(self.world.clock(), self.world.wall(), url, truths, is_sure=False)
        self._pasts[key] = [*self._pasts.get(key, []), *truths]
        self._tell(key, truths)

    def _tell(self, key: str, truths: list[Truth]) -> None:
        for other in self.flows:
            if other.key == key:
                other.memories += truths
            if _export(other.key) == key:
                other.exports += truths

    def went_on(self, flow: Flow, truths: list[Truth]) -> None:
        """A list was brought up to date past the frames: a file holds it once for both."""
        known = self.seen.get(flow.key)
        if known is not None and known.url == _entry(flow.url):
            known.truths.extend(truths)
            self._pasts[flow.key] += truths
            self._tell(flow.key, truths)

    def could_be(self, flow: Flow) -> list[Truth]:
        """What the answer of a read that came to its end could be of."""
        asked = self.has_asked(flow)
        truths = [truth for _, truth in flow.allowed] if asked or flow.is_joined else []
        if flow.url == "/budgets":
            # Any frame may have read it, to find its budget, and its answer may have been held.
            truths += [*self.world.summaries, self.world.truth("/budgets")]
        return truths if asked else [*truths, *flow.memories]

    def has_asked(self, flow: Flow) -> bool:
        """Whether a call has asked the service for its list itself."""
        if flow.key.startswith(":raw"):
            return bool(flow.asked)
        return any(url == flow.url for _, url, _ in flow.asked)

    def read_whole(self, flow: Flow) -> None:
        """Note that a list was read without a cursor."""
        if any(url == flow.url and not has_cursor for _, url, has_cursor in flow.asked):
            self._read_whole_at[_entry(flow.url)] = self.world.version

    def leeway(self, flow: Flow, *, is_quiet: bool) -> Leeway:
        """In what the list may differ from the service's own."""
        resource = flow.url.partition("?")[0].split("/")[3:]
        if len(resource) != 1 or resource[0] not in LISTS:
            return Leeway()
        world, is_cut, since = self.world, False, None
        if resource == ["transactions"]:
            is_cut = not flow.url.endswith("=1900-01-01")
            since = world.window_start if "=" not in flow.url else None
        whole_at = self._read_whole_at.get(_entry(flow.url), -1) if is_quiet else -1
        budget_id = flow.url.split("/")[2]
        return Leeway(
            names=whole_at < world.renamed_at[budget_id],
            ids=frozenset(key for key, at in world.crossed_at.items() if at > whole_at)
            if is_cut
            else frozenset(),
            since=since,
            spelling=len(self.spellings) > 1,
        )


def _entry(url: str) -> str:
    return url.replace("/plans/", "/budgets/", 1)


def _export(key: str) -> str:
    return f"{key.partition(':')[0]}:export"
