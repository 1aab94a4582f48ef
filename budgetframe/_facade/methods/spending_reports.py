"""Reports on income and spending."""

# ruff: noqa: E501 - the lines of a table of columns are not wrapped

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from budgetframe import reports
from budgetframe.frames.dates import Day
from budgetframe.reports._shared.grouping import Key
from budgetframe.reports._shared.periods import WeekDay
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.row_filters import Names

from .base import ReportMethods


class SpendingReports(ReportMethods):
    """The reports on income and spending."""

    def income_expense(
        self,
        *,
        freq: Literal["day", "week", "month", "quarter", "year", "all"] = "month",
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
        """Income, spending and the difference, by period.

        Income is the inflow of budget accounts in ``Inflow: Ready to Assign``. Spending is
        everything in another category, net of refunds. Rows without a category and starting
        balances have columns of their own. Transfers between budget accounts never count. By
        default, ``net`` plus ``starting_balances`` is the change of the budget accounts' balance.

        Parameters
        ----------
        freq, week_starts : {"day", "week", "month", "quarter", "year", "all"}, {"monday", ...}
            Length of the periods, which have zeros if they are empty, and the first day of a week.
        transfers : {"to_tracking", "none"}
            Which transfers count: those to tracking accounts, by their category; or none.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of what counts, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            Rows sorted by period; the same columns and dtypes when there are none.

            column             dtype           unit      meaning
            -----------------  --------------  --------  ---------------------------------------------------------
            period             datetime64[us]            first day of the period
            income             float64         currency  income, before it is assigned
            spent              float64         currency  outflow net of refunds; negative: more refunds
            uncategorized      float64         currency  outflow without a category, net
            net                float64         currency  income minus spent minus uncategorized
            savings_rate       float64         share     net / income; missing without income
            starting_balances  float64         currency  starting balances of budget accounts
            is_complete        bool                      whether all days of the period count; none is after today

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> yearly = bf.reports.income_expense(freq="year", until="2025-12-31")
        >>> yearly["savings_rate"].round(2).tolist()
        [0.12, 0.13, 0.11]
        """
        return self._report(reports.income_expense, locals())

    def income_statement(
        self,
        *,
        freq: Literal["day", "week", "month", "quarter", "year", "all"] = "month",
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
        """Income by payee, spending by group and category, and net, with the periods as columns.

        It is the app's "Income v. Expense", with the sums of `income_expense` and `spending`.
        ``query("level == 0")`` has income, spending and net; level 1 has the groups.

        Parameters
        ----------
        freq, week_starts : {"day", "week", "month", "quarter", "year", "all"}, {"monday", ...}
            Length of the periods, and the first day of a week. With ``"all"`` no period has a
            column, and ``average`` is that of the months.
        transfers : {"to_tracking", "none"}
            Which transfers count: those to tracking accounts, by their category; or none.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of what counts, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            Rows sorted by section, group and line, the largest first; the same columns and dtypes
            when there are none. After ``line`` comes a float64 column in currency units for each
            period: ``2026-05-17``, ``2026-05``, ``2026-Q2`` or ``2026``.

            column               dtype    unit      meaning
            -------------------  -------  --------  ----------------------------------------
            line                 str                text of the line
            average              float64  currency  mean of complete periods
            total                float64  currency  sum of all periods
            level                int64              0 total, 1 subtotal, 2 payee or category
            section              str                income, spending or net
            payee_name           str                name of the payee
            category_name        str                name of the category
            category_group_name  str                name of the group of the category
            payee_id             str                key of the payee
            category_id          str                key of the category
            category_group_id    str                key of the group of the category

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> statement = bf.reports.income_statement(since="2026-04")
        >>> statement.query("level == 0")["2026-05"].tolist()
        [3231.62, 2836.27, 395.35]
        >>> len(statement.rows(period="2026-05", category_name="Groceries"))
        10
        """
        return self._report(reports.income_statement, locals())

    def spending(
        self,
        by: Literal["category", "group", "payee", "account", "flag", "hashtag"]
        | tuple[Key, Key]
        | list[Key]
        | Mapping[str, str] = "category",
        *,
        freq: Literal["day", "week", "month", "quarter", "year", "all"] = "all",
        week_starts: WeekDay = "monday",
        transfers: Literal["to_tracking", "none", "all"] = "to_tracking",
        uncategorized: bool = True,
        average: Literal["all", "active", "median", "trimmed"] = "all",
        window: int | tuple[int, ...] | list[int] | None = None,
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
        """Spending by category, group, payee, account, flag, hashtag, or labels of your own.

        Parameters
        ----------
        by : {"category", "group", "payee", "account", "flag", "hashtag"}, two of them, or mapping
            One property, or two of them; or your own labels, ``{"Home": "fixed", "#holiday": "fun"}``.
        freq, week_starts : {"day", "week", "month", "quarter", "year", "all"}, {"monday", ...}
            One row for each period, or one for the whole time; and the first day of a week.
        transfers, uncategorized : {"to_tracking", "none", "all"}, bool
            Which transfers count (to tracking accounts, none, or all); whether uncategorized rows do.
        average, window : {"all", "active", "median", "trimmed"}, int or tuple of int, optional
            The mean of all complete months (days, weeks), of those with a transaction, or of all
            without their smallest and largest tenth; or the median. ``window=3`` adds ``mean_3``,
            ``median_3``, ``low_3`` and ``high_3``, of the last three complete periods up to each row.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of what counts, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            The first columns name the group (``category_group_name``, ``category_name``), the last
            one is its key (``category_id``). Rows sorted by period, then by the spending of the whole
            time, the largest first; the same columns and dtypes when there are none.

            column       dtype           unit      meaning
            -----------  --------------  --------  ---------------------------------------------------------
            period       datetime64[us]            first day of the period
            spent        float64         currency  outflow net of refunds; negative: more refunds
            share        float64         share     share of the period's spending; missing if it has none
            months       int64           months    number of months (days, weeks) in the average
            average      float64         currency  spending per month; per day or week if by these
            is_complete  bool                      whether all days of the period count; none is after today

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.spending("group", since="2026-05", until="2026-05")["spent"].head(2).tolist()
        [1414.61, 816.9]
        """
        return self._report(reports.spending, locals())

    def same_period(
        self,
        by: Literal["category", "group", "payee", "account", "flag", "hashtag"]
        | tuple[Key, Key]
        | list[Key]
        | Mapping[str, str]
        | None = None,
        *,
        freq: Literal["week", "month", "quarter", "year"] = "month",
        week_starts: WeekDay = "monday",
        every: Literal["period", "year"] = "period",
        count: int = 12,
        transfers: Literal["to_tracking", "none", "all"] = "to_tracking",
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
        """Spending so far this week, month, quarter or year, against the same days of earlier ones.

        On 17 June the first 17 days of each month are compared; a shorter month counts in full.

        Parameters
        ----------
        by : {"category", "group", "payee", "account", "flag", "hashtag"}, two, or mapping, optional
            How to group the rows, as for `spending`; by default there are no groups.
        freq, week_starts : {"week", "month", "quarter", "year"}, {"monday", ...}
            Length of the periods, and the first day of a week.
        every, count : {"period", "year"}, int
            Whether every earlier period counts, or, except for weeks, the same one of earlier years;
            and the maximum number of earlier periods, from 1 to 10,000.
        transfers, uncategorized : {"to_tracking", "none", "all"}, bool
            Which transfers count (to tracking accounts, none, or all); whether uncategorized rows do.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of what counts, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.
        today : str, date or Timestamp, optional
            The last day that counts; by default the day (UTC) on which the ledger was read.

        Returns
        -------
        Report
            With `by`, groups as in `spending`. Rows sorted by period, then by the sum of ``spent``,
            the largest first; with two properties, by that of the first one, then of both; the same
            columns and dtypes when there are none.

            column       dtype           unit      meaning
            -----------  --------------  --------  ------------------------------------------------
            period       datetime64[us]            first day of the period
            date         datetime64[us]            last day that counts
            spent        float64         currency  spending up to that day, net of refunds
            change       float64         currency  since the row before; missing in the first row
            change_rate  float64         share     change / spent before; missing: no spending
            whole        float64         currency  in the whole period; missing if it has not ended

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.same_period(count=2, today="2026-05-31")["spent"].tolist()
        [2599.03, 3045.2, 2836.27]
        """
        return self._report(reports.same_period, locals())

    def income_sankey(
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
        """Flows from payers to income, to groups, to categories: the links of a Sankey diagram.

        Inflow and outflow of each node are equal: income that is not spent flows to ``Left over``,
        and spending beyond the income flows in from ``From before``. A category whose refunds exceed
        its spending flows into the income. ``.plot()`` draws the diagram with plotly, which needs
        ``budgetframe[sankey]``.

        Parameters
        ----------
        most : int
            Number of payers to show by name, from 1 to 10,000; all others are ``Others``.
        transfers : {"to_tracking", "none"}
            Which transfers count: those to tracking accounts, by their category; or none.
        uncategorized : bool
            Whether transactions without a category count.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of what counts, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            One row per link, sorted by level, then by amount, the largest first; the same columns
            and dtypes when there are none.

            column               dtype    unit      meaning
            -------------------  -------  --------  --------------------------------------------------------
            level                int64              0: to the income; 1: to the groups; 2: to the categories
            source               str                name of the node that the link starts at
            target               str                name of the node that the link ends at
            category_group_name  str                group of the target; missing: none
            amount               float64  currency  amount of the flow, positive

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> links = bf.reports.income_sankey(since="2026-05-01", until="2026-05-31")
        >>> links.loc[links["level"] == 1, ["target", "amount"]].head(2).values.tolist()
        [['Home', 1414.61], ['Everyday', 816.9]]
        """
        return self._report(reports.income_sankey, locals())
