"""After a write of one process, all processes that share the file read deltas."""

import asyncio
from contextlib import closing

import httpx
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, DeltaCache, ServiceClient
from budgetframe.sandbox import Sandbox
from tests.client.wire import Wire, answer
from tests.facade.service import Recorder
from tests.sandbox.ask import http_client

from .computer import AS_OF, Machine, fresh, put, stale

CURSOR = "last_knowledge_of_server"


class Process:
    """A connection of one process, whose cache is in a file that others share."""

    def __init__(self, machine: Machine, service: Sandbox, cache: DeltaCache | None = None) -> None:
        self.service = service
        self.kernel = machine.kernel()
        self.wire = Recorder(service.transport())
        http = http_client(service, self.wire)
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
        assert writer.has_cursors() == [True, True]  # the write has read the accounts
        assert (cache.get_knowledge(key) or 0) > (before or 0)


def test_a_new_name_in_one_process_is_in_the_rows_of_another(machine: Machine) -> None:
    service = Sandbox(limit=10_000, years=1)
    writer, other = Process(machine, service), Process(machine, service)
    writer.bf.transactions(), writer.bf.accounts()
    writer.write()
    payee = next(row for row in service.device.state().payees.live() if not row.transfer_account_id)
    writer.bf.rename_payee(payee.id, "Renamed")
    assert other.has_cursors() == [False, True]


def test_answer_read_during_the_write_of_another_process_is_not_stored(machine: Machine) -> None:
    writer, reader = machine.kernel().cache.answers, machine.kernel().cache
    reader.update("b1:months", {"months": []}, 7, params={})
    end_write = writer.begin_write(["b1:months"], keeps_lists=True)
    delta = {"months": [{"month": "2026-06-01"}]}
    token = reader.answers.look_up("b1:months")
    returned = reader.answers.apply(token, delta, 8, as_of=AS_OF, ttl=300.0)
    assert returned is not None
    assert (returned.data, returned.knowledge) == (delta, 8)
    for key in ("b1:export", "b1:months:2026-06"):
        put(reader, key, {"n": 1}, 300.0)
        assert stale(reader, key) is None
    put(reader, "b1:payees", {"n": 1}, 300.0)  # the write does not concern this one
    assert fresh(reader, "b1:payees", 300.0) is not None
    end_write()
    token = reader.answers.look_up("b1:months")
    assert token.cursor == 7
    reader.answers.apply(token, delta, 8, as_of=AS_OF, ttl=300.0)
    assert fresh(reader, "b1:months", 300.0) == (delta, AS_OF)


def test_write_to_an_alias_concerns_every_budget(machine: Machine) -> None:
    writer, reader = machine.kernel(), machine.kernel().cache
    stored = []

    def respond(_: httpx.Request) -> httpx.Response:
        put(reader, "b1:payees", {"n": 1}, 300.0)
        stored.append(stale(reader, "b1:payees"))
        return answer({"transaction": {"id": "t1"}})

    put(reader, "b2:months", {"n": 1}, 300.0)
    asyncio.run(writer.client(Wire(respond)).post("/budgets/last-used/transactions", json={}))
    assert (stored, stale(reader, "b2:months")) == ([None], None)


def test_write_of_another_process_drops_an_object_with_a_time_to_live(machine: Machine) -> None:
    writer, other = machine.kernel().cache, machine.kernel().cache
    for name in ("payees", "months"):
        other.set_ttl(f"b1:{name}", {"n": 1}, 300.0)
    writer.invalidate("b1:payees")
    assert (other.get_ttl("b1:payees"), other.get_ttl("b1:months")) == (None, {"n": 1})


def test_reads_share_no_request_during_a_write_of_another_process(machine: Machine) -> None:
    writer, reader = machine.kernel().cache.answers, machine.kernel()
    wire = Wire(*[answer({"payees": [], "server_knowledge": 7})] * 3)
    client = reader.client(wire)

    async def read_twice() -> None:
        await asyncio.gather(*(client.get("/budgets/b1/payees") for _ in range(2)))

    end_write = writer.begin_write(["b1:transactions", "b1:payees"])
    asyncio.run(read_twice())
    assert len(wire.requests) == 2
    end_write()
    asyncio.run(read_twice())
    assert len(wire.requests) == 3
