"""A damaged file returns the stored content or nothing, never anything else."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings

from budgetframe._cache.storage import Unread

from .computer import AS_OF, Kernel, Machine, collected_warnings, fresh, put, stale

LISTS = ("payees", "accounts", "transactions")
REQUESTS = 6


def fill(kernel: Kernel) -> None:
    """Store lists with deltas, answers with and without a list, and requests."""
    for number, name in enumerate(LISTS):
        key, rows = f"b1:{name}", [{"id": f"{name}{n}", "name": "x" * (n % 7)} for n in range(40)]
        kernel.cache.update(key, {name: rows}, 10 + number, params={})
        token = kernel.cache.answers.look_up(key)
        delta = {name: [{"id": f"{name}1", "name": "new"}]}
        kernel.cache.answers.apply(token, delta, 20, as_of=AS_OF, ttl=300.0)
        record = kernel.cache.answers.look_up(key).record
        assert record is not None
        kernel.cache.answers.store_frames(key, (), record.data, {"a frame": f"of {name}".encode()})
        put(kernel.cache, f"{key}:1", {"item": name}, 300.0, AS_OF)
    kernel.cache.invalidate("b1:categories")
    for _ in range(REQUESTS):
        assert kernel.guard.reserve()[0]
    kernel.end_request()


def found_in(kernel: Kernel) -> dict[str, Any]:
    """Return everything that a kernel finds, without the missing entries."""
    cache = kernel.cache
    found: dict[str, Any] = {}
    for name in LISTS:
        key = f"b1:{name}"
        record = cache.answers.find_fresh(key, (), 300.0, may_be_unread=True)
        if record is not None and isinstance(record.data, Unread):
            found[f"{name}: frames"] = record.data.frames
        found[f"{name}: data"] = cache.get_data(key, params={})
        found[f"{name}: newest"] = cache.get_data(key)
        found[f"{name}: knowledge"] = cache.get_knowledge(key)
        found[f"{name}: answer"] = fresh(cache, key, 300.0)
        found[f"{name}: expired"] = stale(cache, key)
        found[f"{name}: item"] = fresh(cache, f"{key}:1", 300.0)
    return {name: value for name, value in found.items() if value is not None}


def use(kernel: Kernel) -> None:
    """Change the records and the requests in every way."""
    cache = kernel.cache
    for name in LISTS:
        token = cache.answers.look_up(f"b1:{name}")
        if cache.answers.apply(token, {name: [{"id": "new"}]}, 99) is None:
            cache.answers.store(token, {name: []}, 99)
        put(cache, f"b1:{name}:1", {"item": 1}, 300.0, AS_OF)
    cache.invalidate("b1:payees")
    cache.invalidate("b1:accounts")
    cache.answers.discard(cache.answers.look_up("b1:transactions"))
    assert kernel.guard.reserve()[0]
    kernel.end_request()
    cache.invalidate_budget("b1")


@dataclass(frozen=True)
class Original:
    """The bytes of an undamaged file, and everything that a kernel finds in it."""

    content: bytes
    found: dict[str, Any]


@cache
def original() -> Original:
    with TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        kernel = machine.kernel()
        fill(kernel)
        kernel.file.close()
        kernel = machine.kernel()
        everything = found_in(kernel)
        kernel.file.close()
        return Original(machine.path.read_bytes(), everything)


def is_complete(machine: Machine, content: bytes) -> bool:
    """Use a file with this content; return whether nothing of it was lost."""
    machine.path.parent.mkdir(exist_ok=True)
    machine.path.write_bytes(content)
    whole = original().found
    with collected_warnings() as messages:
        kernel = machine.kernel()
        found = found_in(kernel)
        assert found == {name: whole[name] for name in found}
        count = kernel.guard.usage()[1]
        assert 0 <= count <= REQUESTS
        use(kernel)
    assert len(messages) <= 1
    assert found_in(kernel) == {}
    kernel.file.close()
    with collected_warnings() as messages:
        following = machine.kernel()
        found_in(following)
        use(following)
    assert len(messages) <= 1
    following.file.close()
    return (found, count) == (whole, REQUESTS)


def flip_bit(content: bytearray, chance: random.Random) -> None:
    position = chance.randrange(8 * len(content))
    content[position // 8] ^= 1 << position % 8


def garble(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.randrange(1, 600))
    content[start:end] = chance.randbytes(end - start)


def cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


def exchange_pages(content: bytearray, chance: random.Random) -> None:
    one, other = (4_096 * chance.randrange(len(content) // 4_096) for _ in range(2))
    pages = bytes(content[one : one + 4_096]), bytes(content[other : other + 4_096])
    content[other : other + 4_096], content[one : one + 4_096] = pages


def test_undamaged_file_returns_everything(machine: Machine) -> None:
    assert sorted(original().found) == sorted(
        f"{name}: {entry}"
        for name in LISTS
        for entry in ("data", "newest", "knowledge", "answer", "expired", "item", "frames")
    )
    assert is_complete(machine, original().content)


@pytest.mark.parametrize("damage", [flip_bit, garble, cut, exchange_pages])
def test_damaged_file_returns_the_stored_content_or_nothing(
    machine: Machine, damage: Callable[[bytearray, random.Random], None]
) -> None:
    chance = random.Random(2027)  # noqa: S311 - the same damage each time
    files = settings().max_examples // 3  # the number of examples depends on the profile
    complete = 0
    for number in range(files):
        content = bytearray(original().content)
        damage(content, chance)
        try:
            complete += is_complete(machine, bytes(content))
        except AssertionError as error:
            error.add_note(f"damaged file {number}")
            raise
    assert complete < files


def test_file_damaged_while_open_returns_the_stored_content_or_nothing(machine: Machine) -> None:
    chance = random.Random(2024)  # noqa: S311 - the same damage each time
    for damage in (flip_bit, garble, cut) * (settings().max_examples // 10):
        machine.path.unlink(missing_ok=True)
        first, second = machine.kernel(), machine.kernel()
        fill(first)
        whole, content = found_in(second), bytearray(machine.path.read_bytes())
        damage(content, chance)
        with collected_warnings():
            machine.path.write_bytes(content)  # not a new file: both kernels have it open
            for kernel in (first, second):
                found = found_in(kernel)
                assert found == {name: whole[name] for name in found}, damage
            use(first)
            use(second)
        first.file.close()
        second.file.close()


# Changes in SQL, which keep the file a valid database but change the meaning of a row.

EDITS = [
    "UPDATE records SET id = id + 1000",
    "UPDATE records SET key = 'b1:payees', params = '[1]' WHERE key = 'b1:accounts'",
    "UPDATE records SET key = 'b1:payees' || substr(key, 10) WHERE key LIKE 'b1:acc%:1'",
    "UPDATE records SET key = CAST(key AS BLOB)",
    "UPDATE records SET params = CAST(params AS BLOB)", "UPDATE records SET month = '2023-11'",
    "UPDATE records SET month = CAST('2023-11' AS BLOB)", "UPDATE records SET knowledge = '21'",
    "UPDATE records SET knowledge = NULL", "UPDATE records SET knowledge = CAST(knowledge AS BLOB)",
    "UPDATE records SET revision = revision + 1", "UPDATE records SET revision = 'none'",
    "UPDATE records SET deltas = deltas + 1", "UPDATE records SET checksum = checksum + 1",
    "UPDATE records SET wall = wall + 1", "UPDATE records SET wall = 'late'",
    "UPDATE records SET ttl = 1e9", "UPDATE records SET as_of = '2023-11-14T22:13:21+00:00'",
    "UPDATE records SET as_of = 'yesterday'", "UPDATE records SET as_of = NULL",
    "UPDATE contents SET content = CAST(content AS TEXT)",
    "UPDATE contents SET content = (SELECT content FROM contents ORDER BY record LIMIT 1)",
    "UPDATE contents SET content = CAST('[' AS BLOB)",
    "UPDATE contents SET content_checksum = content_checksum + 1", "DELETE FROM contents",
    "UPDATE deltas SET content = CAST(content AS TEXT)",
    "UPDATE deltas SET content = CAST('{}' AS BLOB)",
    "UPDATE deltas SET record = (SELECT min(id) FROM records)", "DELETE FROM deltas",
    "UPDATE frames SET content = CAST('another frame' AS BLOB)",
    "UPDATE frames SET content = CAST(content AS TEXT)", "UPDATE frames SET name = 'another frame'",
    "UPDATE frames SET name = CAST(name AS BLOB)",
    "UPDATE frames SET record = (SELECT max(id) FROM records) - record", "DELETE FROM frames",
    "DELETE FROM file", "UPDATE file SET id = x'00'", "UPDATE file SET last_revision = 'x'",
    "UPDATE file SET last_revision = 0", "UPDATE file SET last_revision = 9223372036854775807",
    "UPDATE requests SET wall = wall - 10000", "UPDATE requests SET wall = wall + 10000",
    "UPDATE requests SET wall = 'late'",
    "UPDATE requests SET wall = -9e999, is_under_way = 9e999",  # the age is not a number
    "UPDATE requests SET owner = CAST(owner AS BLOB)",
    "UPDATE requests SET owner = CAST(x'ff' AS TEXT)", "UPDATE requests SET is_under_way = 'x'",
    "UPDATE generations SET name = CAST(name AS BLOB)", "UPDATE generations SET count = 'many'",
    "DROP TABLE records", "ALTER TABLE contents RENAME COLUMN content TO hole",
]  # fmt: skip


def test_edited_file_returns_the_stored_content_or_nothing(tmp_path: Path) -> None:
    for number, edit in enumerate(EDITS):
        machine = Machine(tmp_path / str(number))
        machine.path.parent.mkdir(parents=True)
        machine.path.write_bytes(original().content)
        with closing(sqlite3.connect(machine.path, isolation_level=None)) as file:
            assert file.execute(edit).rowcount != 0, edit
        try:
            is_complete(machine, machine.path.read_bytes())
        except AssertionError as error:
            error.add_note(edit)
            raise


def test_edit_of_a_record_that_memory_holds_is_noticed(tmp_path: Path) -> None:
    edits = [edit for edit in EDITS if edit.startswith("UPDATE records SET")]
    for number, edit in enumerate(edits):
        machine = Machine(tmp_path / str(number))
        kernel = machine.kernel()
        fill(kernel)
        whole = found_in(kernel)
        with closing(sqlite3.connect(machine.path, isolation_level=None)) as file:
            file.execute(edit)
        with collected_warnings():
            found = found_in(kernel)
        assert found == {name: whole[name] for name in found}, edit
