"""The time of a report: the places of its periods on the axis, and their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import dates as mpl_dates

from budgetframe.frames.schema import LEVEL
from budgetframe.reports._shared.periods import DAY, last_days, period_numbers, period_starts

from .options import TIME_COLUMNS
from .period_names import days_name, period_name, periods_name, states_name

_number: Any = mpl_dates.date2num


class ReportTime:
    """The time of a report: the places of its periods on the axis, and their names."""

    def __init__(self, attrs: Mapping[Any, Any]) -> None:
        self.freq = str(attrs.get("freq") or "month")
        self._length = "month" if self.freq == "all" else self.freq
        self._span = attrs.get("span")
        as_of = attrs.get("as_of")
        self.today = None if as_of is None else pd.Timestamp(str(as_of)[:10])

    def name_of(self, frame: pd.DataFrame) -> str:
        """The name of the time that the rows are about; empty if they have no time."""
        time = next((name for name in TIME_COLUMNS if name in frame), None)
        days = pd.Series(dtype="datetime64[us]") if time is None else frame[time].dropna()
        is_statement = LEVEL in frame and self._span is not None  # the periods are columns
        if days.empty and not is_statement:
            return ""
        first, last = days.min(), days.max()
        if time == "date":
            return states_name(first, last, self.freq)
        if self.freq == "all" or is_statement:
            if self._span is None:
                return f"from {period_name(first, 'day')}"
            first, last = map(pd.Timestamp, self._span)
            return days_name(first, last, self.today)
        name = periods_name(first, last, self.freq)
        if first != last or "is_complete" not in frame or frame["is_complete"].all():
            return name
        return f"{name} {self.how_much(first)}"

    def how_much(self, day: pd.Timestamp) -> str:
        """How much of the incomplete period of a day counts."""
        today = -np.inf if self.today is None else _number(self.today)
        starts, _, lengths = self.days_of(pd.DatetimeIndex([day]))
        if starts[0] > today:
            return "in part" if self.today is None else "to come"
        return "so far" if today < starts[0] + lengths[0] - 1 else "in part"

    def days_of(self, days: Any) -> tuple[Any, Any, Any]:
        """The first day, the middle and the length of each period, in days of matplotlib."""
        given = days.to_numpy().astype("datetime64[D]")
        if self.freq == "all" and self._span is not None:
            starts = given
            ends = np.full(len(given), np.datetime64(self._span[1])) + DAY
        else:
            numbers = period_numbers(given, self._length)
            starts, ends = (period_starts(each, self._length) for each in (numbers, numbers + 1))
        firsts, lasts = _number(starts), _number(ends)
        return firsts, (firsts + lasts) / 2, lasts - firsts

    def is_end(self, days: pd.Index[Any], freq: str | None = None) -> Any:
        """Which days are the last days of their periods."""
        given = days.to_numpy()
        return given == last_days(given, freq or self._length)

    def labels(self, days: Any, complete: Any, most: int) -> tuple[Any, list[str]]:
        """The places and texts of labels under the middles of periods; not more than `most`."""
        numbers = period_numbers(days.to_numpy(), self._length)
        step = -(-(numbers[-1] - numbers[0] + 1) // most)
        kept: list[int] = []
        for place in reversed(range(len(numbers))):
            if not kept or numbers[kept[-1]] - numbers[place] >= step:
                kept.append(place)
        kept.reverse()
        _, middles, _ = self.days_of(days)
        return middles[kept], [
            self.label(days[place], separator="\n", is_complete=complete[place]) for place in kept
        ]

    def label(self, day: pd.Timestamp, *, separator: str = " ", is_complete: bool) -> str:
        """The name of the period that begins on a day, and how much of it counts."""
        if self.freq == "all":
            return self.name_of(pd.DataFrame({"period": [day]}))
        name = period_name(day, self.freq, separator)
        return name if is_complete else f"{name}{separator}{self.how_much(day)}"
