"""Amounts as text, in the format of a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from budgetframe._milliunits import to_milliunits

__all__ = ["escape_math", "in_currency", "money_axis"]

_DEFAULT_FORMAT: Mapping[str, Any] = {
    "decimal_digits": 2,
    "decimal_separator": ".",
    "group_separator": ",",
    "symbol_first": True,
    "currency_symbol": "",
    "display_symbol": False,
}
_DIGITS = 3  # decimals of an amount in milliunits


def in_currency(
    amount: float | None,
    currency_format: Mapping[str, Any] | None = None,
    *,
    whole: bool = False,
) -> str:
    """Write an amount in the format of a budget.

    Parameters
    ----------
    amount : float
        In currency units; a missing amount becomes an empty text.
    currency_format : mapping, optional
        The format as the service states it; the frames of this package have it in
        ``attrs["currency_format"]``.
    whole : bool
        Whether to round to whole units and leave the decimals out, as on an axis.

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
    given = {name: value for name, value in (currency_format or {}).items() if value is not None}
    style = {**_DEFAULT_FORMAT, **given}
    digits = 0 if whole else min(int(style["decimal_digits"]), _DIGITS)
    milliunits = to_milliunits(amount)
    step = 10 ** (_DIGITS - digits)
    rounded = (abs(milliunits) + step // 2) // step  # halves away from zero, as people round
    units, rest = divmod(rounded, 10**digits)
    text = f"{units:,}".replace(",", str(style["group_separator"]))
    if digits:
        text += f"{style['decimal_separator']}{rest:0{digits}d}"
    if style["display_symbol"]:
        symbol = str(style["currency_symbol"])
        text = symbol + text if style["symbol_first"] else text + symbol
    return f"-{text}" if milliunits < 0 and rounded else text


def money_axis(axis: Any, currency_format: Mapping[str, Any] | None = None) -> None:
    """Write the amounts on an axis in the format of a budget.

    Parameters
    ----------
    axis : matplotlib Axis
        ``ax.yaxis`` or ``ax.xaxis``.
    currency_format : mapping, optional
        The format of a frame: ``frame.attrs["currency_format"]``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> money_axis(ax.yaxis, {"currency_symbol": "€", "display_symbol": True})
    >>> ax.yaxis.get_major_formatter()(1500.0)
    '€1,500'
    """
    from matplotlib.ticker import FuncFormatter  # noqa: PLC0415 - an extra, and slow to import

    def tick_label(value: float, _position: int | None = None) -> str:
        return escape_math(in_currency(value, currency_format, whole=float(value).is_integer()))

    axis.set_major_formatter(FuncFormatter(tick_label))


def escape_math(text: str) -> str:
    """Escape dollar signs, which start a formula in matplotlib."""
    return text.replace("$", r"\$")
