"""Points in time that one process writes down and another one reads."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

__all__ = ["Clocks", "Moment"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Moment(NamedTuple):
    """A point in time by two clocks.

    The monotonic one is exact and cannot be set, but its seconds mean something until the machine
    is started anew; the wall clock goes on, but anybody may set it.
    """

    boot: str
    ticks: float
    wall: float


def _boot_id() -> str:
    """What is different after each start of the machine; empty where nothing tells."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The two clocks of this machine.

    Parameters
    ----------
    ticks : callable
        Gives monotonic seconds, the same ones in all processes.
    wall : callable
        Gives Unix seconds.
    boot : str
        Tells one start of the machine from another; empty where that is not known.

    Examples
    --------
    >>> then = Moment("b", ticks=10.0, wall=1_000.0)
    >>> Clocks(lambda: 15.0, lambda: 3_000.0, "b").least_since(then)
    5.0
    >>> Clocks(lambda: 15.0, lambda: 3_000.0, "b").most_since(then)
    2000.0
    """

    ticks: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    boot: str = field(default_factory=_boot_id)

    def now(self) -> Moment:
        """This moment."""
        return Moment(self.boot, float(self.ticks()), float(self.wall()))

    def least_since(self, then: Moment) -> float:
        """Seconds that have passed at the least: what counts for a limit.

        By the wall clock only where the monotonic one knows nothing of that time; never below 0.
        Where nothing tells one start of the machine from another, the lesser of the two counts.
        """
        by_wall, by_ticks = max(0.0, self.wall() - then.wall), self.ticks() - then.ticks
        if by_ticks < 0 or self._is_of_another_boot(then):
            return by_wall
        return by_ticks if self.boot else min(by_wall, by_ticks)

    def most_since(self, then: Moment) -> float:
        """Seconds that may have passed: what counts for the age of an answer.

        The monotonic clock stands still while a machine sleeps, so the wall clock counts where it
        says more. A moment that no clock can place is infinitely long ago; so is one to come by
        the wall clock where nothing tells one start of the machine from another.
        """
        by_wall, by_ticks = self.wall() - then.wall, self.ticks() - then.ticks
        if by_ticks < 0 or self._is_of_another_boot(then) or (by_wall < 0 and not self.boot):
            return by_wall if by_wall >= 0 else float("inf")
        return max(by_wall, by_ticks)

    def _is_of_another_boot(self, then: Moment) -> bool:
        return then.boot != self.boot
