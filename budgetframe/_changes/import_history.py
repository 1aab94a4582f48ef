"""What the journal knows of the rows of a bank."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from .matching import ID_IN_USE, created_row
from .operation import Operation
from .plan import Change
from .state import State

__all__ = ["MATCHING_DAYS", "BankRow", "History", "is_far", "occurrence_of", "place_of_id"]

MATCHING_DAYS = 10
"""Days within which the service merges a row that has an import id with one that has none."""


_ID = re.compile(r"YNAB:(-?\d+):(\d{4}-\d{2}-\d{2}):\d+", re.ASCII)


class BankRow(NamedTuple):
    """One row of a bank; the amount is in milliunits."""

    date: date
    amount: int
    import_id: str = ""
    """Amount, day and occurrence: what identifies the row, also if it is sent without this id."""
    bank_row_id: str | None = None
    payee_name: str | None = None
    memo: str | None = None


@dataclass(slots=True)
class History:
    """What the journal knows about the rows of a bank in an account.

    Parameters
    ----------
    used : set of str
        Import ids that rows of the account have had, also deleted rows.
    """

    used: set[str]
    keys: dict[str, str] = field(default_factory=dict)
    """The keys of the rows that were created for rows of the bank, by import id."""
    matched: set[str] = field(default_factory=set)
    """The import ids of rows of the bank that are rows which others have entered."""
    ids: dict[str, str] = field(default_factory=dict)
    """The import ids by the bank's own ids."""

    @classmethod
    def of(
        cls,
        operations: Sequence[Operation],
        account_id: str,
        state: State,
        used: Iterable[str] = (),
    ) -> History:
        """What the operations say about an account, with the import ids that are known besides."""
        found = cls(set(used))
        by_id = {each.id: each for each in operations}
        for operation in operations:
            for row in operation.recognised:
                if row["account_id"] == account_id:
                    found._name(row)
                    if "is_matched" in row and not _is_undone(operation, by_id):
                        found.matched.add(row["import_id"])
        taken = {key for operation in operations for key in operation.keys.values()}
        created = [
            (key, change)
            for operation in operations
            for key, change in _created(operation, state, taken)
            if change.after.get("account_id") == account_id
        ]
        for key, change in created:
            found._name(change.bank_row)
            if "import_id" in change.after and (key is not None or change.problem == ID_IN_USE):
                found.used.add(change.after["import_id"])
            if key is not None and change.bank_row:
                found.keys[change.bank_row["import_id"]] = key
        found._adopt(
            [(key, change) for key, change in created if key is not None and not change.bank_row],
            state,
        )
        return found

    def _name(self, row: Mapping[str, Any]) -> None:
        if "bank_row_id" in row:
            self.ids[row["bank_row_id"]] = row["import_id"]

    def _adopt(self, created: Iterable[tuple[str, Change]], state: State) -> None:
        """Recognise rows that were deleted and created again, which have no import id any more.

        A split that is replaced is such a row, and so is a row that an undo restores.
        """
        names = {key: import_id for import_id, key in self.keys.items()}
        gone: dict[Any, list[str]] = defaultdict(list)
        for each in sorted(self.used | self.keys.keys()):
            if self.keys.get(each) not in state.rows:
                gone[place_of_id(each)].append(each)
        for key, change in created:
            place = change.after["amount"], date.fromisoformat(change.after["date"])
            left = [each for each in gone[place] if self.keys.get(each) not in state.rows]
            import_id = names.get(change.replaces or "")
            if import_id is None and left and key in state.rows:
                import_id = left[0]
            if import_id is not None:
                names[key], self.keys[import_id] = import_id, key

    def named(self, rows: Sequence[BankRow]) -> list[BankRow]:
        """The rows with their import ids.

        The occurrence counts the rows of the same amount and day. A row with the bank's own id has
        the import id that it had before, and no other one has this. No two rows have the same one.
        """
        before = [self.ids.get(row.bank_row_id or "") for row in rows]
        taken = {each for each in before if each is not None}
        of_ids = set(self.ids.values())
        times: Counter[Any] = Counter()
        found = []
        for row, known in zip(rows, before, strict=True):
            place, import_id = (row.amount, row.date, row.bank_row_id is None), known
            while import_id is None:
                times[place] += 1
                name = f"YNAB:{row.amount}:{row.date}:{times[place]}"
                if name not in taken and (row.bank_row_id is None or name not in of_ids):
                    import_id = name
            taken.add(import_id)
            found.append(row._replace(import_id=import_id))
        return found


def _created(
    operation: Operation, state: State, taken: set[str]
) -> Iterator[tuple[str | None, Change]]:
    """The new rows of an operation, with the keys of those that were made."""
    for position, change in enumerate(operation.changes):
        if change.action == "create" and change.resource == "transactions":
            key = operation.keys.get(position)
            if operation.status[position] == "unknown":
                key, _ = created_row(change, state, operation.twins, taken)
                taken |= {key} if key is not None else set()
            yield key, change


def _is_undone(operation: Operation, by_id: Mapping[str, Operation]) -> bool:
    """Whether an operation is undone, and this is not undone itself."""
    by = by_id.get(operation.undone_by)
    return by is not None and not _is_undone(by, by_id)


def place_of_id(import_id: str | None) -> tuple[int, date] | None:
    """The amount and the day that an import id states; None if it has another form."""
    found = _ID.fullmatch(import_id or "")
    return None if found is None else (int(found[1]), date.fromisoformat(found[2]))


def is_far(row: BankRow) -> bool:
    """Whether a row with a known id of the bank can hardly be the row that had this id before."""
    amount, day = place_of_id(row.import_id) or (row.amount, row.date)
    return amount != row.amount or abs((day - row.date).days) > MATCHING_DAYS


def occurrence_of(row: BankRow) -> int:
    """The number of a row among those of its amount and day."""
    return int(row.import_id.rpartition(":")[2])
