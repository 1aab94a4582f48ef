"""Fixtures: connections to the embedded service, and connections over a socket."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox, serve
from tests.facade.service import TOKEN, Connect, ServiceWithFacade, without_pauses


@pytest.fixture
def home() -> ServiceWithFacade:
    """A new connection to a service that the test only reads."""
    return ServiceWithFacade()


@pytest.fixture
def facade() -> ServiceWithFacade:
    """A new connection to a service that the test may change."""
    return ServiceWithFacade(limit=10_000)


@pytest.fixture
def bf(home: ServiceWithFacade) -> BudgetFrame:
    """The `BudgetFrame` of that connection."""
    return home.bf


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a service with a high limit."""
    with serve(Sandbox(token=TOKEN, limit=10_000, years=1)) as url:
        yield url


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Connect to an address, repeat failed reads without pauses, and close at the end."""
    with ExitStack() as open_ones:

        def make(base_url: str, token: str | None = TOKEN, **more: object) -> BudgetFrame:
            made = BudgetFrame.connect(token, base_url=base_url, **more)  # type: ignore[arg-type]
            return open_ones.enter_context(without_pauses(made))

        yield make
