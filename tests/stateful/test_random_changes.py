"""Random changes from frames: the service contains what was announced, once, and undo restores it.

These are about 300 steps, the same ones in each run. For more steps, use
``python -m tests.stateful --machine changes``.
"""

import pytest

from .changes_program import run_program

_PROGRAMS = 4
_STEPS = 75


@pytest.mark.slow  # four budgets with about 25 comparisons each
def test_the_service_contains_what_was_announced_exactly_once_and_undo_restores_it() -> None:
    for seed in range(_PROGRAMS):
        run_program(seed, _STEPS)
