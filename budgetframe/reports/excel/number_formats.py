"""Number formats of Excel for money, shares, days and periods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.frames.money import decimals_of
from budgetframe.frames.schema import CURRENCY, Column

from .cells import is_float, is_number, is_time

GENERAL = "General"
SHARE = "0.0%"
DAY = "yyyy-mm-dd"
# Excel ignores it and uses the language of the user. LibreOffice would show some flags as 0 and 1.
_FLAG = '"TRUE";"TRUE";"FALSE"'
_UNITS = {"share": SHARE, "%": '0"%"', "degrees": GENERAL, "": GENERAL}
_PERIODS = {"month": "mmm yyyy", "year": "yyyy"}
_MAX_SYMBOL = 12  # letters; the format of a cell has at most 255
_TOLERANCE = 1e-6  # thousandths


def money_format(currency_format: Mapping[str, Any] | None) -> str:
    """The number format for amounts of a budget; Excel chooses the separators. Zero is a dash."""
    style = currency_format or {}
    digits = decimals_of(style)
    number = "#,##0" + ("." + "0" * digits if digits > 0 else "")
    symbol = str(style.get("currency_symbol") or "").replace('"', "")[:_MAX_SYMBOL]
    if symbol and style.get("display_symbol"):
        is_first = style.get("symbol_first") is not False
        number = f'"{symbol}"{number}' if is_first else f'{number} "{symbol}"'
    return f'{number};-{number};"-"'


def number_format(values: pd.Series[Any], column: Column | None, money: str, other: str) -> str:
    """The number format for values without periods; `other` is that for floats without a column."""
    if is_time(values):
        known = values.dropna()
        return DAY if (known.dt.normalize() == known).all() else f"{DAY} hh:mm"
    if not is_number(values):
        return _FLAG if pd.api.types.is_bool_dtype(values.dtype) else GENERAL
    if column is not None:
        return money if column.unit == CURRENCY else _UNITS.get(column.unit, "#,##0")
    return (other or GENERAL) if is_float(values) else GENERAL


def period_format(freq: str, day: pd.Timestamp) -> str:
    """The number format for the first day of a period; Excel has none for quarters."""
    return f'"Q{day.quarter} "yyyy' if freq == "quarter" else _PERIODS.get(freq, DAY)


def freq_of(days: Sequence[pd.Timestamp]) -> str:
    """The length of periods with these first days: "year", "quarter", "month", or else "day"."""
    times = pd.DatetimeIndex(pd.Series(days, dtype="datetime64[us]"))
    if not (times == times.normalize()).all() or not (times.day == 1).all():
        return "day"
    months = np.unique(times.year * 12 + times.month - 1)
    step = np.gcd.reduce(np.diff(months)) if len(months) > 1 else 1
    for freq, length in (("year", 12), ("quarter", 3)):
        if step % length == 0 and not (months % length).any():
            return freq
    return "month"


def looks_like_shares(values: Sequence[pd.Series[Any]]) -> bool:
    """Whether numbers are shares: at most 1, and not multiples of a thousandth like amounts."""
    numbers = np.concatenate([*(each.dropna().to_numpy("float64") for each in values), np.zeros(0)])
    if np.abs(numbers).max(initial=0) > 1:
        return False
    thousandths = numbers * MILLIUNITS
    return bool((np.abs(thousandths - np.round(thousandths)) > _TOLERANCE).any())
