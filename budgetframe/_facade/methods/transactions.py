"""Transactions, schedules and the ledger as frames."""

# ruff: noqa: E501 - the lines of a table of columns are not wrapped

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pandas as pd

from budgetframe._facade.wait_for import passed
from budgetframe.frames.dates import Day
from budgetframe.frames.money import Money

from .base import Methods

if TYPE_CHECKING:
    from budgetframe._facade.aio import AsyncBudgetFrame


class TransactionMethods(Methods):
    """Methods that return transactions, schedules and the ledger.

    The methods ``transactions_of_...`` are an alternative to `transactions` and `ledger` in very large
    budgets, or if only few rows are needed and nothing else was read. The service has no usable deltas
    for them.
    """

    _aio: AsyncBudgetFrame

    def transactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Literal["float", "milliunits", "decimal"] = "float",
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
            First and last day, both included: ``"2026-05-17"``, ``"2026-05"`` or ``"2026"``.
        include_deleted : bool
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id and numbered from 0; the same columns and dtypes
            when there are none.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.transactions(since="2026-05-01", until="2026-05-31")
        >>> may[["payee_name", "amount"]].head(2).values.tolist()
        [['Brightside Studio', 3231.62], ['Linden Housing', -1294.9]]
        """
        return self._wait_for(self._aio.transactions(**passed(locals())))

    def subtransactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Literal["float", "milliunits", "decimal"] = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Parts of split transactions, one row per part, with date and account of the split.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included: ``"2026-05-17"``, ``"2026-05"`` or ``"2026"``.
        include_deleted : bool
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same
            columns and dtypes when there are none.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> parts = bf.subtransactions(since="2026")
        >>> parts[["category_name", "amount"]].head(2).values.tolist()
        [['Household Goods', -17.58], ['Groceries', -41.02]]
        """
        return self._wait_for(self._aio.subtransactions(**passed(locals())))

    def scheduled_transactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Schedules of future transactions, one row per schedule.

        Parameters
        ----------
        include_deleted : bool
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by date_next, scheduled_transaction_id and numbered from 0; the same columns
            and dtypes when there are none.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> schedules = bf.scheduled_transactions()
        >>> schedules[["payee_name", "frequency"]].head(2).values.tolist()
        [['Weekly Market', 'weekly'], ['Station West', 'everyOtherWeek']]
        """
        return self._wait_for(self._aio.scheduled_transactions(**passed(locals())))

    def scheduled_subtransactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Parts of split schedules, one row per part.

        Parameters
        ----------
        include_deleted : bool
            Whether deleted rows are included, marked by a column ``deleted``; one more request.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            Rows sorted by date_next, scheduled_transaction_id, scheduled_subtransaction_id and
            numbered from 0; the same columns and dtypes when there are none.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.scheduled_subtransactions()[["category_name", "amount"]].values.tolist()
        [['Household Goods', -15.0], ['Groceries', -45.0]]
        """
        return self._wait_for(self._aio.scheduled_subtransactions(**passed(locals())))

    def ledger(
        self, *, since: Day | None = None, until: Day | None = None, money: Money = "float"
    ) -> pd.DataFrame:
        """Every leaf of every transaction, one row per leaf: the frame to add up.

        A leaf is a transaction that is not split, or one part of a split. The amounts of an account
        add up to its balance, except for a loan. ``help(budgetframe.frames)`` explains the details.

        * ``is_transfer``: the money goes to or comes from another account of the budget.
        * ``is_income``: on budget, in ``Inflow: Ready to Assign``, and no starting balance.
        * ``is_spending``: on budget, in any other category, and no starting balance; refunds too.
        * ``is_uncategorized``: on budget, without a category, no starting balance and no transfer
          between accounts on budget; neither income nor spending.
        * ``is_starting_balance``: the payee is ``Starting Balance``, and it is no transfer.
        * ``is_split_part``: a part of a split; ``is_remainder``: what the parts lack to its amount.
        * ``is_scheduled``: it was entered from a schedule, as its key shows.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included: ``"2026-05-17"``, ``"2026-05"`` or ``"2026"``.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> from budgetframe.frames import totals
        >>> may = bf.ledger(since="2026-05-01", until="2026-05-31")
        >>> totals(may[may["is_spending"]], "account_name")["amount"].to_dict()
        {'Checking': -2148.18, 'Credit Card': -634.62, 'Wallet': -53.47}
        """
        return self._wait_for(self._aio.ledger(since=since, until=until, money=money))

    def transactions_of_account(
        self, account_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one account of all years, one row per transaction.

        Parameters
        ----------
        account_id : str
            Key or name of the account.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            With the columns and the order of `transactions`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/accounts/{account_id}/transactions``.

        Cost: one request; none within the time to live. A name also needs the list of accounts,
        unless it is fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.transactions_of_account("Car Loan")["amount"].tail(2).tolist()
        [280.0, -6.53]
        """
        return self._wait_for(self._aio.transactions_of_account(**passed(locals())))

    def transactions_of_category(
        self, category_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions of one category of all years; a part of a split is one row.

        Parameters
        ----------
        category_id : str
            Key or name of the category, such as ``"Groceries"`` or ``"Home: Insurance"``.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

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

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/categories/{category_id}/transactions``.

        Cost: one request; none within the time to live. A name also needs the list of categories,
        unless it is fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.transactions_of_category("Groceries")["amount"].tail(2).tolist()
        [-69.03, -52.62]
        """
        return self._wait_for(self._aio.transactions_of_category(**passed(locals())))

    def transactions_of_payee(
        self, payee_id: str, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Transactions with one payee of all years; a part of a split may be one row.

        A split is one row if the payee is that of the whole split; otherwise each part with the
        payee is one row.

        Parameters
        ----------
        payee_id : str
            Key or name of the payee.
        money : {"float", "milliunits", "decimal"}
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            With the columns and the order of `transactions_of_category`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/payees/{payee_id}/transactions``.

        Cost: one request; none within the time to live. A name also needs the list of payees,
        unless it is fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> market = bf.payees().set_index("payee_name")["payee_id"]["Corner Market"]
        >>> bf.transactions_of_payee(market)["amount"].tail(2).tolist()
        [-12.34, -52.62]
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
            Currency units as floats, integer thousandths, or currency units as exact decimals.
        extra : bool
            Whether to keep the fields of the service that are not columns; they come last.

        Returns
        -------
        DataFrame
            With the columns and the order of `transactions`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/months/{month}/transactions``.

        Cost: one request; none within the time to live.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.transactions_of_month("2026-05")["amount"].tail(2).tolist()
        [-300.0, -7.62]
        """
        return self._wait_for(self._aio.transactions_of_month(month, money=money, extra=extra))
