"""The time of this machine."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The present time."""
    return datetime.now(UTC)
