"""Answers of the wrong form, and arguments that cannot be sent."""

import asyncio
from datetime import UTC, datetime

import httpx
import pytest

from budgetframe import ServiceAPIError
from tests.cache.computer import fresh, put

from .wire import ClientUnderTest, HeldAnswer, Json, account, accounts, answer

PATH = "/budgets/b1/accounts"
ONE: list[Json] = [{"id": "a1", "balance": 1.0, "deleted": False}]
FRAGMENTS = [{"server_knowledge": 7}, {"accounts": None, "server_knowledge": 7}]


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=["missing", "null"])
def test_a_full_answer_without_its_list_leaves_no_cursor(fragment: Json) -> None:
    under_test = ClientUnderTest(answer(fragment), accounts(8, account("a1", 1000)))
    under_test.get(PATH)
    under_test.get(PATH)
    assert under_test.wire.cursors == [None, None]


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=["missing", "null"])
def test_a_delta_without_its_list_is_not_trusted(fragment: Json) -> None:
    under_test = ClientUnderTest(
        accounts(5, account("a0", 1)), answer(fragment), accounts(8, account("a1", 1000))
    )
    under_test.get(PATH)
    assert under_test.get(PATH)["accounts"] == ONE
    assert under_test.wire.cursors == [None, "5", None]


def test_a_group_whose_categories_are_null_is_not_merged() -> None:
    group: Json = {"id": "g1", "categories": [{"id": "c1", "deleted": False}], "deleted": False}
    under_test = ClientUnderTest(
        answer({"category_groups": [group], "server_knowledge": 5}),
        answer({"category_groups": [{"id": "g1", "categories": None}], "server_knowledge": 6}),
        answer({"category_groups": [group], "server_knowledge": 7}),
    )
    under_test.get("/budgets/b1/categories")
    assert under_test.get("/budgets/b1/categories")["category_groups"] == [group]


def test_an_amount_that_no_float_can_hold_is_an_error() -> None:
    under_test = ClientUnderTest(
        httpx.Response(200, text='{"data": {"balance": 1' + "0" * 400 + "}}")
    )
    with pytest.raises(ServiceAPIError, match="too large for a float") as error_answer:
        under_test.get(PATH)
    assert error_answer.value.name == "invalid_response"


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_literal_that_is_not_json_is_an_error(literal: str) -> None:
    under_test = ClientUnderTest(httpx.Response(200, text='{"data": {"balance": ' + literal + "}}"))
    with pytest.raises(ServiceAPIError, match="no data object"):
        under_test.get(PATH)


@pytest.mark.parametrize("path", ["/budgets/b\n1", "/user\x00", "/user\r\nHost: evil"])
def test_a_path_with_a_control_character_is_refused(path: str) -> None:
    under_test = ClientUnderTest()
    with pytest.raises(ValueError, match="control characters"):
        under_test.request("GET", path)


def test_a_read_that_crosses_the_month_end_is_not_cached_for_the_new_month() -> None:
    under_test = ClientUnderTest()
    under_test.wall.now = datetime(2026, 6, 30, 23, 59, 59, tzinfo=UTC).timestamp()
    reading = under_test.cache.answers.look_up("b1:categories")
    under_test.wall.advance(2.0)
    at = datetime(2026, 6, 30, tzinfo=UTC)
    under_test.cache.answers.store(reading, {}, as_of=at, ttl=300.0)
    assert fresh(under_test.cache, "b1:categories", 300.0) is None


def test_a_read_begun_after_the_month_end_does_not_join_one_begun_before_it() -> None:
    async def main(under_test: ClientUnderTest, held: HeldAnswer) -> None:
        first = asyncio.ensure_future(under_test.client.get("/budgets/b1/categories"))
        await under_test.wire.arrived(1)
        under_test.wall.now = datetime(2026, 7, 1, tzinfo=UTC).timestamp()
        second = asyncio.ensure_future(under_test.client.get("/budgets/b1/categories"))
        await under_test.wire.arrived(2)
        held.release_answer()
        await asyncio.gather(first, second)

    held = HeldAnswer(answer({"category_groups": [], "server_knowledge": 5}))
    under_test = ClientUnderTest(held, answer({"category_groups": [], "server_knowledge": 6}))
    under_test.run(main(under_test, held))
    assert len(under_test.wire.requests) == 2


def test_a_reader_with_a_shorter_time_to_live_gets_no_older_answer() -> None:
    under_test = ClientUnderTest()
    at = datetime(2026, 6, 30, tzinfo=UTC)
    put(under_test.cache, "b1:payees", {"payees": []}, 3600.0, at)
    under_test.clock.advance(5.0)
    assert fresh(under_test.cache, "b1:payees", 5.0) is None
    assert fresh(under_test.cache, "b1:payees", 3600.0) == ({"payees": []}, at)


def test_get_ttl_returns_a_copy_of_a_cached_answer() -> None:
    under_test = ClientUnderTest()
    at = datetime(2026, 6, 30, tzinfo=UTC)
    put(under_test.cache, "b1:payees", {"payees": [{"id": "p1"}]}, 300.0, at)
    under_test.cache.get_ttl("b1:payees")["payees"].clear()
    assert under_test.cache.get_ttl("b1:payees") == {"payees": [{"id": "p1"}]}


def test_a_read_that_ends_as_another_begins_is_delivered_to_both() -> None:
    async def main(under_test: ClientUnderTest, held: HeldAnswer) -> list[Json]:
        first = asyncio.ensure_future(under_test.client.get(PATH))
        await under_test.wire.arrived(1)
        held.release_answer()
        second = asyncio.ensure_future(under_test.client.get(PATH))
        return [await first, await second]

    held = HeldAnswer(accounts(5, account("a1", 1000)))
    under_test = ClientUnderTest(held)
    assert under_test.run(main(under_test, held)) == [
        {"accounts": ONE},
        {"accounts": ONE},
    ]
    assert len(under_test.wire.requests) == 1
