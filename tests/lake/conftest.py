"""Two small budgets of an embedded service on a socket, and a lake of them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from budgetframe.lake import Lake
from budgetframe.sandbox import Sandbox, serve
from tests.limits import forget_limits

from .service import Service


class Front(Sandbox):
    """A service whose requests another one answers."""

    def __init__(self) -> None:
        super().__init__(years=1)
        self.behind = Sandbox(years=1)

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            await self.behind.app(scope, receive, send)

        self.app = answer


@pytest.fixture(scope="session")
def front() -> Iterator[tuple[Front, str]]:
    """One socket for all tests: the end of a server takes a fifth of a second."""
    front = Front()
    with serve(front) as url:
        yield front, url


@pytest.fixture
def service(front: tuple[Front, str]) -> Service:
    server, url = front
    server.behind = Sandbox(years=1)
    return Service(server.behind, url)


@pytest.fixture(scope="session")
def first_sync(front: tuple[Front, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lake after the first sync of a service, for copies.

    A sync takes half a second. All services have the same ids and the same server knowledge.
    """
    server, url = front
    server.behind = Sandbox(years=1)  # an earlier test may have changed the one before
    forget_limits()  # and have used the limit of its token
    folder = tmp_path_factory.mktemp("first_sync") / "lake"
    Lake(folder).sync([Service(server.behind, url).source()], buckets=4)
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
    forget_limits()
