"""Amounts as the budget itself writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from budgetframe._milliunits import MILLIUNITS

__all__ = ["NEUTRAL", "in_currency", "money_axis", "plain"]

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
    amount: float | None,
    currency_format: Mapping[str, Any] | None = None,
    *,
    whole: bool = False,
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
    if math.isinf(amount):
        return str(amount)
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


def money_axis(axis: Any, currency_format: Mapping[str, Any] | None = None) -> None:
    """Write the amounts along an axis as the budget does.

    Parameters
    ----------
    axis : matplotlib Axis
        ``ax.yaxis`` or ``ax.xaxis``.
    currency_format : mapping, optional
        That of a frame: ``frame.attrs["currency_format"]``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> money_axis(ax.yaxis, {"currency_symbol": "€", "display_symbol": True})
    >>> ax.yaxis.get_major_formatter()(1500.0)
    '€1,500'
    """
    from matplotlib.ticker import FuncFormatter  # noqa: PLC0415 - an extra, and slow to import

    def written(value: float, _position: int | None = None) -> str:
        return plain(in_currency(value, currency_format, whole=float(value).is_integer()))

    axis.set_major_formatter(FuncFormatter(written))


def plain(text: str) -> str:
    """Text in which a dollar sign is one, and begins no formula."""
    return text.replace("$", r"\$")
