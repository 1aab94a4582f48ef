"""Rows that a person reviews, and what the edits change: ``await review.changes()``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from budgetframe._changes.bank_rows import amount_of
from budgetframe._facade.preview import Preview, preview_of_review
from budgetframe._resources import COUNTED

from .base import on_loop

__all__ = ["AsyncReview"]

if TYPE_CHECKING:
    from budgetframe._facade.review.rows import Reviewed
    from budgetframe._runtime.event_loop import OnLoop

    from .changes import AsyncChanges


@on_loop
class AsyncReview:
    """The async counterpart of `Review`: the rows and the changes, without a table."""

    def __init__(
        self,
        found: Reviewed,
        changes_of: Callable[..., AsyncChanges],
        loop: OnLoop,
        *,
        keep: bool,
    ) -> None:
        self.keep = keep
        self.draft, self._prepared, self._statement = found
        self._changes_of = changes_of
        self._on_loop = loop
        self._changes: AsyncChanges | None = None
        self.applied: AsyncChanges | None = None
        """The last changes of which something was sent; they can be undone."""
        self._unread: AsyncChanges | None = None
        """Changes that were applied, and after which the rows were not read again yet."""

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a ledger with the edits."""
        return self.draft.frame

    @property
    def is_interrupted(self) -> bool:
        """Whether changes were sent in part: they are continued or undone before other edits."""
        return self.applied is not None and self.applied.is_interrupted

    def forget_changes(self) -> None:
        """Prepare the changes again when they are needed, because a row was edited."""
        self._changes = None

    async def catch_up(self) -> range:
        """Read the rows again, if this failed after an application; return the numbers of these."""
        if self._unread is None:
            return range(0)
        await self._refresh(self._unread)
        return range(len(self.draft.rows))

    async def changes(self) -> AsyncChanges:
        """What the edits and ticks change; the same object until the next edit."""
        await self.catch_up()
        if self._changes is None and self._prepared is not None and self.draft.is_as_prepared:
            self._changes = self._prepared
        return self._changes or await self._compare(is_new=False)

    async def preview(self, name: str) -> Preview:
        """What is shown of the review, under the name of a class."""
        return preview_of_review(name, len(self.draft.rows), await self.changes())

    async def compare(self) -> AsyncChanges:
        """The same changes, compared with the service once more; conflicts are in the rows."""
        changes = await self._compare(is_new=True)
        self.draft.take_conflicts(changes.application.operation)
        return changes

    async def _compare(self, *, is_new: bool) -> AsyncChanges:
        compared = await self.draft.compared(is_new=is_new)
        skipped = None if self._prepared is None else self._prepared.skipped
        self._changes = self._changes_of(compared, skipped)
        return self._changes

    async def apply(self, on_progress: Callable[[int, int], object]) -> AsyncChanges:
        """Send the changes, and read the rows again; after an error, the rows say what was made."""
        changes = await self.changes()
        application = changes.application
        application.on_progress = on_progress
        try:
            await changes.apply()
        finally:
            self.applied = changes if application.has_begun else self.applied
            self.draft.take_outcome(application.operation)
        await self._refresh(changes)
        return changes

    async def undo(self) -> AsyncChanges:
        """Send the reverse changes of the last ones, and read the rows again."""
        assert self.applied is not None  # noqa: S101 - the button is off otherwise
        undone = await (await self.applied.undo()).apply()
        self.applied = None
        self.draft.take_undone()
        await self._refresh(undone)
        return undone

    async def _refresh(self, changes: AsyncChanges) -> None:
        self._unread = changes
        await self.draft.refresh(changes.application.operation)
        self._changes = self._prepared = self._unread = None

    async def effects(self) -> pd.DataFrame:
        """The figures of the budget that the changes change."""
        return await self.draft.effects((await self.changes()).application.plan)

    async def differences(self) -> tuple[int, int] | None:
        """The difference of a statement before and after the changes, in milliunits."""
        if self._statement is None:
            return None
        before = after = self._statement.compared.difference
        for change in (await self.changes()).application.plan.changes:
            if change.key is not None and "cleared" in change.after:
                counts = [each["cleared"] in COUNTED for each in (change.before, change.after)]
                after -= (counts[1] - counts[0]) * amount_of(self.draft.state.rows[change.key])
        return before, after
