"""Measure what an imported row costs: bytes in the journal, and seconds of the processor.

Run it with ``python -m tests.benchmarks.changes [ROWS ROWS]``; it is not a test. Compare the last
column: the ratio is that of a row of the larger file to a row of the smaller one, so that 1.0 means
that the cost is linear. The embedded service runs in the same process and is included.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from itertools import count
from pathlib import Path

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox

ROWS = (1_000, 4_000)
_DAYS = 700
_SECONDS = 10.0  # between two looks at the clock, so that the limit is never reached
Costs = dict[str, float]
"""The costs of a row, by what they are."""


def bank_rows(rows: int) -> pd.DataFrame:
    """A file of a bank with rows that no account has."""
    rng = random.Random(1)  # noqa: S311 - for measurements
    last = date(2026, 6, 1)
    return pd.DataFrame(
        {
            "date": [last - timedelta(rng.randrange(_DAYS)) for _ in range(rows)],
            "amount": [-(100_000 + number) / 100 for number in range(rows)],
            "payee_name": [f"Shop {rng.randrange(40)}" for _ in range(rows)],
            "memo": [f"card payment {number}" for number in range(rows)],
        }
    )


def costs(rows: int, folder: Path) -> Costs:
    """Import a file, import it once more, and reverse the first import."""
    found: Costs = {}

    @contextmanager
    def measured(name: str) -> Iterator[None]:
        size, start = sum(map(_size, folder.rglob("*.journal"))), time.process_time()
        yield
        seconds = time.process_time() - start
        found[f"{name}: milliseconds"] = 1000 * seconds / rows
        written = sum(map(_size, folder.rglob("*.journal"))) - size
        if written:
            found[f"{name}: bytes"] = written / rows

    seconds = count(step=_SECONDS)
    sandbox, file = Sandbox(years=1, clock=lambda: next(seconds)), bank_rows(rows)
    with BudgetFrame.sandbox(sandbox, cache_dir=folder, progress=False) as bf:
        with measured("import_rows"):
            imported = bf.import_rows(file, account="Checking")
        with measured("apply"):
            imported.apply()
        with measured("import_rows again"):
            again = bf.import_rows(file, account="Checking")
        with measured("undo"):
            reverse = imported.undo()
        with measured("undo, apply"):
            reverse.apply()
        if (len(imported), len(again), reverse.counts["done"]) != (rows, 0, rows):
            message = "the rows were not imported once and removed again"
            raise RuntimeError(message)
    return found


def _size(path: Path) -> int:
    return path.stat().st_size


def main() -> int:
    """Print each cost of a row, and the ratio."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.changes")
    parser.add_argument("rows", nargs="*", type=int, default=ROWS, help="two numbers of rows")
    few, many = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        run: Callable[[int], Costs] = lambda rows: costs(rows, Path(folder, str(rows)))  # noqa: E731
        run(few // 10)  # imports modules
        of_few, of_many = run(few), run(many)
    print(f"{'of a row':32}{few:>10,}{many:>10,}     ratio")
    for name, value in of_few.items():
        print(f"{name:32}{value:10.2f}{of_many[name]:10.2f}{of_many[name] / value:10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
