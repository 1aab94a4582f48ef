"""What a worker accepts as the changes of a budget, and what it sends."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import httpx
import pytest
import respx

from budgetframe import RateLimiter
from budgetframe.frames.export import EXPORTED
from budgetframe.lake import Lake, Source
from budgetframe.lake.reads import Known, ReadTask, read_in_process
from budgetframe.lake.sync import sync_lake
from budgetframe.lake.writer import create_lake
from budgetframe.sandbox import Sandbox, serve

from .contents import found_in, unpacked
from .service import EURO, Service


def in_june() -> datetime:
    """The clock of a sync at a fixed time."""
    return datetime(2026, 6, 17, tzinfo=UTC)


URL = "https://api.example.com/v1"
LISTS: dict[str, list[Any]] = {name: [] for name in EXPORTED}
"""The lists of a budget without rows."""


def answer_with(router: respx.MockRouter, rows: list[Any], *exports: dict[str, Any]) -> None:
    """Answer with this list of budgets, and with these whole budgets."""
    router.get(f"{URL}/budgets").respond(json={"data": {"budgets": rows}})
    for whole in exports:
        data = {"budget": {**LISTS, **whole}, "server_knowledge": 7}
        router.get(f"{URL}/budgets/{whole['id']}").respond(json={"data": data})


def stored(lake: Lake, budget_id: str) -> dict[str, Any]:
    """The answer that the lake has of a budget, and the server knowledge of its state."""
    (row,) = lake._snapshot().read("_state", budget_ids=[budget_id]).to_pylist()
    return {"budget": json.loads(unpacked(row["content"])), "knowledge": row["knowledge"]}


@contextmanager
def changes(service: Service, data: dict[str, Any]) -> Iterator[None]:
    """The service answers requests for the changes of the first budget with this data."""
    url = f"{service.url}/budgets/{service.id_of(EURO)}"
    with respx.mock as router:
        router.get(url__startswith=f"{url}?last_knowledge").respond(json={"data": data})
        router.route(url__startswith=service.url).pass_through()
        yield


def test_impossible_changes_are_not_merged(new_lake: Lake, subtests: pytest.Subtests) -> None:
    payee = {"id": "p1", "name": "Kiosk", "deleted": False}
    whole = {**LISTS, "id": "b1", "name": "B", "payees": [payee]}
    source = Source("A", "token", base_url=URL)
    create_lake(new_lake._address, 1)
    with respx.mock(base_url=URL) as router:
        answer_with(router, [{"id": "b1", "name": "B"}], whole)
        first = sync_lake(new_lake._address, [source], concurrency=1, verify=True, now=in_june)
        assert first["status"].tolist() == ["ok"]
    good = {"id": "b1", "name": "B", "payees": [{"id": "p1", "name": "Changed"}]}
    for name, delta, knowledge, requests, payees in (
        ("another budget", {**good, "id": "b2"}, 8, 2, ["Kiosk"]),
        ("no id", {"payees": good["payees"]}, 8, 2, ["Kiosk"]),
        ("no number as knowledge", good, "eight", 2, ["Kiosk"]),
        ("an earlier knowledge", good, 6, 2, ["Kiosk"]),
        ("rows without a key", {**good, "payees": [{"name": "no key"}]}, 8, 2, ["Kiosk"]),
        ("no list", {**good, "payees": None}, 8, 2, ["Kiosk"]),
        ("no object", [good], 8, 2, ["Kiosk"]),
        ("nothing", {"id": "b1", "name": "B", "payees": []}, 8, 1, None),
        ("good", good, 8, 1, ["Changed"]),
    ):
        old = Known("A", "b1", "B", 7, "2026-06-01")
        task = ReadTask(source.access(), RateLimiter(), [old], 1, 1, new_lake._snapshot(), in_june)
        with subtests.test(name=name), respx.mock(base_url=URL) as router:
            answers = [
                httpx.Response(200, json={"data": {"budget": budget, "server_knowledge": number}})
                for budget, number in ((delta, knowledge), (whole, 7))
            ]
            router.get("/budgets/b1").mock(side_effect=answers)
            (result,) = read_in_process(task)
            assert (result.status, result.reason, result.requests) == ("ok", "", requests)
            tables = result.tables or {}
            assert payees == (tables["payees"]["payee_name"].to_pylist() if tables else None)


def test_the_parts_of_a_deleted_split_are_deleted(service: Service, new_lake: Lake) -> None:
    source = service.source(budgets=[EURO], verify=False)  # the changes lack the balances
    new_lake.sync([source])
    parts = new_lake.frame("subtransactions", budget=EURO)
    split = parts["transaction_id"].iloc[0]
    delta = {"id": service.id_of(EURO), "transactions": [{"id": split, "deleted": True}]}
    knowledge = stored(new_lake, service.id_of(EURO))["knowledge"] + 1
    with changes(service, {"budget": delta, "server_knowledge": knowledge}):
        (row,) = new_lake.sync([source]).to_dict("records")
    assert (row["status"], row["reason"], row["requests"]) == ("ok", "", 1)
    rows = stored(new_lake, service.id_of(EURO))["budget"]["subtransactions"]
    assert len(rows) == (parts["transaction_id"] != split).sum() < len(parts)


def test_warnings_of_unused_changes_are_not_reported(service: Service, new_lake: Lake) -> None:
    source = service.source(budgets=[EURO])
    new_lake.sync([source])
    state = stored(new_lake, service.id_of(EURO))
    accounts = [{**row, "balance": 123456} for row in state["budget"]["accounts"]]
    delta = {"id": service.id_of(EURO), "accounts": accounts + accounts}  # they do not agree
    with changes(service, {"budget": delta, "server_knowledge": state["knowledge"] + 1}):
        (row,) = new_lake.sync([source]).to_dict("records")
    assert (row["status"], row["reason"], row["requests"]) == ("ok", "", 2)


async def drip() -> AsyncIterator[bytes]:
    while True:
        yield b" "
        await asyncio.sleep(5.0)


def test_a_source_that_sends_byte_by_byte_delays_the_others_for_a_limited_time(
    new_lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budgetframe.lake.reads._TIMEOUT", 0.1)
    slow = "https://slow.example.com/v1"
    with respx.mock as router:
        router.get(f"{slow}/budgets").mock(return_value=httpx.Response(200, content=drip()))
        answer_with(router, [{"id": "b1", "name": "B"}], {"id": "b1", "name": "B"})
        sources = [Source("A", "token", base_url=slow), Source("B", "token", base_url=URL)]
        result = new_lake.sync(sources)
    assert result["status"].tolist() == ["unreachable", "ok"]
    assert "slow.example.com: no complete answer within 0.4 s" in result["reason"][0]
    assert (result.attrs["run"]["status"], len(new_lake.budgets())) == ("failed", 1)


def test_after_an_answer_in_vain_no_other_budget_of_the_token_waits_for_its_turn_for_ever(
    new_lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budgetframe.lake.reads._TIMEOUT", 0.1)
    rows = [{"id": f"b{number}", "name": f"B{number}"} for number in range(6)]
    times = (in_june() + timedelta(seconds=number) for number in itertools.count())
    create_lake(new_lake._address, 1)
    in_vain, untried, ok = ("unreachable", 1), ("unreachable", 0), ("ok", 1)
    for expected in (
        [in_vain, untried, untried, untried, untried, untried],
        [untried, ok, ok, in_vain, untried, untried],
        [in_vain, ok, ok, untried, ok, ok],
    ):
        with respx.mock as router:
            answer_with(router, rows, *rows)
            for each in ("b0", "b3"):
                slow = httpx.Response(200, content=drip())
                router.get(f"{URL}/budgets/{each}").mock(return_value=slow)
            source = Source("A", "token", base_url=URL)
            options: Any = {"concurrency": 1, "verify": True, "buckets": 1}
            result = sync_lake(new_lake._address, [source], now=partial(next, times), **options)
        assert [*zip(result["status"], result["requests"], strict=True)] == expected


def test_a_cookie_does_not_go_to_the_service_with_another_token(new_lake: Lake) -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append((request.headers["authorization"], request.headers.get("cookie")))
        cookie = {"set-cookie": f"session={len(seen)}"}
        return httpx.Response(200, headers=cookie, json={"data": {"budgets": []}})

    with respx.mock(base_url=URL) as router:
        router.get("/budgets").mock(side_effect=answer)
        tokens = ("token-1", "token-2")
        new_lake.sync([Source(f"of {each}", each, base_url=URL) for each in tokens], concurrency=1)
    assert seen == [("Bearer token-1", None), ("Bearer token-2", None)]


def test_as_many_reads_are_under_way_as_the_caller_wants(new_lake: Lake) -> None:
    sandbox = Sandbox(years=1, budgets=1)
    app, arrived, everyone = sandbox.app, [], asyncio.Event()

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        arrived.append(scope)
        if len(arrived) == 120:
            everyone.set()
        await asyncio.wait_for(everyone.wait(), 5.0)
        await app(scope, receive, send)

    sandbox.app = waiting
    with serve(sandbox) as url:
        sources = [Source(f"{number}", f"wrong-{number}", base_url=url) for number in range(120)]
        result = new_lake.sync(sources, concurrency=120)
    assert result["status"].tolist() == ["refused"] * 120


@pytest.mark.slow  # it syncs and cleans all tables
def test_nothing_damaged_stays_after_forget(new_lake: Lake, subtests: pytest.Subtests) -> None:
    budgets = [{"id": "b1", "name": "Anna Muster"}, {"id": "b2-of-frieda", "name": "Frieda Geheim"}]
    page = f"<html>{budgets}</html>"
    source = Source("A", "token", base_url=URL)
    with respx.mock(base_url=URL) as router:
        answer_with(router, budgets, *budgets)
        assert new_lake.sync([source], buckets=2)["status"].tolist() == ["ok", "ok"]
    quoted = "illegal chunk header: " + repr(bytearray(page.encode()))
    answers: list[tuple[httpx.Response | Exception, str, str]] = [
        (httpx.Response(200, json={"budgets": budgets}), "invalid", "has no data object"),
        (httpx.Response(200, text=page), "invalid", "has no data object"),
        (httpx.Response(500, text=page), "failed", "without the service's error object"),
        (httpx.Response(401, text=page), "refused", "without the service's error object"),
        (httpx.LocalProtocolError(quoted), "unreachable", "illegal chunk header"),
        (httpx.Response(429, text=page), "limit", "without the service's error object"),
    ]
    for answer, status, reason in answers:
        with subtests.test(answer=answer), respx.mock(base_url=URL) as router:
            router.get("/budgets").mock(side_effect=[answer])
            result = new_lake.sync([source])
            assert result["status"].tolist() == [status] * 2
            assert [*result["reason"].str.endswith(reason)] == [True, True], result["reason"]
    new_lake.forget("Frieda Geheim")
    new_lake.vacuum()
    assert [*found_in(new_lake, ["Anna Muster", "Frieda Geheim", "b2-of-frieda"])] == [
        "Anna Muster"
    ]


def test_a_damaged_field_of_a_budget_or_row_of_the_list_is_invalid(new_lake: Lake) -> None:
    currency: dict[str, Any] = {"currency_format": {"iso_code": "EUR"}}
    exports: dict[str, dict[str, Any]] = {
        "good": currency, "name": {**currency, "name": 5}, "form": {"currency_format": [1]},
        "code": {"currency_format": {"iso_code": 5}},
        "key": {**currency, "payees": [{"id": None, "name": "Anna"}]},
    }  # fmt: skip
    rows = [*({"id": each, "name": each} for each in exports), {"id": 5, "name": "w"}, 5]
    with respx.mock(base_url=URL) as router:
        wholes = ({"id": each, "name": each, **fields} for each, fields in exports.items())
        answer_with(router, rows, *wholes)
        result = new_lake.sync([Source("A", "token", base_url=URL)], buckets=1)
    shown = result[["budget_id", "budget_name", "status", "reason"]].itertuples(index=False)
    answer = "The service answered 200, but the answer has"
    row = "a row of the list of budgets has no id"
    assert [tuple(each) for each in shown] == [
        ("", "", "invalid", row),
        ("code", "code", "invalid", f"{answer} iso_code=5, which is not str"),
        ("form", "form", "invalid", f"{answer} currency_format=[1], which is not dict"),
        ("good", "good", "ok", ""),
        ("key", "key", "invalid", f"{answer} rows without payee_id in payees"),
        ("name", "name", "invalid", f"{answer} name=5, which is not str"),
        ("", "w", "invalid", row),
    ]


def test_workers_read_few_whole_budgets_at_once(new_lake: Lake, subtests: pytest.Subtests) -> None:
    create_lake(new_lake._address, 1)
    under_way, most = 0, 0

    async def answer(request: httpx.Request) -> httpx.Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(100):  # the others begin meanwhile
            await asyncio.sleep(0)
        under_way -= 1
        return httpx.Response(404, request=request)

    source = Source("A", "token", base_url=URL)
    for knowledge, expected in ((None, 6), (7, 16)):
        with subtests.test(knowledge=knowledge), respx.mock(base_url=URL) as router:
            router.route().mock(side_effect=answer)
            most = 0
            budgets = [Known("A", f"b{n}", f"B{n}", knowledge, "2026-06-01") for n in range(20)]
            task = ReadTask(
                source.access(), RateLimiter(), budgets, 16, 16, new_lake._snapshot(), in_june
            )
            assert [each.status for each in read_in_process(task)] == ["failed"] * 20
            assert most == expected
