"""Pictures of squares: a calendar of days, and a heatmap of groups and periods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from budgetframe._runtime.text import number_of
from budgetframe.reports._shared.group_pictures import SPENDING_WORDS
from budgetframe.reports._shared.periods import period_numbers
from budgetframe.reports._shared.sentences import exact_sum

from .canvas import Canvas

_BLOCKS = {False: (12, "year", 3), True: (6, "half year", 4)}  # months in a row of weeks, and rows
_SHADES = (0.3, 0.5, 0.75, 1.0)  # each of a quarter of the days with an amount
_BLOCK_HEIGHT = 9.2  # squares: seven days, the names of the months, and a gap
_SIDE = 0.9  # of a square, as a share of the distance of two
_CORNERS = (np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) - 0.5) * _SIDE
_PEN = (Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY)
_WEEKDAYS = {1: "Tue", 3: "Thu", 5: "Sat"}
_MAX_GROUPS, _MAX_PERIODS, _MAX_PHONE_PERIODS = 15, 24, 12
_STRONGEST = 0.55  # shade of a cell on which a text is legible
_LARGE = 0.9  # share of the cells that are not the strongest ones
Names = tuple[str, str]


def draw_calendar(canvas: Canvas, amounts: pd.Series[float], what: str) -> Any:
    """Draw days as squares, a column for each week: three years, on a phone four half years."""
    months, unit, most = _BLOCKS[canvas.for_phone]
    block = amounts.index.to_numpy().astype("datetime64[M]").astype("int64") // months
    end = _not_shown(np.ptp(block) + 1 - most, unit)
    amounts, block = amounts[block > block.max() - most], block[block > block.max() - most]
    days, sizes = amounts.index.to_numpy(), amounts.abs().to_numpy()
    week = period_numbers(days, "week")
    week -= period_numbers((block * months).astype("datetime64[M]"), "week")
    top = (block - block.min()) * _BLOCK_HEIGHT
    row = top + (days.astype("datetime64[D]").astype("int64") + 3) % 7
    quarters = np.quantile(sizes[sizes > 0], (0.25, 0.5, 0.75)) if sizes.any() else ()
    limits = [*dict.fromkeys(float(f"{limit:.2g}") for limit in quarters)]
    level = np.where(sizes > 0, 1 + np.searchsorted(limits, sizes), 0)
    shown = [canvas.amount(limit, whole=limit.is_integer()) for limit in limits]
    texts = ["zero", *(f"up to {text}" for text in shown), f"more than {(shown or [''])[-1]}"]
    theme, is_less = canvas.theme, (amounts < 0).to_numpy()
    less = {level[is_less].max(initial=0): "below zero"}  # the legend has one shade of its colour
    colours = (theme.plus, ~is_less, dict(enumerate(texts))), (theme.minus, is_less, less)
    for colour, own, labels in colours:
        for place in np.unique(level[own]):
            at = own & (level == place)
            style = {"facecolor": colour if place else theme.rule, "label": labels.get(place, "")}
            shade = _SHADES[place - len(texts)] if place else None
            corners = np.stack([week[at], row[at]], axis=1)[:, None] + _CORNERS
            # One path: an SVG of a thousand rectangles is much larger.
            path = Path(corners.reshape(-1, 2), np.tile(_PEN, at.sum()))
            canvas.ax.add_patch(PathPatch(path, linewidth=0, alpha=shade, **style))
    size = 2 if canvas.for_phone else 4
    canvas.ax.plot(week[is_less], row[is_less], "_", color=theme.ink, markersize=size)
    ticks: dict[float, str] = {}
    month = days.astype("datetime64[M]")
    for first in np.flatnonzero(np.diff(month.astype("int64"), prepend=-1)):
        day = pd.Timestamp(days[first])
        canvas.ax.text(week[first] - _SIDE / 2, top[first] - 0.7, f"{day:%b}", fontsize="small")
        ticks[top[first] - 1] = f"{day:%Y}"
        ticks |= {top[first] + each: name for each, name in _WEEKDAYS.items()}
    canvas.ax.set_yticks([*ticks], [*ticks.values()], fontsize="small")
    canvas.ax.set_xticks([])
    canvas.ax.spines["bottom"].set_visible(False)
    columns, rows = months * 4.5, max(ticks) + 1.6
    canvas.ax.set(xlim=(-0.6, columns), ylim=(rows, -1.8), aspect="equal", anchor="NW")
    canvas.grow(0.85 + (rows + 1.8) * canvas.width / columns)
    end = f": {canvas.amount(exact_sum(amounts))}{end}"
    periods = pd.DataFrame({"period": days})
    return canvas.title(canvas.heading(what, periods, words=SPENDING_WORDS, end=end) + end)


def _not_shown(count: int, unit: str) -> str:
    """The end of a title: how many periods are too many for the picture."""
    return f" ({number_of(count, unit)} not shown)" if count > 0 else ""


def draw_heatmap(canvas: Canvas, table: pd.DataFrame, is_complete: pd.Series[Any]) -> Any:
    """Draw what was assigned less what was spent, by group and period, the darker the larger."""
    most = _MAX_PHONE_PERIODS if canvas.for_phone else _MAX_PERIODS
    end = _not_shown(table.shape[1] - most, canvas.time.freq)
    table = canvas.first_rows(table.iloc[:, -most:], _MAX_GROUPS).iloc[::-1]
    starts, middles, lengths = canvas.time.days_of(table.columns)
    row, column = (each.ravel() for each in np.indices(table.shape))
    amounts = table.to_numpy("float64").ravel()
    sizes = np.abs(amounts)
    large = np.quantile(sizes[sizes > 0], _LARGE) if sizes.any() else 1.0
    shades = np.clip(sizes / large, 0.25, 1) * _STRONGEST
    order = np.argsort(-shades, kind="stable")  # the legend has the colour of the first one
    more = 1, canvas.theme.plus, "more assigned than spent"
    for sign, colour, name in (more, (-1, canvas.theme.minus, "more spent than assigned (–)")):
        at = order[np.sign(amounts[order]) == sign]
        left, widths = starts[column[at]], lengths[column[at]] * 0.96
        options = {"align": "edge", "color": colour, "label": name}
        bars = canvas.ax.bar(left, _SIDE, widths, row[at] - _SIDE / 2, **options)
        for bar, shade in zip(bars, shades[at], strict=True):
            bar.set_alpha(shade)
    texts = canvas.whole_amounts(amounts, (canvas.width - 1.6) / len(starts) * 0.95)
    texts = texts or ["–" if each < 0 else "" for each in amounts]
    for place, line, text in zip(middles[column], row, texts, strict=True):
        canvas.ax.text(place, line, text, ha="center", va="center_baseline", fontsize="small")
    canvas.label_periods(table.columns, is_complete[table.columns].to_numpy())
    canvas.ax.set_yticks(range(len(table)), [canvas.short(name) for name in table.index])
    canvas.ax.spines["bottom"].set_visible(False)
    ends = starts[0], starts[-1] + lengths[-1]
    canvas.ax.set(xlim=ends, ylim=(-0.5, max(len(table), 1) - 0.5))
    canvas.grow((1.3 if canvas.for_phone else 1.1) + 0.3 * len(table))
    periods = pd.DataFrame({"period": table.columns})
    return canvas.title(
        canvas.heading("Assigned less spent", periods, words=SPENDING_WORDS, end=end) + end
    )
