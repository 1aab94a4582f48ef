"""The lists of a budget as frames, the export and the reconciliation."""

# ruff: noqa: E501 - the lines of a table of columns are not wrapped

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pandas as pd

from budgetframe._facade.wait_for import passed
from budgetframe.frames.dates import Day
from budgetframe.frames.money import Money
from budgetframe.frames.reconciliation import Reconciliation

from .base import Methods

if TYPE_CHECKING:
    from budgetframe._facade.aio import AsyncBudgetFrame


class FrameMethods(Methods):
    """Methods that return the lists of a budget, the export and the reconciliation."""

    _aio: AsyncBudgetFrame

    def budgets(self, *, extra: bool = False) -> pd.DataFrame:
        """The budgets of the user, one row per budget.

        Parameters
        ----------
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by budget_name, budget_id and numbered from 0; the same columns and dtypes
            when there are none.

            column            dtype                unit  meaning
            ----------------  -------------------  ----  -------------------------
            budget_name       str                        name of the budget
            first_month       datetime64[us]             first month of the budget
            last_month        datetime64[us]             last month of the budget
            last_modified_on  datetime64[us, UTC]        time of the last change
            budget_id         str                        key of the budget

        Notes
        -----
        Source: ``GET /budgets``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.budgets()["budget_name"].tolist()
        ['Household', '東京の家計']
        """
        return self._wait_for(self._aio.budgets(extra=extra))

    def accounts(
        self,
        *,
        include_closed: bool = True,
        include_deleted: bool = False,
        money: Literal["float", "milliunits", "decimal"] = "float",
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
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by closed, account_name, account_id and numbered from 0; the same columns
            and dtypes when there are none.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/accounts``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> accounts = bf.accounts(include_closed=False)
        >>> accounts[["account_name", "balance"]].head(2).values.tolist()
        [['Car Loan', -1468.0], ['Checking', 8062.99]]
        """
        accounts = self._aio.accounts(
            include_closed=include_closed, include_deleted=include_deleted, money=money, extra=extra
        )
        return self._wait_for(accounts)

    def categories(
        self,
        *,
        include_hidden: bool = True,
        include_deleted: bool = False,
        money: Literal["float", "milliunits", "decimal"] = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Categories with the amounts of the current month (UTC), one row per category.

        Two groups may each have a category of the same name: join on ``category_id``. The balance of
        ``Inflow: Ready to Assign`` is all income since the budget began: what can be assigned is
        `ready_to_assign`.

        A ``goal_type`` is ``TB`` (target balance, also by a day; ``TBD`` is the older code of such a
        goal), ``MF`` (monthly funding), ``NEED`` (plan your spending) or ``DEBT`` (monthly payment of
        a debt). A ``goal_target`` of 0 without a ``goal_type`` means that there is no goal.
        ``goal_cadence`` is a number of the service; ``bf.reports.targets()`` says it in words.

        Parameters
        ----------
        include_hidden : bool
            Whether hidden categories and groups are included.
        include_deleted : bool
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_name, category_id and numbered from 0; the
            same columns and dtypes when there are none.

            column                    dtype                unit      meaning
            ------------------------  -------------------  --------  ----------------------------------------------------------------------
            category_group_name       str                            name of the group of the category
            category_name             str                            name of the category
            budgeted                  float64              currency  assigned in the month
            activity                  float64              currency  sum of the transactions of the category in the month
            balance                   float64              currency  available at the end of the month
            hidden                    bool                           whether the category is hidden
            goal_type                 category                       kind of goal
            goal_target               float64              currency  amount of the goal
            goal_target_date          datetime64[us]                 day on which the goal is due
            goal_percentage_complete  Int64                %         completed part of the goal, rounded down
            goal_months_to_budget     Int64                months    left to fund the goal, including this month
            goal_under_funded         float64              currency  missing for the goal this month, positive
            goal_overall_funded       float64              currency  funded so far
            goal_overall_left         float64              currency  left to fund
            note                      str                            note on the category
            goal_cadence              Int64                code      1 month, 2 week, 3 to 12: 2 to 11 months, 13 year, 14: 2 years
            goal_cadence_frequency    Int64                times     multiplies the cadences 1, 2 and 13
            goal_day                  Int64                day       day of the month, missing: the last; if weekly, of the week, 0: Sunday
            goal_needs_whole_amount   boolean                        NEED goals: whether each period asks for the whole target again
            goal_creation_month       datetime64[us]                 first month of the goal
            goal_snoozed_at           datetime64[us, UTC]            when the goal was snoozed; missing: it is not
            category_id               str                            key of the category
            category_group_id         str                            key of the group of the category

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/categories``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> categories = bf.categories()
        >>> categories.nsmallest(2, "activity")["category_name"].tolist()
        ['Rent', 'Groceries']
        """
        return self._wait_for(self._aio.categories(**passed(locals())))

    def category_groups(
        self, *, include_hidden: bool = True, include_deleted: bool = False, extra: bool = False
    ) -> pd.DataFrame:
        """Category groups, one row per group, including groups without a category.

        Parameters
        ----------
        include_hidden : bool
            Whether hidden categories and groups are included.
        include_deleted : bool
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_group_id and numbered from 0; the same
            columns and dtypes when there are none.

            column               dtype  unit  meaning
            -------------------  -----  ----  ---------------------------
            category_group_name  str          name of the group
            hidden               bool         whether the group is hidden
            category_group_id    str          key of the group

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/categories``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.category_groups()["category_group_name"].head(3).tolist()
        ['Car', 'Credit Card Payments', 'Everyday']
        """
        return self._wait_for(self._aio.category_groups(**passed(locals())))

    def payees(self, *, include_deleted: bool = False, extra: bool = False) -> pd.DataFrame:
        """Payees, one row per payee; each account has one payee for transfers to it.

        Parameters
        ----------
        include_deleted : bool
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by payee_name, payee_id and numbered from 0; the same columns and dtypes
            when there are none.

            column               dtype  unit  meaning
            -------------------  -----  ----  -------------------------------------------------------
            payee_name           str          name of the payee
            payee_id             str          key of the payee
            transfer_account_id  str          key of the account, if the payee means a transfer to it

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/payees``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.payees()["payee_name"].head(3).tolist()
        ['Adler Pharmacy', 'Anchor Mutual', 'Bakery Østergård']
        """
        return self._wait_for(self._aio.payees(include_deleted=include_deleted, extra=extra))

    def payee_locations(self, payee_id: str | None = None, *, extra: bool = False) -> pd.DataFrame:
        """Places where payees were paid, one row per location.

        Parameters
        ----------
        payee_id : str, optional
            Key or name of a payee: only the places of this payee.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by payee_id, payee_location_id and numbered from 0; the same columns and
            dtypes when there are none.

            column             dtype    unit     meaning
            -----------------  -------  -------  -------------------
            latitude           float64  degrees  north positive
            longitude          float64  degrees  east positive
            payee_location_id  str               key of the location
            payee_id           str               key of the payee

        Notes
        -----
        Source: ``GET /budgets/{budget_id}[/payees/{payee_id}]/payee_locations``.

        Cost: one request; none within the time to live. A name also needs the list of payees,
        unless it is fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.payee_locations()[["latitude", "longitude"]].head(1).values.tolist()
        [[52.5200066, 13.404954]]
        """
        return self._wait_for(self._aio.payee_locations(payee_id, extra=extra))

    def months(self, *, money: Money = "float", extra: bool = False) -> pd.DataFrame:
        """Totals of each month, one row per month.

        Parameters
        ----------
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by month and numbered from 0; the same columns and dtypes when there are
            none.

            column          dtype           unit      meaning
            --------------  --------------  --------  --------------------------------------------
            month           datetime64[us]            first day of the month
            income          float64         currency  income, before it is assigned
            budgeted        float64         currency  assigned to categories
            activity        float64         currency  sum of the transactions with a category
            to_be_budgeted  float64         currency  left to assign
            age_of_money    Int64           days      days between receiving money and spending it
            note            str                       note on the month

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/months``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.months()[["income", "activity"]].tail(1).values.tolist()
        [[3231.62, -2393.55]]
        """
        return self._wait_for(self._aio.months(money=money, extra=extra))

    def month(
        self,
        month: Day = "current",
        *,
        include_hidden: bool = True,
        money: Literal["float", "milliunits", "decimal"] = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """The categories of one month, one row per category.

        The balance of ``Inflow: Ready to Assign`` is all income since the budget began: what can be
        assigned is `ready_to_assign`.

        In a future month, ``goal_under_funded`` counts what was assigned in earlier months.
        `categories` explains the other columns of goals.

        Parameters
        ----------
        month : str or date
            ``"2026-05"``; by default the current month (UTC).
        include_hidden : bool
            Whether hidden categories and groups are included.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by category_group_name, category_name, category_id and numbered from 0; the
            same columns and dtypes when there are none.

            column                    dtype                unit      meaning
            ------------------------  -------------------  --------  ----------------------------------------------------------------------
            month                     datetime64[us]                 first day of the month
            category_group_name       str                            name of the group of the category
            category_name             str                            name of the category
            budgeted                  float64              currency  assigned in the month
            activity                  float64              currency  sum of the transactions of the category in the month
            balance                   float64              currency  available at the end of the month
            hidden                    bool                           whether the category is hidden
            goal_type                 category                       kind of goal
            goal_target               float64              currency  amount of the goal
            goal_target_date          datetime64[us]                 day on which the goal is due
            goal_percentage_complete  Int64                %         completed part of the goal, rounded down
            goal_months_to_budget     Int64                months    left to fund the goal, including this month
            goal_under_funded         float64              currency  missing for the goal this month, positive
            goal_overall_funded       float64              currency  funded so far
            goal_overall_left         float64              currency  left to fund
            note                      str                            note on the category
            goal_cadence              Int64                code      1 month, 2 week, 3 to 12: 2 to 11 months, 13 year, 14: 2 years
            goal_cadence_frequency    Int64                times     multiplies the cadences 1, 2 and 13
            goal_day                  Int64                day       day of the month, missing: the last; if weekly, of the week, 0: Sunday
            goal_needs_whole_amount   boolean                        NEED goals: whether each period asks for the whole target again
            goal_creation_month       datetime64[us]                 first month of the goal
            goal_snoozed_at           datetime64[us, UTC]            when the goal was snoozed; missing: it is not
            category_id               str                            key of the category
            category_group_id         str                            key of the group of the category

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/months/{month}``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.month("2026-05")
        >>> may.nlargest(2, "budgeted")["category_name"].tolist()
        ['Rent', 'Groceries']
        """
        return self._wait_for(self._aio.month(**passed(locals())))

    def month_categories(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_hidden: bool = True,
        money: Literal["float", "milliunits", "decimal"] = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """All categories in all months, one row per month and category, in one request.

        The frame is tidy: ``pivot(index="month", columns="category_id", values="activity")``. Two
        groups may each have a category of the same name, so the key of a row is ``month`` and
        ``category_id``.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last month, both included: ``"2026-05"`` or ``"2026"``.
        include_hidden : bool
            Whether hidden categories and groups are included.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by month, category_group_name, category_name, category_id and numbered from
            0; the same columns and dtypes when there are none.

            column                    dtype                unit      meaning
            ------------------------  -------------------  --------  ----------------------------------------------------------------------
            month                     datetime64[us]                 first day of the month
            category_group_name       str                            name of the group of the category
            category_name             str                            name of the category
            budgeted                  float64              currency  assigned in the month
            activity                  float64              currency  sum of the transactions of the category in the month
            balance                   float64              currency  available at the end of the month
            hidden                    bool                           whether the category is hidden
            goal_type                 category                       kind of goal
            goal_target               float64              currency  amount of the goal
            goal_target_date          datetime64[us]                 day on which the goal is due
            goal_percentage_complete  Int64                %         completed part of the goal, rounded down
            goal_months_to_budget     Int64                months    left to fund the goal, including this month
            goal_under_funded         float64              currency  missing for the goal this month, positive
            goal_overall_funded       float64              currency  funded so far
            goal_overall_left         float64              currency  left to fund
            note                      str                            note on the category
            goal_cadence              Int64                code      1 month, 2 week, 3 to 12: 2 to 11 months, 13 year, 14: 2 years
            goal_cadence_frequency    Int64                times     multiplies the cadences 1, 2 and 13
            goal_day                  Int64                day       day of the month, missing: the last; if weekly, of the week, 0: Sunday
            goal_needs_whole_amount   boolean                        NEED goals: whether each period asks for the whole target again
            goal_creation_month       datetime64[us]                 first month of the goal
            goal_snoozed_at           datetime64[us, UTC]            when the goal was snoozed; missing: it is not
            category_id               str                            key of the category
            category_group_id         str                            key of the group of the category

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> plan = bf.month_categories(since="2026-01", until="2026-06")
        >>> plan.pivot(index="month", columns="category_id", values="activity").shape
        (6, 28)
        """
        return self._wait_for(self._aio.month_categories(**passed(locals())))

    def money_movements(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Money moved between categories: one row per move, or totals with one row per category.

        The published service and the sandbox send each move with its time; another service can
        send totals without a date. ``bf.reports.money_flow()`` has the names of the categories. A
        month before the service began to keep movements is unknown, not zero.

        Parameters
        ----------
        month : str or date, optional
            Only this month: ``"2026-05"``.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Moves, in rows sorted by moved_at, money_movement_id and numbered from 0; the same
            columns and dtypes when there are none.

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

        DataFrame
            Totals, in rows sorted by category_group_name, category_name, allocation, spent, income
            and numbered from 0; the same columns and dtypes when there are none.

            column               dtype    unit      meaning
            -------------------  -------  --------  ---------------------------------
            category_group_name  str                name of the group of the category
            category_name        str                name of the category
            allocation           float64  currency  amount assigned
            spent                float64  currency  amount spent
            income               float64  currency  amount received

        Notes
        -----
        Source: ``GET /budgets/{budget_id}[/months/{month}]/money_movements``.

        Cost: one request, a delta for moves of all months; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.money_movements("2026-05")[["moved_at", "amount"]].tail(1)
                            moved_at  amount
        21 2026-06-17 12:00:00+00:00    20.0
        """
        return self._wait_for(self._aio.money_movements(month, money=money, extra=extra))

    def money_movement_groups(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Groups of money movements: one row per set of moves, or totals with one row per group.

        Moves that were made together, such as those of a monthly plan, are one set. The service
        sends sets or totals, as for `money_movements`.

        Parameters
        ----------
        month : str or date, optional
            Only this month: ``"2026-05"``.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Sets of moves, in rows sorted by group_created_at, money_movement_group_id and numbered
            from 0; the same columns and dtypes when there are none.

            column                   dtype                unit  meaning
            -----------------------  -------------------  ----  -----------------------------------------
            group_created_at         datetime64[us, UTC]        time of the moves
            month                    datetime64[us]             month whose assignments the moves changed
            note                     str                        note on the moves
            money_movement_group_id  str                        key of the group of moves
            performed_by_user_id     str                        key of the user who made the moves

        DataFrame
            Totals of category groups, in rows sorted by category_group_name, allocation, spent,
            income and numbered from 0; the same columns and dtypes when there are none.

            column               dtype    unit      meaning
            -------------------  -------  --------  -----------------
            category_group_name  str                name of the group
            allocation           float64  currency  amount assigned
            spent                float64  currency  amount spent
            income               float64  currency  amount received

        Notes
        -----
        Source: ``GET /budgets/{budget_id}[/months/{month}]/money_movement_groups``.

        Cost: one request, a delta for moves of all months; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.money_movement_groups("2026-05")[["month", "note"]]
               month          note
        0 2026-05-01  Monthly plan
        1 2026-05-01   More guests
        """
        return self._wait_for(self._aio.money_movement_groups(month, money=money, extra=extra))

    def export(self) -> dict[str, pd.DataFrame]:
        """The whole budget in one request: a dictionary with one frame for each list.

        Returns
        -------
        dict of str to DataFrame
            The frames have the columns of the methods with the same names; ``month_categories`` has
            one row per month and category, and the columns of `month`. If rows of a list refer to
            an account, a payee, a category or a group that the export does not list, only the list
            itself has the names: it is read with one more request.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> frames = bf.export()
        >>> list(frames)[:3]
        ['accounts', 'payees', 'payee_locations']
        >>> len(frames["payees"])
        38
        """
        return self._wait_for(self._aio.export())

    def reconcile(self) -> Reconciliation:
        """Compare the sums of the transactions with the service's own figures.

        The transactions are requested as a delta, and the balances of all accounts, cleared and
        uncleared ones too, and the activity of all categories in all months, which the service adds
        up itself, in full; both now, even within the time to live. A difference that the interest
        and escrow of a loan explain counts as agreement. So does that of a deleted split, which the
        service leaves in the activity of its categories, if the deletion was seen since the last
        full read. If they differ, both are read once more, because somebody may have edited the
        budget in between. If they still differ, the transactions are reloaded in full; a
        `RuntimeWarning` and ``.attrs["reread"]`` report this. In the app's own export, available
        amounts are compared too: the last one of the category, assigned and activity make each.

        Returns
        -------
        Reconciliation
            A DataFrame with one row per account and one per category and month, and for the app's
            export one per available amount; ``.ok`` and ``.summary`` give the result.

            column                  dtype           unit        meaning
            ----------------------  --------------  ----------  ---------------------------------------------------
            subject                 category                    kind of the row
            month                   datetime64[us]              first day of the month; missing for accounts
            account_name            str                         name of the account
            category_group_name     str                         name of its group
            category_name           str                         name of the category
            service                 float64         currency    its figure; missing: the service has none
            ledger                  float64         currency    figure that the transactions make
            difference_milliunits   int64           milliunits  ledger minus service
            interest_milliunits     int64           milliunits  part of it: interest of a loan
            escrow_milliunits       int64           milliunits  part of it: escrow of a loan
            unexplained_milliunits  int64           milliunits  part of it without a known reason
            cleared_milliunits      int64           milliunits  the same of the cleared balance
            uncleared_milliunits    int64           milliunits  the same of the uncleared balance
            reason                  str                         reason of an expected difference; otherwise missing
            account_id              str                         key of the account; missing for category months
            category_id             str                         key of the category; missing for accounts

        Notes
        -----
        Source: ``GET /budgets/{budget_id}`` and ``GET /budgets/{budget_id}/transactions``.

        Cost: two requests, a delta and the whole budget; four where they differ at first, and six
        where the transactions are reloaded in full.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reconcile().ok
        True
        """
        return self._wait_for(self._aio.reconcile())
