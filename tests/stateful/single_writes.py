"""A random program of single writes, with faults, kills, another device and undo.

After a failed call, the program does what a person does: the same call or `Journal.resume` again,
in this process or another one, until it succeeds. Then its effect must exist exactly once, and the
journal must have one entry of it. `single_calls` has the calls with their effects, and
`single_model` the content of the budget as the service must have it then.
"""

from __future__ import annotations

import random
import shutil
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx

from budgetframe import BudgetFrame, ServiceAPIError, ToolError

from . import other_device
from .changes_program import new_folder
from .counts import COUNTS
from .package_internals import connect_process
from .service import Service
from .single_calls import Call, RandomCalls
from .single_model import (
    Change,
    Content,
    Place,
    Row,
    carried_out,
    content_in,
    decided,
    differences,
    renamed,
    reversed_changes,
    row_at,
    with_keys,
    with_sides,
)
from .wire import FAULTS_OF_WRITES, ProcessKilledError, Wire

_FAULTS = (*FAULTS_OF_WRITES, "drop-row", "drop-row-after", "drop-half", "drop-half-after")
_FAULTS_OF_READS = ("reset-before", "500", "503", "html", "kill-before", "kill-after")
_TRIES_WITH_FAULTS = 3
_TRIES = 8
_TTL = 300.0
_OUTDATED = {
    "transactions": {"accounts", "categories", "months", "payees", "scheduled_transactions"},
    "accounts": {"payees", "transactions", "categories", "months"},
    "categories": {"months", "transactions", "scheduled_transactions"},
    "category_groups": {"categories", "months", "transactions", "scheduled_transactions"},
    "months": {"categories"},
    "payees": {"transactions", "scheduled_transactions"},
    "scheduled_transactions": {"payees"},
}
"""The lists that a write to a resource makes outdated, besides its own one and the export."""
_LISTS = {"transactions": "transactions", "payees": "payees", "groups": "categories",
          "categories": "categories"}  # fmt: skip
"""The lists that show the rows of the content."""
_EDITS = [
    at
    for at, edit in enumerate(other_device.EDITS)
    if edit.__name__
    in {"_add", "_add_split", "_transfer", "_change", "_change_day", "_delete", "_assign", "_move",
        "_new_payee", "_schedule", "_reschedule"}
]  # fmt: skip
"""The edits elsewhere that leave the names of accounts and categories as they are."""


@dataclass
class Entry:
    """An entry of the journal, and what it has done."""

    position: int
    is_move: bool
    changes: list[Change]
    is_undone: bool = False


class _WatchingWire(Wire):
    """The wire, which also tells the program what the lists have shown and what was written."""

    def __init__(self, program: SingleWrites) -> None:
        super().__init__(program.service)
        self._program = program
        self.reads_before_fault = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        program, resource = self._program, "/".join(request.url.path.split("/")[4:])
        is_read, known = request.method == "GET", len(self.faults)
        knowledge = program.budget.knowledge
        if not is_read:
            program.note_write(resource.split("/")[0], is_first=self.writes == 0)
        plan, is_before = self._plan, is_read and self.reads_before_fault > 0
        if is_before:
            self.reads_before_fault, self._plan = self.reads_before_fault - 1, {}
        try:
            response = await super().handle_async_request(request)
        finally:
            self._plan = plan if is_before else self._plan
            kind = "".join(self.faults[known:])
            if not is_read and (not kind or program.budget.knowledge != knowledge):
                program.note_applied()
        if is_read and response.status_code == 200 and not kind:
            program.seen[resource] = program.service.clock(), program.tries, program.content()
        return response


class SingleWrites:
    """One budget, one or two connections with the same files, and another device."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - for tests
        self.service = Service(seed % 4, 1)
        self.budget = self.service.budgets[0]
        self.wire, self.folder = _WatchingWire(self), new_folder()
        self.ttl = self.rng.choice([0.0, _TTL, _TTL])
        self.seen: dict[str, tuple[float, int, Content]] = {}
        """By list: when it was read, in which try of a call, and what it has shown."""
        self.tries = 0
        self.log = deque[str](maxlen=60)
        self._contents: tuple[int, Content] = -1, {}
        self.call: Call | None = None
        self.calls = RandomCalls(self.rng, self.service.today, {})
        self._set_model(self.content())
        self.calls.ordinary = [
            row.id
            for row in self.budget.categories.live()
            if not row.internal and row.payment_account_id is None
            and (row.goal is None or row.goal.type != "DEBT")
        ]  # fmt: skip
        self.entries: list[Entry] = []
        self.made = 0
        """The number of entries of the journal that have changed something."""
        self.processes = [self._connect() for _ in range(self.rng.choice([1, 2]))]

    def _connect(self) -> BudgetFrame:
        return connect_process(self.wire, ttl=self.ttl, folder=self.folder)

    def close(self) -> None:
        """End the processes, and remove their files."""
        for bf in self.processes:
            bf.close()
        del self.service.sandbox.transport  # other programs use the same service
        shutil.rmtree(self.folder)

    # What the wire and the service show

    def content(self) -> Content:
        """The content of the service now."""
        if self._contents[0] != self.budget.knowledge:
            self.service.record_changes()
            export = self.service.answer(f"/budgets/{self.budget.id}").raw["budget"]
            self._contents = self.budget.knowledge, content_in(export)
        return self._contents[1]

    def note_write(self, resource: str, *, is_first: bool) -> None:
        """Take over what the lists show of the rows that a call changes, before it is sent."""
        call = self.call
        assert call is not None, "a write was sent without a call"
        if is_first and not call.applied:
            for change in call.effect(self.model):
                if change.action == "set" and call.undoes is None:
                    self._note_before(call, change)
        for name in list(self.seen):
            if name.split("/")[0] in {resource, "", *_OUTDATED[resource]}:
                del self.seen[name]

    def _note_before(self, call: Call, change: Change) -> None:
        table, key = change.place
        if table == "months":
            month = key.split()[0]
            names = {
                f"months/{month}",
                "categories" if month == f"{self.service.today:%Y-%m}-01" else "",
            }
        else:
            names = {_LISTS[table], f"{_LISTS[table]}/{key}"}
        now = self.service.clock()
        shown = [
            content
            for name, (at, tries, content) in self.seen.items()
            if name in {*names, ""} and (tries == self.tries or now - at < self.ttl)
        ]
        for name, (present,) in change.before.items():
            values = call.before.setdefault((change.place, name), [])
            found = [(row_at(content, change.place) or {}).get(name) for content in shown]
            values += [value for value in found if value not in values]
            call.is_disturbed |= values not in ([], [present])

    def note_applied(self) -> None:
        """Count a request that the service has carried out."""
        assert self.call is not None
        self.call.applied += 1

    # Steps

    def step(self) -> None:
        """Do one random thing, and check its result."""
        steps: list[tuple[int, Callable[[], None]]] = [
            (12, self._write), (5, self._undo), (3, self._read), (2, self._wait),
            (4, self._edit_elsewhere), (1, self._restart),
        ]  # fmt: skip
        (chosen,) = self.rng.choices([each for _, each in steps], [weight for weight, _ in steps])
        chosen()
        COUNTS["steps"] += 1

    def _read(self) -> None:
        name = self.rng.choice(
            ["transactions", "transactions", "categories", "payees", "month", "accounts",
             "scheduled_transactions"]
        )  # fmt: skip
        bf = self.rng.choice(self.processes)
        getattr(bf, name)(*([self.calls.month()[:7]] if name == "month" else []))
        self._note("reads", name)

    def _wait(self) -> None:
        self.service.clock.advance(self.rng.choice([60.0, 299.0, 301.0]))
        self._note("waits")

    def _restart(self) -> None:
        at = self.rng.randrange(len(self.processes))
        self.processes[at].close()
        self.processes[at] = self._connect()
        self._note("restarts")

    def _edit_elsewhere(self) -> None:
        """Edit something on the other device, and take this over into the model."""
        call, before = self.call, self.content()
        hidden = before.keys() - self.model.keys()  # an interrupted call has created these
        self._edit(call, hidden & before.keys())
        after = self.content()
        edited = {place for place in {**before, **after} if before.get(place) != after.get(place)}
        for place in edited - hidden:
            old, new = row_at(before, place) or {}, row_at(after, place) or {}
            fields = {name: new[name] for name in new if old.get(name, ...) != new[name]}
            self.model[place] = (row_at(self.model, place) or {}) | fields
            if place not in after:
                del self.model[place]
        if call is not None:
            call.is_disturbed |= bool(edited & (call.touched | hidden))
            call.is_lost |= any(
                _likeness(before[at]) != _likeness(after.get(at, {})) for at in edited & hidden
            )
        self._note("edits", *edited)

    def _edit(self, call: Call | None, hidden: set[Place]) -> None:
        rng, device, kind = self.rng, self.service.device, self.rng.random()
        changes = [change for entry in self.entries[-3:] for change in entry.changes]
        changes += call.effect(self.model) if call is not None else []
        known = ({change.place for change in changes} | hidden) & self.content().keys()
        own = sorted(place for place in known if place[0] in ("transactions", "months"))
        table, key = rng.choice(own) if own else ("", "")
        if table == "months" and kind < 0.35:
            month, category = key.split()
            device.assign(category, self.service.today.fromisoformat(month), 1000)
        elif table and kind < 0.3:
            edits: list[Row] = [
                {"memo": "theirs"}, {"flag_color": "purple"}, {"approved": True},
                {"cleared": "reconciled"}, {"date": self.service.today},
            ]  # fmt: skip
            device.edit_transaction(key, **rng.choice(edits))
        elif table and kind < 0.35:
            device.delete_transaction(key)
        elif kind < 0.45:
            device.rename_payee(self.calls.payee(), self.calls.name("Theirs"))
        elif kind < 0.5:
            device.rename_group(self.calls.group(), self.calls.name("Theirs"))
        elif kind < 0.6:
            with device.edit() as editor:
                row = editor.budget.categories[rng.choice(self.calls.ordinary)]
                editor.categories.edit(row, note=self.calls.name("theirs"))
        elif kind < 0.7 and call is not None:
            self._add_similar(call)
        else:
            numbers = rng.choice(_EDITS), rng.randrange(2**16), rng.randrange(2**16)
            other_device.edit(self.service, *numbers, rng.randint(-300, 300) * 1000)

    def _add_similar(self, call: Call) -> None:
        """Add a row with the account, the day and the amount of one that is being created."""
        for change in call.effect(self.model):
            row = change.after
            if (
                change.action == "new"
                and change.place[0] == "transactions"
                and not row["import_id"]
            ):
                names = ("account_id", "amount", "cleared")
                self.service.device.add_transaction(
                    date=self.service.today.fromisoformat(row["date"]), memo="theirs",
                    **{name: row[name] for name in names},
                )  # fmt: skip
                call.is_disturbed = True

    def _note(self, name: str, *more: object) -> None:
        COUNTS[name] += 1
        self.log.append(" ".join(map(str, (name, *more))))

    def _write(self) -> None:
        call = self.calls.call()
        COUNTS[f"call {'refused' if call.is_refused else call.name}"] += 1
        self._carry_out(call)
        is_again = call.name.startswith("create_") and "import_id" not in str(call)
        if is_again and not call.is_disturbed and self.rng.random() < 0.15:
            COUNTS["same call once more"] += 1  # a second coffee is another row
            self._carry_out(replace(call, applied=0, faults=[], before={}))

    def _undo(self) -> None:
        entries = [entry for entry in self.entries if not entry.is_undone]
        if not entries:
            return
        entry = self.rng.choice(entries[-4:])

        def effect(content: Content) -> list[Change]:
            return reversed_changes(content, entry.changes, is_move=entry.is_move)[0]

        self.undone = entry
        COUNTS["undos"] += 1
        self._carry_out(Call("undo", [entry.position], effect, undoes=entry.position))

    # Calls until they succeed

    def _carry_out(self, call: Call) -> None:
        """Make a call until it has succeeded, as a person does."""
        self.call, self.known = call, len(self._journal())
        places = [change.place for change in call.effect(self.model)]
        call.touched = {side for place in places for side in with_sides(self.model, place)}
        between = (
            self._edit_elsewhere,
            self._edit_elsewhere,
            self._wait,
            self._read,
            self._restart,
        )
        for number in range(_TRIES):
            error = self._try(call, number)
            if self._is_done(call, error):
                break
            if self.rng.random() < 0.4:
                self.rng.choice(between)()
        else:
            raise AssertionError(f"{call} never succeeds: {error!r}")
        self.call = None

    def _try(self, call: Call, number: int) -> BaseException | None:
        """Make a call once, or continue it; return its error."""
        self.tries += 1
        at = self.rng.randrange(len(self.processes))
        bf = self.processes[at]
        has_left = number > 0 and self._journal()["left"].any()
        is_resumed = has_left and (call.undoes is not None or self.rng.random() < 0.4)
        self.wire.plan(
            self._faults() if number < _TRIES_WITH_FAULTS and not call.is_refused else {}
        )
        error: BaseException | None = None
        try:
            if is_resumed:
                bf.journal().resume()
            else:
                call.run(bf)
        except (ServiceAPIError, httpx.TransportError, ToolError, ProcessKilledError) as found:
            error = found
        self.wire.end_plan()
        self._note("resumed" if is_resumed else "tries", call, self.wire.faults, f"{error!r:.400}")
        call.faults += self.wire.faults
        for kind in self.wire.faults:
            COUNTS[f"fault {kind}"] += 1
        if isinstance(error, ProcessKilledError):
            COUNTS["kills"] += 1
            self.processes[at].close()
            self.processes[at] = self._connect()
        COUNTS["interrupted"] += error is not None and bool(self.wire.faults)
        return error

    def _faults(self) -> dict[int, str]:
        rng = self.rng
        self.wire.reads_before_fault = 0
        if rng.random() < 0.45:
            return {}
        if rng.random() < 0.15:
            self.wire.reads_before_fault = rng.choice([0, 0, 1, 2, 3])
            return {0: rng.choice(_FAULTS_OF_READS)}
        return {rng.choice([1, 1, 1, 2, 3]): rng.choice(_FAULTS)}

    def _is_done(self, call: Call, error: BaseException | None) -> bool:
        """Whether nothing is left to do after a call; then its effect is checked."""
        conflicts = 0
        if call.is_refused:
            assert isinstance(error, ToolError), f"{call} was not refused, but {error!r}"
            assert not self.wire.writes, f"{call} was refused after it was sent"
            error = None
        elif call.undoes is not None:
            changes, conflicts = reversed_changes(
                self.model, self.undone.changes, is_move=self.undone.is_move
            )
            if not changes and isinstance(error, ToolError):
                error = None  # nothing of it can be undone
        entries = self._journal().iloc[self.known :]
        if entries["left"].any():
            assert self.wire.faults, f"{call} has left something, but {error!r}"
            return False
        made = int(_made(entries).sum())
        if (
            len(entries)
            and int(entries["conflicts"].iloc[-1]) > conflicts
            and not call.is_disturbed
        ):
            assert "409" in call.faults, f"{call}: {error!r}, {entries.to_dict('records')}"
            self.known += len(entries) if not made else 0
            if made:
                self._take_over(call)  # the service has refused a part of it
            return bool(made)
        if call.undoes is not None and made:
            error = None  # it was complete before something else failed
        if error is None:
            (self._take_over if call.is_disturbed else self._complete)(call)
            return True
        if not self.wire.faults:
            assert call.is_disturbed, f"{call}: without a fault, {error!r}"
            self._take_over(call)
            return True
        return False

    def _take_over(self, call: Call) -> None:
        """Take what the service has after a conflict, or after it has refused a part of a call."""
        COUNTS["conflicts" if call.is_disturbed else "refused in part"] += 1
        wanted, actual = carried_out(self.model, call.effect(self.model)), self.content()
        for table in ("transactions", "scheduled_transactions"):
            numbers = [sum(place[0] == table for place in each) for each in (actual, wanted)]
            least = sum(place[0] == table for place in self.model)
            assert call.is_lost or numbers[0] <= max(numbers[1], least), (
                f"{call}: {numbers[0]} {table}, not {numbers[1]}"
            )
        journal = self._journal()
        assert not journal["left"].any(), f"{call} has left something: {journal.tail(2)}"
        self.made = int(_made(journal).sum())
        self._set_model(actual)
        if call.undoes is not None:
            self.undone.is_undone = True

    def _complete(self, call: Call) -> None:
        """Compare the content with that after the effect of a call, and keep it for an undo."""
        actual = self.content()
        changes = [decided(change, actual) for change in call.effect(self.model)]
        expected, keys = with_keys(carried_out(self.model, changes), actual)
        problems = differences(expected, actual)
        assert not problems, "\n".join([f"after {call}:", *problems])
        self._set_model(actual)
        journal = self._journal()
        made, is_made = int(_made(journal).sum()), call.applied > 0 and bool(changes)
        assert made == self.made + is_made, (
            f"{call} made {made - self.made} entries, not {int(is_made)}"
        )
        COUNTS["comparisons"] += 1
        self.made = made
        if not is_made:
            return
        if call.undoes is not None:
            self.undone.is_undone = True
        done = [self._as_done(call, change, keys, actual) for change in changes]
        self.entries.append(
            Entry(
                len(journal) - 1,
                call.name == "move" or (call.undoes is not None and self.undone.is_move),
                done,
            )
        )

    def _as_done(self, call: Call, change: Change, keys: dict[str, str], actual: Content) -> Change:
        """A change with the key of its row, and with the values that its undo restores."""
        place = change.place[0], keys.get(change.place[1], change.place[1])
        if change.action == "new":
            return replace(change, place=place, after=actual[place])
        if change.action == "gone" or call.undoes is not None:
            return change
        before = {name: call.before[place, name] for name in change.before}
        assert all(before.values()), f"{call} was sent although nothing has shown the former values"
        return replace(change, after=renamed(change.after, keys), before=before)

    def _set_model(self, content: Content) -> None:
        self.model = self.calls.content = dict(content)

    def _journal(self) -> Any:
        return self.processes[0].journal().frame


def _likeness(row: Row) -> tuple[Any, ...]:
    """What an engine can know a new row by."""
    return tuple(row.get(name) for name in ("account_id", "date", "amount"))


def _made(journal: Any) -> Any:
    """Whether the entries of a journal have changed something."""
    return journal["created"] + journal["updated"] + journal["deleted"] > 0


def run_program(seed: int, steps: int) -> None:
    """Run a program; an AssertionError says what the service or the journal has instead."""
    program = SingleWrites(seed)
    COUNTS["programs"] += 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a write that was not applied completely
            for _ in range(steps):
                program.step()
    except BaseException as error:
        error.add_note("\n".join([f"seed {seed}, the last steps:", *program.log]))
        raise
    finally:
        program.close()
