"""Single objects of a budget as models."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from budgetframe import models
from budgetframe.frames.dates import Day, month_of

from .base import Base

__all__ = ["Objects"]

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")


class Objects(Base):
    """Async methods that return one object."""

    async def user(self) -> models.UserResponse:
        """As `BudgetFrame.user`, awaited."""
        return await self._on_loop(self._session.user())

    async def settings(self) -> models.Settings:
        """As `BudgetFrame.settings`, awaited."""
        return await self._on_loop(self._session.settings_of_budget())

    async def account(self, account_id: str) -> models.Account:
        """As `BudgetFrame.account`, awaited."""
        return (await self._object("accounts", account_id, models.AccountResponseData)).account

    async def transaction(self, transaction_id: str) -> models.TransactionDetail:
        """As `BudgetFrame.transaction`, awaited."""
        data = await self._object("transactions", transaction_id, models.TransactionResponseData)
        return data.transaction

    async def category(self, category_id: str, month: Day | None = None) -> models.Category:
        """As `BudgetFrame.category`, awaited."""
        day = None if month is None else month_of(month)
        shape = models.CategoryResponseData
        data = await self._on_loop(
            self._session.item_of(shape, "categories", category_id, month=day)
        )
        return data.category

    async def payee(self, payee_id: str) -> models.Payee:
        """As `BudgetFrame.payee`, awaited."""
        return (await self._object("payees", payee_id, models.PayeeResponseData)).payee

    async def payee_location(self, payee_location_id: str) -> models.PayeeLocation:
        """As `BudgetFrame.payee_location`, awaited."""
        data = await self._object(
            "payee_locations", payee_location_id, models.PayeeLocationResponseData
        )
        return data.payee_location

    async def scheduled_transaction(
        self, scheduled_transaction_id: str
    ) -> models.ScheduledTransactionDetail:
        """As `BudgetFrame.scheduled_transaction`, awaited."""
        data = await self._object(
            "scheduled_transactions",
            scheduled_transaction_id,
            models.ScheduledTransactionResponseData,
        )
        return data.scheduled_transaction

    async def _object(self, resource: str, object_id: str, model: type[_M]) -> _M:
        return await self._on_loop(self._session.item_of(model, resource, object_id))
