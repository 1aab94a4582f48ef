"""A Sankey diagram as a still picture, for pages, which have no scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from budgetframe.reports._shared.currency import escape_math

if TYPE_CHECKING:
    from .canvas import Canvas

_Node = tuple[int, Any, Any]

_GROUPS = 2  # the level of the nodes of groups, and of the links from them
_TITLE = "Where the money went"
_MAX_BARS = 15
# Heights are in inches, widths are shares of the diagram.
_FLOW = 2.6  # of all amounts of a column
_GAP = 0.2  # between two nodes: a line of text
_TITLE_HEIGHT = 0.6
_NODE = 0.012
_ROOM = -0.3, 1.35  # the texts of the first and the last nodes are outside the diagram
_LINK_OPACITY = 0.33
_CURVE = np.linspace(0, 1, 24)


def nodes_of_links(frame: pd.DataFrame) -> list[tuple[_Node, _Node]]:
    """The nodes at which each link starts and ends."""
    # A node is its level, name and group: a group, a payer and a category can have the same name.
    groups = frame["category_group_name"].astype(object)
    groups = groups.where(groups.notna(), None)
    links = zip(frame["level"], frame["source"], frame["target"], groups, strict=True)
    return [
        ((level, source, group if level == _GROUPS else None), (level + 1, target, group))
        for level, source, target, group in links
    ]


def draw_still(frame: pd.DataFrame, canvas: Canvas) -> Any:
    """Draw the links of an income Sankey; on a phone, bars of what it was used for."""
    if canvas.for_phone:
        uses = frame[frame["level"] == 1]
        amounts = pd.Series(uses["amount"].to_numpy(), uses["target"])
        canvas.horizontal_bars(amounts, max_bars=_MAX_BARS)
        return canvas.title(_TITLE, legend=False)
    links = [*zip(nodes_of_links(frame), frame["amount"].tolist(), strict=True)]
    columns = _columns(links)
    scale = _FLOW / max(sum(column.values()) for column in columns)
    heights = [sum(each.values()) * scale + _GAP * (len(each) - 1) for each in columns]
    canvas.ax.get_figure().set_figheight(max(heights) + _TITLE_HEIGHT)
    canvas.ax.set(xlim=_ROOM, ylim=(-max(heights), 0))
    canvas.ax.axis("off")
    groups = list(columns[_GROUPS]) if len(columns) > _GROUPS else []
    colours = canvas.theme.series
    tints = {node: colours[at % len(colours)] for at, node in enumerate(groups)}
    tops: dict[_Node, float] = {}
    for level, (column, height) in enumerate(zip(columns, heights, strict=True)):
        left, top = level / (len(columns) - 1), (height - max(heights)) / 2
        for node, amount in column.items():
            tops[node], bottom = top, top - amount * scale
            colour = tints.get(node, canvas.theme.faint)
            canvas.ax.fill_between([left, left + _NODE], top, bottom, color=colour, linewidth=0)
            text = f"{canvas.short(node[1])}  {escape_math(canvas.amount(amount))}"
            beside = (left - _NODE, "right") if level == 0 else (left + 2 * _NODE, "left")
            canvas.ax.text(
                beside[0], (top + bottom) / 2, text, ha=beside[1], va="center", fontsize="small",
                color=canvas.theme.ink, zorder=3,
            )  # fmt: skip
            top = bottom - _GAP
    starts, ends = dict(tops), dict(tops)
    order = {node: at for at, node in enumerate(tops)}
    links.sort(key=lambda link: [order[each] for each in link[0]])
    for (source, target), amount in links:
        colour = tints.get(target, tints.get(source, canvas.theme.faint))
        across = (source[0] + _CURVE) / (len(columns) - 1)
        upper = starts[source] + (ends[target] - starts[source]) * _CURVE**2 * (3 - 2 * _CURVE)
        canvas.ax.fill_between(
            across + _NODE * (1 - _CURVE), upper, upper - amount * scale, color=colour,
            alpha=_LINK_OPACITY, linewidth=0,
        )  # fmt: skip
        starts[source] -= amount * scale
        ends[target] -= amount * scale
    return canvas.title(_TITLE, legend=False)


def _columns(links: list[tuple[tuple[_Node, _Node], float]]) -> list[dict[_Node, float]]:
    """The nodes of each level with their amounts, in the order of the nodes before them."""
    outflow, inflow = dict[_Node, float](), dict[_Node, float]()
    source_of: dict[_Node, _Node] = {}
    for (source, target), amount in links:
        source_of.setdefault(target, source)
        outflow[source] = outflow.get(source, 0.0) + amount
        inflow[target] = inflow.get(target, 0.0) + amount
    nodes = dict.fromkeys(node for link, _ in links for node in link)
    columns: list[dict[_Node, float]] = []
    for level in range(max(node[0] for node in nodes) + 1):
        above = {node: at for at, node in enumerate(columns[-1] if columns else ())}
        own = [node for node in nodes if node[0] == level]
        own.sort(key=lambda node: above[source_of[node]] if node in source_of else -1)
        columns.append({node: max(outflow.get(node, 0.0), inflow.get(node, 0.0)) for node in own})
    return columns
