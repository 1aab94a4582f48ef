from __future__ import annotations

import pytest

from budgetframe.sandbox import Sandbox, check_books
from tests.sandbox.ask import Ids


@pytest.fixture(scope="module")
def shared() -> Sandbox:
    """A sandbox that nobody writes to."""
    return Sandbox(limit=100_000)


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox(limit=100_000)


@pytest.fixture
def ids(sandbox: Sandbox) -> Ids:
    check_books(sandbox)
    return Ids(sandbox)
