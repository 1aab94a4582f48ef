"""Answers that are not what they should be, and arguments that cannot be sent."""

import asyncio
from datetime import UTC, datetime

import httpx
import pytest

from budgetframe import ServiceAPIError

from .wire import Desk, Held, Json, account, accounts, answer

PATH = "/budgets/b1/accounts"
ONE: list[Json] = [{"id": "a1", "balance": 1.0, "deleted": False}]
FRAGMENTS = [{"server_knowledge": 7}, {"accounts": None, "server_knowledge": 7}]


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=["missing", "null"])
def test_a_full_answer_without_its_list_leaves_no_cursor(fragment: Json) -> None:
    desk = Desk(answer(fragment), accounts(8, account("a1", 1000)))
    desk.run(desk.client.get(PATH))
    desk.run(desk.client.get(PATH))
    assert desk.wire.cursors == [None, None]


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=["missing", "null"])
def test_a_delta_without_its_list_is_not_trusted(fragment: Json) -> None:
    desk = Desk(accounts(5, account("a0", 1)), answer(fragment), accounts(8, account("a1", 1000)))
    desk.run(desk.client.get(PATH))
    assert desk.run(desk.client.get(PATH))["accounts"] == ONE
    assert desk.wire.cursors == [None, "5", None]


def test_a_group_whose_categories_are_null_is_not_merged() -> None:
    group: Json = {"id": "g1", "categories": [{"id": "c1", "deleted": False}], "deleted": False}
    desk = Desk(
        answer({"category_groups": [group], "server_knowledge": 5}),
        answer({"category_groups": [{"id": "g1", "categories": None}], "server_knowledge": 6}),
        answer({"category_groups": [group], "server_knowledge": 7}),
    )
    desk.run(desk.client.get("/budgets/b1/categories"))
    assert desk.run(desk.client.get("/budgets/b1/categories"))["category_groups"] == [group]


def test_an_amount_that_no_float_can_hold_is_an_error() -> None:
    desk = Desk(httpx.Response(200, text='{"data": {"balance": 1' + "0" * 400 + "}}"))
    with pytest.raises(ServiceAPIError, match="no float can hold") as refusal:
        desk.run(desk.client.get(PATH))
    assert refusal.value.name == "invalid_response"


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_what_is_not_json_is_an_error(literal: str) -> None:
    desk = Desk(httpx.Response(200, text='{"data": {"balance": ' + literal + "}}"))
    with pytest.raises(ServiceAPIError, match="no data object"):
        desk.run(desk.client.get(PATH))


@pytest.mark.parametrize("path", ["/budgets/b\n1", "/user\x00", "/user\r\nHost: evil"])
def test_a_path_with_a_control_character_is_refused(path: str) -> None:
    desk = Desk()
    with pytest.raises(ValueError, match="control characters"):
        desk.run(desk.client.request("GET", path))


def test_arguments_that_make_no_request_take_no_place_in_the_limit() -> None:
    desk = Desk(threshold=1)
    with pytest.raises(TypeError):
        desk.run(desk.client.post(PATH, json=object()))
    assert desk.limiter.usage() == (True, 0, None)


def test_a_failed_connection_takes_one() -> None:
    desk = Desk(httpx.ConnectError("no"), threshold=1)
    with pytest.raises(httpx.ConnectError):
        desk.run(desk.client.get(PATH))
    assert desk.limiter.usage() == (False, 1, 3600.0)


def test_a_read_that_crosses_the_month_end_is_not_remembered_as_of_the_new_month() -> None:
    desk = Desk()
    desk.wall.now = datetime(2026, 6, 30, 23, 59, 59, tzinfo=UTC).timestamp()
    reading = desk.cache.begin("b1:categories")
    desk.wall.advance(2.0)
    desk.cache.remember(reading, {}, 300.0, datetime(2026, 6, 30, tzinfo=UTC))
    assert desk.cache.recall("b1:categories", 300.0) is None


def test_a_read_begun_after_the_month_end_does_not_join_one_begun_before_it() -> None:
    async def main(desk: Desk, held: Held) -> None:
        first = asyncio.ensure_future(desk.client.get("/budgets/b1/categories"))
        await desk.wire.arrived(1)
        desk.wall.now = datetime(2026, 7, 1, tzinfo=UTC).timestamp()
        second = asyncio.ensure_future(desk.client.get("/budgets/b1/categories"))
        await desk.wire.arrived(2)
        held.let_go()
        await asyncio.gather(first, second)

    held = Held(answer({"category_groups": [], "server_knowledge": 5}))
    desk = Desk(held, answer({"category_groups": [], "server_knowledge": 6}))
    desk.run(main(desk, held))
    assert len(desk.wire.requests) == 2


def test_a_reader_with_a_shorter_time_to_live_is_not_served_what_is_older() -> None:
    desk = Desk()
    at = datetime(2026, 6, 30, tzinfo=UTC)
    desk.cache.remember(desk.cache.begin("b1:payees"), {"payees": []}, 3600.0, at)
    desk.clock.advance(5.0)
    assert desk.cache.recall("b1:payees", 5.0) is None
    assert desk.cache.recall("b1:payees", 3600.0) == ({"payees": []}, at)


def test_what_was_remembered_is_handed_out_as_a_copy() -> None:
    desk = Desk()
    at = datetime(2026, 6, 30, tzinfo=UTC)
    desk.cache.remember(desk.cache.begin("b1:payees"), {"payees": [{"id": "p1"}]}, 300.0, at)
    desk.cache.get_ttl("b1:payees")["payees"].clear()
    assert desk.cache.get_ttl("b1:payees") == {"payees": [{"id": "p1"}]}


def test_a_read_that_ends_as_another_begins_is_delivered_to_both() -> None:
    async def main(desk: Desk, held: Held) -> list[Json]:
        first = asyncio.ensure_future(desk.client.get(PATH))
        await desk.wire.arrived(1)
        held.let_go()
        second = asyncio.ensure_future(desk.client.get(PATH))
        return [await first, await second]

    held = Held(accounts(5, account("a1", 1000)))
    desk = Desk(held)
    assert desk.run(main(desk, held)) == [{"accounts": ONE}, {"accounts": ONE}]
    assert len(desk.wire.requests) == 1
