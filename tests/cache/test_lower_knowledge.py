"""The service answers a delta with a lower knowledge: processes that share a file read in full."""

import asyncio
from typing import Any

from tests.client.wire import HeldAnswer, Wire, accounts

from .computer import Json, Kernel, Machine

PATH = "/budgets/b1/accounts"
BEFORE = {"accounts": [{"id": "a1", "name": "before"}]}
SET_BACK = {"accounts": [{"id": "a1", "name": "set back"}]}


def read(kernel: Kernel, wire: Wire) -> Json:
    data: dict[str, Any] = asyncio.run(kernel.client(wire).get(PATH))
    return data


def test_full_read_replaces_the_list_for_all_processes(machine: Machine) -> None:
    one, other = machine.kernel(), machine.kernel()
    one.cache.update("b1:accounts", BEFORE, 9, params={})
    assert other.cache.get_data("b1:accounts") == BEFORE
    wire = Wire(accounts(4), accounts(4, *SET_BACK["accounts"]), accounts(5))
    assert read(one, wire) == SET_BACK
    assert (other.cache.get_knowledge("b1:accounts"), read(other, wire)) == (4, SET_BACK)
    assert wire.cursors == ["9", None, "4"]
    following = machine.kernel().cache
    assert following.get_knowledge("b1:accounts") == 5
    assert following.get_data("b1:accounts") == SET_BACK


def test_processes_that_notice_it_at_the_same_time_store_the_new_list(machine: Machine) -> None:
    one, other = machine.kernel(), machine.kernel()
    one.cache.update("b1:accounts", BEFORE, 9, params={})
    delta = HeldAnswer(accounts(4)), HeldAnswer(accounts(4))
    wire = Wire(*delta, *(accounts(4, *SET_BACK["accounts"]) for _ in range(2)))

    async def both() -> list[Json]:
        reads = [asyncio.ensure_future(kernel.client(wire).get(PATH)) for kernel in (one, other)]
        await wire.arrived(2)
        for held in delta:
            held.release_answer()
        return list(await asyncio.gather(*reads))

    assert asyncio.run(both()) == [SET_BACK, SET_BACK]
    assert wire.cursors == ["9", "9", None, None]
    for kernel in (one, other, machine.kernel()):
        assert kernel.cache.get_knowledge("b1:accounts") == 4
        assert kernel.cache.get_data("b1:accounts") == SET_BACK


def test_delta_from_before_is_not_merged_into_the_list_from_after(machine: Machine) -> None:
    one, other = machine.kernel(), machine.kernel()
    one.cache.update("b1:accounts", BEFORE, 9, params={})
    token = other.cache.answers.look_up("b1:accounts")
    read(one, Wire(accounts(4), accounts(4, *SET_BACK["accounts"])))
    assert other.cache.answers.apply(token, {"accounts": [{"id": "a1", "name": "old"}]}, 12) is None
    assert other.cache.get_data("b1:accounts") == SET_BACK
    assert other.cache.get_knowledge("b1:accounts") == 4
