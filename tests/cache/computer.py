"""A computer whose clocks move only when told to, and kernels on it that share one file."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from budgetframe import DeltaCache, RateLimiter
from budgetframe._cache.clocks import Clocks
from budgetframe._cache.shared_window import SharedWindow
from budgetframe._cache.sqlite_file import SQLiteFile
from budgetframe._cache.sqlite_storage import SQLiteStorage
from tests.clock import Clock

START = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC
WINDOW = 3_600.0

Json = dict[str, Any]


class Kernel:
    """What one process has: its memory, and the file."""

    def __init__(self, path: Path, clocks: Clocks, *, threshold: int, patience: float) -> None:
        self.store = SQLiteFile(path, clocks=clocks, patience=patience)
        self.cache = DeltaCache(
            clock=clocks.ticks, wall_clock=clocks.wall, storage=SQLiteStorage(self.store)
        )
        self.limiter = RateLimiter(threshold, WINDOW, clock=clocks.ticks)
        self.limiter.share(SharedWindow(self.store, WINDOW, clocks.ticks))

    @property
    def is_on_the_file(self) -> bool:
        """Whether it still keeps to the file, rather than to its memory alone."""
        return isinstance(self.cache._storage, SQLiteStorage)


class Machine:
    """Two clocks and a folder."""

    def __init__(self, folder: Path, *, boot: str = "boot 1") -> None:
        self.path = folder / "budgetframe" / "cache.sqlite"
        self.ticks = Clock(1_000.0)
        self.wall = Clock(START)
        self.boot = boot

    def pass_time(self, seconds: float) -> None:
        self.ticks.advance(seconds)
        self.wall.advance(seconds)

    def sleep(self, seconds: float) -> None:
        """Close the lid: the monotonic clock stands still."""
        self.wall.advance(seconds)

    def start_anew(self, boot: str = "boot 2", *, off: float = 60.0, ticks: float = 5.0) -> None:
        """Turn it off and on again; kernels made from now on see another boot."""
        self.wall.advance(off)
        self.ticks = Clock(ticks)
        self.boot = boot

    def kernel(self, *, threshold: int = 200, patience: float = 0.05) -> Kernel:
        clocks = Clocks(ticks=self.ticks, wall=self.wall, boot=self.boot)
        return Kernel(self.path, clocks, threshold=threshold, patience=patience)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is said in warnings, all of which must be about the cache file."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    for warning in caught:
        assert warning.category is RuntimeWarning, warning
        assert str(warning.message).startswith("the cache file "), warning
        said.append(str(warning.message))
