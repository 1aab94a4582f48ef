"""What the file holds, and what is left of it when something goes wrong in between."""

import os
from datetime import UTC, datetime

import pytest

from budgetframe._cache.sqlite_file import SQLiteFileError
from budgetframe._cache.sqlite_storage import SQLiteStorage
from budgetframe._cache.storage import Entry

from .computer import Kernel, Machine, heard

AS_OF = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
MANY = [{"id": f"p{n}", "n": 0} for n in range(400)]


def rows_in(kernel: Kernel, table: str) -> int:
    with kernel.store.transaction() as file:
        (count,) = file.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608
    return int(count)


def test_failure_in_between_leaves_the_file_as_it_was(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": []}, 7)

    def fail() -> None:
        with kernel.store.transaction() as file:
            file.execute("DELETE FROM entries")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert kernel.cache.get_knowledge("b1:payees") == 7
    assert machine.kernel().cache.get_knowledge("b1:payees") == 7


def test_failure_in_between_leaves_nothing_in_memory(machine: Machine) -> None:
    one, other = SQLiteStorage(machine.kernel().store), SQLiteStorage(machine.kernel().store)

    def put(storage: SQLiteStorage, n: int) -> None:
        with storage.transaction():
            storage.put("b1:payees", Entry({"n": n}, n, (), None), None)
            if n == 1:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put(one, 1)
    put(other, 2)
    with one.transaction():
        found = one.find("b1:payees", ())
    assert found is not None
    assert (found.data, found.knowledge) == ({"n": 2}, 2)


def test_small_delta_to_a_long_list_is_a_small_write(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": MANY}, 1)
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p0", "n": 1}]}, 2)
    with kernel.store.transaction() as file:
        lengths = file.execute("SELECT sum(length(delta)) FROM deltas").fetchone()
    assert lengths == (len('{"payees":[{"id":"p0","n":1}]}'),)


def test_what_nobody_has_read_again_for_a_month_is_deleted(machine: Machine) -> None:
    kernel = machine.kernel()
    for day in ("2023-11-14", "2023-11-15"):
        kernel.cache.update("b1:transactions", {}, 1, params={"since_date": day})
    kernel.cache.put_timed(kernel.cache.begin_read("b1:user"), {"id": "u1"}, 300.0, AS_OF)
    machine.pass_time(20 * 86_400.0)
    kernel.cache.merge(
        "b1:transactions", {"transactions": []}, 2, params={"since_date": "2023-11-15"}
    )
    machine.pass_time(11 * 86_400.0)
    later = machine.kernel()
    assert later.cache.get_knowledge("b1:transactions", params={"since_date": "2023-11-14"}) is None
    assert later.cache.get_knowledge("b1:transactions", params={"since_date": "2023-11-15"}) == 2
    assert rows_in(later, "limited") == 0


def test_many_deltas_are_written_down_as_a_list_again(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": MANY}, 0)
    for n in range(1, 201):
        kernel.cache.merge("b1:payees", {"payees": [{"id": "p0", "n": n}]}, n)
    assert rows_in(kernel, "deltas") == 200
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p0", "n": 201}]}, 201)
    assert rows_in(kernel, "deltas") == 0
    assert machine.kernel().cache.get_data("b1:payees") == {
        "payees": [{"id": "p0", "n": 201}, *MANY[1:]]
    }


def test_deltas_longer_than_their_list_are_written_down_as_a_list_again(
    machine: Machine,
) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": [{"id": "p0", "name": "x" * 100}]}, 0)
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p1", "name": "x" * 80}]}, 1)
    assert rows_in(kernel, "deltas") == 1
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p2", "name": "x" * 80}]}, 2)
    assert (rows_in(kernel, "deltas"), rows_in(kernel, "entries")) == (0, 1)


def test_answer_that_is_a_list_is_not_written_down_twice(machine: Machine) -> None:
    kernel = machine.kernel()
    reading = kernel.cache.begin_read("b1:payees")
    whole = {"payees": MANY}
    kernel.cache.store(reading, whole, 1)
    kernel.cache.put_timed(reading, whole, 300.0, AS_OF)
    with kernel.store.transaction() as file:
        assert file.execute("SELECT length(answer) FROM limited").fetchone() == (0,)
    assert machine.kernel().cache.get_timed("b1:payees", 300.0) == (whole, AS_OF)


def test_answer_that_is_a_list_goes_when_the_list_is_replaced(machine: Machine) -> None:
    kernel = machine.kernel()
    reading = kernel.cache.begin_read("b1:payees")
    whole = {"payees": MANY}
    kernel.cache.store(reading, whole, 1)
    kernel.cache.put_timed(reading, whole, 300.0, AS_OF)
    kernel.cache.update("b1:payees", {"payees": []}, 2)
    assert kernel.cache.get_timed("b1:payees", 300.0) is None
    assert machine.kernel().cache.get_stale("b1:payees") is None
    assert rows_in(kernel, "limited") == 0


def test_list_goes_on_for_others_with_what_one_merges(machine: Machine) -> None:
    one, other = machine.kernel(), machine.kernel()
    one.cache.update("b1:payees", {"payees": MANY}, 1)
    assert other.cache.get_data("b1:payees") == {"payees": MANY}
    for n in (2, 3):
        one.cache.merge("b1:payees", {"payees": [{"id": f"p{n}", "n": n}]}, n)
    expected = [*MANY[:2], {"id": "p2", "n": 2}, {"id": "p3", "n": 3}, *MANY[4:]]
    assert other.cache.get_data("b1:payees") == {"payees": expected}
    one.cache.merge("b1:payees", {"payees": [{"id": "p3", "deleted": True}]}, 4)
    assert other.cache.get_data("b1:payees") == {"payees": expected[:3] + expected[4:]}
    assert other.cache.get_knowledge("b1:payees") == 4


def test_list_that_one_replaces_is_replaced_for_others(machine: Machine) -> None:
    one, other = machine.kernel(), machine.kernel()
    one.cache.update("b1:payees", {"payees": MANY}, 1)
    reading = other.cache.begin_read("b1:payees")
    one.cache.update("b1:payees", {"payees": [{"id": "new"}]}, 2)
    assert other.cache.apply(reading, {"payees": [{"id": "newer"}]}, 3) is None
    assert other.cache.get_data("b1:payees") == {"payees": [{"id": "new"}]}
    one.cache.invalidate("b1:payees")
    assert other.cache.get_data("b1:payees") is None
    other.cache.store(reading, {"payees": []}, 4)
    assert other.cache.get_data("b1:payees") is None


def test_newest_list_is_the_one_that_was_stored_last(machine: Machine) -> None:
    cache = machine.kernel().cache
    for n, since in enumerate(("3", "1", "2", "1")):
        cache.update("b1:payees", {"n": n}, n, params={"since": since})
    assert machine.kernel().cache.get_data("b1:payees") == {"n": 3}


def test_answer_does_not_follow_its_list_to_another_one(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": [{"id": "one"}]}, 55)
    kernel.cache.update("b2:payees", {"payees": [{"id": "other"}]}, 77)
    entry = kernel.cache.begin_read("b2:payees").entry
    assert entry is not None
    kernel.cache.put_timed(kernel.cache.begin_read("b2:payees"), entry.data, 300.0, AS_OF)
    kernel.store.close()
    content = machine.path.read_bytes()
    assert content.count(b"b2:payeesnull77") == 1  # in the table, not in its index
    machine.path.write_bytes(content.replace(b"b2:payeesnull77", b"b1:payeesnull77"))
    with heard() as said:
        assert machine.kernel().cache.get_timed("b2:payees", 300.0) is None
    assert len(said) == 1


def test_file_found_damaged_in_mid_use_gives_way_to_a_new_one(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": MANY}, 7)
    machine.path.write_bytes(bytes(8_192))
    with heard() as said:
        assert kernel.cache.get_knowledge("b1:payees") is None
    assert len(said) == 1
    assert not kernel.is_on_the_file
    machine.kernel().cache.update("b1:payees", {"payees": []}, 8)
    assert machine.kernel().cache.get_knowledge("b1:payees") == 8


def test_forked_child_opens_the_file_anew(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": []}, 7)
    of_parent = kernel.store._connection
    child = os.fork()
    if child == 0:
        status = 1
        try:
            known = kernel.cache.get_knowledge("b1:payees")
            kernel.cache.update("b1:payees", {"payees": []}, 8)
            status = 0 if known == 7 and kernel.store._connection is not of_parent else 2
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(ended) == 0
    assert kernel.cache.get_knowledge("b1:payees") == 8
    assert kernel.store._connection is of_parent


def test_what_was_set_by_hand_stays_in_the_process(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    anything = object()
    kernel.cache.set_ttl("b1:settings", anything, 300.0)
    assert kernel.cache.get_ttl("b1:settings") is anything
    assert other.cache.get_ttl("b1:settings") is None
    machine.pass_time(300.0)
    assert kernel.cache.get_ttl("b1:settings") is None


@pytest.mark.parametrize("last", ["set", "remembered"])
def test_what_was_stored_last_under_a_key_is_what_is_there(machine: Machine, last: str) -> None:
    kernel = machine.kernel()
    kernel.cache.set_ttl("b1:settings", "set", 300.0)
    kernel.cache.put_timed(kernel.cache.begin_read("b1:settings"), "remembered", 300.0, AS_OF)
    if last == "set":
        kernel.cache.set_ttl("b1:settings", "set", 300.0)
    assert kernel.cache.get_ttl("b1:settings") == last
    assert rows_in(kernel, "limited") == (last == "remembered")


def test_file_that_was_lost_is_not_tried_again(machine: Machine) -> None:
    machine.path.parent.touch()
    store = machine.kernel().store

    def use() -> None:
        with store.transaction():
            pass

    with pytest.warns(RuntimeWarning, match="cannot be used"), pytest.raises(SQLiteFileError):
        use()
    machine.path.parent.unlink()
    with pytest.raises(SQLiteFileError):
        use()


def test_answer_that_shows_a_list_outlives_its_being_written_anew(machine: Machine) -> None:
    kernel = machine.kernel()
    reading = kernel.cache.begin_read("b1:payees")
    kernel.cache.store(reading, {"payees": MANY[:3]}, 1)
    entry = kernel.cache.begin_read("b1:payees").entry
    assert entry is not None
    kernel.cache.put_timed(reading, entry.data, 300.0, AS_OF)
    for knowledge in range(2, 9):  # longer than the list after a few: written anew, in full
        rows = [{"id": f"p{n}", "n": knowledge} for n in range(3)]
        kernel.cache.merge("b1:payees", {"payees": rows}, knowledge, params={})
    assert rows_in(kernel, "deltas") < 7
    for each in (kernel, machine.kernel()):
        shown = {"payees": [{"id": f"p{n}", "n": 8} for n in range(3)]}
        assert each.cache.get_timed("b1:payees", 300.0) == (shown, AS_OF)
