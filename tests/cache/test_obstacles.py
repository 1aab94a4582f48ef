"""A file that cannot be used causes one warning, and the cache and the limiter use memory."""

import asyncio
import gc
import os
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal

import httpx
import pytest

from tests.client.wire import Wire, answer

from .child import result_of
from .computer import AS_OF, Kernel, Machine, collected_warnings, fresh, put, stale


def use_memory(kernel: Kernel) -> list[str]:
    """Use a kernel, check that it uses memory, and return the messages of its warnings."""
    with collected_warnings() as messages:
        kernel.cache.update("b1:payees", {"payees": [{"id": "p1"}]}, 7)
        put(kernel.cache, "b1:settings", {"n": 1}, 300.0, AS_OF)
        assert kernel.guard.reserve() == (True, 0, None)
        kernel.end_request()
        kernel.limiter.record()
    assert kernel.cache.get_data("b1:payees") == {"payees": [{"id": "p1"}]}
    assert fresh(kernel.cache, "b1:settings", 300.0) == ({"n": 1}, AS_OF)
    assert kernel.guard.usage()[1] == 2
    assert not kernel.uses_the_file
    return messages


def obstruct(path: Path, kind: str) -> None:
    """Put something into the place of the file or of its folder."""
    if path.exists():  # the folder of the test
        path.rmdir()
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        path.symlink_to(path.with_name("elsewhere"))
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.touch()


OBSTACLES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "file instead of the folder": ("file", lambda path: path.parent),
    "file instead of the parent folder": ("file", lambda path: path.parent.parent),
    "link instead of the folder": ("link", lambda path: path.parent),
    "folder instead of the file": ("folder", lambda path: path),
    "link instead of the file": ("link", lambda path: path),
    "pipe instead of the file": ("pipe", lambda path: path),
    "folder instead of the journal": ("folder", lambda path: Path(f"{path}-journal")),
    "folder instead of the mark": ("folder", lambda path: path.with_suffix(".outdated")),
}


@pytest.mark.parametrize(("kind", "place"), OBSTACLES.values(), ids=OBSTACLES)
@pytest.mark.posix
def test_obstacle_causes_one_warning_and_is_left_alone(
    tmp_path: Path, kind: str, place: Callable[[Path], Path]
) -> None:
    machine = Machine(tmp_path / "caches")
    (tmp_path / "caches").mkdir()
    obstruct(place(machine.path), kind)
    before = set(tmp_path.rglob("*"))
    (message,) = use_memory(machine.kernel())
    assert "cannot be used" in message
    assert before <= set(tmp_path.rglob("*"))


def test_nothing_is_created_behind_a_folder_that_is_a_link(machine: Machine) -> None:
    machine.path.parent.with_name("elsewhere").mkdir()
    obstruct(machine.path.parent, "link")
    kernel = machine.kernel()
    (message,) = use_memory(kernel)
    kernel.cache.invalidate("b1:payees")
    assert message.endswith(
        f"cannot be used ({machine.path.parent} is a link, or of the wrong type): continuing"
        " without it. Requests of other processes with this token are not counted, answers from"
        " before their writes are shown within the time to live, and nothing is kept for a restart"
    )
    assert list(machine.path.parent.with_name("elsewhere").iterdir()) == []


@pytest.mark.posix
def test_file_of_another_user_is_left_alone(machine: Machine) -> None:
    if os.getuid() == 0:
        machine.path.parent.mkdir()
        os.chown(machine.path.parent, 12_345, -1)
    else:
        machine.path = Path("/etc/passwd")
    (message,) = use_memory(machine.kernel())
    assert "belongs to another user" in message


LEFT_ALONE = {
    "CREATE TABLE photographs (name TEXT)": "it is not a file of budgetframe",
    "PRAGMA user_version = 6": "its format is 6, and this version can read format 5",
}


@pytest.mark.parametrize(("statement", "reason"), LEFT_ALONE.items())
def test_file_of_another_program_or_of_a_later_version_is_left_as_it_is(
    machine: Machine, statement: str, reason: str
) -> None:
    machine.path.parent.mkdir()
    if statement.startswith("PRAGMA"):
        machine.kernel().cache.update("b1:accounts", {"accounts": []}, 7)
    with closing(sqlite3.connect(machine.path)) as file:
        file.execute(statement)
    before = machine.path.read_bytes()
    (message,) = use_memory(machine.kernel())
    assert reason in message
    assert machine.path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"S"])
def test_file_without_content_is_filled_without_a_warning(machine: Machine, content: bytes) -> None:
    machine.path.parent.mkdir()
    machine.path.write_bytes(content)
    machine.kernel().cache.update("b1:payees", {"payees": []}, 7)
    assert machine.kernel().cache.get_knowledge("b1:payees") == 7


def file_of_an_earlier_version(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA application_id = 0x42756446")
        file.execute("PRAGMA user_version = 1")
        file.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, content BLOB)")


OTHER_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda path: path.write_bytes(b"This is a letter.\n" * 400), "file is not a database"),
    "zeros": (lambda path: path.write_bytes(bytes(8_192)), "file is not a database"),
    "earlier": (file_of_an_earlier_version, "its format is 1, that of an earlier version"),
}


@pytest.mark.parametrize(("fill", "reason"), OTHER_FILES.values(), ids=OTHER_FILES)
@pytest.mark.parametrize("warning", ["always", "error"])
def test_file_of_another_kind_is_replaced_with_one_warning(
    machine: Machine, fill: Callable[[Path], object], reason: str,
    warning: Literal["always", "error"],
) -> None:  # fmt: skip
    machine.path.parent.mkdir()
    fill(machine.path)
    kernel = machine.kernel()
    with collected_warnings() as messages:
        warnings.simplefilter(warning)
        with suppress(RuntimeWarning):
            kernel.cache.get_knowledge("b1:payees")
        gc.collect()  # Python 3.13 warns of a connection that was opened and is not closed
        kernel.cache.update("b1:payees", {"payees": []}, 7)
    expected = f"the cache file {machine.path} cannot be read ({reason}): starting with a new one"
    assert messages == ([expected] if warning == "always" else [])
    assert kernel.uses_the_file
    assert machine.kernel().cache.get_knowledge("b1:payees") == 7


# Other users of the file


def lose_the_file(kernel: Kernel, path: Path) -> None:
    """Put a folder in place of the file, and let a kernel find it."""
    path.unlink()
    path.mkdir()
    with collected_warnings() as messages:
        assert kernel.cache.get_knowledge("b1:accounts") is None
    path.rmdir()
    assert len(messages) == 1
    assert not kernel.uses_the_file


@pytest.mark.posix
def test_read_that_was_under_way_when_the_file_was_lost_stores_nothing(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": [{"id": "a1"}]}, 7)
    token = kernel.cache.answers.look_up("b1:accounts")
    lose_the_file(kernel, machine.path)
    assert kernel.cache.answers.apply(token, {"accounts": [{"id": "a2"}]}, 8) is None
    kernel.cache.answers.store(token, {"accounts": []}, 8)
    kernel.cache.answers.stamp(token, {"accounts": []}, AS_OF, 300.0)
    kernel.cache.answers.discard(token)
    assert kernel.cache.get_knowledge("b1:accounts") is None
    assert stale(kernel.cache, "b1:accounts") is None


@pytest.mark.parametrize("drop", ["invalidate", "clear"])
@pytest.mark.posix
def test_no_process_serves_records_dropped_after_a_lost_file(machine: Machine, drop: str) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    lose_the_file(kernel, machine.path)
    other = machine.kernel().cache
    put(other, "b1:settings", {"n": 1}, 300.0)
    token = other.answers.look_up("b1:payees")
    assert fresh(other, "b1:settings", 300.0) == ({"n": 1}, AS_OF)
    if drop == "clear":
        kernel.cache.clear()
    else:
        kernel.cache.invalidate("b1:settings")
    other.answers.store(token, {"payees": []}, 7)  # it was requested before the drop
    for cache in (other, machine.kernel().cache):
        assert (stale(cache, "b1:settings"), cache.get_knowledge("b1:payees")) == (None, None)
    assert not machine.path.with_suffix(".outdated").exists()


@pytest.mark.posix
def test_write_of_a_process_without_the_file_first_drops_records(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    lose_the_file(kernel, machine.path)
    other = machine.kernel().cache
    put(other, "b1:accounts", {"accounts": []}, 300.0)
    seen = []

    def respond(_: httpx.Request) -> httpx.Response:
        seen.append(stale(other, "b1:accounts"))
        return answer({"account": {"id": "a1"}})

    asyncio.run(kernel.client(Wire(respond)).post("/budgets/b1/accounts", json={}))
    assert seen == [None]


@pytest.mark.parametrize("deleted", ["file", "folder"])
@pytest.mark.posix
def test_file_that_is_deleted_while_open_is_created_again(machine: Machine, deleted: str) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    kernel.cache.update("b1:accounts", {"accounts": []}, 7)
    put(kernel.cache, "b1:settings", {"n": 1}, 300.0, AS_OF)
    token = kernel.cache.answers.look_up("b1:accounts")
    machine.path.unlink()
    if deleted == "folder":
        machine.path.parent.rmdir()
    assert fresh(kernel.cache, "b1:settings", 300.0) is None
    assert kernel.cache.get_data("b1:accounts") is None
    assert kernel.cache.answers.apply(token, {"accounts": []}, 8) is None
    kernel.cache.answers.store(token, {"accounts": []}, 8)
    assert kernel.cache.get_knowledge("b1:accounts") is None
    other.cache.update("b1:payees", {"payees": []}, 9)
    assert kernel.cache.get_knowledge("b1:payees") == 9


@pytest.mark.posix
def test_file_that_replaces_the_open_one_is_used(machine: Machine) -> None:
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


def fill_the_disk(machine: Machine, room: int) -> list[object]:
    """Write more than a limited file size allows; return the number of warnings and the storage."""
    import resource  # noqa: PLC0415 - Windows has no such module

    kernel = machine.kernel()
    assert kernel.cache.get_knowledge("b1:accounts") == 7
    size = machine.path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, size + room))
    with collected_warnings() as messages:
        for n in range(20):
            kernel.cache.update("b1:payees", {"payees": [{"id": "p" * 10_000, "n": n}]}, n)
            assert (kernel.cache.get_data("b1:payees") or {})["payees"][0]["n"] == n
            kernel.cache.update(f"b{n}:payees", {"payees": [{"id": "p" * 10_000}]}, 7)
    return [len(messages), kernel.uses_the_file]


@pytest.mark.parametrize("room", [0, 5_000, 100_000])
@pytest.mark.posix
def test_full_disk_leaves_the_old_content(machine: Machine, room: int) -> None:
    machine.kernel().cache.update("b1:accounts", {"accounts": [{"id": "a1"}]}, 7)
    assert result_of(lambda: fill_the_disk(machine, room)) == "[1, False]"
    machine.path.with_suffix(".outdated").unlink()  # it would drop the old content
    cache = machine.kernel().cache
    assert cache.get_data("b1:accounts") == {"accounts": [{"id": "a1"}]}
    assert cache.get_knowledge("b19:payees") is None
