"""Count the requests of some notebooks on the embedded service, with a budget of ten years.

Run it with ``python -m tests.benchmarks.economy``; it is not a test.
"""

import sys
import tempfile
from collections.abc import Callable

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox
from tests.clock import Clock

YEARS = 10
RESTARTS = 20
_SECONDS_BETWEEN = 180.0  # twenty restarts in an hour


def export(bf: BudgetFrame) -> None:
    """The whole export, and then each list of it as a frame."""
    bf.export()
    for read in (bf.accounts, bf.categories, bf.payees, bf.payee_locations, bf.months):
        read()
    for read in (bf.transactions, bf.subtransactions):
        read()
    for read in (bf.scheduled_transactions, bf.scheduled_subtransactions):
        read()


def everything(bf: BudgetFrame) -> None:
    """The lists of the export, and those that the export does not contain."""
    export(bf)
    bf.money_movements()
    bf.money_movement_groups()
    bf.settings()
    bf.user()


def lists(bf: BudgetFrame) -> None:
    """Five lists, each with its own request."""
    for read in (bf.accounts, bf.categories, bf.payees, bf.months, bf.transactions):
        read()


def month_categories(bf: BudgetFrame) -> None:
    """A table of months by categories for all years."""
    bf.month_categories().pivot(index="month", columns="category_id", values="activity")


NOTEBOOKS: dict[str, tuple[Callable[[BudgetFrame], None], float]] = {
    "export, then all its lists, ttl=300": (export, 300.0),
    "everything there is, ttl=300": (everything, 300.0),
    "everything there is, ttl=3600": (everything, 3600.0),
    "five lists without the export, ttl=300": (lists, 300.0),
    "month by category, all years, ttl=300": (month_categories, 300.0),
}


def count_requests(notebook: Callable[[BudgetFrame], None], ttl: float) -> tuple[int, int]:
    """Count the requests of the first run, and of 20 restarts in the hour after it."""
    clock = Clock()
    service = Sandbox(years=YEARS, budgets=1, clock=clock, limit=10_000)
    with tempfile.TemporaryDirectory() as folder:

        def run() -> None:
            with BudgetFrame.sandbox(service, ttl=ttl, cache_dir=folder) as bf:
                notebook(bf)

        run()
        first = service.requests_served
        for _ in range(RESTARTS):
            clock.advance(_SECONDS_BETWEEN)
            run()
        return first, service.requests_served - first


def main() -> int:
    """Print the table."""
    print(f"{YEARS} years of a budget, requests:\n")
    print(f"| notebook | first run | {RESTARTS} restarts in the hour after it |\n|---|---:|---:|")
    for name, (notebook, ttl) in NOTEBOOKS.items():
        first, later = count_requests(notebook, ttl)
        print(f"| {name} | {first} | {later} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
