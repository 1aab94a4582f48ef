"""The local side of the service's request limit: a sliding window over request times."""

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
        """Whether what the parent of a forked process has sent is among the times of others."""

    def reserve(
        self,
        decide: Callable[[list[float]], tuple[bool, int, float | None]],
        own: Iterable[float],
    ) -> tuple[bool, int, float | None]:
        """Judge with the times of the others, and if that allows it, tell them of a request."""

    def times(self) -> list[float]:
        """Times of the others' requests in the window."""

    def record(self) -> None:
        """Tell the others of a request that has ended now."""

    def release(self, *, counts: bool) -> None:
        """End what `reserve` began."""


class RateLimiter:
    """A sliding window over the times of requests.

    The service allows a token 200 requests in any hour and does not say how many are left. A
    request is recorded when its response has arrived, which is later than when the service counted
    it: the local window therefore opens later than the service's, never earlier.

    Clients that share a token should share a limiter: requests that are under way count for all of
    them. The limiter belongs to no event loop and may be used from several threads.

    Parameters
    ----------
    threshold : int
        Requests in the window at which the next one is denied.
    window_seconds : float
        Length of the window in seconds.
    clock : callable
        Gives monotonic seconds.

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
        self._others: SharedRequests | None = None

    def check(self) -> tuple[bool, int, float | None]:
        """Whether one more request is allowed by the responses recorded so far.

        Returns
        -------
        allowed : bool
            Whether the count is below the threshold.
        count : int
            Recorded requests that are no older than the window.
        retry_after : float or None
            Seconds until the oldest of them leaves the window, never below 0.0; None when allowed,
            and when there is none to wait for.
        """
        with STATE:
            self._drop_old()
            return self._verdict(len(self._answered), self._answered)

    def record(self) -> None:
        """Count a request whose response has arrived, now."""
        with STATE:
            self._begin()
            self._answered.append(self._clock())
            if self._others is not None:
                self._others.record()

    def reserve(self) -> tuple[bool, int, float | None]:
        """Ask for one request and, if allowed, count it as under way until `release`.

        Unlike `check` this counts the requests under way and those that ended without a response
        too, and those of other processes where they are known, so that no burst and no order of
        answers sends more than the threshold in a window.

        Returns
        -------
        tuple
            As `check` gives it, with every counted request in ``count``.
        """
        with STATE:
            self._begin()
            if self._others is None:
                verdict = self._usage(())
            else:
                verdict = self._others.reserve(self._usage, self._own_times())
            if verdict[0]:
                self._under_way += 1
            return verdict

    def release(self, outcome: RequestOutcome) -> None:
        """End what `reserve` began."""
        with STATE:
            self._under_way -= 1
            if outcome is RequestOutcome.ANSWERED:
                self._answered.append(self._clock())
            elif outcome is RequestOutcome.UNANSWERED:
                self._unanswered.append(self._clock())
            if self._others is not None:
                self._others.release(counts=outcome is not RequestOutcome.UNSENT)

    def usage(self) -> tuple[bool, int, float | None]:
        """What `reserve` would answer, without reserving anything."""
        with STATE:
            self._begin()
            return self._usage(self._others.times() if self._others else ())

    def share(self, others: SharedRequests) -> None:
        """Count the requests of other processes too, and let them count these.

        Parameters
        ----------
        others : Others
            Knows of them; the first one that is given stays.
        """
        with STATE:
            self._others = self._others or others

    def __repr__(self) -> str:
        _, count, _ = self.usage()
        return (
            f"{type(self).__name__}({count} of {self.threshold} requests"
            f" in {self.window_seconds:g} seconds)"
        )

    def _begin(self) -> None:
        if self._pid != os.getpid():  # forked: what is under way is the parent's
            self._pid, self._under_way = os.getpid(), 0
            if self._others is not None and self._others.knows_parent:
                self._answered.clear()
                self._unanswered.clear()
        self._drop_old()

    def _own_times(self) -> tuple[float, ...]:
        return (*self._answered, *self._unanswered)

    def _usage(self, others: Sequence[float]) -> tuple[bool, int, float | None]:
        allowed, answered, retry_after = self._verdict(len(self._answered), self._answered)
        count = answered + len(self._unanswered) + self._under_way + len(others)
        if not allowed:
            return False, count, retry_after
        return self._verdict(count, (*self._own_times(), *others))

    def _drop_old(self) -> None:
        # An age equal to the window still counts: this compares as `retry_after` subtracts.
        now = self._clock()
        for times in (self._answered, self._unanswered):
            while times and times[0] + self.window_seconds < now:
                times.popleft()

    def _verdict(self, count: int, times: Iterable[float]) -> tuple[bool, int, float | None]:
        if count < self.threshold:
            return True, count, None
        oldest = min(times, default=None)
        if oldest is None:
            return False, count, None
        return False, count, max(0.0, oldest + self.window_seconds - self._clock())
