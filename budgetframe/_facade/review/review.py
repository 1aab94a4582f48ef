"""Rows to tick, edit and apply with the mouse, and the same changes for code."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pandas as pd

from budgetframe._facade.changes import Changes
from budgetframe._facade.display import Shown
from budgetframe._facade.methods.base import Methods
from budgetframe._runtime.progress import kernel

if TYPE_CHECKING:
    from budgetframe._facade.aio.review import AsyncReview
    from budgetframe._facade.preview import Preview
    from budgetframe._facade.wait_for import WaitFor

    from .table import ReviewTable


class Review(Methods, Shown):
    """Rows of a budget to tick, edit and apply with the mouse, and the same changes for code.

    `BudgetFrame.review` returns it. In a notebook with the extra ``widget``, it is a table.
    Elsewhere, it shows the preview of `changes` and the line to write.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> review = bf.review()
    >>> review.frame["category_name"].tolist()
    ['Uncategorized', 'Groceries', 'Uncategorized', 'Fuel']
    >>> len(review.changes)
    0
    """

    _aio: AsyncReview

    def __init__(self, aio: Any, wait_for: WaitFor, given: object) -> None:
        super().__init__(aio, wait_for)
        self._changes = given if isinstance(given, Changes) else None
        self._table: ReviewTable | None = None
        # Messages of the table can arrive on another thread than the one that runs the cells.
        self._lock = threading.RLock()

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a ledger with the edits, for `BudgetFrame.changes` and other code.

        The columns are those of `BudgetFrame.ledger`. A split has one row for each part. New rows,
        as those of a bank's file, are only in `changes`. Assigned amounts have the first columns of
        `BudgetFrame.month_categories`.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> review = bf.review(bf.ledger(since="2026-06-16"))
        >>> len(review.frame) == len(bf.ledger(since="2026-06-16"))
        True
        """
        with self._lock:
            return self._aio.frame

    @property
    def changes(self) -> Changes:
        """What the edits and ticks change; the same object until the next edit.

        If the review shows `Changes` and no row was edited, it is that object. If nothing is
        edited after Apply, it is what was applied, so that ``undo`` reverses it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> prepared = bf.changes(bf.transactions().tail(1).assign(flag_color="red"))
        >>> bf.review(prepared).changes is prepared
        True
        """
        with self._lock:
            found = self._wait_for(self._aio.changes())
            if getattr(self._changes, "_aio", None) is not found:
                self._changes = Changes(found, self._wait_for)
            assert self._changes is not None  # noqa: S101 - for the type checker
            return self._changes

    def _preview(self) -> Preview:
        with self._lock:
            return self._wait_for(self._aio.preview(type(self).__name__))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        if kernel() is None or not find_spec("anywidget"):
            return {"text/plain": repr(self), "text/html": self._repr_html_()}
        data, metadata = self._display_()._repr_mimebundle_(**options)
        # A saved notebook has no names and amounts of the budget: this text and this HTML replace
        # the preview of changes, which IPython would add.
        note = "Review: run the cell to see the rows"
        return {**data, "text/plain": note, "text/html": note}, metadata

    def _display_(self) -> Any:
        """The widget, which marimo displays too; the preview of the changes without the extra."""
        if not find_spec("anywidget"):
            return self.changes
        if self._table is None:
            from .table import ReviewTable  # noqa: PLC0415 - it needs an extra, and is slow

            self._table = ReviewTable(self._aio, self._wait_for, self._lock)
        return self._table.widget
