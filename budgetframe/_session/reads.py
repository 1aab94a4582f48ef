"""Reads of a budget: from the cache as long as an answer is fresh, otherwise from the service."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from http import HTTPStatus
from math import isfinite
from typing import TYPE_CHECKING, Any

import httpx

from budgetframe._cache.answers import Read, ReadToken
from budgetframe._cache.merge import rows_after
from budgetframe._cache.storage import Record, StoredFrame, Unread
from budgetframe._client.responses import is_no_such_resource
from budgetframe._resources import EXPORT
from budgetframe._runtime.arguments import is_number
from budgetframe._runtime.deferred_warnings import DamagedRows, collected_warnings, defer_warning
from budgetframe._runtime.processes import check_process
from budgetframe.errors import BudgetFrameError, ServiceAPIError, ToolError
from budgetframe.frames.arrow import from_arrow, to_arrow
from budgetframe.frames.export import lists_without_names
from budgetframe.frames.tables import LEDGER, TABLES

from .addresses import CacheAddress, changes_of, item_address, list_addresses, part_of
from .budget_choice import LAST_USED, Budget, budget_in, no_budget
from .on_limit import LimitPolicy, stale_warning, wait_of

if TYPE_CHECKING:
    import pandas as pd

    from budgetframe.frames.builder import Table

    from .client_source import GivenClient, OwnClient

_IN_EXPORT = (
    "accounts", "categories", "payees", "payee_locations", "months", "transactions",
    "scheduled_transactions",
)  # fmt: skip
_LARGE = ("transactions", EXPORT)
_MANY = 3  # the export is requested in place of at least so many lists
_CHOICE_SECONDS = 3600.0  # the choice of the budget is valid for this time, also after a restart
_BUDGETS = CacheAddress(":budgets", "/budgets")
# Only the service knows this budget, and only the export contains its id.
_LAST_USED_BUDGET = CacheAddress(":last-used", f"/budgets/{LAST_USED}")


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """An answer of the service and when it was requested. Its data must not be changed."""

    key: str
    data: Mapping[str, Any]
    as_of: datetime
    source: str
    stale: str | None = None
    is_new: bool = False
    knowledge: int | None = None  # server knowledge of the data, if it is known
    stored: float = 0.0  # by the clock of the cache; the service states only whole seconds

    @property
    def version(self) -> str:
        """The state of the service, as text."""
        return self.as_of.isoformat() if self.knowledge is None else str(self.knowledge)


class ReadThrough:
    """Reads of one budget, on the event loop of the client.

    `budget`: name, id, ``"last-used"``, or None for the only one. Answers are fresh for `ttl` s.
    """

    def __init__(
        self,
        client: OwnClient | GivenClient,
        *,
        budget: str | None,
        ttl: float,
        policy: LimitPolicy,
    ) -> None:
        if not is_number(ttl) or not ttl >= 0:
            raise ToolError(f"ttl={ttl!r}: give seconds, or 0 to store nothing")
        self.client = client
        self.answers = client.cache.answers
        self.answers.longest_ttl = max(self.answers.longest_ttl, ttl)
        self.requested_budget = budget
        self.ttl = ttl
        self.now = client.clock.now
        self.policy = policy
        self._pid = os.getpid()
        self.chosen: Budget | None = None
        self.loaded: dict[str, datetime] = {}
        """The times of the answers that were used, by key; the last request comes last."""
        self._addresses: dict[str, CacheAddress] = {}
        """The addresses of all lists of the budget, as soon as it is chosen."""
        self._without_names: tuple[Mapping[str, Any], frozenset[str]] = {}, frozenset()
        """An export, and the lists whose rows have no names in it."""
        self._export_failed: float | None = None
        """When an export that was requested instead of a list failed, by the clock of the cache."""

    def find_fresh(self, address: CacheAddress, tables: Sequence[str] = ()) -> Answer | None:
        """Return the stored answer if it is fresh."""
        # A caller who only needs the frames of some tables names the tables. If a file has these
        # frames, the data of the answer are an `Unread`, which contains the frames.
        find = partial(self.answers.find_fresh, address.key, address.params, self.ttl)
        record = find(may_be_unread=bool(tables))
        if record is not None and isinstance(record.data, Unread):
            frames = (restored(record.data, table) for table in tables)
            record = find() if any(frame is None for frame in frames) else record
        if record is None or record.as_of is None:
            return None
        answer = Answer(
            address.key,
            record.data,
            record.as_of,
            f"GET {address.path}",
            knowledge=record.knowledge,
            stored=record.stored,
        )
        if self.client.clock.ahead is None:
            self._continue_clock(record)
        self.loaded[address.key] = record.as_of
        return answer

    async def read(self, address: CacheAddress, *, is_new: bool = False) -> Answer:
        """Return the stored answer if it is fresh, else a new one; with `is_new`, a new one."""
        if is_new:
            return await self.request(address, is_new=True)
        begun = self.answers.read_together(
            lambda: self.find_fresh(address) or self.answers.look_up(address.key, address.params)
        )
        if isinstance(begun, Answer):
            self.client.counter.from_cache[begun.key.split(":")[1]] += 1
            return begun
        return await self.request(address, begun)

    async def request(
        self,
        address: CacheAddress,
        token: ReadToken | None = None,
        *,
        is_new: bool = False,
        is_whole: bool = False,
        stale_from: CacheAddress | None = None,
    ) -> Answer:
        """Request an answer: with `is_whole` not as a delta, with `is_new` never stale data."""
        # The token is the state of the cache at this moment, if the caller has looked it up. If the
        # request fails, the stale data can also be those of the address `stale_from`.
        client = self.client()

        async def send() -> Read:
            # A new token after each wait: a drop during the wait must not discard the answer.
            nonlocal token
            begun, token = token or self.answers.look_up(address.key, address.params), None
            begun, as_of = begun._replace(cursor=None) if is_whole else begun, self.now()
            try:
                params = dict(address.params)
                return await client.read(
                    address.path, begun, params=params, as_of=as_of, ttl=self.ttl
                )
            except ServiceAPIError as error:
                if address.empty_list is None or not is_no_such_resource(error):
                    raise
                as_of = self.now()  # the clock is set by the response
                read = Read({address.empty_list: []}, as_of, None)
                self.answers.store(begun, read.data, as_of=as_of, ttl=self.ttl)
                return read

        try:
            read = await self.policy.call(send)
        except (BudgetFrameError, httpx.RequestError) as error:
            answer = None if is_new else self._stale(address, stale_from, error)
            if answer is None:
                raise
            return answer
        as_of, source = read.as_of or self.now(), f"GET {address.path}"
        answer = Answer(
            address.key,
            read.data,
            as_of,
            source,
            is_new=True,
            knowledge=read.knowledge,
            stored=self.answers.clock(),
        )
        self.loaded.pop(address.key, None)  # the last request comes last
        self.loaded[address.key] = as_of
        return answer

    def _stale(
        self, requested: CacheAddress, other: CacheAddress | None, error: Exception
    ) -> Answer | None:
        """Return the newer one of two stored answers, and warn, if the error allows stale data."""
        if self.policy.on_limit != "stale":
            return None
        found: Answer | None = None
        for address in (requested, other):
            if address is None:
                continue
            record = self.answers.look_up(address.key, address.params).record
            if record is None or record.as_of is None:
                continue
            self._continue_clock(record)
            if found is None or record.as_of > found.as_of:
                source = f"GET {address.path}"
                found = Answer(address.key, record.data, record.as_of, source, stored=record.stored)
        name = requested.key.partition(":")[2].replace(":", " ")
        warning = None if found is None else stale_warning(name, found.as_of, self.now(), error)
        if found is None or warning is None:
            return None
        defer_warning(warning)
        return replace(found, stale=str(warning))

    def _continue_clock(self, record: Record) -> None:
        """Set the clock of the service by a stored answer, if no response has set it yet."""
        age = self.answers.clock() - record.stored
        if record.as_of is not None and isfinite(age):  # infinite: the wall clock was set back
            self.client.clock.continue_from(record.as_of, age)

    async def read_list(
        self, name: str, *, of: tuple[str, str] | None = None, is_new: bool = False
    ) -> Answer:
        """Read a list of the budget, or the part that belongs to the object `of` a resource."""
        budget = await self.budget()
        address = self._addresses[name]
        if of is None:
            return await self.read(address, is_new=is_new)
        return await self._read_of_item(*of, part_of(address, budget.id, *of))

    async def read_list_or_export(self, name: str, tables: Sequence[str] = ()) -> Answer:
        """Read a list of the budget, from the export if only the export is fresh."""
        # If neither is fresh, `_choose_request` decides which one is requested. A list whose rows
        # have no names in the export is read by itself. The tables are those of `find_fresh`.
        if self.chosen is None:  # a warm cell awaits nothing
            await self.budget()
        address, export = self._addresses[name], self._addresses[EXPORT]
        begun = self.answers.read_together(
            lambda: (
                self.find_fresh(address, tables)
                or self._find_in_export(name, tables)
                or self._choose_request(name)
            )
        )
        if isinstance(begun, Answer):
            self.client.counter.from_cache[name] += 1
            return begun
        better, token = begun
        if better is not export:
            return await self.request(address, token, stale_from=export)
        try:
            answer = await self.request(export, token, is_new=True)
            if name not in self.lists_without_names(answer):
                return answer
        except (BudgetFrameError, httpx.RequestError) as error:
            # The export may be too large for the service: for a while, the lists are requested. If
            # only the limit was reached, the next call may request the export again.
            if wait_of(error) is None:
                self._export_failed = self.answers.clock()
        return await self.request(address, stale_from=export)

    def _find_in_export(self, name: str, tables: Sequence[str]) -> Answer | None:
        """Return the export if it is fresh and has the names of all rows of a list."""
        answer = self.find_fresh(self._addresses[EXPORT], tables)
        return None if answer is None or name in self.lists_without_names(answer) else answer

    def lists_without_names(self, export: Answer) -> frozenset[str]:
        """The lists whose rows have no names in an export; they are read by themselves."""
        if isinstance(export.data, Unread):  # of these lists, no frame is stored with an export
            return frozenset()
        if self._without_names[0] is not export.data:
            found = lists_without_names(export.data.get("budget"))
            self._without_names = export.data, found
        return self._without_names[1]

    def _choose_request(self, name: str) -> tuple[CacheAddress, ReadToken]:
        """Choose whether to request a list or the export; return its address and state."""
        # If an export is stored, its delta costs one request and makes all lists fresh. The first
        # export is a large answer. It is requested if it replaces the requests of at least three
        # lists, one of them the transactions: an earlier process has stored them, they are no
        # longer fresh, and this process has not read them. A first read of another list than the
        # transactions requests that list alone.
        failed = self._export_failed
        has_failed = failed is not None and self.answers.clock() - failed < self.ttl
        is_export_better = bool(self.ttl) and not has_failed
        if is_export_better and self.answers.look_up(self._addresses[EXPORT].key).cursor is None:
            addresses = [self._addresses[each] for each in _IN_EXPORT]
            unused = [each for each in addresses if each.key not in self.loaded]
            if name != _LARGE[0] and len(unused) == len(addresses):
                unused = []
            due = [each for each in unused if self.answers.is_due(each.key, each.params, self.ttl)]
            is_export_better = len(due) >= _MANY and self._addresses[_LARGE[0]] in due
        better = self._addresses[EXPORT if is_export_better else name]
        return better, self.answers.look_up(better.key, better.params)

    def source_of(self, name: str) -> str | None:
        """Return the source of a list of the chosen budget, as in its answer."""
        address = self._addresses.get(name)
        return None if address is None else f"GET {address.path}"

    def find_fresh_lists(self, lists: Mapping[str, Sequence[str]]) -> dict[str, Answer] | None:
        """Return lists of the budget without a request; None if one of them needs a request."""
        # A list comes from the export if only the export is fresh. The values of `lists` are the
        # tables of `find_fresh`.
        if self.chosen is None:
            return None

        def read() -> dict[str, Answer] | None:
            answers = {}
            for name, tables in lists.items():
                address = self._addresses[name]
                answer = self.find_fresh(address, tables) or self._find_in_export(name, tables)
                if answer is None:
                    return None
                answers[name] = answer
            return answers

        found = self.answers.read_together(read)
        self.client.counter.from_cache.update([*(found or ())])
        return found

    def store_frames(self, answer: Answer, frames: Mapping[str, pd.DataFrame]) -> None:
        """Store the frames of a large answer in the cache file, for the next process."""
        # They have the names of their tables, or ``ledger``. Those of small answers are built
        # again.
        name = answer.key.partition(":")[2]
        if not self.ttl or not self.answers.storage.persistent or name not in _LARGE:
            return
        made = (
            (table, to_arrow(frame, LEDGER if table == "ledger" else TABLES[table].columns))
            for table, frame in frames.items()
        )
        contents = {table: content for table, content in made if content is not None}
        if contents:
            key, _, params, _ = self._addresses[name]
            self.answers.store_frames(key, params, answer.data, contents)

    async def read_changes(self, name: str, *, is_new: bool = False) -> Answer:
        """Read all changes of a list since its beginning. Only this answer has the deleted rows."""
        await self.budget()
        return await self.read(changes_of(self._addresses[name]), is_new=is_new)

    def find_changes(self, name: str) -> Answer | None:
        """Return all changes of a list if they were read and are fresh."""
        address = self._addresses.get(name)
        return None if address is None else self.find_fresh(changes_of(address))

    async def read_item(
        self, name: str, item_id: str, *, month: str | None = None, is_new: bool = False
    ) -> Answer:
        """Read a single object of a resource, or a category in one month."""
        budget = await self.budget()
        address = item_address(budget.id, name, item_id, month=month)
        return await self._read_of_item(name, item_id, address, is_new=is_new)

    async def _read_of_item(
        self, name: str, item_id: str, address: CacheAddress, *, is_new: bool = False
    ) -> Answer:
        """Read an answer about one object; if its id is unknown, the error says what to do."""
        try:
            return await self.read(address, is_new=is_new)
        except ServiceAPIError as error:
            if error.status_code != HTTPStatus.BAD_REQUEST and not is_no_such_resource(error):
                raise
            advice = f"{item_id!r} is not a key in this budget; bf.{name}() lists the keys"
            if name == "months":
                advice = (
                    f"the budget has no month {item_id[:7]}; the column month of bf.months() lists"
                    " the months of the budget"
                )
            detail = f"{error.detail}: {advice}"
            raise ServiceAPIError(error.status_code, error.error_id, error.name, detail) from None

    async def read_export(self, *, is_new: bool = False) -> Answer:
        """Read the whole budget."""
        await self.budget()
        return await self.read(self._addresses[EXPORT], is_new=is_new)

    async def read_whole_export(self) -> Answer:
        """Read the whole budget in one answer of the service, not as changes of an earlier one."""
        await self.budget()
        return await self.request(self._addresses[EXPORT], is_new=True, is_whole=True)

    async def read_budgets(self, address: CacheAddress = _BUDGETS) -> Answer:
        """Read the list of budgets, or the last used budget."""
        try:
            return await self.read(address)
        except ServiceAPIError as error:
            raise no_budget(error) from None

    @contextmanager
    def building_from(self, answer: Answer) -> Iterator[list[Warning]]:
        """Collect the warnings of a block that builds something from an answer."""
        # After an error, the cache drops the answer. An answer with damaged rows stays for its
        # time; after that, the whole list is requested instead of a delta, because its rows may be
        # right.
        try:
            with collected_warnings(then_defer=True) as found:
                yield found
        except ServiceAPIError:
            self.answers.invalidate([answer.key])
            self.loaded.pop(answer.key, None)
            raise
        if any(isinstance(warning, DamagedRows) for warning in found):
            self.answers.forget_knowledge(answer.key, answer.data)

    @property
    def currency_format(self) -> Mapping[str, Any] | None:
        """The format of amounts, if the budget is chosen and states it."""
        return None if self.chosen is None else self.chosen.currency_format

    async def budget(self) -> Budget:
        """Return the budget to read; the first call chooses it, with the errors of `budget_in`."""
        if self.chosen is not None:
            return self.chosen
        name = self.requested_budget
        key, is_last_used = f":choice:{name!r}", name == LAST_USED
        seconds = self.ttl if is_last_used else _CHOICE_SECONDS
        begun = self.answers.read_together(
            lambda: self.answers.find_fresh(key, (), seconds) or self.answers.look_up(key)
        )
        if isinstance(begun, Record):
            budget = Budget(**begun.data)
        else:
            as_of = self.now()
            answer = await self.read_budgets(_LAST_USED_BUDGET if is_last_used else _BUDGETS)
            try:
                with self.building_from(answer):
                    budget = budget_in(answer.data, name)
            except ToolError:  # the person creates or renames one and tries again
                self.answers.invalidate([answer.key])
                raise
            self.answers.store(begun, budget._asdict(), as_of=as_of, ttl=seconds)
        self._addresses = list_addresses(budget.id)
        self.chosen = budget
        return budget

    def clear(self) -> None:
        """Drop all stored answers of the budget, and the list of budgets."""
        check_process(self._pid)
        # Without a choice, an earlier process may have stored answers of this budget.
        prefixes = ("",) if self.chosen is None else (":", f"{self.chosen.id}:")
        self.answers.drop_all(*prefixes)
        self.loaded.clear()


def restored(data: Unread, table: str) -> pd.DataFrame | None:
    """Return the frame of a table that is stored with data; None if it cannot be used."""
    if table not in data.restored:
        stored = data.frames.get(table)
        data.restored[table] = None if stored is None else _restore(TABLES[table], stored)
    found: pd.DataFrame | None = data.restored[table]
    return found


def _restore(table: Table, stored: StoredFrame) -> pd.DataFrame | None:
    """Return a stored frame with the changes of later deltas; None if it must be built."""
    frame = from_arrow(stored.content, table.columns)
    if frame is None or not stored.deltas:
        return frame
    try:
        with collected_warnings() as found:
            keys, rows = rows_after(_LARGE[0], stored.deltas) or ((), None)
            if rows is None:  # deltas of an export, whose rows have no names
                return None
            frame = table.patch(frame, [{"id": key} for key in keys], rows)
    except ServiceAPIError:
        return None
    return None if found else frame  # the whole list has the same problem, and reports it
