"""Exchange rates of the user, and exact conversion with them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._milliunits import MAX_EXACT
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import day_of
from budgetframe.frames.money import currency, milliunits, rounded

_ALWAYS = date.min  # the day of a rate without a date


class ExchangeRates:
    """Exchange rates to one currency, as `side_by_side` documents them."""

    def __init__(self, rates: pd.DataFrame | ArrowTable, target: str) -> None:
        if not isinstance(target, str) or not target.strip():
            raise ToolError(f"to={target!r} is not an ISO code: write it as 'EUR'")
        rates = in_pandas(rates)
        if not isinstance(rates, pd.DataFrame):
            raise ToolError(f"rates: pass a DataFrame, not {type(rates).__name__}")
        missing = [name for name in ("currency", "rate") if name not in rates]
        if missing:
            needed = "it needs currency and rate, and can have date"
            raise ToolError(f"rates: the frame has no column {', '.join(missing)}; {needed}")
        self.target = target
        self.is_dated = "date" in rates
        known: dict[str, dict[date, Fraction]] = {}
        days = rates["date"] if self.is_dated else [None] * len(rates)
        for code, rate, day in zip(rates["currency"], rates["rate"], days, strict=True):
            if not isinstance(code, str):
                raise ToolError(f"rates: currency={code!r} is not an ISO code: write it as 'EUR'")
            of_day = day_of(day, "date").date() if self.is_dated else _ALWAYS
            value = _exact_rate(rate, code)
            if known.setdefault(code, {}).setdefault(of_day, value) != value:
                on = f" on {of_day}" if self.is_dated else ""
                raise ToolError(f"rates: {code} has several rates{on}; pass one")
            if code == target and value != 1:
                raise ToolError(f"rates: {code} is the currency of to=, but its rate is {rate}")
        self._rates = {code: sorted(by_day.items()) for code, by_day in known.items()}

    def convert(self, amounts: pd.Series[float], code: str, days: Iterable[date]) -> Any:
        """The amounts of a currency on these days in the target currency, rounded to milliunits."""
        # Halves are rounded away from zero. A missing amount stays missing.
        exact = milliunits(amounts)
        is_missing = exact.isna().to_numpy(bool)
        return np.where(
            is_missing, np.nan, currency(self.converted(exact.fillna(0).tolist(), code, days))
        )

    def converted(self, amounts: Iterable[int], code: str, days: Iterable[date]) -> Any:
        """As `convert`, from milliunits to milliunits."""
        rates = {day: self._rate(code, day) for day in {*days}}
        known = zip(amounts, days, strict=True)
        found = [rounded(amount * rates[day]) for amount, day in known]
        if max(map(abs, found), default=0) > MAX_EXACT:
            raise ToolError(f"rates: an amount in {code} is too large in {self.target} to be exact")
        return np.array(found, dtype="int64")

    def rule(self, code: str, days: Iterable[date]) -> str:
        """The rates that were used for a currency, as a sentence."""
        if code == self.target or code not in self._rates:
            return ""
        used = sorted({bisect_right(self._rates[code], day, key=itemgetter(0)) - 1 for day in days})
        if not used:
            return ""
        (begin, oldest), (end, newest) = (self._rates[code][at] for at in (used[0], used[-1]))
        if begin == end:
            on = f" of {end}" if self.is_dated else ""
            return f"Rate of {code}{on}: {float(newest):.12g} {self.target}."
        end_rate = f"{float(newest):.12g} {self.target} of {end}"
        return f"Rates of {code}: from {float(oldest):.12g} {self.target} of {begin} to {end_rate}."

    def _rate(self, code: str, day: date) -> Fraction:
        """The last known rate on or before a day."""
        if code == self.target:
            return Fraction(1)
        known = self._rates.get(code)
        if not known:
            codes = ", ".join(sorted(self._rates)) or "no rows"
            raise ToolError(f"rates: no rate of {code} to {self.target}; the frame has {codes}")
        at = bisect_right(known, day, key=itemgetter(0)) - 1
        if at < 0:
            raise ToolError(
                f"rates: no rate of {code} on or before {day}; the first one is of {known[0][0]};"
                " add an older rate, or let the report begin later"
            )
        return known[at][1]


def _exact_rate(rate: Any, code: str) -> Fraction:
    """The rate as its decimal text states it: a float 0.1 is one tenth."""
    try:
        value = Fraction(Decimal(str(rate)))
    except (InvalidOperation, ValueError, OverflowError):
        value = Fraction(0)
    if value <= 0 or isinstance(rate, bool | np.bool_):
        raise ToolError(f"rates: the rate of {code} is {rate!r}; it must be a positive number")
    return value
