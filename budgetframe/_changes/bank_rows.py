"""The rows of a bank, and which rows of an account they can be."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from budgetframe._milliunits import to_milliunits

from .state import State

MATCHING_DAYS = 10  # within which the service merges a row that has an import id with one without
_ID = re.compile(r"YNAB:(-?\d+):(\d{4}-\d{2}-\d{2}):\d+", re.ASCII)


class BankRow(NamedTuple):
    """One row of a bank; the amount is in milliunits."""

    date: date
    amount: int
    import_id: str = ""  # amount, day and occurrence: what identifies the row, also without this id
    bank_row_id: str | None = None
    payee_name: str | None = None
    memo: str | None = None


FEW_DAYS = 5  # days between a row of the bank and the row without an import id that it is

_MOST_MOVED = 2  # rows of the bank that another row moves away from the rows of their days


def is_row_of(raw: Mapping[str, Any], account_id: str) -> bool:
    """Whether a row is one of the account, with an amount and a day."""
    return raw.get("account_id") == account_id and None not in (raw.get("date"), raw.get("amount"))


def amount_of(raw: Mapping[str, Any]) -> int:
    return to_milliunits(raw["amount"])


def day_of(raw: Mapping[str, Any]) -> date:
    return date.fromisoformat(raw["date"])


def near_rows(
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


def paired(
    near: Mapping[str, Sequence[tuple[int, str]]], matched: Container[str], earlier: Iterable[str]
) -> dict[str, str]:
    """The rows of the account that rows of the bank are, by import id."""
    # `near` has the distances and keys of the rows of the account, the nearest first, and `matched`
    # the rows of the bank that were recognised in earlier files. The rows of the bank that are rows
    # of `earlier`, from before the first day of all files, may be in no file, and then these must
    # not take the place of others.
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


def without_id(rows: list[BankRow], new: Iterable[int], account_id: str, state: State) -> set[int]:
    """The positions of the new rows that are created without an import id."""
    # The service merges a row that has an import id with a row of the same amount that has none,
    # within ten days: it would not create the new row. A new row without an import id can have the
    # same effect on other new rows.
    days: dict[int, list[tuple[date, int | None]]] = defaultdict(list)
    for position in new:
        days[rows[position].amount].append((rows[position].date, position))
    for raw in state.rows.values():
        if is_row_of(raw, account_id) and raw.get("import_id") is None and amount_of(raw) in days:
            days[amount_of(raw)].append((day_of(raw), None))
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
    return {at for at in positions if at is not None} if None in positions else set()


def place_of_id(import_id: str | None) -> tuple[int, date] | None:
    """The amount and the day that an import id states; None if it has another form."""
    found = _ID.fullmatch(import_id or "")
    return None if found is None else (int(found[1]), date.fromisoformat(found[2]))


def occurrence_of(row: BankRow) -> int:
    """The number of a row among those of its amount and day."""
    return int(row.import_id.rpartition(":")[2])
