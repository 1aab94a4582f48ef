"""The script beside the notebooks: it replaces all files or none.

Notebook 10 runs the script as a process, so these tests run it in this process.
"""

import io
import runpy
import signal
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pandas as pd
import pytest
import respx

from budgetframe import BudgetFrame
from tests.facade.scripts import run_script

SCRIPT = Path(__file__).parents[2] / "notebooks" / "refresh_parquet.py"


FILES = [
    "accounts.parquet",
    "categories.parquet",
    "ledger.parquet",
    "month_categories.parquet",
    "months.parquet",
    "payees.parquet",
    "scheduled_transactions.parquet",
]
STOPPED = f"""
import os, runpy, sys
import pandas as pd

frames = 0
write = pd.DataFrame.to_parquet

def stop_at_third(frame, *arguments, **options):
    global frames
    frames += 1
    if frames == 3:
        os.kill(os.getpid(), int(os.environ["SIGNAL"]))
    return write(frame, *arguments, **options)

pd.DataFrame.to_parquet = stop_at_third
sys.argv = ["refresh_parquet.py", "--sandbox", os.environ["FOLDER"]]
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""
"""Runs the script, which gets a signal when it has written two files."""


def run(patch: pytest.MonkeyPatch, *arguments: str) -> None:
    patch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    before = signal.getsignal(signal.SIGTERM)
    try:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    finally:
        signal.signal(signal.SIGTERM, before)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the script wrote, and the output of the script."""
    folder = tmp_path_factory.mktemp("parquet")
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
        run(patch, "--sandbox", str(folder))
    return folder, output.getvalue()


def test_all_files_are_written(refreshed: tuple[Path, str]) -> None:
    folder, output = refreshed
    assert names_in(folder) == FILES
    assert output.splitlines()[0] == "ledger.parquet: 1,680 rows"


def test_the_file_of_the_ledger_equals_the_ledger(refreshed: tuple[Path, str]) -> None:
    ledger = BudgetFrame.sandbox().ledger()
    from_file = pd.read_parquet(refreshed[0] / "ledger.parquet")
    # pandas 2 reads None for missing texts; compare ignores it
    assert ledger.compare(from_file).empty
    assert from_file.dtypes.equals(ledger.dtypes)


def test_without_a_token_no_file_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ledger.parquet").write_text("yesterday's")
    monkeypatch.delenv("BUDGETFRAME_TOKEN", raising=False)
    # An imported ipykernel would mean that the script may ask a person for the token.
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, str(tmp_path))
    assert str(ended.value).startswith("nothing written: no token")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["yesterday's"]


def test_a_script_that_is_terminated_leaves_nothing_behind(tmp_path: Path) -> None:
    ended = run_script(STOPPED, SIGNAL=f"{signal.SIGTERM:d}", FOLDER=str(tmp_path))
    assert (ended.code, ended.err) == (1, "not all files written: the script was terminated\n")
    assert names_in(tmp_path) == []


def test_the_next_run_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_script(STOPPED, SIGNAL=f"{signal.SIGKILL:d}", FOLDER=str(tmp_path)).code == -9
    assert names_in(tmp_path) != []
    run(monkeypatch, "--sandbox", str(tmp_path))
    assert names_in(tmp_path) == FILES


def test_after_a_429_the_message_says_how_long_to_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "a-token-of-this-test")
    error = {"id": "429", "name": "too_many_requests", "detail": "Too many requests"}
    with respx.mock(base_url="https://api.ynab.com/v1") as router:
        router.get("/budgets").respond(429, json={"error": error})
        with pytest.raises(SystemExit) as ended:
            run(monkeypatch, str(tmp_path))
    assert ended.value.code == (
        "nothing written: Too many requests. The service counts the requests of all programs that"
        " use the token: wait for one hour at most"
    )
