"""Count lines, imports, and the functions and SQLite transactions behind a cell of a notebook.

Run it with ``python -m tests.benchmarks.layers``. The column "limit" is the largest count that the
test beside this file permits. Code of the embedded service (``budgetframe/sandbox``) counts only in
the lines and in the files that contain a name.
"""

from __future__ import annotations

import ast
import itertools
import re
import sqlite3
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import budgetframe
from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox

PACKAGE = Path(budgetframe.__file__).parent
# The wheel also contains the notebooks with their Python files; these are not part of the package.
_MODULES = sorted({*PACKAGE.rglob("*.py")} - {*PACKAGE.glob("notebooks/**/*.py")})
TESTS = Path(__file__).parents[1]
_SANDBOX = PACKAGE / "sandbox"
_COLUMN_TABLE = re.compile(r"^ +column +dtype +unit +meaning\n(?:.*\S.*\n)+", re.MULTILINE)
LIMITS = {
    "lines of the package": 60_343,
    "lines of these that are generated": 594,
    "lines of reports": 13_831,
    "lines of _facade": 9_526,
    "lines of _changes": 8_955,
    "lines of sandbox": 5_611,
    "lines of frames": 6_212,
    "lines of lake": 4_228,
    "lines of _session": 2_933,
    "lines of _cli": 2_468,
    "lines of _cache": 2_278,
    "lines of _client": 1_934,
    "lines of _runtime": 952,
    "lines of files in the root": 680,
    "lines of models": 735,
    "lines of the tests": 68_972,
    "imports of private modules in the tests": 103,
    "import depth, in modules": 11,
    "import depth with imports inside functions": 14,
    "circles of imports, those for types included": 2,
    "modules in the largest of these circles": 4,
    "imports between rooms of _changes": 59,
    "modules that `from budgetframe import BudgetFrame` imports": 98,
    "files in the package root": 6,
    "in memory, first accounts(): functions": 118,
    "in memory, accounts() again: functions": 26,
    "in memory, first transactions(): functions": 120,
    "in memory, transactions() again: functions": 29,
    "cache file, first accounts(): functions": 142,
    "cache file, accounts() again: functions": 31,
    "cache file, first transactions(): functions": 150,
    "cache file, transactions() again: functions": 34,
    "accounts() warm: of these with the write lock": 0,
    "transactions() warm: of these with the write lock": 0,
    "ledger() warm: of these with the write lock": 0,
    "modules that send a write": 1,
    "files that contain the name of a report, at least": 7,
    "files that contain the name of a filter": 17,
    "files that contain the name of a column": 9,
    "files that contain the name of a resource": 44,
}
"""The largest permitted count of each line of the table that has a limit.

A limit only falls, and no commit raises one: a change that makes a count smaller lowers its limit.
Lines that move to another part of the package take their share of the limit of the old part along.
"""
_NAMES = {"filter": "hashtags", "column": "goal_day", "resource": "money_movements"}
"""One of each kind: its name has no second meaning, and the code contains it only where it must."""
_SEND = re.compile(r"\bawait [\w.()]+\.write\(")
_PRIVATE_IMPORT = re.compile(r"^ *(?:from|import) budgetframe[\w.]*(?:\.| import )_", re.MULTILINE)
_WRITE_STATEMENTS = ("INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER")


# -- functions and frames --------------------------------------------------------------------------


@cache
def _is_ours(code: CodeType) -> bool:
    """Whether a function is in a file of the package; lambdas and comprehensions do not count."""
    path = Path(code.co_filename)
    is_in_package = path.is_relative_to(PACKAGE) and not path.is_relative_to(_SANDBOX)
    return is_in_package and not code.co_name.startswith("<")


class Profile:
    """The functions of the package that run while `recording` is active, in all threads.

    The profile must be installed before the first `BudgetFrame` starts its thread.
    """

    def __init__(self) -> None:
        self.functions: set[CodeType] = set()
        self.depth = 0
        """The largest number of our frames on the stack of one thread."""
        self._is_active = False

    def install(self) -> None:
        """Profile this thread and all threads that start later."""
        threading.setprofile(self._on_event)
        sys.setprofile(self._on_event)

    @contextmanager
    def recording(self) -> Iterator[Profile]:
        """Record everything that runs inside the block, and nothing from before."""
        self.functions, self.depth = set(), 0
        self._is_active = True
        try:
            yield self
        finally:
            self._is_active = False

    def _on_event(self, frame: FrameType, event: str, _argument: object) -> None:
        if not self._is_active or event != "call" or not _is_ours(frame.f_code):
            return
        self.functions.add(frame.f_code)
        depth, caller = 0, frame
        while caller is not None:
            depth += _is_ours(caller.f_code)
            caller = caller.f_back  # type: ignore[assignment]
        self.depth = max(self.depth, depth)

    @property
    def files(self) -> int:
        """Number of files that contain the functions."""
        return len({code.co_filename for code in self.functions})


# -- imports ---------------------------------------------------------------------------------------


def _module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _statements(body: list[ast.stmt], *, late: bool, types: bool) -> Iterator[ast.stmt]:
    """The statements; with `late` in functions too, with `types` in ``if TYPE_CHECKING`` too."""
    blocks: tuple[type[ast.stmt], ...] = (ast.If, ast.Try, ast.With, ast.For, ast.ClassDef)
    if late:
        blocks += (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in body:
        if isinstance(node, ast.If) and not types and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from _statements(node.orelse, late=late, types=types)
        elif isinstance(node, blocks):
            for block in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, block, []), late=late, types=types)
        else:
            yield node


def import_graph(*, late: bool = False, types: bool = False) -> dict[str, set[str]]:
    """The modules of the package that each module imports when it is imported itself.

    With `late`, also the modules that its functions import; with `types`, also those that it
    imports for type checkers.
    """
    modules = {_module_name(path): path for path in _MODULES}
    counted = {name for name, path in modules.items() if not path.is_relative_to(_SANDBOX)}
    graph: dict[str, set[str]] = {name: set() for name in counted}
    for name in counted:
        path = modules[name]
        parent = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in _statements(ast.parse(path.read_text("utf-8")).body, late=late, types=types):
            imported: list[str] = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = ".".join(parent.split(".")[: len(parent.split(".")) - node.level + 1])
                base = f"{base}.{node.module}".strip(".") if node.module else base
                base = base if node.level else node.module or ""
                names = [f"{base}.{alias.name}" for alias in node.names]
                imported = [each if each in modules else base for each in names]
            graph[name] |= {each for each in imported if each in counted and each != name}
    return graph


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """The longest chain of modules in which each one imports the next one.

    Modules that import each other in a circle are all in the chain.
    """
    below = {module: _reachable(graph, module) for module in graph}
    circles = _circles(graph)
    chains: dict[str, list[str]] = {}
    for module in sorted(graph, key=lambda name: len(below[name] | {name})):
        circle = circles[module]
        after = {each for name in circle for each in graph[name]} - {*circle}
        rest = max((chains[circles[each][0]] for each in sorted(after)), key=len, default=[])
        chains[circle[0]] = [*circle, *rest]
    return max(chains.values(), key=len)


def _circles(graph: dict[str, set[str]]) -> dict[str, list[str]]:
    """For each module: itself and the modules that it imports and that import it, sorted."""
    below = {module: _reachable(graph, module) for module in graph}
    return {
        module: sorted({module, *(name for name in below[module] if module in below[name])})
        for module in graph
    }


def _reachable(graph: dict[str, set[str]], module: str) -> set[str]:
    """The modules that a module imports, also through others."""
    found: set[str] = set()
    new = [module]
    while new:
        imported = graph[new.pop()] - found
        found |= imported
        new += imported
    return found


def _room(module: str) -> str:
    """The module itself if it is directly in a layer, otherwise the package in the layer."""
    return ".".join(module.split(".")[:3])


def _with_packages(modules: set[str]) -> set[str]:
    """The modules and the packages that they are in; a package is imported before its modules."""
    names = (module.split(".") for module in modules)
    return {".".join(name[:end]) for name in names for end in range(1, len(name) + 1)}


# -- SQLite ----------------------------------------------------------------------------------------


@dataclass
class Statements:
    """The transactions of all SQLite connections since the last `clear`."""

    transactions: int = 0
    write_locks: int = 0
    _open: dict[int, str] = field(default_factory=dict)
    """By connection: whether its open transaction is ``"read"`` or ``"write"``."""

    def clear(self) -> None:
        """Set the counts to zero."""
        self.transactions = self.write_locks = 0

    def connect(self, *arguments: Any, **options: Any) -> sqlite3.Connection:
        """A replacement for `sqlite3.connect` that counts the statements of the connection."""
        connection: sqlite3.Connection = _connect(*arguments, **options)
        number = id(connection)
        connection.set_trace_callback(lambda statement: self._add(number, statement))
        return connection

    def _add(self, connection: int, statement: str) -> None:
        words = statement.upper().split()
        if not words or words[0] == "PRAGMA" or words[0].startswith("--"):
            return
        if words[0] in {"COMMIT", "END", "ROLLBACK"}:
            self._open.pop(connection, None)
            return
        is_open = connection in self._open
        is_begin = words[0] == "BEGIN"
        is_write = words[0] in _WRITE_STATEMENTS or (
            is_begin and {"IMMEDIATE", "EXCLUSIVE"} & {*words}
        )
        self.transactions += not is_open
        self.write_locks += bool(is_write) and self._open.get(connection) != "write"
        if is_begin or is_open:
            self._open[connection] = "write" if is_write else self._open.get(connection, "read")


_connect = sqlite3.connect


# -- the table -------------------------------------------------------------------------------------


class Table:
    """Prints the counts, and remembers those that exceed their limit, and the notes below it."""

    def __init__(self) -> None:
        self.exceeded: list[str] = []
        self.notes: list[str] = []
        print(f"{'':58} {'count':>7}  limit")

    def add(self, name: str, count: int) -> None:
        """Print a count."""
        limit = LIMITS.get(name)
        print(f"{name:58} {count:7,}  {'' if limit is None else f'{limit:,}'}", flush=True)
        if limit is not None and count > limit:
            self.exceeded.append(f"{name}: {count:,}, but at most {limit:,} are permitted")


def count_lines(table: Table) -> None:
    """Count the lines of the package and of the tests."""
    by_part: Counter[str] = Counter()
    generated = 0
    for path in _MODULES:
        text = path.read_text(encoding="utf-8")
        part, *below = path.relative_to(PACKAGE).parts
        by_part[part if below else "files in the root"] += text.count("\n")
        generated += sum(len(table.splitlines()) for table in _COLUMN_TABLE.findall(text))
    table.add("lines of the package", by_part.total())
    table.add("lines of these that are generated", generated)
    for part, count in by_part.most_common():
        table.add(f"lines of {part}", count)
    tests = [path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")]
    table.add("lines of the tests", sum(text.count("\n") for text in tests))
    private = sum(len(_PRIVATE_IMPORT.findall(text)) for text in tests)
    table.add("imports of private modules in the tests", private)


def count_names(table: Table, reports: list[str]) -> None:
    """Count the modules that await a ``.write(...)``, and the files that contain a name as a word.

    The files are those of the package and of the tests, except this one. Of the reports, the one
    that the fewest files contain is counted: its name is only where every report's name must be.
    """
    senders = (path for path in _MODULES if path.parent != PACKAGE / "_client")
    sent = sum(bool(_SEND.search(path.read_text(encoding="utf-8"))) for path in senders)
    table.add("modules that send a write", sent)
    files = {*_MODULES, *TESTS.rglob("*.py")} - {Path(__file__)}
    words = [{*re.findall(r"\w+", path.read_text(encoding="utf-8"))} for path in files]
    fewest = min(sum(name in each for each in words) for name in reports)
    table.add("files that contain the name of a report, at least", fewest)
    for kind, name in _NAMES.items():
        table.add(f"files that contain the name of a {kind}", sum(name in each for each in words))


def count_imports(table: Table) -> None:
    """Count the modules that imports connect, and note the longest chains.

    The modules of a circle all import each other, directly or through others. A room of `_changes`
    is a module or a package directly in it.
    """
    graph, with_types = import_graph(), import_graph(late=True, types=True)
    chain, late = longest_chain(graph), longest_chain(import_graph(late=True))
    circles = {tuple(circle) for circle in _circles(with_types).values() if len(circle) > 1}
    table.add("import depth, in modules", len(chain))
    table.add("import depth with imports inside functions", len(late))
    table.add("circles of imports, those for types included", len(circles))
    largest = max(map(len, circles), default=0)
    table.add("modules in the largest of these circles", largest)
    changes = {name for name in with_types if name.startswith("budgetframe._changes")}
    arrows = {(_room(name), _room(each)) for name in changes for each in with_types[name] & changes}
    table.add("imports between rooms of _changes", sum(one != other for one, other in arrows))
    imported = _with_packages(_reachable({**graph, "": {"budgetframe._facade.sync"}}, ""))
    table.add("modules that `from budgetframe import BudgetFrame` imports", len(imported))
    table.notes += [
        f"the longest chain of imports: {' > '.join(chain)}",
        f"with imports inside functions: {' > '.join(late)}",
    ]


def count_functions(
    table: Table, profile: Profile, place: str, connect: Callable[[], BudgetFrame]
) -> None:
    """Count the functions of a first read and of a warm cell."""
    for read in (BudgetFrame.accounts, BudgetFrame.transactions):
        read(connect())  # modules that are imported when they are used must not count
        with connect() as bf:
            for cell in (f"first {read.__name__}()", f"{read.__name__}() again"):
                with profile.recording() as recorded:
                    read(bf)
                table.add(f"{place}, {cell}: functions", len(recorded.functions))
                table.add(f"{place}, {cell}: files", recorded.files)
                table.add(f"{place}, {cell}: deepest nesting of our frames", recorded.depth)


def count_transactions(table: Table, statements: Statements, bf: BudgetFrame) -> None:
    """Count the transactions of warm cells and of a write."""
    account_id = str(bf.accounts()["account_id"].iloc[0])
    row = {"account_id": account_id, "date": "2026-01-02", "amount": -1.5}
    cells: dict[str, Callable[[], object]] = {
        "accounts() warm": bf.accounts,
        "transactions() warm": bf.transactions,
        "ledger() warm": bf.ledger,
        "create_transactions()": lambda: bf.create_transactions([row]),
    }
    for name, cell in cells.items():
        if name.endswith("warm"):
            cell()
        statements.clear()
        cell()
        table.add(f"{name}: SQLite transactions", statements.transactions)
        table.add(f"{name}: of these with the write lock", statements.write_locks)


def main() -> int:
    """Print the table; the exit status is 1 if a count exceeds its limit."""
    table = Table()
    count_lines(table)
    count_imports(table)
    table.add("files in the package root", sum(path.is_file() for path in PACKAGE.iterdir()))
    statements, profile = Statements(), Profile()
    sqlite3.connect = statements.connect  # type: ignore[assignment]
    profile.install()
    service = Sandbox(years=1, budgets=1, limit=10_000)
    with tempfile.TemporaryDirectory() as folder:
        folders = (Path(folder, str(number)) for number in itertools.count())
        count_functions(table, profile, "in memory", lambda: BudgetFrame.sandbox(service))
        count_functions(
            table,
            profile,
            "cache file",
            lambda: BudgetFrame.sandbox(service, cache_dir=next(folders)),
        )
        with BudgetFrame.sandbox(service, cache_dir=next(folders)) as bf:
            count_transactions(table, statements, bf)
            count_names(table, [name for name in dir(bf.reports) if not name.startswith("_")])
    print("", *table.notes, sep="\n\n")
    print(*table.exceeded, sep="\n", file=sys.stderr)
    return 1 if table.exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
