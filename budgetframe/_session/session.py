"""Frames and models of the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
from pydantic_core import ValidationError

from budgetframe import models
from budgetframe._client.responses import invalid_response
from budgetframe._resources import EXPORT, RESOURCES
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe.frames import EXPORTED, RECORD_TABLES, TABLES, Built, as_lists, table_for

from .reads import Answer, ReadThrough

__all__ = ["RESOURCE_OF", "Session", "modelled"]

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")

RESOURCE_OF = {resource.data_key: name for name, resource in RESOURCES.items()}
"""The resource that a list belongs to, by the key of the list."""


class Session(ReadThrough):
    """The answers that one facade knows, as frames and models.

    Parameters
    ----------
    *args, **kwargs
        As for `ReadThrough`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._frames: dict[tuple[str, str], tuple[Mapping[str, Any], Built]] = {}
        self.ledger: tuple[list[Built], pd.DataFrame] | None = None  # and what it is made of

    async def frame_of(
        self, table: str, *, month: str | None = None, extra: bool = False
    ) -> pd.DataFrame:
        """A frame of one of the lists, or of its part of one month."""
        answer = await self.source_of(table, month)
        return self._copy_for_caller(table, answer, extra=extra)

    async def frame_with_deleted(self, table: str, *, extra: bool = False) -> pd.DataFrame:
        """A frame of one of the lists, with what the service says was deleted from it."""
        name = RESOURCE_OF[TABLES[table].path[0]]
        answer, told = await self.read_list(name), await self.read_changes(name)
        if told.as_of < answer.as_of:  # what was deleted in between would be in neither
            told = await self.read_changes(name, is_new=True)
        with self._in_use(told), self._in_use(answer), paused_gc():
            data = TABLES[table].with_deleted(answer.data, told.data)
            frame = TABLES[table].frame(data, extra=extra, include_deleted=True)
        frame.attrs = self.attrs_of([answer, told])
        return frame

    async def month_frame(self, month: str, *, extra: bool = False) -> pd.DataFrame:
        """The categories of one month."""
        answer = await self.read_item("months", month)
        return self._copy_for_caller("month", answer, extra=extra)

    async def budgets_frame(self, *, extra: bool = False) -> pd.DataFrame:
        """The list of budgets."""
        return self._copy_for_caller("budgets", await self.read_budgets(), extra=extra)

    async def export_frames(self) -> dict[str, pd.DataFrame]:
        """Every frame of the whole-budget export."""
        return self.frames_from(await self.read_export(), *EXPORTED)

    def frames_from(self, answer: Answer, *tables: str) -> dict[str, pd.DataFrame]:
        """Frames of an answer, by their names."""
        frames_of = self.frames_of(dict.fromkeys(tables, answer))
        copies = (self._copy(built, answer) for built in frames_of)
        return dict(zip(tables, copies, strict=True))

    async def source_of(self, table: str, month: str | None = None) -> Answer:
        """The answer to make a frame of: that of its list, or the export that holds it too."""
        if table == "month_categories":
            return await self.read_export()
        name = RESOURCE_OF[TABLES[table].path[0]]
        if month is not None or table not in EXPORTED:
            return await self.read_list(name, month=month)
        budget, memory = await self.budget(), self.client.cache
        key, export = f"{budget.id}:{name}", self._export(budget)
        if memory.get_timed(key, self.ttl) is None and memory.get_timed(export.key, self.ttl):
            return await self.read_export()
        listed, exported = memory.get_stale(key), memory.get_stale(export.key)
        is_newer = exported is not None and (listed is None or exported[1] > listed[1])
        return await self.read_list(name, older=export if is_newer else None)

    def frames_of(self, sources: Mapping[str, Answer]) -> list[Built]:
        """The frames of answers, built once for the same answer: nobody's but the session's."""
        lists = {id(each.data): self._lists_in(each) for each in sources.values()}
        return [
            self._built(table, answer, lists[id(answer.data)]) for table, answer in sources.items()
        ]

    def _built(self, name: str, answer: Answer, lists: Mapping[str, Any]) -> Built:
        with self._in_use(answer), paused_gc():
            table = table_for(name, lists, has_records=self.has_records)
            place = (table.name, answer.source)
            of, older = self._frames.get(place, (None, None))
            if older is not None and of is answer.data:
                return older
            built = table.build(lists, older)
        if name in RECORD_TABLES:
            self.has_records = table.name != name
        if lists is not answer.data:  # made for this frame: none of its rows will be seen again
            built = Built((), built.frame)
        self._frames[place] = answer.data, built
        return built

    def _copy_for_caller(self, name: str, answer: Answer, *, extra: bool) -> pd.DataFrame:
        if not extra:
            (built,) = self.frames_of({name: answer})
            return self._copy(built, answer)
        # Not remembered: fields may hold lists and mappings, which copies of a frame would share.
        lists = self._lists_in(answer)
        with self._in_use(answer), paused_gc():
            table = table_for(name, lists, has_records=self.has_records)
            frame = table.frame(lists, extra=True)
        frame.attrs = self.attrs_of([answer])
        return frame

    def _lists_in(self, answer: Answer) -> Mapping[str, Any]:
        """The lists in an answer; each list of an export is made when it is asked for."""
        if answer.key.partition(":")[2] != EXPORT:
            return answer.data
        with self._in_use(answer):
            budget = answer.data.get("budget")
            if not isinstance(budget, dict):
                raise invalid_response(200, "no whole budget in it")
            return as_lists(budget)

    def _copy(self, built: Built, answer: Answer) -> pd.DataFrame:
        # A deep one: pandas guards a shallow one against most writes, not against `.array[0] = 1`.
        frame = built.frame.copy()
        frame.attrs = self.attrs_of([answer])
        return frame

    def attrs_of(self, snapshots: Iterable[Answer]) -> dict[Any, Any]:
        """What a frame says of itself: of the oldest of the answers it is made of."""
        known = list(snapshots)
        as_of = min(answer.as_of for answer in known)
        attrs = self.attrs(as_of, " and ".join(dict.fromkeys(each.source for each in known)))
        stale = dict.fromkeys(each.stale for each in known if each.stale is not None)
        return attrs | {"stale": "; ".join(stale)} if stale else attrs

    def attrs(self, as_of: datetime, source: str) -> dict[Any, Any]:
        """What a frame says of itself."""
        attrs: dict[Any, Any] = {
            "as_of": as_of.isoformat(timespec="seconds"),
            "source": source,
        }
        if self.chosen is not None:
            attrs |= {"budget": self.chosen.name}
            if self.chosen.currency_format:
                attrs |= {"currency_format": dict(self.chosen.currency_format)}
        return attrs

    async def model_of(self, shape: type[_M], key: str, path: str) -> _M:
        """An answer as a model."""
        return self.modelled(shape, await self.read(key, path))

    async def item_of(self, shape: type[_M], name: str, item_id: str) -> _M:
        """A single one of a resource as a model."""
        return self.modelled(shape, await self.read_item(name, item_id))

    async def list_of(self, shape: type[_M], name: str) -> _M:
        """One of the lists, or that of budgets, as a model."""
        is_budgets = name == "budgets"
        return self.modelled(
            shape, await (self.read_budgets() if is_budgets else self.read_list(name))
        )

    async def settings_of_budget(self) -> models.Settings:
        """The formats of the budget."""
        return self.modelled(models.SettingsResponseData, await self.read_list("settings")).settings

    def modelled(self, shape: type[_M], answer: Answer) -> _M:
        """An answer as a model; one that does not fit is forgotten."""
        with self._in_use(answer):
            return modelled(shape, answer.data)

    def forget(self) -> None:
        """Drop what is remembered of the budget, and of the list of budgets."""
        super().forget()
        self._frames.clear()
        self.ledger = None


def modelled(shape: type[_M], data: Mapping[str, Any]) -> _M:
    """The data as a model; an answer that does not fit is a `ServiceAPIError`."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise invalid_response(200, f"not what this version expects in it: {problems}") from None
