"""The lists of a budget as models, for code that needs objects instead of frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from budgetframe import models
from budgetframe._facade.display import methods_as_html, methods_as_text
from budgetframe._facade.docstrings import complete_docstring

from .base import Base

__all__ = ["AsyncModels"]

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")


class AsyncModels(Base):
    """The lists of a budget as models of `budgetframe.models`: ``await bf.aio.models.payees()``.

    Models and frames are built from the same answers and cost the same requests. Each row is
    validated separately, which takes several times as long as building a frame. Names are those
    that the service sent with the row. ``bf.models`` has the same methods, without ``await``.
    """

    @complete_docstring(source="GET /budgets")
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
        return (await self._list("budgets", models.BudgetsResponseData)).budgets

    @complete_docstring(source="GET /budgets/{budget_id}/accounts", cost="delta")
    async def accounts(self) -> list[models.Account]:
        """Accounts, including closed accounts.

        Returns
        -------
        list of Account

        Examples
        --------
        >>> accounts = BudgetFrame.sandbox().models.accounts()
        >>> {account.type for account in accounts if account.closed}
        {'savings'}
        """
        return (await self._list("accounts", models.AccountsResponseData)).accounts

    @complete_docstring(source="GET /budgets/{budget_id}/categories", cost="delta")
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
        return (await self._list("categories", models.CategoriesResponseData)).category_groups

    @complete_docstring(source="GET /budgets/{budget_id}/payees", cost="delta")
    async def payees(self) -> list[models.Payee]:
        """Payees, including the payees for transfers.

        Returns
        -------
        list of Payee

        Examples
        --------
        >>> payees = BudgetFrame.sandbox().models.payees()
        >>> "Corner Market" in {payee.name for payee in payees}
        True
        """
        return (await self._list("payees", models.PayeesResponseData)).payees

    @complete_docstring(source="GET /budgets/{budget_id}/payee_locations")
    async def payee_locations(self) -> list[models.PayeeLocation]:
        """Places where payees were paid.

        Returns
        -------
        list of PayeeLocation

        Examples
        --------
        >>> type(BudgetFrame.sandbox().models.payee_locations()[0].latitude).__name__
        'float'
        """
        data = await self._list("payee_locations", models.PayeeLocationsResponseData)
        return data.payee_locations

    @complete_docstring(source="GET /budgets/{budget_id}/months", cost="delta")
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
        return (await self._list("months", models.MonthsResponseData)).months

    @complete_docstring(source="GET /budgets/{budget_id}/transactions", cost="delta")
    async def transactions(self) -> list[models.TransactionDetail]:
        """Transactions of all years, each with its subtransactions.

        Returns
        -------
        list of TransactionDetail

        Examples
        --------
        >>> transactions = BudgetFrame.sandbox().models.transactions()
        >>> max(len(transaction.subtransactions) for transaction in transactions)
        2
        """
        return (await self._list("transactions", models.TransactionsResponseData)).transactions

    @complete_docstring(source="GET /budgets/{budget_id}/scheduled_transactions", cost="delta")
    async def scheduled_transactions(self) -> list[models.ScheduledTransactionDetail]:
        """Schedules, each with its subtransactions.

        Returns
        -------
        list of ScheduledTransactionDetail

        Examples
        --------
        >>> schedules = BudgetFrame.sandbox().models.scheduled_transactions()
        >>> "monthly" in {schedule.frequency for schedule in schedules}
        True
        """
        data = await self._list("scheduled_transactions", models.ScheduledTransactionsResponseData)
        return data.scheduled_transactions

    async def _list(self, resource: str, model: type[_M]) -> _M:
        return await self._on_loop(self._session.list_of(model, resource))

    def __repr__(self) -> str:
        return methods_as_text(self)

    def _repr_html_(self) -> str:
        return methods_as_html(self)
