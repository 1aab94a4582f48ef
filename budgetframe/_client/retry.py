"""Repeat a read after a temporary failure."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import NamedTuple, TypeVar

import httpx

from budgetframe.errors import ServiceAPIError, ToolError

_T = TypeVar("_T")
_TEMPORARY = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)
# Without the timeouts of an answer: the caller has waited that long already.
_BROKEN = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout)


class Retries(NamedTuple):
    """The number of attempts of a read, and the length of the pauses between them."""

    # Only reads are repeated. Each attempt counts against the limit; if the limit denies an
    # attempt, the error of the attempt before is raised.

    attempts: int = 3  # the largest number of them
    longest: float = 4.0
    """Longest pause in seconds. A pause is random, between zero and a bound that begins at one
    second and doubles with every attempt, so that many programs do not return at once."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def run(self, send: Callable[[], Awaitable[_T]]) -> _T:
        """Return the result of the first successful attempt, or raise the error of the last one."""
        failure: Exception | None = None
        attempt = 0
        while True:
            try:
                return await send()
            except ToolError:
                if failure is None:
                    raise
                raise failure from None
            except (ServiceAPIError, httpx.RequestError) as error:
                attempt += 1
                if attempt >= self.attempts or not _is_temporary(error):
                    raise
                failure = error
            bound = min(self.longest, 2.0 ** (attempt - 1))
            await self.sleep(random.uniform(0.0, bound))  # noqa: S311 - a pause is no secret


def _is_temporary(error: Exception) -> bool:
    if isinstance(error, ServiceAPIError):
        return error.status_code in _TEMPORARY
    return isinstance(error, _BROKEN)
