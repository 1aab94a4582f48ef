"""The request limit of the service, counted locally with a sliding window."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import Protocol

from budgetframe._runtime.fork_lock import STATE

__all__ = ["RateLimiter", "RequestOutcome"]


class RequestOutcome(Enum):
    """How a request ended."""

    ANSWERED = auto()
    UNANSWERED = auto()  # the service may have counted it
    UNSENT = auto()


class SharedRequests(Protocol):
    """Requests of other processes with the same token, by the clock of the limiter."""

    @property
    def knows_parent(self) -> bool:
        """Whether `times` includes the requests that the parent of a forked process has sent."""

    def reserve(
        self,
        decide: Callable[[list[float]], tuple[bool, int, float | None]],
        own: Iterable[float],
    ) -> tuple[bool, int, float | None]:
        """Decide with the times of the others, and record a request if it is allowed.

        `own` are times of this process, for others that do not know them yet.
        """

    def times(self) -> list[float]:
        """Return the times of the others' requests in the window."""

    def record(self) -> None:
        """Record a request that has ended now."""

    def release(self, *, counts: bool) -> None:
        """End a request that `reserve` began; `counts` is False if it was never sent."""


class RateLimiter:
    """A sliding window over the times of requests.

    The service allows a token 200 requests in any hour and does not say how many are left. A
    request is recorded when its response arrives, which is later than the service counts it. So
    the local window never allows a request earlier than the service does.

    Clients with the same token should share a limiter, because requests under way count for all of
    them. The limiter belongs to no event loop and may be used from several threads.

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
        threshold: int = 200,
        window_seconds: float = 3600.0,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threshold = threshold
        self.window_seconds = window_seconds
        self._clock = clock
        self._answered: deque[float] = deque()
        # Attempts that ended without a response. The service may have counted them.
        self._unanswered: deque[float] = deque()
        self._under_way = 0
        self._pid = os.getpid()
        self._shared: SharedRequests | None = None

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
            return self._result(len(self._answered), self._answered)

    def record(self) -> None:
        """Count a request whose response has arrived now."""
        with STATE:
            self._update()
            self._answered.append(self._clock())
            if self._shared is not None:
                self._shared.record()

    def reserve(self) -> tuple[bool, int, float | None]:
        """Count one request as under way until `release`, if it is allowed.

        Unlike `check`, this method also counts requests that are under way, requests that ended
        without a response, and the known requests of other processes. So a burst of requests never
        exceeds the threshold in a window, and the order of the answers does not matter.

        Returns
        -------
        tuple
            The values of `check`, with all of these requests in ``count``.
        """
        with STATE:
            self._update()
            if self._shared is None:
                decision = self._decide(())
            else:
                own = (*self._answered, *self._unanswered)
                decision = self._shared.reserve(self._decide, own)
            if decision[0]:
                self._under_way += 1
            return decision

    def release(self, outcome: RequestOutcome) -> None:
        """End a request that `reserve` began."""
        with STATE:
            self._under_way -= 1
            if outcome is RequestOutcome.ANSWERED:
                self._answered.append(self._clock())
            elif outcome is RequestOutcome.UNANSWERED:
                self._unanswered.append(self._clock())
            if self._shared is not None:
                self._shared.release(counts=outcome is not RequestOutcome.UNSENT)

    def usage(self) -> tuple[bool, int, float | None]:
        """Return the values that `reserve` would return, without reserving a request."""
        with STATE:
            self._update()
            return self._decide(self._shared.times() if self._shared else ())

    def share(self, others: SharedRequests) -> None:
        """Also count the requests of other processes, and let them count those of this process.

        Parameters
        ----------
        others : SharedRequests
            Knows the requests. Only the first call has an effect.
        """
        with STATE:
            self._shared = self._shared or others

    def __repr__(self) -> str:
        _, count, _ = self.usage()
        return (
            f"{type(self).__name__}({count} of {self.threshold} requests"
            f" in {self.window_seconds:g} seconds)"
        )

    def _update(self) -> None:
        if self._pid != os.getpid():  # forked: the requests under way belong to the parent
            self._pid, self._under_way = os.getpid(), 0
            if self._shared is not None and self._shared.knows_parent:
                self._answered.clear()
                self._unanswered.clear()
        self._drop_old()

    def _drop_old(self) -> None:
        # A request whose age equals the window still counts. The sum is the same as in
        # `_result`, so that both round in the same way.
        now = self._clock()
        for times in (self._answered, self._unanswered):
            while times and times[0] + self.window_seconds < now:
                times.popleft()

    def _decide(self, others: Sequence[float]) -> tuple[bool, int, float | None]:
        """Decide about one more request, with the requests of other processes."""
        times = (*self._answered, *self._unanswered, *others)
        count = len(times) + self._under_way
        if len(self._answered) >= self.threshold:  # the wait is the one that `check` returns
            return self._result(count, self._answered)
        return self._result(count, times)

    def _result(self, count: int, times: Iterable[float]) -> tuple[bool, int, float | None]:
        """Return the values of `check`; `times` are those of requests that can leave the window."""
        if count < self.threshold:
            return True, count, None
        oldest = min(times, default=None)
        if oldest is None:
            return False, count, None
        return False, count, max(0.0, oldest + self.window_seconds - self._clock())
