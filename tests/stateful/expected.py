"""What an answer of the service means, worked out here and not with the code under test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

Json = dict[str, Any]
Rows = dict[Any, Any]

_MONEY = frozenset(
    {
        *("balance", "cleared_balance", "uncleared_balance", "budgeted", "activity", "amount"),
        *("goal_target", "goal_overall_left", "goal_under_funded", "to_be_budgeted"),
        *("allocation", "spent", "income"),
    }
)
_NAMES = frozenset({"account_name", "payee_name", "category_name", "category_group_name"})


@lru_cache(maxsize=100_000)
def dollars(milliunits: int) -> float:
    """Currency units, by exact decimal division."""
    return float(Decimal(milliunits) / Decimal(1000))


@lru_cache(maxsize=1_000)
def is_money(name: str) -> bool:
    return name in _MONEY or name.endswith(("_balance", "_amount"))


def in_dollars(node: Any) -> Any:
    """A parsed answer with every milliunit field in dollars."""
    if type(node) is list:
        return [in_dollars(child) for child in node]
    if type(node) is not dict:
        return node
    return {
        name: dollars(value)
        if type(value) is int and is_money(name)
        else in_dollars(value)
        if type(value) in {list, dict}
        else value
        for name, value in node.items()
    }


def keyed(node: Any) -> Any:
    """The same with lists of rows as dicts by their keys: the order of a delta is another one."""
    if type(node) is dict:
        return {
            name: _by_key("month" if name == "months" else "id", value)
            if type(value) is list
            else keyed(value)
            if type(value) is dict
            else value
            for name, value in node.items()
        }
    return node


def _by_key(key: str, rows: list[Any]) -> Any:
    if not all(type(row) is dict and key in row for row in rows):
        return sorted(map(repr, rows))
    by_key = {row[key]: keyed(row) for row in rows}
    assert len(by_key) == len(rows), f"a key stands twice in {sorted(row[key] for row in rows)}"
    return by_key


@dataclass(eq=False, slots=True)
class Truth:
    """What the service answers to one request at one moment."""

    status: int
    error: Json | None
    raw: Json
    knowledge: int | None
    version: int
    _shown: Any = None
    frames: dict[str, Rows] = field(default_factory=dict)

    @property
    def shown(self) -> Json:
        """The data object as the client should give it, lists by key."""
        if self._shown is None:
            self._shown = keyed(in_dollars(self.raw))
        shown: Json = self._shown
        return shown

    @property
    def rows(self) -> int:
        """How many rows its lists have."""
        return sum(len(value) for value in self.raw.values() if type(value) is list) or 1


@dataclass(frozen=True, slots=True)
class Leeway:
    """In what an answer put together from deltas may differ from the service's own.

    A renaming elsewhere does not send the rows again that show the name, and a row that leaves
    the days of a filtered list shows in no delta of it.
    """

    names: bool = False
    ids: frozenset[str] = frozenset()
    since: str | None = None
    spelling: bool = False

    def __bool__(self) -> bool:
        return self.names or bool(self.ids) or self.since is not None or self.spelling

    def applied(self, node: Any) -> Any:
        """What has to be the same for all that."""
        if type(node) is not dict:
            return node
        applied = {}
        for name, value in node.items():
            if (self.names and name in _NAMES) or (self.spelling and _is_of_spelling(name)):
                continue
            if name == "transactions" and type(value) is dict:
                value = {key: row for key, row in value.items() if self._counts(key, row)}  # noqa: PLW2901
            applied[name] = self.applied(value)
        return applied

    def _counts(self, key: str, row: Json) -> bool:
        return key not in self.ids and (self.since is None or row["date"] >= self.since)


def _is_of_spelling(name: str) -> bool:
    return name.endswith(("_formatted", "_currency")) or name == "goal_target_month"


def differences(found: Any, wanted: Any, where: str = "") -> list[str]:
    """Where two documents differ, for people."""
    if type(found) is dict and type(wanted) is dict:
        lines = []
        for name in {**found, **wanted}:
            path = f"{where}/{name}"
            if name not in wanted:
                lines.append(f"{path}: {_short(found[name])} is not there at the service")
            elif name not in found:
                lines.append(f"{path}: the service's {_short(wanted[name])} is missing")
            elif found[name] != wanted[name]:
                lines += differences(found[name], wanted[name], path)
        return lines
    return [f"{where}: {_short(found)}, the service has {_short(wanted)}"]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 200 else f"{text[:200]}..."


def mismatch(found: Any, allowed: list[Any], leeway: Leeway, what: str) -> str | None:
    """Why an answer is none of those it could be; None when it is one."""
    if any(found == wanted for wanted in allowed):
        return None
    if leeway:
        found = leeway.applied(found)
        allowed = [leeway.applied(wanted) for wanted in allowed]
        if any(found == wanted for wanted in allowed):
            return None
    if not allowed:
        return f"{what}: an answer, and nothing it could be of"
    lines = min((differences(found, wanted) for wanted in allowed), key=len)
    return "\n  ".join([f"{what}: none of {len(allowed)} states the service had", *lines[:12]])


Fetch = Callable[[str], Truth]
