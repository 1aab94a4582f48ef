"""Colours that everybody can tell apart, for light and dark backgrounds."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["THEMES", "Theme"]


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours on one background; series are those of Okabe and Ito, as light as it asks for."""

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
        series=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a9199"),
    ),
    "dark": Theme(
        paper="#16181c",
        ink="#e4e7eb",
        faint="#858d96",
        rule="#33383f",
        plus="#56b4e9",
        minus="#f08a4b",
        series=("#56b4e9", "#e69f00", "#2cc295", "#e0a0c4", "#f0e442", "#f08a4b", "#9aa2ab"),
    ),
}
