"""Imported transactions and how they are matched with transactions that a user entered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from .books import Editor
from .payees import PayeeEditor
from .rows import Account, BankRow, Transaction
from .transactions import TransactionEditor

_MATCHING_DAYS = timedelta(days=10)


@dataclass(frozen=True)
class ImportEditor(Editor):
    """Imports transactions from banks into one budget."""

    _transactions: TransactionEditor
    _payees: PayeeEditor

    def add(
        self, *, account_id: str, date: date, amount: int, import_id: str, **more: Any
    ) -> Transaction:
        """Import a transaction, or match it with one that a user entered."""
        # A matched transaction keeps its own fields and takes the status and the import fields of
        # the imported one. The imported one is not stored, so that the amount counts once.
        budget = self._budget
        match = self._match(account_id, date, amount)
        with self._books.write():
            if match is None:
                more["import_id"] = import_id
                return self._transactions.add(
                    account_id=account_id, date=date, amount=amount, **more
                )
            names = ("import_payee_name", "import_payee_name_original")
            changes: dict[str, Any] = {name: more[name] for name in names if name in more}
            if match.cleared != "reconciled":
                changes["cleared"] = more.get("cleared", match.cleared)
            changes["approved"] = more.get("approved", False)
            changes |= {"import_id": import_id, "matched_transaction_id": budget.new_id()}
            self._transactions.edit(match, changes)
            return match

    def _match(self, account_id: str, date: date, amount: int) -> Transaction | None:
        """Return the nearest transaction of this amount that a user entered."""
        budget = self._budget
        same_amount = budget.by_amount.get((account_id, amount), ())
        candidates = [
            row
            for row in map(budget.transactions.__getitem__, same_amount)
            if row.import_id is None
            and row.matched_transaction_id is None
            and abs(row.date - date) <= _MATCHING_DAYS
        ]
        return min(candidates, key=lambda row: abs(row.date - date), default=None)

    def add_bank_row(self, account: Account, date: date, amount: int, payee_name: str) -> str:
        """Link an account to a bank that offers a row for import; return its import id."""
        budget = self._budget
        if not account.is_linked:
            with self._books.write():
                account.is_linked = True
                budget.accounts.put(account, budget.knowledge)
        key = (account.id, amount, date)
        budget.bank_occurrences[key] = occurrence = budget.bank_occurrences.get(key, 0) + 1
        import_id = f"YNAB:{amount}:{date.isoformat()}:{occurrence}"
        budget.bank_rows.append(BankRow(account.id, date, amount, payee_name, import_id))
        return import_id

    def import_bank_rows(self) -> list[Transaction]:
        """Import all rows that the banks offer; rows with a used import id are skipped."""
        budget = self._budget
        rows, known = budget.bank_rows, budget.import_ids
        new = [row for row in rows if (row.account_id, row.import_id) not in known]
        budget.bank_rows.clear()
        if not new:
            return []
        with self._books.write():
            return [
                self.add(
                    account_id=row.account_id,
                    date=row.date,
                    amount=row.amount,
                    import_id=row.import_id,
                    payee_id=self._payees.get_or_add(row.payee_name).id,
                    import_payee_name=row.payee_name,
                    import_payee_name_original=row.payee_name.upper(),
                    cleared="cleared",
                )
                for row in new
            ]
