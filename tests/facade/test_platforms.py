"""Other systems, as far as Linux can simulate them: Windows, other zones, new processes."""

import multiprocessing
from pathlib import Path

import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox, serve
from tests.facade.scripts import run_interpreter
from tests.facade.service import TOKEN

ON_WINDOWS = f"""
import os, sys
from datetime import date
from pathlib import Path

import httpx, pandas, pydantic, sqlite3, starlette.applications, uvicorn  # as on any system

from tests.facade.windows import simulate_windows

simulate_windows()

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox, serve

folder = Path(os.environ["FOLDER"])

def connect(url):
    return BudgetFrame.connect(
        {TOKEN!r}, budget="Household", base_url=url, cache_dir=folder, progress=False
    )

with serve(Sandbox(token={TOKEN!r}, today=date(2026, 6, 15))) as url:
    with connect(url) as bf:
        rows = bf.transactions().tail(1)
        for memo in ("first", "second"):
            bf.changes(rows.assign(memo=memo)).apply()
            rows = bf.transactions(include_deleted=False).tail(1)
        print(rows["memo"].item(), len(bf.journal().frame))
    with next(folder.rglob("*.journal")).open("ab") as journal:
        journal.write(b'{{"format":3,"id":"')  # what a killed process leaves
    with connect(url) as bf:
        bf.journal().undo(1).apply()
        print(bf.transactions().tail(1)["memo"].item(), len(bf.journal().frame))
        saved = bf.save_export(folder / "budget.json")
        before = saved.stat().st_size
        bf.save_export(saved)
        with saved.open("rb"):
            try:
                bf.save_export(saved)
            except PermissionError as error:
                print(error.strerror)
        print(saved.stat().st_size == before, [*folder.glob("budget.json?*")])
        print(bf.transactions()["date"].max().date(), bf.accounts().attrs["as_of"][-6:])
"""


@pytest.mark.slow  # a new interpreter
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.posix
def test_changes_work_without_what_windows_lacks(zone: str, tmp_path: Path) -> None:
    ended = run_interpreter(ON_WINDOWS, FOLDER=str(tmp_path), TZ=zone, PYTHONTZPATH="")
    assert ended.err == ""
    assert ended.out.splitlines() == [
        "second 2", "first 3", "The process cannot access the file", "True []", "2026-06-14 +00:00",
    ]  # fmt: skip


def _read(url: str, folder: Path) -> tuple[int, int]:
    with BudgetFrame.connect(
        TOKEN, budget="Household", base_url=url, cache_dir=folder, progress=False
    ) as bf:
        return len(bf.accounts()), bf.requests.used


def test_a_spawned_process_uses_the_cache_and_the_limit_of_its_parent(tmp_path: Path) -> None:
    with serve(Sandbox(token=TOKEN, years=1)) as url:
        assert _read(url, tmp_path) == (7, 2)
        with multiprocessing.get_context("spawn").Pool(1) as processes:
            assert processes.apply(_read, (url, tmp_path)) == (7, 2)
