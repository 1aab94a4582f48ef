"""Two small budgets of an embedded service on a socket, and a folder for a lake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest

from budgetframe._client import limiter
from budgetframe.lake import Lake
from budgetframe.sandbox import Sandbox, serve

from .service import Service

mpl.use("Agg")


@pytest.fixture
def service() -> Iterator[Service]:
    sandbox = Sandbox(years=1)
    with serve(sandbox) as url:
        yield Service(sandbox, url)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture(autouse=True)
def new_limits() -> None:
    """Forget the requests of other tests: all embedded services have the same token."""
    limiter._limiters.clear()
