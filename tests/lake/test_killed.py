"""A sync that is killed at a random write: the lake is consistent, and the next sync continues.

One kill in two ends a worker of the sync instead: the sync itself then completes.
`test_stopped` stops a sync after each kind of step; here a process really ends, in any call.

``BUDGETFRAME_KILLS`` sets the number of kills.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster
from pandas.testing import assert_frame_equal

from budgetframe._client import limiter
from budgetframe.lake import Lake, Source
from budgetframe.sandbox import Sandbox, serve

from .consistency import check_consistency
from .service import Service, plain

KILLS = int(os.environ.get("BUDGETFRAME_KILLS", "2"))
BUDGETS = 2  # of a service; a worker reads one of them in a round
NEW_LAKE = 5  # one kill in so many happens in the first sync of a lake
OF_WORKER = 2  # one kill in so many ends a worker
READ = 4  # in one case of so many, the lake is read during the sync
WRITES = 28  # at most, in a sync: two rounds, and a commit of each writes 14 tables

SYNC = """
import sys
from distributed import Client
from budgetframe.lake import Lake, Source, storage, sync

def write(*arguments, write=storage.write_deltalake, **options):
    print("write", flush=True)
    write(*arguments, **options)

storage.write_deltalake = write
sync._READS_IN_LINE = 1
scheduler, folder, *addresses = sys.argv[1:]
with Client(scheduler) as client:
    sources = [Source(url, f"token-{n}", base_url=url) for n, url in enumerate(addresses)]
    print("begin", flush=True)
    Lake(folder).sync(sources, client, concurrency=1)
    print("end", flush=True)
"""


@pytest.mark.slow  # each case starts a process
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_killed_sync_leaves_a_consistent_lake(tmp_path: Path, subtests: pytest.Subtests) -> None:
    rng = random.Random(1)  # noqa: S311 - for tests
    killed = partly = 0
    with services() as (known, reads), workers() as (scheduler, client):
        sources = [Source(each.url, each.sandbox.token, base_url=each.url) for each in known]
        for number in range(KILLS):
            lake = Lake(tmp_path / str(number // NEW_LAKE))
            for each in known:
                for editor in each.sandbox.budgets:
                    each.spend(-float(number + 1), editor.budget.name)
            with subtests.test(number=number):
                command = [sys.executable, "-c", SYNC, scheduler, lake._address.uri]
                process = subprocess.Popen(  # noqa: S603 - this interpreter, a constant program
                    [*command, *(each.url for each in known)], stdout=subprocess.PIPE
                )
                assert process.stdout is not None
                worker = rng.choice(list(client.run(os.getpid).values()))
                is_of_worker = number % OF_WORKER == OF_WORKER - 1
                writes = rng.randrange(WRITES)
                for write in range(writes + 1):  # the first line is "begin"
                    process.stdout.readline()
                    if write == writes // 2 and number % READ == 1:
                        check_consistency(lake)
                killed += process.poll() is None
                if is_of_worker:
                    os.kill(worker, signal.SIGKILL)
                else:
                    process.kill()
                output, _ = process.communicate()
                stored = check_consistency(lake)
                assert not is_of_worker or output.endswith(b"end\n")
                reads.clear()
                limiter._limiters.clear()
                # Half of the syncs after a kill use the same workers, which another process left.
                result = lake.sync(sources, client if number % 2 else None)
                assert result["status"].unique().tolist() == ["ok"]
                # Only the budgets that no commit has are read in full.
                whole = {budget for budget, cursor in reads if not cursor}
                assert whole == {*result["budget_id"]} - stored
                partly += 0 < result["changed"].sum() < len(result)
                check_consistency(lake)
        for each in known:
            for editor in each.sandbox.budgets:
                expected = each.facade(editor.budget.name).ledger()
                found = lake.frame("ledger", budget=editor.budget.id)
                assert_frame_equal(plain(found), plain(expected))
    assert killed > 0
    print(  # noqa: T201
        f"{killed} of {KILLS} processes were killed before their end,"
        f" {partly} after a part of their commits"
    )


@contextmanager
def services() -> Iterator[tuple[list[Service], list[tuple[str, bool]]]]:
    """Two services, and the reads of budgets: the id, and whether only changes were read."""
    reads: list[tuple[str, bool]] = []
    with ExitStack() as stack:
        known = []
        for number in range(2):
            sandbox = Sandbox(
                years=1, budgets=BUDGETS, seed=number + 1, token=f"token-{number}", limit=10**6
            )
            sandbox.app = _recorded(sandbox.app, reads)
            known.append(Service(sandbox, stack.enter_context(serve(sandbox))))
        yield known, reads


def _recorded(app: Any, reads: list[tuple[str, bool]]) -> Any:
    async def call(scope: Any, receive: Any, send: Any) -> None:
        _, _, budget_id = scope["path"].rpartition("/budgets/")
        if budget_id and scope["method"] == "GET" and "/" not in budget_id:
            reads.append((budget_id, b"last_knowledge" in scope["query_string"]))
        await app(scope, receive, send)

    return call


@contextmanager
def workers() -> Iterator[tuple[str, Client]]:
    """Two worker processes, which outlive the processes that are killed."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield cluster.scheduler_address, client
