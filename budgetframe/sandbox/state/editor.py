"""The editor of a budget: every change that can be made to it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import date, datetime

from .accounts import AccountEditor
from .books import Books
from .categories import CategoryEditor
from .imports import ImportEditor
from .payees import PayeeEditor
from .rows import Budget, month_number
from .schedules import ScheduleEditor
from .transactions import TransactionEditor


class BudgetEditor:
    """Changes the rows of one budget, with one editor for each kind, and its derived amounts."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.books = books = Books(budget)
        self.payees = PayeeEditor(books)
        self.transactions = TransactionEditor(books)
        self.categories = CategoryEditor(books, self.transactions)
        self.accounts = AccountEditor(books, self.categories, self.transactions, self.payees)
        self.imports = ImportEditor(books, self.transactions, self.payees)
        self.schedules = ScheduleEditor(books, self.transactions)

    def write(self) -> AbstractContextManager[None]:
        """Combine the changes in a `with` block to one write; see `Books.write`."""
        return self.books.write()

    def advance_to(self, today: date, now: datetime) -> None:
        """Move to a later day: enter what is due, and open the months up to that day."""
        budget = self.budget
        before, is_new_month = budget.today, month_number(today) != budget.current_month
        budget.today, budget.now = today, now
        if not is_new_month and not self.schedules.is_due():
            return
        with self.write():
            # In the month before: the new month alone is no change of a category.
            budget.today = before
            self.books.extend_to(month_number(today))
            self.books.settle()
            budget.today = today
            self.schedules.enter_due()
