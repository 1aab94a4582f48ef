"""Amounts in the currency format of a budget."""

from __future__ import annotations

from typing import Any

from budgetframe.sandbox.state.rows import Currency

_MILLI = 1000
_DIGITS = 3


def formatted(amount: int, currency: Currency) -> str:
    """Format milliunits in the format of the currency, rounded half away from zero."""
    step = 10 ** (_DIGITS - currency.decimal_digits)
    units = (abs(amount) + step // 2) // step
    whole, part = divmod(units, 10**currency.decimal_digits)
    text = f"{whole:,}".replace(",", currency.group_separator)
    if currency.decimal_digits:
        text += f"{currency.decimal_separator}{part:0{currency.decimal_digits}d}"
    if currency.display_symbol:
        symbol = currency.currency_symbol
        text = symbol + text if currency.symbol_first else text + symbol
    return f"-{text}" if amount < 0 and units else text


def display_fields(name: str, amount: int | None, currency: Currency) -> dict[str, Any]:
    """Return the two fields that accompany an amount: formatted text and currency units."""
    if amount is None:
        return {f"{name}_formatted": None, f"{name}_currency": None}
    return {f"{name}_formatted": formatted(amount, currency), f"{name}_currency": amount / _MILLI}
