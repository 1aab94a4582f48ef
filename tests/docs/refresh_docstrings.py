"""Refresh the tables of columns in the docstrings of the synchronous methods.

The docstrings in `budgetframe/_facade/methods` are written by hand. Only the lines of a table of
columns, from its heading ``column  dtype  unit  meaning`` to the next empty line, come from the
schema. Run this in the root of the repository after a change of columns; for a new table, write its
heading first::

    python -m tests.docs.refresh_docstrings
"""

import ast
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from textwrap import indent

import budgetframe
from budgetframe.frames import LEDGER, TABLES, Column, column_table
from budgetframe.frames.reconciliation import RECONCILIATION
from budgetframe.frames.schema import keys_last
from budgetframe.frames.tables import SPLIT_ROWS
from budgetframe.reports.checklist import CHECKLIST
from tests.docs.docstrings import REPORTS
from tests.reports.rows import REPORT_TYPES

COMMAND = "python -m tests.docs.refresh_docstrings"
METHODS = Path(budgetframe.__file__).parent / "_facade" / "methods"
HEADING = ["column", "dtype", "unit", "meaning"]

COLUMNS: dict[str, list[Iterable[Column]]] = {
    **{name: [table.columns] for name, table in TABLES.items()},
    "money_movements": [
        TABLES["money_movement_records"].columns,
        TABLES["money_movements"].columns,
    ],
    "money_movement_groups": [
        TABLES["money_movement_group_records"].columns,
        TABLES["money_movement_groups"].columns,
    ],
    "transactions_of_category": [SPLIT_ROWS.columns],
    "ledger": [LEDGER],
    "reconcile": [RECONCILIATION],
    "checklist": [CHECKLIST],
    # `payees` is a frame and a report.
    **{
        f"reports.{each.name}": [keys_last(each.columns)]
        for each in REPORT_TYPES
        if each.name in REPORTS
    },
}
"""The columns of each table in the docstring of a method that returns a frame or a report."""


def refreshed(source: str) -> str:
    """The source code of a module, with the present tables in the docstrings of its methods."""
    of_reports = "reports." if "Reports(" in source else ""
    lines = source.splitlines()
    found: list[tuple[int, Iterable[Column]]] = []
    for method in methods_in(source):
        if numbers := _headings(lines, method):
            found += zip(numbers, COLUMNS[of_reports + method.name], strict=True)
    for number, columns in reversed(found):
        old = len([*takewhile(str.strip, lines[number:])])
        lines[number : number + old] = indent(column_table(columns), " " * 12).splitlines()
    return "\n".join(lines) + "\n"


def methods_in(source: str) -> Iterator[ast.FunctionDef]:
    """The public methods of the classes in a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def _headings(lines: list[str], method: ast.FunctionDef) -> list[int]:
    """The numbers of the lines with the heading of a table."""
    docstring = method.body[0]
    numbers = range(docstring.lineno - 1, docstring.end_lineno or 0)
    return [number for number in numbers if lines[number].split() == HEADING]


def main() -> None:
    """Write the files whose tables have changed."""
    for path in METHODS.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        if (new := refreshed(source)) != source:
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
