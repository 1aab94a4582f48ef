"""Answers of the service: reads with a time limit on what is remembered, for one budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple, Self

import httpx

from budgetframe._cache.delta_cache import ReadToken
from budgetframe._resources import EXPORT, RESOURCES, path_of
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe.errors import BudgetFrameError, ServiceAPIError, ToolError
from budgetframe.frames import TABLES

from .budget_choice import Budget, choose, identified
from .client_source import GivenClient, OwnClient
from .on_limit import LimitPolicy, stale

__all__ = ["Answer", "CacheAddress", "ReadThrough"]

# Missing, it would mean the last year only, for deltas too. Always the same, so that deltas work.
_EARLIEST = "1900-01-01"
_BEGINNING = "1"  # the first server knowledge there is; 0 would mean the list as it is now
_LAST_USED = "last-used"
_NO_SUCH_RESOURCE = "404.2"
_CHOICE_SECONDS = 3600.0  # for which a restart need not ask which budget a name stands for


class CacheAddress(NamedTuple):
    """The key that an answer is remembered under, and the path that it comes from."""

    key: str
    path: str


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """An answer of the service and when it was asked for. Nobody changes its data."""

    key: str
    data: Mapping[str, Any]
    as_of: datetime
    source: str
    stale: str | None = None
    is_new: bool = False


class ReadThrough:
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
        policy: LimitPolicy,
        has_records: bool = False,
    ) -> None:
        if not ttl >= 0:
            raise ToolError(f"ttl={ttl!r}: give seconds, 0 for no remembering")
        self.client = client
        self.wanted = budget
        self.ttl = ttl
        self.now = now
        self.policy = policy
        self.chosen: Budget | None = None
        self.loaded: dict[str, Answer] = {}
        self.has_records = has_records

    async def read(
        self,
        key: str,
        path: str,
        *,
        is_new: bool = False,
        absent: Mapping[str, Any] | None = None,
        older: CacheAddress | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Answer:
        """An answer no older than the time to live, or else a new one.

        `absent` stands for the answer where the service says that there is no such resource. Where
        the service cannot be asked it may be an older one, with a warning, or the one from `older`.
        With `is_new` none that was there before will do.
        """
        data: Mapping[str, Any]
        client, memory = self.client(), self.client.cache
        remembered = None if is_new else memory.get_timed(key, self.ttl)
        if remembered is not None:
            answer = Answer(key, *remembered, f"GET {path}")
            self.loaded.setdefault(key, answer)
            return answer

        async def ask() -> tuple[ReadToken, datetime, Mapping[str, Any]]:
            # Begun anew after each wait: what happens meanwhile is no reason to forget the answer.
            begun = memory.begin_read(key), self.now()
            try:
                return *begun, await client.get_shared(path, params=params)
            except ServiceAPIError as error:
                if absent is None or error.error_id != _NO_SUCH_RESOURCE:
                    raise
                return *begun, absent

        try:
            read_token, as_of, data = await self.policy.ask(ask)
        except (BudgetFrameError, httpx.RequestError) as error:
            frames_of = (
                None
                if is_new
                else self._older(_display_name(key), older or CacheAddress(key, path), error)
            )
            if frames_of is None:
                raise
            return frames_of
        answer = Answer(key, data, as_of, f"GET {path}", is_new=True)
        self.loaded.pop(key, None)  # the newest stands last
        self.loaded[key] = answer
        memory.put_timed(read_token, data, self.ttl, as_of)
        return answer

    def _older(self, what: str, place: CacheAddress, error: Exception) -> Answer | None:
        """What was read last, with a warning, where that is wanted and of use."""
        known = self.client.cache.get_stale(place.key)
        if self.policy.on_limit != "stale" or known is None:
            return None
        notice = stale(what, known[1], self.now(), error)
        if notice is None:
            return None
        defer_warning(notice)
        return Answer(place.key, *known, f"GET {place.path}", stale=str(notice))

    async def read_list(
        self,
        name: str,
        *,
        month: str | None = None,
        is_new: bool = False,
        older: CacheAddress | None = None,
    ) -> Answer:
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

    async def read_changes(self, name: str, *, is_new: bool = False) -> Answer:
        """What changed in a list since it began: the one answer in which deleted rows show."""
        budget = await self.budget()
        path = path_of(RESOURCES[name].path, budget_id=budget.id)
        params = {"last_knowledge_of_server": _BEGINNING}
        if name == "transactions":
            params["since_date"] = _EARLIEST
        key = f"{budget.id}:{name}:changes"
        return await self.read(key, path, is_new=is_new, params=params)

    async def read_item(self, name: str, item_id: str) -> Answer:
        """A single one of a resource."""
        budget = await self.budget()
        path = path_of(RESOURCES[name].item_path or "", budget_id=budget.id, id=item_id)
        return await self.read(f"{budget.id}:{name}:{item_id}", path)

    async def read_export(self, *, is_new: bool = False) -> Answer:
        """Everything in the budget, in one answer."""
        return await self.read(*self._export(await self.budget()), is_new=is_new)

    def _export(self, budget: Budget) -> CacheAddress:
        path = path_of(RESOURCES[EXPORT].path, budget_id=budget.id)
        return CacheAddress(f"{budget.id}:{EXPORT}", path)

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
    def _in_use(self, answer: Answer) -> Iterator[None]:
        """Forget an answer that turns out to be of no use: the next one may be better."""
        try:
            yield
        except ServiceAPIError:
            self.client.cache.invalidate(answer.key)
            self.loaded.pop(answer.key, None)
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
            known = memory.get_timed(key, _CHOICE_SECONDS)
            if known is not None:
                self.chosen = Budget(**known[0])
            else:
                read_token, as_of = memory.begin_read(key), self.now()
                self.chosen = await self._choose()
                seconds = self.ttl if self.wanted == _LAST_USED else _CHOICE_SECONDS
                memory.put_timed(read_token, asdict(self.chosen), seconds, as_of)
        return self.chosen

    async def read_budgets(self) -> Answer:
        """The list of budgets."""
        return await self.read(":budgets", "/budgets")

    async def _choose(self) -> Budget:
        if self.wanted == _LAST_USED:
            # Only the service knows which one it is, and only the export says so.
            export = await self.read(":last-used", f"/budgets/{_LAST_USED}")
            return identified(export.data.get("budget"))
        answer = await self.read_budgets()
        with self._in_use(answer):
            TABLES["budgets"].frame(answer.data)  # refuses what is not what it should be
        there = list(map(identified, answer.data["budgets"]))
        default = answer.data.get("default_budget")
        return choose(self.wanted, there, default)

    def sibling(self, budget: str) -> Self:
        """A session for another budget on the same client."""
        return type(self)(
            self.client,
            budget=budget,
            ttl=self.ttl,
            now=self.now,
            policy=self.policy,
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


def _display_name(key: str) -> str:
    """What a key of the cache stands for, in words."""
    return key.partition(":")[2].replace(":", " ")
