"""The docstrings of the package and their examples."""

import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple

import budgetframe
from budgetframe import BudgetFrame, reports
from budgetframe._facade.aio import AsyncBudgetFrame, AsyncModels
from budgetframe._facade.aio.reports import AsyncReports
from budgetframe._facade.methods.models import Models
from budgetframe._facade.methods.reports import Reports

PUBLIC = {name: getattr(budgetframe, name) for name in budgetframe.__all__}
REPORTS: dict[str, Callable[..., Any]] = {
    name: getattr(reports, name)
    for name in reports.__all__
    if inspect.signature(getattr(reports, name)).return_annotation is reports.Report
    and name != "side_by_side"  # its reports come from several budgets
}
"""The functions that make a report of one budget."""
OBJECTS: dict[str, type] = {
    "bf": BudgetFrame, "bf.models": Models, "bf.reports": Reports, "bf.aio": AsyncBudgetFrame,
    "bf.aio.models": AsyncModels, "bf.aio.reports": AsyncReports,
}  # fmt: skip
"""The classes of the facade by the expression that returns an object of them."""


class Line(NamedTuple):
    """One line of a table of columns."""

    column: str
    dtype: str
    unit: str
    meaning: str


def modules() -> list[ModuleType]:
    names = [each.name for each in pkgutil.walk_packages(budgetframe.__path__, "budgetframe.")]
    return [budgetframe, *(importlib.import_module(n) for n in names if "__main__" not in n)]


def documented_objects() -> Iterator[tuple[str, object, dict[str, object]]]:
    """Name, object and module namespace of everything in the package that may have a docstring."""
    for module in modules():
        names = vars(module)
        yield module.__name__, module, names
        for name, thing in names.items():
            if not (inspect.isclass(thing) or inspect.isroutine(inspect.unwrap(thing))):
                continue
            if thing.__module__ not in (module.__name__, "budgetframe"):
                continue
            yield f"{module.__name__}.{name}", thing, names
            if inspect.isclass(thing):
                for key, member in vars(thing).items():
                    if inspect.isroutine(member) or isinstance(member, property):
                        yield f"{module.__name__}.{name}.{key}", member, names


@cache
def examples() -> dict[str, doctest.DocTest]:
    """The examples of every docstring by its name; examples that several objects share once."""
    found: dict[str, doctest.DocTest] = {}
    seen = set()
    parser = doctest.DocTestParser()
    for name, thing, names in documented_objects():
        text = inspect.getdoc(thing) or ""
        key = code_in(text)
        if key and key not in seen:
            seen.add(key)
            found[name] = parser.get_doctest(text, {**PUBLIC, **names}, name, None, 0)
    return found


def code_in(docstring: str) -> tuple[tuple[str, str], ...]:
    """The code of the examples in a docstring, with the expected output."""
    return tuple(
        (each.source, each.want) for each in doctest.DocTestParser().get_examples(docstring)
    )


def tables_in(docstring: str) -> list[list[Line]]:
    """The tables of columns in a docstring, cut at the dashes below the heading."""
    tables: list[list[Line]] = []
    lines = docstring.splitlines()
    for number, line in enumerate(lines):
        if not re.fullmatch(r"\s*column\s+dtype\s+unit\s+meaning", line):
            continue
        edges = [*[each.start() for each in re.finditer(r"-+", lines[number + 1])], None]
        rows = []
        for row in lines[number + 2 :]:
            if not row.strip():
                break
            rows.append(Line(*[row[start:end].strip() for start, end in pairwise(edges)]))
        tables.append(rows)
    return tables


def without_tables(docstring: str) -> list[str]:
    """The lines of a docstring except its tables of columns and the empty lines after them."""
    table = r"^ *column +dtype +unit +meaning\n(.+\n)+\n?"
    return re.sub(table, "", docstring + "\n", flags=re.MULTILINE).splitlines()


def section(docstring: str, heading: str) -> str:
    """The text of one section, up to the next heading; empty if there is no such section."""
    _, _, text = docstring.partition(f"\n{heading}\n{'-' * len(heading)}\n")
    return re.split(r"\n\n\w+\n---", text)[0]


def parameters_in(docstring: str) -> set[str]:
    """The names of the documented parameters."""
    text = section(docstring, "Parameters")
    found = re.findall(r"^([\w, ]+) :|^\*\*(?=(\w+)$)", text, re.MULTILINE)
    return {each.strip() for names in found for each in "".join(names).split(",")}


def docstrings_of(kind: type) -> dict[str, str]:
    """The docstrings of the public methods of a class, by name."""
    return {
        name: inspect.getdoc(member) or ""
        for name, member in inspect.getmembers(kind, inspect.isroutine)
        if not name.startswith("_")
    }
