"""The answers of one run, and how the checks read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from budgetframe._resources import is_deleted
from budgetframe._runtime.text import number_of
from budgetframe.errors import ServiceAPIError

from .shapes import Place, compare_with_shape

Row = Mapping[str, Any]
_CLOCK_TOLERANCE = timedelta(days=2)  # between the time zone of the service and UTC

SINCE_BEGINNING = {
    "payees": ("payees", "payees"),
    "transactions since the beginning": ("transactions", "transactions"),
}
"""Requests with the cursor 1: name of the answer, with its kind and the key of its list."""


@dataclass(frozen=True)
class Answer:
    """The answer to one request with a cursor, or the error in its place."""

    kind: str  # the shape of the answer, which is also the name of its resource
    data: Mapping[str, Any]  # the data object as it was sent; empty after an error
    converted: Mapping[str, Any]  # the same with currency units
    cursor: int | None = None
    error: ServiceAPIError | None = None
    is_strict: bool = True  # whether the answer is strict JSON

    @cached_property
    def places(self) -> dict[str, Place]:
        """The comparison with the published shape."""
        return {} if self.error else compare_with_shape(self.kind, self.data)

    @property
    def knowledge(self) -> int | None:
        """The server knowledge, if the answer has one."""
        knowledge = self.data.get("server_knowledge")
        return knowledge if type(knowledge) is int else None

    @property
    def never_existed(self) -> bool:
        """Whether this is the error for scheduled transactions of a budget that never had one."""
        found = None if self.error is None else self.error.error_id
        return self.kind == "scheduled_transactions" and found == "404.2"


class Run:
    """All answers of one run, by the name of the request, and the names of their headers."""

    def __init__(self, answers: Mapping[str, Answer], header_names: Iterable[str] = ()) -> None:
        self.answers = answers
        self.header_names = header_names

    def rows(self, name: str, *path: str) -> list[Row]:
        """Return the records at a path of an answer, without anything that is no record."""
        found: list[Any] = [self.answers[name].data]
        for key in path:
            values = [row.get(key) for row in found if isinstance(row, dict)]
            found = [one for each in values for one in (each if isinstance(each, list) else [each])]
        return [row for row in found if isinstance(row, dict)]

    def has(self, *names: str) -> bool:
        """Return whether the service sent these answers."""
        return all(self.answers[name].error is None for name in names)

    @cached_property
    def first_of_month(self) -> date | None:
        """The first day of the current month of the service."""
        for month in self.rows("month", "month"):
            return day_of(month.get("month"))
        return None


def day_of(value: Any) -> date | None:
    """Return a text as a day; None if it is no day."""
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def share(count: int, total: int, what: str = "row") -> str:
    """Return a part of a number, such as ``1 of 2 rows``."""
    return f"{count:,} of {number_of(total, what)}"


def amount_of(row: Row, name: str = "amount") -> int | None:
    """Return an amount of a row in milliunits; None if it is no integer."""
    value = row.get(name)
    return value if type(value) is int else None


def by_key(rows: Iterable[Row], key: str = "id") -> dict[str, Row]:
    """Return the rows that are not deleted, by their key."""
    return {row[key]: row for row in rows if isinstance(row.get(key), str) and not is_deleted(row)}


def _one_year_before(day: date) -> date:
    return day.replace(year=day.year - 1, day=min(day.day, 28))


def window_begin(run: Run) -> tuple[date, date] | None:
    """The days between which a window of a year can begin; None without a usable month."""
    first = run.first_of_month
    if first is None or not date.min.year + 1 < first.year < date.max.year:
        return None
    next_month = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
    return (
        _one_year_before(first.replace(day=1)) - _CLOCK_TOLERANCE,
        _one_year_before(next_month) + _CLOCK_TOLERANCE,
    )


def days_of(rows: Mapping[str, Row]) -> dict[str, date]:
    """Return the days of the rows that have one."""
    days = {key: day_of(row.get("date")) for key, row in rows.items()}
    return {key: day for key, day in days.items() if day is not None}


def split_counts(run: Run) -> Iterator[tuple[str, int, int]]:
    """Iterate over the answers: kind, number of splits, and of those that do not add up."""
    for name, answer in run.answers.items():
        splits: list[tuple[Row, list[Row]]] = []
        if answer.kind in {"transactions", "scheduled_transactions"}:
            for row in run.rows(name, answer.kind):
                parts = row.get("subtransactions")
                splits.append((row, parts if isinstance(parts, list) else []))
        elif answer.kind == "export":
            for rows, parts_of, parent in (
                ("transactions", "subtransactions", "transaction_id"),
                ("scheduled_transactions", "scheduled_subtransactions", "scheduled_transaction_id"),
            ):
                by_parent = defaultdict(list)
                for part in run.rows(name, "budget", parts_of):
                    by_parent[str(part.get(parent))].append(part)
                splits += [
                    (row, by_parent[str(row.get("id"))]) for row in run.rows(name, "budget", rows)
                ]
        count = unequal = 0
        for row, parts in splits:
            live = [part for part in parts if isinstance(part, dict) and not is_deleted(part)]
            amounts = [amount_of(part) for part in live]
            if live and not is_deleted(row) and None not in {*amounts, amount_of(row)}:
                count += 1
                unequal += sum(filter(None, amounts)) != amount_of(row)
        yield answer.kind, count, unequal
