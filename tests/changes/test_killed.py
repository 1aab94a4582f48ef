"""A process that is killed while it applies changes: another process continues.

``BUDGETFRAME_KILLS`` sets the number of processes.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox, serve
from tests.case import case

KILLS = int(os.environ.get("BUDGETFRAME_KILLS", "3"))
TOKEN = "a-token-of-this-test"

APPLY = """
import sys
import pandas as pd
from budgetframe import BudgetFrame
address, folder, name = sys.argv[1:]
bf = BudgetFrame.connect("a-token-of-this-test", budget="Household", base_url=address,
                         cache_dir=folder, progress=False)
row = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet", "memo": name}
rows = bf.transactions()
plain = rows[rows["transfer_account_id"].isna() & ~rows["is_split"]]
edited = pd.concat([plain.tail(110).assign(memo=name), pd.DataFrame([row] * 60)])
edited.attrs = rows.attrs
changes = bf.changes(edited)
print("begin", flush=True)
changes.apply()
print("end", flush=True)
"""


@pytest.mark.slow  # each case starts a process
def test_after_a_kill_another_process_finishes_the_changes_exactly_once(tmp_path: Path) -> None:
    rng = random.Random(1)  # noqa: S311 - for tests
    sandbox = Sandbox(years=1, token=TOKEN, limit=10**6)
    seconds = 0.3  # how long the changes take, measured if a process ends by itself
    with serve(sandbox) as address:
        for number in range(KILLS):
            name, folder = f"case {number}", tmp_path / str(number)
            with case(number):
                process = subprocess.Popen(  # noqa: S603 - this interpreter, a constant program
                    [sys.executable, "-c", APPLY, address, str(folder), name],
                    stdout=subprocess.PIPE,
                    env=os.environ | {"PYTHONPATH": os.getcwd()},  # noqa: PTH109
                )
                assert process.stdout is not None
                process.stdout.readline()
                start = time.monotonic()
                try:
                    process.wait(rng.random() * seconds)
                    seconds = time.monotonic() - start
                except subprocess.TimeoutExpired:
                    process.kill()
                process.communicate()
                bf = BudgetFrame.connect(
                    TOKEN, budget="Household", base_url=address, cache_dir=folder, progress=False
                )
                bf._session.reads.client.guard.limiter.clear()  # type: ignore[attr-defined]
                journal = bf.journal()
                if len(journal) and journal.frame["left"].iloc[-1]:
                    journal.resume()
                rows = list(sandbox.device.state().transactions.live())
                found = [row.id for row in rows if row.memo == name]
                assert len(found) in ((170,) if len(journal) else (0,))
                if len(journal):
                    assert bf.journal().undo().apply().counts["done"] == 170
                assert not [row for row in sandbox.device.state().transactions.live()
                            if row.memo == name]  # fmt: skip
                bf.close()
