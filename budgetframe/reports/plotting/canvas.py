"""Axes of matplotlib that reports are drawn on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import fill, wrap
from typing import Any, Literal

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.number_text import in_currency, number_text
from budgetframe.reports._shared.currency import escape_math, money_axis

from .options import PlotOptions
from .theme_choice import follows_page, theme_of
from .themes import Theme
from .trends import Trend, trend_of

try:
    import matplotlib as mpl
    from matplotlib import dates, patheffects, pyplot as plt, ticker, transforms
    from matplotlib.container import BarContainer
    from matplotlib.font_manager import FontProperties
except ModuleNotFoundError as error:
    raise ToolError(f"a picture needs {error.name}: pip install 'budgetframe[plot]'") from None

from .fonts import drawable, fonts, with_drawable_symbol
from .page_figure import PageAxes, PageFigure, ReportAxes
from .report_time import ReportTime

_SIZE = 9.0, 4.5  # inches; at 100 dpi a notebook shows this size without scaling
_PHONE_SIZE = 2.75, 2.75  # inches; a page enlarges it to 350 CSS pixels
_DPI = 100
_MAX_TICK_LABELS = 13  # labels of periods on an axis; more would overlap
_MAX_LETTERS = 28  # length of a name beside a bar
_MAX_LEGEND_LETTERS = 40  # length of a name in the legend
_MAX_TITLE_LETTERS = 84
_LEGEND_LETTERS = 13  # in a row of the legend, for each inch of the figure
_NARROW = 5.0  # inches
_TITLE_LETTERS = 8.5  # in a line of the title of a narrow figure, for each inch
_LINE_LETTERS = 17  # in a line of a name beside a bar of a narrow figure
_MAX_TITLE_NAME = 22  # length of a name in a title
_MIN_SELECTION = 6  # room for the selection in a title
_AMOUNT_LETTERS = 18  # room for the amount at the end of a title
_TICK_LABEL_WIDTH = 0.53  # inches for the label of a month
_MIN_DATE_LABELS, _MAX_DATE_LABELS = 3, 9  # labels of days on an axis
_DATE_LABEL_WIDTH = 0.5  # inches for the label of a day
_BAR_WIDTH = 0.8  # share of the length of a period
_INCOMPLETE_ALPHA = 0.45
_MAX_MARKERS = 36  # points of a line that are marked
_MAX_VALUES = 13  # vertical bars with their values
_VALUE_HEIGHT = 0.17  # inches for the value of a bar
_TURNED_VALUE = 0.1  # inches for the value of a narrow bar, written from bottom to top
_DIGIT_WIDTH, _SEPARATOR_WIDTH = 0.64, 0.32  # share of the size of the font
_LETTER_WIDTH = 0.62  # share of the size of the font, on average in names
_PHONE_BAR, _PHONE_FRAME = 0.34, 0.95  # inches of a bar and its texts; of everything around
_HEADING_LINE = 0.22  # inches of a line of the title, or of a row of the legend
_PHONE_LINE = 0.13  # inches of a second line of the names
_PHONE_HEIGHT = 1.4  # inches of the axes of a plot without names
_PHONE_BAR_SHARE = 0.4  # height of a bar on a phone, as a share of what it is elsewhere
# Formats for years, months, days and three shorter units. Each contains the year, as under bars.
_DATES = ["%Y", "%b\n%Y", "%d %b\n%Y", "%d %b\n%Y", "%d %b\n%Y", "%d %b\n%Y"]


Attrs = Mapping[Any, Any]
Colours = Sequence[str]
Texts = Sequence[str] | None


class Canvas:
    """Axes to draw a report on, with the elements that reports have in common."""

    def __init__(
        self, ax: Any, theme: Theme, attrs: Attrs, options: PlotOptions, *, may_grow: bool
    ) -> None:
        self.ax = ax
        self.theme = theme
        self._title = options.title
        self._format = attrs.get("currency_format")
        self.time = ReportTime(attrs)
        self._filters = attrs.get("filters") or {}
        self.by = attrs.get("by")
        self.has_income = bool(attrs.get("income"))
        self._may_grow = may_grow  # whether the height of the figure may change
        self.kind = options.kind
        self.is_line = options.kind == "line"
        self.for_phone = options.for_phone
        self.trend = options.trend

    @property
    def max_series(self) -> int:
        """The number of lines or parts with distinguishable colours."""
        return len(self.theme.series)

    def title(self, text: str, *, legend: bool = True) -> Any:
        """Set the title, with the legend below it, and return the axes."""
        ax = self.ax
        drawn, labels = ax.get_legend_handles_labels()
        figure = ax.get_figure()
        is_narrow = figure.get_figwidth() < _NARROW and len(figure.axes) == 1
        # In a narrow figure, title and legend begin at its left edge, and not at that of the axes.
        left, across = (0.01, figure.transFigure) if is_narrow else (0.0, ax.transAxes)
        old = ax.get_legend()
        if old is not None:
            old.remove()
        longest = max(map(len, labels), default=0)
        columns = max(1, min(4, int(figure.get_figwidth() * _LEGEND_LETTERS) // (longest + 4)))
        legend = legend or self.trend is not None
        if legend and drawn:
            shown = ax.legend(
                [_handle(each) for each in drawn], labels, ncols=columns,
                loc="lower left", bbox_to_anchor=(left - 0.01, 0.99),
                bbox_transform=transforms.blended_transform_factory(across, ax.transAxes),
                frameon=False, fontsize="small", labelcolor=self.theme.ink, handlelength=1.6,
                columnspacing=1.4,
            )  # fmt: skip
            shown.set_in_layout(not self.for_phone)  # there it must not move the axes to the right
        lines = -(-len(drawn) // columns) if legend else 0
        shown = self.label(text if self._title is None else self._title, _MAX_TITLE_LETTERS)
        if is_narrow:  # no line begins with the symbol of an amount
            symbol = f" {(self._format or {}).get('currency_symbol')}"
            shown = shown.replace(symbol, symbol.replace(" ", "\N{NO-BREAK SPACE}"))
            shown = fill(shown, int(figure.get_figwidth() * _TITLE_LETTERS))
        if self.for_phone:  # the axes keep their height
            more = max(0, shown.count("\n") - 1) + max(0, lines - 1)
            figure.set_figheight(figure.get_figheight() + _HEADING_LINE * more)
        heading = ax.set_title(shown, loc="left", color=self.theme.ink, pad=10 + 16 * lines)
        if is_narrow:
            heading.set(x=left, verticalalignment="bottom")
            down = heading.get_transform()
            heading.set_transform(transforms.blended_transform_factory(across, down))
            self._wrap_names()
        ax.set_xlabel("")
        ax.set_ylabel("")
        return ax

    def _wrap_names(self) -> None:
        """Write the names beside horizontal bars in up to two lines."""
        if isinstance(self.ax.yaxis.get_major_locator(), ticker.FixedLocator):
            shown = [text.get_text().replace(r"\$", "$") for text in self.ax.get_yticklabels()]
            lines = (wrap(name, _LINE_LETTERS, max_lines=2, placeholder="…") for name in shown)
            names = [escape_math("\n".join(each)) for each in lines]
            self.ax.set_yticks(self.ax.get_yticks(), names, linespacing=0.9)

    def heading(
        self,
        what: str,
        frame: pd.DataFrame,
        *,
        time: str | None = None,
        words: Mapping[str, str] | None = None,
        end: str = " " * _AMOUNT_LETTERS,
    ) -> str:
        """The start of a title: what is drawn, the selection, and the time of the rows."""
        # A selected name that `what` contains is not repeated. The time comes from the column
        # ``period``, ``date`` or ``month``, unless it is given. `words` has the word before the
        # selected names by the name of the argument; by default it is a comma. The selection leaves
        # room for the text that follows, `end`.
        joined, others = [], []
        for argument, given in self._filters.items():
            names = [self.name(name) for name in given if self.name(name) not in what]
            word = (words or {}).get(argument)
            if names and word:
                joined.append(f"{word} {', '.join(names)}")
            elif argument.startswith("exclude_"):
                others += [f"without {name}" for name in names]
            else:
                others += names
        selection = ", ".join([*([" ".join(joined)] if joined else []), *others])
        when = self.time.name_of(frame) if time is None else time
        room = _MAX_TITLE_LETTERS - len(f"{what}, , {when}") - len(end)
        if selection and room >= _MIN_SELECTION:
            what += f"{' ' if joined else ', '}{_shortened(selection, room)}"
        return ", ".join(part for part in (what, when) if part)

    def _use_days(self) -> None:
        """Let the horizontal axis accept days of every type that matplotlib and pandas use."""
        axis = self.ax.xaxis
        if hasattr(axis, "set_converter") and axis.get_converter() is None:  # matplotlib 3.10
            axis.set_converter(dates.DateConverter())

    def amounts_axis(self, axis: str = "y") -> None:
        """Write the amounts on an axis in the format of the budget, and draw a line at zero."""
        money_axis(self.ax.yaxis if axis == "y" else self.ax.xaxis, self._format)
        self._grid(axis)
        line = self.ax.axhline if axis == "y" else self.ax.axvline
        line(0, color=self.theme.faint, linewidth=0.8, zorder=1.5)

    def _grid(self, axis: str = "y") -> None:
        self.ax.grid(visible=True, axis=axis, color=self.theme.rule, linewidth=0.8)
        self.ax.set_axisbelow(True)

    def amount(self, value: float, *, whole: bool = False) -> str:
        """An amount as text, in the format of the budget."""
        return in_currency(value, self._format, whole=whole)

    def number(self, value: float, decimals: int = 0) -> str:
        """A number that is no amount as text, with the separators of the budget."""
        return number_text(value, decimals, self._format)

    def label(self, text: object, max_letters: int = _MAX_LEGEND_LETTERS) -> str:
        """A name from the budget as a label: drawable letters, limited length, no formula."""
        shown = escape_math(_shortened(text, max_letters))
        # matplotlib leaves labels with a leading underscore out of the legend.
        return f" {shown}" if shown.startswith("_") else shown

    def short(self, text: object) -> str:
        """A name as a label beside a bar, which is shorter."""
        return escape_math(_shortened(text, _MAX_LETTERS))

    def name(self, text: object) -> str:
        """A name as part of a title: drawable letters, limited length."""
        return _shortened(text, _MAX_TITLE_NAME)

    def bars(
        self,
        table: pd.DataFrame,
        colours: Sequence[str],
        *,
        stacked: bool = False,
        is_complete: Any = None,
        values: Literal["bars", "sums"] | None = "bars",
        wide: bool = False,
    ) -> None:
        """Draw vertical bars, one position for each row of the table, on an axis of days."""
        # The index of the table has a day of each period; the bars of incomplete periods are
        # lighter. The text at a bar is its own value or, with ``"sums"``, the sum of the stacked
        # values; there are no texts if they would overlap. Bars that are `wide` fill the distance
        # of periods that are not adjacent.
        complete = np.ones(len(table), bool) if is_complete is None else np.asarray(is_complete)
        starts, middles, lengths = self.time.days_of(table.index)
        if wide and len(middles) > 1:
            lengths = np.full(len(middles), np.diff(middles).min())
        widths = lengths * _BAR_WIDTH / (1 if stacked else len(table.columns))
        lefts = middles - lengths * _BAR_WIDTH / 2
        above, below = np.zeros(len(table)), np.zeros(len(table))
        texts: list[tuple[float, float, float]] = []
        self._use_days()
        for place, name in enumerate(table.columns):
            heights = table.iloc[:, place].fillna(0).to_numpy("float64")
            bottoms = np.where(heights < 0, below, above) if stacked else 0
            left = lefts if stacked else lefts + place * widths
            bars = self.ax.bar(
                left, heights, widths, bottoms, align="edge", color=colours[place],
                label=self.label(name),
            )  # fmt: skip
            for bar, is_whole in zip(bars, complete, strict=True):
                bar.set_alpha(None if is_whole else _INCOMPLETE_ALPHA)
                bar.sticky_edges.y[:] = [0]  # not its own lower end: the sum is written above
            above, below = above + heights.clip(min=0), below + heights.clip(max=0)
            if values == "bars":
                tops = bottoms + heights
                texts += zip(left + widths / 2, tops, heights, strict=True)
        if values == "sums":
            sums = above + below
            texts += zip(middles, np.where(sums < 0, below, above), sums, strict=True)
        self.label_periods(table.index, complete)
        self.amounts_axis()
        room = widths.min() if values == "bars" else np.diff(middles).min(initial=lengths.min())
        extent = (starts[-1] + lengths[-1] - starts[0]) * 1.1
        self._write_values(texts, self.width / extent * room)

    @property
    def width(self) -> float:
        """The width of the axes in inches; of own figures, the width after their layout."""
        figure = self.ax.get_figure()
        if self._may_grow:
            return float(figure.get_figwidth()) - (0.7 if self.for_phone else 0.9)
        return float(self.ax.get_position().width * figure.get_figwidth())

    def _write_values(self, texts: Sequence[tuple[float, float, float]], room: float) -> None:
        """Write values at the ends of vertical bars: place, height and value of each."""
        # If the texts do not fit, they are written in whole units, then without the symbol, which
        # the axis has, on a phone from bottom to top, or not at all; a trend would cross them.
        texts = [each for each in texts if each[2]]
        if not texts or len(texts) > _MAX_VALUES or self.trend is not None:
            return
        is_turned = False
        without_symbol = {**(self._format or {}), "display_symbol": False}
        for style, whole in ((self._format, False), (self._format, True), (without_symbol, True)):
            shown = [in_currency(value, style, whole=whole) for *_, value in texts]
            if max(map(_inches, shown)) * 1.08 <= room:
                break
        else:
            is_turned = self.for_phone and room >= _TURNED_VALUE
            if not is_turned:
                return
        for (place, height, value), text in zip(texts, shown, strict=True):
            offset = 0, 3 if value >= 0 else -3
            self._write(text, (place, height), offset, rotation=90 if is_turned else 0)
        length = max(map(_inches, shown)) + 0.05
        self.ax.margins(y=length / (_PHONE_HEIGHT - length) if is_turned else 0.1)

    def _write(self, text: str, at: Any, offset: tuple[int, int], *, rotation: int = 0) -> None:
        """Write the value of a bar at its end; the offset is in points."""
        right, up = offset
        ha = {1: "left", 0: "center", -1: "right"}[np.sign(right)]
        va = {1: "bottom", 0: "center_baseline", -1: "top"}[np.sign(up)]
        # Lines can cross a text above a bar. A rim makes the SVG of a text much larger.
        rim = self._rim if up else None
        self.ax.annotate(
            escape_math(text), at, xytext=offset, textcoords="offset points", ha=ha, va=va,
            fontsize="small", color=self.theme.ink, rotation=rotation, path_effects=rim, zorder=5,
        )  # fmt: skip

    @property
    def _rim(self) -> list[Any]:
        """The rim that separates a line or a text from the bars behind it."""
        return [patheffects.withStroke(linewidth=3, foreground=self.theme.paper)]

    def line_over_bars(
        self, amounts: pd.Series[float], name: str, *, steps: pd.Series[float] | None = None
    ) -> None:
        """Draw a line over vertical bars, with a rim that separates it from the bars."""
        # The index has the days of the bars. With `steps`, the line has a vertical step of that
        # height where it is not zero.
        drops = np.zeros(len(amounts)) if steps is None else steps.to_numpy()
        at = np.repeat(np.arange(len(amounts)), 1 + (drops != 0))
        heights = amounts.to_numpy()[at] - np.where(np.diff(at, append=-1) == 0, drops[at], 0)
        _, middles, _ = self.time.days_of(amounts.index)
        self.ax.plot(
            middles[at], heights, color=self.theme.ink, marker="o",
            markersize=3, label=self.label(name), path_effects=self._rim,
        )  # fmt: skip

    def period_lines(self, table: pd.DataFrame, colours: Colours, is_complete: Any = None) -> None:
        """Draw lines over the middles of periods, dashed to and from an incomplete period."""
        complete = np.ones(len(table), bool) if is_complete is None else np.asarray(is_complete)
        _, middles, _ = self.time.days_of(table.index)
        marker = "o" if len(table) <= _MAX_MARKERS else None
        self._use_days()
        beside = ~complete
        beside[1:] |= ~complete[:-1]
        beside[:-1] |= ~complete[1:]
        for place, name in enumerate(table.columns):
            amounts = table.iloc[:, place].to_numpy("float64")
            self.ax.plot(
                middles, np.where(complete, amounts, np.nan), color=colours[place], marker=marker,
                markersize=4, label=self.label(name),
            )  # fmt: skip
            if not complete.all():
                self.ax.plot(
                    middles, np.where(beside, amounts, np.nan), "--", color=colours[place],
                    marker="o", markersize=4, markerfacecolor=self.theme.paper, zorder=1.9,
                    label="_incomplete",
                )  # fmt: skip
        self.label_periods(table.index, complete)
        self.amounts_axis()

    def trends(
        self, table: pd.DataFrame, is_complete: Any = None, *, freq: str = "", unit: str = ""
    ) -> list[Trend]:
        """The trend of each column of a table, whose index has days; none without `trend`."""
        # Call it before the first line is drawn, because there can be too few periods. By default,
        # periods are complete if their day is the last one of a period, and have the length of
        # those of the report. The unit is that of values that are no amounts.
        if self.trend is None:
            return []
        freq = freq or self.time.freq
        if is_complete is None:
            is_complete = self.time.is_end(table.index, freq)

        def text_of(value: float) -> str:
            return f"{self.number(value, 1)} {unit}" if unit else self.amount(value)

        lines = (table.iloc[:, place] for place in range(len(table.columns)))
        return [trend_of(line, is_complete, self.trend, freq, text_of) for line in lines]

    def draw_trends(
        self, trends: Sequence[Trend], colours: Colours = (), *, at_days: bool = False
    ) -> None:
        """Draw trends as dashed lines, with their texts in the legend."""
        # Several trends have the colours and names of their lines. They go through the middles of
        # periods or, with `at_days`, through the days of the index.
        are_several = len(trends) > 1
        for place, (line, name, text) in enumerate(trends):
            _, days, _ = self.time.days_of(line.index)
            if at_days:
                days = dates.date2num(line.index.to_numpy())
            start = f"{_shortened(name, _MAX_LETTERS)}, " if are_several else ""
            self.ax.plot(
                days, line.to_numpy(), linestyle=(0, (3, 1.5)), linewidth=1.6,
                color=colours[place] if are_several else self.theme.ink,
                label=escape_math(f"{start}{text}"), path_effects=self._rim, zorder=3,
            )  # fmt: skip

    def whole_amounts(self, values: Iterable[float], room: float) -> list[str]:
        """Amounts in whole units and without the symbol; no texts if one has not this room."""
        style = {**(self._format or {}), "display_symbol": False}
        texts = [in_currency(value, style, whole=True) for value in values]
        return texts if max(map(_inches, texts), default=0.0) < room else []

    def grow(self, height: float) -> None:
        """Give the figure this height in inches, if it may change."""
        if self._may_grow:
            self.ax.get_figure().set_figheight(height)

    def label_periods(self, days: Any, complete: Any) -> None:
        """Label the middles of periods, but not more than fit on the axis."""
        most = max(1, min(_MAX_TICK_LABELS, int(self.width / _TICK_LABEL_WIDTH)))
        self.ax.set_xticks(*self.time.labels(days, complete, most), rotation=0)

    @staticmethod
    def first_rows(table: pd.DataFrame, count: int) -> pd.DataFrame:
        """The first rows of a table, and one more row for the sums of the others."""
        rest = table.iloc[count:]
        if rest.empty:
            return table
        return pd.concat([table.iloc[:count], rest.sum().to_frame(f"{len(rest)} more").T])

    def horizontal_bars(
        self, amounts: pd.Series[float], *, max_bars: int, has_labels: bool = False
    ) -> None:
        """Draw bars from top to bottom, and one for all beyond `max_bars`; the index has names."""
        if not has_labels:
            amounts = amounts.set_axis([self.short(name) for name in amounts.index])
        amounts = self.first_rows(amounts.to_frame(), max_bars).iloc[::-1, 0]
        colours = [self.theme.plus if value >= 0 else self.theme.minus for value in amounts]
        places = np.arange(len(amounts))
        self.ax.barh(places, amounts, height=0.75, color=colours)
        self.label_bars(places, [*amounts.index], len(amounts))
        self.write_beside(places, amounts.to_numpy())

    def paired_bars(
        self, table: pd.DataFrame, colours: Colours, *, max_bars: int, texts: Texts = None
    ) -> None:
        """Draw horizontal bars for each row of a table of one or two columns, the first on top."""
        # One more pair of bars is for all rows beyond `max_bars`. The texts beside the bars are by
        # default the amounts of the first column.
        table = self.first_rows(table, max_bars)
        places = np.arange(len(table))[::-1]
        height = 0.76 / len(table.columns)
        lowest = places - 0.38
        for place, name in enumerate(table.columns):
            amounts, label = table.iloc[:, place].to_numpy("float64"), self.label(name)
            bottoms = lowest + height * (len(table.columns) - 1 - place)
            self.ax.barh(bottoms, amounts, height, align="edge", color=colours[place], label=label)
        self.label_bars(places, map(self.short, table.index), 1.5 * len(table))
        ends = table.iloc[:, 0].to_numpy("float64")
        self.write_beside(lowest + 0.76 - height / 2, ends, texts=texts)

    def write_beside(self, places: Any, ends: Any, *, texts: Texts = None) -> None:
        """Write texts, by default the amounts, at the ends of horizontal bars, if they fit."""
        # On a phone they are in the line above the bar, after its name.
        height = self.ax.get_position().height * self.ax.get_figure().get_figheight()  # inches
        if not len(places) or height / len(places) < _VALUE_HEIGHT:
            return
        texts = [self.amount(value) for value in ends] if texts is None else texts
        if self.for_phone:
            self._write_above(texts)
            return
        width, needed = self.width - 1.6, max(map(_inches, texts)) + 0.1
        if needed > width / 2:
            return
        for place, end, text in zip(places, ends, texts, strict=True):
            self._write(text, (end, place), (4 if end >= 0 else -4, 0))
        self.ax.margins(x=needed / (width - needed))

    def _write_above(self, texts: Sequence[str]) -> None:
        """Write the names of horizontal bars above the bars, and a text at the end of that line."""
        ax, figure = self.ax, self.ax.get_figure()
        letter = _LETTER_WIDTH * FontProperties(size="small").get_size_in_points() / 72
        room = figure.get_figwidth() - 0.3
        shown = [label.get_text().replace(r"\$", "$") for label in ax.get_yticklabels()]
        letters = [int((room - _inches(text)) / letter) for text in texts]
        rooms = zip(shown, letters, strict=True)
        names = [wrap(name, most, max_lines=2, placeholder="…") for name, most in rooms]
        places = [*ax.get_yticks()]
        for bar in ax.patches:
            middle = bar.get_y() + bar.get_height() / 2
            place = min(places, key=lambda each: abs(each - middle))
            bar.set_height(bar.get_height() * _PHONE_BAR_SHARE)
            bar.set_y(place - 0.24 + (middle - place) * _PHONE_BAR_SHARE - bar.get_height() / 2)
        across = transforms.blended_transform_factory(ax.transAxes, ax.transData)
        style = {"fontsize": "small", "va": "bottom", "color": self.theme.ink, "linespacing": 1.1}
        for place, lines, text in zip(places, names, texts, strict=True):
            name = escape_math("\n".join(lines))
            ax.text(0.01, place - 0.03, name, transform=across, **style)
            ax.text(1, place - 0.03, escape_math(text), transform=across, ha="right", **style)
        if max(map(len, names)) > 1:
            figure.set_figheight(figure.get_figheight() + _PHONE_LINE * len(places))
        ax.set_yticks([])
        ax.set_xticks([])
        ax.spines["bottom"].set_visible(False)
        ax.margins(x=0)
        ax.set_ylim(min(places) - 0.5, max(places) + 0.5)

    def label_bars(self, places: Any, names: Iterable[str], bars: float) -> None:
        """Write the names of horizontal bars, and the amounts on the axis below them."""
        # The figure gets the height for a number of bars, if it may change.
        self.ax.set_yticks(places, [*names])
        self.amounts_axis("x")
        on_phone = _PHONE_FRAME + _PHONE_BAR * bars
        self.grow(on_phone if self.for_phone else max(2.2, 1.2 + 0.3 * bars))

    def lines(self, table: pd.DataFrame, colours: Colours, *, unit: str = "", **style: Any) -> None:
        """Draw lines as `lines_without_axis`, and the axis of amounts, or of values with a unit."""
        self.lines_without_axis(table, colours, **style)
        if unit:
            self.ax.yaxis.set_major_formatter(lambda value, _: f"{self.number(value)} {unit}")
            self._grid()
        else:
            self.amounts_axis()

    def lines_without_axis(self, table: pd.DataFrame, colours: Sequence[str], **style: Any) -> None:
        """Draw lines over the days of the index, with points if a value has no neighbours."""
        is_isolated = table.notna() & table.shift().isna() & table.shift(-1).isna()
        if is_isolated.any(axis=None):
            style = {"marker": "o", "markersize": 4, **style}
        self._use_days()
        days = dates.date2num(table.index.to_numpy())
        for place, name in enumerate(table.columns):
            amounts = table.iloc[:, place].to_numpy("float64")
            self.ax.plot(days, amounts, color=colours[place], label=self.label(name), **style)
        self.ax.minorticks_off()
        fitting = max(_MIN_DATE_LABELS, int(self.width / _DATE_LABEL_WIDTH))
        most = min(fitting, _MAX_DATE_LABELS)
        locator = dates.AutoDateLocator(minticks=_MIN_DATE_LABELS, maxticks=most)
        self.ax.xaxis.set_major_locator(locator)
        options = {"formats": _DATES, "zero_formats": _DATES, "show_offset": False}
        self.ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, **options))
        self.ax.tick_params(axis="x", rotation=0)
        for text in self.ax.get_xticklabels():
            text.set_horizontalalignment("center")

    def dashed_lines(self, table: pd.DataFrame, colours: Sequence[str], label: str = "_") -> None:
        """Draw dashed lines, with one entry in the legend for all of them, or with none."""
        days = dates.date2num(table.index.to_numpy())
        for name, colour in zip(table.columns, colours, strict=False):
            self.ax.plot(days, table[name].to_numpy(), "--", color=colour, label=label)
            label = "_"  # matplotlib leaves it out of the legend
        self.ax.autoscale(axis="x")

    def fill(self, low: Any, high: Any, colour: str, step: Any = "post") -> None:
        """Shade the area between two lines over the days of the index."""
        days = dates.date2num(low.index.to_numpy())
        self.ax.fill_between(
            days, low.to_numpy(), high.to_numpy(), step=step, color=colour, alpha=0.2,
            linewidth=0, zorder=1,
        )  # fmt: skip

    def shading(self, name: str) -> None:
        """Explain shaded areas in the legend."""
        self.ax.fill_between([], [], color=self.theme.faint, alpha=0.4, linewidth=0, label=name)

    def mark(self, day: Any, value: float, text: str, colour: str) -> None:
        """Draw a point with a text beside it."""
        at = dates.date2num(pd.Timestamp(day).to_pydatetime())
        self.ax.plot([at], [value], "o", color=colour, markersize=5, zorder=4)
        is_left = at < np.dot(self.ax.get_xlim(), (0.6, 0.4))  # then the text goes to the right
        offset, ha = ((6, -12), "left") if is_left else ((-6, -12), "right")
        self.ax.annotate(
            escape_math(text), (at, value), xytext=offset, textcoords="offset points", ha=ha,
            fontsize="small", color=self.theme.ink, annotation_clip=False,
        )  # fmt: skip


@contextmanager
def canvas(attrs: Mapping[Any, Any], options: PlotOptions) -> Iterator[Canvas]:
    """The given axes, or the axes of a new figure, in the colours of a theme."""
    colours = theme_of(options.theme, options.ax)
    with _temporary_settings(_settings(colours)):
        figure, ax = None, options.ax
        if ax is None:
            size = options.figsize or (_PHONE_SIZE if options.for_phone else _SIZE)
            kind: dict[str, Any] = {"subplot_kw": {"axes_class": ReportAxes}}
            if follows_page(options.theme):
                kind = {"FigureClass": PageFigure, "subplot_kw": {"axes_class": PageAxes}}
            figure, ax = plt.subplots(figsize=size, dpi=_DPI, layout="constrained", **kind)
        may_grow = figure is not None and options.figsize is None
        try:
            attrs = with_drawable_symbol(attrs)
            yield Canvas(ax, colours, attrs, options, may_grow=may_grow)
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
        "figure.facecolor": theme.paper, "savefig.facecolor": theme.paper,
        "axes.facecolor": theme.paper, "axes.edgecolor": theme.rule,
        "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False,
        "axes.titlesize": 12, "axes.titleweight": "bold",
        "font.family": list(fonts()), "font.size": 10, "text.color": theme.ink,
        "xtick.color": theme.rule, "xtick.labelcolor": theme.ink,
        "ytick.color": theme.rule, "ytick.labelcolor": theme.ink, "ytick.left": False,
    }  # fmt: skip


def _shortened(text: object, max_letters: int) -> str:
    """The drawable letters of a text, cut to a maximum length."""
    if text is None or pd.isna(text):  # type: ignore[call-overload]
        return "(none)"
    shown = " ".join(drawable(str(text)).split()) or "(no letters to draw)"
    return shown if len(shown) <= max_letters else f"{shown[: max_letters - 1].rstrip()}…"


def _handle(drawn: Any) -> Any:
    """The element of the legend for something drawn; of bars, one of a complete period."""
    if not isinstance(drawn, BarContainer):
        return drawn
    return next((bar for bar in drawn if bar.get_alpha() is None), drawn)


def _inches(text: str) -> float:
    """About the width of a value of a bar; digits are the widest letters of most amounts."""
    ems = sum(_SEPARATOR_WIDTH if each in ".,' " else _DIGIT_WIDTH for each in text)
    return ems * FontProperties(size="small").get_size_in_points() / 72
