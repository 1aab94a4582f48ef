"""Numbers of things in messages."""

from __future__ import annotations

__all__ = ["number_of"]


def number_of(number: int, name: str, plural: str = "") -> str:
    """A number of things, in the singular or the plural.

    Examples
    --------
    >>> number_of(1, "row"), number_of(2_000, "row"), number_of(2, "entry", "entries")
    ('1 row', '2,000 rows', '2 entries')
    """
    return f"{number:,} {name if number == 1 else plural or name + 's'}"
