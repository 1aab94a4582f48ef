"""The transactions of one account, category, payee or month, selected by the service."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from budgetframe._facade.docstrings import complete_docstring
from budgetframe.frames.dates import Day, month_of
from budgetframe.frames.money import Money, in_money
from budgetframe.frames.split_rows import SPLIT_ROWS, split_rows_frame
from budgetframe.frames.tables import TABLES

from .base import Base, checked_methods

__all__ = ["Parts"]

_BUDGET = "GET /budgets/{budget_id}"


@checked_methods
class Parts(Base):
    """Async methods that read the transactions of one account, category, payee or month.

    They are an alternative to `transactions` and `ledger` in very large budgets, or if only few
    rows are needed and nothing else was read. The service has no usable deltas for them.
    """

    @complete_docstring("transactions", source=f"{_BUDGET}/accounts/{{account_id}}/transactions")
    async def transactions_of_account(
        self, account_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one account of all years, one row per transaction.

        Parameters
        ----------
        account_id : str
            A key in ``accounts()["account_id"]``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.accounts()["account_id"].iloc[0]
        >>> bf.transactions_of_account(first)["account_id"].unique().tolist() == [first]
        True
        """
        return await self._part(
            ("accounts", account_id), money, TABLES["transactions"].frame, extra
        )

    @complete_docstring(
        source=f"{_BUDGET}/categories/{{category_id}}/transactions", columns=SPLIT_ROWS.columns
    )
    async def transactions_of_category(
        self, category_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one category of all years; a part of a split is one row.

        Parameters
        ----------
        category_id : str
            A key in ``categories()["category_id"]``.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same
            columns and dtypes when there are none.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> groceries = bf.categories().set_index("category_name")["category_id"]["Groceries"]
        >>> rows = bf.transactions_of_category(groceries)
        >>> len(rows) == int((bf.ledger()["category_id"] == groceries).sum())
        True
        """
        return await self._part(("categories", category_id), money, split_rows_frame, extra)

    @complete_docstring(
        source=f"{_BUDGET}/payees/{{payee_id}}/transactions", columns=SPLIT_ROWS.columns
    )
    async def transactions_of_payee(
        self, payee_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions with one payee of all years; a part of a split may be one row.

        A split is one row if the payee is that of the whole split; otherwise each part with the
        payee is one row.

        Parameters
        ----------
        payee_id : str
            A key in ``payees()["payee_id"]``.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same
            columns and dtypes when there are none.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> market = bf.payees().set_index("payee_name")["payee_id"]["Corner Market"]
        >>> bf.transactions_of_payee(market)["payee_name"].unique().tolist()
        ['Corner Market']
        """
        return await self._part(("payees", payee_id), money, split_rows_frame, extra)

    @complete_docstring("transactions", source=f"{_BUDGET}/months/{{month}}/transactions")
    async def transactions_of_month(
        self, month: Day = "current", *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one month, one row per transaction.

        Parameters
        ----------
        month : str or date
            ``"2026-05"``; by default the current month (UTC).

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.transactions_of_month("2026-05")["date"].dt.month.unique().tolist()
        [5]
        """
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
