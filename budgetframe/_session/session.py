"""Frames and models of one budget; each frame is built once for the same answer."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
import pandas as pd

from budgetframe import models
from budgetframe._cache.storage import Unread
from budgetframe._client.responses import invalid_response
from budgetframe._resources import EXPORT, RESOURCES
from budgetframe._runtime.deferred_warnings import DamagedRows, collected_warnings, defer_warning
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe._runtime.text import number_of, words_in
from budgetframe.errors import BudgetFrameError
from budgetframe.frames.builder import Built, Table, drop_outdated_rows
from budgetframe.frames.export import EXPORTED, as_lists, changed_rows
from budgetframe.frames.ledger_patch import with_names
from budgetframe.frames.loan_terms import add_loan_terms
from budgetframe.frames.tables import RECORD_TABLES, TABLES, table_for

from .addresses import CacheAddress
from .as_model import model_of
from .frame_states import FrameStates
from .journal_memory import JournalMemory
from .names import key_of
from .reads import Answer, ReadThrough, restored
from .verify import compare_with_service
from .written import usable

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")

_RESOURCE_OF = {resource.data_key: name for name, resource in RESOURCES.items()}
"""The resource that a list belongs to, by the key of the list."""

CHANGEABLE = words_in(
    "transactions subtransactions scheduled_transactions categories month month_categories"
)
"""The tables whose frames have a version, for `BudgetFrame.changes`."""

_DATE_COLUMNS = {"transactions": "date", "months": "month"}
"""The columns whose first and last value are the extent of a list."""


class Session:
    """Frames and models of one budget."""

    def __init__(
        self,
        reads: ReadThrough,
        *,
        no_writes: str = "",
        has_records: bool,
        verify: bool,
        journal_path: Path | None = None,
        states: FrameStates | None = None,
        journal: JournalMemory | None = None,
    ) -> None:
        self.reads = reads
        self.no_writes = no_writes  # why nothing may be written; empty if writes are sent
        self.unknown: Mapping[str, str] = {}
        """What the budget of a file does not state, by the report that needs it."""
        self.writes = 0  # the number of writes that were sent
        self.journal_path = journal_path
        """The file with the journal of the changes; without it, the journal is in memory."""
        self.journal = journal or JournalMemory()
        """What this process knows of the journal, which other connections to the service share."""
        self.has_records = has_records
        """Whether an empty list of money movements counts as a list of records, until the service
        has shown which shape it uses."""
        self.verify = verify  # whether each new list of transactions is compared with the figures
        self.known_differences: frozenset[tuple[Any, ...]] = frozenset()
        """The differences that a full reload did not resolve; do not reload for them again."""
        self.deleted_splits: dict[Any, Mapping[str, Any]] = {}
        """The splits that were known as deleted before such a reload, by their keys."""
        self.states = FrameStates() if states is None else states
        """What the returned frames showed, also those of other connections to the same service; a
        refresh does not drop it."""
        self.ledger: tuple[list[Built], pd.DataFrame] | None = None
        """The ledger, after the frames that it was built from."""
        self._built: dict[tuple[str, str], tuple[Mapping[str, Any] | Unread, Built]] = {}
        """Frames by table and source, with the data that they show."""
        self._changed: Answer | None = None  # an export whose stored frames are not up to date

    async def frame_of(
        self, table: str, *, month: str | None = None, extra: bool = False
    ) -> pd.DataFrame:
        """Return the frame of a table, or of its part of one month."""
        answer = await self.answer_of(table, month, tables=() if extra else (table,))
        if extra:
            # Not stored: the extra fields may be lists and mappings, which copies would share.
            lists = self.lists_in(answer)
            with self.reads.building_from(answer), paused_gc():
                schema = table_for(table, lists, has_records=self.has_records)
                frame = schema.frame(lists, extra=True)
            add_loan_terms(frame, table, lists)
        else:
            (built,) = self.frames_of({table: answer})
            # A deep copy: pandas protects a shallow copy from most writes, but not from
            # `.array[0] = 1`.
            frame = built.frame.copy()
        frame.attrs |= self.attrs_of([answer], table)
        return frame

    async def frame_with_deleted(self, table: str, *, extra: bool = False) -> pd.DataFrame:
        """Return the frame of a list, with the rows that were deleted from it."""
        name = _RESOURCE_OF[TABLES[table].path[0]]
        answer, changes = await self.read_list(name), await self.reads.read_changes(name)
        if changes.stored < answer.stored:  # neither answer has a row that was deleted in between
            changes = await self.reads.read_changes(name, is_new=True)
        with self.reads.building_from(changes), self.reads.building_from(answer), paused_gc():
            data = TABLES[table].add_deleted(answer.data, changes.data)
            frame = TABLES[table].frame(data, extra=extra, include_deleted=True)
        add_loan_terms(frame, table, answer.data)
        frame.attrs |= self.attrs_of([answer, changes], table)
        return frame

    async def export_frames(self) -> dict[str, pd.DataFrame]:
        """Return the frames of the whole-budget export; lists without names are read alone."""
        export = await self.reads.read_export()
        names = sorted(self.reads.lists_without_names(export))
        lists = {name: await self.read_list(name) for name in names}
        resources = {table: _RESOURCE_OF[TABLES[table].path[0]] for table in EXPORTED}
        answers = {table: lists.get(name, export) for table, name in resources.items()}
        return self._frames_from(answers)

    def frames_from(self, answer: Answer, *tables: str) -> dict[str, pd.DataFrame]:
        """Return frames of an answer, by their names."""
        return self._frames_from(dict.fromkeys(tables, answer))

    def _frames_from(self, answers: Mapping[str, Answer]) -> dict[str, pd.DataFrame]:
        frames = {}
        for (table, answer), built in zip(answers.items(), self.frames_of(answers), strict=True):
            frames[table] = built.frame.copy()
            frames[table].attrs |= self.attrs_of([answer], table)
        return frames

    async def answer_of(
        self, table: str, month: str | None = None, *, tables: Sequence[str] = ()
    ) -> Answer:
        """Read the answer of a table: its list, or the export; `tables` as in `find_fresh`."""
        if table == "month_categories":
            return await self.reads.read_export()
        if table == "budgets":
            return await self.reads.read_budgets()
        if table == "month" and month is not None:
            return await self.reads.read_item("months", month)
        name = _RESOURCE_OF[TABLES[table].path[0]]
        if month is not None or table not in EXPORTED:
            return await self.read_list(name, month=month)
        if self.verify and name == "transactions":  # a lost row of an export would stay lost
            return await self.read_list(name)
        return await self.reads.read_list_or_export(name, tables)

    async def read_list(
        self, name: str, *, month: str | None = None, is_new: bool = False
    ) -> Answer:
        """Read one of the lists of the budget, or its part of one month."""
        of = None if month is None else ("months", month)
        answer = await self.reads.read_list(name, of=of, is_new=is_new)
        is_whole = month is None and not is_new
        return await self._verified(name, answer) if self.verify and is_whole else answer

    def frames_of(self, answers: Mapping[str, Answer]) -> list[Built]:
        """Return the frames of answers, by table; only the session may use them."""
        frames, outdated = dict[str, Built](), dict[str, Answer]()
        for table, answer in answers.items():
            data, built = self._built.get((table, answer.source), (None, None))
            # The columns of an empty list of money movements depend on other lists.
            if built is None or data is not answer.data or table in RECORD_TABLES:
                outdated[table] = answer
            else:
                frames[table] = built
                list(map(defer_warning, () if self.unknown else built.damage))
        if outdated:
            frames |= self._new_frames_of(outdated)
        return [frames[table] for table in answers]

    def usable_lists(self, answer: Answer, *tables: str) -> Mapping[str, Any]:
        """Return the lists of some tables in an answer, with `DAMAGE` in damaged rows."""
        lists = self.lists_in(answer)
        if not any(built.damage for built in self.frames_of(dict.fromkeys(tables, answer))):
            return lists
        with collected_warnings() as found:
            for table in tables:
                TABLES[table].frame(lists)
        names = {TABLES[table].path[0] for table in tables}
        return {name: usable(lists[name], found) for name in names}

    def _new_frames_of(self, answers: Mapping[str, Answer]) -> dict[str, Built]:
        """Build, update or restore the frames of answers, by table."""
        lists: dict[int, Mapping[str, Any]] = {}
        frames = {}
        first: dict[Answer, dict[str, pd.DataFrame]] = {}
        changed: Answer | None = None
        # A field that a file does not state is no damage: the opening has named it.
        with collected_warnings(then_defer=not self.unknown) as found:
            for table, answer in answers.items():
                if isinstance(answer.data, Unread):
                    frames[table] = self._restore(table, answer, answer.data)
                    continue
                if id(answer.data) not in lists:  # several tables may share one answer
                    lists[id(answer.data)] = self.lists_in(answer)
                is_first = (table, answer.source) not in self._built
                frames[table] = self._build(table, answer, lists[id(answer.data)])
                if is_first:  # not after each delta: that takes longer than the delta
                    first.setdefault(answer, {})[table] = frames[table].frame
                elif answer.key.endswith(f":{EXPORT}"):
                    changed = answer
        if found:  # the next process must show the warnings again
            first, changed = {}, None
        for answer, by_table in first.items():
            self.reads.store_frames(answer, by_table)
        if changed is not None and self.reads.answers.storage.persistent:
            if self._changed is None:
                atexit.register(_store_frames, weakref.ref(self), os.getpid())
            self._changed = changed
        return frames

    def store_frames(self) -> None:
        """Store the frames of a changed export for the next process, which updates other lists."""
        if self._changed is None:
            return
        changed, self._changed = self._changed, None
        by_table = {
            table: built.frame
            for (table, _), (data, built) in self._built.items()
            if data is changed.data
        }
        if self.ledger is not None and self.ledger[0][0].frame is by_table.get("transactions"):
            frames, rows = self.ledger
            by_table["ledger"] = with_names(rows, *(built.frame for built in frames[2:]))
        self.reads.store_frames(changed, by_table)

    def _restore(self, table: str, answer: Answer, data: Unread) -> Built:
        """Return a frame that is stored with the data; its items are known when they are read."""
        frame = restored(data, table)
        if frame is None:
            raise ValueError(f"{table} of {answer.key} is not stored")
        built = Built((), frame)
        self._built[table, answer.source] = data, built
        return built

    def _build(self, name: str, answer: Answer, lists: Mapping[str, Any]) -> Built:
        with self.reads.building_from(answer) as found, paused_gc():
            table = table_for(name, lists, has_records=self.has_records)
            data, older = self._built.get((table.name, answer.source), (None, None))
            if older is not None and data is answer.data:
                list(map(defer_warning, older.damage))
                return older
            if older is not None and isinstance(data, Unread) and data.data is not None:
                key = table.path[0] if lists is answer.data else "budget"
                older.items = data.data[key]
            if lists is answer.data:
                built = table.build(lists, older)
            else:
                built = _build_from_export(table, lists, answer.data["budget"], older)
            add_loan_terms(built.frame, name, lists)
        built.damage = [warning for warning in found if isinstance(warning, DamagedRows)]
        if name in RECORD_TABLES:
            self.has_records = table.name != name
        self._built[table.name, answer.source] = answer.data, built
        return built

    def lists_in(self, answer: Answer) -> Mapping[str, Any]:
        """Return the lists in an answer; a list of an export is created when it is used."""
        if answer.key.partition(":")[2] != EXPORT:
            return answer.data
        with self.reads.building_from(answer):
            budget = answer.data.get("budget")
            if not isinstance(budget, dict):
                raise invalid_response(200, "has no whole budget")
            return as_lists(budget)

    def budget_attrs(self) -> dict[Any, Any]:
        """Return the ``attrs`` of a frame that describe the budget: its name and its currency."""
        budget = self.reads.chosen
        if budget is None:
            return {}
        currency = budget.currency_format
        known = {"currency_format": dict(currency)} if currency else {}
        return {"budget": budget.name, **known}

    def attrs_of(self, answers: Iterable[Answer], *tables: str) -> dict[Any, Any]:
        """Return the ``attrs`` of a frame; ``as_of`` is that of the oldest answer."""
        # If a table can be changed, ``version`` is the state of their frames of the first answer.
        known = list(answers)
        attrs: dict[Any, Any] = {
            "as_of": min(answer.as_of for answer in known).isoformat(timespec="seconds"),
            "source": " and ".join(dict.fromkeys(answer.source for answer in known)),
            **self.budget_attrs(),
        }
        if CHANGEABLE.intersection(tables):
            built = self.frames_of(dict.fromkeys(tables, known[0]))
            frames = {name: part.frame for name, part in zip(tables, built, strict=True)}
            attrs["version"] = self.states.keep(attrs, known[0].version, frames)
        stale = dict.fromkeys(answer.stale for answer in known if answer.stale is not None)
        if stale:
            attrs["stale"] = "; ".join(stale)
        return attrs

    async def user(self) -> models.UserResponse:
        """Return the user who owns the token."""
        answer = await self.reads.read(CacheAddress(":user", "/user"))
        return self._build_model(models.UserResponseData, answer).user

    async def part_of(
        self, name: str, build: Callable[[Mapping[str, Any]], pd.DataFrame], of: tuple[str, str]
    ) -> pd.DataFrame:
        """Return the frame of the part of a list that belongs to the object `of` a resource."""
        # `build` takes the data object; `of` is the resource, and the key or name of the object.
        resource, item_id = of
        of = resource, await key_of(self, resource, item_id)
        answer = await self.reads.read_list(name, of=of)
        with self.reads.building_from(answer), paused_gc():
            frame = build(answer.data)
        frame.attrs |= self.attrs_of([answer])
        return frame

    async def item_of(
        self, shape: type[_M], name: str, item_id: str, *, month: str | None = None
    ) -> _M:
        """Return the object with a key or name, or a category in one month, as a model."""
        item_id = await key_of(self, name, item_id)
        return self._build_model(shape, await self.reads.read_item(name, item_id, month=month))

    async def list_of(self, shape: type[_M], name: str) -> _M:
        """Return one of the lists, or the list of budgets, as a model."""
        if name == "budgets":
            return self._build_model(shape, await self.reads.read_budgets())
        return self._build_model(shape, await self.read_list(name))

    async def settings_of_budget(self) -> models.Settings:
        """Return the formats of the budget."""
        answer = await self.read_list("settings")
        return self._build_model(models.SettingsResponseData, answer).settings

    def _build_model(self, shape: type[_M], answer: Answer) -> _M:
        with self.reads.building_from(answer):
            return model_of(shape, drop_outdated_rows(answer.data))

    async def _verified(self, name: str, answer: Answer) -> Answer:
        """Return new transactions after a comparison with the service's figures."""
        if name != "transactions" or not answer.is_new:
            return answer
        try:
            _, answer = await compare_with_service(self, answer)
        except (BudgetFrameError, httpx.RequestError) as error:
            defer_warning(f"the transactions could not be verified: {error}")
        return answer

    def frames_in_memory(self) -> dict[str, pd.DataFrame]:
        """Return the frames that were built, by table, without any read; nobody may change them."""
        return {table: built.frame for (table, _), (_, built) in [*self._built.items()]}

    def extent_of(self, key: str) -> str:
        """The number of rows and the days of a loaded list, as text; empty without its frame."""
        name = key.partition(":")[2]
        source = self.reads.source_of(name)
        _, built = self._built.get((name, source or ""), (None, None))
        if built is None or source is None:
            return ""
        frame = built.frame
        text = number_of(len(frame), "row")
        column = _DATE_COLUMNS.get(name)
        if column is None or frame[column].dropna().empty:
            return text
        dates = frame[column].dropna()
        days = (f"{day:%Y-%m-%d}" for day in (dates.min(), dates.max()))
        return f"{text}, {' to '.join(days)}"

    def sibling(self, budget: str) -> Session:
        """Return a session for another budget on the same client."""
        own = self.reads
        reads = ReadThrough(own.client, budget=budget, ttl=own.ttl, policy=own.policy)
        return Session(
            reads,
            no_writes=self.no_writes,
            has_records=self.has_records,
            verify=self.verify,
            journal_path=self.journal_path,
            states=self.states,
            journal=self.journal,
        )

    def clear(self) -> None:
        """Drop everything that is stored of the budget, and the list of budgets."""
        self.reads.clear()
        self._built.clear()
        self.ledger = None


def _store_frames(session: weakref.ref[Session], pid: int) -> None:
    found = session()
    if found is not None and pid == os.getpid():  # a forked child ends before its parent
        found.store_frames()


def _build_from_export(
    table: Table, lists: Mapping[str, Any], budget: Mapping[str, Any], older: Built | None
) -> Built:
    """Build a frame of an export, or update the frame of an earlier export."""
    # Its items are the export itself: the rows with names and parts are copies and not kept.
    if older is not None and older.items and table.path[0] == "transactions":
        changes = changed_rows(older.items, budget)
        if changes is not None:
            frame = table.patch(older.frame, *changes, count=len(budget["transactions"]))
            if frame is not None:
                return Built(budget, frame)
    built = table.build(lists)
    return Built(budget if built.items else (), built.frame)
