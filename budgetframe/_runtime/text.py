"""Texts that people see: numbers of things, texts from outside, and the names of a package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from traceback import walk_stack
from typing import Any
from unicodedata import combining, east_asian_width

# Control characters except tab and line ends, marks and overrides of the direction of the text,
# halves of surrogate pairs, and code points that no document may contain.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)

LIKE_FORMULA = (*"=+-@\uff1d\uff0b\uff0d\uff20\t\r\n",)  # the wide signs of Japanese too
"""The beginnings of texts that a spreadsheet takes for formulas."""


# Half of a character that needs two code units. Programs that cut a text leave it; so does
# "surrogateescape" in place of bytes that are no UTF-8.
_HALF = re.compile("[\ud800-\udfff]")


def names_for_dir(names: Iterable[str]) -> list[str]:
    """What `dir` and the Tab key list of a package: its public names; nothing for ``help()``."""
    # pydoc prints all that `dir` lists with all that it inherits: 25,000 lines, most of pandas. No
    # option prevents that. Without names it prints the docstring of the package, which has them.
    is_help = any(
        frame.f_code.co_name == "docmodule" and frame.f_globals.get("__name__") == "pydoc"
        for frame, _ in walk_stack(None)
    )
    return [] if is_help else sorted(names)


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def whole_text(value: Any) -> Any:
    """Return a text with U+FFFD in place of half characters, and another value as it is."""
    return _HALF.sub("\ufffd", value) if isinstance(value, str) else value


def printable(text: str) -> str:
    """Return a text with escapes instead of control characters and invisible characters."""
    # A terminal obeys control characters: a message could change its title, or hide lines above.
    safe = (sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
    return "".join(safe)


def visible(text: str) -> str:
    r"""Return a text with escapes instead of control characters and marks of direction.

    A page or a workbook cannot contain control characters, and marks of direction change the
    order of the letters around a name. Joiners and special spaces, which are part of emoji and
    names, stay.

    Examples
    --------
    >>> visible("Rent\x00\u202e")
    'Rent\\x00\\u202e'
    """
    return _INVISIBLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def width_of(text: str) -> int:
    r"""The width of a text in letters.

    A letter of Chinese or Japanese is as wide as two, and a combining letter has no width.

    Examples
    --------
    >>> width_of("旅行"), width_of("e\u0301")
    (4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(sign) else 1 + (east_asian_width(sign) in "WF") for sign in text)


def number_of(number: int, name: str, plural: str = "") -> str:
    """A number of things, in the singular or the plural."""
    return f"{number:,} {name if number == 1 else plural or name + 's'}"


def row_name(name: str, row: Any, position: int) -> str:
    """A row of a list by its key, or by its position if it has none."""
    keys = (row.get(field) for field in ("id", "month")) if isinstance(row, dict) else ()
    key = next((key for key in keys if isinstance(key, str)), None)
    return f"{name}: row {position}" if key is None else f"{name}: {key!r}"
