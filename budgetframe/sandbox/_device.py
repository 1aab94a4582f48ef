"""Another device: edits of the same state beside the client under test."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from budgetframe.sandbox._state import Row, month_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgetframe.sandbox._entries import Entries, NewPart
    from budgetframe.sandbox._sandbox import Sandbox
    from budgetframe.sandbox._state import Budget, Table


class Device:
    """Edits a budget directly: no request, nothing counted against the limit.

    Rows are named by their ids. `budget` is a budget's id or name, or None for the first one.
    Every call is one write: the knowledge of the budget goes up by one.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def _entries(self, budget: str | None) -> Entries:
        for entries in self._sandbox.budgets:
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
        with self._sandbox.lock:
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
        with self._sandbox.lock:
            entries = self._entries(budget)
            row = _live(entries.budget.transactions, transaction_id)
            entries.edit_transaction(row, changes)

    def delete_transaction(self, transaction_id: str, *, budget: str | None = None) -> None:
        """Delete a transaction, with the other side if it is a transfer."""
        with self._sandbox.lock:
            entries = self._entries(budget)
            entries.delete_transaction(_live(entries.budget.transactions, transaction_id))

    def rename_account(self, account_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename an account and its transfer payee."""
        with self._sandbox.lock:
            entries = self._entries(budget)
            entries.rename_account(_live(entries.budget.accounts, account_id), name)

    def rename_payee(self, payee_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a payee."""
        with self._sandbox.lock:
            entries = self._entries(budget)
            entries.rename_payee(_live(entries.budget.payees, payee_id), name)

    def rename_category(self, category_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a category."""
        with self._sandbox.lock:
            entries = self._entries(budget)
            entries.edit_category(_live(entries.budget.categories, category_id), name=name)

    def move_category(self, category_id: str, group_id: str, *, budget: str | None = None) -> None:
        """Put a category under another group."""
        with self._sandbox.lock:
            entries = self._entries(budget)
            group = _live(entries.budget.groups, group_id)
            entries.edit_category(_live(entries.budget.categories, category_id), group_id=group.id)

    def assign(
        self, category_id: str, month: date, amount: int, *, budget: str | None = None
    ) -> None:
        """Assign `amount` milliunits to a category in a month."""
        with self._sandbox.lock:
            entries = self._entries(budget)
            category = _live(entries.budget.categories, category_id)
            entries.assign(category, month_number(month), amount)


R = TypeVar("R", bound=Row)


def _live(table: Table[R], row_id: str) -> R:
    row = table.find(row_id)
    if row is None:
        raise LookupError(f"no row {row_id!r}, or it is deleted")
    return row
