"""Entries about rows that a bank states, and their match with what was entered by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .rows import BankRow
from .transactions import RowEntries

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from .rows import Account, Transaction
    from .transactions import NewPart

_NEAR = timedelta(days=10)


class ImportEntries(RowEntries):
    """Takes over what banks state."""

    def import_transaction(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        import_id: str,
        parts: Sequence[NewPart] = (),
        **more: Any,
    ) -> Transaction:
        """Enter an imported row, or match it with one that was entered by hand.

        The row entered by hand stays as it is and takes over how far the imported one has
        come; the imported one is hidden behind it, so that the amount counts once.
        """
        budget = self.budget
        match = self._match(account_id, date, amount)
        with self.one_write():
            if match is None:
                return self.add_transaction(
                    account_id=account_id,
                    date=date,
                    amount=amount,
                    import_id=import_id,
                    parts=parts,
                    **more,
                )
            changes: dict[str, Any] = {
                name: more[name]
                for name in ("import_payee_name", "import_payee_name_original")
                if name in more
            }
            if match.cleared != "reconciled":
                changes["cleared"] = more.get("cleared", match.cleared)
            changes["approved"] = more.get("approved", False)
            changes |= {"import_id": import_id, "matched_transaction_id": budget.new_id()}
            self.edit_transaction(match, changes)
            return match

    def _match(self, account_id: str, date: date, amount: int) -> Transaction | None:
        """Find the nearest row of the same amount that was entered by hand."""
        budget = self.budget
        near = [
            row
            for row in map(
                budget.transactions.__getitem__, budget.by_amount.get((account_id, amount), ())
            )
            if row.import_id is None
            and row.matched_transaction_id is None
            and abs(row.date - date) <= _NEAR
        ]
        return min(near, key=lambda row: abs(row.date - date), default=None)

    # -- linked accounts -----------------------------------------------------------------------

    def add_bank_row(self, account: Account, date: date, amount: int, payee_name: str) -> str:
        """Let the bank of an account have a row ready, and give its import id."""
        budget = self.budget
        if not account.is_linked:
            with self.one_write():
                account.is_linked = True
                budget.accounts.put(account, budget.knowledge)
        key = (account.id, amount, date)
        budget.bank_seen[key] = occurrence = budget.bank_seen.get(key, 0) + 1
        import_id = f"YNAB:{amount}:{date.isoformat()}:{occurrence}"
        budget.bank_rows.append(BankRow(account.id, date, amount, payee_name, import_id))
        return import_id

    def import_from_banks(self) -> list[Transaction]:
        """Import what the banks have ready; a used import id is skipped."""
        budget = self.budget
        ready = [
            row
            for row in budget.bank_rows
            if (row.account_id, row.import_id) not in budget.import_ids
        ]
        budget.bank_rows.clear()
        if not ready:
            return []
        with self.one_write():
            return [
                self.import_transaction(
                    account_id=row.account_id,
                    date=row.date,
                    amount=row.amount,
                    import_id=row.import_id,
                    payee_id=self.payee_named(row.payee_name).id,
                    import_payee_name=row.payee_name,
                    import_payee_name_original=row.payee_name.upper(),
                    cleared="cleared",
                )
                for row in ready
            ]
