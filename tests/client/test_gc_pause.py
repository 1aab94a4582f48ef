"""The garbage collector runs again after the last of several overlapping pauses."""

import gc
import os
from collections.abc import Iterator

import pytest

from budgetframe._runtime.gc_pause import paused_gc


@pytest.fixture(autouse=True)
def collector_runs() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def test_collector_is_paused_inside_and_runs_afterwards() -> None:
    with paused_gc():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_collector_runs_after_an_error_inside() -> None:
    with pytest.raises(KeyError), paused_gc():
        raise KeyError
    assert gc.isenabled()


def test_collector_runs_after_the_last_of_two_overlapping_pauses() -> None:
    one, other = paused_gc(), paused_gc()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert not gc.isenabled()
    other.__exit__(None, None, None)
    assert gc.isenabled()


def test_collector_that_other_code_disabled_stays_disabled() -> None:
    gc.disable()
    with paused_gc():
        pass
    assert not gc.isenabled()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.posix
def test_collector_runs_in_a_child_forked_during_a_pause() -> None:
    with paused_gc():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
