"""Measure frames, each relative to other code that does nearly the same in the same run.

Run it with ``python -m tests.benchmarks.frames [ROWS]``; it is not a test. Compare the ratios: the
absolute figures depend on the machine.
"""

import argparse
import asyncio
import gc
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import httpx
import matplotlib.pyplot as plt
import pandas as pd
import polars as pl
from pydantic_core import from_json

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe.frames import TABLES, ledger
from budgetframe.reports import Report, duplicates, investments, net_worth, payees, spending
from budgetframe.sandbox import Sandbox
from tests.benchmarks import high_water
from tests.cache.computer import Kernel, Machine
from tests.reports.rows import ledger_frame, row
from tests.review.table import Table
from tests.sandbox.ask import http_client

_CHANGED_ROWS = 10
_EDITED_ROWS = 5_000
_IMPORT_RUNS = 11
_TRANSACTIONS = "/plans/last-used/transactions?since_date=1900-01-01"
_LEDGER_FRAMES = ("transactions", "subtransactions", "accounts", "categories", "payees")

OPERATIONS: dict[str, Callable[[pd.DataFrame], object]] = {
    "pickle": lambda frame: pickle.loads(pickle.dumps(frame)),  # noqa: S301 - written here
    "copy": lambda frame: frame.copy(),
    "concat": lambda frame: pd.concat([frame, frame]),
    "groupby": lambda frame: frame.groupby("account_name")["amount"].sum(),
    "head": lambda frame: frame.head(3),
}


def read_answers(sandbox: Sandbox, *paths: str) -> list[bytes]:
    """The service's answers to some reads."""

    async def read() -> list[bytes]:
        async with http_client(sandbox, timeout=600) as http:
            return [(await http.get(path)).content for path in paths]

    return asyncio.run(read())


def tenfold(content: bytes) -> bytes:
    """The same answer with ten times the rows; each row has another key."""
    rows = content[content.index(b"[") + 1 : content.rindex(b"]")]
    copies = [rows.replace(b'{"id":"', b'{"id":"%d' % copy) for copy in range(10)]
    return content.replace(rows, b",".join(copies))


class FakeService:
    """A service whose first answers are these bytes, and whose later answers are deltas.

    The `others` are lists without changes, by their names. Each delta of the transactions changes
    the `rows`, with `moves_rows` also their dates. It takes two of the rows that
    are `coming`, one to add and one to delete.
    """

    def __init__(self, content: bytes, others: dict[str, bytes] | None = None) -> None:
        self.contents = {"transactions": content, **(others or {})}
        self.unchanged: dict[str, dict[str, Any]] = {
            name: {key: [] for key in from_json(answer)["data"]} | {"server_knowledge": 10**9}
            for name, answer in (others or {}).items()
        }
        self.rows: list[dict[str, Any]] = []
        self.moves_rows = False
        self.coming: Iterator[dict[str, Any]] = iter(())
        self._deltas = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rpartition("/")[2]
        if name == "budgets":
            return httpx.Response(200, json={"data": {"budgets": [{"id": "b1", "name": "Home"}]}})
        if "last_knowledge_of_server" in request.url.params:
            return httpx.Response(200, json={"data": self.unchanged.get(name) or self._delta()})
        return httpx.Response(200, content=self.contents[name])

    def _delta(self) -> dict[str, Any]:
        self._deltas += 1
        for each in self.rows:
            each["amount"] -= 10
            each["memo"] = f"changed {self._deltas}"
            if self.moves_rows:
                each["date"] = f"2020-{self._deltas % 12 + 1:02}-17"
        new = [row | {"id": f"new-{row['id']}"} for row in islice(self.coming, 1)]
        gone = [row | {"deleted": True} for row in islice(self.coming, 1)]
        return {
            "transactions": [*self.rows[len(new) + len(gone) :], *new, *gone],
            "server_knowledge": 10**9 + self._deltas,
        }

    def frames(self, ttl: float, kernel: Kernel | None = None) -> BudgetFrame:
        """A facade whose requests this object answers, with a cache in memory or in a file."""
        http = httpx.AsyncClient(
            transport=httpx.MockTransport(self), base_url="https://service.test/v1", timeout=600
        )
        in_memory = ServiceClient(http, RateLimiter(10**6), DeltaCache())
        client = kernel.client(http) if kernel else in_memory
        return BudgetFrame(client, budget="Home", ttl=ttl, progress=False)


def by_sdk(content: bytes) -> pd.DataFrame:
    """Build a frame with the official SDK."""
    import ynab  # noqa: PLC0415 - the other measurements need no SDK

    answer = ynab.TransactionsResponse.from_json(content.decode())
    assert answer is not None
    return pd.DataFrame(answer.to_dict()["data"]["transactions"])


def by_from_json(content: bytes) -> pd.DataFrame:
    """Build an untyped frame with as little work as possible."""
    return pd.DataFrame(from_json(content)["data"]["transactions"])


def by_polars(content: bytes) -> pd.DataFrame:
    """Build a typed frame with polars and without the parts of splits."""
    columns = [each for each in TABLES["transactions"].columns if each.source != "subtransactions"]
    kinds = {"float64": pl.Int64(), "bool": pl.Boolean()}
    row = {each.source: kinds.get(each.dtype, pl.String()) for each in columns}
    rows = {"transactions": pl.List(pl.Struct({**row, "deleted": pl.Boolean}))}
    document = pl.read_json(BytesIO(content), schema={"data": pl.Struct(rows)})
    frame = document["data"].struct.field("transactions").explode().struct.unnest()
    texts = [each.source for each in columns if each.dtype == "category"]
    typed = (
        pl.col("date").str.to_date(), pl.col("amount") / 1000, pl.col(texts).cast(pl.Categorical),
    )  # fmt: skip
    current = frame.filter(~pl.col("deleted")).with_columns(*typed).sort("date", "id")
    return current.select(row.keys()).to_pandas()


def by_budgetframe(content: bytes) -> pd.DataFrame:
    """Build a typed frame from bytes, through client, cache and facade."""
    return FakeService(content).frames(ttl=300.0).transactions()


WAYS = {"sdk": by_sdk, "from_json": by_from_json, "budgetframe": by_budgetframe}


def seconds(call: Callable[[], object]) -> float:
    """Measure the CPU time of one call."""
    gc.collect()
    start = _cpu_seconds()
    call()
    return _cpu_seconds() - start


def _cpu_seconds() -> float:
    """The CPU time of this process and of its children, which noise changes least."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def medians(times: int, *calls: Callable[[], object]) -> list[float]:
    """The median time of each call, measured in turns."""
    runs = [[seconds(call) for call in calls] for _ in range(times)]
    return [median(run) for run in zip(*runs, strict=True)]


def peaks(content: bytes) -> list[float]:
    """Peak memory of this package's way to build a frame and of the SDK's way, in megabytes.

    Each one is measured in a new process.
    """
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        command = [sys.executable, "-m", "tests.benchmarks.frames", "--peak"]
        ran = [
            subprocess.run([*command, way, file.name], check=True, stdout=subprocess.PIPE)  # noqa: S603
            for way in ("budgetframe", "sdk")
        ]
    return [float(each.stdout) for each in ran]


def measured_peak(way: str, place: Path) -> float:
    """The increase of this process's peak memory while it builds the frame, in megabytes."""
    content = place.read_bytes()
    first_row = content[: content.index(b'},{"id":') + 1]
    WAYS[way](first_row + b'],"server_knowledge":1}}')  # imports all modules first
    before = high_water()
    frame = WAYS[way](content)
    assert len(frame) > 1
    return high_water() - before


def python(*arguments: str) -> Callable[[], object]:
    """A function that runs Python in a new process; the modules are compiled already."""
    command = [sys.executable, *arguments]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    run = partial(subprocess.run, command, check=False, env=environment, capture_output=True)
    run()
    return run


class Figure(NamedTuple):
    """One line of the table: two amounts with the same unit, and the largest good ratio."""

    name: str
    amount: float
    reference: str
    reference_amount: float
    most: float

    def __str__(self) -> str:
        ratio = self.amount / self.reference_amount
        verdict = "ok" if ratio <= self.most else "MORE"
        return (
            f"{self.name:42} {self.amount:10.4f}"
            f"   {self.reference:34} {self.reference_amount:10.4f}"
            f" {ratio:7.3f} {self.most:6.2f}  {verdict}"
        )


REPORTS: dict[Callable[..., Report], float] = {
    net_worth: 0.2, spending: 0.2, payees: 0.1, duplicates: 0.1, investments: 0.1,
}  # fmt: skip
"""The most that a report may take of the time from the bytes to the frame."""


Relative = Callable[[str, float, Callable[[], object]], Figure]
"""The name, the largest good ratio and a call, which is measured relative to the first line."""


def figures(rows: int, *, also_tenfold: bool) -> Iterator[Figure]:
    """Measure the lines of the table one by one."""
    sandbox = Sandbox(years=10, transactions=rows, budgets=1, limit=10**6)
    names = ("accounts", "categories", "payees")
    content, *others = read_answers(
        sandbox, _TRANSACTIONS, *(f"/plans/last-used/{name}" for name in names)
    )
    print(f"{rows:,} transactions, {len(content) / 1e6:.0f} MB of JSON, pandas {pd.__version__}\n")
    yield from loads(content)

    def relative_to_load(name: str, most: float, call: Callable[[], object]) -> Figure:
        taken, load = medians(5, call, lambda: by_budgetframe(content))
        return Figure(f"{name}, s", taken, "bytes to typed frame", load, most)

    service = FakeService(content, dict(zip(names, others, strict=True)))
    yield from refreshes(service, relative_to_load)
    bf = BudgetFrame.sandbox(sandbox, ttl=3600.0, progress=False)
    yield from repeats(service.frames(ttl=3600.0), bf)
    yield from reports(bf, relative_to_load)
    yield from commands()
    if also_tenfold:
        large = tenfold(content)
        tenth, load = medians(2, lambda: by_budgetframe(large), lambda: by_budgetframe(content))
        yield Figure("ten times the rows, s / 10", tenth / 10, "bytes to typed frame", load, 1.3)


def loads(content: bytes) -> Iterator[Figure]:
    """Measure the first frame from the bytes of an answer, and what it needs of memory."""
    ways = (by_budgetframe, by_from_json, by_polars, by_sdk)
    by_budgetframe(content)  # imports all modules first
    load, floor, polars, sdk = medians(3, *(partial(way, content) for way in ways))
    yield Figure("bytes to typed frame, s", load, "from_json, DataFrame", floor, 0.65)
    yield Figure("bytes to typed frame, s", load, "polars, to_pandas", polars, 1.0)
    yield Figure("bytes to typed frame, s", load, "the SDK, to_dict, DataFrame", sdk, 0.2)
    ours, theirs = peaks(content)
    yield Figure("its peak memory, MB", ours, "that of the SDK's way", theirs, 0.28)


def refreshes(service: FakeService, relative_to_load: Relative) -> Iterator[Figure]:
    """Measure frames after edits: of the same process, and of the next one."""
    rows = from_json(service.contents["transactions"])["data"]["transactions"]
    service.rows = rows[:: len(rows) // _CHANGED_ROWS][:_CHANGED_ROWS]
    refreshed, with_ledger = service.frames(ttl=0.0), service.frames(ttl=0.0)
    refreshed.transactions()
    edited = f"{_CHANGED_ROWS} rows edited"
    yield relative_to_load(f"refresh with {edited}", 0.03, refreshed.transactions)
    with_ledger.ledger()
    yield relative_to_load(f"ledger with {edited}", 0.05, with_ledger.ledger)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        bf = service.frames(1.0, machine.kernel())
        bf.ledger()
        machine.pass_time(1.0)
        bf.ledger()

        def restarted() -> pd.DataFrame:
            return service.frames(1.0, machine.kernel()).ledger()

        yield relative_to_load("ledger of the next process", 0.3, restarted)
    service.coming = iter(rows[5:500:3])
    yield relative_to_load("one of them new, one deleted", 0.03, refreshed.transactions)
    service.coming, service.moves_rows = iter(()), True
    yield relative_to_load("all of them moved to other days", 0.03, refreshed.transactions)


def repeats(again: BudgetFrame, bf: BudgetFrame) -> Iterator[Figure]:
    """Measure what is already there: frames within the ttl, and operations of pandas on them."""
    frame = again.transactions()
    bf.ledger()
    for name, calls in (("call", [again.transactions] * 100), ("ledger", [bf.ledger] * 100)):
        (repeats,) = medians(9, partial(run_all, calls))
        yield Figure(f"the same {name} 100 times, s", repeats, "100 milliseconds", 0.1, 1.0)
    plain = pd.DataFrame(frame)  # without attrs
    for name, operation in OPERATIONS.items():
        ours, theirs = medians(15, partial(operation, frame), partial(operation, plain))
        yield Figure(f"{name} of a frame, s", ours, "of the frame without attrs", theirs, 1.1)


def reports(bf: BudgetFrame, relative_to_load: Relative) -> Iterator[Figure]:
    """Measure what is calculated from frames: ledger, reports, statement, review and plot."""
    frames = [getattr(bf, name)() for name in _LEDGER_FRAMES]
    yield relative_to_load("ledger from loaded frames", 0.5, lambda: ledger(*frames))
    of_all = bf.ledger()
    for report, most in REPORTS.items():
        of = frames[0] if report is duplicates else of_all
        yield relative_to_load(f"{report.__name__} of all rows", most, partial(report, of))
    cleared = bf.accounts().set_index("account_name")["cleared_balance"]["Checking"]
    for name, of_budget in {
        "statement and its sets": lambda: (
            bf.statement("Checking", cleared - 123.45, "2026-06-17").explanations
        ),
        "targets": bf.reports.targets,
        "cards": bf.reports.cards,
    }.items():
        yield relative_to_load(name, 0.1, of_budget)
    (taken,) = medians(9, partial(next, edits(bf, _EDITED_ROWS)))
    yield Figure(f"one more edit of {_EDITED_ROWS:,} in a review, s", taken, "a second", 1.0, 0.1)
    many, few = spending_of_many_and_few_categories()
    taken, reference = medians(3, partial(many.plot, kind="line"), partial(few.plot, kind="line"))
    yield Figure("plot of 10,000 categories, s", taken, "plot of two", reference, 8.0)
    plt.close("all")


def commands() -> Iterator[Figure]:
    """Measure whole programs that import the package or show its help."""
    command, public = ("-m", "budgetframe"), ("-c", "from budgetframe import BudgetFrame")
    for arguments, modules, most in (
        (public, "pandas, httpx, pydantic", 1.1), ((*command, "--help"), "pandas", 0.4),
        ((*command, "demo", "--help"), "pandas", 0.4), ((*command, "demmo"), "pandas", 0.4),
    ):  # fmt: skip
        ours, theirs = medians(_IMPORT_RUNS, python(*arguments), python("-c", f"import {modules}"))
        yield Figure(f"python {' '.join(arguments)}, s", ours, f"import {modules}", theirs, most)


def edits(bf: BudgetFrame, rows: int) -> Iterator[None]:
    """Edit many rows in the table of a review, and then one row more each time."""
    table = Table(bf.review(bf.ledger().tail(rows)))
    free = [number for number, row in table.rows.items() if "memo" not in row["fixed"]]
    table.edit("memo", "one", *free)
    for number in free:
        table.edit("memo", "another", number)
        yield


def run_all(calls: Sequence[Callable[[], object]]) -> None:
    """Call each function."""
    for call in calls:
        call()


def spending_of_many_and_few_categories() -> tuple[Report, Report]:
    """The spending of 42 months in 10,000 categories, and in two of them."""
    categories = tuple((f"Group {n // 50}", f"c{n}", f"Category {n}") for n in range(10_000))
    rows = [row("2023-01-01", -1.0, key) for _, key, _ in categories]
    many = spending(
        ledger_frame(*rows, row("2026-06-01", -5.0, "c1"), categories=categories), freq="month"
    )
    return many, Report(many[many["category_name"].isin(["Category 1", "Category 2"])])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.frames")
    parser.add_argument("rows", type=int, nargs="?", default=100_000, help="transactions")
    parser.add_argument("--no-tenfold", action="store_true", help="leave out ten times the rows")
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peak:
        way, place = chosen.peak
        print(measured_peak(way, Path(place)))
        return 0
    missed = False
    for figure in figures(chosen.rows, also_tenfold=not chosen.no_tenfold):
        print(figure, flush=True)
        missed |= figure.amount > figure.most * figure.reference_amount
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
