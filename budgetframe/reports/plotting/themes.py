"""Colours that everybody can tell apart, for light and dark backgrounds."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from budgetframe.reports.periods import check_choice

__all__ = ["THEMES", "Theme", "theme_of"]


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours on one background.

    The series have hues near those of Okabe and Ito, and are so light or dark that each stands out
    from the paper, and from the others for those who see fewer hues too.
    """

    paper: str
    ink: str
    faint: str
    rule: str
    plus: str
    minus: str
    series: tuple[str, ...]


THEMES = {
    "light": Theme(
        paper="#ffffff",
        ink="#24292f",
        faint="#8a9199",
        rule="#e3e6ea",
        plus="#0072b2",
        minus="#d55e00",
        series=("#0072b2", "#5c400e", "#2aa769", "#cc75a1", "#08395b", "#d55e00", "#535659"),
    ),
    "dark": Theme(
        paper="#16181c",
        ink="#e4e7eb",
        faint="#858d96",
        rule="#33383f",
        plus="#56b4e9",
        minus="#f08a4b",
        series=("#56b4e9", "#f8c01e", "#068f62", "#c055a3", "#fbf294", "#f08a4b", "#bbbfc4"),
    ),
}


def theme_of(name: str | None, ax: Any = None) -> Theme:
    """The theme of that name; else that which fits the given axes, or matplotlib's style.

    Raises
    ------
    ToolError
        For a theme that there is not.
    """
    if name is not None:
        check_choice(name, "theme", THEMES)
        return THEMES[name]
    mpl = sys.modules.get("matplotlib")  # who has not imported it has set no style
    if mpl is None:
        return THEMES["light"]
    from matplotlib.colors import to_rgba  # noqa: PLC0415 - an extra

    if ax is None:
        papers = [mpl.rcParams["axes.facecolor"], mpl.rcParams["figure.facecolor"]]
    else:
        papers = [ax.get_facecolor(), ax.get_figure().get_facecolor()]
    for red, green, blue, opacity in map(to_rgba, papers):
        if opacity:
            return THEMES["dark" if red + green + blue < 1.5 else "light"]  # noqa: PLR2004 - half
    return THEMES["light"]
