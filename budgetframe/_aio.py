"""The reads and writes of a budget, to await. The synchronous facade offers the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import pandas as pd
from pydantic import BaseModel, ValidationError

from . import models
from ._bridge import Hop
from ._dates import Day, day_of, month_of
from ._docs import reads
from ._responses import invalid_response
from ._session import Session
from .errors import ToolError

__all__ = ["AsyncBudgetFrame"]

_M = TypeVar("_M", bound=BaseModel)


class AsyncBudgetFrame:
    """Everything `BudgetFrame` reads and writes, to await: ``await bf.aio.accounts()``."""

    def __init__(self, session: Session, hop: Hop) -> None:
        self._session = session
        # Where the HTTP client lives on a loop of its own, every call goes there.
        self.hop = hop

    # Beside the budgets

    @reads(source="GET /user")
    async def user(self) -> models.UserResponse:
        """The user the token belongs to: a cheap check of the token.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> len(bf.user().id)
        36
        """
        snapshot = await self.hop(self._session.read(":user", "/user"))
        return _modelled(models.UserResponseData, snapshot.data).user

    @reads("budgets", source="GET /budgets")
    async def budgets(self) -> pd.DataFrame:
        """The budgets of the user, one row per budget.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.budgets()["budget_name"].tolist()[0]
        'Household'
        """
        return await self.hop(self._session.budgets_frame())

    # Lists of the budget

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
        asked for, so that all periods are served by one list and its deltas.

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
        cost="delta",
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
        cost="delta",
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
        >>> float(may["activity"].sum()) < 0
        True
        """
        return await self.hop(self._session.month_frame(month_of(month)))

    @reads(source="GET /budgets/{budget_id}")
    async def export(self) -> dict[str, pd.DataFrame]:
        """Everything in the budget in one request: a frame for each list, by its name.

        The frames have the columns of the methods of the same names; ``month_categories`` has one
        row per month and category.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> frames = bf.export()
        >>> list(frames)[:5]
        ['accounts', 'payees', 'payee_locations', 'categories', 'months']
        >>> len(frames["transactions"]) == len(bf.transactions())
        True
        """
        return await self.hop(self._session.export_frames())

    # Single ones

    @reads(source="GET /budgets/{budget_id}/settings")
    async def settings(self) -> models.Settings:
        """The formats of dates and amounts in the budget.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.settings().currency_format.iso_code
        'EUR'
        """
        snapshot = await self.hop(self._session.read_list("settings"))
        return _modelled(models.SettingsResponseData, snapshot.data).settings

    @reads(source="GET /budgets/{budget_id}/accounts/{account_id}")
    async def account(self, account_id: str) -> models.Account:
        """One account.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.accounts().iloc[0]
        >>> bf.account(first["account_id"]).name == first["account_name"]
        True
        """
        return (await self._item("accounts", account_id, models.AccountResponseData)).account

    @reads(source="GET /budgets/{budget_id}/transactions/{transaction_id}")
    async def transaction(self, transaction_id: str) -> models.TransactionDetail:
        """One transaction with its parts.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions().iloc[-1]
        >>> bf.transaction(last["transaction_id"]).amount == last["amount"]
        True
        """
        data = await self._item("transactions", transaction_id, models.TransactionResponseData)
        return data.transaction

    @reads(source="GET /budgets/{budget_id}/categories/{category_id}")
    async def category(self, category_id: str) -> models.Category:
        """One category with the amounts of the current month (UTC).

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.categories().iloc[0]
        >>> bf.category(first["category_id"]).balance == first["balance"]
        True
        """
        return (await self._item("categories", category_id, models.CategoryResponseData)).category

    @reads(source="GET /budgets/{budget_id}/payees/{payee_id}")
    async def payee(self, payee_id: str) -> models.Payee:
        """One payee.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.payees().iloc[0]
        >>> bf.payee(first["payee_id"]).name == first["payee_name"]
        True
        """
        return (await self._item("payees", payee_id, models.PayeeResponseData)).payee

    @reads(source="GET /budgets/{budget_id}/payee_locations/{payee_location_id}")
    async def payee_location(self, payee_location_id: str) -> models.PayeeLocation:
        """One location of a payee.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.payee_locations().iloc[0]
        >>> bf.payee_location(first["payee_location_id"]).latitude == first["latitude"]
        True
        """
        data = await self._item(
            "payee_locations", payee_location_id, models.PayeeLocationResponseData
        )
        return data.payee_location

    @reads(source="GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}")
    async def scheduled_transaction(
        self, scheduled_transaction_id: str
    ) -> models.ScheduledTransactionDetail:
        """One schedule with its parts.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.scheduled_transactions().iloc[0]
        >>> bf.scheduled_transaction(first["scheduled_transaction_id"]).amount == first["amount"]
        True
        """
        data = await self._item(
            "scheduled_transactions",
            scheduled_transaction_id,
            models.ScheduledTransactionResponseData,
        )
        return data.scheduled_transaction

    # What stands behind them

    async def _list(
        self, name: str, *, of: str | None = None, month: Day | None = None
    ) -> pd.DataFrame:
        of_month = None if month is None else month_of(month)
        return await self.hop(self._session.frame_of(name, of or name, of_month))

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

    async def _item(self, name: str, item_id: str, shape: type[_M]) -> _M:
        snapshot = await self.hop(self._session.read_item(name, item_id))
        return _modelled(shape, snapshot.data)


def _modelled(shape: type[_M], data: Mapping[str, Any]) -> _M:
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise invalid_response(200, f"not what this version expects in it: {problems}") from None
