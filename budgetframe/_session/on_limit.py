"""What a read does when the limit is reached or the service fails."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Literal, TypeVar

import httpx

from budgetframe._runtime.arguments import check_choice
from budgetframe._runtime.progress import Progress
from budgetframe.errors import ServiceAPIError, StaleDataWarning, ToolError

OnLimit = Literal["stale", "raise", "wait"]

_T = TypeVar("_T")
_UNKNOWN_WAIT = 60.0  # seconds between attempts if the service does not say how long to wait


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """What a read does at the limit or if the service fails: stale data, an error, or a wait."""

    on_limit: OnLimit
    longest: float  # seconds to wait if the service does not say how long: the window of the limit
    progress: Progress
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    def __post_init__(self) -> None:
        check_choice(self.on_limit, "on_limit", OnLimit)

    async def call(self, send: Callable[[], Awaitable[_T]]) -> _T:
        """Return the result of `send`; wait and repeat it if the policy is to wait."""
        unknown_waits = 0.0  # seconds waited because the service did not say how long
        while True:
            try:
                return await send()
            except (ToolError, ServiceAPIError) as error:
                seconds = wait_of(error)
                if self.on_limit != "wait" or seconds is None:
                    raise
                if isinstance(error, ServiceAPIError):
                    unknown_waits += seconds
                # A wait that the local limiter has computed does not count: it ends, although other
                # programs may use up the limit again.
                if unknown_waits > self.longest:
                    raise
                await self._wait(seconds, str(error))

    async def _wait(self, seconds: float, reason: str) -> None:
        with self.progress.countdown(seconds, reason.partition(",")[0]) as advance:
            while seconds > 0:
                step = min(1.0, seconds)
                await self.sleep(step)
                seconds -= step
                advance()


def stale_warning(
    name: str, as_of: datetime, now: datetime, error: BaseException
) -> StaleDataWarning | None:
    """Return the warning for stale data, or None if the error does not allow stale data."""
    # Stale data are shown if the limit is reached or the service fails; not if it refuses.
    if isinstance(error, ToolError):
        is_allowed = error.retry_after is not None
    elif isinstance(error, ServiceAPIError):
        is_allowed = (
            error.status_code == HTTPStatus.TOO_MANY_REQUESTS
            or error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
        )
    else:
        is_allowed = isinstance(error, httpx.RequestError)
    if not is_allowed:
        return None
    reason = str(error) or type(error).__name__
    age = age_of((now - as_of).total_seconds())
    return StaleDataWarning(
        f"{name}: shown as of {as_of.isoformat(timespec='seconds')}, {age} ago, because the"
        f" service did not answer: {reason}"
    )


def age_of(seconds: float) -> str:
    """Return an age in words: seconds, minutes or hours."""
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def wait_of(error: Exception) -> float | None:
    """Return the seconds until the limit permits the next attempt; None for any other error."""
    if isinstance(error, ServiceAPIError):
        too_many = error.status_code == HTTPStatus.TOO_MANY_REQUESTS
        return _UNKNOWN_WAIT if too_many else None
    if not isinstance(error, ToolError) or error.retry_after is None:
        return None
    # A request whose age equals the window still counts: wait a moment longer.
    return math.floor(error.retry_after) + 1.0
