"""A random program of single writes, with faults, kills, another device and undo.

After a failed call, the program does what a person does: the same call or `Journal.resume` again,
in this process or another one, until it succeeds. Then its effect must exist exactly once, and the
journal must have one entry of it. `single_calls` has the calls with their effects, and
`single_model` the content of the budget as the service must have it then.
"""

import math
import random
import shutil
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx

from budgetframe import BudgetFrame, ServiceAPIError, ToolError

from . import other_device
from .changes_program import new_folder
from .content import Content, Place, Row, content_of, differences
from .counts import COUNTS
from .package_internals import connect_process
from .service import Service
from .single_calls import Call, Entry, RandomCalls
from .single_model import (
    Change,
    carried_out,
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
_EDITS = [
    at
    for at, edit in enumerate(other_device.EDITS)
    if not {"account", "category", "group", "rename", "bank", "regroup"}
    & {*edit.__name__.split("_")}
]
"""The edits elsewhere that leave the names of accounts and categories as they are."""


class SingleWrites:
    """One budget, one or two connections with the same files, and another device."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - for tests
        self.service = Service(seed % 4, 1)
        self.wire, self.folder = Wire(self.service), new_folder()
        self.ttl = self.rng.choice([0.0, _TTL, _TTL])
        self.log = deque[str](maxlen=60)
        self.call: Call | None = None
        self.calls = RandomCalls(self.rng, self.service)
        self._set_model(self.content())
        self.edited: dict[tuple[Place, str], float] = {}
        """The fields that somebody else has edited, and when: a cached list may be older."""
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

    def _set_model(self, content: Content) -> None:
        self.model = self.calls.content = content

    def content(self) -> Content:
        """The content of the service now; an empty note is none."""
        content = _in_order(content_of(self.service.budgets[0]))
        for row in content.values():
            row.pop("import_payee_name", None)  # the service sets it
            if row.get("note") == "":
                row["note"] = None
        return content

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
        arguments = [self.calls.month()] if name == "month" else []
        getattr(self.rng.choice(self.processes), name)(*arguments)
        self._note("reads", name)

    def _wait(self) -> None:
        self.service.clock.advance(self.rng.choice([60.0, 299.0, 301.0]))
        self._note("waits")

    def _restart(self, at: int | None = None) -> None:
        at = self.rng.randrange(len(self.processes)) if at is None else at
        self.processes[at].close()
        self.processes[at] = self._connect()
        self._note("restarts")

    def _note(self, name: str, *more: object) -> None:
        COUNTS[name] += 1
        self.log.append(" ".join(map(str, (name, *more))))

    def _edit_elsewhere(self) -> None:
        """Edit something on the other device, and take this over into the model."""
        call, before = self.call, self.content()
        hidden = before.keys() - self.model.keys()  # an interrupted call has created these
        self._edit(call, hidden)
        after = self.content()
        edited = {place for place, _, _ in differences(before, after)}
        for place in edited - hidden:
            old, new = row_at(before, place) or {}, row_at(after, place) or {}
            fields = {name: new[name] for name in new if old.get(name, ...) != new[name]}
            self.model[place] = (row_at(self.model, place) or {}) | fields
            if place not in after:
                del self.model[place]
            self.edited |= {(place, name): self.service.clock() for name in fields or old}
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
        own = sorted(place for place in known if place[0] in ("transactions", "month_categories"))
        table, key = rng.choice(own) if own else ("", "")
        if table == "month_categories" and kind < 0.35:
            month, category = key.split()
            device.assign(category, self.service.today.fromisoformat(month), 1000)
        elif table and kind < 0.35:
            other_device.edit_row(self.service, rng, key)
        elif kind < 0.45:
            device.rename_payee(self.calls.payee(), self.calls.values.name("Theirs"))
        elif kind < 0.5:
            device.rename_group(self.calls.group(), self.calls.values.name("Theirs"))
        elif kind < 0.6:
            with device.edit() as editor:
                row = editor.budget.categories[rng.choice(self.calls.ordinary)]
                editor.categories.edit(row, note=self.calls.values.name("theirs"))
        elif kind < 0.7 and call is not None:
            self._add_similar(call)
        else:
            numbers = rng.choice(_EDITS), rng.randrange(2**16), rng.randrange(2**16)
            other_device.edit(self.service, *numbers, rng.randint(-300, 300) * 1000)
        self.service.record_changes()

    def _add_similar(self, call: Call) -> None:
        """Add a row with the account, the day and the amount of one that is being created."""
        for change in call.effect(self.model):
            if change.action == "new" and change.after.get("import_id", "") is None:
                row = {name: change.after[name] for name in ("account_id", "amount", "cleared")}
                day = self.service.today.fromisoformat(change.after["date"])
                self.service.device.add_transaction(**row, date=day, memo="theirs")
                call.is_disturbed = True

    def _write(self) -> None:
        call = self.calls.call()
        COUNTS[f"call {'refused' if call.is_refused else call.name}"] += 1
        self._carry_out(call)
        is_again = call.name.startswith("create_") and "import_id" not in str(call)
        if is_again and not call.is_disturbed and self.rng.random() < 0.15:
            COUNTS["same call once more"] += 1  # a second coffee is another row
            self._carry_out(replace(call, faults=[]))

    def _undo(self) -> None:
        entries = [entry for entry in self.entries if not entry.is_undone]
        if entries:
            chosen = self.rng.choice(entries[-4:])
            COUNTS["undos"] += 1
            effect = lambda content: _undone(content, chosen)[0]  # noqa: E731
            self._carry_out(Call("undo", [chosen.position], effect, undoes=chosen))

    # Calls until they succeed

    def _carry_out(self, call: Call) -> None:
        """Make a call until it has succeeded, as a person does."""
        self.call, self.known = call, len(self._journal())
        changes, start = call.effect(self.model), self.service.clock() - self.ttl
        call.touched = {side for each in changes for side in with_sides(self.model, each.place)}
        fields = {(one.place, name) for one in changes if one.action == "set" for name in one.after}
        call.is_disturbed = call.undoes is None and any(
            self.edited.get(each, -math.inf) > start for each in fields
        )
        edit = self._edit_elsewhere
        for number in range(_TRIES):
            error = self._try(call, number)
            if self._is_done(call, error):
                break
            if self.rng.random() < 0.4:
                self.rng.choice([edit, edit, self._wait, self._read, self._restart])()
        else:
            raise AssertionError(f"{call} never succeeds: {error!r}")
        self.call = None

    def _try(self, call: Call, number: int) -> BaseException | None:
        """Make a call once, or continue it; return its error."""
        at = self.rng.randrange(len(self.processes))
        bf = self.processes[at]
        has_left = number > 0 and self._journal()["left"].any()
        is_resumed = has_left and (call.undoes is not None or self.rng.random() < 0.4)
        has_faults = number < _TRIES_WITH_FAULTS and not call.is_refused
        self.wire.plan(self._faults() if has_faults else {})
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
        COUNTS.update(f"fault {kind}" for kind in self.wire.faults)
        if isinstance(error, ProcessKilledError):
            COUNTS["kills"] += 1
            self._restart(at)
        COUNTS["interrupted"] += error is not None and bool(self.wire.faults)
        return error

    def _faults(self) -> dict[int, str]:
        if (rng := self.rng).random() < 0.45:
            return {}
        if rng.random() < 0.15:
            return {rng.choice([0, 0, -1, -2, -3]): rng.choice(_FAULTS_OF_READS)}
        return {rng.choice([1, 1, 1, 2, 3]): rng.choice(_FAULTS)}

    def _is_done(self, call: Call, error: BaseException | None) -> bool:
        """Whether nothing is left to do after a call; then its effect is checked."""
        conflicts = 0
        if call.is_refused:
            assert isinstance(error, ToolError), f"{call} was not refused, but {error!r}"
            assert not self.wire.writes, f"{call} was refused after it was sent"
            error = None
        elif call.undoes is not None:
            changes, conflicts = _undone(self.model, call.undoes)
            if not changes and isinstance(error, ToolError):
                error = None  # nothing of it can be undone
        entries = self._journal().iloc[self.known :]
        if entries["left"].any():
            assert self.wire.faults, f"{call} has left something, but {error!r}"
            return False
        made = _made(entries)
        if len(entries) and entries["conflicts"].iloc[-1] > conflicts and not call.is_disturbed:
            assert "409" in call.faults, f"{call}: {error!r}, {entries.to_dict('records')}"
            self.known += len(entries) if not made else 0
            if made:
                self._take_over(call)  # the service has refused a part of it
            return bool(made)
        if call.undoes is not None and made:
            error = None  # it was complete before something else failed
        has_conflict = call.is_disturbed and entries["conflicts"].any()  # a person reads of it
        if error is not None and self.wire.faults and not has_conflict:
            return False
        assert error is None or call.is_disturbed, f"{call}: without a fault, {error!r}"
        (self._take_over if call.is_disturbed else self._complete)(call)
        return True

    def _take_over(self, call: Call) -> None:
        """Take what the service has after a conflict, or after it has refused a part of a call."""
        COUNTS["conflicts" if call.is_disturbed else "refused in part"] += 1
        wanted, actual = carried_out(self.model, call.effect(self.model)), self.content()
        for table in ("transactions", "scheduled_transactions"):
            numbers = [sum(at[0] == table for at in each) for each in (actual, wanted, self.model)]
            assert call.is_lost or numbers[0] <= max(numbers[1:]), (
                f"{call}: {numbers[0]} {table}, not {numbers[1]}"
            )
        journal = self._journal()
        assert not journal["left"].any(), f"{call} has left something: {journal.tail(2)}"
        self.made = _made(journal)
        self._set_model(actual)
        if call.undoes is not None:
            call.undoes.is_undone = True

    def _complete(self, call: Call) -> None:
        """Compare the content with that after the effect of a call, and keep it for an undo."""
        actual, changes = self.content(), call.effect(self.model)
        expected, keys = with_keys(_in_order(carried_out(self.model, changes)), actual)
        problems = [
            f"{at} is {now}, expected {then}" for at, then, now in differences(expected, actual)
        ]
        assert not problems, "\n".join([f"after {call}:", *problems])
        is_made = expected != self.model
        self._set_model(actual)
        journal = self._journal()
        made, self.made = _made(journal) - self.made, _made(journal)
        assert made == is_made, f"{call} made {made} entries, not {int(is_made)}"
        COUNTS["comparisons"] += 1
        if is_made:
            done = [self._as_done(change, keys) for change in changes]
            is_move = call.name == "move"
            if call.undoes is not None:
                call.undoes.is_undone, is_move = True, call.undoes.is_move
            self.entries.append(Entry(len(journal) - 1, is_move, done))

    def _as_done(self, change: Change, keys: dict[str, str]) -> Change:
        """A change with the keys of the service."""
        place = change.place[0], keys.get(change.place[1], change.place[1])
        after = self.model[place] if change.action == "new" else renamed(change.after, keys)
        return replace(change, place=place, after=after)

    def _journal(self) -> Any:
        return self.processes[0].journal().frame


def _undone(content: Content, entry: Entry) -> tuple[list[Change], int]:
    return reversed_changes(content, entry.changes, is_move=entry.is_move)


def _in_order(content: Content) -> Content:
    """The content with the other sides of transfers last, by amount: the parts have no order."""
    amount = {key: row.get("amount") for (_, key), row in content.items()}
    for at, row in content.items():
        if "sides" in row:
            sides = sorted(row["sides"], key=lambda side: (side is not None, amount.get(side)))
            content = content | {at: row | {"sides": sides}}
    return content


def _likeness(row: Row) -> list[Any]:
    """What an engine can know a new row by."""
    return [row.get(name) for name in ("account_id", "date", "amount")]


def _made(journal: Any) -> int:
    """The number of entries of a journal that have changed something."""
    return int((journal["created"] + journal["updated"] + journal["deleted"] > 0).sum())


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
