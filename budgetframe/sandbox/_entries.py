"""Entries: every change that can be made to a budget, with all that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetframe.sandbox._entries_rows import NewPart, RowEntries
from budgetframe.sandbox._state import month_number

if TYPE_CHECKING:
    from datetime import date, datetime

__all__ = ["Entries", "NewPart"]


class Entries(RowEntries):
    """Changes one budget and keeps its books."""

    def live_on(self, today: date, now: datetime) -> None:
        """Come to another day: the amounts of categories are those of its month."""
        budget = self.budget
        new_month = month_number(today) != budget.current_month
        budget.today, budget.now = today, now
        if new_month:
            with self.one_write():
                self.books.extend_to(month_number(today))
                for category in budget.categories.live():
                    budget.categories.put(category, budget.knowledge)
