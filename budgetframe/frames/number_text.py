"""Numbers as people read them, in the format of a budget: the only place that writes amounts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from budgetframe._milliunits import to_milliunits

Currency = Mapping[str, Any] | None  # the ``currency_format`` of a budget; None if it is unknown

_DEFAULT_FORMAT: Mapping[str, Any] = {
    "decimal_digits": 2, "decimal_separator": ".", "group_separator": ",", "symbol_first": True,
    "currency_symbol": "", "display_symbol": False,
}  # fmt: skip
_DIGITS = 3  # decimals of an amount in milliunits


def in_currency(
    amount: float | None,
    currency_format: Currency = None,
    *,
    whole: bool = False,
    exact: bool = False,
) -> str:
    """Write an amount in currency units in the format of a budget; a missing one is an empty text.

    Frames have the format of the service in ``attrs["currency_format"]``. With `whole`, the amount
    is rounded to whole units without decimals, as on an axis. With `exact`, it has more decimals
    than the currency, up to three, if it needs them.

    Examples
    --------
    >>> euro = {"decimal_separator": ",", "group_separator": ".", "currency_symbol": "€"}
    >>> in_currency(-1234.5, euro | {"symbol_first": False, "display_symbol": True})
    '-1.234,50 €'
    >>> in_currency(1234.5)
    '1,234.50'
    >>> in_currency(0.125, exact=True)
    '0.125'
    """
    if amount is None or pd.isna(amount):
        return ""
    if math.isinf(amount):
        return str(amount)
    style = _style(currency_format)
    digits = 0 if whole else min(int(style["decimal_digits"]), _DIGITS)
    milliunits = to_milliunits(amount)
    while exact and milliunits % 10 ** (_DIGITS - digits):
        digits += 1
    step = 10 ** (_DIGITS - digits)
    rounded = (abs(milliunits) + step // 2) // step  # halves away from zero, as people round
    units, rest = divmod(rounded, 10**digits)
    text = _replace_separators(f"{units:,}" + (f".{rest:0{digits}d}" if digits else ""), style)
    symbol = str(style["currency_symbol"])
    if style["display_symbol"] and symbol:
        text = symbol + text if style["symbol_first"] else f"{text} {symbol.lstrip()}"
    return f"-{text}" if milliunits < 0 and rounded else text


def share_text(share: float | None, currency_format: Currency = None) -> str:
    """Write a share or a rate as per cent, with the separators of a budget; a missing one as "".

    Examples
    --------
    >>> share_text(0.1068), share_text(-12.5, {"decimal_separator": ",", "group_separator": "."})
    ('10.7%', '-1.250,0%')
    >>> share_text(-0.0004)
    '0.0%'
    """
    if share is None or pd.isna(share):
        return ""
    return _replace_separators(f"{share:z,.1%}", _style(currency_format))


def number_text(number: float, decimals: int = 0, currency_format: Currency = None) -> str:
    """Write a number that is no amount, with the separators of a budget."""
    return _replace_separators(f"{number:z,.{decimals}f}", _style(currency_format))


def _style(currency_format: Currency) -> dict[str, Any]:
    """The fields of a format; missing ones have those of an unknown currency."""
    given = {name: value for name, value in (currency_format or {}).items() if value is not None}
    return {**_DEFAULT_FORMAT, **given}


def _replace_separators(text: str, style: Mapping[str, Any]) -> str:
    """A number that Python has written, with the separators of a format."""
    separators = {",": str(style["group_separator"]), ".": str(style["decimal_separator"])}
    return "".join(separators.get(letter, letter) for letter in text)
