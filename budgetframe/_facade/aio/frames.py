"""What a budget is made of, as frames: accounts, categories, payees, months, movements."""

from __future__ import annotations

import pandas as pd

from budgetframe._facade.docstrings import reads
from budgetframe.frames import in_money
from budgetframe.frames.dates import Day, month_of
from budgetframe.frames.money import Money, check_money

from .base import Base, left_out

__all__ = ["Lists"]


class Lists(Base):
    """What comes as a frame."""

    @reads("budgets", source="GET /budgets")
    async def budgets(self, *, extra: bool = False) -> pd.DataFrame:
        """The budgets of the user, one row per budget.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.budgets()["budget_name"].tolist()[0]
        'Household'
        """
        return await self._on_loop(self._session.budgets_frame(extra=extra))

    @reads("accounts", source="GET /budgets/{budget_id}/accounts", cost="delta")
    async def accounts(
        self,
        *,
        include_closed: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Accounts with their balances, one row per account, closed ones last.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> accounts = bf.accounts()
        >>> int(accounts["closed"].sum()) > 0
        True
        """
        return await self._list(
            "accounts",
            without=None if include_closed else "closed",
            include_deleted=include_deleted,
            money=money,
            extra=extra,
        )

    @reads("categories", source="GET /budgets/{budget_id}/categories", cost="delta")
    async def categories(
        self,
        *,
        include_hidden: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Categories with the amounts of the current month (UTC), one row per category.

        Two groups may each have a category of the same name: join on ``category_id``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.categories()["category_id"].is_unique
        True
        """
        return await self._list(
            "categories",
            without=None if include_hidden else "hidden",
            include_deleted=include_deleted,
            money=money,
            extra=extra,
        )

    @reads("category_groups", source="GET /budgets/{budget_id}/categories", cost="delta")
    async def category_groups(
        self, *, include_hidden: bool = True, include_deleted: bool = False, extra: bool = False
    ) -> pd.DataFrame:
        """Groups of categories, one row per group, those without a category too.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> groups = bf.category_groups()
        >>> "Internal Master Category" in set(groups["category_group_name"])
        True
        """
        return await self._list(
            "category_groups",
            without=None if include_hidden else "hidden",
            include_deleted=include_deleted,
            extra=extra,
        )

    @reads("payees", source="GET /budgets/{budget_id}/payees", cost="delta")
    async def payees(self, *, include_deleted: bool = False, extra: bool = False) -> pd.DataFrame:
        """Payees, one row per payee; each account has one for transfers to it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> payees = bf.payees()
        >>> int(payees["transfer_account_id"].notna().sum()) == len(bf.accounts())
        True
        """
        return await self._list("payees", include_deleted=include_deleted, extra=extra)

    @reads("payee_locations", source="GET /budgets/{budget_id}/payee_locations")
    async def payee_locations(self, *, extra: bool = False) -> pd.DataFrame:
        """Where payees were paid, one row per location.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.payee_locations()[["latitude", "longitude"]].dtypes.astype(str).tolist()
        ['float64', 'float64']
        """
        return await self._list("payee_locations", extra=extra)

    @reads("months", source="GET /budgets/{budget_id}/months", cost="delta")
    async def months(self, *, money: Money = "float", extra: bool = False) -> pd.DataFrame:
        """Totals of each month, one row per month.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.months()["month"].is_monotonic_increasing
        True
        """
        return await self._list("months", money=money, extra=extra)

    @reads(
        "money_movements",
        "money_movement_records",
        source="GET /budgets/{budget_id}[/months/{month}]/money_movements",
        cost="movements",
    )
    async def money_movements(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """What moved, one row per category or one per move, as the service keeps it.

        A month before the service began to keep these is unknown, not zero.

        Parameters
        ----------
        month : str or date, optional
            Only this month: ``"2026-05"``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> list(bf.money_movements().columns)[2:]
        ['allocation', 'spent', 'income']
        """
        return await self._list("money_movements", month=month, money=money, extra=extra)

    @reads(
        "money_movement_groups",
        "money_movement_group_records",
        source="GET /budgets/{budget_id}[/months/{month}]/money_movement_groups",
        cost="movements",
    )
    async def money_movement_groups(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """What moved, one row per category group or one per set of moves made together.

        Parameters
        ----------
        month : str or date, optional
            Only this month: ``"2026-05"``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> list(bf.money_movement_groups().columns)
        ['category_group_name', 'allocation', 'spent', 'income']
        """
        return await self._list("money_movement_groups", month=month, money=money, extra=extra)

    @reads("month", source="GET /budgets/{budget_id}/months/{month}")
    async def month(
        self,
        month: Day = "current",
        *,
        include_hidden: bool = True,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """The categories of one month, one row per category.

        Parameters
        ----------
        month : str or date
            ``"2026-05"``; by default the current month (UTC).

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.month("2026-05")
        >>> may["month"].dt.strftime("%Y-%m").unique().tolist()
        ['2026-05']
        """
        day = month_of(month)
        check_money(money)
        frame = await self._on_loop(self._session.month_frame(day, extra=extra))
        return in_money(frame if include_hidden else left_out(frame, "hidden"), money)
