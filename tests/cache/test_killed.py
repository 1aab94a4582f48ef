"""Processes that are killed leave the old state or the new one, and no lock."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.facade.scripts import run_script

from .computer import Machine, stale

ROOT = str(Path(__file__).parents[2])

AT_WORK = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from budgetframe._client.limiter import RequestOutcome
from tests.cache.computer import Machine

kernel = Machine(Path(sys.argv[1])).kernel(threshold=10_000, timeout=30.0)
cache, n = kernel.cache, 0
more = [{"id": f"more {i}"} for i in range(200)]
while True:
    n += 1
    kernel.limiter.reserve()
    print("sent", n, flush=True)
    kernel.limiter.release(RequestOutcome.ANSWERED)
    rows = [{"id": "first", "n": n}, {"id": "last", "n": n}]
    if n % 50 == 1:
        cache.update("b1:payees", {"payees": [rows[0], *more, rows[1]]}, n, params={})
    else:
        cache.merge("b1:payees", {"payees": rows}, n, params={})
    print("stored", n, flush=True)
    token = cache.look_up("b1:payees")
    cache.stamp(token, token.record.data, datetime.fromtimestamp(n, UTC), 300.0)
    print("remembered", n, flush=True)
"""


def work_until(folder: Path, lines: int) -> dict[str, int]:
    """Kill it after so many lines; give what it said last of each kind."""
    with subprocess.Popen(  # noqa: S603 - our own interpreter, our own script
        [sys.executable, "-c", AT_WORK, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": ROOT},
    ) as process:
        assert process.stdout is not None
        said = [next(process.stdout) for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        said += [line for line in process.stdout if line.endswith("\n")]
    assert process.returncode == -signal.SIGKILL
    return {what: int(n) for what, n in (line.split() for line in said)}


@pytest.mark.parametrize("seed", range(3))
def test_process_killed_at_work_leaves_the_old_state_or_the_new_one(
    machine: Machine, seed: int
) -> None:
    lines = random.Random(seed).randrange(100, 300)  # noqa: S311 - the same each time
    said = work_until(machine.path.parent.parent, lines)
    kernel = machine.kernel()
    stored = kernel.cache.get_knowledge("b1:payees")
    assert stored in {said["stored"], said["stored"] + 1}
    payees = (kernel.cache.get_data("b1:payees") or {})["payees"]
    assert (len(payees), payees[0], payees[-1]) == (
        202,
        {"id": "first", "n": stored},
        {"id": "last", "n": stored},
    )
    recalled = stale(kernel.cache, "b1:payees")
    assert recalled is None or recalled[0] == {"payees": payees}
    assert recalled is None or recalled[1].timestamp() in {stored, stored - 1}
    assert said["sent"] <= kernel.limiter.usage()[1] <= said["sent"] + 1


IN_THE_MIDDLE = """
import os, signal
from pathlib import Path
from tests.cache.computer import Machine

kernel = Machine(Path({folder!r})).kernel()
with kernel.file.transaction(write=True) as file:
    file.execute("PRAGMA cache_size = 1")
    file.execute("DELETE FROM records")
    for n in range(300):
        file.execute("INSERT INTO generations VALUES (?, 1)", (str(n) * 1_000,))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_process_killed_in_the_middle_of_a_write_leaves_the_old_state(machine: Machine) -> None:
    rows = [{"id": f"p{n}", "name": "x" * 100} for n in range(300)]
    machine.kernel().cache.update("b1:payees", {"payees": rows}, 7)
    before = machine.path.read_bytes()
    ended = run_script(
        IN_THE_MIDDLE.format(folder=str(machine.path.parent.parent)), PYTHONPATH=ROOT
    )
    assert (ended.code, ended.err) == (-signal.SIGKILL, "")
    assert machine.path.read_bytes() != before  # it had begun to write over what was there
    cache = machine.kernel().cache
    assert cache.get_data("b1:payees") == {"payees": rows}
    cache.update("b1:accounts", {"accounts": []}, 8)
    assert machine.kernel().cache.get_knowledge("b1:accounts") == 8


def test_interrupts_leave_nothing_held_that_others_wait_for(tmp_path: Path) -> None:
    ended = run_script(f"""
        import signal, threading
        from pathlib import Path
        from budgetframe import DeltaCache
        from budgetframe._cache.sqlite_storage import SQLiteStorage
        from budgetframe._cache.sqlite_file import SQLiteFile

        def interrupt(*_):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, interrupt)
        file = SQLiteFile(Path({str(tmp_path)!r}) / "private" / "c.sqlite")
        cache = DeltaCache(storage=SQLiteStorage(file))
        cache.update("b1:payees", {{"payees": []}}, 7)
        for n in range(500):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0003 + (n % 97) * 0.000011)
                while True:
                    cache.invalidate_budget("b2:")
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
