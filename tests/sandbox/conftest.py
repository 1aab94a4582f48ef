from collections.abc import Iterator

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import Ids, knowledge
from tests.sandbox.audit import check_books


@pytest.fixture(scope="session")
def shared() -> Iterator[Sandbox]:
    """A sandbox for tests that change nothing; the end of the session checks this."""
    sandbox = Sandbox(limit=100_000)
    before = knowledge(sandbox)
    yield sandbox
    assert knowledge(sandbox) == before
    check_books(sandbox)


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox(limit=100_000, years=1, budgets=1)


@pytest.fixture
def ids(sandbox: Sandbox) -> Ids:
    return Ids(sandbox)
