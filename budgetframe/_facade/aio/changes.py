"""Changes of a budget from a frame, and the journal of what was applied: ``await ...``."""

from __future__ import annotations

from typing import Any

import pandas as pd

from budgetframe import _changes
from budgetframe._changes.plan import Change
from budgetframe._changes.sending.operation import Operation
from budgetframe._facade.display import Shown
from budgetframe._facade.preview import Preview, preview_of_changes, preview_of_journal
from budgetframe._runtime.event_loop import OnLoop
from budgetframe._runtime.text import number_of
from budgetframe._session.session import Session
from budgetframe.errors import ToolError
from budgetframe.frames.schema import Column, frame_of_rows, with_attrs

from .base import checked_on_loop


@checked_on_loop
class AsyncChanges(Shown):
    """The async counterpart of `Changes`: ``await changes.apply()``."""

    def __init__(
        self,
        application: _changes.Application,
        on_loop: OnLoop,
        skipped: pd.DataFrame | None = None,
    ) -> None:
        self.application = application
        self._on_loop = on_loop
        self._skipped = skipped
        self._attrs = application.session.budget_attrs()
        self._effects: pd.DataFrame | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each changed field."""
        is_plan = self.application.plan.wanted is not None
        return _changes.changes_frame(self._to_send, self._attrs, is_plan=is_plan)

    @property
    def requests(self) -> int:
        """The number of write requests that are left to send."""
        return len(self.application.requests)

    @property
    def reads(self) -> int:
        """The number of requests that compare the changes with the service once more, at most."""
        return self.application.reads

    @property
    def limit(self) -> tuple[int, int]:
        """The number of requests that the limit allows now, and in an hour."""
        guard = self.application.session.reads.client.guard
        return max(0, guard.threshold - guard.usage()[1]), guard.threshold

    @property
    def conflicts(self) -> pd.DataFrame:
        """One row for each field of a row that was changed elsewhere too, with the reason."""
        return _changes.changes_frame(self.application.conflicts, self._attrs, problems=True)

    @property
    def skipped(self) -> pd.DataFrame:
        """The rows of a frame or of a file that were left out, with the reasons."""
        skipped = frame_of_rows(_changes.SKIPPED, []) if self._skipped is None else self._skipped
        # With their version, the left-out rows of a frame can be passed to `changes` again.
        return with_attrs(skipped.copy(), {**self._attrs, **skipped.attrs})

    @property
    def short(self) -> pd.DataFrame:
        """What a plan wants and could not fund."""
        return self._wanted[self._wanted["missing"] > 0].reset_index(drop=True)

    @property
    def _wanted(self) -> pd.DataFrame:
        """What a plan wants and what it gets."""
        frame = frame_of_rows(_changes.WANTED, self.application.plan.wanted or ())
        return with_attrs(frame, self._attrs)

    @property
    def sources(self) -> pd.DataFrame:
        """What can cover overspending."""
        frame = frame_of_rows(_changes.SOURCES, self.application.plan.sources)
        return with_attrs(frame, self._attrs)

    def plot(self, **options: Any) -> Any:
        """Draw what a plan wants beside what it gets."""
        if self._wanted.empty:
            raise ToolError("only a plan that wants money has a picture: bf.plan() and bf.cover()")
        from budgetframe.reports._shared.group_pictures import draw_wanted  # noqa: PLC0415
        from budgetframe.reports._shared.report import on_canvas  # noqa: PLC0415
        from budgetframe.reports.plotting.options import PlotOptions  # noqa: PLC0415

        return on_canvas(draw_wanted)(self._wanted, self._attrs, PlotOptions(**options))

    @property
    def warnings(self) -> list[str]:
        """What to consider before the changes are sent: first, what cannot be undone in full."""
        return [*self.not_undone, *self.application.warnings]

    @property
    def not_undone(self) -> list[str]:
        """What `undo` cannot restore, or not in full, as sentences."""
        return list(self.application.plan.not_undone)

    @property
    def known_effects(self) -> pd.DataFrame | None:
        """The effects, if they were calculated."""
        return None if self._effects is None else self._effects.copy()

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of changes that are left, done, in conflict, and of unknown result."""
        operation = self.application.operation
        return {
            "left": len(operation.positions("pending")),
            "done": len(operation.positions("done")),
            "unknown": len(operation.positions("unknown")),
            "conflicts": len(operation.positions("conflict")),
        }

    @property
    def is_undo(self) -> bool:
        """Whether these changes reverse others."""
        return bool(self.application.operation.undoes)

    @property
    def rows(self) -> dict[str, int]:
        """The numbers of rows to create, update and delete, conflicts not included."""
        actions = [each.action for each in self._to_send]
        return {name: actions.count(name) for name in ("create", "update", "delete")}

    async def effects(self) -> pd.DataFrame:
        """The figures of the budget that change."""
        if self._effects is None:
            application, changes = self.application, self._to_send
            if not any(each.resource in ("transactions", "month_categories") for each in changes):
                effects = frame_of_rows(_changes.EFFECTS, [])
            elif application.has_begun or application.state is None:
                raise ToolError(
                    "the effects are calculated from the figures before the changes, but the"
                    " changes are sent already: read .effects before .apply()"
                )
            else:
                session, state = application.session, application.state
                effects = await _changes.effects_of_changes(session, changes, state)
            self._effects = with_attrs(effects, self._attrs)
        return self._effects.copy()

    @property
    def no_writes(self) -> str:
        """Why `apply` is refused, because the connection is read-only; empty if it is not."""
        return self.application.session.no_writes

    @property
    def is_interrupted(self) -> bool:
        """Whether the application has begun, and changes are left."""
        return self.application.is_interrupted

    @property
    def compares_first(self) -> bool:
        """Whether the changes are compared once more before anything is sent, in any case."""
        return self.is_interrupted or self.application.compares_first

    async def apply(self, *, overwrite: bool = False) -> AsyncChanges:
        """Send the changes that are left, and return this object."""
        known = len(self.application.conflicts)
        await self.application.apply(overwrite=overwrite)
        if len(self.application.conflicts) > known:
            self._effects = None  # not all changes that they are calculated from were made
        return self

    async def undo(self) -> AsyncChanges:
        """Prepare the reverse changes of what was applied; their `apply` sends them."""
        application = self.application
        await application.reload()
        return await _undone(application.session, application.operation, self._on_loop)

    def __len__(self) -> int:
        """The number of changed rows."""
        return sum(self.rows.values())

    def preview(self, name: str) -> Preview:
        """What is shown of the changes, under the name of a class."""
        return preview_of_changes(name, self)

    @property
    def _to_send(self) -> list[Change]:
        return [each for each in self.application.operation.changes if not each.problem]


async def _undone(session: Session, operation: Operation, on_loop: OnLoop) -> AsyncChanges:
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


@checked_on_loop
class AsyncJournal(Shown):
    """The async counterpart of `Journal`: ``await journal.undo(0)``."""

    def __init__(self, session: Session, operations: list[Operation], on_loop: OnLoop) -> None:
        self._session = session
        self._operations = operations
        self._on_loop = on_loop

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each application of changes, newest last."""
        numbers = {each.id: number for number, each in enumerate(self._operations)}
        rows = [_summary(each, numbers) for each in self._operations]
        return with_attrs(frame_of_rows(_JOURNAL, rows), self._session.budget_attrs())

    async def resume(self, number: int | None = None) -> AsyncChanges:
        """Continue an interrupted application, by default the newest, and return its changes."""
        if number is None:
            found = [each for each in self._operations if each.left]
        else:
            found = [each for each in [self._entry(number)] if each.left]
        if not found:
            which = "no application of changes was" if number is None else f"entry {number} was not"
            raise ToolError(f"{which} interrupted: there is nothing to resume")
        application = _changes.Application(self._session, None, found[-1])
        await application.apply()
        return AsyncChanges(application, self._on_loop)

    async def undo(self, number: int = -1) -> AsyncChanges:
        """Prepare the reverse changes of an application, by default of the newest one."""
        return await _undone(self._session, self._entry(number), self._on_loop)

    def _entry(self, number: int) -> Operation:
        try:
            return self._operations[number]
        except IndexError:
            entries = number_of(len(self._operations), "entry", "entries")
            raise ToolError(f"{number} is not in the journal: it has {entries}") from None

    def preview(self, name: str) -> Preview:
        """What is shown of the journal, under the name of a class."""
        return preview_of_journal(name, self.frame)


_JOURNAL = (
    Column("applied_at", "datetime64[us, UTC]", "", "time of the first request"),
    Column("created", "int64", "rows", "new rows"),
    Column("updated", "int64", "rows", "changed rows"),
    Column("deleted", "int64", "rows", "deleted rows"),
    Column("left", "int64", "changes", "that may still have to be sent"),
    Column("conflicts", "int64", "changes", "that are not made"),
    Column("undoes", "Int64", "", "number of the entry that it reverses"),
)


def _summary(operation: Operation, numbers: dict[str, int]) -> tuple[Any, ...]:
    """The cells of an entry of the journal."""
    actions = [operation.changes[each].action for each in operation.positions("done")]
    counts = (actions.count(action) for action in ("create", "update", "delete"))
    left, conflicts = len(operation.left), len(operation.positions("conflict"))
    return operation.started, *counts, left, conflicts, numbers.get(operation.undoes)
