"""Entries: every change that can be made to a budget, with all that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rows import CARD_TYPES, month_number
from .schedules import ScheduleEntries
from .transactions import NewPart

if TYPE_CHECKING:
    from datetime import date, datetime

    from .rows import Account, Category

__all__ = ["BudgetEditor", "NewPart"]


class BudgetEditor(ScheduleEntries):
    """Changes one budget and keeps its books."""

    def live_on(self, today: date, now: datetime) -> None:
        """Come to another day: what is due is entered, a new month has new amounts."""
        budget = self.budget
        is_new_month = month_number(today) != budget.current_month
        budget.today, budget.now = today, now
        if not is_new_month and not self.is_due():
            return
        with self.one_write():
            self.books.extend_to(month_number(today))
            self.enter_due()
            if is_new_month:
                for category in budget.categories.live():
                    budget.categories.put(category, budget.knowledge)

    def open_account(self, name: str, kind: str, balance: int) -> Account:
        """Open an account with what is in it, or owed on it, today.

        What is in an account on budget is ready to assign. What is owed on a card is not taken
        from there: it is a debt that has no category yet.
        """
        budget = self.budget
        with self.one_write():
            account = self.add_account(name, kind)
            if balance:
                is_income = account.on_budget and (balance > 0 or kind not in CARD_TYPES)
                self.add_transaction(
                    account_id=account.id,
                    date=budget.today,
                    amount=balance,
                    payee_id=self.payee_named("Starting Balance").id,
                    category_id=budget.inflow_id if is_income else None,
                    cleared="cleared",
                    approved=True,
                )
            return account

    def delete_category(self, category: Category, into: Category) -> None:
        """Delete a category: its rows and what is assigned to it go to another one."""
        budget = self.budget
        for each in (category, into):
            if each.internal or each.payment_account_id is not None:
                raise ValueError(f"{each.name} neither goes nor takes the place of another")
        with self.one_write():
            for row in list(budget.transactions.live()):
                self._recategorize(row, category.id, into.id)
            for scheduled in budget.scheduled.live():
                for side in scheduled.sides:
                    if side.category_id == category.id:
                        side.category_id = into.id
                        budget.scheduled.put(scheduled, budget.knowledge)
            for number, category_month in budget.category_months[category.id].items():
                if category_month.assigned:
                    moved = (
                        budget.category_months[into.id][number].assigned + category_month.assigned
                    )
                    self.books.assign(category.id, number, 0)
                    self.books.assign(into.id, number, moved)
            self.edit_category(category, deleted=True)
