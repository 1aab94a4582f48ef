"""Settings for all tests: random examples, an interrupt signal that works, garbage collection.

``pytest`` uses the profile "default". ``pytest --hypothesis-profile thorough`` uses more examples,
and other ones in each run.
"""

import gc
import signal
import threading

import pytest
from hypothesis import settings

from tests.forks import CAN_FORK, fork_kernels
from tests.review.browser import CHROMIUM

# With "default", the examples are the same in every run, so a test that starts to fail fails
# because of an edit and not by chance. "thorough" looks for new examples.
settings.register_profile("default", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=150, derandomize=False, deadline=None)
# Hypothesis loads the profile of the command line after this file, but before any test module.
settings.load_profile("default")

# A shell starts background jobs (`pytest &`) with SIGINT ignored. A test that interrupts the main
# thread would wait forever.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the garbage collector run less often, and look only at what the tests make.

    With the default settings it took an eighth of the CPU time of the tests of reports, frames,
    documentation and command line: 10 of 76 seconds. The 600,000 objects that exist now stay until
    the end; with them, each full collection took 0.3 seconds, and those of the imports 5 seconds.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def pytest_report_header() -> list[str]:
    """Say which tests are left out."""
    return [] if CHROMIUM else ["Chromium is missing: tests/review/test_lab.py is left out"]


def pytest_configure() -> None:
    """Start the kernels of the notebooks as forks, which saves a second of CPU time for each."""
    gc.disable()
    if CAN_FORK:
        fork_kernels()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cells of the notebooks as slow, and begin with the files that have slow tests.

    Each notebook needs a kernel. Of two processes, none has to wait at the end for a long file
    that the other one has just begun.
    """
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker("slow")
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
