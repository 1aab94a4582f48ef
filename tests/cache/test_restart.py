"""The requests of a kernel after a restart, and the changes that two kernels see."""

import asyncio
from pathlib import Path

import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox
from tests.facade.service import Recorder, untouched
from tests.sandbox.ask import http_client

from .computer import Machine


class Notebook:
    """One service and one cache folder, for any number of connections."""

    def __init__(self, folder: Path) -> None:
        self.service = Sandbox(limit=1_000, years=1)
        self.folder = folder

    def connect(self) -> BudgetFrame:
        return BudgetFrame.sandbox(self.service, cache_dir=self.folder)

    def run_all(self, bf: BudgetFrame) -> int:
        """Read the frames of a notebook and return the number of requests."""
        before = self.service.requests_served
        for frame in (bf.accounts(), bf.categories(), bf.payees(), bf.months(), bf.transactions()):
            assert len(frame) > 0
        return self.service.requests_served - before


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path)


def test_restart_within_the_time_to_live_sends_nothing_until_a_refresh(notebook: Notebook) -> None:
    with notebook.connect() as bf:
        assert notebook.run_all(bf) == 6  # five reads, and one to find the budget
    with notebook.connect() as bf:
        assert notebook.run_all(bf) == 0
        assert "accounts: " in repr(bf)  # the age of the answers from before
    with notebook.connect() as bf:
        bf.refresh()
        assert notebook.run_all(bf) == 6


def test_restart_after_the_time_to_live_reads_equal_frames_again(notebook: Notebook) -> None:
    with notebook.connect() as bf:
        notebook.run_all(bf)
        before = bf.transactions()
    notebook.service.advance(1)
    with notebook.connect() as bf:
        # The budget, the accounts, which the notebook reads first, and the export.
        assert notebook.run_all(bf) == 3
        assert bf.transactions().equals(before)


def test_next_process_requests_only_the_changes(machine: Machine) -> None:
    service = untouched(1)
    path = f"/budgets/{service.device.state().id}/transactions"
    queries, lists = [], []
    for _ in range(2):
        wire = Recorder(service.transport())
        lists.append(asyncio.run(machine.kernel().client(http_client(service, wire)).get(path)))
        queries.append([sorted(query) for query in wire.queries])
    assert queries == [[[]], [["last_knowledge_of_server"]]]
    assert lists[0] == lists[1]
    assert machine.kernel().guard.usage()[1] == 2
