"""The lists of a budget as models, for code that needs objects instead of frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from budgetframe import models
from budgetframe._facade.display import MethodList

from .base import Base

__all__ = ["AsyncModels"]

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")


class AsyncModels(Base, MethodList):
    """The async counterpart of `Models`: ``await bf.aio.models.payees()``."""

    async def budgets(self) -> list[models.BudgetSummary]:
        """As `BudgetFrame.models.budgets`, awaited."""
        return (await self._list("budgets", models.BudgetsResponseData)).budgets

    async def accounts(self) -> list[models.Account]:
        """As `BudgetFrame.models.accounts`, awaited."""
        return (await self._list("accounts", models.AccountsResponseData)).accounts

    async def category_groups(self) -> list[models.CategoryGroupWithCategories]:
        """As `BudgetFrame.models.category_groups`, awaited."""
        return (await self._list("categories", models.CategoriesResponseData)).category_groups

    async def payees(self) -> list[models.Payee]:
        """As `BudgetFrame.models.payees`, awaited."""
        return (await self._list("payees", models.PayeesResponseData)).payees

    async def payee_locations(self) -> list[models.PayeeLocation]:
        """As `BudgetFrame.models.payee_locations`, awaited."""
        data = await self._list("payee_locations", models.PayeeLocationsResponseData)
        return data.payee_locations

    async def months(self) -> list[models.MonthSummary]:
        """As `BudgetFrame.models.months`, awaited."""
        return (await self._list("months", models.MonthsResponseData)).months

    async def transactions(self) -> list[models.TransactionDetail]:
        """As `BudgetFrame.models.transactions`, awaited."""
        return (await self._list("transactions", models.TransactionsResponseData)).transactions

    async def scheduled_transactions(self) -> list[models.ScheduledTransactionDetail]:
        """As `BudgetFrame.models.scheduled_transactions`, awaited."""
        data = await self._list("scheduled_transactions", models.ScheduledTransactionsResponseData)
        return data.scheduled_transactions

    async def _list(self, resource: str, model: type[_M]) -> _M:
        return await self._on_loop(self._session.list_of(model, resource))
