"""The journal of the changes: what was sent, and what is known of it after an interruption.

The journal is a list of events. Each event is written before the next request is sent. In a file,
an event is a line of JSON; the last line may be incomplete, and is then ignored.
"""

from __future__ import annotations

import json
import os
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from budgetframe._cache.private_file import make_private
from budgetframe._runtime.number_of import number_of
from budgetframe._session.session import Session
from budgetframe.errors import ToolError

from .plan import Change

__all__ = ["Journal", "Operation", "Status", "check_not_undone", "journal_of"]

_BEGINNING = '{"event":'
Status = Literal["pending", "unknown", "done", "conflict"]


@dataclass(slots=True)
class Operation:
    """Changes that were applied together, and what is known of each of them.

    Parameters
    ----------
    id : str
        Identifies the operation.
    budget_id : str
        The budget.
    started : str
        Time of the first request.
    changes : list of Change
        The changes.
    undoes : str
        The operation that this one reverses; empty if it reverses none.
    """

    id: str
    budget_id: str
    started: str
    changes: list[Change]
    undoes: str = ""
    undone_by: str = ""
    """The operation that reverses this one; empty if none does."""
    status: list[Status] = field(default_factory=list)
    """Whether each change was made. ``unknown``: it was sent, and no answer arrived."""
    keys: dict[int, str] = field(default_factory=dict)
    """The keys of created rows, by the positions of the changes."""
    recognised: list[Mapping[str, Any]] = field(default_factory=list)
    """The rows of a bank's file that were rows of the account, as in `Plan`."""
    twins: set[str] = field(default_factory=set)
    """The keys of rows that are like creations, and existed before these were sent."""

    def __post_init__(self) -> None:
        self.status = ["conflict" if change.problem else "pending" for change in self.changes]

    def positions(self, *status: Status) -> list[int]:
        """The positions of the changes with one of these states, which are sent themselves."""
        return [
            position
            for position, change in enumerate(self.changes)
            if self.status[position] in status and change.cause is None
        ]

    def is_left(self, position: int) -> bool:
        """Whether a change may still have to be sent; none has to after an undo."""
        is_open = self.status[position] in ("pending", "unknown")
        return is_open and not self.undone_by and self.changes[position].cause is None

    @property
    def left(self) -> list[int]:
        """The positions of the changes that may still have to be sent."""
        return [position for position in range(len(self.changes)) if self.is_left(position)]

    def take(self, event: Mapping[str, Any]) -> None:
        """Take an event into account."""
        kind = event["event"]
        new: Mapping[Status, Iterable[int]] = {
            "unknown": event["positions"] if kind == "sending" else (),
            "pending": event["positions"] if kind == "refused" else event.get("pending", ()),
            "done": event.get("done", ()),
            "conflict": map(int, event.get("conflicts", ())),
        }
        # Everything is read before anything is changed: an unusable event has no effect.
        found = [(at, status) for status, positions in new.items() for at in positions]
        status = {at: each for at, each in found if self.changes[at]}
        replaced = event["changes"] if kind == "overwrite" else {}
        changes = {int(at): Change.from_json(change) for at, change in replaced.items()}
        twins = set(event.get("twins", ()))
        keys = {int(at): key for at, key in event.get("keys", {}).items()}
        payees = {int(at): key for at, key in event.get("payees", {}).items()}
        problems = {int(at): problem for at, problem in event.get("conflicts", {}).items()}
        more = [Change.from_json(change) for change in event.get("more", ())]
        for at, change in changes.items():
            self.status[at] = "pending"
            self.changes[at] = change
        for at, each in status.items():
            self.status[at] = each
        self.twins |= twins
        self.keys |= keys
        for at, payee_id in payees.items():
            change = self.changes[at]
            body = {name: value for name, value in change.after.items() if name != "payee_name"}
            self.changes[at] = replace(change, after={**body, "payee_id": payee_id})
        for at, problem in problems.items():
            self.changes[at] = replace(self.changes[at], problem=problem)
        self.changes += more
        self.status += ["pending"] * len(more)


class Journal:
    """The events of a budget, in a file or in memory.

    Parameters
    ----------
    path : Path or None
        The file; it is created with access for the user alone. It contains the changed rows as
        plain text, and not the token.
    lines : list of str
        The journal in memory, if there is no file.
    budget_id : str
        Only the operations of this budget are returned.
    lock : Lock
        The lock of the journal in this process.
    """

    def __init__(self, path: Path | None, lines: list[str], budget_id: str, lock: Lock) -> None:
        self._path = path
        self._lines = lines
        self._budget_id = budget_id
        self._lock = lock

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Begin a block that only one thread and one process can be in at the same time.

        Raises
        ------
        ToolError
            If another one is in it.
        """
        if not self._lock.acquire(blocking=False):
            raise _is_locked()
        try:
            # The system ends the lock of an SQLite file together with the process.
            file = None if self._path is None else _locked_file(self._path.with_suffix(".lock"))
            try:
                yield
            finally:
                if file is not None:
                    file.close()
        finally:
            self._lock.release()

    def begin(self, operation: Operation) -> None:
        """Write a new operation."""
        self._append(
            {
                "event": "begin",
                "id": operation.id,
                "budget_id": operation.budget_id,
                "at": operation.started,
                "undoes": operation.undoes,
                "changes": [change.as_json() for change in operation.changes],
                "recognised": operation.recognised,
            }
        )

    def write(self, operation: Operation, event: str, **content: Any) -> None:
        """Write an event of an operation, and take it into account there."""
        document = {"event": event, "id": operation.id, **content}
        self._append(document)
        operation.take(document)

    def operations(self, *, without_changes: bool = False) -> list[Operation]:
        """The operations of the budget, newest last.

        Parameters
        ----------
        without_changes : bool
            Whether to include the imports of files that had no new row.
        """
        found: dict[str, Operation] = {}
        unreadable = 0
        for line in self._read_lines():
            try:
                event = json.loads(line)
                if event["event"] == "begin":
                    datetime.fromisoformat(event["at"])
                    found[event["id"]] = Operation(
                        event["id"],
                        event["budget_id"],
                        event["at"],
                        [Change.from_json(change) for change in event["changes"]],
                        event.get("undoes") or "",
                        recognised=event.get("recognised", []),
                    )
                else:
                    found[event["id"]].take(event)
            except (KeyError, TypeError, IndexError, ValueError, AttributeError):
                unreadable += not _is_torn(line)
        if unreadable:
            warnings.warn(
                f"{number_of(unreadable, 'line')} of the journal {self._path} cannot be read:"
                " applications are missing from it, or what is known of them is incomplete",
                RuntimeWarning,
                stacklevel=2,
            )
        for each in found.values():
            if each.undoes in found and each.positions("done", "unknown"):
                found[each.undoes].undone_by = each.id
        return [
            each
            for each in found.values()
            if each.budget_id == self._budget_id and (each.changes or without_changes)
        ]

    def _read_lines(self) -> list[str]:
        lines = list(self._lines)
        if self._path is None:
            return lines
        try:
            text = self._path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return lines
        except OSError as error:
            if not lines:  # else, there was a warning when they were written
                warnings.warn(
                    f"the journal {self._path} cannot be read ({error}): this process does not know"
                    " what was applied before",
                    RuntimeWarning,
                    stacklevel=3,
                )
            return lines
        return [*text.split("\n"), *lines]

    def _append(self, event: Mapping[str, Any]) -> None:
        line = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        if self._path is None or self._lines:
            self._lines.append(line)
            return
        try:
            self._write(self._path, line.encode())
        except OSError as error:
            warnings.warn(
                f"the journal {self._path} cannot be written ({error}): this process keeps it in"
                " memory, so that another process cannot undo or resume these changes",
                RuntimeWarning,
                stacklevel=2,
            )
            self._lines.append(line)

    def _write(self, path: Path, line: bytes) -> None:
        make_private(path)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            # A process that was killed can leave an incomplete line.
            is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            content = (b"\n" if is_torn else b"") + line + b"\n"
            while content:
                content = content[os.write(descriptor, content) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


async def journal_of(session: Session) -> Journal:
    """The journal of the budget."""
    budget = await session.reads.budget()
    return Journal(session.journal_path, session.journal_lines, budget.id, session.journal_lock)


def _is_torn(line: str) -> bool:
    """Whether a line may be the beginning of an event: a process that was killed leaves one."""
    size = min(len(line), len(_BEGINNING))
    return line[:size] == _BEGINNING[:size] and not line.endswith("}")


def check_not_undone(operations: Iterable[Operation], operation_id: str) -> None:
    """Check that an operation was not undone yet: deleted rows would be created twice.

    Raises
    ------
    ToolError
        If it was undone, also if this was undone itself.
    """
    entries = {each.id: (number, each) for number, each in enumerate(operations)}
    chain: list[int] = []
    while operation_id in entries:
        number, operation = entries[operation_id]
        chain.append(number)
        operation_id = operation.undone_by
    if len(chain) > 1:
        first, by, *others = chain
        again = f", and that by {', '.join(f'entry {each}' for each in others)}" if others else ""
        raise ToolError(
            f"entry {first} was undone by entry {by}{again}: to reverse this, use"
            f" bf.journal().undo({chain[-1]}).apply()"
        )


def _locked_file(path: Path) -> sqlite3.Connection | None:
    """A file with an exclusive lock; None if the folder cannot be used."""
    try:
        make_private(path)
        file = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error):  # the journal is in memory then, with a warning
        return None
    try:
        file.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        file.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise _is_locked() from None
        return None
    return file


def _is_locked() -> ToolError:
    return ToolError(
        "changes are being applied with this journal now, by another process or thread: try again"
        " when that is done. Nothing was sent"
    )
