"""A clock for tests, which only `advance` moves."""


class Clock:
    """Seconds, readable by calling the clock, like ``time.monotonic``."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
