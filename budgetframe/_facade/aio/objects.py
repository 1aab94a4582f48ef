"""Single objects of a budget as models."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from budgetframe import models
from budgetframe._session.export_file import save_export
from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day, month_of

from .base import Base, on_loop


@on_loop
class Objects(Base):
    """Async methods that return one object."""

    async def save_export(self, path: str | PathLike[str]) -> Path:
        """As `BudgetFrame.save_export`, awaited."""
        return await save_export(self._session, path)

    async def user(self) -> models.UserResponse:
        """As `BudgetFrame.user`, awaited."""
        return await self._session.user()

    async def settings(self) -> models.Settings:
        """As `BudgetFrame.settings`, awaited."""
        return await self._session.settings_of_budget()

    async def ready_to_assign(self, month: Day = "current") -> float:
        """As `BudgetFrame.ready_to_assign`, awaited."""
        first = month_of(month)
        months = await self._session.frame_of("months")
        if first == "current":
            first = f"{str(months.attrs['as_of'])[:7]}-01"
        found = months.loc[months["month"] == first, "to_be_budgeted"]
        if found.empty:
            raise ToolError(
                f"month={month!r}: the budget has no month {first[:7]}; see bf.months()"
            )
        return float(found.iloc[0])

    async def account(self, account_id: str) -> models.Account:
        """As `BudgetFrame.account`, awaited."""
        shape = models.AccountResponseData
        return (await self._session.item_of(shape, "accounts", account_id)).account

    async def transaction(self, transaction_id: str) -> models.TransactionDetail:
        """As `BudgetFrame.transaction`, awaited."""
        shape = models.TransactionResponseData
        return (await self._session.item_of(shape, "transactions", transaction_id)).transaction

    async def category(self, category_id: str, month: Day | None = None) -> models.Category:
        """As `BudgetFrame.category`, awaited."""
        day = None if month is None else month_of(month)
        shape = models.CategoryResponseData
        return (await self._session.item_of(shape, "categories", category_id, month=day)).category

    async def payee(self, payee_id: str) -> models.Payee:
        """As `BudgetFrame.payee`, awaited."""
        return (await self._session.item_of(models.PayeeResponseData, "payees", payee_id)).payee

    async def payee_location(self, payee_location_id: str) -> models.PayeeLocation:
        """As `BudgetFrame.payee_location`, awaited."""
        shape = models.PayeeLocationResponseData
        data = await self._session.item_of(shape, "payee_locations", payee_location_id)
        return data.payee_location

    async def scheduled_transaction(
        self, scheduled_transaction_id: str
    ) -> models.ScheduledTransactionDetail:
        """As `BudgetFrame.scheduled_transaction`, awaited."""
        name, shape = "scheduled_transactions", models.ScheduledTransactionResponseData
        data = await self._session.item_of(shape, name, scheduled_transaction_id)
        return data.scheduled_transaction
