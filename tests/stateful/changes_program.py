"""A random program that changes a budget from frames, and checks the service after each step.

A step is one of: read a frame, compare an edited frame, apply or resume the changes, reverse them,
an edit on another device, a wait, a new process. Refused comparisons are counted, but are no steps.
"""

import math
import random
import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, ServiceAPIError, ToolError
from tests.sandbox.audit import check_books

from . import other_device
from .content import PART_FIELDS, Content, Figures, Place, Row, content_of, differences, figures_of
from .counts import COUNTS
from .package_internals import (
    Announced,
    announced_by,
    announced_in_journal,
    change_number,
    connect_process,
    journal_position,
    let_comparison_age,
    set_disk,
    set_limit,
    undone_numbers,
    waiting_lines,
)
from .random_edits import TABLES, Edit, random_edit
from .service import WINDOW, Service
from .wire import FAULTS_OF_WRITES, NOT_APPLIED, Disk, ProcessKilledError, Wire

_REFUSED = (400, 404)
_ACCEPTED = "the service accepted it"
"""In the problem of a change that was not applied, or not all of it."""
_ALL_WRITES = 50
"""More than the writes of any changes of a program."""
_KEYS = ["transaction_id", "scheduled_transaction_id", "category_id"]
_MADE = ("done", "unknown")
_NOT_COMPARED = frozenset({"sides"})
"""Fields that follow from others, so that no change announces them."""
_LOST = frozenset({"sides", "import_id", "import_payee_name"})
"""Fields that a restored row does not have."""
_LOST_BY_OTHER_SIDES = _LOST | {"cleared", "approved", "flag_color"}
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "transactions": {
        "cleared": "uncleared", "approved": False, "flag_color": None, "payee_id": None,
        "category_id": None, "memo": None, "import_id": None, "subtransactions": (),
    },
    "scheduled_transactions": {"flag_color": None, "payee_id": None, "category_id": None,
        "memo": None, "subtransactions": ()},
}  # fmt: skip
"""The values that the service gives to the fields that a new row lacks."""


_EMPTY = (None, "")  # an empty text is a missing one


@dataclass
class Attempt:
    """Changes that were compared, and everything that has happened to them since then."""

    changes: Changes
    process: BudgetFrame
    """The process that has the changes."""
    edit: Edit | None
    """The edit that they come from; None if they reverse others."""
    before: Content
    """The content when they were compared."""
    figures: Figures
    undoes: "Attempt | None" = None
    touched: set[Place] = field(default_factory=set)
    """The rows that were changed elsewhere since they were compared."""
    is_partly_applied: bool = False
    """Whether the service has not applied a field or a row of them."""
    is_alone: bool = True
    """Whether nobody else has changed anything since then, and no day has passed."""
    made: dict[int, Place] = field(default_factory=dict)
    """The rows that the service has created for announced changes, by their position."""
    effects: pd.DataFrame | None = None
    has_begun: bool = False
    is_undone: bool = False
    """Whether other changes have reversed these: they are not reversed again."""
    left: Content = field(default_factory=dict)
    """The content when the changes were complete."""
    announced: list[Announced] = field(default_factory=list)
    """What was announced when they were complete."""
    number: str = ""
    """What identifies them in the journal."""


class ChangesProgram:
    """One budget, the processes that change it, and another device; the seed decides everything."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - for tests
        self.service = Service(seed % 4, 1)
        self.budget = self.service.budgets[0]
        # The effects are those after the service has corrected the categories of deleted splits.
        self.budget.is_lenient = True
        self.wire, self.disk = Wire(self.service), Disk()
        set_disk(self.disk)
        has_file = self.rng.random() < 0.7
        self.folder = new_folder() if has_file else None
        self.ttl = self.rng.choice([0.0, 300.0])
        self.bf = connect_process(self.wire, ttl=self.ttl, folder=self.folder)
        self.frames: dict[str, tuple[pd.DataFrame, Content]] = {}
        self.open: Attempt | None = None
        self.prepared: Attempt | None = None
        """Changes that were compared before the open ones are applied."""
        self.done: list[Attempt] = []
        self.steps = 0
        self.is_undisturbed = seed % 3 == 0
        """Whether the only device is this one, and the only faults are writes that the service does
        not apply: then everything can be undone."""

    def close(self) -> None:
        """End the process, and remove its files."""
        self.bf.close()
        if self.folder is not None:
            shutil.rmtree(self.folder)

    # Steps

    def step(self) -> None:
        """Do one random thing, and check its result."""
        steps: list[tuple[int, Callable[[], bool]]] = [
            (2, self._read), (0 if self.is_undisturbed else 3, self._edit_elsewhere),
            (0 if self.is_undisturbed else 1, self._wait), (1, self._restart),
        ]  # fmt: skip
        if self.open is None and self.prepared is not None:
            steps = [(1, self._take_prepared)]
        elif self.open is None:
            steps += [(9, self._compare), (8, self._undo)]
        elif self.open.has_begun:
            steps += [(12, self._apply)]
        else:
            steps += [(8, self._show_effects), (12, self._apply), (1, self._drop)]
            if self.prepared is None:
                steps += [(2, self._prepare_another)]
        (chosen,) = self.rng.choices([step for _, step in steps], [weight for weight, _ in steps])
        is_step = chosen()
        self.steps += is_step
        COUNTS["steps"] += is_step

    def _read(self) -> bool:
        table = self.rng.choice(TABLES)
        if table == "month":
            frame = self.bf.month(f"{self.service.today:%Y-%m}")
        else:
            frame = getattr(self.bf, table)()
        self.frames[table] = frame, self._content()
        COUNTS["frames read"] += 1
        return True

    def _compare(self, first: Attempt | None = None) -> bool:
        """Compare an edited frame; of the rows that the first changes change too, if there are."""
        if not self.frames or (first is None and self.rng.random() < 0.5):
            self._read()
        table = self.rng.choice(list(self.frames))
        if first is not None and first.edit is not None:
            table = first.edit.table
        frame, base = self.frames[table]
        if first is not None:
            keys = {key for each in first.announced for key in each.place[1].split()[-1:]}
            same = frame[frame[frame.columns.intersection(_KEYS)].isin(keys).any(axis="columns")]
            frame = same if len(same) else frame
        edit = random_edit(self.rng, self.service, table, frame)
        content = self._content()
        try:
            changes = self.bf.changes(**edit.arguments())
        except ToolError:
            assert self._content() == content, "a refused edit has changed the service"
            COUNTS["refused edits"] += 1
            return False
        assert self._content() == content, "a comparison has changed the service"
        self.open = attempt = self._attempt_of(changes, edit, content)
        COUNTS["comparisons"] += 1
        COUNTS[f"frames of {table}"] += 1
        self._check_edit(attempt, edit, base)
        return True

    def _attempt_of(
        self, changes: Changes, edit: Edit | None, before: Content, undoes: Attempt | None = None
    ) -> Attempt:
        announced, number = announced_by(changes), change_number(changes)
        return Attempt(
            changes, self.bf, edit, before, figures_of(self.budget), undoes,
            announced=announced, number=number,
        )  # fmt: skip

    def _show_effects(self) -> bool:
        attempt = self._attempt
        if attempt.is_alone:
            attempt.effects = attempt.changes.effects
        return attempt.is_alone

    def _drop(self) -> bool:
        self.open = None
        return True

    def _prepare_another(self) -> bool:
        """Prepare other changes, or the same reversal once more, before the open ones are sent."""
        first, self.open = self._attempt, None
        is_step = self._compare(first) if first.undoes is None else self._undo(first.undoes)
        self.prepared, self.open = self.open, first
        COUNTS["prepared together"] += self.prepared is not None
        return is_step

    def _take_prepared(self) -> bool:
        """Continue with changes that others have made older since they were compared."""
        attempt, self.prepared = self.prepared, None
        assert attempt is not None
        if attempt.process is not self.bf:  # it has ended
            return False
        content = self._content()
        if attempt.undoes is not None and attempt.undoes.is_undone:
            self._check_second_undo(attempt.changes.apply)
            return True
        touched = {each.place for each in differences(attempt.before, content)}
        attempt.touched |= touched
        attempt.is_alone = not touched and attempt.is_alone
        self.open = attempt
        return True

    def _check_second_undo(self, call: Callable[[], object]) -> None:
        content = self._content()
        with pytest.raises(ToolError, match="was undone by entry"):
            call()
        assert self._content() == content, "a refused reversal has changed the service"
        COUNTS["second undos"] += 1

    def _undo(self, chosen: Attempt | None = None) -> bool:
        if not self.done:
            return False
        undone = chosen or self.rng.choice(self.done[-1 if self.is_undisturbed else -3 :])
        content = self._content()
        if undone.is_undone:
            number = journal_position(self.bf, undone.number)
            self._check_second_undo(lambda: self.bf.journal().undo(number))
            return True
        if undone.process is self.bf and self.rng.random() < 0.5:
            changes = undone.changes.undo()
        else:
            changes = self.bf.journal().undo(journal_position(self.bf, undone.number))
            COUNTS["undone from the journal"] += 1
        assert self._content() == content, "the preview of an undo has changed the service"
        self.open = self._attempt_of(changes, None, content, undone)
        self._check_reversal(self.open, undone)
        COUNTS["undone"] += 1
        return True

    def _edit_elsewhere(self) -> bool:
        before = self._content()
        one, two, three = (self.rng.randrange(2**16) for _ in range(3))
        attempt = self.open or (self.done[-1] if self.done else None)
        places: list[Place] = []
        if attempt is not None:
            places = [*(each.place for each in attempt.announced), *attempt.made.values()]
        keys = [place[1] for place in places if place in before and place[0] == "transactions"]
        if keys and self.rng.random() < 0.4:
            other_device.edit_row(self.service, self.rng, str(self.rng.choice(keys)))
        else:
            other_device.edit(self.service, one, two, three, self.rng.randint(-300_000, 300_000))
        self._note_elsewhere(before)
        COUNTS["edits"] += 1
        return True

    def _wait(self) -> bool:
        for attempt in (self.open, self.prepared):
            if attempt is not None:
                let_comparison_age(attempt.changes)
        if self.rng.random() < 0.7:
            self.service.clock.advance(self.rng.choice([60.0, 299.0, 301.0, WINDOW]))
            return True
        before = self._content()
        self.service.sandbox.advance(self.rng.choice([1, 1, 2, 35]))
        self.service.record_changes()
        self._note_elsewhere(before)
        return True

    def _note_elsewhere(self, before: Content) -> None:
        if self.open is not None:
            self.open.is_alone = False
            self.open.touched |= {each.place for each in differences(before, self._content())}
            let_comparison_age(self.open.changes)
        if self.prepared is not None:
            self.prepared.is_alone = False
            let_comparison_age(self.prepared.changes)

    def _restart(self) -> bool:
        """End the process, and start another one with the same files."""
        if self.folder is None:
            return False
        self._start_process()
        return True

    def _start_process(self) -> None:
        COUNTS["restarts"] += 1
        has_lost_lines = waiting_lines(self.bf) > 0
        self.bf.close()
        self.bf = connect_process(self.wire, ttl=self.ttl, folder=self.folder)
        self.disk.left = math.inf
        if self.open is not None and not self.open.has_begun:
            self.open = None
        if has_lost_lines:
            self.done = [each for each in self.done if self._is_known(each)]
            for each in self.done:
                each.is_undone = each.number in undone_numbers(self.bf)

    def _is_known(self, attempt: Attempt) -> bool:
        """Whether the journal knows the result of complete changes, which it may have lost."""
        announced = announced_in_journal(self.bf, attempt.number)
        if announced is None:  # it was in memory only
            return False
        content = self._content()
        if any(each.status == "unknown" for each in announced) and attempt.left == content:
            COUNTS["results found again"] += 1
            self.bf.journal().resume(journal_position(self.bf, attempt.number))
            assert attempt.is_partly_applied or self._content() == content
        return announced_in_journal(self.bf, attempt.number) == attempt.announced

    # Application

    def _apply(self) -> bool:
        attempt = self._attempt
        before, earlier = self._content(), attempt.announced
        is_resumed = attempt.process is not self.bf or (attempt.has_begun and self._chance(0.2))
        overwrite = not is_resumed and self._chance(0.1)
        requests = None
        if not (is_resumed or overwrite or attempt.has_begun) and attempt.is_alone:
            requests = attempt.changes.requests
        if overwrite:
            attempt.effects = None
        is_limited = self._chance(0.1)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the journal .* cannot be written")
            error = self._try(
                attempt, is_resumed=is_resumed, overwrite=overwrite, is_limited=is_limited
            )
        if isinstance(error, ProcessKilledError) and self.folder is not None:
            self._tear_journal()
            attempt.has_begun = True
            self._start_process()
        self._take_announced(attempt)
        after = self._content()
        self._check_writes(attempt, before, after, earlier)
        if error is not None:
            self._check_error(attempt, error, is_limited=is_limited)
            return True
        if requests is not None and not self.wire.faults:
            assert self.wire.writes == requests, f"{self.wire.writes} writes, not {requests}"
        assert attempt.has_begun or not self.wire.writes, "the journal does not know the changes"
        self._check_complete(attempt, after)
        check_books(self.service.sandbox)
        self.open = None
        if attempt.has_begun:
            attempt.left = after
            self.done.append(attempt)
        return True

    def _check_error(self, attempt: Attempt, error: BaseException, *, is_limited: bool) -> None:
        """Check that an error has a cause."""
        is_complete = all(each.status in ("done", "conflict") for each in attempt.announced)
        if isinstance(error, ToolError) and is_complete and attempt.process is not self.bf:
            # The end of the journal, which is lost, said that conflicts are overwritten.
            self.open = None
        elif isinstance(error, ToolError) and "cannot be written" in str(error):
            COUNTS["stopped by a full disk"] += 1
            assert self.disk.left < 0, error
        elif isinstance(error, ToolError):
            COUNTS["stopped by the limit"] += 1
            assert is_limited, error
        elif self.wire.faults:
            COUNTS["interrupted"] += 1
        else:
            # The changes name a category that was deleted elsewhere: they cannot be completed.
            COUNTS["refused by the service"] += 1
            assert isinstance(error, ServiceAPIError), error
            assert error.status_code in _REFUSED, error
            assert not attempt.is_alone or self.ttl, error
            assert all(each.status != "unknown" for each in attempt.announced)
            self.open = None

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _faults(self) -> dict[int, str]:
        if self._chance(0.4) or (self.is_undisturbed and self._attempt.undoes is not None):
            return {}
        if self.is_undisturbed or self._chance(0.4):
            kind = self.rng.choice(NOT_APPLIED)
            return dict.fromkeys(self.rng.choice([[1], [1, 2], range(1, _ALL_WRITES)]), kind)
        kind = self.rng.choice(FAULTS_OF_WRITES)
        if self._chance(0.1) and not kind.startswith("kill"):
            return {0: kind}
        return {self.rng.choice([1, 1, 1, 2, 2, 3, 5]): kind}

    def _try(
        self, attempt: Attempt, *, is_resumed: bool, overwrite: bool, is_limited: bool
    ) -> BaseException | None:
        """Apply changes, with faults and a limit; return the error that has ended this."""
        was_begun = attempt.has_begun
        if is_limited:
            self.service.clock.advance(WINDOW + 1)
            set_limit(self.bf, 3)
        self.wire.plan(self._faults())
        self.disk.left = self.rng.randrange(8) if self._chance(0.2) else math.inf
        try:
            if is_resumed:
                attempt.changes = self.bf.journal().resume()
                attempt.process = self.bf
            else:
                attempt.changes.apply(overwrite=overwrite)
        except (ServiceAPIError, httpx.TransportError, ToolError, ProcessKilledError) as error:
            return error
        finally:
            self.wire.end_plan()
            set_limit(self.bf)
            if is_limited:
                self.service.clock.advance(WINDOW + 1)
            attempt.is_partly_applied |= any(kind.startswith("drop") for kind in self.wire.faults)
            for kind in self.wire.faults:
                COUNTS[f"fault {kind}"] += 1
        COUNTS["applications"] += 1
        COUNTS["continued"] += was_begun
        COUNTS["continued from the journal"] += is_resumed
        COUNTS["overwritten"] += overwrite
        return None

    def _tear_journal(self) -> None:
        """Remove the end of the journal, as if the process had ended while it wrote this.

        If the process has ended before a request, the last two lines may be incomplete: the one
        that announces this request, and the result of the request before.
        """
        assert self.folder is not None
        is_whole = self.wire.faults[-1] != "kill-before" or self.disk.left < 0
        if is_whole or self._chance(0.5):
            return
        (path,) = self.folder.glob("*/*.journal")
        text = path.read_bytes()
        end = len(text) - self.rng.randrange(len(b"".join(text.splitlines(keepends=True)[-2:])) + 1)
        path.write_bytes(text[:end])
        COUNTS["torn journals"] += 1

    def _take_announced(self, attempt: Attempt) -> None:
        """Take over what is announced now, from the changes or from the journal."""
        announced = announced_in_journal(self.bf, attempt.number)
        attempt.has_begun = announced is not None
        if attempt.undoes is not None and attempt.has_begun:
            attempt.undoes.is_undone = any(each.status in _MADE for each in announced or ())
        if announced is not None:
            attempt.announced = announced
        elif attempt.process is self.bf:
            attempt.announced = announced_by(attempt.changes)
        else:  # the process has ended before it could write the journal
            self.open = None

    # Checks of what is announced

    def _check_edit(self, attempt: Attempt, edit: Edit, base: Content) -> None:
        """Check that the changes are those that the user has made, and the conflicts."""
        wish, content, announced = edit.wish, attempt.before, attempt.announced
        if self.ttl or (not edit.is_plain and base != content):
            return  # the names or the base may be older
        created = [each for each in announced if each.action == "create"]
        replaced = {(each.resource, each.replaces): each for each in created if each.replaces}
        updates = {each.place: each for each in announced if each.action == "update"} | replaced
        deleted = {each.place for each in announced if each.action == "delete"}
        for place, fields in wish.rows.items():
            row, change = _row(content, place), updates.get(place)
            planned = {} if change is None else change.after
            if row is None or (change is not None and change.problem):
                continue
            planned = {**({} if place in replaced else row), **planned}
            old = _row(base, place) or {}
            new = {name: value for name, value in fields.items() if old.get(name) != value}
            assert _has(planned, new, content), (
                f"{place} {new} was edited, but is not announced: {change}"
            )
        conflicts = {each.key for each in announced if each.problem}
        for (parent, _), fields in wish.parts.items():
            if parent in conflicts and ("transactions", parent) not in content:
                continue
            rows = [each.after for each in created] + [
                row for (resource, _), row in content.items() if resource == "transactions"
            ]
            parts = [part for row in rows for part in row.get("subtransactions") or ()]
            wanted = dict(fields)
            if (_payee(fields, content) or "").startswith("Transfer : "):
                wanted.pop("category_id", None)  # it had this category, and loses it
            assert any(_has(part, wanted, content) for part in parts), (
                f"{wanted} of a part was edited, but is not announced"
            )
        for place in wish.deleted:
            assert place in deleted or place not in content, f"{place} is not deleted"
        own = [each for each in created if each.cause is None and not each.replaces]
        assert len(own) == len(wish.created)
        for each, (resource, fields) in zip(own, wish.created, strict=True):
            assert each.resource == resource
            assert _has(each.after, fields, content), f"{fields} is announced as {each.after}"
        self._check_only_wished(edit, announced, content)
        self._check_conflicts(edit, announced, base, content)

    def _check_only_wished(
        self, edit: Edit, announced: Iterable[Announced], content: Content
    ) -> None:
        """Check that other rows and fields change only if they follow from an edited transfer."""
        wish = edit.wish
        edited = {*wish.rows, *wish.deleted}
        if wish.parts:
            edited |= {each.place for each in announced if each.action == "delete"}
        for each in announced:
            if each.action == "create" or each.place in wish.deleted or each.place not in content:
                continue
            others = _linked(edited - {each.place}, content)
            more = set(each.after) - set(wish.rows.get(each.place, ()))
            if each.action == "update" and each.place in wish.rows:
                # A row that becomes a transfer has no category; no target means no day of it.
                more -= {"category_id", "goal_target_date"}
            assert each.place in edited or each.place in others, f"nobody has edited {each}"
            assert not more or each.place in others, f"{more} were not edited: {each}"

    def _check_conflicts(
        self, edit: Edit, announced: Iterable[Announced], base: Content, content: Content
    ) -> None:
        """Check that the rows that were changed elsewhere are conflicts, and no others."""
        for each in announced:
            if each.action == "create" or each.cause is not None or not edit.is_plain:
                continue
            # A restored transfer has another side with another key, which was not changed.
            sides = {place for place in _linked([each.place], content) if place in base}
            places = {each.place, *sides} if each.action == "delete" else {each.place}
            # A field that has the edited value already is no conflict.
            wish, now = edit.wish.rows.get(each.place, {}), _row(content, each.place) or {}
            has_wish = {name for name, value in wish.items() if now.get(name) == value}
            if edit.table == "scheduled_transactions":  # the frame does not show the parts
                has_wish.add("subtransactions")
            rows = [
                {place: _without(_row(rows, place), _LOST | has_wish) for place in places}
                for rows in (base, content)
            ]
            has_changed = rows[0] != rows[1]
            if edit.table == "subtransactions" and not each.problem:
                continue  # the frame does not show the whole row
            assert bool(each.problem) == has_changed, (
                f"{each}: it was {'' if has_changed else 'not '}changed elsewhere,"
                f" from {rows[0]} to {rows[1]}"
            )
            COUNTS["conflicts"] += has_changed

    def _check_reversal(self, attempt: Attempt, undone: Attempt) -> None:
        """Check that nothing that was changed elsewhere in between is reverted."""
        recreated = {each.replaces or "": each.after for each in attempt.announced}
        for each in attempt.announced:
            if each.problem:
                COUNTS["conflicts of undo"] += 1
            if each.problem or each.cause is not None or each.action == "create":
                continue
            left, now = _row(undone.left, each.place), _row(attempt.before, each.place)
            assert now is not None
            if left is None:
                raise AssertionError(f"{each}: the row did not exist after the changes")
            again = recreated.get(each.key or "")
            for name in each.after if each.action == "update" else now.keys() - _LOST:
                is_empty = left[name] in _EMPTY and now[name] in _EMPTY
                is_kept = (
                    is_empty
                    or left[name] == now[name]
                    or (
                        # The warnings say that a restored other side loses its state and its flag.
                        again is not None
                        and (again.get(name) == now[name] or name in _LOST_BY_OTHER_SIDES)
                    )
                )
                assert is_kept, f"{each}: {name} was changed elsewhere"

    # Checks of the service

    def _check_writes(
        self, attempt: Attempt, before: Content, after: Content, earlier: list[Announced]
    ) -> None:
        """Check that the service has changed only what is announced, and nothing twice."""
        announced, problems = attempt.announced, list[str]()
        done = {each.place for each in earlier if each.status == "done" and each.action == "update"}
        new_payees = {name for each in announced for name in _new_payees(each.after)}
        for place, old, new in differences(before, after):
            if _without(old, _NOT_COMPARED) == _without(new, _NOT_COMPARED):
                continue
            if place[0] == "payees" and old is None and new is not None:
                is_announced = new["name"] in new_payees
            elif new is not None and old is None and place[0] != "month_categories":
                is_announced = self._is_announced_creation(attempt, place, new, after)
            elif new is None and place[0] != "month_categories":
                is_announced = any(
                    each.place == place and each.action == "delete" and not each.problem
                    for each in announced
                )
            else:
                names = self._unannounced_fields(attempt, place, (old, new), after)
                is_announced = not names - _NOT_COMPARED and place not in done
            if not is_announced:
                problems.append(f"{place} was changed from {old} to {new}")
        assert not problems, "\n".join(
            ["not announced:", *problems, "announced:", *map(str, announced)]
        )

    def _unannounced_fields(
        self, attempt: Attempt, place: Place, rows: tuple[Row | None, Row | None], after: Content
    ) -> set[str]:
        """The fields of a row that have changed, and not as announced."""
        old, new = (row or {"budgeted": 0} for row in rows)
        names = {name for name in old if old[name] != new[name]}
        import_ids = {each.after.get("import_id") for each in attempt.announced} - {None}
        if new.get("import_id") in import_ids:  # the service matches such a row
            names.discard("import_id")
        for each in attempt.announced:
            if each.place == place and each.action == "update" and not each.problem:
                names -= _made(each, old, new, after)
                if attempt.is_partly_applied and _lacks_new_payee(each, old, new, after):
                    names.discard("payee_id")
        if attempt.is_partly_applied:
            # What is sent once more is announced when it is known that it was made.
            names -= _mirrored(place, new, attempt.announced, after)
        return names

    def _wanted(self, attempt: Attempt, each: Announced, place: Place, new: Row) -> dict[str, Any]:
        """The fields that a created row must have."""
        wanted, loose = _complete(each.after, DEFAULTS[each.resource]), list[str]()
        if each.cause is not None:
            if any((place[0], side) in attempt.touched for side in new.get("sides", ())):
                loose += ["date", "memo"]  # the new side copies an edit elsewhere
            if self.ttl and each.after.get("payee_id") is None:
                loose += ["payee_id"]  # the list of accounts may be older than the account
            if attempt.is_partly_applied:
                loose += ["cleared", "approved"]  # it was made before the row had its new state
        return {name: value for name, value in wanted.items() if name not in loose}

    def _is_announced_creation(
        self, attempt: Attempt, place: Place, new: Row, after: Content
    ) -> bool:
        # A created row that was deleted elsewhere may be created once more, but equal ones first.
        for position in sorted(range(len(attempt.announced)), key=lambda at: at in attempt.made):
            each, known = attempt.announced[position], attempt.made.get(position)
            if known is not None and known not in attempt.touched:
                continue
            if each.action != "create" or each.resource != place[0] or each.problem:
                continue
            wanted = self._wanted(attempt, each, place, new)
            # What the service did not keep of a new row is sent once more, as an update of it.
            later = [other for other in attempt.announced if other.place == place]
            sent = [row.after for row in later if row.status in _MADE and not row.problem]
            for fields in ({}, *sent):
                wanted = _complete({**wanted, **fields}, {})
                if _has(new, wanted, after):
                    attempt.made[position] = place
                    return True
        return False

    def _check_complete(self, attempt: Attempt, after: Content) -> None:
        """Check that everything that is announced was made."""
        announced = attempt.announced
        has_conflicts = any(each.problem for each in announced)
        for position, each in enumerate(announced):
            if each.problem or _is_superseded(position, announced):
                continue
            assert each.cause is not None or each.status == "done", f"not done: {each}"
            if each.cause is not None and not attempt.is_alone:
                continue
            if each.action == "create":
                assert position in attempt.made, f"not created: {each}"
            elif each.place in attempt.touched:
                continue
            elif each.action == "delete":
                assert each.place not in after, f"not deleted: {each}"
            else:
                row = _row(after, each.place)
                assert row is not None, f"gone: {each}"
                assert _has(row, each.after, after), f"not changed: {each}, but {row}"
        if attempt.is_alone and not has_conflicts:
            if attempt.effects is not None and not self.ttl:  # else, other figures may be older
                self._check_effects(attempt)
            if attempt.undoes is not None:
                self._check_restored(attempt, attempt.undoes, after)

    def _check_effects(self, attempt: Attempt) -> None:
        effects = attempt.effects
        assert effects is not None
        months = effects["month"].dt.strftime("%Y-%m-%d")
        keys = zip(
            effects["kind"].astype(object),
            effects["key"].astype(object).where(effects["key"].notna(), None),
            months.astype(object).where(effects["month"].notna(), None),
            effects["quantity"].astype(object),
            strict=True,
        )
        amounts = zip(effects["before"] * 1000, effects["after"] * 1000, strict=True)
        shown = {key: tuple(map(round, pair)) for key, pair in zip(keys, amounts, strict=True)}
        now = figures_of(self.budget)
        stated = {
            key: (amount, now[key])
            for key, amount in attempt.figures.items()
            if key in now and now[key] != amount
        }
        known = {key: value for key, value in shown.items() if key in attempt.figures}
        wrong = {
            key: (known.get(key), stated.get(key))
            for key in {**known, **stated}
            if known.get(key) != stated.get(key)
        }
        assert not wrong, f"effects as announced, and as the service states them: {wrong}"
        COUNTS["effects compared"] += 1

    def _check_restored(self, attempt: Attempt, undone: Attempt, after: Content) -> None:
        """Check that the content is that before the reversed changes, but for what is stated."""
        if not undone.is_alone or undone.left != attempt.before:
            return
        lost, found = list[Row](), list[Row]()
        for place, old, new in differences(undone.before, after):
            if place[0] == "payees" and old is None:
                continue
            if old is not None and new is not None:
                assert _without(old, _NOT_COMPARED) == _without(new, _NOT_COMPARED), (
                    f"{place} was {old} and is {new} after undo"
                )
            else:
                (found if old is None else lost).append({"list": place[0], **(old or new or {})})
        # Created other sides of transfers lose their state, their flag and a memo of their own.
        counts = [Counter(repr(_without(row, _LOST)) for row in rows) for rows in (lost, found)]
        several = [
            Counter(repr(_without(row, _LOST_BY_OTHER_SIDES | {"memo"})) for row in rows)
            for rows in (lost, found)
        ]
        causes = sum(each.cause is not None for each in (*undone.announced, *attempt.announced))
        assert several[0] == several[1], f"after undo, {lost} became {found}"
        assert (counts[0] - counts[1]).total() <= causes, f"after undo, {lost} became {found}"
        COUNTS["restored completely"] += 1
        COUNTS["partly applied"] += any(_ACCEPTED in each.problem for each in undone.announced)

    @property
    def _attempt(self) -> Attempt:
        assert self.open is not None
        return self.open

    def _content(self) -> Content:
        return content_of(self.budget)


def run_program(seed: int, steps: int) -> None:
    """Run a program; an AssertionError says that the service has something else than announced."""
    program = ChangesProgram(seed)
    COUNTS["programs"] += 1
    try:
        while program.steps < steps:
            program.step()
    except BaseException as error:
        error.add_note(f"seed {seed}, step {program.steps}")
        raise
    finally:
        program.close()


def new_folder() -> Path:
    """A folder, in memory if possible: half of the time would be spent on waiting for the disk."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder in it is private
    return Path(tempfile.mkdtemp(prefix="changes-", dir=memory if memory.is_dir() else None))


def _is_superseded(position: int, announced: Sequence[Announced]) -> bool:
    """Whether a row was changed once more after it followed from a part of the changes."""
    each, later = announced[position], announced[position + 1 :]
    return each.cause is not None and any(
        other.place == each.place and other.cause is not None and other.key for other in later
    )


def _row(content: Content, place: Place) -> Row | None:
    return content.get(place, {"budgeted": 0} if place[0] == "month_categories" else None)


def _without(row: Row | None, names: frozenset[str]) -> Row | None:
    if row is None:
        return None
    return {name: value for name, value in row.items() if name not in names}


def _has(row: Mapping[str, Any], fields: Mapping[str, Any], content: Content) -> bool:
    """Whether a row has these fields; a new payee is compared by its name."""
    for name, value in fields.items():
        if name == "payee_name":
            if row.get("payee_name", _payee(row, content)) != value:
                return False
        elif name == "subtransactions":
            if not _same_parts(row.get(name) or (), value or (), content):
                return False
        elif row.get(name) != value:
            return False
    return True


def _payee(row: Mapping[str, Any], content: Content) -> str | None:
    return content.get(("payees", row.get("payee_id") or ""), {}).get("name")


def _same_parts(rows: Iterable[Row], parts: Iterable[Row], content: Content) -> bool:
    left = list(rows)
    for part in parts:
        fields = _complete(part, dict.fromkeys(PART_FIELDS))
        found = next((row for row in left if _has(row, fields, content)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _complete(body: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a new row, those included that the service sets itself."""
    found = {**defaults, **body}
    if "payee_name" in body:
        found.pop("payee_id", None)
    return found


def _new_payees(after: Mapping[str, Any]) -> list[str]:
    rows = (after, *(after.get("subtransactions") or ()))
    return [row["payee_name"] for row in rows if row.get("payee_name")]


def _made(each: Announced, old: Row, new: Row, content: Content) -> set[str]:
    """The fields that have changed as announced."""
    found = set()
    for name in each.after:
        field_name = "payee_id" if name == "payee_name" else name
        known = each.before.get(field_name)
        if name == "subtransactions":
            is_made = not old[name] and _has(new, {name: each.after[name]}, content)
        else:
            is_made = old[field_name] == known and _has(new, {name: each.after[name]}, content)
        if is_made:
            found.add(field_name)
    return found


def _lacks_new_payee(each: Announced, old: Row, new: Row, content: Content) -> bool:
    """Whether the service took the payee away and not the name of the new one, or has it now.

    Both happens if an error comes before the name is sent once more.
    """
    if "payee_name" not in each.after:
        return False
    if new["payee_id"] is None:
        return each.status == "pending"
    return old["payee_id"] is None and _has(new, {"payee_name": each.after["payee_name"]}, content)


def _mirrored(
    place: Place, side: Row, announced: Iterable[Announced], content: Content
) -> set[str]:
    """The fields that the other side of a transfer has from announced changes."""
    found = set()
    for each in announced:
        if place in _linked([each.place], content) - {each.place}:
            amount = -each.after.get("amount", 0)
            row = {**each.after, "amount": amount} if amount else each.after
            found |= {key for key in ("date", "memo", "amount") if row.get(key, ...) == side[key]}
    return found


def _linked(places: Iterable[Place], content: Content) -> set[Place]:
    """The rows, and those that are sides of the same transfers."""
    sides: dict[str, set[str]] = {}
    for (resource, key), row in content.items():
        for side in row["sides"] if resource == "transactions" else ():
            if side is not None:
                sides.setdefault(key, set()).add(side)
                sides.setdefault(side, set()).add(key)
    found, new = set(places), set(places)
    while new:
        new = {("transactions", side) for _, key in new for side in sides.get(key, ())} - found
        found |= new
    return found
