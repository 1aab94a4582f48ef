"""Trying a read again, after a failure that passes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar

import httpx

from budgetframe.errors import ServiceAPIError, ToolError

__all__ = ["Retries"]

_T = TypeVar("_T")
_PASSING = frozenset(
    {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
)
# Not the timeouts of an answer: each of them has been waited for already.
_BROKEN = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout)


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a read is tried, and how long the pauses are.

    Tried again are reads only, after 502, 503 and 504 and after failures of the connection. Each
    try takes its place in the limit; where there is none left, the last failure is the result.

    Parameters
    ----------
    attempts : int
        Tries in all.
    longest : float
        Seconds that a pause may last. It is drawn at random, from a range that begins at up to a
        second and doubles with every try, so that many programs do not come back at once.
    sleep : callable
        Is awaited with seconds.
    """

    attempts: int = 3
    longest: float = 4.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def run(self, send: Callable[[], Awaitable[_T]]) -> _T:
        """What the first successful try gives, or else the error of the last one."""
        import tenacity  # noqa: PLC0415 - not before something is sent

        failure: BaseException | None = None
        is_denied = False

        async def attempt() -> _T:
            nonlocal failure, is_denied
            try:
                return await send()
            except ToolError:
                if failure is not None:  # the limit is why there is no other try, not what failed
                    is_denied = True
                    raise failure from None
                raise
            except (ServiceAPIError, httpx.RequestError) as error:
                failure = error
                raise

        tries = tenacity.AsyncRetrying(
            sleep=self._pause,
            stop=tenacity.stop_after_attempt(self.attempts),
            wait=tenacity.wait_random_exponential(max=self.longest),
            retry=tenacity.retry_if_exception(lambda error: not is_denied and _passes(error)),
            reraise=True,
        )
        return await tries(attempt)

    async def _pause(self, seconds: float) -> None:
        await self.sleep(seconds)


def _passes(error: BaseException) -> bool:
    if isinstance(error, ServiceAPIError):
        return error.status_code in _PASSING
    return isinstance(error, _BROKEN)
