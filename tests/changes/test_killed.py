"""Processes that are killed while they apply, continue or reverse changes: others continue.

``BUDGETFRAME_KILLS`` sets the number of processes.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox, serve
from tests.sandbox.audit import check_books
from tests.stateful.content import Content, content_of

KILLS = int(os.environ.get("BUDGETFRAME_KILLS", "3"))
TOKEN = "a-token-of-this-test"

PROGRAM = """
import json, sys
import pandas as pd
from budgetframe import BudgetFrame

address, folder, task, chosen = sys.argv[1:]
chosen = json.loads(chosen)
bf = BudgetFrame.connect("a-token-of-this-test", budget="Household", base_url=address,
                         cache_dir=folder, progress=False)

def rows_of(frame, column, name):
    return frame[frame[column].isin(chosen[name])]

def with_new(frame, edited, row, count):
    edited = pd.concat([edited, pd.DataFrame([row] * count)])
    edited.attrs = frame.attrs
    return edited

def transactions():
    rows = bf.transactions()
    edited = rows_of(rows, "transaction_id", "updated").assign(memo="mine")
    new = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet", "memo": "mine"}
    return bf.changes(with_new(rows, edited, new, 60), delete=chosen["deleted"])

def schedules():
    rows = bf.scheduled_transactions()
    edited = rows_of(rows, "scheduled_transaction_id", "schedules").assign(memo="mine")
    new = {"date_next": "2026-07-16", "amount": -4.5, "account_name": "Wallet", "memo": "mine",
           "frequency": "monthly"}
    deleted = pd.Series(chosen["deleted_schedules"], name="scheduled_transaction_id")
    return bf.changes(with_new(rows, edited, new, 3), delete=deleted)

def categories():
    edited = rows_of(bf.categories(), "category_id", "categories")
    return bf.changes(edited.assign(note="mine", budgeted=edited["budgeted"] + 1))

print("begin", flush=True)
if task == "apply":
    for compare in (transactions, schedules, categories):
        compare().apply()
elif task == "resume":
    if bf.journal().frame["left"].any():
        bf.journal().resume()
else:
    for number in reversed(range(int(task))):
        bf.journal().undo(number).apply()
print("end", flush=True)
"""
"""Applies three plans with all kinds of changes, continues them, or reverses the first ones."""


def chosen_rows(content: Content) -> dict[str, list[str]]:
    """The keys of the rows that the program changes and deletes."""
    plain: dict[str, list[str]] = {}
    for (resource, key), row in content.items():
        if not row.get("subtransactions") and not any(row.get("sides", ())):
            plain.setdefault(resource, []).append(key)
    names = {key: row["name"] for (resource, key), row in content.items() if "name" in row}
    ordinary = ["Groceries", "Rent", "Fuel", "Sport"]
    return {
        "updated": plain["transactions"][:110],
        "deleted": plain["transactions"][110:116],
        "schedules": plain["scheduled_transactions"][:3],
        "deleted_schedules": plain["scheduled_transactions"][3:5],
        "categories": [key for key in plain["categories"] if names[key] in ordinary],
    }


def lines(content: Content) -> Counter[str]:
    """The rows without their keys and without what a restored row does not have."""
    lost = {"import_id", "import_payee_name", "sides"}
    return Counter(
        line(resource, {name: value for name, value in row.items() if name not in lost})
        for (resource, _), row in content.items()
    )


def line(resource: str, row: Mapping[str, Any]) -> str:
    return f"{resource} {json.dumps(row, sort_keys=True)}"


def expected(content: Content, chosen: Mapping[str, list[str]], plans: int) -> Counter[str]:
    """The lines after the first plans."""
    rows = {place: dict(row) for place, row in content.items()}
    new: list[tuple[str, dict[str, Any]]] = []
    names = {(name, row.get("name")): key for (name, key), row in rows.items()}
    wallet = names["accounts", "Wallet"]
    common = {"amount": -4500, "account_id": wallet, "payee_id": None, "category_id": None,
              "memo": "mine", "flag_color": None, "subtransactions": []}  # fmt: skip
    if plans > 0:
        for key in chosen["updated"]:
            rows["transactions", key]["memo"] = "mine"
        for key in chosen["deleted"]:
            del rows["transactions", key]
        row = {**common, "date": "2026-06-16", "cleared": "uncleared", "approved": False}
        new += [("transactions", row)] * 60
    if plans > 1:
        for key in chosen["schedules"]:
            rows["scheduled_transactions", key]["memo"] = "mine"
        for key in chosen["deleted_schedules"]:
            del rows["scheduled_transactions", key]
        row = {**common, "date": "2026-07-16", "frequency": "monthly"}
        new += [("scheduled_transactions", row)] * 3
    if plans > 2:
        for key in chosen["categories"]:
            rows["categories", key]["note"] = "mine"
            amount = rows.setdefault(("month_categories", f"2026-06-01 {key}"), {"budgeted": 0})
            amount["budgeted"] += 1000
    return lines(rows) + Counter(line(name, row) for name, row in new)


class Kills:
    """Starts and kills processes, whose program changes the rows with the `chosen` keys."""

    count = 0
    killed: ClassVar[Counter[str]] = Counter()
    """The number of processes that were killed, by their task."""
    seconds: ClassVar[dict[str, float]] = {}
    """How long a task takes, measured when a process ends by itself."""

    def __init__(self, address: str, folder: Path, chosen: Mapping[str, list[str]]) -> None:
        self.address, self.folder, self.chosen = address, folder, chosen

    def run(self, rng: random.Random, task: str) -> None:
        """Run a task in a process, and kill the process at a random moment."""
        Kills.count += 1
        name = task if task.isalpha() else "undo"
        process = subprocess.Popen(  # noqa: S603 - this interpreter, a constant program
            [sys.executable, "-c", PROGRAM, self.address, str(self.folder), task,
             json.dumps(self.chosen)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.getcwd()},  # noqa: PTH109
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        start = time.monotonic()
        try:
            process.wait(rng.random() * Kills.seconds.get(name, 0.5))
            Kills.seconds[name] = time.monotonic() - start
            assert process.returncode == 0
        except subprocess.TimeoutExpired:
            process.kill()
            Kills.killed[name] += 1
        process.communicate()

    def connect(self) -> BudgetFrame:
        """A connection of this process to the journal."""
        bf = BudgetFrame.connect(
            TOKEN, budget="Household", base_url=self.address, cache_dir=self.folder, progress=False
        )
        limiter = bf._session.reads.client.guard.limiter
        limiter.threshold = 10**6  # type: ignore[attr-defined] # more requests than in an hour
        return bf

    def resume(self) -> None:
        """Continue what is interrupted, with two connections at the same time."""
        both = [self.connect(), self.connect()]
        if both[0].journal().frame["left"].any():
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(resume, both))
        assert not both[0].journal().frame["left"].any()
        for bf in both:
            bf.close()


def resume(bf: BudgetFrame) -> None:
    """Continue what is interrupted, unless the other connection does so."""
    try:
        bf.journal().resume()
    except ToolError as error:
        if not str(error).startswith(("changes are being applied", "no application of changes")):
            raise


@pytest.mark.slow  # each case starts three processes
def test_another_process_finishes_changes_once(tmp_path: Path, subtests: pytest.Subtests) -> None:
    rng = random.Random(1)  # noqa: S311 - for tests
    sandbox = Sandbox(years=1, token=TOKEN, limit=10**6)
    budget = sandbox.device.state()
    with serve(sandbox) as address:
        number = 0
        while Kills.count < KILLS:
            number += 1
            before = content_of(budget)
            chosen = chosen_rows(before)
            kills = Kills(address, tmp_path / str(number), chosen)
            with subtests.test(number=number):
                kills.run(rng, "apply")
                kills.run(rng, "resume")
                kills.resume()
                bf = kills.connect()
                plans = len(bf.journal())
                assert lines(content_of(budget)) == expected(before, chosen, plans)
                kills.run(rng, str(plans))
                kills.resume()
                undone = bf.journal().frame["undoes"].dropna()
                for plan in sorted(set(range(plans)) - set(undone), reverse=True):
                    bf.journal().undo(plan).apply()
                assert len(bf.journal()) == 2 * plans
                assert lines(content_of(budget)) == lines(before)
                bf.close()
        check_books(sandbox)
    print(f"{sum(Kills.killed.values())} of {Kills.count} processes were killed: {Kills.killed}")  # noqa: T201
