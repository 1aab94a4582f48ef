"""The libraries of the extra are imported by `budgetframe.lake` alone."""

from __future__ import annotations

import subprocess
import sys

OTHERS = """
import sys
import budgetframe, budgetframe.frames, budgetframe.reports, budgetframe._cli.main
print(sorted({"dask", "deltalake", "distributed"} & sys.modules.keys()))
"""
MISSING = """
import sys
sys.modules["deltalake"] = None
from budgetframe import ToolError
try:
    import budgetframe.lake
except ToolError as error:
    print(error)
"""


def test_nothing_else_imports_them() -> None:
    assert output_of(OTHERS) == "[]"


def test_a_missing_library_is_named() -> None:
    assert output_of(MISSING) == "a lake needs deltalake: pip install 'budgetframe[lake]'"


def output_of(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.check_output(command, text=True).strip()  # noqa: S603 - a constant program
