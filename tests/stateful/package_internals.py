"""All access of this directory to private names of the package under test.

`service` also uses internals of the embedded service, which is not under test here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe._cache.shared_window import SharedWindow
from budgetframe._cache.sqlite_file import SQLiteFile
from budgetframe._cache.sqlite_storage import SQLiteStorage
from budgetframe._client.limit_guard import LimitGuard
from budgetframe._client.retry import Retries
from budgetframe._session.on_limit import OnLimit

from .transport import FaultyTransport, no_wait

__all__ = [
    "Connection",
    "OnLimit",
    "has_chosen_budget",
    "is_stale_warning",
    "run_pending_callbacks",
]


class Connection:
    """A client with its limiter and cache, on a clock and a transport of the tests.

    Parameters
    ----------
    transport
        The transport, with the service and its clock.
    window
        Length of the limiter's window in seconds.
    has_retries
        Whether the client repeats failed reads.
    folder
        The directory of the cache file, or None for a cache in memory.
    """

    def __init__(
        self,
        transport: FaultyTransport,
        window: float,
        *,
        has_retries: bool,
        folder: Path | None,
    ) -> None:
        service = transport.service
        clock: Callable[[], float] = service.clock
        http = httpx.AsyncClient(
            transport=transport,
            base_url=service.sandbox.base_url,
            headers={"Authorization": f"Bearer {service.sandbox.token}"},
            trust_env=False,
        )
        self.limiter = RateLimiter(transport.threshold, window, clock=clock)
        self._file: SQLiteFile | None = None
        storage = None
        if folder is not None:
            # The days of the service jump; the seconds of the file go on with the clock.
            self._file = SQLiteFile(folder / "private" / "cache.sqlite", wall=clock)
            LimitGuard(self.limiter).share(SharedWindow(self._file, window, clock))
            storage = SQLiteStorage(self._file, clock)
        self.cache = DeltaCache(clock=clock, wall_clock=service.wall, storage=storage)
        retries = Retries(sleep=no_wait) if has_retries else None
        self.client = ServiceClient(http, self.limiter, self.cache, retries=retries)

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
