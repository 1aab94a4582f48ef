"""Two small budgets of an embedded service on a socket, and a lake of them."""

from __future__ import annotations

import shutil
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


@pytest.fixture(scope="session")
def first_sync(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lake after the first sync of a service, for copies.

    A sync takes half a second. All services have the same ids and the same server knowledge.
    """
    sandbox, folder = Sandbox(years=1), tmp_path_factory.mktemp("first_sync") / "lake"
    with serve(sandbox) as url:
        Lake(folder).sync([Service(sandbox, url).source()], buckets=4)
    return folder


@pytest.fixture
def lake(first_sync: Path, tmp_path: Path) -> Lake:
    """A lake with the budgets of the service, in four buckets."""
    return Lake(shutil.copytree(first_sync, tmp_path / "lake"))


@pytest.fixture
def new_lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "new")


@pytest.fixture(autouse=True)
def new_limits() -> None:
    """Forget the requests of other tests: all embedded services have the same token."""
    limiter._limiters.clear()
