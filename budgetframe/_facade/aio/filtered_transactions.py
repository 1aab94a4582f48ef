"""The transactions of one account, category, payee or month, selected by the service."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from budgetframe.frames.dates import Day, month_of
from budgetframe.frames.money import Money, in_money
from budgetframe.frames.split_rows import split_rows_frame
from budgetframe.frames.tables import TABLES

from .base import Base, checked_methods

__all__ = ["FilteredTransactions"]


@checked_methods
class FilteredTransactions(Base):
    """Async methods that read the transactions of one account, category, payee or month."""

    async def transactions_of_account(
        self, account_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_account`, awaited."""
        return await self._part(
            ("accounts", account_id), money, TABLES["transactions"].frame, extra
        )

    async def transactions_of_category(
        self, category_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_category`, awaited."""
        return await self._part(("categories", category_id), money, split_rows_frame, extra)

    async def transactions_of_payee(
        self, payee_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_payee`, awaited."""
        return await self._part(("payees", payee_id), money, split_rows_frame, extra)

    async def transactions_of_month(
        self, month: Day = "current", *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_month`, awaited."""
        of = ("months", month_of(month))
        return await self._part(of, money, TABLES["transactions"].frame, extra)

    async def _part(
        self,
        of: tuple[str, str],
        money: Money,
        build: Callable[..., pd.DataFrame],
        extra: bool,  # noqa: FBT001 - private
    ) -> pd.DataFrame:
        frame = await self._on_loop(
            self._session.part_of("transactions", partial(build, extra=extra), of)
        )
        return in_money(frame, money)
