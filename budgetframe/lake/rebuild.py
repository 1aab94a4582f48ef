"""Writing all tables of a lake again from the stored answers."""

from __future__ import annotations

from .writer import Writer

__all__ = ["rebuild"]


def rebuild(writer: Writer) -> int:
    """Write all tables again, bucket by bucket; return the number of budgets.

    The new rows become visible together. A rebuild that is killed changes nothing.
    """
