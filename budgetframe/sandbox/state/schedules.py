"""Changes to scheduled transactions, and the transactions that are entered from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from .books import Editor
from .rows import Leg, ScheduledTransaction, check_names, editable_fields
from .schedule_dates import next_date
from .transactions import NewPart, TransactionEditor

_FIELDS = editable_fields(ScheduledTransaction)


@dataclass(frozen=True)
class ScheduleEditor(Editor):
    """Changes the scheduled transactions of one budget and enters those that are due."""

    _transactions: TransactionEditor

    def add(
        self,
        *,
        account_id: str,
        date: date,
        amount: int = 0,
        frequency: str = "never",
        date_first: date | None = None,
        parts: Sequence[NewPart] = (),
        **more: Any,
    ) -> ScheduledTransaction:
        """Schedule a transaction; `date` is its next date."""
        check_names("a scheduled transaction", _FIELDS, more)
        budget = self._budget
        with self._books.write():
            more |= {"date_first": date_first or date, "date_next": date, "frequency": frequency}
            key = budget.new_id()
            row = ScheduledTransaction(id=key, account_id=account_id, amount=amount, **more)
            row.parts = [part.make(budget.new_id()) for part in parts]
            return self._put(row)

    def edit(self, row: ScheduledTransaction, **changes: Any) -> None:
        """Change fields of a scheduled transaction; `date` is its next date."""
        new_date = changes.pop("date", None)
        check_names("a scheduled transaction", _FIELDS, changes)
        with self._books.write():
            if new_date is not None:
                was_never_entered = row.date_first == row.date_next
                row.date_first = new_date if was_never_entered else min(row.date_first, new_date)
                row.date_next = new_date
            for name, value in changes.items():
                setattr(row, name, value)
            self._put(row)

    def delete(self, row: ScheduledTransaction) -> None:
        """Delete a scheduled transaction; transactions that were entered from it stay."""
        with self._books.write():
            row.deleted = True
            for part in row.parts:
                part.deleted = True
            self._budget.scheduled.put(row, self._budget.knowledge)

    def _put(self, row: ScheduledTransaction) -> ScheduledTransaction:
        """Store a row whose transfers match its payees and whose categories fit its accounts."""
        budget = self._budget
        account = budget.accounts[row.account_id]
        for leg in row.legs:
            payee = None if leg.payee_id is None else budget.payees[leg.payee_id]
            target_id = None if payee is None else payee.transfer_account_id
            leg.transfer_account_id = None if target_id == account.id else target_id
            is_within_budget = target_id is not None and budget.accounts[target_id].on_budget
            if not account.on_budget or is_within_budget:
                leg.category_id = None
        if row.parts:
            row.category_id = None
        return budget.scheduled.put(row, budget.knowledge)

    def is_due(self) -> bool:
        """Whether the next date of a scheduled transaction has come."""
        return any(row.date_next <= self._budget.today for row in self._budget.scheduled.live())

    def enter_due(self) -> None:
        """Enter all transactions that are due, in the order of their dates."""
        budget = self._budget
        with self._books.write():
            while True:
                due = [row for row in budget.scheduled.live() if row.date_next <= budget.today]
                if not due:
                    return
                self._enter(min(due, key=lambda row: row.date_next))

    def _enter(self, row: ScheduledTransaction) -> None:
        """Enter a scheduled transaction once, unapproved."""
        day = row.date_next
        self._transactions.add(
            row_id=f"{row.id}_{day.isoformat()}", account_id=row.account_id, date=day,
            flag_color=row.flag_color, parts=[NewPart(**_copied(part)) for part in row.parts],
            **_copied(row),
        )  # fmt: skip
        following = next_date(row.frequency, row.date_first, day)
        if following is None:
            row.is_completed = True
            self.delete(row)
        else:
            row.date_next = following
            self._budget.scheduled.put(row, self._budget.knowledge)


def _copied(leg: Leg) -> dict[str, Any]:
    return {name: getattr(leg, name) for name in ("amount", "payee_id", "category_id", "memo")}
