"""The answers of the service as the client should return them.

This module computes them without the code under test.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

Json = dict[str, Any]
Rows = dict[Any, Any]

_MONEY = frozenset({
    *("balance", "cleared_balance", "uncleared_balance", "budgeted", "activity", "amount"),
    *("goal_target", "goal_overall_left", "goal_under_funded", "to_be_budgeted"),
    *("allocation", "spent", "income"),
})  # fmt: skip
_NAMES = frozenset({"account_name", "payee_name", "category_name", "category_group_name"})


@lru_cache(maxsize=100_000)
def currency_units(milliunits: int) -> float:
    """Convert to currency units by exact decimal division."""
    return float(Decimal(milliunits) / Decimal(1000))


@lru_cache(maxsize=1_000)
def is_money(name: str) -> bool:
    return name in _MONEY or name.endswith(("_balance", "_amount"))


def convert_milliunits(node: Any) -> Any:
    """Convert every milliunit field of a parsed answer to currency units."""
    if type(node) is list:
        return [convert_milliunits(child) for child in node]
    if type(node) is not dict:
        return node
    return {
        name: currency_units(value)
        if type(value) is int and is_money(name)
        else convert_milliunits(value)
        if type(value) in {list, dict}
        else value
        for name, value in node.items()
    }


def rows_by_key(node: Any) -> Any:
    """Replace lists of rows by dicts with the rows' keys.

    A list built from deltas has its rows in another order than a full answer.
    """
    if type(node) is dict:
        return {
            name: _by_key("month" if name == "months" else "id", value)
            if type(value) is list
            else rows_by_key(value)
            if type(value) is dict
            else value
            for name, value in node.items()
        }
    return node


def _by_key(key: str, rows: list[Any]) -> Any:
    if not all(type(row) is dict and key in row for row in rows):
        return sorted(map(repr, rows))
    by_key = {row[key]: rows_by_key(row) for row in rows}
    assert len(by_key) == len(rows), f"a key occurs twice in {sorted(row[key] for row in rows)}"
    return by_key


@dataclass(eq=False, slots=True)
class ServiceAnswer:
    """The answer of the service to one GET request at one version of its data."""

    status: int
    error: Json | None
    raw: Json
    """The data object without ``server_knowledge``; amounts are milliunits."""
    knowledge: int | None
    version: int
    _expected_data: Any = None
    frames: dict[str, Rows] = field(default_factory=dict)
    """Expected rows of the frames that are built from this answer, by name of the frame."""

    @property
    def expected_data(self) -> Json:
        """The data object that the client should return, with lists as dicts by key."""
        if self._expected_data is None:
            self._expected_data = rows_by_key(convert_milliunits(self.raw))
        expected_data: Json = self._expected_data
        return expected_data

    @property
    def rows(self) -> int:
        """Number of rows in all lists of the answer, at least 1."""
        return sum(len(value) for value in self.raw.values() if type(value) is list) or 1


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The differences that are allowed between a list built from deltas and a full answer."""

    names: bool = False
    """Names of accounts, payees, categories and groups may be old: the service does not send a row
    again when something that the row refers to was renamed."""
    ids: frozenset[str] = frozenset()
    """Transactions that may be missing or superfluous: when the date of a row moves across the
    first day of a filtered list, no delta of that list says so."""
    since: str | None = None
    """Transactions before this day may be superfluous."""
    prefix: bool = False
    """Fields that only answers of ``/budgets`` or ``/plans`` have may differ: the cache stores one
    list for both."""

    def __bool__(self) -> bool:
        return self.names or bool(self.ids) or self.since is not None or self.prefix

    def reduce(self, node: Any) -> Any:
        """Remove everything that may differ."""
        if type(node) is not dict:
            return node
        reduced = {}
        for name, value in node.items():
            if (self.names and name in _NAMES) or (self.prefix and _depends_on_prefix(name)):
                continue
            if name == "transactions" and type(value) is dict:
                value = {key: row for key, row in value.items() if self._must_agree(key, row)}  # noqa: PLW2901
            reduced[name] = self.reduce(value)
        return reduced

    def _must_agree(self, key: str, row: Json) -> bool:
        return key not in self.ids and (self.since is None or row["date"] >= self.since)


def _depends_on_prefix(name: str) -> bool:
    return name.endswith(("_formatted", "_currency")) or name == "goal_target_month"


def differences(actual: Any, expected: Any, path: str = "") -> list[str]:
    """List the differences between two documents, one line for each."""
    if type(actual) is dict and type(expected) is dict:
        lines = []
        for name in {**actual, **expected}:
            child = f"{path}/{name}"
            if name not in expected:
                lines.append(f"{child}: {_short(actual[name])}, the service has nothing there")
            elif name not in actual:
                lines.append(f"{child}: missing, the service has {_short(expected[name])}")
            elif actual[name] != expected[name]:
                lines += differences(actual[name], expected[name], child)
        return lines
    return [f"{path}: {_short(actual)}, the service has {_short(expected)}"]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 200 else f"{text[:200]}..."


def describe_mismatch(actual: Any, possible: list[Any]) -> str:
    """Describe the differences between a result and the most similar possible answer."""
    if not possible:
        return "the call returned a result, but no answer of the service is possible"
    lines = min((differences(actual, expected) for expected in possible), key=len)
    title = f"the result equals none of {len(possible)} possible answers; the closest one differs:"
    return "\n  ".join([title, *lines[:12]])
