import pytest

from budgetframe import BudgetFrame

from .budget import connect, small_sandbox


@pytest.fixture(scope="module")
def bf() -> BudgetFrame:
    """A budget that no test of a module changes."""
    return connect(small_sandbox(years=1), ttl=1e6)
