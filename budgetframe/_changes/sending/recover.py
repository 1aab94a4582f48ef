"""What became of sent changes, as the answers and the current rows show it.

Each change was made, still has to be sent, or is a conflict. A side effect is a change that the
service makes itself because of another one, such as the change of the other side of a transfer. The
counterpart of an assigned amount is the other one of a move: both are changed, or none.
"""

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

from . import matching
from .operation import Operation, Outcome

_NOT_APPLIED = "the service accepted it twice, and did not apply it"
_OF_ONE_SIDE = frozenset({"cleared", "approved", "flag_color"})
"""The fields that do not change on the other side of a transfer that exists."""
_OTHER_BALANCE = "the account has changed since the comparison: call set_balance or statement again"
_CAUSE_LOST = "the change that causes it is a conflict"

# What the current rows show


def compared_again(
    operation: Operation,
    state: State,
    older: State | None,
    taken: set[str],
    answered: Mapping[str | None, Row],
    *,
    is_fresh: bool,
) -> Outcome:
    """The outcome of the changes that may still have to be sent, as the current rows show it."""
    # `older` has the rows that the changes were compared with before, and `taken` the keys of rows
    # that no lost request has created. `answered` has the updated rows by their keys, as the
    # answers of the service have them. With `is_fresh`, nothing was sent yet.
    outcome = Outcome()
    sent = operation.changes_in("unknown").items()
    creations = {at: change for at, change in sent if change.action == "create"}
    created = matching.created_rows_in(state, creations, operation.twins, taken)
    for position, change in operation.changes_in("pending", "unknown").items():
        if change.action == "create" and position not in created:  # not sent yet
            continue
        key = None
        if position in created:
            key, problem = created[position]
        else:
            problem = matching.problem_of(_since_answer(change, answered), state)
        if not problem and is_fresh and older is not None:
            problem = matching.changed_row(change, older, state)
        problem = problem or changed_duplicate(change.kept, state)
        if is_fresh and problem == matching.DONE:  # then somebody else has made it
            is_deletion = change.action == "delete"
            made = "made already, not by this application"
            problem = matching.DELETED_SINCE if is_deletion else made
        if key is not None:
            outcome.keys[position] = key
            if matching.is_renamed(change, state.rows[key]):
                outcome.payees[position] = state.rows[key]["payee_id"]
        if key is not None or problem == matching.DONE:
            outcome.done.append(position)
        elif problem:
            outcome.conflicts[position] = problem
        else:
            outcome.pending.append(position)
    outcome.conflicts |= conflicts_of_replacements(operation, outcome.conflicts)
    outcome.conflicts |= conflicts_of_moves(operation, outcome.conflicts, outcome.done)
    outcome.pending = [at for at in outcome.pending if at not in outcome.conflicts]
    return _with_applied_fields(operation, outcome, state, ("unknown",))


def conflicts_of_balances(
    operation: Operation, older: State, state: State, conflicts: Container[int]
) -> dict[int, str]:
    """Why changes that give their account a balance are conflicts now, by their positions."""
    # They are not right any more if the account has another sum than in the older state, or if one
    # of them is among the `conflicts`: all of them are made, or none.
    pending = operation.changes_in("pending")
    changes = {at: change for at, change in pending.items() if change.balance_of is not None}
    among = {change.key for change in changes.values() if change.action == "update"}
    lost = {change.balance_of for at, change in changes.items() if at in conflicts}
    found = {}
    for position, change in changes.items():
        place = change.balance_of or ("", "")
        has_other_sum = older.sum_until(*place, among) != state.sum_until(*place, among)
        if has_other_sum or (change.balance_of in lost and position not in conflicts):
            found[position] = _OTHER_BALANCE
    return found


def not_applied(operation: Operation, left: Sequence[int], state: State) -> Outcome:
    """The conflicts of the changes that are left after everything was sent twice."""
    # `left` has their positions in the order of their requests, and `state` the current rows.
    conflicts = dict.fromkeys(left, _NOT_APPLIED)
    for number, at in enumerate(left):
        if waits_for_counterpart(operation, at, left[:number]):
            conflicts[at] = matching.COUNTERPART_IS_CONFLICT
    outcome = Outcome(conflicts=conflicts | conflicts_of_moves(operation, conflicts))
    return _with_applied_fields(operation, outcome, state, ("unknown", "pending"))


def _since_answer(change: Change, answered: Mapping[str | None, Row]) -> Change:
    """An update that starts from the row in the service's answer, if there was an answer."""
    row = answered.get(change.key or "")
    if change.action != "update" or row is None:
        return change
    now = wire_row(row, change.resource)
    return replace(change, before={name: now.get(name) for name in change.before})


def _with_applied_fields(
    operation: Operation, outcome: Outcome, state: State, status: Container[str]
) -> Outcome:
    """The outcome in which an update in conflict is done as far as its row has its fields."""
    # Only the other fields stay one: not applied, or changed elsewhere after a lost request.
    for position, problem in list(outcome.conflicts.items()):
        change = operation.changes[position]
        raw = state.rows.get(change.place)
        if change.action != "update" or raw is None or operation.status[position] not in status:
            continue
        applied, rest = _divided(change, raw)
        if applied.after:
            del outcome.conflicts[position]
            outcome.done.append(position)
            outcome.changes[position] = applied
            outcome.more.append(replace(rest, problem=problem))
    return outcome


def conflicts_of_replacements(operation: Operation, conflicts: Mapping[int, str]) -> dict[int, str]:
    """The conflicts of new rows that replace a row, if the deletion of that row is a conflict."""
    problems = {at: change.problem for at, change in operation.changes_in("conflict").items()}
    kept = {
        operation.changes[at].key: problem
        for at, problem in {**problems, **conflicts}.items()
        if operation.changes[at].action == "delete"
    }
    pending = operation.changes_in("pending").items()
    return {at: kept[change.replaces] for at, change in pending if change.replaces in kept}


def conflicts_of_moves(
    operation: Operation, conflicts: Mapping[int, str], done: Container[int] = ()
) -> dict[int, str]:
    """The conflicts of assigned amounts whose counterpart is a conflict."""
    # If the counterpart of a conflict was made before, the text says where the money is. `done` has
    # the changes that were found to be made, which the operation does not know yet.
    kept = {operation.changes[at].key for at in conflicts}
    found: dict[int, str] = {}
    made: dict[str | None, Change] = {}
    for at, change in operation.changes_in("pending", "unknown", "done").items():
        if not change.moved_with:
            continue
        if at in done or operation.status[at] == "done":
            made[change.key] = change
        elif at not in conflicts and not kept.isdisjoint(change.moved_with):
            found[at] = matching.COUNTERPART_IS_CONFLICT
    for at, problem in conflicts.items():
        counterparts = operation.changes[at].moved_with
        counterpart = next((made[key] for key in counterparts if key in made), None)
        if counterpart is not None:
            is_taken = counterpart.after["budgeted"] < counterpart.before["budgeted"]
            found[at] = (
                f"{problem}. {matching.ONLY_COUNTERPART.format('in' if is_taken else 'from')}"
            )
    return found


def waits_for_counterpart(operation: Operation, position: int, sent: Iterable[int]) -> bool:
    """Whether the counterpart of an amount was sent before, and is not known to be made."""
    counterparts = operation.changes[position].moved_with
    return any(operation.changes[at].key in counterparts and operation.is_left(at) for at in sent)


def overwritten(operation: Operation, state: State) -> Outcome:
    """The outcome in which the conflicts of present rows are changes of their present values."""
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
    conflicts = operation.changes_in("conflict").items()
    kept = {change.key for at, change in conflicts if at not in changes}
    changes = {at: each for at, each in changes.items() if kept.isdisjoint(each.moved_with)}
    return Outcome(changes=changes)


# Side effects


def with_side_effects(
    operation: Operation, outcome: Outcome, state: State, *, is_fresh: bool
) -> Outcome:
    """An outcome together with the side effects of the changes that are left after it."""
    # With `is_fresh`, known side effects that nothing causes any more are conflicts.
    after = deepcopy(operation)
    after.take(outcome)
    changes = completed(after.changes_in("pending", "unknown").values(), state)
    own = {(change.action, change.key): change for change in _of_present_rows(changes)}
    finished: dict[int, Change] = {}  # with the fields of their rows that the service changes too
    for at in outcome.changes:
        change = after.changes[at]
        sides = state.sides(change.key or "") if change.action == "delete" else []
        places = ((change.action, key) for key in (change.key, *sides))
        change = next((own[place] for place in places if place in own), change)
        if change not in finished.values():  # else, it deletes both sides of a transfer
            finished[at] = change
    expected = [change for change in changes if change.is_side_effect]
    noted = {at: change for at, change in enumerate(after.changes) if change.is_side_effect}
    known = [_identity(change) for change in noted.values() if not change.problem]
    more = [change for change in expected if _identity(change) not in known]
    conflicts = dict(outcome.conflicts)
    if is_fresh:
        still = [_identity(change) for change in expected]
        lost = [at for at, change in noted.items() if _identity(change) not in still]
        conflicts |= dict.fromkeys(lost, _CAUSE_LOST)
    more = [*outcome.more, *more]
    return replace(outcome, changes=finished, more=more, conflicts=conflicts)


def _of_present_rows(changes: Iterable[Change]) -> list[Change]:
    """The updates and deletions that are no side effects."""
    return [each for each in changes if not each.is_side_effect and each.action != "create"]


def _identity(change: Change) -> tuple[Any, ...]:
    """What distinguishes a side effect from others."""
    created = str(sorted(change.after.items())) if change.action == "create" else ""
    return change.action, change.resource, change.key, created


def changed_side_effects(
    operation: Operation, sent: Mapping[int, Change], rows: Mapping[str | None, Row], state: State
) -> Outcome:
    """The outcome of side effects after an application that did not go as announced."""
    # Some noted side effects have no cause any more, and others have one only now. `sent` has the
    # changes that were to be sent, as they were then, and `rows` the rows of the answers by their
    # keys. `state` has the rows before the application.
    applied = _applied_changes(operation, sent, rows)
    expected, present = completed(sent.values(), state), completed(applied.values(), state)
    own = {change.key: change for change in _of_present_rows(present)}
    changes = {
        at: own[change.key]
        for at, change in applied.items()
        if operation.status[at] == "done" and own.get(change.key, change) != change
    }
    noted: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for at, change in enumerate(operation.changes):
        if change.is_side_effect and not change.problem:
            noted[_identity(change)].append(at)
    lost = Counter(_identity(change) for change in expected if change.is_side_effect)
    more: list[Change] = []
    for change in present:
        if not change.is_side_effect:
            continue
        identity = _identity(change)
        positions = noted[identity]
        lost[identity] -= 1
        if not positions or _was_made_before(operation.changes[positions[0]], state):
            more.append(change)
            continue
        position = positions.pop(0)
        if change != operation.changes[position]:
            changes[position] = change
    # After an error, what was not applied is sent again later, and then has its side effects.
    left = [
        change if (row := _updated_row(change, rows)) is None else _divided(change, row)[1]
        for at, change in sent.items()
        if operation.status[at] == "pending"
    ]
    to_come = {_identity(change) for change in completed(left, state)}
    alone = {identity: count for identity, count in lost.items() if identity not in to_come}
    without_cause = [at for each, count in alone.items() for at in noted[each][: max(count, 0)]]
    return Outcome(
        done=[at for at in changes if at in applied], changes=changes,
        conflicts=dict.fromkeys(without_cause, _CAUSE_LOST), more=more,
    )  # fmt: skip


def _applied_changes(
    operation: Operation, sent: Iterable[int], rows: Mapping[str | None, Row]
) -> dict[int, Change]:
    """The changes that were to be sent, by their positions, with the fields that were applied."""
    found: dict[int, Change] = {}
    # What the service did not keep of a new row is an update of it, which was sent after that.
    later = {change.key: change.after for change in operation.changes_in("done").values()}
    for at in sent:
        change, status = operation.changes[at], operation.status[at]
        row = _updated_row(change, rows)
        if at in operation.keys:
            after = later.get(operation.keys[at], {})
            mirrored = {name: value for name, value in after.items() if name not in _OF_ONE_SIDE}
            change = replace(change, after={**change.after, **mirrored})
        elif status == "pending" and row is not None:
            change, _ = _divided(change, row)
        if status != "conflict" and (change.action != "update" or change.after):
            found[at] = change
    return found


def _updated_row(change: Change, rows: Mapping[str | None, Row]) -> Row | None:
    """The row of an update in the answers; None if no answer has it."""
    return rows.get(change.key or "") if change.action == "update" else None


def _was_made_before(change: Change, state: State) -> bool:
    """Whether a side effect is an update, and its row has had the new values before already."""
    if change.action != "update" or (raw := state.rows.get(change.key or "")) is None:
        return False
    return matching.has_values(wire_row(raw, change.resource), change.after, state.names)


# What the answers show


def updated_rows(
    changes: Mapping[int, Change],
    rows: Iterable[Mapping[str, Any]],
    *,
    is_last: bool,
    currency: Currency,
) -> Outcome:
    """The outcome of updates, or of a deletion, as the rows of the answer show it."""
    # A change whose row is not in the answer is not in the outcome either: only the current rows
    # say whether it was made. With `is_last`, what was not applied is a conflict, and not sent once
    # more.
    by_key = {row.get("id"): row for row in rows}
    outcome = Outcome()
    for at, change in changes.items():
        row = by_key.get(change.key)
        if row is None:
            continue
        if change.action == "delete" or is_deleted(row):  # or somebody else has deleted it
            is_done = change.action == "delete" and is_deleted(row)
            (outcome.done if is_done else outcome.pending).append(at)
            continue
        different = _differences(change, row)
        if not different:
            outcome.done.append(at)
            continue
        if not is_last:
            outcome.pending.append(at)
            continue
        applied, rest = _divided(change, row)
        applied = _with_other_values(applied, rest, row)
        problem = _problem(change, row, different, currency)
        if applied.after:
            outcome.done.append(at)
            outcome.changes[at] = applied
            outcome.more.append(replace(rest, problem=problem))
        else:
            outcome.conflicts[at] = problem
    return outcome


def _with_other_values(applied: Change, rest: Change, row: Mapping[str, Any]) -> Change:
    """The applied fields of an update, and the rest with neither the former nor the sent value."""
    # For example, a row loses its payee if the service ignores the name of the new one.
    now = wire_row(row, rest.resource)
    known = {name: value for name, value in rest.before.items() if name in now}
    other = [name for name in known if name != "subtransactions" and now[name] != known[name]]
    before = {name: rest.before[name] for name in other}
    after = {name: now[name] for name in other}
    return replace(applied, before={**applied.before, **before}, after={**applied.after, **after})


def _differences(change: Change, row: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """The fields of a change that the row of an answer does not have, with both values."""
    names = names_in(row)
    found = differences_of(
        change.after, wire_row(row, change.resource),
        lambda part: names.get(part.get("payee_id") or ""), is_wire=True,
    )  # fmt: skip
    return [field for field in found if is_stated(field[0], row)]


def _divided(change: Change, row: Mapping[str, Any]) -> tuple[Change, Change]:
    """The update of the fields that a row has now, and the update of the other fields."""
    names = {name for name, _, _ in _differences(change, row)}
    return _with_fields_in(change, change.after.keys() - names), _with_fields_in(change, names)


def _with_fields_in(change: Change, names: Container[str]) -> Change:
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
) -> Outcome:
    """The outcome of creations, and of `others` whose rows the answer may have."""
    # A field that the service has not kept is an update of the new row, which is left to be sent. A
    # creation whose row is not in the answer is not in the outcome either.
    outcome = Outcome()
    for position, change in changes.items():
        import_id = change.after.get("import_id")
        if import_id in used and not any(matching.has_id_of(change, row) for row in rows):
            outcome.conflicts[position] = matching.ID_IN_USE
    sent = {at: change for at, change in changes.items() if at not in outcome.conflicts}
    for position, row in _matched(sent, others, rows, existing).items():
        change = {**sent, **others}[position]
        if "import_id" in change.after and (matching.is_merged(row) or row.get("id") in existing):
            outcome.conflicts[position] = matching.MERGED
            continue
        outcome.done.append(position)
        outcome.keys[position] = str(row.get("id"))
        different = _differences(change, row)
        if matching.is_renamed(change, row):
            outcome.payees[position] = row["payee_id"]
            different = [field for field in different if field[0] != "payee_name"]
        created = change
        if different:
            created = _as_created(change, row, [name for name, _, _ in different])
            rest = _rest_of_creation(change, row, different)
            if change.resource == "accounts":  # no request can change an account
                rest = replace(rest, problem=_problem(change, row, different, currency))
            outcome.more.append(rest)
        import_id = change.after.get("import_id")
        if row.get("import_id", import_id) != import_id:  # no update can set it
            created = _as_created(created, row, ["import_id"])
            lost = [("import_id", import_id, row["import_id"])]
            problem = _problem(change, row, lost, currency)
            outcome.more.append(replace(_rest_of_creation(change, row, lost), problem=problem))
        if created is not change:
            outcome.changes[position] = created
    return outcome


def _matched(
    changes: Mapping[int, Change],
    others: Mapping[int, Change],
    rows: Sequence[Mapping[str, Any]],
    existing: Container[Any],
) -> dict[int, Mapping[str, Any]]:
    """The row of an answer that each creation has made, if that is certain, by its position."""
    # The import id decides, then all fields, then account, date and amount if the answer has a row
    # for each creation with these, and then the order in the same case. A row that existed before,
    # or that an earlier answer had, is only that of its import id. A row may have all fields of one
    # of the `others`, of which no answer had the row.
    found: dict[int, Mapping[str, Any]] = {}
    left = list({row.get("id"): row for row in rows}.values())
    _take(changes, found, left, matching.has_id_of)
    left = [row for row in left if row.get("id") not in existing]
    _take({**changes, **others}, found, left, matching.is_created)
    kinds = {at: matching.likeness(change.after, change.resource) for at, change in changes.items()}
    for position, change in changes.items():
        alike = [row for row in left if matching.is_like(change, row)]
        twins = [at for at in kinds if at not in found and kinds[at] == kinds[position]]
        if position in twins and len(twins) <= len(alike):
            found[position] = min(alike, key=lambda row: len(_differences(change, row)))
            left.remove(found[position])
    rest = {at: change for at, change in changes.items() if at not in found}
    unlike = [at for at in rest if not any(matching.is_like(rest[at], row) for row in left)]
    left = [
        row for row in left if not any(matching.is_like(change, row) for change in changes.values())
    ]
    return {**found, **dict(zip(unlike, left, strict=False))} if len(unlike) == len(left) else found


def _take(
    changes: Mapping[int, Change],
    found: dict[int, Mapping[str, Any]],
    left: list[Mapping[str, Any]],
    is_of: Callable[[Change, Mapping[str, Any]], bool],
) -> None:
    """Move the rows that are those of a creation from the rows that are left to the found ones."""
    for position, change in changes.items():
        row = next((row for row in left if is_of(change, row)), None)
        if position not in found and row is not None:
            found[position] = row
            left.remove(row)


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
        action="update", resource=change.resource, key=str(row.get("id")),
        before={name: current.get(name) for name in known_fields(after)}, after=after,
        shown=change.shown, names={**change.names, **names_in(row)},
    )  # fmt: skip
