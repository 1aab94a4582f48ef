"""Where an edited frame comes from, and columns that look like a column that can be changed."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pandas as pd

from budgetframe._runtime.arguments import refused
from budgetframe.frames.request_bodies import meant_column

_OF_CHANGES = {"action", "field", "before", "after"}
_WITH_ROWS_OF_THE_BUDGET = (None, "suggestions")
"""The reports whose rows are transactions; None for a frame that is no report."""


def checked_frame(edited: Any) -> pd.DataFrame:
    """Return an edited frame."""
    if isinstance(edited, pd.DataFrame):
        return edited
    name = type(edited).__name__
    if isinstance(edited, pd.Series):
        advice = "pass a DataFrame: rows are frame[mask], and one row is frame.loc[[label]]"
    elif hasattr(edited, "collect"):  # a LazyFrame of polars
        advice = "call its collect()"
    elif name in ("Changes", "AsyncChanges"):
        advice = "call its .apply() to send the changes"
    elif isinstance(edited, str):
        advice = "pass a DataFrame; to delete rows, pass their keys as delete="
    else:
        advice = "pass a DataFrame: pd.DataFrame(rows) makes one from a list of mappings"
    raise refused(f"edited is {name}: {advice}")


def check_origin(frame: pd.DataFrame, budget: str) -> None:
    """Check that a frame contains rows of this budget, as far as its attrs and columns say so."""
    if set(frame.columns) >= _OF_CHANGES:
        raise refused(
            "the frame lists changes: call .apply() of the Changes, or edit the frame that they"
            " were made from"
        )
    report, other = frame.attrs.get("report"), frame.attrs.get("budget")
    if report not in _WITH_ROWS_OF_THE_BUDGET:
        raise refused(
            f"the frame comes from the report {report}(), whose rows are not rows of the budget:"
            " pass a frame of the budget, or the rows behind a figure, with .rows()"
        )
    if other is not None and budget and other != budget:
        raise refused(
            f"the frame was read from the budget {other!r}, but this is the budget {budget!r}: use"
            f" bf.with_budget({other!r}).changes()"
        )


def ignored_columns(
    frame: pd.DataFrame, known: Container[str], writable: Iterable[str]
) -> list[str]:
    """Warnings of columns that are ignored, but look like a column that can be changed."""
    columns = tuple(writable)
    return [
        f"the column {name!r} is ignored; {found!r} can be changed"
        for name in map(str, frame.columns)
        if name not in known and (found := meant_column(name, columns)) is not None
    ]
