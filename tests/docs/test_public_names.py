"""The names that are handed on, and their types."""

import ast
import inspect
import typing
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import budgetframe
from budgetframe import errors, frames, models, reports, sandbox
from tests.docs.docstrings import PUBLIC, modules

CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
MODULES = {module.__name__: module for module in modules()}
PUBLIC_MODULES: list[ModuleType] = [budgetframe, errors, frames, models, reports, sandbox]


def callables() -> dict[str, Callable[..., Any]]:
    """Every public function, class and method of the public modules, by its name."""
    found: dict[str, Callable[..., Any]] = {}
    for module in PUBLIC_MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing):
                continue
            found[f"{module.__name__}.{name}"] = thing
            if inspect.isclass(thing):
                for key, member in inspect.getmembers(thing, inspect.isroutine):
                    own = getattr(member, "__module__", "") or ""
                    public = not key.startswith("_") or key == "__init__"
                    if public and own.startswith("budgetframe"):
                        found[f"{module.__name__}.{name}.{key}"] = member
    return found


CALLABLES = callables()


def test_the_names_of_the_package_are_these() -> None:
    assert budgetframe.__all__ == [
        "BudgetFrame",
        "BudgetFrameError",
        "DeltaCache",
        "RateLimiter",
        "ServiceAPIError",
        "ServiceClient",
        "StaleDataWarning",
        "ToolError",
        "__version__",
    ]


def test_the_version_is_that_of_the_installed_package() -> None:
    assert budgetframe.__version__ == version("budgetframe")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        budgetframe.no_such_name  # noqa: B018


def rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest: the order that ruff holds."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


@pytest.mark.parametrize("name", MODULES)
def test_all_is_sorted(name: str) -> None:
    listed = getattr(MODULES[name], "__all__", [])
    assert list(listed) == sorted(listed, key=rank)


@pytest.mark.parametrize("name", MODULES)
def test_everything_in_all_is_there(name: str) -> None:
    module = MODULES[name]
    assert [each for each in getattr(module, "__all__", []) if not hasattr(module, each)] == []


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__)
def test_everything_public_is_in_all(module: ModuleType) -> None:
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.level or "budgetframe" in str(node.module))
        for alias in node.names
    }
    defined = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    public = {name for name in imported | defined if not name.startswith("_")}
    assert public <= set(module.__all__)


# The embedded service names its own types for type checkers alone, and so does pandas, in the
# class that a report is made of.
FOR_CHECKERS = ("budgetframe.sandbox.", "budgetframe.reports.Report")


@pytest.mark.parametrize("name", [name for name in CALLABLES if not name.startswith(FOR_CHECKERS)])
def test_the_types_of_a_public_signature_can_be_resolved(name: str) -> None:
    assert typing.get_type_hints(CALLABLES[name], localns={"Sandbox": sandbox.Sandbox}) is not None


@pytest.mark.parametrize(
    "name", [name for name in CALLABLES if inspect.isfunction(CALLABLES[name])]
)
def test_every_public_function_is_typed_throughout(name: str) -> None:
    function = inspect.unwrap(CALLABLES[name])
    parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
    assert parameters | {"return"} <= set(function.__annotations__)


@pytest.mark.parametrize("name", CALLABLES)
def test_everything_public_has_a_docstring(name: str) -> None:
    if name.endswith(".__init__"):
        name = name.removesuffix(".__init__")
    assert inspect.getdoc(CALLABLES[name])


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(budgetframe.__file__).parent / "py.typed").is_file()


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_names_the_package_as_its_module(name: str) -> None:
    assert CLASSES[name].__module__ == "budgetframe"
