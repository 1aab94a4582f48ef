"""The script beside the notebooks: it replaces all files or none.

Notebook 10 runs the script as a process, so these tests run it in this process.
"""

import io
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pandas as pd
import pytest

from budgetframe import BudgetFrame

SCRIPT = Path(__file__).parents[2] / "notebooks" / "refresh_parquet.py"


def run(patch: pytest.MonkeyPatch, *arguments: str) -> None:
    patch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    runpy.run_path(str(SCRIPT), run_name="__main__")


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
    assert sorted(path.name for path in folder.iterdir()) == [
        "accounts.parquet",
        "categories.parquet",
        "ledger.parquet",
        "month_categories.parquet",
        "months.parquet",
        "payees.parquet",
        "scheduled_transactions.parquet",
    ]
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
