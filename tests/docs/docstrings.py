"""Every docstring of the package, wherever it is installed."""

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import budgetframe
from budgetframe import BudgetFrame

PUBLIC = {name: getattr(budgetframe, name) for name in budgetframe.__all__}


def modules() -> list[ModuleType]:
    names = [each.name for each in pkgutil.walk_packages(budgetframe.__path__, "budgetframe.")]
    return [budgetframe, *(importlib.import_module(n) for n in names if "__main__" not in n)]


def examples() -> dict[str, doctest.DocTest]:
    """The examples of every docstring by its name; a docstring that two objects share once."""
    found: dict[str, doctest.DocTest] = {}
    seen: set[str] = set()
    for module in modules():
        known = {**PUBLIC, **vars(module)}
        for test in doctest.DocTestFinder().find(module, globs=known):
            if test.examples and test.docstring and test.docstring not in seen:
                seen.add(test.docstring)
                found[test.name] = test
    return found


def public_methods() -> Iterator[tuple[str, str]]:
    """Name and docstring of every public method of `BudgetFrame`."""
    for name, member in inspect.getmembers(BudgetFrame, callable):
        if not name.startswith("_"):
            yield name, inspect.getdoc(member) or ""


METHODS = dict(public_methods())
