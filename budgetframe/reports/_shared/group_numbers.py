"""The number of the group of each row of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd


def group_numbers(rows: pd.DataFrame, names: Sequence[str]) -> Any:
    """The number of the group of each row, in the order of the first row of each group."""
    # These columns identify it; without any, all rows are one. Missing values equal empty texts.
    numbers = np.zeros(len(rows), dtype="int64")
    for name in names:
        codes = _codes(rows[name])
        numbers = pd.factorize(numbers * (codes.max(initial=0) + 2) + codes + 1)[0]
    return numbers


def _codes(values: pd.Series[Any]) -> Any:
    """A number for each value; a missing value and an empty text have the number -1."""
    codes, texts = pd.factorize(values)
    return np.where(np.append(np.asarray(texts == ""), True)[codes], -1, codes)
