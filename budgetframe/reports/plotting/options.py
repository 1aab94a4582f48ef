"""The options of a plot; this module does not import a plotting library."""

from __future__ import annotations

from typing import Any, NamedTuple

TIME_COLUMNS = ("period", "date", "month")
"""The columns that place a row in time; a report has at most one of them."""

OWN_KINDS = ("line", "calendar", "heatmap")
"""The kinds of plots that reports draw themselves; a `ReportType` names its own ones."""


class PlotOptions(NamedTuple):
    """The arguments of ``report.plot()``, which `Picture` explains, and where the plot is shown."""

    ax: Any = None
    theme: str | None = None
    figsize: tuple[float, float] | None = None
    title: str | None = None
    kind: str | None = None
    trend: str | int | None = None
    for_phone: bool = False
