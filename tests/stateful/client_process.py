"""One process of a notebook: a client, and a facade for each budget."""

from __future__ import annotations

from pathlib import Path

from budgetframe import BudgetFrame

from .package_internals import Connection, OnLimit
from .service import WINDOW
from .transport import FaultyTransport


class ClientProcess:
    """A client with its limiter and its cache; the cache is in memory or in a shared file.

    Parameters
    ----------
    transport
        The transport to the service. All processes that share a limit have the same transport.
    ttl, on_limit
        Parameters of the facades.
    has_retries
        Whether the client repeats failed reads.
    folder
        The directory of the cache file, or None for a cache in memory.

    Attributes
    ----------
    async_facades
        One facade for each budget, for calls with ``await``.
    blocking_facades
        The same for synchronous calls.
    """

    def __init__(
        self,
        transport: FaultyTransport,
        *,
        ttl: float,
        on_limit: OnLimit,
        has_retries: bool,
        folder: Path | None,
    ) -> None:
        self._connection = Connection(transport, WINDOW, has_retries=has_retries, folder=folder)
        self._budget_names = [budget.name for budget in transport.service.budgets]
        self.client = self._connection.client
        self.guard = self.client.guard
        self.cache = self._connection.cache
        self.async_facades = self._facades(ttl, on_limit)
        self.blocking_facades = self._facades(ttl, on_limit)

    def _facades(self, ttl: float, on_limit: OnLimit) -> list[BudgetFrame]:
        first, *others = self._budget_names
        bf = BudgetFrame(self.client, budget=first, ttl=ttl, on_limit=on_limit)
        return [bf, *map(bf.with_budget, others)]

    def close(self) -> None:
        """End the threads and close the cache file."""
        for bf in (self.async_facades[0], self.blocking_facades[0]):
            bf.close()
        self._connection.close()
