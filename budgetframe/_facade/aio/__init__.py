"""The async methods of a budget: ``bf.aio``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from budgetframe._facade.display import missing_attribute

from .base import naming_its_methods
from .frames import Frames
from .models import AsyncModels
from .objects import Objects
from .writes import ChangesMethods, Writes

__all__ = ["AsyncBudgetFrame", "AsyncModels"]

if TYPE_CHECKING:
    from .reports import AsyncReports


@naming_its_methods
class AsyncBudgetFrame(Frames, Objects, Writes, ChangesMethods):
    """The async counterpart of `BudgetFrame`: ``await bf.aio.accounts()``."""

    @property
    def models(self) -> AsyncModels:
        """Lists as models, as async methods."""
        return AsyncModels(self._session, self._on_loop)

    @property
    def reports(self) -> AsyncReports:
        """Reports, as async methods."""
        from .reports import AsyncReports  # noqa: PLC0415 - slow, and a first frame does not need it

        return AsyncReports(self, self.changes)

    if not TYPE_CHECKING:  # a type checker must not accept every name

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name, "bf.aio")
