"""Plots without a screen; every test closes its plots."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _no_picture_stays_open() -> Iterator[None]:
    yield
    plt.close("all")
