"""After a write of one process, all processes that share the file read deltas."""

from contextlib import closing

import httpx
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, DeltaCache, ServiceClient
from budgetframe.sandbox import Sandbox
from tests.facade.service import Recorder

from .computer import Machine

CURSOR = "last_knowledge_of_server"


class Process:
    """A connection of one process, whose cache is in a file that others share."""

    def __init__(self, machine: Machine, service: Sandbox, cache: DeltaCache | None = None) -> None:
        self.service = service
        self.kernel = machine.kernel()
        self.wire = Recorder(service.transport())
        http = httpx.AsyncClient(
            transport=self.wire,
            base_url=service.base_url,
            headers={"Authorization": f"Bearer {service.token}"},
        )
        client = ServiceClient(http, self.kernel.limiter, cache or self.kernel.cache)
        self.bf = BudgetFrame(client, budget="Household")
        self.account = next(iter(service.device.state().accounts.live()))

    def write(self) -> None:
        row = {"account_id": self.account.id, "date": "2026-06-03", "amount": -1.5}
        self.bf.create_transactions([row])

    def has_cursors(self) -> list[bool]:
        """Read two lists, which must be right, and say which requests had a cursor."""
        start = len(self.wire.requests)
        found = self.bf.transactions(), self.bf.accounts()
        with closing(BudgetFrame.sandbox(self.service)) as new:
            assert_frame_equal(found[0], new.transactions())
            assert_frame_equal(found[1], new.accounts())
        return [CURSOR in query for query in self.wire.queries[start:] if "budgets" not in query]


def test_a_process_reads_deltas_after_the_write_of_another(machine: Machine) -> None:
    service = Sandbox(limit=10_000, years=1)
    writer, other = Process(machine, service), Process(machine, service)
    writer.bf.transactions(), writer.bf.accounts(), other.bf.transactions()
    writer.write()
    assert other.has_cursors() == [True, True]
    assert writer.has_cursors() == []  # the other process has just read them
    other.write()
    assert writer.has_cursors() == [True, True]
    other.write()
    assert Process(machine, service).has_cursors() == [True, True]  # the next process


def test_the_cache_shows_no_list_from_before_a_write(machine: Machine) -> None:
    for cache in (machine.kernel().cache, DeltaCache()):
        service = Sandbox(limit=10_000, years=1)
        writer = Process(machine, service, cache)
        writer.bf.transactions()
        key = f"{service.budgets[0].budget.id}:transactions"
        before = cache.get_knowledge(key)
        writer.write()
        assert cache.get_knowledge(key) is None
        assert cache.get_data(key) is None
        assert writer.has_cursors() == [True, False]  # the accounts are read for the first time
        assert (cache.get_knowledge(key) or 0) > (before or 0)


def test_a_new_name_in_one_process_is_in_the_rows_of_another(machine: Machine) -> None:
    service = Sandbox(limit=10_000, years=1)
    writer, other = Process(machine, service), Process(machine, service)
    writer.bf.transactions(), writer.bf.accounts()
    writer.write()
    payee = next(row for row in service.device.state().payees.live() if not row.transfer_account_id)
    writer.bf.rename_payee(payee.id, "Renamed")
    assert other.has_cursors() == [False, True]
