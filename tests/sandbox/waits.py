"""A wait that returns at once and remembers how long it should have taken."""


class Waits:
    """Stands in for `asyncio.sleep`."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
