"""Measure what a user waits for after the first load: restart, refresh, ledger and reports.

Run it with ``python -m tests.benchmarks.instant [ROWS]``; it is not a test. Each line is the ratio
of two things that were measured in turns in the same run, and its goal.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
from pydantic_core import from_json, to_json

from budgetframe import BudgetFrame
from budgetframe.reports import income_expense, net_worth, spending
from budgetframe.sandbox import Sandbox

from .economy import count_requests, lists
from .frames import (
    FakeService,
    Figure,
    best,
    by_budgetframe,
    by_from_json,
    imported,
    peaks,
    read_answers,
    seconds,
    tenfold,
    transactions_answer,
)

_CHANGED_ROWS = 10
_RUNS = 5
_STARTS = 11
_NAME_LISTS = ("accounts", "categories", "payees")
_TTL = 3600.0
_FIRST_ACCOUNTS = "budgetframe; budgetframe.BudgetFrame.sandbox().accounts()"


class RecordedService(FakeService):
    """A service whose answers are bytes that another one sent, by the last segment of their path.

    Each delta of the transactions changes some rows, and each delta of the accounts changes one. A
    write is accepted, and the next delta has the rows that it would have without the write.
    """

    def __init__(self, answers: dict[str, bytes]) -> None:
        super().__init__(answers["transactions"])
        self._answers = answers
        (self._account, *_) = from_json(answers["accounts"])["data"]["accounts"]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET":
            written = from_json(request.content)["transaction"]
            return httpx.Response(200, json={"data": {"transaction": self.rows[0] | written}})
        name = request.url.path.rpartition("/")[2]
        if name not in self._answers or name == "transactions":
            return super().__call__(request)
        if "last_knowledge_of_server" not in request.url.params:
            return httpx.Response(200, content=self._answers[name])
        key = {"categories": "category_groups"}.get(name, name)
        self._account["balance"] += 10
        rows = [self._account] if name == "accounts" else []
        return httpx.Response(200, json={"data": {key: rows, "server_knowledge": 10**9}})


def recorded(sandbox: Sandbox) -> dict[str, bytes]:
    """The answers of a service with the lists that a ledger needs."""
    paths = (f"/budgets/last-used/{name}" for name in _NAME_LISTS)
    found = dict(zip(_NAME_LISTS, read_answers(sandbox, *paths), strict=True))
    return found | {"transactions": transactions_answer(sandbox)}


def shuffled(content: bytes) -> bytes:
    """The same answer with its rows in random order."""
    answer = from_json(content)
    rows = answer["data"]["transactions"]
    rows.sort(key=lambda row: row["id"][::-1])  # the ids are random
    return to_json(answer)


def restarts(sandbox: Sandbox, load: Callable[[], object]) -> Iterator[Figure]:
    """Read from a cache file with a new connection, as after a restart."""
    with tempfile.TemporaryDirectory() as folder:

        def connect() -> BudgetFrame:
            return BudgetFrame.sandbox(sandbox, ttl=_TTL, cache_dir=folder, progress=False)

        def restart(method: str) -> pd.DataFrame:
            with connect() as bf:
                frame: pd.DataFrame = getattr(bf, method)()
                return frame

        with connect() as bf:
            bf.transactions(), bf.ledger()
        (file,) = Path(folder).rglob("*.sqlite")
        print(f"the cache file has {file.stat().st_size / 1e6:.1f} MB")
        for method in ("transactions", "ledger"):
            taken, reference = best(_RUNS, partial(restart, method), load)
            yield Figure(f"restart: {method}, s", taken, "first load", reference, 0.1)
        account = next(iter(sandbox.device.state().accounts.live()))
        sandbox.device.add_transaction(
            account_id=account.id, date=sandbox.today, amount=-1_000, payee_name="Kiosk"
        )
        with BudgetFrame.sandbox(sandbox, ttl=0.0, cache_dir=folder, progress=False) as bf:
            bf.transactions()  # the changes drop the frames in the file
        taken, reference = best(1, partial(restart, "transactions"), load)
        yield Figure("the first restart after a delta, s", taken, "first load", reference, 1.1)


def with_changed_rows(answers: dict[str, bytes]) -> RecordedService:
    """A service whose deltas change ten rows."""
    service = RecordedService(answers)
    listed = from_json(answers["transactions"])["data"]["transactions"]
    rows = [row for row in listed if not row["subtransactions"]]  # parts must add up to the amount
    service.rows = rows[:: len(rows) // _CHANGED_ROWS][:_CHANGED_ROWS]
    return service


def refreshes(answers: dict[str, bytes], load: Callable[[], object]) -> Iterator[Figure]:
    """Read a ledger and its reports after a delta of ten rows."""
    bf = with_changed_rows(answers).frames(ttl=0.0)
    bf.ledger()
    taken, reference = best(_RUNS, bf.ledger, load)
    yield Figure("ledger after a delta of ten rows, s", taken, "first load", reference, 0.05)
    ledger = bf.ledger()
    for report in (net_worth, spending, income_expense):
        taken, reference = best(_RUNS, partial(report, ledger), load)
        yield Figure(f"{report.__name__} after that, s", taken, "first load", reference, 0.03)


def own_writes(answers: dict[str, bytes], load: Callable[[], object]) -> Iterator[Figure]:
    """Read a ledger after an own write, also with ten times the rows."""

    def after_a_write(answers: dict[str, bytes]) -> float:
        service = with_changed_rows(answers)
        bf = service.frames(ttl=_TTL)
        bf.ledger()
        taken = []
        for _ in range(_RUNS):
            bf.update_transaction(service.rows[0]["id"], memo="changed")
            taken.append(seconds(bf.ledger))
        return min(taken)

    few = after_a_write(answers)
    (reference,) = best(_RUNS, load)
    yield Figure("ledger after an own write, s", few, "first load", reference, 0.2)
    many = after_a_write({**answers, "transactions": tenfold(answers["transactions"])})
    yield Figure("ten times the rows, s / 10", many / 10, "ledger after an own write", few, 1.3)


def loads(content: bytes) -> Iterator[Figure]:
    """Build the frame of transactions from bytes."""
    mixed = shuffled(content)
    calls: list[Callable[[], Any]] = [
        partial(by_budgetframe, content),
        partial(by_from_json, content),
        partial(by_budgetframe, mixed),
    ]
    ordered, floor, unordered = best(_RUNS, *calls)
    yield Figure("bytes to a typed frame, s", ordered, "from_json, DataFrame", floor, 0.6)
    yield Figure("the same in random order, s", unordered, "in order of days", ordered, 1.2)
    ours, theirs = peaks(content)
    yield Figure("its peak memory, MB", ours, "that of the SDK", theirs, 0.2)


def starts() -> Iterator[Figure]:
    """Start Python."""
    modules = "pandas, httpx, pydantic"
    ours, theirs, accounts, pandas = best(
        _STARTS,
        imported("budgetframe"),
        imported(modules),
        imported(_FIRST_ACCOUNTS),
        imported("pandas"),
    )
    yield Figure("import budgetframe, s", ours, modules, theirs, 1.05)
    yield Figure("first accounts() of the sandbox, s", accounts, "import pandas", pandas, 1.5)


def figures(rows: int) -> Iterator[Figure]:
    """Measure the lines of the table one by one."""
    sandbox = Sandbox(years=10, transactions=rows, budgets=1, limit=10**6)
    answers = recorded(sandbox)
    content = answers["transactions"]
    print(f"{rows:,} transactions, {len(content) / 1e6:.0f} MB of JSON, pandas {pd.__version__}\n")
    load = partial(by_budgetframe, content)
    yield from restarts(sandbox, load)
    yield from refreshes(answers, load)
    yield from own_writes(answers, load)
    yield from loads(content)
    yield from starts()
    _, later = count_requests(lists, ttl=300.0)
    yield Figure("requests of 20 restarts, five lists each", later, "one request", 1, 15)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.instant")
    parser.add_argument("rows", type=int, nargs="?", default=100_000, help="transactions")
    for figure in figures(parser.parse_args().rows):
        print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
