"""The lists of a budget as frames, the ledger, the export and the reconciliation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from budgetframe._facade.wait_for import passed
from budgetframe._session.ledger import ledger_of
from budgetframe._session.verify import compare_with_service
from budgetframe.frames.dates import Day, month_of, period
from budgetframe.frames.money import Money, in_money
from budgetframe.frames.reconciliation import Reconciliation
from budgetframe.frames.split_rows import split_rows_frame
from budgetframe.frames.tables import TABLES

from .base import Base, checked_on_loop


@checked_on_loop
class Frames(Base):
    """Async methods that return frames."""

    async def budgets(self, *, extra: bool = False) -> pd.DataFrame:
        """As `BudgetFrame.budgets`, awaited."""
        return await self._session.frame_of("budgets", extra=extra)

    async def accounts(
        self,
        *,
        include_closed: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """As `BudgetFrame.accounts`, awaited."""
        return await self._list(
            "accounts", include_closed=include_closed, include_deleted=include_deleted, money=money,
            extra=extra,
        )  # fmt: skip

    async def categories(
        self,
        *,
        include_hidden: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """As `BudgetFrame.categories`, awaited."""
        return await self._list("categories", **passed(locals()))

    async def category_groups(
        self, *, include_hidden: bool = True, include_deleted: bool = False, extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.category_groups`, awaited."""
        return await self._list("category_groups", **passed(locals()))

    async def payees(self, *, include_deleted: bool = False, extra: bool = False) -> pd.DataFrame:
        """As `BudgetFrame.payees`, awaited."""
        return await self._list("payees", include_deleted=include_deleted, extra=extra)

    async def payee_locations(
        self, payee_id: str | None = None, *, extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.payee_locations`, awaited."""
        if payee_id is None:
            return await self._list("payee_locations", extra=extra)
        return await self._part("payee_locations", ("payees", payee_id), extra=extra)

    async def months(self, *, money: Money = "float", extra: bool = False) -> pd.DataFrame:
        """As `BudgetFrame.months`, awaited."""
        return await self._list("months", money=money, extra=extra)

    async def month(
        self,
        month: Day = "current",
        *,
        include_hidden: bool = True,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """As `BudgetFrame.month`, awaited."""
        frame = await self._session.frame_of("month", month=month_of(month), extra=extra)
        return in_money(frame if include_hidden else _without(frame, "hidden"), money)

    async def month_categories(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_hidden: bool = True,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """As `BudgetFrame.month_categories`, awaited."""
        first, last = period(since, until, months=True)
        frame = await self._session.frame_of("month_categories", extra=extra)
        frame = frame if include_hidden else _without(frame, "hidden")
        return in_money(_in_period(frame, "month", first, last), money)

    async def transactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions`, awaited."""
        return await self._list("transactions", **passed(locals()))

    async def subtransactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """As `BudgetFrame.subtransactions`, awaited."""
        return await self._list("subtransactions", **passed(locals()))

    async def scheduled_transactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.scheduled_transactions`, awaited."""
        return await self._list("scheduled_transactions", **passed(locals()))

    async def scheduled_subtransactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.scheduled_subtransactions`, awaited."""
        return await self._list("scheduled_subtransactions", **passed(locals()))

    async def money_movements(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.money_movements`, awaited."""
        return await self._list("money_movements", month=month, money=money, extra=extra)

    async def money_movement_groups(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.money_movement_groups`, awaited."""
        return await self._list("money_movement_groups", month=month, money=money, extra=extra)

    async def ledger(
        self, *, since: Day | None = None, until: Day | None = None, money: Money = "float"
    ) -> pd.DataFrame:
        """As `BudgetFrame.ledger`, awaited."""
        first, last = period(since, until)
        frame = await ledger_of(self._session)
        rows = in_money(_in_period(frame, "date", first, last), money)
        rows.attrs["rows"] = len(rows)
        return rows

    async def export(self) -> dict[str, pd.DataFrame]:
        """As `BudgetFrame.export`, awaited."""
        return await self._session.export_frames()

    async def reconcile(self) -> Reconciliation:
        """As `BudgetFrame.reconcile`, awaited."""
        result, _ = await compare_with_service(self._session)
        return result

    # Transactions that the service selects

    async def transactions_of_account(
        self, account_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_account`, awaited."""
        return await self._part("transactions", ("accounts", account_id), money, extra=extra)

    async def transactions_of_category(
        self, category_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_category`, awaited."""
        of = ("categories", category_id)
        return await self._part("transactions", of, money, split_rows_frame, extra=extra)

    async def transactions_of_payee(
        self, payee_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_payee`, awaited."""
        of = ("payees", payee_id)
        return await self._part("transactions", of, money, split_rows_frame, extra=extra)

    async def transactions_of_month(
        self, month: Day = "current", *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """As `BudgetFrame.transactions_of_month`, awaited."""
        return await self._part("transactions", ("months", month_of(month)), money, extra=extra)

    async def _part(
        self,
        table: str,
        of: tuple[str, str],
        money: Money = "float",
        build: Callable[..., pd.DataFrame] | None = None,
        *,
        extra: bool,
    ) -> pd.DataFrame:
        """A part of a list that the service selects."""
        build = partial(build or TABLES[table].frame, extra=extra)
        return in_money(await self._session.part_of(table, build, of), money)

    async def _list(
        self,
        table: str,
        *,
        month: Day | None = None,
        since: Day | None = None,
        until: Day | None = None,
        include_closed: bool = True,
        include_hidden: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        days = None if since is until is None else period(since, until)
        if include_deleted:
            frame = await self._session.frame_with_deleted(table, extra=extra)
        else:
            of_month = None if month is None else month_of(month)
            frame = await self._session.frame_of(table, month=of_month, extra=extra)
        frame = frame if include_closed else _without(frame, "closed")
        frame = frame if include_hidden else _without(frame, "hidden")
        frame = frame if money == "float" else in_money(frame, money)
        return frame if days is None else _in_period(frame, "date", *days)


def _without(frame: pd.DataFrame, flag: str) -> pd.DataFrame:
    """The rows whose flag is not set."""
    return frame[~frame[flag]].reset_index(drop=True)


def _in_period(
    frame: pd.DataFrame, column: str, first: pd.Timestamp | None, last: pd.Timestamp | None
) -> pd.DataFrame:
    """The rows of a period, both ends included."""
    # ``attrs["until"]`` is the last day. ``attrs["since"]`` is only set if rows before the first
    # day were removed, because reports that need all earlier rows refuse such a frame.
    if first is last is None:
        return frame
    days = frame[column]
    is_in = (days >= (first or days.min())) & (days <= (last or days.max()))
    rows = frame[is_in].reset_index(drop=True)
    if first is not None and (days < first).any():
        rows.attrs["since"] = f"{first:%Y-%m-%d}"
    if last is not None:
        rows.attrs["until"] = f"{last:%Y-%m-%d}"
    return rows
