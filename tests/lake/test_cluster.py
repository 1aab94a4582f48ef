"""A lake with a Dask cluster of two worker processes, and processes that are killed.

`test_stopped` stops a sync after each kind of step; here a process really ends, in any call.

``BUDGETFRAME_KILLS`` sets the number of kills.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deltalake import write_deltalake
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from budgetframe.lake import Lake, Source, export_folder, sync, writer
from budgetframe.reports import net_worth
from budgetframe.sandbox import Sandbox, serve
from tests.limits import forget_limits

from .consistency import check_consistency
from .service import Service, plain

if TYPE_CHECKING:  # it is slow to import
    from distributed import Client, LocalCluster

KILLS = int(os.environ.get("BUDGETFRAME_KILLS", "2"))
NEW_LAKE = 5  # one kill in so many happens in the first sync of a lake
OF_WORKER = 2  # one kill in so many ends a worker; the sync itself then completes
READ = 4  # in one case of so many, the lake is read during the sync
WRITES = 28  # at most, in a sync: two tasks of one budget, and a commit of each writes 14 tables

SYNC = """
import sys
from budgetframe.lake import Lake, Source, writer, sync

def write(*arguments, write=writer.write_deltalake, **options):
    print("write", flush=True)
    write(*arguments, **options)

writer.write_deltalake = write
sync._READS_IN_LINE = 1
sync._MAX_BYTES = -1
folder, token, url = sys.argv[1:]
Lake(folder).sync([Source("A", token, base_url=url)], concurrency=1)
"""


def files_read() -> int:
    """The number of export files that this process has read."""
    return export_folder._file.cache_info().misses


@pytest.fixture(scope="module")
def cluster() -> Iterator["LocalCluster"]:
    """Two worker processes."""
    from distributed import LocalCluster  # noqa: PLC0415

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.mark.slow  # it starts two worker processes
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_two_workers_read_and_no_token_is_shown(cluster: "LocalCluster", tmp_path: Path) -> None:
    sandboxes = [
        Sandbox(years=1, budgets=1, seed=seed, token=f"secret-{seed}-token") for seed in (1, 2)
    ]
    with ExitStack() as stack:
        sources = [
            Source(sandbox.token[:8], sandbox.token, base_url=stack.enter_context(serve(sandbox)))
            for sandbox in sandboxes
        ]
        wrong = Source("secret-3", "secret-3-token", base_url=sources[0].base_url)
        BudgetFrame.sandbox(Sandbox(years=1, budgets=1, seed=3)).save_export(tmp_path / "3.json")
        sources.append(Source("archive", exports=tmp_path))
        here = Lake(tmp_path / "here")
        assert here.sync(sources)["status"].tolist() == ["ok"] * 3
        expected = here.report(net_worth)
        client = stack.enter_context(cluster.get_client())
        scheduler: Any = cluster.scheduler
        from .watcher import Watcher  # noqa: PLC0415

        watcher = Watcher(scheduler)
        scheduler.add_plugin(watcher)
        lake = Lake(tmp_path / "lake")
        result = lake.sync([*sources, wrong], client)
        assert result["status"].tolist() == ["ok"] * 3 + ["refused"]
        # A list for each of three tokens, and the budgets of two: both workers read.
        assert len(watcher.workers) == 5
        assert len({*watcher.workers.values()}) == 2
        assert_frame_equal(lake.report(net_worth), expected)
        assert {*client.run(files_read).values()} == {0}
        logs = repr(client.get_worker_logs()) + repr(client.get_scheduler_logs())
        assert not [key for key in scheduler.tasks if "budgetframe" in key]
    shown = "\n".join([*watcher.texts, logs, result.to_string()])
    assert len(watcher.texts) > 10
    assert "budgetframe-read-" in shown
    assert "-token" not in shown


@pytest.mark.slow  # it starts two worker processes
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_budgets_of_other_tokens_are_committed_while_tokens_are_slow(
    cluster: "LocalCluster", tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:  # fmt: skip
    monkeypatch.setattr(sync, "_READS_IN_LINE", 1)  # so that the third token has several tasks
    monkeypatch.setattr(sync, "_PAUSE", 0.1)
    for name in ("here", "on two workers with one thread each"):
        with subtests.test(name), ExitStack() as stack:
            lake, committed, in_time = Lake(tmp_path / name), threading.Event(), list[bool]()
            sources = []
            for number, budgets in enumerate((1, 1, 3)):
                sandbox = Sandbox(years=1, budgets=budgets, seed=number, token=f"token-{number}")
                if budgets == 1:
                    answer_late(sandbox, committed, in_time)
                url = stack.enter_context(serve(sandbox))
                sources.append(Source(f"{number}", sandbox.token, base_url=url))

            def write(
                *arguments: Any, lake: Lake = lake, committed: threading.Event = committed, **_: Any
            ) -> None:
                write_deltalake(*arguments, **_)
                if lake._address.open("_sync").to_pyarrow_table(columns=["source"]).num_rows == 3:
                    committed.set()

            stack.enter_context(pytest.MonkeyPatch.context()).setattr(
                writer, "write_deltalake", write
            )
            client = None if name == "here" else stack.enter_context(cluster.get_client())
            result = lake.sync(sources, client, concurrency=3)
            assert result["status"].tolist() == ["ok"] * 5
            assert in_time == [True] * 2


def answer_late(sandbox: Sandbox, committed: threading.Event, in_time: list[bool]) -> None:
    """Let a service answer requests for budgets after an event, and note whether it has come."""
    app = sandbox.app

    async def call(scope: Any, receive: Any, send: Any) -> None:
        if "/budgets/" in scope["path"]:
            in_time.append(await asyncio.to_thread(committed.wait, 20.0))
        await app(scope, receive, send)

    sandbox.app = call


@pytest.mark.posix
@pytest.mark.slow  # each case starts a process, or ends one that a new one replaces
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_killed_sync_leaves_a_consistent_lake(
    cluster: "LocalCluster", tmp_path: Path, subtests: pytest.Subtests
) -> None:
    rng = random.Random(1)  # noqa: S311 - for tests
    sandbox = Sandbox(years=1, limit=10**6)
    reads = recorded_reads(sandbox)
    killed = partly = 0
    with serve(sandbox) as url, cluster.get_client() as client:
        service = Service(sandbox, url)
        budgets = [editor.budget for editor in sandbox.budgets]
        for number in range(KILLS):
            lake = Lake(tmp_path / str(number // NEW_LAKE))
            for budget in budgets:
                service.spend(-float(number + 1), budget.name)
            with subtests.test(number=number):
                writes = rng.randrange(WRITES)
                is_read = number % READ == 1
                if number % OF_WORKER == OF_WORKER - 1:
                    worker = rng.choice(list(client.run(os.getpid).values()))
                    sync_while_a_worker_ends(lake, service, client, worker, writes, is_read=is_read)
                else:
                    killed += sync_that_is_killed(lake, service, writes, is_read=is_read)
                stored = check_consistency(lake)
                reads.clear()
                forget_limits()
                result = lake.sync([service.source()])
                assert result["status"].unique().tolist() == ["ok"]
                # Only the budgets that no commit has are read in full.
                whole = {budget for budget, cursor in reads if not cursor}
                assert whole == {*result["budget_id"]} - stored
                partly += 0 < result["changed"].sum() < len(result)
                check_consistency(lake)
        for budget in budgets:
            expected = service.facade(budget.name).ledger()
            assert_frame_equal(plain(lake.frame("ledger", budget=budget.id)), plain(expected))
    assert killed > 0
    print(  # noqa: T201
        f"{killed} of {KILLS} processes were killed before their end,"
        f" {partly} after a part of their commits"
    )


def sync_that_is_killed(lake: Lake, service: Service, writes: int, *, is_read: bool) -> bool:
    """Kill a process that syncs at a write; return whether it had not ended before."""
    command = [sys.executable, "-c", SYNC, lake._address.uri, service.sandbox.token, service.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603 - this interpreter, a constant program
        assert process.stdout is not None
        for write in range(writes):
            process.stdout.readline()
            if is_read and write == writes // 2:
                check_consistency(lake)
        is_running = process.poll() is None
        process.kill()
    return is_running


def sync_while_a_worker_ends(
    lake: Lake, service: Service, client: "Client", worker: int, writes: int, *, is_read: bool
) -> None:
    """Sync, and kill a worker at a write."""
    count = 0

    def write(*arguments: Any, **options: Any) -> None:
        nonlocal count
        if count == writes:
            os.kill(worker, signal.SIGKILL)
        if is_read and count == writes // 2:
            check_consistency(lake)
        count += 1
        write_deltalake(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "write_deltalake", write)
        patch.setattr(sync, "_READS_IN_LINE", 1)
        patch.setattr(sync, "_MAX_BYTES", -1)
        result = lake.sync([service.source()], client, concurrency=1)
    assert result["status"].unique().tolist() == ["ok"]


def recorded_reads(sandbox: Sandbox) -> list[tuple[str, bool]]:
    """The reads of budgets from now on: the id, and whether only changes were read."""
    reads: list[tuple[str, bool]] = []
    app = sandbox.app

    async def call(scope: Any, receive: Any, send: Any) -> None:
        _, _, budget_id = scope["path"].rpartition("/budgets/")
        if budget_id and scope["method"] == "GET" and "/" not in budget_id:
            reads.append((budget_id, b"last_knowledge" in scope["query_string"]))
        await app(scope, receive, send)

    sandbox.app = call
    return reads
