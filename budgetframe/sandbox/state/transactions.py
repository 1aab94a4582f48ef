"""Changes to transactions: splits, transfers and the other sides of transfers.

A transfer consists of two transactions, one in each account. Each one is the *other side* of the
other one. A part of a split can be a transfer too: then its other side is a transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from .books import Editor
from .rows import Leg, Part, Transaction, check_names, editable_fields

_FIELDS = editable_fields(Transaction)


@dataclass(slots=True, kw_only=True)
class NewPart:
    """One part of a split transaction to add; the amount is in milliunits."""

    amount: int
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None

    def make(self, part_id: str) -> Part:
        """Return the part as a row with an id."""
        return Part(id=part_id, **asdict(self))


class TransactionEditor(Editor):
    """Adds, changes and deletes the transactions of one budget."""

    def add(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        parts: Sequence[NewPart] = (),
        row_id: str | None = None,
        **more: Any,
    ) -> Transaction:
        """Add a transaction and the other sides of its transfers."""
        check_names("a transaction", _FIELDS, more)
        with self._books.write():
            key = row_id or self._budget.new_id()
            row = Transaction(id=key, account_id=account_id, date=date, amount=amount, **more)
            return self._put(row, parts)

    def edit(
        self, row: Transaction, changes: Mapping[str, Any], parts: Sequence[NewPart] | None = None
    ) -> None:
        """Change fields of a transaction; `parts` turn it into a split."""
        check_names("a transaction", _FIELDS, changes)
        with self._books.write():
            self._books.post(row, -1)
            for name, value in changes.items():
                setattr(row, name, value)
            self._put(row, parts)

    def delete(self, row: Transaction) -> None:
        """Delete a transaction, its parts and the other sides of its transfers."""
        # If the transaction is the other side of a part, the whole split is deleted too. The
        # amounts of a split stay in the activity of its categories; see `Books`.
        budget = self._budget
        with self._books.write():
            split = self._split_of_other_side(row)
            if split is None:
                self._delete_other_side(row)
            for part in row.parts:
                self._delete_other_side(part)
            self._books.post(row, -1, keeps_activity=bool(row.parts) and not budget.is_lenient)
            row.deleted = True
            for part in row.parts:
                part.deleted = True
            budget.transactions.put(row, budget.knowledge)
            if split is not None:
                self.delete(split)

    def replace_category(self, old: str, new: str) -> None:
        """Replace a category in every transaction and part that has it."""
        budget = self._budget
        for row in list(budget.transactions.live()):
            legs = [leg for leg in row.legs if leg.category_id == old]
            if not legs:
                continue
            self._books.post(row, -1)
            for leg in legs:
                leg.category_id = new
            self._books.post(row)
            budget.transactions.put(row, budget.knowledge)

    def _put(self, row: Transaction, parts: Sequence[NewPart] | None) -> Transaction:
        """Store a row with new parts, and the other sides of its transfers."""
        budget = self._budget
        if row.import_id is not None:
            budget.import_ids.setdefault((row.account_id, row.import_id), row.id)
        if parts and self._split_of_other_side(row) is None:
            row.category_id = None
            row.parts = [part.make(budget.new_id()) for part in parts]
        self._update_transfers(row)
        self._books.post(row)
        return budget.transactions.put(row, budget.knowledge)

    def _update_transfers(self, row: Transaction) -> None:
        """Make the transfers of a row and its parts match their payees, and clear categories."""
        account = self._budget.accounts[row.account_id]
        if row.parts and row.payee_id is not None and self._target_of(row) is not None:
            # The parts of a split can be transfers, the split as a whole cannot.
            row.payee_id = None
        split = self._split_of_other_side(row)
        for leg in row.legs:
            target_id = self._target_of(leg)
            if leg is row and split is not None:
                self._copy_from_split(row, split)
            elif target_id is None or target_id == row.account_id:
                self._delete_other_side(leg)
                leg.transfer_transaction_id = leg.transfer_account_id = None
            else:
                self._put_other_side(row, leg, target_id)
            if (
                not account.on_budget
                or self._takes_no_transactions(leg.category_id)
                or (target_id is not None and self._budget.accounts[target_id].on_budget)
            ):
                leg.category_id = None

    def _target_of(self, leg: Leg) -> str | None:
        """Return the other account of a transfer, which the payee of the leg names."""
        if leg.payee_id is None:
            return None
        return self._budget.payees[leg.payee_id].transfer_account_id

    def _takes_no_transactions(self, category_id: str | None) -> bool:
        """Whether transactions with this category are stored without a category."""
        if category_id is None or category_id == self._budget.uncategorized_id:
            return True
        return self._budget.categories[category_id].payment_account_id is not None

    def _put_other_side(self, row: Transaction, leg: Leg, target_id: str) -> None:
        """Add the other side of a transfer, or copy date, amount, memo and accounts to it."""
        budget = self._budget
        target = budget.accounts[target_id]
        if leg.transfer_transaction_id is None:
            other = Transaction(
                id=budget.new_id(), account_id=target_id, date=row.date, amount=0,
                cleared=row.cleared, approved=row.approved, transfer_transaction_id=row.id,
                debt_transaction_type=None if target.debt_interest_rates is None else "payment",
            )  # fmt: skip
            leg.transfer_transaction_id = other.id
        else:
            other = budget.transactions[leg.transfer_transaction_id]
            self._books.post(other, -1)
        other.account_id = target_id
        other.amount = -leg.amount
        other.date = row.date
        other.memo = leg.memo
        other.transfer_account_id = row.account_id
        other.payee_id = budget.accounts[row.account_id].transfer_payee_id
        if not target.on_budget or budget.accounts[row.account_id].on_budget:
            other.category_id = None
        self._books.post(other)
        budget.transactions.put(other, budget.knowledge)
        leg.transfer_account_id = target_id

    def _delete_other_side(self, leg: Leg) -> None:
        other = self._budget.transactions.find(leg.transfer_transaction_id)
        if other is not None:
            self._books.post(other, -1)
            other.deleted = True
            self._budget.transactions.put(other, self._budget.knowledge)

    def _split_of_other_side(self, row: Transaction) -> Transaction | None:
        """Return the split of which one part is the other side of this row."""
        other = self._budget.transactions.find(row.transfer_transaction_id)
        if other is None or all(part.transfer_transaction_id != row.id for part in other.parts):
            return None
        return other

    def _copy_from_split(self, row: Transaction, split: Transaction) -> None:
        """Copy the fields that only the split can change from its part to the other side."""
        part = next(part for part in split.parts if part.transfer_transaction_id == row.id)
        row.amount, row.date = -part.amount, split.date
        row.account_id = str(part.transfer_account_id)
        row.payee_id = self._budget.accounts[split.account_id].transfer_payee_id
        row.category_id = None
