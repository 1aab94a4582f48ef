"""Find series of payments at regular intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .periods import DAY, MONTH

KINDS = ("subscription", "bill", "rent", "loan", "transfer", "income")


class Frequency(NamedTuple):
    """A frequency of the service, and how regular its payments must be."""

    days: int  # the length of the interval, or zero
    months: int  # the length of the interval, or zero; with neither, it is half a month
    tolerance: int  # the number of days by which a payment may be early or late
    least: int  # the number of payments that a series has at least
    per_year: int  # the number of payments in a year

    @property
    def grace(self) -> int:
        """Number of days after the expected day until a series has ended."""
        length = self.days or 365 * self.months // 12
        return min(30, max(7, length // 2))

    def may_have(self, length: float) -> bool:
        """Whether an interval of this number of days can be one of the frequency."""
        days = self.days or 15 * (not self.months)
        shortest, longest = days or 30 * self.months - 3, days or 31 * self.months
        return shortest - self.tolerance <= length <= longest + self.tolerance

    def after(self, days: Any) -> Any:
        """The days one interval later; the last day of a month that is too short."""
        if self.days:
            return days + self.days * DAY
        months = days.astype("datetime64[M]")
        of_month, later = days - months, months + self.months * MONTH
        if not self.months:
            is_second = of_month >= 15 * DAY
            later, of_month = later + is_second * MONTH, of_month + (15 - 30 * is_second) * DAY
        last = (later + MONTH).astype("datetime64[D]") - DAY
        return np.minimum(later.astype("datetime64[D]") + of_month, last)

    def late(self, days: Any) -> Any:
        """By how many days payments are late or early; twice a month, since the last but one."""
        if self.days or self.months:
            return np.abs((days[1:] - self.after(days[:-1])).astype("int64"))
        return np.abs((days[2:] - FREQUENCIES["monthly"].after(days[:-2])).astype("int64"))

    def next_day(self, days: Any) -> Any:
        """The day of the next payment, on the usual day of the month."""
        expected = self.after(days[-1:])[0]
        if self.days:
            return expected
        recent = days[-RECENT:]
        of_month = (recent - recent.astype("datetime64[M]")).astype("int64")
        if not self.months:  # the other one of the two days
            is_other = np.abs((of_month - of_month[-1] + 15) % 30 - 15) > 7  # noqa: PLR2004
            of_month, recent = of_month[is_other], recent[is_other]
        is_end = (recent + DAY).astype("datetime64[M]") > recent.astype("datetime64[M]")
        counts = np.bincount(of_month)
        usual = int(of_month.max() if is_end.all() else np.flatnonzero(counts == counts.max())[-1])
        months = expected.astype("datetime64[M]") + np.arange(-1, 2) * MONTH
        lasts = (months + MONTH).astype("datetime64[D]") - DAY
        candidates = np.minimum(months.astype("datetime64[D]") + usual * DAY, lasts)
        return candidates[np.abs((candidates - expected).astype("int64")).argmin()]


FREQUENCIES = {
    "weekly": Frequency(7, 0, 1, 4, 52), "everyOtherWeek": Frequency(14, 0, 2, 4, 26),
    "twiceAMonth": Frequency(0, 0, 4, 4, 24), "every4Weeks": Frequency(28, 0, 3, 3, 13),
    "monthly": Frequency(0, 1, 4, 3, 12), "everyOtherMonth": Frequency(0, 2, 6, 3, 6),
    "every3Months": Frequency(0, 3, 7, 3, 4), "every4Months": Frequency(0, 4, 7, 3, 3),
    "twiceAYear": Frequency(0, 6, 7, 3, 2), "yearly": Frequency(0, 12, 7, 2, 1),
}  # fmt: skip
"""The frequencies that a series can have, by the service's name."""

RECENT = 6  # payments that decide the usual day of the month
_SIMILAR = 5  # amounts are similar if they differ by at most one part in this number
_NEAR = 10  # the same for neighbours in a cluster of amounts, and for a series of two payments
_PAIR = 2  # payments; more of them are less likely to be regular by chance
_IRREGULAR = 5  # at most one interval in this number may be irregular
_CHANGED = 3  # at most one amount in this number may differ from the one before
_VARYING = 8  # payments of a series whose amounts vary
_SHORTEST_VARYING = 28  # days of the interval of a series whose amounts vary


class Series(NamedTuple):
    """Payments at regular intervals, sorted by day."""

    rows: Any  # the positions of the payments
    days: Any  # datetime64[D]
    amounts: Any  # milliunits, positive
    frequency: str  # a name in `FREQUENCIES`


def find_series(days: Any, amounts: Any) -> list[Series]:
    """One series of the payments to a payee, whose days are sorted, or those of similar amounts."""
    whole = _series(np.arange(len(days)), days, amounts)
    if whole is not None:
        return [whole]
    found = [_series(rows, days[rows], amounts[rows], more=1) for rows in _clusters(amounts)]
    regular = [series for series in found if series is not None]
    covered = sum(len(series.rows) for series in regular)
    return regular if 4 * covered >= 3 * len(days) else []


def _clusters(amounts: Any) -> Iterator[Any]:
    """Positions of payments with similar amounts, each cluster in the order of the days."""
    order = np.argsort(amounts, kind="stable")
    ascending = amounts[order]
    breaks = np.flatnonzero(np.diff(ascending) * _NEAR > ascending[1:]) + 1
    return (np.sort(rows) for rows in np.split(order, breaks))


def _series(rows: Any, days: Any, amounts: Any, more: int = 0) -> Series | None:
    """The series of these payments, `more` than its frequency needs; None if they are irregular."""
    if len(days) < _PAIR:
        return None
    similar = _NEAR if len(amounts) == _PAIR else _SIMILAR
    middle = np.median(np.diff(days).astype("int64"))  # it fits, as most intervals of a series do
    best, smallest = None, np.inf
    for name, frequency in FREQUENCIES.items():
        if len(days) < frequency.least + more or not frequency.may_have(middle):
            continue
        late = frequency.late(days)
        fits = late <= frequency.tolerance
        if (~fits).sum() * _IRREGULAR > len(fits):
            continue
        is_long = frequency.months > 0 or frequency.days >= _SHORTEST_VARYING
        may_vary = is_long and len(days) >= _VARYING
        if not may_vary and not _is_steady(amounts, similar):
            continue
        mean = late[fits].mean()
        if mean < smallest:
            best, smallest = name, mean
    if best is None:
        return None
    kept = _without_extra_payments(days, amounts, FREQUENCIES[best])
    return Series(rows[kept], days[kept], amounts[kept], best)


def _without_extra_payments(days: Any, amounts: Any, frequency: Frequency) -> list[int]:
    """Positions of the payments of a series, without other payments to the same payee."""
    # Of several payments near the expected day, the one with the most similar amount counts. If
    # there is none, the following one counts, unless the day is to come and it is not similar.
    kept = [0]
    while kept[-1] + 1 < len(days):
        last = kept[-1]
        late = (days[last + 1 :] - frequency.after(days[last : last + 1])[0]).astype("int64")
        near = np.flatnonzero(np.abs(late) <= frequency.tolerance)
        if len(near):
            differences = np.abs(amounts[last + 1 + near] - amounts[last])
            following = near[np.lexsort((np.abs(late[near]), differences))[0]]
        elif late[-1] > 0:
            following = 0
        else:  # the expected day is still to come
            similar = [_is_steady(amounts[[last, last + 1 + at]]) for at in range(len(late))]
            if True not in similar:
                break
            following = similar.index(True)
        kept.append(last + 1 + int(following))
    return kept


def is_changed(amounts: Any, part: int) -> Any:
    """Which amounts differ by more than one part in this number from the one before."""
    return np.abs(np.diff(amounts)) * part > np.maximum(amounts[1:], amounts[:-1])


def _is_steady(amounts: Any, part: int = _SIMILAR) -> bool:
    """Whether few amounts differ by more than one part in this number from the one before."""
    changed = is_changed(amounts, part)
    return bool(changed.sum() * _CHANGED <= len(changed))
