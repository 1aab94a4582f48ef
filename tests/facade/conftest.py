"""A fixture for connections that the end of the test closes, and that retry without pauses."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from budgetframe import BudgetFrame
from tests.facade.service import TOKEN, Connect, without_pauses


@pytest.fixture
def connect() -> Iterator[Connect]:
    with ExitStack() as open_ones:

        def make(base_url: str, token: str | None = TOKEN, **more: object) -> BudgetFrame:
            made = BudgetFrame.connect(token, base_url=base_url, **more)  # type: ignore[arg-type]
            return open_ones.enter_context(without_pauses(made))

        yield make
