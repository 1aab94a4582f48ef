"""Reads with a time limit on what is remembered, and the choice of the budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar

import httpx
import pandas as pd
from pydantic import BaseModel, ValidationError

from . import models
from ._cache import Reading
from ._choice import Budget, choose, identified
from ._connect import GivenClient, OwnClient
from ._notices import notify
from ._patience import Patience, stale
from ._resources import EXPORT, RESOURCES, path_of
from ._responses import invalid_response
from .errors import BudgetFrameError, ServiceAPIError, ToolError
from .frames import EXPORTED, RECORD_TABLES, as_lists, table_for

__all__ = ["Session", "Snapshot", "modelled"]

# Missing, it would mean the last year only, for deltas too. Always the same, so that deltas work.
_EARLIEST = "1900-01-01"
_LAST_USED = "last-used"
_NO_SUCH_RESOURCE = "404.2"
_CHOICE_SECONDS = 3600.0  # for which a restart need not ask which budget a name stands for
_M = TypeVar("_M", bound=BaseModel)


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


class Session:
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
        self._has_records = has_records
        self._frames: dict[tuple[str, str], tuple[Mapping[str, Any], pd.DataFrame]] = {}

    async def read(
        self,
        key: str,
        path: str,
        *,
        is_new: bool = False,
        absent: Mapping[str, Any] | None = None,
        older: Place | None = None,
        **params: str,
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
            return await self.read(key, path, is_new=is_new, older=older, since_date=_EARLIEST)
        if name == "scheduled_transactions":
            # What the service may say of a budget that never had one.
            return await self.read(key, path, is_new=is_new, older=older, absent={name: []})
        return await self.read(key, path, is_new=is_new, older=older)

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

    async def frame_of(self, table: str, name: str, month: str | None) -> pd.DataFrame:
        """A frame of one of the lists, or of its part of one month."""
        older = None
        if month is None and table in EXPORTED:  # which holds this list as well
            budget, memory = await self.budget(), self.client.cache
            key, export = f"{budget.id}:{name}", self._export(budget)
            if memory.recall(key, self.ttl) is None and memory.recall(export.key, self.ttl):
                return (await self.export_frames(table))[table]
            listed, exported = memory.recall_expired(key), memory.recall_expired(export.key)
            if exported and (listed is None or exported[1] > listed[1]):
                older = export
        snapshot = await self.read_list(name, month=month, older=older)
        if older is not None and snapshot.key == older.key:
            return self.frames_in(snapshot, table)[table]
        return self.frame(table, snapshot)

    async def month_frame(self, month: str) -> pd.DataFrame:
        """The categories of one month."""
        return self.frame("month", await self.read_item("months", month))

    async def budgets_frame(self) -> pd.DataFrame:
        """The list of budgets."""
        return self.frame("budgets", await self.read_budgets())

    async def export_frames(self, *names: str) -> dict[str, pd.DataFrame]:
        """Frames of the whole-budget export; every one where none is named."""
        return self.frames_in(await self.read_export(), *names)

    def frames_in(self, export: Snapshot, *names: str) -> dict[str, pd.DataFrame]:
        """Frames of such an export; every one where none is named."""

        @cache
        def lists() -> dict[str, Any]:
            try:
                return as_lists(export.data["budget"])
            except (AttributeError, KeyError, TypeError) as error:
                raise invalid_response(200, f"no whole budget in it: {error!r}") from None

        return {name: self.frame(name, export, lists) for name in names or EXPORTED}

    def frame(
        self,
        table: str,
        snapshot: Snapshot,
        lists: Callable[[], Mapping[str, Any]] | None = None,
    ) -> pd.DataFrame:
        """The frame of an answer, or of the lists made of it; built once for the same answer."""
        known = self._frames.get((table, snapshot.source))
        if known is None or known[0] is not snapshot.data:
            with self._in_use(snapshot):
                known = (snapshot.data, self._built(table, lists() if lists else snapshot.data))
            self._frames[table, snapshot.source] = known
        # A deep copy: pandas guards a shallow one against most writes, not against `.array[0] = 1`.
        frame = known[1].copy()
        frame.attrs = self.attrs(snapshot.as_of, snapshot.source)
        if snapshot.stale is not None:
            frame.attrs["stale"] = snapshot.stale
        return frame

    def attrs(self, as_of: datetime, source: str) -> dict[Any, Any]:
        """What a frame says of itself."""
        attrs = {"as_of": as_of.isoformat(timespec="seconds"), "source": source}
        return attrs if self.chosen is None else attrs | {"budget": self.chosen.name}

    def _built(self, name: str, data: Mapping[str, Any]) -> pd.DataFrame:
        table = table_for(name, data, has_records=self._has_records)
        if name in RECORD_TABLES:
            self._has_records = table.name != name
        return table.frame(data)

    async def model_of(self, shape: type[_M], key: str, path: str) -> _M:
        """An answer as a model."""
        return self._model(shape, await self.read(key, path))

    async def item_of(self, shape: type[_M], name: str, item_id: str) -> _M:
        """A single one of a resource as a model."""
        return self._model(shape, await self.read_item(name, item_id))

    async def settings_of_budget(self) -> models.Settings:
        """The formats of the budget."""
        return self._model(models.SettingsResponseData, await self.read_list("settings")).settings

    def _model(self, shape: type[_M], snapshot: Snapshot) -> _M:
        with self._in_use(snapshot):
            return modelled(shape, snapshot.data)

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
        frame = self.frame("budgets", snapshot)
        there = list(map(Budget, frame["budget_id"], frame["budget_name"]))
        default = snapshot.data.get("default_budget")
        return choose(self.wanted, there, default)

    def sibling(self, budget: str) -> Session:
        """A session for another budget on the same client."""
        return type(self)(
            self.client,
            budget=budget,
            ttl=self.ttl,
            now=self.now,
            patience=self.patience,
            has_records=self._has_records,
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
        self._frames.clear()


def modelled(shape: type[_M], data: Mapping[str, Any]) -> _M:
    """The data as a model; an answer that does not fit is a `ServiceAPIError`."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise invalid_response(200, f"not what this version expects in it: {problems}") from None


def _shown(key: str) -> str:
    """What a key of the cache stands for, in words."""
    return key.partition(":")[2].replace(":", " ")
