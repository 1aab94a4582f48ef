"""A type checker knows the types of every method of a `BudgetFrame`."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.docstrings import OBJECTS
from tests.docs.test_editor import ROOT, SCRIPT, public

# The test needs only the names of types. Reading the libraries would take most of the time.
STUB = """\
from typing import Any
class BaseModel: ...
class DataFrame: ...
def __getattr__(name: str) -> Any: ...
"""
ARGUMENTS = {
    "assign": "'x', 'x', 1", "create_account": "'x', 'cash', 1",
    "create_scheduled_transactions": "[{}]", "create_transactions": "[{}]",
    "import_rows": "bf.transactions(), account='x'", "move": "'x', 'x', 'x', 1",
    "set_balance": "'x', 1", "statement": "'x', 1, '2026-05-31'",
    "update_scheduled_transactions": "[{}]", "update_transactions": "[{}]",
}  # fmt: skip


def call(path: str, name: str, method: object) -> str:
    """A call of a method with an argument for each required parameter."""
    assert callable(method)
    required = [
        each
        for each in inspect.signature(method).parameters.values()
        if each.default is each.empty and each.name != "self" and each.kind != each.VAR_KEYWORD
    ]
    arguments = ARGUMENTS.get(name, ", ".join(["'x'"] * len(required)))
    return f"{path}.{name}({arguments})"


@pytest.mark.slow  # pyright runs in its own process
def test_a_type_checker_knows_what_every_method_returns(tmp_path: Path) -> None:
    awaited = "Coroutine[Any, Any, Report]"
    expected = {"bf.aio.reports.spending('group')": awaited}
    for path in ("bf", "bf.models", "bf.reports"):
        for name, member in public(OBJECTS[path]).items():
            if callable(member):
                annotation = str(inspect.signature(member).return_annotation)
                annotation = annotation.removesuffix(" | Changes")  # of a call with preview=True
                expected[call(path, name, member)] = re.sub(r"\b(pd|models)\.", "", annotation)
    methods = [
        f"{path}.{name}"
        for name in public(OBJECTS["bf.reports"])
        for path in ("bf.reports", "bf.aio.reports")
    ]
    assert {*expected.values()} >= {"DataFrame", "Report", "list[Payee]", "dict[str, DataFrame]"}
    script = tmp_path / "script.py"
    shown = [f"reveal_type({each})\n" for each in (*expected, *methods)]
    script.write_text(SCRIPT + "".join(shown), "utf-8")
    for library in ("httpx", "numpy", "pandas", "pydantic"):
        (tmp_path / "typings" / library).mkdir(parents=True)
        (tmp_path / "typings" / library / "__init__.pyi").write_text(STUB, "utf-8")
    config = {"typeCheckingMode": "basic", "include": [script.name], "extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    result = json.loads(ended.stdout)
    problems = [each for each in result["generalDiagnostics"] if each["severity"] != "information"]
    assert problems == []
    revealed = [
        each["message"].partition('" is "')[2][:-1] for each in result["generalDiagnostics"]
    ]
    found = dict(zip((*expected, *methods), revealed, strict=True))
    assert {each: found[each] for each in expected} == expected
    for name in public(OBJECTS["bf.reports"]):
        synchronous = found[f"bf.reports.{name}"]
        assert synchronous.endswith(" -> Report")
        assert found[f"bf.aio.reports.{name}"] == synchronous.removesuffix("Report") + awaited
        parameters = [
            each
            for each in inspect.signature(getattr(OBJECTS["bf.reports"], name)).parameters
            if each != "self"
        ]
        assert re.findall(r"[(,] ?(?:\*, )?(\w+): ", synchronous) == parameters
