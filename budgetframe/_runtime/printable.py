"""Texts from outside, safe to show in a terminal."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """Return a text with escapes instead of control characters and invisible characters.

    A terminal obeys control characters: an error message could otherwise change its title, or
    hide the lines above.
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )
