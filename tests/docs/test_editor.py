"""Editors see the methods of a `BudgetFrame`: completion, signature, docstring, source."""

import inspect
from pathlib import Path

import jedi
import pytest

import budgetframe
from tests.docs.docstrings import OBJECTS

ROOT = Path(budgetframe.__file__).parents[1]
SCRIPT = "from budgetframe import BudgetFrame\n\nbf = BudgetFrame.sandbox()\n"


def public(kind: type) -> dict[str, object]:
    return {name: each for name, each in inspect.getmembers(kind) if not name.startswith("_")}


@pytest.mark.slow  # jedi reads the source code of the package and of what it imports
def test_an_editor_shows_every_method_and_finds_its_definition() -> None:
    for path, kind in OBJECTS.items():
        lines = [*SCRIPT.splitlines(), f"{path}."]
        script = jedi.Script(
            "\n".join(lines), project=jedi.Project(ROOT), environment=jedi.InterpreterEnvironment()
        )
        shown = {
            each.name: each
            for each in script.complete(len(lines), len(lines[-1]))
            if not each.name.startswith("_")
        }
        assert sorted(shown) == sorted(public(kind)), path
        if path == "bf.aio.reports":  # with ParamSpec, which jedi does not evaluate
            continue
        for name, member in public(kind).items():
            case, docstring = f"{path}.{name}", inspect.getdoc(member)
            assert docstring, case
            assert shown[name].docstring(raw=True).splitlines()[0] == docstring.splitlines()[0], (
                case
            )
            for definition in shown[name].goto():  # several, if the method has overloads
                source = definition.get_line_code().strip()
                assert source.removeprefix("async ").startswith(f"def {name}("), case
            if callable(member):
                signatures = shown[name].get_signatures()
                parameters = [
                    each for each in inspect.signature(member).parameters if each != "self"
                ]
                assert signatures, case
                for signature in signatures:
                    assert [each.name for each in signature.params] == parameters, case
                    assert " -> " in signature.to_string(), case
