"""A second device: edits of the same budgets without the client under test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from typing import Any

from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.rows import Budget, R, Table, month_number
from budgetframe.sandbox.state.transactions import NewPart


class Device:
    """Edits budgets directly, without requests and without using the request limit.

    `edit` gives access to every change. The other methods take ids; each call that changes
    something is one write, which increases the knowledge of the budget by one. The parameter
    `budget` is the id or name of a budget, or None for the first one.
    """

    def __init__(
        self, budgets: Sequence[BudgetEditor], lock: AbstractContextManager[object]
    ) -> None:
        self._budgets = budgets
        self._lock = lock

    def _editor(self, budget: str | None) -> BudgetEditor:
        for editor in self._budgets:
            if budget in {None, editor.budget.id, editor.budget.name}:
                return editor
        raise LookupError(f"no budget has the id or name {budget!r}")

    @contextmanager
    def _locked(self, budget: str | None) -> Iterator[BudgetEditor]:
        with self._lock:
            yield self._editor(budget)

    @contextmanager
    def edit(self, budget: str | None = None) -> Iterator[BudgetEditor]:
        """Edit a budget under the lock of the service; the `with` block is one write.

        Parameters
        ----------
        budget
            Id or name of the budget; None is the first one.

        Yields
        ------
        BudgetEditor
            The editor, with one attribute for each kind of row: `payees`, `categories`,
            `transactions`, `accounts`, `imports`, `schedules`. The rows are in `budget`.

        Examples
        --------
        >>> from budgetframe.sandbox import Sandbox
        >>> sandbox = Sandbox(budgets=1, years=1)
        >>> with sandbox.device.edit() as editor:
        ...     account = editor.accounts.open("Travel", "cash", 50_000)
        ...     editor.accounts.rename(account, "Travel money")
        >>> account.name, account.balance
        ('Travel money', 50000)
        """
        with self._locked(budget) as editor, editor.write():
            yield editor

    def state(self, budget: str | None = None) -> Budget:
        """Return the rows of a budget, to read them."""
        return self._editor(budget).budget

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
        """Add a transaction and return its id.

        Parameters
        ----------
        account_id
            Account of the transaction.
        date
            Date of the transaction.
        amount
            Amount in milliunits; outflows are negative.
        payee_name
            Name of the payee, instead of `payee_id`. The payee is added if it does not exist.
        parts
            Parts of a split.
        budget
            Id or name of the budget; None is the first one.
        **more
            Other fields of a transaction: `payee_id`, `category_id`, `memo`, `cleared`, ...
        """
        with self.edit(budget) as editor:
            if payee_name is not None:
                more["payee_id"] = editor.payees.get_or_add(payee_name).id
            more["parts"] = parts
            row = editor.transactions.add(account_id=account_id, date=date, amount=amount, **more)
            return row.id

    def edit_transaction(
        self, transaction_id: str, *, budget: str | None = None, **changes: Any
    ) -> None:
        """Change fields of a transaction."""
        with self._locked(budget) as editor:
            row = _live(editor.budget.transactions, transaction_id)
            editor.transactions.edit(row, changes)

    def delete_transaction(self, transaction_id: str, *, budget: str | None = None) -> None:
        """Delete a transaction; of a transfer, also the other side."""
        with self._locked(budget) as editor:
            editor.transactions.delete(_live(editor.budget.transactions, transaction_id))

    def assign(
        self, category_id: str, month: date, amount: int, *, budget: str | None = None
    ) -> None:
        """Assign `amount` milliunits to a category in a month."""
        with self._locked(budget) as editor:
            category = _live(editor.budget.categories, category_id)
            editor.categories.assign(category, month_number(month), amount)

    def open_account(
        self, name: str, kind: str, balance: int = 0, *, budget: str | None = None
    ) -> str:
        """Open an account with a balance of `balance` milliunits today; return its id."""
        with self._locked(budget) as editor:
            return editor.accounts.open(name, kind, balance).id

    def close_account(self, account_id: str, *, budget: str | None = None) -> None:
        """Close an account; its balance does not change."""
        with self._locked(budget) as editor:
            editor.accounts.close(_live(editor.budget.accounts, account_id))

    def rename_account(self, account_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename an account, its transfer payee and its payment category."""
        with self._locked(budget) as editor:
            editor.accounts.rename(_live(editor.budget.accounts, account_id), name)

    def add_payee(self, name: str, *, budget: str | None = None) -> str:
        """Add a payee and return its id."""
        with self._locked(budget) as editor:
            return editor.payees.add(name).id

    def rename_payee(self, payee_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a payee."""
        with self._locked(budget) as editor:
            editor.payees.rename(_live(editor.budget.payees, payee_id), name)

    def add_bank_row(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        payee_name: str,
        budget: str | None = None,
    ) -> str:
        """Add a row that the bank of an account offers for import; return its import id.

        The account becomes a linked account. If it is one already, nothing is written.
        """
        with self._locked(budget) as editor:
            account = _live(editor.budget.accounts, account_id)
            return editor.imports.add_bank_row(account, date, amount, payee_name)

    def add_group(self, name: str, *, budget: str | None = None) -> str:
        """Add a category group and return its id."""
        with self._locked(budget) as editor:
            return editor.categories.add_group(name).id

    def rename_group(self, group_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a category group."""
        with self._locked(budget) as editor:
            editor.categories.edit_group(_live(editor.budget.groups, group_id), name=name)

    def add_category(self, name: str, group_id: str, *, budget: str | None = None) -> str:
        """Add a category and return its id."""
        with self._locked(budget) as editor:
            return editor.categories.add(name, _live(editor.budget.groups, group_id).id).id

    def rename_category(self, category_id: str, name: str, *, budget: str | None = None) -> None:
        """Rename a category."""
        with self._locked(budget) as editor:
            editor.categories.edit(_live(editor.budget.categories, category_id), name=name)

    def move_category(self, category_id: str, group_id: str, *, budget: str | None = None) -> None:
        """Move a category to another group."""
        with self._locked(budget) as editor:
            group = _live(editor.budget.groups, group_id)
            category = _live(editor.budget.categories, category_id)
            editor.categories.edit(category, group_id=group.id)

    def delete_category(self, category_id: str, into_id: str, *, budget: str | None = None) -> None:
        """Delete a category and move its transactions and assigned amounts to another one."""
        with self._locked(budget) as editor:
            categories = editor.budget.categories
            editor.categories.delete(_live(categories, category_id), _live(categories, into_id))

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
        """Schedule a transaction with the next date `date`; return its id."""
        with self._locked(budget) as editor:
            more |= {"frequency": frequency, "parts": parts}
            row = editor.schedules.add(account_id=account_id, date=date, amount=amount, **more)
            return row.id

    def edit_scheduled(
        self, scheduled_transaction_id: str, *, budget: str | None = None, **changes: Any
    ) -> None:
        """Change fields of a scheduled transaction."""
        with self._locked(budget) as editor:
            row = _live(editor.budget.scheduled, scheduled_transaction_id)
            editor.schedules.edit(row, **changes)

    def delete_scheduled(self, scheduled_transaction_id: str, *, budget: str | None = None) -> None:
        """Delete a scheduled transaction."""
        with self._locked(budget) as editor:
            editor.schedules.delete(_live(editor.budget.scheduled, scheduled_transaction_id))

    def forget_schedules(self, *, budget: str | None = None) -> None:
        """Turn a budget into one that never had a scheduled transaction.

        The service answers 404.2 to the list of scheduled transactions of such a budget.
        """
        with self._locked(budget) as editor:
            editor.budget.scheduled = Table()


def _live(table: Table[R], row_id: str) -> R:
    row = table.find(row_id)
    if row is None:
        raise LookupError(f"no row has the id {row_id!r}, or the row is deleted")
    return row
