"""The fonts of plots, and a warning about letters that none of them has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from budgetframe._runtime.deferred_warnings import defer_warning

# Fonts to use, if installed, for letters that the first font lacks: CJK scripts first.
_FALLBACK_FONTS = (
    "Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", "IPAexGothic", "MS Gothic",
    "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "Malgun Gothic",
    "Arial Unicode MS", "Noto Sans", "Segoe UI Symbol", "Noto Emoji",
)  # fmt: skip


@cache
def fonts() -> tuple[str, ...]:
    """The names of the installed fonts to use, the first for most letters."""
    installed = {*font_manager.get_font_names()}
    return "DejaVu Sans", *(name for name in _FALLBACK_FONTS if name in installed)


def drawable(text: str) -> str:
    """The letters of a text that the fonts have; other letters would be drawn as empty boxes."""
    # The first text that loses a letter, a digit or everything causes a warning; texts that lose
    # only symbols, for example an emoji, do not.
    kept = "".join(each for each in text if _is_drawable(each))
    if any(each.isalnum() and not _is_drawable(each) for each in text) or (text and not kept):
        _warn_once(text)
    return kept


def with_drawable_symbol(attrs: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The ``attrs`` of a report; a symbol of the currency that no font has becomes its code."""
    style = attrs.get("currency_format") or {}
    symbol = str(style.get("currency_symbol") or "")
    if all(map(_is_drawable, symbol)):
        return attrs
    code = str(style.get("iso_code") or "")
    return {**attrs, "currency_format": {**style, "currency_symbol": code}}


def _is_drawable(letter: str) -> bool:
    return letter.isspace() or (letter.isprintable() and ord(letter) in _code_points())


@cache
def _code_points() -> frozenset[int]:
    letters: set[int] = set()
    for name in fonts():
        letters.update(FT2Font(font_manager.findfont(name)).get_charmap())
    return frozenset(letters)


_has_warned = False


def _warn_once(text: str) -> None:
    global _has_warned  # noqa: PLW0603 - once for each process
    if not _has_warned:
        _has_warned = True
        defer_warning(
            UserWarning(
                f"no installed font has all letters of {text!r}, so the plots leave letters out:"
                " install a font that has them, for example Noto Sans CJK, then delete the folder"
                " that matplotlib.get_cachedir() names, which contains a list of the fonts, and"
                " restart Python"
            )
        )
