"""The application of changes: they are prepared and sent, and each answer is compared with them."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import httpx

from budgetframe._changes.plan import KEYS, Change, Compared, Plan, Request, Resource
from budgetframe._changes.preview import described
from budgetframe._changes.refusals import OF_TRANSFER
from budgetframe._changes.service_state import LISTS_OF_NAMES, read_states
from budgetframe._changes.state import Names, Row, State
from budgetframe._milliunits import to_currency
from budgetframe._resources import RESOURCES, is_deleted
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import number_of
from budgetframe._session.session import Session
from budgetframe._session.written import AMOUNTS
from budgetframe.errors import ServiceAPIError, ToolError

from . import recover
from .import_history import lost_matches, new_problems
from .journal import Journal, JournalInUseError, check_not_undone, interrupted, journal_of
from .matching import DONE, ID_IN_USE, MERGED, likeness, likeness_of_row, may_be, problem_of
from .operation import STATUS, Operation, Outcome, Refused, Sending, Twins
from .requests import (
    WriteRequest,
    check_limit,
    check_may_write,
    report_outcome,
    request_of,
    request_of_row,
    send,
    unusable_answer,
    was_refused,
)

_FINAL = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
"""The answers to a change that the service would refuse again, if it was not made."""
_ITEM = {"month_categories": "category"}  # keys of rows in answers, if not those of the resource
_FEW = 3  # the number of changes that a message describes one by one
_TURNS, _TURN_SECONDS = 50, 0.2
"""How often, and after how long, a direct write tries again while the journal is in use."""
_FRESH_SECONDS = 10.0  # age of a comparison up to which it is sent without another one


class Application:
    """Changes, and what is known of their application."""

    def __init__(
        self,
        session: Session,
        compared: Compared | None,
        operation: Operation | None = None,
        *,
        undoes: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # An operation from the journal is continued, and needs no plan. `undoes` is the operation
        # that the changes reverse, and `clock` returns seconds, for the age of the comparison.
        self.session = session
        self.plan = compared.plan if compared else Plan([])
        self.state = compared.state if compared else None
        """The current rows; None if they must be read before something is sent."""
        self._older = self.state
        self._clock = clock
        self._is_old = compared is not None and compared.is_old
        self._continues = compared.continues if compared else ""
        self._compared_at = clock()
        self._writes = session.writes
        self.has_begun = operation is not None
        self.written: dict[str | None, Mapping[str, Any]] = {}
        """The created and updated rows, as the answers of the service have them."""
        self.on_progress: Callable[[int, int], object] = lambda _done, _total: None
        """Receives the numbers of changes that were sent and that are sent in all."""
        self.is_stepwise = False
        """Whether `apply` pauses after each request; called again soon, it goes on at no cost."""
        self._sent: dict[int, Change] = {}  # what the requests before the pause have sent
        self._is_first = True
        self.refusal: ServiceAPIError | None = None  # the last one that made a row a conflict
        changes = [*self.plan.changes, *self.plan.conflicts]
        budget = session.reads.chosen
        budget_id, asked = budget.id if budget else "", compared.asked if compared else ""
        facts = list(self.plan.recognised)
        self.operation = operation or Operation(
            uuid.uuid4().hex, budget_id, "", changes, undoes=undoes, recognised=facts, asked=asked
        )

    @property
    def conflicts(self) -> list[Change]:
        """The changes that are not made, because their rows were changed elsewhere too."""
        return list(self.operation.changes_in("conflict").values())

    @property
    def warnings(self) -> Sequence[str]:
        """The warnings of all changes or, after an interruption, of those that are left."""
        if not self.is_interrupted or self.plan.warnings_of is None:
            return self.plan.warnings
        others = self.operation.changes_in("done", "conflict")
        left = [each for at, each in enumerate(self.operation.changes) if at not in others]
        return self.plan.warnings_of(left, {each.key for each in others.values()})

    @property
    def compared_rows(self) -> Mapping[Any, Row]:
        """The rows as they were when they were last compared with the changes."""
        return {} if self._older is None else self._older.rows

    @property
    def import_ids_in_use(self) -> list[str]:
        """The import ids of the new rows that the service has left out."""
        return [each.after["import_id"] for each in self.conflicts if each.problem == ID_IN_USE]

    @property
    def requests(self) -> list[Request]:
        """The requests that are left."""
        return Plan(self.operation.changes).requests(self.operation.left)

    @property
    def reads(self) -> int:
        """The requests that compare the changes with the service once more, at most."""
        found = self.operation.changes_in("pending", "unknown", "conflict").values()
        lists = len({change.resource for change in found})
        # The lists of names, which the interrupted writes have made outdated.
        needs_names = self.is_interrupted and (
            _creates_payees(found) or (self._older is None and _may_cause_more(self.operation))
        )
        return lists + (len(LISTS_OF_NAMES) if needs_names else 0)

    @property
    def is_interrupted(self) -> bool:
        """Whether the application has begun, and changes are left that may have to be sent."""
        return self.has_begun and bool(self.operation.left)

    @property
    def compares_first(self) -> bool:
        """Whether the changes are compared with the service once more, however new they are."""
        # The rows of a bank's file are: another notebook may import the same rows. So are changes
        # of rows that were read for other changes before.
        operation = self.operation
        waiting = operation.changes_in("pending").values()
        is_old = self._is_old and not self.has_begun
        has_unknown = bool(operation.positions("unknown"))
        return is_old or has_unknown or any(each.bank_row for each in waiting)

    async def apply(self, *, overwrite: bool = False) -> None:
        """Send what is left; find out first what an interrupted request has done."""
        check_may_write(self.session)
        turns = self.session.journal.turns
        async with turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            journal = await journal_of(self.session)
            with journal.locked():
                await self._apply(journal, overwrite=overwrite)

    async def _apply(self, journal: Journal, *, overwrite: bool) -> None:
        await self.reload()
        self._continue_interrupted(journal)
        operation = self.operation
        self._check_not_undone(journal)
        is_old = self._clock() - self._compared_at > _FRESH_SECONDS
        is_old = is_old or self._writes != self.session.writes
        if self.state is None or is_old or (self.compares_first and not self._sent):
            self._sent = {}
            await self._settle(journal)
        state = self.state or await read_states(self.session, [])
        if not self.has_begun:
            self._take_lost(journal, state)
        if overwrite:
            self._overwrite(journal, state)
        unsent = [position for position in operation.left if position not in self._sent]
        requests = Plan(operation.changes).requests(unsent)
        if not requests and not self._sent:
            self._finish_others(journal, state)
            if operation.recognised and not self.has_begun:
                await self._begin(journal)
            return
        prepared = [await self._prepared(each, state) for each in requests]
        threshold = self.session.reads.client.guard.threshold
        if len(requests) <= threshold:  # else, it is sent in several parts
            check_limit(self.session, len(requests))
        if not self._sent:
            self._is_first = not self.has_begun
        if not self.has_begun:
            await self._begin(journal)
        self._write_twins(journal, requests, state)
        sent, self._sent = self._sent, {}
        if await self._send_all(journal, requests, prepared, state, sent):
            self.state, self._sent = state, sent
            self._compared_at, self._writes = self._clock(), self.session.writes
        else:
            self.state = None  # the service has changed it

    async def _send_all(
        self,
        journal: Journal,
        requests: Sequence[Request],
        prepared: Sequence[WriteRequest],
        state: State,
        before: dict[int, Change],  # what was sent before, to which the rest is added
    ) -> bool:
        """Send requests, and once more what their answers do not show; return whether it pauses."""
        operation = self.operation
        new = {at: operation.changes[at] for each in requests for at in each.positions}
        sent, is_paused = before | new, False
        try:
            with self.session.reads.policy.progress.counting(len(sent)) as advance:
                advance(len(before))
                for request, write in zip(requests, prepared, strict=True):
                    await self._send(journal, request, write, state, [*before])
                    before |= {at: sent[at] for at in request.positions}
                    advance(len(request.positions))
                    self.on_progress(len(before), len(sent))
                    is_paused = self.is_stepwise and len(before) < len(sent)
                    if is_paused:
                        break
            if operation.left and not is_paused:
                await self._send_again(journal)
            elif self._is_first and all(operation.status[at] == "done" for at in before):
                return is_paused  # everything is as announced
        except (Exception, asyncio.CancelledError):
            self._take_side_effects(journal, sent, state)
            raise
        self._take_side_effects(journal, sent, state)
        return is_paused

    def _continue_interrupted(self, journal: Journal) -> None:
        """Continue an interrupted application of the same, instead of sending it once more."""
        for operation in [] if self.has_begun else journal.operations():
            if operation.id == self._continues and operation.left:
                self.operation, self.state, self._older = operation, None, None
                self.has_begun = True

    def _finish_others(self, journal: Journal, state: State) -> None:
        """Note interrupted updates that were made, as the present rows show."""
        for operation in journal.operations():
            left = {at: operation.changes[at] for at in operation.left}
            changes = left.values()
            is_made = all(each.action == "update" and each.place in state.rows for each in changes)
            is_made = is_made and all(problem_of(each, state) == DONE for each in changes)
            if left and is_made and operation.id != self.operation.id:
                journal.write(operation, Outcome(done=list(left)))

    def _take_side_effects(self, journal: Journal, sent: dict[int, Change], state: State) -> None:
        """Note which side effects there are, if the service did not apply everything."""
        if not _may_cause_more(self.operation):  # the state then lacks the accounts and payees
            return
        with suppress(ToolError):  # what is left does not agree alone: a later answer settles it
            outcome = recover.changed_side_effects(self.operation, sent, self.written, state)
            if outcome != Outcome():
                journal.write(self.operation, outcome)

    def _take_lost(self, journal: Journal, state: State) -> None:
        """Turn rows that were left out into conflicts, if the reason for this is gone."""
        operation = self.operation
        lost = lost_matches(operation, journal.operations(without_changes=True), state)
        operation.changes += lost
        operation.status += ["conflict"] * len(lost)
        lost_ids = [change.bank_row["import_id"] for change in lost]
        kept = [row for row in operation.recognised if row["import_id"] not in lost_ids]
        operation.recognised = kept

    def _overwrite(self, journal: Journal, state: State) -> None:
        """Turn the conflicts of rows that still exist into changes of their present values."""
        event = recover.overwritten(self.operation, state)
        if event.changes:
            is_fresh = not self.has_begun
            event = recover.with_side_effects(self.operation, event, state, is_fresh=is_fresh)
            self._take(journal, event)

    async def _begin(self, journal: Journal) -> None:
        self.operation.started = self.session.reads.now().isoformat(timespec="seconds")
        self.operation.budget_id = (await self.session.reads.budget()).id
        try:
            journal.begin(self.operation)
        except ToolError as error:
            left = number_of(len(self.operation.changes), "change is", "changes are")
            raise ToolError(f"{error}. Nothing was sent, {left} left: call apply() again") from None
        self.has_begun = True

    def _check_not_undone(self, journal: Journal) -> None:
        """Check that nothing is sent twice by a second undo, or is sent after an undo."""
        operation = self.operation
        if operation.undoes:
            known = journal.operations()
            check_not_undone(known, operation.undoes, by=operation.id)
            by = self.session.journal.undone.get(operation.undoes, operation.id)
            if by != operation.id and all(each.id != by for each in known):
                raise ToolError(
                    "this process has undone these changes, and the file of the journal does not"
                    " have it any more: compare the rows with what you want before you go on"
                )
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
        session = self.session
        changes = [self.operation.changes[at] for at in request.positions]
        first = changes[0]
        if request.resource == "transactions" and request.method != "DELETE":
            content = {"transactions": [_body(change) for change in changes]}
            path = RESOURCES["transactions"].path
            return await request_of(session, request.method, path, content)
        body = None if first.action == "delete" else dict(first.after)
        if request.method == "PUT":  # the service requires the account and the day
            raw = state.rows.get(first.key, {})
            needed = {"account_id": raw.get("account_id"), "date": raw.get("date_next")}
            body = {**needed, **(body or {})}
        return await request_of_row(session, request.method, first, body)

    async def _send_again(self, journal: Journal) -> None:
        """Send what no answer showed again, row by row; what is not applied then is a conflict."""
        await self._settle(journal)
        state = self.state or await read_states(self.session, [])
        before: list[int] = []
        for request in self.requests:
            for position in request.positions:
                alone = request._replace(positions=(position,))
                write = await self._prepared(alone, state)
                self._write_twins(journal, [alone], state)
                await self._send(journal, alone, write, state, before, is_last=True)
                before.append(position)
        if self.operation.positions("unknown"):
            await self._settle(journal)
        if self.operation.left:
            left = [position for request in self.requests for position in request.positions]
            outcome = recover.not_applied(self.operation, left, self.state or state)
            journal.write(self.operation, outcome)

    async def _send(
        self,
        journal: Journal,
        request: Request,
        write: WriteRequest,
        state: State,
        before: Sequence[int],
        *,
        is_last: bool = False,
    ) -> None:
        """Send a request without the changes that have become conflicts since it was prepared."""
        # The counterpart of an amount that was sent `before` waits until that amount is assigned.
        operation = self.operation
        left = tuple(
            at
            for at in request.positions
            if operation.is_left(at) and not recover.waits_for_counterpart(operation, at, before)
        )
        if not left:
            return
        if left != request.positions:
            request = request._replace(positions=left)
            write = await self._prepared(request, state)
        self._announce(journal, Sending(left))
        if operation.undoes:
            self.session.journal.undone[operation.undoes] = operation.id
        try:
            answer = await send(self.session, write)
            outcome = self._outcome(request, answer, state, is_last=is_last)
        except (Exception, asyncio.CancelledError) as error:
            refusal = await self._refusal_of(error, journal, left)
            if refusal is None:
                raise
            outcome = refusal
        outcome.conflicts |= recover.conflicts_of_replacements(operation, outcome.conflicts)
        outcome.conflicts |= recover.conflicts_of_moves(operation, outcome.conflicts)
        journal.write(operation, outcome)

    async def _refusal_of(
        self, error: BaseException, journal: Journal, positions: Sequence[int]
    ) -> Outcome | None:
        """What an error says about the changes that were sent, or None if nothing more is sent."""
        is_final = isinstance(error, ServiceAPIError) and error.status_code in _FINAL
        self.state = None
        if is_final and not was_refused(error):
            try:
                await self._settle(journal)
            except (Exception, asyncio.CancelledError) as later:
                report_outcome(later, self._summary())
                raise
            positions = [at for at in positions if self.operation.is_left(at)]
            if not positions:  # all were made nevertheless, or are conflicts
                return Outcome()
        if isinstance(error, ServiceAPIError) and is_final and len(positions) == 1:
            self.refusal = error
            return Outcome(conflicts={positions[0]: f"the service refused it: {error}"})
        if was_refused(error):
            journal.write(self.operation, Refused(positions))
        report_outcome(error, self._summary(positions if is_final else ()))
        return None

    def _announce(self, journal: Journal, event: Sending | Twins) -> None:
        """Write an event that must be in the journal before something is sent."""
        try:
            journal.write(self.operation, event)
        except ToolError as error:
            self.state = None
            raise ToolError(f"{error}. {self._summary()}") from None

    def _summary(self, refused: Sequence[int] = ()) -> str:
        """What was done before an error, and what to do next."""
        operation = self.operation
        done, left = operation.positions("done"), operation.positions("pending")
        unknown = operation.positions("unknown")
        total = number_of(len(done) + len(left) + len(unknown), "change")
        made, not_made = (number_of(len(each), "was", "were") for each in (done, left))
        may = f", {len(unknown):,} may have been made" if unknown else ""
        reason = (
            f" The service refused {len(refused):,} of them together, because of one of them. If it"
            " always does, reverse what was made with undo().apply(), and compare the others again."
            if refused
            else ""
        )
        groups = {
            "Made": done,
            "Refused (an index in the message counts from the first one)": refused,
            "Perhaps made": unknown,
            "Not made": [each for each in left if each not in refused],
        }
        told = self._told(groups)
        return (
            f"Of {total}, {made} made{may}, and {not_made} not made.{reason}{told} To continue,"
            " call bf.journal().resume(), also in a new process, or apply() or the same call again:"
            " it finds out what was made, and repeats nothing"
        )

    def _told(self, groups: Mapping[str, Sequence[int]]) -> str:
        """Which changes are in each group, if they are new rows in the given order, or few."""
        operation = self.operation
        changes = {at: operation.changes[at] for each in groups.values() for at in each}
        is_numbered = not operation.undoes and all(
            each.action == "create" and not each.bank_row for each in changes.values()
        )
        if len(changes) == 1 or not (is_numbered or len(changes) <= _FEW):
            return ""
        currency = self.session.reads.currency_format
        told = ""
        for name, positions in groups.items():
            texts = (described(changes[at], currency) for at in positions)
            if positions:
                told += f" {name}: {_rows(positions) if is_numbered else '; '.join(texts)}."
        return told

    def _outcome(
        self, request: Request, answer: Mapping[str, Any], state: State, *, is_last: bool
    ) -> Outcome:
        """What the answer to a request says about its changes."""
        if request.resource == "transactions" and request.method != "DELETE":
            rows: Any = answer.get("transactions")
        else:
            key = _ITEM.get(request.resource) or RESOURCES[request.resource].item_key
            rows = [answer.get(key or "")]
        if not isinstance(rows, list) or not all(
            isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows
        ):
            raise unusable_answer("has no list of the written rows")
        changes = {position: self.operation.changes[position] for position in request.positions}
        currency = self.session.reads.currency_format
        self.written |= {str(row.get("id")): row for row in rows if not is_deleted(row)}
        if request.method == "POST":
            rows = [row for row in rows if not is_deleted(row)]  # the answer to another request
            used = answer.get("duplicate_import_ids") or ()
            earlier = {*state.rows, *self.operation.keys.values()}
            unknown = self.operation.changes_in("unknown").items()
            creations = {at: each for at, each in unknown if each.action == "create"}
            others = {at: each for at, each in creations.items() if at not in changes}
            return recover.created_rows(changes, rows, used, earlier, currency, others=others)
        return recover.updated_rows(changes, rows, is_last=is_last, currency=currency)

    def _write_twins(self, journal: Journal, requests: Iterable[Request], state: State) -> None:
        """Write the rows that are like creations already, as far as the journal lacks them."""
        changes = self.operation.changes
        wanted: dict[Resource, set[Any]] = defaultdict(set)
        for request in requests:
            if request.method == "POST":
                bodies = (changes[position].after for position in request.positions)
                wanted[request.resource].update(likeness(body, request.resource) for body in bodies)
        twins = [
            key
            for resource, found in wanted.items()
            for key, raw in state.rows.items()
            if may_be(likeness_of_row(raw, resource), found) and key not in self.operation.twins
        ]
        if twins:
            self._announce(journal, Twins(twins))

    # Finding out what was done

    async def _settle(self, journal: Journal) -> None:
        """Read the current rows, and find out which changes were made and which are conflicts."""
        operation = self.operation
        changes = operation.changes_in("pending", "unknown", "conflict").values()
        if not changes:
            self.state = self.state or await read_states(self.session, [])
            return
        older = self._older
        # Only the name of a new payee must be found among the current payees.
        names = older.names if older and not _creates_payees(changes) else None
        if older is None and not (_creates_payees(changes) or _may_cause_more(operation)):
            names = Names()
        state = await read_states(self.session, changes, names)
        is_fresh = not self.has_begun
        known = self._made(journal), self.written
        event = recover.compared_again(operation, state, older, *known, is_fresh=is_fresh)
        left = [*operation.positions("pending"), *event.pending]
        operations = journal.operations(without_changes=True)
        problems = new_problems(operation, left, operations, state)
        if is_fresh and older is not None:
            problems |= recover.conflicts_of_balances(operation, older, state, event.conflicts)
        event.conflicts |= problems
        if event.conflicts:
            with suppress(ToolError):  # what is left no longer agrees: the service settles that
                event = recover.with_side_effects(operation, event, state, is_fresh=is_fresh)
        self._take(journal, event)
        self.state = self._older = state
        self._compared_at, self._writes = self._clock(), self.session.writes

    def _take(self, journal: Journal, event: Outcome) -> None:
        """Take an event into account, and write it if the operation is in the journal."""
        if self.has_begun:
            journal.write(self.operation, event)
        else:
            self.operation.take(event)

    def _made(self, journal: Journal) -> set[str]:
        """The keys of rows that no lost request has created: this or another application did."""
        found = set(self.operation.keys.values())
        if self.operation.positions("unknown"):
            found |= {key for each in journal.operations() for key in each.keys.values()}
        return found


def _rows(positions: Sequence[int]) -> str:
    """The numbers of rows as ranges."""
    found: list[list[int]] = []
    for at in positions:
        if found and at == found[-1][-1] + 1:
            found[-1].append(at)
        else:
            found.append([at])
    ranges = (f"{each[0]} to {each[-1]}" if len(each) > 1 else f"{each[0]}" for each in found)
    return f"row{'s' * (len(positions) > 1)} {', '.join(ranges)}"


def _body(change: Change) -> dict[str, Any]:
    """What is sent for a transaction."""
    body = dict(change.after)
    if change.action == "update":
        body["id"] = change.key
        if "payee_name" in body:  # it is only used if there is no key, also of the present payee
            body["payee_id"] = None
    return body


def _creates_payees(changes: Iterable[Change]) -> bool:
    return any(row.get("payee_name") for change in changes for row in change.written)


def _may_cause_more(operation: Operation) -> bool:
    """Whether the service may change other rows too, which depends on accounts and payees."""
    return any(
        each.is_side_effect or (each.action == "update" and OF_TRANSFER & each.after.keys())
        for each in operation.changes
    )


async def written_rows(
    session: Session, asked: str, prepare: Callable[..., Coroutine[Any, Any, Compared]]
) -> tuple[list[Row], Application]:
    """Prepare changes, send them, and return the new rows and the rows that were given."""
    # Updated rows are as they are now, and deleted ones as they were. If the same was interrupted
    # before, that is continued. What was not made is an error, except for a new row whose import id
    # is in use. If the service has changed a new row, this is a warning.
    check_may_write(session)
    operation = interrupted(await journal_of(session), asked, session.reads.now())
    compared = None if operation else replace(await prepare(is_new=False), asked=asked)
    application = Application(session, compared, operation)
    await _apply_in_turn(application)
    operation = application.operation
    created = {operation.keys[at]: None for at in sorted(operation.keys)}
    failed = []
    for change in application.conflicts:
        if change.key in created or change.problem == MERGED:
            defer_warning(change.problem)
        elif change.problem != ID_IN_USE:
            failed.append(change)
    if failed and not (compared or operation.positions("done") or failed[0].action == "create"):
        return await written_rows(session, asked, prepare)  # the rows were changed since then
    if failed:
        raise _not_made(application, failed)
    return await _rows_of(application, created, compared), application


async def _rows_of(
    application: Application, created: Iterable[str], compared: Compared | None
) -> list[Row]:
    """The new rows and the given ones, as they are known after an application."""
    session, operation = application.session, application.operation
    own = [each for each in operation.changes_in(*STATUS).values() if each.action != "create"]
    given = compared.given if compared else [each.place for each in own]
    found: dict[str | None, Row] = {each.place: _deleted_row(each) for each in own}
    found |= {**application.compared_rows, **application.written}
    found |= {each.place: found[each.key] for each in own if each.key in application.written}
    changed_too = {each.place for each in operation.changes if each.is_side_effect}
    if changed_too.intersection(given):  # both sides of a transfer are given
        try:
            found |= (await read_states(session, operation.changes, Names())).rows
        except (ServiceAPIError, ToolError, httpx.RequestError) as error:
            # Everything is written: after an error, a person would write it once more.
            defer_warning(f"the written rows could not be read again: {error}")
    return [found[key] for key in [*created, *given] if key in found]


async def _apply_in_turn(application: Application) -> None:
    """Apply changes, after those that another process or thread applies at this moment."""
    for _ in range(_TURNS):
        try:
            return await application.apply()
        except JournalInUseError:
            await asyncio.sleep(_TURN_SECONDS)
    return await application.apply()


def _deleted_row(change: Change) -> Row:
    """The row of a change as it was, of which nothing more is known."""
    amounts = {name: to_currency(change.before[name]) for name in AMOUNTS & change.before.keys()}
    keys = {name: key for name, key in change.before.items() if name.endswith("_id")}
    names = {f"{name.removesuffix('_id')}_name": change.names.get(keys[name]) for name in keys}
    days = {"date_next": change.before.get("date"), "date_first": change.shown.get("date_first")}
    return {"id": change.key, **change.before, **days, **amounts, **names}


def _not_made(application: Application, failed: Sequence[Change]) -> Exception:
    """The error for changes that were not made: that of the service if it has refused one."""
    first, sent = failed[0], application.operation.positions(*STATUS)
    column = KEYS[first.resource]
    row = f"{column} {first.key!r}"
    if first.key is None:
        row = f"new {column.removesuffix('_id').replace('_', ' ')}"
    shown = described(first, application.session.reads.currency_format)
    outcome = (
        f"f {number_of(len(sent), 'change')}, {number_of(len(failed), 'was', 'were')} not made"
        f" (first: {row} ({shown}): {first.problem})"
    )
    if application.operation.positions("done"):
        outcome += ". bf.journal().undo().apply() takes back what was made"
    if application.refusal is None:
        return ToolError(f"{row}: {first.problem}" if len(sent) == 1 else f"o{outcome}")
    if len(sent) > 1:
        application.refusal.add_note(f"O{outcome}.")
    return application.refusal
