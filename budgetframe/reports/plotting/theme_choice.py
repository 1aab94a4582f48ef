"""Which colours a plot has: those of a named theme, of its axes, or of its page."""

from __future__ import annotations

import sys
from typing import Any

from budgetframe._runtime.arguments import check_choice

from .themes import THEMES, Theme


def theme_of(name: str | None, ax: Any = None) -> Theme:
    """The theme of this name, otherwise the one that fits the given axes or matplotlib's style."""
    if name is not None:
        check_choice(name, "theme", THEMES)
        return THEMES[name]
    mpl = sys.modules.get("matplotlib")  # without this import, nobody has set a style
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


def follows_page(name: str | None, ax: Any = None) -> bool:
    """Whether a plot has the colours of its page: without a theme, given axes or a dark style."""
    return name is None and ax is None and theme_of(name) is THEMES["light"]
