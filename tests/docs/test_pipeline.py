"""The script beside the notebooks: it writes a whole set of files or nothing.

Notebook 16 runs the script as a process, so these tests run it in this process.
"""

import io
import json
import re
import runpy
import signal
import sys
from contextlib import redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest
import respx

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox, serve
from tests.facade.scripts import run_script

SCRIPT = Path(__file__).parents[2] / "notebooks" / "refresh_parquet.py"


FILES = [
    "accounts.parquet", "categories.parquet", "ledger.parquet", "month_categories.parquet",
    "months.parquet", "payees.parquet", "scheduled_transactions.parquet",
]  # fmt: skip
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


def run(patch: pytest.MonkeyPatch, *arguments: str) -> Any:
    """Run the script in this process, and return its exit status."""
    patch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(SCRIPT), run_name="__main__")
    finally:
        signal.signal(signal.SIGTERM, before)
    return ended.value.code


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def sets_in(folder: Path) -> list[str]:
    return [name for name in names_in(folder) if name.startswith("set-")]


def manifest_in(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return content


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the script wrote, and the output of the script."""
    folder, output = tmp_path_factory.mktemp("parquet"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
        assert run(patch, "--sandbox", str(folder)) == 0
    return folder, output.getvalue()


def test_all_files_of_a_set_are_written(refreshed: tuple[Path, str]) -> None:
    folder, output = refreshed
    manifest = manifest_in(folder)
    assert names_in(folder) == ["manifest.json", manifest["set"]]
    assert names_in(folder / manifest["set"]) == FILES
    assert sorted(manifest["files"].values()) == [f"{manifest['set']}/{each}" for each in FILES]
    assert manifest["as_of"] == "2026-06-17T12:00:00+00:00"
    assert output.splitlines()[0] == "ledger: 1,680 rows"
    assert output.splitlines()[-1] == "2 requests, as of 2026-06-17T12:00:00+00:00"


def test_the_file_of_the_ledger_equals_the_ledger(refreshed: tuple[Path, str]) -> None:
    ledger, folder = BudgetFrame.sandbox().ledger(), refreshed[0]
    from_file = pd.read_parquet(folder / manifest_in(folder)["files"]["ledger"])
    # pandas 2 reads None for missing texts; compare ignores it
    assert ledger.compare(from_file).empty
    assert from_file.dtypes.equals(ledger.dtypes)


def test_the_set_before_stays_for_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = []
    for number in range(3):
        assert run(monkeypatch, "--sandbox", str(tmp_path)) == 0
        sets.append(manifest_in(tmp_path)["set"])
        assert sets_in(tmp_path) == sorted(sets[-2:]), number
    assert len({*sets}) == 3


def test_without_a_token_no_file_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.json").write_text("yesterday's", "utf-8")
    monkeypatch.delenv("BUDGETFRAME_TOKEN", raising=False)
    # An imported ipykernel would mean that the script may ask a person for the token.
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert run(monkeypatch, str(tmp_path)) == 1
    assert capsys.readouterr().err.startswith("nothing written: no token")
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["yesterday's"]


@pytest.mark.posix
def test_a_script_that_is_terminated_leaves_nothing_behind(tmp_path: Path) -> None:
    ended = run_script(STOPPED, SIGNAL=f"{signal.SIGTERM:d}", FOLDER=str(tmp_path))
    assert (ended.code, ended.err) == (1, "nothing written: the script was terminated\n")
    assert names_in(tmp_path) == []


def test_a_damaged_manifest_and_other_files_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "manifest.json").write_text("{", "utf-8")
    (tmp_path / "set-of-photos").mkdir()
    (tmp_path / "set-12345678").write_text("a file", "utf-8")
    assert run(monkeypatch, "--sandbox", str(tmp_path)) == 0
    left = ["manifest.json", "set-12345678", manifest_in(tmp_path)["set"], "set-of-photos"]
    assert names_in(tmp_path) == sorted(left)


@pytest.mark.posix
def test_the_next_run_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_script(STOPPED, SIGNAL=f"{signal.SIGKILL:d}", FOLDER=str(tmp_path)).code == -9
    assert (len(sets_in(tmp_path)), len(names_in(tmp_path))) == (1, 1)
    run(monkeypatch, "--sandbox", str(tmp_path))
    assert names_in(tmp_path) == ["manifest.json", manifest_in(tmp_path)["set"]]


def test_a_reached_limit_has_its_own_status_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "a-token-of-this-test")
    error = {"id": "429", "name": "too_many_requests", "detail": "Too many requests"}
    with respx.mock(base_url="https://api.ynab.com/v1") as router:
        router.get("/budgets").respond(429, json={"error": error})
        assert run(monkeypatch, "--json", str(tmp_path)) == 75
    output = capsys.readouterr()
    result = json.loads(output.out)
    assert (result["status"], result["retry_after"]) == ("limit", 3600)
    assert output.err.startswith("nothing written: Too many requests. ")
    assert re.search(r"Run the script again at \d\d:\d\d UTC$", output.err.strip())
    assert names_in(tmp_path) == []


def test_with_a_cache_folder_a_run_reads_what_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "sandbox-token")
    # Its month is that of this machine, as for a real service: else, the run reads in full.
    today = datetime.now(UTC).date()
    service = Sandbox(token="sandbox-token", years=1, budgets=1, today=today)
    folder, cache = tmp_path / "parquet", tmp_path / "cache"
    sent: list[httpx.URL] = []
    send = httpx.AsyncHTTPTransport.handle_async_request

    async def recorded(self: Any, request: httpx.Request) -> httpx.Response:
        sent.append(request.url)
        return await send(self, request)

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", recorded)
    with serve(service) as url:
        arguments = ("--base-url", url, "--cache-dir", str(cache), "--json", str(folder))
        assert run(monkeypatch, *arguments) == 0
        before = manifest_in(folder)["rows"]["ledger"]
        key = BudgetFrame.sandbox(service, progress=False).accounts()["account_id"].iloc[0]
        service.device.add_transaction(account_id=key, date=service.now().date(), amount=-5_000)
        assert run(monkeypatch, *arguments) == 0
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["status"] for each in results] == ["ok", "ok"]
    assert manifest_in(folder)["rows"]["ledger"] == before + 1
    # The second run knows the budget: its only request is that for the changes of the export.
    assert ["last_knowledge_of_server" in url.params for url in sent] == [False, False, True]
