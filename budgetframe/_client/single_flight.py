"""Coroutines that want the same result share one task."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


@dataclass(slots=True)
class _Flight(Generic[_T]):
    task: asyncio.Future[_T]
    waiting: int = 0


class SingleFlight(Generic[_T]):
    """Runs a coroutine once for all callers of a key; only if all are cancelled, it is too."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[_T]] = {}

    async def run(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Await the coroutine that runs for this key on the same event loop, or start one."""
        key = (asyncio.get_running_loop(), key)
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.ensure_future(start()))
            # An error that no caller waits for any more must not be logged.
            flight.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and self._flights.get(key) is flight:
                del self._flights[key]
            if not flight.waiting and not flight.task.done():
                flight.task.cancel()
                await asyncio.wait({flight.task})
