"""What an import of `budgetframe.lake` says if a library of the extra is missing."""

import subprocess
import sys

MISSING = """
import sys
sys.modules["deltalake"] = None
from budgetframe import ToolError
try:
    import budgetframe.lake
except ToolError as error:
    print(error)
"""


def test_a_missing_library_is_named() -> None:
    command = [sys.executable, "-c", MISSING]
    output = subprocess.check_output(command, encoding="locale").strip()  # noqa: S603 - a constant program
    assert output == "a lake needs deltalake: pip install 'budgetframe[lake]'"
