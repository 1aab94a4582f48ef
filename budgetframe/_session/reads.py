"""Answers of the service: reads with a time limit on what is remembered, for one budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple, Self

import httpx

from budgetframe._cache.delta_cache import Reading
from budgetframe._resources import EXPORT, RESOURCES, path_of
from budgetframe._runtime.deferred_warnings import notify
from budgetframe.errors import BudgetFrameError, ServiceAPIError, ToolError
from budgetframe.frames import TABLES

from .budget_choice import Budget, choose, identified
from .client_source import GivenClient, OwnClient
from .on_limit import Patience, stale

__all__ = ["Answers", "Place", "Snapshot"]

# Missing, it would mean the last year only, for deltas too. Always the same, so that deltas work.
_EARLIEST = "1900-01-01"
_BEGINNING = "1"  # the first server knowledge there is; 0 would mean the list as it is now
_LAST_USED = "last-used"
_NO_SUCH_RESOURCE = "404.2"
_CHOICE_SECONDS = 3600.0  # for which a restart need not ask which budget a name stands for


class Place(NamedTuple):
    """The key that an answer is remembered under, and the path that it comes from."""

    key: str
    path: str


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """An answer of the service and when it was asked for. Nobody changes its data."""

    key: str
    data: Mapping[str, Any]
    as_of: datetime
    source: str
    stale: str | None = None
    is_new: bool = False


class Answers:
    """What one facade knows: its client, its budget, and what it has read.

    All coroutines run on the loop of the client.

    Parameters
    ----------
    client : OwnClient or GivenClient
        Gives the client, on its loop.
    budget : str or None
        Name or id, ``"last-used"``, or None for the only one.
    ttl : float
        Seconds for which an answer is remembered.
    now : callable
        Gives the time of the wall clock.
    patience : Patience
        What to do when the service cannot be asked.
    has_records : bool
        Whether an empty list of money movements is taken for one of records, until the service
        has shown which shape it uses.
    """

    def __init__(
        self,
        client: OwnClient | GivenClient,
        *,
        budget: str | None,
        ttl: float,
        now: Callable[[], datetime],
        patience: Patience,
        has_records: bool = False,
    ) -> None:
        if not ttl >= 0:
            raise ToolError(f"ttl={ttl!r}: give seconds, 0 for no remembering")
        self.client = client
        self.wanted = budget
        self.ttl = ttl
        self.now = now
        self.patience = patience
        self.chosen: Budget | None = None
        self.loaded: dict[str, Snapshot] = {}
        self.has_records = has_records

    async def read(
        self,
        key: str,
        path: str,
        *,
        is_new: bool = False,
        absent: Mapping[str, Any] | None = None,
        older: Place | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Snapshot:
        """An answer no older than the time to live, or else a new one.

        `absent` stands for the answer where the service says that there is no such resource. Where
        the service cannot be asked it may be an older one, with a warning, or the one from `older`.
        With `is_new` none that was there before will do.
        """
        data: Mapping[str, Any]
        client, memory = self.client(), self.client.cache
        remembered = None if is_new else memory.recall(key, self.ttl)
        if remembered is not None:
            snapshot = Snapshot(key, *remembered, f"GET {path}")
            self.loaded.setdefault(key, snapshot)
            return snapshot

        async def ask() -> tuple[Reading, datetime, Mapping[str, Any]]:
            # Begun anew after each wait: what happens meanwhile is no reason to forget the answer.
            begun = memory.begin(key), self.now()
            try:
                return *begun, await client.get_shared(path, params=params)
            except ServiceAPIError as error:
                if absent is None or error.error_id != _NO_SUCH_RESOURCE:
                    raise
                return *begun, absent

        try:
            reading, as_of, data = await self.patience.ask(ask)
        except (BudgetFrameError, httpx.RequestError) as error:
            shown = None if is_new else self._older(_shown(key), older or Place(key, path), error)
            if shown is None:
                raise
            return shown
        snapshot = Snapshot(key, data, as_of, f"GET {path}", is_new=True)
        self.loaded.pop(key, None)  # the newest stands last
        self.loaded[key] = snapshot
        memory.remember(reading, data, self.ttl, as_of)
        return snapshot

    def _older(self, what: str, place: Place, error: Exception) -> Snapshot | None:
        """What was read last, with a warning, where that is wanted and of use."""
        known = self.client.cache.recall_expired(place.key)
        if self.patience.on_limit != "stale" or known is None:
            return None
        notice = stale(what, known[1], self.now(), error)
        if notice is None:
            return None
        notify(notice)
        return Snapshot(place.key, *known, f"GET {place.path}", stale=str(notice))

    async def read_list(
        self,
        name: str,
        *,
        month: str | None = None,
        is_new: bool = False,
        older: Place | None = None,
    ) -> Snapshot:
        """One of the lists of the budget, or its part of one month."""
        resource = RESOURCES[name]
        budget = await self.budget()
        key, path = f"{budget.id}:{name}", path_of(resource.path, budget_id=budget.id)
        if month is not None:
            of_month = path_of(RESOURCES["months"].item_path or "", budget_id=budget.id, id=month)
            return await self.read(f"{key}:{month}", f"{of_month}/{name}")
        if name == "transactions":
            since = {"since_date": _EARLIEST}
            return await self.read(key, path, is_new=is_new, older=older, params=since)
        if name == "scheduled_transactions":
            # What the service may say of a budget that never had one.
            return await self.read(key, path, is_new=is_new, older=older, absent={name: []})
        return await self.read(key, path, is_new=is_new, older=older)

    async def read_changes(self, name: str, *, is_new: bool = False) -> Snapshot:
        """What changed in a list since it began: the one answer in which deleted rows show."""
        budget = await self.budget()
        path = path_of(RESOURCES[name].path, budget_id=budget.id)
        params = {"last_knowledge_of_server": _BEGINNING}
        if name == "transactions":
            params["since_date"] = _EARLIEST
        key = f"{budget.id}:{name}:changes"
        return await self.read(key, path, is_new=is_new, params=params)

    async def read_item(self, name: str, item_id: str) -> Snapshot:
        """A single one of a resource."""
        budget = await self.budget()
        path = path_of(RESOURCES[name].item_path or "", budget_id=budget.id, id=item_id)
        return await self.read(f"{budget.id}:{name}:{item_id}", path)

    async def read_export(self, *, is_new: bool = False) -> Snapshot:
        """Everything in the budget, in one answer."""
        return await self.read(*self._export(await self.budget()), is_new=is_new)

    def _export(self, budget: Budget) -> Place:
        path = path_of(RESOURCES[EXPORT].path, budget_id=budget.id)
        return Place(f"{budget.id}:{EXPORT}", path)

    async def write(
        self, method: str, name: str, item_id: str | None, body: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Write to a resource, once. The client drops what that made stale."""
        budget = await self.budget()
        resource = RESOURCES[name]
        path = path_of(resource.path, budget_id=budget.id)
        if item_id is not None:
            path = path_of(resource.item_path or "", budget_id=budget.id, id=item_id)
        try:
            json.dumps(body, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:  # half of a character: no service could store it
            half = error.object[error.start : error.end]
            raise ToolError(
                f"{half!r} is a character that cannot be sent. Nothing was sent"
            ) from None
        return await self.client().request(method, path, json=body)

    @contextmanager
    def _in_use(self, snapshot: Snapshot) -> Iterator[None]:
        """Forget an answer that turns out to be of no use: the next one may be better."""
        try:
            yield
        except ServiceAPIError:
            self.client.cache.invalidate(snapshot.key)
            self.loaded.pop(snapshot.key, None)
            raise

    async def budget(self) -> Budget:
        """The budget to read, chosen once.

        Raises
        ------
        ToolError
            When the name fits none or several; it says which there are.
        """
        if self.chosen is None:
            memory, key = self.client.cache, f":choice:{self.wanted!r}"
            known = memory.recall(key, _CHOICE_SECONDS)
            if known is not None:
                self.chosen = Budget(**known[0])
            else:
                reading, as_of = memory.begin(key), self.now()
                self.chosen = await self._choose()
                seconds = self.ttl if self.wanted == _LAST_USED else _CHOICE_SECONDS
                memory.remember(reading, asdict(self.chosen), seconds, as_of)
        return self.chosen

    async def read_budgets(self) -> Snapshot:
        """The list of budgets."""
        return await self.read(":budgets", "/budgets")

    async def _choose(self) -> Budget:
        if self.wanted == _LAST_USED:
            # Only the service knows which one it is, and only the export says so.
            export = await self.read(":last-used", f"/budgets/{_LAST_USED}")
            return identified(export.data.get("budget"))
        snapshot = await self.read_budgets()
        with self._in_use(snapshot):
            TABLES["budgets"].frame(snapshot.data)  # refuses what is not what it should be
        there = list(map(identified, snapshot.data["budgets"]))
        default = snapshot.data.get("default_budget")
        return choose(self.wanted, there, default)

    def sibling(self, budget: str) -> Self:
        """A session for another budget on the same client."""
        return type(self)(
            self.client,
            budget=budget,
            ttl=self.ttl,
            now=self.now,
            patience=self.patience,
            has_records=self.has_records,
        )

    def forget(self) -> None:
        """Drop what is remembered of the budget, and of the list of budgets."""
        memory = self.client.cache
        if self.chosen is None:
            memory.clear()  # what a process before this one has read may be of this budget
        else:
            memory.invalidate_budget("")
            memory.invalidate_budget(self.chosen.id)
        self.loaded.clear()


def _shown(key: str) -> str:
    """What a key of the cache stands for, in words."""
    return key.partition(":")[2].replace(":", " ")
