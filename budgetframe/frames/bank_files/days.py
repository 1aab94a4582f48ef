"""Days in bank files: one order of day, month and year for all texts of a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import lru_cache

from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown

from .rows import question

_DMY, _MDY, _YMD = ORDERS = ("dd/mm/yyyy", "mm/dd/yyyy", "yyyy/mm/dd")
_MONTHS = re.compile(  # how the names of the months begin, in the order of the year
    "(jan|ene|gen)|(f[eé][bv])|(m[aä]r|maa|mrt)|(a[pbv]r)|(ma[yigj]|mei)|(jun|juin|giu)"
    "|(jul|juil|lug)|(aug|ago|ao[uû])|(se[pt])|(o[ckt]t|out)|(nov)|(d[eé][cz]|dic)",
    re.IGNORECASE,
)
_LAST = 69  # the last year of two digits in this century
_PART = r"(\d{4}|\d\d?|[^\W\d_]{3,12})"
_GAP = r"(?:[\s.,:/'-]+|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d))"
_TIME = r"(?:(?:[T,\s]+\d\d?[:.h]\d\d|\s+as of\s).*)?"
_DAY = re.compile(rf"{_PART}{_GAP}{_PART}{_GAP}(\d{{4}}|\d\d?)\.?{_TIME}", re.DOTALL)
_COMPACT = re.compile(rf"(\d\d)(\d\d)(\d\d)(\d\d)(?:\d{{6}}|{_TIME})", re.DOTALL)
_EXCEL = re.compile(r"([3-6]\d{4})(\.\d+)?")  # days since 1899-12-30


def days_of(
    texts: Sequence[str], where: Callable[[int], str], dates: str | None
) -> tuple[list[str], str | None]:
    """The days of texts as ``2026-05-17``, and how they were read; an error shows `where` it is."""
    orders = [dates] if dates else [*ORDERS]
    for index, text in enumerate(texts):
        orders = [order for order in orders if order in possible_days(text)]
        if not orders:
            order = dates or "the order of those before it"
            raise ToolError(f"{where(index)}: {shown(text)} is not a day in {order}")
    unclear = [text for text in texts if len({possible_days(text)[each] for each in orders}) > 1]
    if _DMY in orders and all("." in text[:3] for text in unclear):
        orders = [_DMY]  # no country writes points in another order
    years = {each: len({possible_days(text)[each][:4] for text in unclear}) for each in orders}
    fewest = min((years[each] for each in orders[:-1]), default=0)
    if len(orders) > 1 and years.get(_YMD, 0) >= fewest + any("-" in text[:3] for text in unclear):
        orders = orders[:-1]  # with the year first, the rows would be years apart
    for text in unclear:
        if len({possible_days(text)[each] for each in orders}) > 1:
            both = {each: f"{text} is {possible_days(text)[each]}" for each in orders}
            raise question(where(texts.index(text)), "dates", both)
    clear = min(texts, key=lambda text: len(possible_days(text)), default="")
    why = f"order of the days: {orders[0]}, as in {clear}"
    days = [possible_days(text)[orders[0]] for text in texts]
    is_decided = not dates and 0 < len(possible_days(clear)) < len(ORDERS)
    return days, why if is_decided else None


@lru_cache(maxsize=2**16)
def possible_days(text: str) -> dict[str, str]:
    """The day that a text is in each order that is possible."""
    if match := _EXCEL.fullmatch(text):
        day = date(1899, 12, 30) + timedelta(int(match[1]))
        return dict.fromkeys(ORDERS, day.isoformat())
    if match := _COMPACT.fullmatch(text):
        first, second, third, fourth = match.groups()
        is_iso = _day(first + second, third, fourth)
        parts = (first + second, third, fourth) if is_iso else (first, second, third + fourth)
    elif match := _DAY.fullmatch(text):
        parts = match[1], match[2], match[3]
    else:
        return {}
    first, second, third = parts
    days = _day(third, second, first), _day(third, first, second), _day(*parts)
    if first[2:] or second[2:]:  # a year of four digits or a name
        days = (next(filter(None, days), None),) * 3
    return {order: day for order, day in zip(ORDERS, days, strict=True) if day}


def _day(year: str, month: str, day: str) -> str | None:
    name = _MONTHS.match(month)
    try:
        number = int(year) + (0 if year[2:] else 2000 if int(year) <= _LAST else 1900)
        return date(number, name.lastindex or 0 if name else int(month), int(day)).isoformat()
    except ValueError:
        return None
