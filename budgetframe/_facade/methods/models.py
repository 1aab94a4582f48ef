"""The lists of a budget as models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetframe import models
from budgetframe._facade.display import MethodList

from .base import Methods

if TYPE_CHECKING:
    from budgetframe._facade.aio import AsyncModels


class Models(Methods, MethodList):
    """The lists of a budget as models of `budgetframe.models`: ``bf.models.payees()``.

    Models and frames are built from the same answers and cost the same requests. Each row is
    validated separately, which takes several times as long as building a frame. Names are those
    that the service sent with the row. The errors are those of `BudgetFrame`.
    """

    _aio: AsyncModels

    def budgets(self) -> list[models.BudgetSummary]:
        """The budgets of the user.

        Returns
        -------
        list of BudgetSummary

        Notes
        -----
        Source: ``GET /budgets``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.budgets()[0].name
        'Household'
        """
        return self._wait_for(self._aio.budgets())

    def accounts(self) -> list[models.Account]:
        """Accounts, including closed accounts.

        Returns
        -------
        list of Account

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/accounts``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.accounts()[0].balance
        8062.99
        """
        return self._wait_for(self._aio.accounts())

    def category_groups(self) -> list[models.CategoryGroupWithCategories]:
        """Category groups, each with its categories.

        Returns
        -------
        list of CategoryGroupWithCategories

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/categories``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> groups = bf.models.category_groups()
        >>> [category.name for category in groups[0].categories]
        ['Inflow: Ready to Assign', 'Uncategorized']
        """
        return self._wait_for(self._aio.category_groups())

    def payees(self) -> list[models.Payee]:
        """Payees, including the payees for transfers.

        Returns
        -------
        list of Payee

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/payees``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.payees()[0].name
        'Transfer : Checking'
        """
        return self._wait_for(self._aio.payees())

    def payee_locations(self) -> list[models.PayeeLocation]:
        """Places where payees were paid.

        Returns
        -------
        list of PayeeLocation

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/payee_locations``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.payee_locations()[0].latitude
        52.5200066
        """
        return self._wait_for(self._aio.payee_locations())

    def months(self) -> list[models.MonthSummary]:
        """Totals of each month.

        Returns
        -------
        list of MonthSummary

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/months``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.months()[-1].month
        '2023-01-01'
        """
        return self._wait_for(self._aio.months())

    def transactions(self) -> list[models.TransactionDetail]:
        """Transactions of all years, each with its subtransactions.

        Returns
        -------
        list of TransactionDetail

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.transactions()[-1].payee_name
        'Transfer : Index Fund'
        """
        return self._wait_for(self._aio.transactions())

    def scheduled_transactions(self) -> list[models.ScheduledTransactionDetail]:
        """Schedules, each with its subtransactions.

        Returns
        -------
        list of ScheduledTransactionDetail

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.scheduled_transactions()[0].frequency
        'monthly'
        """
        return self._wait_for(self._aio.scheduled_transactions())
