"""Transactions and scheduled ones as JSON objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .serializers_base import Json, SerializerBase, day

if TYPE_CHECKING:
    from budgetframe.sandbox.state.rows import Part, Scheduled, Transaction


@dataclass(frozen=True, slots=True)
class RowSerializer(SerializerBase):
    """Writes what stands in accounts, or will."""

    def _payee_name(self, payee_id: str | None) -> str | None:
        return None if payee_id is None else self.budget.payees[payee_id].name

    def _category_name(self, category_id: str | None) -> str | None:
        return None if category_id is None else self.budget.categories[category_id].name

    def _flag(self, color: str | None) -> Json:
        name = None if color is None else self.budget.flag_names.get(color)
        return {"flag_color": color, "flag_name": name}

    def plain_transaction(self, row: Transaction) -> Json:
        """Write a transaction's own fields."""
        return self._dress(
            "row",
            {
                "id": row.id,
                "date": day(row.date),
                "amount": row.amount,
                "memo": row.memo,
                "cleared": row.cleared,
                "approved": row.approved,
                **self._flag(row.flag_color),
                "account_id": row.account_id,
                "payee_id": row.payee_id,
                "category_id": row.category_id,
                "transfer_account_id": row.transfer_account_id,
                "transfer_transaction_id": row.transfer_transaction_id,
                "matched_transaction_id": row.matched_transaction_id,
                "import_id": row.import_id,
                "import_payee_name": row.import_payee_name,
                "import_payee_name_original": row.import_payee_name_original,
                "debt_transaction_type": row.debt_transaction_type,
                "deleted": row.deleted,
            },
        )

    def transaction(self, row: Transaction) -> Json:
        """Write a transaction with names and parts."""
        return self.plain_transaction(row) | {
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(row.payee_id),
            "category_name": "Split" if row.parts else self._category_name(row.category_id),
            "subtransactions": [self.part(row, part) for part in row.parts],
        }

    def part(self, row: Transaction, part: Part) -> Json:
        """Write a subtransaction."""
        return self._dress(
            "row",
            {
                "id": part.id,
                "transaction_id": row.id,
                "amount": part.amount,
                "memo": part.memo,
                "payee_id": part.payee_id,
                "category_id": part.category_id,
                **self._names(
                    payee_name=self._payee_name(part.payee_id),
                    category_name=self._category_name(part.category_id),
                ),
                "transfer_account_id": part.transfer_account_id,
                "transfer_transaction_id": part.transfer_transaction_id,
                "deleted": part.deleted,
            },
        )

    def hybrid(self, row: Transaction, part: Part | None) -> Json:
        """Write a transaction, or one part of it in its parent's clothes, as a flat row."""
        flat = self.plain_transaction(row)
        side = row if part is None else part
        payee_id = side.payee_id or row.payee_id
        flat |= {
            "id": side.id,
            "amount": side.amount,
            "memo": side.memo,
            "payee_id": payee_id,
            "category_id": side.category_id,
            "transfer_account_id": side.transfer_account_id,
            "transfer_transaction_id": side.transfer_transaction_id,
            "deleted": row.deleted or side.deleted,
            "type": "transaction" if part is None else "subtransaction",
            "parent_transaction_id": None if part is None else row.id,
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(payee_id),
            "category_name": "Split"
            if part is None and row.parts
            else self._category_name(side.category_id) or "Uncategorized",
        }
        return self._dress("row", flat)

    def plain_scheduled(self, row: Scheduled) -> Json:
        """Write a scheduled transaction's own fields."""
        return self._dress(
            "row",
            {
                "id": row.id,
                "date_first": day(row.date_first),
                # The published description allows no null here.
                "date_next": None
                if row.is_completed and not self.published
                else day(row.date_next),
                "frequency": row.frequency,
                "amount": row.amount,
                "memo": row.memo,
                **self._flag(row.flag_color),
                "account_id": row.account_id,
                "payee_id": row.payee_id,
                "category_id": row.category_id,
                "transfer_account_id": row.transfer_account_id,
                "deleted": row.deleted,
            },
        )

    def scheduled(self, row: Scheduled) -> Json:
        """Write a scheduled transaction with names and parts."""
        return self.plain_scheduled(row) | {
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(row.payee_id),
            "category_name": "Split" if row.parts else self._category_name(row.category_id),
            "subtransactions": [self.scheduled_part(row, part) for part in row.parts],
        }

    def scheduled_part(self, row: Scheduled, part: Part) -> Json:
        """Write a part of a scheduled transaction."""
        return self._dress(
            "row",
            {
                "id": part.id,
                "scheduled_transaction_id": row.id,
                "amount": part.amount,
                "memo": part.memo,
                "payee_id": part.payee_id,
                "category_id": part.category_id,
                **self._names(
                    payee_name=self._payee_name(part.payee_id),
                    category_name=self._category_name(part.category_id),
                ),
                "transfer_account_id": part.transfer_account_id,
                "deleted": part.deleted,
            },
        )
