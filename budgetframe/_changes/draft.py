"""Rows that a person reviews: what is suggested, what was edited, and the changes these make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import pandas as pd

from budgetframe._milliunits import to_currency
from budgetframe._runtime.arguments import refused
from budgetframe._session.ledger import ledger_of
from budgetframe._session.session import Session
from budgetframe.errors import ToolError
from budgetframe.frames.bank_files.numbers import possible_amounts
from budgetframe.frames.number_text import Currency, in_currency
from budgetframe.frames.request_bodies import milliunits_of
from budgetframe.frames.schema import frame_of_rows
from budgetframe.frames.tables import TABLES

from .collector import changed_since, differences
from .comparing.compare import find_changes
from .comparing.deletions import KEPT
from .comparing.edits import records_of
from .comparing.fields import fields_of
from .comparing.splits import PARTS, SPLITS
from .effects import KnownFigures
from .plan import Change, Compared, Plan, creation_of, update_of
from .plan_warnings import finished_plan
from .refusals import check
from .sending.journal import journal_of
from .sending.matching import DELETED_SINCE, is_like
from .sending.operation import Operation
from .service_state import amounts_in, read_state
from .state import Names, wire_row

DELETED = "deleted"  # the edit that deletes a row
_DELETED_ROWS = ""  # instead of the key of a transaction
_OF_WHOLE = ("approved", "cleared", "flag_color", DELETED)  # all parts of a split share these edits
_EDITS = frozenset({*_OF_WHOLE, "category_id", "payee_name", "memo"})
_OUTCOMES = {"done": "applied", "pending": "not sent yet", "unknown": "sent, without an answer"}
_OF_UNDO = {"done": "undone", "pending": "not undone yet", "unknown": "undo without an answer"}

Choose = Callable[[pd.DataFrame], Any]  # returns an array with one bool for each row of a ledger


def of_keys(keys: Iterable[str | None]) -> Choose:
    """Choose the transactions with these keys."""
    known = set(keys)
    return lambda ledger: ledger["transaction_id"].isin(known).to_numpy(bool)


@dataclass(slots=True)
class DraftRow:
    """One row: its cells as in the ledger, and what is suggested, edited and known of it."""

    cells: dict[str, Any]
    key_column: str = "transaction_id"
    at: int | None = None  # the position in the ledger that was read; None for a new or deleted row
    change: Change | None = None  # it was prepared before; its values can be edited further
    fixed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The edits that the row cannot have, and why: what it is, and what several such rows are."""
    whole: DraftRow | None = None
    """The row of the same split that has the prepared change; None for other rows."""
    suggestion: Mapping[str, Any] = field(default_factory=dict)  # edits that a tick makes
    kept: Mapping[str, Any] = field(default_factory=dict)
    """The columns of the row that is kept, if this one is a duplicate to delete."""
    note: str = ""
    edits: dict[str, Any] = field(default_factory=dict)
    is_ticked: bool = False
    is_left_out: bool = False  # whether the prepared change is not made
    outcome: str = ""  # what became of the changes of the row
    is_made: bool = False  # whether the edits were made, and the row was not read again after them
    problem: str = ""  # why the change is a conflict

    @property
    def key(self) -> str | None:
        """The key of the transaction or category; None for a new transaction."""
        return self.cells.get(self.key_column)

    @property
    def raw(self) -> dict[str, Any]:
        """What identifies a row of the service: its account, its day and its amount."""
        day = f"{self.cells['date']:%Y-%m-%d}"
        return {name: self.cells.get(name) for name in ("account_id", "amount")} | {"date": day}

    @property
    def offered(self) -> dict[str, Any]:
        """What is suggested and differs from the row."""
        found = {} if self.at is None else self.suggestion
        return {name: value for name, value in found.items() if self.cells.get(name) != value}

    @property
    def edited(self) -> dict[str, Any]:
        """The edits, with those that a tick accepts."""
        return {**(self.offered if self.is_ticked else {}), **self.edits}

    @property
    def prepared(self) -> Change | None:
        """The change that was prepared before and is still made."""
        is_replaced = self.is_left_out or self.edited.get(DELETED)
        return None if is_replaced else self.change

    @property
    def is_sent(self) -> bool:
        """Whether the edits are sent; after a conflict, the row must be edited or ticked again."""
        return not self.problem

    def values(self, names: Names) -> dict[str, Any]:
        """What differs from the cells after the prepared change and the edits."""
        found: dict[str, Any] = {}
        prepared = self.prepared
        if self.whole is not None:
            shared = self.whole.values(names)
            found = {name: shared[name] for name in _OF_WHOLE if name in shared}
        elif prepared is not None and prepared.action == "update":
            found = _cells_of(prepared, names)
        elif prepared is not None and prepared.action == "delete":
            found = {DELETED: True}
        return {**found, **self.edited}


class Draft:
    """Rows of a budget with edits: the present rows are read once, and an edit sends nothing."""

    month = ""  # the first day of the month, if the rows are assigned amounts

    def __init__(self, session: Session, plan: Plan) -> None:
        self._session = session
        self._plan = plan  # the changes that were prepared before
        self._figures: KnownFigures | None = None
        self._found: dict[Any, tuple[Any, Plan]] = {}
        """The edits of transactions, and what they change, by the keys of the transactions."""
        self._created: dict[str, list[int]] = {}  # the rows that each operation creates, by its id
        self.rows: list[DraftRow] = []

    @classmethod
    async def of(cls, session: Session, choose: Choose, plan: Plan | None = None) -> Draft:
        """The chosen transactions of the ledger, and those of prepared changes."""
        plan = plan or Plan([])
        changes = [each for each in (*plan.changes, *plan.conflicts) if not each.is_side_effect]
        if any(change.resource != "transactions" for change in changes):
            shown = "changes of transactions, or of the amounts that are assigned in one month"
            raise refused(f"review() shows {shown}, and these are others: .apply() sends them")
        self = cls(session, plan)
        by_key = {change.key: change for change in changes if change.key is not None}
        await self._read_state()
        await self._read_rows(lambda ledger: choose(ledger) | of_keys(by_key)(ledger))
        for cells in self._records:
            change = by_key.pop(cells["transaction_id"], None)  # of a split: beside its first part
            self.rows.append(DraftRow(cells, change=change))
        names = self.state.names
        for change in changes:
            if change.action == "create" or change.key in by_key:
                cells = {"transaction_id": change.key, **change.shown, **_cells_of(change, names)}
                cells.setdefault("approved", change.action != "create")
                self.rows.append(DraftRow(cells, change=change))
        for row in self.rows:
            if row.change is not None and row.change.problem:
                row.problem, row.change = row.change.problem, self._rebased(row.change)
        self._place()
        return self

    def register(self, operation: Operation) -> None:
        """Note which rows the new rows of an operation are; they have no keys yet."""
        self._created[operation.id] = [
            number
            for number, row in enumerate(self.rows)
            if row.is_sent and row.prepared is not None and row.prepared.key is None
        ]

    async def refresh(self, operation: Operation) -> None:
        """Read the rows again after an application; edits that were not made stay."""
        self.take_made(operation)
        self._plan = Plan([])  # its rows of a bank's file are in the journal now
        await self._read_state()
        await self.take_present_rows()

    async def take_present_rows(self) -> None:
        """From now on, the rows that were read last are edited; conflicts keep their edits."""
        await self._read_rows(of_keys(row.key for row in self.rows if row.key is not None))
        for row in self.rows:
            if row.problem:
                row.edits, row.is_ticked = row.edited, False
                row.change = None if row.change is None else self._rebased(row.change)
        self._place()

    def take_made(self, operation: Operation) -> None:
        """Note the keys of created rows, and which edits were made; an undo makes none of them."""
        for number, position in self._sent(operation).items():
            row = self.rows[number]
            row.cells[row.key_column] = operation.keys.get(position, row.key)
            if operation.status[position] == "done" and not operation.undoes:
                row.edits, row.change, row.is_ticked, row.is_made = {}, None, False, False
        for position in _created(operation) if operation.undoes else ():
            restored = operation.changes[position]  # a deleted row, under another key
            same = (row for row in self.rows if row.at is None and is_like(restored, row.raw))
            for row in islice(same, 1):
                row.cells["transaction_id"] = operation.keys.get(position, row.key)

    def take_outcome(self, operation: Operation) -> None:
        """Note what is known of the changes of each row."""
        sent, is_undo = self._sent(operation), bool(operation.undoes)
        texts = _OF_UNDO if is_undo else _OUTCOMES
        # An undo creates deleted rows under other keys.
        created = [operation.status[at] for at in _created(operation)]
        is_restored = is_undo and set(created) == {"done"}
        for number, row in enumerate(self.rows):
            if number in sent:
                status = operation.status[sent[number]]
                row.outcome, row.is_made = texts.get(status, ""), status == "done" and not is_undo
                row.problem = operation.changes[sent[number]].problem
            elif not is_undo:
                row.outcome = ""
            elif is_restored and row.outcome == _OUTCOMES["done"] and row.at is None:
                row.outcome = _OF_UNDO["done"]

    def take_conflicts(self, operation: Operation) -> None:
        """Note which rows were changed elsewhere."""
        for row, position in self._sent(operation).items():
            self.rows[row].problem = operation.changes[position].problem

    async def undo_of(self, operation: Operation) -> Operation | None:
        """The operation of the journal that reverses another one; None if none does."""
        operations = {each.id: each for each in (await journal_of(self._session)).operations()}
        known = operations.get(operation.id)
        return None if known is None else operations.get(known.undone_by)

    @property
    def currency(self) -> Currency:
        """The format of amounts in the budget."""
        return self.state.currency

    # Edits

    def edit(self, numbers: Iterable[int], column: str, value: Any) -> set[int]:
        """Set a value in rows, accept what ticked ones suggest, and return all that differ then."""
        numbers = self._with_other_parts(numbers, column)
        for row in (self.rows[number] for number in numbers):
            if column in row.fixed or (row.is_left_out and row.at is None):
                continue
            if row.is_ticked:
                row.edits = row.edited
                row.is_ticked = False
            row.edits.pop(column, None)
            before = row.values(self.state.names).get(column, row.cells.get(column))
            if column == "category_id" and self.state.names.is_uncategorized(before):
                before = None
            if before != value:
                row.edits[column] = value
            row.outcome = row.problem = ""
        return numbers

    def tick(self, numbers: Iterable[int], *, ticked: bool) -> set[int]:
        """Accept what rows suggest, and select them."""
        found = set(numbers)
        for column in _OF_WHOLE:
            suggested = (number for number in list(found) if column in self.rows[number].suggestion)
            found |= self._with_other_parts(suggested, column)
        for number in found:
            self.rows[number].is_ticked = ticked
            self.rows[number].problem = ""
        return found

    def leave_out(self, numbers: Iterable[int], *, left_out: bool) -> set[int]:
        """Discard the edits of rows, and their prepared changes; or make these again."""
        numbers = self._with_other_parts(numbers, DELETED)
        for row in (self.rows[number] for number in numbers):
            row.edits, row.is_ticked, row.problem = {}, False, ""
            row.is_left_out = left_out and row.change is not None
        return numbers

    def edits(self) -> list[tuple[Any, ...]]:
        """The edits of all rows, for `restore`."""
        return [
            (dict(row.edits), row.is_ticked, row.is_left_out, row.problem, row.outcome)
            for row in self.rows
        ]

    def restore(self, edits: Iterable[tuple[Any, ...]]) -> None:
        """Take back what was edited since then."""
        for row, values in zip(self.rows, edits, strict=True):
            row.edits, row.is_ticked, row.is_left_out, row.problem, row.outcome = values

    def _with_other_parts(self, numbers: Iterable[int], column: str) -> set[int]:
        """The rows, with the other parts of their splits if these share the column."""
        found = set(numbers)
        if column in _OF_WHOLE:
            keys = {self.rows[number].key for number in found} - {None}
            found |= {number for number, row in enumerate(self.rows) if row.key in keys}
        return found

    @property
    def frame(self) -> pd.DataFrame:
        """The present rows with prepared changes and edits, as an edited ledger."""
        return self._edited(range(len(self._base)))

    def _edited(self, positions: Iterable[int]) -> pd.DataFrame:
        """The present rows at these positions, with prepared changes and edits."""
        places = {at: number for number, at in enumerate(positions)}
        frame = self._base.iloc[[*places]].reset_index(drop=True)
        columns: dict[str, dict[int, Any]] = {}
        for row in self.rows:
            if row.at in places:
                for name, value in self._with_names(row.values(self.state.names)).items():
                    columns.setdefault(name, {})[places[row.at]] = value
        for name, values in columns.items():
            cells = frame[name].astype(object)
            cells.iloc[list(values)] = list(values.values())
            frame[name] = cells.astype(frame[name].dtype)
        return frame

    def _with_names(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Edits as cells of the ledger, which has the names of keys too."""
        found = {name: value for name, value in values.items() if name != DELETED}
        if "category_id" in found:
            category = self.state.names.categories.get(found["category_id"] or "", {})
            found["category_name"] = category.get("name")
            found["category_group_name"] = category.get("group_name")
        if "account_id" in found:
            found["account_name"] = self.state.names.name("account", found["account_id"])
        return found

    # What the edits change

    @property
    def is_as_prepared(self) -> bool:
        """Whether the changes are those that were prepared before, without any edit."""
        # A change that has become a conflict is not: it starts from the present row then.
        prepared = {id(each) for each in self._plan.changes if not each.is_side_effect}
        sent = {id(row.prepared) for row in self.rows if row.is_sent and row.prepared is not None}
        return bool(prepared) and prepared == sent and not any(row.edited for row in self.rows)

    async def compared(self, *, is_new: bool = False) -> Compared:
        """The changes that the edits make; with `is_new`, compared with the present rows."""
        if is_new:
            await self._read_state()
            self._figures = await KnownFigures.read(self._session, self.state, is_new=True)
        found = await self._changes_of_edits()
        prepared = ((at, row.prepared) for at, row in enumerate(self.rows) if row.is_sent)
        made = (self._given(at, each) for at, each in prepared if each is not None)
        given = [each for each in made if each is not None]
        changes = [*given, *(change for each in found for change in each.changes)]
        texts = () if given else dict.fromkeys(text for each in found for text in each.warnings)
        conflicts = [change for change in changes if change.problem]
        changes = [change for change in changes if not change.problem]
        plan = finished_plan(self.state, changes, conflicts, texts)
        plan = replace(plan, recognised=self._plan.recognised if given else ())
        return Compared(plan, self.state, is_old=bool(found) or not is_new)

    async def _changes_of_edits(self) -> list[Plan]:
        """What the edits of each transaction change, and then all deletions together."""
        # A transaction is compared again only if its edits differ from those that were compared.
        # The warnings of a comparison stay with each of its transactions: they are about all rows.
        edits: dict[Any, Any] = {}
        deleted: list[DraftRow] = []
        rows = {row.at: row for row in self.rows if row.at is not None and row.is_sent}
        for at in sorted(rows):
            row, edited = rows[at], rows[at].edited
            if edited.get(DELETED):
                deleted.append(row)
            elif edited and row.prepared is None:
                edits.setdefault(row.key, {})[at] = edited
        if deleted:
            edits[_DELETED_ROWS] = [row.key for row in deleted]
        found = {key: each for key, each in self._found.items() if edits.get(key) == each[0]}
        new = {key: each for key, each in edits.items() if key not in found}
        if new:
            changed = [at for key, each in new.items() if key != _DELETED_ROWS for at in each]
            frame = self._edited(changed) if changed else None
            delete = self._rows_to_delete(deleted) if _DELETED_ROWS in new else None
            session, known = self._session, self._known
            compared, _ = await find_changes(session, frame, delete, splits="error", known=known)
            made: dict[Any, list[Change]] = {key: [] for key in new}
            for change in (*compared.plan.changes, *compared.plan.conflicts):
                made[_DELETED_ROWS if change.action == "delete" else change.key].append(change)
            texts = compared.plan.warnings
            found |= {key: (each, Plan(made[key], (), texts)) for key, each in new.items()}
        self._found = found
        return [found[key][1] for key in edits]

    async def effects(self, plan: Plan) -> pd.DataFrame:
        """The figures that changes change; the budget is read once for all of them."""
        if self._figures is None:
            self._figures = await KnownFigures.read(self._session, self.state)
        return self._figures.effects(plan.changes)

    def left_to_assign(self, changes: Sequence[Change]) -> tuple[int, int] | None:
        """The smallest amount left to assign from the month on, before and after changes."""
        figures = self._figures if self.month else None
        return None if figures is None else figures.left_to_assign(changes, self.month)

    def _rows_to_delete(self, rows: list[DraftRow]) -> pd.DataFrame | None:
        if not rows:
            return None
        frame = pd.DataFrame({"transaction_id": [row.key for row in rows]}).drop_duplicates()
        kept = {row.key: row.kept for row in rows if row.kept}
        for name in KEPT if kept else ():
            frame[name] = [kept.get(key, {}).get(name) for key in frame["transaction_id"]]
        frame.attrs = dict(self._base.attrs)
        return frame

    def _given(self, number: int, change: Change) -> Change | None:
        """A change that was prepared before, with the edits of its row; None if nothing is left."""
        row, where = self.rows[number], f"row {number}"
        raw = self.state.rows.get(change.key)
        if change.key is not None and raw is None:
            return replace(change, problem=DELETED_SINCE)
        problem = ""
        if raw is not None:
            problem = changed_since(change.before, wire_row(raw, "transactions"), change.after)
        if problem or not row.edited:
            return replace(change, problem=problem)
        cells = self._with_names(row.edited)
        replaced = {"payee_id", "payee_name"} if "payee_name" in cells else set()
        after = {name: value for name, value in change.after.items() if name not in replaced}
        after |= fields_of(self.state.names, cells, {**row.cells, **cells}, where)
        edited = self._with_values(change, after)
        if edited is not None:
            check(edited, self.state, where)
        return edited

    def _with_values(self, change: Change, after: Mapping[str, Any]) -> Change | None:
        """A creation or update with other values, from the present row on; None if none differs."""
        if change.key is None:
            new = creation_of(self.state.names, "transactions", after)
        else:
            now = wire_row(self.state.rows[change.key], "transactions")
            new = update_of(self.state, "transactions", change.key, differences(now, after))
            if not new.after:
                return None
        return replace(
            change, before=new.before, after=new.after, shown=new.shown, names=new.names, problem=""
        )

    def _rebased(self, change: Change) -> Change | None:
        """A change that was a conflict, from the present row on; None if nothing is left."""
        raw = self.state.rows.get(change.key)
        if change.key is not None and raw is None:
            return None
        if change.action == "delete" and raw is not None:
            return replace(change, before=wire_row(raw, "transactions"), problem="")
        return self._with_values(change, change.after)

    # The rows

    async def _read_rows(self, choose: Choose) -> None:
        ledger = await ledger_of(self._session)
        keys = ledger["transaction_id"][choose(ledger)]  # all parts of a split are chosen
        self._base = ledger[of_keys(keys)(ledger)].reset_index(drop=True)
        self._base.attrs = dict(ledger.attrs)
        self._found = {}
        self._records = records_of(self._base)

    async def _read_state(self) -> None:
        self._known = await read_state(self._session, "transactions")
        self.state = self._known[1]
        self._figures, self._found = None, {}

    def _place(self) -> None:
        """Give each row its cells among those that were read."""
        places: dict[Any, int] = {}
        for at, cells in enumerate(self._records):
            places[cells["transaction_id"], cells["subtransaction_id"]] = at
            places.setdefault((cells["transaction_id"], None), at)
        prepared = {row.key: row for row in self.rows if row.change is not None}
        for row in self.rows:
            row.at = places.get((row.key, row.cells.get("subtransaction_id")))
            if row.at is not None:
                row.cells = self._records[row.at]
            row.fixed = self._fixed(row)
            row.whole = prepared.get(row.key) if row.change is None and row.key else None
            if row.whole is not None:
                row.fixed = dict.fromkeys(_EDITS, PARTS)

    def _fixed(self, row: DraftRow) -> dict[str, tuple[str, str]]:
        names, cells, change = self.state.names, row.cells, row.change
        if (change is None and row.at is None) or (change and change.action == "delete"):
            return dict.fromkeys(_EDITS, ("a deleted row", "deleted rows"))
        if change is not None and "subtransactions" in change.after:
            return dict.fromkeys(_EDITS, SPLITS)
        fixed = {DELETED: ("a new row", "new rows")} if row.at is None else {}
        account, target = cells.get("account_id"), cells.get("transfer_account_id")
        if change is not None:
            account = change.after.get("account_id", account)
            target = names.target(change.after.get("payee_id")) or target
        fixed |= {"payee_name": ("a transfer", "transfers")} if target else {}
        if not names.on_budget(account):
            fixed["category_id"] = ("a row of a tracking account", "rows of tracking accounts")
        elif not names.allows_category(account, target):
            fixed["category_id"] = ("a transfer inside the budget", "transfers inside the budget")
        if cells.get("is_split_part") or cells.get("is_remainder"):
            fixed |= dict.fromkeys(("category_id", "payee_name", "memo"), PARTS)
        return fixed

    def _sent(self, operation: Operation) -> dict[int, int]:
        """The position in an operation of the change of each row that has one."""
        sent, caused = dict[str | None, int](), set[str | None]()
        for position, change in enumerate(operation.changes):
            if not change.is_side_effect:
                sent[change.key] = position
            else:
                caused.add(change.key)
        found = dict(zip(self._created.get(operation.id, ()), _created(operation), strict=False))
        for number, row in enumerate(self.rows):
            if number in found or row.key is None:
                continue
            if row.key in sent:
                found[number] = sent[row.key]
            elif row.key in caused:  # the change of the other side of its transfer changes it
                others = [sent[key] for key in self.state.sides(row.key) if key in sent]
                found |= {number: others[0]} if others else {}
        return found


def _created(operation: Operation) -> list[int]:
    """The positions of the new rows of an operation."""
    changes = enumerate(operation.changes)
    return [at for at, each in changes if not each.is_side_effect and each.action == "create"]


def _cells_of(change: Change, names: Names) -> dict[str, Any]:
    """The new values of a change, by the columns of the ledger."""
    found = {name: value for name, value in change.after.items() if name != "subtransactions"}
    if "amount" in found:
        found["amount"] = to_currency(found["amount"])
    if "date" in found:
        found["date"] = pd.Timestamp(found["date"])
    if "payee_id" in found:
        found["payee_name"] = names.name("payee", found.pop("payee_id"))
    return found


# Assigned amounts

_NAMES = ("month", "category_group_name", "category_name", "budgeted", "category_id")
_COLUMNS = [each for each in TABLES["month_categories"].columns if each.name in _NAMES]


class AssignedDraft(Draft):
    """Assigned amounts with edits, in milliunits: one export is read, and an edit sends nothing."""

    _reviewed: Mapping[str | None, Change]  # the given changes, by the keys of the categories

    @classmethod
    async def of_plan(cls, session: Session, plan: Plan) -> AssignedDraft | None:
        """One row for each change, in their order; None if they are not amounts of one month."""
        changes = [*plan.changes, *plan.conflicts]
        places = {(each.resource, each.month) for each in changes}
        if len(places) != 1 or changes[0].resource != "month_categories":
            return None
        self = cls(session, plan)
        self.month = str(changes[0].month)
        self._reviewed = {each.key: each for each in changes}
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
        given = self._reviewed[row.key]
        stale = ("got",) if row.edits else ()
        shown = {name: value for name, value in given.shown.items() if name not in stale}
        return replace(given, before=before, after=after, shown=shown, problem=problem)

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
