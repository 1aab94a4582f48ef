"""How long frames take, each beside something else that does nearly the same, in one run.

Run it with ``python -m tests.benchmarks.frames [ROWS]``; it is no test. Compare the ratios: the
other figures depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pandas as pd
from pydantic_core import from_json

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe.frames import ledger
from budgetframe.reports import net_worth, spending
from budgetframe.sandbox import Sandbox

_CHANGED = 10
_IMPORTS = 11
LEDGER_OF = ("transactions", "subtransactions", "accounts", "categories", "payees")


def answer(sandbox: Sandbox) -> bytes:
    """The service's own answer with all transactions, of which five in a hundred are split."""
    headers = {"Authorization": f"Bearer {sandbox.token}"}

    async def read() -> bytes:
        async with httpx.AsyncClient(
            transport=sandbox.transport(), base_url=sandbox.base_url, headers=headers, timeout=600
        ) as http:
            everything = {"since_date": "1900-01-01"}
            response = await http.get("/plans/last-used/transactions", params=everything)
            return response.content

    return asyncio.run(read())


def tenfold(content: bytes) -> bytes:
    """Ten times the rows, with keys of their own."""
    rows = content[content.index(b"[") + 1 : content.rindex(b"]")]
    copies = [rows.replace(b'{"id":"', b'{"id":"%d' % copy) for copy in range(10)]
    return content.replace(rows, b",".join(copies))


class Wire:
    """Answers with these bytes, and afterwards with deltas: rows that changed, came and went."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.rows: list[dict[str, Any]] = []
        self.moves = False
        self.coming: Iterator[dict[str, Any]] = iter(())
        self._asked = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/budgets"):
            return httpx.Response(200, json={"data": {"budgets": [{"id": "b1", "name": "Home"}]}})
        if "last_knowledge_of_server" in request.url.params:
            return httpx.Response(200, json={"data": self._delta()})
        return httpx.Response(200, content=self.content)

    def _delta(self) -> dict[str, Any]:
        self._asked += 1
        for row in self.rows:
            row["amount"] -= 10
            row["memo"] = f"changed {self._asked}"
            if self.moves:
                row["date"] = f"2020-{self._asked % 12 + 1:02}-17"
        new = [row | {"id": f"new-{row['id']}"} for row in islice(self.coming, 1)]
        gone = [row | {"deleted": True} for row in islice(self.coming, 1)]
        return {
            "transactions": [*self.rows[len(new) + len(gone) :], *new, *gone],
            "server_knowledge": 10**9 + self._asked,
        }

    def frames(self, ttl: float) -> BudgetFrame:
        """A facade whose requests come here."""
        http = httpx.AsyncClient(
            transport=httpx.MockTransport(self), base_url="https://service.test/v1", timeout=600
        )
        client = ServiceClient(http, RateLimiter(10**6), DeltaCache())
        return BudgetFrame(client, budget="Home", ttl=ttl, progress=False)


def by_sdk(content: bytes) -> pd.DataFrame:
    """As one does it with the official SDK."""
    import ynab  # noqa: PLC0415 - only who asks for this pays for it

    answer = ynab.TransactionsResponse.from_json(content.decode())
    assert answer is not None
    return pd.DataFrame(answer.to_dict()["data"]["transactions"])


def by_floor(content: bytes) -> pd.DataFrame:
    """The least that gives a frame of some kind."""
    return pd.DataFrame(from_json(content)["data"]["transactions"])


def by_budgetframe(content: bytes) -> pd.DataFrame:
    """From bytes that arrive to a typed frame, through client, cache and facade."""
    return Wire(content).frames(ttl=300.0).transactions()


WAYS = {"sdk": by_sdk, "floor": by_floor, "budgetframe": by_budgetframe}


def seconds(call: Callable[[], object]) -> float:
    """What one call takes."""
    gc.collect()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def best(times: int, *calls: Callable[[], object]) -> list[float]:
    """The least of some runs of each, taken in turns."""
    runs = [[seconds(call) for call in calls] for _ in range(times)]
    return [min(run) for run in zip(*runs, strict=True)]


def peak(way: str, place: Path) -> float:
    """Megabytes that a way takes at most, in a process of its own, beside what it began with."""
    command = [sys.executable, "-m", "tests.benchmarks.frames", "--peak", way, str(place)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def measured_peak(way: str, place: Path) -> float:
    """The same, in that process."""
    content = place.read_bytes()
    first_row = content[: content.index(b'},{"id":') + 1]
    WAYS[way](first_row + b'],"server_knowledge":1}}')  # so that all is imported
    before = _high_water()
    frame = WAYS[way](content)
    assert len(frame) > 1
    return _high_water() - before


def _high_water() -> float:
    """Megabytes of this process, at most; what `resource` says begins with the parent's."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024


def imported(what: str) -> Callable[[], object]:
    """Importing something in a process of its own, compiled before."""
    command = [sys.executable, "-c", f"import {what}"]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(command, check=True, env=environment)  # noqa: S603
    return lambda: subprocess.run(command, check=True, env=environment)  # noqa: S603


class Figure(NamedTuple):
    """One line of the table: two amounts of the same unit, and what their ratio may be."""

    what: str
    amount: float
    beside: str
    against: float
    most: float

    def __str__(self) -> str:
        ratio = self.amount / self.against
        verdict = "ok" if ratio <= self.most else "MORE"
        return (
            f"{self.what:38} {self.amount:10.4f}   {self.beside:34} {self.against:10.4f}"
            f" {ratio:7.3f} {self.most:6.2f}  {verdict}"
        )


def figures(rows: int, *, also_tenfold: bool) -> Iterator[Figure]:
    """Every line of the table."""
    sandbox = Sandbox(years=10, transactions=rows, budgets=1, limit=10**6)
    content = answer(sandbox)
    print(f"{rows:,} transactions, {len(content) / 1e6:.0f} MB of JSON, pandas {pd.__version__}\n")
    sdk, floor, load = best(
        3, lambda: by_sdk(content), lambda: by_floor(content), lambda: by_budgetframe(content)
    )
    yield Figure("bytes to typed frame, s", load, "the SDK, to_dict, DataFrame", sdk, 0.2)
    yield Figure("bytes to typed frame, s", load, "from_json, DataFrame", floor, 1.5)
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        peaks = [peak(way, Path(file.name)) for way in ("budgetframe", "sdk")]
    yield Figure("its peak memory, MB", peaks[0], "that of the SDK's way", peaks[1], 0.5)

    def beside_load(what: str, most: float, call: Callable[[], object]) -> Figure:
        taken, load = best(5, call, lambda: by_budgetframe(content))
        return Figure(f"{what}, s", taken, "bytes to typed frame", load, most)

    wire = Wire(content)
    fresh, again = wire.frames(ttl=0.0), wire.frames(ttl=3600.0)
    for bf in (fresh, again):
        bf.transactions()
    rows_there = from_json(content)["data"]["transactions"]
    wire.rows = rows_there[:: len(rows_there) // _CHANGED][:_CHANGED]
    yield beside_load(f"refresh with {_CHANGED} rows edited", 0.03, fresh.transactions)
    wire.coming = iter(rows_there[5:500:3])
    yield beside_load("one of them new, one deleted", 0.03, fresh.transactions)
    wire.coming, wire.moves = iter(()), True
    yield beside_load("all of them on other days", 0.03, fresh.transactions)
    bf = BudgetFrame.sandbox(sandbox, ttl=3600.0, progress=False)
    bf.ledger()
    for what, call in (("call", again.transactions), ("ledger", bf.ledger)):
        (repeat,) = best(9, call)
        yield Figure(f"the same {what} within the ttl, s", repeat, "a millisecond", 0.001, 1.0)
    frames = [getattr(bf, name)() for name in LEDGER_OF]
    yield beside_load("ledger from loaded frames", 0.5, lambda: ledger(*frames))
    booked = bf.ledger()
    for report in (net_worth, spending):
        yield beside_load(f"{report.__name__} of the ledger", 0.2, partial(report, booked))
    ours, theirs = best(_IMPORTS, imported("budgetframe"), imported("pandas, httpx, pydantic"))
    yield Figure("import budgetframe, s", ours, "pandas, httpx, pydantic", theirs, 1.15)
    if also_tenfold:
        large = tenfold(content)
        tenth, load = best(2, lambda: by_budgetframe(large), lambda: by_budgetframe(content))
        yield Figure("ten times the rows, s / 10", tenth / 10, "bytes to typed frame", load, 1.3)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.frames")
    parser.add_argument("rows", type=int, nargs="?", default=100_000, help="transactions")
    parser.add_argument("--no-tenfold", action="store_true", help="without ten times as many")
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peak:
        way, place = chosen.peak
        print(measured_peak(way, Path(place)))
        return 0
    missed = False
    for figure in figures(chosen.rows, also_tenfold=not chosen.no_tenfold):
        print(figure, flush=True)
        missed |= figure.amount > figure.most * figure.against
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
