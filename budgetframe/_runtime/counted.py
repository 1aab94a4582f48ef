"""Numbers of things in messages."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, name: str, plural: str = "") -> str:
    """A number of things, in the singular or the plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2_000, "row"), counted(2, "entry", "entries")
    ('1 row', '2,000 rows', '2 entries')
    """
    return f"{number:,} {name if number == 1 else plural or name + 's'}"
