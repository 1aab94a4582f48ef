"""The script beside the notebooks: all files are new, or none was touched."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd

from budgetframe import BudgetFrame

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


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if k != "BUDGETFRAME_TOKEN"}
    return subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(SCRIPT), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**inherited, **environment},
        timeout=120,
        check=False,
    )


def test_all_files_are_written(tmp_path: Path) -> None:
    ended = run("--sandbox", str(tmp_path))
    assert ended.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    assert ended.stdout.splitlines()[0] == "ledger.parquet: 1,680 rows"


def test_what_is_read_back_is_the_ledger(tmp_path: Path) -> None:
    run("--sandbox", str(tmp_path))
    ledger = BudgetFrame.sandbox().ledger()
    again = pd.read_parquet(tmp_path / "ledger.parquet")
    assert again.compare(ledger).empty  # which takes None for missing too, as pandas 2 reads it
    assert again.dtypes.equals(ledger.dtypes)


def test_without_a_token_nothing_is_touched(tmp_path: Path) -> None:
    (tmp_path / "ledger.parquet").write_text("yesterday's")
    ended = run(str(tmp_path))
    assert ended.returncode == 1
    assert ended.stderr.startswith("nothing written: ")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["yesterday's"]
