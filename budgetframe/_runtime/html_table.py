"""HTML tables for notebooks: escaped text, and no colours except those of the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .text import visible

_LEFT = "style='text-align:left'"


def html_table(rows: Iterable[tuple[str, str]]) -> str:
    """An HTML table of names and values."""
    pairs = ((_cell(name), _cell(value)) for name, value in rows)
    cells = "".join(
        f"<tr><th {_LEFT}>{name}</th><td {_LEFT}>{value}</td></tr>" for name, value in pairs
    )
    return f"<table><tbody>{cells}</tbody></table>"


def _cell(text: str) -> str:
    return escape(visible(text))
