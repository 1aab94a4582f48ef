"""Count functions, frames, imports and SQLite transactions behind a cell of a notebook.

Run it with ``python -m tests.benchmarks.layers``; it is not a test. The column "goal" is the
largest count that is still good. Code of the embedded service (``budgetframe/sandbox``) does not
count. This program uses only the public API and the paths of the source files, so that it also runs
on older versions.
"""

from __future__ import annotations

import ast
import sqlite3
import sys
import tempfile
import threading
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
_SANDBOX = PACKAGE / "sandbox"
MAX_IMPORT_DEPTH = 12
MAX_ROOT_FILES = 7
MAX_FIRST_READ = 60
MAX_WARM_CELL = 20
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


def _module_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that an import runs: not those in functions and ``if TYPE_CHECKING``."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _module_level(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef):
            for block in ("body", "orelse", "finalbody"):
                yield from _module_level(getattr(node, block, []))
        else:
            yield node


def import_graph() -> dict[str, set[str]]:
    """The modules of the package that each module imports when it is imported itself."""
    paths = [path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(_SANDBOX)]
    modules = {_module_name(path): path for path in paths}
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        parent = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in _module_level(ast.parse(path.read_text()).body):
            imported: list[str] = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = ".".join(parent.split(".")[: len(parent.split(".")) - node.level + 1])
                base = f"{base}.{node.module}".strip(".") if node.module else base
                base = base if node.level else node.module or ""
                names = [f"{base}.{alias.name}" for alias in node.names]
                imported = [each if each in modules else base for each in names]
            graph[name] |= {each for each in imported if each in modules and each != name}
    return graph


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """The longest chain of modules in which each one imports the next one.

    Raises
    ------
    ValueError
        If modules import each other in a circle.
    """
    chains: dict[str, list[str]] = {}

    def chain(module: str, importers: tuple[str, ...]) -> list[str]:
        if module in importers:
            raise ValueError(f"import cycle: {' > '.join((*importers, module))}")
        if module not in chains:
            below = [chain(each, (*importers, module)) for each in sorted(graph[module])]
            chains[module] = [module, *max(below, key=len, default=[])]
        return chains[module]

    return max((chain(module, ()) for module in sorted(graph)), key=len)


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


def _line(name: str, count: int, most: int | None = None) -> None:
    goal = "" if most is None else f"{most:6}  {'ok' if count <= most else 'MORE'}"
    print(f"{name:58} {count:6} {goal}", flush=True)


def count_functions(profile: Profile, place: str, connect: Callable[[], BudgetFrame]) -> None:
    """Count the functions of a first read and of a warm cell."""
    connect().accounts()  # modules that are imported when they are used must not count
    with connect() as bf:
        for cell, most in (("first accounts()", MAX_FIRST_READ), ("again", MAX_WARM_CELL)):
            with profile.recording() as recorded:
                bf.accounts()
            _line(f"{place}, {cell}: functions", len(recorded.functions), most)
            _line(f"{place}, {cell}: files", recorded.files)
            _line(f"{place}, {cell}: deepest nesting of our frames", recorded.depth)


def count_transactions(statements: Statements, bf: BudgetFrame) -> None:
    """Count the transactions of warm cells and of a write."""
    account_id = str(bf.accounts()["account_id"].iloc[0])
    row = {"account_id": account_id, "date": "2026-01-02", "amount": -1.5}
    cells: tuple[tuple[str, Callable[[], object], int | None], ...] = (
        ("accounts() warm", bf.accounts, 0),
        ("transactions() warm", bf.transactions, 0),
        ("ledger() warm", bf.ledger, 0),
        ("create_transactions()", lambda: bf.create_transactions([row]), None),
    )
    for name, cell, most in cells:
        if most is not None:
            cell()
        statements.clear()
        cell()
        _line(f"{name}: SQLite transactions", statements.transactions)
        _line(f"{name}: of these with the write lock", statements.write_locks, most)


def main() -> int:
    """Print the table."""
    print(f"{'':58} {'count':>6}   goal")
    chain = longest_chain(import_graph())
    root = [path for path in PACKAGE.iterdir() if path.is_file()]
    _line("import depth, in modules", len(chain), MAX_IMPORT_DEPTH)
    _line("files in the package root", len(root), MAX_ROOT_FILES)
    statements, profile = Statements(), Profile()
    sqlite3.connect = statements.connect  # type: ignore[assignment]
    profile.install()
    service = Sandbox(years=1, budgets=1, limit=10_000)
    with tempfile.TemporaryDirectory() as folder:
        folders = (Path(folder, str(number)) for number in range(3))
        count_functions(profile, "in memory", lambda: BudgetFrame.sandbox(service))
        count_functions(
            profile,
            "cache file",
            lambda: BudgetFrame.sandbox(service, cache_dir=next(folders)),
        )
        with BudgetFrame.sandbox(service, cache_dir=next(folders)) as bf:
            count_transactions(statements, bf)
    print(f"\nthe longest chain of imports: {' > '.join(chain)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
