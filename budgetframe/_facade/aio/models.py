"""Lists, as models: for code that wants objects rather than frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from budgetframe import models
from budgetframe._facade.docstrings import reads

from .base import Base

__all__ = ["AsyncModels"]

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")


class AsyncModels(Base):
    """The lists of a budget as models of `budgetframe.models`: ``await bf.aio.models.payees()``.

    They are made of the same answers as the frames, and cost the same requests. Each row is
    validated by itself, which takes several times as long as a frame. Names are those that the
    service sent with the row. ``bf.models`` has the same methods, without ``await``.
    """

    @reads(source="GET /budgets")
    async def budgets(self) -> list[models.BudgetSummary]:
        """The budgets of the user.

        Returns
        -------
        list of BudgetSummary

        Examples
        --------
        >>> BudgetFrame.sandbox().models.budgets()[0].name
        'Household'
        """
        return (await self._listed("budgets", models.BudgetsResponseData)).budgets

    @reads(source="GET /budgets/{budget_id}/accounts", cost="delta")
    async def accounts(self) -> list[models.Account]:
        """Accounts.

        Returns
        -------
        list of Account

        Examples
        --------
        >>> accounts = BudgetFrame.sandbox().models.accounts()
        >>> {account.type for account in accounts if account.closed}
        {'savings'}
        """
        return (await self._listed("accounts", models.AccountsResponseData)).accounts

    @reads(source="GET /budgets/{budget_id}/categories", cost="delta")
    async def category_groups(self) -> list[models.CategoryGroupWithCategories]:
        """Category groups, each with its categories.

        Returns
        -------
        list of CategoryGroupWithCategories

        Examples
        --------
        >>> groups = BudgetFrame.sandbox().models.category_groups()
        >>> [category.name for category in groups[0].categories]
        ['Inflow: Ready to Assign', 'Uncategorized']
        """
        return (await self._listed("categories", models.CategoriesResponseData)).category_groups

    @reads(source="GET /budgets/{budget_id}/payees", cost="delta")
    async def payees(self) -> list[models.Payee]:
        """Payees.

        Returns
        -------
        list of Payee

        Examples
        --------
        >>> payees = BudgetFrame.sandbox().models.payees()
        >>> "Corner Market" in {payee.name for payee in payees}
        True
        """
        return (await self._listed("payees", models.PayeesResponseData)).payees

    @reads(source="GET /budgets/{budget_id}/payee_locations")
    async def payee_locations(self) -> list[models.PayeeLocation]:
        """Where payees were paid.

        Returns
        -------
        list of PayeeLocation

        Examples
        --------
        >>> type(BudgetFrame.sandbox().models.payee_locations()[0].latitude).__name__
        'float'
        """
        shape = models.PayeeLocationsResponseData
        return (await self._listed("payee_locations", shape)).payee_locations

    @reads(source="GET /budgets/{budget_id}/months", cost="delta")
    async def months(self) -> list[models.MonthSummary]:
        """Totals of each month.

        Returns
        -------
        list of MonthSummary

        Examples
        --------
        >>> months = BudgetFrame.sandbox().models.months()
        >>> {len(month.month) for month in months}
        {10}
        """
        return (await self._listed("months", models.MonthsResponseData)).months

    @reads(source="GET /budgets/{budget_id}/transactions", cost="delta")
    async def transactions(self) -> list[models.TransactionDetail]:
        """Transactions of all years, each with its parts.

        Returns
        -------
        list of TransactionDetail

        Examples
        --------
        >>> transactions = BudgetFrame.sandbox().models.transactions()
        >>> max(len(transaction.subtransactions) for transaction in transactions)
        2
        """
        return (await self._listed("transactions", models.TransactionsResponseData)).transactions

    @reads(source="GET /budgets/{budget_id}/scheduled_transactions", cost="delta")
    async def scheduled_transactions(self) -> list[models.ScheduledTransactionDetail]:
        """Schedules, each with its parts.

        Returns
        -------
        list of ScheduledTransactionDetail

        Examples
        --------
        >>> schedules = BudgetFrame.sandbox().models.scheduled_transactions()
        >>> "monthly" in {schedule.frequency for schedule in schedules}
        True
        """
        shape = models.ScheduledTransactionsResponseData
        return (await self._listed("scheduled_transactions", shape)).scheduled_transactions

    async def _listed(self, name: str, shape: type[_M]) -> _M:
        return await self._on_loop(self._session.list_of(shape, name))
