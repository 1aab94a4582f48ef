"""Writes: transactions and schedules in rows, single objects, and assigned money."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import pandas as pd

from budgetframe import models
from budgetframe._facade.changes import Changes
from budgetframe._facade.wait_for import passed
from budgetframe.frames.dates import Day
from budgetframe.frames.request_bodies import Keys, Rows
from budgetframe.frames.tables import AccountType, GoalFrequency

from .base import Methods

if TYPE_CHECKING:
    from budgetframe._facade.aio import AsyncBudgetFrame


_T = TypeVar("_T")


class WriteMethods(Methods):
    """Methods that change the budget; "Writes" in ``help(budgetframe)`` is about all of them."""

    _aio: AsyncBudgetFrame

    @overload
    def create_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    def create_transactions(self, rows: Rows, *, preview: Literal[True]) -> Changes: ...
    def create_transactions(self, rows: Rows, *, preview: bool = False) -> pd.DataFrame | Changes:
        """Create transactions and return the created rows.

        The service skips transactions whose import id is in use: ``duplicate_import_ids`` in the
        ``attrs`` of the frame. These are errors before anything is sent: a category on a split, a
        tracking account or a transfer within the budget; both sides of a transfer; a day in the
        future or over five years ago. After a lost answer, the same call writes nothing twice.

        Parameters
        ----------
        rows : DataFrame, ArrowTable or iterable of mappings
            With ``account_name``, ``date`` and ``amount`` (currency units, outflow negative), and
            any of ``payee_name, category_name, category_group_name, memo, cleared, approved,
            flag_color, import_id, subtransactions``; keys instead of names in ``account_id``,
            ``payee_id`` and ``category_id``. ``"Home: Insurance"`` is a category with its group.
            The service creates an unknown ``payee_name``. The other columns of `transactions` and
            `ledger` are ignored, so that rows can be copied without their ``transaction_id``: a
            split with its ``subtransactions``, and one side of a transfer.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        DataFrame
            The created rows, with the columns and the order of `transactions`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``POST /budgets/{budget_id}/transactions``.

        Cost: one request for each 50 rows, and one if the transactions, the accounts or the lists
        of the given names and keys are not fresh. A preview reads the transactions again.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bread = {"account_name": "Checking", "date": "2026-06-16", "amount": -4.5}
        >>> bread |= {"payee_name": "Baker", "category_name": "Groceries"}
        >>> bf.create_transactions([bread])["amount"].tolist()
        [-4.5]
        """
        return self._written(self._aio.create_transactions(**passed(locals())))

    @overload
    def update_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    def update_transactions(self, rows: Rows, *, preview: Literal[True]) -> Changes: ...
    def update_transactions(self, rows: Rows, *, preview: bool = False) -> pd.DataFrame | Changes:
        """Change the given fields of transactions and return the changed rows.

        A field that is absent is left alone. An empty value (None, NaN, NaT, NA) clears the field;
        ``account_id``, ``date``, ``amount``, ``cleared`` and ``approved`` cannot be empty. A row
        that has these values already is not sent. The date, the amount, the category and the parts
        of a split cannot be changed or cleared here. ``journal().undo().apply()`` restores the
        former values.

        Parameters
        ----------
        rows : DataFrame, ArrowTable or iterable of mappings
            With ``transaction_id`` (or ``import_id``) and the fields to change, as in
            `create_transactions`.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        DataFrame
            The changed rows, with the columns and the order of `transactions`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PATCH /budgets/{budget_id}/transactions``.

        Cost: one request for the present rows, a delta where the list is known, and one for up to
        50 rows that differ. Another category needs the lists of accounts and categories, another
        payee those of accounts and payees, another account that of accounts; a split or a transfer
        needs all three. One request more reads those that are not fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions()[["transaction_id"]].tail(1)
        >>> bf.update_transactions(last.assign(memo="checked"))["memo"].tolist()
        ['checked']
        """
        return self._written(self._aio.update_transactions(**passed(locals())))

    @overload
    def update_transaction(
        self, transaction_id: str, *, preview: Literal[True], **fields: Any
    ) -> Changes: ...
    @overload
    def update_transaction(
        self, transaction_id: str, *, preview: Literal[False] = False, **fields: Any
    ) -> models.TransactionDetail: ...
    def update_transaction(
        self, transaction_id: str, *, preview: bool = False, **fields: Any
    ) -> models.TransactionDetail | Changes:
        """Change the given fields of one transaction, and return it.

        Parameters
        ----------
        transaction_id : str
            A key in ``transactions()["transaction_id"]``.
        **fields
            The fields of `create_transactions` without ``import_id``, names too:
            ``category_name="Home: Insurance"``, or ``amount_milliunits``. An empty value (None,
            NaN, NaT, NA) clears the field; the account, the date, the amount and the state cannot
            be empty.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        TransactionDetail
            The fields are those of `budgetframe.models.TransactionDetail`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PATCH /budgets/{budget_id}/transactions``.

        Cost: one request, and one more if the transactions or the lists of given names are not
        fresh: that of the list, or of the whole budget if several are not. If fresh transactions
        have the given values already, they are read again, and nothing is sent if that is so. A
        preview reads the transactions.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions()["transaction_id"].iloc[-1]
        >>> bf.update_transaction(last, memo="checked", flag_color="green").memo
        'checked'
        """
        given = {"preview": preview, **fields}
        return self._written(self._aio.update_transaction(transaction_id, **given))

    @overload
    def delete_transactions(
        self, keys: Keys, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    def delete_transactions(self, keys: Keys, *, preview: Literal[True]) -> Changes: ...
    def delete_transactions(self, keys: Keys, *, preview: bool = False) -> pd.DataFrame | Changes:
        """Delete transactions, one after the other, and return the deleted rows.

        The service deletes a split with all its parts, and a transfer with its other side. If both
        sides of a transfer are given, one request deletes both. ``journal().undo().apply()``
        creates equal rows with new keys and without import ids.

        Parameters
        ----------
        keys : str, DataFrame, ArrowTable or iterable of str
            Keys of the transactions, or a frame with a column ``transaction_id``. A key that occurs
            several times, as in a frame of parts of splits, is deleted once.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        DataFrame
            The deleted rows, with the columns and the order of `transactions`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``DELETE /budgets/{budget_id}/transactions/{transaction_id}``.

        Cost: one request for the present rows, a delta where the list is known, and one for each
        row.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions().tail(1)
        >>> bf.delete_transactions(last)["amount"].tolist()
        [-150.0]
        """
        return self._written(self._aio.delete_transactions(**passed(locals())))

    def import_linked(self) -> pd.DataFrame:
        """Import the transactions of accounts that are linked to a bank; return the new rows.

        The service does what the button "Import" of its app does. It does not wait for the bank:
        it imports only what the bank has delivered until now. An import has no preview, is not in
        the journal and cannot be undone; the new rows can be deleted.

        ``frame.attrs["transaction_ids"]`` lists the keys that the service sent. A key without a
        row in the frame belongs to a transaction that the service does not list, such as one that
        it matched with a transaction entered by hand.

        Returns
        -------
        DataFrame
            The new rows, with the columns and the order of `transactions`.

        Notes
        -----
        Source: ``POST /budgets/{budget_id}/transactions/import``.

        Cost: one request, and one for all transactions if some were imported.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.import_linked()["payee_name"].tolist()
        ['Kiosk am Ring', 'Tonspur']
        >>> len(bf.import_linked())
        0
        """
        return self._wait_for(self._aio.import_linked())

    @overload
    def create_scheduled_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    def create_scheduled_transactions(self, rows: Rows, *, preview: Literal[True]) -> Changes: ...
    def create_scheduled_transactions(
        self, rows: Rows, *, preview: bool = False
    ) -> pd.DataFrame | Changes:
        """Create scheduled transactions, one after the other, and return the created rows.

        The service cannot create a scheduled split.

        Parameters
        ----------
        rows : DataFrame, ArrowTable or iterable of mappings
            With ``account_name`` and ``date_next`` (in the future, at most five years ahead), and
            any of ``frequency, amount, payee_name, category_name, category_group_name, memo,
            flag_color``, or keys as in `create_transactions`. The service accepts the frequencies
            ``never`` (the default: once), ``daily``, ``weekly``, ``monthly`` and ``yearly``. Empty
            values are not sent.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        DataFrame
            The created rows, with the columns and the order of `scheduled_transactions`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``POST /budgets/{budget_id}/scheduled_transactions``.

        Cost: one request for each row, and one if the schedules, the accounts or the lists of the
        given names are not fresh. A preview reads the schedules again.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> rent = {"account_name": "Checking", "date_next": "2026-07-01", "amount": -900.0}
        >>> bf.create_scheduled_transactions([rent | {"frequency": "monthly"}])["amount"].tolist()
        [-900.0]
        """
        return self._written(self._aio.create_scheduled_transactions(**passed(locals())))

    @overload
    def update_scheduled_transactions(
        self, rows: Rows, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    def update_scheduled_transactions(self, rows: Rows, *, preview: Literal[True]) -> Changes: ...
    def update_scheduled_transactions(
        self, rows: Rows, *, preview: bool = False
    ) -> pd.DataFrame | Changes:
        """Change the given fields of scheduled transactions, one after the other.

        Absent fields are left alone, and empty values clear them. ``account_id``, ``date_next``,
        ``frequency`` and ``amount`` cannot be empty.

        Parameters
        ----------
        rows : DataFrame, ArrowTable or iterable of mappings
            With ``scheduled_transaction_id`` and the fields to change, as in
            `create_scheduled_transactions`.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        DataFrame
            The changed rows, with the columns and the order of `scheduled_transactions`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PUT /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``.

        Cost: one request for the present rows, a delta where the list is known, and one for each
        row that differs. Names need lists, as in `update_transactions`.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.scheduled_transactions()[["scheduled_transaction_id"]].head(1)
        >>> bf.update_scheduled_transactions(first.assign(memo="checked"))["memo"].tolist()
        ['checked']
        """
        return self._written(self._aio.update_scheduled_transactions(**passed(locals())))

    @overload
    def delete_scheduled_transactions(
        self, keys: Keys, *, preview: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    def delete_scheduled_transactions(self, keys: Keys, *, preview: Literal[True]) -> Changes: ...
    def delete_scheduled_transactions(
        self, keys: Keys, *, preview: bool = False
    ) -> pd.DataFrame | Changes:
        """Delete scheduled transactions, one after the other, and return the deleted rows.

        Transactions that were entered from a schedule stay. ``journal().undo().apply()`` creates
        equal schedules with new keys, except for splits.

        Parameters
        ----------
        keys : str, DataFrame, ArrowTable or iterable of str
            Keys of the schedules, or a frame with a column ``scheduled_transaction_id``. A key that
            occurs several times is deleted once.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        DataFrame
            The deleted rows, with the columns and the order of `scheduled_transactions`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``DELETE /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``.

        Cost: one request for the present rows, a delta where the list is known, and one for each
        row.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> schedules = bf.scheduled_transactions()
        >>> bf.delete_scheduled_transactions(schedules.head(1))["payee_name"].tolist()
        ['Weekly Market']
        """
        return self._written(self._aio.delete_scheduled_transactions(**passed(locals())))

    @overload
    def create_account(
        self,
        name: str,
        account_type: AccountType,
        balance: float,
        *,
        preview: Literal[False] = False,
    ) -> models.Account: ...
    @overload
    def create_account(
        self, name: str, account_type: AccountType, balance: float, *, preview: Literal[True]
    ) -> Changes: ...
    def create_account(
        self, name: str, account_type: AccountType, balance: float, *, preview: bool = False
    ) -> models.Account | Changes:
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
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        Account
            The fields are those of `budgetframe.models.Account`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``POST /budgets/{budget_id}/accounts``.

        Cost: one request, and one for the accounts if they are not fresh; a preview reads them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_account("Travel", "cash", 50.0).balance
        50.0
        """
        return self._written(self._aio.create_account(**passed(locals())))

    @overload
    def create_payee(self, name: str, *, preview: Literal[False] = False) -> models.Payee: ...
    @overload
    def create_payee(self, name: str, *, preview: Literal[True]) -> Changes: ...
    def create_payee(self, name: str, *, preview: bool = False) -> models.Payee | Changes:
        """Create a payee, even if another one has the same name.

        Parameters
        ----------
        name : str
            At most 500 characters.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        Payee
            The fields are those of `budgetframe.models.Payee`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``POST /budgets/{budget_id}/payees``.

        Cost: one request, and one for the payees if they are not fresh; a preview reads them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_payee("Baker").name
        'Baker'
        """
        return self._written(self._aio.create_payee(**passed(locals())))

    @overload
    def rename_payee(
        self, payee_id: str, name: str, *, preview: Literal[False] = False
    ) -> models.Payee: ...
    @overload
    def rename_payee(self, payee_id: str, name: str, *, preview: Literal[True]) -> Changes: ...
    def rename_payee(
        self, payee_id: str, name: str, *, preview: bool = False
    ) -> models.Payee | Changes:
        """Rename a payee. The name of a payee for transfers is that of its account.

        Parameters
        ----------
        payee_id : str
            Key or name of the payee.
        name : str
            At most 500 characters.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        Payee
            The fields are those of `budgetframe.models.Payee`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PATCH /budgets/{budget_id}/payees/{payee_id}``.

        Cost: one request, and one for the payees if they are not fresh; a preview reads them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.rename_payee("Weekly Market", "Market").name
        'Market'
        """
        return self._written(self._aio.rename_payee(**passed(locals())))

    @overload
    def create_category_group(
        self, name: str, *, preview: Literal[False] = False
    ) -> models.CategoryGroup: ...
    @overload
    def create_category_group(self, name: str, *, preview: Literal[True]) -> Changes: ...
    def create_category_group(
        self, name: str, *, preview: bool = False
    ) -> models.CategoryGroup | Changes:
        """Create a category group.

        Parameters
        ----------
        name : str
            At most 50 characters.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        CategoryGroup
            The fields are those of `budgetframe.models.CategoryGroup`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``POST /budgets/{budget_id}/category_groups``.

        Cost: one request, and one for the categories if they are not fresh; a preview reads them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_category_group("Garden").name
        'Garden'
        """
        return self._written(self._aio.create_category_group(**passed(locals())))

    @overload
    def rename_category_group(
        self, category_group_id: str, name: str, *, preview: Literal[False] = False
    ) -> models.CategoryGroup: ...
    @overload
    def rename_category_group(
        self, category_group_id: str, name: str, *, preview: Literal[True]
    ) -> Changes: ...
    def rename_category_group(
        self, category_group_id: str, name: str, *, preview: bool = False
    ) -> models.CategoryGroup | Changes:
        """Rename a category group.

        Parameters
        ----------
        category_group_id : str
            Key or name of the category group.
        name : str
            At most 50 characters.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        CategoryGroup
            The fields are those of `budgetframe.models.CategoryGroup`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PATCH /budgets/{budget_id}/category_groups/{category_group_id}``.

        Cost: one request, and one for the categories if they are not fresh; a preview reads them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.rename_category_group("Home", "House").name
        'House'
        """
        return self._written(self._aio.rename_category_group(**passed(locals())))

    @overload
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
        preview: Literal[False] = False,
    ) -> models.Category: ...
    @overload
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
        preview: Literal[True],
    ) -> Changes: ...
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
        preview: bool = False,
    ) -> models.Category | Changes:
        """Create a category, with a target if `goal_target` is given.

        Parameters
        ----------
        name, category_group_id : str
            Name of the category, and key or name of its group.
        note : str, optional
            Note on the category.
        goal_target : float, optional
            Amount of the target in currency units; by default it is set aside each month.
        goal_target_date : str, date or Timestamp, optional
            Day on which the target is due.
        goal_frequency : {"monthly", "weekly", "yearly"}, optional
            Interval in which the target repeats; not with `goal_target_date`.
        goal_needs_whole_amount : bool, optional
            Whether the whole amount is set aside each time, or only what is missing.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        Category
            The fields are those of `budgetframe.models.Category`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``POST /budgets/{budget_id}/categories``.

        Cost: one request, and one for the categories if they are not fresh; a preview reads them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_category("Tools", "Home", goal_target=20.0).goal_target
        20.0
        """
        return self._written(self._aio.create_category(**passed(locals())))

    @overload
    def update_category(
        self, category_id: str, *, preview: Literal[True], **fields: Any
    ) -> Changes: ...
    @overload
    def update_category(
        self, category_id: str, *, preview: Literal[False] = False, **fields: Any
    ) -> models.Category: ...
    def update_category(
        self, category_id: str, *, preview: bool = False, **fields: Any
    ) -> models.Category | Changes:
        """Change the given fields of a category; `assign` changes its assigned amounts.

        Parameters
        ----------
        category_id : str
            Key or name of the category, such as ``"Groceries"`` or ``"Home: Insurance"``.
        **fields
            Any of ``name, category_group_id, note, goal_target, goal_target_date, goal_frequency,
            goal_needs_whole_amount``, as in `create_category`. An empty value (None, NaN, NaT, NA)
            clears a note or a date, and ``goal_target=None`` removes the target. A
            ``goal_frequency`` replaces the target and needs a ``goal_target``.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        Category
            The fields are those of `budgetframe.models.Category`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PATCH /budgets/{budget_id}/categories/{category_id}``.

        Cost: one request, and one for the categories if they are not fresh; a preview reads them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.update_category("Groceries", note="market", goal_target=450.0).goal_target
        450.0
        """
        given = {"preview": preview, **fields}
        return self._written(self._aio.update_category(category_id, **given))

    @overload
    def assign(
        self, month: Day, category: str, amount: float, *, preview: Literal[False] = False
    ) -> models.Category: ...
    @overload
    def assign(
        self, month: Day, category: str, amount: float, *, preview: Literal[True]
    ) -> Changes: ...
    def assign(
        self, month: Day, category: str, amount: float, *, preview: bool = False
    ) -> models.Category | Changes:
        """Set the amount that is assigned to a category in a month.

        Parameters
        ----------
        month : str or date
            ``"2026-07"``, or ``"current"`` for the current month (UTC).
        category : str
            Key or name of the category, such as ``"Groceries"`` or ``"Home: Insurance"``.
        amount : float
            The new assigned amount in currency units; it replaces the current one.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        Category
            The fields are those of `budgetframe.models.Category`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}``.

        Cost: one request, and one for the month unless it is known: from `month`, from an export,
        or from `categories` if it is the current one. A preview always reads the month.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.assign("2026-07", "Groceries", 450.0).budgeted
        450.0
        >>> bf.assign("2026-07", "Groceries", 500.0, preview=True).frame["before"].tolist()
        [450.0]
        """
        return self._written(self._aio.assign(**passed(locals())))

    @overload
    def move(
        self,
        month: Day,
        from_: str | None,
        to: str | None,
        amount: float,
        *,
        preview: Literal[False] = False,
    ) -> pd.DataFrame: ...
    @overload
    def move(
        self,
        month: Day,
        from_: str | None,
        to: str | None,
        amount: float,
        *,
        preview: Literal[True],
    ) -> Changes: ...
    def move(
        self, month: Day, from_: str | None, to: str | None, amount: float, *, preview: bool = False
    ) -> pd.DataFrame | Changes:
        """Move assigned money from one category to another, and return the changed categories.

        The assigned amount of `from_` decreases, then that of `to` increases. The service has no
        request for both. If the answer to one is lost, the same call completes the move; if the
        second one is refused, ``journal().undo().apply()`` takes the first one back.

        Parameters
        ----------
        month : str or date
            ``"2026-07"``, or ``"current"`` for the current month (UTC).
        from_, to : str or None
            Key or name of the category, such as ``"Groceries"`` or ``"Home: Insurance"``. None or
            ``"Ready to Assign"`` is the money that is not assigned.
        amount : float
            The amount in currency units, greater than zero.
        preview : bool
            Whether only to show what changes: ``apply()`` of the `Changes` sends it.

        Returns
        -------
        DataFrame
            The changed categories, with the columns and the order of `month`.
        Changes, with ``preview=True``

        Notes
        -----
        Source: ``PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}``.

        Cost: one request for the month, and one for each of the two categories.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> changed = bf.move("current", "Groceries", "Eating Out", 20.0)
        >>> changed[["category_name", "budgeted"]].values.tolist()
        [['Eating Out', 108.64], ['Groceries', 407.39]]
        >>> bf.move("current", "Groceries", "Eating Out", 20.0, preview=True).requests
        2
        """
        return self._written(self._aio.move(**passed(locals())))

    def _written(self, call: Coroutine[Any, Any, _T]) -> _T | Changes:
        """The result of a call; changes for synchronous code if it is a preview."""
        found = self._wait_for(call)
        is_preview = type(found).__name__ == "AsyncChanges"  # its module is slow to import
        return Changes(found, self._wait_for) if is_preview else found
