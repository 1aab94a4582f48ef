"""One writer of a lake at a time: the others are refused before they send or write anything."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier

import pytest

from budgetframe import ToolError
from budgetframe.lake import Lake, Source
from budgetframe.lake.storage import LakeAddress
from budgetframe.lake.turn import _age, turn
from budgetframe.lake.writer import Writer

from .object_store import BUCKET, object_store
from .service import EURO, Service
from .test_stopped import Stopped

CHANGES: dict[str, Callable[[Service, Lake], object]] = {
    "sync": lambda service, lake: lake.sync([service.source("B")]),
    "compact": lambda _, lake: lake.compact(), "vacuum": lambda _, lake: lake.vacuum(),
    "forget": lambda _, lake: lake.forget(EURO), "allow": lambda _, lake: lake.allow("a-key"),
    "rebuild": lambda _, lake: lake.rebuild(), "views": lambda _, lake: lake.views(),
}  # fmt: skip
HOLDER = """
import sys
from budgetframe.lake.storage import LakeAddress
from budgetframe.lake.turn import turn
with turn(LakeAddress.of(sys.argv[1], None)):
    print("begun", flush=True)
    sys.stdin.read()
"""


def refusals_during_a_sync(service: Service, lake: Lake) -> dict[str, ToolError]:
    """The errors of all changes of a lake that are tried while a sync reads, which then commits."""
    service.spend(-4.5)
    runs, found = len(lake.runs()), dict[str, ToolError]()
    start, sent = service.sandbox.requests_served, list[int]()

    def token() -> str:
        before = service.sandbox.requests_served
        if before > start and not sent:  # after the list of budgets, before the only read
            for name, change in CHANGES.items():
                try:
                    change(service, Lake(lake._address.uri, lake._address.options))
                except ToolError as error:
                    found[name] = error
            sent.append(service.sandbox.requests_served - before)
        return service.sandbox.token

    result = lake.sync([service.source(token=token, budgets=[EURO])])
    assert sent == [0]
    assert result["status"].tolist()[0] == "ok"
    assert result["changed"].tolist()[0]
    assert len(lake.runs()) == runs + 1
    return found


def stop_after_the_lease(address: LakeAddress) -> None:
    """End a turn with an error, after another writer has taken the lease."""
    with turn(address):  # its release fails too
        former = Writer(address)
        with turn(address), pytest.raises(ToolError, match="suspended for longer than its turn"):
            former.commit({})
        raise Stopped


def test_while_a_sync_runs_every_other_change_is_refused(service: Service, lake: Lake) -> None:
    found = refusals_during_a_sync(service, lake)
    assert {name: error.retry_after for name, error in found.items()} == dict.fromkeys(CHANGES, 60)
    text = f"another process or thread is changing the lake at {lake._address.uri}. This one has"
    assert {f"{error}" for error in found.values()} == {
        f"{text} sent and written nothing: run it again later"
    }


@pytest.mark.slow  # it starts a process
def test_a_killed_writer_blocks_nobody_in_a_folder(lake: Lake) -> None:
    command = [sys.executable, "-c", HOLDER, lake._address.uri]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:  # noqa: S603 - this interpreter, our program
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"begun"
        with pytest.raises(ToolError, match="another process or thread is changing the lake"):
            lake.compact()
        holder.kill()
    lake.compact()


def test_a_change_of_a_lake_that_does_not_exist_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="there is no lake at"):
        Lake(tmp_path / "nothing").compact()
    for sources in ("x", [1], [Source("A", "a-token"), Source("A", "b-token")]):
        with pytest.raises(ToolError, match=r"sources must be a list|two sources"):
            Lake(tmp_path / "nothing").sync(sources)  # type: ignore[arg-type]
    assert [*tmp_path.iterdir()] == []


def test_the_age_of_a_lease_is_by_the_clock_of_the_store(tmp_path: Path) -> None:
    now = time.time() + 26 * 3_600

    class Ahead(LakeAddress):
        """A store whose clock is 26 hours ahead."""

        def write(self, path: str, content: bytes) -> None:
            super().write(path, content)
            os.utime(tmp_path / path, (now, now))

    log = tmp_path / "_lease" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000007.json").touch()
    os.utime(log / "00000000000000000007.json", (now - 200, now - 200))
    assert round(_age(Ahead(str(tmp_path)), 7)) == 200


@pytest.mark.slow  # it starts a process
def test_the_lease_of_a_lake_in_an_object_store(
    service: Service, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    with object_store() as options:
        lake = Lake(f"{BUCKET}/lake", options)
        lake.sync([service.source()], buckets=1)
        address = lake._address
        with subtests.test("while a sync runs"):
            found = refusals_during_a_sync(service, lake)
            assert [*found] == [*CHANGES]
            for error in found.values():
                assert 200 < (error.retry_after or 0) <= 300
                with pytest.raises(ToolError, match=r"has taken or renewed its turn \d+ s ago"):
                    raise error
        with (
            subtests.test("at the same moment"),
            ThreadPoolExecutor(4) as pool,
            ExitStack() as ends,
        ):
            all_are_here, new = Barrier(4), LakeAddress.of(f"{BUCKET}/new", options)

            def begin(_: int) -> bool:
                all_are_here.wait()
                try:
                    ends.enter_context(turn(new))
                except ToolError as error:
                    return error.retry_after is None
                return True

            assert sum(pool.map(begin, range(4))) == 1
        with subtests.test("renewal"), monkeypatch.context() as patch:
            patch.setattr("budgetframe.lake.turn._RENEWAL", 0.01)
            with turn(address):
                first = address.open("_lease").version()
                assert any(address.open("_lease").version() > first + 2 for _ in range(200))
        with subtests.test("a lease that has ended"), monkeypatch.context() as patch:
            patch.setattr("budgetframe.lake.turn._LENGTH", 0.0)
            with pytest.raises(Stopped):
                stop_after_the_lease(address)
        assert lake.sync([service.source()])["changed"].tolist() == [False, False]
