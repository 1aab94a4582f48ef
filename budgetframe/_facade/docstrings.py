"""The parts of a docstring that follow from the tables of columns, parameters and costs.

Each fact is written once, as data. `complete_docstring` inserts it where a method needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import cleandoc, signature
from textwrap import fill, indent
from typing import Any, TypeVar

from budgetframe.frames.schema import Column, column_table
from budgetframe.frames.tables import TABLES

__all__ = ["RAISES", "complete_docstring", "notes"]

_F = TypeVar("_F", bound=Callable[..., Any])

RAISES = """\
Raises
------
ToolError
    When the request limit is reached, an argument is not valid, or the name of the budget matches
    no budget or several budgets.
ServiceAPIError
    When the service answers with an error.
httpx.TransportError
    When the service does not answer."""

_COMMON_PARAMETERS = {
    ("since", "until"): """\
since, until : str, date or Timestamp, optional
    First and last day, both included. ``"2026-05"`` and ``"2026"`` mean the first or the last day
    of that month or year.""",
    ("month",): """\
month : str or date, optional
    Only this month: ``"2026-05"``.""",
    ("name",): """\
name : str
    At most 50 characters.""",
    ("include_closed",): """\
include_closed : bool
    Whether closed accounts are included.""",
    ("include_hidden",): """\
include_hidden : bool
    Whether hidden categories and groups are included.""",
    ("include_deleted",): """\
include_deleted : bool
    Whether deleted rows are included; a column ``deleted`` marks them. This costs one more
    request, for all changes since the list began: no other answer of the service has deleted
    rows. The request asks for the changes since server knowledge 1, on the assumption that the
    service then sends every row that ever changed; a `RuntimeWarning` reports an answer that lacks
    most of the listed rows.""",
    ("money",): """\
money : {"float", "milliunits", "decimal"}
    Amounts in currency units, as float64; as integer thousandths, in columns whose names end in
    ``_milliunits``; or in currency units as Arrow decimals with three places, which needs
    ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python objects;
    ``.astype(frame.dtypes)`` restores their dtype.""",
    ("extra",): """\
extra : bool
    Whether to keep the fields of the service that are not columns. They come after the other
    columns and are not converted. Fields that are objects, such as the terms of loans, cannot be
    written to Parquet.""",
}  # fmt: skip
"""Parameters that mean the same in every method; a method may document one itself instead."""

_WIDTH = 99
_PARAMETERS = "Parameters\n----------\n"
_RETURNS = "Returns\n-------\n"
_EXAMPLES = "Examples\n---"

_PRESENT = "one request for the present rows, a delta where the list is known"
_NAMES = (
    "If an account, a payee or a category is changed, or a transfer, the lists of accounts,"
    " categories and payees cost one request each if they are not fresh."
)
_INTERRUPTED = (
    "If the limit does not leave enough requests, nothing is written, unless the rows need more"
    " than the whole limit. If a request fails, a note of the error says how many rows were"
    " written, and ``journal().resume()`` continues. The cached lists that the write changes are"
    " dropped"
)

_COSTS = {
    "delta": "one request; none within the time to live, after it a delta of what changed",
    "whole": "one request; none within the time to live",
    "movements": "one request, a delta where the service keeps records and no month is given; none"
    " within the time to live",
    "ledger": "four requests, or none while an export is fresh; none within the time to live, after"
    " it four deltas of what changed",
    "reconcile": "two requests, a delta and the whole budget; four where they differ at first, and"
    " six where the transactions are reloaded in full",
    "schedule": "two requests, or none while an export is fresh; none within the time to live,"
    " after it two deltas of what changed. With `typical` three more, for the ledger",
    "money_flow": "two requests; none within the time to live, after it deltas where the service"
    " keeps records and no month is given",
    "batches": "one request for up to 50 rows, two for up to 100, and so on. If the limit does not"
    " leave enough requests for all rows, nothing is sent. If one request fails, a note of its"
    " error says which rows were written. The cached lists that the write changes are dropped",
    "rows": "one request for each row, one after the other. If the limit does not leave enough"
    " requests for all rows, nothing is sent. If one request fails, a note of its error says which"
    " rows were done, and the others are not sent. The cached lists that the write changes are"
    " dropped",
    "updates": f"{_PRESENT}, and one for up to 50 rows that differ, two for up to 100, and so on."
    f" {_NAMES} {_INTERRUPTED}",
    "single_updates": f"{_PRESENT}, and one for each row that differs. {_NAMES} {_INTERRUPTED}",
    "deletions": f"{_PRESENT}, and one for each row. {_INTERRUPTED}",
    "import": "one request, and one for all transactions if some were imported. The cached lists"
    " that the import changes are dropped",
    "assign": "one request. A name also needs the list of categories, which costs none within the"
    " time to live. The cached lists that the write changes are dropped",
    "move": "one request for the month and one for each of the two categories. If the limit does"
    " not leave enough requests, nothing is changed. The cached lists that the write changes are"
    " dropped",
    "changes": "one request for the present rows, a delta where the list is known; the lists of"
    " accounts, categories and payees cost one request each if they are not fresh. Assigned amounts"
    " of one month cost one request, those of several months one for the whole budget. No write is"
    " sent",
    "import_rows": "one request for the present rows, a delta where the list is known; the lists of"
    " accounts, categories and payees cost one request each if they are not fresh. No write is"
    " sent",
    "journal": "none, if the budget is known already",
    "write": "one request. The cached lists that the write changes are dropped",
}


def complete_docstring(
    *tables: str, source: str, cost: str = "whole", columns: Sequence[Column] = ()
) -> Callable[[_F], _F]:
    """Complete the docstring of a method; the method itself does not change.

    Parameters
    ----------
    *tables : str
        Names of the frames that the method can return; none if its docstring has a section
        ``Returns``.
    source : str
        HTTP method and path of the request.
    cost : str
        Kind of cost, a key of the table of costs in this module.
    columns : sequence of Column
        Columns of a frame that several answers are joined to, shown below ``Returns``.
    """

    def complete(method: _F) -> _F:
        if method.__doc__:  # it is None under -OO
            start, heading, examples = cleandoc(method.__doc__).partition(_EXAMPLES)
            sections = [
                _with_common_parameters(start.rstrip(), method),
                indent(column_table(columns), "    ") if columns else "",
                _returned_frames(tables) if tables else "",
                RAISES,
                notes(source, cost),
                heading + examples,
            ]
            method.__doc__ = "\n\n".join(filter(None, sections)) + "\n"
        return method

    return complete


def notes(source: str, cost: str) -> str:
    """The section ``Notes`` of a method that sends requests."""
    paragraphs = [f"Source: ``{source}``.", f"Cost: {_COSTS[cost]}."]
    return "Notes\n-----\n" + "\n\n".join(fill(each, _WIDTH) for each in paragraphs)


def _with_common_parameters(text: str, method: Callable[..., Any]) -> str:
    names = signature(method).parameters
    before, heading, after = text.partition(f"\n\n{_RETURNS}")
    common = [
        paragraph
        for (first, *_), paragraph in _COMMON_PARAMETERS.items()
        if first in names and f"\n{first} : " not in before and f"\n{first}, " not in before
    ]
    if not common:
        return text
    separator = "\n" if _PARAMETERS in before else f"\n\n{_PARAMETERS}"
    return before + separator + "\n".join(common) + heading + after


def _returned_frames(tables: tuple[str, ...]) -> str:
    text = _RETURNS
    for position, name in enumerate(tables):
        table = TABLES[name]
        rows = "Where the service keeps one record for each move: rows" if position else "Rows"
        order = f"{rows} sorted by {', '.join(table.order)} and numbered from 0;"
        empty = "the same columns and dtypes when there are none."
        text += "DataFrame\n" + indent(fill(f"{order} {empty}", _WIDTH - 4), "    ") + "\n\n"
        text += indent(column_table(table.columns), "    ") + "\n\n"
    return text.rstrip()
