"""Changes of a budget from a frame, and the journal of what was applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from budgetframe._facade.docstrings import complete_docstring
from budgetframe._facade.preview import Preview, preview_of_changes, preview_of_journal
from budgetframe._runtime.number_of import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.request_bodies import Keys

from .base import Base, checked_methods

__all__ = ["AsyncChanges", "AsyncJournal", "ChangesMethods"]

if TYPE_CHECKING:
    from budgetframe._changes.journal import Operation
    from budgetframe._changes.plan import Change
    from budgetframe._changes.send import Application
    from budgetframe._runtime.event_loop import OnLoop
    from budgetframe._session.session import Session


@checked_methods
class AsyncChanges:
    """The async counterpart of `Changes`: ``await changes.apply()``.

    Parameters
    ----------
    application : Application
        The changes, and what is known of their application.
    on_loop : OnLoop
        Awaits a coroutine on the event loop of the HTTP client.
    skipped : DataFrame, optional
        The rows of a file that are left out.
    """

    def __init__(
        self, application: Application, on_loop: OnLoop, skipped: pd.DataFrame | None = None
    ) -> None:
        self._application = application
        self._on_loop = on_loop
        self._skipped = skipped
        self._attrs = application.session.budget_attrs()
        self._effects: pd.DataFrame | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each changed field."""
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        changes = [each for each in self._application.operation.changes if not each.problem]
        return _changes.changes_frame(changes, self._attrs)

    @property
    def requests(self) -> int:
        """The number of write requests that are left to send."""
        return len(self._application.requests)

    @property
    def reads(self) -> int:
        """The number of requests that compare the changes with the service once more, at most."""
        return self._application.reads

    @property
    def limit(self) -> tuple[int, int]:
        """The number of requests that the limit allows now, and in an hour."""
        guard = self._application.session.reads.client.guard
        return max(0, guard.threshold - guard.usage()[1]), guard.threshold

    @property
    def conflicts(self) -> pd.DataFrame:
        """One row for each field of a row that was changed elsewhere too, with the reason."""
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        return _changes.changes_frame(self._application.conflicts, self._attrs, problems=True)

    @property
    def skipped(self) -> pd.DataFrame:
        """The rows of a file that `import_rows` left out, with the reasons."""
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        skipped = self._skipped
        if skipped is None:
            skipped = pd.DataFrame({column.name: column.array([]) for column in _changes.SKIPPED})
        return _changes.preview_frame(skipped.copy(), self._attrs)

    @property
    def warnings(self) -> list[str]:
        """What to consider before the changes are sent, as sentences."""
        return list(self._application.plan.warnings)

    @property
    def known_effects(self) -> pd.DataFrame | None:
        """The effects, if they were calculated."""
        return None if self._effects is None else self._effects.copy()

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of changes that are left, done, in conflict, and of unknown result."""
        operation = self._application.operation
        return {
            "left": len(operation.positions("pending")),
            "done": len(operation.positions("done")),
            "unknown": len(operation.positions("unknown")),
            "conflicts": len(operation.positions("conflict")),
        }

    @property
    def is_undo(self) -> bool:
        """Whether these changes reverse others."""
        return bool(self._application.operation.undoes)

    @property
    def rows(self) -> dict[str, int]:
        """The numbers of rows to create, update and delete, conflicts not included."""
        changes: Iterable[Change] = self._application.operation.changes
        actions = [each.action for each in changes if not each.problem]
        return {name: actions.count(name) for name in ("create", "update", "delete")}

    async def effects(self) -> pd.DataFrame:
        """The figures of the budget that change."""
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        if self._effects is None:
            application = self._application
            changes = [each for each in application.operation.changes if not each.problem]
            if not any(each.resource in ("transactions", "month_categories") for each in changes):
                effects = pd.DataFrame(
                    {column.name: column.array([]) for column in _changes.EFFECTS}
                )
            elif application.has_begun or application.state is None:
                raise ToolError(
                    "the effects are calculated from the figures before the changes, but the"
                    " changes are sent already: read .effects before .apply()"
                )
            else:
                effects = await self._on_loop(
                    _changes.effects_of_changes(application.session, changes, application.state)
                )
            self._effects = _changes.preview_frame(effects, self._attrs)
        return self._effects.copy()

    @property
    def is_interrupted(self) -> bool:
        """Whether the application has begun, and changes are left."""
        return self._application.is_interrupted

    @property
    def compares_first(self) -> bool:
        """Whether the changes are compared once more before anything is sent, in any case."""
        return self.is_interrupted or self._application.compares_first

    async def apply(self, *, overwrite: bool = False) -> AsyncChanges:
        """Send the changes that are left, and return this object."""
        await self._on_loop(self._application.apply(overwrite=overwrite))
        return self

    async def undo(self) -> AsyncChanges:
        """Prepare the reverse changes of what was applied; their `apply` sends them."""
        return await self._on_loop(self._undone())

    def __len__(self) -> int:
        """The number of changed rows."""
        return sum(self.rows.values())

    def preview(self, name: str) -> Preview:
        """What is shown of the changes, under the name of a class."""
        return preview_of_changes(name, self)

    def __repr__(self) -> str:
        return self.preview(type(self).__name__).as_text()

    def _repr_html_(self) -> str:
        return self.preview(type(self).__name__).as_html()

    async def _undone(self) -> AsyncChanges:
        application = self._application
        await application.reload()
        return await _undone(application.session, application.operation, self._on_loop)


async def _undone(session: Session, operation: Operation, on_loop: OnLoop) -> AsyncChanges:
    from budgetframe import _changes  # noqa: PLC0415 - slow to import

    operations = (await _changes.journal_of(session)).operations()
    _changes.check_not_undone(operations, operation.id)
    numbers = {each.id: number for number, each in enumerate(operations)}
    if operation.id in numbers:  # others may have continued it
        operation = operations[numbers[operation.id]]
    if operation.positions("unknown"):
        raise ToolError(
            "the application was interrupted, and it is not known what was made: continue it first,"
            f" with .apply() or bf.journal().resume({numbers.get(operation.id, '')})"
        )
    compared = await _changes.reversal(session, operation)
    return AsyncChanges(_changes.Application(session, compared, undoes=operation.id), on_loop)


@checked_methods
class AsyncJournal:
    """The async counterpart of `Journal`: ``await journal.undo(0)``.

    Parameters
    ----------
    session : Session
        Reads and writes the budget.
    operations : list of Operation
        What was applied, newest last.
    on_loop : OnLoop
        Awaits a coroutine on the event loop of the HTTP client.
    """

    def __init__(self, session: Session, operations: list[Operation], on_loop: OnLoop) -> None:
        self._session = session
        self._operations = operations
        self._on_loop = on_loop

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each application of changes, newest last."""
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        numbers = {each.id: number for number, each in enumerate(self._operations)}
        rows = [_summary(each, numbers) for each in self._operations]
        frame = pd.DataFrame(rows, columns=list(_JOURNAL_COLUMNS)).astype(_JOURNAL_COLUMNS)
        frame["applied_at"] = pd.to_datetime(frame["applied_at"], utc=True, format="ISO8601")
        frame["applied_at"] = frame["applied_at"].astype("datetime64[us, UTC]")
        return _changes.preview_frame(frame, self._session.budget_attrs())

    async def resume(self, number: int | None = None) -> AsyncChanges:
        """Continue an interrupted application, by default the newest, and return its changes."""
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        if number is None:
            found = [each for each in self._operations if each.left]
        else:
            found = [each for each in [self._entry(number)] if each.left]
        if not found:
            which = "no application of changes was" if number is None else f"entry {number} was not"
            raise ToolError(f"{which} interrupted: there is nothing to resume")
        application = _changes.Application(self._session, None, found[-1])
        await self._on_loop(application.apply())
        return AsyncChanges(application, self._on_loop)

    async def undo(self, number: int = -1) -> AsyncChanges:
        """Prepare the reverse changes of an application, by default of the newest one."""
        operation = self._entry(number)
        return await self._on_loop(_undone(self._session, operation, self._on_loop))

    def _entry(self, number: int) -> Operation:
        try:
            return self._operations[number]
        except IndexError:
            entries = number_of(len(self._operations), "entry", "entries")
            raise ToolError(f"{number} is not in the journal: it has {entries}") from None

    def preview(self, name: str) -> Preview:
        """What is shown of the journal, under the name of a class."""
        return preview_of_journal(name, self.frame)

    def __repr__(self) -> str:
        return self.preview(type(self).__name__).as_text()

    def _repr_html_(self) -> str:
        return self.preview(type(self).__name__).as_html()


_JOURNAL_COLUMNS = {
    "applied_at": "object",
    "created": "int64",
    "updated": "int64",
    "deleted": "int64",
    "left": "int64",
    "conflicts": "int64",
    "undoes": "Int64",
}


def _summary(operation: Operation, numbers: dict[str, int]) -> dict[str, object]:
    actions = [operation.changes[each].action for each in operation.positions("done")]
    return {
        "applied_at": operation.started,
        "created": actions.count("create"),
        "updated": actions.count("update"),
        "deleted": actions.count("delete"),
        "left": len(operation.left),
        "conflicts": len(operation.positions("conflict")),
        "undoes": numbers.get(operation.undoes),
    }


@checked_methods
class ChangesMethods(Base):
    """Async methods that change the budget from a frame."""

    @complete_docstring(source="GET /budgets/{budget_id}/transactions", cost="changes")
    async def changes(
        self,
        edited: pd.DataFrame | None = None,
        *,
        delete: Keys | None = None,
        replace_splits: bool = False,
    ) -> AsyncChanges:
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
        return await self._on_loop(self._compared(edited, delete, replace_splits=replace_splits))

    async def _compared(
        self, edited: pd.DataFrame | None, delete: Keys | None, *, replace_splits: bool
    ) -> AsyncChanges:
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        session = self._session
        compared = await _changes.compare(session, edited, delete, replace_splits=replace_splits)
        return AsyncChanges(_changes.Application(session, compared), self._on_loop)

    @complete_docstring(source="GET /budgets/{budget_id}/transactions", cost="import_rows")
    async def import_rows(
        self,
        frame: pd.DataFrame,
        *,
        account: str,
        columns: Mapping[str, str] | None = None,
    ) -> AsyncChanges:
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
        return await self._on_loop(self._imported(frame, account, columns))

    async def _imported(
        self, frame: pd.DataFrame, account: str, columns: Mapping[str, str] | None
    ) -> AsyncChanges:
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        session = self._session
        compared, skipped = await _changes.import_plan(session, frame, account, columns)
        return AsyncChanges(_changes.Application(session, compared), self._on_loop, skipped)

    @complete_docstring(source="GET /budgets", cost="journal")
    async def journal(self) -> AsyncJournal:
        """What `changes` has applied to this budget, newest last.

        The journal is in the `cache_dir` of the connection, beside the cache: one file for each
        token, with mode 0600. It contains the changed rows as plain text, and not the token. An
        empty file with the ending ``.lock`` lets only one process apply changes at a time.
        Without a `cache_dir`, it is in memory and ends with this object. Other write methods, such
        as ``update_transactions``, are not in the journal.

        Returns
        -------
        Journal
            ``frame`` lists the applications, ``resume`` continues an interrupted one, ``undo``
            prepares the reverse changes, and ``undo().apply()`` sends them.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> import pandas as pd
        >>> row = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet"}
        >>> _ = bf.changes(pd.DataFrame([row])).apply()
        >>> bf.journal().frame["created"].tolist()
        [1]
        """
        return await self._on_loop(self._read_journal())

    async def _read_journal(self) -> AsyncJournal:
        from budgetframe import _changes  # noqa: PLC0415 - slow to import

        operations = (await _changes.journal_of(self._session)).operations()
        return AsyncJournal(self._session, operations, self._on_loop)
