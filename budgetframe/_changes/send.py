"""Sending of changes, so that an interruption loses and repeats nothing, and their reversal."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from budgetframe._client.responses import WRITE_ADVICE, invalid_response
from budgetframe._resources import CATEGORY_IN_MONTH, RESOURCES
from budgetframe._session.batches import check_limit, report_outcome
from budgetframe._session.reads import WriteRequest, was_refused
from budgetframe._session.session import Session
from budgetframe.errors import ToolError

from .compare import Compared, read_state
from .completion import described, finished_plan, five_years_before, without_missing
from .journal import Journal, Operation
from .plan import Change, Plan, Request
from .simulation import Simulation
from .state import FIELDS, Names, State, wire_row

__all__ = ["ID_IN_USE", "Application", "journal_of", "reversal"]

ID_IN_USE = (
    "the import id is already in use, perhaps by a deleted row: the service created nothing;"
    " bf.changes() creates the row without its import_id"
)
_MERGED = (
    "the service has merged it with a row of the same amount that had no import id: it created"
    " nothing"
)

_FRESH_SECONDS = 10.0
"""Age of a comparison up to which it is sent without another one."""

_DEFAULTS = {"cleared": "uncleared", "approved": False, "frequency": "never"}
"""The values that the service gives to fields that a new row lacks."""


async def journal_of(session: Session) -> Journal:
    """The journal of the budget."""
    budget = await session.reads.budget()
    return Journal(session.journal_path, session.journal_lines, budget.id, session.journal_lock)


async def _read_states(
    session: Session, changes: Iterable[Change], names: Names | None = None
) -> State:
    """Read the current rows that changes are about, with one request for each list."""
    kinds: dict[Any, set[str]] = defaultdict(set)
    for change in changes:
        kinds[change.resource].add(change.month or "")
    state: State | None = None
    for resource, months in kinds.items():
        _, found = await read_state(session, resource, months, names)
        state = (
            found
            if state is None
            else replace(
                found,
                rows={**state.rows, **found.rows},
                other_sides_of_parts={**state.other_sides_of_parts, **found.other_sides_of_parts},
            )
        )
    return state or State({}, Names([], [], []), session.reads.now().date())


class Application:
    """Changes, and what is known of their application.

    Parameters
    ----------
    session : Session
        Reads and writes.
    compared : Compared or None
        The plan and the state that it was made for.
    operation : Operation, optional
        An operation from the journal, which continues; its state is not known.
    undoes : str
        The operation that these changes reverse.
    clock : callable
        Returns seconds, for the age of the comparison.
    """

    def __init__(
        self,
        session: Session,
        compared: Compared | None,
        operation: Operation | None = None,
        *,
        undoes: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.session = session
        self.plan = compared.plan if compared else Plan([])
        self.state = compared.state if compared else None
        """The current rows; None if they must be read before something is sent."""
        self._older = self.state
        self._clock = clock
        self._compared_at = clock()
        self.has_begun = operation is not None
        changes = [*self.plan.changes, *self.plan.conflicts]
        budget = session.reads.chosen
        self.operation = operation or Operation(
            uuid.uuid4().hex,
            "" if budget is None else budget.id,
            "",
            changes,
            undoes=undoes,
        )

    @property
    def conflicts(self) -> list[Change]:
        """The changes that are not made, because their rows were changed elsewhere too."""
        operation = self.operation
        return [operation.changes[position] for position in operation.positions("conflict")]

    @property
    def requests(self) -> list[Request]:
        """The requests that are left."""
        return Plan(self.operation.changes).requests(self.operation.positions("pending", "unknown"))

    async def apply(self, *, overwrite: bool = False) -> None:
        """Send what is left; find out first what an interrupted request has done.

        Parameters
        ----------
        overwrite : bool
            Whether to send the changes of rows that were changed elsewhere too.
        """
        journal = await journal_of(self.session)
        with journal.locked():
            await self._apply(journal, overwrite=overwrite)

    async def _apply(self, journal: Journal, *, overwrite: bool) -> None:
        await self.reload()
        operation = self.operation
        is_old = self._clock() - self._compared_at > _FRESH_SECONDS
        if self.state is None or is_old or operation.positions("unknown"):
            await self._settle(journal)
        state = self.state or await _read_states(self.session, [])
        if overwrite:
            self._overwrite(journal, state)
        requests = self.requests
        if not requests:
            return
        prepared = [await self._prepared(each, state) for each in requests]
        threshold = self.session.reads.client.guard.threshold
        if len(requests) <= threshold:  # else, it is sent in several parts
            check_limit(
                self.session.reads, len(requests), f"the changes need {len(requests):,} requests"
            )
        if not self.has_begun:
            operation.started = self.session.reads.now().isoformat(timespec="seconds")
            operation.budget_id = (await self.session.reads.budget()).id
            journal.begin(operation)
            self.has_begun = True
        count = sum(len(each.positions) for each in requests)
        with self.session.reads.policy.progress.counting(count) as advance:
            for request, write in zip(requests, prepared, strict=True):
                await self._send(journal, request, write, state)
                advance(len(request.positions))
        self.state = None  # the service has changed it

    async def reload(self) -> None:
        """Take into account what `Journal.resume` has done since then."""
        if not self.has_begun:
            return
        for operation in (await journal_of(self.session)).operations():
            if operation.id == self.operation.id and operation != self.operation:
                self.operation, self.state = operation, None

    # Sending

    async def _prepared(self, request: Request, state: State) -> WriteRequest:
        reads, changes = self.session.reads, self.operation.changes
        rows = [changes[position] for position in request.positions]
        first = rows[0]
        if request.resource == "month_categories":
            return await reads.prepare_write(
                "PATCH",
                CATEGORY_IN_MONTH,
                {"category": dict(first.after)},
                month=first.month or "",
                id=first.key or "",
            )
        if request.resource == "transactions" and request.method != "DELETE":
            bodies = [_body(row) for row in rows]
            path = RESOURCES["transactions"].path
            return await reads.prepare_write(request.method, path, {"transactions": bodies})
        body = None if first.action == "delete" else dict(first.after)
        if request.method == "PUT":  # the service requires the account and the day
            raw = state.rows.get(first.key, {})
            body = {
                "account_id": raw.get("account_id"),
                "date": raw.get("date_next"),
                **(body or {}),
            }
        return await reads.prepare_item(request.method, request.resource, first.key, body)

    async def _send(
        self, journal: Journal, request: Request, write: WriteRequest, state: State
    ) -> None:
        operation, positions = self.operation, list(request.positions)
        twins = self._twins(request, state)
        more = {"twins": twins} if twins else {}
        journal.write(operation, "sending", positions=positions, **more)
        try:
            answer = await self.session.reads.write(write)
            found = self._found(request, answer, state)
        except (Exception, asyncio.CancelledError) as error:
            if was_refused(error):
                journal.write(operation, "refused", positions=positions)
            self.state = None
            report_outcome(error, self._outcome())
            raise
        journal.write(operation, "found", **found)

    def _outcome(self) -> str:
        """What was done before an error, and what to do next."""
        operation = self.operation
        done, left = operation.positions("done"), operation.positions("pending")
        unknown = operation.positions("unknown")
        total = len(done) + len(left) + len(unknown)
        may = f", {len(unknown):,} may have been made" if unknown else ""
        return (
            f"Of {total:,} changes, {len(done):,} were made{may}, and {len(left):,} were not sent."
            " Call apply() again to continue, also in a new process with"
            " bf.journal().resume(): it finds out what was made, and repeats nothing"
        )

    def _found(self, request: Request, answer: Mapping[str, Any], state: State) -> dict[str, Any]:
        """The event for the answer of a request."""
        positions = list(request.positions)
        if request.method != "POST":
            return {"done": positions}
        if request.resource != "transactions":
            row = answer.get(RESOURCES[request.resource].item_key or "")
            rows: Any = [row]
        else:
            rows = answer.get("transactions")
        used: Sequence[Any] = answer.get("duplicate_import_ids") or ()
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            error = invalid_response(200, "has no list of the created rows")
            error.add_note(WRITE_ADVICE)
            raise error
        keys, conflicts, payees, left = {}, {}, {}, list(rows)
        for position in positions:
            change = self.operation.changes[position]
            import_id = change.after.get("import_id")
            if import_id is not None and import_id in used:
                conflicts[str(position)] = ID_IN_USE
                continue
            created = [
                *(each for each in left if import_id is not None and _has_id_of(change, each)),
                *(each for each in left if _is_like(change, each)),
                *left,
            ]
            if not created:
                conflicts[str(position)] = "the service has not created it"
                continue
            row = created[0]
            left.remove(row)
            if import_id is not None and (_is_merged(row) or row.get("id") in state.rows):
                conflicts[str(position)] = _MERGED
                continue
            keys[str(position)] = str(row.get("id"))
            if _is_renamed(change, row):
                payees[str(position)] = row["payee_id"]
        done = [position for position in positions if str(position) in keys]
        return {"done": done, "keys": keys, "conflicts": conflicts, "payees": payees}

    def _twins(self, request: Request, state: State) -> dict[str, list[str]]:
        """For each creation of a request, the rows that are like it already."""
        if request.method != "POST":
            return {}
        known: dict[Any, list[str]] = defaultdict(list)
        wanted = {
            _likeness(self.operation.changes[position].after, request.resource)
            for position in request.positions
        }
        for key, raw in state.rows.items():
            likeness = _likeness_of_row(raw, request.resource)
            if likeness in wanted:
                known[likeness].append(key)
        own = list(self.operation.keys.values())
        return {
            str(position): [
                *known[_likeness(self.operation.changes[position].after, request.resource)],
                *own,
            ]
            for position in request.positions
        }

    # Finding out what was done

    async def _settle(self, journal: Journal) -> None:
        """Read the current rows, and find out which changes were made and which are conflicts."""
        operation = self.operation
        open_ = operation.positions("pending", "unknown", "conflict")
        if not open_:
            self.state = self.state or await _read_states(self.session, [])
            return
        older = self._older
        changes = [operation.changes[each] for each in open_]
        # Only the name of a new payee must be found among the current payees.
        names = None
        if not any(map(_new_payees, changes)):
            names = older.names if older else Names([], [], [])
        state = await _read_states(self.session, changes, names)
        event = self._compared_again(state, older)
        if event["conflicts"]:
            with suppress(ToolError):  # what is left no longer agrees: the service settles that
                event = self._with_causes(event, state)
        self._write(journal, "found", event)
        self.state = self._older = state
        self._compared_at = self._clock()

    def _write(self, journal: Journal, event: str, content: Mapping[str, Any]) -> None:
        """Take an event into account, and write it if the operation is in the journal."""
        if self.has_begun:
            journal.write(self.operation, event, **content)
        else:
            self.operation.take({"event": event, **content})

    def _compared_again(self, state: State, older: State | None) -> dict[str, Any]:
        """The event with what the current rows say about the changes."""
        operation, taken = self.operation, set(self.operation.keys.values())
        done: list[int] = []
        pending: list[int] = []
        keys: dict[str, str] = {}
        payees: dict[str, str] = {}
        conflicts: dict[str, str] = {}
        for position in operation.positions("pending", "unknown"):
            change, is_sent = operation.changes[position], operation.status[position] == "unknown"
            if change.action == "create" and not is_sent:
                continue
            key = None
            if change.action == "create":
                key, problem = _created(change, state, operation.twins.get(position, []), taken)
            else:
                problem = _problem(change, state)
            if not (problem or self.has_begun or older is None):
                problem = _changed_row(change, older, state)
            if problem == _DONE and not self.has_begun:  # then somebody else has made it
                is_deletion = change.action == "delete"
                problem = "deleted elsewhere" if is_deletion else "made elsewhere already"
            if key is not None:
                taken.add(key)
                keys[str(position)] = key
                if _is_renamed(change, state.rows[key]):
                    payees[str(position)] = state.rows[key]["payee_id"]
            if key is not None or problem == _DONE:
                done.append(position)
            elif problem:
                conflicts[str(position)] = problem
            else:
                pending.append(position)
        return {
            "done": done,
            "pending": pending,
            "keys": keys,
            "conflicts": conflicts,
            "payees": payees,
        }

    def _overwrite(self, journal: Journal, state: State) -> None:
        """Turn the conflicts of rows that still exist into changes of their present values."""
        changes = {}
        for position in self.operation.positions("conflict"):
            change = self.operation.changes[position]
            raw = state.rows.get(change.place)
            if change.action == "create" or raw is None:
                continue
            row = wire_row(raw, change.resource)
            fields = row if change.action == "delete" else change.before
            before = {name: row.get(name) for name in fields}
            wanted = replace(change, before=before, problem="")
            if not _unusable(wanted, state):
                changes[position] = wanted
        if not changes:
            return
        content = {"changes": {str(at): change.as_json() for at, change in changes.items()}}
        self._write(journal, "overwrite", self._with_causes(content, state))

    def _with_causes(self, event: Mapping[str, Any], state: State) -> dict[str, Any]:
        """An event, and what the service changes in addition if other changes are left than before.

        Raises
        ------
        ToolError
            If the two sides of a transfer contradict each other.
        """
        after = deepcopy(self.operation)
        after.take({"event": "overwrite" if "changes" in event else "found", **event})
        left = [
            each
            for each in after.positions("pending", "unknown")
            if after.changes[each].resource == "transactions"
        ]
        plan = finished_plan(state, [after.changes[each] for each in left])
        own = {(each.action, each.key): each for each in plan.changes if each.cause is None}
        caused = [each for each in plan.changes if each.cause is not None]
        known = [
            _identity(each) for each in after.changes if each.cause is not None and not each.problem
        ]
        found = dict(event)
        if "changes" in event:  # with the fields of their rows that the service changes too
            finished = {at: after.changes[int(at)] for at in event["changes"]}
            finished = {at: own.get((each.action, each.key), each) for at, each in finished.items()}
            found["changes"] = {at: each.as_json() for at, each in finished.items()}
        found["more"] = [each.as_json() for each in caused if _identity(each) not in known]
        if not self.has_begun:
            still = [_identity(each) for each in caused]
            found["conflicts"] = dict(event.get("conflicts", {})) | {
                str(at): "the change that causes it is a conflict"
                for at, each in enumerate(after.changes)
                if each.cause is not None and _identity(each) not in still
            }
        return found


def _body(change: Change) -> dict[str, Any]:
    """What is sent for a transaction."""
    body = dict(change.after)
    if change.action == "update":
        body["id"] = change.key
        if "payee_name" in body:  # it is only used if there is no key, also of the present payee
            body["payee_id"] = None
    return body


def _identity(change: Change) -> tuple[Any, ...]:
    """What distinguishes a change that the service makes itself."""
    created = str(sorted(change.after.items())) if change.action == "create" else ""
    return change.action, change.resource, change.key, created


def _new_payees(change: Change) -> list[str]:
    """The names of the payees that a change creates."""
    rows = (change.after, *(change.after.get("subtransactions") or ()))
    return [row["payee_name"] for row in rows if row.get("payee_name")]


_DONE = "done"


def _problem(change: Change, state: State) -> str:
    """`_DONE` if a change was made, an empty text if it was not, or why it is a conflict."""
    raw = state.rows.get(change.place)
    if raw is None:
        if change.resource == "month_categories":
            if state.names.categories and change.key not in state.names.categories:
                return "its category was deleted"
            return "" if change.before["budgeted"] == 0 else "the month was changed elsewhere"
        return _DONE if change.action == "delete" else "deleted elsewhere"
    row = wire_row(raw, change.resource)
    if change.action == "update" and _has(row, change.after, state.names):
        return _DONE
    changed = [name for name, value in change.before.items() if row.get(name) != value]
    return f"changed elsewhere: {', '.join(changed)}" if changed else ""


def _changed_row(change: Change, older: State, state: State) -> str:
    """Why the row of a change is a conflict, although the fields of the change are as before."""
    before, now = older.rows.get(change.place), state.rows.get(change.place)
    if before is None or now is None:
        return ""
    rows = wire_row(before, change.resource), wire_row(now, change.resource)
    names = [name for name in FIELDS[change.resource] if rows[0][name] != rows[1][name]]
    return f"changed elsewhere: {', '.join(names)}" if names else ""


def _has(row: Mapping[str, Any], after: Mapping[str, Any], names: Names) -> bool:
    """Whether a row has the values of a body."""
    for name, value in after.items():
        if name == "payee_name":
            if names.name("payee", row.get("payee_id")) != value:
                return False
        elif name == "subtransactions":
            if not _same_parts(row.get(name) or (), value, names):
                return False
        elif name != "import_id" and row.get(name) != value:
            return False
    return True


def _same_parts(
    rows: Sequence[Mapping[str, Any]], parts: Sequence[Mapping[str, Any]], names: Names
) -> bool:
    left = list(rows)
    for part in parts:
        found = next((row for row in left if _has(row, _complete(part, ()), names)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _complete(body: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """A body with the values that the service gives to the fields it lacks."""
    found = {name: _DEFAULTS.get(name) for name in (*fields, "payee_id", "category_id", "memo")}
    if "payee_name" in body:
        del found["payee_id"]
    return {**found, **body}


def _likeness(body: Mapping[str, Any], resource: str) -> tuple[Any, ...]:
    return resource, body.get("account_id"), body.get("date"), body.get("amount")


def _likeness_of_row(raw: Mapping[str, Any], resource: str) -> tuple[Any, ...]:
    return _likeness(wire_row(raw, resource), resource) if "account_id" in raw else ()


def _is_like(change: Change, raw: Mapping[str, Any]) -> bool:
    likeness = _likeness(change.after, change.resource)
    return likeness == _likeness_of_row(raw, change.resource)


def _has_id_of(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a row has the account and the import id of a creation."""
    return all(raw.get(name) == change.after.get(name) for name in ("account_id", "import_id"))


def _is_merged(raw: Mapping[str, Any]) -> bool:
    """Whether the service has merged an imported row with this one."""
    return raw.get("matched_transaction_id") is not None


def _is_renamed(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a rule of the service has renamed the payee of an imported row."""
    names = change.after.get("payee_name"), raw.get("payee_name")
    return change.after.get("import_id") is not None and None not in names and names[0] != names[1]


def _created(
    change: Change, state: State, twins: Sequence[str], taken: set[str]
) -> tuple[str | None, str]:
    """The key of the row that a sent creation made, or why that is not certain."""
    import_id = change.after.get("import_id")
    if import_id is not None:
        for key, raw in state.rows.items():
            if _has_id_of(change, raw):
                return (None, _MERGED) if key in twins or _is_merged(raw) else (key, "")
    body = _complete(change.after, FIELDS[change.resource])
    known, problem = {*twins, *taken}, ""
    for key, raw in state.rows.items():
        if key in known or "account_id" not in raw:
            continue
        if not _is_like(change, raw):
            continue
        if import_id is None and _has(wire_row(raw, change.resource), body, state.names):
            return key, ""
        problem = (
            f"the row {key} with the same account, date and amount has appeared since the creation"
            " was sent: it may be this one, edited elsewhere"
        )
    return None, problem


# Reversal


@dataclass(frozen=True, slots=True)
class _Reverse:
    """The reverse changes, and the conflicts among them."""

    changes: list[Change]
    conflicts: list[Change]

    def add(self, *changes: Change, problem: str = "") -> None:
        """Add changes that are only made together."""
        if problem:
            self.conflicts.extend(replace(each, problem=problem) for each in changes)
        else:
            self.changes.extend(changes)


async def reversal(session: Session, operation: Operation) -> Compared:
    """The changes that reverse what an operation has done.

    Parameters
    ----------
    session : Session
        Reads the current rows.
    operation : Operation
        The operation.
    """
    done = operation.positions("done")
    changes = [operation.changes[position] for position in done]
    state = await _read_states(session, changes)
    reverse = _Reverse([], [])
    # A split that was created in place of another one is deleted before that one is created.
    replaced = {
        change.replaces: operation.keys.get(position)
        for position, change in zip(done, changes, strict=True)
        if change.replaces is not None
    }
    for position, change in zip(done, changes, strict=True):
        match change.action:
            case "update":
                side = _lost_side(operation, change, state.names)
                _reverse_update(change, state, reverse, side)
            case "create":
                _reverse_creation(change, operation.keys.get(position), state, reverse)
            case "delete":
                again = _created_again(change, state, replaced.get(change.key or ""))
                reverse.add(again, problem=_unusable(again, state))
    booked = [each for each in reverse.changes if each.resource == "transactions"]
    others = [each for each in reverse.changes if each.resource != "transactions"]
    booked += _restored_sides(operation, booked, state)
    plan = finished_plan(state, booked, reverse.conflicts)
    warnings = [*plan.warnings, *_not_restored(operation)]
    return Compared(Plan([*plan.changes, *others], plan.conflicts, warnings), state)


def _created_again(change: Change, state: State, replaces: str | None) -> Change:
    """The creation of a deleted row."""
    return described(
        state.names,
        {},
        "create",
        change.resource,
        after=without_missing(change.before),
        replaces=replaces,
    )


def _lost_side(operation: Operation, change: Change, names: Names) -> Change | None:
    """The deleted other side of a changed row that was a transfer, if that side had a category.

    Only the creation of this side restores its category: the service creates the other one.
    """
    target = names.target(change.before.get("payee_id"))
    if target is None or change.resource != "transactions":
        return None
    for each in operation.changes:
        row = each.before
        if (
            each.action == "delete"
            and each.cause is not None
            and row.get("category_id") is not None
            and row["account_id"] == target
            and each.key == change.shown.get("other_side")
        ):
            return each
    return None


def _reverse_update(change: Change, state: State, reverse: _Reverse, side: Change | None) -> None:
    raw = state.rows.get(change.place)
    row = {} if raw is None else wire_row(raw, change.resource)
    values = replace(
        change, before={name: row.get(name) for name in change.before}, after=change.before
    )
    if raw is None and change.resource != "month_categories":
        reverse.add(values, problem="deleted elsewhere")
    elif not _has(row, change.after, state.names) or not (
        side is None or _is_other_side(row, change, side)
    ):
        reverse.add(values, problem="changed elsewhere")
    elif raw is not None and ("subtransactions" in change.after or side is not None):
        deletion = described(
            state.names, raw, "delete", change.resource, key=change.key, before=row
        )
        body = {**row, **change.before, "subtransactions": None}
        deleted = replace(change, before=body) if side is None else side
        again = _created_again(deleted, state, change.key)
        reverse.add(deletion, again, problem=_unusable(again, state))
    else:
        different = [name for name in change.before if row.get(name) != change.before[name]]
        if different:
            before = {name: row[name] for name in different}
            after = {name: change.before[name] for name in different}
            names = {**change.names, **state.names.of(before, after)}
            values = replace(change, before=before, after=after, names=names)
            reverse.add(values, problem=_unusable(values, state))


def _is_other_side(row: Mapping[str, Any], change: Change, side: Change) -> bool:
    """Whether nobody has changed a row since it was the other side of a deleted row."""
    former = {**side.before, "amount": -side.before["amount"], **change.after}
    return all(row[name] == former[name] for name in ("date", "amount", "memo"))


def _unusable(change: Change, state: State) -> str:
    """Why the service would refuse a change; empty if it would not."""
    day = change.after.get("date") or ""
    if change.resource == "scheduled_transactions":
        if change.after.get("subtransactions"):
            return "the service creates no parts of schedules"
        if day and day <= state.today.isoformat():
            return "its next date has passed"
    elif day and day < five_years_before(state.today):
        return "the service accepts no date that is over five years ago"
    if change.after.get("subtransactions") and not state.names.on_budget(
        change.after.get("account_id")
    ):
        return "a row of a tracking account cannot be a split"
    for row in (change.after, *(change.after.get("subtransactions") or ())):
        entity = state.names.missing(row)
        if entity:
            return f"its {entity} was deleted"
    return ""


def _reverse_creation(change: Change, key: str | None, state: State, reverse: _Reverse) -> None:
    raw = state.rows.get(key)
    if key is None or raw is None:  # it is gone already
        return
    row = wire_row(raw, change.resource)
    found = described(state.names, raw, "delete", change.resource, key=key, before=row)
    if _has(row, _complete(change.after, FIELDS[change.resource]), state.names):
        reverse.changes.append(found)
    else:
        reverse.conflicts.append(replace(found, problem="changed elsewhere"))


def _restored_sides(operation: Operation, changes: Sequence[Change], state: State) -> list[Change]:
    """Updates of other sides of transfers that the reverse changes do not restore."""
    simulation = Simulation(state, changes)
    touched = {change.key for change in changes}
    found = []
    for change in operation.changes:
        raw = state.rows.get(change.key)
        if change.cause is None or change.action != "update" or raw is None:
            continue
        row = simulation.rows.get(change.key or "", wire_row(raw, "transactions"))
        if row is None or change.key in touched:
            continue
        after = {name: value for name, value in change.before.items() if row.get(name) != value}
        # The fields that follow from the other side cannot be set here.
        after = {name: value for name, value in after.items() if name == "category_id"}
        if after:
            current = wire_row(raw, "transactions")
            before = {name: current[name] for name in after}
            found.append(
                described(
                    state.names,
                    raw,
                    "update",
                    "transactions",
                    key=change.key,
                    before=before,
                    after=after,
                )
            )
    return found


def _not_restored(operation: Operation) -> list[str]:
    """What the reverse changes cannot restore."""
    found = []
    counts = Counter(change.action for change in operation.changes if change.cause is not None)
    if counts["delete"]:
        number = counts["delete"]
        found.append(
            f"the other side{'' if number == 1 else 's'} of {number:,}"
            f" transfer{'' if number == 1 else 's'} come{'s' if number == 1 else ''} back under"
            " another key, with the state of the side that is restored and without a flag"
        )
    deleted = [
        operation.changes[each]
        for each in operation.positions("done")
        if operation.changes[each].action == "delete"
    ]
    if deleted:
        number = len(deleted)
        found.append(
            f"{number:,} deleted row{'' if number == 1 else 's'} come{'s' if number == 1 else ''}"
            " back under another key, without import_payee_name and import_id"
        )
    made = (operation.changes[each] for each in operation.positions("done"))
    imported = sum("import_id" in each.after for each in made if each.action == "create")
    if imported:
        found.append(
            f"the service keeps the import id{'' if imported == 1 else 's'} of {imported:,} deleted"
            f" row{'' if imported == 1 else 's'}: import_rows() lists them in .skipped, and"
            " bf.changes(imported.skipped) creates them again"
        )
    return found
