"""An interactive Sankey diagram, with plotly."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from os import PathLike
from typing import Any

import pandas as pd

from budgetframe._runtime.output_file import output_file
from budgetframe._runtime.text import visible
from budgetframe.errors import ToolError
from budgetframe.frames.number_text import in_currency

from .options import PlotOptions
from .page_colours import CLASS, colour_style, data_colours, page_colour
from .still_sankey import nodes_of_links
from .theme_choice import follows_page, theme_of
from .themes import THEMES

try:
    import plotly.graph_objects as go
except ModuleNotFoundError as error:
    advice = f"needs {error.name}: pip install 'budgetframe[sankey]'"
    raise ToolError(f"a Sankey diagram {advice}") from None

_HEIGHT = 5.2  # inches
_DPI = 100  # as for the pictures of matplotlib
_TO_CATEGORIES = 2  # the level of links from groups
_LINK_OPACITY = 0.33
_MAX_LETTERS = 40  # length of a name
_TRANSPARENT = "rgba(0,0,0,0)"
_GREY = "#797979"  # contrasts with white as with black; where the style sheet is not used
_HINT = "Run this cell, or trust the notebook, to see the diagram."


class Diagram:
    """A plotly figure whose HTML contains the plotly library, so that it also works offline."""

    def __init__(self, figure: go.Figure, *, follows_page: bool = False) -> None:
        self.figure = figure
        self._follows_page = follows_page

    def write_html(self, path: str | PathLike[str]) -> None:
        """Write the figure as an HTML page of about 5 MB."""
        scheme = '<meta name="color-scheme" content="light dark">' if self._follows_page else ""
        output_file(path).write_text(
            f'<!DOCTYPE html><html><head><meta charset="utf-8">{scheme}</head>'
            f"<body>{self._html()}</body></html>",
            encoding="utf-8",
        )

    def _repr_html_(self) -> str:
        # A notebook that is not trusted removes scripts and style sheets; then it shows the hint.
        hint = f'<style>.{CLASS}-hint{{display:none}}</style><p class="{CLASS}-hint">{_HINT}</p>'
        return hint + self._html()

    def _html(self) -> str:
        config = {"displayModeBar": False}  # it covers the diagram, and contains a link
        options = {"full_html": False, "include_mathjax": False, "config": config}
        diagram = str(self.figure.to_html(include_plotlyjs=True, **options))
        if not self._follows_page:
            return diagram
        return f'<style>{colour_style()}{_style()}</style><div class="{CLASS}">{diagram}</div>'


def _style() -> str:
    """Replace the colours that plotly writes, which must be numbers."""
    paper = page_colour(THEMES["light"].paper)
    rim = ",".join(f"{paper} {x}px {y}px 1px" for x, y in product((-1, 1), repeat=2))
    texts = f".{CLASS} .node-label,.{CLASS} .gtitle"
    rules = [f"{texts}{{fill:currentColor!important;text-shadow:{rim}!important}}"]
    for colour in data_colours():
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        found, shown = f"rgb({red}, {green}, {blue})", page_colour(colour)
        rules.append(f'.{CLASS} [style*="fill: {found}"]{{fill:{shown}!important}}')
    return "".join(rules)


def sankey(frame: pd.DataFrame, attrs: Mapping[Any, Any], options: PlotOptions) -> Diagram:
    """Draw the links of an income Sankey."""
    colours, in_page = theme_of(options.theme), follows_page(options.theme)
    width, height = options.figsize or (None, _HEIGHT)
    links = nodes_of_links(frame)
    nodes = list(dict.fromkeys(node for link in links for node in link))
    groups = [node for node in nodes if node[0] == _TO_CATEGORIES]
    tints = {node: colours.series[place % len(colours.series)] for place, node in enumerate(groups)}
    currency_format = attrs.get("currency_format")
    of_nodes = {
        "label": [_escaped(name) for _, name, _ in nodes],
        "color": [tints.get(node, colours.faint) for node in nodes],
        "pad": 14, "thickness": 14, "line": {"width": 0},
    }  # fmt: skip
    of_both = [tints.get(target, tints.get(source, colours.faint)) for source, target in links]
    of_links = {
        "source": [nodes.index(source) for source, _ in links],
        "target": [nodes.index(target) for _, target in links],
        "value": frame["amount"],
        "color": [*map(_faded, of_both)],
        "customdata": [_escaped(in_currency(each, currency_format)) for each in frame["amount"]],
        "hovertemplate": "%{source.label} → %{target.label}<br>%{customdata}<extra></extra>",
    }
    figure = go.Figure(go.Sankey(node=of_nodes, link=of_links))
    figure.update_layout(
        width=width and width * _DPI,
        height=height * _DPI,
        title=options.title and _escaped(options.title),
        margin={"l": 10, "r": 10, "t": 50 if options.title else 10, "b": 10},
        paper_bgcolor=_TRANSPARENT if in_page else colours.paper,
        font={"color": _GREY if in_page else colours.ink, "size": 12},
    )
    return Diagram(figure, follows_page=in_page)


def _faded(colour: str) -> str:
    """A translucent colour, in the notation that all versions of plotly accept."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgba({red}, {green}, {blue}, {_LINK_OPACITY})"


def _escaped(name: object) -> str:
    """A name from the budget, shortened and escaped: plotly interprets angle brackets as markup."""
    shown = "(none)" if pd.isna(name) else visible(str(name))  # type: ignore[call-overload]
    shown = shown if len(shown) <= _MAX_LETTERS else f"{shown[: _MAX_LETTERS - 1]}…"
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
