"""Exact sums of rows: all arithmetic uses integers, and floats only appear in the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.money import check_sums, exact, totals
from budgetframe.frames.tables import MONEY

_MAX_NAMED = 3  # missing columns that an error names


def required_frame(
    frame: pd.DataFrame | ArrowTable, columns: Sequence[str], method: str
) -> pd.DataFrame:
    """The frame of a report as a DataFrame, which has the columns that the report needs."""
    frame = in_pandas(frame)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        more = f" and {len(missing) - _MAX_NAMED} more" if len(missing) > _MAX_NAMED else ""
        raise ToolError(
            f"the frame has no column {', '.join(missing[:_MAX_NAMED])}{more}: this report needs"
            f" the frame of bf.{method}(), with amounts in currency units"
        )
    check_sums(frame, *(MONEY.keys() & {*columns}))
    if "date" in columns and not pd.api.types.is_datetime64_any_dtype(frame["date"]):
        raise ToolError(
            "the column date has no days: read the file with parse_dates=['date'], or convert the"
            f" frame with .astype(bf.{method}().dtypes)"
        )
    return frame


def summed(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The sums of ``amount`` in milliunits: one row per group that occurs, sorted by the keys."""
    sums = totals(rows[[*keys, "amount"]], keys)["amount"].reset_index()
    return sums.assign(amount=exact(sums))


def grid(rows: pd.DataFrame, labels: int, starts: Any) -> Any:
    """The sums of ``amount`` by label and period, in milliunits, shape (labels, periods)."""
    # The rows have the columns ``amount``, ``period`` (first day) and ``label`` (a position below
    # the number `labels`). `starts` are the first days of all periods.
    table = np.zeros((labels, len(starts)), dtype="int64")
    at = np.searchsorted(starts, rows["period"].to_numpy())
    np.add.at(table, (rows["label"].to_numpy("int64"), at), exact(rows))
    return table


def divide_rounded(amounts: Any, counts: Any) -> Any:
    """Milliunits divided by counts, rounded to the milliunit, halves away from zero."""
    counts = np.broadcast_to(counts, amounts.shape)
    units = np.maximum(counts, 1)
    return np.sign(amounts) * ((2 * np.abs(amounts) + units) // (2 * units))
