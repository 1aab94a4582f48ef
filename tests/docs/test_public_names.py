"""The public names, their types and their docstrings."""

import ast
import inspect
import pydoc
import typing
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import budgetframe
from budgetframe import errors, frames, lake, models, reports, sandbox
from budgetframe._facade.aio import changes, checklist, review, statement
from budgetframe._facade.wait_for import WaitFor
from tests.docs.docstrings import OBJECTS, PUBLIC, modules

PUBLIC_MODULES: list[ModuleType] = [budgetframe, errors, frames, lake, models, reports, sandbox]


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
                    if isinstance(member, cached_property):  # a routine since Python 3.13
                        continue
                    public = not key.startswith("_") or key == "__init__"
                    if public and own.startswith("budgetframe"):
                        found[f"{module.__name__}.{name}.{key}"] = member
    return found


# The embedded service imports its own types for type checkers only, and so does pandas in the base
# class of a report and of a reconciliation.
FOR_TYPE_CHECKERS = (
    "budgetframe.sandbox.", "budgetframe.reports.Report", "budgetframe.Reconciliation",
)  # fmt: skip


def test_the_version_is_that_of_the_installed_package() -> None:
    assert budgetframe.__version__ == version("budgetframe")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        budgetframe.no_such_name  # noqa: B018


PACKAGES = [module for module in PUBLIC_MODULES if module is not errors]


@pytest.mark.parametrize("module", PACKAGES, ids=lambda module: module.__name__)
def test_completion_offers_the_public_names_and_nothing_else(module: ModuleType) -> None:
    packages = ["frames", "lake", "models", "reports", "sandbox"] * (module is budgetframe)
    assert dir(module) == sorted([*module.__all__, *packages])


@pytest.mark.parametrize(
    "module", [budgetframe, frames, lake, reports], ids=lambda module: module.__name__
)
def test_help_of_a_package_is_short_and_names_what_is_public(module: ModuleType) -> None:
    text = pydoc.render_doc(module, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    assert text.count("\n") <= 250
    names = {name for name in module.__all__ if not name.startswith("_")}
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_help_of_a_class_is_that_of_pydoc() -> None:
    assert "summary" in pydoc.render_doc(budgetframe.Reconciliation)


def rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest: the order that ruff holds."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_all_is_sorted_and_complete() -> None:
    for module in modules():
        listed = list(getattr(module, "__all__", []))
        assert listed == sorted(listed, key=rank), module.__name__
        assert [name for name in listed if not hasattr(module, name)] == [], module.__name__


def test_every_public_name_of_a_public_module_is_in_all() -> None:
    for module in PUBLIC_MODULES:
        tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            and (node.level or "budgetframe" in str(node.module))
            for alias in node.names
        }
        definitions = (ast.ClassDef, ast.FunctionDef)
        defined = {node.name for node in tree.body if isinstance(node, definitions)}
        public = {name for name in imported | defined if not name.startswith("_")}
        assert public - set(module.__all__) == set(), module.__name__


def test_the_types_of_a_public_signature_can_be_resolved() -> None:
    import dask.dataframe as dd  # noqa: PLC0415 - it is slow to import
    from distributed import Client  # noqa: PLC0415 - it is slow to import

    # Names that annotations use, and that are imported for type checkers only.
    names_of_types = {
        **{kind.__name__: kind for kind in OBJECTS.values()},
        "AsyncChanges": changes.AsyncChanges,
        "AsyncChecklist": checklist.AsyncChecklist,
        "AsyncJournal": changes.AsyncJournal,
        "AsyncReview": review.AsyncReview,
        "AsyncStatement": statement.AsyncStatement,
        "Client": Client,
        "Sandbox": sandbox.Sandbox,
        "WaitFor": WaitFor,
        "dd": dd,
    }
    found = callables()
    names = [name for name in found if not name.startswith(FOR_TYPE_CHECKERS)]
    assert len(names) > 150
    for name in names:
        try:
            typing.get_type_hints(found[name], localns=names_of_types)
        except NameError as error:
            pytest.fail(f"{name}: {error}")


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(budgetframe.__file__).parent / "py.typed").is_file()


def test_a_class_of_the_package_root_names_the_package_as_its_module() -> None:
    classes = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
    assert len(classes) == 16
    assert {name: kind.__module__ for name, kind in classes.items()} == dict.fromkeys(
        classes, "budgetframe"
    )
