"""Single objects of a budget as models."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from budgetframe import models
from budgetframe._facade.docstrings import complete_docstring
from budgetframe.frames.dates import Day, month_of

from .base import Base

__all__ = ["Objects"]

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")


class Objects(Base):
    """Async methods that return one object."""

    @complete_docstring(source="GET /user")
    async def user(self) -> models.UserResponse:
        """The user who owns the token; a cheap check of the token.

        Returns
        -------
        UserResponse
            Fields: id.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> len(bf.user().id)
        36
        """
        return await self._on_loop(self._session.user())

    @complete_docstring(source="GET /budgets/{budget_id}/settings")
    async def settings(self) -> models.Settings:
        """The formats of dates and amounts in the budget.

        Returns
        -------
        Settings
            Fields: date_format, currency_format.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.settings().currency_format.iso_code
        'EUR'
        """
        return await self._on_loop(self._session.settings_of_budget())

    @complete_docstring(source="GET /budgets/{budget_id}/accounts/{account_id}")
    async def account(self, account_id: str) -> models.Account:
        """One account.

        Parameters
        ----------
        account_id : str
            A key in ``accounts()["account_id"]``.

        Returns
        -------
        Account
            Fields: id, name, type, on_budget, closed, balance, cleared_balance,
            uncleared_balance, note, transfer_payee_id, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.accounts().iloc[0]
        >>> bf.account(first["account_id"]).name
        'Car Loan'
        """
        return (await self._object("accounts", account_id, models.AccountResponseData)).account

    @complete_docstring(source="GET /budgets/{budget_id}/transactions/{transaction_id}")
    async def transaction(self, transaction_id: str) -> models.TransactionDetail:
        """One transaction with its subtransactions.

        Parameters
        ----------
        transaction_id : str
            A key in ``transactions()["transaction_id"]``.

        Returns
        -------
        TransactionDetail
            Fields: id, date, amount, account_id, approved, cleared, deleted, memo,
            payee_id, category_id, transfer_account_id, transfer_transaction_id,
            matched_transaction_id, import_id, import_payee_name, import_payee_name_original,
            flag_color, flag_name, debt_transaction_type, account_name, payee_name, category_name,
            subtransactions.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions().iloc[-1]
        >>> bf.transaction(last["transaction_id"]).amount == float(last["amount"])
        True
        """
        data = await self._object("transactions", transaction_id, models.TransactionResponseData)
        return data.transaction

    @complete_docstring(source="GET /budgets/{budget_id}[/months/{month}]/categories/{category_id}")
    async def category(self, category_id: str, month: Day | None = None) -> models.Category:
        """One category with the amounts of one month.

        Parameters
        ----------
        category_id : str
            A key in ``categories()["category_id"]``.
        month : str or date, optional
            ``"2026-05"``; by default the current month (UTC).

        Returns
        -------
        Category
            Fields: id, category_group_id, category_group_name, name, hidden, budgeted,
            activity, balance, deleted, note, goal_type, goal_target, goal_target_month,
            goal_target_date, goal_percentage_complete, goal_months_to_budget, goal_under_funded,
            goal_overall_funded, goal_overall_left.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.categories().iloc[0]
        >>> bf.category(first["category_id"]).balance == float(first["balance"])
        True
        """
        day = None if month is None else month_of(month)
        shape = models.CategoryResponseData
        data = await self._on_loop(
            self._session.item_of(shape, "categories", category_id, month=day)
        )
        return data.category

    @complete_docstring(source="GET /budgets/{budget_id}/payees/{payee_id}")
    async def payee(self, payee_id: str) -> models.Payee:
        """One payee.

        Parameters
        ----------
        payee_id : str
            A key in ``payees()["payee_id"]``.

        Returns
        -------
        Payee
            Fields: id, name, transfer_account_id, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.payees().iloc[0]
        >>> bf.payee(first["payee_id"]).name == first["payee_name"]
        True
        """
        return (await self._object("payees", payee_id, models.PayeeResponseData)).payee

    @complete_docstring(source="GET /budgets/{budget_id}/payee_locations/{payee_location_id}")
    async def payee_location(self, payee_location_id: str) -> models.PayeeLocation:
        """One location of a payee.

        Parameters
        ----------
        payee_location_id : str
            A key in ``payee_locations()["payee_location_id"]``.

        Returns
        -------
        PayeeLocation
            Fields: id, payee_id, latitude, longitude, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.payee_locations().iloc[0]
        >>> bf.payee_location(first["payee_location_id"]).latitude == float(first["latitude"])
        True
        """
        data = await self._object(
            "payee_locations", payee_location_id, models.PayeeLocationResponseData
        )
        return data.payee_location

    @complete_docstring(
        source="GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}"
    )
    async def scheduled_transaction(
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
            Fields: id, date_first, date_next, frequency, amount, account_id, deleted,
            payee_id, category_id, memo, flag_color, flag_name, transfer_account_id, account_name,
            payee_name, category_name, subtransactions.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.scheduled_transactions().iloc[0]
        >>> schedule = bf.scheduled_transaction(first["scheduled_transaction_id"])
        >>> schedule.amount == float(first["amount"])
        True
        """
        data = await self._object(
            "scheduled_transactions",
            scheduled_transaction_id,
            models.ScheduledTransactionResponseData,
        )
        return data.scheduled_transaction

    async def _object(self, resource: str, object_id: str, model: type[_M]) -> _M:
        return await self._on_loop(self._session.item_of(model, resource, object_id))
