"""What importing the package does not bring along: each is there when it is first needed."""

import subprocess
import sys

import pytest

LATE = ("budgetframe.models.records", "matplotlib", "nest_asyncio", "sqlite3", "starlette", "tqdm")


@pytest.mark.parametrize("module", LATE)
def test_importing_the_package_does_not_import(module: str) -> None:
    # What measures coverage may have imported some before.
    code = (
        "import sys; before = set(sys.modules); import budgetframe;"
        f" sys.exit({module!r} in set(sys.modules) - before)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603
