"""A clock that moves only when told to."""


class Clock:
    """Seconds, readable by calling it, as ``time.monotonic`` is."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
