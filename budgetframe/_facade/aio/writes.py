"""Writes: rows, single objects, assigned money, and changes from a frame."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import pandas as pd

from budgetframe import models
from budgetframe._facade.changes import Changes
from budgetframe._facade.rules import Rules
from budgetframe._facade.statement import Statement
from budgetframe._facade.wait_for import passed
from budgetframe._runtime.arguments import check_choice, nothing_sent, refused
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._session.as_model import model_of
from budgetframe._session.names import check_text
from budgetframe._session.reads import Answer
from budgetframe.errors import ServiceAPIError, ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day, month_near
from budgetframe.frames.request_bodies import (
    BODIES,
    BankFile,
    Keys,
    Rows,
    body_of,
    milliunits_of,
    month_to_write,
)
from budgetframe.frames.rules import read_plan_rules
from budgetframe.frames.tables import TABLES, AccountType, GoalFrequency

from .base import Base, checked_on_loop, on_loop

if TYPE_CHECKING:
    from pydantic import BaseModel

    from budgetframe._changes import Application
    from budgetframe._changes.plan import Compared
    from budgetframe._changes.sending.operation import Operation
    from budgetframe._changes.state import Row

    from .changes import AsyncChanges, AsyncJournal
    from .checklist import AsyncChecklist
    from .review import AsyncReview
    from .statement import AsyncStatement
else:  # their modules are slow to import; the check of arguments evaluates all annotations
    AsyncChanges = AsyncChecklist = AsyncJournal = AsyncReview = AsyncStatement = object

_M = TypeVar("_M", bound="BaseModel")


Prepare = Callable[..., Coroutine[Any, Any, "Compared"]]
"""Prepares changes from rows that are read now (``is_new=True``), or also from fresh ones."""


def engine() -> Any:
    """The package of changes, which is slow to import: programs that only read do not need it."""
    from budgetframe import _changes  # noqa: PLC0415

    return _changes


class _WithChanges(Base):
    """A base of methods that return changes."""

    def _changes_of(
        self,
        compared: Compared | None,
        skipped: pd.DataFrame | None = None,
        operation: Operation | None = None,
    ) -> AsyncChanges:
        """Changes that were compared with the service, or those of an operation."""
        from .changes import AsyncChanges  # noqa: PLC0415

        application = engine().Application(self._session, compared, operation)
        return AsyncChanges(application, self._on_loop, skipped)

    async def _preview_of(self, prepare: Prepare, asked: str) -> AsyncChanges:
        """The prepared changes, or those of an interrupted application of the same."""
        now = self._session.reads.now()
        operation = engine().interrupted(await engine().journal_of(self._session), asked, now)
        compared = None if operation else replace(await prepare(is_new=True), asked=asked)
        return self._changes_of(compared, operation=operation)

    def _first_day(self, month: Day) -> str:
        """The first day of a month, as the clock of the service shows it."""
        return month_near(month, self._session.reads.now().date())


@on_loop
class Writes(_WithChanges):
    """Async methods that change the budget; the overloads state their two kinds of results."""

    # Transactions

    @overload
    async def create_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    async def create_transactions(self, rows: Rows, *, preview: Literal[True]) -> AsyncChanges: ...
    async def create_transactions(
        self, rows: Rows, *, preview: bool = False
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.create_transactions`, awaited."""
        return await self._write_rows("POST", "transactions", rows, preview=preview)

    @overload
    async def update_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    async def update_transactions(self, rows: Rows, *, preview: Literal[True]) -> AsyncChanges: ...
    async def update_transactions(
        self, rows: Rows, *, preview: bool = False
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.update_transactions`, awaited."""
        return await self._write_rows("PATCH", "transactions", rows, preview=preview)

    @overload
    async def update_transaction(
        self, transaction_id: str, *, preview: Literal[True], **fields: Any
    ) -> AsyncChanges: ...
    @overload
    async def update_transaction(
        self, transaction_id: str, *, preview: Literal[False] = False, **fields: Any
    ) -> models.TransactionDetail: ...
    async def update_transaction(
        self, transaction_id: str, *, preview: bool = False, **fields: Any
    ) -> models.TransactionDetail | AsyncChanges:
        """As `BudgetFrame.update_transaction`, awaited."""
        if not fields:
            names = ", ".join(BODIES["update_transaction"].fields)
            raise refused(f"update_transaction: there is nothing to write; give one of {names}")
        row = {"transaction_id": transaction_id, **fields}
        rows = engine().rows_to_update("transactions", [row], "update_transaction")
        prepare = partial(engine().updates_of, self._session, "transactions", rows)
        shape = models.TransactionDetail
        return await self._write_model(shape, prepare, "update_transaction", rows, preview=preview)

    @overload
    async def delete_transactions(
        self, keys: Keys, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    async def delete_transactions(self, keys: Keys, *, preview: Literal[True]) -> AsyncChanges: ...
    async def delete_transactions(
        self, keys: Keys, *, preview: bool = False
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.delete_transactions`, awaited."""
        return await self._write_rows("DELETE", "transactions", keys, preview=preview)

    async def import_linked(self) -> pd.DataFrame:
        """As `BudgetFrame.import_linked`, awaited."""
        frame: pd.DataFrame = await engine().import_linked(self._session)
        return frame

    # Scheduled transactions

    @overload
    async def create_scheduled_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    async def create_scheduled_transactions(
        self, rows: Rows, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    async def create_scheduled_transactions(
        self, rows: Rows, *, preview: bool = False
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.create_scheduled_transactions`, awaited."""
        return await self._write_rows("POST", "scheduled_transactions", rows, preview=preview)

    @overload
    async def update_scheduled_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    async def update_scheduled_transactions(
        self, rows: Rows, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    async def update_scheduled_transactions(
        self, rows: Rows, *, preview: bool = False
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.update_scheduled_transactions`, awaited."""
        return await self._write_rows("PUT", "scheduled_transactions", rows, preview=preview)

    @overload
    async def delete_scheduled_transactions(
        self, keys: Keys, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    async def delete_scheduled_transactions(
        self, keys: Keys, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    async def delete_scheduled_transactions(
        self, keys: Keys, *, preview: bool = False
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.delete_scheduled_transactions`, awaited."""
        return await self._write_rows("DELETE", "scheduled_transactions", keys, preview=preview)

    # Accounts and payees

    @overload
    async def create_account(
        self,
        name: str,
        account_type: AccountType,
        balance: float,
        *,
        preview: Literal[False] = False,
    ) -> models.Account: ...
    @overload
    async def create_account(
        self, name: str, account_type: AccountType, balance: float, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    async def create_account(
        self, name: str, account_type: AccountType, balance: float, *, preview: bool = False
    ) -> models.Account | AsyncChanges:
        """As `BudgetFrame.create_account`, awaited."""
        given = passed(locals())
        return await self._write_row(models.Account, "create_account", "accounts", given)

    @overload
    async def create_payee(self, name: str, *, preview: Literal[False] = False) -> models.Payee: ...
    @overload
    async def create_payee(self, name: str, *, preview: Literal[True]) -> AsyncChanges: ...
    async def create_payee(
        self, name: str, *, preview: bool = False
    ) -> models.Payee | AsyncChanges:
        """As `BudgetFrame.create_payee`, awaited."""
        return await self._write_row(models.Payee, "create_payee", "payees", passed(locals()))

    @overload
    async def rename_payee(
        self, payee_id: str, name: str, *, preview: Literal[False] = False
    ) -> models.Payee: ...
    @overload
    async def rename_payee(
        self, payee_id: str, name: str, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    async def rename_payee(
        self, payee_id: str, name: str, *, preview: bool = False
    ) -> models.Payee | AsyncChanges:
        """As `BudgetFrame.rename_payee`, awaited."""
        return await self._write_row(models.Payee, "rename_payee", "payees", passed(locals()))

    # Categories

    @overload
    async def create_category_group(
        self, name: str, *, preview: Literal[False] = False
    ) -> models.CategoryGroup: ...
    @overload
    async def create_category_group(self, name: str, *, preview: Literal[True]) -> AsyncChanges: ...
    async def create_category_group(
        self, name: str, *, preview: bool = False
    ) -> models.CategoryGroup | AsyncChanges:
        """As `BudgetFrame.create_category_group`, awaited."""
        given, call = passed(locals()), "create_category_group"
        return await self._write_row(models.CategoryGroup, call, "category_groups", given)

    @overload
    async def rename_category_group(
        self, category_group_id: str, name: str, *, preview: Literal[False] = False
    ) -> models.CategoryGroup: ...
    @overload
    async def rename_category_group(
        self, category_group_id: str, name: str, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    async def rename_category_group(
        self, category_group_id: str, name: str, *, preview: bool = False
    ) -> models.CategoryGroup | AsyncChanges:
        """As `BudgetFrame.rename_category_group`, awaited."""
        given, call = passed(locals()), "rename_category_group"
        return await self._write_row(models.CategoryGroup, call, "category_groups", given)

    @overload
    async def create_category(
        self,
        name: str,
        category_group_id: str,
        *,
        note: str | None = None,
        goal_target: float | None = None,
        goal_target_date: Day | None = None,
        goal_frequency: GoalFrequency | None = None,
        goal_needs_whole_amount: bool | None = None,
        preview: Literal[False] = False,
    ) -> models.Category: ...
    @overload
    async def create_category(
        self,
        name: str,
        category_group_id: str,
        *,
        note: str | None = None,
        goal_target: float | None = None,
        goal_target_date: Day | None = None,
        goal_frequency: GoalFrequency | None = None,
        goal_needs_whole_amount: bool | None = None,
        preview: Literal[True],
    ) -> AsyncChanges: ...
    async def create_category(
        self,
        name: str,
        category_group_id: str,
        *,
        note: str | None = None,
        goal_target: float | None = None,
        goal_target_date: Day | None = None,
        goal_frequency: GoalFrequency | None = None,
        goal_needs_whole_amount: bool | None = None,
        preview: bool = False,
    ) -> models.Category | AsyncChanges:
        """As `BudgetFrame.create_category`, awaited."""
        given = passed(locals())
        return await self._write_row(models.Category, "create_category", "categories", given)

    @overload
    async def update_category(
        self, category_id: str, *, preview: Literal[True], **fields: Any
    ) -> AsyncChanges: ...
    @overload
    async def update_category(
        self, category_id: str, *, preview: Literal[False] = False, **fields: Any
    ) -> models.Category: ...
    async def update_category(
        self, category_id: str, *, preview: bool = False, **fields: Any
    ) -> models.Category | AsyncChanges:
        """As `BudgetFrame.update_category`, awaited."""
        given = {"category_id": category_id, "preview": preview, **fields}
        return await self._write_row(models.Category, "update_category", "categories", given)

    # Assigned money

    @overload
    async def assign(
        self, month: Day, category: str, amount: float, *, preview: Literal[False] = False
    ) -> models.Category: ...
    @overload
    async def assign(
        self, month: Day, category: str, amount: float, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    async def assign(
        self, month: Day, category: str, amount: float, *, preview: bool = False
    ) -> models.Category | AsyncChanges:
        """As `BudgetFrame.assign`, awaited."""
        day, milliunits = month_to_write(month), milliunits_of(amount, "amount")
        category = _key_or_name(category, "category")
        prepare = partial(engine().assignment, self._session, day, category, milliunits)
        asked = "assign", self._first_day(day), category, milliunits
        return await self._write_model(models.Category, prepare, *asked, preview=preview)

    @overload
    async def move(
        self,
        month: Day,
        from_: str | None,
        to: str | None,
        amount: float,
        *,
        preview: Literal[False] = False,
    ) -> pd.DataFrame: ...
    @overload
    async def move(
        self,
        month: Day,
        from_: str | None,
        to: str | None,
        amount: float,
        *,
        preview: Literal[True],
    ) -> AsyncChanges: ...
    async def move(
        self, month: Day, from_: str | None, to: str | None, amount: float, *, preview: bool = False
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.move`, awaited."""
        day, milliunits = month_to_write(month), milliunits_of(amount, "amount")
        if milliunits <= 0:
            advice = "to move money back, exchange from_ and to. Nothing was sent"
            raise ToolError(f"amount={amount!r} is not greater than zero: {advice}")
        from_ = None if from_ is None else _key_or_name(from_, "from_")
        to = None if to is None else _key_or_name(to, "to")
        prepare = partial(engine().movement, self._session, day, from_, to, milliunits)
        asked = "move", self._first_day(day), from_, to, milliunits
        found = await self._write(prepare, *asked, preview=preview)
        if not isinstance(found, tuple):
            return found
        rows, application = found
        first = application.operation.changes[0].month
        content = {"month": {"month": first, "categories": rows}}
        return self._frame("month", content, "PATCH months/categories")

    # What they have in common

    async def _write(
        self, prepare: Prepare, *asked: Any, preview: bool
    ) -> tuple[list[Row], Application] | AsyncChanges:
        """The changes, or the written rows and their application."""
        digest = engine().digest_of(*asked)
        if preview:
            return await self._preview_of(prepare, digest)
        written: tuple[list[Row], Application]
        written = await engine().written_rows(self._session, digest, prepare)
        return written

    async def _write_rows(
        self, method: str, table: str, rows: Any, *, preview: bool
    ) -> pd.DataFrame | AsyncChanges:
        """The changes of rows, or the frame of the written rows."""
        # Of rows that are updated or deleted, the present ones are always read again.
        check, changes_of = {
            "POST": (engine().rows_to_create, engine().creations_of),
            "DELETE": (engine().keys_to_delete, engine().deletions_of),
        }.get(method, (engine().rows_to_update, engine().updates_of))
        given = check(table, in_pandas(rows))

        def prepare(*, is_new: bool) -> Any:
            return changes_of(self._session, table, given, is_new=is_new or method != "POST")

        asked = engine().converted_rows(table, given) if method == "POST" else given
        found = await self._write(prepare, method, table, asked, preview=preview)
        if not isinstance(found, tuple):
            return found
        written, application = found
        frame = self._frame(table, {table: written}, f"{method} {table}")
        if (table, method) == ("transactions", "POST"):
            frame.attrs["duplicate_import_ids"] = application.import_ids_in_use
        return frame

    async def _write_row(
        self, shape: type[_M], name: str, resource: str, given: Mapping[str, Any]
    ) -> _M | AsyncChanges:
        """Create or change a row, with the arguments of the method with this name."""
        column, key = engine().KEYS[resource], None
        fields = {each: value for each, value in given.items() if each not in (column, "preview")}
        sent = body_of(fields, BODIES[name], name)
        prepare = partial(engine().creation_of_row, self._session, resource, sent)
        if column in given:
            key = _key_or_name(given[column], column)
            prepare = partial(engine().update_of_row, self._session, resource, sent, key)
        return await self._write_model(shape, prepare, name, key, sent, preview=given["preview"])

    async def _write_model(
        self, shape: type[_M], prepare: Prepare, *asked: Any, preview: bool
    ) -> _M | AsyncChanges:
        """The changes, or the model of the written row."""
        found = await self._write(prepare, *asked, preview=preview)
        if not isinstance(found, tuple):
            return found
        (row, *_), _ = found
        with _after_write():
            return model_of(shape, row)

    def _frame(self, table: str, data: Mapping[str, Any], source: str) -> pd.DataFrame:
        """The frame of rows that were written just now, with its attrs."""
        with _after_write(), collected_warnings(then_defer=True):
            frame = TABLES[table].frame(data)
        frame.attrs = self._session.attrs_of([Answer("", data, self._session.reads.now(), source)])
        return frame


def _not_negative(given: Any, argument: str) -> int:
    milliunits = milliunits_of(given, argument)
    if milliunits < 0:
        raise refused(f"{argument}={given!r} is negative")
    return milliunits


def _key_or_name(given: object, argument: str) -> str:
    """A key or a name, which is checked before a request is sent."""
    with nothing_sent():
        return check_text(given, argument)


@contextmanager
def _after_write() -> Iterator[None]:
    """Begin a block whose error says that the write was carried out."""
    try:
        yield
    except ServiceAPIError as error:
        advice = "only the answer cannot be used. The same call would write it once more"
        error.add_note(f"Everything was written, and is in bf.journal(): {advice}")
        raise


@checked_on_loop
class ChangesMethods(_WithChanges):
    """Async methods that change the budget from a frame."""

    async def changes(
        self,
        edited: pd.DataFrame | ArrowTable | None = None,
        *,
        delete: Keys | None = None,
        splits: Literal["error", "skip", "replace"] = "error",
    ) -> AsyncChanges:
        """As `BudgetFrame.changes`, awaited."""
        compared, skipped = await engine().compare(
            self._session, in_pandas(edited), in_pandas(delete), splits=splits
        )
        return self._changes_of(await engine().continuing(self._session, compared), skipped)

    async def import_rows(
        self,
        file: pd.DataFrame | ArrowTable | BankFile,
        *,
        account: str,
        columns: Mapping[str, str] | None = None,
        rules: Rules | None = None,
    ) -> AsyncChanges:
        """As `BudgetFrame.import_rows`, awaited."""
        if rules is not None and not isinstance(rules, Rules):
            kind = type(rules).__name__
            raise refused(f"rules is {kind}: budgetframe.rules(path) reads rules from a file")
        compared, skipped = await engine().import_plan(
            self._session, in_pandas(file), account, columns, rules.apply if rules else None
        )
        return self._changes_of(compared, skipped)

    async def statement(
        self,
        account: str,
        balance: float | None = None,
        on: Day | None = None,
        file: pd.DataFrame | ArrowTable | BankFile | None = None,
        *,
        columns: Mapping[str, str] | None = None,
    ) -> AsyncStatement:
        """As `BudgetFrame.statement`, awaited."""
        from .statement import AsyncStatement, statement_of  # noqa: PLC0415

        session, given = self._session, in_pandas(file)
        found = await statement_of(session, account, balance, on, file=given, columns=columns)
        return AsyncStatement(session, found, self._changes_of, self._on_loop)

    async def checklist(self, month: Day = "last", *, days: int = 14) -> AsyncChecklist:
        """As `BudgetFrame.checklist`, awaited."""
        from .checklist import AsyncChecklist, checklist_of  # noqa: PLC0415

        found = await checklist_of(self._session, month, days)
        return AsyncChecklist(self, *found, self._on_loop)

    async def review(
        self,
        what: pd.DataFrame | ArrowTable | Statement | Changes | None = None,
        *,
        keep: bool = False,
    ) -> AsyncReview:
        """As `BudgetFrame.review`, awaited."""
        from budgetframe._facade.review import rows  # noqa: PLC0415

        from .changes import AsyncChanges  # noqa: PLC0415
        from .review import AsyncReview  # noqa: PLC0415
        from .statement import AsyncStatement  # noqa: PLC0415

        given = getattr(what, "_aio", what)  # of the synchronous classes
        if isinstance(given, AsyncChanges):
            found = await rows.rows_of_changes(self._session, given)
        elif isinstance(given, AsyncStatement):
            found = await rows.rows_of_statement(self._session, given)
        else:
            # The only class with these methods has the reports too.
            suggestions = self.reports.suggestions  # type: ignore[attr-defined]
            found = await rows.rows_of_frame(self._session, given, self.changes, suggestions)
        return AsyncReview(found, self._changes_of, self._on_loop, keep=keep)

    async def set_balance(
        self, account: str, balance: float, *, date: Day | None = None
    ) -> AsyncChanges:
        """As `BudgetFrame.set_balance`, awaited."""
        milliunits = milliunits_of(balance, "balance")
        compared = await engine().balance_adjustment(self._session, account, milliunits, date)
        return self._changes_of(compared)

    async def plan(
        self,
        month: Day = "current",
        rules: pd.DataFrame | ArrowTable | BankFile | None = None,
        *,
        limit: float | None = None,
    ) -> AsyncChanges:
        """As `BudgetFrame.plan`, awaited."""
        from budgetframe._changes.comparing.planning import plan_of_month  # noqa: PLC0415

        with nothing_sent():
            steps = None if rules is None else read_plan_rules(in_pandas(rules))
        most = None if limit is None else _not_negative(limit, "limit")
        return await self._planned("plan", plan_of_month, month, steps, most)

    async def cover(
        self,
        month: Day = "current",
        *,
        sources: str | Iterable[str] = ("Ready to Assign",),
        keep: float | Literal["target"] | None = None,
    ) -> AsyncChanges:
        """As `BudgetFrame.cover`, awaited."""
        from budgetframe._changes.comparing.planning import coverage  # noqa: PLC0415

        if not isinstance(sources, Iterable):
            raise refused(f"sources={sources!r}: give names or keys of categories")
        listed = [sources] if isinstance(sources, str) else sources
        named = [_key_or_name(name, "sources") for name in listed]
        with nothing_sent():
            if isinstance(keep, str):
                check_choice(keep, "keep", ("target",))
        least = "target" if keep in (None, "target") else _not_negative(keep, "keep")
        return await self._planned("cover", coverage, month, named, least)

    async def _planned(
        self, name: str, prepare: Callable[..., Any], month: Day, *given: Any
    ) -> AsyncChanges:
        """The changes of a month, or those of an interrupted application of the same."""
        with nothing_sent():
            self._first_day(month)
        await self._session.reads.budget()  # after an answer, the day is that of the service
        day = self._first_day(month)
        prepared = partial(prepare, self._session, day, *given)
        return await self._preview_of(prepared, engine().digest_of(name, day, *given))

    async def journal(self) -> AsyncJournal:
        """As `BudgetFrame.journal`, awaited."""
        from .changes import AsyncJournal  # noqa: PLC0415

        operations = (await engine().journal_of(self._session)).operations()
        return AsyncJournal(self._session, operations, self._on_loop)
