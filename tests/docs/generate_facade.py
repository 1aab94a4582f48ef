"""Write the generated modules of the facade: the synchronous methods, and the async reports.

Run this in the root of the repository after each change of a method in `budgetframe/_facade/aio`,
of a function in `budgetframe.reports`, or of a docstring or table of columns that they show::

    python -m tests.docs.generate_facade

The synchronous methods are the async methods without ``await``. Editors read source code, so each
method is written out, with its signature and its complete docstring. The script belongs to the
tests: it is not a part of the installed package, and a test compares its result with the files.
"""

import ast
import builtins
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from textwrap import dedent, indent
from types import ModuleType
from typing import Any, NamedTuple

COMMAND = "python -m tests.docs.generate_facade"
SYNC_METHODS = "_facade/sync_methods.py"
SYNC_REPORTS = "_facade/sync_reports.py"
ASYNC_REPORTS = "_facade/aio/reports.py"
LAKE_REPORTS = "lake/report_methods.py"


class _Placeholder(ModuleType):
    def __getattr__(self, name: str) -> type:
        return type(name, (), {})


if __name__ == "__main__":
    # An outdated generated module may import names that no longer exist.
    for _module in (
        "budgetframe._facade.sync_methods",
        "budgetframe._facade.sync_reports",
        "budgetframe._facade.aio.reports",
        "budgetframe.lake.report_methods",
    ):
        sys.modules[_module] = _Placeholder(_module)

import budgetframe  # noqa: E402
from budgetframe import reports  # noqa: E402
from budgetframe._facade.aio import AsyncBudgetFrame, AsyncModels  # noqa: E402
from budgetframe._facade.docstrings import RAISES, notes  # noqa: E402

PACKAGE = Path(budgetframe.__file__).parent

_FRAME_PARAMETER = re.compile(r"^[\w, ]+ : DataFrame(?:, optional)?\n(?: +.*\n)+", re.MULTILINE)


class Source(NamedTuple):
    """The calls of `AsyncBudgetFrame` that give a report its frames, their requests and cost."""

    calls: tuple[str, ...]
    requests: str
    cost: str


_LEDGER = Source(
    ("ledger()",),
    "GET /budgets/{budget_id}/transactions`` and those of its ``accounts``, ``categories`` and"
    " ``payees",
    "ledger",
)
REPORTS = {
    "net_worth": _LEDGER,
    "balances": _LEDGER,
    "income_expense": _LEDGER,
    "spending": _LEDGER,
    "budget_vs_actual": Source(("month_categories()",), "GET /budgets/{budget_id}", "whole"),
    "same_period": _LEDGER,
    "runway": _LEDGER,
    "recurring": _LEDGER,
    "suggestions": _LEDGER,
    "age_of_money": Source(("months()",), "GET /budgets/{budget_id}/months", "delta"),
    "money_flow": Source(
        ("money_movements(month)", "categories()"),
        "GET /budgets/{budget_id}[/months/{month}]/money_movements`` and that of its ``categories",
        "money_flow",
    ),
    "income_sankey": _LEDGER,
    "loans": _LEDGER,
    "forecast": Source(
        (
            "scheduled_transactions()",
            "scheduled_subtransactions()",
            "accounts()",
            "ledger() if typical is not None else None",
        ),
        "GET /budgets/{budget_id}/scheduled_transactions`` and that of its ``accounts``; with"
        " `typical` also ``transactions``, ``categories`` and ``payees",
        "schedule",
    ),
}
"""The source of every report."""


class Method:
    """A method to write, with the signature that the source code of a function has.

    Parameters
    ----------
    function : callable
        An async method, or a function that makes a report.
    replaced : int
        Number of first parameters that ``self`` replaces.
    """

    def __init__(self, function: Callable[..., Any], replaced: int = 1) -> None:
        self.name = function.__name__
        self.docstring = inspect.getdoc(function) or ""
        self.module = sys.modules[function.__module__]
        (node,) = ast.parse(dedent(inspect.getsource(function))).body
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        assert node.returns is not None
        arguments = node.args
        arguments.kw_defaults = [self._literal(each) for each in arguments.kw_defaults]
        self.replaced = [each.arg for each in arguments.args[:replaced]]
        kept = arguments.args[replaced:]
        arguments.defaults = arguments.defaults[max(0, len(arguments.defaults) - len(kept)) :]
        arguments.args = [ast.arg("self"), *kept]
        self.signature = f"{self.name}({ast.unparse(arguments)}) -> {ast.unparse(node.returns)}"
        self.parameters = [each.arg for each in [*arguments.args[1:], *arguments.kwonlyargs]]
        self.passed_on = ", ".join(
            [
                *(each.arg for each in arguments.args[1:]),
                *(f"{each.arg}={each.arg}" for each in arguments.kwonlyargs),
                *(f"**{each.arg}" for each in [arguments.kwarg] if each is not None),
            ]
        )
        named = [*arguments.args, *arguments.kwonlyargs, arguments.kwarg]
        annotations = [None if each is None else each.annotation for each in named]
        self.annotations = [each for each in [*annotations, node.returns] if each is not None]

    def _literal(self, default: ast.expr | None) -> ast.expr | None:
        """The default of a parameter; the value of a constant instead of its name."""
        if isinstance(default, ast.Name):
            return ast.Constant(vars(self.module)[default.id])
        return default

    def imports(self) -> Iterator[str]:
        """The import statements for the names in the annotations."""
        for annotation in self.annotations:
            for node in ast.walk(annotation):
                if isinstance(node, ast.Name) and node.id in _SYNC_CLASSES:
                    yield f"from budgetframe._facade.changes import {_SYNC_CLASSES[node.id]}"
                elif isinstance(node, ast.Name) and not hasattr(builtins, node.id):
                    yield _import_of(node.id, self.module)

    def sync_code(self) -> str:
        """The synchronous method of an async one."""
        result = f"self._wait_for(self._aio.{self.name}({self.passed_on}))"
        for name, sync_name in _SYNC_CLASSES.items():
            if self.signature.endswith(f"-> {name}"):
                self.signature = self.signature.removesuffix(name) + sync_name
                result = f"{sync_name}({result}, self._wait_for)"
        return self.code(f"return {result}")

    def code(self, body: str, prefix: str = "") -> str:
        """The method with this body."""
        raw = "r" if "\\" in self.docstring else ""
        docstring = f'{raw}"""{self.docstring.rstrip()}\n"""'
        return f"{prefix}def {self.signature}:\n" + indent(f"{docstring}\n{body}\n", "    ")


@cache
def _import_of(name: str, module: ModuleType) -> str:
    """The statement that imports a name which a module imports or defines."""
    for node in _imports_of(module):
        for alias in node.names:
            if name == (alias.asname or alias.name):
                imported = ast.unparse(alias)
                if isinstance(node, ast.Import):
                    return f"import {imported}"
                origin = "." * node.level + (node.module or "")
                return f"from {resolve_name(origin, module.__package__)} import {imported}"
    return f"from {module.__name__} import {name}"


@cache
def _imports_of(module: ModuleType) -> list[ast.Import | ast.ImportFrom]:
    """The import statements of a module."""
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


_FRAMES_DOCSTRING = """\
The methods of `BudgetFrame` that read or change a budget.

They are the methods of ``bf.aio``, without ``await``.
"""
_MODELS_DOCSTRING = """\
The lists of a budget as models of `budgetframe.models`: ``bf.models.payees()``.

Models and frames are built from the same answers and cost the same requests. Each row is validated
separately, which takes several times as long as building a frame. Names are those that the service
sent with the row.
"""
_REPORTS_DOCSTRING = """\
The reports of a budget: ``bf.reports.net_worth()``; ``.plot()`` draws a report.

The methods read the frames and pass them to the functions of `budgetframe.reports`.
"""
_ASYNC_REPORTS_DOCSTRING = """\
The reports of a budget, as async methods: ``await bf.aio.reports.net_worth()``.

The methods read the frames and pass them to the functions of `budgetframe.reports`.

Parameters
----------
frames : Frames
    Reads the frames.
"""
_LAKE_DOCSTRING = """\
The reports of every budget of a lake: ``lake.reports.net_worth()``.

Dask computes the functions of `budgetframe.reports`, on the client that is active or in threads.
Each method returns one frame with the rows of all budgets. For a report, today is the day in
``as_of``: the day of the last sync that found a change of the budget, or of the first sync of the
month if that was later. The rows are exactly those that ``bf.reports`` returned for each budget
alone on that day. Amounts are in the currency of the budget: never add up two currencies. A budget
whose report raises an error, for example because it has no account of a given name, has no rows: a
warning names the first one, and ``attrs["refused"]`` has all reasons. `money_flow` is missing,
because the export of a budget has no money movements.
"""
_REPR = """\
def __repr__(self) -> str:
    return methods_as_text(self)

def _repr_html_(self) -> str:
    return methods_as_html(self)
"""


_SYNC_IMPORTS = [
    "from budgetframe._facade.display import methods_as_html, methods_as_text",
    "from budgetframe._facade.wait_for import WaitFor",
]


def sync_methods() -> str:
    """The source code of the synchronous methods."""
    budget, models = _public_methods(AsyncBudgetFrame), _public_methods(AsyncModels)
    classes = [
        _class("FrameMethods", _FRAMES_DOCSTRING, [_init("AsyncBudgetFrame"), *_sync(budget)]),
        _class("Models", _MODELS_DOCSTRING, [_init("AsyncModels"), *_sync(models), _REPR]),
    ]
    title = "The synchronous methods of the facade."
    annotated = ["from budgetframe._facade.aio import AsyncBudgetFrame, AsyncModels"]
    return _file(title, _SYNC_IMPORTS, annotated, [*budget, *models], classes)


def sync_reports() -> str:
    """The source code of the synchronous reports; a program without reports does not import it."""
    methods = [_report_method(name) for name in REPORTS]
    members = [_init("AsyncReports"), *_sync(methods), _REPR]
    classes = [_class("Reports", _REPORTS_DOCSTRING, members)]
    annotated = ["from budgetframe._facade.aio.reports import AsyncReports"]
    return _file("The reports of a budget.", _SYNC_IMPORTS, annotated, methods, classes)


def async_reports() -> str:
    """The source code of the async reports."""
    methods = [_report_method(name) for name in REPORTS]
    imports = [
        *(f"from {each.module.__name__} import {each.name}" for each in methods),
        "from budgetframe._facade.display import methods_as_html, methods_as_text",
        "from budgetframe.reports._shared.arguments import check_report",
        "from functools import partial",
    ]
    init = "def __init__(self, frames: Frames) -> None:\n    self._frames = frames\n"
    members = [init, *map(_async_report, methods), _REPR]
    classes = [_class("AsyncReports", _ASYNC_REPORTS_DOCSTRING, members)]
    annotated = ["from budgetframe._facade.aio.frames import Frames"]
    return _file("The reports of a budget, as async methods.", imports, annotated, methods, classes)


def lake_reports() -> str:
    """The source code of the reports of a lake."""
    methods = [_lake_method(name) for name in REPORTS if name not in _NOT_IN_LAKE]
    imports = [
        *(f"from {each.module.__name__} import {each.name}" for each in methods),
        "from budgetframe._facade.display import methods_as_html, methods_as_text",
        "from budgetframe.lake.reports import compute_report",
        "from functools import partial",
        "import pandas as pd",
    ]
    init = "def __init__(self, snapshot: Snapshot) -> None:\n    self._snapshot = snapshot\n"
    members = [init, *map(_lake_report, methods), _REPR]
    classes = [_class("LakeReports", _LAKE_DOCSTRING, members)]
    annotated = ["from budgetframe.lake.storage import Snapshot"]
    return _file("The reports of a lake.", imports, annotated, methods, classes)


def _public_methods(kind: type) -> list[Method]:
    """The public async methods of a class, in the order of the source code."""
    found = {
        name: member
        for base in kind.__mro__
        for name, member in vars(base).items()
        if not name.startswith("_") and inspect.iscoroutinefunction(member)
    }
    return [Method(function) for function in found.values()]


def _report_method(name: str) -> Method:
    """The method of a report, which reads the frames that are the function's parameters."""
    source = REPORTS[name]
    method = Method(getattr(reports, name), replaced=len(source.calls))
    start, heading, examples = method.docstring.partition("Examples\n---")
    start = start.partition("\n\nRaises\n------\n")[0]
    start = _FRAME_PARAMETER.sub("", start).replace("Parameters\n----------\n\nReturns", "Returns")
    sections = [start, RAISES, notes(source.requests, source.cost), heading + examples]
    method.docstring = "\n\n".join(sections)
    return method


def _async_report(method: Method) -> str:
    calls = REPORTS[method.name].calls
    reads = [
        f"{name} = await self._frames.{call}"
        for name, call in zip(method.replaced, calls, strict=True)
    ]
    arguments = ", ".join(f"{name}={name}" for name in method.parameters)
    lines = [
        f"report = partial({method.name}, {arguments})",
        "check_report(report)  # an invalid argument is refused before any request",
        *reads,
        f"return report({', '.join(method.replaced)})",
    ]
    return method.code("\n".join(lines), "async ")


_NOT_IN_LAKE = ("money_flow",)
_LAKE_RETURNS = """\
Returns
-------
DataFrame
    The rows of all budgets, sorted by budget_id, and for each budget as in ``bf.reports.{name}``.
    The first two columns are ``budget_id`` and ``currency`` (ISO code).

{table}"""


def _lake_method(name: str) -> Method:
    """The method of a report of a lake."""
    method = Method(getattr(reports, name), replaced=len(REPORTS[name].calls))
    text = _FRAME_PARAMETER.sub("", method.docstring.partition("\n\nRaises\n---")[0])
    start, _, returned = text.partition("Returns\n-------\n")
    start = start.replace("Parameters\n----------\n\n", "")
    table = re.search(r"^    column +dtype.*", returned, re.MULTILINE | re.DOTALL)
    found = "" if table is None else table.group()
    method.docstring = start + _LAKE_RETURNS.format(name=name, table=found)
    method.signature = method.signature.removesuffix("Report") + "pd.DataFrame"
    del method.annotations[-1]
    return method


def _lake_report(method: Method) -> str:
    calls = [re.sub(r"(\w+)\(\)", r"'\1'", call) for call in REPORTS[method.name].calls]
    arguments = ", ".join(f"{name}={name}" for name in method.parameters)
    lines = [
        f"report = partial({method.name}, {arguments})",
        f"return compute_report(self._snapshot, report, [{', '.join(calls)}])",
    ]
    return method.code("\n".join(lines))


_SYNC_CLASSES = {"AsyncChanges": "Changes", "AsyncJournal": "Journal"}
"""The synchronous classes of objects that async methods return."""


def _sync(methods: Iterable[Method]) -> list[str]:
    return [each.sync_code() for each in methods]


def _init(aio: str) -> str:
    return (
        f"def __init__(self, aio: {aio}, wait_for: WaitFor) -> None:\n"
        "    self._aio = aio\n    self._wait_for = wait_for\n"
    )


def _class(name: str, docstring: str, members: Iterable[str]) -> str:
    body = "\n".join([f'"""{docstring}"""\n', *members])
    return f"class {name}:\n{indent(body, '    ')}"


def _file(
    title: str, imports: list[str], annotated: list[str], methods: list[Method], classes: list[str]
) -> str:
    """The source code of a module; only private annotations use the imports in `annotated`."""
    used = {statement for method in methods for statement in method.imports()}
    names = [re.split(r"[ :]", each)[1] for each in classes]
    parts = [
        f'"""{title}"""\n',
        f"# Generated, do not edit. Command to write it again: {COMMAND}",
        "# ruff: noqa: E501 - the lines of a table are not wrapped\n",
        "from __future__ import annotations\n",
        *sorted({*imports, *used, "from typing import TYPE_CHECKING"}),
        f"__all__ = {names}\n",
        "if TYPE_CHECKING:",
        indent("\n".join(annotated) + "\n", "    "),
        *classes,
    ]
    return "\n".join(parts)


FILES = {
    SYNC_METHODS: sync_methods,
    SYNC_REPORTS: sync_reports,
    ASYNC_REPORTS: async_reports,
    LAKE_REPORTS: lake_reports,
}


def main() -> None:
    """Write the files, formatted by ruff."""
    paths = [PACKAGE / name for name in FILES]
    for path, source in zip(paths, FILES.values(), strict=True):
        path.write_text(source(), encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--quiet", "--fix", "--select", "I"], ["format", "--quiet"]):
        subprocess.run([*ruff, *command, *paths], check=True)  # noqa: S603 - our own command


if __name__ == "__main__":
    main()
