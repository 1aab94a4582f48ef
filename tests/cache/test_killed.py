"""A process that is killed leaves the old content or the new content in the file, and no lock."""

import asyncio
import os
import random
import signal
from datetime import UTC, datetime
from functools import partial
from itertools import count, islice
from pathlib import Path

import httpx
import pytest

from tests.client.wire import Wire
from tests.facade.scripts import run_interpreter

from .child import Child, Send
from .computer import AS_OF, Machine, fresh, put, stale


def work_forever(machine: Machine, send: Send) -> None:
    """Count requests and store lists; send a line after each step."""
    kernel = machine.kernel(threshold=10_000, timeout=30.0)
    more = [{"id": f"more {n}"} for n in range(200)]
    for n in count(1):
        kernel.guard.reserve()
        send(f"reserved {n}")
        kernel.end_request()
        rows = [{"id": "first", "n": n}, {"id": "last", "n": n}]
        if n % 50 == 1:
            kernel.cache.update("b1:payees", {"payees": [rows[0], *more, rows[1]]}, n, params={})
        else:
            kernel.cache.merge("b1:payees", {"payees": rows}, n, params={})
        send(f"stored {n}")
        token = kernel.cache.answers.look_up("b1:payees")
        assert token.record is not None
        kernel.cache.answers.stamp(token, token.record.data, datetime.fromtimestamp(n, UTC), 300.0)
        send(f"stamped {n}")


def work_until(machine: Machine, lines: int) -> dict[str, int]:
    """Kill a working process after so many lines; return the last number of each step."""
    child = Child(partial(work_forever, machine))
    sent = list(islice(child.lines, lines))
    child.kill()
    sent += child.lines
    assert child.wait() == -signal.SIGKILL
    return {step: int(n) for step, n in (line.split() for line in sent)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.posix
def test_killed_process_leaves_the_old_or_the_new_content(machine: Machine, seed: int) -> None:
    lines = random.Random(seed).randrange(100, 300)  # noqa: S311 - the same each time
    last, kernel = work_until(machine, lines), machine.kernel()
    stored = kernel.cache.get_knowledge("b1:payees")
    assert stored in {last["stored"], last["stored"] + 1}
    payees = (kernel.cache.get_data("b1:payees") or {})["payees"]
    assert (len(payees), payees[0], payees[-1]) == (
        202, {"id": "first", "n": stored}, {"id": "last", "n": stored},
    )  # fmt: skip
    shown = stale(kernel.cache, "b1:payees")
    assert shown is None or shown[0] == {"payees": payees}
    assert shown is None or shown[1].timestamp() in {stored, stored - 1}
    assert last["reserved"] <= kernel.guard.usage()[1] <= last["reserved"] + 1


def die_in_a_write(machine: Machine, _send: Send) -> None:
    with machine.kernel().file.transaction(write=True) as file:
        file.execute("PRAGMA cache_size = 1")  # SQLite writes to the file before the commit
        file.execute("DELETE FROM records")
        for n in range(300):
            file.execute("INSERT INTO generations VALUES (?, 1)", (str(n) * 1_000,))
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.posix
def test_process_killed_in_the_middle_of_a_write_leaves_the_old_content(machine: Machine) -> None:
    rows = [{"id": f"p{n}", "name": "x" * 100} for n in range(300)]
    machine.kernel().cache.update("b1:payees", {"payees": rows}, 7)
    before, child = machine.path.read_bytes(), Child(partial(die_in_a_write, machine))
    assert (list(child.lines), child.wait()) == ([], -signal.SIGKILL)
    assert machine.path.read_bytes() != before  # the child had begun to overwrite the content
    cache = machine.kernel().cache
    assert cache.get_data("b1:payees") == {"payees": rows}
    cache.update("b1:accounts", {"accounts": []}, 8)
    assert machine.kernel().cache.get_knowledge("b1:accounts") == 8


@pytest.mark.posix
def test_interrupts_leave_no_lock_that_other_threads_wait_for(tmp_path: Path) -> None:
    # A tool that traces a forked child would change where interrupts arrive.
    ended = run_interpreter(f"""
        import signal, threading
        from pathlib import Path
        from budgetframe import DeltaCache
        from budgetframe._cache.sqlite_storage import SQLiteStorage
        from budgetframe._cache.sqlite_file import SQLiteFile
        from budgetframe._runtime.processes import STATE

        def interrupt(*_):
            raise KeyboardInterrupt

        def lock():  # little else: most interrupts arrive while it is taken or released
            with STATE:
                pass

        signal.signal(signal.SIGALRM, interrupt)
        file = SQLiteFile(Path({str(tmp_path)!r}) / "private" / "c.sqlite")
        cache = DeltaCache(storage=SQLiteStorage(file))
        cache.update("b1:payees", {{"payees": []}}, 7)
        for n in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0003 + (n % 97) * 0.000011)
                while True:
                    lock() if n % 2 else cache.invalidate_budget("b2:")
            except KeyboardInterrupt:
                pass
        found = []
        other = threading.Thread(
            target=lambda: found.append(cache.get_knowledge("b1:payees")), daemon=True
        )
        other.start()
        other.join(20)
        print(found)
    """)
    assert ended.out == "[7]\n"


def write_for_ever(machine: Machine, send: Send) -> None:
    def respond(_: httpx.Request) -> httpx.Response:
        send("sent")
        signal.pause()
        raise AssertionError("the process goes on")

    asyncio.run(machine.kernel().client(Wire(respond)).post("/budgets/b1/transactions", json={}))


@pytest.mark.posix
def test_answer_read_during_the_write_of_a_killed_process_is_not_kept(machine: Machine) -> None:
    child = Child(partial(write_for_ever, machine))
    assert next(child.lines) == "sent"
    cache = machine.kernel().cache
    put(cache, "b1:accounts", {"accounts": []}, 300.0)  # the service may not have written yet
    child.kill()
    assert (list(child.lines), child.wait()) == ([], -signal.SIGKILL)
    put(cache, "b1:payees", {"payees": []}, 300.0)  # it may still write
    assert (stale(cache, "b1:accounts"), stale(cache, "b1:payees")) == (None, None)
    machine.pass_time(601.0)
    put(cache, "b1:payees", {"payees": []}, 300.0)
    assert fresh(cache, "b1:payees", 300.0) == ({"payees": []}, AS_OF)
