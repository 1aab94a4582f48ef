"""Where the file cannot be: one warning, and everything goes on in memory."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from budgetframe._client.limiter import RequestOutcome
from tests.facade.scripts import run_script

from .computer import AS_OF, Kernel, Machine, collected_warnings, fresh, put, stale


def uses_memory(kernel: Kernel) -> list[str]:
    """Use it, see that it remembers, and give what was said."""
    with collected_warnings() as said:
        kernel.cache.update("b1:payees", {"payees": [{"id": "p1"}]}, 7)
        put(kernel.cache, "b1:settings", {"n": 1}, 300.0, AS_OF)
        assert kernel.limiter.reserve() == (True, 0, None)
        kernel.limiter.release(RequestOutcome.ANSWERED)
        kernel.limiter.record()
    assert kernel.cache.get_data("b1:payees") == {"payees": [{"id": "p1"}]}
    assert fresh(kernel.cache, "b1:settings", 300.0) == ({"n": 1}, AS_OF)
    assert kernel.limiter.usage()[1] == 2
    assert not kernel.uses_the_file
    return said


def a_file_for_a_folder(path: Path) -> None:
    path.parent.touch()


def a_file_for_the_folder_above(path: Path) -> None:
    path.parent.parent.rmdir()
    path.parent.parent.touch()


def a_link_for_a_folder(path: Path) -> None:
    elsewhere = path.parent.with_name("elsewhere")
    elsewhere.mkdir()
    path.parent.symlink_to(elsewhere)


def a_folder(path: Path) -> None:
    path.mkdir(parents=True)


def a_link(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path.with_name("elsewhere"))


def a_pipe(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)


def a_folder_for_the_journal(path: Path) -> None:
    path.with_name(f"{path.name}-journal").mkdir(parents=True)


def a_folder_for_the_mark(path: Path) -> None:
    path.with_suffix(".outdated").mkdir(parents=True)


OBSTACLES = [
    a_file_for_a_folder,
    a_file_for_the_folder_above,
    a_link_for_a_folder,
    a_folder,
    a_link,
    a_pipe,
    a_folder_for_the_journal,
    a_folder_for_the_mark,
]


@pytest.mark.parametrize("obstruct", OBSTACLES)
def test_what_stands_in_the_way_is_said_once_and_left_alone(
    machine: Machine, obstruct: Callable[[Path], None]
) -> None:
    obstruct(machine.path)
    before = sorted(machine.path.parent.parent.rglob("*"))
    said = uses_memory(machine.kernel())
    assert len(said) == 1
    assert "cannot be used" in said[0]
    assert set(before) <= set(machine.path.parent.parent.rglob("*"))


def test_file_of_somebody_else_is_left_alone(machine: Machine) -> None:
    if os.getuid() == 0:
        machine.path.parent.mkdir()
        os.chown(machine.path.parent, 12_345, -1)
    else:
        machine.path = Path("/etc/passwd")
    said = uses_memory(machine.kernel())
    assert len(said) == 1
    assert "belongs to another user" in said[0]


def test_database_of_another_program_is_left_as_it_is(machine: Machine) -> None:
    machine.path.parent.mkdir()
    with closing(sqlite3.connect(machine.path)) as file:
        file.execute("CREATE TABLE photographs (name TEXT)")
    before = machine.path.read_bytes()
    assert "it is not a file of budgetframe" in uses_memory(machine.kernel())[0]
    assert machine.path.read_bytes() == before


def test_file_of_a_later_version_is_left_as_it_is(machine: Machine) -> None:
    machine.kernel().cache.update("b1:accounts", {"accounts": []}, 7)
    with closing(sqlite3.connect(machine.path)) as file:
        file.execute("PRAGMA user_version = 3")
    before = machine.path.read_bytes()
    (said,) = uses_memory(machine.kernel())
    assert "its format is 3, and this version can read format 2" in said
    assert machine.path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"S"])
def test_file_of_nothing_is_filled_without_a_word(machine: Machine, content: bytes) -> None:
    machine.path.parent.mkdir()
    machine.path.write_bytes(content)
    machine.kernel().cache.update("b1:payees", {"payees": []}, 7)
    assert machine.kernel().cache.get_knowledge("b1:payees") == 7


@pytest.mark.parametrize("content", [b"This is a letter.\n" * 400, bytes(8_192)])
def test_file_of_anything_else_gives_way_to_a_new_one(machine: Machine, content: bytes) -> None:
    machine.path.parent.mkdir()
    machine.path.write_bytes(content)
    kernel = machine.kernel()
    with collected_warnings() as said:
        kernel.cache.update("b1:payees", {"payees": []}, 7)
    assert len(said) == 1
    assert "is damaged (file is not a database): starting with a new one" in said[0]
    assert kernel.uses_the_file
    assert machine.kernel().cache.get_knowledge("b1:payees") == 7


# Others at the file


def test_file_that_is_locked_at_opening_is_done_without(machine: Machine) -> None:
    machine.kernel().cache.update("b1:accounts", {"accounts": []}, 7)
    with closing(sqlite3.connect(machine.path)) as file:
        file.execute("BEGIN EXCLUSIVE")
        (said,) = uses_memory(machine.kernel())
    assert "locked" in said
    assert machine.kernel().cache.get_knowledge("b1:accounts") is None


def test_file_that_is_locked_in_mid_use_is_done_without(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    with closing(sqlite3.connect(machine.path)) as file:
        file.execute("BEGIN EXCLUSIVE")
        (said,) = uses_memory(kernel)
    assert "locked" in said
    assert kernel.cache.get_data("b1:accounts") is None
    assert machine.kernel().cache.get_knowledge("b1:accounts") is None


def test_reading_that_was_under_way_when_the_file_was_lost_stores_nothing(
    machine: Machine,
) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": [{"id": "a1"}]}, 7)
    reading = kernel.cache.look_up("b1:accounts")
    with closing(sqlite3.connect(machine.path)) as file, collected_warnings() as said:
        file.execute("BEGIN EXCLUSIVE")
        assert kernel.cache.apply(reading, {"accounts": [{"id": "a2"}]}, 8) is None
    assert len(said) == 1
    kernel.cache.store(reading, {"accounts": []}, 8)
    kernel.cache.stamp(reading, {"accounts": []}, AS_OF, 300.0)
    kernel.cache.discard(reading)
    assert kernel.cache.get_knowledge("b1:accounts") is None
    assert stale(kernel.cache, "b1:accounts") is None


def test_write_whose_commit_fails_is_done_in_memory(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    with closing(sqlite3.connect(machine.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM file").fetchone()  # lets others write, but not commit
        with collected_warnings() as said:
            kernel.cache.update("b1:payees", {"payees": []}, 8)
    assert len(said) == 1
    assert kernel.cache.get_knowledge("b1:payees") == 8
    following = machine.kernel().cache
    assert following.get_knowledge("b1:payees") is None
    assert following.get_knowledge("b1:accounts") is None


@pytest.mark.parametrize("drop", ["invalidate", "clear"])
def test_what_was_dropped_without_the_file_is_not_served_from_it(
    machine: Machine, drop: str
) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:settings", {"n": 1}, 7)
    put(kernel.cache, "b1:settings", {"n": 1}, 300.0, AS_OF)
    with closing(sqlite3.connect(machine.path)) as file, collected_warnings():
        file.execute("BEGIN EXCLUSIVE")
        assert kernel.cache.get_knowledge("b1:settings") is None
    following = machine.kernel().cache  # the mark of the loss
    assert fresh(following, "b1:settings", 300.0) is None
    put(following, "b1:settings", {"n": 1}, 300.0)
    if drop == "clear":
        kernel.cache.clear()
    else:
        kernel.cache.invalidate("b1:settings")
    last = machine.kernel().cache
    assert (stale(last, "b1:settings"), last.get_knowledge("b1:settings")) == (None, None)
    assert not machine.path.with_suffix(".outdated").exists()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_file_that_is_deleted_in_mid_use_is_made_anew(machine: Machine, what: str) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    put(kernel.cache, "b1:settings", {"n": 1}, 300.0, AS_OF)
    reading = kernel.cache.look_up("b1:accounts")
    machine.path.unlink()
    if what == "folder":
        machine.path.parent.rmdir()
    assert fresh(kernel.cache, "b1:settings", 300.0) is None
    assert kernel.cache.get_data("b1:accounts") is None
    assert kernel.cache.apply(reading, {"accounts": []}, 8) is None
    kernel.cache.store(reading, {"accounts": []}, 8)
    assert kernel.cache.get_knowledge("b1:accounts") is None
    other.cache.update("b1:payees", {"payees": []}, 9)
    assert kernel.cache.get_knowledge("b1:payees") == 9


def test_file_that_is_replaced_by_another_one_is_the_one_that_counts(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    elsewhere = Machine(machine.path.parent.parent / "elsewhere")
    elsewhere.kernel().cache.update("b1:accounts", {"accounts": [{"id": "a1"}]}, 8)
    elsewhere.path.replace(machine.path)
    assert kernel.cache.get_data("b1:accounts") == {"accounts": [{"id": "a1"}]}


def test_closed_file_is_opened_again_at_the_next_use(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    kernel.file.close()
    kernel.file.close()
    assert kernel.cache.get_knowledge("b1:accounts") == 7


FULL = """
import resource, sys, warnings
from pathlib import Path
from tests.cache.computer import Machine

kernel = Machine(Path({folder!r})).kernel()
assert kernel.cache.get_knowledge("b1:accounts") == 7
size = Machine(Path({folder!r})).path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + {room}, size + {room}))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for n in range(20):
        kernel.cache.update("b1:payees", {{"payees": [{{"id": "p" * 10_000, "n": n}}]}}, n)
        assert kernel.cache.get_data("b1:payees")["payees"][0]["n"] == n
        kernel.cache.update(f"b{{n}}:payees", {{"payees": [{{"id": "p" * 10_000}}]}}, 7)
print(len(caught), kernel.uses_the_file)
"""


@pytest.mark.parametrize("room", [0, 5_000, 100_000])
def test_full_disk_leaves_the_old_state(machine: Machine, room: int) -> None:
    machine.kernel().cache.update("b1:accounts", {"accounts": [{"id": "a1"}]}, 7)
    script = FULL.format(folder=str(machine.path.parent.parent), room=room)
    ended = run_script(script, PYTHONPATH=str(Path(__file__).parents[2]))
    assert (ended.out, ended.err) == ("1 False\n", "")
    machine.path.with_suffix(".outdated").unlink()  # it would drop the old state
    cache = machine.kernel().cache
    assert cache.get_data("b1:accounts") == {"accounts": [{"id": "a1"}]}
    assert cache.get_knowledge("b19:payees") is None
