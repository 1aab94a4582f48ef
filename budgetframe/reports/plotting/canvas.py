"""Where reports are drawn: matplotlib, with colours everybody can tell apart, on light or dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.reports.currency import in_currency, money_axis, plain
from budgetframe.reports.report import PlotOptions

from .themes import Theme, theme_of

try:
    import matplotlib as mpl
    from matplotlib import dates, font_manager, patheffects, pyplot as plt, ticker
    from matplotlib.ft2font import FT2Font
except ModuleNotFoundError as error:
    raise ToolError(f"a picture needs {error.name}: pip install 'budgetframe[plot]'") from None

__all__ = ["Canvas", "canvas"]

_SIZE = 9.0, 4.5  # inches at 100 dots: what a cell of a notebook shows without scaling
_DOTS = 100
_LABELS = 13  # of periods on an axis, at the most: more would touch
_LETTERS = 28  # of a name beside a bar
# Of a year, a month, a day, and what is less than one: as under bars, with the year each time.
_DATES = ["%Y", "%b\n%Y", "%d %b\n%Y", "%d %b\n%Y", "%d %b\n%Y", "%d %b\n%Y"]
# What else to look in for a letter, where it is installed: CJK scripts first, then the rest.
_OTHER_FONTS = (
    "Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", "IPAexGothic", "MS Gothic",
    "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "Malgun Gothic",
    "Arial Unicode MS", "Noto Sans", "Segoe UI Symbol",
)  # fmt: skip


class Canvas:
    """Axes to draw a report on.

    Parameters
    ----------
    ax : matplotlib Axes
        Where.
    theme : Theme
        Colours.
    attrs : mapping
        What the report says of itself.
    title : str, optional
        Instead of the report's own.
    may_grow : bool
        Whether the figure may be as tall as it needs to be.
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
    def most_lines(self) -> int:
        """How many lines or parts can be told apart."""
        return len(self.theme.series)

    def title(self, text: str, *, legend: bool = True) -> Any:
        """Say what is shown; with a legend in a line below it."""
        ax, drawn = self.ax, self.ax.get_legend_handles_labels()[0]
        old = ax.get_legend()
        if old is not None:
            old.remove()
        if legend and drawn:
            ax.legend(
                loc="lower left",
                bbox_to_anchor=(-0.01, 0.99),
                ncols=4,
                frameon=False,
                fontsize="small",
                labelcolor=self.theme.ink,
                handlelength=1.2,
                columnspacing=1.4,
            )
        lines = -(-len(drawn) // 4) if legend else 0
        ax.set_title(
            self.label(text if self._title is None else self._title),
            loc="left",
            color=self.theme.ink,
            pad=10 + 16 * lines,
        )
        ax.set_xlabel("")
        ax.set_ylabel("")
        return ax

    def money(self, axis: str = "y") -> None:
        """Write the amounts of an axis as the budget does."""
        money_axis(self.ax.yaxis if axis == "y" else self.ax.xaxis, self._format)
        self.ax.grid(visible=True, axis=axis, color=self.theme.rule, linewidth=0.8)
        self.ax.set_axisbelow(True)

    def amount(self, value: float) -> str:
        """An amount, to stand in the picture."""
        return plain(in_currency(value, self._format))

    def zero(self, axis: str = "y") -> None:
        """A line at zero."""
        line = self.ax.axhline if axis == "y" else self.ax.axvline
        line(0, color=self.theme.faint, linewidth=0.8, zorder=1.5)

    def label(self, text: object) -> str:
        """A name from outside: in letters that can be drawn, not too long, and no formula."""
        shown = plain(_cut(text, 3 * _LETTERS))
        return f" {shown}" if shown.startswith("_") else shown  # else it is in no legend

    def short(self, text: object) -> str:
        """The same, to stand beside a bar."""
        return plain(_cut(text, _LETTERS))

    def bars(self, table: pd.DataFrame, colours: Sequence[str], *, stacked: bool = False) -> None:
        """Upright bars, one place for each row of the table; its index are days."""
        named = table.set_axis([self.label(name) for name in table.columns], axis=1)
        # By place: by day some versions of pandas draw them on an axis of its own kind.
        named.reset_index(drop=True).plot(
            kind="bar", ax=self.ax, color=list(colours), stacked=stacked, width=0.8, legend=False
        )
        self.places(table.index)
        self.money()
        self.zero()

    def over(self, amounts: pd.Series[float], name: str) -> None:
        """A line over upright bars, with a rim that sets it off from them."""
        rim = [patheffects.withStroke(linewidth=4, foreground=self.theme.paper)]
        self.ax.plot(
            range(len(amounts)), amounts.to_numpy(), color=self.theme.ink, marker="o",
            markersize=3, label=self.label(name), path_effects=rim,
        )  # fmt: skip

    def places(self, days: Any) -> None:
        """Label the places of bars with their periods, as many as there is room for."""
        step = max(1, -(-len(days) // _LABELS))
        at = range((len(days) - 1) % step, len(days), step)
        self.ax.set_xticks(list(at), [_period(days[place], self._freq) for place in at], rotation=0)

    def lying(self, amounts: pd.Series[float], *, most: int, named: bool = False) -> None:
        """Bars that lie, the first one on top, their names beside them; the rest is one more."""
        if not named:
            amounts = amounts.set_axis([self.short(name) for name in amounts.index])
        rest = amounts.iloc[most:]
        amounts = amounts.iloc[:most]
        if len(rest):
            amounts = pd.concat([amounts, pd.Series({f"{len(rest)} more": rest.sum()})])
        colours = [self.theme.plus if value >= 0 else self.theme.minus for value in amounts]
        amounts.iloc[::-1].plot(kind="barh", ax=self.ax, color=colours[::-1], width=0.75)
        self.money("x")
        self.zero("x")
        self.tall(len(amounts))

    def tall(self, rows: int) -> None:
        """As tall as so many lying bars need, where it may be."""
        if self._may_grow:
            self.ax.get_figure().set_figheight(max(2.2, 1.2 + 0.3 * rows))

    def lines(self, table: pd.DataFrame, colours: Sequence[str], **how: Any) -> None:
        """Lines over the days of the index; with points, where a line would not be seen."""
        named = table.set_axis([self.label(name) for name in table.columns], axis=1)
        is_alone = table.notna() & table.shift().isna() & table.shift(-1).isna()
        if is_alone.any(axis=None):
            how = {"marker": "o", "markersize": 4, **how}
        # On matplotlib's own time axis, which other marks fit to.
        named.plot(
            kind="line", ax=self.ax, color=list(colours), x_compat=True, legend=False, rot=0, **how
        )
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

    def mark(self, day: Any, value: float, text: str, colour: str) -> None:
        """A point with a word beside it."""
        at = dates.date2num(pd.Timestamp(day).to_pydatetime())
        self.ax.plot([at], [value], "o", color=colour, markersize=5, zorder=4)
        is_left = at < sum(self.ax.get_xlim()) / 2  # the word stays within the picture
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
        """Write numbers of days along the upright axis."""
        self.ax.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f} days"))
        self.ax.grid(visible=True, axis="y", color=self.theme.rule, linewidth=0.8)


@contextmanager
def canvas(attrs: Mapping[Any, Any], look: PlotOptions) -> Iterator[Canvas]:
    """Axes in the colours of a theme: the given ones, or those of a new figure.

    Raises
    ------
    ToolError
        For a theme that there is not.
    """
    colours = theme_of(look.theme, look.ax)
    with _in_settings(_settings(colours)):
        figure, ax = None, look.ax
        if ax is None:
            size = look.figsize or _SIZE
            figure, ax = plt.subplots(figsize=size, dpi=_DOTS, layout="constrained")
        may_grow = figure is not None and look.figsize is None
        try:
            yield Canvas(ax, colours, attrs, title=look.title, may_grow=may_grow)
        except BaseException:
            if figure is not None:  # half a picture is none
                plt.close(figure)
            raise


@contextmanager
def _in_settings(wanted: dict[Any, Any]) -> Iterator[None]:
    # Not `rc_context`, which takes back all settings: the first figure in a notebook makes the
    # kernel's backend set some of its own, and without these no later figure would show.
    before = {name: mpl.rcParams[name] for name in wanted}
    mpl.rcParams.update(wanted)
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
        "font.family": list(_fonts()),
        "font.size": 10,
        "text.color": theme.ink,
        "xtick.color": theme.rule,
        "ytick.color": theme.rule,
        "xtick.labelcolor": theme.ink,
        "ytick.labelcolor": theme.ink,
        "ytick.left": False,
    }


@cache
def _fonts() -> tuple[str, ...]:
    installed = {*font_manager.get_font_names()}
    return "DejaVu Sans", *(name for name in _OTHER_FONTS if name in installed)


@cache
def _drawable() -> frozenset[int]:
    """Every letter that one of the fonts has: another would be drawn as an empty box."""
    letters: set[int] = set()
    for name in _fonts():
        letters.update(FT2Font(font_manager.findfont(name)).get_charmap())
    return frozenset(letters)


def _cut(text: object, most: int) -> str:
    """The letters that can be drawn, so many of them at the most."""
    if text is None or pd.isna(text):  # type: ignore[call-overload]
        return "(none)"
    letters = "".join(each for each in str(text) if each.isspace() or ord(each) in _drawable())
    shown = " ".join(letters.split()) or "(no letters to draw)"
    return shown if len(shown) <= most else f"{shown[: most - 1].rstrip()}…"


def _period(day: pd.Timestamp, freq: object) -> str:
    if freq == "year":
        return f"{day:%Y}"
    return f"Q{day.quarter}\n{day:%Y}" if freq == "quarter" else f"{day:%b}\n{day:%Y}"
