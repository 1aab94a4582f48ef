"""Random programs of single writes: each effect exists once, and undo takes it back.

The same 75 steps run each time; ``python -m tests.stateful --machine single`` runs more.
"""

import pytest

from .counts import COUNTS
from .single_writes import run_program


@pytest.mark.parametrize("seed", [3, 5, 202611897834016])
def test_single_writes_have_one_effect_and_one_entry_in_the_journal(seed: int) -> None:
    before = COUNTS.copy()
    run_program(seed, 25)  # raises AssertionError if the service or the journal has something else
    occurred = {name: COUNTS[name] - before[name] for name in ("comparisons", "interrupted")}
    assert occurred["comparisons"] >= 5
    assert occurred["interrupted"] >= 1
