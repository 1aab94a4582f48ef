"""A fixture that closes all connections of a test at its end."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from budgetframe import BudgetFrame
from tests.facade.service import TOKEN, Connect


@pytest.fixture
def connect() -> Iterator[Connect]:
    with ExitStack() as open_ones:

        def make(base_url: str, token: str | None = TOKEN, **more: object) -> BudgetFrame:
            made = BudgetFrame.connect(token, base_url=base_url, **more)  # type: ignore[arg-type]
            return open_ones.enter_context(made)

        yield make
