"""What `pyproject.toml` declares of the libraries, by the rules of CONTRIBUTING."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.benchmarks.layers import PACKAGE

WITHOUT_UPPER_BOUND = {"dask", "furo", "pillow", "pyarrow"}
"""Libraries whose major version says nothing about what has changed."""
ONLY_IF_PRESENT = {"ipython", "nest-asyncio2"}
"""The package uses them if another program has installed them."""

_PROJECT = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))
_EXTRAS = _PROJECT["project"]["optional-dependencies"]
OF_USERS = [
    Requirement(text)
    for texts in (
        _PROJECT["project"]["dependencies"],
        *(_EXTRAS[name] for name in _EXTRAS.keys() - {"test", "dev", "site"}),
    )
    for text in texts
]
ALL = [Requirement(text) for texts in _EXTRAS.values() for text in texts] + OF_USERS


def test_every_library_that_the_package_imports_is_declared() -> None:
    imported: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    libraries = imported - sys.stdlib_module_names - {"budgetframe"}
    projects = packages_distributions()
    names = {canonicalize_name(projects[name][0]) for name in libraries if name in projects}
    declared = {canonicalize_name(requirement.name) for requirement in OF_USERS}
    # dask[distributed] is the library distributed too.
    declared |= {canonicalize_name(extra) for each in OF_USERS for extra in each.extras}
    assert {"httpx", "numpy", "pandas"} <= names
    assert names - declared - ONLY_IF_PRESENT == set()


def test_every_library_has_both_bounds_unless_its_major_version_says_nothing() -> None:
    bounds = {
        canonicalize_name(each.name): {bound.operator for bound in each.specifier} for each in ALL
    }
    without_upper = {name for name, operators in bounds.items() if operators == {">="}}
    without_both = {name for name, operators in bounds.items() if operators != {">=", "<"}}
    assert without_upper == WITHOUT_UPPER_BOUND
    assert without_both - without_upper == {"budgetframe"}
