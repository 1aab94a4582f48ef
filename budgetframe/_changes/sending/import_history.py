"""What the journal knows of the rows of a bank."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from typing import Any, NamedTuple

from budgetframe._changes.bank_rows import (
    FEW_DAYS,
    MATCHING_DAYS,
    BankRow,
    amount_of,
    day_of,
    is_row_of,
    near_rows,
    paired,
    place_of_id,
    without_id,
)
from budgetframe._changes.plan import Change, creation_of
from budgetframe._changes.state import State
from budgetframe._runtime.text import number_of

from .matching import ID_IN_USE, created_rows_in
from .operation import Operation

IMPORTED = "imported before"
_AGAIN = "import the file again"


class Recognised(NamedTuple):
    """Why a row of a bank is not created, and the key of the row of the account that it is."""

    reason: str
    key: str | None = None


@dataclass(slots=True)
class History:
    """What the journal knows about the rows of a bank in an account."""

    used: set[str]  # the import ids that rows of the account have had, also deleted rows
    keys: dict[str, str] = field(default_factory=dict)
    """The keys of the rows that were created for rows of the bank, by import id."""
    matched: set[str] = field(default_factory=set)
    """The import ids of rows of the bank that are rows which others have entered."""
    ids: dict[tuple[str | None, int], dict[str, str | None]] = field(default_factory=dict)
    """The import ids of rows with ids of the bank, and their payees, by this id and the amount."""

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
        by_id = {operation.id: operation for operation in operations}
        for operation in operations:
            for row in operation.recognised:
                if row["account_id"] == account_id:
                    found._name(row)
                    if "is_matched" in row and not _is_undone(operation, by_id):
                        found.matched.add(row["import_id"])
        taken = {key for operation in operations for key in operation.keys.values()}
        others = []
        created = chain(*(_created(operation, state, taken) for operation in operations))
        for key, change in created:
            if change.after.get("account_id") != account_id:
                continue
            found._name(change.bank_row)
            if "import_id" in change.after and (key is not None or change.problem == ID_IN_USE):
                found.used.add(change.after["import_id"])
            if key is not None and change.bank_row:
                found.keys[change.bank_row["import_id"]] = key
            elif key is not None:
                others.append((key, change))
        found._adopt(others, state)
        return found

    def _name(self, row: Mapping[str, Any]) -> None:
        place = place_of_id(row.get("import_id"))
        if "bank_row_id" in row and place:
            known = self.ids.setdefault((row["bank_row_id"], place[0]), {})
            known[row["import_id"]] = row.get("payee_name")

    def has_id(self, row: BankRow) -> bool:
        """Whether the journal knows the bank's own id of a row as an id of this row."""
        return row.import_id in self.ids.get((row.bank_row_id, row.amount), {})

    def _adopt(self, created: Iterable[tuple[str, Change]], state: State) -> None:
        """Recognise rows that a replaced split or an undo created again, without import ids."""
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

    def named(self, rows: Sequence[BankRow]) -> tuple[list[BankRow], list[int]]:
        """The rows with their import ids, and the positions of those with the id of another row."""
        # The occurrence counts the rows of the same amount and day. A row with the bank's own id
        # has the import id that it had before, and no other one has this, unless the bank uses ids
        # twice: then another id does not show that a row is another one. The import ids of a file
        # differ.
        before, others = self._import_ids_before(rows)
        of_each = Counter(each for (each, _), known in self.ids.items() for _ in known)
        is_reused = bool(others) or any(number > 1 for number in of_each.values())
        taken = {*before.values()}
        of_ids = {*chain(*self.ids.values())}
        times: Counter[Any] = Counter()
        found = []
        for position, row in enumerate(rows):
            has_id = row.bank_row_id is not None and not is_reused
            place = (row.amount, row.date, has_id)
            import_id = before.get(position)
            while import_id is None:
                times[place] += 1
                name = f"YNAB:{row.amount}:{row.date}:{times[place]}"
                if name not in taken and not (has_id and name in of_ids):
                    import_id = name
            taken.add(import_id)
            found.append(row._replace(import_id=import_id))
        return found, others

    def _import_ids_before(self, rows: Sequence[BankRow]) -> tuple[dict[int, str], list[int]]:
        """The import ids that rows had in earlier files, and the rows with ids of other rows."""
        # The id and the amount agree, and the day too, or the payee and nearly the day, because a
        # bank can change the day. This is uncertain, so that only equal days count for an id that
        # several rows have had, and in a file with an id of another row.
        used = Counter(each for (each, _), known in self.ids.items() for _ in known)
        near = []
        for position, row in enumerate(rows):
            known = self.ids.get((row.bank_row_id, row.amount), {})
            for import_id, payee in known.items():
                _, day = place_of_id(import_id) or (0, date.max)
                apart, is_other = abs((day - row.date).days), payee != row.payee_name
                if apart <= (0 if is_other or used[row.bank_row_id] > 1 else MATCHING_DAYS):
                    near.append((apart, is_other, position, import_id))
        found: dict[int, str] = {}
        moved, taken = set(), set()
        for apart, _, position, import_id in sorted(near):
            if position not in found and import_id not in taken:
                found[position] = import_id
                taken.add(import_id)
                moved |= {position} if apart else set()
        others = []
        for position, row in enumerate(rows):
            if row.bank_row_id is not None and position not in found:
                others += [position] if used[row.bank_row_id] else []
                used[row.bank_row_id] += 1
        if others:
            found = {at: import_id for at, import_id in found.items() if at not in moved}
            others = sorted({*others, *moved})
        return found, others

    def recognised(
        self, rows: Sequence[BankRow], account_id: str, state: State
    ) -> dict[int, Recognised]:
        """The rows of a bank that the account has already, by their position."""
        # A row is recognised by its import id, which the journal knows of rows that were sent
        # without it. Each of the other rows can be a row of the same amount without an import id,
        # up to a few days apart, or a row with the import id of another program on the same day.
        # The rows that were recognised so in earlier files keep one such row, although it may be
        # another one than before. Then come the rows of the same day. At last come as many of the
        # others as possible, which may move the earlier ones to other rows; a row of the account
        # from before all files moves few rows.
        existing = [(key, raw) for key, raw in state.rows.items() if is_row_of(raw, account_id)]
        # The service may have merged another row of the bank with one that was sent without its id.
        live = {
            import_id: key
            for import_id, key in self.keys.items()
            if key in state.rows and state.rows[key].get("import_id") in (None, import_id)
        }
        imported = set(live.values())
        live |= {raw["import_id"]: key for key, raw in existing if raw.get("import_id") is not None}
        keys = {at: live[row.import_id] for at, row in enumerate(rows) if row.import_id in live}
        found = {at: Recognised(IMPORTED, key) for at, key in keys.items()}
        days: dict[str, int] = {}  # up to which each free row may be apart
        free: dict[tuple[int, date], list[str]] = defaultdict(list)
        for key, raw in existing:
            import_id = raw.get("import_id")
            if key not in imported and place_of_id(import_id) is None:
                days[key] = FEW_DAYS if import_id is None else 0
                free[amount_of(raw), day_of(raw)].append(key)
        known = {row.import_id for row in rows} | live.keys()
        others = [row.import_id for position, row in enumerate(rows) if position not in found]
        wanted = [*others, *sorted(self.matched - known)]
        places = {each: place for each in wanted if (place := place_of_id(each))}
        near = {each: near_rows(place, free, days) for each, place in places.items()}
        wanted = [each for each in wanted if near.get(each)]
        wanted.sort(key=lambda each: (near[each][0][0], places[each]))
        of_files = known | self.used | self.keys.keys() | self.matched
        days_of_files = (place[1] for each in of_files if (place := place_of_id(each)))
        first = min(days_of_files, default=date.max)
        earlier = [key for (_, day), keys in free.items() if day < first for key in keys]
        pairs = paired({each: near[each] for each in wanted}, self.matched, earlier)
        for position, row in enumerate(rows):
            if position not in found and row.import_id in pairs:
                key = pairs[row.import_id]
                distance = next(apart for apart, each in near[row.import_id] if each == key)
                apart = f", {number_of(distance, 'day')} apart" if distance else " and day"
                found[position] = Recognised(f"same amount{apart}", key)
        return found


def _created(
    operation: Operation, state: State, taken: set[str]
) -> Iterator[tuple[str | None, Change]]:
    """The new rows of an operation, with the keys of those that were made."""
    created = {
        at: change
        for at, change in enumerate(operation.changes)
        if change.action == "create" and change.resource == "transactions"
    }
    unknown = {at: each for at, each in created.items() if operation.status[at] == "unknown"}
    found = created_rows_in(state, unknown, operation.twins, taken)
    for at, change in created.items():
        yield found[at][0] if at in found else operation.keys.get(at), change


def _is_undone(operation: Operation, by_id: Mapping[str, Operation]) -> bool:
    """Whether an operation is undone, and this is not undone itself."""
    by = by_id.get(operation.undone_by)
    return by is not None and not _is_undone(by, by_id)


# Comparison before sending


def new_problems(
    operation: Operation, left: Iterable[int], operations: Sequence[Operation], state: State
) -> dict[int, str]:
    """Why rows of a bank's file are conflicts now, by the positions of their changes."""
    positions = [at for at in left if operation.changes[at].bank_row]
    if not positions:
        return {}
    bodies = [operation.changes[at].after for at in positions]
    account_id = bodies[0]["account_id"]
    import_ids = [operation.changes[at].bank_row["import_id"] for at in positions]
    rows = [
        BankRow(date.fromisoformat(body["date"]), body["amount"], import_id)
        for import_id, body in zip(import_ids, bodies, strict=True)
    ]
    history = History.of(operations, account_id, state)
    history.matched |= {row.import_id for row in _matched_rows(operation)}
    known = history.recognised(rows, account_id, state)
    new = [number for number in range(len(rows)) if number not in known]
    near = without_id(rows, new, account_id, state)
    found = {}
    for number, (position, body) in enumerate(zip(positions, bodies, strict=True)):
        if number in known:
            reason, key = known[number]
            what = "it was imported" if reason == IMPORTED else f"a row has appeared ({reason})"
            found[position] = f"{what} since the comparison, with the key {key}: {_AGAIN}"
        elif number in near and "import_id" in body:
            found[position] = (
                "a row of the same amount without an import id has appeared since the comparison,"
                f" up to {MATCHING_DAYS} days apart: the service would merge the two: {_AGAIN}"
            )
    return found


def _matched_rows(operation: Operation) -> list[BankRow]:
    """The rows of the bank that the operation takes for rows that others have entered."""
    return [
        BankRow(place[1], place[0], row["import_id"])
        for row in operation.recognised
        if "is_matched" in row and (place := place_of_id(row["import_id"]))
    ]


def lost_matches(operation: Operation, operations: list[Operation], state: State) -> list[Change]:
    """The conflicts of rows that were left out, because their existing rows are gone or taken."""
    matched = _matched_rows(operation)
    if not matched:
        return []
    account_id = operation.recognised[0]["account_id"]
    history = History.of(operations, account_id, state)
    known = history.recognised(matched, account_id, state)
    lost = []
    for row in (row for number, row in enumerate(matched) if number not in known):
        body = {"account_id": account_id, "date": f"{row.date}", "amount": row.amount}
        source = {"import_id": row.import_id}
        change = creation_of(state.names, "transactions", body, bank_row=source)
        problem = f"the row that was taken for it is gone, or is another one: {_AGAIN}"
        lost.append(replace(change, problem=problem))
    return lost
