"""The synchronous methods of the facade."""

# Generated, do not edit. Command to write it again: python -m tests.docs.generate_facade
# ruff: noqa: E501 - the lines of a table are not wrapped

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from budgetframe import models
from budgetframe._facade.aio.writes import AccountType, GoalFrequency
from budgetframe._facade.changes import Changes, Journal
from budgetframe._facade.display import methods_as_html, methods_as_text
from budgetframe._facade.wait_for import WaitFor
from budgetframe.frames.dates import Day
from budgetframe.frames.money import Money
from budgetframe.frames.reconciliation import Reconciliation
from budgetframe.frames.request_bodies import Keys, Rows

__all__ = ["FrameMethods", "Models"]

if TYPE_CHECKING:
    from budgetframe._facade.aio import AsyncBudgetFrame, AsyncModels


class FrameMethods:
    """The methods of `BudgetFrame` that read or change a budget.

    They are the methods of ``bf.aio``, without ``await``.
    """

    def __init__(self, aio: AsyncBudgetFrame, wait_for: WaitFor) -> None:
        self._aio = aio
        self._wait_for = wait_for

    def budgets(self, *, extra: bool = False) -> pd.DataFrame:
        """The budgets of the user, one row per budget.

        Parameters
        ----------
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by budget_name, budget_id and numbered from 0; the same columns and dtypes when
            there are none.

            column            dtype                unit  meaning
            ----------------  -------------------  ----  -------------------------
            budget_name       str                        name of the budget
            first_month       datetime64[us]             first month of the budget
            last_month        datetime64[us]             last month of the budget
            last_modified_on  datetime64[us, UTC]        time of the last change
            budget_id         str                        key of the budget

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
        Source: ``GET /budgets``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.budgets()["budget_name"].tolist()[0]
        'Household'
        """
        return self._wait_for(self._aio.budgets(extra=extra))

    def accounts(
        self,
        *,
        include_closed: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Accounts with their balances, one row per account; closed accounts come last.

        If there are loans, ``attrs["loans"]`` has the terms of each one: its key, name and balance,
        and its interest rates, escrow amounts and minimum payments by month, as the service sends
        them. Amounts are in milliunits there, rates in thousandths of a per cent a year.

        Parameters
        ----------
        include_closed : bool
            Whether closed accounts are included.
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by closed, account_name, account_id and numbered from 0; the same columns and
            dtypes when there are none.

            column             dtype     unit      meaning
            -----------------  --------  --------  ---------------------------------------------------
            account_name       str                 name of the account
            account_type       category            kind of account
            balance            float64   currency  cleared plus uncleared balance
            cleared_balance    float64   currency  sum of the transactions that the bank has confirmed
            uncleared_balance  float64   currency  sum of all other transactions
            on_budget          bool                whether its money is in the budget
            closed             bool                whether it is closed
            note               str                 note on the account
            account_id         str                 key of the account
            transfer_payee_id  str                 key of the payee for transfers to the account

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
        Source: ``GET /budgets/{budget_id}/accounts``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> accounts = bf.accounts()
        >>> int(accounts["closed"].sum()) > 0
        True
        """
        return self._wait_for(
            self._aio.accounts(
                include_closed=include_closed,
                include_deleted=include_deleted,
                money=money,
                extra=extra,
            )
        )

    def categories(
        self,
        *,
        include_hidden: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Categories with the amounts of the current month (UTC), one row per category.

        Two groups may each have a category of the same name: join on ``category_id``.

        Parameters
        ----------
        include_hidden : bool
            Whether hidden categories and groups are included.
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_name, category_id and numbered from 0; the same
            columns and dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  ----------------------------------------------------
            category_group_name       str                       name of the group of the category
            category_name             str                       name of the category
            budgeted                  float64         currency  assigned in the month
            activity                  float64         currency  sum of the transactions of the category in the month
            balance                   float64         currency  available at the end of the month
            hidden                    bool                      whether the category is hidden
            goal_type                 category                  kind of goal
            goal_target               float64         currency  amount of the goal
            goal_target_date          datetime64[us]            day on which the goal is due
            goal_percentage_complete  Int64           %         completed part of the goal, rounded down
            goal_months_to_budget     Int64           months    left to fund the goal, including this month
            goal_under_funded         float64         currency  missing for the goal this month, positive
            goal_overall_funded       float64         currency  funded so far
            goal_overall_left         float64         currency  left to fund
            note                      str                       note on the category
            category_id               str                       key of the category
            category_group_id         str                       key of the group of the category

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
        Source: ``GET /budgets/{budget_id}/categories``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.categories()["category_id"].is_unique
        True
        """
        return self._wait_for(
            self._aio.categories(
                include_hidden=include_hidden,
                include_deleted=include_deleted,
                money=money,
                extra=extra,
            )
        )

    def category_groups(
        self, *, include_hidden: bool = True, include_deleted: bool = False, extra: bool = False
    ) -> pd.DataFrame:
        """Category groups, one row per group, including groups without a category.

        Parameters
        ----------
        include_hidden : bool
            Whether hidden categories and groups are included.
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_group_id and numbered from 0; the same columns and
            dtypes when there are none.

            column               dtype  unit  meaning
            -------------------  -----  ----  ---------------------------
            category_group_name  str          name of the group
            hidden               bool         whether the group is hidden
            category_group_id    str          key of the group

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
        Source: ``GET /budgets/{budget_id}/categories``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> groups = bf.category_groups()
        >>> "Internal Master Category" in set(groups["category_group_name"])
        True
        """
        return self._wait_for(
            self._aio.category_groups(
                include_hidden=include_hidden, include_deleted=include_deleted, extra=extra
            )
        )

    def payees(self, *, include_deleted: bool = False, extra: bool = False) -> pd.DataFrame:
        """Payees, one row per payee; each account has one payee for transfers to it.

        Parameters
        ----------
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by payee_name, payee_id and numbered from 0; the same columns and dtypes when there
            are none.

            column               dtype  unit  meaning
            -------------------  -----  ----  -------------------------------------------------------
            payee_name           str          name of the payee
            payee_id             str          key of the payee
            transfer_account_id  str          key of the account, if the payee means a transfer to it

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
        Source: ``GET /budgets/{budget_id}/payees``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> payees = bf.payees()
        >>> int(payees["transfer_account_id"].notna().sum()) == len(bf.accounts())
        True
        """
        return self._wait_for(self._aio.payees(include_deleted=include_deleted, extra=extra))

    def payee_locations(self, payee_id: str | None = None, *, extra: bool = False) -> pd.DataFrame:
        """Places where payees were paid, one row per location.

        Parameters
        ----------
        payee_id : str, optional
            A key in ``payees()["payee_id"]``: only the places of this payee.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by payee_id, payee_location_id and numbered from 0; the same columns and dtypes
            when there are none.

            column             dtype    unit     meaning
            -----------------  -------  -------  -------------------
            latitude           float64  degrees  north positive
            longitude          float64  degrees  east positive
            payee_location_id  str               key of the location
            payee_id           str               key of the payee

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
        Source: ``GET /budgets/{budget_id}[/payees/{payee_id}]/payee_locations``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.payee_locations()[["latitude", "longitude"]].dtypes.astype(str).tolist()
        ['float64', 'float64']
        """
        return self._wait_for(self._aio.payee_locations(payee_id, extra=extra))

    def months(self, *, money: Money = "float", extra: bool = False) -> pd.DataFrame:
        """Totals of each month, one row per month.

        Parameters
        ----------
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by month and numbered from 0; the same columns and dtypes when there are none.

            column          dtype           unit      meaning
            --------------  --------------  --------  --------------------------------------------
            month           datetime64[us]            first day of the month
            income          float64         currency  income, before it is assigned
            budgeted        float64         currency  assigned to categories
            activity        float64         currency  sum of the transactions with a category
            to_be_budgeted  float64         currency  left to assign
            age_of_money    Int64           days      days between receiving money and spending it
            note            str                       note on the month

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
        >>> bf.months()["month"].is_monotonic_increasing
        True
        """
        return self._wait_for(self._aio.months(money=money, extra=extra))

    def month(
        self,
        month: Day = "current",
        *,
        include_hidden: bool = True,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """The categories of one month, one row per category.

        Parameters
        ----------
        month : str or date
            ``"2026-05"``; by default the current month (UTC).
        include_hidden : bool
            Whether hidden categories and groups are included.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_name, category_id and numbered from 0; the same
            columns and dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  ----------------------------------------------------
            month                     datetime64[us]            first day of the month
            category_group_name       str                       name of the group of the category
            category_name             str                       name of the category
            budgeted                  float64         currency  assigned in the month
            activity                  float64         currency  sum of the transactions of the category in the month
            balance                   float64         currency  available at the end of the month
            hidden                    bool                      whether the category is hidden
            goal_type                 category                  kind of goal
            goal_target               float64         currency  amount of the goal
            goal_target_date          datetime64[us]            day on which the goal is due
            goal_percentage_complete  Int64           %         completed part of the goal, rounded down
            goal_months_to_budget     Int64           months    left to fund the goal, including this month
            goal_under_funded         float64         currency  missing for the goal this month, positive
            goal_overall_funded       float64         currency  funded so far
            goal_overall_left         float64         currency  left to fund
            note                      str                       note on the category
            category_id               str                       key of the category
            category_group_id         str                       key of the group of the category

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
        Source: ``GET /budgets/{budget_id}/months/{month}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.month("2026-05")
        >>> may["month"].dt.strftime("%Y-%m").unique().tolist()
        ['2026-05']
        """
        return self._wait_for(
            self._aio.month(month, include_hidden=include_hidden, money=money, extra=extra)
        )

    def month_categories(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_hidden: bool = True,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """All categories in all months, one row per month and category, in one request.

        The frame is tidy: ``pivot(index="month", columns="category_id", values="activity")``. Two
        groups may each have a category of the same name, so the key of a row is ``month`` and
        ``category_id``.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last month, both included. ``"2026-05"`` and ``"2026"`` mean the first or the
            last day of that month or year.
        include_hidden : bool
            Whether hidden categories and groups are included.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by month, category_group_name, category_name, category_id and numbered from 0; the
            same columns and dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  ----------------------------------------------------
            month                     datetime64[us]            first day of the month
            category_group_name       str                       name of the group of the category
            category_name             str                       name of the category
            budgeted                  float64         currency  assigned in the month
            activity                  float64         currency  sum of the transactions of the category in the month
            balance                   float64         currency  available at the end of the month
            hidden                    bool                      whether the category is hidden
            goal_type                 category                  kind of goal
            goal_target               float64         currency  amount of the goal
            goal_target_date          datetime64[us]            day on which the goal is due
            goal_percentage_complete  Int64           %         completed part of the goal, rounded down
            goal_months_to_budget     Int64           months    left to fund the goal, including this month
            goal_under_funded         float64         currency  missing for the goal this month, positive
            goal_overall_funded       float64         currency  funded so far
            goal_overall_left         float64         currency  left to fund
            note                      str                       note on the category
            category_id               str                       key of the category
            category_group_id         str                       key of the group of the category

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

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> plan = bf.month_categories(since="2026-01", until="2026-06")
        >>> plan.pivot(index="month", columns="category_id", values="activity").shape[0]
        6
        """
        return self._wait_for(
            self._aio.month_categories(
                since=since, until=until, include_hidden=include_hidden, money=money, extra=extra
            )
        )

    def transactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Transactions of all years, one row per transaction; a split is one row.

        The service by itself would answer with the last year only. This method always reads all
        years, whatever period is given, so that one list and its deltas serve all periods. Names
        are those of the time when the service last sent the row: after a renaming, join on the
        keys.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included. ``"2026-05"`` and ``"2026"`` mean the first or the last day
            of that month or year.
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes when there
            are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split                    bool                      whether it is split; subtransactions() has the parts
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.transactions(since="2026-05-01", until="2026-05-31")
        >>> may["date"].dt.month.unique().tolist()
        [5]
        """
        return self._wait_for(
            self._aio.transactions(
                since=since, until=until, include_deleted=include_deleted, money=money, extra=extra
            )
        )

    def subtransactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Parts of split transactions, one row per part, with date and account of the split.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included. ``"2026-05"`` and ``"2026"`` mean the first or the last day
            of that month or year.
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same columns
            and dtypes when there are none.

            column                   dtype           unit      meaning
            -----------------------  --------------  --------  ----------------------------------------------------------
            date                     datetime64[us]            day of the split transaction
            account_name             str                       name of the account
            payee_name               str                       name of the payee
            category_name            str                       name of the category
            memo                     str                       note on the transaction
            amount                   float64         currency  inflow positive, outflow negative
            subtransaction_id        str                       key of the part
            transaction_id           str                       key of the split transaction
            account_id               str                       key of the account
            payee_id                 str                       key of the payee
            category_id              str                       key of the category; missing for splits and most transfers
            transfer_account_id      str                       key of the other account of a transfer
            transfer_transaction_id  str                       key of the other side of a transfer

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
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> parts = bf.subtransactions()
        >>> splits = bf.transactions().query("is_split")
        >>> set(parts["transaction_id"]) == set(splits["transaction_id"])
        True
        """
        return self._wait_for(
            self._aio.subtransactions(
                since=since, until=until, include_deleted=include_deleted, money=money, extra=extra
            )
        )

    def scheduled_transactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Schedules of future transactions, one row per schedule.

        Parameters
        ----------
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date_next, scheduled_transaction_id and numbered from 0; the same columns and
            dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  --------------------------------------------------------------
            date_next                 datetime64[us]            next day; missing: completed
            account_name              str                       name of the account
            payee_name                str                       name of the payee
            category_name             str                       name of the category
            memo                      str                       note on the transaction
            amount                    float64         currency  inflow positive, outflow negative
            frequency                 category                  interval between the days
            date_first                datetime64[us]            first day
            flag_color                category                  colour of the flag
            flag_name                 str                       name given to the flag
            is_split                  bool                      whether it is split; scheduled_subtransactions() has the parts
            scheduled_transaction_id  str                       key of the schedule
            account_id                str                       key of the account
            payee_id                  str                       key of the payee
            category_id               str                       key of the category; missing for splits and most transfers
            transfer_account_id       str                       key of the other account of a transfer

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
        Source: ``GET /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> "monthly" in set(bf.scheduled_transactions()["frequency"])
        True
        """
        return self._wait_for(
            self._aio.scheduled_transactions(
                include_deleted=include_deleted, money=money, extra=extra
            )
        )

    def scheduled_subtransactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Parts of split schedules, one row per part.

        Parameters
        ----------
        include_deleted : bool
            Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
            request, for all changes since the list began: no other answer of the service has deleted
            rows. The request asks for the changes since server knowledge 1, on the assumption that the
            service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
            most of the listed rows.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date_next, scheduled_transaction_id, scheduled_subtransaction_id and numbered
            from 0; the same columns and dtypes when there are none.

            column                       dtype           unit      meaning
            ---------------------------  --------------  --------  ----------------------------------------------------------
            date_next                    datetime64[us]            next day; missing: completed
            account_name                 str                       name of the account
            payee_name                   str                       name of the payee
            category_name                str                       name of the category
            memo                         str                       note on the transaction
            amount                       float64         currency  inflow positive, outflow negative
            scheduled_subtransaction_id  str                       key of the part
            scheduled_transaction_id     str                       key of the split schedule
            account_id                   str                       key of the account
            payee_id                     str                       key of the payee
            category_id                  str                       key of the category; missing for splits and most transfers
            transfer_account_id          str                       key of the other account of a transfer

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
        Source: ``GET /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.scheduled_subtransactions()["amount"].dtype.name
        'float64'
        """
        return self._wait_for(
            self._aio.scheduled_subtransactions(
                include_deleted=include_deleted, money=money, extra=extra
            )
        )

    def money_movements(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Money movements, one row per category or one per move, as the service keeps them.

        A month before the service began to keep movements is unknown, not zero.

        Parameters
        ----------
        month : str or date, optional
            Only this month: ``"2026-05"``.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_name, allocation, spent, income and numbered from
            0; the same columns and dtypes when there are none.

            column               dtype    unit      meaning
            -------------------  -------  --------  ---------------------------------
            category_group_name  str                name of the group of the category
            category_name        str                name of the category
            allocation           float64  currency  amount assigned
            spent                float64  currency  amount spent
            income               float64  currency  amount received

        DataFrame
            Where the service keeps one record for each move: rows sorted by moved_at, money_movement_id
            and numbered from 0; the same columns and dtypes when there are none.

            column                   dtype                unit      meaning
            -----------------------  -------------------  --------  -------------------------------------------
            moved_at                 datetime64[us, UTC]            time of the move
            month                    datetime64[us]                 month whose assignments the move changed
            amount                   float64              currency  amount moved
            note                     str                            note on the move
            money_movement_id        str                            key of the move
            from_category_id         str                            key of the source; missing: Ready to Assign
            to_category_id           str                            key of the target; missing: Ready to Assign
            money_movement_group_id  str                            key of the group of moves
            performed_by_user_id     str                            key of the user who made the move

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
        Source: ``GET /budgets/{budget_id}[/months/{month}]/money_movements``.

        Cost: one request, a delta where the service keeps records and no month is given; none within the
        time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> list(bf.money_movements().columns)[2:]
        ['allocation', 'spent', 'income']
        """
        return self._wait_for(self._aio.money_movements(month, money=money, extra=extra))

    def money_movement_groups(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Money movements, one row per category group or one per set of simultaneous moves.

        Parameters
        ----------
        month : str or date, optional
            Only this month: ``"2026-05"``.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, allocation, spent, income and numbered from 0; the same
            columns and dtypes when there are none.

            column               dtype    unit      meaning
            -------------------  -------  --------  -----------------
            category_group_name  str                name of the group
            allocation           float64  currency  amount assigned
            spent                float64  currency  amount spent
            income               float64  currency  amount received

        DataFrame
            Where the service keeps one record for each move: rows sorted by group_created_at,
            money_movement_group_id and numbered from 0; the same columns and dtypes when there are none.

            column                   dtype                unit  meaning
            -----------------------  -------------------  ----  -----------------------------------------
            group_created_at         datetime64[us, UTC]        time of the moves
            month                    datetime64[us]             month whose assignments the moves changed
            note                     str                        note on the moves
            money_movement_group_id  str                        key of the group of moves
            performed_by_user_id     str                        key of the user who made the moves

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
        Source: ``GET /budgets/{budget_id}[/months/{month}]/money_movement_groups``.

        Cost: one request, a delta where the service keeps records and no month is given; none within the
        time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> list(bf.money_movement_groups().columns)
        ['category_group_name', 'allocation', 'spent', 'income']
        """
        return self._wait_for(self._aio.money_movement_groups(month, money=money, extra=extra))

    def ledger(
        self, *, since: Day | None = None, until: Day | None = None, money: Money = "float"
    ) -> pd.DataFrame:
        """Every leaf of every transaction, one row per leaf: the frame to add up.

        A leaf is a transaction that is not split, or one part of a split; the split itself is not
        a row. The ledger is complete: it has rows without a category, rows of tracking accounts
        and rows that are not approved. The amounts of an account add up to its balance, except
        for a loan (``mortgage``, ``autoLoan``, ``studentLoan``, ``personalLoan``, ``medicalDebt``,
        ``otherDebt``): its balance also contains interest and escrow, which the service adds
        without a transaction. The reports calculate them from the terms in ``attrs["loans"]``. If
        the service states another balance for any other account, ``attrs["differences"]`` has the
        account with its balance and the sum of its rows (``rows_total``), both in milliunits. It is
        left out if accounts and transactions show different states of the service.
        Names are the current ones, joined by key, even if the service sent the row before a
        renaming.

        The flags follow these rules; the other columns allow other rules:

        * ``is_transfer``: the money goes to or comes from another account of the budget.
        * ``is_income``: the account is on budget, the category is ``Inflow: Ready to Assign``, and
          the row is not a starting balance. Corrections below zero count, as they do in the
          service's own figure.
        * ``is_spending``: the account is on budget, the category is any other one, and the row is
          not a starting balance. Refunds are included as positive amounts, so that sums are net. A
          transfer between two accounts on budget is not spending; a transfer to a tracking account
          counts by its category.
        * ``is_uncategorized``: the account is on budget, the row has no category, is not a starting
          balance and is not a transfer between two accounts on budget. It is neither income nor
          spending yet. Its ``category_id`` is missing, or is that of the service's own category
          ``Uncategorized``; the names are those of that category, so that grouping by name keeps
          the row.
        * ``is_starting_balance``: the current name of the payee is ``Starting Balance``, and the
          row is not a transfer. The service counts the starting balances of accounts on budget in
          the income of their month.
        * ``is_split_part``: the row is a part of a split; ``transaction_id`` is that of the split.
          A part without a payee or memo shows those of the split.
        * ``is_scheduled``: the transaction was entered from a schedule, as its key shows.
        * ``is_remainder``: the parts of the split do not add up to its amount, and the row has the
          difference, without a category. Such a row also has ``is_split_part`` and no
          ``subtransaction_id``. A `RuntimeWarning` names the split.

        An account, a payee or a category that the service does not list has the name in the row. A
        category that the service does not list is in the group ``Not listed``; an account, a
        payee or a category without any name has the name ``Not listed``. An account that the
        service does not list counts as on budget, and a `RuntimeWarning` names the first one; a
        transfer to or from such an account counts if it has a category.

        ``attrs["rows"]`` is the number of rows. A selection of rows keeps it, so that a report
        states that the ledger was filtered.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included. ``"2026-05"`` and ``"2026"`` mean the first or the last day
            of that month or year.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same
            columns and dtypes when there are none.

            column                   dtype           unit      meaning
            -----------------------  --------------  --------  ---------------------------------------------------
            date                     datetime64[us]            day of the transaction
            account_name             str                       name of the account
            payee_name               str                       name of the payee
            category_name            str                       name of the category
            memo                     str                       note on the transaction
            amount                   float64         currency  inflow positive, outflow negative
            cleared                  category                  whether the bank has confirmed it
            approved                 bool                      whether it was approved
            category_group_name      str                       name of the group of the category
            flag_color               category                  colour of the flag
            flag_name                str                       name given to the flag
            is_transfer              bool                      whether it is a transfer to or from another account
            is_income                bool                      whether it is income
            is_spending              bool                      whether it is spending or a refund
            is_uncategorized         bool                      whether it needs a category but has none
            is_starting_balance      bool                      whether it is the starting balance of an account
            is_split_part            bool                      whether it is a part of a split
            is_scheduled             bool                      whether it was entered from a schedule
            is_remainder             bool                      whether it is what the parts of a split lack
            account_type             category                  kind of account
            on_budget                bool                      whether its money is in the budget
            transfer_account_name    str                       name of the other account of a transfer
            transfer_on_budget       boolean                   whether that account is a budget account
            debt_transaction_type    category                  kind of loan transaction
            transaction_id           str                       key of the transaction
            subtransaction_id        str                       key of the split part; missing for other rows
            account_id               str                       key of the account
            payee_id                 str                       key of the payee
            category_id              str                       key of the category
            category_group_id        str                       key of the group of the category
            transfer_account_id      str                       key of the other account of a transfer
            transfer_transaction_id  str                       key of the other side of a transfer

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
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, or none while an export is fresh; none within the time to live, after it four
        deltas of what changed.

        Examples
        --------
        >>> from budgetframe.frames import totals
        >>> bf = BudgetFrame.sandbox()
        >>> ledger = bf.ledger()
        >>> balances = bf.accounts().set_index("account_id")["balance"]
        >>> bool((totals(ledger, "account_id")["amount"] == balances.sort_index()).all())
        True
        """
        return self._wait_for(self._aio.ledger(since=since, until=until, money=money))

    def export(self) -> dict[str, pd.DataFrame]:
        """The whole budget in one request: a dictionary with one frame for each list.

        Returns
        -------
        dict of str to DataFrame
            The frames have the columns of the methods with the same names; ``month_categories`` has
            one row per month and category, and the columns of `month`. If rows of a list refer to
            an account, a payee, a category or a group that the export does not list, only the list
            itself has the names: it is read with one more request.

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

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> frames = bf.export()
        >>> list(frames)[:5]
        ['accounts', 'payees', 'payee_locations', 'category_groups', 'categories']
        >>> len(frames["transactions"]) == len(bf.transactions())
        True
        """
        return self._wait_for(self._aio.export())

    def reconcile(self) -> Reconciliation:
        """Compare the sums of the transactions with the service's own figures.

        Both are requested now, even within the time to live: the transactions as a delta, and the
        balances of all accounts and the activity of all categories in all months, which the service
        adds up itself. The balance of a loan also contains interest and escrow without a
        transaction; a difference that they explain to the milliunit is expected and counts as
        agreement. If they differ, both are read once more, because somebody may have edited
        the budget in between. If they still differ, the transactions are reloaded in full; a
        `RuntimeWarning` and ``.attrs["reread"]`` report this.

        Returns
        -------
        Reconciliation
            A DataFrame with one row per account and one per category and month; ``.ok`` and
            ``.summary`` give the result.

            column                  dtype           unit        meaning
            ----------------------  --------------  ----------  ---------------------------------------------------
            subject                 category                    kind of the row
            month                   datetime64[us]              first day of the month; missing for accounts
            account_name            str                         name of the account
            category_group_name     str                         name of its group
            category_name           str                         name of the category
            service                 float64         currency    balance or activity; missing: the service has none
            ledger                  float64         currency    sum of the transactions
            difference_milliunits   int64           milliunits  ledger minus service
            interest_milliunits     int64           milliunits  part of it: interest of a loan
            escrow_milliunits       int64           milliunits  part of it: escrow of a loan
            unexplained_milliunits  int64           milliunits  part of it without a known reason
            reason                  str                         reason of an expected difference; otherwise missing
            account_id              str                         key of the account; missing for category months
            category_id             str                         key of the category; missing for accounts

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
        Source: ``GET /budgets/{budget_id}`` and ``GET /budgets/{budget_id}/transactions``.

        Cost: two requests, a delta and the whole budget; four where they differ at first, and six where
        the transactions are reloaded in full.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> comparison = bf.reconcile()
        >>> comparison.ok
        True
        >>> int(comparison["difference_milliunits"][comparison["reason"].isna()].abs().max())
        0
        """
        return self._wait_for(self._aio.reconcile())

    def user(self) -> models.UserResponse:
        """The user who owns the token; a cheap check of the token.

        Returns
        -------
        UserResponse
            Fields: id.

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
        Source: ``GET /user``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> len(bf.user().id)
        36
        """
        return self._wait_for(self._aio.user())

    def settings(self) -> models.Settings:
        """The formats of dates and amounts in the budget.

        Returns
        -------
        Settings
            Fields: date_format, currency_format.

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
        Source: ``GET /budgets/{budget_id}/settings``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.settings().currency_format.iso_code
        'EUR'
        """
        return self._wait_for(self._aio.settings())

    def account(self, account_id: str) -> models.Account:
        """One account.

        Parameters
        ----------
        account_id : str
            A key in ``accounts()["account_id"]``.

        Returns
        -------
        Account
            Fields: id, name, type, on_budget, closed, balance, cleared_balance,
            uncleared_balance, note, transfer_payee_id, deleted.

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
        Source: ``GET /budgets/{budget_id}/accounts/{account_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.accounts().iloc[0]
        >>> bf.account(first["account_id"]).name
        'Car Loan'
        """
        return self._wait_for(self._aio.account(account_id))

    def transaction(self, transaction_id: str) -> models.TransactionDetail:
        """One transaction with its subtransactions.

        Parameters
        ----------
        transaction_id : str
            A key in ``transactions()["transaction_id"]``.

        Returns
        -------
        TransactionDetail
            Fields: id, date, amount, account_id, approved, cleared, deleted, memo,
            payee_id, category_id, transfer_account_id, transfer_transaction_id,
            matched_transaction_id, import_id, import_payee_name, import_payee_name_original,
            flag_color, flag_name, debt_transaction_type, account_name, payee_name, category_name,
            subtransactions.

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
        Source: ``GET /budgets/{budget_id}/transactions/{transaction_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions().iloc[-1]
        >>> bf.transaction(last["transaction_id"]).amount == float(last["amount"])
        True
        """
        return self._wait_for(self._aio.transaction(transaction_id))

    def category(self, category_id: str, month: Day | None = None) -> models.Category:
        """One category with the amounts of one month.

        Parameters
        ----------
        category_id : str
            A key in ``categories()["category_id"]``.
        month : str or date, optional
            ``"2026-05"``; by default the current month (UTC).

        Returns
        -------
        Category
            Fields: id, category_group_id, category_group_name, name, hidden, budgeted,
            activity, balance, deleted, note, goal_type, goal_target, goal_target_month,
            goal_target_date, goal_percentage_complete, goal_months_to_budget, goal_under_funded,
            goal_overall_funded, goal_overall_left.

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
        Source: ``GET /budgets/{budget_id}[/months/{month}]/categories/{category_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.categories().iloc[0]
        >>> bf.category(first["category_id"]).balance == float(first["balance"])
        True
        """
        return self._wait_for(self._aio.category(category_id, month))

    def payee(self, payee_id: str) -> models.Payee:
        """One payee.

        Parameters
        ----------
        payee_id : str
            A key in ``payees()["payee_id"]``.

        Returns
        -------
        Payee
            Fields: id, name, transfer_account_id, deleted.

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
        Source: ``GET /budgets/{budget_id}/payees/{payee_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.payees().iloc[0]
        >>> bf.payee(first["payee_id"]).name == first["payee_name"]
        True
        """
        return self._wait_for(self._aio.payee(payee_id))

    def payee_location(self, payee_location_id: str) -> models.PayeeLocation:
        """One location of a payee.

        Parameters
        ----------
        payee_location_id : str
            A key in ``payee_locations()["payee_location_id"]``.

        Returns
        -------
        PayeeLocation
            Fields: id, payee_id, latitude, longitude, deleted.

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
        Source: ``GET /budgets/{budget_id}/payee_locations/{payee_location_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.payee_locations().iloc[0]
        >>> bf.payee_location(first["payee_location_id"]).latitude == float(first["latitude"])
        True
        """
        return self._wait_for(self._aio.payee_location(payee_location_id))

    def scheduled_transaction(
        self, scheduled_transaction_id: str
    ) -> models.ScheduledTransactionDetail:
        """One schedule with its subtransactions.

        Parameters
        ----------
        scheduled_transaction_id : str
            A key in ``scheduled_transactions()["scheduled_transaction_id"]``.

        Returns
        -------
        ScheduledTransactionDetail
            Fields: id, date_first, date_next, frequency, amount, account_id, deleted,
            payee_id, category_id, memo, flag_color, flag_name, transfer_account_id, account_name,
            payee_name, category_name, subtransactions.

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
        Source: ``GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.scheduled_transactions().iloc[0]
        >>> schedule = bf.scheduled_transaction(first["scheduled_transaction_id"])
        >>> schedule.amount == float(first["amount"])
        True
        """
        return self._wait_for(self._aio.scheduled_transaction(scheduled_transaction_id))

    def transactions_of_account(
        self, account_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one account of all years, one row per transaction.

        Parameters
        ----------
        account_id : str
            A key in ``accounts()["account_id"]``.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes when there
            are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split                    bool                      whether it is split; subtransactions() has the parts
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``GET /budgets/{budget_id}/accounts/{account_id}/transactions``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.accounts()["account_id"].iloc[0]
        >>> bf.transactions_of_account(first)["account_id"].unique().tolist() == [first]
        True
        """
        return self._wait_for(
            self._aio.transactions_of_account(account_id, money=money, extra=extra)
        )

    def transactions_of_category(
        self, category_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one category of all years; a part of a split is one row.

        Parameters
        ----------
        category_id : str
            A key in ``categories()["category_id"]``.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same
            columns and dtypes when there are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split_part               bool                      whether the row is a part of a split
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction; of a part, that of the split
            subtransaction_id           str                       key of the part; missing if the row is no part
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``GET /budgets/{budget_id}/categories/{category_id}/transactions``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> groceries = bf.categories().set_index("category_name")["category_id"]["Groceries"]
        >>> rows = bf.transactions_of_category(groceries)
        >>> len(rows) == int((bf.ledger()["category_id"] == groceries).sum())
        True
        """
        return self._wait_for(
            self._aio.transactions_of_category(category_id, money=money, extra=extra)
        )

    def transactions_of_payee(
        self, payee_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions with one payee of all years; a part of a split may be one row.

        A split is one row if the payee is that of the whole split; otherwise each part with the
        payee is one row.

        Parameters
        ----------
        payee_id : str
            A key in ``payees()["payee_id"]``.
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same
            columns and dtypes when there are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split_part               bool                      whether the row is a part of a split
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction; of a part, that of the split
            subtransaction_id           str                       key of the part; missing if the row is no part
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``GET /budgets/{budget_id}/payees/{payee_id}/transactions``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> market = bf.payees().set_index("payee_name")["payee_id"]["Corner Market"]
        >>> bf.transactions_of_payee(market)["payee_name"].unique().tolist()
        ['Corner Market']
        """
        return self._wait_for(self._aio.transactions_of_payee(payee_id, money=money, extra=extra))

    def transactions_of_month(
        self, month: Day = "current", *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one month, one row per transaction.

        Parameters
        ----------
        month : str or date
            ``"2026-05"``; by default the current month (UTC).
        money : {"float", "milliunits", "decimal"}
            Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
            ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
            ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
            ``.astype(frame.dtypes)`` restores their dtype.
        extra : bool
            Whether to keep the fields of the service that are not columns. They come after the other
            columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
            written to Parquet.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes when there
            are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split                    bool                      whether it is split; subtransactions() has the parts
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``GET /budgets/{budget_id}/months/{month}/transactions``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.transactions_of_month("2026-05")["date"].dt.month.unique().tolist()
        [5]
        """
        return self._wait_for(self._aio.transactions_of_month(month, money=money, extra=extra))

    def create_transactions(self, rows: Rows) -> pd.DataFrame:
        """Create transactions and return the created rows.

        The service skips transactions whose import id is already in use;
        ``frame.attrs["duplicate_import_ids"]`` lists these ids. The service ignores a
        category on a split: give each part its own category.

        Parameters
        ----------
        rows : DataFrame or iterable of mappings
            With ``account_id``, ``date`` and ``amount`` (currency units, outflow negative), and
            any of ``payee_id, payee_name, category_id, memo, cleared, approved, flag_color,
            import_id, subtransactions``. Empty values are not sent. Names have at
            most 200 characters, memos 500 and import ids 36.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes when there
            are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split                    bool                      whether it is split; subtransactions() has the parts
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``POST /budgets/{budget_id}/transactions``.

        Cost: one request for up to 50 rows, two for up to 100, and so on. If the limit does not leave
        enough requests for all rows, nothing is sent. If one request fails, a note of its error says which
        rows were written. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> account_id = bf.accounts().query("on_budget")["account_id"].iloc[0]
        >>> bread = {"account_id": account_id, "date": "2026-06-16", "amount": -4.5}
        >>> bf.create_transactions([bread])["amount"].tolist()
        [-4.5]
        """
        return self._wait_for(self._aio.create_transactions(rows))

    def update_transactions(self, rows: Rows) -> pd.DataFrame:
        """Change the given fields of transactions and return the changed rows.

        The rows are `changes` without a frame that was read: they are compared with the present
        rows, checked before anything is sent, compared with the answer of the service, and in the
        `journal`, whose ``undo`` reverses them. A field that is absent is left alone. An empty
        value (None, NaN, NaT, NA) clears the field; ``account_id``, ``date``, ``amount``,
        ``cleared`` and ``approved`` cannot be empty. A row that has these values already is not
        sent. The date, the amount and the category of a split cannot be changed here.

        Parameters
        ----------
        rows : DataFrame or iterable of mappings
            With ``transaction_id`` (or ``import_id``) and the fields to change, as in
            `create_transactions`. ``account_name``, ``payee_name`` and ``category_name`` (with
            ``category_group_name`` if several groups have such a category) work as well as keys;
            the service creates an unknown payee.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes when there
            are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split                    bool                      whether it is split; subtransactions() has the parts
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``PATCH /budgets/{budget_id}/transactions``.

        Cost: one request for the present rows, a delta where the list is known, and one for up to 50 rows
        that differ, two for up to 100, and so on. If an account, a payee or a category is changed, or a
        transfer, the lists of accounts, categories and payees cost one request each if they are not fresh.
        If the limit does not leave enough requests, nothing is written, unless the rows need more than the
        whole limit. If a request fails, a note of the error says how many rows were written, and
        ``journal().resume()`` continues. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions()[["transaction_id"]].tail(1)
        >>> bf.update_transactions(last.assign(memo="checked"))["memo"].tolist()
        ['checked']
        """
        return self._wait_for(self._aio.update_transactions(rows))

    def update_transaction(self, transaction_id: str, **fields: Any) -> models.TransactionDetail:
        """Change the given fields of one transaction, without a comparison and a journal.

        `update_transactions` changes many, compares them with the present rows and can be undone.

        Parameters
        ----------
        transaction_id : str
            A key in ``transactions()["transaction_id"]``.
        **fields
            Any of ``account_id, date, amount, payee_id, payee_name, category_id, memo, cleared,
            approved, flag_color, subtransactions``. An empty value (None, NaN, NaT, NA) clears the
            field; the account, the date, the amount and the state cannot be empty.

        Returns
        -------
        TransactionDetail
            Fields: id, date, amount, account_id, approved, cleared, deleted, memo,
            payee_id, category_id, transfer_account_id, transfer_transaction_id,
            matched_transaction_id, import_id, import_payee_name, import_payee_name_original,
            flag_color, flag_name, debt_transaction_type, account_name, payee_name, category_name,
            subtransactions.

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
        Source: ``PUT /budgets/{budget_id}/transactions/{transaction_id}``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions()["transaction_id"].iloc[-1]
        >>> bf.update_transaction(last, memo="checked", flag_color="green").memo
        'checked'
        """
        return self._wait_for(self._aio.update_transaction(transaction_id, **fields))

    def delete_transactions(self, keys: Keys) -> pd.DataFrame:
        """Delete transactions, one after the other, and return the deleted rows.

        The service deletes a split with all its parts, and a transfer with its other side. If both
        sides of a transfer are given, one request deletes both. ``journal().undo().apply()``
        creates equal rows with new keys.

        Parameters
        ----------
        keys : str, DataFrame or iterable of str
            Keys of the transactions, or a frame with a column ``transaction_id``. A key that occurs
            several times, as in a frame of parts of splits, is deleted once.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes when there
            are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split                    bool                      whether it is split; subtransactions() has the parts
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``DELETE /budgets/{budget_id}/transactions/{transaction_id}``.

        Cost: one request for the present rows, a delta where the list is known, and one for each row. If
        the limit does not leave enough requests, nothing is written, unless the rows need more than the
        whole limit. If a request fails, a note of the error says how many rows were written, and
        ``journal().resume()`` continues. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> before = bf.transactions()
        >>> last = before[before["transfer_account_id"].isna()].tail(2)
        >>> bf.delete_transactions(last)["amount"].tolist() == last["amount"].tolist()
        True
        >>> len(before) - len(bf.transactions())
        2
        """
        return self._wait_for(self._aio.delete_transactions(keys))

    def import_linked(self) -> pd.DataFrame:
        """Import the transactions of accounts that are linked to a bank; return the new rows.

        The service does what the button "Import" of its app does. It does not wait for the bank:
        it imports only what the bank has delivered until now.

        ``frame.attrs["transaction_ids"]`` lists the keys that the service sent. A key without a
        row in the frame belongs to a transaction that the service does not list, such as one that
        it matched with a transaction entered by hand.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes when there
            are none.

            column                      dtype           unit      meaning
            --------------------------  --------------  --------  ----------------------------------------------------------
            date                        datetime64[us]            day of the transaction
            account_name                str                       name of the account
            payee_name                  str                       name of the payee
            category_name               str                       name of the category
            memo                        str                       note on the transaction
            amount                      float64         currency  inflow positive, outflow negative
            cleared                     category                  whether the bank has confirmed it
            approved                    bool                      whether it was approved
            flag_color                  category                  colour of the flag
            flag_name                   str                       name given to the flag
            is_split                    bool                      whether it is split; subtransactions() has the parts
            debt_transaction_type       category                  kind of loan transaction
            import_payee_name           str                       payee as imported
            import_payee_name_original  str                       payee as on the bank statement
            transaction_id              str                       key of the transaction
            account_id                  str                       key of the account
            payee_id                    str                       key of the payee
            category_id                 str                       key of the category; missing for splits and most transfers
            transfer_account_id         str                       key of the other account of a transfer
            transfer_transaction_id     str                       key of the other side of a transfer
            matched_transaction_id      str                       key of the transaction it was matched with
            import_id                   str                       key under which it was imported

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
        Source: ``POST /budgets/{budget_id}/transactions/import``.

        Cost: one request, and one for all transactions if some were imported. The cached lists that the
        import changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.import_linked()["payee_name"].tolist()
        ['Kiosk am Ring', 'Tonspur']
        >>> len(bf.import_linked())
        0
        """
        return self._wait_for(self._aio.import_linked())

    def create_scheduled_transactions(self, rows: Rows) -> pd.DataFrame:
        """Create scheduled transactions, one after the other, and return the created rows.

        The service cannot create a scheduled split.

        Parameters
        ----------
        rows : DataFrame or iterable of mappings
            With ``account_id`` and ``date_next`` (in the future, at most five years ahead), and any
            of ``frequency, amount, payee_id, payee_name, category_id, memo, flag_color``; without a
            ``frequency`` the transaction occurs once. Empty values are not sent. Names
            have at most 200 characters, memos 500.

        Returns
        -------
        DataFrame
            Rows sorted by date_next, scheduled_transaction_id and numbered from 0; the same columns and
            dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  --------------------------------------------------------------
            date_next                 datetime64[us]            next day; missing: completed
            account_name              str                       name of the account
            payee_name                str                       name of the payee
            category_name             str                       name of the category
            memo                      str                       note on the transaction
            amount                    float64         currency  inflow positive, outflow negative
            frequency                 category                  interval between the days
            date_first                datetime64[us]            first day
            flag_color                category                  colour of the flag
            flag_name                 str                       name given to the flag
            is_split                  bool                      whether it is split; scheduled_subtransactions() has the parts
            scheduled_transaction_id  str                       key of the schedule
            account_id                str                       key of the account
            payee_id                  str                       key of the payee
            category_id               str                       key of the category; missing for splits and most transfers
            transfer_account_id       str                       key of the other account of a transfer

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
        Source: ``POST /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request for each row, one after the other. If the limit does not leave enough requests
        for all rows, nothing is sent. If one request fails, a note of its error says which rows were done,
        and the others are not sent. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> account_id = bf.accounts().query("on_budget")["account_id"].iloc[0]
        >>> rent = {"account_id": account_id, "date_next": "2026-07-01", "amount": -900.0}
        >>> bf.create_scheduled_transactions([rent | {"frequency": "monthly"}])["amount"].tolist()
        [-900.0]
        """
        return self._wait_for(self._aio.create_scheduled_transactions(rows))

    def update_scheduled_transactions(self, rows: Rows) -> pd.DataFrame:
        """Change the given fields of scheduled transactions, one after the other.

        As for `update_transactions`, the rows are `changes` without a frame that was read. A field
        that is absent is left alone. An empty value (None, NaN, NaT, NA) clears the field;
        ``account_id``, ``date_next``, ``frequency`` and ``amount`` cannot be empty.

        Parameters
        ----------
        rows : DataFrame or iterable of mappings
            With ``scheduled_transaction_id`` and the fields to change, as in
            `create_scheduled_transactions`, or ``account_name``, ``payee_name`` and
            ``category_name``.

        Returns
        -------
        DataFrame
            Rows sorted by date_next, scheduled_transaction_id and numbered from 0; the same columns and
            dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  --------------------------------------------------------------
            date_next                 datetime64[us]            next day; missing: completed
            account_name              str                       name of the account
            payee_name                str                       name of the payee
            category_name             str                       name of the category
            memo                      str                       note on the transaction
            amount                    float64         currency  inflow positive, outflow negative
            frequency                 category                  interval between the days
            date_first                datetime64[us]            first day
            flag_color                category                  colour of the flag
            flag_name                 str                       name given to the flag
            is_split                  bool                      whether it is split; scheduled_subtransactions() has the parts
            scheduled_transaction_id  str                       key of the schedule
            account_id                str                       key of the account
            payee_id                  str                       key of the payee
            category_id               str                       key of the category; missing for splits and most transfers
            transfer_account_id       str                       key of the other account of a transfer

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
        Source: ``PUT /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``.

        Cost: one request for the present rows, a delta where the list is known, and one for each row that
        differs. If an account, a payee or a category is changed, or a transfer, the lists of accounts,
        categories and payees cost one request each if they are not fresh. If the limit does not leave
        enough requests, nothing is written, unless the rows need more than the whole limit. If a request
        fails, a note of the error says how many rows were written, and ``journal().resume()`` continues.
        The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.scheduled_transactions()[["scheduled_transaction_id"]].head(1)
        >>> bf.update_scheduled_transactions(first.assign(memo="checked"))["memo"].tolist()
        ['checked']
        """
        return self._wait_for(self._aio.update_scheduled_transactions(rows))

    def delete_scheduled_transactions(self, keys: Keys) -> pd.DataFrame:
        """Delete scheduled transactions, one after the other, and return the deleted rows.

        Transactions that were entered from a schedule stay. ``journal().undo().apply()`` creates
        equal schedules with new keys, except for splits.

        Parameters
        ----------
        keys : str, DataFrame or iterable of str
            Keys of the schedules, or a frame with a column ``scheduled_transaction_id``. A key that
            occurs several times is deleted once.

        Returns
        -------
        DataFrame
            Rows sorted by date_next, scheduled_transaction_id and numbered from 0; the same columns and
            dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  --------------------------------------------------------------
            date_next                 datetime64[us]            next day; missing: completed
            account_name              str                       name of the account
            payee_name                str                       name of the payee
            category_name             str                       name of the category
            memo                      str                       note on the transaction
            amount                    float64         currency  inflow positive, outflow negative
            frequency                 category                  interval between the days
            date_first                datetime64[us]            first day
            flag_color                category                  colour of the flag
            flag_name                 str                       name given to the flag
            is_split                  bool                      whether it is split; scheduled_subtransactions() has the parts
            scheduled_transaction_id  str                       key of the schedule
            account_id                str                       key of the account
            payee_id                  str                       key of the payee
            category_id               str                       key of the category; missing for splits and most transfers
            transfer_account_id       str                       key of the other account of a transfer

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
        Source: ``DELETE /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``.

        Cost: one request for the present rows, a delta where the list is known, and one for each row. If
        the limit does not leave enough requests, nothing is written, unless the rows need more than the
        whole limit. If a request fails, a note of the error says how many rows were written, and
        ``journal().resume()`` continues. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> schedules = bf.scheduled_transactions()
        >>> len(bf.delete_scheduled_transactions(schedules.head(1)))
        1
        >>> len(schedules) - len(bf.scheduled_transactions())
        1
        """
        return self._wait_for(self._aio.delete_scheduled_transactions(keys))

    def create_account(
        self, name: str, account_type: AccountType, balance: float
    ) -> models.Account:
        """Create an account; its balance becomes a transaction ``Starting Balance``.

        The service cannot change or delete an account, and it creates no loans: do this in its
        app.

        Parameters
        ----------
        name : str
            Name of the account.
        account_type : {"checking", "savings", "cash", "creditCard", "otherAsset", "otherLiability"}
            Kind of account.
        balance : float
            Current balance in currency units; what is owed is negative.

        Returns
        -------
        Account
            Fields: id, name, type, on_budget, closed, balance, cleared_balance,
            uncleared_balance, note, transfer_payee_id, deleted.

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
        Source: ``POST /budgets/{budget_id}/accounts``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_account("Travel", "cash", 50.0).balance
        50.0
        """
        return self._wait_for(self._aio.create_account(name, account_type, balance))

    def create_payee(self, name: str) -> models.Payee:
        """Create a payee, even if another one has the same name.

        Parameters
        ----------
        name : str
            At most 500 characters.

        Returns
        -------
        Payee
            Fields: id, name, transfer_account_id, deleted.

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
        Source: ``POST /budgets/{budget_id}/payees``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_payee("Baker").name
        'Baker'
        """
        return self._wait_for(self._aio.create_payee(name))

    def rename_payee(self, payee_id: str, name: str) -> models.Payee:
        """Rename a payee. The name of a payee for transfers is that of its account.

        Parameters
        ----------
        payee_id : str
            A key in ``payees()["payee_id"]``.
        name : str
            At most 500 characters.

        Returns
        -------
        Payee
            Fields: id, name, transfer_account_id, deleted.

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
        Source: ``PATCH /budgets/{budget_id}/payees/{payee_id}``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> payee = bf.create_payee("Baker")
        >>> bf.rename_payee(payee.id, "Baker's").name
        "Baker's"
        """
        return self._wait_for(self._aio.rename_payee(payee_id, name))

    def create_category_group(self, name: str) -> models.CategoryGroup:
        """Create a category group.

        Parameters
        ----------
        name : str
            At most 50 characters.

        Returns
        -------
        CategoryGroup
            Fields: id, name, hidden, deleted.

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
        Source: ``POST /budgets/{budget_id}/category_groups``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_category_group("Garden").name
        'Garden'
        """
        return self._wait_for(self._aio.create_category_group(name))

    def rename_category_group(self, category_group_id: str, name: str) -> models.CategoryGroup:
        """Rename a category group.

        Parameters
        ----------
        category_group_id : str
            A key in ``categories()["category_group_id"]``.
        name : str
            At most 50 characters.

        Returns
        -------
        CategoryGroup
            Fields: id, name, hidden, deleted.

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
        Source: ``PATCH /budgets/{budget_id}/category_groups/{category_group_id}``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> group = bf.create_category_group("Garden")
        >>> bf.rename_category_group(group.id, "Allotment").name
        'Allotment'
        """
        return self._wait_for(self._aio.rename_category_group(category_group_id, name))

    def create_category(
        self,
        name: str,
        category_group_id: str,
        *,
        note: str | None = None,
        goal_target: float | None = None,
        goal_target_date: Day | None = None,
        goal_frequency: GoalFrequency | None = None,
        goal_needs_whole_amount: bool | None = None,
    ) -> models.Category:
        """Create a category, with a target if `goal_target` is given.

        Parameters
        ----------
        name : str
            Name of the category.
        category_group_id : str
            A key in ``category_groups()["category_group_id"]``.
        note : str, optional
            Note on the category.
        goal_target : float, optional
            Amount of the target in currency units. Without further arguments, it is the amount to
            set aside each month.
        goal_target_date : str, date or Timestamp, optional
            Day on which the target is due.
        goal_frequency : {"monthly", "weekly", "yearly"}, optional
            Interval in which the target repeats; not together with `goal_target_date`.
        goal_needs_whole_amount : bool, optional
            Whether the whole amount is set aside each time, or only what is missing ("refill up
            to").

        Returns
        -------
        Category
            Fields: id, category_group_id, category_group_name, name, hidden, budgeted,
            activity, balance, deleted, note, goal_type, goal_target, goal_target_month,
            goal_target_date, goal_percentage_complete, goal_months_to_budget, goal_under_funded,
            goal_overall_funded, goal_overall_left.

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
        Source: ``POST /budgets/{budget_id}/categories``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> group = bf.create_category_group("Garden")
        >>> bf.create_category("Tools", group.id, goal_target=20.0).goal_target
        20.0
        """
        return self._wait_for(
            self._aio.create_category(
                name,
                category_group_id,
                note=note,
                goal_target=goal_target,
                goal_target_date=goal_target_date,
                goal_frequency=goal_frequency,
                goal_needs_whole_amount=goal_needs_whole_amount,
            )
        )

    def update_category(self, category_id: str, **fields: Any) -> models.Category:
        """Change the given fields of a category; `assign` changes its assigned amounts.

        Parameters
        ----------
        category_id : str
            A key in ``categories()["category_id"]``.
        **fields
            Any of ``name, category_group_id, note, goal_target, goal_target_date, goal_frequency,
            goal_needs_whole_amount``, as in `create_category`. An empty value
            (None, NaN, NaT, NA) clears a note or a date, and ``goal_target=None`` removes the
            target. A ``goal_frequency`` replaces the target and needs a ``goal_target``.

        Returns
        -------
        Category
            Fields: id, category_group_id, category_group_name, name, hidden, budgeted,
            activity, balance, deleted, note, goal_type, goal_target, goal_target_month,
            goal_target_date, goal_percentage_complete, goal_months_to_budget, goal_under_funded,
            goal_overall_funded, goal_overall_left.

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
        Source: ``PATCH /budgets/{budget_id}/categories/{category_id}``.

        Cost: one request. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> categories = bf.categories().set_index("category_name")
        >>> groceries = categories["category_id"]["Groceries"]
        >>> bf.update_category(groceries, note="market and baker", goal_target=450.0).goal_target
        450.0
        """
        return self._wait_for(self._aio.update_category(category_id, **fields))

    def assign(self, month: Day, category: str, amount: float) -> models.Category:
        """Set the amount that is assigned to a category in a month.

        Parameters
        ----------
        month : str or date
            ``"2026-07"``, or ``"current"`` for the current month (UTC).
        category : str
            Key or name of the category. If several groups have a category of this name, write the
            group too: ``"Home: Insurance"``.
        amount : float
            The new assigned amount in currency units; it replaces the current one.

        Returns
        -------
        Category
            Fields: id, category_group_id, category_group_name, name, hidden, budgeted,
            activity, balance, deleted, note, goal_type, goal_target, goal_target_month,
            goal_target_date, goal_percentage_complete, goal_months_to_budget, goal_under_funded,
            goal_overall_funded, goal_overall_left.

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
        Source: ``PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}``.

        Cost: one request. A name also needs the list of categories, which costs none within the time to
        live. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.assign("2026-07", "Groceries", 450.0).budgeted
        450.0
        """
        return self._wait_for(self._aio.assign(month, category, amount))

    def move(self, month: Day, from_: str | None, to: str | None, amount: float) -> pd.DataFrame:
        """Move assigned money from one category to another, and return the changed categories.

        The assigned amount of `from_` decreases, then that of `to` increases. The service has no
        request for both: if the second one fails, the money is in Ready to Assign, and a note of
        the error says which amounts were changed and how to complete the move.

        Parameters
        ----------
        month : str or date
            ``"2026-07"``, or ``"current"`` for the current month (UTC).
        from_, to : str or None
            Key or name of the category, with its group if several groups have a category of this
            name: ``"Home: Insurance"``. None or ``"Ready to Assign"`` is the money that is not
            assigned.
        amount : float
            The amount to move in currency units, greater than zero.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_name, category_id and numbered from 0; the same
            columns and dtypes when there are none.

            column                    dtype           unit      meaning
            ------------------------  --------------  --------  ----------------------------------------------------
            month                     datetime64[us]            first day of the month
            category_group_name       str                       name of the group of the category
            category_name             str                       name of the category
            budgeted                  float64         currency  assigned in the month
            activity                  float64         currency  sum of the transactions of the category in the month
            balance                   float64         currency  available at the end of the month
            hidden                    bool                      whether the category is hidden
            goal_type                 category                  kind of goal
            goal_target               float64         currency  amount of the goal
            goal_target_date          datetime64[us]            day on which the goal is due
            goal_percentage_complete  Int64           %         completed part of the goal, rounded down
            goal_months_to_budget     Int64           months    left to fund the goal, including this month
            goal_under_funded         float64         currency  missing for the goal this month, positive
            goal_overall_funded       float64         currency  funded so far
            goal_overall_left         float64         currency  left to fund
            note                      str                       note on the category
            category_id               str                       key of the category
            category_group_id         str                       key of the group of the category

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
        Source: ``PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}``.

        Cost: one request for the month and one for each of the two categories. If the limit does not leave
        enough requests, nothing is changed. The cached lists that the write changes are dropped.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> before = bf.month().set_index("category_name")["budgeted"]
        >>> after = bf.move("current", "Groceries", "Eating Out", 20.0)
        >>> after = after.set_index("category_name")["budgeted"]
        >>> (after - before).dropna().round(2).to_dict()
        {'Eating Out': 20.0, 'Groceries': -20.0}
        """
        return self._wait_for(self._aio.move(month, from_, to, amount))

    def changes(
        self,
        edited: pd.DataFrame | None = None,
        *,
        delete: Keys | None = None,
        replace_splits: bool = False,
    ) -> Changes:
        """Compare an edited frame with the service, and return what it changes; nothing is written.

        Cells that differ from the frame that was read are changes. A cell that had a value and is
        missing now (None, NaN, NaT, NA) clears the field. Rows and columns may be missing; rows
        that are not in the frame are not touched. A row without a key is created. Columns that
        you added are ignored, with a warning if they look like a misspelt one.

        Names work as well as keys: set ``category_name`` (with ``category_group_name`` if several
        groups have such a category), ``account_name`` or ``payee_name``; the service creates an
        unknown payee. Of a name and a key, only the one that differs counts.

        A row that was changed since the frame was read is a conflict, and is not overwritten,
        unless only fields differ that have their edited values already. The frame knows its state
        by ``attrs["version"]``. A frame that has lost its attrs, for example by ``pd.concat`` or in
        a CSV file, is compared with the present state, with a warning.

        Parameters
        ----------
        edited : DataFrame, optional
            A frame from ``transactions()``, ``ledger()``, ``subtransactions()``,
            ``scheduled_transactions()``, ``month_categories()``, ``month()`` or ``categories()``,
            a selection of ``reports.suggestions()``, or new rows with ``date``, ``amount`` and
            ``account_name`` or ``account_id`` (with ``frequency``: schedules). New transactions
            may also have ``import_id`` and ``subtransactions``, a list of mappings with
            ``amount``, payee, category and ``memo``.
            Of ``month_categories()`` and ``month()``, ``budgeted`` can be changed, also in a frame
            with ``month``, ``category_name`` and ``budgeted`` alone; of ``categories()`` also the
            name, the group, the note and the target.
        delete : str, DataFrame, Series or iterable of str, optional
            The transactions or schedules to delete: their keys, or a frame with the column of keys.
        replace_splits : bool
            The service cannot change the date, the amount, the category or the parts of an
            existing split. With True, such a split is deleted and created again, with a new key.

        Returns
        -------
        Changes
            What is changed, with its cost, warnings and conflicts. ``apply`` sends it.

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
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request for the present rows, a delta where the list is known; the lists of accounts,
        categories and payees cost one request each if they are not fresh. Assigned amounts of one month
        cost one request, those of several months one for the whole budget. No write is sent.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> ledger = bf.ledger()
        >>> todo = ledger[ledger["is_uncategorized"]]
        >>> changes = bf.changes(todo.assign(category_name="Groceries"))
        >>> changes.requests
        1
        >>> changes.frame[["field", "before", "after"]].drop_duplicates().values.tolist()
        [['category_name', None, 'Groceries']]
        >>> int(changes.apply().undo().apply().counts["done"]) == len(changes)
        True
        """
        return Changes(
            self._wait_for(self._aio.changes(edited, delete=delete, replace_splits=replace_splits)),
            self._wait_for,
        )

    def import_rows(
        self, frame: pd.DataFrame, *, account: str, columns: Mapping[str, str] | None = None
    ) -> Changes:
        """Compare a bank's file with an account, and return the new rows; nothing is written.

        ``pandas.read_csv`` reads CSV files, and `read_ofx` OFX and QFX files. New rows are cleared,
        not approved and without a category. Their import ids are those of the service's own import
        of files, ``YNAB:<milliunits>:<date>:<occurrence>``, where the occurrence counts the rows of
        the frame with the same amount and day: the same file can be imported again and again.
        With ``bank_row_id``, which must be unique in the account of the bank, a row is the same in
        all files, whatever its day and occurrence are there. Other columns are ignored. A
        ``payee_name`` such as ``Transfer : Savings`` makes a transfer. Texts that are longer than
        the service accepts are shortened, with a warning.

        These rows are left out; ``skipped`` lists them with the reasons:

        * ``imported before``: the account has a row with the same import id, or the journal of this
          budget knows the row of the account that was created for this row.
        * ``imported before and deleted``: it had one, as the journal or an answer of
          ``transactions(include_deleted=True)`` within the time to live says. The service never
          accepts an import id twice, so that an import that was undone leaves its rows out.
        * ``same amount and day`` or ``same amount, 3 days apart``: the account has a row with this
          amount that others have entered, without an import id and up to five days apart, or with
          the import id of another program on the same day. Each existing row counts once, also over
          several files, the nearest day first, and is not changed.
        * ``bank_row_id twice in the file``: an earlier row of the frame has the same id.
        * ``in the future`` or ``over five years ago``: the service refuses the day.

        With ``s = imported.skipped``, ``changes(s[s["reason"] == "imported before and deleted"])``
        creates deleted rows again, without import ids. ``apply`` also notes in the journal which
        rows of the account the rows of the file are, so that a later file does not take them for
        other rows: call it even if nothing is new. Without a `cache_dir`, the journal ends with
        this object: export a few days more than you need then.

        The service itself merges a row that has an import id with a row of the same amount that
        has none, up to ten days apart. New rows near such a row are therefore sent without an
        import id, with a warning. Before anything is sent, the rows are compared once more: those
        that another plan has imported since, or that have appeared, are in ``conflicts``.

        Parameters
        ----------
        frame : DataFrame
            With ``date``, ``amount``, ``payee_name`` and optionally ``memo`` and ``bank_row_id``.
            Days are datetimes, dates or texts such as ``"2026-05-17"``. Amounts are numbers in
            currency units with at most three decimals, negative for outflows. Payees, memos and
            ids may be missing.
        account : str
            The name or key of the account.
        columns : mapping, optional
            The names of columns in the frame, and what they are here:
            ``{"Buchungstag": "date", "Betrag": "amount", "Empfänger": "payee_name"}``.

        Returns
        -------
        Changes
            The new rows, with their cost and warnings, and ``skipped``. ``apply`` sends them.

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
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request for the present rows, a delta where the list is known; the lists of accounts,
        categories and payees cost one request each if they are not fresh. No write is sent.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> import pandas as pd
        >>> bread = {"date": "2026-06-16", "amount": -4.5, "payee_name": "Bakery"}
        >>> imported = bf.import_rows(pd.DataFrame([bread, bread]), account="Wallet")
        >>> imported.apply().counts["done"]
        2
        >>> again = bf.import_rows(pd.DataFrame([bread, bread]), account="Wallet")
        >>> len(again), again.skipped["reason"].tolist()
        (0, ['imported before', 'imported before'])
        """
        return Changes(
            self._wait_for(self._aio.import_rows(frame, account=account, columns=columns)),
            self._wait_for,
        )

    def journal(self) -> Journal:
        """What `changes` and methods such as `update_transactions` have applied, newest last.

        The journal is in the `cache_dir` of the connection, beside the cache: one file for each
        token, with mode 0600. It contains the changed rows as plain text, and not the token. An
        empty file with the ending ``.lock`` lets only one process apply changes at a time.
        Without a `cache_dir`, it is in memory and ends with this object. Updates and
        deletions with ``update_transactions`` and the like are in the journal too; other write
        methods are not.

        Returns
        -------
        Journal
            ``frame`` lists the applications, ``resume`` continues an interrupted one, ``undo``
            prepares the reverse changes, and ``undo().apply()`` sends them.

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
        Source: ``GET /budgets``.

        Cost: none, if the budget is known already.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> import pandas as pd
        >>> row = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet"}
        >>> _ = bf.changes(pd.DataFrame([row])).apply()
        >>> bf.journal().frame["created"].tolist()
        [1]
        """
        return Journal(self._wait_for(self._aio.journal()), self._wait_for)


class Models:
    """The lists of a budget as models of `budgetframe.models`: ``bf.models.payees()``.

    Models and frames are built from the same answers and cost the same requests. Each row is validated
    separately, which takes several times as long as building a frame. Names are those that the service
    sent with the row.
    """

    def __init__(self, aio: AsyncModels, wait_for: WaitFor) -> None:
        self._aio = aio
        self._wait_for = wait_for

    def budgets(self) -> list[models.BudgetSummary]:
        """The budgets of the user.

        Returns
        -------
        list of BudgetSummary

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
        Source: ``GET /budgets``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> BudgetFrame.sandbox().models.budgets()[0].name
        'Household'
        """
        return self._wait_for(self._aio.budgets())

    def accounts(self) -> list[models.Account]:
        """Accounts, including closed accounts.

        Returns
        -------
        list of Account

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
        Source: ``GET /budgets/{budget_id}/accounts``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> accounts = BudgetFrame.sandbox().models.accounts()
        >>> {account.type for account in accounts if account.closed}
        {'savings'}
        """
        return self._wait_for(self._aio.accounts())

    def category_groups(self) -> list[models.CategoryGroupWithCategories]:
        """Category groups, each with its categories.

        Returns
        -------
        list of CategoryGroupWithCategories

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
        Source: ``GET /budgets/{budget_id}/categories``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> groups = BudgetFrame.sandbox().models.category_groups()
        >>> [category.name for category in groups[0].categories]
        ['Inflow: Ready to Assign', 'Uncategorized']
        """
        return self._wait_for(self._aio.category_groups())

    def payees(self) -> list[models.Payee]:
        """Payees, including the payees for transfers.

        Returns
        -------
        list of Payee

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
        Source: ``GET /budgets/{budget_id}/payees``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> payees = BudgetFrame.sandbox().models.payees()
        >>> "Corner Market" in {payee.name for payee in payees}
        True
        """
        return self._wait_for(self._aio.payees())

    def payee_locations(self) -> list[models.PayeeLocation]:
        """Places where payees were paid.

        Returns
        -------
        list of PayeeLocation

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
        Source: ``GET /budgets/{budget_id}/payee_locations``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> type(BudgetFrame.sandbox().models.payee_locations()[0].latitude).__name__
        'float'
        """
        return self._wait_for(self._aio.payee_locations())

    def months(self) -> list[models.MonthSummary]:
        """Totals of each month.

        Returns
        -------
        list of MonthSummary

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
        >>> months = BudgetFrame.sandbox().models.months()
        >>> {len(month.month) for month in months}
        {10}
        """
        return self._wait_for(self._aio.months())

    def transactions(self) -> list[models.TransactionDetail]:
        """Transactions of all years, each with its subtransactions.

        Returns
        -------
        list of TransactionDetail

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
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> transactions = BudgetFrame.sandbox().models.transactions()
        >>> max(len(transaction.subtransactions) for transaction in transactions)
        2
        """
        return self._wait_for(self._aio.transactions())

    def scheduled_transactions(self) -> list[models.ScheduledTransactionDetail]:
        """Schedules, each with its subtransactions.

        Returns
        -------
        list of ScheduledTransactionDetail

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
        Source: ``GET /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> schedules = BudgetFrame.sandbox().models.scheduled_transactions()
        >>> "monthly" in {schedule.frequency for schedule in schedules}
        True
        """
        return self._wait_for(self._aio.scheduled_transactions())

    def __repr__(self) -> str:
        return methods_as_text(self)

    def _repr_html_(self) -> str:
        return methods_as_html(self)
