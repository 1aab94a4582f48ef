"""Rows that a person reviews, and what the edits change: ``await review.changes()``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from budgetframe._changes.state import wire_row
from budgetframe._facade.preview import Preview, preview_of_review
from budgetframe._resources import COUNTED
from budgetframe.errors import ToolError

from .base import on_loop

if TYPE_CHECKING:
    from budgetframe._facade.review.rows import Reviewed
    from budgetframe._runtime.event_loop import OnLoop

    from .changes import AsyncChanges


@on_loop
class AsyncReview:
    """The async counterpart of `Review`: the rows and the changes, without a table."""

    def __init__(
        self, found: Reviewed, changes_of: Callable[..., AsyncChanges], loop: OnLoop, *, keep: bool
    ) -> None:
        self.keep = keep
        self.draft, self._prepared, self._statement = found
        self._changes_of = changes_of
        self._on_loop = loop
        self._changes: AsyncChanges | None = None
        self.applied: AsyncChanges | None = None
        """The last changes of which something was sent; they can be undone."""
        self._undoing: AsyncChanges | None = None  # the reverse changes while they are sent
        self._read_after: AsyncChanges | None = None
        """The last changes after which the rows were read again."""
        if self._prepared is not None:
            self.draft.register(self._prepared.application.operation)

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a ledger with the edits."""
        return self.draft.frame

    @property
    def interrupted(self) -> AsyncChanges | None:
        """Changes that were sent in part: they are continued or undone before other edits."""
        begun = (self._undoing, self.applied)
        return next((each for each in begun if each is not None and each.is_interrupted), None)

    @property
    def is_undo_interrupted(self) -> bool:
        """Whether an undo was sent in part: nothing else can be done before it is continued."""
        return self._undoing is not None and self._undoing.is_interrupted

    def forget_changes(self) -> None:
        """Prepare the changes again when they are needed, because a row was edited."""
        self._changes = self._undoing = None

    async def catch_up(self) -> range:
        """Take into account what was applied, also by code; return the numbers of the rows."""
        known = (self._undoing, self._changes, self._prepared, self.applied)
        begun = next((each for each in known if each and each.application.has_begun), None)
        if begun is None:
            return range(0)
        if begun is self._read_after:
            undo = await self.draft.undo_of(begun.application.operation)
            if undo is None:
                return range(0)
            self.draft.take_outcome(undo)
            await self.draft.refresh(undo)
            self.applied = self._changes = None
        else:
            self.applied = self.applied if begun is self._undoing else begun
            self.draft.take_outcome(begun.application.operation)
            if not begun.is_interrupted:
                await self._finish(begun)
        return range(len(self.draft.rows))

    async def _finish(self, changes: AsyncChanges) -> None:
        """Read the rows again after changes were applied."""
        await self.draft.refresh(changes.application.operation)
        if changes is self._undoing:
            self.applied = self._undoing = None
        self._changes = self._prepared = None
        self._read_after = changes

    async def changes(self) -> AsyncChanges:
        """What the edits and ticks change; without any, what was applied last, to be undone."""
        await self.catch_up()
        changes = await self.pending()
        return changes if len(changes) or self.applied is None else self.applied

    async def pending(self) -> AsyncChanges:
        """What the edits and ticks change."""
        if self._changes is None and self._prepared is not None and self.draft.is_as_prepared:
            self._changes = self._prepared
        return self.interrupted or self._changes or await self._compare(is_new=False)

    async def preview(self, name: str) -> Preview:
        """What is shown of the review, under the name of a class."""
        column = "budgeted" if self.draft.month else "category_name"
        return preview_of_review(name, len(self.draft.rows), await self.changes(), column)

    async def compare(self) -> AsyncChanges:
        """The same changes, compared with the service once more; conflicts are in the rows."""
        await self.catch_up()
        changes = await self._compare(is_new=True)
        self.draft.take_conflicts(changes.application.operation)
        await self.draft.take_present_rows()
        return changes

    async def _compare(self, *, is_new: bool) -> AsyncChanges:
        compared = await self.draft.compared(is_new=is_new)
        skipped = None if self._prepared is None else self._prepared.skipped
        self._changes = self._changes_of(compared, skipped)
        self.draft.register(self._changes.application.operation)
        return self._changes

    async def apply(self, on_progress: Callable[[int, int], object]) -> AsyncChanges:
        """Send the first request that is left; after the last one, read the rows again."""
        # After an error, the rows say what was made.
        await self.catch_up()
        changes = await self.pending()
        try:
            await self._send_one(changes, on_progress)
        finally:
            self.applied = changes if changes.application.has_begun else self.applied
        return changes

    async def undo(self, on_progress: Callable[[int, int], object]) -> AsyncChanges:
        """Send the first request of the reverse changes that is left, as `apply` does."""
        if self._undoing is None:
            if self.applied is None:
                raise ToolError("nothing was applied: there is nothing to undo")
            if self.applied is not self._read_after:  # it was interrupted
                self.draft.take_made(self.applied.application.operation)
            self._undoing = await self.applied.undo()
        undoing = self._undoing
        await self._send_one(undoing, on_progress)
        return undoing

    async def _send_one(
        self, changes: AsyncChanges, on_progress: Callable[[int, int], object]
    ) -> None:
        application = changes.application
        application.on_progress, application.is_stepwise = on_progress, True
        try:
            await changes.apply()
        finally:
            application.is_stepwise = False  # code sends all
            self.draft.take_outcome(application.operation)
        if not changes.is_interrupted:
            await self._finish(changes)

    async def effects(self) -> pd.DataFrame:
        """The figures of the budget that the changes change."""
        return await self.draft.effects((await self.pending()).application.plan)

    async def left_to_assign(self) -> tuple[int, int] | None:
        """What is left to assign before and after the changes of a month, in milliunits."""
        changes = (await self.pending()).application.operation.changes
        return self.draft.left_to_assign([each for each in changes if not each.problem])

    async def differences(self) -> tuple[int, int] | None:
        """The difference of a statement before and after the changes, in milliunits."""
        if self._statement is None:
            return None
        account_id, on = self._statement.account_id, self._statement.compared.on
        changes = (await self.pending()).application.plan.changes
        day, state = on.date().isoformat(), self.draft.state
        before = self._statement.compared.balance - state.sum_until(account_id, day, among=[None])
        after = before
        for change in changes:
            old = wire_row(state.rows[change.key], "transactions") if change.key else {}
            new = {} if change.action == "delete" else {**old, **change.after}
            for sign, row in ((1, old), (-1, new)):
                counts = row.get("account_id") == account_id and row.get("cleared") in COUNTED
                if counts and row["date"] <= day:
                    after += sign * row["amount"]
        return before, after
