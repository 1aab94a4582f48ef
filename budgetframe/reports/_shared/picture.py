"""The plot of a report, and the plots that pandas offers."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pandas as pd
from pandas.plotting import PlotAccessor

from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe.errors import ToolError
from budgetframe.reports.plotting.options import OWN_KINDS, TIME_COLUMNS, PlotOptions
from budgetframe.reports.plotting.row_check import check_rows
from budgetframe.reports.plotting.trends import check_trend

from .report_types import ReportType, registered_types, type_of, types_of

_PANDAS_ARGUMENTS = {"x", "y"}  # with one of these, or another kind, pandas draws the plot
_MIN_PERIODS = 2  # of a line
_KINDS = (
    *OWN_KINDS, "bar", "barh", "hist", "box", "kde", "density", "area", "pie", "scatter", "hexbin",
)  # fmt: skip


class Picture(PlotAccessor):
    """The plot of a report, and the plots that pandas offers."""

    def __init__(self, report: pd.DataFrame) -> None:
        super().__init__(report)
        self._report = report

    @shown_without_frames
    def __call__(  # type: ignore[override]  # other parameters than those of pandas
        self,
        *args: Any,
        ax: Any = None,
        theme: str | None = None,
        figsize: tuple[float, float] | None = None,
        title: str | None = None,
        kind: str | None = None,
        trend: str | int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Draw the report.

        The axis of time has dates: ``ax.axvline(pd.Timestamp("2026-03-15"))`` marks a day. A bar
        covers its period. Bars of an incomplete period are lighter. More than 62 days or weeks are
        drawn as lines.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure with the width of a notebook.
            The background of given axes does not change.
        theme : {"light", "dark"}, optional
            A fixed background, and colours that fit it. By default the colours fit the given
            axes, or a dark style of matplotlib: after ``plt.style.use("dark_background")`` all
            plots are dark. Otherwise a plot has the text colour and the background of the
            notebook or page that shows it, and files that ``savefig`` writes are light.
        figsize : tuple of float, optional
            Width and height in inches.
        title : str, optional
            A title that replaces the report's own title.
        kind : {"line", "calendar", "heatmap"}, optional
            With ``"line"``, a report over time is drawn as lines; with ``"calendar"``, up to three
            years of `spending` and `income_expense` by day, a column for each week from Monday;
            with ``"heatmap"``, the differences of `budget_vs_actual` by group in up to 24 periods.
            With another kind pandas draws the plot.
        trend : "linear" or int, optional
            Also draw a trend of a report over time: ``"linear"`` is the line of least squares,
            with its slope in the legend; a number is a moving average, the mean of a period and
            the ones before it, for example of ``trend=3`` months. Incomplete periods do not
            count.
        *args, **kwargs
            As for ``DataFrame.plot``. With ``x`` or ``y`` pandas draws the plot.

        Returns
        -------
        matplotlib Axes
            For an income Sankey a plotly diagram.

        Raises
        ------
        ToolError
            When the plotting library is not installed, the report has no rows, has repeated rows
            or rows without a time, for example after ``concat`` or ``shift``, or an argument does
            not fit: an unknown `kind`, `theme` or `trend` for a plot of pandas, an argument of
            pandas for a report's plot, `kind` or `trend` for a report without time or with one
            period.
        """
        own = type_of(self._report, self._report.attrs)
        is_matplotlib = pd.get_option("plotting.backend") == "matplotlib"  # others have other kinds
        if kind is not None and kind not in _KINDS and is_matplotlib:
            kinds = f"{', '.join(map(repr, _KINDS))}; without kind= the report draws its own plot"
            raise ToolError(f"kind={kind!r}: it must be one of {kinds}")
        is_own_kind = kind is None or (kind in OWN_KINDS and own is not None)
        is_for_pandas = args or not kwargs.keys().isdisjoint(_PANDAS_ARGUMENTS)
        if is_for_pandas or own is None or not is_own_kind:
            for name, value in {"theme": theme, "trend": trend}.items():
                if value is not None:
                    raise ToolError(f"{name}={value!r}: a plot that pandas draws has no {name}")
            given = {"ax": ax, "figsize": figsize, "title": title, "kind": kind}
            given = {name: value for name, value in given.items() if value is not None}
            try:
                return super().__call__(*args, **kwargs, **given)
            except (ImportError, LookupError, TypeError, ValueError) as error:
                problem = f"kind={kind or 'line'!r}: pandas cannot draw this plot: {error}"
                advice = "Without kind=, x= and y= the report draws its own plot"
                raise ToolError(f"{problem}. {advice}") from None
        if kwargs:
            own_ones = "the plot of a report takes ax, theme, figsize, title, kind and trend"
            advice = "with x=, y= or another kind= pandas draws the plot, with its own arguments"
            raise ToolError(f"{', '.join(kwargs)}: {own_ones}; {advice}")
        if self._report.empty:
            raise ToolError(f"nothing to draw: the report {own.name} has no rows")
        types = types_of(own, self._report.attrs)
        columns = [column for each in types for column in each.columns]
        groups = [names for each in types for names in (each.labels or {}).values()]
        check_rows(pd.DataFrame(self._report), own.name, columns, {*chain(*groups)})
        self._check_time(own, kind, trend)
        options = PlotOptions(ax, theme, figsize, title, kind, trend)
        return own.picture(pd.DataFrame(self._report), self._report.attrs, options)

    def _check_time(self, own: ReportType, kind: str | None, trend: str | int | None) -> None:
        """Check that the rows are points in time, for a line or a trend."""
        if kind is None and trend is None:
            return
        given = f"trend={trend!r}" if trend is not None else f"kind={kind!r}"
        if trend is not None:
            check_trend(trend)
        if trend is not None and kind not in (None, "line"):
            raise ToolError(f"{given}: a {kind} has no trend; leave out trend= or kind=")
        able = [
            each.name
            for each in registered_types()
            if (kind is None or kind in each.kinds) and (trend is None or "trend" in each.kinds)
        ]
        if own.name not in able:
            others = f"the reports that can are {', '.join(able)}"
            raise ToolError(f"{given}: the plot of {own.name} cannot show it; {others}")
        freq = self._report.attrs.get("freq")
        if kind == "calendar" and freq != "day":
            raise ToolError(f"{given} needs a row for each day: calculate it with freq='day'")
        time = next(name for name in TIME_COLUMNS if name in self._report)
        count = self._report[time].nunique()
        if count < _MIN_PERIODS and kind in (None, "line"):
            advice = "; freq='month' gives one row for each month" if freq == "all" else ""
            found = f"the report {own.name} has {count}{advice}"
            raise ToolError(f"{given} needs at least {_MIN_PERIODS} periods, and {found}")
