"""The time of this machine."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["utc_now"]


def utc_now() -> datetime:
    """The present time."""
    return datetime.now(UTC)
