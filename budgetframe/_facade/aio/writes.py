"""Writes: transactions and schedules in rows, single objects, and assigned money."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pandas as pd

from budgetframe import models
from budgetframe._client.responses import WRITE_ADVICE
from budgetframe._facade.docstrings import complete_docstring
from budgetframe._session.assigning import assign, move
from budgetframe._session.batches import create_rows
from budgetframe._session.linked_import import import_linked
from budgetframe._session.reads import Answer
from budgetframe.errors import ServiceAPIError, ToolError
from budgetframe.frames.dates import Day
from budgetframe.frames.request_bodies import (
    BODIES,
    Keys,
    Rows,
    body_of,
    milliunits_of,
    month_to_write,
    row_bodies,
)
from budgetframe.frames.tables import TABLES

from .base import Base

__all__ = ["Writes"]

if TYPE_CHECKING:
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")

AccountType = Literal["checking", "savings", "cash", "creditCard", "otherAsset", "otherLiability"]
"""The kinds of accounts that can be created."""

GoalFrequency = Literal["monthly", "weekly", "yearly"]
"""The intervals of a target."""


class Writes(Base):
    """Async methods that change the budget. A write is sent once and never repeated."""

    # Transactions

    @complete_docstring(
        "transactions", source="POST /budgets/{budget_id}/transactions", cost="batches"
    )
    async def create_transactions(self, rows: Rows) -> pd.DataFrame:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> account_id = bf.accounts().query("on_budget")["account_id"].iloc[0]
        >>> bread = {"account_id": account_id, "date": "2026-06-16", "amount": -4.5}
        >>> bf.create_transactions([bread])["amount"].tolist()
        [-4.5]
        """
        bodies, as_of = row_bodies(rows, BODIES["create_transactions"]), self._session.reads.now()
        answers = await self._on_loop(create_rows(self._session.reads, "transactions", bodies))
        data = {
            name: [each for answer in answers for each in answer.get(name) or ()]
            for name in ("transactions", "duplicate_import_ids")
        }
        frame = self._frame("transactions", data, as_of, "POST transactions")
        frame.attrs["duplicate_import_ids"] = data["duplicate_import_ids"]
        return frame

    @complete_docstring(
        "transactions", source="PATCH /budgets/{budget_id}/transactions", cost="updates"
    )
    async def update_transactions(self, rows: Rows) -> pd.DataFrame:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions()[["transaction_id"]].tail(1)
        >>> bf.update_transactions(last.assign(memo="checked"))["memo"].tolist()
        ['checked']
        """
        return await self._changed("transactions", "PATCH", rows)

    @complete_docstring(
        source="PUT /budgets/{budget_id}/transactions/{transaction_id}", cost="write"
    )
    async def update_transaction(
        self, transaction_id: str, **fields: Any
    ) -> models.TransactionDetail:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions()["transaction_id"].iloc[-1]
        >>> bf.update_transaction(last, memo="checked", flag_color="green").memo
        'checked'
        """
        body = body_of(fields, BODIES["update_transaction"], "update_transaction")
        data = await self._write_one(
            models.TransactionResponseData, "PUT", "transactions", transaction_id, body
        )
        return data.transaction

    @complete_docstring(
        "transactions",
        source="DELETE /budgets/{budget_id}/transactions/{transaction_id}",
        cost="deletions",
    )
    async def delete_transactions(self, keys: Keys) -> pd.DataFrame:
        """Delete transactions, one after the other, and return the deleted rows.

        The service deletes a split with all its parts, and a transfer with its other side. If both
        sides of a transfer are given, one request deletes both. ``journal().undo().apply()``
        creates equal rows with new keys.

        Parameters
        ----------
        keys : str, DataFrame or iterable of str
            Keys of the transactions, or a frame with a column ``transaction_id``. A key that occurs
            several times, as in a frame of parts of splits, is deleted once.

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
        return await self._changed("transactions", "DELETE", keys)

    @complete_docstring(
        "transactions", source="POST /budgets/{budget_id}/transactions/import", cost="import"
    )
    async def import_linked(self) -> pd.DataFrame:
        """Import the transactions of accounts that are linked to a bank; return the new rows.

        The service does what the button "Import" of its app does. It does not wait for the bank:
        it imports only what the bank has delivered until now.

        ``frame.attrs["transaction_ids"]`` lists the keys that the service sent. A key without a
        row in the frame belongs to a transaction that the service does not list, such as one that
        it matched with a transaction entered by hand.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.import_linked()["payee_name"].tolist()
        ['Kiosk am Ring', 'Tonspur']
        >>> len(bf.import_linked())
        0
        """
        return await self._on_loop(import_linked(self._session))

    # Scheduled transactions

    @complete_docstring(
        "scheduled_transactions",
        source="POST /budgets/{budget_id}/scheduled_transactions",
        cost="rows",
    )
    async def create_scheduled_transactions(self, rows: Rows) -> pd.DataFrame:
        """Create scheduled transactions, one after the other, and return the created rows.

        The service cannot create a scheduled split.

        Parameters
        ----------
        rows : DataFrame or iterable of mappings
            With ``account_id`` and ``date_next`` (in the future, at most five years ahead), and any
            of ``frequency, amount, payee_id, payee_name, category_id, memo, flag_color``; without a
            ``frequency`` the transaction occurs once. Empty values are not sent. Names
            have at most 200 characters, memos 500.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> account_id = bf.accounts().query("on_budget")["account_id"].iloc[0]
        >>> rent = {"account_id": account_id, "date_next": "2026-07-01", "amount": -900.0}
        >>> bf.create_scheduled_transactions([rent | {"frequency": "monthly"}])["amount"].tolist()
        [-900.0]
        """
        name, as_of = "scheduled_transactions", self._session.reads.now()
        bodies = row_bodies(rows, BODIES["create_scheduled_transactions"])
        answers = await self._on_loop(create_rows(self._session.reads, name, bodies))
        data = {name: [answer["scheduled_transaction"] for answer in answers]}
        return self._frame(name, data, as_of, f"POST {name}")

    @complete_docstring(
        "scheduled_transactions",
        source="PUT /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}",
        cost="single_updates",
    )
    async def update_scheduled_transactions(self, rows: Rows) -> pd.DataFrame:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> first = bf.scheduled_transactions()[["scheduled_transaction_id"]].head(1)
        >>> bf.update_scheduled_transactions(first.assign(memo="checked"))["memo"].tolist()
        ['checked']
        """
        return await self._changed("scheduled_transactions", "PUT", rows)

    @complete_docstring(
        "scheduled_transactions",
        source="DELETE /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}",
        cost="deletions",
    )
    async def delete_scheduled_transactions(self, keys: Keys) -> pd.DataFrame:
        """Delete scheduled transactions, one after the other, and return the deleted rows.

        Transactions that were entered from a schedule stay. ``journal().undo().apply()`` creates
        equal schedules with new keys, except for splits.

        Parameters
        ----------
        keys : str, DataFrame or iterable of str
            Keys of the schedules, or a frame with a column ``scheduled_transaction_id``. A key that
            occurs several times is deleted once.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> schedules = bf.scheduled_transactions()
        >>> len(bf.delete_scheduled_transactions(schedules.head(1)))
        1
        >>> len(schedules) - len(bf.scheduled_transactions())
        1
        """
        return await self._changed("scheduled_transactions", "DELETE", keys)

    # Accounts and payees

    @complete_docstring(source="POST /budgets/{budget_id}/accounts", cost="write")
    async def create_account(
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_account("Travel", "cash", 50.0).balance
        50.0
        """
        fields = {"name": name, "account_type": account_type, "balance": balance}
        body = body_of(fields, BODIES["account"], "create_account")
        data = await self._write_one(models.AccountResponseData, "POST", "accounts", None, body)
        return data.account

    @complete_docstring(source="POST /budgets/{budget_id}/payees", cost="write")
    async def create_payee(self, name: str) -> models.Payee:
        """Create a payee, even if another one has the same name.

        Parameters
        ----------
        name : str
            At most 500 characters.

        Returns
        -------
        Payee
            Fields: id, name, transfer_account_id, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_payee("Baker").name
        'Baker'
        """
        return await self._write_payee("POST", None, name)

    @complete_docstring(source="PATCH /budgets/{budget_id}/payees/{payee_id}", cost="write")
    async def rename_payee(self, payee_id: str, name: str) -> models.Payee:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> payee = bf.create_payee("Baker")
        >>> bf.rename_payee(payee.id, "Baker's").name
        "Baker's"
        """
        return await self._write_payee("PATCH", payee_id, name)

    # Categories

    @complete_docstring(source="POST /budgets/{budget_id}/category_groups", cost="write")
    async def create_category_group(self, name: str) -> models.CategoryGroup:
        """Create a category group.

        Returns
        -------
        CategoryGroup
            Fields: id, name, hidden, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_category_group("Garden").name
        'Garden'
        """
        return await self._write_group("POST", None, name)

    @complete_docstring(
        source="PATCH /budgets/{budget_id}/category_groups/{category_group_id}", cost="write"
    )
    async def rename_category_group(
        self, category_group_id: str, name: str
    ) -> models.CategoryGroup:
        """Rename a category group.

        Parameters
        ----------
        category_group_id : str
            A key in ``categories()["category_group_id"]``.

        Returns
        -------
        CategoryGroup
            Fields: id, name, hidden, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> group = bf.create_category_group("Garden")
        >>> bf.rename_category_group(group.id, "Allotment").name
        'Allotment'
        """
        return await self._write_group("PATCH", category_group_id, name)

    @complete_docstring(source="POST /budgets/{budget_id}/categories", cost="write")
    async def create_category(
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> group = bf.create_category_group("Garden")
        >>> bf.create_category("Tools", group.id, goal_target=20.0).goal_target
        20.0
        """
        fields = {
            "name": name,
            "category_group_id": category_group_id,
            "note": note,
            "goal_target": goal_target,
            "goal_target_date": goal_target_date,
            "goal_frequency": goal_frequency,
            "goal_needs_whole_amount": goal_needs_whole_amount,
        }
        given = {field: value for field, value in fields.items() if value is not None}
        return await self._write_category("create_category", "POST", None, given)

    @complete_docstring(source="PATCH /budgets/{budget_id}/categories/{category_id}", cost="write")
    async def update_category(self, category_id: str, **fields: Any) -> models.Category:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> categories = bf.categories().set_index("category_name")
        >>> groceries = categories["category_id"]["Groceries"]
        >>> bf.update_category(groceries, note="market and baker", goal_target=450.0).goal_target
        450.0
        """
        return await self._write_category("update_category", "PATCH", category_id, fields)

    # Assigned money

    @complete_docstring(
        source="PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}", cost="assign"
    )
    async def assign(self, month: Day, category: str, amount: float) -> models.Category:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.assign("2026-07", "Groceries", 450.0).budgeted
        450.0
        """
        day, milliunits = month_to_write(month), milliunits_of(amount, "amount")
        return await self._on_loop(assign(self._session, day, category, milliunits))

    @complete_docstring(
        "month",
        source="PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}",
        cost="move",
    )
    async def move(
        self, month: Day, from_: str | None, to: str | None, amount: float
    ) -> pd.DataFrame:
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

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> before = bf.month().set_index("category_name")["budgeted"]
        >>> after = bf.move("current", "Groceries", "Eating Out", 20.0)
        >>> after = after.set_index("category_name")["budgeted"]
        >>> (after - before).dropna().round(2).to_dict()
        {'Eating Out': 20.0, 'Groceries': -20.0}
        """
        day, milliunits = month_to_write(month), milliunits_of(amount, "amount")
        if milliunits <= 0:
            raise ToolError(
                f"amount={amount!r} is not greater than zero: to move money back, exchange from_"
                " and to. Nothing was sent"
            )
        as_of = self._session.reads.now()
        data = await self._on_loop(move(self._session, day, from_, to, milliunits))
        return self._frame("month", data, as_of, "PATCH months/categories")

    async def _changed(
        self, name: Literal["transactions", "scheduled_transactions"], method: str, rows: Any
    ) -> pd.DataFrame:
        """The frame of rows that are updated or deleted as by `changes`."""
        # Programs that write nothing do not need these modules.
        from budgetframe import _changes  # noqa: PLC0415

        as_of = self._session.reads.now()
        write = _changes.delete_rows if method == "DELETE" else _changes.update_rows
        data = {str(name): await self._on_loop(write(self._session, name, rows))}
        return self._frame(name, data, as_of, f"{method} {name}")

    def _frame(
        self, table: str, data: Mapping[str, Any], as_of: datetime, source: str
    ) -> pd.DataFrame:
        """The frame of written rows, with its attrs."""
        try:
            frame = TABLES[table].frame(data)
        except ServiceAPIError as error:
            error.add_note(WRITE_ADVICE)
            raise
        frame.attrs = self._session.attrs_of([Answer("", data, as_of, source)])
        return frame

    async def _write_payee(self, method: str, payee_id: str | None, name: str) -> models.Payee:
        body = body_of({"name": name}, BODIES["payee"], "the payee")
        data = await self._write_one(models.PayeeResponseData, method, "payees", payee_id, body)
        return data.payee

    async def _write_group(
        self, method: str, category_group_id: str | None, name: str
    ) -> models.CategoryGroup:
        body = body_of({"name": name}, BODIES["category_group"], "the category group")
        data = await self._write_one(
            models.CategoryGroupResponseData, method, "category_groups", category_group_id, body
        )
        return data.category_group

    async def _write_category(
        self, write: str, method: str, category_id: str | None, fields: Mapping[str, Any]
    ) -> models.Category:
        body = body_of(fields, BODIES[write], write)
        data = await self._write_one(
            models.CategoryResponseData, method, "categories", category_id, body
        )
        return data.category

    async def _write_one(
        self,
        shape: type[_M],
        method: str,
        name: str,
        item_id: str | None,
        body: Mapping[str, Any],
    ) -> _M:
        return await self._on_loop(self._session.write_item(shape, method, name, item_id, body))
