"""A sync and a report on a Dask cluster with two worker processes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin
from pandas.testing import assert_frame_equal

from budgetframe.lake import Lake, Source
from budgetframe.reports import net_worth
from budgetframe.sandbox import Sandbox, serve


class Watcher(SchedulerPlugin):
    """Writes down what the scheduler shows of each task, and where it runs."""

    name = "watcher"

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.texts: list[str] = []
        self.workers: dict[str, str] = {}

    def transition(self, key: Any, start: str, finish: str, *_: Any, **more: Any) -> None:
        task = self.scheduler.tasks[key]
        state = {name: getattr(task, name, None) for name in type(task).__slots__}
        self.texts.append(f"{key!r} {start} {finish} {task!r} {state!r} {more!r}")
        if finish == "processing":
            self.workers[str(key)] = task.processing_on.address


@pytest.mark.slow  # it starts two worker processes
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_two_workers_read_and_the_scheduler_never_shows_a_token(tmp_path: Path) -> None:
    sandboxes = [Sandbox(years=1, seed=seed, token=f"secret-{seed}-token") for seed in (1, 2)]
    with ExitStack() as stack:
        sources = [
            Source(sandbox.token[:8], sandbox.token, base_url=stack.enter_context(serve(sandbox)))
            for sandbox in sandboxes
        ]
        wrong = Source("secret-3", "secret-3-token", base_url=sources[0].base_url)
        cluster = stack.enter_context(
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
        )
        client = stack.enter_context(Client(cluster))
        watcher = Watcher(cluster.scheduler)
        cluster.scheduler.add_plugin(watcher)
        lake = Lake(tmp_path / "lake")
        result = lake.sync([*sources, wrong], client)
        assert result["status"].tolist() == ["ok"] * 4 + ["refused"]
        reads = {key: at for key, at in watcher.workers.items() if "read_budgets" in key}
        assert len(reads) == len({*reads.values()}) == 2  # one token on each worker
        worth = lake.report(net_worth)
        logs = repr(client.get_worker_logs()) + repr(client.get_scheduler_logs())
        assert not [key for key in cluster.scheduler.tasks if "read_budgets" in key]
    shown = "\n".join([*watcher.texts, logs, result.to_string()])
    assert len(watcher.texts) > 10
    assert "budgetframe-read_budgets-" in shown
    assert "-token" not in shown
    here = Lake(tmp_path / "here")
    with ExitStack() as stack:
        local = [
            Source(each.name, each.token, base_url=stack.enter_context(serve(sandbox)))
            for each, sandbox in zip(sources, sandboxes, strict=True)
        ]
        assert here.sync(local)["status"].tolist() == ["ok"] * 4
    assert_frame_equal(here.report(net_worth), worth)
