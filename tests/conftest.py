"""Settings for all tests and notebooks: what is collected, random examples, garbage collection.

``pytest`` uses the profile "default". ``pytest --hypothesis-profile thorough`` uses more examples,
and other ones in each run.
"""

import gc
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from budgetframe._cache.delta_cache import caches
from tests.forks import CAN_FORK, fork_kernels
from tests.review.browser import CHROMIUM

# A collection imports modules, and throws little away: the garbage collector would take two fifths
# of its CPU time.
gc.disable()

NEEDS = {
    "notebooks/13_frames_and_handoff.ipynb": ["polars"],
    "tests/changes/test_arrow_tables.py": ["polars"],
    "tests/cli/test_completion.py": ["shtab"],
    "tests/cli/test_login_command.py": ["keyring"],
    "tests/docs/test_type_checker.py": ["pyright"],
    "tests/frames/test_arrow_tables.py": ["polars"],
    "tests/frames/test_handoff.py": ["polars"],
    "tests/lake/test_dlt.py": ["dlt"],
    "tests/lake/test_other_programs.py": ["keyring", "moto", "polars"],
    "tests/lake/test_turn.py": ["moto"],
    "tests/reports/test_arrow_tables.py": ["polars"],
    "tests/review/test_lab.py": ["Chromium", "jupyterlab", "playwright"],
}
"""Files that need more than the libraries of the extra `test`: Chromium, or those of `dev`."""
_WRONG = [path for path in NEEDS if not (Path(__file__).parents[1] / path).exists()]
assert not _WRONG, f"NEEDS names files that do not exist: {_WRONG}"
_ALL = {name for names in NEEDS.values() for name in names}
_THERE = {name for name in _ALL if (CHROMIUM if name == "Chromium" else find_spec(name))}
MISSING = {path: {*names} - _THERE for path, names in NEEDS.items() if {*names} - _THERE}

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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector run again, but less often, and look only at what the tests make.

    With the default settings it took an eighth of the CPU time of the tests of reports, frames,
    documentation and command line: 10 of 76 seconds. The 600,000 objects that exist now stay until
    the end; with them, each full collection took 0.3 seconds.
    """
    result = yield
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 50)
    return result


def pytest_report_header() -> list[str]:
    """Say which tests are left out."""
    return [
        f"{path} is left out: {' and '.join(sorted(names))} missing"
        for path, names in MISSING.items()
    ]


def pytest_configure(config: pytest.Config) -> None:
    """Leave out the files that need more, and start the kernels of notebooks as forks.

    A fork saves a second of CPU time for each notebook.
    """
    left_out = [str(config.rootpath / path) for path in MISSING]
    config.option.ignore = [*(config.option.ignore or ()), *left_out]
    if CAN_FORK:
        fork_kernels()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cells of the notebooks as slow, and begin with the files that have slow tests.

    Each notebook needs a kernel. Of two processes, none has to wait at the end for a long file
    that the other one has just begun.
    """
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker("slow")
        if item.path.relative_to(config.rootpath).as_posix() in NEEDS:
            item.add_marker("dev")
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True)
def nothing_is_stored() -> Iterator[None]:
    """Let no test see what a connection of an earlier one has read from the same address."""
    yield
    caches.clear()


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Switch threads every microsecond, so that races become likely."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)
