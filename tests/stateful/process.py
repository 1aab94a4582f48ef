"""What ends when a kernel is restarted: a client, and the frames of each budget on top of it."""

from __future__ import annotations

from pathlib import Path

import httpx

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe._cache.shared_window import SharedWindow
from budgetframe._cache.sqlite_file import SQLiteFile
from budgetframe._cache.sqlite_storage import SQLiteStorage
from budgetframe._client.retry import Retries
from budgetframe._session.on_limit import OnLimit

from .faults import Faults, at_once
from .service import WINDOW, World

_RETRIES = Retries(sleep=at_once)


class Process:
    """A client with its limiter and its cache, in memory or in a file that others have as well.

    Parameters
    ----------
    world
        The service.
    gate
        The way to it, which counts for all processes with the same limit.
    ttl, on_limit, has_retries
        Of the frames, and of the client.
    folder
        Where the file is, if there is one.
    """

    def __init__(
        self,
        world: World,
        faults: Faults,
        *,
        ttl: float,
        on_limit: OnLimit,
        has_retries: bool,
        folder: Path | None,
    ) -> None:
        self._world = world
        self._store: SQLiteFile | None = None
        http = httpx.AsyncClient(
            transport=faults,
            base_url=world.sandbox.base_url,
            headers={"Authorization": f"Bearer {world.sandbox.token}"},
            trust_env=False,
        )
        self.limiter = RateLimiter(faults.threshold, WINDOW, clock=world.clock)
        shelf = None
        if folder is not None:
            self._store = SQLiteFile(folder / "private" / "cache.sqlite", wall=world.wall)
            self.limiter.share(SharedWindow(self._store, WINDOW, world.clock))
            shelf = SQLiteStorage(self._store, world.clock)
        self.cache = DeltaCache(clock=world.clock, wall_clock=world.wall, storage=shelf)
        retries = _RETRIES if has_retries else None
        self.client = ServiceClient(http, self.limiter, self.cache, retries=retries)
        self.frames = self._frames(ttl, on_limit)
        self.blocking = self._frames(ttl, on_limit)

    def _frames(self, ttl: float, on_limit: OnLimit) -> list[BudgetFrame]:
        first, *others = [budget.name for budget in self._world.budgets]
        bf = BudgetFrame(self.client, budget=first, ttl=ttl, on_limit=on_limit)
        return [bf, *map(bf.with_budget, others)]

    def close(self) -> None:
        """End the threads, and give up the file."""
        for bf in (self.frames[0], self.blocking[0]):
            bf.close()
        if self._store is not None:
            self._store.close()
