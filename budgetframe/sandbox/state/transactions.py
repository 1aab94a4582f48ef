"""Entries about transactions: splits, transfers and their other sides."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .accounts import AccountEntries
from .rows import Part, Transaction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

_TRANSACTION_FIELDS = frozenset(
    {
        "account_id",
        "date",
        "amount",
        "payee_id",
        "category_id",
        "memo",
        "cleared",
        "approved",
        "flag_color",
        "import_id",
        "import_payee_name",
        "import_payee_name_original",
        "matched_transaction_id",
        "debt_transaction_type",
    }
)


@dataclass(slots=True, kw_only=True)
class NewPart:
    """A part of a split to be."""

    amount: int
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None


class RowEntries(AccountEntries):
    """Changes the rows of accounts."""

    def add_transaction(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        parts: Sequence[NewPart] = (),
        row_id: str | None = None,
        **more: Any,
    ) -> Transaction:
        """Enter a transaction, with the other sides of its transfers."""
        budget = self.budget
        _check_names(more)
        with self.one_write():
            row = Transaction(
                id=row_id or budget.new_id(),
                account_id=account_id,
                date=date,
                amount=amount,
                **more,
            )
            if row.import_id is not None:
                budget.import_ids.setdefault((account_id, row.import_id), row.id)
            self._split(row, parts)
            self._connect(row)
            self.books.post(row)
            return budget.transactions.put(row, budget.knowledge)

    def edit_transaction(
        self,
        row: Transaction,
        changes: Mapping[str, Any],
        parts: Sequence[NewPart] | None = None,
    ) -> None:
        """Change fields of a transaction; `parts` turn it into a split."""
        budget = self.budget
        _check_names(changes)
        with self.one_write():
            self.books.post(row, -1)
            for name, value in changes.items():
                setattr(row, name, value)
            if row.import_id is not None:
                budget.import_ids.setdefault((row.account_id, row.import_id), row.id)
            if parts and not self._is_other_side_of_part(row):
                self._split(row, parts)
            self._connect(row)
            self.books.post(row)
            budget.transactions.put(row, budget.knowledge)

    def delete_transaction(self, row: Transaction) -> None:
        """Delete a transaction, its parts, and the other sides of its transfers."""
        budget = self.budget
        with self.one_write():
            parent = self._parent_of_other_side(row)
            if parent is None:
                self._delete_other_side(row)
            for part in row.parts:
                self._delete_other_side(part)
            self.books.post(row, -1)
            row.deleted = True
            for part in row.parts:
                part.deleted = True
            budget.transactions.put(row, budget.knowledge)
            if parent is not None:
                self.delete_transaction(parent)

    def _recategorize(self, row: Transaction, old: str, new: str) -> None:
        """Put a row, or those parts of it that are in one category, into another."""
        sides = [side for side in row.sides if side.category_id == old]
        if not sides:
            return
        self.books.post(row, -1)
        for side in sides:
            side.category_id = new
        self.books.post(row)
        self.budget.transactions.put(row, self.budget.knowledge)

    def _split(self, row: Transaction, parts: Sequence[NewPart]) -> None:
        if not parts:
            return
        row.category_id = None
        row.parts = [
            Part(
                id=self.budget.new_id(),
                amount=part.amount,
                payee_id=part.payee_id,
                category_id=part.category_id,
                memo=part.memo,
            )
            for part in parts
        ]

    def _connect(self, row: Transaction) -> None:
        """Make transfers of a row and its parts agree with their payees, and clear categories."""
        account = self.budget.accounts[row.account_id]
        if row.parts and row.payee_id is not None and self._target_of(row) is not None:
            # The parts of a split may be transfers, the split as a whole is none.
            row.payee_id = None
        for side in row.sides:
            target_id = self._target_of(side)
            if self._is_other_side_of_part(row) and side is row:
                self._follow_other_side(row)
            elif target_id is None or target_id == row.account_id:
                self._drop_other_side(side)
            elif side.transfer_transaction_id is None:
                self._add_other_side(row, side, target_id)
            else:
                self._match_other_side(row, side, target_id)
            if (
                not account.on_budget
                or self._takes_no_rows(side.category_id)
                or (target_id is not None and self.budget.accounts[target_id].on_budget)
            ):
                side.category_id = None

    def _target_of(self, side: Transaction | Part) -> str | None:
        """Give the account that the payee of a row or part stands for."""
        if side.payee_id is None:
            return None
        return self.budget.payees[side.payee_id].transfer_account_id

    def _takes_no_rows(self, category_id: str | None) -> bool:
        """Whether a category is one that rows cannot be put in, so that they have none."""
        if category_id is None or category_id == self.budget.uncategorized_id:
            return True
        return self.budget.categories[category_id].payment_account_id is not None

    def _add_other_side(self, row: Transaction, side: Transaction | Part, target_id: str) -> None:
        budget = self.budget
        target = budget.accounts[target_id]
        other = Transaction(
            id=budget.new_id(),
            account_id=target_id,
            date=row.date,
            amount=-side.amount,
            payee_id=budget.accounts[row.account_id].transfer_payee_id,
            memo=side.memo,
            cleared=row.cleared,
            approved=row.approved,
            transfer_account_id=row.account_id,
            transfer_transaction_id=row.id,
            debt_transaction_type=None if target.debt_interest_rates is None else "payment",
        )
        side.transfer_account_id = target_id
        side.transfer_transaction_id = other.id
        self.books.post(other)
        budget.transactions.put(other, budget.knowledge)

    def _match_other_side(self, row: Transaction, side: Transaction | Part, target_id: str) -> None:
        """Let the other side of a transfer have the date, amount and accounts of this one."""
        budget = self.budget
        other = budget.transactions[str(side.transfer_transaction_id)]
        self.books.post(other, -1)
        other.account_id = target_id
        other.amount = -side.amount
        other.date = row.date
        other.memo = side.memo
        other.transfer_account_id = row.account_id
        other.payee_id = budget.accounts[row.account_id].transfer_payee_id
        if not budget.accounts[target_id].on_budget or budget.accounts[row.account_id].on_budget:
            other.category_id = None
        self.books.post(other)
        budget.transactions.put(other, budget.knowledge)
        side.transfer_account_id = target_id

    def _drop_other_side(self, side: Transaction | Part) -> None:
        """Let a row be no transfer any more, unless it is the other side of a split's part."""
        if not (isinstance(side, Transaction) and self._is_other_side_of_part(side)):
            self._delete_other_side(side)
            side.transfer_transaction_id = side.transfer_account_id = None

    def _delete_other_side(self, side: Transaction | Part) -> None:
        other = self.budget.transactions.find(side.transfer_transaction_id)
        if other is not None:
            self.books.post(other, -1)
            other.deleted = True
            self.budget.transactions.put(other, self.budget.knowledge)

    def _is_part_of(self, parent: Transaction, row_id: str) -> bool:
        return any(part.transfer_transaction_id == row_id for part in parent.parts)

    def _parent_of_other_side(self, row: Transaction) -> Transaction | None:
        """Give the split that holds the other side of this row, if that is where it is."""
        other = self.budget.transactions.find(row.transfer_transaction_id)
        return other if other is not None and self._is_part_of(other, row.id) else None

    def _is_other_side_of_part(self, row: Transaction) -> bool:
        return self._parent_of_other_side(row) is not None

    def _follow_other_side(self, row: Transaction) -> None:
        """Keep the row as its part of a split states it: only the split can change these."""
        parent = self._parent_of_other_side(row)
        if parent is None:
            return
        part = next(part for part in parent.parts if part.transfer_transaction_id == row.id)
        row.amount, row.date = -part.amount, parent.date
        row.account_id = str(part.transfer_account_id)
        row.payee_id = self.budget.accounts[parent.account_id].transfer_payee_id
        row.category_id = None


def _check_names(changes: Mapping[str, Any]) -> None:
    unknown = changes.keys() - _TRANSACTION_FIELDS
    if unknown:
        known = ", ".join(f.name for f in fields(Transaction) if f.name in _TRANSACTION_FIELDS)
        raise TypeError(f"unknown fields {sorted(unknown)}; a transaction has {known}")
