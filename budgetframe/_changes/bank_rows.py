"""The rows of a bank, and the rows of an account that are the same ones."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from budgetframe._milliunits import to_milliunits
from budgetframe._runtime.number_of import number_of

from .completion import described
from .journal import Journal
from .operation import Operation
from .outcome import ID_IN_USE, created_row
from .plan import Change
from .state import State

__all__ = [
    "IMPORTED",
    "MATCHING_DAYS",
    "BankRow",
    "History",
    "Recognised",
    "is_far",
    "lost_matches",
    "new_problems",
    "occurrence_of",
    "recognised",
    "without_id",
]

FEW_DAYS = 5
"""Days between a row of the bank and the row without an import id that is taken for the same."""
MATCHING_DAYS = 10
"""Days within which the service merges a row that has an import id with one that has none."""

IMPORTED = "imported before"
AGAIN = "import the file again"
_MOST_MOVED = 2
"""Rows of the bank that another row moves away from the rows of their days."""
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


class Recognised(NamedTuple):
    """Why a row of a bank is a row of the account, and the key of that row."""

    reason: str
    key: str


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
                gone[_place(each)].append(each)
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


def _place(import_id: str | None) -> tuple[int, date] | None:
    """The amount and the day that an import id states; None if it has another form."""
    found = _ID.fullmatch(import_id or "")
    return None if found is None else (int(found[1]), date.fromisoformat(found[2]))


def is_far(row: BankRow) -> bool:
    """Whether a row with a known id of the bank can hardly be the row that had this id before."""
    amount, day = _place(row.import_id) or (row.amount, row.date)
    return amount != row.amount or abs((day - row.date).days) > MATCHING_DAYS


def occurrence_of(row: BankRow) -> int:
    """The number of a row among those of its amount and day."""
    return int(row.import_id.rpartition(":")[2])


def recognised(
    rows: Sequence[BankRow], account_id: str, state: State, history: History
) -> dict[int, Recognised]:
    """The rows of a bank that the account has already, by their position.

    A row is recognised by its import id, which the journal knows of rows that were sent without
    it. Each of the other rows can be a row of the same amount without an import id, up to a few
    days apart, or a row with the import id of another program on the same day. The rows that were
    recognised so in earlier files keep one such row, although it may be another one than before.
    Then come the rows of the same day. At last come as many of the others as possible, which may
    move the earlier ones to other rows; a row of the account from before all files moves few rows.

    Parameters
    ----------
    rows : sequence of BankRow
        The rows.
    account_id : str
        Key of the account.
    state : State
        The current rows.
    history : History
        What the journal knows.
    """
    existing = [(key, raw) for key, raw in state.rows.items() if _is_row_of(raw, account_id)]
    # The service may have merged another row of the bank with one that was sent without its id.
    live = {
        import_id: key
        for import_id, key in history.keys.items()
        if key in state.rows and state.rows[key].get("import_id") in (None, import_id)
    }
    imported = set(live.values())
    live |= {raw["import_id"]: key for key, raw in existing if raw.get("import_id") is not None}
    found = {
        position: Recognised(IMPORTED, live[row.import_id])
        for position, row in enumerate(rows)
        if row.import_id in live
    }
    days: dict[str, int] = {}  # up to which each free row may be apart
    free: dict[tuple[int, date], list[str]] = defaultdict(list)
    for key, raw in existing:
        import_id = raw.get("import_id")
        if key not in imported and _place(import_id) is None:
            days[key] = FEW_DAYS if import_id is None else 0
            free[_amount(raw), date.fromisoformat(raw["date"])].append(key)
    known = {row.import_id for row in rows} | live.keys()
    wanted = [
        *(row.import_id for position, row in enumerate(rows) if position not in found),
        *sorted(history.matched - known),
    ]
    near = {each: _near(place, free, days) for each in wanted if (place := _place(each))}
    wanted = [each for each in wanted if near.get(each)]
    wanted.sort(key=lambda each: (near[each][0][0], _place(each)))
    of_files = known | history.used | history.keys.keys() | history.matched
    first = min((place[1] for each in of_files if (place := _place(each))), default=date.max)
    earlier = [key for (_, day), keys in free.items() if day < first for key in keys]
    pairs = _paired({each: near[each] for each in wanted}, history.matched, earlier)
    for position, row in enumerate(rows):
        if position not in found and row.import_id in pairs:
            key = pairs[row.import_id]
            distance = next(apart for apart, each in near[row.import_id] if each == key)
            apart = f", {number_of(distance, 'day')} apart" if distance else " and day"
            found[position] = Recognised(f"same amount{apart}", key)
    return found


def _is_row_of(raw: Mapping[str, Any], account_id: str) -> bool:
    """Whether a row is one of the account, with an amount and a day."""
    return raw.get("account_id") == account_id and None not in (raw.get("date"), raw.get("amount"))


def _amount(raw: Mapping[str, Any]) -> int:
    return to_milliunits(raw["amount"])


def _near(
    place: tuple[int, date], free: Mapping[Any, Sequence[str]], days: Mapping[str, int]
) -> list[tuple[int, str]]:
    """The distances and keys of rows that a row of the bank may be, the nearest first."""
    amount, day = place
    found = [
        (abs(distance), distance, key)
        for distance in range(-FEW_DAYS, FEW_DAYS + 1)
        for key in free.get((amount, day + timedelta(distance)), ())
        if abs(distance) <= days[key]
    ]
    return [(distance, key) for distance, _, key in sorted(found)]


def _paired(
    near: Mapping[str, Sequence[tuple[int, str]]], matched: Container[str], earlier: Iterable[str]
) -> dict[str, str]:
    """The rows of the account that rows of the bank are, by import id.

    Parameters
    ----------
    near : mapping
        The distances and keys of the rows of the account, the nearest first.
    matched : container of str
        The rows of the bank that were recognised in earlier files.
    earlier : iterable of str
        The rows of the account from before the first day of all files. The rows of the bank that
        they are may be in no file, and then they must not take the place of others.
    """
    every = {each: [key for _, key in found] for each, found in near.items()}
    same_day = {each: [key for apart, key in found if not apart] for each, found in near.items()}
    pairs = _Pairs()
    for each in near:
        if each in matched:
            pairs.choose(each, every[each])
    for each in near:
        pairs.choose(each, same_day[each])
    for each in near:
        if each not in pairs.held:
            pairs.choose(each, every[each])
    pairs.reopen(earlier)
    for each in sorted(near, key=lambda each: each not in pairs.held):
        pairs.choose(each, every[each])
    pairs.reopen()
    for each in near:
        pairs.choose(each, every[each], most_moved=_MOST_MOVED)
    return pairs.held


class _Pairs:
    """A row of the account for as many rows of the bank as possible, the first ones first.

    A row of the bank that finds all its rows taken moves others to their next rows, along the
    shortest way. A row that has found one keeps one of those among which it has chosen it.
    """

    def __init__(self) -> None:
        self.held: dict[str, str] = {}
        self._holder: dict[str, str] = {}
        self._near: dict[str, Sequence[str]] = {}
        self._hopeless: set[str] = set()
        """Rows of the account from which no way leads to a free one."""

    def choose(self, first: str, keys: Sequence[str], most_moved: int | None = None) -> None:
        """Let a row of the bank choose; if it has one of these keys, it keeps to these."""
        if first in self.held:
            if self.held[first] in keys:
                self._near[first] = keys
            return
        self._near[first] = keys
        reached: dict[str, str] = {}  # rows of the account, with the rows that reach them
        end = self._free_row(first, reached, most_moved)
        if end is None and most_moved is None:
            self._hopeless |= reached.keys()
        while end is not None:
            each = reached[end]
            previous, self.held[each], self._holder[end] = self.held.get(each), end, each
            end = previous

    def reopen(self, excluded: Iterable[str] = ()) -> None:
        """Let rows choose again, but not among these rows if they are free."""
        self._hopeless = set(excluded) - self._holder.keys()

    def _free_row(self, first: str, reached: dict[str, str], most_moved: int | None) -> str | None:
        """The nearest free row of the account, by way of rows that others hold."""
        queue = deque([(first, 0)])
        while queue:
            each, moved = queue.popleft()
            for key in self._near[each]:
                if key in reached or key in self._hopeless:
                    continue
                reached[key] = each
                if key not in self._holder:
                    return key
                if most_moved is None or moved < most_moved:
                    queue.append((self._holder[key], moved + 1))
        return None


def without_id(
    rows: Sequence[BankRow], new: Iterable[int], account_id: str, state: State
) -> set[int]:
    """The positions of the new rows that are created without an import id.

    The service merges a row that has an import id with a row of the same amount that has none,
    within ten days: it would not create the new row. A new row without an import id can have the
    same effect on other new rows.
    """
    days: dict[int, list[tuple[date, int | None]]] = defaultdict(list)
    for position in new:
        days[rows[position].amount].append((rows[position].date, position))
    for raw in state.rows.values():
        if _is_row_of(raw, account_id) and raw.get("import_id") is None and _amount(raw) in days:
            days[_amount(raw)].append((date.fromisoformat(raw["date"]), None))
    found: set[int] = set()
    for of_amount in days.values():
        chain: list[tuple[date, int | None]] = []
        for point in sorted(of_amount, key=lambda each: each[0]):
            if chain and (point[0] - chain[-1][0]).days > MATCHING_DAYS:
                found |= _new_of(chain)
                chain = []
            chain.append(point)
        found |= _new_of(chain)
    return found


def _new_of(chain: Sequence[tuple[date, int | None]]) -> set[int]:
    """The positions of new rows in a chain of near days, if an existing row is among them."""
    positions = {position for _, position in chain}
    return {each for each in positions if each is not None} if None in positions else set()


# Comparison before sending


def new_problems(
    operation: Operation, left: Iterable[int], journal: Journal, state: State
) -> dict[int, str]:
    """Why rows of a bank's file are conflicts now, by the positions of their changes.

    Parameters
    ----------
    operation : Operation
        The changes.
    left : iterable of int
        The positions of those that are sent next.
    journal : Journal
        The journal, which may have other imports since the comparison.
    state : State
        The current rows.
    """
    positions = [each for each in left if operation.changes[each].bank_row]
    if not positions:
        return {}
    bodies = [operation.changes[each].after for each in positions]
    account_id = bodies[0]["account_id"]
    rows = [
        BankRow(
            date.fromisoformat(body["date"]),
            body["amount"],
            operation.changes[each].bank_row["import_id"],
        )
        for each, body in zip(positions, bodies, strict=True)
    ]
    history = History.of(journal.operations(without_changes=True), account_id, state)
    history.matched |= {row.import_id for row in _matched_rows(operation)}
    known = recognised(rows, account_id, state, history)
    new = [number for number in range(len(rows)) if number not in known]
    near = without_id(rows, new, account_id, state)
    found = {}
    for number, (position, body) in enumerate(zip(positions, bodies, strict=True)):
        if number in known:
            reason, key = known[number]
            what = "it was imported" if reason == IMPORTED else f"a row has appeared ({reason})"
            found[position] = f"{what} since the comparison, with the key {key}: {AGAIN}"
        elif number in near and "import_id" in body:
            found[position] = (
                "a row of the same amount without an import id has appeared since the comparison,"
                f" up to {MATCHING_DAYS} days apart: the service would merge the two: {AGAIN}"
            )
    return found


def _matched_rows(operation: Operation) -> list[BankRow]:
    """The rows of the bank that the operation takes for rows that others have entered."""
    return [
        BankRow(place[1], place[0], row["import_id"])
        for row in operation.recognised
        if "is_matched" in row and (place := _place(row["import_id"]))
    ]


def lost_matches(operation: Operation, journal: Journal, state: State) -> list[Change]:
    """The conflicts of rows that were left out, because their existing rows are gone or taken."""
    matched = _matched_rows(operation)
    if not matched:
        return []
    account_id = operation.recognised[0]["account_id"]
    history = History.of(journal.operations(without_changes=True), account_id, state)
    known = recognised(matched, account_id, state, history)
    return [
        replace(
            described(
                state.names,
                {},
                "create",
                "transactions",
                after={"account_id": account_id, "date": f"{row.date}", "amount": row.amount},
                bank_row={"import_id": row.import_id},
            ),
            problem=f"the row that was taken for it is gone, or is another one: {AGAIN}",
        )
        for number, row in enumerate(matched)
        if number not in known
    ]
