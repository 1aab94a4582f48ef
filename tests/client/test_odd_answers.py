"""Answers of the wrong form, and arguments that cannot be sent."""

import asyncio
from datetime import UTC, datetime

import httpx
import pytest

from budgetframe import ServiceAPIError
from tests.cache.computer import put

from .wire import ClientUnderTest, HeldAnswer, Json, account, accounts, answer

PATH = "/budgets/b1/accounts"
ONE: list[Json] = [{"id": "a1", "balance": 1.0, "deleted": False}]
FRAGMENTS = [{"server_knowledge": 7}, {"accounts": None, "server_knowledge": 7}]


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=["missing", "null"])
def test_an_answer_without_its_list_leaves_no_cursor_and_no_delta_is_used(fragment: Json) -> None:
    whole, older = accounts(8, account("a1", 1000)), accounts(5, account("a0", 1))
    for before, cursors in (([], [None, None]), ([older], [None, "5", None])):
        under_test = ClientUnderTest(*before, answer(fragment), whole)
        under_test.get(PATH)
        assert under_test.get(PATH)["accounts"] == ONE
        assert under_test.wire.cursors == cursors


def test_a_group_whose_categories_are_null_is_not_merged() -> None:
    group: Json = {"id": "g1", "categories": [{"id": "c1", "deleted": False}], "deleted": False}
    under_test = ClientUnderTest(
        answer({"category_groups": [group], "server_knowledge": 5}),
        answer({"category_groups": [{"id": "g1", "categories": None}], "server_knowledge": 6}),
        answer({"category_groups": [group], "server_knowledge": 7}),
    )
    under_test.get("/budgets/b1/categories")
    assert under_test.get("/budgets/b1/categories")["category_groups"] == [group]


def test_an_amount_that_no_float_can_hold_stays_as_it_is() -> None:
    under_test = ClientUnderTest(
        httpx.Response(200, text='{"data": {"balance": 1' + "0" * 400 + ', "activity": 5}}')
    )
    assert under_test.get(PATH) == {"balance": 10**400, "activity": 0.005}


NOT_STRICT: dict[str, tuple[bytes, Json, str]] = {
    "half a character": (rb'{"id": "a1", "note": "x\ud83d"}', {"note": "x\ufffd"},
        "'a1' has note="),
    "a cut text": (b'{"id": "a1", "note": "x\xf0\x9f"}', {"note": "x\ufffd\ufffd"},
        "'a1' has note"),
    "half a name of a field": (rb'{"id": "a1", "\udc00": 1}', {"\ufffd": 1}, "'a1' has a field="),
    "NaN": (b'{"id": "a1", "new": [NaN]}', {"new": [None]}, "new: row 0 has new=nan"),
    "an amount": (b'{"id": "a1", "balance": -Infinity}', {"balance": None}, "has balance=-inf"),
    "a tab": (b'{"id": "a1", "note": "x\ty"}', {"note": "x\ty"}, "control character"),
}  # fmt: skip


@pytest.mark.parametrize(("row", "expected", "message"), NOT_STRICT.values(), ids=NOT_STRICT)
def test_an_answer_that_is_not_strict_json_is_read_with_one_warning_that_names_the_row(
    row: bytes, expected: Json, message: str
) -> None:
    content = b'{"data": {"accounts": [{"id": "a0", "note": "\\ud83d\\ude00"}, %b]}}' % row
    under_test = ClientUnderTest(httpx.Response(200, content=content))
    with pytest.warns(
        RuntimeWarning, match=f"GET /v1{PATH} is not strict JSON: .*{message}"
    ) as all_:
        rows = under_test.get(PATH)["accounts"]
    assert len(all_) == 1
    assert rows == [{"id": "a0", "note": "\U0001f600"}, {"id": "a1", **expected}]


def test_a_byte_order_mark_is_left_out_with_a_warning() -> None:
    under_test = ClientUnderTest(httpx.Response(200, content=b'\xef\xbb\xbf{"data": {"a": 1}}'))
    with pytest.warns(RuntimeWarning, match="is not strict JSON: it begins with a byte order mark"):
        assert under_test.get(PATH) == {"a": 1}


def test_an_error_that_is_not_strict_json_is_the_error_of_the_service() -> None:
    error = rb'{"error": {"id": "400", "name": "bad_request", "detail": "memo x\ud83d"}}'
    under_test = ClientUnderTest(httpx.Response(400, content=error))
    with pytest.raises(ServiceAPIError, match="memo x\ufffd"):
        under_test.get(PATH)


@pytest.mark.parametrize("path", ["/budgets/b\n1", "/user\x00", "/user\r\nHost: evil"])
def test_a_path_with_a_control_character_is_refused(path: str) -> None:
    under_test = ClientUnderTest()
    with pytest.raises(ValueError, match="control characters"):
        under_test.request("GET", path)


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


def test_get_ttl_returns_a_copy_of_a_cached_answer() -> None:
    under_test, at = ClientUnderTest(), datetime(2026, 6, 30, tzinfo=UTC)
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
    assert under_test.run(main(under_test, held)) == [{"accounts": ONE}, {"accounts": ONE}]
    assert len(under_test.wire.requests) == 1
