"""The reports of a budget, as async methods."""

# Generated, do not edit. Command to write it again: python -m tests.docs.generate_facade
# ruff: noqa: E501 - the lines of a table are not wrapped

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from budgetframe import reports
from budgetframe._facade.aio.frames import Frames
from budgetframe._facade.display import methods_as_html, methods_as_text
from budgetframe.frames.dates import Day
from budgetframe.reports.ledger_rows import By, Transfers
from budgetframe.reports.periods import Freq, Often
from budgetframe.reports.report import Report

__all__ = ["AsyncReports"]


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
        freq: Often = "month",
        by: Literal["balance", "type"] = "balance",
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Assets, debts and what is left, at the end of each month, quarter or year.

        Every account counts: tracking accounts too, and closed ones for their past. The last row is
        the sum of the balances that the service states.

        Parameters
        ----------
        freq : {"month", "quarter", "year"}
            How often. The last row is of the last day, whatever day that is.
        by : {"balance", "type"}
            What makes a debt: a balance below zero that day, whatever the account, so that an
            overdrawn one is a debt and a credit card that owes you is none; or the kind of account,
            as cards, loans, mortgages and other liabilities.
        since, until : str, date or Timestamp, optional
            First and last day to show; by default that of the first transaction, and the day that the
            ledger was asked for, or that of its last transaction where that is later.

        Returns
        -------
        Report
            Rows sorted by date; the same columns and dtypes when there are none.

            column  dtype           unit      meaning
            ------  --------------  --------  ------------------------------------------
            date    datetime64[us]            day that it is the state of, to its end
            assets  float64         currency  what is owned
            debts   float64         currency  what is owed, below zero
            net     float64         currency  assets and debts together
            change  float64         currency  of net, since the end of the period before

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
        ledger = await self._frames.ledger()
        return reports.net_worth(ledger, freq=freq, by=by, since=since, until=until)

    async def balances(
        self,
        *,
        freq: Literal["day", "month", "quarter", "year"] = "month",
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Balance of each account at the end of each day, month, quarter or year.

        The last row of an account is the balance that the service states for it. An account without
        any transaction has no rows. Before its first one it is zero; once closed, it is what was left.

        Parameters
        ----------
        freq : {"month", "day", "quarter", "year"}
            How often. The last row is of the last day, whatever day that is.
        since, until : str, date or Timestamp, optional
            First and last day to show; by default that of the first transaction, and the day that the
            ledger was asked for, or that of its last transaction where that is later.

        Returns
        -------
        Report
            Rows sorted by date, account_name, account_id; the same columns and dtypes when there are
            none.

            column        dtype           unit      meaning
            ------------  --------------  --------  ---------------------------------------
            date          datetime64[us]            day that it is the state of, to its end
            account_id    str                       key of the account
            account_name  str                       name of the account
            account_type  category                  kind of account
            on_budget     bool                      whether its money is in the budget
            balance       float64         currency  cleared and uncleared together

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
        ledger = await self._frames.ledger()
        return reports.balances(ledger, freq=freq, since=since, until=until)

    async def income_expense(
        self,
        *,
        freq: Freq = "month",
        transfers: Literal["to_tracking", "none"] = "to_tracking",
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Income, spending and what is left, by month, quarter or year.

        Income is what arrives in ``Inflow: Ready to Assign`` in accounts on budget; spending is
        everything that has a category, net of refunds. Starting balances are neither, and have their
        own column, as has what nobody gave a category yet. All of it together, and the transfers
        within the budget, is how the balance of the accounts on budget changed.

        Parameters
        ----------
        freq : {"month", "quarter", "year", "all"}
            What the rows are. Those without any transactions are there, with zeros.
        transfers : {"to_tracking", "none"}
            Which transfers count: those to tracking accounts, as payments of loans and savings that
            leave the budget, by their category; or none at all. Those within the budget cancel out.
        since, until : str, date or Timestamp, optional
            First and last day; by default that of the first transaction, and the day that the ledger
            was asked for, or that of its last transaction where that is later.

        Returns
        -------
        Report
            Rows sorted by period; the same columns and dtypes when there are none.

            column             dtype           unit      meaning
            -----------------  --------------  --------  --------------------------------------------------
            period             datetime64[us]            first day of the period
            income             float64         currency  received to be assigned
            spent              float64         currency  outflow net of refunds; below zero: more came back
            uncategorized      float64         currency  outflow without a category, net
            net                float64         currency  income less both
            savings_rate       float64         share     net of income; missing without income
            starting_balances  float64         currency  what accounts on budget began with

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
        ledger = await self._frames.ledger()
        return reports.income_expense(
            ledger, freq=freq, transfers=transfers, since=since, until=until
        )

    async def spending(
        self,
        by: By = "category",
        *,
        freq: Freq = "all",
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        average: Literal["all", "active"] = "all",
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Spending by category, group, payee, account, flag, hashtag, or names of your own.

        Spending is positive and net of refunds: where more came back than went out, it is below zero
        and stays there. Sums by category are the service's own activity, with the sign turned.

        Parameters
        ----------
        by : {"category", "group", "payee", "account", "flag", "hashtag"} or mapping
            What the rows are. A category of the same name in two groups is two rows. A hashtag is a
            word after ``#`` in the memo; a row with two of them counts for both. A mapping gives names
            of your own to groups, categories, flags and hashtags, ``{"Home": "fixed", "Groceries":
            "daily", "#holiday": "fun"}``: a group by its name, a category by name or key, a flag by
            colour or name. Of several that fit, the one later in this order decides. What it does not
            name is one row, whose label is missing.
        freq : {"all", "month", "quarter", "year"}
            Whether to give one row for the whole time or one for each period; a period without any
            spending is a row with zero.
        transfers : {"to_tracking", "none", "all"}
            Which transfers count: those to tracking accounts, as payments of loans, by their category;
            none at all; or also those between two accounts of the budget, which have no category.
        uncategorized : bool
            Whether to show what nobody gave a category yet, as ``Uncategorized``.
        average : {"all", "active"}
            What ``average`` divides by: all calendar months of the period, from the first day that
            counts to the last one, or those with a row.
        since, until : str, date or Timestamp, optional
            First and last day; by default that of the first transaction, and the day that the ledger
            was asked for, or that of its last transaction where that is later.

        Returns
        -------
        Report
            First the columns that name a row, by what was asked for: ``category_id``,
            ``category_group_name`` and ``category_name``; ``category_group_id`` and
            ``category_group_name``; ``payee_id`` and ``payee_name``; ``account_id`` and
            ``account_name``; ``flag_color`` and ``flag_name``; ``hashtag``; or ``label``. Rows sorted
            by period, then by the spending of the whole time, the largest first; the same columns and
            dtypes when there are none.

            column   dtype           unit      meaning
            -------  --------------  --------  --------------------------------------------------
            period   datetime64[us]            first day of the period
            spent    float64         currency  outflow net of refunds; below zero: more came back
            share    float64         share     of all spending of the period; missing without any
            months   int64           months    that the average is taken over
            average  float64         currency  spent a month

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
        ledger = await self._frames.ledger()
        return reports.spending(
            ledger,
            by,
            freq=freq,
            transfers=transfers,
            uncategorized=uncategorized,
            average=average,
            since=since,
            until=until,
        )

    async def budget_vs_actual(
        self,
        *,
        freq: Freq = "month",
        include_hidden: bool = True,
        include_cards: bool = False,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Assigned, spent and available by category, over time, as the service states them.

        The sum of what was assigned, hidden categories and card payments included, is the service's
        own total of the month. A category of the same name in two groups is two rows; one without any
        activity is a row with zeros.

        Parameters
        ----------
        freq : {"month", "quarter", "year", "all"}
            What the rows are. Assigned and activity are added up; available, target and what is
            missing are those of the last month.
        include_hidden : bool
            Whether hidden categories are there.
        include_cards : bool
            Whether the categories of the group ``Credit Card Payments`` are there: their activity is
            what the service moves to them as spending on a card is covered, and no spending.
        since, until : str, date or Timestamp, optional
            First and last month; by default that of the first row, and the month that the frame was
            asked for in. The plan knows months to come as well: those from a later `since` on.

        Returns
        -------
        Report
            Rows sorted by period, category_group_name, category_name, category_id; the same columns
            and dtypes when there are none.

            column               dtype           unit      meaning
            -------------------  --------------  --------  ------------------------------------------
            period               datetime64[us]            first day of the period
            category_id          str                       key of the category
            category_group_name  str                       name of its group
            category_name        str                       name of the category
            hidden               bool                      whether the category is hidden
            assigned             float64         currency  assigned in the period
            spent                float64         currency  activity, outflow positive, net of refunds
            difference           float64         currency  assigned less spent
            available            float64         currency  at the end of the period
            target               float64         currency  amount aimed for; missing: no goal
            under_funded         float64         currency  missing for the goal, positive

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
        month_categories = await self._frames.month_categories()
        return reports.budget_vs_actual(
            month_categories,
            freq=freq,
            include_hidden=include_hidden,
            include_cards=include_cards,
            since=since,
            until=until,
        )

    async def same_period(
        self,
        by: By | None = None,
        *,
        of: Often = "month",
        every: Literal["period", "year"] = "period",
        count: int = 12,
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        today: Day | None = None,
    ) -> Report:
        """Spending so far this month, quarter or year, against the same days of earlier ones.

        On the 17th of June the first 17 days of each month are compared; where a month is shorter, all
        of it is. Of a year, or a quarter, it is everything up to the same day of the same month.

        Parameters
        ----------
        by : {"category", "group", "payee", "account", "flag", "hashtag"} or mapping, optional
            What the rows are besides, as for `spending`; by default all of it together.
        of : {"month", "quarter", "year"}
            What is under way.
        every : {"period", "year"}
            Whether to compare with each earlier one, or with the same one of each earlier year: this
            June with the Junes before.
        count : int
            How many earlier ones at the most; none from before the first transaction.
        transfers : {"to_tracking", "none", "all"}
            Which transfers count, as for `spending`.
        uncategorized : bool
            Whether what nobody gave a category yet counts.
        today : str, date or Timestamp, optional
            The last day that counts; by default the day (UTC) that the ledger was asked for.

        Returns
        -------
        Report
            With `by`, first the columns that name a row, as for `spending`. Rows sorted by period,
            then by the spending of the whole time, the largest first; the period under way is the
            last. The same columns and dtypes when there are none.

            column  dtype           unit      meaning
            ------  --------------  --------  --------------------------------------------------
            period  datetime64[us]            first day of the period
            date    datetime64[us]            last day that counts
            spent   float64         currency  up to that day, net of refunds
            change  float64         currency  since the row before; missing for the first
            whole   float64         currency  in the whole period; missing while it is under way

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
        ledger = await self._frames.ledger()
        return reports.same_period(
            ledger,
            by,
            of=of,
            every=every,
            count=count,
            transfers=transfers,
            uncategorized=uncategorized,
            today=today,
        )

    async def runway(
        self,
        *,
        window: int = 90,
        freq: Often = "month",
        exclude_accounts: Sequence[str] = (),
        exclude_categories: Sequence[str] = (),
        transfers: Transfers = "to_tracking",
        uncategorized: bool = True,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """For how many days the money on budget lasts, at the pace of the days before.

        The balance of the accounts on budget over the mean daily spending of the last `window` days.
        What is owed on credit cards counts against the balance; payments to tracking accounts are
        spending; refunds make it less.

        Parameters
        ----------
        window : int
            Days over which spending is averaged, the day of the row included.
        freq : {"month", "quarter", "year"}
            How often. The last row is of the last day, whatever day that is.
        exclude_accounts : sequence of str
            Names or keys of accounts on budget that do not count, neither their balance nor what is
            spent from them.
        exclude_categories : sequence of str
            Names or keys of categories, or names of groups, whose spending does not count: what would
            not be paid if there were nothing coming in.
        transfers : {"to_tracking", "none", "all"}
            Which transfers are spending, as for `spending`.
        uncategorized : bool
            Whether what nobody gave a category yet is spending.
        since, until : str, date or Timestamp, optional
            First and last day to show; by default that of the first transaction, and the day (UTC)
            that the ledger was asked for.

        Returns
        -------
        Report
            Rows sorted by date; the same columns and dtypes when there are none. Where the window
            begins before the first transaction, or nothing was spent in it, the days are missing;
            where nothing is left, they are zero.

            column   dtype           unit      meaning
            -------  --------------  --------  ------------------------------------------
            date     datetime64[us]            day that it is the state of, to its end
            balance  float64         currency  of the accounts that count
            spent    float64         currency  in the window
            per_day  float64         currency  spent a day, on average
            days     float64         days      that the balance lasts; missing: not known

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
        ledger = await self._frames.ledger()
        return reports.runway(
            ledger,
            window=window,
            freq=freq,
            exclude_accounts=exclude_accounts,
            exclude_categories=exclude_categories,
            transfers=transfers,
            uncategorized=uncategorized,
            since=since,
            until=until,
        )

    async def age_of_money(self, *, since: Day | None = None, until: Day | None = None) -> Report:
        """How many days money lay there before it was spent, as the service states it each month.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last month; by default the first there is, and the month that the frame was
            asked for in.

        Returns
        -------
        Report
            Rows sorted by month; the same columns and dtypes when there are none. Where the service
            does not know the age, it is missing: unknown, not zero.

            column        dtype           unit  meaning
            ------------  --------------  ----  ----------------------------
            month         datetime64[us]        first day of the month
            age_of_money  Int64           days  between earning and spending
            change        Int64           days  since the month before

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
        months = await self._frames.months()
        return reports.age_of_money(months, since=since, until=until)

    async def money_flow(self, *, month: Day | None = None) -> Report:
        """How much was moved from where to where: between categories, and what was assigned.

        The service keeps one record for each move, or totals by category, which only tell what was
        assigned: these are then moves from what was ready to assign, and where a category is not listed
        its name stands for its key. The record begins with some
        month: one before that is unknown, not zero, and has no rows.

        Parameters
        ----------
        month : str or date, optional
            Only this month, ``"2026-05"`` or ``"current"``. Totals do not tell their month: it is that
            which they were asked for with.

        Returns
        -------
        Report
            Rows sorted by month, then by amount, the largest first; the same columns and dtypes when
            there are none. ``attrs["known_since"]`` is the first month on record, where records tell.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  -----------------------------------------------------
            month                     datetime64[us]            first day of the month; missing: totals of all months
            from_category_id          str                       key of where from; missing: ready to assign
            from_category_name        str                       name of where from
            from_category_group_name  str                       name of its group
            to_category_id            str                       key of where to; missing: ready to assign
            to_category_name          str                       name of where to
            to_category_group_name    str                       name of its group
            amount                    float64         currency  moved, positive
            moves                     Int64           moves     how many; missing: totals do not tell

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
        money_movements = await self._frames.money_movements(month)
        categories = await self._frames.categories()
        return reports.money_flow(money_movements, categories, month=month)

    async def income_sankey(
        self,
        *,
        most: int = 8,
        transfers: Literal["to_tracking", "none"] = "to_tracking",
        uncategorized: bool = True,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """What flows from payers to income, to groups, to categories: the links of a Sankey diagram.

        What flows into a place flows out of it: what is not spent is ``Left over``, and what is spent
        beyond the income comes ``From before``. A category to which more came back than went out gives
        to the income, since a flow has no sign.

        ``report.plot()`` draws it with plotly, which has to be installed: ``budgetframe[sankey]``. The
        picture has the library inside, some 5 MB, so that it shows in an exported page and offline.

        Parameters
        ----------
        most : int
            How many payers are shown by name, the largest; the rest of them is ``SharedRequests``.
        transfers : {"to_tracking", "none"}
            Which transfers count, as for `spending`.
        uncategorized : bool
            Whether to show what nobody gave a category yet.
        since, until : str, date or Timestamp, optional
            First and last day; by default that of the first transaction, and the day that the ledger
            was asked for, or that of its last transaction where that is later.

        Returns
        -------
        Report
            One row per link, sorted by level, then by amount, the largest first; the same columns and
            dtypes when there are none.

            column               dtype    unit      meaning
            -------------------  -------  --------  ----------------------------------------------------------
            level                int64              0: into the income; 1: to the groups; 2: to the categories
            source               str                where it comes from
            target               str                where it goes
            category_group_name  str                group that it goes to; missing: none
            amount               float64  currency  how much, positive

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
        ledger = await self._frames.ledger()
        return reports.income_sankey(
            ledger,
            most=most,
            transfers=transfers,
            uncategorized=uncategorized,
            since=since,
            until=until,
        )

    async def forecast(
        self,
        *,
        days: int = 90,
        until: Day | None = None,
        only: Sequence[str] | None = None,
        today: Day | None = None,
    ) -> Report:
        """Balance of each account on each day to come, if all that happens is what is scheduled.

        It begins with the balance that the service states for today. A transfer takes from one account
        and gives to the other, also when it is a part of a split. What is not scheduled does not
        happen: no groceries, no salary that nobody scheduled. What is overdue is taken to come today.

        Parameters
        ----------
        days : int
            How many days ahead.
        until : str, date or Timestamp, optional
            The last day, instead of a number of days.
        only : sequence of str, optional
            Names or keys of accounts to show; by default all that are open.
        today : str, date or Timestamp, optional
            The day of the balances; by default that on which the accounts were asked for.

        Returns
        -------
        Report
            One row per account and day, today's the first. Rows sorted by date, account_name,
            account_id; the same columns and dtypes when there are none. The lowest point of an account
            is where ``is_lowest`` is.

            column        dtype           unit      meaning
            ------------  --------------  --------  -------------------------------------------------------
            date          datetime64[us]            day
            account_id    str                       key of the account
            account_name  str                       name of the account
            on_budget     bool                      whether its money is in the budget
            change        float64         currency  what is scheduled on that day
            balance       float64         currency  at the end of the day
            is_lowest     bool                      whether it is the first day of the account's lowest one

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
        Source: ``GET /budgets/{budget_id}/scheduled_transactions`` and that of its ``accounts``.

        Cost: two requests, or none while an export is fresh; none within the time to live, after it two
        deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> coming = bf.reports.forecast(days=30, only=["Checking"])
        >>> coming.loc[coming["is_lowest"], ["balance"]].shape
        (1, 1)
        """
        scheduled_transactions = await self._frames.scheduled_transactions()
        scheduled_subtransactions = await self._frames.scheduled_subtransactions()
        accounts = await self._frames.accounts()
        return reports.forecast(
            scheduled_transactions,
            scheduled_subtransactions,
            accounts,
            days=days,
            until=until,
            only=only,
            today=today,
        )

    def __repr__(self) -> str:
        return methods_as_text(self)

    def _repr_html_(self) -> str:
        return methods_as_html(self)
