"""The parts of a docstring that follow from the tables of resources and columns.

Columns, source and cost are stated once, as data; a docstring that repeated them by hand would
drift.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from textwrap import indent
from typing import Any, TypeVar

from .frames import TABLES, column_table

__all__ = ["reads"]

_F = TypeVar("_F", bound=Callable[..., Any])

_RAISES = """\
Raises
------
ToolError
    When the limit of requests is reached, an argument cannot be right, or the name of the budget
    fits none or several.
ServiceAPIError
    When the service answers with an error.
httpx.TransportError
    When there is no answer."""

_COSTS = {
    "delta": "one request; none within the time to live, after it a delta of what changed",
    "whole": "one request; none within the time to live",
    "write": "one request. What it makes stale is dropped from the cache",
}


def reads(*tables: str, source: str, cost: str = "whole") -> Callable[[_F], _F]:
    """Complete the docstring of a method that reads.

    Parameters
    ----------
    *tables : str
        The frames it can return; none for a method that returns something else.
    source : str
        Method and path of the request.
    cost : str
        Kind of cost: ``delta``, ``whole`` or ``write``.
    """
    notes = f"Notes\n-----\nSource: ``{source}``.\n\nCost: {_COSTS[cost]}."
    returned = [_returns(tables)] if tables else []

    def complete(method: _F) -> _F:
        if method.__doc__:  # there is none under -OO
            start, heading, examples = cleandoc(method.__doc__).partition("Examples\n---")
            sections = [start.rstrip(), *returned, _RAISES, notes, heading + examples]
            method.__doc__ = "\n\n".join(filter(None, sections)) + "\n"
        return method

    return complete


def _returns(tables: tuple[str, ...]) -> str:
    text = "Returns\n-------\n"
    for position, name in enumerate(tables):
        table = TABLES[name]
        either = "or, where the service keeps one record for each move, " if position else ""
        text += (
            f"DataFrame\n    {either}rows sorted by {', '.join(table.order)} and numbered from 0;"
            " the same columns and dtypes when there are none.\n\n"
        )
        text += indent(column_table(table.columns), "    ") + "\n\n"
    return text.rstrip()
