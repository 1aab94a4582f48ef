"""Several axes in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from budgetframe.errors import ToolError

from .canvas import canvas
from .options import PlotOptions

_SIZE = 9.0, 3.6  # inches of one panel


def panels(count: int, options: PlotOptions) -> list[Any]:
    """The axes of a new figure, one below the other, in the colours of a theme."""
    if options.ax is not None:
        advice = "select the rows of one budget, or convert the amounts with rates="
        raise ToolError(f"ax=: {count} budgets need {count} axes; {advice}")
    size = options.figsize or (_SIZE[0], _SIZE[1] * count)
    with canvas({}, options._replace(figsize=size)) as prepared:
        figure = prepared.ax.get_figure()
        prepared.ax.remove()
        return list(figure.subplots(count, 1, subplot_kw={"axes_class": type(prepared.ax)}))


def share_scales(axes: Sequence[Any], currencies: Sequence[str]) -> None:
    """Give axes of days the same days, and those of one currency the same amounts."""
    from matplotlib.dates import DateLocator  # noqa: PLC0415 - an extra: `canvas` has checked it

    limits = [ax.get_xlim() for ax in axes]
    widest = max(axes, key=lambda ax: ax.get_xlim()[1] - ax.get_xlim()[0])
    is_labelled = not isinstance(widest.xaxis.get_major_locator(), DateLocator)
    labels = [label.get_text() for label in widest.get_xticklabels()]
    for ax in axes:
        if is_labelled and ax is not widest:  # the labels of periods, each under its bar
            ax.set_xticks(widest.get_xticks(), labels)
            for value in list(ax.texts):  # the values of its bars, which become narrower
                value.remove()
        ax.set_xlim(min(low for low, _ in limits), max(high for _, high in limits))
    for code in {*currencies}:
        own = [ax for ax, each in zip(axes, currencies, strict=True) if each == code]
        heights = [ax.get_ylim() for ax in own]
        for ax in own:
            ax.set_ylim(min(low for low, _ in heights), max(high for _, high in heights))
