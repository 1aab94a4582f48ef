"""Whether a read is stored when the cache changes or a write change during the read."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

from budgetframe import DeltaCache, RateLimiter, ServiceAPIError, ServiceClient, ToolError

from .wire import ClientUnderTest, HeldAnswer, Json, accounts, answer, error_answer

PATH = "/budgets/b1/accounts"
KEY = "b1:accounts"
WHOLE = {"accounts": [{"id": "a1"}, {"id": "a2"}, {"id": "a3"}]}


def whole(knowledge: int) -> httpx.Response:
    return accounts(knowledge, {"id": "a1"}, {"id": "a2"}, {"id": "a3"})


def store_list(under_test: ClientUnderTest) -> None:
    under_test.cache.update(KEY, {"accounts": [{"id": "a1"}, {"id": "a2"}]}, 5)


# The answer to a cursor has no server knowledge.


def test_delta_without_knowledge_causes_a_full_read() -> None:
    under_test = ClientUnderTest(answer({"accounts": [{"id": "a3"}]}), whole(7))
    store_list(under_test)
    assert under_test.get(PATH) == WHOLE
    assert under_test.wire.cursors == ["5", None]
    assert (under_test.cache.get_knowledge(KEY), under_test.cache.get_data(KEY)) == (7, WHOLE)


def test_full_read_after_a_delta_has_the_same_parameters() -> None:
    under_test = ClientUnderTest(
        answer({"transactions": []}), answer({"transactions": [], "server_knowledge": 7})
    )
    since = {"since_date": "2020-01-01"}
    under_test.cache.update("b1:transactions", {"transactions": []}, 5, params=since)
    under_test.get("/budgets/b1/transactions", params=since)
    assert under_test.wire.queries[1] == {"since_date": "2020-01-01"}


def test_service_without_knowledge_gets_only_one_full_read() -> None:
    under_test = ClientUnderTest(answer({"accounts": [{"id": "a3"}]}), answer(WHOLE))
    store_list(under_test)
    assert (under_test.get(PATH), under_test.cache.get_data(KEY)) == (WHOLE, None)


@pytest.mark.parametrize(("threshold", "error"), [(1, ToolError), (2, ServiceAPIError)])
def test_entry_is_dropped_if_the_full_read_fails(threshold: int, error: type[Exception]) -> None:
    without_knowledge = answer({"accounts": [{"id": "a3"}]})
    under_test = ClientUnderTest(without_knowledge, error_answer(500), threshold=threshold)
    store_list(under_test)
    with pytest.raises(error):
        under_test.get(PATH)
    assert under_test.cache.get_knowledge(KEY) is None


# The entry is dropped or replaced while its delta is under way.

CHANGES: dict[str, Callable[[DeltaCache], object]] = {
    "invalidate": lambda cache: cache.invalidate(KEY),
    "invalidate_budget": lambda cache: cache.invalidate_budget("b1"),
    "clear": lambda cache: cache.clear(),
    "update": lambda cache: cache.update(KEY, {"accounts": [{"id": "a9"}]}, 20),
    "update with the same knowledge": lambda cache: cache.update(KEY, {"accounts": []}, 5),
}


def read_during(
    under_test: ClientUnderTest, held: HeldAnswer, change: Callable[[DeltaCache], object]
) -> Json:
    """Read a stored list, and change the cache before the delta arrives."""
    store_list(under_test)
    return read_in_full_during(under_test, held, change)


def read_in_full_during(
    under_test: ClientUnderTest, held: HeldAnswer, change: Callable[[DeltaCache], object]
) -> Json:
    """Read a list, and change the cache before the answer arrives."""

    async def script() -> Json:
        reading = await under_test.begin(under_test.client.get(PATH))
        change(under_test.cache)
        held.release_answer()
        return await reading

    return under_test.run(script())


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_delta_without_its_entry_causes_a_full_read(change: Callable[[DeltaCache], object]) -> None:
    held = HeldAnswer(accounts(6, {"id": "a3"}))
    under_test = ClientUnderTest(held, whole(30))
    assert read_during(under_test, held, change) == WHOLE
    assert under_test.wire.cursors == ["5", None]


NEWER = {"accounts": [{"id": "a9"}]}
LEFT = [*((how, None) for how in ("invalidate", "invalidate_budget", "clear")), ("update", NEWER)]


@pytest.mark.parametrize(("how", "left"), LEFT)
def test_delta_is_not_kept_if_its_list_was_dropped_or_replaced(how: str, left: Json | None) -> None:
    held = HeldAnswer(accounts(6, {"id": "a3"}))
    under_test = ClientUnderTest(held, threshold=1)
    with pytest.raises(ToolError):
        read_during(under_test, held, CHANGES[how])
    assert under_test.cache.get_data(KEY) == left


def test_drop_of_another_list_does_not_affect_a_delta_under_way() -> None:
    held = HeldAnswer(accounts(6, {"id": "a3"}))
    under_test = ClientUnderTest(held)
    assert read_during(under_test, held, lambda cache: cache.invalidate("b1:payees")) == WHOLE


@pytest.mark.parametrize(("how", "left"), LEFT)
def test_full_read_is_not_kept_if_its_list_is_dropped_or_newer(how: str, left: Json | None) -> None:
    held = HeldAnswer(whole(5))
    under_test = ClientUnderTest(held)
    read_in_full_during(under_test, held, CHANGES[how])
    assert under_test.cache.get_data(KEY) == left
    assert under_test.cache.get_knowledge(KEY) == (20 if how == "update" else None)


# A write ends while a read is under way.


def write_during_read(
    under_test: ClientUnderTest, read: HeldAnswer, write_path: str,
    writer: ServiceClient | None = None,
) -> Json:  # fmt: skip
    """Begin a read, write, perhaps with another client, then release the answer to the read."""

    async def script() -> Json:
        reading = await under_test.begin(under_test.client.get(PATH))
        try:
            await (writer or under_test.client).post(write_path)
        except (ServiceAPIError, httpx.TransportError):
            assert write_path == PATH
        read.release_answer()
        return await reading

    return under_test.run(script())


@pytest.mark.parametrize(("write_path", "outcome"), [
    (PATH, answer({})), ("/budgets/b1/transactions", answer({})),
    ("/plans/b1/accounts/", answer({})), (PATH, error_answer(400)), (PATH, httpx.Response(204)),
    (PATH, httpx.ReadTimeout("slow")),
], ids=["same list", "linked list", "other spelling", "error", "204", "no answer"])  # fmt: skip
def test_read_that_a_write_overtook_is_returned_and_not_stored(
    write_path: str, outcome: httpx.Response | Exception
) -> None:
    read = HeldAnswer(whole(5))
    under_test = ClientUnderTest(read, outcome)
    assert write_during_read(under_test, read, write_path) == WHOLE
    assert under_test.cache.get_data(KEY) is None
    assert under_test.cache.get_knowledge(KEY) is None


def test_read_begun_while_a_write_is_under_way_is_not_stored() -> None:
    write, read = HeldAnswer(answer({})), HeldAnswer(whole(5))
    under_test = ClientUnderTest(write, read)

    async def script() -> None:
        writing = await under_test.begin(under_test.client.post(PATH))
        reading = await under_test.begin(under_test.client.get(PATH))
        write.release_answer()
        await writing
        read.release_answer()
        await reading

    under_test.run(script())
    assert under_test.cache.get_data(KEY) is None


def test_list_that_was_read_during_a_write_is_dropped_after_it() -> None:
    write = HeldAnswer(answer({}))
    under_test = ClientUnderTest(write, whole(5))

    async def script() -> None:
        writing = await under_test.begin(under_test.client.post(PATH))
        await under_test.client.get(PATH)
        write.release_answer()
        await writing

    under_test.run(script())
    assert under_test.cache.get_data(KEY) is None


def test_delta_that_a_write_overtook_is_read_again_in_full() -> None:
    read = HeldAnswer(accounts(6, {"id": "a3"}))
    under_test = ClientUnderTest(read, answer({}), whole(8))
    store_list(under_test)
    assert write_during_read(under_test, read, PATH) == WHOLE
    assert under_test.wire.cursors == ["5", None, None]
    assert (under_test.cache.get_knowledge(KEY), under_test.cache.get_data(KEY)) == (8, WHOLE)


def test_cancelled_write_overtakes_a_read_too() -> None:
    read, write = HeldAnswer(whole(5)), HeldAnswer(answer({}))
    under_test = ClientUnderTest(read, write)

    async def script() -> None:
        reading = await under_test.begin(under_test.client.get(PATH))
        await under_test.cancel(under_test.client.post(PATH))
        read.release_answer()
        await reading

    under_test.run(script())
    assert under_test.cache.get_data(KEY) is None


# Two clients on one cache.


def test_write_of_another_client_on_the_same_cache_overtakes_a_read_too() -> None:
    read = HeldAnswer(whole(5))
    under_test = ClientUnderTest(read, answer({}))
    other = ServiceClient(under_test.http, RateLimiter(), under_test.cache)
    write_during_read(under_test, read, PATH, other)
    assert under_test.cache.get_data(KEY) is None


def test_cursor_never_moves_backwards_when_two_clients_read() -> None:
    slow, quick = HeldAnswer(accounts(6, {"id": "a3"})), HeldAnswer(accounts(7, {"id": "a3"}))
    under_test = ClientUnderTest(slow, quick, whole(8))
    other = ServiceClient(under_test.http, RateLimiter(), under_test.cache)
    store_list(under_test)

    async def script() -> Json:
        first = await under_test.begin(under_test.client.get(PATH))
        second = asyncio.create_task(other.get(PATH))
        await under_test.wire.arrived(2)
        quick.release_answer()
        await second
        slow.release_answer()
        return await first

    returned = under_test.run(script())
    assert (returned, under_test.cache.get_knowledge(KEY) in {7, 8}) == (WHOLE, True)
