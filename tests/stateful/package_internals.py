"""All access of this directory to private names of the package under test.

`service` also uses internals of the embedded service, which is not under test here.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budgetframe import BudgetFrame, Changes, DeltaCache, RateLimiter, ServiceClient
from budgetframe._cache.shared_window import SharedWindow
from budgetframe._cache.sqlite_file import SQLiteFile
from budgetframe._cache.sqlite_storage import SQLiteStorage
from budgetframe._changes.sending import journal
from budgetframe._changes.sending.operation import Operation
from budgetframe._client.limit_guard import LimitGuard
from budgetframe._client.retry import Retries
from budgetframe._session import journal_memory, on_limit
from tests.sandbox.ask import http_client

from .transport import FaultyTransport, no_wait
from .wire import Disk, Wire

OnLimit = on_limit.OnLimit


class Connection:
    """A client with its limiter and cache, on a clock and a transport of the tests.

    Without a folder, the cache is in memory. The window of the limiter is in seconds. The wall
    clock of the file is that of the service, if no other one is given.
    """

    def __init__(
        self, transport: FaultyTransport, window: float, *, has_retries: bool, folder: Path | None,
        wall: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        service = transport.service
        clock: Callable[[], float] = service.clock
        http = http_client(service.sandbox, transport, trust_env=False)
        self.limiter = RateLimiter(transport.threshold, window, clock=clock)
        self._file: SQLiteFile | None = None
        storage = None
        if folder is not None:
            # The days of the service jump; the seconds of the file go on with the clock.
            self._file = SQLiteFile(folder / "private" / "cache.sqlite", wall=wall or clock)
            LimitGuard(self.limiter).share(SharedWindow(self._file, window, clock))
            storage = SQLiteStorage(self._file, clock)
        self.cache = DeltaCache(clock=clock, wall_clock=service.wall, storage=storage)
        retries = Retries(sleep=no_wait) if has_retries else None
        self.client = ServiceClient(http, self.limiter, self.cache, retries=retries)

    def cut_off(self, folder: Path) -> None:
        """Let nothing more reach the cache file, as if the process had been killed now."""
        assert self._file is not None
        self._file.close()
        self._file.path = folder / "private" / "cache.sqlite"
        self._file._outdated = self._file.path.with_suffix(".outdated")

    def close(self) -> None:
        """Close the cache file, if there is one."""
        if self._file is not None:
            self._file.close()


def has_chosen_budget(bf: BudgetFrame) -> bool:
    """Whether the facade has found out the id of its budget."""
    return bf._session.reads.chosen is not None


def run_pending_callbacks(bf: BudgetFrame) -> None:
    """Wait until the background loop of a facade has run everything that was ready to run."""

    async def give_way() -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    bf._runner.run(give_way())


def is_stale_warning(text: str, name: str) -> bool:
    """Whether a warning says that the frame of this name is older than the time to live."""
    return text.startswith(f"{name}: shown as of ")


# Changes from frames

NO_LIMIT = 10**6
"""A limit that nothing reaches."""


@dataclass(frozen=True, slots=True)
class Announced:
    """One change as it is announced: fields as the service names them, amounts in milliunits."""

    action: str
    resource: str
    key: str | None
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    cause: str | None
    replaces: str | None
    problem: str
    status: str

    @property
    def place(self) -> tuple[str, str]:
        """The list and the key of the row."""
        return self.resource, self.key or ""


def announced_by(changes: Changes) -> list[Announced]:
    """The announced changes, conflicts included, with what is known of each."""
    return _announced(changes._aio.application.operation)


def announced_in_journal(bf: BudgetFrame, number: str) -> list[Announced] | None:
    """What the journal knows of the changes with a `change_number`; None if it does not know it."""
    operations = {each.id: each for each in bf.journal()._aio._operations}
    return _announced(operations[number]) if number in operations else None


def _announced(operation: Operation) -> list[Announced]:
    return [
        Announced(
            each.action, each.resource, each.place, each.before, each.after, each.cause,
            each.replaces, each.problem, status,
        )
        for each, status in zip(operation.changes, operation.status, strict=True)
    ]  # fmt: skip


def change_number(changes: Changes) -> str:
    """What identifies changes in the journal."""
    return changes._aio.application.operation.id


def journal_position(bf: BudgetFrame, number: str) -> int:
    """The position of changes in the journal."""
    return [each.id for each in bf.journal()._aio._operations].index(number)


def undone_numbers(bf: BudgetFrame) -> set[str]:
    """What identifies the changes that the journal knows as undone."""
    return {each.id for each in bf.journal()._aio._operations if each.undone_by}


def let_comparison_age(changes: Changes) -> None:
    """Let changes be older than the time in which they are sent without another comparison."""
    changes._aio.application._compared_at -= 60


def connect_process(wire: Wire, *, ttl: float, folder: Path | None) -> BudgetFrame:
    """A connection of a new process, without a limit."""
    forget_journals()
    bf = BudgetFrame.sandbox(
        wire.service.sandbox, ttl=ttl, cache_dir=folder, on_limit="raise", progress=False
    )
    set_limit(bf, NO_LIMIT)
    return bf


def set_disk(disk: Disk) -> None:
    """Write the journals of all processes to a disk."""
    vars(journal)["FileIO"] = disk.open_file


def forget_journals() -> None:
    """Let the next connections know only the files of their journals, as in a new process."""
    vars(journal_memory)["_memories"].clear()


def waiting_lines(bf: BudgetFrame) -> int:
    """The number of lines that a process could not write to its journal."""
    return len(bf._session.journal.lines)


def set_limit(bf: BudgetFrame, threshold: int = NO_LIMIT) -> None:
    """Set the number of requests that a connection may send within an hour."""
    bf._session.reads.client.guard.limiter.threshold = threshold  # type: ignore[attr-defined]
