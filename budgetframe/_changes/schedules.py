"""Comparison of edited schedules with the current ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from budgetframe._runtime.text import number_of
from budgetframe.frames.request_bodies import BODIES

from .collector import BaseRows, Collector
from .descriptions import described
from .edits import Edits
from .frame_kinds import SCHEDULE_COLUMNS
from .plan import KEYS, Plan
from .plan_warnings import UNDO, payee_warnings
from .state import FIXED_IN_SPLITS, State, refused
from .transactions import Comparison, unknown_keys

__all__ = ["schedules_plan"]

_SCHEDULE = BODIES["create_scheduled_transactions"].fields


def schedules_plan(
    state: State, base_rows: BaseRows, edits: Edits | None, deleted: Iterable[str]
) -> Plan:
    """The changes of schedules."""
    fields = Comparison(state, base_rows)
    found = Collector(state, base_rows, "scheduled_transactions")
    for row in edits.changed if edits else ():
        after = _schedule_fields(fields, row.cells, row.row, f"schedule {row.key!r}")
        where = f"schedule {row.key!r}"
        found.update(row.key, after, partial(_check_schedule, state, where))
    for number, cells in enumerate(edits.new if edits else ()):
        where = f"new schedule {number}"
        given = {name: value for name, value in cells.items() if value is not None}
        if "date_next" not in given and "date" in given:
            given["date_next"] = given["date"]
        chosen = {name: value for name, value in given.items() if name in SCHEDULE_COLUMNS}
        body = _schedule_fields(fields, chosen, given, where)
        for name in ("date", "amount", "account_id"):
            if body.get(name) is None:
                raise refused(f"{where} has no {'date_next' if name == 'date' else name}")
        _check_schedule(state, where, {}, body)
        body = {name: value for name, value in body.items() if value is not None}
        found.changes.append(
            described(state.names, {}, "create", "scheduled_transactions", after=body)
        )
    unknown = found.delete(deleted)
    if unknown:
        raise unknown_keys(unknown, KEYS["scheduled_transactions"])
    warnings = [*payee_warnings(found.changes), *_schedule_warnings(found)]
    return Plan(found.changes, found.conflicts, warnings)


def _schedule_fields(
    fields: Comparison, cells: Mapping[str, Any], row: Mapping[str, Any], where: str
) -> dict[str, Any]:
    shared = {
        name: value for name, value in cells.items() if name not in ("date_next", "frequency")
    }
    found = fields.fields_of(shared, row, where)
    for name, field in (("date_next", "date"), ("frequency", "frequency")):
        if name in cells:
            if cells[name] is None:
                raise refused(f"{where}: {name} cannot be empty")
            found[field] = _SCHEDULE[name](cells[name], f"{where}: {name}")
    return found


def _check_schedule(
    state: State, where: str, current: Mapping[str, Any], after: dict[str, Any]
) -> None:
    names = state.names
    row = {**current, **after}
    if "payee_name" in after:
        row["payee_id"] = None
    if "date" in after and after["date"] <= state.today.isoformat():
        raise refused(f"{where}: date_next={after['date']} is not in the future")
    if row.get("date") is None:
        raise refused(f"{where} is completed: it can only be changed with a date_next")
    fixed = FIXED_IN_SPLITS["scheduled_transactions"]
    if "subtransactions" in row and any(name in after for name in fixed):
        raise refused(
            f"{where} is a split: the service cannot change its amount, its category or its parts"
        )
    target, account = names.target(row.get("payee_id")), row.get("account_id")
    if target is not None and target == account:
        raise refused(f"{where}: a transfer to its own account")
    if names.is_payment(after.get("category_id")):
        raise refused(f"{where}: a schedule cannot have the payment category of a card")
    if not names.allows_category(account, target):
        _check_no_category(row, after, where)


def _check_no_category(row: Mapping[str, Any], after: dict[str, Any], where: str) -> None:
    if after.get("category_id") is not None:
        raise refused(f"{where}: a transfer or a row of a tracking account has no category")
    if "subtransactions" in row:
        raise refused(f"{where}: a transfer or a row of a tracking account cannot be a split")
    if row.get("category_id") is not None:
        after["category_id"] = None  # the service removes it


def _schedule_warnings(found: Collector) -> list[str]:
    warnings = []
    deleted = [change for change in found.changes if change.action == "delete"]
    if deleted:
        warnings.append(
            f"{UNDO} restores {number_of(len(deleted), 'deleted schedule')} under another key"
        )
    splits = [change for change in deleted if "subtransactions" in change.before]
    if splits:
        warnings.append(
            f"{UNDO} cannot restore {number_of(len(splits), 'split schedule')}:"
            " the service creates no parts of schedules"
        )
    return warnings
