"""Amounts on the axes of matplotlib, in the format of a budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgetframe.frames.number_text import in_currency


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
