"""One process of a notebook: a client, and a facade for each budget."""

from collections.abc import Callable
from pathlib import Path

from budgetframe import BudgetFrame

from .package_internals import Connection, OnLimit
from .service import WINDOW
from .transport import FaultyTransport


class ClientProcess:
    """A client with its limiter and its cache; without a folder, the cache is in memory.

    All processes that share a limit have the same transport. Each budget has one facade for calls
    with ``await``, and one for synchronous calls.
    """

    def __init__(
        self, transport: FaultyTransport, *, ttl: float, on_limit: OnLimit, has_retries: bool,
        folder: Path | None, wall: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        self._connection = Connection(
            transport, WINDOW, has_retries=has_retries, folder=folder, wall=wall
        )
        self._budget_names = [budget.name for budget in transport.service.budgets]
        self.client = self._connection.client
        self.guard = self.client.guard
        self.cache = self._connection.cache
        self.cut_off = self._connection.cut_off
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
