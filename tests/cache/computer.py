"""A computer whose clocks move only when a test moves them, and kernels that share one file."""

import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from budgetframe import DeltaCache, RateLimiter, ServiceClient
from budgetframe._cache.shared_window import SharedWindow
from budgetframe._cache.sqlite_file import SQLiteFile
from budgetframe._cache.sqlite_storage import SQLiteStorage
from budgetframe._cache.storage import Record
from budgetframe._client.limit_guard import LimitGuard, RequestOutcome
from tests.client.wire import BASE_URL, Wire
from tests.clock import Clock

START = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC
AS_OF = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
WINDOW = 3_600.0

Json = dict[str, Any]


class Kernel:
    """The cache and the limiter of one process, on the shared file."""

    def __init__(
        self, path: Path, clock: Clock, wall: Clock, *, threshold: int, timeout: float
    ) -> None:
        self.file = SQLiteFile(path, wall=wall, timeout=timeout)
        storage = SQLiteStorage(self.file, clock)
        self.cache = DeltaCache(clock=clock, wall_clock=wall, storage=storage)
        self.limiter = RateLimiter(threshold, WINDOW, clock=clock)
        self.guard = LimitGuard(self.limiter)
        self.guard.share(SharedWindow(self.file, WINDOW, clock))

    def end_request(self, outcome: str = "ANSWERED") -> None:
        """Release a request that was reserved."""
        self.guard.release(RequestOutcome[outcome])

    def send(self, requests: int = 1, outcome: str = "ANSWERED") -> None:
        """Reserve and release requests, which the limit must allow."""
        for _ in range(requests):
            assert self.guard.reserve()[0]
            self.end_request(outcome)

    @property
    def counted(self) -> int:
        """The number of requests in the window."""
        return self.guard.usage()[1]

    def client(self, http: httpx.AsyncClient | Wire) -> ServiceClient:
        """A client with the cache and the limiter of this kernel."""
        if isinstance(http, Wire):
            http = httpx.AsyncClient(transport=httpx.MockTransport(http), base_url=BASE_URL)
        return ServiceClient(http, self.limiter, self.cache)

    @property
    def uses_the_file(self) -> bool:
        """Whether the cache still uses the file, and not only its memory."""
        return isinstance(self.cache.answers.storage, SQLiteStorage)


def put(cache: DeltaCache, key: str, data: Json, ttl: float, as_of: datetime = AS_OF) -> None:
    """Store an answer as a read that began now does."""
    cache.answers.store(cache.answers.look_up(key), data, as_of=as_of, ttl=ttl)


def fresh(cache: DeltaCache, key: str, ttl: float) -> tuple[Json, datetime] | None:
    """Return the answer of a key with its time, if it is fresh."""
    return _shown(cache.answers.find_fresh(key, (), ttl))


def stale(cache: DeltaCache, key: str) -> tuple[Json, datetime] | None:
    """Return the answer of a key with its time, even if it has expired."""
    return _shown(cache.answers.look_up(key).record)


def _shown(record: Record | None) -> tuple[Json, datetime] | None:
    return None if record is None or record.as_of is None else (record.data, record.as_of)


class Machine:
    """A monotonic clock, a wall clock and a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "budgetframe" / "cache.sqlite"
        self.clock = Clock(1_000.0)
        self.wall = Clock(START)

    def pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.wall.advance(seconds)

    def sleep(self, seconds: float) -> None:
        """Suspend the machine: its monotonic clock does not move."""
        self.wall.advance(seconds)

    def restart(self, *, off: float = 60.0, clock: float = 5.0) -> None:
        """Switch the machine off and on: the monotonic clock of new kernels starts again."""
        self.wall.advance(off)
        self.clock = Clock(clock)

    def kernel(self, *, threshold: int = 200, timeout: float = 0.05) -> Kernel:
        return Kernel(self.path, self.clock, self.wall, threshold=threshold, timeout=timeout)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, as another process does that writes for a long time."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect the messages of warnings inside; all must be about the cache file."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    for warning in caught:
        assert warning.category is RuntimeWarning, warning
        assert str(warning.message).startswith("the cache file "), warning
        messages.append(str(warning.message))
