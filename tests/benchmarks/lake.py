"""Measure the lake with embedded services in processes of their own, each answer after 200 ms.

Run it with ``python -m tests.benchmarks.lake [--budgets N] [--rows N] [PART ...]``; it is not a
test. Compare the ratios: the absolute figures depend on the machine. The part ``plan`` computes
what 1,000 to 1,000,000 budgets need.
"""

import argparse
import json
import logging
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pandas as pd
import pyarrow as pa
from distributed import Client, LocalCluster

from budgetframe import BudgetFrame
from budgetframe._milliunits import convert_in_place
from budgetframe.frames.export import EXPORTED, as_lists
from budgetframe.frames.tables import TABLES
from budgetframe.lake import Lake, Source
from budgetframe.lake.columns import SCHEMAS
from budgetframe.lake.conversion import tables_of
from budgetframe.lake.storage import LakeAddress
from budgetframe.lake.writer import Writer, create_lake
from budgetframe.reports import net_worth
from tests.benchmarks import high_water
from tests.lake.object_store import BUCKET, object_store
from tests.limits import forget_limits

LATENCY = 0.2
OF_SERVICE = 50  # budgets; each service has a token of its own
ROWS_OF_YEAR = 480


class Services(NamedTuple):
    """The sources of all services."""

    sources: list[Source]

    def some(self, budgets: int) -> list[Source]:
        """Sources with so many budgets in all."""
        numbers = ["", *(f" {number}" for number in range(2, OF_SERVICE // 2 + 1))]
        names = [f"{name}{number}" for number in numbers for name in ("Household", "東京の家計")]
        chosen = []
        for source in self.sources:
            count = min(budgets, OF_SERVICE)
            if count:
                wanted: Any = "all" if count == OF_SERVICE else names[:count]
                chosen.append(Source(source.name, source.token, wanted, source.base_url))
            budgets -= count
        return chosen


@contextmanager
def services(budgets: int, rows: int, latency: float = LATENCY) -> Iterator[Services]:
    """Start the services; they stop at the end of the block."""
    years = max(1, round(rows / ROWS_OF_YEAR))
    started = []
    for number in range(math.ceil(budgets / OF_SERVICE)):
        command = [
            *(sys.executable, "-m", "budgetframe", "sandbox", "--port", "0", "--limit", "1000000"),
            *("--budgets", str(OF_SERVICE), "--years", str(years), "--seed", str(number + 1)),
            *("--token", f"token-{number}", "--faults", f"latency={latency}"),
        ]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, encoding="locale"))  # noqa: S603
    try:
        sources = [
            Source(
                f"service {number}", f"token-{number}", base_url=process.stdout.readline().strip()
            )
            for number, process in enumerate(started)
            if process.stdout is not None
        ]
        yield Services(sources)
    finally:
        for process in started:
            process.terminate()


@contextmanager
def cluster(workers: int) -> Iterator[Client]:
    """A local cluster with worker processes."""
    with ExitStack() as stack:
        local = LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0",
            silence_logs=logging.ERROR,
        )  # fmt: skip
        stack.enter_context(local)
        client = stack.enter_context(Client(local))
        client.run(_warm_up)
        yield client


def _warm_up() -> None:
    import budgetframe.lake  # noqa: F401, PLC0415 - in the worker process


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of a call, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def sync(
    folder: Path, sources: Sequence[Source], client: Client | None = None, concurrency: int = 32
) -> float:
    """The seconds of a sync, of which every budget must be up to date."""
    forget_limits()
    buckets = 16 if len(sources) == 1 else len(sources) * OF_SERVICE // 10
    seconds, result = timed(
        lambda: Lake(folder).sync(sources, client, concurrency=concurrency, buckets=buckets)
    )
    failed = result[result["status"] != "ok"]
    assert failed.empty, failed.to_string()
    return seconds


def measure_concurrency(known: Services, root: Path, budgets: int) -> None:
    """The first sync with 1 and 2 workers, and with 1, 8 and 32 reads at once."""
    sources, seconds = known.some(budgets), {}
    for workers, concurrency in ((1, 1), (1, 8), (1, 32), (2, 1), (2, 8), (2, 32)):
        folder = root / f"{workers}-{concurrency}"
        with cluster(workers) as client:
            seconds[workers, concurrency] = sync(folder, sources, client, concurrency)
        shutil.rmtree(folder)
    slowest = seconds[1, 1]
    for (workers, concurrency), found in seconds.items():
        print(
            f"first sync, {workers} worker(s), {concurrency:2} reads at once:"
            f" {found / slowest:.2f} of one read at a time ({found:.1f} s)"
        )


def measure_first(known: Services, root: Path, budgets: int) -> None:
    """The CPU time of a first sync, and of its parts, against typed frames of the same answers."""
    sources, answers = known.some(budgets), list[bytes]()
    for source in sources:
        http = httpx.Client(headers={"Authorization": f"Bearer {source.token}"}, timeout=60)
        listed = http.get(f"{source.base_url}/budgets").json()["data"]["budgets"]
        wanted = [
            row["id"] for row in listed if source.budgets == "all" or row["name"] in source.budgets
        ]
        answers += [http.get(f"{source.base_url}/budgets/{each}").content for each in wanted]
    address = LakeAddress.of(root / "written", None)
    create_lake(address, 16)
    snapshot, now = address.snapshot(), datetime.now(UTC)
    state = {"source": "", "as_of": now, "knowledge": 1, "month": f"{now:%Y-%m}"}

    def parsed() -> list[dict[str, Any]]:
        found = [json.loads(each)["data"]["budget"] for each in answers]
        convert_in_place(found)
        return found

    def typed() -> None:
        for lists in map(as_lists, parsed()):
            [TABLES[name].frame(lists) for name in EXPORTED]

    def converted() -> dict[str, list[pa.Table]]:
        tables = defaultdict(list)
        for each in parsed():
            row = {**state, "bucket": snapshot.bucket_of(each["id"])}
            for name, table in tables_of(each, row, verify=True, is_whole=True).items():
                tables[name].append(table)
        return tables

    tables = {name: pa.concat_tables(each) for name, each in converted().items()}
    calls = {
        "json and typed frames": typed,
        "json": parsed,
        "json and all rows": converted,
        "Parquet and Delta": lambda: Writer(address).commit(tables),
        "the sync": lambda: sync(Path(tempfile.mkdtemp(dir=root)), sources),
    }
    seconds = {name: min(_cpu(call) for _ in range(5)) / budgets for name, call in calls.items()}
    for name, found in seconds.items():
        ratio = found / seconds["json and typed frames"]
        print(f"first sync: {name}: {found * 1e3:.0f} ms of CPU a budget, {ratio:.2f}")


def _cpu(call: Callable[[], Any]) -> float:
    """The seconds of CPU of a call, in all threads of this process."""
    start = time.process_time()
    call()
    return time.process_time() - start


def measure_second(known: Services, root: Path, budgets: int) -> None:
    """The second sync with one budget in a hundred changed, and one without changes."""
    sources, folder = known.some(budgets), root / "second"
    with cluster(2) as client:
        first = sync(folder, sources, client)
        _edit(sources, max(1, budgets // 100))
        second = sync(folder, sources, client)
        third = sync(folder, sources, client)
    files = [path for path in folder.rglob("*.parquet") if "_delta_log" not in path.parts]
    print(f"second sync, 1 % changed: {second / first:.3f} of the first ({first:.1f} s)")
    print(f"a sync without changes: {third / first:.3f} of the first")
    size = sum(path.stat().st_size for path in files) / budgets / 1e3
    print(f"size of the lake: {size:,.0f} kB a budget")


def _edit(sources: Sequence[Source], count: int) -> None:
    """Add a transaction to some budgets."""
    for number in range(count):
        source = sources[number % len(sources)]
        names = BudgetFrame.connect(str(source.token), base_url=source.base_url).budgets()
        name = names["budget_name"].iloc[number // len(sources)]
        with BudgetFrame.connect(str(source.token), base_url=source.base_url, budget=name) as bf:
            account = bf.accounts().iloc[0]
            row = {"account_id": account["account_id"], "date": "2026-06-01", "amount": -5}
            bf.create_transactions([{**row, "payee_name": "Kiosk"}])


def measure_scale(known: Services, root: Path, budgets: int) -> None:
    """The time for each budget, with ten times the budgets."""
    with cluster(2) as client:
        sync(root / "warm", known.some(2), client)
        few = sync(root / "few", known.some(budgets // 10), client) / (budgets // 10)
        many = sync(root / "many", known.some(budgets), client) / budgets
    print(f"ten times the budgets: {many / few:.2f} of the time for each budget")


def measure_memory(known: Services, root: Path, budgets: int) -> None:
    """The peak of the memory of a worker process, above that after its start."""
    peaks = {}
    for count in (1, budgets // 10, budgets):
        with cluster(1) as client:
            (start,) = client.run(high_water).values()
            sync(root / f"m{count}", known.some(count), client)
            (peaks[count],) = client.run(high_water).values()
            peaks[count] -= start
    for count, found in peaks.items():
        ratio = found / peaks[1]
        print(f"peak memory, {count} budgets: {ratio:.1f} of that of one budget ({found:.0f} MB)")


def measure_reports(known: Services, root: Path, budgets: int) -> None:
    """`net_worth` of all budgets with Dask, against a loop."""
    folder = root / "reports"
    sync(folder, known.some(budgets))
    lake = Lake(folder)
    with cluster(2):
        lake.report(net_worth, freq="year")  # the workers import what they need
        dask, frame = timed(lambda: lake.report(net_worth))

    def loop() -> pd.DataFrame:
        ids = lake.delta("budgets").to_pyarrow_table(columns=["budget_id"])["budget_id"]
        return pd.concat(net_worth(lake.frame("ledger", budget=key)) for key in ids.to_pylist())

    alone, expected = timed(loop)
    assert len(frame) == len(expected)
    print(f"net_worth of all budgets, two workers: {dask / alone:.2f} of a loop over the lake")


def measure_buckets() -> None:
    """The CPU time of a read and a rewrite of four buckets, with 100 and 4,000 buckets."""
    seconds = []
    for count in (100, 4_000):
        with tempfile.TemporaryDirectory() as folder:
            address = LakeAddress.of(folder, None)
            create_lake(address, count)
            writer, schema = Writer(address), SCHEMAS["payees"]
            bucket_of = writer.snapshot.bucket_of
            budgets = [
                {"budget_id": f"{number}", "bucket": bucket_of(f"{number}")}
                for number in range(5 * count)
            ]
            writer.commit({"payees": pa.Table.from_pylist(budgets, schema)})
            snapshot, rows = writer.snapshot, pa.Table.from_pylist(budgets[:4], schema)
            buckets = rows["bucket"].to_pylist()
            assert len({*buckets}) == 4
            start = time.process_time()
            for _ in range(20):
                snapshot.read("payees", buckets=buckets)
            read = time.process_time()
            for _ in range(20):
                writer._replace("payees", rows, {"0", "1", "2", "3"})
            seconds.append(((read - start) / 20, (time.process_time() - read) / 20))
    for name, few, many in zip(("read", "rewrite"), *seconds, strict=True):
        print(
            f"a {name} of four buckets: {few * 1e3:.1f} ms of 100, {many * 1e3:.1f} ms of 4,000:"
            f" {(many - few) / 3_900 * 1e6:.1f} us for each bucket of the lake"
        )


def print_plan() -> None:
    """What a sync each night needs; the constants were measured by the other parts."""
    columns = (
        "budgets", "tokens", "requests", "hours by limit", "CPU h first", "CPU h read",
        "CPU h write", "commits a minute", "log MB", "storage GB", "USD a month",
        "PUT", "LIST", "GET", "USD a month of requests",
    )  # fmt: skip
    rows = [plan(10**power) for power in (3, 4, 5, 6)]
    print(pd.DataFrame(rows, columns=columns).to_string(index=False))


def plan(
    budgets: int, *, of_token: int = 1, changed: float = 0.3, cpu_whole: float = 0.25,
    cpu_delta: float = 0.006, cpu_rewritten: float = 0.04, of_bucket: int = 10, of_commit: int = 23,
    of_lake: int = 100_000, cpu_read_file: float = 1.0e-6, cpu_rewrite_file: float = 2.8e-6,
    kilobytes: float = 500.0, gets_of_bucket: int = 42,
) -> tuple[float, ...]:  # fmt: skip
    """The needs of a number of budgets, of which a part changes each day.

    The times are seconds of CPU: of a budget that is read in full, of an unchanged one, and of one
    that is rewritten because another one of its bucket has changed; and, for each file of a table,
    of a read and of a rewrite of some buckets (see `measure_buckets`). A commit has the 64 MB of
    rows of 23 changed budgets. A commit to a table is a PUT and two LIST requests, and each file is
    a PUT; the commit to ``_sync`` is followed by the PUT of ``lake.sql``. `measure_s3` counts them,
    and the GET requests for each bucket that is rewritten. The prices are 0.005 USD for 1,000 PUT
    or LIST requests, and 0.0004 USD for 1,000 GET requests.
    """
    hours = of_token / 199
    files = min(budgets, of_lake) / of_bucket
    commits = budgets * changed / of_commit  # of a sync; each commits to every table
    # The first bucket of a commit was also in the commit before: budgets are read by bucket.
    buckets = budgets / of_bucket * (1 - (1 - changed) ** of_bucket) + commits
    rewrites = commits * math.ceil(buckets / commits / 4)  # of a table
    reading = budgets * (cpu_delta + changed * (cpu_whole + files * cpu_read_file)) / 3600
    writing = buckets * of_bucket * cpu_rewritten + rewrites * 14 * files * cpu_rewrite_file
    checkpoints = 14 * rewrites / 100 * files * 0.11e-3  # MB: each lists the files of its table
    gigabytes = budgets * kilobytes / 1e6
    puts = 14 * (buckets + rewrites) + 3 * commits
    lists, gets = 2 * (14 * rewrites + commits), gets_of_bucket * buckets
    return (
        budgets, budgets // of_token, budgets + budgets // of_token, round(hours, 2),
        round(budgets * cpu_whole / 3600, 1),
        round(reading, 1), round(writing / 3600, 1),
        round((14 * rewrites + commits) / (8 * 60), 1),
        round((14 * rewrites + commits) * 2.8e-3 + checkpoints),
        round(gigabytes, 1), round(gigabytes * 0.023, 2), round(puts), round(lists), round(gets),
        round(30 * ((puts + lists) * 5e-6 + gets * 0.4e-6), 2),
    )  # fmt: skip


def measure_s3(known: Services, root: Path, budgets: int) -> None:
    """A sync to an S3-compatible server on this machine, whose process stores it in memory."""
    log = root / "requests.log"
    with log.open("wb") as file, object_store(file) as options:
        lake, sources = Lake(f"{BUCKET}/lake", options), known.some(budgets)
        forget_limits()
        first, result = timed(lambda: lake.sync(sources))
        assert (result["status"] == "ok").all()
        size = log.stat().st_size
        second, result = timed(lambda: lake.sync(sources))
        assert not result["changed"].any()
        unchanged, size = _requests(log, size), log.stat().st_size
        _edit(sources, 1)
        assert lake.sync(sources)["changed"].sum() == 1
        changed, size = _requests(log, size), log.stat().st_size
        forgetting, _ = timed(lambda: lake.forget(str(result["budget_id"].iloc[0])))
    print(f"S3: the second sync took {second / first:.2f} of the first one")
    print(f"S3: forgetting a budget took {forgetting / first:.2f} of it")
    print(f"S3: a sync without changes sends {dict(unchanged)}")
    print(f"S3: with a bucket to rewrite, it sends {dict(changed - unchanged)} more")


def _requests(log: Path, start: int) -> Counter[str]:
    """The number of requests by method in the log of the object store."""
    found = re.findall(rb'"([A-Z]+) (\S+) HTTP', log.read_bytes()[start:])
    return Counter("LIST" if b"list-type" in path else method.decode() for method, path in found)


PARTS = {
    "concurrency": measure_concurrency, "first": measure_first, "second": measure_second,
    "scale": measure_scale, "memory": measure_memory, "reports": measure_reports, "s3": measure_s3,
}  # fmt: skip
ALONE = {"buckets": measure_buckets, "plan": print_plan}
"""The parts that need no service."""


def main() -> None:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=[*PARTS, *ALONE], metavar="PART")
    parser.add_argument("--budgets", type=int, default=500)
    parser.add_argument("--rows", type=int, default=2_000)
    options = parser.parse_args()
    for name in options.parts:
        if name in ALONE:
            ALONE[name]()
            continue
        with (
            tempfile.TemporaryDirectory() as folder,
            services(options.budgets, options.rows) as known,
        ):
            PARTS[name](known, Path(folder), options.budgets)


if __name__ == "__main__":
    main()
