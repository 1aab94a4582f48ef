"""Colours that people with a colour vision deficiency can distinguish, on light and dark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours for one background."""

    # The hues of the series are close to those of Okabe and Ito. Their lightness differs, so that
    # each contrasts with the background, and with the others also for people with a colour vision
    # deficiency.
    paper: str  # the background
    ink: str  # text
    faint: str  # unimportant data and auxiliary lines
    rule: str  # grid lines and axes
    plus: str  # positive amounts
    minus: str  # negative amounts
    series: tuple[str, ...]  # lines and parts of bars


THEMES = {
    "light": Theme(
        paper="#ffffff", ink="#24292f", faint="#8a9199", rule="#e3e6ea",
        plus="#0072b2", minus="#d55e00",
        series=("#0072b2", "#5c400e", "#2aa769", "#cc75a1", "#08395b", "#d55e00", "#535659"),
    ),
    "dark": Theme(
        paper="#16181c", ink="#e4e7eb", faint="#858d96", rule="#33383f",
        plus="#56b4e9", minus="#f08a4b",
        series=("#56b4e9", "#f8c01e", "#068f62", "#c055a3", "#fbf294", "#f08a4b", "#bbbfc4"),
    ),
}  # fmt: skip
