"""What the service makes of changes of transactions, the other sides of transfers included.

A transfer consists of two transactions, one in each account, or of a part of a split and a
transaction. The service keeps the two in agreement, and removes categories that a row cannot have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from budgetframe._runtime.arguments import refused
from budgetframe._session.written import parts_of

from .plan import Change, Plan, creation_of, deletion_of, update_of, with_fields
from .state import FIELDS, State

Row = dict[str, Any]

END_OF_TRANSFER = "the other side of what was a transfer"
"""The cause of the deletion of the other side of a row that is no transfer any more."""


class Simulation:
    """The transactions after changes of transactions, which are in the order of sending."""

    def __init__(self, state: State, changes: Iterable[Change]) -> None:
        self._state = state
        self._names = state.names
        self.rows: dict[str, Row | None] = {}
        """The touched rows by key, new ones too; None for a deleted row."""
        self.causes: dict[str, str] = {}  # why a row is touched that no change names
        self.created: set[str] = set()  # the keys of the rows that the changes create
        for change in changes:
            match change.action:
                case "update" if change.key is not None:
                    self._update(change.key, change.after)
                case "delete" if change.key is not None:
                    self._delete(change.key, "")
                case _:
                    self._create(change.after)

    def _row(self, key: str) -> Row | None:
        """The present row with the keys of its other sides; None if it is deleted or unknown."""
        if key not in self.rows:
            before = self._state.transaction(key)
            if before is None:
                return None
            raw = self._state.rows[key]
            row = {**_copied(before), "other_side": raw.get("transfer_transaction_id")}
            for part, sent in zip(row.get("subtransactions", ()), parts_of(raw), strict=True):
                part["other_side"] = sent.get("transfer_transaction_id")
            self.rows[key] = row
        return self.rows[key]

    def target(self, row: Mapping[str, Any], leg: Mapping[str, Any]) -> str | None:
        """The other account, if a row or a part of it is a transfer."""
        target = self._names.target(leg.get("payee_id"))
        return None if target == row["account_id"] else target

    def _update(self, key: str, after: Mapping[str, Any]) -> None:
        row = self._row(key)
        if row is None:
            return
        row.update(_copied(after))
        _complete_parts(row)
        if "payee_name" in after:
            row["payee_id"] = None
        self._settle(key, row)

    def _create(self, body: Mapping[str, Any]) -> None:
        key = f"new:{len(self.rows)}"
        row: Row = {"memo": None, "cleared": "uncleared", "approved": False, "flag_color": None}
        row |= {"payee_id": None, "category_id": None, **_copied(body)}
        _complete_parts(row)
        self.rows[key] = row
        self.created.add(key)
        self._settle(key, row)

    def _delete(self, key: str, cause: str) -> None:
        row = self._row(key)
        if row is None:
            return
        split = self._state.other_sides_of_parts.get(key)
        others = [leg.get("other_side") for leg in legs(row)]
        self._touch(key, None, cause)
        if split is not None:
            self._delete(split, "a part of it is the other side of a deleted transfer")
        else:
            for other in filter(None, others):
                if self._row(other) is not None:
                    self._touch(other, None, "the other side of a deleted transfer")

    def _settle(self, key: str, row: Row) -> None:
        """Make the other sides agree, and remove categories that the row cannot have."""
        names = self._names
        is_other_side_of_part = key in self._state.other_sides_of_parts
        if row.get("subtransactions") and row.get("other_side") is not None:
            self._end_transfer(row)  # a transfer that becomes a split
        for leg in legs(row):
            target = self.target(row, leg)
            other_key = leg.get("other_side")
            if not is_other_side_of_part:
                if target is None and other_key is not None:
                    self._end_transfer(leg)
                elif target is not None and other_key is None:
                    leg["other_side"] = self._add_other_side(key, row, leg, target)
                elif target is not None and other_key is not None:
                    self._update_other_side(other_key, row, leg, target)
            if names.is_uncategorized(leg.get("category_id")) or not names.allows_category(
                row["account_id"], target
            ):
                leg["category_id"] = None

    def _end_transfer(self, leg: Row) -> None:
        if self._row(leg["other_side"]) is not None:
            self._touch(leg["other_side"], None, END_OF_TRANSFER)
        leg["other_side"] = None

    def _add_other_side(self, key: str, row: Row, leg: Row, target: str) -> str:
        other = f"new:{len(self.rows)}"
        own = {name: row[name] for name in ("cleared", "approved")}
        own |= {"category_id": None, "flag_color": None, "other_side": key}
        mirrored = self._mirrored(row, leg, target)
        self._touch(other, {**own, **mirrored}, "the other side of a new transfer")
        return other

    def _update_other_side(self, key: str, row: Row, leg: Row, target: str) -> None:
        other = self._row(key)
        if other is None:
            return
        changed = self._mirrored(row, leg, target)
        if not self._names.on_budget(target) or self._names.on_budget(row["account_id"]):
            changed["category_id"] = None
        self._touch(key, {**other, **changed}, "the other side of a changed transfer")

    def _mirrored(self, row: Row, leg: Row, target: str) -> Row:
        """The fields of the other side of a transfer that follow from this side."""
        account = self._names.accounts.get(row["account_id"], {})
        return {
            "date": row["date"], "memo": leg.get("memo"), "amount": -leg["amount"],
            "account_id": target, "payee_id": account.get("transfer_payee_id"),
        }  # fmt: skip

    def _touch(self, key: str, row: Row | None, cause: str) -> None:
        self.rows[key] = row
        if cause:
            self.causes.setdefault(key, cause)


def _copied(body: Mapping[str, Any]) -> Row:
    """A copy of the fields of a row, also of those of its parts."""
    parts = body.get("subtransactions")
    return {**body, "subtransactions": [dict(part) for part in parts]} if parts else dict(body)


def _complete_parts(row: Row) -> None:
    for part in row.get("subtransactions") or ():
        for name in ("payee_id", "category_id", "memo"):
            part.setdefault(name, None)


def legs(row: Mapping[str, Any]) -> list[Any]:
    """The parts of a split, or the row itself."""
    return row.get("subtransactions") or [row]


def completed(changes: Iterable[Change], state: State) -> list[Change]:
    """Those of the changes that are of transactions, with their side effects."""
    booked = [change for change in changes if change.resource == "transactions"]
    changes = _with_main_sides(booked, state)
    simulation = Simulation(state, Plan(changes).in_order())
    found: list[Change] = []
    for change in changes:
        if change.action == "update":
            found.append(_with_more_fields(change, simulation, state))
        else:  # the deletion of one side of a transfer deletes the other side
            cause = simulation.causes.get(change.key or "")
            found.append(replace(change, cause=cause) if change.action == "delete" else change)
    named = {change.key for change in changes if change.key is not None}
    for key in simulation.rows:
        if key not in named and key not in simulation.created:
            found += _side_effects_on(key, simulation, state)
    return found


def _side_effects_on(key: str, simulation: Simulation, state: State) -> list[Change]:
    """The change of a row that no given change names; none if the service leaves it as it is."""
    before, row, cause = state.transaction(key), simulation.rows[key], simulation.causes.get(key)
    if before is None:
        body = {name: value for name, value in (row or {}).items() if name != "other_side"}
        return [creation_of(state.names, "transactions", body, cause=cause)] if body else []
    if row is None:
        return [deletion_of(state, "transactions", key, cause=cause)]
    after = _differences(before, row)
    return [update_of(state, "transactions", key, after, cause=cause)] if after else []


def _differences(before: Mapping[str, Any], row: Mapping[str, Any]) -> Row:
    return {name: row[name] for name in FIELDS["transactions"] if row[name] != before[name]}


def _with_main_sides(changes: Sequence[Change], state: State) -> list[Change]:
    """The changes, with the deletion of the side of a transfer that can be restored completely."""
    # A part of a split can only be restored with its split, and a category only on its own side.
    found: dict[Any, Change] = {}
    for number, given in enumerate(changes):
        change, key, main = given, given.key or "", None
        if change.action == "delete":
            other = state.rows[key].get("transfer_transaction_id") or ""
            main = state.other_sides_of_parts.get(key)
            if main is None and (state.rows.get(other) or {}).get("category_id") is not None:
                main = other
        if main is not None and main in state.rows:
            change = deletion_of(state, "transactions", main)
        found.setdefault((change.action, change.key) if change.key else number, change)
    return list(found.values())


def _with_more_fields(change: Change, simulation: Simulation, state: State) -> Change:
    """An update with the fields of its row that the service changes too."""
    row, before = simulation.rows.get(change.key or ""), state.transaction(change.key or "")
    if row is None or before is None:
        reason = "it is deleted with the other side of its transfer"
        raise refused(f"transaction {change.key!r} is changed, but {reason}")
    for name, value in change.after.items():
        if name not in ("payee_name", "subtransactions") and row.get(name) != value:
            raise refused(
                f"transaction {change.key!r}: the two sides of a transfer contradict each other:"
                f" {name} is {value!r} here, and would be {row.get(name)!r} because of the other"
                " side"
            )
    if "payee_name" in change.after:
        before = {**before, "payee_id": None}
    different = _differences(before, row)
    more = {name: different[name] for name in different if name not in change.after}
    return with_fields(change, state, more) if more else change
