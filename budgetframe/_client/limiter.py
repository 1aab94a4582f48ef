"""The request limit of the service, counted locally with a sliding window."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from budgetframe._runtime.processes import STATE

PUBLISHED_LIMIT = 200  # number of requests that the service allows a token in a window
PUBLISHED_WINDOW = 3600.0  # length of the service's window in seconds


class RateLimiter:
    """A sliding window over the times of requests.

    The service allows a token 200 requests in any hour and does not say how many are left. A
    request is recorded when its response arrives, which is later than the service counts it. So
    the local window never allows a request earlier than the service does.

    A client calls `check` before it sends a request, and `record` once when the response arrives.
    It also counts the requests that are under way. Clients with the same token should share a
    limiter, because these requests then count for all of them. The limiter belongs to no event
    loop and may be used from several threads.

    Parameters
    ----------
    threshold : int
        Number of requests in the window at which the next request is denied.
    window_seconds : float
        Length of the window in seconds.
    clock : callable
        Returns monotonic seconds.

    Examples
    --------
    >>> limiter = RateLimiter(threshold=1, window_seconds=60.0, clock=lambda: 0.0)
    >>> limiter.check()
    (True, 0, None)
    >>> limiter.record()
    >>> limiter.check()
    (False, 1, 60.0)
    """

    def __init__(
        self,
        threshold: int = PUBLISHED_LIMIT,
        window_seconds: float = PUBLISHED_WINDOW,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threshold = threshold
        self.window_seconds = window_seconds
        self.clock = clock
        self._times: deque[float] = deque()

    def check(self) -> tuple[bool, int, float | None]:
        """Return whether the recorded responses allow one more request.

        Returns
        -------
        allowed : bool
            Whether the count is below the threshold.
        count : int
            Number of recorded requests that are not older than the window.
        retry_after : float or None
            Seconds until the oldest of them leaves the window, at least 0.0; None if a request is
            allowed, or if no recorded request could leave the window.
        """
        with STATE:
            self._drop_old()
            count = len(self._times)
            if count < self.threshold or not self._times:
                return count < self.threshold, count, None
            return False, count, max(0.0, self._times[0] + self.window_seconds - self.clock())

    def record(self) -> None:
        """Count a request whose response has arrived now."""
        with STATE:
            self._drop_old()
            self._times.append(self.clock())

    def count(self, times: Iterable[float]) -> None:
        """Count requests that were recorded elsewhere, by the times of this clock."""
        with STATE:
            self._times = deque(sorted([*self._times, *times]))

    def times(self) -> tuple[float, ...]:
        """Return the times of the recorded requests that are not older than the window."""
        with STATE:
            self._drop_old()
            return tuple(self._times)

    def __getstate__(self) -> dict[str, Any]:
        # Seconds of this clock mean nothing in another process: a pickle contains the ages.
        with STATE:
            now = self.clock()
            return {**vars(self), "_times": [now - moment for moment in self.times()]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        now = state["clock"]()
        self.__dict__ = {**state, "_times": deque(now - age for age in state["_times"])}

    def __repr__(self) -> str:
        _, count, _ = self.check()
        return (
            f"{type(self).__name__}({count} of {self.threshold} requests"
            f" in {self.window_seconds:g} seconds)"
        )

    def _drop_old(self) -> None:
        # A request whose age equals the window still counts. The sum is the same as in `check`,
        # so that both round in the same way.
        now = self.clock()
        while self._times and self._times[0] + self.window_seconds < now:
            self._times.popleft()


class LoanLimiter(RateLimiter):
    """The limiter of another process: what leaves the window is allowed to the lender only."""

    def _drop_old(self) -> None: ...


_limiters: dict[tuple[int, str], RateLimiter] = {}


def limiter_of(key: str, clock: Callable[[], float] = time.monotonic) -> RateLimiter:
    """Return the limiter of a service and a token: the only one in this process."""
    # The service counts the requests of a token, so everything that sends some must continue the
    # same count: also a connection that is opened later, and a lake. `key` stands for the address
    # and the token, without containing the token.
    return _limiters.setdefault((os.getpid(), key), RateLimiter(clock=clock))
