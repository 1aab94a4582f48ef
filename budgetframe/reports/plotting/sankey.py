"""An interactive Sankey diagram, with plotly."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from budgetframe._runtime.printable import visible
from budgetframe.errors import ToolError
from budgetframe.reports.currency import in_currency

from .options import PlotOptions
from .themes import theme_of

try:
    import plotly.graph_objects as go
except ModuleNotFoundError as error:
    raise ToolError(
        f"a Sankey diagram needs {error.name}: pip install 'budgetframe[sankey]'"
    ) from None

__all__ = ["Diagram", "sankey"]

_HEIGHT = 5.2  # inches
_DPI = 100  # as for the pictures of matplotlib
_TO_CATEGORIES = 2  # the level of links from groups
_LINK_OPACITY = 0.33
_MAX_LETTERS = 40  # length of a name


class Diagram:
    """A plotly figure whose HTML contains the plotly library, so that it also works offline.

    Parameters
    ----------
    figure : plotly Figure
        The figure, for everything else that plotly offers.
    """

    def __init__(self, figure: go.Figure) -> None:
        self.figure = figure

    def write_html(self, path: str | PathLike[str]) -> None:
        """Write the figure as an HTML page of about 5 MB.

        Parameters
        ----------
        path : path
            The file to write.
        """
        Path(path).write_text(self._html(is_page=True), encoding="utf-8")

    def _repr_html_(self) -> str:
        return self._html(is_page=False)

    def _html(self, *, is_page: bool) -> str:
        return str(
            self.figure.to_html(
                include_plotlyjs=True,
                full_html=is_page,
                include_mathjax=False,
                config={"displayModeBar": False},  # it covers the diagram, and contains a link
            )
        )


def sankey(frame: pd.DataFrame, attrs: Mapping[Any, Any], options: PlotOptions) -> Diagram:
    """Draw the links of an income Sankey.

    Raises
    ------
    ToolError
        For an unknown theme.
    """
    colours = theme_of(options.theme)
    width, height = options.figsize or (None, _HEIGHT)
    names = frame["category_group_name"].astype(object)
    links = [
        # A node is its level, name and group, because a group, a payer and a category can have
        # the same name.
        ((level, source, group if level == _TO_CATEGORIES else None), (level + 1, target, group))
        for level, source, target, group in zip(
            frame["level"],
            frame["source"],
            frame["target"],
            names.where(names.notna(), None),
            strict=True,
        )
    ]
    nodes = list(dict.fromkeys(node for link in links for node in link))
    groups = [node for node in nodes if node[0] == _TO_CATEGORIES]
    tints = {node: colours.series[place % len(colours.series)] for place, node in enumerate(groups)}
    currency_format = attrs.get("currency_format")
    figure = go.Figure(
        go.Sankey(
            node={
                "label": [_escaped(name) for _, name, _ in nodes],
                "color": [tints.get(node, colours.faint) for node in nodes],
                "pad": 14,
                "thickness": 14,
                "line": {"width": 0},
            },
            link={
                "source": [nodes.index(source) for source, _ in links],
                "target": [nodes.index(target) for _, target in links],
                "value": frame["amount"],
                "color": [
                    _faded(tints.get(target, tints.get(source, colours.faint)))
                    for source, target in links
                ],
                "customdata": [
                    _escaped(in_currency(amount, currency_format)) for amount in frame["amount"]
                ],
                "hovertemplate": (
                    "%{source.label} → %{target.label}<br>%{customdata}<extra></extra>"
                ),
            },
        )
    )
    figure.update_layout(
        width=width and width * _DPI,
        height=height * _DPI,
        title=options.title and _escaped(options.title),
        margin={"l": 10, "r": 10, "t": 50 if options.title else 10, "b": 10},
        paper_bgcolor=colours.paper,
        font={"color": colours.ink, "size": 12},
    )
    return Diagram(figure)


def _faded(colour: str) -> str:
    """A translucent colour, in the notation that all versions of plotly accept."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgba({red}, {green}, {blue}, {_LINK_OPACITY})"


def _escaped(name: object) -> str:
    """A name from the budget, shortened and escaped: plotly interprets angle brackets as markup."""
    shown = "(none)" if pd.isna(name) else visible(str(name))  # type: ignore[call-overload]
    shown = shown if len(shown) <= _MAX_LETTERS else f"{shown[: _MAX_LETTERS - 1]}…"
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
