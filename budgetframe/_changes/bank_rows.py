"""The rows of a bank, and the rows of an account that are the same ones."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from budgetframe._milliunits import to_milliunits
from budgetframe._runtime.text import number_of

from .descriptions import described
from .import_history import MATCHING_DAYS, BankRow, History, place_of_id
from .journal import Journal
from .operation import Operation
from .plan import Change
from .state import State

__all__ = [
    "IMPORTED",
    "Recognised",
    "lost_matches",
    "new_problems",
    "recognised",
    "without_id",
]

FEW_DAYS = 5
"""Days between a row of the bank and the row without an import id that is taken for the same."""

IMPORTED = "imported before"
AGAIN = "import the file again"
_MOST_MOVED = 2
"""Rows of the bank that another row moves away from the rows of their days."""


class Recognised(NamedTuple):
    """Why a row of a bank is a row of the account, and the key of that row."""

    reason: str
    key: str


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
        if key not in imported and place_of_id(import_id) is None:
            days[key] = FEW_DAYS if import_id is None else 0
            free[_amount(raw), date.fromisoformat(raw["date"])].append(key)
    known = {row.import_id for row in rows} | live.keys()
    wanted = [
        *(row.import_id for position, row in enumerate(rows) if position not in found),
        *sorted(history.matched - known),
    ]
    near = {each: _near(place, free, days) for each in wanted if (place := place_of_id(each))}
    wanted = [each for each in wanted if near.get(each)]
    wanted.sort(key=lambda each: (near[each][0][0], place_of_id(each)))
    of_files = known | history.used | history.keys.keys() | history.matched
    first = min((place[1] for each in of_files if (place := place_of_id(each))), default=date.max)
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
    """Why rows of a bank's file are conflicts now, by the positions of their changes."""
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
        if "is_matched" in row and (place := place_of_id(row["import_id"]))
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
