"""Single objects of a budget as models."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from budgetframe import models
from budgetframe.frames.dates import Day

from .base import Methods

if TYPE_CHECKING:
    from budgetframe._facade.aio import AsyncBudgetFrame


class ObjectMethods(Methods):
    """Methods that return one object."""

    _aio: AsyncBudgetFrame

    def save_export(self, path: str | PathLike[str]) -> Path:
        """Write the whole budget to a file, which `BudgetFrame.from_export` opens.

        The file is the answer of the service with the time of the answer, ``as_of``, before
        ``data``, and contains no token. Only you can read it (mode 0600). It is written as a whole
        or not at all.

        Parameters
        ----------
        path : path
            The file, which is replaced if it exists; compressed with gzip if the name ends with
            ``.gz``.

        Returns
        -------
        Path
            The file.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request, for the whole budget, each time.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> bf = BudgetFrame.sandbox()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = bf.save_export(pathlib.Path(folder, "budget.json"))
        ...     len(BudgetFrame.from_export(path).transactions()) == len(bf.transactions())
        True
        """
        return self._wait_for(self._aio.save_export(path))

    def user(self) -> models.UserResponse:
        """The user who owns the token; a cheap check of the token.

        Returns
        -------
        UserResponse
            The fields are those of `budgetframe.models.UserResponse`.

        Notes
        -----
        Source: ``GET /user``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.user().id
        'b99c3858-7b55-4f93-b5e5-1e279feefc44'
        """
        return self._wait_for(self._aio.user())

    def settings(self) -> models.Settings:
        """The formats of dates and amounts in the budget.

        Returns
        -------
        Settings
            The fields are those of `budgetframe.models.Settings`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/settings``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.settings().currency_format.iso_code
        'EUR'
        """
        return self._wait_for(self._aio.settings())

    def ready_to_assign(self, month: Day = "current") -> float:
        """The amount that can still be assigned in a month, in currency units.

        It is what the service's app shows as Ready to Assign, and negative if more was assigned
        than there was. The balance of the category ``Inflow: Ready to Assign`` in `month` and
        `categories` is another figure: all income since the budget began.

        Parameters
        ----------
        month : str or date
            ``"2026-05"``; by default the current month (UTC).

        Returns
        -------
        float
            ``to_be_budgeted`` of that month in `months`; missing (NaN) if the service states none.

        Raises
        ------
        ToolError
            When the budget does not have the month.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/months``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.ready_to_assign()
        246.85
        """
        return self._wait_for(self._aio.ready_to_assign(month))

    def account(self, account_id: str) -> models.Account:
        """One account.

        Parameters
        ----------
        account_id : str
            Key or name of the account.

        Returns
        -------
        Account
            The fields are those of `budgetframe.models.Account`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/accounts/{account_id}``.

        Cost: one request; none within the time to live. A name also needs the list of accounts,
        unless it is fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.account("Checking").type
        'checking'
        """
        return self._wait_for(self._aio.account(account_id))

    def transaction(self, transaction_id: str) -> models.TransactionDetail:
        """One transaction with its subtransactions.

        Parameters
        ----------
        transaction_id : str
            A key in ``transactions()["transaction_id"]``.

        Returns
        -------
        TransactionDetail
            The fields are those of `budgetframe.models.TransactionDetail`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions/{transaction_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> transaction_id = bf.transactions()["transaction_id"].iloc[-1]
        >>> bf.transaction(transaction_id).amount
        -150.0
        """
        return self._wait_for(self._aio.transaction(transaction_id))

    def category(self, category_id: str, month: Day | None = None) -> models.Category:
        """One category with the amounts of one month.

        `categories` explains the balance of ``Inflow: Ready to Assign`` and the goals, and `month`
        those of a future month.

        Parameters
        ----------
        category_id : str
            Key or name of the category, such as ``"Groceries"`` or ``"Home: Insurance"``.
        month : str or date, optional
            ``"2026-05"``; by default the current month (UTC).

        Returns
        -------
        Category
            The fields are those of `budgetframe.models.Category`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}[/months/{month}]/categories/{category_id}``.

        Cost: one request; none within the time to live. A name also needs the list of categories,
        unless it is fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.category("Groceries", "2026-05").budgeted
        510.0
        """
        return self._wait_for(self._aio.category(category_id, month))

    def payee(self, payee_id: str) -> models.Payee:
        """One payee.

        Parameters
        ----------
        payee_id : str
            Key or name of the payee.

        Returns
        -------
        Payee
            The fields are those of `budgetframe.models.Payee`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/payees/{payee_id}``.

        Cost: one request; none within the time to live. A name also needs the list of payees,
        unless it is fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.payee("Adler Pharmacy").deleted
        False
        """
        return self._wait_for(self._aio.payee(payee_id))

    def payee_location(self, payee_location_id: str) -> models.PayeeLocation:
        """One location of a payee.

        Parameters
        ----------
        payee_location_id : str
            A key in ``payee_locations()["payee_location_id"]``.

        Returns
        -------
        PayeeLocation
            The fields are those of `budgetframe.models.PayeeLocation`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/payee_locations/{payee_location_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> location_id = bf.payee_locations()["payee_location_id"].iloc[0]
        >>> bf.payee_location(location_id).latitude
        52.5200066
        """
        return self._wait_for(self._aio.payee_location(payee_location_id))

    def scheduled_transaction(
        self, scheduled_transaction_id: str
    ) -> models.ScheduledTransactionDetail:
        """One schedule with its subtransactions.

        Parameters
        ----------
        scheduled_transaction_id : str
            A key in ``scheduled_transactions()["scheduled_transaction_id"]``.

        Returns
        -------
        ScheduledTransactionDetail
            The fields are those of `budgetframe.models.ScheduledTransactionDetail`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> schedule_id = bf.scheduled_transactions()["scheduled_transaction_id"].iloc[0]
        >>> bf.scheduled_transaction(schedule_id).frequency
        'weekly'
        """
        return self._wait_for(self._aio.scheduled_transaction(scheduled_transaction_id))
