"""Names of groups in pictures, and pictures of amounts by group and period."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.errors import ToolError

from .group_numbers import group_numbers
from .ledger_rows import LABEL_COLUMNS

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_GROUPS = {
    "category": ("category", "on "), "group": ("group", "on "), "payee": ("payee", "at "),
    "account": ("account", "from "), "flag": ("flag", "flagged "), "hashtag": ("hashtag", "with #"),
    "own": ("label", "on "),
}  # fmt: skip
"""For each grouping, its noun, and the words before the name of a group in a title."""

SPENDING_WORDS = {
    "categories": "on", "accounts": "from", "payees": "at", "flags": "flagged", "hashtags": "with",
}  # fmt: skip
"""For each filter, the word between "Spending" and the selected names in a title."""

_COLUMNS = (
    "category_name", "category_group_name", "payee_name", "account_name", "flag_name", "hashtag",
    "label", "category_id", "category_group_id", "payee_id", "account_id", "flag_color",
)  # fmt: skip
"""The columns that name a group; the first of them in a report has the name to show."""


def disambiguated(rows: pd.DataFrame, group: str, name: str) -> pd.Series[str]:
    """The name of each category, followed by its group if two categories have the same name."""
    names, groups = rows[name].astype(object), rows[group].astype(object)
    distinct = rows[[group, name]].drop_duplicates()[name].astype(object)
    is_ambiguous = names.isin(distinct[distinct.duplicated(keep=False)].dropna()) & groups.notna()
    return names.mask(is_ambiguous, names + " (" + groups + ")")


def spent_by_group(frame: pd.DataFrame, by: object) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """The column ``spent`` by period (rows) and number of the group (columns), and their names."""
    # Without a column that names a group all rows are one group. Two names are joined.
    columns = [name for name in _COLUMNS if name in frame]
    numbers = group_numbers(frame, columns)
    table = frame.assign(group=numbers).pivot(index="period", columns="group", values="spent")
    # Texts are slow: not those of each row, which are repeated in each period.
    groups = frame[~pd.Series(numbers).duplicated().to_numpy()].reset_index(drop=True)
    if not columns:
        return table, pd.Series("", groups.index)
    if isinstance(by, list):
        first, second = (_names_of(groups, str(each)) for each in by)
        return table, first + ": " + second
    names = groups[columns[0]].astype(object)
    if "category_name" in columns:
        names = disambiguated(groups, "category_group_name", "category_name")
    elif "flag_name" in columns:  # a flag without a name has at least a colour
        names = names.where(names.notna(), groups["flag_color"].astype(object))
    return table, names


def _names_of(groups: pd.DataFrame, by: str) -> pd.Series[Any]:
    """The names of one property of groups that have two."""
    *_, name = (column for column in LABEL_COLUMNS[by] if column != "is_transfer")
    names = groups[name].astype(object)
    if by == "flag":
        names = names.where(names.notna(), groups["flag_color"].astype(object))
    return names.where(names.notna(), f"no {_GROUPS[by][0]}")


def largest_columns(table: pd.DataFrame, largest: pd.Index[Any], most: int) -> pd.DataFrame:
    """The largest columns of a table; the last one, "others", is the sum of the other columns."""
    # A group can have the name "others" too.
    if len(largest) <= most:
        return table[largest]
    others = table[largest[most - 1 :]].sum(axis=1).rename("others")
    return pd.concat([table[largest[: most - 1]], others], axis=1)


def group_text(canvas: Canvas, names: pd.Series[Any]) -> str:
    """The part of a title that names the only group, or the kind of the groups."""
    if isinstance(canvas.by, list):
        nouns = [_GROUPS[each][0] for each in canvas.by]
        return f" by {' and '.join(nouns)}" if len(names) > 1 else f" on {canvas.name(*names)}"
    if canvas.by not in _GROUPS:
        return ""
    noun, words = _GROUPS[canvas.by]
    if len(names) > 1:
        return f" by {noun}"
    (name,) = names
    return f" without a {noun}" if pd.isna(name) else f" {words}{canvas.name(name)}"


def draw_over_time(
    canvas: Canvas, table: pd.DataFrame, is_complete: pd.Series[bool], *, has_sum: bool
) -> None:
    """Draw amounts by period (rows) and group (columns), as stacked bars or as lines."""
    # A trend over bars is that of the sum. Without `has_sum`, the sum of the groups has no meaning.
    colours = canvas.theme.series
    if canvas.is_line:
        trends = canvas.trends(table, is_complete)
        canvas.period_lines(table, colours, is_complete)
        canvas.draw_trends(trends, colours)
        return
    if canvas.trend is not None and not has_sum:
        raise ToolError(
            f"trend={canvas.trend!r}: a row with two hashtags counts for both, so the sum has no"
            " meaning; select one hashtag, or draw lines with kind='line'"
        )
    trends = canvas.trends(table.sum(axis=1).to_frame(), is_complete)
    values: Literal["sums"] | None = "sums" if has_sum else None
    canvas.bars(table, colours, stacked=True, is_complete=is_complete, values=values)
    canvas.draw_trends(trends)


def draw_parts(
    canvas: Canvas, table: pd.DataFrame, *, max_bars: int, marked: str, is_more: bool
) -> None:
    """Draw a narrow bar for the second column of a table before a wide bar for the first one."""
    # A narrow bar in another colour, with the label `marked`, is one that is longer than the wide
    # bar, or with `is_more` False shorter. The index has the names of the rows.
    rows = canvas.first_rows(table, max_bars).iloc[::-1]
    whole, part = table.columns
    is_marked = (rows[part] > rows[whole] if is_more else rows[part] < rows[whole]).to_numpy(bool)
    places, theme = np.arange(len(rows)), canvas.theme
    canvas.ax.barh(places, rows[whole], height=0.75, color=theme.faint, alpha=0.4, label=whole)
    for label, mask, colour in ((part, ~is_marked, theme.plus), (marked, is_marked, theme.minus)):
        if mask.any():
            canvas.ax.barh(places[mask], rows[part][mask], height=0.4, color=colour, label=label)
    canvas.label_bars(places, map(canvas.short, rows.index), len(rows))
    amounts = zip(rows[part], rows[whole], strict=True)
    texts = [f"{canvas.amount(a_part)} of {canvas.amount(a_whole)}" for a_part, a_whole in amounts]
    canvas.write_beside(places, rows.max(axis=1).to_numpy(), texts=texts)


def draw_wanted(frame: pd.DataFrame, canvas: Canvas) -> Any:
    """Draw what a plan wants beside what it gets, by category group."""
    amounts = frame[["wanted", "got"]].rename(columns={"got": "funded"})
    groups = frame["category_group_name"].to_numpy()
    table = (amounts * MILLIUNITS).round().groupby(groups, sort=False).sum() / MILLIUNITS
    draw_parts(canvas, table, max_bars=15, marked="funded, more is wanted", is_more=False)
    wanted, funded = (canvas.amount(table[name].sum()) for name in ("wanted", "funded"))
    return canvas.title(f"{funded} of {wanted} is funded")
