"""The changes and conflicts that a comparison, an import or an undo finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from budgetframe._runtime.arguments import refused

from .plan import KEYS, Change, Resource, deletion_of, known_fields, shown_of, update_of
from .state import FIXED_IN_SPLITS, Row, State, wire_row

_DELETED_SINCE = "deleted since the frame was read"

BaseRows = Callable[[str], Mapping[str, Any] | None]
"""The fields of a row when the user read it; None if the frame did not have it."""


class Collector:
    """The changes and conflicts that were found."""

    def __init__(
        self,
        state: State,
        base_rows: BaseRows = lambda _: None,
        resource: Resource = "transactions",
        *,
        sends_all: bool = False,
    ) -> None:
        # `resource` is the list of the rows that `update` and `delete` are about. With `sends_all`,
        # an update also has the fields that do not differ, because the state is not new.
        self.state = state
        self.sends_all = sends_all
        self.base_rows = base_rows
        self._resource = resource
        self.changes: list[Change] = []
        self.conflicts: list[Change] = []

    def add(self, *changes: Change, problem: str = "") -> None:
        """Add changes that are only made together, or conflicts if there is a problem."""
        if problem:
            self.conflicts.extend(replace(change, problem=problem) for change in changes)
        else:
            self.changes.extend(changes)

    def update(self, key: str, fields: Mapping[str, Any]) -> Change | None:
        """Add the update of a row, or a conflict; return it if the row still exists."""
        raw, base = self.state.rows.get(key), self.base_rows(key)
        if raw is None:
            before = {name: (base or {}).get(name) for name in known_fields(fields)}
            self._add_missing("update", key, before, fields)
            return None
        current = wire_row(raw, self._resource)
        after = differences(current, fields)
        if self.sends_all:
            fixed = FIXED_IN_SPLITS.get(self._resource, ()) if "subtransactions" in current else ()
            after = {name: value for name, value in fields.items() if name not in fixed} | after
        if not after:
            return None
        change = update_of(self.state, self._resource, key, after)
        self.add(change, problem=changed_since(base, current, fields))
        return change

    def _add_missing(self, action: Any, key: str, before: Row, after: Row) -> None:
        """Add the conflict of a row that does not exist any more."""
        shown = shown_of(self.state.names, self._resource, self.base_rows(key) or {})
        change = Change(action=action, resource=self._resource, key=key, before=before, after=after)
        change = replace(change, shown=shown, names=self.state.names.of(before, after))
        self.add(change, problem=_DELETED_SINCE)

    def delete(self, keys: Iterable[str], kept: Mapping[str, Row]) -> list[str]:
        """Add deletions, with `kept` as `Change.kept`; return the keys that the budget lacks."""
        changed = {change.key for change in self.changes}
        kept_keys = {row["id"] for row in kept.values()}
        unknown = []
        for key in dict.fromkeys(keys):
            raw, base = self.state.rows.get(key), self.base_rows(key)
            if key in kept_keys:
                raise refused(f"{KEYS[self._resource]} {key!r} is both kept and deleted")
            if key in changed:
                raise refused(f"{KEYS[self._resource]} {key!r} is both changed and deleted")
            if raw is not None:
                other = kept.get(key, {})
                change = deletion_of(self.state, self._resource, key, kept=other)
                problem = changed_duplicate(other, self.state)
                deleted = key, *self.state.sides(key)
                self.add(change, problem=problem or self.problem_of_deletion(*deleted))
            elif base is not None:
                self._add_missing("delete", key, base, {})
            else:
                unknown.append(key)
        return unknown

    def problem_of_deletion(self, *keys: str) -> str:
        """Why rows that are deleted together cannot be deleted; empty if they can be."""
        rows = {key: self.state.rows[key] for key in keys if key in self.state.rows}
        now = {key: wire_row(raw, self._resource) for key, raw in rows.items()}
        problems = (changed_since(self.base_rows(key), row, {}) for key, row in now.items())
        return next(filter(None, problems), "")


def differences(current: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that differ from the present ones."""
    names = [each for each in fields if each == "payee_name" or current.get(each) != fields[each]]
    return {name: fields[name] for name in names}


def changed_since(base: Row | None, current: Row, edited: Row) -> str:
    """Why a row is a conflict; empty if it is as the frame has it, or as it was read."""
    names = [
        name
        for name, value in (base or {}).items()
        if _sorted(current.get(name)) != _sorted(value)
        and not (name in edited and edited[name] == current.get(name))
    ]
    return f"changed since the frame was read: {', '.join(names)}" if names else ""


def changed_duplicate(kept: Row, state: State) -> str:
    """Why a row is not deleted, although its duplicate was to be kept; empty if it can be."""
    if not kept:
        return ""
    raw = state.rows.get(kept["id"])
    if raw is None:
        return f"the other row of the pair was deleted: {kept['id']}"
    now = wire_row(raw, "transactions")
    names = [name for name in _OF_PAYMENTS if now[name] != kept[name]]
    return f"the other row of the pair has another {' and '.join(names)} now" if names else ""


_OF_PAYMENTS = ("date", "amount", "account_id")


def _sorted(value: Any) -> Any:
    """A value; the parts of a split in an order that does not depend on their keys."""
    if not isinstance(value, list):
        return value
    return sorted(value, key=lambda part: str(sorted(part.items(), key=str)))
