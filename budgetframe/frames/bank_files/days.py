"""Days in bank files: one order of day, month and year for all texts of a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache

from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown

from .rows import question

_DMY, _MDY, _YMD = _ORDERS = ("dd/mm/yyyy", "mm/dd/yyyy", "yyyy/mm/dd")
_MONTHS = (
    "jan ene gen", "feb fév fev", "mar mär maa mrt", "apr abr avr", "may mai mag mei maj",
    "jun juin giu", "jul juil lug", "aug ago aoû aou", "sep set", "oct okt ott out", "nov",
    "dec dez déc dic",
)  # fmt: skip
"""How the names of the months begin."""
_LAST = 69  # the last year of two digits in this century
_PART = r"(\d{4}|\d\d?|[^\W\d_]{3,12})"
_GAP = r"(?:[\s.,:/'-]+|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d))"
_TIME = r"(?:(?:[T,\s]+\d{1,2}[:.h]\d\d|\s+as of\s).*)?"
_DAY = re.compile(rf"{_PART}{_GAP}{_PART}{_GAP}(\d{{4}}|\d\d?)\.?{_TIME}", re.DOTALL)
_COMPACT = re.compile(rf"(\d\d)(\d\d)(\d\d)(\d\d)(?:\d{{6}}|{_TIME})", re.DOTALL)


def days_of(
    texts: Sequence[str], where: Callable[[int], str], dates: str | None
) -> tuple[list[str], str | None]:
    """The days of texts as ``2026-05-17``, and the sentence that says how they were read.

    `where` is the place of a text in a message. A text that is no day is an error.
    """
    orders = [dates] if dates else [*_ORDERS]
    for index, text in enumerate(texts):
        orders = [order for order in orders if order in _readings(text)]
        if not orders:
            order = f"the order {dates}" if dates else "the order of those before it"
            raise ToolError(f"{where(index)}: {shown(text)} is not a day in {order}")
    found = {order: [_readings(text)[order] for text in texts] for order in orders}
    if _DMY in found and all("." in text[:3] for text in texts):
        found.pop(_MDY, None)  # no country writes points in this order
    years = {order: len({day[:4] for day in days}) for order, days in found.items()}
    if _YMD in found and years.pop(_YMD) >= min(years.values(), default=9) + any(
        "-" in text[:3] for text in texts
    ):
        del found[_YMD]  # the rows would be years apart
    for index, text in enumerate(texts):
        if len({days[index] for days in found.values()}) > 1:
            both = [(f"dates={order!r}", f"{text} is {found[order][index]}") for order in found]
            raise question(where(index), both)
    (order, days), *_ = found.items()
    clear = min(texts, key=lambda text: len(_readings(text)), default="")
    needs_order = {*_readings(clear)} != {*_ORDERS} or len({*_readings(clear).values()}) > 1
    return days, f"the order of the days is {order}: {clear} occurs" if needs_order else None


def is_day(text: str) -> bool:
    """Whether a text is a day in some order."""
    return bool(_readings(text))


@lru_cache(maxsize=10_000)
def _readings(text: str) -> dict[str, str]:
    """The day that a text is in each order that is possible."""
    match = _COMPACT.fullmatch(text) or _DAY.fullmatch(text)
    if match is None:
        return {}
    first, second, third = match.groups()[:3]
    if match.re is _COMPACT:
        is_iso = _day(first + second, third, match[4])
        first, second, third = (
            (first + second, third, match[4]) if is_iso else (first, second, third + match[4])
        )
    days = {
        _DMY: _day(third, second, first),
        _MDY: _day(third, first, second),
        _YMD: _day(first, second, third),
    }
    if first[2:] or second[2:]:  # a year of four digits or a name
        days = dict.fromkeys(_ORDERS, next(filter(None, days.values()), None))
    return {order: day for order, day in days.items() if day}


def _day(year: str, month: str, day: str) -> str | None:
    starts = enumerate(_MONTHS, start=1)
    month = next(
        (str(n) for n, each in starts if month.lower().startswith(tuple(each.split()))), month
    )
    try:
        number = int(year) + (0 if year[2:] else 2000 if int(year) <= _LAST else 1900)
        return date(number, int(month), int(day)).isoformat()
    except ValueError:
        return None
