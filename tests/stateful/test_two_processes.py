"""Two processes with one cache file: no read is older than an own write.

Before a write was recorded in the file while it is under way, both programs failed: a process was
killed after the service had carried out its write, and the file contained an answer from before it.
"""

import pytest

from .counts import COUNTS
from .two_processes import run_program

pytestmark = pytest.mark.posix  # a file that is in use is deleted


@pytest.mark.parametrize(("seed", "steps"), [(8, 60), (31, 110)])
@pytest.mark.slow  # it starts two processes
def test_no_read_of_two_processes_is_older_than_an_own_write(seed: int, steps: int) -> None:
    before = COUNTS.copy()
    run_program(seed, steps)  # raises AssertionError if a read is older
    occurred = {name: COUNTS[name] - before[name] for name in ("reads", "kills in a write")}
    assert min(occurred.values()) >= 2
