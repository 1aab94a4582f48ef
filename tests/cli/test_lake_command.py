"""The command ``budgetframe lake``."""

import json
import re
from datetime import UTC, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from budgetframe._cli.options import json_lines
from budgetframe._client.service_clock import utc_now
from budgetframe.lake import Lake, Source
from budgetframe.lake.storage import LakeAddress
from budgetframe.lake.sync import sync_lake
from budgetframe.lake.turn import turn
from budgetframe.lake.writer import create_lake
from budgetframe.reports import payees
from budgetframe.sandbox import Sandbox, serve
from tests.cli import main
from tests.limits import forget_limits


@pytest.fixture(autouse=True)
def new_limits() -> None:
    forget_limits()


@pytest.mark.slow  # each action reads or writes all tables
def test_each_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    sandbox, lake = Sandbox(years=1), Lake(tmp_path / "lake")
    with serve(sandbox) as url:
        ids = lake.sync([Source("Anna", sandbox.token, base_url=url)])["budget_id"].tolist()

    def run(*arguments: str) -> str:
        action, *rest = arguments
        assert main(["lake", action, str(tmp_path / "lake"), *rest]) == 0
        return capsys.readouterr().out

    with subtests.test(action="status"):
        head, first, second, last = run("status").splitlines()
        assert head.split() == [
            "source", "budget_name", "status", "row_count", "as_of", "tried_at", "checked_at",
            "budget_id",
        ]  # fmt: skip
        assert first.split()[:4] == ["Anna", "Household", "ok", "2065"]
        assert second.split()[-1] == ids[1]
        assert last.startswith("1 sync; the last one ended at 20")
        assert last.endswith(": ok")
        lines = [*map(json.loads, run("status", "--json").splitlines())]
        assert [each.get("budget_id") for each in lines] == [*ids, None]
        assert lines[2]["run"]["changed"] == 2
    with subtests.test(action="views"):
        path, _, text = run("views").partition(": ")
        assert text == "run it in DuckDB\n"
        database = duckdb.connect()
        database.execute(Path(path).read_text(encoding="utf-8"))
        assert database.sql("select count(*) from budgets").fetchall() == [(2,)]
        out = tmp_path / "elsewhere.sql"
        assert run("views", "--mount", "/mnt", "--out", str(out)) == f"{out}: run it in DuckDB\n"
        assert "'/mnt/ledger/bucket=" in out.read_text("utf-8")
    with subtests.test(action="compact"):
        with turn(LakeAddress.of(tmp_path / "lake", None)):
            assert main(["lake", "compact", str(tmp_path / "lake")]) == 75
        assert "another process or thread is changing the lake" in capsys.readouterr().err
        assert run("compact") == "The small files of each bucket are joined.\n"
    with subtests.test(action="export"):
        out = tmp_path / "anna.zip"
        assert run("export", "Household", str(out)).startswith(f"{out}: 0.")
    with subtests.test(action="rebuild"):
        assert run("rebuild", "--buckets", "1") == "2 budgets written again.\n"
        assert lake._snapshot().buckets == 1
    with subtests.test(action="forget"):
        text = run("forget", "Household", "--block")
        files = [path for path in (tmp_path / "lake").rglob("*") if path.is_file()]
        left = len(files) - 1  # without `_lease/lock`
        head, tail = f"{ids[0]}: ", f"; 0 of {left} files that are left contain it.\n"
        assert re.fullmatch(rf"{head}\d\d\d files deleted{tail}", text)
        assert "blocked" in run("status")
        assert lake.status()["status"].tolist() == ["blocked", "ok"]
    with subtests.test(action="vacuum"):
        assert run("vacuum", "--keep-hours", "1") == "0 files deleted.\n"
        assert run("vacuum").endswith(" files deleted.\n")
    with subtests.test(action="allow"):
        assert run("allow", ids[0]) == "The next sync reads the budget.\n"
        assert lake.status()["status"].tolist() == ["ok"]


def test_the_status_of_an_unread_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sandbox, lake = Sandbox(years=1, budgets=1), Lake(tmp_path / "lake")
    with serve(sandbox) as url:
        lake.sync([Source("Anna\u2028B", "a-wrong-token", base_url=url)])
    assert main(["lake", "status", str(tmp_path / "lake")]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[1:3] == ["refused", "0"]
    assert main(["lake", "status", "--json", str(tmp_path / "lake")]) == 0
    lines = capsys.readouterr().out.rstrip("\n").split("\n")
    assert [json.loads(line).get("source") for line in lines] == ["Anna\u2028B", None]


def test_a_budget_that_was_not_found_up_to_date_for_long_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox, path = Sandbox(years=1), str(tmp_path / "lake")

    def status(*options: str) -> tuple[int, list[str]]:
        return main(["lake", "status", path, *options]), capsys.readouterr().out.splitlines()

    with serve(sandbox) as url:
        anna, ben = (
            Source(name, sandbox.token, budgets=[budget.budget.name], base_url=url)
            for name, budget in zip(("Anna", "Ben"), sandbox.budgets, strict=True)
        )
        create_lake(Lake(path)._address, 1)
        assert status("--max-age", "26") == (4, [
            "0 of 0 budgets not found up to date within 26 hours", "No sync has ended.",
        ])  # fmt: skip
        options: Any = {"concurrency": 1, "verify": True, "partial": True}
        for source, age in ((anna, timedelta(hours=50)), (ben, timedelta(hours=-50))):
            time = utc_now() - age
            sync_lake(Lake(path)._address, [source], now=partial(time.astimezone, UTC), **options)
        code, (head, _, first, second, _) = status("--max-age", "26")
        assert (code, head) == (4, "2 of 2 budgets not found up to date within 26 hours")
        assert first.split()[:4] == ["Anna", "Household", "50.0", "ok"]
        assert second.split()[:4] == ["Ben", "東京の家計", "-50.0", "ok"]
        code, lines = status("--max-age", "26", "--json")
        hours = [json.loads(each).get("hours") for each in lines]
        assert (code, hours) == (4, [50, -50, None, None])
        assert status("--max-age", "51")[0] == 0
        Lake(path).sync([anna])
    code, lines = status("--max-age", "26")
    assert (code, lines[0]) == (0, "0 of 1 budget not found up to date within 26 hours")
    Lake(path).sync([Source("Files", exports=tmp_path / "none")], partial=True)
    code, lines = status("--max-age", "26")
    assert (code, lines[0]) == (4, "1 of 2 budgets not found up to date within 26 hours")
    assert lines[2].endswith(f"{tmp_path / 'none'} cannot be read: No such file or directory")


def test_forget_and_vacuum_delete_the_results_of_reports_in_a_folder(tmp_path: Path) -> None:
    sandbox, cache = Sandbox(years=1), tmp_path / "cache"
    lake = Lake(tmp_path / "lake", cache_dir=cache)
    with serve(sandbox) as url:
        lake.sync([Source("Anna", sandbox.token, base_url=url)], buckets=1)
    for action, *budget in (["vacuum"], ["forget", "Household"]):
        lake.report(payees)
        assert len([*cache.glob("budgetframe-reports/*")]) == 1
        where = ["--cache-dir", str(cache), str(tmp_path / "lake")]
        assert main(["lake", action, *where, *budget]) == 0
        assert [*cache.glob("budgetframe-reports/*")] == []


def test_a_mount_needs_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["lake", "views", str(tmp_path / "lake"), "--mount", "/mnt"])
    assert "give both --mount and --out, or neither" in capsys.readouterr().err


def test_every_action_says_that_there_is_no_lake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for action in ("status", "views", "compact", "vacuum", "rebuild"):
        with subtests.test(action=action):
            assert main(["lake", action, str(tmp_path / "none")]) == 1
            assert capsys.readouterr().err.startswith("budgetframe lake: there is no lake at ")


def test_json_has_a_line_for_each_row_in_every_encoding() -> None:
    names = pd.DataFrame({"budget_name": ["Caf\u00e9\u2028", "\u5bb6\u8a08"]})
    assert json_lines(names, "run").splitlines() == [
        r'{"run":{"budget_name":"Caf\u00e9\u2028"}}',
        r'{"run":{"budget_name":"\u5bb6\u8a08"}}',
    ]
