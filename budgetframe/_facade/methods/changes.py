"""Changes of a budget from a frame, and the journal of what was applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

import pandas as pd

from budgetframe._facade.changes import Changes, Checklist, Journal
from budgetframe._facade.review.review import Review
from budgetframe._facade.rules import Rules
from budgetframe._facade.statement import Statement
from budgetframe._facade.wait_for import passed
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.request_bodies import BankFile, Keys

from .base import Methods

if TYPE_CHECKING:
    from budgetframe._facade.aio import AsyncBudgetFrame


class ChangeMethods(Methods):
    """Methods that change the budget from a frame."""

    _aio: AsyncBudgetFrame

    def changes(
        self,
        edited: pd.DataFrame | ArrowTable | None = None,
        *,
        delete: Keys | None = None,
        splits: Literal["error", "skip", "replace"] = "error",
    ) -> Changes:
        """Compare an edited frame with the service, and return what it changes; nothing is written.

        Cells that differ from the frame that was read are changes; a cell that is missing now
        (None, NaN, NaT, NA) clears the field. Rows and columns may be missing, and a row without a
        key is created. ``help(budgetframe)`` explains names, conflicts and what is ignored.

        Parameters
        ----------
        edited : DataFrame or ArrowTable, optional
            A frame of transactions, subtransactions, schedules or the ledger; of
            `month_categories`, `month` or `categories`, to change ``budgeted``, and in the last one
            also name, group, note and target; a selection of ``reports.suggestions()``; or new rows
            with ``date``, ``amount`` and ``account_name`` (with ``frequency``: schedules), which
            may have ``import_id`` and ``subtransactions``, a list of mappings.
        delete : str, DataFrame, ArrowTable, Series or iterable of str, optional
            The transactions or schedules to delete: their keys, or a frame with the column of keys.
        splits : {"error", "skip", "replace"}
            What happens to a split whose date, amount, category or parts change: an error; or it is
            left out (`Changes.skipped`); or it is deleted and created again, with a new key.

        Returns
        -------
        Changes
            What is changed, with its cost, warnings and conflicts. ``apply`` sends it.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions``, or that of the edited list.

        Cost: one request for the present rows, and one for each list of names that is not fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> todo = bf.ledger().query("is_uncategorized")
        >>> changes = bf.changes(todo.assign(category_name="Groceries"))
        >>> changes.frame[["before", "after"]].drop_duplicates().values.tolist()
        [[None, 'Groceries']]
        >>> changes.apply().counts["done"]
        2
        """
        return Changes(self._wait_for(self._aio.changes(**passed(locals()))), self._wait_for)

    def import_rows(
        self,
        file: pd.DataFrame | ArrowTable | BankFile,
        *,
        account: str,
        columns: Mapping[str, str] | None = None,
        rules: Rules | None = None,
    ) -> Changes:
        """Compare a bank's file with an account, and return the new rows; nothing is written.

        `budgetframe.read_bank_file` reads the file, and its decisions are shown with the new rows.
        New rows are cleared, not approved, and without a category unless ``rules`` set one.
        Rows that were imported before or that exist are left out, see `Changes.skipped`. Call
        ``apply`` even if nothing is new: it notes in the journal which rows of the account are
        those of the file. ``help(budgetframe)`` explains how rows are recognized.

        Parameters
        ----------
        file : path, bytes, binary file, DataFrame or ArrowTable
            The bank's file, or a frame with ``date``, ``amount`` (currency units, negative for
            outflows), ``payee_name``, and optionally ``memo`` and ``bank_row_id``, the bank's key
            of the row. A ``payee_name`` such as ``Transfer : Savings`` makes a transfer.
        account : str
            The name or key of the account.
        columns : mapping, optional
            The names of columns in the file or frame, and what they are here:
            ``{"Buchungstag": "date", "Betrag": "amount", "Empfänger": "payee_name"}``.
        rules : Rules, optional
            What `budgetframe.rules` reads, for the new rows; rows that exist are not changed.

        Returns
        -------
        Changes
            The new rows, with their cost and warnings, and ``skipped``. ``apply`` sends them.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/transactions``.

        Cost: one request for the present rows, and one for each list of names that is not fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> import pandas as pd
        >>> bread = {"date": "2026-06-16", "amount": -4.5, "payee_name": "Bakery"}
        >>> bf.import_rows(pd.DataFrame([bread]), account="Wallet").apply().counts["done"]
        1
        """
        return Changes(self._wait_for(self._aio.import_rows(**passed(locals()))), self._wait_for)

    def plan(
        self,
        month: Day = "current",
        rules: pd.DataFrame | ArrowTable | BankFile | None = None,
        *,
        limit: float | None = None,
    ) -> Changes:
        """Assign the money of a month to categories until it is used up; nothing is written.

        Without rules, each target gets what it still needs: first those whose day is over, then
        those due this month, then the others, each in the order of the app. Hidden categories are
        left out; snoozed targets and those of cards count. Never more is assigned than is ready to
        assign in the month and in each later one, and nothing is taken away. The same call after
        ``apply()`` changes nothing, unless ``limit`` held money back.

        Parameters
        ----------
        month : str, date or Timestamp
            ``"current"``, ``"next"`` or ``"2026-07"``, which may be new; not one that is over.
        rules : path, binary file or DataFrame, optional
            Rules from top to bottom, with ``category``, ``kind``, ``value`` and ``up_to``:
            ``help(budgetframe)`` explains the kinds.
        limit : float, optional
            The most to assign, in currency units.

        Returns
        -------
        Changes
            ``frame`` has the ``rule`` of each category, and what it ``wanted`` and ``got``;
            `Changes.short` what could not be funded. `Changes.plot` draws both.

        Raises
        ------
        ToolError
            When the month is over, or a rule is wrong; the message names the rows.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.plan().frame[["category_name", "before", "after"]].values.tolist()
        [['Groceries', 427.39, 451.72]]
        """
        return Changes(self._wait_for(self._aio.plan(**passed(locals()))), self._wait_for)

    def cover(
        self,
        month: Day = "current",
        *,
        sources: str | Iterable[str] = ("Ready to Assign",),
        keep: float | Literal["target"] | None = None,
    ) -> Changes:
        """Cover overspent categories of a month with money of named sources; nothing is written.

        Cash overspending is covered first, then that on cards, each in the order of the app, and
        then what the payments of a card lack. Only named sources give money, in their order. None
        gives more than is available in the month and in each later one. If money moves
        between categories and one of them was changed elsewhere, none is changed. If the service
        refuses one, `Changes.conflicts` says where the money is, and ``undo()`` moves it back.

        Parameters
        ----------
        month : str, date or Timestamp
            ``"current"``, ``"last"`` or a month such as ``"2026-05"``.
        sources : str or iterable of str
            Names or keys of categories, or ``"Ready to Assign"``. Categories of the service and
            of payments of cards are refused.
        keep : float or "target", optional
            What each source keeps, in currency units; by default what its target and its scheduled
            payments need until the end of the month.

        Returns
        -------
        Changes
            `Changes.sources` lists what can give money, `Changes.short` what stays overspent.

        Raises
        ------
        ToolError
            When a source is unknown or cannot give money.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.cover().frame[["category_name", "rule", "wanted", "got"]].values.tolist()
        [['Sport', 'overspent', 8.5, 8.5]]
        """
        return Changes(self._wait_for(self._aio.cover(**passed(locals()))), self._wait_for)

    def set_balance(self, account: str, balance: float, *, date: Day | None = None) -> Changes:
        """The row that gives a tracking account a balance, such as the value of a fund.

        Its amount is the difference from the balance that the service states now. It has the payee
        ``Balance Adjustment``, is cleared and approved, and counts as gain or loss in
        ``reports.investments``. If the balance was changed elsewhere since then, the row is a
        conflict; `apply` compares again if ten seconds have passed. Budget accounts are refused,
        because the row would need a category, and loans, because interest is part of their balance.

        Parameters
        ----------
        account : str
            The name or key of the account.
        balance : float
            The balance in currency units.
        date : str, date or Timestamp, optional
            The day of the row, today by default. The balance is that of the end of this day: later
            rows do not count.

        Returns
        -------
        Changes
            One new row; none, and a warning that says so, if the account has the balance already.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{accounts, transactions}``.

        Cost: two requests, and one for each other list of names that is not fresh.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> changes = bf.set_balance("Index Fund", 17000)
        >>> changes.frame.query("field == 'amount'")["after"].tolist()
        [483.57]
        >>> changes.apply().counts["done"]
        1
        """
        return Changes(self._wait_for(self._aio.set_balance(**passed(locals()))), self._wait_for)

    def statement(
        self,
        account: str,
        balance: float | None = None,
        on: Day | None = None,
        file: pd.DataFrame | ArrowTable | BankFile | None = None,
        *,
        columns: Mapping[str, str] | None = None,
    ) -> Statement:
        """Compare the balance that a bank states with an account, and list what explains it.

        Nothing is written, and nothing is chosen: ``statement.changes(0)`` returns the changes that
        clear the rows of set 0 and mark what the bank has confirmed as reconciled.

        Parameters
        ----------
        account : str
            The name or key of the account.
        balance, on : float and day, optional
            What the bank states, in currency units, negative if you owe it; and the day: rows up to
            it count. By default the closing balance that the file states, and its day.
        file : path, bytes, binary file, DataFrame or ArrowTable, optional
            The bank's file, as for `import_rows`, whose rows up to the day are compared.
        columns : mapping, optional
            The names of columns in the file, and what they are here, as for `import_rows`.

        Returns
        -------
        Statement
            With ``difference``, ``cleared``, ``frame`` (rows that are not reconciled),
            ``explanations`` (sets of rows), ``typing_errors``, and with a file ``only_bank``,
            ``only_here`` and ``differing``. A split counts as a whole.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{accounts, transactions}``.

        Cost: one request for each of the two lists that is not fresh; with a file as `import_rows`.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> statement = bf.statement("Checking", 8243.70, "2026-06-17")
        >>> statement.difference
        -49.3
        >>> statement.explanations.query("set == 0")["amount"].tolist()
        [-49.3]
        """
        return Statement(self._wait_for(self._aio.statement(**passed(locals()))), self._wait_for)

    def checklist(self, month: Day = "last", *, days: int = 14) -> Checklist:
        """What is to do before the figures of a month can be trusted, in the order to do it.

        Rows up to the end of the month count. ``reports.duplicates``, `reconcile` and
        ``reports.cards`` decide what is probably twice, what differs, and which card is not
        covered; ``why`` names the row after which less was available than was owed. `reconcile`
        explains the difference of a split that was deleted before the budget was first read. A
        transfer lacks its other side if no row has its key. An open budget account is not
        reconciled if it has cleared rows that are not. Targets of a month that has ended, and
        hidden ones, are left out. A schedule is overdue if its next day is before today.

        Parameters
        ----------
        month : str or date
            ``"last"``, ``"current"`` or ``"2026-05"``, which the budget must have.
        days : int
            After this number of days before the end of the month, or today if that is earlier, an
            uncleared row counts.

        Returns
        -------
        Checklist
            Its ``frame`` has one row for each step with something to do, in their order; the same
            columns and dtypes when there are none.

            column  dtype     unit      meaning
            ------  --------  --------  -----------------------------------------
            step    category            what is to do, in this order
            count   int64     things    rows, accounts, differences or categories
            amount  float64   currency  sum of their amounts
            why     str                 where, since when, and how much
            next    str                 the call to run next

        Raises
        ------
        ToolError
            When the budget does not have the month, or when ``days`` is out of its range.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}``.

        Cost: one request; none within the time to live, after it a delta of what changed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.checklist().frame[["step", "count"]].head(2).values.tolist()
        [['without a category', 1], ['not reconciled', 4]]
        """
        return Checklist(self._wait_for(self._aio.checklist(**passed(locals()))), self._wait_for)

    def review(
        self,
        what: pd.DataFrame | ArrowTable | Statement | Changes | None = None,
        *,
        keep: bool = False,
    ) -> Review:
        """Show rows in a table to tick, edit and apply with the mouse or the keyboard.

        In a notebook with the extra ``widget``, the cost and the effects of the edits are below the
        table, and only its button Apply sends them; Stop ends it between two requests. Elsewhere,
        the preview and the line to write are shown. A tick accepts what a row suggests: the
        category of the payee's other rows, the approval, the deletion of a duplicate, or the state
        in a statement. An edit of a ticked row is made in all ticked rows, and removes the ticks.
        Edits and given changes are sent without a tick; a row in conflict only after it is ticked
        or edited again. The line above assigned amounts says what is left to assign then.

        Parameters
        ----------
        what : DataFrame, ArrowTable, Statement or Changes, optional
            A frame of transactions, also with edits or new rows; ``reports.suggestions()`` or
            ``reports.duplicates()``; a `Statement`; or `Changes` of transactions or of the amounts
            assigned in a month. By default the rows that are not approved or have no category.
        keep : bool
            Whether a saved notebook contains the rows of the table, if "Save Widget State" is on in
            JupyterLab; by default it has none.

        Returns
        -------
        Review
            With ``changes`` and ``frame``, so that code can go on.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: one request for the present rows, two for those of a frame, and one for each list of
        names that is not fresh. The effects of the first edit cost one, Preview two, and Apply and
        Undo up to four besides what the table states. Assigned amounts cost one, Preview one.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.review().frame["payee_name"].tolist()
        ['Kiosk am Ring', 'Corner Market', 'Kiosk am Ring', 'Station West']
        >>> bf.review(bf.assign("2026-06", "Fuel", 125, preview=True)).frame["budgeted"].tolist()
        [125.0]
        """
        return Review(self._wait_for(self._aio.review(what, keep=keep)), self._wait_for, what)

    def journal(self) -> Journal:
        """What `changes` and all methods that write have applied, newest last.

        The journal is in the `cache_dir` of the connection: one file for each token, with mode
        0600, which contains the changed rows as plain text and not the token. An empty file with
        the ending ``.lock`` lets only one process apply changes at a time. Without a `cache_dir`,
        it is in memory and ends with the process; so are changes whose beginning cannot be written
        to the file, with a warning, until a later line can. Only `import_linked` is not in it.

        Returns
        -------
        Journal
            ``frame`` lists the applications, ``resume`` continues an interrupted one, ``undo``
            prepares the reverse changes, and ``undo().apply()`` sends them.

        Notes
        -----
        Source: ``GET /budgets``.

        Cost: none, if the budget is known already.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> _ = bf.changes(bf.transactions().tail(1).assign(memo="checked")).apply()
        >>> bf.journal().frame["updated"].tolist()
        [1]
        """
        return Journal(self._wait_for(self._aio.journal()), self._wait_for)
