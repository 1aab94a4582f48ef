"""Colours that follow the page which shows a picture.

The text has the text colour of the page, the background is transparent, and every other colour of
the light theme is a CSS variable. The value of the variable depends on the text colour: on a page
with light text it is the colour of the dark theme. No name of a notebook or of its theme is
necessary, and a picture changes with its page.
"""

from __future__ import annotations

from functools import cache

from .themes import THEMES

CLASS = "budgetframe-plot"
"""The CSS class of the elements that have the variables."""

# The background of the page, for the rim of a line. JupyterLab and VS Code have a variable for it.
_PAPER = "var(--jp-layout-color0,var(--vscode-editor-background,var(--bf-paper,Canvas)))"
_DARK_PAPER = 17  # of 255, in each channel: the background of JupyterLab's dark theme


@cache
def data_colours() -> dict[str, str]:
    """The colours of data: those of the dark theme by those of the light theme."""
    light, dark = THEMES["light"], THEMES["dark"]
    names = ("faint", "plus", "minus")
    pairs = {getattr(light, name): getattr(dark, name) for name in names}
    return pairs | dict(zip(light.series, dark.series, strict=True))


def page_colour(colour: str) -> str:
    """The colour in the page for one of the light theme, for black or for white; others stay."""
    light = THEMES["light"]
    if colour in {light.ink, "#000000"}:
        return "currentColor"
    if colour == light.paper:
        return _PAPER
    is_known = colour in data_colours() or colour == light.rule
    return f"var({_name(colour)},{colour})" if is_known else colour


@cache
def colour_style() -> str:
    """A style sheet with the variables; older browsers use the colours of the light theme."""
    # In a colour that is relative to `currentColor`, r, g and b are its channels from 0 to 255.
    # Grid lines are translucent, because dark pages have different shades.
    values = [f"{_name(THEMES['light'].rule)}:rgb(from currentColor r g b/0.15)"]
    channel = f"calc(255 - {255 - _DARK_PAPER}*var(--bf-dark))"
    values.append(f"--bf-paper:rgb(from currentColor {channel} {channel} {channel}/1)")
    for light, dark in data_colours().items():
        ends = zip(bytes.fromhex(light[1:]), bytes.fromhex(dark[1:]), strict=True)
        channels = [f"calc({start} + {end - start}*var(--bf-dark))" for start, end in ends]
        values.append(f"{_name(light)}:rgb(from currentColor {' '.join(channels)}/1)")
    return (
        "@supports(color:rgb(from currentColor r g b)){"
        f".{CLASS}{{--bf-dark:clamp(0,r + g + b - 382,1);{';'.join(values)}}}}}"
    )


def _name(colour: str) -> str:
    return f"--bf-{colour.removeprefix('#')}"
