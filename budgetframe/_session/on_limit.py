"""What to do when the service cannot be asked now: wait, do without, or say so."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Literal, TypeVar, get_args

import httpx

from budgetframe._runtime.progress import Progress
from budgetframe.errors import ServiceAPIError, StaleDataWarning, ToolError

__all__ = ["LimitPolicy", "OnLimit", "age_of", "stale"]

OnLimit = Literal["stale", "raise", "wait"]

_T = TypeVar("_T")
_UNKNOWN_WAIT = 60.0  # seconds between questions where the service does not say how long


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """How a reader takes it that the service cannot be asked.

    Parameters
    ----------
    on_limit : {"stale", "raise", "wait"}
        Show older data where there are any; raise the error; or wait until the limit allows it.
    longest : float
        Seconds to wait at the most where the service does not say how long: a window of the limit.
    progress : Progress
        Shows how the waiting goes.
    sleep : callable
        Is awaited with seconds.
    """

    on_limit: OnLimit
    longest: float
    progress: Progress
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    def __post_init__(self) -> None:
        if self.on_limit not in get_args(OnLimit):
            choices = ", ".join(map(repr, get_args(OnLimit)))
            raise ToolError(f"on_limit={self.on_limit!r}: it is one of {choices}")

    async def ask(self, send: Callable[[], Awaitable[_T]]) -> _T:
        """What `send` gives, after as much waiting as was asked for."""
        blind = 0.0
        while True:
            try:
                return await send()
            except (ToolError, ServiceAPIError) as error:
                seconds = _wait_of(error)
                if self.on_limit != "wait" or seconds is None:
                    raise
                if isinstance(error, ServiceAPIError):
                    blind += seconds
                # A wait that is stated ends; others may then be faster, and it is stated again.
                if blind > self.longest:
                    raise
                await self._wait(seconds, str(error))

    async def _wait(self, seconds: float, why: str) -> None:
        with self.progress.countdown(seconds, why.partition(",")[0]) as move_on:
            while seconds > 0:
                step = min(1.0, seconds)
                await self.sleep(step)
                seconds -= step
                move_on()


def stale(
    what: str, as_of: datetime, now: datetime, error: BaseException
) -> StaleDataWarning | None:
    """The warning that goes with older data, if the error is one that older data help with.

    They do when the limit is reached, when the service fails, and when there is no way to it; not
    when it says that something is wrong with what was asked.
    """
    if isinstance(error, ToolError):
        helps = error.retry_after is not None
    elif isinstance(error, ServiceAPIError):
        status = error.status_code
        helps = status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    else:
        helps = isinstance(error, httpx.RequestError)
    if not helps:
        return None
    why = str(error) or type(error).__name__
    age = age_of((now - as_of).total_seconds())
    return StaleDataWarning(
        f"{what}: shown as of {as_of.isoformat(timespec='seconds')}, {age} ago, because the"
        f" service could not be asked: {why}"
    )


def age_of(seconds: float) -> str:
    """An age in words: seconds, minutes or hours.

    Examples
    --------
    >>> age_of(59.6), age_of(720.0), age_of(5400.0)
    ('60 s', '12 min', '2 h')
    """
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def _wait_of(error: ToolError | ServiceAPIError) -> float | None:
    """Seconds after which to ask again; None where waiting for the limit is of no use."""
    if isinstance(error, ServiceAPIError):
        too_many = error.status_code == HTTPStatus.TOO_MANY_REQUESTS
        return _UNKNOWN_WAIT if too_many else None
    if error.retry_after is None:
        return None
    # A request whose age is the window still counts: be there a moment later.
    return math.floor(error.retry_after) + 1.0
