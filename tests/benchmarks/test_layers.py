"""The size of the package, its imports, and what stands behind a cell do not grow unnoticed."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow  # it starts another process, because the profile needs all threads from the start
def test_no_count_exceeds_its_limit() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.layers"]
    folder = Path(__file__).parents[2]
    found = subprocess.run(  # noqa: S603 - a constant command
        command, cwd=folder, capture_output=True, encoding="locale", check=False
    )
    assert found.returncode == 0, found.stderr


def test_a_slow_test_says_why() -> None:
    for path in Path(__file__).parents[1].rglob("test_*.py"):
        for line in path.read_text("utf-8").splitlines():
            assert not line.lstrip().startswith("@pytest.mark.slow") or "  # " in line, path
