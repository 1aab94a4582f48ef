"""Amounts in bank files: one decimal separator for all texts of a file that need it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from budgetframe.errors import ToolError
from budgetframe.frames.builder import shown

from .rows import milliunits, question

_UNIT = r"(?:(?:[A-Z]{3}|[A-Z]{0,2}[$€£¥₹₺₽₩₪฿₫₴₱]|Euro?|kr\.?|zł|Kč|Ft|Fr\.?|Rs\.?) ?)?"
_AMOUNT = re.compile(
    rf"(?P<a>\(?)(?P<b>[+-]?) ?{_UNIT}(?P<c>[(+-]?) ?{_UNIT}(?P<number>\d[\d., ']*|[.,]\d+)"
    rf"{_UNIT}(?P<d>[+-]?) ?{_UNIT}(?P<e>(?:[CD][Rr]?|[SH])?)\.?(?P<close>\)?) ?{_UNIT}"
)
_NEGATIVE = ("-", "(", "D", "DR", "S")
_WHOLE = r"\d+|[1-9]\d{{0,2}}(?P<gap>[{} '])\d{{3}}(?:(?P=gap)\d{{3}})*"
_NUMBERS = {  # with a point also 1,23,456.00 as in India
    ".": re.compile(rf"({_WHOLE.format(',')}|\d\d?(?:,\d\d)+,\d{{3}})?(?:\.(?P<rest>\d*))?"),
    ",": re.compile(rf"({_WHOLE.format('.')})?(?:,(?P<rest>\d*))?"),
}
_LOOKALIKES = str.maketrans("\u2212\u2013\u2019", "--'")
_CODES = {"€": "EUR", "£": "GBP", "₹": "INR", "zł": "PLN", "R$": "BRL"}


def amounts_of(
    texts: Sequence[str], where: Callable[[int], str], decimal: str | None
) -> tuple[list[int | None], str | None]:
    """Amounts of texts in milliunits (None: empty), and how they were read; errors have `where`."""
    clear: dict[str, str] = {}  # a text that is an amount with only one separator, for each
    for index, text in enumerate(texts):
        numbers = possible_amounts(text)
        if text.strip() and not (decimal in numbers if decimal else numbers):
            means = f" with decimal={decimal!r}" if decimal else ""
            raise ToolError(f"{where(index)}: {shown(text)} is not an amount{means}")
        if len(numbers) == 1:
            clear.setdefault(next(iter(numbers)), text)
    chosen = decimal or (next(iter(clear)) if len(clear) == 1 else "")
    found: list[int | None] = []
    for index, text in enumerate(texts):
        numbers = possible_amounts(text)
        values = {sep: milliunits(n, where(index), "amount") for sep, n in numbers.items()}
        if len({*values.values()}) > 1 and not chosen:
            both = {sep: f"{text} is {n}" for sep, n in numbers.items()}
            raise question(where(index), "decimal", both)
        found.append(values.get(chosen, next(iter(values.values()), None)))
    return found, f"decimal separator: {clear[chosen]} occurs" if chosen in clear else None


def currency_of(text: str) -> str | None:
    """The code of the currency of an amount or of a column, if the text states it."""
    found = re.search(r"(?<![^\W\d_])[A-Z]{3}(?![^\W\d_])|€|£|₹|zł|R\$", text)
    return found and _CODES.get(found[0], found[0])


@lru_cache(maxsize=2**16)
def possible_amounts(text: str) -> dict[str, str]:
    """The number that a text is with each decimal separator that is possible."""
    match = _AMOUNT.fullmatch(" ".join(text.translate(_LOOKALIKES).split()))
    marks = [match[name].upper() for name in "abcde" if match[name]] if match else []
    if not match or len(marks) > 1 or ("(" in marks) != bool(match["close"]):
        return {}
    sign = "-" if marks and marks[0] in _NEGATIVE else ""
    found = {}
    for decimal, pattern in _NUMBERS.items():
        if number := pattern.fullmatch(match["number"].strip()):
            whole = "".join(filter(str.isdecimal, number[1] or "0"))
            found[decimal] = f"{sign}{whole}.{number['rest'] or '0'}"
    return found
