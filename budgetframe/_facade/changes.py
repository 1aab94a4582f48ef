"""Changes of a budget, their journal and a checklist, for synchronous code and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from .display import Shown
from .methods.base import Methods

if TYPE_CHECKING:
    from .aio.changes import AsyncChanges, AsyncJournal
    from .aio.checklist import AsyncChecklist


class Changes(Methods, Shown):
    """What changes in the budget: a preview that can be applied and undone.

    `BudgetFrame.changes` returns it for an edited frame, and every method that writes with
    ``preview=True``. Nothing is written before `apply`. The display shows the first changed fields,
    the effects if they were read, conflicts, the cost, what the limit leaves after it, and
    warnings.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> june = bf.month("2026-06")
    >>> groceries = june[june["category_name"] == "Groceries"]
    >>> changes = bf.changes(groceries.assign(budgeted=500.0))
    >>> changes.frame[["field", "after"]].values.tolist()
    [['budgeted', 500.0]]
    >>> changes.requests
    1
    """

    _aio: AsyncChanges

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each changed field, and for each part of a split that is new or deleted.

        The columns are ``action`` (create, update or delete), what identifies the row (``date``,
        ``account_name``, ``payee_name``, ``category_name``, as far as the rows have them),
        ``field``, ``before`` and ``after`` (names instead of keys, amounts in currency units), and
        the key of the row, which a new row lacks. Import ids are not shown. The changes that the
        service makes on the other sides of transfers are included. Conflicts are not included.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions().tail(1)
        >>> bf.changes(last.assign(flag_color="red")).frame["after"].tolist()
        ['red']
        """
        return self._aio.frame

    @property
    def requests(self) -> int:
        """The number of write requests that are left to send.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.changes(bf.transactions().tail(120).assign(memo="checked")).requests
        3
        """
        return self._aio.requests

    @property
    def effects(self) -> pd.DataFrame:
        """The figures of the budget that change: balances, activity, available, left to assign.

        The figures before the changes are those of the service, and those after them follow its
        rules. The columns are ``kind`` (account, category or budget), ``name``, ``month``,
        ``quantity`` (balance, activity, available or to_be_budgeted), ``before``, ``after``,
        ``difference`` and ``key``. New accounts and the interest of loans are not included. The
        service corrects the categories of a deleted split when another transaction of the category
        is written: ``warnings`` names those to which this applies.

        This costs one request for the whole budget, unless an export is fresh, and none after
        that. Read it before `apply`.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> import pandas as pd
        >>> wallet = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet"}
        >>> effects = bf.changes(pd.DataFrame([wallet])).effects
        >>> effects[effects["kind"] == "account"]["difference"].tolist()
        [-4.5]
        """
        return self._wait_for(self._aio.effects())

    @property
    def conflicts(self) -> pd.DataFrame:
        """The changes of rows that were also changed elsewhere; they are not sent.

        The columns are those of `frame`, with ``problem``, the reason. ``apply(overwrite=True)``
        sends them too, except for rows that were deleted elsewhere.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> len(bf.changes(bf.transactions()).conflicts)
        0
        """
        return self._aio.conflicts

    @property
    def skipped(self) -> pd.DataFrame:
        """The rows that `BudgetFrame.changes` or `import_rows` left out, with the ``reason``.

        With ``changes(..., splits="skip")``, these are the rows of the edited frame that are splits
        or parts of splits, with their edited cells: ``bf.changes(changes.skipped,
        splits="replace")`` deletes these splits and creates them again.

        Those of a file have the columns ``date``, ``amount``, ``payee_name`` and ``memo`` of the
        row, ``account_name``, ``reason``, and ``existing_date``, ``existing_payee_name`` and
        ``existing_transaction_id`` of the row that exists. The index is that of the given frame.
        The reasons in a file are:

        * ``imported before``: the account has a row with the same import id, or the journal of this
          budget knows the row of the account that was created for this row.
        * ``imported before and deleted``: it had one, as the journal or an answer of
          ``transactions(include_deleted=True)`` within the time to live says. With ``s =
          imported.skipped``, ``bf.changes(s[s["reason"] == "imported before and deleted"])``
          creates such rows again, without import ids.
        * ``same amount and day`` or ``same amount, 3 days apart``: the account has a row with this
          amount that others have entered, without an import id and up to five days apart, or with
          the import id of another program on the same day. Each existing row counts once, also over
          several files, the nearest day first, and is not changed. A new row near a row with
          another import id is not left out: ``warnings`` says that it is a probable duplicate.
        * ``bank_row_id twice in the file``: an earlier row has the same id, amount, day and payee.
        * ``in the future`` or ``over five years ago``: the service refuses the day.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> file = bf.transactions(since="2026-06").query("account_name == 'Wallet'")
        >>> bf.import_rows(file, account="Wallet").skipped["reason"].unique().tolist()
        ['same amount and day']
        """
        return self._aio.skipped

    @property
    def short(self) -> pd.DataFrame:
        """What `BudgetFrame.plan` could not fund, or what stays overspent after `cover`.

        One row for each category, in the order of the rules; empty for other changes. The columns
        are ``category_group_name``, ``category_name``, ``rule`` (the rules that want money),
        ``wanted``, ``got`` and ``missing`` in currency units, and ``category_id``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.plan(limit=0).short[["category_name", "missing"]].values.tolist()
        [['Groceries', 24.33]]
        """
        return self._aio.short

    @property
    def sources(self) -> pd.DataFrame:
        """What could cover overspending in `BudgetFrame.cover`; empty for other changes.

        The first row is Ready to Assign, then come the categories with money, in the order of the
        app. The columns are ``category_group_name``, ``category_name``, ``available``, ``kept``,
        ``spare`` (what it can give), ``taken`` (by these changes) in currency units, and
        ``category_id``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.cover().sources[["category_name", "spare"]].head(1).values.tolist()
        [['Ready to Assign', 246.85]]
        """
        return self._aio.sources

    def plot(
        self,
        *,
        ax: Any = None,
        theme: str | None = None,
        figsize: tuple[float, float] | None = None,
        title: str | None = None,
    ) -> Any:
        """Draw what a plan wants beside what it gets, by category group.

        Parameters
        ----------
        ax, theme, figsize, title
            As for ``report.plot()``.

        Returns
        -------
        matplotlib Axes
            One bar for each group: wanted, and in it what is funded.

        Raises
        ------
        ToolError
            When the changes are not those of `BudgetFrame.plan` or ``cover``, or want nothing.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.plan("next").plot().get_title(loc="left")
        '220,55 € of 953,46 € is funded'
        """
        return self._aio.plot(ax=ax, theme=theme, figsize=figsize, title=title)

    @property
    def warnings(self) -> list[str]:
        """What to consider before the changes are sent, as sentences.

        What cannot be undone in full comes first, and `not_undone` has it alone.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.changes(bf.transactions()).warnings
        []
        """
        return self._aio.warnings

    @property
    def not_undone(self) -> list[str]:
        """What `undo` cannot restore, or not in full, as sentences; the preview begins with it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> print(*bf.changes(delete=bf.scheduled_transactions().tail(1)).not_undone)
        .undo().apply() restores 1 deleted schedule under another key
        """
        return self._aio.not_undone

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of changes that are ``left``, ``done``, ``unknown`` and ``conflicts``.

        The result of a change is unknown if its request was interrupted; `apply` finds it out.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> changes = bf.changes(bf.transactions().tail(1).assign(flag_color="red"))
        >>> changes.apply().counts
        {'left': 0, 'done': 1, 'unknown': 0, 'conflicts': 0}
        """
        return self._aio.counts

    def apply(self, *, overwrite: bool = False) -> Changes:
        """Send the changes, and return this object.

        Updates and creations of transactions are sent in requests of 50 rows, all others one by
        one: updates first, then new rows, deletions, and assigned amounts, of which decreases come
        first. If the comparison is older than ten seconds, or that of a bank's file, it is repeated
        before: a row that was changed, imported or entered in between is a conflict.

        The journal is written before and after each request. If the call is interrupted, because
        an answer is lost, the process ends or the limit is reached, call it again, or
        ``bf.journal().resume()`` in a new process: one request finds out what was made, and only
        the rest is sent. ``help(budgetframe)`` explains how new rows are recognized.

        What the answer of the service does not show, field by field, is sent once more, and then is
        a conflict with the reason; so is a single row that the service refuses. If it refuses a
        request with several rows, an error says so, and nothing more is sent.

        Parameters
        ----------
        overwrite : bool
            Whether to send the changes of rows that were changed elsewhere too. The other sides of
            their transfers change with them; `frame` lists them afterwards.

        Returns
        -------
        Changes
            This object; ``counts`` and ``conflicts`` have the result.

        Raises
        ------
        ToolError
            When the limit leaves too few requests: nothing was sent, unless the whole limit would
            be too low. When another connection or process with the same ``cache_dir`` applies
            changes now. When the disk of the journal is full: nothing more is sent.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> changes = bf.changes(bf.transactions().tail(1).assign(flag_color="red")).apply()
        >>> bf.transactions().tail(1)["flag_color"].tolist()
        ['red']
        """
        self._wait_for(self._aio.apply(overwrite=overwrite))
        return self

    def undo(self) -> Changes:
        """Prepare the reverse changes of what was applied; ``undo().apply()`` sends them.

        A row that was changed elsewhere since then is a conflict, and so is one that the service
        would refuse now, for example because its category was deleted, and the other half of a move
        of which one half is a conflict. Deleted rows are created again with other keys, and without
        their ``import_payee_name``, ``import_id`` and ``debt_transaction_type``; new accounts,
        payees, groups and categories stay; a split is deleted before it is created again.
        ``warnings`` says what is not restored.

        If the application was stopped before its end, only what was made is reversed, and the rest
        cannot be sent after that. An application can be undone once: ``undo().apply()`` of the
        reverse changes makes its changes again.

        This costs one request for each list that was changed, and one for each of the lists of
        accounts, categories and payees that is not fresh.

        Returns
        -------
        Changes
            The reverse changes.

        Raises
        ------
        ToolError
            When it was undone already, or when the application was interrupted and it is not known
            what was made: continue it first.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions().tail(1)
        >>> changes = bf.changes(delete=last).apply()
        >>> changes.undo().apply().counts["done"]
        1
        """
        return Changes(self._wait_for(self._aio.undo()), self._wait_for)

    def __len__(self) -> int:
        """The number of changed rows."""
        return len(self._aio)


class Journal(Methods, Shown):
    """What was written to a budget, newest last: one entry for each ``apply()`` and each write.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> _ = bf.changes(bf.transactions().tail(1).assign(flag_color="red")).apply()
    >>> bf.journal().frame[["created", "updated", "deleted", "left"]].values.tolist()
    [[0, 1, 0, 0]]
    """

    _aio: AsyncJournal

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each application of changes, newest last; the index is its number.

        The columns are ``applied_at`` (UTC), the numbers of rows ``created``, ``updated`` and
        ``deleted``, the numbers of changes that are ``left`` and of ``conflicts``, and ``undoes``,
        the number of the application that it reverses.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> len(bf.journal().frame)
        0
        """
        return self._aio.frame

    def resume(self, number: int | None = None) -> Changes:
        """Continue an interrupted application, and return its changes.

        One request for each list finds out what was made, and only the rest is sent. New payees
        need the lists of names too, if they are not fresh: one request for each of three lists.

        Parameters
        ----------
        number : int, optional
            The number of the application in `frame`; by default the newest that was interrupted.

        Returns
        -------
        Changes
            The changes, as from `BudgetFrame.changes`.

        Raises
        ------
        ToolError
            When it was not interrupted or was undone, when the journal has no such number, when the
            limit does not leave enough requests, or when another connection or process applies
            changes at this moment.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> try:
        ...     bf.journal().resume()
        ... except ToolError as error:
        ...     print(error)
        no application of changes was interrupted: there is nothing to resume
        """
        return Changes(self._wait_for(self._aio.resume(number)), self._wait_for)

    def undo(self, number: int = -1) -> Changes:
        """Prepare the reverse changes of an application; ``undo(0).apply()`` sends them.

        Parameters
        ----------
        number : int
            The number of the application in `frame`; by default the newest one.

        Returns
        -------
        Changes
            The reverse changes, as from `Changes.undo`.

        Raises
        ------
        ToolError
            When the journal has no such number, when the application was undone already, or when
            it was interrupted and it is not known what was made: continue it first.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> _ = bf.changes(bf.transactions().tail(1).assign(flag_color="red")).apply()
        >>> bf.journal().undo().frame["before"].tolist()
        ['red']
        """
        return Changes(self._wait_for(self._aio.undo(number)), self._wait_for)

    def __len__(self) -> int:
        """The number of applications."""
        return len(self._aio.frame)


class Checklist(Methods, Shown):
    """What is to do before the figures of a month can be trusted; `BudgetFrame.checklist` makes it.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> len(bf.checklist())
    5
    """

    _aio: AsyncChecklist

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each step with something to do; `BudgetFrame.checklist` has the columns.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.checklist().frame["next"].iloc[-1]
        "bf.plan('2026-06')"
        """
        return self._aio.frame

    def changes(self, step: str) -> Changes:
        """Prepare the changes that a step needs; ``apply`` sends them.

        Rows that are not approved are approved as they were read: one that was changed since then
        is a conflict. `BudgetFrame.cover` and `BudgetFrame.plan` prepare those of ``overspent
        categories``, ``targets short`` and ``money not assigned``. The others need a decision.

        Parameters
        ----------
        step : str
            One of the steps in `frame`.

        Returns
        -------
        Changes
            The changes, as from `BudgetFrame.changes`, with the same cost.

        Raises
        ------
        ToolError
            When nothing is to do in this step, or no change is prepared for it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.checklist("current").changes("not approved").apply().counts["done"]
        3
        """
        return Changes(self._wait_for(self._aio.changes(step)), self._wait_for)

    def __len__(self) -> int:
        """The number of steps with something to do."""
        return len(self._aio.frame)
