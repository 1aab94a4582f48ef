"""Reads with a time limit on what is remembered, and the choice of the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd

from ._connect import GivenClient, OwnClient
from ._resources import EXPORT, RESOURCES, path_of
from ._responses import invalid_response
from .errors import ToolError
from .frames import EXPORTED, as_lists, table_for

__all__ = ["Budget", "Session", "Snapshot"]

# Missing, it would mean the last year only, for deltas too. Always the same, so that deltas work.
_EARLIEST = "1900-01-01"
_LAST_USED = "last-used"
_COPY_ON_WRITE = int(pd.__version__.split(".", maxsplit=1)[0]) >= 3  # noqa: PLR2004


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget that a session reads."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """An answer of the service and when it was asked for. Nobody changes its data."""

    data: Mapping[str, Any]
    as_of: datetime
    source: str


class Session:
    """What one facade knows: its client, its budget, and what it has read.

    All coroutines run on the loop of the client.
    """

    def __init__(
        self,
        client: OwnClient | GivenClient,
        *,
        budget: str | None,
        ttl: float,
        now: Callable[[], datetime],
    ) -> None:
        if not ttl >= 0:
            raise ToolError(f"ttl={ttl!r}: give seconds, 0 for no remembering")
        self.client = client
        self.wanted = budget
        self.ttl = ttl
        self.now = now
        self.chosen: Budget | None = None
        self.loaded: dict[str, Snapshot] = {}
        self._frames: dict[tuple[str, str], tuple[Mapping[str, Any], pd.DataFrame]] = {}

    async def read(self, key: str, path: str, **params: str) -> Snapshot:
        """An answer no older than the time to live; newer ones cost a request."""
        client, cache = self.client(), self.client.cache
        if cache is not None and self.ttl:
            remembered = cache.get_ttl(key)
            if isinstance(remembered, Snapshot):
                return remembered
        reading = cache.begin(key) if cache is not None else None
        as_of = self.now()
        data = await client.get_shared(path, params=params)
        snapshot = Snapshot(data, as_of, f"GET {path}")
        self.loaded[key] = snapshot
        if cache is not None and reading is not None and self.ttl and cache.is_current(reading):
            cache.set_ttl(key, snapshot, self.ttl)
        return snapshot

    async def read_list(self, name: str, *, month: str | None = None) -> Snapshot:
        """One of the lists of the budget, or its part of one month."""
        resource = RESOURCES[name]
        budget = await self.budget()
        key, path = f"{budget.id}:{name}", path_of(resource.path, budget_id=budget.id)
        if month is not None:
            of_month = path_of(RESOURCES["months"].item_path or "", budget_id=budget.id, id=month)
            return await self.read(f"{key}:{month}", f"{of_month}/{name}")
        if name == "transactions":
            return await self.read(key, path, since_date=_EARLIEST)
        return await self.read(key, path)

    async def read_item(self, name: str, item_id: str) -> Snapshot:
        """A single one of a resource."""
        budget = await self.budget()
        path = path_of(RESOURCES[name].item_path or "", budget_id=budget.id, id=item_id)
        return await self.read(f"{budget.id}:{name}:{item_id}", path)

    async def read_export(self) -> Snapshot:
        """Everything in the budget, in one answer."""
        budget = await self.budget()
        path = path_of(RESOURCES[EXPORT].path, budget_id=budget.id)
        return await self.read(f"{budget.id}:{EXPORT}", path)

    async def write(
        self, method: str, name: str, item_id: str | None, body: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Write to a resource, once. The client drops what that made stale."""
        budget = await self.budget()
        resource = RESOURCES[name]
        path = path_of(resource.path, budget_id=budget.id)
        if item_id is not None:
            path = path_of(resource.item_path or "", budget_id=budget.id, id=item_id)
        return await self.client().request(method, path, json=body)

    async def frame_of(self, table: str, name: str, month: str | None) -> pd.DataFrame:
        """A frame of one of the lists, or of its part of one month."""
        return self._frame(table, await self.read_list(name, month=month))

    async def month_frame(self, month: str) -> pd.DataFrame:
        """The categories of one month."""
        return self._frame("month", await self.read_item("months", month))

    async def budgets_frame(self) -> pd.DataFrame:
        """The list of budgets."""
        return self._frame("budgets", await self.read_budgets())

    async def export_frames(self) -> dict[str, pd.DataFrame]:
        """Every frame of the whole-budget export."""
        export = await self.read_export()
        try:
            lists = as_lists(export.data["budget"])
        except (AttributeError, KeyError, TypeError) as error:
            raise invalid_response(200, f"no whole budget in it: {error!r}") from None
        return {name: self._frame(name, export, lists) for name in EXPORTED}

    def _frame(
        self, table: str, snapshot: Snapshot, data: Mapping[str, Any] | None = None
    ) -> pd.DataFrame:
        """The frame of an answer; built once for the same data."""
        known = self._frames.get((table, snapshot.source))
        if known is None or known[0] is not snapshot.data:
            data = snapshot.data if data is None else data
            known = (snapshot.data, table_for(table, data).frame(data))
            self._frames[table, snapshot.source] = known
        frame = known[1].copy(deep=not _COPY_ON_WRITE)
        frame.attrs = {
            "as_of": snapshot.as_of.isoformat(timespec="seconds"),
            "source": snapshot.source,
        }
        if self.chosen is not None:
            frame.attrs["budget"] = self.chosen.name
        return frame

    async def budget(self) -> Budget:
        """The budget to read, chosen once.

        Raises
        ------
        ToolError
            When the name fits none or several; it says which there are.
        """
        if self.chosen is None:
            self.chosen = await self._choose()
        return self.chosen

    async def read_budgets(self) -> Snapshot:
        """The list of budgets."""
        return await self.read(":budgets", "/budgets")

    async def _choose(self) -> Budget:
        if self.wanted == _LAST_USED:
            # Only the service knows which one it is, and only the export says so.
            export = await self.client().get_shared(f"/budgets/{_LAST_USED}")
            return _identified(export.get("budget"))
        snapshot = await self.read_budgets()
        frame = self._frame("budgets", snapshot)
        there = list(map(Budget, frame["budget_id"], frame["budget_name"]))
        default = snapshot.data.get("default_budget")
        if self.wanted is not None:
            return _named(self.wanted, there)
        if len(there) == 1:
            return there[0]
        if default is not None:
            return _identified(default)
        raise ToolError(f"which budget? Pass budget= one of {_listed(there)}")

    def sibling(self, budget: str) -> Session:
        """A session for another budget on the same client."""
        return Session(self.client, budget=budget, ttl=self.ttl, now=self.now)

    def forget(self) -> None:
        """Drop what is remembered of the budget, and of the list of budgets."""
        cache = self.client.cache
        if cache is not None:
            cache.invalidate_budget("")
            if self.chosen is not None:
                cache.invalidate_budget(self.chosen.id)
        self.loaded.clear()
        self._frames.clear()


def _identified(budget: Any) -> Budget:
    try:
        return Budget(budget["id"], budget["name"])
    except (KeyError, TypeError):
        raise invalid_response(200, "no budget with an id and a name in it") from None


def _named(wanted: str, there: list[Budget]) -> Budget:
    folded = wanted.strip().casefold()
    candidates = (
        [budget for budget in there if budget.id.lower() == folded],
        [budget for budget in there if budget.name == wanted],
        [budget for budget in there if budget.name.strip().casefold() == folded],
    )
    found = next(filter(None, candidates), [])
    if len(found) > 1:
        ids = ", ".join(budget.id for budget in found)
        raise ToolError(f"{len(found)} budgets are called {wanted!r}; pass an id: {ids}")
    if not found:
        raise ToolError(f"no budget {wanted!r}; there are {_listed(there)}")
    return found[0]


def _listed(budgets: list[Budget]) -> str:
    return ", ".join(repr(budget.name) for budget in budgets) or "none at all"
