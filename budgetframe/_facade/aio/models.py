"""The lists of a budget as models, for code that needs objects instead of frames."""

from __future__ import annotations

from budgetframe import models
from budgetframe._facade.display import MethodList

from .base import Base, on_loop


@on_loop
class AsyncModels(Base, MethodList):
    """The async counterpart of `Models`: ``await bf.aio.models.payees()``."""

    async def budgets(self) -> list[models.BudgetSummary]:
        """As `BudgetFrame.models.budgets`, awaited."""
        return (await self._session.list_of(models.BudgetsResponseData, "budgets")).budgets

    async def accounts(self) -> list[models.Account]:
        """As `BudgetFrame.models.accounts`, awaited."""
        return (await self._session.list_of(models.AccountsResponseData, "accounts")).accounts

    async def category_groups(self) -> list[models.CategoryGroupWithCategories]:
        """As `BudgetFrame.models.category_groups`, awaited."""
        shape = models.CategoriesResponseData
        return (await self._session.list_of(shape, "categories")).category_groups

    async def payees(self) -> list[models.Payee]:
        """As `BudgetFrame.models.payees`, awaited."""
        return (await self._session.list_of(models.PayeesResponseData, "payees")).payees

    async def payee_locations(self) -> list[models.PayeeLocation]:
        """As `BudgetFrame.models.payee_locations`, awaited."""
        shape = models.PayeeLocationsResponseData
        return (await self._session.list_of(shape, "payee_locations")).payee_locations

    async def months(self) -> list[models.MonthSummary]:
        """As `BudgetFrame.models.months`, awaited."""
        return (await self._session.list_of(models.MonthsResponseData, "months")).months

    async def transactions(self) -> list[models.TransactionDetail]:
        """As `BudgetFrame.models.transactions`, awaited."""
        shape = models.TransactionsResponseData
        return (await self._session.list_of(shape, "transactions")).transactions

    async def scheduled_transactions(self) -> list[models.ScheduledTransactionDetail]:
        """As `BudgetFrame.models.scheduled_transactions`, awaited."""
        shape = models.ScheduledTransactionsResponseData
        return (await self._session.list_of(shape, "scheduled_transactions")).scheduled_transactions
