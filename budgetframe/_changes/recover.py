"""What to do about changes, from what was sent and what the service has now."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from .matching import (
    DELETED_SINCE,
    DONE,
    ID_IN_USE,
    MERGED,
    changed_row,
    created_row,
    has_id_of,
    is_like,
    is_merged,
    is_renamed,
    problem_of,
)
from .operation import Found, Operation
from .plan import Change
from .refusals import refusal_of, with_lost_category
from .state import State, wire_row
from .transfers import completed

__all__ = ["compared_again", "created_rows", "overwritten", "with_causes", "without_deletion"]


def compared_again(
    operation: Operation, state: State, older: State | None, taken: set[str], *, is_fresh: bool
) -> Found:
    """What the current rows say about the changes that may still have to be sent.

    Parameters
    ----------
    operation : Operation
        The changes.
    state, older : State
        The current rows, and those that the changes were compared with before.
    taken : set of str
        The keys of rows that no lost request has created.
    is_fresh : bool
        Whether nothing was sent yet.
    """
    done: list[int] = []
    pending: list[int] = []
    keys: dict[int, str] = {}
    payees: dict[int, str] = {}
    conflicts: dict[int, str] = {}
    for position, change in operation.changes_in("pending", "unknown").items():
        if change.action == "create" and operation.status[position] != "unknown":  # not sent yet
            continue
        key = None
        if change.action == "create":
            key, problem = created_row(change, state, operation.twins, taken)
        else:
            problem = problem_of(change, state)
        if is_fresh and not problem and older is not None:
            problem = changed_row(change, older, state)
        if is_fresh and problem == DONE:  # then somebody else has made it
            is_deletion = change.action == "delete"
            problem = DELETED_SINCE if is_deletion else "made already, not by this application"
        if key is not None:
            taken.add(key)
            keys[position] = key
            if is_renamed(change, state.rows[key]):
                payees[position] = state.rows[key]["payee_id"]
        if key is not None or problem == DONE:
            done.append(position)
        elif problem:
            conflicts[position] = problem
        else:
            pending.append(position)
    conflicts |= without_deletion(operation, conflicts)
    return Found(done, pending, keys, payees, conflicts)


def without_deletion(operation: Operation, conflicts: Mapping[int, str]) -> dict[int, str]:
    """The conflicts of new rows whose former row is not deleted, because that is a conflict."""
    problems = {at: each.problem for at, each in operation.changes_in("conflict").items()}
    kept = {
        operation.changes[at].key: problem
        for at, problem in {**problems, **conflicts}.items()
        if operation.changes[at].action == "delete"
    }
    return {
        at: kept[each.replaces]
        for at, each in operation.changes_in("pending").items()
        if each.replaces in kept
    }


def overwritten(operation: Operation, state: State) -> Found:
    """The conflicts of rows that still exist, as changes of their present values."""
    changes: dict[int, Change] = {}
    replaced: dict[str, tuple[int, Change]] = {}
    for position, change in operation.changes_in("conflict").items():
        raw = state.rows.get(change.place)
        if change.replaces is not None:
            replaced[change.replaces] = position, replace(change, problem="")
        if change.action == "create" or raw is None:
            continue
        row = wire_row(raw, change.resource)
        names = row if change.action == "delete" else change.before
        before = {name: row.get(name) for name in names}
        wanted = with_lost_category(replace(change, before=before, problem=""), state)
        if not refusal_of(wanted, state):
            changes[position] = wanted
    for position, change in list(changes.items()):  # a row is only deleted to create it again
        if change.action == "delete" and change.key in replaced:
            at, again = replaced[change.key]
            if refusal_of(again, state):
                del changes[position]
            else:
                changes[at] = again
    return Found(changes=changes)


def with_causes(operation: Operation, event: Found, state: State, *, is_fresh: bool) -> Found:
    """An event, and what the service changes in addition if other changes are left than before."""
    after = deepcopy(operation)
    after.take(event)
    left = after.changes_in("pending", "unknown").values()
    changes = completed([each for each in left if each.resource == "transactions"], state)
    own: dict[tuple[str, str | None], Change] = {
        (each.action, each.key): each
        for each in changes
        if each.cause is None and each.action != "create"
    }
    finished: dict[int, Change] = {}  # with the fields of their rows that the service changes too
    for at in event.changes:
        change = after.changes[at]
        sides = state.sides(change.key or "") if change.action == "delete" else []
        known_as = [own.get((change.action, key)) for key in (change.key, *sides)]
        change = next((each for each in known_as if each is not None), change)
        if change not in finished.values():  # else, it deletes both sides of a transfer
            finished[at] = change
    caused = [each for each in changes if each.cause is not None]
    causes = [each for each in after.changes if each.cause is not None]
    known = [_identity(each) for each in causes if not each.problem]
    more = [each for each in caused if _identity(each) not in known]
    conflicts = dict(event.conflicts)
    if is_fresh:
        still = [_identity(each) for each in caused]
        conflicts |= {
            at: "the change that causes it is a conflict"
            for at, each in enumerate(after.changes)
            if each.cause is not None and _identity(each) not in still
        }
    return replace(event, changes=finished, more=more, conflicts=conflicts)


def _identity(change: Change) -> tuple[Any, ...]:
    """What distinguishes a change that the service makes itself."""
    created = str(sorted(change.after.items())) if change.action == "create" else ""
    return change.action, change.resource, change.key, created


def created_rows(
    changes: Mapping[int, Change],
    rows: Sequence[Mapping[str, Any]],
    used: Container[Any],
    existing: Container[Any],
) -> Found:
    """What the answer to creations says about them."""
    keys: dict[int, str] = {}
    payees: dict[int, str] = {}
    conflicts: dict[int, str] = {}
    left = list(rows)
    for position, change in changes.items():
        import_id = change.after.get("import_id")
        of_id = [row for row in left if import_id is not None and has_id_of(change, row)]
        if import_id is not None and import_id in used and not of_id:
            conflicts[position] = ID_IN_USE
            continue
        like = (row for row in left if is_like(change, row))
        row = next((row for of in (of_id, like, left) for row in of), None)
        if row is None:
            conflicts[position] = "the service has not created it"
            continue
        left.remove(row)
        if import_id is not None and (is_merged(row) or row.get("id") in existing):
            conflicts[position] = MERGED
            continue
        keys[position] = str(row.get("id"))
        if is_renamed(change, row):
            payees[position] = row["payee_id"]
    return Found(list(keys), keys=keys, payees=payees, conflicts=conflicts)
