"""Axes of matplotlib that reports are drawn on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import fill, wrap
from typing import Any

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.reports.currency import escape_math, in_currency, money_axis

from .options import PlotOptions
from .themes import Theme, follows_page, theme_of

try:
    import matplotlib as mpl
    from matplotlib import dates, patheffects, pyplot as plt, ticker, transforms
except ModuleNotFoundError as error:
    raise ToolError(f"a picture needs {error.name}: pip install 'budgetframe[plot]'") from None

from .fonts import drawable, fonts, with_drawable_symbol
from .page_figure import PageAxes, PageFigure

__all__ = ["Canvas", "canvas"]

_SIZE = 9.0, 4.5  # inches; at 100 dpi a notebook shows this size without scaling
_DPI = 100
_MAX_TICK_LABELS = 13  # labels of periods on an axis; more would overlap
_MAX_LETTERS = 28  # length of a name beside a bar
_MAX_LEGEND_LETTERS = 40  # length of a name in the legend
_MAX_TITLE_LETTERS = 84
_LEGEND_LETTERS = 13  # in a row of the legend, for each inch of the figure
_NARROW = 5.0  # inches
_TITLE_LETTERS = 8.5  # in a line of the title of a narrow figure, for each inch
_LINE_LETTERS = 17  # in a line of a name beside a bar of a narrow figure
# Formats for years, months, days and three shorter units. Each contains the year, as under bars.
_DATES = ["%Y", "%b\n%Y", "%d %b\n%Y", "%d %b\n%Y", "%d %b\n%Y", "%d %b\n%Y"]


class Canvas:
    """Axes to draw a report on, with the elements that reports have in common.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes to draw on.
    theme : Theme
        The colours.
    attrs : mapping
        The ``attrs`` of the report.
    title : str, optional
        A title that replaces the report's own title.
    may_grow : bool
        Whether the height of the figure may change to fit the content.
    """

    def __init__(
        self,
        ax: Any,
        theme: Theme,
        attrs: Mapping[Any, Any],
        *,
        title: str | None = None,
        may_grow: bool = False,
    ) -> None:
        self.ax = ax
        self.theme = theme
        self._title = title
        self._format = attrs.get("currency_format")
        self._freq = attrs.get("freq")
        self.by = attrs.get("by")
        self._may_grow = may_grow

    @property
    def max_series(self) -> int:
        """The number of lines or parts with distinguishable colours."""
        return len(self.theme.series)

    def title(self, text: str, *, legend: bool = True) -> Any:
        """Set the title, with the legend below it, and return the axes."""
        ax, drawn = self.ax, self.ax.get_legend_handles_labels()[0]
        figure = ax.get_figure()
        is_narrow = figure.get_figwidth() < _NARROW and len(figure.axes) == 1
        # In a narrow figure, title and legend begin at its left edge, and not at that of the axes.
        left, across = (0.01, figure.transFigure) if is_narrow else (0.0, ax.transAxes)
        old = ax.get_legend()
        if old is not None:
            old.remove()
        longest = max(map(len, ax.get_legend_handles_labels()[1]), default=0)
        columns = max(1, min(4, int(figure.get_figwidth() * _LEGEND_LETTERS) // (longest + 4)))
        if legend and drawn:
            ax.legend(
                loc="lower left",
                bbox_to_anchor=(left - 0.01, 0.99),
                bbox_transform=transforms.blended_transform_factory(across, ax.transAxes),
                ncols=columns,
                frameon=False,
                fontsize="small",
                labelcolor=self.theme.ink,
                handlelength=1.2,
                columnspacing=1.4,
            )
        lines = -(-len(drawn) // columns) if legend else 0
        shown = self.label(text if self._title is None else self._title, _MAX_TITLE_LETTERS)
        heading = ax.set_title(
            fill(shown, int(figure.get_figwidth() * _TITLE_LETTERS)) if is_narrow else shown,
            loc="left",
            color=self.theme.ink,
            pad=10 + 16 * lines,
        )
        if is_narrow:
            heading.set(x=left, verticalalignment="bottom")
            heading.set_transform(
                transforms.blended_transform_factory(across, heading.get_transform())
            )
            self._wrap_names()
        ax.set_xlabel("")
        ax.set_ylabel("")
        return ax

    def _wrap_names(self) -> None:
        """Write the names beside horizontal bars in up to two lines."""
        if isinstance(self.ax.yaxis.get_major_locator(), ticker.FixedLocator):
            shown = [text.get_text().replace(r"\$", "$") for text in self.ax.get_yticklabels()]
            names = [
                "\n".join(wrap(name, _LINE_LETTERS, max_lines=2, placeholder="…")) for name in shown
            ]
            self.ax.set_yticks(
                self.ax.get_yticks(), [escape_math(name) for name in names], linespacing=0.9
            )

    def money(self, axis: str = "y") -> None:
        """Write the amounts on an axis in the format of the budget, and draw grid lines."""
        money_axis(self.ax.yaxis if axis == "y" else self.ax.xaxis, self._format)
        self.ax.grid(visible=True, axis=axis, color=self.theme.rule, linewidth=0.8)
        self.ax.set_axisbelow(True)

    def amount(self, value: float) -> str:
        """An amount as text for the picture."""
        return escape_math(in_currency(value, self._format))

    def zero(self, axis: str = "y") -> None:
        """Draw a line at zero."""
        line = self.ax.axhline if axis == "y" else self.ax.axvline
        line(0, color=self.theme.faint, linewidth=0.8, zorder=1.5)

    def label(self, text: object, max_letters: int = _MAX_LEGEND_LETTERS) -> str:
        """A name from the budget as a label: drawable letters, limited length, no formula."""
        shown = escape_math(_shortened(text, max_letters))
        # matplotlib leaves labels with a leading underscore out of the legend.
        return f" {shown}" if shown.startswith("_") else shown

    def short(self, text: object) -> str:
        """A name as a label beside a bar, which is shorter."""
        return escape_math(_shortened(text, _MAX_LETTERS))

    def bars(self, table: pd.DataFrame, colours: Sequence[str], *, stacked: bool = False) -> None:
        """Draw vertical bars, one position for each row of the table; its index has days."""
        named = table.set_axis([self.label(name) for name in table.columns], axis=1)
        # By position, because some versions of pandas draw bars by day on an axis of their own.
        named.reset_index(drop=True).plot(
            kind="bar", ax=self.ax, color=list(colours), stacked=stacked, width=0.8, legend=False
        )
        self._label_periods(table.index)
        self.money()
        self.zero()

    def line_over_bars(
        self, amounts: pd.Series[float], name: str, *, steps: pd.Series[float] | None = None
    ) -> None:
        """Draw a line over vertical bars, with a rim that separates it from the bars.

        With `steps`, the line has a vertical step of that height where it is not zero.
        """
        rim = [patheffects.withStroke(linewidth=4, foreground=self.theme.paper)]
        drops = np.zeros(len(amounts)) if steps is None else steps.to_numpy()
        at = np.repeat(np.arange(len(amounts)), 1 + (drops != 0))
        heights = amounts.to_numpy()[at] - np.where(np.diff(at, append=-1) == 0, drops[at], 0)
        self.ax.plot(
            at, heights, color=self.theme.ink, marker="o",
            markersize=3, label=self.label(name), path_effects=rim,
        )  # fmt: skip

    def _label_periods(self, days: Any) -> None:
        """Label the positions of bars with their periods, but not more than fit on the axis."""
        step = max(1, -(-len(days) // _MAX_TICK_LABELS))
        at = range((len(days) - 1) % step, len(days), step)
        self.ax.set_xticks(list(at), [_period(days[place], self._freq) for place in at], rotation=0)

    def horizontal_bars(
        self, amounts: pd.Series[float], *, max_bars: int, has_labels: bool = False
    ) -> None:
        """Draw horizontal bars, the first on top; one more bar for all beyond `max_bars`.

        Parameters
        ----------
        amounts : Series of float
            The amounts; the index has the names.
        max_bars : int
            Number of bars to draw separately.
        has_labels : bool
            Whether the names are already labels.
        """
        if not has_labels:
            amounts = amounts.set_axis([self.short(name) for name in amounts.index])
        rest = amounts.iloc[max_bars:]
        amounts = amounts.iloc[:max_bars]
        if len(rest):
            amounts = pd.concat([amounts, pd.Series({f"{len(rest)} more": rest.sum()})])
        colours = [self.theme.plus if value >= 0 else self.theme.minus for value in amounts]
        amounts.iloc[::-1].plot(kind="barh", ax=self.ax, color=colours[::-1], width=0.75)
        self.money("x")
        self.zero("x")
        self.fit_height(len(amounts))

    def fit_height(self, bars: int) -> None:
        """Set the height of the figure for a number of horizontal bars, if it may change."""
        if self._may_grow:
            self.ax.get_figure().set_figheight(max(2.2, 1.2 + 0.3 * bars))

    def lines(self, table: pd.DataFrame, colours: Sequence[str], **style: Any) -> None:
        """Draw lines over the days of the index, with points if a value has no neighbours."""
        named = table.set_axis([self.label(name) for name in table.columns], axis=1)
        is_isolated = table.notna() & table.shift().isna() & table.shift(-1).isna()
        if is_isolated.any(axis=None):
            style = {"marker": "o", "markersize": 4, **style}
        # `x_compat`: matplotlib's own time axis, so that `mark` can use the same coordinates.
        named.plot(
            kind="line", ax=self.ax, color=list(colours), x_compat=True, legend=False, rot=0,
            **style,
        )  # fmt: skip
        self.ax.minorticks_off()
        locator = dates.AutoDateLocator(minticks=3, maxticks=9)
        self.ax.xaxis.set_major_locator(locator)
        self.ax.xaxis.set_major_formatter(
            dates.ConciseDateFormatter(
                locator, formats=_DATES, zero_formats=_DATES, show_offset=False
            )
        )
        self.ax.tick_params(axis="x", rotation=0)
        for text in self.ax.get_xticklabels():
            text.set_horizontalalignment("center")

    def dashed_lines(self, table: pd.DataFrame, colours: Sequence[str]) -> None:
        """Continue lines that were drawn before, dashed and without an entry in the legend."""
        for name, colour in zip(table.columns, colours, strict=False):
            days = dates.date2num(table.index.to_numpy())
            self.ax.plot(days, table[name].to_numpy(), "--", color=colour, label="_continued")
        self.ax.autoscale(axis="x")

    def fill(self, low: pd.Series[float], high: pd.Series[float], colour: str) -> None:
        """Shade the area between two lines over the days of the index."""
        days = dates.date2num(low.index.to_numpy())
        self.ax.fill_between(
            days, low.to_numpy(), high.to_numpy(), step="post", color=colour, alpha=0.2,
            linewidth=0, zorder=1,
        )  # fmt: skip

    def shading(self, name: str) -> None:
        """Explain shaded areas in the legend."""
        self.ax.fill_between([], [], color=self.theme.faint, alpha=0.4, linewidth=0, label=name)

    def mark(self, day: Any, value: float, text: str, colour: str) -> None:
        """Draw a point with a text beside it."""
        at = dates.date2num(pd.Timestamp(day).to_pydatetime())
        self.ax.plot([at], [value], "o", color=colour, markersize=5, zorder=4)
        is_left = at < sum(self.ax.get_xlim()) / 2  # then the text goes to the right of the point
        self.ax.annotate(
            text,
            (at, value),
            xytext=(6 if is_left else -6, -12),
            ha="left" if is_left else "right",
            textcoords="offset points",
            fontsize="small",
            color=self.theme.ink,
            annotation_clip=False,
        )

    def days(self) -> None:
        """Write numbers of days on the vertical axis, and draw grid lines."""
        self.ax.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f} days"))
        self.ax.grid(visible=True, axis="y", color=self.theme.rule, linewidth=0.8)


@contextmanager
def canvas(attrs: Mapping[Any, Any], options: PlotOptions) -> Iterator[Canvas]:
    """The given axes, or the axes of a new figure, in the colours of a theme.

    Raises
    ------
    ToolError
        For an unknown theme.
    """
    colours = theme_of(options.theme, options.ax)
    with _temporary_settings(_settings(colours)):
        figure, ax = None, options.ax
        if ax is None:
            size = options.figsize or _SIZE
            kind: dict[str, Any] = {}
            if follows_page(options.theme):
                kind = {"FigureClass": PageFigure, "subplot_kw": {"axes_class": PageAxes}}
            figure, ax = plt.subplots(figsize=size, dpi=_DPI, layout="constrained", **kind)
        may_grow = figure is not None and options.figsize is None
        try:
            attrs = with_drawable_symbol(attrs)
            yield Canvas(ax, colours, attrs, title=options.title, may_grow=may_grow)
        except BaseException:
            if figure is not None:  # do not show an incomplete picture
                plt.close(figure)
            raise


@contextmanager
def _temporary_settings(settings: dict[Any, Any]) -> Iterator[None]:
    # Not `rc_context`, which restores all settings: the first figure in a notebook makes the
    # kernel's backend change some settings, and without these no later figure would be shown.
    before = {name: mpl.rcParams[name] for name in settings}
    mpl.rcParams.update(settings)
    try:
        yield
    finally:
        mpl.rcParams.update(before)


def _settings(theme: Theme) -> dict[Any, Any]:
    return {
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.rule,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "axes.titlesize": 12,
        "axes.titleweight": "bold",
        "font.family": list(fonts()),
        "font.size": 10,
        "text.color": theme.ink,
        "xtick.color": theme.rule,
        "ytick.color": theme.rule,
        "xtick.labelcolor": theme.ink,
        "ytick.labelcolor": theme.ink,
        "ytick.left": False,
    }


def _shortened(text: object, max_letters: int) -> str:
    """The drawable letters of a text, cut to a maximum length."""
    if text is None or pd.isna(text):  # type: ignore[call-overload]
        return "(none)"
    shown = " ".join(drawable(str(text)).split()) or "(no letters to draw)"
    return shown if len(shown) <= max_letters else f"{shown[: max_letters - 1].rstrip()}…"


def _period(day: pd.Timestamp, freq: object) -> str:
    if freq == "year":
        return f"{day:%Y}"
    return f"Q{day.quarter}\n{day:%Y}" if freq == "quarter" else f"{day:%b}\n{day:%Y}"
