"""Lists, as frames."""

from __future__ import annotations

import pandas as pd

from budgetframe._dates import Day, day_of, month_of
from budgetframe._docs import reads
from budgetframe.errors import ToolError

from ._base import Base

__all__ = ["Lists"]


class Lists(Base):
    """What comes as a frame."""

    @reads("budgets", source="GET /budgets")
    async def budgets(self) -> pd.DataFrame:
        """The budgets of the user, one row per budget.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.budgets()["budget_name"].tolist()[0]
        'Household'
        """
        return await self._hop(self._session.budgets_frame())

    @reads("accounts", source="GET /budgets/{budget_id}/accounts", cost="delta")
    async def accounts(self) -> pd.DataFrame:
        """Accounts with their balances, one row per account, closed ones last.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> accounts = bf.accounts()
        >>> int(accounts["closed"].sum()) > 0
        True
        """
        return await self._list("accounts")

    @reads("categories", source="GET /budgets/{budget_id}/categories", cost="delta")
    async def categories(self) -> pd.DataFrame:
        """Categories with the amounts of the current month (UTC), one row per category.

        Two groups may each have a category of the same name: join on ``category_id``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.categories()["category_id"].is_unique
        True
        """
        return await self._list("categories")

    @reads("payees", source="GET /budgets/{budget_id}/payees", cost="delta")
    async def payees(self) -> pd.DataFrame:
        """Payees, one row per payee; each account has one for transfers to it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> payees = bf.payees()
        >>> int(payees["transfer_account_id"].notna().sum()) == len(bf.accounts())
        True
        """
        return await self._list("payees")

    @reads("payee_locations", source="GET /budgets/{budget_id}/payee_locations")
    async def payee_locations(self) -> pd.DataFrame:
        """Where payees were paid, one row per location.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.payee_locations()[["latitude", "longitude"]].dtypes.astype(str).tolist()
        ['float64', 'float64']
        """
        return await self._list("payee_locations")

    @reads("months", source="GET /budgets/{budget_id}/months", cost="delta")
    async def months(self) -> pd.DataFrame:
        """Totals of each month, one row per month.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.months()["month"].is_monotonic_increasing
        True
        """
        return await self._list("months")

    @reads("transactions", source="GET /budgets/{budget_id}/transactions", cost="delta")
    async def transactions(
        self, *, since: Day | None = None, until: Day | None = None
    ) -> pd.DataFrame:
        """Transactions of all years, one row per transaction; a split is one row.

        The service's own answer would be the last year alone; here it is everything, whatever is
        asked for, so that all periods are served by one list and its deltas. Names are those of
        when the service last sent the row: after a renaming, join on the keys.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.transactions(since="2026-05-01", until="2026-05-31")
        >>> may["date"].dt.month.unique().tolist()
        [5]
        """
        return await self._between("transactions", "date", since, until)

    @reads("subtransactions", source="GET /budgets/{budget_id}/transactions", cost="delta")
    async def subtransactions(
        self, *, since: Day | None = None, until: Day | None = None
    ) -> pd.DataFrame:
        """Parts of split transactions, one row per part, with day and account of the whole.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> parts = bf.subtransactions()
        >>> splits = bf.transactions().query("is_split")
        >>> set(parts["transaction_id"]) == set(splits["transaction_id"])
        True
        """
        return await self._between("subtransactions", "date", since, until)

    @reads(
        "scheduled_transactions",
        source="GET /budgets/{budget_id}/scheduled_transactions",
        cost="delta",
    )
    async def scheduled_transactions(self) -> pd.DataFrame:
        """Schedules of transactions to come, one row per schedule.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> "monthly" in set(bf.scheduled_transactions()["frequency"])
        True
        """
        return await self._list("scheduled_transactions")

    @reads(
        "scheduled_subtransactions",
        source="GET /budgets/{budget_id}/scheduled_transactions",
        cost="delta",
    )
    async def scheduled_subtransactions(self) -> pd.DataFrame:
        """Parts of split schedules, one row per part.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.scheduled_subtransactions()["amount"].dtype.name
        'float64'
        """
        return await self._list("scheduled_subtransactions", of="scheduled_transactions")

    @reads(
        "money_movements",
        "money_movement_records",
        source="GET /budgets/{budget_id}[/months/{month}]/money_movements",
        cost="movements",
    )
    async def money_movements(self, month: Day | None = None) -> pd.DataFrame:
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
        return await self._list("money_movements", month=month)

    @reads(
        "money_movement_groups",
        "money_movement_group_records",
        source="GET /budgets/{budget_id}[/months/{month}]/money_movement_groups",
        cost="movements",
    )
    async def money_movement_groups(self, month: Day | None = None) -> pd.DataFrame:
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
        return await self._list("money_movement_groups", month=month)

    @reads("month", source="GET /budgets/{budget_id}/months/{month}")
    async def month(self, month: Day = "current") -> pd.DataFrame:
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
        return await self._hop(self._session.month_frame(month_of(month)))

    @reads(source="GET /budgets/{budget_id}")
    async def export(self) -> dict[str, pd.DataFrame]:
        """Everything in the budget in one request: a frame for each list, by its name.

        Returns
        -------
        dict of str to DataFrame
            The frames have the columns of the methods of the same names; ``month_categories`` has
            one row per month and category, and the columns of `month`.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> frames = bf.export()
        >>> list(frames)[:5]
        ['accounts', 'payees', 'payee_locations', 'categories', 'months']
        >>> len(frames["transactions"]) == len(bf.transactions())
        True
        """
        return await self._hop(self._session.export_frames())

    async def _list(
        self, name: str, *, of: str | None = None, month: Day | None = None
    ) -> pd.DataFrame:
        of_month = None if month is None else month_of(month)
        return await self._hop(self._session.frame_of(name, of or name, of_month))

    async def _between(
        self, name: str, column: str, since: Day | None, until: Day | None
    ) -> pd.DataFrame:
        first = None if since is None else day_of(since, "since")
        last = None if until is None else day_of(until, "until")
        if first is not None and last is not None and first > last:
            raise ToolError(f"since={first:%Y-%m-%d} is after until={last:%Y-%m-%d}")
        frame = await self._list(name, of="transactions")
        if first is not None:
            frame = frame[frame[column] >= first]
        if last is not None:
            frame = frame[frame[column] <= last]
        return frame.reset_index(drop=True)
