"""Amounts as the budget itself writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from budgetframe._milliunits import MILLIUNITS

__all__ = ["NEUTRAL", "in_currency"]

NEUTRAL: Mapping[str, Any] = {
    "decimal_digits": 2,
    "decimal_separator": ".",
    "group_separator": ",",
    "symbol_first": True,
    "currency_symbol": "",
    "display_symbol": False,
}
"""How amounts are written where the budget does not say."""

_DIGITS = 3


def in_currency(
    amount: float | None, currency_format: Mapping[str, Any] | None = None, *, whole: bool = False
) -> str:
    """An amount in the format of a budget.

    Parameters
    ----------
    amount : float
        In currency units; a missing one is an empty text.
    currency_format : mapping, optional
        As the service has it, and the frames of this package in ``attrs["currency_format"]``.
    whole : bool
        Whether to leave the places behind the separator out, as on an axis.

    Examples
    --------
    >>> euro = {"decimal_separator": ",", "group_separator": ".", "currency_symbol": "€"}
    >>> in_currency(-1234.5, euro | {"symbol_first": False, "display_symbol": True})
    '-1.234,50€'
    >>> in_currency(1234.5)
    '1,234.50'
    """
    if amount is None or pd.isna(amount):
        return ""
    said = {name: value for name, value in (currency_format or {}).items() if value is not None}
    how = {**NEUTRAL, **said}
    digits = 0 if whole else min(int(how["decimal_digits"]), _DIGITS)
    milliunits = round(amount * MILLIUNITS)
    step = 10 ** (_DIGITS - digits)
    coins = (abs(milliunits) + step // 2) // step  # half away from zero, as people round
    units, rest = divmod(coins, 10**digits)
    text = f"{units:,}".replace(",", str(how["group_separator"]))
    if digits:
        text += f"{how['decimal_separator']}{rest:0{digits}d}"
    if how["display_symbol"]:
        symbol = str(how["currency_symbol"])
        text = symbol + text if how["symbol_first"] else text + symbol
    return f"-{text}" if milliunits < 0 and coins else text
