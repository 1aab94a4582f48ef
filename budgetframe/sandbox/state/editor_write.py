"""One write: the changes that belong together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from .books import Books

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .rows import Budget


class Writes:
    """Changes one budget and keeps its books."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.books = Books(budget)
        self._depth = 0

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Let all changes inside share one knowledge, and settle the books at the end."""
        if self._depth == 0:
            self.budget.knowledge += 1
            self.budget.last_modified_on = self.budget.now
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self.books.settle()
