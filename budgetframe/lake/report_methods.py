"""The reports of a lake."""

# Generated, do not edit. Command to write it again: python -m tests.docs.generate_facade
# ruff: noqa: E501 - the lines of a table are not wrapped

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

import pandas as pd

from budgetframe._facade.display import methods_as_html, methods_as_text
from budgetframe.frames.dates import Day
from budgetframe.lake.reports import compute_report
from budgetframe.reports._shared.ledger_rows import By, Transfers
from budgetframe.reports._shared.periods import CalendarFreq, Freq, MonthsFreq
from budgetframe.reports._shared.row_filters import Names
from budgetframe.reports.age_of_money import age_of_money
from budgetframe.reports.balances import balances
from budgetframe.reports.budget_vs_actual import budget_vs_actual
from budgetframe.reports.forecast import forecast
from budgetframe.reports.income_expense import income_expense
from budgetframe.reports.income_sankey import income_sankey
from budgetframe.reports.loans import loans
from budgetframe.reports.net_worth import net_worth
from budgetframe.reports.recurring import recurring
from budgetframe.reports.runway import runway
from budgetframe.reports.same_period import same_period
from budgetframe.reports.spending import spending
from budgetframe.reports.suggestions import suggestions

__all__ = ["LakeReports"]

if TYPE_CHECKING:
    from budgetframe.lake.storage import Snapshot


class LakeReports:
    """The reports of every budget of a lake: ``lake.reports.net_worth()``.

    Dask computes the functions of `budgetframe.reports`, on the client that is active or in threads.
    Each method returns one frame with the rows of all budgets. For a report, today is the day in
    ``as_of``: the day of the last sync that found a change of the budget, or of the first sync of the
    month if that was later. The rows are exactly those that ``bf.reports`` returned for each budget
    alone on that day. Amounts are in the currency of the budget: never add up two currencies. A budget
    whose report raises an error, for example because it has no account of a given name, has no rows: a
    warning names the first one, and ``attrs["refused"]`` has all reasons. `money_flow` is missing,
    because the export of a budget has no money movements.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def net_worth(
        self,
        *,
        freq: CalendarFreq = "month",
        debts: Literal["balance", "type"] = "balance",
        interest: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.net_worth``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        return compute_report(self._snapshot, report, ["ledger"])

    def balances(
        self,
        *,
        freq: CalendarFreq = "month",
        interest: bool = True,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.balances``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        return compute_report(self._snapshot, report, ["ledger"])

    def income_expense(
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
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.income_expense``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        return compute_report(self._snapshot, report, ["ledger"])

    def spending(
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
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.spending``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

            column       dtype           unit      meaning
            -----------  --------------  --------  ------------------------------------------------------
            period       datetime64[us]            first day of the period
            spent        float64         currency  outflow net of refunds; negative: more refunds
            share        float64         share     share of the period's spending; missing if it has none
            months       int64           months    number of months that average is the mean of
            average      float64         currency  spending per month
            is_complete  bool                      whether all days of the period count and are over
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
        return compute_report(self._snapshot, report, ["ledger"])

    def budget_vs_actual(
        self,
        *,
        freq: MonthsFreq = "month",
        include_hidden: bool = True,
        include_cards: bool = False,
        categories: Names | None = None,
        exclude_categories: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.budget_vs_actual``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        return compute_report(self._snapshot, report, ["month_categories"])

    def same_period(
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
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.same_period``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

            column  dtype           unit      meaning
            ------  --------------  --------  ------------------------------------------------
            period  datetime64[us]            first day of the period
            date    datetime64[us]            last day that counts
            spent   float64         currency  spending up to that day, net of refunds
            change  float64         currency  since the row before; missing in the first row
            whole   float64         currency  in the whole period; missing if it has not ended
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
        return compute_report(self._snapshot, report, ["ledger"])

    def runway(
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
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.runway``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

            column   dtype           unit      meaning
            -------  --------------  --------  --------------------------------------------------
            date     datetime64[us]            day that the row describes, at its end
            balance  float64         currency  balance of the accounts that count
            spent    float64         currency  spending in the window
            per_day  float64         currency  mean spending per day
            days     float64         days      number of days the balance lasts; missing: unknown
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
        return compute_report(self._snapshot, report, ["ledger"])

    def recurring(
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
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.recurring``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        return compute_report(self._snapshot, report, ["ledger"])

    def suggestions(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        flags: Names | None = None,
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.suggestions``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        """
        report = partial(
            suggestions, accounts=accounts, exclude_accounts=exclude_accounts, flags=flags
        )
        return compute_report(self._snapshot, report, ["ledger"])

    def age_of_money(self, *, since: Day | None = None, until: Day | None = None) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.age_of_money``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

            column        dtype           unit  meaning
            ------------  --------------  ----  --------------------------------------------
            month         datetime64[us]        first day of the month
            age_of_money  Int64           days  days between receiving money and spending it
            change        Int64           days  change since the month before
        """
        report = partial(age_of_money, since=since, until=until)
        return compute_report(self._snapshot, report, ["months"])

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
        flags: Names | None = None,
        since: Day | None = None,
        until: Day | None = None,
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.income_sankey``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

            column               dtype    unit      meaning
            -------------------  -------  --------  --------------------------------------------------------
            level                int64              0: to the income; 1: to the groups; 2: to the categories
            source               str                name of the node that the link starts at
            target               str                name of the node that the link ends at
            category_group_name  str                group of the target; missing: none
            amount               float64  currency  amount of the flow, positive
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
        return compute_report(self._snapshot, report, ["ledger"])

    def loans(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        payment: float | None = None,
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.loans``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        """
        report = partial(
            loans, accounts=accounts, exclude_accounts=exclude_accounts, payment=payment
        )
        return compute_report(self._snapshot, report, ["ledger"])

    def forecast(
        self,
        *,
        typical: int | None = None,
        days: int = 90,
        until: Day | None = None,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        interest: bool = True,
        today: Day | None = None,
    ) -> pd.DataFrame:
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
        DataFrame
            The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.forecast``.
            The first two columns are ``budget_id`` and ``currency`` (ISO code).

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
        return compute_report(
            self._snapshot,
            report,
            [
                "scheduled_transactions",
                "scheduled_subtransactions",
                "accounts",
                "ledger" if typical is not None else None,
            ],
        )

    def __repr__(self) -> str:
        return methods_as_text(self)

    def _repr_html_(self) -> str:
        return methods_as_html(self)
