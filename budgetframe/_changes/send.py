"""Sending of changes, so that an interruption loses and repeats nothing."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from budgetframe._resources import CATEGORY_IN_MONTH, RESOURCES
from budgetframe._runtime.number_of import number_of
from budgetframe._session.batches import check_limit, report_outcome, unusable_answer
from budgetframe._session.reads import WriteRequest, was_refused
from budgetframe._session.session import Session
from budgetframe.errors import ServiceAPIError, ToolError

from .bank_rows import lost_matches, new_problems
from .completion import finished_plan, refusal_of, with_lost_category
from .current_rows import LISTS_OF_NAMES, read_states
from .journal import Journal, Operation, check_not_undone, journal_of
from .outcome import (
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
    likeness,
    likeness_of_row,
    not_made,
    problem_of,
)
from .plan import Change, Compared, Plan, Request, Resource
from .state import Names, State, wire_row

__all__ = ["Application"]

_FINAL = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
"""The answers to a change that the service would refuse again."""
_ITEM = {"month_categories": "category"}
"""The keys of rows in answers, where they are not those of the resource."""
_FRESH_SECONDS = 10.0
"""Age of a comparison up to which it is sent without another one."""


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
        self._writes = session.reads.writes
        self.has_begun = operation is not None
        self.written: dict[str, Mapping[str, Any]] = {}
        """The updated rows, as the answers of the service have them."""
        self.refusal: ServiceAPIError | None = None
        """The last refusal of a single row, which became a conflict."""
        changes = [*self.plan.changes, *self.plan.conflicts]
        budget = session.reads.chosen
        self.operation = operation or Operation(
            uuid.uuid4().hex,
            "" if budget is None else budget.id,
            "",
            changes,
            undoes=undoes,
            recognised=list(self.plan.recognised),
        )

    @property
    def conflicts(self) -> list[Change]:
        """The changes that are not made, because their rows were changed elsewhere too."""
        operation = self.operation
        return [operation.changes[position] for position in operation.positions("conflict")]

    @property
    def requests(self) -> list[Request]:
        """The requests that are left."""
        return Plan(self.operation.changes).requests(self.operation.left)

    @property
    def reads(self) -> int:
        """The requests that compare the changes with the service once more, at most."""
        operation = self.operation
        found = [
            operation.changes[each]
            for each in operation.positions("pending", "unknown", "conflict")
        ]
        lists = len({change.resource for change in found})
        # The lists of names, which the interrupted writes have made outdated.
        needs_names = self.is_interrupted and any(map(_new_payees, found))
        return lists + (len(LISTS_OF_NAMES) if needs_names else 0)

    @property
    def is_interrupted(self) -> bool:
        """Whether the application has begun, and changes are left that may have to be sent."""
        return self.has_begun and bool(self.operation.left)

    @property
    def compares_first(self) -> bool:
        """Whether the changes are compared with the service once more, however new they are.

        The rows of a bank's file are: another notebook may import the same rows.
        """
        operation = self.operation
        return bool(operation.positions("unknown")) or any(
            operation.changes[each].bank_row for each in operation.positions("pending")
        )

    async def apply(self, *, overwrite: bool = False) -> None:
        """Send what is left; find out first what an interrupted request has done.

        Parameters
        ----------
        overwrite : bool
            Whether to send the changes of rows that were changed elsewhere too.
        """
        turns = self.session.journal_turns
        async with turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            journal = await journal_of(self.session)
            with journal.locked():
                await self._apply(journal, overwrite=overwrite)

    async def _apply(self, journal: Journal, *, overwrite: bool) -> None:
        await self.reload()
        operation = self.operation
        self._check_not_undone(journal)
        is_old = self._clock() - self._compared_at > _FRESH_SECONDS
        is_old = is_old or self._writes != self.session.reads.writes
        if self.state is None or is_old or self.compares_first:
            await self._settle(journal)
        state = self.state or await read_states(self.session, [])
        if not self.has_begun:
            self._take_lost(journal, state)
        if overwrite:
            self._overwrite(journal, state)
        requests = self.requests
        if not requests:
            if operation.recognised and not self.has_begun:
                await self._begin(journal)
            return
        prepared = [await self._prepared(each, state) for each in requests]
        threshold = self.session.reads.client.guard.threshold
        if len(requests) <= threshold:  # else, it is sent in several parts
            check_limit(
                self.session.reads, len(requests), f"the changes need {len(requests):,} requests"
            )
        if not self.has_begun:
            await self._begin(journal)
        count = sum(len(each.positions) for each in requests)
        twins = self._twins(requests, state)
        if twins:
            journal.write(operation, "twins", twins=twins)
        with self.session.reads.policy.progress.counting(count) as advance:
            for request, write in zip(requests, prepared, strict=True):
                await self._send_what_is_left(journal, request, write, state)
                advance(len(request.positions))
        self.state = None  # the service has changed it

    def _take_lost(self, journal: Journal, state: State) -> None:
        """Turn rows that were left out into conflicts, if the reason for this is gone."""
        operation = self.operation
        lost = lost_matches(operation, journal, state)
        operation.changes += lost
        operation.status += ["conflict"] * len(lost)
        import_ids = [change.bank_row["import_id"] for change in lost]
        operation.recognised = [
            row for row in operation.recognised if row["import_id"] not in import_ids
        ]

    async def _begin(self, journal: Journal) -> None:
        self.operation.started = self.session.reads.now().isoformat(timespec="seconds")
        self.operation.budget_id = (await self.session.reads.budget()).id
        journal.begin(self.operation)
        self.has_begun = True

    def _check_not_undone(self, journal: Journal) -> None:
        """Check that nothing is sent twice by a second undo, or is sent after an undo."""
        operation = self.operation
        if operation.undoes and not self.has_begun:
            check_not_undone(journal.operations(), operation.undoes)
        if operation.undone_by and operation.positions("pending", "unknown"):
            check_not_undone(journal.operations(), operation.id)

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

    async def _send_what_is_left(
        self, journal: Journal, request: Request, write: WriteRequest, state: State
    ) -> None:
        """Send a request without the changes that have become conflicts since it was prepared."""
        left = tuple(each for each in request.positions if self.operation.is_left(each))
        if left and left != request.positions:
            request = request._replace(positions=left)
            write = await self._prepared(request, state)
        if left:
            await self._send(journal, request, write, state)

    async def _send(
        self, journal: Journal, request: Request, write: WriteRequest, state: State
    ) -> None:
        operation, positions = self.operation, list(request.positions)
        journal.write(operation, "sending", positions=positions)
        try:
            answer = await self.session.reads.write(write)
            found = self._found(request, answer, state)
        except (Exception, asyncio.CancelledError) as error:
            is_final = isinstance(error, ServiceAPIError) and error.status_code in _FINAL
            if isinstance(error, ServiceAPIError) and is_final and len(positions) == 1:
                self.refusal = error
                conflicts = {str(positions[0]): f"the service refused it: {error}"}
                journal.write(
                    operation, "found", conflicts=conflicts | self._without_deletion(conflicts)
                )
                return
            if was_refused(error):
                journal.write(operation, "refused", positions=positions)
            self.state = None
            report_outcome(error, self._outcome(len(positions) if is_final else 0))
            raise
        journal.write(operation, "found", **found)

    def _outcome(self, refused: int) -> str:
        """What was done before an error, and what to do next."""
        operation = self.operation
        done, left = operation.positions("done"), operation.positions("pending")
        unknown = operation.positions("unknown")
        total = number_of(len(done) + len(left) + len(unknown), "change")
        made, not_made = (number_of(len(each), "was", "were") for each in (done, left))
        may = f", {len(unknown):,} may have been made" if unknown else ""
        reason = (
            f" The service refused {refused:,} of them together, because of one of them. If it"
            " always does, reverse what was made with undo().apply(), and compare the others again."
            if refused
            else ""
        )
        return (
            f"Of {total}, {made} made{may}, and {not_made} not made.{reason} To continue, call"
            " bf.journal().resume(), also in a new process, or apply() of the same changes: it"
            " finds out what was made, and repeats nothing"
        )

    def _found(self, request: Request, answer: Mapping[str, Any], state: State) -> dict[str, Any]:
        """The event for the answer of a request."""
        positions = list(request.positions)
        if request.resource == "transactions" and request.method != "DELETE":
            rows: Any = answer.get("transactions")
        else:
            key = _ITEM.get(request.resource) or RESOURCES[request.resource].item_key
            rows = [answer.get(key or "")]
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise unusable_answer("has no list of the written rows")
        if request.method != "POST":
            return self._found_in(positions, rows)
        used: Sequence[Any] = answer.get("duplicate_import_ids") or ()
        keys, conflicts, payees, left = {}, {}, {}, list(rows)
        for position in positions:
            change = self.operation.changes[position]
            import_id = change.after.get("import_id")
            of_id = [each for each in left if import_id is not None and has_id_of(change, each)]
            if import_id is not None and import_id in used and not of_id:
                conflicts[str(position)] = ID_IN_USE
                continue
            created = [
                *of_id,
                *(each for each in left if is_like(change, each)),
                *left,
            ]
            if not created:
                conflicts[str(position)] = "the service has not created it"
                continue
            row = created[0]
            left.remove(row)
            if import_id is not None and (is_merged(row) or row.get("id") in state.rows):
                conflicts[str(position)] = MERGED
                continue
            keys[str(position)] = str(row.get("id"))
            if is_renamed(change, row):
                payees[str(position)] = row["payee_id"]
        done = [position for position in positions if str(position) in keys]
        return {"done": done, "keys": keys, "conflicts": conflicts, "payees": payees}

    def _found_in(
        self, positions: Sequence[int], rows: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The event for updates and deletions: each is compared with the row in the answer."""
        by_key = {row.get("id"): row for row in rows}
        conflicts = {}
        for position in positions:
            change = self.operation.changes[position]
            row = by_key.get(change.key)
            problem = not_made(change, row)
            if problem:
                conflicts[str(position)] = problem
            elif row is not None and change.key is not None:
                self.written[change.key] = row
        done = [position for position in positions if str(position) not in conflicts]
        return {"done": done, "conflicts": conflicts | self._without_deletion(conflicts)}

    def _twins(self, requests: Iterable[Request], state: State) -> list[str]:
        """The rows that are like creations already, as far as the journal does not name them."""
        changes = self.operation.changes
        wanted: dict[Resource, set[Any]] = defaultdict(set)
        for request in requests:
            if request.method == "POST":
                bodies = (changes[position].after for position in request.positions)
                wanted[request.resource].update(likeness(body, request.resource) for body in bodies)
        return [
            key
            for resource, found in wanted.items()
            for key, raw in state.rows.items()
            if likeness_of_row(raw, resource) in found and key not in self.operation.twins
        ]

    # Finding out what was done

    async def _settle(self, journal: Journal) -> None:
        """Read the current rows, and find out which changes were made and which are conflicts."""
        operation = self.operation
        open_ = operation.positions("pending", "unknown", "conflict")
        if not open_:
            self.state = self.state or await read_states(self.session, [])
            return
        older = self._older
        changes = [operation.changes[each] for each in open_]
        # Only the name of a new payee must be found among the current payees.
        names = None
        if not any(map(_new_payees, changes)):
            names = older.names if older else Names([], [], [])
        state = await read_states(self.session, changes, names)
        event = self._compared_again(state, older, self._made(journal))
        left = [*operation.positions("pending"), *event["pending"]]
        event["conflicts"] |= new_problems(operation, left, journal, state)
        if event["conflicts"]:
            with suppress(ToolError):  # what is left no longer agrees: the service settles that
                event = self._with_causes(event, state)
        self._write(journal, "found", event)
        self.state = self._older = state
        self._compared_at = self._clock()
        self._writes = self.session.reads.writes

    def _write(self, journal: Journal, event: str, content: Mapping[str, Any]) -> None:
        """Take an event into account, and write it if the operation is in the journal."""
        if self.has_begun:
            journal.write(self.operation, event, **content)
        else:
            self.operation.take({"event": event, **content})

    def _made(self, journal: Journal) -> set[str]:
        """The keys of rows that no lost request has created: this or another application did."""
        found = set(self.operation.keys.values())
        if self.operation.positions("unknown"):
            found |= {key for each in journal.operations() for key in each.keys.values()}
        return found

    def _compared_again(self, state: State, older: State | None, taken: set[str]) -> dict[str, Any]:
        """The event with what the current rows say about the changes."""
        operation = self.operation
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
                key, problem = created_row(change, state, operation.twins, taken)
            else:
                problem = problem_of(change, state)
            if not (problem or self.has_begun or older is None):
                problem = changed_row(change, older, state)
            if problem == DONE and not self.has_begun:  # then somebody else has made it
                is_deletion = change.action == "delete"
                problem = DELETED_SINCE if is_deletion else "made already, not by this application"
            if key is not None:
                taken.add(key)
                keys[str(position)] = key
                if is_renamed(change, state.rows[key]):
                    payees[str(position)] = state.rows[key]["payee_id"]
            if key is not None or problem == DONE:
                done.append(position)
            elif problem:
                conflicts[str(position)] = problem
            else:
                pending.append(position)
        conflicts |= self._without_deletion(conflicts)
        return {
            "done": done,
            "pending": pending,
            "keys": keys,
            "conflicts": conflicts,
            "payees": payees,
        }

    def _without_deletion(self, conflicts: Mapping[str, str]) -> dict[str, str]:
        """The conflicts of new rows whose former row is not deleted, because that is a conflict."""
        changes = self.operation.changes
        problems = {at: changes[at].problem for at in self.operation.positions("conflict")}
        problems |= {int(at): problem for at, problem in conflicts.items()}
        kept = {
            changes[at].key: problem
            for at, problem in problems.items()
            if changes[at].action == "delete"
        }
        return {
            str(at): kept[changes[at].replaces]
            for at in self.operation.positions("pending")
            if changes[at].replaces in kept
        }

    def _overwrite(self, journal: Journal, state: State) -> None:
        """Turn the conflicts of rows that still exist into changes of their present values."""
        changes, replaced = {}, {}
        for position in self.operation.positions("conflict"):
            change = self.operation.changes[position]
            raw = state.rows.get(change.place)
            if change.replaces is not None:
                replaced[change.replaces] = position, replace(change, problem="")
            if change.action == "create" or raw is None:
                continue
            row = wire_row(raw, change.resource)
            fields = row if change.action == "delete" else change.before
            before = {name: row.get(name) for name in fields}
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
        own: dict[tuple[str, str | None], Change] = {
            (each.action, each.key): each
            for each in plan.changes
            if each.cause is None and each.action != "create"
        }
        caused = [each for each in plan.changes if each.cause is not None]
        known = [
            _identity(each) for each in after.changes if each.cause is not None and not each.problem
        ]
        found = dict(event)
        if "changes" in event:  # with the fields of their rows that the service changes too
            finished: dict[str, Change] = {}
            for at in event["changes"]:
                change = after.changes[int(at)]
                sides = state.sides(change.key or "") if change.action == "delete" else []
                known_as = [own.get((change.action, key)) for key in (change.key, *sides)]
                change = next((each for each in known_as if each is not None), change)
                if change not in finished.values():  # else, it deletes both sides of a transfer
                    finished[at] = change
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
