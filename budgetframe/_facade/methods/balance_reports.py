"""Reports on balances, debts and what is left."""

# ruff: noqa: E501 - the lines of a table of columns are not wrapped

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pandas as pd

from budgetframe import reports
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.reports._shared.periods import WeekDay
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.row_filters import Names
from budgetframe.reports._shared.what_if import Ends, Events

from .base import ReportMethods


class BalanceReports(ReportMethods):
    """The reports on balances, debts and what is left."""

    def net_worth(
        self,
        *,
        freq: Literal["day", "week", "month", "quarter", "year"] = "month",
        week_starts: WeekDay = "monday",
        debts: Literal["balance", "type"] = "balance",
        interest: bool = True,
        currencies: Mapping[str, str] | None = None,
        rates: pd.DataFrame | ArrowTable | None = None,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Assets, debts and net worth at the end of each period, by default of each month.

        Every account counts, including tracking accounts and closed accounts. The last row is the
        sum of the balances that the service states; where the calculated balance of an account
        differs, it has the difference in ``unexplained``, and the rules name the account.

        Parameters
        ----------
        freq, week_starts : {"day", "week", "month", "quarter", "year"}, {"monday", ...}
            Length of the periods, and the first day of a week. The last row has the last day.
        debts : {"balance", "type"}
            What counts as a debt: each balance below zero on that day, also of a checking account;
            or the accounts whose type is a card, a loan, a mortgage or another liability.
        interest : bool
            Whether the balance of a loan contains the interest and escrow that no row records.
        currencies, rates : mapping of str to str, and DataFrame or ArrowTable, optional
            Currencies of accounts whose rows are not in that of the budget, ``{"Depot": "USD"}``,
            and rates as in `side_by_side`. The sums at the ends of periods and before `since` are
            converted with the last rate on or before that day, `Report.rows` are not converted.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            Rows sorted by date; the same columns and dtypes when there are none.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.net_worth(freq="year")["net"].tolist()
        [14722.1, 25139.89, 34876.14, 40678.18]
        """
        return self._report(reports.net_worth, locals())

    def balances(
        self,
        *,
        freq: Literal["day", "week", "month", "quarter", "year"] = "month",
        week_starts: WeekDay = "monday",
        interest: bool = True,
        currencies: Mapping[str, str] | None = None,
        rates: pd.DataFrame | ArrowTable | None = None,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Balance of each account at the end of each period, by default of each month.

        The last row of an account is the balance that the service states for it; where the
        calculated balance differs, it has the difference in ``unexplained``. An account has the
        balance zero before its first transaction, and its last balance after it was closed. An
        account without a balance and without any transaction has no rows.

        Parameters
        ----------
        freq, week_starts : {"day", "week", "month", "quarter", "year"}, {"monday", ...}
            Length of the periods, and the first day of a week. The last row has the last day.
        interest : bool
            Whether the balance of a loan contains the interest and escrow that no row records.
        currencies, rates : mapping of str to str, and DataFrame or ArrowTable, optional
            Currencies of accounts, and exchange rates to that of the budget, as in `net_worth`.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts whose rows count, and of those whose rows do not.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            Rows sorted by date, account_name, account_id; the same columns and dtypes when there
            are none.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> checking = bf.reports.balances(accounts="Checking", since="2026-04")
        >>> checking["balance"].tolist()
        [6809.1, 6898.58, 8062.99]
        """
        return self._report(reports.balances, locals())

    def runway(
        self,
        *,
        window: int = 90,
        freq: Literal["day", "week", "month", "quarter", "year"] = "month",
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
        transfers: Literal["to_tracking", "none", "all"] = "to_tracking",
        uncategorized: bool = True,
        interest: bool = True,
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Number of days that the money of the budget accounts lasts, at the recent rate of spending.

        The value is the balance of the budget accounts, less the debts on cards, divided by the mean
        daily spending of the last `window` days, net of refunds. The last row has the next payday.

        Parameters
        ----------
        window : int
            Number of days of the mean, including the day of the row: from 1 to 36,525.
        freq, week_starts : {"day", "week", "month", "quarter", "year"}, {"monday", ...}
            Length of the periods, and the first day of a week. The last row has the last day.
        accounts, categories, payees, flags, hashtags, memo : str or sequence of str, optional
            Names or keys of accounts, and of the spending that counts.
        exclude_accounts, exclude_categories, exclude_payees : str or sequence of str, optional
            Names or keys of accounts and of spending that do not count.
        transfers : {"to_tracking", "none", "all"}
            Which transfers count: those to tracking accounts, by their category; none; or all.
        uncategorized : bool
            Whether transactions without a category count.
        interest : bool
            Whether the balance of a loan contains the interest and escrow that no row records.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.

        Returns
        -------
        Report
            Rows sorted by date; the same columns and dtypes when there are none.

            column        dtype           unit      meaning
            ------------  --------------  --------  ---------------------------------------------------
            date          datetime64[us]            day that the row describes, at its end
            balance       float64         currency  balance of the accounts that count
            spent         float64         currency  spending in the window
            per_day       float64         currency  mean spending per day
            days          float64         days      number of days the balance lasts; missing: unknown
            payday        datetime64[us]            next expected income, in the last row; else missing
            until_payday  float64         currency  spending expected until then; else missing

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.runway(exclude_categories=["Savings"])["days"].tail(1).round(1).tolist()
        [280.6]
        """
        return self._report(reports.runway, locals())

    def cards(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Each credit card and month: what was spent and paid, what is owed, and what covers it.

        A card is covered if its category of payments has what is owed: ``unfunded`` is 0. Money
        that was spent on the card without a plan is ``overspent`` in its month. The category of
        payments is the one with the name of the account; without it, ``available`` is missing,
        and a `RuntimeWarning` names the card.

        Parameters
        ----------
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the cards that count, and of those that do not.
        since, until : str, date or Timestamp, optional
            First and last month, also of a day in it; by default from the first transaction to
            today. A balance contains all earlier rows.

        Returns
        -------
        Report
            Rows sorted by period, account_name, account_id; the same columns and dtypes when there
            are none. A card has rows from the month of its first transaction on.

            column        dtype           unit      meaning
            ------------  --------------  --------  ---------------------------------------------------------
            period        datetime64[us]            first day of the period
            account_name  str                       name of the account
            spent         float64         currency  spent on the card in the month, without refunds
            refunded      float64         currency  refunds in the month
            paid          float64         currency  paid to the card in the month
            other         float64         currency  starting balance and income
            balance       float64         currency  at the end of the month; negative: owed
            available     float64         currency  in the category of its payments
            unfunded      float64         currency  owed and not available
            overspent     float64         currency  overspent on the card in the month
            is_complete   bool                      whether all days of the period count; none is after today
            account_id    str                       key of the account

        Notes
        -----
        Source: ``GET /budgets/{budget_id}[/{transactions, accounts, categories, payees}]``.

        Cost: five requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> found = bf.reports.cards(since="2026-06")
        >>> found[["account_name", "balance", "available", "unfunded"]].values.tolist()
        [['Credit Card', -1577.49, 1119.03, 458.46]]
        """
        return self._report(reports.cards, locals())

    def loans(
        self,
        *,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        payment: float | Mapping[str, float] | None = None,
        extra: float = 0,
        order: Literal["avalanche", "snowball"] | None = None,
    ) -> Report:
        """Amount owed, payments, interest and escrow of each loan, by month, until it is paid off.

        The history ends with the balance that the service states. The months after it, from the
        current one if nothing happened in it yet, are projected with the service's rates and escrow
        amounts. ``attrs["order"]`` names the loans in order, and the rules say what is saved.

        Parameters
        ----------
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the loans to show, and of those not to show.
        payment : float or mapping of str to float, optional
            The monthly payment in the projection, in currency units: one for each loan, or those of
            some by name or key; by default the median of the last six months with payments, the
            larger of two middle sums, or the minimum payment of a loan without payments.
        extra : float
            Currency units a month in addition to all payments, for the first loan in `order`.
        order : {"avalanche", "snowball"}, optional
            The loan to pay off first: of the highest rate (by default with `extra`), or the
            smallest debt. The payment of a loan that is paid off goes on to the next one. Without
            `extra` and `order`, each loan only has its own payment.

        Returns
        -------
        Report
            One row per loan and month, sorted by account_name, account_id and month; the same
            columns and dtypes when there are none. A loan that is never paid off has no projected
            months. With `extra` or `order`, months go on until its own payment alone paid it off.

            column          dtype           unit      meaning
            --------------  --------------  --------  ------------------------------------------------
            account_name    str                       name of the account
            month           datetime64[us]            first day of the month
            payment         float64         currency  sum of the payments
            interest        float64         currency  part of the payment: interest
            escrow          float64         currency  part of the payment: escrow
            principal       float64         currency  the rest of the payment, which reduces the debt
            other           float64         currency  other rows: opening debt, fees, corrections
            unexplained     float64         currency  what the service's balance owes beyond these
            owed            float64         currency  at the end of the month; negative: a credit
            owed_without    float64         currency  owed with its own payment only; missing: unknown
            interest_saved  float64         currency  interest with its own payment only - interest
            is_projected    bool                      whether the month is projected
            account_id      str                       key of the account

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> coming = bf.reports.loans(extra=200).query("is_projected")
        >>> coming[["payment", "interest", "owed", "owed_without"]].iloc[2].tolist()
        [480.0, 1.94, 39.18, 641.43]
        """
        return self._report(reports.loans, locals())

    def investments(
        self,
        *,
        freq: Literal["month", "quarter", "year"] = "month",
        contributions: Names = (),
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        since: Day | None = None,
        until: Day | None = None,
    ) -> Report:
        """Contributions, value, gain and yearly return of each tracking account, by default by month.

        Starting balances and transfers are contributions; every other row is a gain or a loss, such
        as the difference that `bf.set_balance` enters. Loans are in ``reports.loans``.

        Parameters
        ----------
        freq : {"month", "quarter", "year"}
            Length of the periods. The last row has the last day.
        contributions : str or sequence of str
            Names or keys of payees whose rows are contributions too, for example of an employer.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the tracking accounts to show, and of those not to show.
        since, until : str, date or Timestamp, optional
            First and last day; by default from the first transaction to the day of the ledger.
            Earlier rows count in ``contributed``, ``value``, ``gain`` and ``yearly_return``.

        Returns
        -------
        Report
            Rows sorted by account_name, account_id, date; the same columns and dtypes when there
            are none. An account has rows from its first transaction on, and until its last one if
            its balance is zero then. ``contributed`` and ``gain`` are sums from the first
            transaction on; those of the period alone have ``period_`` in their names.
            ``yearly_return`` is money-weighted (XIRR, 365 days a year), and missing until an
            account is 90 days old.

            column              dtype           unit      meaning
            ------------------  --------------  --------  ---------------------------------------------------------
            date                datetime64[us]            day that the row describes, at its end
            account_name        str                       name of the account
            contributed         float64         currency  paid in minus taken out, up to the day
            value               float64         currency  balance at the end of the day
            gain                float64         currency  value minus contributed
            yearly_return       float64         share     money-weighted, up to the day; missing: none
            period_contributed  float64         currency  paid in minus taken out in the period
            period_gain         float64         currency  gain of the period
            unexplained         float64         currency  service's balances minus calculated ones, on the last day
            account_id          str                       key of the account

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> fund = bf.reports.investments(accounts="Index Fund")
        >>> fund[["contributed", "value", "gain", "yearly_return"]].iloc[-1].round(3).tolist()
        [14550.0, 16516.43, 1966.43, 0.048]
        """
        return self._report(reports.investments, locals())

    def independence(
        self,
        spending: float | None = None,
        *,
        withdrawal: float = 0.04,
        return_: float = 0.05,
        contribution: float | None = None,
        inflation: float = 0,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
    ) -> Report:
        """When the invested money pays for the spending: its value and what is needed, by year.

        Parameters
        ----------
        spending, contribution : float, optional
            Spending of a year, above 0, and what is paid in at the end of each (negative: taken
            out), to the thousandth. By default those of the last twelve complete months (fewer are
            scaled): `spending` without transfers to the accounts that count, and these transfers.
        withdrawal : float
            The share of the value that is taken out for the spending of a year, 0.001 to 1.
        return_, inflation : float
            Return of the value and rise of the spending in a year: from -0.99 to 1; 0.05 is 5 %.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys; by default all tracking accounts without loans count.

        Returns
        -------
        Report
            Rows sorted by date (after 29 February comes 28 February), until ten years after it is
            reached, at most for 60 years; the same columns and dtypes when there are none. Amounts
            that are too large to be exact are missing. Your returns are money-weighted.

            column       dtype           unit      meaning
            -----------  --------------  --------  ------------------------------------------------
            date         datetime64[us]            today, and the same day of each later year
            value        float64         currency  of all accounts that count
            contributed  float64         currency  paid in at the end of the year
            gain         float64         currency  return of the year
            spending     float64         currency  of a year, at the prices of the day
            needed       float64         currency  spending divided by the withdrawal
            low          float64         currency  value with your lowest return; missing: unknown
            high         float64         currency  value with your highest return; missing: unknown
            is_reached   bool                      whether the value is at least what is needed

        Raises
        ------
        ToolError
            When an amount is neither given nor in a complete month, or an argument is invalid.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> years = bf.reports.independence(12_000, contribution=6_000)
        >>> years.query("is_reached")[["value", "needed"]].iloc[0].tolist()
        [320279.131, 300000.0]
        """
        return self._report(reports.independence, locals())

    def forecast(
        self,
        *,
        typical: int | None = None,
        events: Events = (),
        without: Ends = (),
        days: int = 90,
        until: Day | None = None,
        accounts: Names | None = None,
        exclude_accounts: Names = (),
        income: bool = True,
        interest: bool = True,
        today: Day | None = None,
    ) -> Report:
        """Balance of each account on each future day, from scheduled transactions.

        Parameters
        ----------
        typical : int, optional
            Complete months, 1 to 60, whose median by category adds groceries; its errors are a band.
        events : sequence of mapping, or DataFrame
            What if: rows with ``date``, ``account_name``, ``amount``; and, if needed, ``frequency``
            (default ``never``: once), ``until``, ``transfer_account_name`` and ``note``.
        without : str, sequence of str, or mapping to days
            Payees, categories, groups or accounts of transfers that end now, or on a day. Typical
            amounts have no payee: with `typical`, name the category. See `compare`.
        days, until : int; str, date or Timestamp
            The number of days after today, from 0 to 36,525, or the last day instead.
        accounts, exclude_accounts : str or sequence of str, optional
            Names or keys of the accounts to show, and of those not to show; by default open ones.
        income, interest : bool
            Whether recurring income counts (without `typical`), and interest that no row records.
        today : str, date or Timestamp, optional
            The day of the balances; by default the day on which the accounts were read.

        Returns
        -------
        Report
            Rows sorted by date, account_name, account_id; the same columns and dtypes when there
            are none.

            column        dtype           unit      meaning
            ------------  --------------  --------  ----------------------------------------------
            date          datetime64[us]            day
            account_name  str                       name of the account
            change        float64         currency  scheduled transactions and recurring income
            typical       float64         currency  typical amounts
            interest      float64         currency  interest of loans that no row records
            escrow        float64         currency  escrow of loans that no row records
            balance       float64         currency  at the end of the day
            baseline      float64         currency  balance without events and ends; missing: none
            low           float64         currency  lower end of the band; missing: no band
            high          float64         currency  upper end of the band; missing: no band
            is_lowest     bool                      first day of the lowest balance of the account
            on_budget     bool                      whether its money is in the budget
            account_id    str                       key of the account

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{scheduled_transactions, transactions, accounts}``,
        ``GET /budgets/{budget_id}/{categories, payees}``.

        Cost: five requests (two with only schedules), none within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> coming = bf.reports.forecast(typical=6, days=30, accounts="Checking")
        >>> coming[["balance", "low", "high"]].iloc[-1].tolist()
        [7867.83, 7143.79, 9452.73]
        """
        return self._report(reports.forecast, locals())
