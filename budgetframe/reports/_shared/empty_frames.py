"""Frames without rows: a report of them has its columns and no rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pandas as pd

from budgetframe.frames.ledger import LEDGER
from budgetframe.frames.tables import TABLES

__all__ = ["empty_frames"]

_AS_OF = "1900-01-01"  # before all other days: no `until` is in the past


def empty_frames(*names: str) -> Iterator[pd.DataFrame]:
    """The frames of the methods with these names, without rows."""
    return map(_empty_frame, names)


@cache
def _empty_frame(name: str) -> pd.DataFrame:
    columns = LEDGER if name == "ledger" else TABLES[name].columns
    frame = pd.DataFrame({column.name: column.array([]) for column in columns})
    frame.attrs["as_of"] = _AS_OF
    return frame
