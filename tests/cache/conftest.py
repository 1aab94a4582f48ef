from pathlib import Path

import pytest

from budgetframe import DeltaCache

from .computer import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture(params=["memory", "file"])
def either_cache(request: pytest.FixtureRequest, machine: Machine) -> DeltaCache:
    """A cache in memory, and one in a file."""
    if request.param == "file":
        return machine.kernel().cache
    return DeltaCache(clock=machine.clock, wall_clock=machine.wall)
