"""Writes: rows, single objects, assigned money, and changes from a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import pandas as pd

from budgetframe import models
from budgetframe._client.responses import WRITE_ADVICE, invalid_response
from budgetframe._facade.changes import Changes
from budgetframe._facade.rules import Rules
from budgetframe._facade.statement import Statement
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.deferred_warnings import DamagedRows, collected_warnings
from budgetframe._session.assigning import assign, move
from budgetframe._session.batches import create_rows
from budgetframe._session.linked_import import import_linked
from budgetframe._session.new_rows import new_rows
from budgetframe._session.reads import Answer
from budgetframe.errors import ServiceAPIError, ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day
from budgetframe.frames.request_bodies import (
    BODIES,
    Keys,
    Rows,
    body_of,
    milliunits_of,
    month_to_write,
    row_bodies,
)
from budgetframe.frames.tables import TABLES, AccountType, GoalFrequency

from .base import Base, checked_on_loop, writing_on_loop

if TYPE_CHECKING:
    from budgetframe._changes.plan import Compared

    from .changes import AsyncChanges, AsyncJournal
    from .review import AsyncReview
    from .statement import AsyncStatement
else:  # their modules are slow to import; the check of arguments evaluates all annotations
    AsyncChanges = AsyncJournal = AsyncReview = AsyncStatement = object


class _WithChanges(Base):
    """A base of methods that return changes."""

    def _changes_of(self, compared: Compared, skipped: pd.DataFrame | None = None) -> AsyncChanges:
        """Changes that were compared with the service."""
        # Programs that change nothing do not need these modules, which are slow to import.
        from budgetframe import _changes  # noqa: PLC0415

        from .changes import AsyncChanges  # noqa: PLC0415

        return AsyncChanges(_changes.Application(self._session, compared), self._on_loop, skipped)


@writing_on_loop
class Writes(_WithChanges):
    """Async methods that change the budget. A write is sent once and never repeated."""

    # Transactions

    async def create_transactions(self, rows: Rows | ArrowTable) -> pd.DataFrame:
        """As `BudgetFrame.create_transactions`, awaited."""
        bodies = row_bodies(in_pandas(rows), BODIES["create_transactions"])
        answers = await self._create("transactions", bodies)
        data = {
            name: [each for answer in answers for each in answer.get(name) or ()]
            for name in ("transactions", "duplicate_import_ids")
        }
        frame = self._frame("transactions", data, "POST transactions")
        frame.attrs["duplicate_import_ids"] = data["duplicate_import_ids"]
        return frame

    async def update_transactions(self, rows: Rows | ArrowTable) -> pd.DataFrame:
        """As `BudgetFrame.update_transactions`, awaited."""
        return await self._changed("transactions", "PATCH", rows)

    async def update_transaction(
        self, transaction_id: str, **fields: Any
    ) -> models.TransactionDetail:
        """As `BudgetFrame.update_transaction`, awaited."""
        body = body_of(fields, BODIES["update_transaction"], "update_transaction")
        shape = models.TransactionResponseData
        data = await self._session.write_item(shape, "PUT", "transactions", transaction_id, body)
        return data.transaction

    async def delete_transactions(self, keys: Keys | ArrowTable) -> pd.DataFrame:
        """As `BudgetFrame.delete_transactions`, awaited."""
        return await self._changed("transactions", "DELETE", keys)

    async def import_linked(self) -> pd.DataFrame:
        """As `BudgetFrame.import_linked`, awaited."""
        return await import_linked(self._session)

    # Scheduled transactions

    async def create_scheduled_transactions(self, rows: Rows | ArrowTable) -> pd.DataFrame:
        """As `BudgetFrame.create_scheduled_transactions`, awaited."""
        name = "scheduled_transactions"
        bodies = row_bodies(in_pandas(rows), BODIES["create_scheduled_transactions"])
        answers = await self._create(name, bodies)
        data = {name: [answer["scheduled_transaction"] for answer in answers]}
        return self._frame(name, data, f"POST {name}")

    async def update_scheduled_transactions(self, rows: Rows | ArrowTable) -> pd.DataFrame:
        """As `BudgetFrame.update_scheduled_transactions`, awaited."""
        return await self._changed("scheduled_transactions", "PUT", rows)

    async def delete_scheduled_transactions(self, keys: Keys | ArrowTable) -> pd.DataFrame:
        """As `BudgetFrame.delete_scheduled_transactions`, awaited."""
        return await self._changed("scheduled_transactions", "DELETE", keys)

    # Accounts and payees

    async def create_account(
        self, name: str, account_type: AccountType, balance: float
    ) -> models.Account:
        """As `BudgetFrame.create_account`, awaited."""
        fields = {"name": name, "account_type": account_type, "balance": balance}
        body = body_of(fields, BODIES["account"], "create_account")
        shape = models.AccountResponseData
        return (await self._session.write_item(shape, "POST", "accounts", None, body)).account

    async def create_payee(self, name: str) -> models.Payee:
        """As `BudgetFrame.create_payee`, awaited."""
        return await self._write_payee("POST", None, name)

    async def rename_payee(self, payee_id: str, name: str) -> models.Payee:
        """As `BudgetFrame.rename_payee`, awaited."""
        return await self._write_payee("PATCH", payee_id, name)

    # Categories

    async def create_category_group(self, name: str) -> models.CategoryGroup:
        """As `BudgetFrame.create_category_group`, awaited."""
        return await self._write_group("POST", None, name)

    async def rename_category_group(
        self, category_group_id: str, name: str
    ) -> models.CategoryGroup:
        """As `BudgetFrame.rename_category_group`, awaited."""
        return await self._write_group("PATCH", category_group_id, name)

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
    ) -> models.Category:
        """As `BudgetFrame.create_category`, awaited."""
        fields = {field: value for field, value in locals().items() if field != "self"}
        given = {field: value for field, value in fields.items() if value is not None}
        return await self._write_category("create_category", "POST", None, given)

    async def update_category(self, category_id: str, **fields: Any) -> models.Category:
        """As `BudgetFrame.update_category`, awaited."""
        return await self._write_category("update_category", "PATCH", category_id, fields)

    # Assigned money

    @overload
    async def assign(
        self, month: Day, category: str, amount: float, *, preview: Literal[False] = False
    ) -> models.Category: ...
    @overload
    async def assign(
        self, month: Day, category: str, amount: float, *, preview: Literal[True]
    ) -> AsyncChanges: ...
    @overload
    async def assign(
        self, month: Day, category: str, amount: float, *, preview: bool
    ) -> models.Category | AsyncChanges: ...
    async def assign(
        self, month: Day, category: str, amount: float, *, preview: bool = False
    ) -> models.Category | AsyncChanges:
        """As `BudgetFrame.assign`, awaited."""
        day, milliunits = month_to_write(month), milliunits_of(amount, "amount")
        if not preview:
            return await assign(self._session, day, category, milliunits)
        from budgetframe import _changes  # noqa: PLC0415 - slow, and many programs write nothing

        return self._changes_of(await _changes.assignment(self._session, day, category, milliunits))

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
    @overload
    async def move(
        self, month: Day, from_: str | None, to: str | None, amount: float, *, preview: bool
    ) -> pd.DataFrame | AsyncChanges: ...
    async def move(
        self,
        month: Day,
        from_: str | None,
        to: str | None,
        amount: float,
        *,
        preview: bool = False,
    ) -> pd.DataFrame | AsyncChanges:
        """As `BudgetFrame.move`, awaited."""
        day, milliunits = month_to_write(month), milliunits_of(amount, "amount")
        if milliunits <= 0:
            raise ToolError(
                f"amount={amount!r} is not greater than zero: to move money back, exchange from_"
                " and to. Nothing was sent"
            )
        if preview:
            from budgetframe import _changes  # noqa: PLC0415

            return self._changes_of(
                await _changes.movement(self._session, day, from_, to, milliunits)
            )
        data = await move(self._session, day, from_, to, milliunits)
        return self._frame("month", data, "PATCH months/categories")

    async def _create(self, name: str, bodies: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The answers to the creation of rows, after their names are replaced by keys."""
        bodies = await new_rows(self._session, name, bodies)
        return await create_rows(self._session.reads, name, bodies)

    async def _changed(
        self, name: Literal["transactions", "scheduled_transactions"], method: str, rows: Any
    ) -> pd.DataFrame:
        """The frame of rows that are updated or deleted as by `changes`."""
        from budgetframe import _changes  # noqa: PLC0415 - slow, and many programs write nothing

        prepare = _changes.deletions_of if method == "DELETE" else _changes.updates_of
        compared, keys = await prepare(self._session, name, in_pandas(rows))
        data = {str(name): await _changes.apply_rows(self._session, compared, keys)}
        return self._frame(name, data, f"{method} {name}")

    def _frame(self, table: str, data: Mapping[str, Any], source: str) -> pd.DataFrame:
        """The frame of rows that were written just now, with its attrs."""
        try:
            with collected_warnings(then_defer=True) as found:
                frame = TABLES[table].frame(data)
            for warning in found:
                if isinstance(warning, DamagedRows):
                    raise invalid_response(200, f"cannot be used: {warning}")
        except ServiceAPIError as error:
            error.add_note(WRITE_ADVICE)
            raise
        frame.attrs = self._session.attrs_of([Answer("", data, self._session.reads.now(), source)])
        return frame

    async def _write_payee(self, method: str, payee_id: str | None, name: str) -> models.Payee:
        body = body_of({"name": name}, BODIES["payee"], "the payee")
        shape = models.PayeeResponseData
        return (await self._session.write_item(shape, method, "payees", payee_id, body)).payee

    async def _write_group(
        self, method: str, category_group_id: str | None, name: str
    ) -> models.CategoryGroup:
        body = body_of({"name": name}, BODIES["category_group"], "the category group")
        name, shape = "category_groups", models.CategoryGroupResponseData
        data = await self._session.write_item(shape, method, name, category_group_id, body)
        return data.category_group

    async def _write_category(
        self, write: str, method: str, category_id: str | None, fields: Mapping[str, Any]
    ) -> models.Category:
        body = body_of(fields, BODIES[write], write)
        shape = models.CategoryResponseData
        data = await self._session.write_item(shape, method, "categories", category_id, body)
        return data.category


@checked_on_loop
class ChangesMethods(_WithChanges):
    """Async methods that change the budget from a frame."""

    # Programs that change nothing do not need these modules, which are slow to import.

    async def changes(
        self,
        edited: pd.DataFrame | ArrowTable | None = None,
        *,
        delete: Keys | ArrowTable | None = None,
        splits: Literal["error", "skip", "replace"] = "error",
    ) -> AsyncChanges:
        """As `BudgetFrame.changes`, awaited."""
        from budgetframe import _changes  # noqa: PLC0415

        compared, skipped = await _changes.compare(
            self._session, in_pandas(edited), in_pandas(delete), splits=splits
        )
        return self._changes_of(compared, skipped)

    async def import_rows(
        self,
        frame: pd.DataFrame | ArrowTable,
        *,
        account: str,
        columns: Mapping[str, str] | None = None,
        rules: Rules | None = None,
    ) -> AsyncChanges:
        """As `BudgetFrame.import_rows`, awaited."""
        from budgetframe import _changes  # noqa: PLC0415

        if rules is not None and not isinstance(rules, Rules):
            kind = type(rules).__name__
            raise refused(f"rules is {kind}: budgetframe.rules(path) reads rules from a file")
        compared, skipped = await _changes.import_plan(
            self._session, in_pandas(frame), account, columns, rules.apply if rules else None
        )
        return self._changes_of(compared, skipped)

    async def statement(
        self,
        account: str,
        balance: float,
        on: Day,
        file: pd.DataFrame | ArrowTable | None = None,
        *,
        columns: Mapping[str, str] | None = None,
    ) -> AsyncStatement:
        """As `BudgetFrame.statement`, awaited."""
        from .statement import AsyncStatement, statement_of  # noqa: PLC0415

        found = await statement_of(
            self._session, account, balance, on, file=in_pandas(file), columns=columns
        )
        return AsyncStatement(self._session, found, self._changes_of, self._on_loop)

    async def review(
        self,
        what: pd.DataFrame | ArrowTable | Statement | Changes | None = None,
        *,
        keep: bool = False,
    ) -> AsyncReview:
        """As `BudgetFrame.review`, awaited."""
        from budgetframe._facade.review.rows import reviewed  # noqa: PLC0415

        from .review import AsyncReview  # noqa: PLC0415

        # The only class with these methods has those that read too.
        found = await reviewed(self, self._session, what)  # type: ignore[arg-type]
        return AsyncReview(found, self._changes_of, self._on_loop, keep=keep)

    async def set_balance(
        self, account: str, balance: float, *, date: Day | None = None
    ) -> AsyncChanges:
        """As `BudgetFrame.set_balance`, awaited."""
        from budgetframe import _changes  # noqa: PLC0415

        from .changes import AsyncChanges  # noqa: PLC0415

        session, milliunits = self._session, milliunits_of(balance, "balance")
        compared = await _changes.balance_adjustment(session, account, milliunits, date)
        return AsyncChanges(_changes.Application(session, compared), self._on_loop)

    async def journal(self) -> AsyncJournal:
        """As `BudgetFrame.journal`, awaited."""
        from budgetframe import _changes  # noqa: PLC0415

        from .changes import AsyncJournal  # noqa: PLC0415

        operations = (await _changes.journal_of(self._session)).operations()
        return AsyncJournal(self._session, operations, self._on_loop)
