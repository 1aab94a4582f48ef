"""What a restart of the kernel costs, and what two kernels see of each other."""

import asyncio
from pathlib import Path

import httpx
import pytest

from budgetframe import BudgetFrame, ServiceClient
from budgetframe.sandbox import Sandbox
from tests.facade.service import Recorder, untouched

from .computer import Machine


class Notebook:
    """One service, one folder, and as many connections as are asked for."""

    def __init__(self, folder: Path) -> None:
        self.service = Sandbox(limit=1_000)
        self.folder = folder
        self.open: list[BudgetFrame] = []

    def connect(self) -> BudgetFrame:
        bf = BudgetFrame.sandbox(self.service, cache_dir=self.folder)
        self.open.append(bf)
        return bf

    def run_all(self, bf: BudgetFrame) -> int:
        """Read everything a notebook reads; give what it cost."""
        before = self.service.requests_served
        for frame in (bf.accounts(), bf.categories(), bf.payees(), bf.months(), bf.transactions()):
            assert len(frame) > 0
        return self.service.requests_served - before


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path)


def test_restart_and_run_all_within_the_time_to_live_costs_nothing(notebook: Notebook) -> None:
    with notebook.connect() as bf:
        assert notebook.run_all(bf) == 6  # and the choice of the budget
    with notebook.connect() as bf:
        assert notebook.run_all(bf) == 0


def test_refresh_first_thing_after_a_restart_forgets_what_was_read_before(
    notebook: Notebook,
) -> None:
    with notebook.connect() as bf:
        notebook.run_all(bf)
    with notebook.connect() as bf:
        bf.refresh()
        assert notebook.run_all(bf) == 6


def test_what_was_read_before_a_restart_is_shown_with_its_age(notebook: Notebook) -> None:
    with notebook.connect() as bf:
        bf.accounts()
    with notebook.connect() as bf:
        bf.accounts()
        assert "accounts: " in repr(bf)


def test_restart_after_the_time_to_live_reads_the_same_again(notebook: Notebook) -> None:
    with notebook.connect() as bf:
        notebook.run_all(bf)
        before = bf.transactions()
    notebook.service.advance(1)
    with notebook.connect() as bf:
        assert notebook.run_all(bf) == 6
        assert bf.transactions().equals(before)


def test_next_process_asks_for_what_changed_since(machine: Machine) -> None:
    service = untouched()
    path = f"/budgets/{service.device.state().id}/transactions"
    queries, lists = [], []
    for _ in range(2):
        wire = Recorder(service.transport())
        http = httpx.AsyncClient(
            transport=wire,
            base_url=service.base_url,
            headers={"Authorization": f"Bearer {service.token}"},
        )
        kernel = machine.kernel()
        lists.append(asyncio.run(ServiceClient(http, kernel.limiter, kernel.cache).get(path)))
        queries.append([sorted(query) for query in wire.queries])
    assert queries == [[[]], [["last_knowledge_of_server"]]]
    assert lists[0] == lists[1]
    assert machine.kernel().limiter.usage()[1] == 2


def test_kernel_sees_what_the_other_one_wrote(notebook: Notebook) -> None:
    with notebook.connect() as first, notebook.connect() as second:
        rows = len(first.transactions())
        assert len(second.transactions()) == rows
        account_id = str(first.accounts()["account_id"].iloc[0])
        first.create_transactions(
            [{"account_id": account_id, "date": "2026-06-16", "amount": -4.5}]
        )
        assert len(second.transactions()) == rows + 1
