"""The reports of a budget; a program without reports does not import them."""

# ruff: noqa: E501 - the lines of a table of columns are not wrapped

from __future__ import annotations

from typing import Literal

from budgetframe import reports
from budgetframe._facade.aio.base import naming_its_methods
from budgetframe._facade.display import MethodList
from budgetframe._facade.report_calls import explaining_calls
from budgetframe.frames.dates import Day
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.row_filters import Names

from .balance_reports import BalanceReports
from .payee_reports import PayeeReports
from .spending_reports import SpendingReports


@explaining_calls
@naming_its_methods
class Reports(BalanceReports, SpendingReports, PayeeReports, MethodList):
    """The reports of a budget: ``bf.reports.net_worth()``; ``.plot()`` draws a report.

    The methods read the frames and pass them to the functions of `budgetframe.reports` with the same
    names, whose docstrings have further rules. ``help(budgetframe.reports)`` explains what counts, the
    periods, balances, loans and errors, and `Report.rows` returns the rows of the ledger behind a
    figure. Requests raise the errors of `BudgetFrame`.
    """

    def budget_vs_actual(
        self,
        *,
        freq: Literal["month", "quarter", "year", "all"] = "month",
        include_hidden: bool = True,
        include_cards: bool = False,
        categories: Names | None = None,
        exclude_categories: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Assigned, spent and available amounts by category and period, as the service states them.

        With hidden categories and card payments included, the sum of the assigned amounts is the
        total that the service states for the month. A category without activity has zeros. Two
        categories of the same name in two groups are two rows.

        Parameters
        ----------
        freq : {"month", "quarter", "year", "all"}
            Length of the periods. Assigned and spent are sums over the period; the other amounts
            are those of its last month.
        include_hidden : bool
            Whether to include hidden categories.
        include_cards : bool
            Whether to include the group ``Credit Card Payments``, whose activity is no spending.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups that count, and of those that do not. What
            `include_hidden` or `include_cards` leaves out stays left out.
        since, until : str, date or Timestamp, optional
            First and last month; by default from the first month to the current one. A `since` in
            the future shows future months.

        Returns
        -------
        Report
            Rows sorted by period, category_group_name, category_name, category_id; the same columns
            and dtypes when there are none.

            column               dtype           unit      meaning
            -------------------  --------------  --------  ---------------------------------------------------------
            period               datetime64[us]            first day of the period
            category_group_name  str                       name of the group of the category
            category_name        str                       name of the category
            assigned             float64         currency  assigned in the period
            spent                float64         currency  activity, outflow positive, net of refunds
            difference           float64         currency  assigned minus spent
            available            float64         currency  at the end of the period
            target               float64         currency  amount of the goal; missing: no goal
            under_funded         float64         currency  still missing for the goal, positive
            is_complete          bool                      whether all days of the period count; none is after today
            hidden               bool                      whether the category is hidden
            category_id          str                       key of the category

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> plan = bf.reports.budget_vs_actual(since="2026-05", until="2026-05")
        >>> plan.loc[plan["difference"] < 0, "category_name"].tolist()
        ['Fuel', 'Café & Kuchen', 'Clothing', 'Eating Out', 'Household Goods']
        """
        return self._report(reports.budget_vs_actual, locals())

    def targets(
        self,
        *,
        include_hidden: bool = False,
        categories: Names | None = None,
        exclude_categories: Names = (),
    ) -> Report:
        """Each target with its monthly cost, what it needs this month, and whether it is on track.

        ``attrs["monthly_cost"]`` is the sum of the column ``monthly``, and
        ``attrs["income_share"]`` its share of the mean income of the last twelve complete months.
        The rules in ``attrs["rules"]`` say how a weekly, yearly or dated target becomes a cost of a
        month, and when a balance is reached at the mean growth of the last six complete months.
        `BudgetFrame.categories` explains the types of targets.

        Parameters
        ----------
        include_hidden : bool
            Whether to include hidden categories, which the service does not ask money for.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups that count, and of those that do not.

        Returns
        -------
        Report
            Rows sorted by category_group_name, category_name, category_id; the same columns and
            dtypes when there are none. What the service does not state is missing.

            column               dtype           unit      meaning
            -------------------  --------------  --------  ---------------------------------------------
            category_group_name  str                       name of the group of the category
            category_name        str                       name of the category
            target               float64         currency  amount of the target
            cadence              str                       how often it repeats
            monthly              float64         currency  what it costs this month; missing: not known
            needed               float64         currency  still missing this month, positive
            assigned             float64         currency  assigned this month
            available            float64         currency  available now
            funded               float64         share     funded part of the target
            due                  datetime64[us]            due day; if monthly, in this month
            reached_on           datetime64[us]            month that reaches it; missing: none, unknown
            on_track             boolean                   whether nothing is needed this month
            snoozed              bool                      whether the target is snoozed
            goal_type            category                  kind of goal
            category_id          str                       key of the category

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request; none within the time to live, after it deltas of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> found = bf.reports.targets()
        >>> found.loc[found["cadence"] == "yearly", ["category_name", "monthly"]].values.tolist()
        [['Holiday', 200.0]]
        >>> found.loc[~found["on_track"], "category_name"].tolist()
        ['Groceries']
        """
        return self._report(reports.targets, locals())

    def age_of_money(self, *, since: Day | None = None, until: Day | None = None) -> Report:
        """Number of days between receiving money and spending it, as the service states each month.

        The service states one figure for the whole budget: it cannot be limited to accounts or
        categories.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last month; by default from the first month to the current one.

        Returns
        -------
        Report
            Rows sorted by month; the same columns and dtypes when there are none. A value that the
            service does not state is missing: it is unknown, not zero.

            column        dtype           unit  meaning
            ------------  --------------  ----  --------------------------------------------
            month         datetime64[us]        first day of the month
            age_of_money  Int64           days  days between receiving money and spending it
            change        Int64           days  change since the month before

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/months``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.age_of_money(since="2026-04")["age_of_money"].tolist()
        [251, 284, 341]
        """
        return self._report(reports.age_of_money, locals())

    def money_flow(
        self,
        *,
        month: Day | None = None,
        categories: Names | None = None,
        exclude_categories: Names = (),
    ) -> Report:
        """Amounts moved between categories, and amounts assigned to them.

        The published service sends one record for each move; a service can also send totals by
        category, without a month. Totals only state the assigned amounts: the report shows them as
        moves from ``Ready to Assign``. The name of a category is its key if it is not listed.
        Months before the first record have no rows, because their moves are unknown, not zero.

        Parameters
        ----------
        month : str or date, optional
            Only this month, ``"2026-05"`` or ``"current"``. Totals then have it as their month.
        categories, exclude_categories : str or sequence of str, optional
            Names or keys of the categories or groups whose moves count, and of those whose moves do
            not. A move belongs to the categories on both of its sides.

        Returns
        -------
        Report
            Rows sorted by month, then by amount, the largest first; the same columns and dtypes when
            there are none. ``attrs["known_since"]`` is the first month of the records; totals and
            the records of a single month do not have it.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  -----------------------------------------------------
            month                     datetime64[us]            first day of the month; missing: totals of all months
            from_category_name        str                       name of the source
            to_category_name          str                       name of the target
            amount                    float64         currency  amount that was moved, positive
            moves                     Int64           moves     number of moves; missing: totals do not state it
            to_category_group_name    str                       name of the group of the target
            from_category_group_name  str                       name of the group of the source
            from_category_id          str                       key of the source; missing: Ready to Assign
            to_category_id            str                       key of the target; missing: Ready to Assign

        Notes
        -----
        Source: ``GET /budgets/{budget_id}[/months/{month}]/money_movements`` and
        ``GET /budgets/{budget_id}/categories``.

        Cost: two requests; none within the time to live, after it deltas where the service keeps
        records and no month is given.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> flow = bf.reports.money_flow(month="2026-05")
        >>> flow[["from_category_name", "to_category_name", "amount"]].head(1).values.tolist()
        [['Ready to Assign', 'Rent', 1294.9]]
        """
        return self._report(reports.money_flow, locals())
