"""Entries about scheduled transactions, and those that fall due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .imports import ImportEntries
from .rows import Part, Scheduled
from .schedule_dates import next_date
from .transactions import NewPart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

_FIELDS = frozenset(
    {
        "account_id",
        "amount",
        "category_id",
        "date",
        "flag_color",
        "frequency",
        "memo",
        "payee_id",
    }
)


class ScheduleEntries(ImportEntries):
    """Changes what is to come."""

    def add_scheduled(
        self,
        *,
        account_id: str,
        date: date,
        amount: int = 0,
        frequency: str = "never",
        date_first: date | None = None,
        parts: Sequence[NewPart] = (),
        **more: Any,
    ) -> Scheduled:
        """Schedule a transaction; `date` is the next one to come."""
        _check_names(more)
        budget = self.budget
        with self.one_write():
            row = Scheduled(
                id=budget.new_id(),
                account_id=account_id,
                date_first=date_first or date,
                date_next=date,
                frequency=frequency,
                amount=amount,
                **more,
            )
            row.parts = [
                Part(
                    id=budget.new_id(),
                    amount=part.amount,
                    payee_id=part.payee_id,
                    category_id=part.category_id,
                    memo=part.memo,
                )
                for part in parts
            ]
            return self._put_scheduled(row)

    def edit_scheduled(self, row: Scheduled, **changes: Any) -> None:
        """Change fields of a scheduled transaction; `date` is the next one to come."""
        _check_names(changes)
        with self.one_write():
            when = changes.pop("date", None)
            if when is not None:
                is_new = row.date_first == row.date_next
                row.date_first = when if is_new else min(row.date_first, when)
                row.date_next = when
            for name, value in changes.items():
                setattr(row, name, value)
            self._put_scheduled(row)

    def delete_scheduled(self, row: Scheduled) -> None:
        """Delete a scheduled transaction; what was entered from it stays."""
        with self.one_write():
            row.deleted = True
            for part in row.parts:
                part.deleted = True
            self.budget.scheduled.put(row, self.budget.knowledge)

    def _put_scheduled(self, row: Scheduled) -> Scheduled:
        """Let transfers agree with their payees, and categories with the accounts."""
        budget = self.budget
        own = budget.accounts[row.account_id]
        for side in row.sides:
            payee = None if side.payee_id is None else budget.payees[side.payee_id]
            target_id = None if payee is None else payee.transfer_account_id
            side.transfer_account_id = None if target_id == own.id else target_id
            is_inside = target_id is not None and budget.accounts[target_id].on_budget
            if not own.on_budget or is_inside:
                side.category_id = None
        if row.parts:
            row.category_id = None
        return budget.scheduled.put(row, budget.knowledge)

    # -- falling due ---------------------------------------------------------------------------

    def is_due(self) -> bool:
        """Whether a scheduled transaction has fallen due."""
        return any(row.date_next <= self.budget.today for row in self.budget.scheduled.live())

    def enter_due(self) -> None:
        """Enter whatever has fallen due, in the order of its dates."""
        budget = self.budget
        with self.one_write():
            while True:
                due = [row for row in budget.scheduled.live() if row.date_next <= budget.today]
                if not due:
                    return
                self._enter(min(due, key=lambda row: row.date_next))

    def _enter(self, row: Scheduled) -> None:
        """Enter a scheduled transaction once, waiting to be approved."""
        when = row.date_next
        self.add_transaction(
            row_id=f"{row.id}_{when.isoformat()}",
            account_id=row.account_id,
            date=when,
            amount=row.amount,
            payee_id=row.payee_id,
            category_id=row.category_id,
            memo=row.memo,
            flag_color=row.flag_color,
            parts=[
                NewPart(
                    amount=part.amount,
                    payee_id=part.payee_id,
                    category_id=part.category_id,
                    memo=part.memo,
                )
                for part in row.parts
            ],
        )
        coming = next_date(row.frequency, row.date_first, when)
        if coming is None:
            row.is_completed = True
            self.delete_scheduled(row)
        else:
            row.date_next = coming
            self.budget.scheduled.put(row, self.budget.knowledge)


def _check_names(changes: dict[str, Any]) -> None:
    unknown = changes.keys() - _FIELDS
    if unknown:
        raise TypeError(
            f"unknown fields {sorted(unknown)}; a scheduled transaction has "
            f"{', '.join(sorted(_FIELDS))}"
        )
