"""Exact sums of rows: integers until the very end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.errors import ToolError
from budgetframe.frames import milliunits, totals
from budgetframe.frames.money import check_size

__all__ = ["currency", "divide_rounded", "exact", "grid", "require_columns", "summed"]


def require_columns(frame: pd.DataFrame, columns: Sequence[str], method: str) -> None:
    """Refuse a frame that is not the one a report is made of.

    Raises
    ------
    ToolError
        It says which columns are missing, and where they are.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ToolError(
            f"{', '.join(missing)}: not among the columns. This report is made of the frame that"
            f" bf.{method}() gives, with amounts in currency units"
        )


def exact(frame: pd.DataFrame, column: str = "amount") -> Any:
    """The amounts of a column in milliunits, missing ones as zero."""
    return milliunits(frame[column]).fillna(0).to_numpy("int64")


def summed(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The sums of ``amount`` in milliunits, one row for each group that is there, sorted."""
    sums = totals(rows[[*keys, "amount"]], keys)["amount"].reset_index()
    return sums.assign(amount=exact(sums))


def grid(rows: pd.DataFrame, labels: int, starts: Any) -> Any:
    """The sums of ``amount`` by label and period: milliunits, shape (labels, periods).

    Parameters
    ----------
    rows : DataFrame
        With the columns ``amount``, ``period`` and ``label``: the position of its label.
    labels : int
        How many there are; also one that has no amounts is a row.
    starts : ndarray
        The periods, all of them.
    """
    table = np.zeros((labels, len(starts)), dtype="int64")
    at = np.searchsorted(starts, rows["period"].to_numpy())
    np.add.at(table, (rows["label"].to_numpy("int64"), at), exact(rows))
    return table


def divide_rounded(amounts: Any, counts: Any) -> Any:
    """Milliunits divided by counts, rounded to the milliunit, halves away from zero."""
    counts = np.broadcast_to(counts, amounts.shape)
    units = np.maximum(counts, 1)
    return np.sign(amounts) * ((2 * np.abs(amounts) + units) // (2 * units))


def currency(amounts: Any) -> Any:
    """Milliunits in currency units.

    Raises
    ------
    ToolError
        Where a float could not tell them apart any more.
    """
    check_size(np.abs(amounts).max(initial=0))
    return amounts / MILLIUNITS
