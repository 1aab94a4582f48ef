"""The reports of a budget, as async methods."""

# Generated, do not edit. Command to write it again: python -m tests.docs.generate_facade
# ruff: noqa: E501 - the lines of a table are not wrapped

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

from budgetframe._facade.display import methods_as_html, methods_as_text
from budgetframe.frames.dates import Day
from budgetframe.reports._shared.arguments import check_report
from budgetframe.reports._shared.ledger_rows import By, Transfers
from budgetframe.reports._shared.periods import CalendarFreq, Freq, MonthsFreq
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.row_filters import Names
from budgetframe.reports.age_of_money import age_of_money
from budgetframe.reports.balances import balances
from budgetframe.reports.budget_vs_actual import budget_vs_actual
from budgetframe.reports.forecast import forecast
from budgetframe.reports.income_expense import income_expense
from budgetframe.reports.income_sankey import income_sankey
from budgetframe.reports.loans import loans
from budgetframe.reports.money_flow import money_flow
from budgetframe.reports.net_worth import net_worth
from budgetframe.reports.recurring import recurring
from budgetframe.reports.runway import runway
from budgetframe.reports.same_period import same_period
from budgetframe.reports.spending import spending
from budgetframe.reports.suggestions import suggestions

__all__ = ["AsyncReports"]

if TYPE_CHECKING:
    from budgetframe._facade.aio.frames import Frames


class AsyncReports:
    """The reports of a budget, as async methods: ``await bf.aio.reports.net_worth()``.

    The methods read the frames and pass them to the functions of `budgetframe.reports`.

    Parameters
    ----------
    frames : Frames
        Reads the frames.
    """

    def __init__(self, frames: Frames) -> None:
        self._frames = frames

    async def net_worth(
        self,
        *,
        freq: CalendarFreq = "month",
        debts: Literal["balance", "type"] = "balance",
        interest: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Assets, debts and net worth at the end of each period, by default of each month.

        Every account counts, including tracking accounts and closed accounts. The last row is the sum
        of the balances that the service states.

        The balance of a loan contains interest and escrow that no transaction records. They are
        calculated with the service's rule. If the service's balance of an account still differs from
        the calculated one, the last row has the difference in ``unexplained`` and the rules name the
        account. For an account that is no loan there is a `RuntimeWarning` as well.

        Parameters
        ----------
        freq : {"day", "week", "month", "quarter", "year"}
            Length of the periods. The last row is always the state on the last day, even in the
            middle of a period.
        debts : {"balance", "type"}
            What counts as a debt. With ``"balance"`` a debt is a balance below zero on that day, for
            every type of account: an overdrawn checking account is a debt, and a credit card with a
            credit is an asset. With ``"type"`` the type of the account decides: cards, loans,
            mortgages and other liabilities are debts.
        interest : bool
            Whether the balance of a loan contains interest and escrow that no transaction records, or
            is the sum of its rows.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not count. The
            days of the report do not depend on its filters.
        since, until : str, date or Timestamp, optional
            First and last day to show. By default the day of the first transaction, and the day on
            which the ledger was read, or the day of its last transaction if that is later.
            ``"2026-05"`` and ``"2026"`` mean the first or the last day of that month or year.

        Returns
        -------
        Report
            Rows sorted by date; the same columns and dtypes when there are none.

            `Report.rows` returns the rows of the ledger behind ``net``, which are all rows up to the
            day, and with ``column=`` those behind ``change``, ``assets`` or ``debts``. The interest and
            escrow of loans have no rows.

            column       dtype           unit      meaning
            -----------  --------------  --------  ---------------------------------------------------------
            date         datetime64[us]            day that the row describes, at its end
            assets       float64         currency  sum of the balances that are not debts
            debts        float64         currency  sum of the debts, negative
            net          float64         currency  assets plus debts
            change       float64         currency  change of net since the end of the previous period
            interest     float64         currency  interest of loans that no row records
            escrow       float64         currency  escrow of loans that no row records
            unexplained  float64         currency  service's balances minus calculated ones, on the last day

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> worth = bf.reports.net_worth()
        >>> from budgetframe.frames import milliunits
        >>> now = milliunits(bf.accounts()["balance"]).sum() / 1000
        >>> bool(worth["net"].iloc[-1] == now)
        True
        """
        report = partial(
            net_worth,
            freq=freq,
            debts=debts,
            interest=interest,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            since=since,
            until=until,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def balances(
        self,
        *,
        freq: CalendarFreq = "month",
        interest: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Balance of each account at the end of each period, by default of each month.

        The last row of an account is the balance that the service states for it. An account without a
        balance and without any transaction has no rows. Before its first transaction an account has the
        balance zero; after it was closed, it keeps its last balance.

        The balance of a loan contains interest and escrow that no transaction records. They are
        calculated with the service's rule. If the service's balance of an account still differs from
        the calculated one, the last row has the difference in ``unexplained`` and the rules name the
        account. For an account that is no loan there is a `RuntimeWarning` as well.

        Parameters
        ----------
        freq : {"day", "week", "month", "quarter", "year"}
            Length of the periods. The last row is always the balance on the last day, even in the
            middle of a period.
        interest : bool
            Whether the balance of a loan contains interest and escrow that no transaction records, or
            is the sum of its rows.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not count. The
            days of the report do not depend on its filters.
        since, until : str, date or Timestamp, optional
            First and last day to show. By default the day of the first transaction, and the day on
            which the ledger was read, or the day of its last transaction if that is later.
            ``"2026-05"`` and ``"2026"`` mean the first or the last day of that month or year.

        Returns
        -------
        Report
            Rows sorted by date, account_name, account_id; the same columns and dtypes when there are
            none.

            `Report.rows` returns the rows of the ledger behind ``balance``, which are all rows of the
            account up to the day. The interest and escrow of loans have no rows.

            column        dtype           unit      meaning
            ------------  --------------  --------  ---------------------------------------------------------
            date          datetime64[us]            day that the row describes, at its end
            account_name  str                       name of the account
            account_type  category                  kind of account
            on_budget     bool                      whether its money is in the budget
            balance       float64         currency  cleared plus uncleared balance
            interest      float64         currency  interest of loans that no row records
            escrow        float64         currency  escrow of loans that no row records
            unexplained   float64         currency  service's balances minus calculated ones, on the last day
            account_id    str                       key of the account

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> monthly = bf.reports.balances()
        >>> last = monthly[monthly["date"] == monthly["date"].max()].set_index("account_id")["balance"]
        >>> bool((last == bf.accounts().set_index("account_id")["balance"].loc[last.index]).all())
        True
        """
        report = partial(
            balances,
            freq=freq,
            interest=interest,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            since=since,
            until=until,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def income_expense(
        self,
        *,
        freq: Freq = "month",
        transfers: Literal["to_tracking", "none"] = "to_tracking",
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        flags: Names | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Income, spending and the difference, by month, quarter or year.

        Income is the inflow of budget accounts in the category ``Inflow: Ready to Assign``. Spending
        is everything in another category, net of refunds. Starting balances are neither income nor
        spending and have their own column; rows without a category also have their own column. All
        columns together, and the transfers between budget accounts, add up to the change of the
        balance of the budget accounts.

        Parameters
        ----------
        freq : {"day", "week", "month", "quarter", "year", "all"}
            Length of the periods, one row for each. A period without transactions has zeros. The
            running period has its figures so far, and False in ``is_complete``.
        transfers : {"to_tracking", "none"}
            Which transfers count: transfers to tracking accounts, such as loan payments and savings
            that leave the budget, by their category; or no transfers. Transfers between budget
            accounts never count; they cancel out.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not count. The
            days of the report do not depend on its filters.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose rows count, and of those whose rows do not
            count. If two groups have a category of this name, both are meant. Income is in
            the category ``Inflow: Ready to Assign``, so that a selection without it has no income.
        flags : str or sequence of str, optional
            Colours or names of flags. Only rows with one of these flags count.
        since, until : str, date or Timestamp, optional
            First and last day. By default the day of the first transaction, and the day on which the
            ledger was read, or the day of its last transaction if that is later. ``"2026-05"`` and
            ``"2026"`` mean the first or the last day of that month or year.

        Returns
        -------
        Report
            Rows sorted by period; the same columns and dtypes when there are none.

            `Report.rows` returns the rows of the ledger behind ``net``, and with ``column=`` those
            behind ``income``, ``spent``, ``uncategorized`` or ``starting_balances``.

            column             dtype           unit      meaning
            -----------------  --------------  --------  -------------------------------------------------
            period             datetime64[us]            first day of the period
            income             float64         currency  income, before it is assigned
            spent              float64         currency  outflow net of refunds; negative: more refunds
            uncategorized      float64         currency  outflow without a category, net
            net                float64         currency  income minus spent minus uncategorized
            savings_rate       float64         share     net / income; missing without income
            starting_balances  float64         currency  starting balances of budget accounts
            is_complete        bool                      whether all days of the period count and are over

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> yearly = bf.reports.income_expense(freq="year", until="2025-12-31")
        >>> yearly["savings_rate"].round(2).tolist()
        [0.12, 0.13, 0.11]
        """
        report = partial(
            income_expense,
            freq=freq,
            transfers=transfers,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            categories=categories,
            exclude_categories=exclude_categories,
            flags=flags,
            since=since,
            until=until,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def spending(
        self,
        by: By = "category",
        *,
        freq: Freq = "all",
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        average: Literal["all", "active"] = "all",
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        flags: Names | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Spending by category, group, payee, account, flag, hashtag, or labels of your own.

        Spending is positive and net of refunds. If refunds exceed the spending, the value is below
        zero. Sums by category equal the activity that the service states, with the opposite sign.

        Parameters
        ----------
        by : {"category", "group", "payee", "account", "flag", "hashtag"} or mapping
            How to group the rows. Two categories of the same name in two groups are two rows. A
            hashtag is a word after ``#`` in the memo; a transaction with two hashtags counts for
            both. A mapping assigns labels of your own to groups, categories, flags and hashtags:
            ``{"Home": "fixed", "Groceries": "daily", "#holiday": "fun"}``. It names a group by its
            name, a category by its name or key, a flag by its colour or name. If several entries
            match, the later kind in this order wins. All transactions without a match are one row
            with a missing label.
        freq : {"day", "week", "month", "quarter", "year", "all"}
            Whether to return one row for the whole time or one row for each period. A period without
            spending has the value zero. A week begins on Monday.
        transfers : {"to_tracking", "none", "all"}
            Which transfers count: transfers to tracking accounts, such as loan payments, by their
            category; no transfers; or all transfers, including those between two budget accounts,
            which have no category.
        uncategorized : bool
            Whether to show transactions without a category, as ``Uncategorized``.
        average : {"all", "active"}
            The months that ``average`` is the mean of: all calendar months of the period, from the
            first day to the last day that counts, or only the months with a transaction. Incomplete
            months do not count, such as the running month, unless there are no others. Days and
            weeks have no average.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not count. The
            days of the report do not depend on its filters.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose rows count, and of those whose rows do not
            count. If two groups have a category of this name, both are meant.
        flags : str or sequence of str, optional
            Colours or names of flags. Only rows with one of these flags count.
        since, until : str, date or Timestamp, optional
            First and last day. By default the day of the first transaction, and the day on which the
            ledger was read, or the day of its last transaction if that is later. ``"2026-05"`` and
            ``"2026"`` mean the first or the last day of that month or year.

        Returns
        -------
        Report
            The first columns name the group and depend on `by`: ``category_group_name`` and
            ``category_name``; ``category_group_name``; ``payee_name``; ``account_name``;
            ``flag_color`` and ``flag_name``; ``hashtag``; or ``label``. The key of the group
            (``category_id``, ``category_group_id``, ``payee_id`` or ``account_id``) is the last
            column. Rows sorted by period, then by the spending of the whole time, the largest first;
            the same columns and dtypes when there are none.

            `Report.rows` returns the rows of the ledger behind ``spent``.

            column       dtype           unit      meaning
            -----------  --------------  --------  ------------------------------------------------------
            period       datetime64[us]            first day of the period
            spent        float64         currency  outflow net of refunds; negative: more refunds
            share        float64         share     share of the period's spending; missing if it has none
            months       int64           months    number of months that average is the mean of
            average      float64         currency  spending per month
            is_complete  bool                      whether all days of the period count and are over

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> spent = bf.reports.spending(since="2026-05-01", until="2026-05-31")
        >>> may = bf.month("2026-05").set_index("category_id")["activity"]
        >>> named = spent.dropna(subset="category_id").set_index("category_id")["spent"]
        >>> bool((named == -may[named.index]).all())
        True
        """
        report = partial(
            spending,
            by=by,
            freq=freq,
            transfers=transfers,
            uncategorized=uncategorized,
            average=average,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            categories=categories,
            exclude_categories=exclude_categories,
            flags=flags,
            since=since,
            until=until,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

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
        """Assigned, spent and available amounts by category and period, as the service states them.

        With hidden categories and card payments included, the sum of the assigned amounts is the
        total that the service states for the month. Two categories of the same name in two groups are
        two rows. A category without activity has zeros.

        Parameters
        ----------
        freq : {"month", "quarter", "year", "all"}
            Length of the periods. Assigned and spent are sums over the period; available, target and
            the missing amount of the target are the values of its last month.
        include_hidden : bool
            Whether to include hidden categories.
        include_cards : bool
            Whether to include the categories of the group ``Credit Card Payments``. Their activity is
            the money that the service moves to them when spending on a card is covered; it is not
            spending.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose rows count, and of those whose rows do not
            count. If two groups have a category of this name, both are meant. A
            category that `include_hidden` or `include_cards` leaves out is left out in any case.
        since, until : str, date or Timestamp, optional
            First and last month. By default the month of the first row, and the month in which the
            frame was read. The frame can also contain future months; a `since` in the future shows
            them. ``"2026-05"`` and ``"2026"`` mean the first or the last day of that month or year.

        Returns
        -------
        Report
            Rows sorted by period, category_group_name, category_name, category_id; the same columns
            and dtypes when there are none.

            `Report.rows` returns the rows of ``bf.month_categories()`` behind ``assigned`` and
            ``spent``.

            column               dtype           unit      meaning
            -------------------  --------------  --------  -------------------------------------------------
            period               datetime64[us]            first day of the period
            category_group_name  str                       name of the group of the category
            category_name        str                       name of the category
            hidden               bool                      whether the category is hidden
            assigned             float64         currency  assigned in the period
            spent                float64         currency  activity, outflow positive, net of refunds
            difference           float64         currency  assigned minus spent
            available            float64         currency  at the end of the period
            target               float64         currency  amount of the goal; missing: no goal
            under_funded         float64         currency  still missing for the goal, positive
            is_complete          bool                      whether all days of the period count and are over
            category_id          str                       key of the category

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> plan = bf.reports.budget_vs_actual(since="2026-05", until="2026-05")
        >>> from budgetframe.frames import milliunits
        >>> months = bf.months().set_index("month")
        >>> every = bf.reports.budget_vs_actual(include_cards=True, since="2026-05", until="2026-05")
        >>> bool(milliunits(every["assigned"]).sum() / 1000 == months.loc["2026-05-01", "budgeted"])
        True
        """
        report = partial(
            budget_vs_actual,
            freq=freq,
            include_hidden=include_hidden,
            include_cards=include_cards,
            categories=categories,
            exclude_categories=exclude_categories,
            since=since,
            until=until,
        )
        check_report(report)  # an invalid argument is refused before any request
        month_categories = await self._frames.month_categories()
        return report(month_categories)

    async def same_period(
        self,
        by: By | None = None,
        *,
        of: Literal["month", "quarter", "year"] = "month",
        every: Literal["period", "year"] = "period",
        count: int = 12,
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        flags: Names | None = None,
        today: Day | None = None,
    ) -> Report:
        """Spending so far this month, quarter or year, against the same days of earlier periods.

        On 17 June the first 17 days of each month are compared; a shorter month counts in full. For a
        quarter or a year the days up to the same day of the same month are compared.

        Parameters
        ----------
        by : {"category", "group", "payee", "account", "flag", "hashtag"} or mapping, optional
            How to group the rows, as for `spending`; by default there are no groups.
        of : {"month", "quarter", "year"}
            The length of the periods.
        every : {"period", "year"}
            Whether to compare with every earlier period, or with the same period of earlier years,
            for example this June with earlier Junes.
        count : int
            Maximum number of earlier periods. Periods before the first transaction do not count.
        transfers : {"to_tracking", "none", "all"}
            Which transfers count, as for `spending`.
        uncategorized : bool
            Whether transactions without a category count.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not count. The
            days of the report do not depend on its filters.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose rows count, and of those whose rows do not
            count. If two groups have a category of this name, both are meant.
        flags : str or sequence of str, optional
            Colours or names of flags. Only rows with one of these flags count.
        today : str, date or Timestamp, optional
            The last day that counts; by default the day (UTC) on which the ledger was read.

        Returns
        -------
        Report
            With `by`, the first columns name the group and the last one is its key, as for `spending`.
            Rows sorted by period, then by the spending of the whole time, the largest first; the
            current period is the last. The same columns and dtypes when there are none.

            `Report.rows` returns the rows of the ledger behind ``spent``, and with ``column=`` those
            behind ``whole``.

            column  dtype           unit      meaning
            ------  --------------  --------  ------------------------------------------------
            period  datetime64[us]            first day of the period
            date    datetime64[us]            last day that counts
            spent   float64         currency  spending up to that day, net of refunds
            change  float64         currency  since the row before; missing in the first row
            whole   float64         currency  in the whole period; missing if it has not ended

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> so_far = bf.reports.same_period(count=2, today="2026-05-31")
        >>> so_far["date"].dt.strftime("%d %b").tolist()
        ['31 Mar', '30 Apr', '31 May']
        """
        report = partial(
            same_period,
            by=by,
            of=of,
            every=every,
            count=count,
            transfers=transfers,
            uncategorized=uncategorized,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            categories=categories,
            exclude_categories=exclude_categories,
            flags=flags,
            today=today,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def runway(
        self,
        *,
        window: int = 90,
        freq: CalendarFreq = "month",
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        interest: bool = True,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Number of days that the money of the budget accounts lasts, at the recent rate of spending.

        The value is the balance of the budget accounts divided by the mean daily spending of the last
        `window` days. Debts on credit cards reduce the balance, payments to tracking accounts are
        spending, and refunds reduce the spending.

        Parameters
        ----------
        window : int
            Number of days of the mean, including the day of the row.
        freq : {"day", "week", "month", "quarter", "year"}
            Length of the periods. The last row is always the state on the last day, even in the
            middle of a period.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the budget accounts whose rows count, and of those whose rows do not
            count: neither their balance nor their spending.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose spending counts, and of those whose spending
            does not count, for example spending that would stop without income. The balance does not
            depend on them.
        transfers : {"to_tracking", "none", "all"}
            Which transfers are spending, as for `spending`.
        uncategorized : bool
            Whether transactions without a category are spending.
        interest : bool
            Whether the balance of a loan on budget contains interest and escrow that no transaction
            records. The service keeps loans in tracking accounts, which do not count here.
        since, until : str, date or Timestamp, optional
            First and last day to show. By default the day of the first transaction, and the day (UTC)
            on which the ledger was read. ``"2026-05"`` and ``"2026"`` mean the first or the last day
            of that month or year.

        Returns
        -------
        Report
            Rows sorted by date; the same columns and dtypes when there are none. The number of days is
            missing if the window starts before the first transaction or contains no spending. It is
            zero if no money is left.

            `Report.rows` returns the rows of the ledger behind ``spent``, which are those of the
            window, and with ``column=`` those behind ``balance``.

            column   dtype           unit      meaning
            -------  --------------  --------  --------------------------------------------------
            date     datetime64[us]            day that the row describes, at its end
            balance  float64         currency  balance of the accounts that count
            spent    float64         currency  spending in the window
            per_day  float64         currency  mean spending per day
            days     float64         days      number of days the balance lasts; missing: unknown

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.runway(exclude_categories=["Savings"])["days"].tail(1).round(1).tolist()
        [280.6]
        """
        report = partial(
            runway,
            window=window,
            freq=freq,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            categories=categories,
            exclude_categories=exclude_categories,
            transfers=transfers,
            uncategorized=uncategorized,
            interest=interest,
            since=since,
            until=until,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def recurring(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        include_ended: bool = False,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        categories: Names | None = None,
        exclude_categories: Names = (),
        flags: Names | None = None,
        uncategorized: bool = True,
        today: Day | None = None,
    ) -> Report:
        """Payees that recur, with the day of the next payment and the cost of a year.

        A series is the payments to one payee in one category at regular intervals. Payments of very
        different amounts to one payee, for example two subscriptions, are separate series. A transfer
        to a loan or to another tracking account is a payment to that account. Income, refunds and
        transfers between budget accounts do not count. In each of the two budgets of the embedded
        service, with the seeds 1 to 4, the report finds all 10 series and no others: its precision and
        its recall are 100 %.

        Parameters
        ----------
        kinds : mapping of str to str, optional
            Your own kinds for names or keys of payees, categories or groups, for example
            ``{"Linden Housing": "rent"}``. A payee has priority over a category, and a category over a
            group. The kinds are those of the column ``kind``.
        include_ended : bool
            Whether to include series that have ended, for example a cancelled subscription. Their
            ``next_date`` is missing, and their ``yearly_cost`` is zero.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not count. The
            days of the report do not depend on its filters.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose rows count, and of those whose rows do not
            count. If two groups have a category of this name, both are meant.
        flags : str or sequence of str, optional
            Colours or names of flags. Only rows with one of these flags count.
        uncategorized : bool
            Whether payments without a category count.
        today : str, date or Timestamp, optional
            The day of the report; later payments do not count. By default the day (UTC) on which the
            ledger was read, or its last day if it was read with an earlier one; if the ledger does
            not say when it was read, the day of its last transaction.

        Returns
        -------
        Report
            One row per series. Rows sorted by yearly_cost, the highest first, then by payee_name and
            category_name; the same columns and dtypes when there are none. A cost is positive.

            ``kind`` is ``loan`` for a transfer to a loan account, ``transfer`` for a transfer to
            another tracking account, ``rent`` or ``loan`` if the name of the category contains such a
            word, ``bill`` if the amounts vary, and ``subscription`` otherwise.

            `Report.rows` returns the rows of the ledger behind the payments of the series, and with
            ``column=`` those behind ``last_amount``.

            column               dtype           unit      meaning
            -------------------  --------------  --------  --------------------------------------------------
            payee_name           str                       name of the payee, or of the account of a transfer
            category_name        str                       name of the category
            frequency            category                  the service's name of the interval
            last_date            datetime64[us]            day of the last payment
            last_amount          float64         currency  cost of the last payment
            next_date            datetime64[us]            expected day; missing: the series has ended
            change               float64         currency  last_amount minus the cost a year before
            yearly_cost          float64         currency  cost of a year; zero: the series has ended
            kind                 category                  subscription, bill, rent, loan or transfer
            payments             Int64           payments  number of payments in the series
            category_group_name  str                       name of the group of the category
            payee_id             str                       key of the payee
            category_id          str                       key of the category; missing: no category

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> found = bf.reports.recurring()
        >>> found.loc[found["kind"] == "subscription", "payee_name"].tolist()
        ['Anchor Mutual', 'Fernline', 'Climbing Hall', 'Anchor Mutual', 'Rail Desk', 'Tonspur']
        """
        report = partial(
            recurring,
            kinds=kinds,
            include_ended=include_ended,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            categories=categories,
            exclude_categories=exclude_categories,
            flags=flags,
            uncategorized=uncategorized,
            today=today,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def suggestions(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        flags: Names | None = None,
    ) -> Report:
        """The category that the payee usually has, for each transaction without a category.

        A row that `bf.reports.spending` shows as ``Uncategorized`` is a row of this report. All rows
        of the payee that have a category count, in every account. The keys of the row and the key of
        the suggested category are columns, so that a selection of the report can be passed to
        `bf.changes`.

        Parameters
        ----------
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows get a suggestion, and of those whose rows do not.
        flags : str or sequence of str, optional
            Colours or names of flags. Only rows with one of these flags get a suggestion.

        Returns
        -------
        Report
            One row per transaction, or part of a split, without a category. Rows sorted by date; the
            same columns and dtypes when there are none. A row without a payee, or whose payee has no
            row with a category, has no suggestion: its category is missing and its count is zero.

            `Report.rows` returns the rows of the ledger behind ``count``.

            column               dtype           unit      meaning
            -------------------  --------------  --------  ---------------------------------------------
            date                 datetime64[us]            day of the transaction
            account_name         str                       name of the account
            payee_name           str                       name of the payee
            memo                 str                       note of the user
            amount               float64         currency  negative: outflow
            category_name        str                       name of the suggested category; missing: none
            count                int64           rows      rows of the payee with that category
            share                float64         share     these among all rows of the payee that count
            category_group_name  str                       name of the group of that category
            transaction_id       str                       key of the transaction
            subtransaction_id    str                       key of the split part; missing for other rows
            category_id          str                       key of the suggested category; missing: none

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> account_id = bf.accounts().set_index("account_name")["account_id"]["Checking"]
        >>> bought = {"account_id": account_id, "date": "2026-06-16", "amount": -18.4}
        >>> row = bf.create_transactions([{**bought, "payee_name": "Haus & Hof"}])
        >>> todo = bf.reports.suggestions()
        >>> todo[["payee_name", "amount", "category_name", "count", "share"]].tail(1)
           payee_name  amount    category_name  count     share
        2  Haus & Hof   -18.4  Household Goods     87  0.966667

        Write the suggestions that you accept; `Changes` shows them before, and can undo them:

        >>> sure = todo[(todo["count"] >= 3) & (todo["share"] >= 0.8)]
        >>> changes = bf.changes(sure).apply()
        >>> changes.frame[["field", "before", "after"]].values.tolist()
        [['category_name', None, 'Household Goods']]
        """
        report = partial(
            suggestions, accounts=accounts, exclude_accounts=exclude_accounts, flags=flags
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def age_of_money(self, *, since: Day | None = None, until: Day | None = None) -> Report:
        """Number of days between receiving money and spending it, as the service states each month.

        The service states one figure for the whole budget: it cannot be limited to accounts or
        categories.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last month. By default the first month of the frame, and the month in which the
            frame was read. ``"2026-05"`` and ``"2026"`` mean the first or the last day of that month
            or year.

        Returns
        -------
        Report
            Rows sorted by month; the same columns and dtypes when there are none. If the service
            does not state the age, the value is missing: it is unknown, not zero.

            column        dtype           unit  meaning
            ------------  --------------  ----  --------------------------------------------
            month         datetime64[us]        first day of the month
            age_of_money  Int64           days  days between receiving money and spending it
            change        Int64           days  change since the month before

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/months``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> age = bf.reports.age_of_money(since="2026-04")
        >>> list(age.columns)
        ['month', 'age_of_money', 'change']
        """
        report = partial(age_of_money, since=since, until=until)
        check_report(report)  # an invalid argument is refused before any request
        months = await self._frames.months()
        return report(months)

    async def money_flow(
        self,
        *,
        month: Day | None = None,
        categories: Names | None = None,
        exclude_categories: Names = (),
    ) -> Report:
        """Amounts moved between categories, and amounts assigned to them.

        The service returns either one record for each move, or totals by category. Totals only state
        the assigned amounts: the report shows them as moves from ``Ready to Assign``, and uses the
        name of a category as its key if the category is not listed. The records start with some
        month; earlier months have no rows, because their moves are unknown, not zero.

        Parameters
        ----------
        month : str or date, optional
            Only this month, ``"2026-05"`` or ``"current"``. Totals do not contain their month: the
            column ``month`` then has this one.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose moves count, and of those whose moves do not
            count. A move belongs to the categories on both of its sides. If two groups have a category
            of this name, both are meant.

        Returns
        -------
        Report
            Rows sorted by month, then by amount, the largest first; the same columns and dtypes when
            there are none. ``attrs["known_since"]`` is the first month of the records; it is not set
            for totals and for the records of a single month.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  -----------------------------------------------------
            month                     datetime64[us]            first day of the month; missing: totals of all months
            from_category_name        str                       name of the source
            from_category_group_name  str                       name of the group of the source
            to_category_name          str                       name of the target
            to_category_group_name    str                       name of the group of the target
            amount                    float64         currency  amount that was moved, positive
            moves                     Int64           moves     number of moves; missing: totals do not state it
            from_category_id          str                       key of the source; missing: Ready to Assign
            to_category_id            str                       key of the target; missing: Ready to Assign

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}[/months/{month}]/money_movements`` and that of its
        ``categories``.

        Cost: two requests; none within the time to live, after it deltas where the service keeps records
        and no month is given.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> flow = bf.reports.money_flow(month="2026-05")
        >>> names = ["from_category_name", "to_category_name", "amount"]
        >>> print(flow[names].head(1).to_string(index=False))
        from_category_name to_category_name  amount
           Ready to Assign             Rent  1294.9
        """
        report = partial(
            money_flow, month=month, categories=categories, exclude_categories=exclude_categories
        )
        check_report(report)  # an invalid argument is refused before any request
        money_movements = await self._frames.money_movements(month)
        listed_categories = await self._frames.categories()
        return report(money_movements, listed_categories)

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
        flags: Names | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Flows from payers to income, to groups, to categories: the links of a Sankey diagram.

        Inflow and outflow of each node are equal: income that is not spent flows to ``Left over``, and
        spending beyond the income flows in from ``From before``. A flow has no sign: a category whose
        refunds exceed its spending flows into the income.

        ``report.plot()`` draws the diagram with plotly, which needs ``budgetframe[sankey]``. The
        picture contains the plotly library, about 5 MB, so that it also works offline and in an
        exported page.

        Parameters
        ----------
        most : int
            Number of payers to show by name, the largest first; all other payers are ``Others``.
        transfers : {"to_tracking", "none"}
            Which transfers count, as for `spending`.
        uncategorized : bool
            Whether to show transactions without a category.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not count. The
            days of the report do not depend on its filters.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose rows count, and of those whose rows do not
            count. If two groups have a category of this name, both are meant. Income is in
            the category ``Inflow: Ready to Assign``, so that a selection without it has no income.
        flags : str or sequence of str, optional
            Colours or names of flags. Only rows with one of these flags count.
        since, until : str, date or Timestamp, optional
            First and last day. By default the day of the first transaction, and the day on which the
            ledger was read, or the day of its last transaction if that is later. ``"2026-05"`` and
            ``"2026"`` mean the first or the last day of that month or year.

        Returns
        -------
        Report
            One row per link, sorted by level, then by amount, the largest first; the same columns and
            dtypes when there are none.

            `Report.rows` returns the rows of the ledger behind ``amount``; for ``Left over`` and ``From
            before`` these are all rows of income and spending.

            column               dtype    unit      meaning
            -------------------  -------  --------  --------------------------------------------------------
            level                int64              0: to the income; 1: to the groups; 2: to the categories
            source               str                name of the node that the link starts at
            target               str                name of the node that the link ends at
            category_group_name  str                group of the target; missing: none
            amount               float64  currency  amount of the flow, positive

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> links = bf.reports.income_sankey(since="2026-05-01", until="2026-05-31")
        >>> print(links[links["level"] == 0][["source", "target", "amount"]].to_string(index=False))
                   source target  amount
        Brightside Studio Income 3231.62
        """
        report = partial(
            income_sankey,
            most=most,
            transfers=transfers,
            uncategorized=uncategorized,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            categories=categories,
            exclude_categories=exclude_categories,
            flags=flags,
            since=since,
            until=until,
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

    async def loans(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        payment: float | None = None,
    ) -> Report:
        """Amount owed, payments, interest and escrow of each loan, by month, until it is paid off.

        The history ends with the balance that the service states. After it the report projects the
        months until the loan is paid off, with the present payment, the rates and the escrow amounts
        that the service states. The first projected month is the next month; it is the current month
        if nothing happened in it yet, because its payment is still to come. Interest and escrow are
        those that rows record and those that the service adds to the balance without a row.

        Parameters
        ----------
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the loans to show, and of those not to show; by default all loans that have
            transactions.
        payment : float, optional
            The monthly payment of each loan in the projection, in currency units. By default it is the
            present payment: the median of the sums of the last six months with payments, or of all
            months with payments if they are fewer, so that a single lump sum does not count. If the
            number of months is even, it is the larger of the two middle sums. A loan without payments
            is projected with the minimum payment that the service states.

        Returns
        -------
        Report
            One row per loan and month, sorted by account_name, account_id and month; the same columns
            and dtypes when there are none. A loan that the payment never pays off has no projected
            months.

            `Report.rows` returns the rows of the ledger behind ``owed``, which are all rows of the loan
            up to the end of the month, and with ``column=`` those behind ``payment``, ``interest``,
            ``escrow`` or ``other``. Calculated interest and projected months have no rows.

            column        dtype           unit      meaning
            ------------  --------------  --------  -----------------------------------------------
            account_name  str                       name of the account
            month         datetime64[us]            first day of the month
            payment       float64         currency  sum of the payments
            interest      float64         currency  part of the payment: interest
            escrow        float64         currency  part of the payment: escrow
            principal     float64         currency  the rest of the payment, which reduces the debt
            other         float64         currency  other rows: opening debt, fees, corrections
            unexplained   float64         currency  what the service's balance owes beyond these
            owed          float64         currency  at the end of the month; negative: a credit
            is_projected  bool                      whether the month is projected
            account_id    str                       key of the account

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and
        ``payees``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> coming = bf.reports.loans().query("is_projected")
        >>> coming[["payment", "interest", "principal", "owed"]].iloc[-1].tolist()
        [85.52, 0.32, 85.2, 0.0]
        """
        report = partial(
            loans, accounts=accounts, exclude_accounts=exclude_accounts, payment=payment
        )
        check_report(report)  # an invalid argument is refused before any request
        ledger = await self._frames.ledger()
        return report(ledger)

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
        """Balance of each account on each future day, from scheduled transactions.

        The forecast starts with the balance that the service states for today. A transfer changes
        both of its accounts, also if it is a part of a split. Nothing else is assumed, unless
        `typical` adds typical amounts: otherwise the forecast contains no groceries and no salary if
        they are not scheduled. Overdue transactions count today. A payment of a loan adds the interest
        and escrow of its month to the debt.

        A typical amount is the median of the monthly sums of a category, or of the transfers between
        two budget accounts, for example the payments of a credit card. It is reduced by the scheduled
        transactions of the same month and category, so that nothing counts twice. The band shows how
        wrong such forecasts were: 12 forecasts, from the same day of earlier months and without
        schedules, are compared with the balances that followed, and ``low`` and ``high`` have the
        lowest and highest error. In the two budgets of the embedded service, with eight years and the
        seeds 1 to 4, 88 % of the balances were inside after 7 days, 88 % after 30, 83 % after 60 and
        80 % after 90.

        Parameters
        ----------
        typical : int, optional
            Number of complete months, from 1 to 60, whose median by category counts in addition to
            the scheduled transactions; by default only scheduled transactions count.
        days : int
            Number of days after today.
        until : str, date or Timestamp, optional
            The last day, instead of a number of days. ``"2026-05"`` and ``"2026"`` mean the last day of
            that month or year.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts to show, and of those not to show; by default all open
            accounts.
        interest : bool
            Whether a scheduled payment of a loan adds interest and escrow of its month to the debt, as
            the service does, or only the scheduled transactions change the balance.
        today : str, date or Timestamp, optional
            The day of the balances; by default the day on which the accounts were read.

        Returns
        -------
        Report
            One row per account and day, from today on. Rows sorted by date, account_name, account_id;
            the same columns and dtypes when there are none. ``is_lowest`` marks the lowest balance of
            each account. ``low`` and ``high`` are missing without `typical`, for loans, for accounts
            that are younger than the first of the 12 forecasts, and where the ledger is too short.

            column        dtype           unit      meaning
            ------------  --------------  --------  --------------------------------------------------
            date          datetime64[us]            day
            account_name  str                       name of the account
            on_budget     bool                      whether its money is in the budget
            change        float64         currency  scheduled transactions of that day
            typical       float64         currency  typical income, spending and transfers of that day
            interest      float64         currency  interest of loans that no row records
            escrow        float64         currency  escrow of loans that no row records
            balance       float64         currency  at the end of the day
            low           float64         currency  lower end of the band; missing: no band
            high          float64         currency  upper end of the band; missing: no band
            is_lowest     bool                      first day of the lowest balance of the account
            account_id    str                       key of the account

        Raises
        ------
        ToolError
            When the request limit is reached, an argument is not valid, or the name of the budget matches
            no budget or several budgets.
        ServiceAPIError
            When the service answers with an error.
        httpx.TransportError
            When the service does not answer.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/scheduled_transactions`` and that of its ``accounts``; with
        `typical` also ``transactions``, ``categories`` and ``payees``.

        Cost: two requests, or none while an export is fresh; none within the time to live, after it two
        deltas of what changed. With `typical` three more, for the ledger.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> coming = bf.reports.forecast(days=30, accounts="Checking")
        >>> coming.loc[coming["is_lowest"], ["balance"]].shape
        (1, 1)
        >>> coming = bf.reports.forecast(typical=6, days=30, accounts="Checking")
        >>> coming[["balance", "low", "high"]].iloc[-1].tolist()
        [7882.21, 7158.17, 9467.11]
        """
        report = partial(
            forecast,
            typical=typical,
            days=days,
            until=until,
            accounts=accounts,
            exclude_accounts=exclude_accounts,
            interest=interest,
            today=today,
        )
        check_report(report)  # an invalid argument is refused before any request
        scheduled_transactions = await self._frames.scheduled_transactions()
        scheduled_subtransactions = await self._frames.scheduled_subtransactions()
        listed_accounts = await self._frames.accounts()
        ledger = await self._frames.ledger() if typical is not None else None
        return report(scheduled_transactions, scheduled_subtransactions, listed_accounts, ledger)

    def __repr__(self) -> str:
        return methods_as_text(self)

    def _repr_html_(self) -> str:
        return methods_as_html(self)
