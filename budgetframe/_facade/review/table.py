"""The table of a review: what a person did in it, and what it shows then."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from budgetframe._facade.preview import preview_of_changes
from budgetframe._milliunits import to_currency
from budgetframe._runtime.text import number_of
from budgetframe.errors import BudgetFrameError, ToolError
from budgetframe.frames.number_text import in_currency

from . import messages
from .widget import ReviewWidget

if TYPE_CHECKING:
    from budgetframe._facade.aio.changes import AsyncChanges
    from budgetframe._facade.aio.review import AsyncReview
    from budgetframe._facade.wait_for import WaitFor

_T = TypeVar("_T")
_EXPECTED = (BudgetFrameError, httpx.RequestError, KeyboardInterrupt)
"""The errors of an action that the table shows; an interrupt of the cell is one of them."""


class ReviewTable:
    """The widget of a review, whose messages are handled by one thread at a time."""

    def __init__(
        self, aio: AsyncReview, wait_for: WaitFor, lock: AbstractContextManager[object]
    ) -> None:
        self._aio = aio
        self._wait_for = wait_for
        self._revision = 0
        self._message = ""
        self._refused: dict[int, str] = {}  # why the last edit of a row was not taken, by number
        self._sums: dict[str, Any] = {}  # what was last sent of the sums and buttons below
        self._is_sending = False
        self._paused = ""  # the button whose changes are sent, between two of their requests
        self._lock = lock
        self.widget = ReviewWidget(self._received)
        if aio.keep:
            self.widget.kept = self._all(self._summary())

    # Messages of the table

    def _received(self, message: Mapping[str, Any]) -> None:
        """Do what a person did in the table, and send what is different then."""
        with self._lock:
            self._take(message)

    def _take(self, message: Mapping[str, Any]) -> None:
        kind = message["type"]
        if kind == "ready":
            self._attempt(self._aio.catch_up())
            self.widget.send(self._all(self._summary()))
        elif "revision" in message:
            # Not the second message of a double click, nor that of a button that is off now. But
            # a "stop" counts if another view of the table has gone on before.
            if self._sums.get(kind) and (kind == "stop" or message["revision"] == self._revision):
                self._revision, self._message, self._refused = self._revision + 1, "", {}
                self._press(kind)
        else:
            self._message = ""
            outdated = self._attempt(self._aio.catch_up())
            numbers = {*(outdated or ())}
            if self._aio.interrupted is not None:
                button = "Undo" if self._aio.is_undo_interrupted else "Apply to continue, or Undo,"
                self._message = f"press {button} before you edit rows"
            elif outdated is not None:
                numbers |= self._edit_if_valid(message)
            self._send(numbers)
        if self._aio.keep and not self._is_sending:
            self.widget.kept = self._all(self._sums)

    def _edit_if_valid(self, message: Mapping[str, Any]) -> set[int]:
        """Take an edit, and return the rows that differ; one that is refused is taken back."""
        draft, numbers = self._aio.draft, set(message["rows"])
        before = draft.edits()
        self._refused = {at: text for at, text in self._refused.items() if at not in numbers}
        self._aio.forget_changes()
        try:
            numbers |= self._edit(message)
            self._wait_for(self._aio.pending())
        except ToolError as error:
            draft.restore(before)
            self._aio.forget_changes()
            self._message = f"The edit was taken back: {error}"
            self._refused |= dict.fromkeys(message["rows"], str(error))
        except _EXPECTED:
            return numbers  # the sums below the table show it
        return numbers

    def _edit(self, message: Mapping[str, Any]) -> set[int]:
        """Take an edit, and return the rows that differ then."""
        numbers, draft = message["rows"], self._aio.draft
        if message["type"] == "tick":
            return draft.tick(numbers, ticked=message["ticked"])
        if message["column"] != "state":
            column = messages.COLUMNS[message["column"]]
            return draft.edit(numbers, column, message["value"] or None)
        _, column, value = messages.ACTIONS[message["value"]]
        if column:
            return draft.edit(numbers, column, value)
        return draft.leave_out(numbers, left_out=value)

    def _press(self, kind: str) -> None:
        """Do what a button does. Apply and Undo go on when the table asks for the next request."""
        paused, self._paused = self._paused, ""
        if kind == "stop":
            self._stop(paused)
        else:
            if not paused:
                self._is_sending = True
                self._send([])
            self._do(paused or kind)
        self._is_sending = bool(self._paused)
        rows = [] if self._is_sending else range(len(self._aio.draft.rows))
        self._send(rows, with_categories=not self._is_sending)

    def _stop(self, button: str) -> None:
        self._attempt(self._aio.catch_up())
        if self._aio.interrupted is not None:  # code may have sent the rest
            done, left = (self._aio.interrupted.counts[name] for name in ("done", "left"))
            made = f"{done:,} of {number_of(done + left, 'change')}"
            self._message = f"stopped after {made}: {button.capitalize()} sends the rest"

    def _do(self, kind: str) -> None:
        send = self._aio.apply if kind == "apply" else self._aio.undo
        is_preview = kind == "preview"
        changes = self._attempt(self._aio.compare() if is_preview else send(self._show_progress))
        prefix = "compared with the service: " if is_preview else ""
        if changes is not None and changes.is_interrupted:
            self._paused = kind
        elif changes is not None:
            self._message = prefix + preview_of_changes("", changes).title
            waiting = sum(bool(row.problem) for row in self._aio.draft.rows)
            if waiting:
                rows = number_of(waiting, "row was", "rows were")
                self._message += f". {rows} changed elsewhere (⚠): tick or edit it again to send it"

    def _attempt(self, coroutine: Coroutine[Any, Any, _T]) -> _T | None:
        """The result of a coroutine; None after an error, which the table shows."""
        try:
            return self._wait_for(coroutine)
        except _EXPECTED as error:
            name = "interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__
            self._message = f"{name}: {error}".removesuffix(": ")
            if self._aio.interrupted is not None:
                button = "Undo" if self._aio.is_undo_interrupted else "Apply"
                self._message += f". {button} finds out what was made, and sends the rest"
            return None

    # Messages to the table

    def _show_progress(self, done: int, total: int) -> None:
        self.widget.send({"type": "progress", "done": done, "total": total})

    def _rows(self, numbers: Iterable[int]) -> list[dict[str, Any]]:
        draft, refused = self._aio.draft, self._refused
        return [
            messages.row_message(number, draft.rows[number], draft, refused.get(number, ""))
            for number in numbers
        ]

    def _all(self, summary: dict[str, Any]) -> dict[str, Any]:
        draft = self._aio.draft
        month = draft.month and f", assigned in {draft.month[:7]}"
        return {
            "type": "all", "month": draft.month,
            "title": f"{number_of(len(draft.rows), 'row')} to review{month}",
            "rows": self._rows(range(len(draft.rows))), "categories": messages.categories(draft),
            "flags": messages.flags(), "actions": messages.actions(draft), "summary": summary,
        }  # fmt: skip

    def _send(self, numbers: Iterable[int], *, with_categories: bool = False) -> None:
        summary = self._summary()  # it can add the reason why an edit is refused
        message = {"type": "rows", "rows": self._rows(numbers), "summary": summary}
        if with_categories:  # other amounts are available now
            message["categories"] = messages.categories(self._aio.draft)
        self.widget.send(message)

    def _summary(self) -> dict[str, Any]:
        """The sums below the table, and which buttons can be pressed."""
        changes = None if self._is_sending else self._attempt(self._aio.pending())
        interrupted, is_undo = self._aio.interrupted, self._aio.is_undo_interrupted
        can_send = changes is not None and changes.requests > 0 and not changes.no_writes
        can = {
            "preview": can_send and interrupted is None,
            "apply": can_send and not is_undo,
            "undo": not self._is_sending and self._aio.applied is not None,
            **dict.fromkeys(["go_on", "stop"], bool(self._paused)),
        }
        texts = [] if changes is None else [changes.no_writes, *changes.warnings]
        found = None if changes is None else self._attempt(self._aio.left_to_assign())
        left, too_much = ("", "") if found is None else messages.left_texts(found, self._aio.draft)
        warnings = [*filter(None, [*texts, too_much])]
        self._sums = {
            "revision": self._revision,
            "phase": "sending" if self._is_sending else "ready",
            "changes": "" if changes is None else messages.number_text(changes),
            "effects": self._effects(changes) if changes is not None else [],
            "warnings": warnings,
            "left": f"⚠ {left}" if too_much else left,
            "too_much": bool(too_much),
            **can,
            "message": self._message,
        }
        return self._sums

    def _effects(self, changes: AsyncChanges) -> list[list[str]]:
        """What the changes change in the budget, and in the difference of a statement."""
        if not len(changes) or changes.application.has_begun:
            return []
        found, currency = list[list[str]](), self._aio.draft.currency
        differences = self._wait_for(self._aio.differences())
        if differences is not None:
            texts = (in_currency(to_currency(each), currency) for each in differences)
            found.append(["difference to the bank", *texts])
        effects = self._attempt(self._aio.effects())
        if effects is not None:
            found += messages.effect_texts(effects, currency)
        return found
