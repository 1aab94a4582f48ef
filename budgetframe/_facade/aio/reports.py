"""The reports of a budget, as async methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from budgetframe import reports
from budgetframe._facade.display import MethodList
from budgetframe.frames.dates import Day
from budgetframe.reports._shared.arguments import check_report
from budgetframe.reports._shared.grouping import By
from budgetframe.reports._shared.inputs import inputs_of
from budgetframe.reports._shared.ledger_rows import Transfers
from budgetframe.reports._shared.periods import CalendarFreq, Freq, MonthsFreq, WeekDay
from budgetframe.reports._shared.report import Report, connected
from budgetframe.reports._shared.row_filters import Names

if TYPE_CHECKING:
    from .frames import Frames


class AsyncReports(MethodList):
    """The async counterpart of `Reports`: ``await bf.aio.reports.net_worth()``.

    Each method passes all its parameters, which `locals` returns, to the function of the report.
    """

    def __init__(self, frames: Frames, prepare: Callable[..., Any]) -> None:
        self._frames = frames
        self._prepare = prepare  # the method `changes` of the connection

    async def net_worth(
        self,
        *,
        freq: CalendarFreq = "month",
        week_starts: WeekDay = "monday",
        debts: Literal["balance", "type"] = "balance",
        interest: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.net_worth`, awaited."""
        return await self._report(reports.net_worth, locals())

    async def balances(
        self,
        *,
        freq: CalendarFreq = "month",
        week_starts: WeekDay = "monday",
        interest: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.balances`, awaited."""
        return await self._report(reports.balances, locals())

    async def income_expense(
        self,
        *,
        freq: Freq = "month",
        week_starts: WeekDay = "monday",
        transfers: Literal["to_tracking", "none"] = "to_tracking",
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.income_expense`, awaited."""
        return await self._report(reports.income_expense, locals())

    async def spending(
        self,
        by: By = "category",
        *,
        freq: Freq = "all",
        week_starts: WeekDay = "monday",
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        average: Literal["all", "active"] = "all",
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.spending`, awaited."""
        return await self._report(reports.spending, locals())

    async def budget_vs_actual(
        self,
        *,
        freq: MonthsFreq = "month",
        include_hidden: bool = True,
        include_cards: bool = False,
        categories: Names | None = None,
        exclude_categories: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.budget_vs_actual`, awaited."""
        return await self._report(reports.budget_vs_actual, locals())

    async def same_period(
        self,
        by: By | None = None,
        *,
        freq: Literal["week", "month", "quarter", "year"] = "month",
        week_starts: WeekDay = "monday",
        every: Literal["period", "year"] = "period",
        count: int = 12,
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
        today: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.same_period`, awaited."""
        return await self._report(reports.same_period, locals())

    async def runway(
        self,
        *,
        window: int = 90,
        freq: CalendarFreq = "month",
        week_starts: WeekDay = "monday",
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        interest: bool = True,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.runway`, awaited."""
        return await self._report(reports.runway, locals())

    async def recurring(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        include_ended: bool = False,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
        uncategorized: bool = True,
        today: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.recurring`, awaited."""
        return await self._report(reports.recurring, locals())

    async def suggestions(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.suggestions`, awaited."""
        return await self._report(reports.suggestions, locals())

    async def payees(
        self,
        *,
        transfers: Literal["none", "all"] = "none",
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.payees`, awaited."""
        return await self._report(reports.payees, locals())

    async def duplicates(
        self,
        *,
        days: int = 3,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.duplicates`, awaited."""
        return await self._report(reports.duplicates, locals())

    async def age_of_money(self, *, since: Day | None = None, until: Day | None = None) -> Report:
        """As `BudgetFrame.reports.age_of_money`, awaited."""
        return await self._report(reports.age_of_money, locals())

    async def money_flow(
        self,
        *,
        month: Day | None = None,
        categories: Names | None = None,
        exclude_categories: Names = (),
    ) -> Report:
        """As `BudgetFrame.reports.money_flow`, awaited."""
        return await self._report(reports.money_flow, locals())

    async def cards(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.cards`, awaited."""
        return await self._report(reports.cards, locals())

    async def targets(
        self,
        *,
        include_hidden: bool = False,
        categories: Names | None = None,
        exclude_categories: Names = (),
    ) -> Report:
        """As `BudgetFrame.reports.targets`, awaited."""
        return await self._report(reports.targets, locals())

    async def income_sankey(
        self,
        *,
        most: int = 8,
        transfers: Literal["to_tracking", "none"] = "to_tracking",
        uncategorized: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        payees: Names | None = None,
        exclude_payees: Names = (),
        flags: Names | None = None,
        hashtags: Names | None = None,
        memo: str | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.income_sankey`, awaited."""
        return await self._report(reports.income_sankey, locals())

    async def loans(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        payment: float | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.loans`, awaited."""
        return await self._report(reports.loans, locals())

    async def investments(
        self,
        *,
        freq: Literal["month", "quarter", "year"] = "month",
        contributions: Names = (),
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.investments`, awaited."""
        return await self._report(reports.investments, locals())

    async def forecast(
        self,
        *,
        typical: int | None = None,
        days: int = 90,
        until: Day | None = None,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        interest: bool = True,
        today: Day | None = None,
    ) -> Report:
        """As `BudgetFrame.reports.forecast`, awaited."""
        return await self._report(reports.forecast, locals())

    async def _report(
        self, function: Callable[..., Report], arguments: Mapping[str, Any]
    ) -> Report:
        """Read the frames of a report, and compute it with all arguments of its method."""
        options = {name: value for name, value in arguments.items() if name != "self"}
        report = partial(function, **options)
        check_report(report)  # an invalid argument is refused before any request
        frames: list[pd.DataFrame | None] = []
        for each in inputs_of(function.__name__, options):
            if each is None:
                frames.append(None)
            else:
                passed = {key: options[key] for key in each.options}
                frames.append(await getattr(self._frames, each.frame)(**passed))
        return connected(report(*frames), self._prepare)
