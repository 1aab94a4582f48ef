"""Assigned amounts of one month that a person reviews, and the changes that the edits make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from budgetframe._milliunits import to_currency
from budgetframe._session.session import Session
from budgetframe.errors import ToolError
from budgetframe.frames.bank_files.numbers import possible_amounts
from budgetframe.frames.number_text import Currency, in_currency
from budgetframe.frames.request_bodies import milliunits_of
from budgetframe.frames.schema import frame_of_rows
from budgetframe.frames.tables import TABLES

from .collector import changed_since
from .draft import Choose, Draft, DraftRow
from .effects import KnownFigures
from .plan import Change, Compared, Plan
from .plan_warnings import finished_plan
from .service_state import amounts_in
from .state import wire_row

_NAMES = ("month", "category_group_name", "category_name", "budgeted", "category_id")
_COLUMNS = [each for each in TABLES["month_categories"].columns if each.name in _NAMES]


class AssignedDraft(Draft):
    """Assigned amounts with edits, in milliunits: one export is read, and an edit sends nothing."""

    @classmethod
    async def of_plan(cls, session: Session, plan: Plan) -> AssignedDraft | None:
        """One row for each change, in their order; None if they are not amounts of one month."""
        changes = [*plan.changes, *plan.conflicts]
        places = {(each.resource, each.month) for each in changes}
        if len(places) != 1 or changes[0].resource != "month_categories":
            return None
        self = cls(session, plan)
        self.month = str(changes[0].month)
        await self._read_state()
        for each in changes:
            cells = {**each.shown, "category_id": each.key}
            self.rows.append(DraftRow(cells, "category_id", change=each, problem=each.problem))
        await self.take_present_rows()
        return self

    def edit(self, numbers: Iterable[int], column: str, value: Any) -> set[int]:
        """Set the amount that a person has typed; a text that is no amount is an error."""
        return super().edit(numbers, column, _typed_amount(value or "", self.currency))

    @property
    def frame(self) -> pd.DataFrame:
        """The amounts with the edits, as rows of `BudgetFrame.month_categories`."""
        present = [row for row in self.rows if row.at is not None]
        rows = [{**row.cells, **row.values(self.state.names)} for row in present]
        rows = [{**row, "budgeted": to_currency(row["budgeted"])} for row in rows]
        frame = frame_of_rows(_COLUMNS, [[row[each.name] for each in _COLUMNS] for row in rows])
        frame.attrs = dict(self._attrs)
        return frame

    async def compared(self, *, is_new: bool = False) -> Compared:
        """The changes that the edits make; with `is_new`, compared with the present amounts."""
        if is_new:
            await self._read_state()
        found = [*filter(None, (self._change_of(row) for row in self.rows if row.is_sent))]
        changes = [change for change in found if not change.problem]
        plan = finished_plan(self.state, changes, [each for each in found if each.problem])
        return Compared(plan, self.state, is_old=not is_new)

    def _change_of(self, row: DraftRow) -> Change | None:
        """What a row changes; None if nothing differs."""
        after, before = row.values(self.state.names), {"budgeted": self._present(row.key)}
        known = {"budgeted": row.cells["budgeted"]} if row.prepared is None else row.prepared.before
        problem = changed_since(known, before, after)
        if not after or (after == before and not problem):
            return None
        of_plan = ("rule", "wanted") if row.edits else ("rule", "wanted", "got")
        shown = [name for name in ("date", "category_name", *of_plan) if name in row.cells]
        return Change(
            action="update", resource="month_categories", key=row.key, month=self.month,
            before=before, after=after, shown={name: row.cells[name] for name in shown},
            problem=problem,
        )  # fmt: skip

    def _present(self, key: str | None) -> int:
        """The amount that is assigned to a category now."""
        row = self.state.rows.get(f"{self.month} {key}", {})
        return wire_row(row, "month_categories")["budgeted"] or 0

    def _rebased(self, change: Change) -> Change | None:
        before = {"budgeted": self._present(change.key)}
        is_left = change.key in self.state.names.categories and change.after != before
        return replace(change, before=before, problem="") if is_left else None

    async def _read_state(self) -> None:
        self._figures = await KnownFigures.read(self._session, None, is_new=True)
        self.state = amounts_in(self._session, self._figures.answer)
        frames = self._session.frames_from(self._figures.answer, "month_categories")
        self._attrs = frames["month_categories"].attrs

    async def _read_rows(self, choose: Choose) -> None:
        """Read nothing: the export has all amounts."""

    def _place(self) -> None:
        deleted = {"budgeted": ("a deleted category", "deleted categories")}
        for number, row in enumerate(self.rows):
            category = self.state.names.categories.get(row.key or "")
            row.at, row.fixed = (None, deleted) if category is None else (number, {})
            row.cells |= {"month": self.month, "budgeted": self._present(row.key)}
            if category is not None:
                row.cells["category_name"] = category.get("name")
                row.cells["category_group_name"] = category.get("group_name")


def _typed_amount(text: str, currency: Currency) -> int:
    """The milliunits of an amount that a person has typed in the format of the budget."""
    style = currency or {}
    number = text.replace(str(style.get("currency_symbol") or " "), " ")
    decimal = "," if style.get("decimal_separator") == "," else "."
    found = None if any(map(str.isalpha, number)) else possible_amounts(number).get(decimal)
    if found is None:
        raise ToolError(f"{text!r} is no amount, such as {in_currency(1234.5, currency)}")
    return milliunits_of(found, "amount")
