"""The one picture that moves: a Sankey diagram, by plotly."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from budgetframe.errors import ToolError

from ._currency import in_currency
from ._periods import check_choice
from ._themes import THEMES

try:
    import plotly.graph_objects as go
except ModuleNotFoundError as error:
    raise ToolError(
        f"a Sankey diagram needs {error.name}: pip install 'budgetframe[sankey]'"
    ) from None

__all__ = ["Diagram", "sankey"]

_HEIGHT = 520
_TRANSPARENT = "55"  # of a link, as the last two digits of its colour


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
            self.figure.to_html(include_plotlyjs=True, full_html=is_page, include_mathjax=False)
        )


def sankey(frame: pd.DataFrame, attrs: Mapping[Any, Any], theme: str) -> Diagram:
    """The links of an income Sankey as a picture.

    Raises
    ------
    ToolError
        For a theme that there is not.
    """
    check_choice(theme, "theme", THEMES)
    colours = THEMES[theme]
    # A group may be called like one of its categories, or like somebody who pays.
    sources = [(level, name) for level, name in zip(frame["level"], frame["source"], strict=True)]
    targets = [
        (level + 1, name if level < 2 else f"{group}\0{name}")  # noqa: PLR2004 - to categories
        for level, name, group in zip(
            frame["level"], frame["target"], frame["category_group_name"], strict=True
        )
    ]
    nodes = list(dict.fromkeys([*sources, *targets]))
    names = [str(name).rpartition("\0")[2] for _, name in nodes]
    tints = {
        name: colours.series[place % len(colours.series)]
        for place, name in enumerate(
            dict.fromkeys(frame.loc[frame["level"] == 1, "target"].astype(object))
        )
    }
    links = [
        tints.get(str(target if level == 1 else source), colours.faint)
        for level, source, target in zip(
            frame["level"], frame["source"], frame["target"], strict=True
        )
    ]
    currency_format = attrs.get("currency_format")
    figure = go.Figure(
        go.Sankey(
            node={
                "label": [_escaped(name) for name in names],
                "color": [tints.get(name, colours.faint) for name in names],
                "pad": 14,
                "thickness": 14,
                "line": {"width": 0},
            },
            link={
                "source": [nodes.index(each) for each in sources],
                "target": [nodes.index(each) for each in targets],
                "value": frame["amount"],
                "color": [f"{colour}{_TRANSPARENT}" for colour in links],
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
        height=_HEIGHT,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        paper_bgcolor=colours.paper,
        font={"color": colours.ink, "size": 12},
    )
    return Diagram(figure)


def _escaped(name: str) -> str:
    """A name from outside: plotly takes what is between angle brackets for markup."""
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
