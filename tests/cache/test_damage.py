"""Whatever becomes of the bytes of the file: nothing else than what was stored comes out of it."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from budgetframe._client.limiter import RequestOutcome

from .computer import Kernel, Machine, heard

AS_OF = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
LISTS = ("payees", "accounts", "transactions")
REQUESTS = 6


def fill(kernel: Kernel) -> None:
    """Lists with deltas, answers that share them, answers of their own, and requests."""
    for number, name in enumerate(LISTS):
        key, rows = f"b1:{name}", [{"id": f"{name}{n}", "name": "x" * (n % 7)} for n in range(40)]
        kernel.cache.update(key, {name: rows}, 10 + number, params={})
        reading = kernel.cache.begin_read(key)
        shared = kernel.cache.apply(reading, {name: [{"id": f"{name}1", "name": "new"}]}, 20)
        kernel.cache.put_timed(kernel.cache.begin_read(key), shared, 300.0, AS_OF)
        kernel.cache.put_timed(kernel.cache.begin_read(f"{key}:1"), {"item": name}, 300.0, AS_OF)
    kernel.cache.invalidate("b1:categories")
    for _ in range(REQUESTS):
        assert kernel.limiter.reserve()[0]
    kernel.limiter.release(RequestOutcome.ANSWERED)


def known(kernel: Kernel) -> dict[str, Any]:
    """Everything it knows, without what it does not."""
    cache = kernel.cache
    found: dict[str, Any] = {}
    for name in LISTS:
        key = f"b1:{name}"
        found[f"{name}: data"] = cache.get_data(key, params={})
        found[f"{name}: newest"] = cache.get_data(key)
        found[f"{name}: knowledge"] = cache.get_knowledge(key)
        found[f"{name}: answer"] = cache.get_timed(key, 300.0)
        found[f"{name}: expired"] = cache.get_stale(key)
        found[f"{name}: item"] = cache.get_timed(f"{key}:1", 300.0)
    return {what: value for what, value in found.items() if value is not None}


def use(kernel: Kernel) -> None:
    """Change what there is in every way."""
    cache = kernel.cache
    for name in LISTS:
        reading = cache.begin_read(f"b1:{name}")
        if cache.apply(reading, {name: [{"id": "new"}]}, 99) is None:
            cache.store(reading, {name: []}, 99)
        cache.put_timed(cache.begin_read(f"b1:{name}:1"), {"item": 1}, 300.0, AS_OF)
    cache.invalidate("b1:payees")
    cache.expect_drop("b1:accounts")
    cache.discard(cache.begin_read("b1:transactions"))
    assert kernel.limiter.reserve()[0]
    kernel.limiter.release(RequestOutcome.ANSWERED)
    cache.invalidate_budget("b1")


@dataclass(frozen=True)
class Written:
    content: bytes
    known: dict[str, Any]


@cache
def written() -> Written:
    with TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        kernel = machine.kernel()
        fill(kernel)
        everything = known(kernel)
        kernel.store.close()
        return Written(machine.path.read_bytes(), everything)


def is_survived(machine: Machine, content: bytes) -> bool:
    """Open the file with this content; tell whether nothing of it was lost."""
    machine.path.parent.mkdir(exist_ok=True)
    machine.path.write_bytes(content)
    whole = written().known
    with heard() as said:
        kernel = machine.kernel()
        found = known(kernel)
        assert found == {what: whole[what] for what in found}
        count = kernel.limiter.usage()[1]
        assert count in {0, REQUESTS}
        use(kernel)
    assert len(said) <= 1
    assert known(kernel) == {}
    kernel.store.close()
    with heard() as said:
        following = machine.kernel()
        known(following)
        use(following)
    assert len(said) <= 1
    following.store.close()
    return (found, count) == (whole, REQUESTS)


def flip_bit(content: bytearray, chance: random.Random) -> None:
    position = chance.randrange(8 * len(content))
    content[position // 8] ^= 1 << position % 8


def set_bytes(content: bytearray, chance: random.Random) -> None:
    for _ in range(5):
        content[chance.randrange(len(content))] = chance.randrange(256)


def wipe(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.randrange(1, 5_000))
    content[start:end] = bytes(end - start)


def garble(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.randrange(1, 600))
    content[start:end] = chance.randbytes(end - start)


def cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


def mix(content: bytearray, chance: random.Random) -> None:
    """Exchange two pages."""
    one, other = (4_096 * chance.randrange(len(content) // 4_096) for _ in range(2))
    pages = bytes(content[one : one + 4_096]), bytes(content[other : other + 4_096])
    content[other : other + 4_096], content[one : one + 4_096] = pages


def test_file_that_is_not_damaged_is_known_in_full(machine: Machine) -> None:
    assert sorted(written().known) == sorted(
        f"{name}: {what}"
        for name in LISTS
        for what in ("data", "newest", "knowledge", "answer", "expired", "item")
    )
    assert is_survived(machine, written().content)


@pytest.mark.parametrize("damage", [flip_bit, set_bytes, wipe, garble, cut, mix])
def test_damaged_file_gives_what_was_stored_or_nothing(
    machine: Machine, damage: Callable[[bytearray, random.Random], None]
) -> None:
    chance = random.Random(2023)  # noqa: S311 - the same damage each time
    survived = 0
    for _ in range(25):
        content = bytearray(written().content)
        damage(content, chance)
        survived += is_survived(machine, bytes(content))
    assert survived < 25


def test_damage_while_in_use_gives_what_was_stored_or_nothing(machine: Machine) -> None:
    chance = random.Random(2024)  # noqa: S311 - the same damage each time
    for damage in (set_bytes, wipe, garble, cut) * 5:
        machine.path.unlink(missing_ok=True)
        first, second = machine.kernel(), machine.kernel()
        fill(first)
        whole = known(second)
        content = bytearray(machine.path.read_bytes())
        damage(content, chance)
        with heard():
            machine.path.write_bytes(content)  # the same file to whoever has it open
            for kernel in (first, second):
                found = known(kernel)
                assert found == {what: whole[what] for what in found}
            use(first)
            use(second)
        first.store.close()
        second.store.close()


# What a flipped bit may do to the meaning, done in SQL

EDITS = [
    "UPDATE entries SET id = CASE id WHEN 1 THEN 1000 ELSE id - 3 END",
    "UPDATE entries SET key = 'b1:payees', params = '[1]' WHERE key = 'b1:accounts'",
    "UPDATE entries SET key = CAST(key AS BLOB)",
    "UPDATE entries SET params = CAST(params AS BLOB)",
    "UPDATE entries SET month = '2023-11'",
    "UPDATE entries SET month = CAST('2023-11' AS BLOB)",
    "UPDATE entries SET knowledge = '21'",
    "UPDATE entries SET knowledge = CAST(knowledge AS BLOB)",
    "UPDATE entries SET revision = revision + 1",
    "UPDATE entries SET revision = 'none'",
    "UPDATE entries SET seal = seal + 1",
    "UPDATE entries SET whole = CAST(whole AS TEXT)",
    "UPDATE entries SET whole = (SELECT whole FROM entries ORDER BY id LIMIT 1)",
    "UPDATE entries SET whole = CAST('[' AS BLOB)",
    "UPDATE deltas SET delta = CAST(delta AS TEXT)",
    "UPDATE deltas SET delta = CAST('{}' AS BLOB)",
    "UPDATE deltas SET entry = 1",
    "DELETE FROM deltas",
    "UPDATE limited SET key = 'b1:payees' || substr(key, 10) WHERE key LIKE 'b1:acc%'",
    "UPDATE limited SET key = NULL",
    "UPDATE limited SET key = CAST(key AS BLOB)",
    "UPDATE limited SET entry = 1 WHERE entry > 1",
    "UPDATE limited SET entry = 77 WHERE entry > 1",
    "UPDATE limited SET entry = 'none' WHERE entry > 1",
    "UPDATE limited SET entry = NULL",
    'UPDATE limited SET answer = CAST(\'{"item": "other"}\' AS BLOB)',
    "UPDATE limited SET answer = CAST(answer AS TEXT)",
    "UPDATE limited SET ticks = ticks + 1, wall = wall + 1",
    "UPDATE limited SET ticks = 'late'",
    "UPDATE limited SET boot = CAST(boot AS BLOB)",
    "UPDATE limited SET ttl = 1e9",
    "UPDATE limited SET month = CAST('x' AS BLOB)",
    "UPDATE limited SET as_of = '2023-11-14T22:13:21+00:00'",
    "UPDATE limited SET as_of = 'yesterday'",
    "DELETE FROM file",
    "UPDATE file SET born = x'00'",
    "UPDATE file SET last_revision = 'x'",
    "UPDATE file SET last_revision = 0",
    "UPDATE file SET last_revision = 9223372036854775807",
    "UPDATE requests SET ticks = ticks - 10000, wall = wall - 10000",
    "UPDATE requests SET ticks = 'late'",
    "UPDATE requests SET owner = CAST(owner AS BLOB)",
    "UPDATE requests SET is_under_way = 'x'",
    "UPDATE requests SET boot = x'ff'",
    "UPDATE requests SET boot = CAST(x'ff' AS TEXT)",
    "UPDATE drops SET name = CAST(name AS BLOB)",
    "UPDATE drops SET count = 'many'",
    "DROP TABLE limited",
    "ALTER TABLE entries RENAME COLUMN whole TO hole",
]


@pytest.mark.parametrize("edit", EDITS)
def test_file_that_says_something_else_gives_what_was_stored_or_nothing(
    machine: Machine, edit: str
) -> None:
    machine.path.parent.mkdir()
    machine.path.write_bytes(written().content)
    with closing(sqlite3.connect(machine.path, isolation_level=None)) as file:
        assert file.execute(edit).rowcount != 0
    is_survived(machine, machine.path.read_bytes())


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit.startswith("UPDATE limited SET")])
def test_answer_that_is_known_already_is_looked_at_again(machine: Machine, edit: str) -> None:
    kernel = machine.kernel()
    fill(kernel)
    whole = known(kernel)
    with closing(sqlite3.connect(machine.path, isolation_level=None)) as file:
        file.execute(edit)
    with heard():
        found = known(kernel)
    assert found == {what: whole[what] for what in found}


def test_request_that_is_damaged_is_not_forgotten_in_silence(machine: Machine) -> None:
    fill(machine.kernel())
    with closing(sqlite3.connect(machine.path, isolation_level=None)) as file:
        file.execute("UPDATE requests SET ticks = ticks - 10000, wall = wall - 10000")
    with pytest.warns(RuntimeWarning, match="of a request is not what was written"):
        machine.kernel().limiter.usage()
