"""The parts of a docstring that follow from the tables of resources and columns.

Columns, source and cost are stated once, as data; a docstring that repeated them by hand would
drift.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from inspect import cleandoc, signature
from textwrap import fill, indent
from typing import Any, TypeVar

from budgetframe.frames import TABLES, Column, column_table

__all__ = ["reads", "reported"]

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

_OPTIONS = {
    "money": """\
money : {"float", "milliunits", "decimal"}
    Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
    ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
    ``budgetframe[arrow]``. From Parquet pandas reads those as Python objects, and
    ``.astype(frame.dtypes)`` makes them what they were.""",
    "extra": """\
extra : bool
    Whether to keep the fields that no column is made from, after the others, as they come. Those
    that are objects, as the terms of loans, cannot be written to Parquet.""",
    "include_closed": """\
include_closed : bool
    Whether closed accounts are there.""",
    "include_hidden": """\
include_hidden : bool
    Whether what is hidden is there.""",
    "include_deleted": """\
include_deleted : bool
    Whether to show what was deleted as well, told by a column ``deleted``. It costs one request
    more, for all changes since the list began: no other answer of the service has deleted rows.""",
}
"""Parameters that mean the same wherever they are."""

_WIDTH = 99  # of the lines that are put together here
_PARAMETERS = "Parameters\n----------\n"
_RETURNS = "Returns\n-------\n"
_FRAME_PARAMETER = re.compile(r"^[\w, ]+ : DataFrame\n(?: +.*\n)+", re.MULTILINE)

_COSTS = {
    "delta": "one request; none within the time to live, after it a delta of what changed",
    "whole": "one request; none within the time to live",
    "movements": "one request, a delta where the service keeps records and no month is given; none"
    " within the time to live",
    "ledger": "four requests, or none while an export is fresh; none within the time to live, after"
    " it four deltas of what changed",
    "proof": "two requests, a delta and the whole budget; four where they differ at first, and six"
    " where the transactions are read anew",
    "schedule": "two requests, or none while an export is fresh; none within the time to live,"
    " after it two deltas of what changed",
    "flow": "two requests; none within the time to live, after it deltas where the service keeps"
    " records and no month is given",
    "write": "one request. What it makes stale is dropped from the cache",
}


def reads(
    *tables: str, source: str, cost: str = "whole", columns: Sequence[Column] = ()
) -> Callable[[_F], _F]:
    """Complete the docstring of a method that reads.

    Parameters
    ----------
    *tables : str
        The frames it can return; none for a method whose docstring says what it returns.
    source : str
        Method and path of the request.
    cost : str
        Kind of cost: ``delta``, ``whole``, ``movements``, ``ledger``, ``proof`` or ``write``.
    columns : sequence of Column
        Those of a frame that is put together here, below what the docstring says it returns.
    """

    def complete(method: _F) -> _F:
        if method.__doc__:  # there is none under -OO
            start, heading, examples = cleandoc(method.__doc__).partition("Examples\n---")
            returned = _returned_frames(tables) if tables else ""
            own = indent(column_table(columns), "    ") if columns else ""
            sections = [
                _with_options(start.rstrip(), method),
                own,
                returned,
                _RAISES,
                _notes(source, cost),
                heading + examples,
            ]
            method.__doc__ = "\n\n".join(filter(None, sections)) + "\n"
        return method

    return complete


def reported(docstring: str | None, *, source: str, cost: str) -> str | None:
    """The docstring of a method that reads what a report is made of, from that of the report's.

    Parameters
    ----------
    docstring : str, optional
        That of the function that takes the frames.
    source, cost : str
        As for `reads`.
    """
    if docstring is None:
        return None
    start, _, examples = cleandoc(docstring).partition("Examples\n---")
    own, _, _ = start.partition("\n\nRaises\n------\n")
    sections = [
        _FRAME_PARAMETER.sub("", own).replace(f"{_PARAMETERS}\nReturns", "Returns"),
        _RAISES,
        _notes(source, cost),
        f"Examples\n---{examples}",
    ]
    return "\n\n".join(sections) + "\n"


def _notes(source: str, cost: str) -> str:
    said = [f"Source: ``{source}``.", f"Cost: {_COSTS[cost]}."]
    return "Notes\n-----\n" + "\n\n".join(fill(each, _WIDTH) for each in said)


def _with_options(text: str, method: Callable[..., Any]) -> str:
    options = [_OPTIONS[name] for name in signature(method).parameters if name in _OPTIONS]
    if not options:
        return text
    before, heading, after = text.partition(f"\n\n{_RETURNS}")
    between = "\n" if _PARAMETERS in before else f"\n\n{_PARAMETERS}"
    return before + between + "\n".join(options) + heading + after


def _returned_frames(tables: tuple[str, ...]) -> str:
    text = _RETURNS
    for position, name in enumerate(tables):
        table = TABLES[name]
        either = "Where the service keeps one record for each move: " if position else ""
        order = f"{either}rows sorted by {', '.join(table.order)} and numbered from 0; the same"
        text += f"DataFrame\n{_filled(f'{order} columns and dtypes when there are none.')}\n\n"
        text += indent(column_table(table.columns), "    ") + "\n\n"
    return text.rstrip()


def _filled(text: str) -> str:
    return fill(text, _WIDTH, initial_indent="    ", subsequent_indent="    ")
