"""The records in the file, and the content of the file after a failure."""

import sqlite3
from contextlib import closing

import pytest

from budgetframe import DeltaCache, ToolError
from budgetframe._cache.sqlite_file import SQLiteFileError
from budgetframe._cache.sqlite_storage import SQLiteStorage
from budgetframe._cache.storage import Record, StorageError

from .child import result_of
from .computer import AS_OF, Kernel, Machine, collected_warnings, fresh, put, stale

MANY = [{"id": f"p{n}", "n": 0} for n in range(400)]


def rows_in(kernel: Kernel, table: str) -> int:
    with kernel.file.transaction() as file:
        (count,) = file.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608
    return int(count)


def test_failure_inside_a_transaction_leaves_file_and_memory_unchanged(machine: Machine) -> None:
    one, other = SQLiteStorage(machine.kernel().file), SQLiteStorage(machine.kernel().file)

    def put(storage: SQLiteStorage, n: int) -> None:
        with storage.transaction(write=True):
            storage.put("b1:payees", Record({"n": n}, (), n))
            if n == 1:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put(one, 1)
    put(other, 2)  # with the number of the revision that was not written
    for storage in (one, other):
        with storage.transaction():
            found = storage.find("b1:payees", ())
        assert found is not None
        assert (found.data, found.knowledge) == ({"n": 2}, 2)


def test_failed_commit_leaves_the_old_content_in_memory(machine: Machine) -> None:
    storage = SQLiteStorage(machine.kernel().file, machine.clock)
    with storage.transaction(write=True):
        storage.put("b1:payees", Record({"n": 1}, (), 1))

    def put_while_another_process_reads() -> None:
        with closing(sqlite3.connect(machine.path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM file").fetchone()  # lets others write, but not commit
            with storage.transaction(write=True):
                storage.put("b1:payees", Record({"n": 2}, (), 2))

    with pytest.raises(StorageError) as raised:
        put_while_another_process_reads()
    assert raised.value.is_temporary
    with storage.transaction():
        found = storage.find("b1:payees", ())
    assert found is not None
    assert (found.data, found.knowledge) == ({"n": 1}, 1)


def test_dropped_key_is_written_in_full_again(machine: Machine, subtests: pytest.Subtests) -> None:
    storage = SQLiteStorage(machine.kernel().file, machine.clock)
    record = Record({"n": 1}, (), 1)
    for is_one in (False, True):
        with subtests.test(is_one=is_one), storage.transaction(write=True):
            storage.put("b1:payees", record)
            if is_one:
                storage.drop_one("b1:payees", ())
            else:
                storage.drop(lambda key: key == "b1:payees")
            assert storage.find("b1:payees", ()) is None
            storage.put("b1:payees", record)
        other = SQLiteStorage(machine.kernel().file, machine.clock)
        with other.transaction():
            found = other.find("b1:payees", ())
        assert found is not None
        assert (found.data, found.knowledge) == ({"n": 1}, 1)


def test_small_delta_to_a_long_list_is_a_small_write(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": MANY}, 1)
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p0", "n": 1}]}, 2)
    with kernel.file.transaction() as file:
        lengths = file.execute("SELECT sum(length(content)) FROM deltas").fetchone()
    assert lengths == (len('{"payees":[{"id":"p0","n":1}]}'),)


def test_record_that_was_not_read_again_for_a_month_is_deleted(machine: Machine) -> None:
    kernel = machine.kernel()
    for day in ("2023-11-14", "2023-11-15"):
        kernel.cache.update("b1:transactions", {}, 1, params={"since_date": day})
    put(kernel.cache, "b1:user", {"id": "u1"}, 300.0, AS_OF)
    machine.pass_time(20 * 86_400.0)
    kernel.cache.merge(
        "b1:transactions", {"transactions": []}, 2, params={"since_date": "2023-11-15"}
    )
    machine.pass_time(11 * 86_400.0)
    later = machine.kernel()
    assert later.cache.get_knowledge("b1:transactions", params={"since_date": "2023-11-14"}) is None
    assert later.cache.get_knowledge("b1:transactions", params={"since_date": "2023-11-15"}) == 2
    assert rows_in(later, "records") == 1


def test_list_with_many_deltas_is_written_in_full_again(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": MANY}, 0)

    with kernel.file.transaction(write=True):  # one commit, which takes most of the time
        for n in range(1, 201):
            kernel.cache.merge("b1:payees", {"payees": [{"id": "p0", "n": n}]}, n)
    assert rows_in(kernel, "deltas") == 200
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p0", "n": 201}]}, 201)
    assert rows_in(kernel, "deltas") == 0
    assert machine.kernel().cache.get_data("b1:payees") == {
        "payees": [{"id": "p0", "n": 201}, *MANY[1:]]
    }


def test_list_that_is_shorter_than_its_deltas_is_written_in_full_again(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": [{"id": "p0", "name": "x" * 100}]}, 0)
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p1", "name": "x" * 80}]}, 1)
    assert rows_in(kernel, "deltas") == 1
    kernel.cache.merge("b1:payees", {"payees": [{"id": "p2", "name": "x" * 80}]}, 2)
    assert (rows_in(kernel, "deltas"), rows_in(kernel, "records")) == (0, 1)


def test_new_time_of_a_list_does_not_write_its_content_again(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.answers.store(kernel.cache.answers.look_up("b1:payees"), {"payees": MANY}, 1)
    with kernel.file.transaction() as file:
        before = file.execute("SELECT * FROM contents").fetchone()
    token = kernel.cache.answers.look_up("b1:payees")
    kernel.cache.answers.apply(token, {"payees": []}, 2, as_of=AS_OF, ttl=300.0)
    with kernel.file.transaction() as file:
        assert file.execute("SELECT * FROM contents").fetchone() == before
        assert file.execute("SELECT count(*) FROM deltas").fetchone() == (0,)
    assert fresh(machine.kernel().cache, "b1:payees", 300.0) == ({"payees": MANY}, AS_OF)
    assert machine.kernel().cache.get_knowledge("b1:payees") == 2


def test_list_that_update_replaced_is_not_fresh(machine: Machine) -> None:
    kernel = machine.kernel()
    token = kernel.cache.answers.look_up("b1:payees")
    kernel.cache.answers.store(token, {"payees": MANY}, 1, as_of=AS_OF, ttl=300.0)
    kernel.cache.update("b1:payees", {"payees": []}, 2)
    assert fresh(kernel.cache, "b1:payees", 300.0) is None
    assert stale(machine.kernel().cache, "b1:payees") is None


@pytest.mark.posix
def test_forked_child_opens_the_file_by_itself(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:payees", {"payees": []}, 7)

    def in_child() -> list[object]:
        with pytest.raises(ToolError, match="made in another process"):
            kernel.cache.get_knowledge("b1:payees")
        own = machine.kernel().cache
        known = own.get_knowledge("b1:payees")
        own.update("b1:payees", {"payees": []}, 8)
        return [known, own.get_knowledge("b1:payees")]

    assert result_of(in_child) == "[7, 8]"
    assert kernel.cache.get_knowledge("b1:payees") == 8


def test_object_of_set_ttl_stays_in_the_process_and_hides_a_stored_answer_until_it_expires(
    machine: Machine, either_cache: DeltaCache
) -> None:
    anything = object()
    either_cache.set_ttl("b1:settings", anything, 100.0)
    assert machine.kernel().cache.get_ttl("b1:settings") is None
    put(either_cache, "b1:settings", {"n": 2}, 300.0)
    assert either_cache.get_ttl("b1:settings") is anything
    machine.pass_time(100.0)
    assert either_cache.get_ttl("b1:settings") == {"n": 2}
    machine.pass_time(200.0)
    assert either_cache.get_ttl("b1:settings") is None


def test_file_that_was_lost_is_not_tried_again(machine: Machine) -> None:
    machine.path.parent.touch()
    file = machine.kernel().file

    def use() -> None:
        with file.transaction():
            pass

    with pytest.warns(RuntimeWarning, match="cannot be used"), pytest.raises(SQLiteFileError):
        use()
    machine.path.parent.unlink()
    with pytest.raises(SQLiteFileError):
        use()


def test_list_that_is_written_in_full_again_stays_fresh(machine: Machine) -> None:
    kernel = machine.kernel()
    token = kernel.cache.answers.look_up("b1:payees")
    kernel.cache.answers.store(token, {"payees": MANY[:3]}, 1, as_of=AS_OF, ttl=300.0)
    for knowledge in range(2, 9):  # the deltas are soon longer than the list
        rows = [{"id": f"p{n}", "n": knowledge} for n in range(3)]
        kernel.cache.merge("b1:payees", {"payees": rows}, knowledge, params={})
    assert rows_in(kernel, "deltas") < 7
    for each in (kernel, machine.kernel()):
        shown = {"payees": [{"id": f"p{n}", "n": 8} for n in range(3)]}
        assert fresh(each.cache, "b1:payees", 300.0) == (shown, AS_OF)


# Transactions and locks


def statements_of(kernel: Kernel) -> list[str]:
    """Return a list to which SQLite adds the statements of a kernel from now on."""
    statements: list[str] = []
    with kernel.file.transaction() as connection:
        pass
    connection.set_trace_callback(statements.append)
    return statements


def begins(statements: list[str]) -> list[str]:
    return [statement for statement in statements if statement.startswith("BEGIN")]


def test_reads_wait_for_no_writer(machine: Machine) -> None:
    writer, reader = machine.kernel(), machine.kernel()
    put(writer.cache, "b1:settings", {"n": 1}, 300.0)
    writer.cache.update("b1:payees", {"payees": [{"id": "p1"}]}, 7)
    assert reader.cache.get_knowledge("b1:payees") == 7  # the reader has opened the file
    with writer.file.transaction(write=True) as connection, collected_warnings() as messages:
        connection.execute("DELETE FROM records")  # not committed, so no reader sees it
        found = reader.cache.answers.find_fresh("b1:settings", (), 300.0)
        assert found is not None
        assert found.data == {"n": 1}
        assert reader.cache.get_data("b1:payees") == {"payees": [{"id": "p1"}]}
        assert reader.cache.answers.look_up("b1:payees").cursor == 7
        assert reader.guard.usage() == (True, 0, None)
    assert messages == []
    assert reader.uses_the_file


def test_reads_do_not_take_the_write_lock(machine: Machine) -> None:
    kernel = machine.kernel()
    statements = statements_of(kernel)
    kernel.cache.answers.find_fresh("b1:payees", (), 300.0)
    kernel.cache.answers.look_up("b1:payees")
    kernel.cache.get_data("b1:payees")
    kernel.cache.get_knowledge("b1:payees")
    kernel.cache.get_ttl("b1:payees")
    assert begins(statements) == ["BEGIN"] * 5
    kernel.cache.update("b1:payees", {"payees": []}, 7)
    assert begins(statements)[5:] == ["BEGIN IMMEDIATE"]


def test_write_inside_a_read_transaction_is_an_error(machine: Machine) -> None:
    cache = machine.kernel().cache
    with pytest.raises(RuntimeError, match="write=True inside a transaction without it"):
        cache.answers.read_together(lambda: cache.update("b1:payees", {"payees": []}, 7))
    assert machine.kernel().cache.get_knowledge("b1:payees") is None


def test_transaction_of_the_cache_is_one_transaction_of_sqlite(machine: Machine) -> None:
    kernel = machine.kernel()
    statements = statements_of(kernel)
    kernel.cache.answers.invalidate(["b1:payees", "b1:accounts"])
    assert begins(statements) == ["BEGIN IMMEDIATE"]
    assert statements.count("COMMIT") == 1
    statements.clear()

    def read() -> None:
        kernel.cache.answers.find_fresh("b1:payees", (), 300.0)
        kernel.cache.answers.look_up("b1:payees")
        kernel.cache.get_data("b1:payees")

    kernel.cache.answers.read_together(read)
    assert begins(statements) == ["BEGIN"]
