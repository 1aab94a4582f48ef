"""What to do about changes, from what was sent and what the service has now."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from budgetframe._changes.collector import changed_duplicate
from budgetframe._changes.plan import Change, known_fields
from budgetframe._changes.refusals import refusal_of, with_lost_category
from budgetframe._changes.state import Row, State, wire_row
from budgetframe._changes.transfers import completed
from budgetframe._resources import is_deleted
from budgetframe._session.written import differences_of, is_stated, names_in, unapplied_fields
from budgetframe.frames.number_text import Currency

from .matching import (
    DELETED_SINCE,
    DONE,
    HALF_OF_MOVE,
    HALF_WAS_MADE,
    ID_IN_USE,
    MERGED,
    changed_row,
    created_rows_in,
    has_id_of,
    has_values,
    is_created,
    is_like,
    is_merged,
    is_renamed,
    likeness,
    problem_of,
)
from .operation import Found, Operation

_NOT_APPLIED = "the service accepted it twice, and did not apply it"
_OF_ONE_SIDE = frozenset({"cleared", "approved", "flag_color"})
"""The fields that do not change on the other side of a transfer that exists."""
_OTHER_BALANCE = "the account has changed since the comparison: call set_balance or statement again"
_CAUSE_LOST = "the change that causes it is a conflict"


def compared_again(
    operation: Operation,
    state: State,
    older: State | None,
    taken: set[str],
    answered: Mapping[str | None, Row],
    *,
    is_fresh: bool,
) -> Found:
    """What the current rows say about the changes that may still have to be sent.

    `older` has the rows that the changes were compared with before, and `taken` the keys of rows
    that no lost request has created. `answered` has the updated rows by their keys, as the answers
    of the service have them. With `is_fresh`, nothing was sent yet.
    """
    done: list[int] = []
    pending: list[int] = []
    keys: dict[int, str] = {}
    payees: dict[int, str] = {}
    conflicts: dict[int, str] = {}
    sent = operation.changes_in("unknown").items()
    creations = {at: change for at, change in sent if change.action == "create"}
    created = created_rows_in(state, creations, operation.twins, taken)
    for position, change in operation.changes_in("pending", "unknown").items():
        if change.action == "create" and position not in created:  # not sent yet
            continue
        key = None
        if position in created:
            key, problem = created[position]
        else:
            problem = problem_of(_since(change, answered), state)
        if not problem and is_fresh and older is not None:
            problem = changed_row(change, older, state)
        problem = problem or changed_duplicate(change.kept, state)
        if is_fresh and problem == DONE:  # then somebody else has made it
            is_deletion = change.action == "delete"
            problem = DELETED_SINCE if is_deletion else "made already, not by this application"
        if key is not None:
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
    conflicts |= halves_of_moves(operation, conflicts, done)
    found = Found(done, [at for at in pending if at not in conflicts], keys, payees, conflicts)
    return _with_made_parts(operation, found, state, ("unknown",))


def other_balances(
    operation: Operation, older: State, state: State, conflicts: Container[int]
) -> dict[int, str]:
    """Why changes that give their account a balance are conflicts now, by their positions.

    They are not right any more if the account has another sum than in the older state, or if one
    of them is among the `conflicts`: all of them are made, or none.
    """
    pending = operation.changes_in("pending")
    changes = {at: change for at, change in pending.items() if change.balance_of is not None}
    among = {change.key for change in changes.values() if change.action == "update"}
    lost = {change.balance_of for position, change in changes.items() if position in conflicts}
    found = {}
    for position, change in changes.items():
        sums = {each.sum_until(*(change.balance_of or ("", "")), among) for each in (older, state)}
        if len(sums) > 1 or (change.balance_of in lost and position not in conflicts):
            found[position] = _OTHER_BALANCE
    return found


def not_applied(operation: Operation, left: Sequence[int], state: State) -> Found:
    """The conflicts of the changes that are left after all has been sent twice.

    Parameters
    ----------
    operation : Operation
        The changes.
    left : sequence of int
        The positions of these changes, in the order of their requests.
    state : State
        The current rows.
    """
    conflicts = {
        at: HALF_OF_MOVE if waits_for_half(operation, at, left[:number]) else _NOT_APPLIED
        for number, at in enumerate(left)
    }
    found = Found(conflicts=conflicts | halves_of_moves(operation, conflicts))
    return _with_made_parts(operation, found, state, ("unknown", "pending"))


def _since(change: Change, answered: Mapping[str | None, Row]) -> Change:
    """A change of the row that the service has answered with, if it has answered."""
    row = answered.get(change.key or "")
    if change.action != "update" or row is None:
        return change
    now = wire_row(row, change.resource)
    return replace(change, before={name: now.get(name) for name in change.before})


def _with_made_parts(
    operation: Operation, found: Found, state: State, status: Container[str]
) -> Found:
    """What was found, with the fields that requests have set in rows that are conflicts.

    Other fields of such a row were not applied, or were changed elsewhere after a lost request.
    """
    conflicts = dict(found.conflicts)
    made: dict[int, Change] = {}
    more: list[Change] = []
    for position, problem in found.conflicts.items():
        change = operation.changes[position]
        raw = state.rows.get(change.place)
        if change.action != "update" or raw is None or operation.status[position] not in status:
            continue
        changed = {name for name, _, _ in _differences(change, raw)}
        if changed != {*change.after}:
            del conflicts[position]
            made[position] = _part(change, {*change.after} - changed)
            more.append(replace(_part(change, changed), problem=problem))
    return replace(found, done=[*found.done, *made], conflicts=conflicts, changes=made, more=more)


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


def halves_of_moves(
    operation: Operation, conflicts: Mapping[int, str], done: Container[int] = ()
) -> dict[int, str]:
    """The conflicts of assigned amounts from or to which money moves, if the other one is one.

    If the other one was made before, the conflict says where the money is. `done` has the changes
    that were found to be made, which the operation does not know yet.
    """
    kept = {operation.changes[at].key for at in conflicts}
    found: dict[int, str] = {}
    made: dict[str | None, Change] = {}
    for at, each in operation.changes_in("pending", "unknown", "done").items():
        if each.moved_with is None:
            continue
        if at in done or operation.status[at] == "done":
            made[each.key] = each
        elif at not in conflicts and each.moved_with in kept:
            found[at] = HALF_OF_MOVE
    for at, problem in conflicts.items():
        half = made.get(operation.changes[at].moved_with)
        if half is not None:
            is_taken = half.after["budgeted"] < half.before["budgeted"]
            found[at] = f"{problem}. {HALF_WAS_MADE.format('in' if is_taken else 'from')}"
    return found


def waits_for_half(operation: Operation, position: int, sent: Iterable[int]) -> bool:
    """Whether the other half of a move was sent before, and it is not known to be made."""
    other = operation.changes[position].moved_with
    return other is not None and any(
        operation.changes[at].key == other and operation.is_left(at) for at in sent
    )


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
        if not (refusal_of(wanted, state) or changed_duplicate(change.kept, state)):
            changes[position] = wanted
    for position, change in list(changes.items()):  # a row is only deleted to create it again
        if change.action == "delete" and change.key in replaced:
            at, again = replaced[change.key]
            if refusal_of(again, state):
                del changes[position]
            else:
                changes[at] = again
    kept = {each.key for at, each in operation.changes_in("conflict").items() if at not in changes}
    return Found(
        changes={
            at: change
            for at, change in changes.items()
            if change.moved_with is None or change.moved_with not in kept
        }
    )


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
            at: _CAUSE_LOST
            for at, each in enumerate(after.changes)
            if each.cause is not None and _identity(each) not in still
        }
    return replace(event, changes=finished, more=[*event.more, *more], conflicts=conflicts)


def _identity(change: Change) -> tuple[Any, ...]:
    """What distinguishes a change that the service makes itself."""
    created = str(sorted(change.after.items())) if change.action == "create" else ""
    return change.action, change.resource, change.key, created


def changed_causes(
    operation: Operation,
    sent: Mapping[int, Change],
    rows: Mapping[str | None, Row],
    state: State,
) -> Found:
    """What the service has changed in addition, if it did not apply all of the changes.

    Some changes that it makes itself have no cause any more, and others have one only now.

    Parameters
    ----------
    operation : Operation
        The changes, after their application.
    sent : mapping of int to Change
        The changes that were to be sent, as they were then, by their positions.
    rows : mapping of str to mapping
        The rows of the answers, by their keys.
    state : State
        The rows before that.
    """
    made = _made_of(operation, sent, rows)
    expected, present = _booked(sent.values(), state), _booked(made.values(), state)
    own = {each.key: each for each in present if each.cause is None and each.action != "create"}
    changes = {
        at: own[each.key]
        for at, each in made.items()
        if operation.status[at] == "done" and own.get(each.key, each) != each
    }
    known: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for at, each in enumerate(operation.changes):
        if each.cause is not None and not each.problem:
            known[_identity(each)].append(at)
    lost = Counter(_identity(each) for each in expected if each.cause is not None)
    more: list[Change] = []
    for each in present:
        if each.cause is None:
            continue
        identity = _identity(each)
        positions = known[identity]
        lost[identity] -= 1
        if not positions or _is_made(operation.changes[positions[0]], state):
            more.append(each)
            continue
        position = positions.pop(0)
        if each != operation.changes[position]:
            changes[position] = each
    # After an error, what was not applied is sent again later, and then causes this.
    left = [
        _not_applied(change, rows)
        for at, change in sent.items()
        if operation.status[at] == "pending"
    ]
    to_come = {_identity(each) for each in _booked(left, state)}
    without_cause = [
        at
        for identity, count in lost.items()
        if identity not in to_come
        for at in known[identity][: max(count, 0)]
    ]
    return Found(
        done=[at for at in changes if at in made],
        changes=changes,
        conflicts=dict.fromkeys(without_cause, _CAUSE_LOST),
        more=more,
    )


def _made_of(
    operation: Operation, sent: Iterable[int], rows: Mapping[str | None, Row]
) -> dict[int, Change]:
    """What was made of the changes that were to be sent, and what is still to be sent."""
    made: dict[int, Change] = {}
    # What the service did not keep of a new row is an update of it, which was sent after that.
    later = {each.key: each.after for each in operation.changes_in("done").values()}
    for at in sent:
        change, status = operation.changes[at], operation.status[at]
        row = rows.get(change.key or "")
        if at in operation.keys:
            after = later.get(operation.keys[at], {})
            mirrored = {name: value for name, value in after.items() if name not in _OF_ONE_SIDE}
            change = replace(change, after={**change.after, **mirrored})
        elif status == "pending" and change.action == "update" and row is not None:
            different = _differences(change, row)
            change = _part(change, {*change.after} - {name for name, _, _ in different})
        if status != "conflict" and (change.action != "update" or change.after):
            made[at] = change
    return made


def _not_applied(change: Change, rows: Mapping[str | None, Row]) -> Change:
    """What the service has not applied of a change."""
    row = rows.get(change.key or "")
    if change.action != "update" or row is None:
        return change
    return _part(change, {name for name, _, _ in _differences(change, row)})


def _is_made(change: Change, state: State) -> bool:
    """Whether an update that followed from others was made before that."""
    raw = state.rows.get(change.key or "")
    if change.action != "update" or raw is None:
        return False
    return has_values(wire_row(raw, change.resource), change.after, state.names)


def _booked(changes: Iterable[Change], state: State) -> list[Change]:
    """Changes of transactions, with those that they cause."""
    booked = [each for each in changes if each.resource == "transactions"]
    return completed(booked, state) if booked else []


def updated_rows(
    changes: Mapping[int, Change],
    rows: Iterable[Mapping[str, Any]],
    *,
    is_last: bool,
    currency: Currency,
) -> Found:
    """What the answer to updates or to a deletion says about them.

    A change whose row is not in the answer is not in the result either: only the current rows say
    whether it was made.

    Parameters
    ----------
    changes : mapping of int to Change
        The changes, by their positions.
    rows : iterable of mapping
        The rows of the answer.
    is_last : bool
        Whether what was not applied is a conflict, and not sent once more.
    currency : mapping or None
        The format of amounts in messages.
    """
    by_key = {row.get("id"): row for row in rows}
    done: list[int] = []
    pending: list[int] = []
    conflicts: dict[int, str] = {}
    applied: dict[int, Change] = {}
    more: list[Change] = []
    for at, change in changes.items():
        row = by_key.get(change.key)
        if row is None:
            continue
        if change.action == "delete" or is_deleted(row):  # or somebody else has deleted it
            (done if change.action == "delete" and is_deleted(row) else pending).append(at)
            continue
        different = _differences(change, row)
        if not different:
            done.append(at)
            continue
        if not is_last:
            pending.append(at)
            continue
        names = {name for name, _, _ in different}
        made = _with_other_values(_part(change, {*change.after} - names), change, row, names)
        if made.after:
            done.append(at)
            applied[at] = made
            rest = _part(change, names)
            more.append(replace(rest, problem=_problem(change, row, different, currency)))
        else:
            conflicts[at] = _problem(change, row, different, currency)
    return Found(done, pending, conflicts=conflicts, changes=applied, more=more)


def _with_other_values(
    made: Change, change: Change, row: Mapping[str, Any], names: Iterable[str]
) -> Change:
    """What was made of an update, with fields that have neither the former nor the sent value.

    For example, a row loses its payee if the service ignores the name of the new one.
    """
    now = wire_row(row, change.resource)
    other = [
        name
        for name in known_fields(names)
        if name in now and name != "subtransactions" and now[name] != change.before[name]
    ]
    before = {name: change.before[name] for name in other}
    after = {name: now[name] for name in other}
    return replace(made, before={**made.before, **before}, after={**made.after, **after})


def _differences(change: Change, row: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """The fields of a change that the row of an answer does not have."""
    names = names_in(row)
    found = differences_of(
        change.after,
        wire_row(row, change.resource),
        lambda each: names.get(each.get("payee_id") or ""),
        is_wire=True,
    )
    return [each for each in found if is_stated(each[0], row)]


def _part(change: Change, names: Container[str]) -> Change:
    """The update of some of the fields of an update."""
    after = {name: value for name, value in change.after.items() if name in names}
    known = known_fields(after)
    before = {name: value for name, value in change.before.items() if name in known}
    return replace(change, before=before, after=after)


def _problem(
    change: Change,
    row: Mapping[str, Any],
    different: Iterable[tuple[str, Any, Any]],
    currency: Currency,
) -> str:
    fields = unapplied_fields(different, {**change.names, **names_in(row)}, currency)
    return f"the service accepted it, and did not apply all of it: {fields}"


def created_rows(
    changes: Mapping[int, Change],
    rows: Sequence[Mapping[str, Any]],
    used: Container[Any],
    existing: Container[Any],
    currency: Currency,
    *,
    others: Mapping[int, Change],
) -> Found:
    """What the answer to creations says about them, and about `others` that may have its rows.

    A field that the service has not kept is an update of the new row, which is left to be sent. A
    creation whose row is not in the answer is not in the result either.
    """
    keys: dict[int, str] = {}
    payees: dict[int, str] = {}
    conflicts: dict[int, str] = {}
    kept: dict[int, Change] = {}
    more: list[Change] = []
    for position, change in changes.items():
        import_id = change.after.get("import_id")
        if import_id in used and not any(has_id_of(change, row) for row in rows):
            conflicts[position] = ID_IN_USE
    sent = {at: each for at, each in changes.items() if at not in conflicts}
    for position, row in _matched(sent, others, rows, existing).items():
        change = {**sent, **others}[position]
        if "import_id" in change.after and (is_merged(row) or row.get("id") in existing):
            conflicts[position] = MERGED
            continue
        keys[position] = str(row.get("id"))
        different = _differences(change, row)
        if is_renamed(change, row):
            payees[position] = row["payee_id"]
            different = [each for each in different if each[0] != "payee_name"]
        if different:
            kept[position] = _as_created(change, row, [name for name, _, _ in different])
            more.append(_rest_of_creation(change, row, different))
        import_id = change.after.get("import_id")
        if different and change.resource == "accounts":  # no request can change an account
            more[-1] = replace(more[-1], problem=_problem(change, row, different, currency))
        if row.get("import_id", import_id) != import_id:  # no update can set it
            kept[position] = _as_created(kept.get(position, change), row, ["import_id"])
            lost = [("import_id", import_id, row["import_id"])]
            rest = _rest_of_creation(change, row, lost)
            more.append(replace(rest, problem=_problem(change, row, lost, currency)))
    return Found(list(keys), keys=keys, payees=payees, conflicts=conflicts, changes=kept, more=more)


def _matched(
    changes: Mapping[int, Change],
    others: Mapping[int, Change],
    rows: Sequence[Mapping[str, Any]],
    existing: Container[Any],
) -> dict[int, Mapping[str, Any]]:
    """The row of an answer that each creation has made, if that is certain.

    The import id decides, then all fields, then account, date and amount if the answer has a row
    for each creation with these, and then the order in the same case. A row that existed before, or
    that an earlier answer had, is only that of its import id. A row may have all fields of one of
    the `others`, of which no answer had the row.
    """
    found: dict[int, Mapping[str, Any]] = {}
    left = list({row.get("id"): row for row in rows}.values())
    _take(changes, found, left, _has_import_id_of)
    left = [each for each in left if each.get("id") not in existing]
    _take({**changes, **others}, found, left, is_created)
    for position, change in changes.items():
        alike = [each for each in left if is_like(change, each)]
        twins = [at for at, each in changes.items() if at not in found and _are_alike(each, change)]
        if position in twins and len(twins) <= len(alike):
            found[position] = min(alike, key=lambda row: len(_differences(change, row)))
            left.remove(found[position])
    unlike = [at for at, each in changes.items() if at not in found and not _has_like(each, left)]
    left = [row for row in left if not any(is_like(each, row) for each in changes.values())]
    return {**found, **dict(zip(unlike, left, strict=False))} if len(unlike) == len(left) else found


def _has_like(change: Change, rows: Iterable[Mapping[str, Any]]) -> bool:
    return any(is_like(change, row) for row in rows)


def _take(
    changes: Mapping[int, Change],
    found: dict[int, Mapping[str, Any]],
    left: list[Mapping[str, Any]],
    is_of: Callable[[Change, Mapping[str, Any]], bool],
) -> None:
    """Move the rows that are those of a creation from the rows that are left to the found ones."""
    for position, change in changes.items():
        row = next((each for each in left if is_of(change, each)), None)
        if position not in found and row is not None:
            found[position] = row
            left.remove(row)


def _are_alike(one: Change, other: Change) -> bool:
    return likeness(one.after, one.resource) == likeness(other.after, other.resource)


def _has_import_id_of(change: Change, row: Mapping[str, Any]) -> bool:
    return "import_id" in change.after and has_id_of(change, row)


def _as_created(change: Change, row: Mapping[str, Any], names: Iterable[str]) -> Change:
    """A creation with the values that the service has in these fields."""
    current = wire_row(row, change.resource)
    after = {name: value for name, value in change.after.items() if name not in names}
    after |= {name: current[name] for name in known_fields(names) if name in current}
    return replace(change, after=after)


def _rest_of_creation(
    change: Change, row: Mapping[str, Any], different: Sequence[tuple[str, Any, Any]]
) -> Change:
    """The update of a new row with the fields that the service has not kept."""
    current = wire_row(row, change.resource)
    after = {name: value for name, value, _ in different}
    return Change(
        action="update",
        resource=change.resource,
        key=str(row.get("id")),
        before={name: current.get(name) for name in known_fields(after)},
        after=after,
        shown=change.shown,
        names={**change.names, **names_in(row)},
    )
