"""Start pairs of syncs of one lake that overlap, in a folder or in an object store.

Run it with ``python -m tests.benchmarks.overlaps [--store] [--pairs N]``; it is not a test. Each
time, exactly one process must commit, the other must end with status 75 and send nothing, and the
sums of the lake must be those of the service.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from budgetframe.lake import Lake
from budgetframe.sandbox import Sandbox, serve
from tests.lake.object_store import BUCKET, object_store
from tests.lake.service import EURO, YEN, Service
from tests.limits import forget_limits


def check_overlap(service: Service, lake: Lake, command: list[str]) -> None:
    """Start two syncs at almost the same time."""
    forget_limits()
    service.spend(-random.randint(1, 99), random.choice((EURO, YEN)))  # noqa: S311 - not for secrets
    runs, start, pair = len(lake.runs()), service.sandbox.requests_served, []
    service.sandbox.faults = ["latency=1.5"]
    for pause in (0, random.random()):  # noqa: S311
        time.sleep(pause)
        pair.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))  # noqa: S603 - this interpreter, our program
    ends = sorted((process.communicate()[1], process.returncode) for process in pair)
    service.sandbox.faults = []
    assert [status for _, status in ends] == [0, 75], ends
    assert "another process or thread is changing the lake" in ends[1][0], ends
    assert service.sandbox.requests_served - start == 3  # the list and two budgets, of one sync
    assert len(lake.runs()) == runs + 1
    for budget in (EURO, YEN):
        rows = lake.frame("ledger", budget=budget, money="milliunits")["amount_milliunits"]
        expected = service.facade(budget).ledger(money="milliunits")["amount_milliunits"]
        assert (len(rows), rows.sum()) == (len(expected), expected.sum())


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--pairs", type=int, default=50)
    options = parser.parse_args()
    random.seed(options.pairs)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        service = Service(Sandbox(years=1, limit=1_000_000), "")
        service.url = stack.enter_context(serve(service.sandbox))
        store = stack.enter_context(object_store()) if options.store else {}
        lake = Lake(f"{BUCKET}/lake" if options.store else f"{folder}/lake", store)
        lake.sync([service.source()])
        os.environ |= {**store, "A_TOKEN": service.sandbox.token}
        source = f'[[source]]\nname = "A"\ntoken_env = "A_TOKEN"\nbase_url = "{service.url}"\n'
        Path(folder, "sources.toml").write_text(source, "utf-8")
        uri, file = lake._address.uri, f"{folder}/sources.toml"
        for _ in range(options.pairs):
            check_overlap(service, lake, [sys.executable, "-m", "budgetframe", "sync", file, uri])
        print(f"{options.pairs} pairs: one has committed each time, the other has sent nothing")


if __name__ == "__main__":
    main()
