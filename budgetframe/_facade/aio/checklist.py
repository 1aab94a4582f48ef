"""What is to do before the figures of a month can be trusted: ``await checklist.changes(step)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from budgetframe._facade.display import Shown
from budgetframe._facade.preview import Preview
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._session.verify import compare_answers
from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day
from budgetframe.frames.ledger import ledger
from budgetframe.reports.checklist import (
    CHECKS,
    NOT_APPROVED,
    NOT_ASSIGNED,
    OVERSPENT,
    SHORT,
    UNAPPROVED,
    checklist,
    sentences_of,
)

from .base import checked_on_loop

if TYPE_CHECKING:
    from budgetframe._runtime.event_loop import OnLoop
    from budgetframe._session.session import Session

    from .changes import AsyncChanges
else:  # the check of arguments evaluates all annotations, and this would lengthen the imports
    AsyncChanges = object

_OF_LEDGER = ("transactions", "subtransactions", "accounts", "categories", "payees")
_Frames = tuple[pd.DataFrame, pd.DataFrame]
_OTHERS = ("month_categories", "months", "scheduled_transactions")


@checked_on_loop
class AsyncChecklist(Shown):
    """The async counterpart of `Checklist`: ``await checklist.changes("not approved")``."""

    def __init__(self, bf: Any, frame: pd.DataFrame, rows: pd.DataFrame, on_loop: OnLoop) -> None:
        self._bf = bf  # with the methods that prepare changes
        self._frame, self._rows, self._on_loop = frame, rows, on_loop

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each step with something to do."""
        return self._frame.copy()

    async def changes(self, step: str) -> AsyncChanges:
        """Prepare the changes that a step needs."""
        frame, month = self._frame, self._frame.attrs["month"]
        if step not in (steps := frame["step"].tolist()):
            raise ToolError(f"step={step!r} is not to do in {month}; to do: {', '.join(steps)}")
        if step == NOT_APPROVED:
            prepared = self._bf.changes(self._rows.assign(approved=True))
        elif step == OVERSPENT:
            prepared = self._bf.cover(month)
        elif step in (SHORT, NOT_ASSIGNED):  # no money can be assigned in a month that has ended
            prepared = self._bf.plan(max(month, frame.attrs["as_of"][:7]))
        else:
            call = frame["next"][steps.index(step)]
            raise ToolError(f"no change is prepared for the step {step!r}: {call}")
        changes: AsyncChanges = await prepared
        return changes

    def __len__(self) -> int:
        """The number of steps with something to do."""
        return len(self._frame)

    def preview(self, name: str) -> Preview:
        """What is shown under the name of a class: a sentence and a call for each step."""
        frame, facts = self._frame, list[tuple[str, str]]()
        rows = zip(frame["step"], sentences_of(frame), frame["next"], strict=True)
        for step, sentence, call in rows:
            facts += [(step, sentence), ("next", call)]
        found = f"{len(frame)} of {CHECKS} checks found something to do"
        result = found if facts else f"nothing to do after {CHECKS} checks"
        return Preview(name, f"{frame.attrs['month']}, {result}", [], facts)


async def checklist_of(session: Session, month: Day, days: int) -> _Frames:
    """Read an export, and return the steps with something to do and the rows to approve."""
    answer = await session.reads.read_export()
    frames = session.frames_from(answer, *_OF_LEDGER, *_OTHERS)
    frames["ledger"] = ledger(*(frames[name] for name in _OF_LEDGER))
    if unknown := session.unknown.get("checklist"):
        defer_warning(f"checklist: the file does not state {unknown}")
    frame = checklist(frames, compare_answers(session, answer, answer), month, days)
    rows = frames["transactions"]
    end = pd.Timestamp(frame.attrs["month"]) + pd.offsets.MonthEnd(0)
    return frame, rows.query(UNAPPROVED.format(end))
