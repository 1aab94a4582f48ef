"""The reads and writes of a budget, to await. The synchronous facade offers the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .frames import Lists
from .models import AsyncModels
from .objects import Items
from .reconciliation import Proof
from .rows import Rows
from .writes import Writes

__all__ = ["AsyncBudgetFrame", "AsyncModels"]

if TYPE_CHECKING:
    from .reports import AsyncReports


class AsyncBudgetFrame(Lists, Rows, Items, Writes, Proof):
    """Everything `BudgetFrame` reads and writes, to await: ``await bf.aio.accounts()``."""

    @property
    def models(self) -> AsyncModels:
        """Lists as models, to await."""
        return AsyncModels(self._session, self._on_loop)

    @property
    def reports(self) -> AsyncReports:
        """Reports, to await."""
        from .reports import AsyncReports  # noqa: PLC0415 - seldom the first thing asked for

        return AsyncReports(self)
