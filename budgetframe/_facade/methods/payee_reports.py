"""Reports on payees: what recurs, and what to tidy up."""

# ruff: noqa: E501 - the lines of a table of columns are not wrapped

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from budgetframe import reports
from budgetframe.frames.dates import Day
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.row_filters import Names

from .base import ReportMethods


class PayeeReports(ReportMethods):
    """The reports on payees: what recurs, categories to suggest, names and payments twice."""

    def recurring(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        include_ended: bool = False,
        income: bool = False,
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
        """Payees that recur, with the day of the next payment and the cost of a year.

        A series is the payments to one payee in one category at regular intervals; very different
        amounts are separate series. A transfer to a tracking account is a payment to it. Refunds and
        transfers between budget accounts do not count.

        Parameters
        ----------
        kinds : mapping of str to str, optional
            Your own kinds for payees, categories or groups: ``{"Linden Housing": "rent"}``.
        include_ended : bool
            Whether to include series that have ended; ``saved`` has what they cost a year.
        income : bool
            Whether to show income that recurs, such as a salary, instead of payments.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of what counts, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.
        uncategorized : bool
            Whether transactions without a category count.
        today : str, date or Timestamp, optional
            The day of the report; by default the day (UTC) on which the ledger was read.

        Returns
        -------
        Report
            One row per series, sorted by yearly_cost and saved, the highest first, then payee_name,
            category_name; the same columns and dtypes when there are none. Amounts are positive.

            column               dtype           unit      meaning
            -------------------  --------------  --------  --------------------------------------------------
            payee_name           str                       name of the payee, or of the account of a transfer
            category_name        str                       name of the category
            frequency            category                  interval in the service's words
            last_amount          float64         currency  last cost or income
            yearly_cost          float64         currency  cost or income of a year; zero: ended
            next_date            datetime64[us]            expected day; missing: it has ended
            ended_on             datetime64[us]            first day without a payment; missing: it goes on
            saved                float64         currency  yearly cost that ended
            kind                 category                  subscription, bill, rent, loan, transfer, income
            change_rate          float64         share     last amount against that before; missing: none
            changed_on           datetime64[us]            day of the first payment with the last amount
            last_date            datetime64[us]            day of the last payment
            year_change          float64         currency  last_amount minus the amount a year before
            payments             Int64           payments  number of payments in the series
            category_group_name  str                       name of the group of the category
            payee_id             str                       key of the payee
            category_id          str                       key of the category; missing: no category

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.recurring().query("kind == 'subscription'")["payee_name"].tolist()
        ['Anchor Mutual', 'Fernline', 'Climbing Hall', 'Anchor Mutual', 'Rail Desk', 'Tonspur']
        """
        return self._report(reports.recurring, locals())

    def suggestions(
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
        """The category that the payee usually has, for each transaction without a category.

        The report has the rows that `spending` shows as ``Uncategorized``. All rows of the payee that
        have a category count, in every account. A selection of the report can be passed to
        `BudgetFrame.changes`, which writes the suggested categories.

        Parameters
        ----------
        accounts, payees, flags, hashtags : str or sequence of str, optional
            Names or keys of the rows that get a suggestion; flags also by their colours.
        exclude_accounts, exclude_payees : str or sequence of str, optional
            Names or keys of the rows that get none.
        memo : str, optional
            A part of the memo of the rows that get a suggestion, in capitals or not.

        Returns
        -------
        Report
            One row per transaction, or part of a split, without a category. Rows sorted by date; the
            same columns and dtypes when there are none. Without a payee, or if no row of the payee
            has a category, the suggested one is missing and its count is zero.

            column               dtype           unit      meaning
            -------------------  --------------  --------  ---------------------------------------------
            date                 datetime64[us]            day of the transaction
            account_name         str                       name of the account
            payee_name           str                       name of the payee
            memo                 str                       note of the user
            amount               float64         currency  negative: outflow
            category_name        str                       suggested category; missing: none
            row_count            int64           rows      rows of the payee with that category
            share                float64         share     these among all rows of the payee that count
            category_group_name  str                       name of the group of that category
            transaction_id       str                       key of the transaction
            subtransaction_id    str                       key of the split part; missing for other rows
            category_id          str                       key of the suggested category; missing: none

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> account_id = bf.accounts().set_index("account_name")["account_id"]["Checking"]
        >>> bought = {"account_id": account_id, "date": "2026-06-16", "amount": -18.4}
        >>> row = bf.create_transactions([bought | {"payee_name": "Haus & Hof"}])
        >>> todo = bf.reports.suggestions()
        >>> sure = todo[(todo["row_count"] >= 3) & (todo["share"] >= 0.8)]
        >>> bf.changes(sure).frame["after"].tolist()
        ['Household Goods']
        """
        return self._report(reports.suggestions, locals())

    def payees(
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
        """Each payee with its rows, its usual category, and the name of probably the same merchant.

        ``looks_like`` is the most frequent name that is alike: ``Amazon Marketplace`` of
        ``AMZN MKTP DE*2K4``. ``.changes()`` gives all such rows this payee, and
        ``.changes({"AMZN MKTP DE*2K4": "Amazon Marketplace"})`` those of the named payees.

        Parameters
        ----------
        transfers : {"none", "all"}
            Whether transfers count, which have the other account as their payee.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of what counts, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.
        since, until : str, date or Timestamp, optional
            First and last day; by default all rows count, also those after today.

        Returns
        -------
        Report
            One row per payee, sorted by rows, the most first, then by payee_name; the same columns
            and dtypes when there are none.

            column               dtype           unit      meaning
            -------------------  --------------  --------  -----------------------------------------
            payee_name           str                       name of the payee
            row_count            int64           rows      number of rows of the ledger
            first_date           datetime64[us]            day of the first row
            last_date            datetime64[us]            day of the last row
            total                float64         currency  sum of the rows; outflow negative
            category_name        str                       name of the usual category; missing: none
            looks_like           str                       name of probably the same merchant
            category_group_name  str                       name of the group of that category
            payee_id             str                       key of the payee
            category_id          str                       key of the usual category; missing: none

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bought = {"account_name": "Checking", "date": "2026-06-11", "amount": -12.5}
        >>> row = bf.create_transactions([bought | {"payee_name": "CORNER MARKET 0042 DE"}])
        >>> found = bf.reports.payees()
        >>> found.changes().frame[["before", "after"]].values.tolist()
        [['CORNER MARKET 0042 DE', 'Corner Market']]
        """
        return self._report(reports.payees, locals())

    def unusual(
        self,
        *,
        least: int = 8,
        factor: int = 8,
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
        """Rows whose amount is far from the usual amounts of their payee and category.

        The usual amount is the median of the rows of the payee and category with the same sign.
        ``.rows(0, column="usual")`` returns these rows.

        Parameters
        ----------
        least : int
            How many rows are enough, from 3 to 10,000: if the payee and category have fewer, the rows
            of the payee count, or else those of the category.
        factor : int
            More than so many deviations are unusual, from 1 to 10,000. A deviation is the median
            distance of these rows from the usual amount, at least 5 % of it.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of the rows that are judged, colours of flags, and one part of the memo.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of rows that are not judged.
        since, until : str, date or Timestamp, optional
            First and last day of these; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            One row per transaction, or part of a split, sorted by the distance in deviations, the
            largest first; the same columns and dtypes when there are none.

            column               dtype           unit        meaning
            -------------------  --------------  ----------  ---------------------------------------------
            date                 datetime64[us]              day of the transaction
            account_name         str                         name of the account
            payee_name           str                         name of the payee
            category_name        str                         name of the category
            amount               float64         currency    inflow positive, outflow negative
            usual                float64         currency    median of the rows that are compared
            times                float64         deviations  distance from the usual amount
            reason               str                         which rows the usual amount is that of
            deviation            float64         currency    median distance of these rows, at least 5 %
            row_count            int64           rows        number of these rows
            category_group_name  str                         name of the group of the category
            transaction_id       str                         key of the transaction
            subtransaction_id    str                         key of the split part; missing for other rows

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.unusual(since="2026")["reason"].tolist()
        ['usual is -29,00 € in 43 rows']
        """
        return self._report(reports.unusual, locals())

    def duplicates(
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
        """Pairs of transactions of one account and amount that are probably one payment.

        One row was imported and the other one entered, both were imported from two sources, a
        transfer was recorded twice, or a payment was entered twice. ``attrs["rules"]`` also says what
        is no pair. ``.changes([0, 2])`` deletes the rows to delete of two pairs, if the other rows
        are as they were; with a side of a transfer, the other side is deleted too.

        Parameters
        ----------
        days : int
            The largest number of days between the two rows, from 0 to 36,525.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys, colours of flags, or a part of the memo, of at least one of the two rows.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of what does not count.

        Returns
        -------
        Report
            One row per pair, sorted by date, that of the row to delete; the same columns and dtypes
            when there are none. The row to delete is never a reconciled one; of two others it is
            the entered one beside an imported one, otherwise the later one.

            column               dtype           unit      meaning
            -------------------  --------------  --------  -----------------------------------------
            date                 datetime64[us]            day of the row to delete
            account_name         str                       name of the account
            payee_name           str                       name of the payee of the row to delete
            memo                 str                       note on the row to delete
            amount               float64         currency  of each of the two rows; outflow negative
            reason               category                  why it is probably one payment
            kept_date            datetime64[us]            day of the other row
            kept_payee_name      str                       name of the payee of the other row
            days                 int64           days      number of days between the two rows
            transaction_id       str                       key of the row to delete
            kept_transaction_id  str                       key of the other row
            account_id           str                       key of the account

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request, none while an export is fresh or within the time to live; then a delta.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bought = {"account_name": "Checking", "date": "2026-06-11", "amount": -12.34}
        >>> row = bf.create_transactions([bought | {"payee_name": "Corner Market"}])
        >>> found = bf.reports.duplicates()
        >>> found[["amount", "reason"]].values.tolist()
        [[-12.34, 'imported and entered']]
        >>> found.changes(0).frame[["action", "date"]].values.tolist()
        [['delete', Timestamp('2026-06-11 00:00:00')]]
        """
        return self._report(reports.duplicates, locals())
