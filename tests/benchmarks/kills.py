"""Kill syncs of many budgets at random moments, and compare what every way of reading finds.

Run it with ``python -m tests.benchmarks.kills [--budgets N] [--kills N] [--seed N]``; it is not a
test. ``--also COMMAND`` names a program that gets the folder of the lake and prints its sums as
JSON; it is run after every tenth kill. After each kill, DuckDB, polars, Arrow and Dask must find
the same integers in the ledger. Then, and while a sync runs, the balance of each account must be
the sum of its transactions. At the end, the integers must be those of the services.
"""

import argparse
import json
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

import duckdb

from budgetframe import BudgetFrame
from budgetframe.lake import Lake
from tests.lake.readers import READERS, Sums, sums_by_reader
from tests.limits import forget_limits

from .lake import OF_SERVICE, Services, services

SYNC = """
import sys
from budgetframe.lake import Lake, Source
folder, *pairs = sys.argv[1:]
sources = [Source(url, token, base_url=url) for url, token in zip(pairs[::2], pairs[1::2])]
Lake(folder).sync(sources, buckets=len(sources) * 5)
"""
DIFFERENT = """
select count(*) from accounts left join (
  select budget_id, account_id, sum(amount) as amount from transactions group by all
) using (budget_id, account_id)
where balance <> coalesce(amount, 0) and account_type not in ('autoLoan', 'mortgage')
"""


def check(lake: Lake) -> Sums:
    """Compare all ways of reading; return what they find."""
    check_balances(lake)
    found = sums_by_reader(lake)
    first = found[next(iter(READERS))]
    assert found == dict.fromkeys(READERS, first), found
    return first


def check_balances(lake: Lake) -> None:
    """Compare the accounts with the transactions of the same state, also while a sync runs."""
    with duckdb.connect() as database:
        database.execute((Path(lake._address.uri) / "lake.sql").read_text("utf-8"))
        different = database.sql(DIFFERENT).fetchall()
    assert different == [(0,)], different


def has_rows(lake: Lake) -> bool:
    """Whether a commit has published rows."""
    has_views = (Path(lake._address.uri) / "lake.sql").exists()
    return has_views and bool(lake._snapshot().files["ledger"])


def edit(known: Services, number: int) -> None:
    """Add a transaction to one budget."""
    forget_limits()
    source = random.choice(known.sources)  # noqa: S311 - not for secrets
    with BudgetFrame.connect(str(source.token), base_url=source.base_url, ttl=0) as bf:
        budget = random.choice(bf.budgets()["budget_id"].tolist())  # noqa: S311
    with BudgetFrame.connect(
        str(source.token), base_url=source.base_url, ttl=0, budget=budget
    ) as bf:
        row = {"account_id": bf.accounts()["account_id"].iloc[0], "date": "2026-06-01"}
        bf.create_transactions([{**row, "amount": -5 - number, "payee_name": "Kiosk"}])


def stated(known: Services) -> Sums:
    """The sums of the services."""
    sums = Counter[str]()
    for source in known.sources:
        connect = partial(BudgetFrame.connect, str(source.token), base_url=source.base_url)
        with connect() as bf:
            budgets = bf.budgets()
        for budget in budgets["budget_id"]:
            forget_limits()
            with connect(budget=budget) as bf:
                ledger = bf.ledger(money="milliunits")
            currency = ledger.attrs["currency_format"]["iso_code"]
            sums[currency] += int(ledger["amount_milliunits"].sum())
    return dict(sums)


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budgets", type=int, default=500)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--also", type=shlex.split, metavar="COMMAND")
    options = parser.parse_args()
    random.seed(options.seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        services(options.budgets // OF_SERVICE * OF_SERVICE, 480, latency=0.01) as known,
    ):
        run(Lake(Path(folder) / "lake"), known, options.kills, options.also)


def run(lake: Lake, known: Services, kills: int, also: list[str] | None) -> None:
    """Kill so many syncs, and compare after each one."""
    folder, killed, ended, during = lake._address.uri, 0, 0, 0
    pairs = [text for each in known.sources for text in (each.base_url, str(each.token))]
    command = [sys.executable, "-c", SYNC, folder, *pairs]
    states = set[str]()
    while killed < kills:
        for number in range(random.choice((1, 3, 10))):  # noqa: S311
            edit(known, number)
        with subprocess.Popen(command) as process:  # noqa: S603 - this interpreter, our program
            end = time.monotonic() + random.uniform(2, 8 if killed > kills / 10 else 40)  # noqa: S311
            while time.monotonic() < end and process.poll() is None:
                time.sleep(random.uniform(0.1, 1))  # noqa: S311
                if random.random() < 0.2 and has_rows(lake):  # noqa: S311
                    check_balances(lake)
                    during += 1
            killed, ended = (killed + 1, ended) if process.poll() is None else (killed, ended + 1)
            process.kill()
        if has_rows(lake):
            found = check(lake)
            states.add(str(found))
            if also and killed % 10 == 0:
                other = subprocess.run([*also, folder], check=True, capture_output=True)  # noqa: S603
                assert json.loads(other.stdout) == found, other.stdout
        print(f"{killed} killed, {ended} ended, {during} reads during a sync", flush=True)
    subprocess.run(command, check=True)  # noqa: S603
    assert check(lake) == stated(known)
    print(f"{killed} of {killed + ended} syncs were killed; {len(states)} states, no difference")


if __name__ == "__main__":
    main()
