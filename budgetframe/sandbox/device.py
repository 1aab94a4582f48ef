"""Another device: edits of the same state beside the client under test."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Any, TypeVar

from budgetframe.sandbox.state.editor import BudgetEditor, NewPart
from budgetframe.sandbox.state.rows import Budget, Row, Table, month_number


class Device:
    """Edits a budget directly: no request, nothing counted against the limit.

    Rows are named by their ids. `budget` is a budget's id or name, or None for the first one.
    Every call that edits is one write: the knowledge of the budget goes up by one.
    """

    def __init__(
        self, budgets: Sequence[BudgetEditor], lock: AbstractContextManager[object]
    ) -> None:
        self._budgets = budgets
        self._lock = lock

    def _entries(self, budget: str | None) -> BudgetEditor:
        for entries in self._budgets:
            if budget in {None, entries.budget.id, entries.budget.name}:
                return entries
        raise LookupError(f"no budget {budget!r}")

    def state(self, budget: str | None = None) -> Budget:
        """Give the rows themselves, to look at."""
        return self._entries(budget).budget

    def add_transaction(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        payee_name: str | None = None,
        parts: Sequence[NewPart] = (),
        budget: str | None = None,
        **more: Any,
    ) -> str:
        """Enter a transaction of `amount` milliunits and give its id.

        Parameters
        ----------
        account_id
            Account of the row.
        date
            Date of the row.
        amount
            Milliunits; negative is money out.
        payee_name
            Payee by name, made on demand, instead of `payee_id`.
        parts
            Parts of a split.
        budget
            Id or name of the budget; the first one if not stated.
        **more
            Other fields of a transaction: `payee_id`, `category_id`, `memo`, `cleared`, ...
        """
        with self._lock:
            entries = self._entries(budget)
            with entries.one_write():
                if payee_name is not None:
                    more["payee_id"] = entries.payee_named(payee_name).id
                row = entries.add_transaction(
                    account_id=account_id, date=date, amount=amount, parts=parts, **more
                )
            return row.id

    def edit_transaction(
        self, transaction_id: str, *, budget: str | None = None, **changes: Any
    ) -> None:
        """Change fields of a transaction."""
        with self._lock:
            entries = self._entries(budget)
            row = _live(entries.budget.transactions, transaction_id)
            entries.edit_transaction(row, changes)

    def delete_transaction(self, transaction_id: str, *, budget: str | None = None) -> None:
        """Delete a transaction, with the other side if it is a transfer."""
        with self._lock:
            entries = self._entries(budget)
            entries.delete_transaction(_live(entries.budget.transactions, transaction_id))

    # -- money in the plan ---------------------------------------------------------------------

    def assign(
        self, category_id: str, month: date, amount: int, *, budget: str | None = None
    ) -> None:
        """Assign `amount` milliunits to a category in a month."""
        with self._lock:
            entries = self._entries(budget)
            category = _live(entries.budget.categories, category_id)
            entries.assign(category, month_number(month), amount)

    def move_money(
        self,
        source_id: str,
        target_id: str,
        month: date,
        amount: int,
        *,
        note: str | None = None,
        budget: str | None = None,
    ) -> None:
        """Move `amount` assigned milliunits from one category to another in a month."""
        with self._lock:
            entries = self._entries(budget)
            categories = entries.budget.categories
            source, target = _live(categories, source_id), _live(categories, target_id)
            entries.move(source, target, month_number(month), amount, note)

    # -- accounts and payees -------------------------------------------------------------------

    def open_account(
        self, name: str, kind: str, balance: int = 0, *, budget: str | None = None
    ) -> str:
        """Open an account that has `balance` milliunits today, and give its id."""
        with self._lock:
            return self._entries(budget).open_account(name, kind, balance).id

    def close_account(self, account_id: str, *, budget: str | None = None) -> None:
        """Close an account; what is in it stays."""
        with self._lock:
            entries = self._entries(budget)
            entries.close_account(_live(entries.budget.accounts, account_id))

    def rename_account(self, account_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename an account and its transfer payee."""
        with self._lock:
            entries = self._entries(budget)
            entries.rename_account(_live(entries.budget.accounts, account_id), name)

    def add_payee(self, name: str, *, budget: str | None = None) -> str:
        """Make a payee and give its id."""
        with self._lock:
            return self._entries(budget).add_payee(name).id

    def rename_payee(self, payee_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a payee."""
        with self._lock:
            entries = self._entries(budget)
            entries.rename_payee(_live(entries.budget.payees, payee_id), name)

    def add_bank_row(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        payee_name: str,
        budget: str | None = None,
    ) -> str:
        """Let the bank of an account have a row ready to be imported; give its import id.

        The account is a linked one from then on.
        """
        with self._lock:
            entries = self._entries(budget)
            account = _live(entries.budget.accounts, account_id)
            return entries.add_bank_row(account, date, amount, payee_name)

    # -- groups and categories -----------------------------------------------------------------

    def add_group(self, name: str, *, budget: str | None = None) -> str:
        """Make a category group and give its id."""
        with self._lock:
            return self._entries(budget).add_group(name).id

    def rename_group(self, group_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a category group."""
        with self._lock:
            entries = self._entries(budget)
            entries.edit_group(_live(entries.budget.groups, group_id), name=name)

    def add_category(self, name: str, group_id: str, *, budget: str | None = None) -> str:
        """Make a category and give its id."""
        with self._lock:
            entries = self._entries(budget)
            return entries.add_category(name, _live(entries.budget.groups, group_id).id).id

    def rename_category(self, category_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a category."""
        with self._lock:
            entries = self._entries(budget)
            entries.edit_category(_live(entries.budget.categories, category_id), name=name)

    def move_category(self, category_id: str, group_id: str, *, budget: str | None = None) -> None:
        """Put a category under another group."""
        with self._lock:
            entries = self._entries(budget)
            group = _live(entries.budget.groups, group_id)
            entries.edit_category(_live(entries.budget.categories, category_id), group_id=group.id)

    def delete_category(self, category_id: str, into_id: str, *, budget: str | None = None) -> None:
        """Delete a category; its rows and what is assigned to it go to another one."""
        with self._lock:
            entries = self._entries(budget)
            categories = entries.budget.categories
            entries.delete_category(_live(categories, category_id), _live(categories, into_id))

    # -- scheduled transactions ----------------------------------------------------------------

    def schedule(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        frequency: str = "monthly",
        parts: Sequence[NewPart] = (),
        budget: str | None = None,
        **more: Any,
    ) -> str:
        """Schedule a transaction whose next date is `date`, and give its id."""
        with self._lock:
            row = self._entries(budget).add_scheduled(
                account_id=account_id,
                date=date,
                amount=amount,
                frequency=frequency,
                parts=parts,
                **more,
            )
            return row.id

    def edit_scheduled(
        self, scheduled_transaction_id: str, *, budget: str | None = None, **changes: Any
    ) -> None:
        """Change fields of a scheduled transaction."""
        with self._lock:
            entries = self._entries(budget)
            row = _live(entries.budget.scheduled, scheduled_transaction_id)
            entries.edit_scheduled(row, **changes)

    def delete_scheduled(self, scheduled_transaction_id: str, *, budget: str | None = None) -> None:
        """Delete a scheduled transaction."""
        with self._lock:
            entries = self._entries(budget)
            entries.delete_scheduled(_live(entries.budget.scheduled, scheduled_transaction_id))

    def forget_schedules(self, *, budget: str | None = None) -> None:
        """Let a budget be one that never had a scheduled transaction.

        The service answers 404.2 to the list of these.
        """
        with self._lock:
            self._entries(budget).budget.scheduled = Table()


R = TypeVar("R", bound=Row)


def _live(table: Table[R], row_id: str) -> R:
    row = table.find(row_id)
    if row is None:
        raise LookupError(f"no row {row_id!r}, or it is deleted")
    return row
