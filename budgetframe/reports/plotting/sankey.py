"""The one picture that moves: a Sankey diagram, by plotly."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.reports.currency import in_currency
from budgetframe.reports.report import PlotOptions

from .themes import theme_of

try:
    import plotly.graph_objects as go
except ModuleNotFoundError as error:
    raise ToolError(
        f"a Sankey diagram needs {error.name}: pip install 'budgetframe[sankey]'"
    ) from None

__all__ = ["Diagram", "sankey"]

_HEIGHT = 5.2  # inches, at the dots that matplotlib's pictures have
_DOTS = 100
_TO_CATEGORIES = 2  # the level of links from groups
_OPACITY = 0.33  # of a link


class Diagram:
    """A picture of plotly that shows everywhere, offline too: it has the library inside.

    Parameters
    ----------
    figure : plotly Figure
        For whatever else plotly can do with it.
    """

    def __init__(self, figure: go.Figure) -> None:
        self.figure = figure

    def write_html(self, path: str | PathLike[str]) -> None:
        """Write a page that shows it, some 5 MB.

        Parameters
        ----------
        path : path
            Where to.
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
                config={"displayModeBar": False},  # it would lie over what is drawn, and has a link
            )
        )


def sankey(frame: pd.DataFrame, attrs: Mapping[Any, Any], look: PlotOptions) -> Diagram:
    """The links of an income Sankey as a picture.

    Raises
    ------
    ToolError
        For a theme that there is not.
    """
    colours = theme_of(look.theme)
    width, height = look.figsize or (None, _HEIGHT)
    groups = frame["category_group_name"].astype(object)
    links = [
        # By level and group: a group may be called like a payer, a category, or what is left over.
        ((level, source, group if level == _TO_CATEGORIES else None), (level + 1, target, group))
        for level, source, target, group in zip(
            frame["level"],
            frame["source"],
            frame["target"],
            groups.where(groups.notna(), None),
            strict=True,
        )
    ]
    nodes = list(dict.fromkeys(node for link in links for node in link))
    shares = [node for node in nodes if node[0] == _TO_CATEGORIES]
    tints = {node: colours.series[place % len(colours.series)] for place, node in enumerate(shares)}
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
        width=width and width * _DOTS,
        height=height * _DOTS,
        title=look.title and _escaped(look.title),
        margin={"l": 10, "r": 10, "t": 50 if look.title else 10, "b": 10},
        paper_bgcolor=colours.paper,
        font={"color": colours.ink, "size": 12},
    )
    return Diagram(figure)


def _faded(colour: str) -> str:
    """A colour that what is below shines through, as all versions of plotly take it."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgba({red}, {green}, {blue}, {_OPACITY})"


def _escaped(name: object) -> str:
    """A name from outside: plotly takes what is between angle brackets for markup."""
    shown = "(none)" if pd.isna(name) else str(name)  # type: ignore[call-overload]
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
