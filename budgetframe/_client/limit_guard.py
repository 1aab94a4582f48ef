"""Count the requests that a limiter does not know, so that the limit holds for any burst."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from budgetframe._runtime.processes import STATE, check_process

from .limiter import PUBLISHED_LIMIT, PUBLISHED_WINDOW, LoanLimiter, RateLimiter

if TYPE_CHECKING:
    from budgetframe._cache.shared_window import SharedWindow


class Limiter(Protocol):
    """What a client needs of a limiter."""

    def check(self) -> tuple[bool, int, float | None]:
        """Return whether a request is allowed, the count, and the seconds until one is allowed."""

    def record(self) -> None:
        """Count a request whose response has arrived now."""


class RequestOutcome(Enum):
    """How a request ended."""

    ANSWERED = auto()
    UNANSWERED = auto()  # the service may have counted it
    UNSENT = auto()


@dataclass(eq=False)
class _Pending:
    """The requests that a limiter does not know."""

    under_way: int = 0
    unanswered: deque[float] = field(default_factory=deque)
    """Times at which attempts ended without a response. The service may have counted them."""
    shared: SharedWindow | None = None
    pid: int = field(default_factory=os.getpid)


_pending: WeakKeyDictionary[Limiter, _Pending] = WeakKeyDictionary()


class LimitGuard:
    """Asks a limiter, and also counts the requests that the limiter does not know.

    These are requests that are under way, requests that ended without a response, and those of
    other processes. So a burst of requests never exceeds the threshold in a window, and the order
    of the answers does not matter. All guards of one limiter share these counts.
    """

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self.window_seconds: float = getattr(limiter, "window_seconds", PUBLISHED_WINDOW)
        self._clock: Callable[[], float] = getattr(limiter, "clock", time.monotonic)
        try:
            self._pending = _pending.setdefault(limiter, _Pending())
            if self._pending.pid != os.getpid():  # what a forked parent has under way
                self._pending = _pending[limiter] = _Pending()
        except TypeError:  # it has no hash or allows no weak reference: nothing to share
            self._pending = _Pending()

    @property
    def threshold(self) -> int:
        """Number of requests in the window at which the next request is denied."""
        threshold: int = getattr(self.limiter, "threshold", PUBLISHED_LIMIT)
        return threshold

    def reserve(self) -> tuple[bool, int, float | None]:
        """Count a request until `release`, if the `check` of the limiter with all known allows."""
        with STATE:
            pending = self._update()
            if pending.shared is None:
                decision = self._decide(())
            else:
                decision = pending.shared.reserve(self._decide, self._own())
            pending.under_way += decision[0]
            return decision

    def release(self, outcome: RequestOutcome) -> None:
        """End a request that `reserve` began; the limiter records it if it was answered."""
        with STATE:
            self._pending.under_way -= 1
            if self._pending.shared is not None:
                counts = outcome is not RequestOutcome.UNSENT
                self._pending.shared.release(self._own(), counts=counts)
            if outcome is RequestOutcome.UNANSWERED:
                self._pending.unanswered.append(self._clock())
            if outcome is RequestOutcome.ANSWERED:
                self.limiter.record()

    def usage(self) -> tuple[bool, int, float | None]:
        """Return the values that `reserve` would return, without reserving a request."""
        with STATE:
            shared = self._update().shared
            return self._decide(shared.times() if shared else ())

    def lend(self, most: int) -> tuple[RateLimiter, int]:
        """Reserve requests for another process until `settle`; return its limiter and a number."""
        # Its limiter allows what is reserved for it: fewer than `most` if the limit is reached, and
        # then the oldest request that is known says how long to wait.
        lent = 0
        while lent < most and self.reserve()[0]:
            lent += 1
        with STATE:
            shared, rest = self._update().shared, self.threshold - lent
            known = sorted([*self._own(), *(shared.times() if shared else ())])[:rest]
            limiter = LoanLimiter(self.threshold, self.window_seconds, clock=self._clock)
            limiter.count([*known, *[self._clock()] * (rest - len(known))])
            return limiter, lent

    def settle(self, lent: int, sent: int) -> None:
        """Count the requests that the other process has sent, and free the rest of the reserved."""
        with STATE:
            self._pending.under_way += max(0, sent - lent)
        for number in range(max(lent, sent)):
            self.release(RequestOutcome.ANSWERED if number < sent else RequestOutcome.UNSENT)

    def share(self, others: SharedWindow) -> None:
        """Let this and other processes count each other's requests; later calls do nothing."""
        with STATE:
            self._pending.shared = self._pending.shared or others

    def _update(self) -> _Pending:
        """Forget the attempts that no longer count; a forked child must not use them."""
        pending = self._pending
        check_process(pending.pid)
        # A request whose age equals the window still counts, as in the limiter.
        while pending.unanswered and pending.unanswered[0] + self.window_seconds < self._clock():
            pending.unanswered.popleft()
        return pending

    def _own(self) -> tuple[float, ...]:
        """The times of the requests of this process that have ended, as far as they are known."""
        recorded = self.limiter.times() if isinstance(self.limiter, RateLimiter) else ()
        return (*recorded, *self._pending.unanswered)

    def _decide(self, others: Sequence[float]) -> tuple[bool, int, float | None]:
        """Decide about one more request, with the requests of other processes."""
        allowed, count, retry_after = self.limiter.check()
        count += self._pending.under_way + len(self._pending.unanswered) + len(others)
        if not allowed:
            return False, count, retry_after
        if count < self.threshold:
            return True, count, None
        oldest = min((*self._own(), *others), default=None)
        if oldest is None:
            return False, count, None
        return False, count, max(0.0, oldest + self.window_seconds - self._clock())
