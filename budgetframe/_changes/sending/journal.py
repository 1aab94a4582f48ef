"""The journal of the changes: what was sent, and what is known of it after an interruption.

The journal is a list of events. In a file, a line is the JSON of an event. An event that cannot be
written is kept in memory, and is written together with the next one, in one line with a list of
events. A process that is killed meanwhile has written none of them: incomplete lines are ignored.
As soon as the beginning of an operation is in the file, nothing is sent that the file does not
announce.
"""

from __future__ import annotations

import json
import os
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from io import FileIO
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from budgetframe._cache.private_file import make_private
from budgetframe._changes.plan import Compared
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.locked_file import locked_file
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError

from .operation import Begun, Event, Operation, Sending, Twins, event_of, json_of

if TYPE_CHECKING:
    from budgetframe._session.session import Session

FORMAT = 3  # the format of the lines. A file with lines of another format is set aside
_SAME_INTENTION = timedelta(days=1)  # the same call continues an application up to this age
_BEGINNING = f'{{"format":{FORMAT},'


class Journal:
    """The events of a budget, in a file or in memory."""

    def __init__(self, path: Path | None, lines: list[str], budget_id: str, lock: Lock) -> None:
        # The file is created with access for the user alone. It contains the changed rows as plain
        # text, and not the token. `lines` are the journal in memory, if there is no file; else the
        # lines that could not be written. `lock` is the lock of the journal in this process.
        self._path = path
        self._lines = lines
        self._budget_id = budget_id
        self._lock = lock

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Begin a block that only one thread and one process can be in at the same time."""
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
        """Write a new operation; failing is an error if the file has the one that it reverses."""
        is_leading = bool(operation.undoes) and not self._is_waiting(operation.undoes)
        self._append(operation, operation.begun(), is_leading=is_leading)

    def write(self, operation: Operation, event: Event) -> None:
        """Write an event of an operation, and take it into account there."""
        # If requests need the event and the file has the operation, failing to write is an error.
        is_leading = isinstance(event, Sending | Twins) and not self._is_waiting(operation.id)
        self._append(operation, event, is_leading=is_leading)
        operation.take(event)

    def operations(self, *, without_changes: bool = False) -> list[Operation]:
        """The operations of the budget, newest last."""
        found: dict[str, Operation] = {}
        unreadable = 0
        for line, document in _documents(self._read_lines()):
            try:
                event, number = event_of(document), document["number"]
                if isinstance(event, Begun):
                    datetime.fromisoformat(event.started)
                    found.setdefault(document["id"], Operation.of(document["id"], event))
                elif number > found[document["id"]].events:
                    found[document["id"]].take(event)
                    found[document["id"]].events = number
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
            operation
            for operation in found.values()
            if operation.budget_id == self._budget_id and (operation.changes or without_changes)
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
        if any(map(_has_other_format, text.split("\n"))):
            self._set_aside(self._path)
            return lines
        return [*text.split("\n"), *lines]

    def _set_aside(self, path: Path) -> None:
        """Rename a file of another format: it may have the only record of unfinished changes."""
        names = (path.with_name(f"{path.name}.{number}") for number in count(1))
        other = next(name for name in names if not name.exists())
        path.rename(other)
        warnings.warn(
            f"the journal {path} was written by another version of this package, which alone can"
            f" read it: it is now {other}, and a new journal begins. What was applied before cannot"
            " be undone or continued here",
            RuntimeWarning,
            stacklevel=4,
        )

    def _is_waiting(self, operation_id: str) -> bool:
        """Whether the beginning of an operation is in memory only."""
        beginning = _line(operation_id, 0, event="begun").removesuffix("}")
        if self._path is None or not any(line.startswith(beginning) for line in self._lines):
            return self._path is None
        try:  # a write that has failed can nevertheless have left it in the file
            return beginning.encode() not in self._path.read_bytes()
        except OSError:
            return True

    def _append(self, operation: Operation, event: Event, *, is_leading: bool) -> None:
        """Write an event, after those that could not be written before."""
        number = 0 if isinstance(event, Begun) else operation.events + 1
        line = _line(operation.id, number, **json_of(event))
        try:
            if self._path is None:
                self._lines.append(line)
            else:
                self._write(self._path, [*self._lines, line])
                self._lines.clear()
        except OSError as error:
            if is_leading:
                raise ToolError(
                    f"the journal {self._path} cannot be written ({error}): make room for it, or"
                    " make it writable. Nothing is sent that is not in it"
                ) from None
            if not self._lines or isinstance(event, Begun):
                text = (
                    f"the journal {self._path} cannot be written ({error}): this process keeps it"
                    " in memory, and writes it together with what follows. Until then, another"
                    " process does not know it"
                )
                defer_warning(text)
            self._lines.append(line)
        operation.events = number

    def _write(self, path: Path, events: Sequence[str]) -> None:
        """Write a line with one or more events, all of them or none."""
        line = events[0] if len(events) == 1 else f"[{','.join(events)}]"
        make_private(path)
        with FileIO(path, "ab+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 1, 0))
            # A process that was killed can leave an incomplete line.
            is_torn = file.read(1) not in (b"\n", b"")
            content = (b"\n" if is_torn else b"") + line.encode() + b"\n"
            try:
                while content:
                    content = content[file.write(content) :]
                os.fsync(file.fileno())
            except BaseException:
                with suppress(OSError):  # else, the next line begins on a new one
                    file.truncate(size)
                raise


async def journal_of(session: Session) -> Journal:
    """The journal of the budget."""
    budget = await session.reads.budget()
    memory = session.journal
    return Journal(session.journal_path, memory.lines, budget.id, memory.lock)


async def continuing(session: Session, compared: Compared) -> Compared:
    """The comparison, with the interrupted operation that it continues."""
    same = interrupted(await journal_of(session), compared.asked, session.reads.now())
    return replace(compared, continues=same.id) if same else compared


def interrupted(journal: Journal, asked: str, now: datetime) -> Operation | None:
    """The newest interrupted application of what is asked for, or None; an old one is an error."""
    # It may be another intention.
    operations = journal.operations() if asked else []
    for number, operation in reversed([*enumerate(operations)]):
        if operation.asked != asked or not operation.left:
            continue
        if now - datetime.fromisoformat(operation.started) > _SAME_INTENTION:
            raise refused(
                f"the same was asked for at {operation.started} and was interrupted, and it is not"
                f" known what was made: bf.journal().resume({number}) completes it. Then call this"
                " again if you want it once more"
            )
        return operation
    return None


def _line(operation_id: str, number: int, **event: Any) -> str:
    """The line of an event; its number shows an event that another process has overtaken."""
    document = {"format": FORMAT, "id": operation_id, "number": number, **event}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _documents(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """The events in lines of the file, each with its line; None for a line that cannot be read."""
    for line in lines:
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        yield from ((line, each) for each in (content if isinstance(content, list) else [content]))


def _has_other_format(line: str) -> bool:
    """Whether a line is an event in another format."""
    if line.lstrip("[").startswith(_BEGINNING):
        return False
    try:
        document = json.loads(line)
    except ValueError:
        return False
    is_event = isinstance(document, dict) and "event" in document
    return is_event and document.get("format") != FORMAT


def _is_torn(line: str) -> bool:
    """Whether a line may be the beginning of an event: a process that was killed leaves one."""
    is_list, first = line.startswith("["), line.removeprefix("[")
    size = min(len(first), len(_BEGINNING))
    return first[:size] == _BEGINNING[:size] and not line.endswith("}]" if is_list else "}")


def check_not_undone(operations: Sequence[Operation], operation_id: str, by: str = "") -> None:
    """Check that nothing undid an operation yet, other than `by`: rows would be created twice."""
    numbers = {each.id: number for number, each in enumerate(operations)}
    undone = {
        operation.undoes: operation.id
        for operation in operations
        if operation.id != by and operation.positions("done", "unknown")
    }
    what = f"entry {numbers[operation_id]} was" if operation_id in numbers else "this was"
    chain: list[int] = []
    while operation_id in undone:
        operation_id = undone[operation_id]
        chain.append(numbers[operation_id])
    if chain:
        first, *others = chain
        again = f", and that by {', '.join(f'entry {at}' for at in others)}" if others else ""
        raise ToolError(
            f"{what} undone by entry {first}{again}: to reverse this, use"
            f" bf.journal().undo({chain[-1]}).apply()"
        )


def _locked_file(path: Path) -> sqlite3.Connection | None:
    """A file with an exclusive lock; None if the folder cannot be used."""
    try:
        make_private(path)
        file = locked_file(path)
    except OSError:  # the journal is in memory then, with a warning
        return None
    if file is None:
        raise _is_locked()
    return file


class JournalInUseError(ToolError):
    """Another process or thread applies changes with the journal."""


def _is_locked() -> ToolError:
    return JournalInUseError(
        "changes are being applied with this journal now, by another process or thread: try again"
        " when that is done. Nothing was sent"
    )
