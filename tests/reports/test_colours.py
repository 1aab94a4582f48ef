"""Colours contrast with the background and are distinguishable with a colour deficiency."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from budgetframe.reports.plotting.themes import THEMES

# Colour vision deficiencies in linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.0.
SIGHTS = {
    "all hues": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                         [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
LEAST = {"all hues": 25.0, "no red": 22.0, "no green": 22.0, "no blue": 18.0}
"""CIELAB distances; 2.3 is just noticed side by side. Measured: 26.3, 23.7, 24.3 and 19.9."""

TO_XYZ = np.array([
    [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
])  # fmt: skip


def linear(colour: str) -> Any:
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def seen(colour: str, sight: str) -> Any:
    """The colour in CIELAB, as a person with this colour vision sees it."""
    light = np.clip(SIGHTS[sight] @ linear(colour), 0, 1)
    ratio = TO_XYZ @ light / np.array([0.95047, 1.0, 1.08883])
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str, sight: str) -> float:
    return float(np.linalg.norm(seen(one, sight) - seen(other, sight)))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines, from 1 to 21."""
    dark, light = sorted(float(linear(each) @ TO_XYZ[1]) for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def test_the_colour_measures_of_this_file_equal_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0, abs=0.01)
    assert seen("#ffffff", "all hues") == pytest.approx([100.0, 0.0, 0.0], abs=0.01)
    assert seen("#ff0000", "all hues") == pytest.approx([53.24, 80.09, 67.20], abs=0.01)


def test_any_two_series_are_distinguishable(subtests: pytest.Subtests) -> None:
    for sight, (name, theme) in product(SIGHTS, THEMES.items()):
        with subtests.test(sight=sight, name=name):
            least = min(distance(*pair, sight) for pair in combinations(theme.series, 2))
            assert least >= LEAST[sight]


def test_plus_minus_faint_and_ink_are_distinguishable(subtests: pytest.Subtests) -> None:
    for sight, (name, theme) in product(SIGHTS, THEMES.items()):
        with subtests.test(sight=sight, name=name):
            together = [
                (theme.plus, theme.minus), (theme.plus, theme.faint), (theme.minus, theme.faint),
                (theme.plus, theme.ink), (theme.minus, theme.ink),
            ]  # fmt: skip
            assert min(distance(*pair, sight) for pair in together) >= 25.0


def test_text_and_data_contrast_strongly_and_grid_lines_little(subtests: pytest.Subtests) -> None:
    for name, theme in THEMES.items():
        with subtests.test(name=name):
            drawn = [*theme.series, theme.plus, theme.minus, theme.faint]
            assert min(contrast(colour, theme.paper) for colour in drawn) >= 3.0
            assert contrast(theme.ink, theme.paper) >= 7.0
            assert contrast(theme.rule, theme.paper) < 2.0
