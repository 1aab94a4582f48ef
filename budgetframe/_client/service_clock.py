"""The time of the service, as its responses state it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx


def utc_now() -> datetime:
    """The present time of this machine."""
    return datetime.now(UTC)


class ServiceClock:
    """The time of the service: that of its last answer, and what has passed since then."""

    def __init__(
        self, own: Callable[[], datetime] = utc_now, *, ahead: timedelta | None = None
    ) -> None:
        # `own` returns the time of this machine, which measures what has passed, and is used until
        # the first response states a time, unless `ahead` is known before.
        self._own = own
        self.ahead = ahead  # by how much the service is ahead of this machine; None if unknown

    def now(self) -> datetime:
        """The present time of the service."""
        return self._own() + (self.ahead or timedelta())

    def observe(self, response: httpx.Response) -> datetime | None:
        """Set the clock by a response, and return its time; None if the response has none."""
        try:
            stated = parsedate_to_datetime(response.headers.get("date", ""))
            time = stated.replace(tzinfo=stated.tzinfo or UTC).astimezone(UTC)
        except (ValueError, OverflowError):
            return None
        self.ahead = time - self._own()
        return time

    def continue_from(self, time: datetime, age: float) -> None:
        """Set the clock by the time of a stored answer, as long as no response has set it."""
        if self.ahead is None:
            self.ahead = time + timedelta(seconds=age) - self._own()
