"""The money-weighted yearly return of an investment, which spreadsheets call XIRR."""

from __future__ import annotations

from typing import Any

import numpy as np

SMALLEST, LARGEST = -0.9999, 100.0
"""The smallest and the largest yearly return that is found: -99.99 % and 10,000 %."""

_RATES = (
    SMALLEST, -0.99, -0.9, -0.7, -0.5, -0.3, -0.1, 0.0, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0,
    LARGEST,
)  # fmt: skip
"""Bounds of intervals that are searched: two rates within one of them are not told apart."""

_HALVINGS = 45  # of an interval: the widest has a length of 2.3 in logarithms, which become 7e-14
_DECIMALS = 10  # of a rate
_DAYS_OF_A_YEAR = 365


def yearly_returns(days: Any, amounts: Any, ends: Any, values: Any) -> Any:
    """The money-weighted yearly return from the first payment up to each of the days `ends`."""
    # It is the rate at which all payments up to a day, with compound interest from their days on
    # and 365 days in a year, are worth the value on that day; of several, the one closest to zero.
    # It is found by bisection between the bounds `_RATES`, and does not depend on a first guess.
    # The amounts are what was paid in on the `days`; those that were taken out are negative. The
    # values are those at the end of the days `ends`. NaN is returned where no rate between
    # `SMALLEST` and `LARGEST` exists, where nothing was paid in, where nothing was taken out and no
    # value is left, and where the value is negative.
    days, position = np.unique(days, return_inverse=True)
    paid = np.zeros(len(days), dtype="int64")
    np.add.at(paid, position, amounts)
    years = (ends[:, None] - days).astype("timedelta64[D]").astype("int64") / _DAYS_OF_A_YEAR
    counted = np.where(years >= 0, paid, 0)
    years = np.maximum(years, 0)
    taken_out = (counted < 0).any(axis=1) | (values > 0)
    has_both_signs = (counted > 0).any(axis=1) & taken_out & (values >= 0)

    def signs(logarithms: Any) -> Any:
        """Whether the payments are worth more than the value (1) or less (-1), at these rates."""
        worth = (counted * np.exp(logarithms[:, None] * years)).sum(axis=1)
        return np.sign(worth - values)

    bounds = np.log1p(_RATES)
    known = np.stack([signs(np.full(len(ends), bound)) for bound in bounds])
    is_between = (known[:-1] * known[1:] < 0) | (known[1:] == 0)  # or the upper bound is the rate

    def bisected(at: Any) -> Any:
        """The rates in the intervals with these positions."""
        low, high, of_low = bounds[at], bounds[at + 1], known[at, np.arange(len(ends))]
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_above = signs(middle) == of_low
            low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
        return np.round(np.expm1((low + high) / 2), _DECIMALS) + 0.0  # a rate of -0.0 becomes 0.0

    zero = _RATES.index(0.0)  # the number of the intervals below zero
    lower, upper = is_between[:zero], is_between[zero:]
    has_lower, has_upper = lower.any(axis=0), upper.any(axis=0)
    of_lower, of_upper = zero - 1 - lower[::-1].argmax(axis=0), zero + upper.argmax(axis=0)
    rates = bisected(np.where(has_upper, of_upper, of_lower))
    if (has_lower & has_upper).any():
        others = bisected(of_lower)
        is_closer = has_lower & has_upper & (np.abs(others) < np.abs(rates))
        rates = np.where(is_closer, others, rates)
    return np.where(has_both_signs & (has_lower | has_upper), rates, np.nan)
