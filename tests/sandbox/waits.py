"""A replacement for `asyncio.sleep` that returns immediately and records the seconds."""


class Waits:
    """Records the seconds of each wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
