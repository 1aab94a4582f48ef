"""Another process holds the lock of the file: a call goes on without the file, the next uses it."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from types import FrameType

import httpx
import pytest

from budgetframe import DeltaCache
from tests.client.wire import Wire, accounts, answer

from .computer import AS_OF, Json, Kernel, Machine, fresh, locked, put, stale

ACCOUNTS = {"accounts": [{"id": "a1"}]}
MANY: Json = {"payees": [{"id": f"p{n}", "name": "x" * 100} for n in range(2_000)]}


def test_file_that_is_busy_at_its_opening_is_used_by_the_next_call(machine: Machine) -> None:
    machine.kernel().cache.update("b1:accounts", ACCOUNTS, 7)
    kernel = machine.kernel()
    with locked(machine.path):
        assert kernel.cache.get_knowledge("b1:accounts") is None
        assert kernel.guard.usage() == (True, 0, None)
    assert kernel.cache.get_knowledge("b1:accounts") == 7
    assert kernel.uses_the_file


def test_reads_find_nothing_while_the_file_is_busy(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", ACCOUNTS, 7)
    put(kernel.cache, "b1:settings", {"n": 1}, 300.0)
    with locked(machine.path):
        assert kernel.cache.get_data("b1:accounts") is None
        assert kernel.cache.get_ttl("b1:settings") is None
        assert fresh(kernel.cache, "b1:settings", 300.0) is None
        assert kernel.cache.answers.look_up("b1:accounts").cursor is None
    assert kernel.cache.get_data("b1:accounts") == ACCOUNTS
    assert kernel.cache.get_ttl("b1:settings") == {"n": 1}
    assert fresh(kernel.cache, "b1:settings", 300.0) == ({"n": 1}, AS_OF)
    assert kernel.cache.answers.look_up("b1:accounts").cursor == 7


def test_answer_is_not_stored_while_the_file_is_busy(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", ACCOUNTS, 7, params={})
    token = kernel.cache.answers.look_up("b1:accounts")
    with locked(machine.path):
        assert kernel.cache.answers.apply(token, {"accounts": []}, 8) is None
        kernel.cache.answers.store(token, {"accounts": []}, 8)
        kernel.cache.answers.stamp(token, ACCOUNTS, AS_OF, 300.0)
        kernel.cache.answers.discard(token)
        begun_without_the_file = kernel.cache.answers.look_up("b1:accounts")
    kernel.cache.answers.store(begun_without_the_file, {"accounts": []}, 9)
    for cache in (kernel.cache, machine.kernel().cache):
        assert cache.get_data("b1:accounts") == ACCOUNTS
        assert cache.get_knowledge("b1:accounts") == 7


def test_list_stored_by_hand_while_the_file_is_busy_hides_the_old_one(
    machine: Machine, subtests: pytest.Subtests
) -> None:
    ways: list[Callable[[DeltaCache], object]] = [
        lambda cache: cache.update("b1:accounts", {"accounts": []}, 8),
        lambda cache: cache.merge("b1:accounts", {"accounts": []}, 8),
    ]
    kernel, other = machine.kernel(), machine.kernel()
    for change in ways:
        with subtests.test(change=change):
            kernel.cache.update("b1:accounts", ACCOUNTS, 7)
            with locked(machine.path):
                change(kernel.cache)
            for cache in (other.cache, kernel.cache, machine.kernel().cache):
                assert cache.get_data("b1:accounts") is None


def test_only_the_first_call_waits_for_the_whole_timeout(machine: Machine) -> None:
    kernel = machine.kernel(timeout=0.3)

    def timeout() -> int:
        assert kernel.file._connection is not None
        (milliseconds,) = kernel.file._connection.execute("PRAGMA busy_timeout").fetchone()
        return int(milliseconds)

    kernel.cache.update("b1:accounts", ACCOUNTS, 7)
    assert timeout() == 300
    with locked(machine.path):
        assert kernel.cache.get_knowledge("b1:accounts") is None
        assert timeout() == 100
        assert kernel.cache.get_knowledge("b1:accounts") is None
    with closing(sqlite3.connect(machine.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # another process writes: reads work, writes do not
        assert kernel.cache.get_knowledge("b1:accounts") == 7
        assert timeout() == 100
    kernel.cache.update("b1:accounts", ACCOUNTS, 8)
    assert timeout() == 300


# Records that are dropped while the file is busy


DROPS: list[Callable[[DeltaCache], None]] = [
    lambda cache: cache.invalidate("b1:accounts"), lambda cache: cache.invalidate_budget("b1"),
    lambda cache: cache.clear(),
]  # fmt: skip


@pytest.mark.parametrize("drop", DROPS, ids=["invalidate", "invalidate_budget", "clear"])
def test_records_dropped_while_the_file_is_busy_are_served_by_no_process(
    machine: Machine, drop: Callable[[DeltaCache], None]
) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    token = other.cache.answers.look_up("b1:accounts")
    other.cache.answers.store(token, ACCOUNTS, 7, as_of=AS_OF, ttl=300.0)
    assert fresh(kernel.cache, "b1:accounts", 300.0) == (ACCOUNTS, AS_OF)
    with locked(machine.path):
        drop(kernel.cache)
    for cache in (other.cache, kernel.cache, machine.kernel().cache):
        assert stale(cache, "b1:accounts") is None
        assert cache.get_knowledge("b1:accounts") is None
    assert not machine.path.with_suffix(".outdated").exists()
    put(other.cache, "b1:accounts", ACCOUNTS, 300.0)
    assert fresh(kernel.cache, "b1:accounts", 300.0) == (ACCOUNTS, AS_OF)


def test_read_that_began_before_a_drop_of_a_busy_file_stores_nothing(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    put(kernel.cache, "b1:settings", {"n": 1}, 300.0)
    other.cache.update("b1:payees", {"payees": []}, 7, params={})
    full, delta = (
        other.cache.answers.look_up("b1:accounts"), other.cache.answers.look_up("b1:payees"),
    )  # fmt: skip
    with locked(machine.path):
        kernel.cache.invalidate("b1:accounts")
    other.cache.answers.store(full, ACCOUNTS, 7, as_of=AS_OF, ttl=300.0)
    assert other.cache.answers.apply(delta, {"payees": []}, 8, as_of=AS_OF, ttl=300.0) is None
    for cache in (other.cache, kernel.cache):
        assert stale(cache, "b1:accounts") is None
        assert stale(cache, "b1:payees") is None


def test_drop_whose_commit_finds_a_reader_is_not_lost(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    for name in ("accounts", "payees"):
        put(other.cache, f"b1:{name}", {name: []}, 300.0)
    assert fresh(kernel.cache, "b1:accounts", 300.0) is not None
    with closing(sqlite3.connect(machine.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM file").fetchone()  # lets others write, but not commit
        kernel.cache.answers.invalidate(["b1:accounts", "b1:payees"])
    for cache in (other.cache, kernel.cache):
        assert stale(cache, "b1:accounts") is None
        assert stale(cache, "b1:payees") is None
    assert kernel.uses_the_file


def test_write_with_a_busy_file_outdates_the_answers_of_all_processes(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    put(other.cache, "b1:transactions", {"transactions": []}, 300.0)
    assert fresh(kernel.cache, "b1:transactions", 300.0) is not None
    seen: list[object] = []

    def respond(_: httpx.Request) -> httpx.Response:
        # The other process looks before this response arrives.
        lock.__exit__(None, None, None)
        seen.append(stale(other.cache, "b1:transactions"))
        return answer({"transaction": {"id": "t1"}})

    lock = locked(machine.path)
    lock.__enter__()
    asyncio.run(kernel.client(Wire(respond)).post("/budgets/b1/transactions", json={}))
    assert seen == [None]
    assert stale(machine.kernel().cache, "b1:transactions") is None


def test_read_goes_on_without_a_busy_file(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", ACCOUNTS, 7, params={})
    wire = Wire(accounts(9, {"id": "a9"}), accounts(8))
    client = kernel.client(wire)
    with locked(machine.path):
        data = asyncio.run(client.get("/budgets/b1/accounts"))
    assert data == {"accounts": [{"id": "a9"}]}
    assert asyncio.run(kernel.client(wire).get("/budgets/b1/accounts")) == ACCOUNTS
    assert wire.cursors == [None, "7"]
    assert machine.kernel().guard.usage()[1] == 2


# Large answers


def slow_work(kernel: Kernel, call: Callable[[], object]) -> list[tuple[str, bool]]:
    """Return the names of slow functions that a call uses, and whether a transaction was open."""
    found = []

    def on_event(frame: FrameType, event: str, function: object) -> None:
        name = getattr(function, "__name__", "") if event == "c_call" else frame.f_code.co_name
        if event in ("call", "c_call") and name in ("to_json", "from_json", "merge"):
            found.append((name, kernel.file.in_transaction))

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found


def test_large_answer_is_serialised_before_the_transaction(machine: Machine) -> None:
    kernel = machine.kernel()
    token = kernel.cache.answers.look_up("b1:payees")
    work = slow_work(
        kernel, lambda: kernel.cache.answers.store(token, MANY, 7, as_of=AS_OF, ttl=300.0)
    )
    assert work == [("to_json", False)]
    work = slow_work(kernel, lambda: kernel.cache.update("b1:payees", MANY, 8))
    assert work == [("to_json", False)]
    assert machine.kernel().cache.get_data("b1:payees") == MANY


def test_large_answer_is_parsed_after_the_transaction_that_reads_it(machine: Machine) -> None:
    machine.kernel().cache.update("b1:payees", MANY, 7)
    reads: list[Callable[[DeltaCache], object]] = [
        lambda cache: cache.answers.find_fresh("b1:payees", (), 300.0),
        lambda cache: cache.answers.look_up("b1:payees"),
        lambda cache: cache.answers.read_together(lambda: cache.get_data("b1:payees")),
    ]
    for read in reads:
        kernel = machine.kernel()
        assert slow_work(kernel, partial(read, kernel.cache)) == [("from_json", False)]
    assert machine.kernel().cache.get_data("b1:payees") == MANY


def test_large_delta_is_merged_outside_of_transactions(machine: Machine) -> None:
    one, other = machine.kernel(), machine.kernel()
    one.cache.update("b1:payees", MANY, 7, params={})
    token = one.cache.answers.look_up("b1:payees")
    assert other.cache.get_data("b1:payees") == MANY
    delta = {"payees": [{"id": row["id"], "name": "y" * 100} for row in MANY["payees"][:1_500]]}
    expected = {"payees": delta["payees"] + MANY["payees"][1_500:]}
    work = slow_work(one, lambda: one.cache.answers.apply(token, delta, 8))
    assert work == [("merge", False), ("to_json", False)]
    work = slow_work(other, lambda: other.cache.get_data("b1:payees"))
    assert work == [("from_json", False), ("merge", False)]
    assert other.cache.get_data("b1:payees") == expected
    # The second delta makes the deltas longer than the list: the list is written in full.
    token = one.cache.answers.look_up("b1:payees")
    work = slow_work(one, lambda: one.cache.answers.apply(token, delta, 9))
    assert work == [("merge", False), ("to_json", False)]
    token = one.cache.answers.look_up("b1:payees")
    new = {"payees": [row | {"n": 1} for row in delta["payees"]]}
    work = slow_work(one, lambda: one.cache.answers.apply(token, new, 10))
    assert work == [("merge", False), ("to_json", False), ("to_json", False)]
    with one.file.transaction() as file:
        assert file.execute("SELECT count(*) FROM deltas").fetchone() == (0,)
    assert other.cache.get_data("b1:payees") == {"payees": new["payees"] + MANY["payees"][1_500:]}
    assert other.cache.get_knowledge("b1:payees") == 10


def test_list_that_changes_at_every_attempt_is_parsed_at_last(machine: Machine) -> None:
    writer, reader = machine.kernel(), machine.kernel()
    writer.cache.update("b1:payees", MANY, 1)
    attempts = 0

    def read() -> object:
        nonlocal attempts
        attempts += 1
        writer.cache.update("b1:payees", MANY, attempts)  # the reader has no lock yet
        return reader.cache.get_knowledge("b1:payees")

    assert reader.cache.answers.read_together(read) == 21
    assert attempts == 21
