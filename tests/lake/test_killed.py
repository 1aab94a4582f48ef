"""A sync that is killed at a random moment: the lake is consistent, and the next sync continues.

``BUDGETFRAME_KILLS`` sets the number of kills.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster
from pandas.testing import assert_frame_equal

from budgetframe.frames import totals
from budgetframe.lake import Lake, Source, sync
from budgetframe.lake.columns import FRAMES, STATE
from budgetframe.lake.partitions import budget_frames
from budgetframe.reports.reconciliation import reconcile
from budgetframe.sandbox import Sandbox, serve
from tests.case import case

from .service import Service, plain

KILLS = int(os.environ.get("BUDGETFRAME_KILLS", "3"))
BUDGETS = 3
RECONCILED = ("accounts", "month_categories", "transactions", "subtransactions")
NEW_LAKE = 5  # one kill in so many happens in the first sync of a lake

SYNC = """
import sys
from distributed import Client
from budgetframe.lake import Lake, Source
scheduler, folder, *addresses = sys.argv[1:]
with Client(scheduler) as client:
    sources = [Source(url, f"token-{n}", base_url=url) for n, url in enumerate(addresses)]
    print("begin", flush=True)
    Lake(folder).sync(sources, client)
    print("end", flush=True)
"""


@pytest.mark.slow  # each case starts a process
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_killed_sync_leaves_a_consistent_lake(tmp_path: Path) -> None:
    rng = random.Random(1)  # noqa: S311 - for tests
    seconds = 3.0  # how long a sync takes, measured if a process ends by itself
    killed = 0
    with services() as (known, reads), workers() as (scheduler, client):
        sources = [Source(each.url, each.sandbox.token, base_url=each.url) for each in known]
        for number in range(KILLS):
            lake = Lake(tmp_path / str(number // NEW_LAKE))
            for each in known:
                names = [editor.budget.name for editor in each.sandbox.budgets]
                each.spend(-float(number + 1), rng.choice(names))
            with case(number):
                command = [sys.executable, "-c", SYNC, scheduler, lake._address.uri]
                process = subprocess.Popen(  # noqa: S603 - this interpreter, a constant program
                    [*command, *(each.url for each in known)], stdout=subprocess.PIPE
                )
                assert process.stdout is not None
                process.stdout.readline()
                start = time.monotonic()
                try:
                    process.wait(rng.random() * seconds)
                    seconds = time.monotonic() - start
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    killed += 1
                process.communicate()
                stored = check_consistency(lake)
                reads.clear()
                sync._limiters.clear()
                # Half of the syncs after a kill use the same workers, which another process left.
                result = lake.sync(sources, client if number % 2 else None)
                assert result["status"].unique().tolist() == ["ok"]
                # Only the budgets that no commit has are read in full.
                whole = {budget for budget, cursor in reads if not cursor}
                assert whole == {*result["budget_id"]} - stored
                check_consistency(lake)
        for each in known:
            for editor in each.sandbox.budgets:
                expected = each.facade(editor.budget.name).ledger()
                found = lake.frame("ledger", budget=editor.budget.id)
                assert_frame_equal(plain(found), plain(expected))
    print(f"{killed} of {KILLS} processes were killed before their end")  # noqa: T201


def check_consistency(lake: Lake) -> set[str]:
    """Check that the tables agree with each other; return the budgets in the lake."""
    if not (Path(lake._address.uri) / "_sync" / "_delta_log").exists():
        return set()
    snapshot = lake._snapshot()
    tables = {name: snapshot.read(name).to_pandas() for name in (*FRAMES, STATE)}
    state = tables.pop(STATE).set_index("budget_id")
    assert state.index.is_unique
    for name, rows in tables.items():
        times = rows.groupby("budget_id")["as_of"].agg(["min", "max"])
        assert {*times.index} <= {*state.index}, name
        assert (times["min"] == state["as_of"].reindex(times.index)).all(), name
        assert (times["max"] == state["as_of"].reindex(times.index)).all(), name
    names = [*RECONCILED, "ledger"]
    of_buckets = (budget_frames(snapshot, names, bucket) for bucket in range(snapshot.buckets))
    for _, _, frames in chain.from_iterable(of_buckets):
        assert reconcile(*(frames[name] for name in RECONCILED)).ok
        of_leaves, of_rows = (
            totals(frames[name][["account_id", "amount"]], "account_id")
            for name in ("ledger", "transactions")
        )
        assert_frame_equal(of_leaves, of_rows)
    return {*state.index}


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
            sandbox._app = _recorded(sandbox.app, reads)
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
