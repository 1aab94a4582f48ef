"""Random changes from frames: the service contains what was announced, once, and undo restores it.

These are about 200 steps, the same ones in each run. For more steps, use
``python -m tests.stateful --machine changes``.
"""

import pytest

from .changes_program import run_program
from .counts import COUNTS

pytestmark = pytest.mark.posix  # steps interrupt a thread with a signal

_SEEDS = (3, 5, 6, 7)
_STEPS = 50
_SITUATIONS = (
    "applications", "continued", "continued from the journal", "overwritten", "prepared together",
    "undone", "undone from the journal", "second undos", "restored completely", "effects compared",
    "partly applied", "edits", "restarts", "stopped by a full disk",
)  # fmt: skip
"""The checks of the program say nothing about a situation that does not occur."""


@pytest.mark.slow  # four budgets with about six edits each
def test_the_service_contains_what_was_announced_exactly_once_and_undo_restores_it() -> None:
    before = dict(COUNTS)
    for seed in _SEEDS:
        run_program(seed, _STEPS)  # raises AssertionError if a step is not as announced
    occurred = {name: COUNTS[name] - before.get(name, 0) for name in ("steps", *_SITUATIONS)}
    assert occurred["steps"] >= len(_SEEDS) * _STEPS
    assert [name for name, number in occurred.items() if not number] == []
