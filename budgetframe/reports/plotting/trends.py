"""Linear trends and moving averages of the periods of a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.reports._shared.periods import period_numbers

_MIN_PERIODS = 2


TextOf = Callable[[float], str]


class Trend(NamedTuple):
    """A line through the values of periods; its index has their days."""

    values: pd.Series[float]
    name: object  # of the values
    text: str  # what the line is: ``trend: +12.30 per month``, ``mean of 3 months``


def check_trend(trend: object) -> None:
    """Check the argument `trend` of a plot."""
    is_number = isinstance(trend, (int, np.integer)) and not isinstance(trend, bool)
    if trend == "linear" or (is_number and trend >= _MIN_PERIODS):  # type: ignore[operator]
        return
    periods = "the number of periods of a moving average, which is at least 2"
    raise ToolError(f"trend={trend!r}: it must be 'linear', or {periods}")


def trend_of(
    values: pd.Series[float], is_complete: Any, trend: str | int, freq: str, text_of: TextOf
) -> Trend:
    """The linear trend (least squares) or the moving average of the complete periods."""
    # The moving average at a period is the mean of this period and the ones before it. The index of
    # the values has a day of each period, sorted and without duplicates.
    known = values[np.asarray(is_complete, dtype=bool)].astype("float64").dropna()
    numbers = period_numbers(known.index.to_numpy(), freq)
    least = _MIN_PERIODS if trend == "linear" else int(trend)
    if len(known) < least:
        needed = f"at least {least} complete periods with a value"
        raise ToolError(f"trend={trend!r} needs {needed}, and this report has {len(known)}")
    length = freq.partition(" ")[0]  # "week" also for weeks from Sunday
    if trend == "linear":
        slope, start = np.polyfit(numbers - numbers[0], known.to_numpy(), 1)
        line = pd.Series(start + slope * (numbers - numbers[0]), index=known.index)
        sign = "+" if slope >= 0 else ""
        return Trend(line, values.name, f"trend: {sign}{text_of(slope)} per {length}")
    by_number = pd.Series(known.to_numpy(), index=numbers)
    every = by_number.reindex(range(numbers[0], numbers[-1] + 1))  # with the gaps
    means = every.rolling(least).mean().reindex(numbers).to_numpy()
    return Trend(pd.Series(means, index=known.index), values.name, f"mean of {least} {length}s")
