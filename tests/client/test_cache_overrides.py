"""The client calls the overrides of a subclass of `DeltaCache`."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe.sandbox import Sandbox
from tests.case import case

from .wire import BASE_URL, HeldAnswer, Json, Wire, accounts, answer

PATH = "/budgets/b1/accounts"
KEY = "b1:accounts"


class Recording(DeltaCache):
    """Notes the calls of all documented methods, and does what the methods do."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []

    def get_knowledge(self, key: str, *, params: Mapping[str, str] | None = None) -> int | None:
        self.calls.append(("get_knowledge", key, params))
        return super().get_knowledge(key, params=params)

    def get_data(self, key: str, *, params: Mapping[str, str] | None = None) -> Json | None:
        self.calls.append(("get_data", key, params))
        return super().get_data(key, params=params)

    def update(
        self,
        key: str,
        data: Json,
        server_knowledge: int,
        *,
        params: Mapping[str, str] | None = None,
    ) -> None:
        self.calls.append(("update", key, data, server_knowledge, params))
        super().update(key, data, server_knowledge, params=params)

    def merge(
        self,
        key: str,
        delta: Json,
        server_knowledge: int,
        *,
        params: Mapping[str, str] | None = None,
    ) -> Json:
        self.calls.append(("merge", key, delta, server_knowledge, params))
        return super().merge(key, delta, server_knowledge, params=params)

    def invalidate(self, key: str) -> None:
        self.calls.append(("invalidate", key))
        super().invalidate(key)

    def invalidate_budget(self, budget_id: str) -> None:
        self.calls.append(("invalidate_budget", budget_id))
        super().invalidate_budget(budget_id)

    def clear(self) -> None:
        self.calls.append(("clear",))
        super().clear()

    def set_ttl(self, key: str, data: Any, ttl_seconds: float) -> None:
        self.calls.append(("set_ttl", key, ttl_seconds))
        super().set_ttl(key, data, ttl_seconds)

    def get_ttl(self, key: str) -> Any:
        self.calls.append(("get_ttl", key))
        return super().get_ttl(key)


class OwnStorage(DeltaCache):
    """Keeps everything in a dict of its own and calls no method of its base class."""

    def __init__(self) -> None:
        super().__init__()
        self.lists: dict[str, tuple[Json, int]] = {}

    def get_knowledge(self, key: str, *, params: Mapping[str, str] | None = None) -> int | None:
        return self.lists[key][1] if key in self.lists and not params else None

    def get_data(self, key: str, *, params: Mapping[str, str] | None = None) -> Json | None:
        return self.lists[key][0] if key in self.lists and not params else None

    def update(
        self,
        key: str,
        data: Json,
        server_knowledge: int,
        *,
        params: Mapping[str, str] | None = None,
    ) -> None:
        assert not params
        self.lists[key] = data, server_knowledge

    def merge(
        self,
        key: str,
        delta: Json,
        server_knowledge: int,
        *,
        params: Mapping[str, str] | None = None,
    ) -> Json:
        assert not params
        rows = self.lists[key][0]["accounts"] + delta["accounts"]
        self.lists[key] = {"accounts": rows}, server_knowledge
        return self.lists[key][0]

    def invalidate(self, key: str) -> None:
        self.lists.pop(key, None)


def client_of(cache: DeltaCache, *script: Any) -> tuple[ServiceClient, Wire]:
    wire = Wire(*script)
    http = httpx.AsyncClient(transport=httpx.MockTransport(wire), base_url=BASE_URL)
    return ServiceClient(http, RateLimiter(), cache), wire


def read(client: ServiceClient, path: str = PATH) -> Json:
    async def get() -> Json:
        return await client.get(path)

    return asyncio.run(get())


def test_reads_call_the_methods_in_the_order_of_their_steps() -> None:
    cache = Recording()
    client, wire = client_of(cache, accounts(5, {"id": "a1"}), accounts(6, {"id": "a2"}))
    assert read(client) == {"accounts": [{"id": "a1"}]}
    assert cache.calls == [
        ("get_knowledge", KEY, {}),
        ("update", KEY, {"accounts": [{"id": "a1"}]}, 5, {}),
    ]
    cache.calls.clear()
    assert read(client) == {"accounts": [{"id": "a1"}, {"id": "a2"}]}
    assert cache.calls == [
        ("get_knowledge", KEY, {}),
        ("get_data", KEY, {}),
        ("get_knowledge", KEY, {}),
        ("merge", KEY, {"accounts": [{"id": "a2"}]}, 6, {}),
    ]
    assert wire.cursors == [None, "5"]
    assert DeltaCache.get_data(cache, KEY) == {"accounts": [{"id": "a1"}, {"id": "a2"}]}


def test_overrides_get_the_parameters_of_the_list() -> None:
    cache = Recording()
    rows = answer({"transactions": [{"id": "t1"}], "server_knowledge": 5})
    read(client_of(cache, rows)[0], "/budgets/b1/transactions?since_date=2026-01-01")
    since = {"since_date": "2026-01-01"}
    assert cache.calls == [
        ("get_knowledge", "b1:transactions", since),
        ("update", "b1:transactions", {"transactions": [{"id": "t1"}]}, 5, since),
    ]


def test_cursor_is_the_value_of_get_knowledge() -> None:
    for knowledge, cursor in ((3, "3"), (0, None), (None, None)):
        with case(knowledge):

            class Fixed(DeltaCache):
                known = knowledge

                def get_knowledge(
                    self, key: str, *, params: Mapping[str, str] | None = None
                ) -> int | None:
                    del key, params
                    return self.known

            client, wire = client_of(Fixed(), accounts(5, {"id": "a1"}), accounts(6, {"id": "a2"}))
            client.cache.update(KEY, {"accounts": []}, 5)  # type: ignore[union-attr]
            read(client)
            assert wire.cursors == [cursor]


def test_delta_is_not_used_if_get_data_returns_none() -> None:
    class Empty(DeltaCache):
        def get_data(self, key: str, *, params: Mapping[str, str] | None = None) -> None:
            del key, params

    script = accounts(5, {"id": "a1"}), accounts(6), accounts(6, {"id": "a2"})
    client, wire = client_of(Empty(), *script)
    assert [read(client), read(client)] == [
        {"accounts": [{"id": "a1"}]},
        {"accounts": [{"id": "a2"}]},
    ]
    assert wire.cursors == [None, "5", None]


def test_result_of_merge_is_returned() -> None:
    class Sorted(DeltaCache):
        def merge(
            self,
            key: str,
            delta: Json,
            server_knowledge: int,
            *,
            params: Mapping[str, str] | None = None,
        ) -> Json:
            merged = super().merge(key, delta, server_knowledge, params=params)
            return {"accounts": sorted(merged["accounts"], key=lambda row: str(row["id"]))}

    client, _ = client_of(Sorted(), accounts(5, {"id": "a2"}), accounts(6, {"id": "a1"}))
    read(client)
    assert read(client) == {"accounts": [{"id": "a1"}, {"id": "a2"}]}


def test_write_calls_invalidate_for_each_linked_list() -> None:
    cache = Recording()
    client, _ = client_of(cache, answer({"payee": {"id": "p1"}}))
    asyncio.run(client.patch("/budgets/b1/payees/p1", json={}))
    linked = ("payees", "transactions", "scheduled_transactions", "payee_locations")
    assert sorted(cache.calls) == sorted(("invalidate", f"b1:{name}") for name in linked)


def test_write_to_an_alias_of_a_budget_calls_clear() -> None:
    cache = Recording()
    client, _ = client_of(cache, answer({"payee": {"id": "p1"}}))
    asyncio.run(client.patch("/budgets/last-used/payees/p1", json={}))
    assert cache.calls == [("clear",)]


def test_subclass_can_keep_everything_itself() -> None:
    cache = OwnStorage()
    client, wire = client_of(
        cache,
        accounts(5, {"id": "a1"}),
        accounts(6, {"id": "a2"}),
        answer({"account": {"id": "a3"}}),
        accounts(9, {"id": "a9"}),
    )
    assert read(client) == {"accounts": [{"id": "a1"}]}
    assert read(client) == {"accounts": [{"id": "a1"}, {"id": "a2"}]}
    assert cache.lists == {KEY: ({"accounts": [{"id": "a1"}, {"id": "a2"}]}, 6)}
    asyncio.run(client.post(PATH, json={}))
    assert cache.lists == {}
    assert read(client) == {"accounts": [{"id": "a9"}]}
    assert wire.cursors == [None, "5", None, None]


def test_read_that_began_before_a_write_calls_neither_update_nor_merge() -> None:
    for knowledge in (None, 4):
        with case(knowledge):
            cache = OwnStorage()
            if knowledge is not None:
                cache.lists[KEY] = {"accounts": [{"id": "a0"}]}, knowledge
            held = HeldAnswer(accounts(5, {"id": "a1"}))
            full = accounts(6, {"id": "a1"}, {"id": "a2"})
            client, wire = client_of(cache, held, answer({"account": {}}), full)

            async def main(
                client: ServiceClient = client, wire: Wire = wire, held: HeldAnswer = held
            ) -> Json:
                reading = asyncio.ensure_future(client.get(PATH))
                await wire.arrived(1)
                await client.post(PATH, json={})
                held.release_answer()
                return await reading

            data = asyncio.run(main())
            if knowledge is None:  # the answer from before the write is returned and not stored
                assert data == {"accounts": [{"id": "a1"}]}
                assert cache.lists == {}
            else:  # the list that the delta belongs to was dropped: it is read in full
                assert data == {"accounts": [{"id": "a1"}, {"id": "a2"}]}
                assert cache.lists == {KEY: ({"accounts": [{"id": "a1"}, {"id": "a2"}]}, 6)}


def frame_of(cache: DeltaCache, service: Sandbox) -> BudgetFrame:
    http = httpx.AsyncClient(
        transport=service.transport(),
        base_url=service.base_url,
        headers={"Authorization": f"Bearer {service.token}"},
    )
    client = ServiceClient(http, RateLimiter(), cache)
    return BudgetFrame(client, budget="Household", ttl=300.0)


def test_facade_sets_and_gets_time_limited_answers() -> None:
    cache, service = Recording(), Sandbox()
    with frame_of(cache, service) as bf:
        before = bf.payees()
        budget_id = service.device.state().id
        assert ("set_ttl", f"{budget_id}:payees", 300.0) in [
            (*call[:2], round(call[-1], -1)) for call in cache.calls if call[0] == "set_ttl"
        ]
        cache.calls.clear()
        requests = service.requests_served
        assert bf.payees().equals(before)
        assert cache.calls == [("get_ttl", f"{budget_id}:payees")]
        assert service.requests_served == requests
        bf.refresh()
        assert cache.calls[1:] == [("invalidate_budget", ""), ("invalidate_budget", budget_id)]


def test_facade_sends_a_request_if_get_ttl_returns_none() -> None:
    class NeverFresh(DeltaCache):
        def get_ttl(self, key: str) -> None:
            del key

    service = Sandbox()
    with frame_of(NeverFresh(), service) as bf:
        bf.payees()
        requests = service.requests_served
        bf.payees()
        assert service.requests_served == requests + 1
