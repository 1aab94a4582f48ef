"""A lake of the budgets in the export files of a folder."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.lake import Lake, Source, read_sources
from budgetframe.lake.columns import FRAMES
from budgetframe.lake.sync import sync_lake
from budgetframe.lake.writer import create_lake
from tests.app_export_files import FORMATS, app_export, whole_budget, write_zip
from tests.facade.service import EMPTY_EXPORT

from .service import EURO, YEN, Service, plain
from .test_reads import in_june


def write(path: Path, second: int = 0, **fields: Any) -> Path:
    """Write the file of a budget without rows, which was changed in this second of a day."""
    path.write_text(json.dumps({"budget": {**EMPTY_EXPORT, **fields}}), encoding="utf-8")
    seconds = pd.Timestamp(2026, 5, 17, 12, 0, second, tz="UTC").timestamp()
    os.utime(path, (seconds, seconds))
    return path


def outcome(result: pd.DataFrame) -> list[tuple[str, str, bool]]:
    """The name, status and change of each budget."""
    columns = ["budget_name", "status", "changed"]
    return [(name, status, changed) for name, status, changed in result[columns].to_numpy()]


def day_of(lake: Lake, budget: str) -> str:
    return str(lake.frame("accounts", budget=budget).attrs["as_of"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    return folder


def test_the_tables_are_those_of_the_service(
    service: Service, lake: Lake, new_lake: Lake, folder: Path
) -> None:
    service.facade(EURO).save_export(folder / "euro.json")
    service.facade(YEN).save_export(folder / "yen.json.gz")
    result = new_lake.sync([Source("archive", exports=folder)], buckets=4)
    assert result["status"].tolist() == ["ok", "ok"]
    assert result["requests"].tolist() == [0, 0]
    for name in FRAMES:
        for budget in (EURO, YEN):
            here, there = (each.frame(name, budget=budget) for each in (new_lake, lake))
            pd.testing.assert_frame_equal(plain(here), plain(there))


@pytest.mark.filterwarnings("ignore:.*does not state")
def test_exports_of_the_app_are_read(service: Service, new_lake: Lake, folder: Path) -> None:
    texts = app_export(whole_budget(service.sandbox, EURO), FORMATS["euro"], "%Y-%m-%d")
    name = "Home as of 2026-06-17 10-15.zip"
    write_zip(folder, dict(zip(("Register.csv", "Plan.csv"), texts, strict=True)), name)
    for changed in (True, False):
        result = new_lake.sync([Source("archive", exports=folder)])
        assert outcome(result) == [("Home", "ok", changed)]
    here, there = new_lake.frame("ledger", budget="Home"), service.facade(EURO).ledger()
    assert sorted(here["amount"]) == sorted(there["amount"])


def test_a_sync_of_unchanged_files_writes_no_rows(folder: Path, new_lake: Lake) -> None:
    write(folder / "home.json", id="b1", name="Home")
    source = Source("archive", exports=folder)
    assert outcome(new_lake.sync([source])) == [("Home", "ok", True)]
    before = sorted(Path(new_lake._address.uri).rglob("bucket=*/*"))
    assert outcome(new_lake.sync([source])) == [("Home", "ok", False)]
    assert sorted(Path(new_lake._address.uri).rglob("bucket=*/*")) == before


def test_the_newest_file_of_a_budget_counts(folder: Path, new_lake: Lake) -> None:
    write(folder / "1.json", 2, id="b1", name="Home", accounts=[account("a1")])
    write(folder / "2.json", 1, id="b1", name="Earlier name")
    source = Source("archive", exports=folder, verify=False)
    assert outcome(new_lake.sync([source])) == [("Home", "ok", True)]
    assert day_of(new_lake, "Home") == "2026-05-17T12:00:02+00:00"
    write(folder / "3.json", 3, id="b1", name="Home")
    assert outcome(new_lake.sync([source])) == [("Home", "ok", True)]
    assert day_of(new_lake, "Home") == "2026-05-17T12:00:03+00:00"
    assert len(new_lake.frame("accounts", budget="Home")) == 0  # it replaces and does not merge


def test_a_file_that_cannot_be_read_is_one_failure_and_the_others_are_read(
    folder: Path, new_lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budgetframe.lake.sync._MAX_BYTES", -1)  # several commits
    good = write(folder / "good.json", id="b1", name="Good")
    (folder / "damaged.json.gz").write_bytes(gzip.compress(b'{"data": ')[:-1])
    (folder / "link.json").symlink_to(good)
    (folder / "other.json").write_text('{"kind": "invoice"}', "utf-8")
    (folder / "notes.txt").write_text("no budget", "utf-8")
    (folder / "older").mkdir()
    write(folder / "older" / "old.json", id="b2", name="Old")
    write(folder / "number.json", id=5, name="Number")
    write(folder / "lists.json", id="b3", name="Lists", payees=5)
    source = Source("archive", exports=folder)
    result = new_lake.sync([source])
    assert outcome(result) == [
        ("Good", "ok", True), ("Lists", "invalid", False), ("damaged.json.gz", "failed", False),
        ("link.json", "failed", False), ("number.json", "failed", False),
        ("other.json", "failed", False),
    ]  # fmt: skip
    assert result["budget_id"].tolist() == ["b1", "b3", "", "", "", ""]
    logged = new_lake.status()[["budget_name", "status", "reason"]]
    assert logged.equals(result[["budget_name", "status", "reason"]])
    reasons = result.set_index("budget_name")["reason"]
    assert reasons["link.json"] == f"{folder / 'link.json'} is a link: name the file itself"
    assert (
        reasons["number.json"]
        == f"{folder / 'number.json'} has id=5, which is not a text of at most 200 characters"
    )
    assert reasons["Lists"].startswith("payees: the export has payees=5, which is not a list")
    for name in ("damaged.json.gz", "link.json", "number.json", "other.json", "lists.json"):
        (folder / name).unlink()
    assert outcome(new_lake.sync([source])) == [("Good", "ok", False), ("Lists", "left", False)]
    assert new_lake.status()["status"].tolist() == ["ok", "left"]


def test_a_file_that_cannot_be_read_may_be_that_of_a_budget(folder: Path, new_lake: Lake) -> None:
    write(folder / "a.json", id="b1", name="Home")
    source = Source("archive", exports=folder)
    new_lake.sync([source])
    (folder / "a.json").write_text("{", "utf-8")
    missing = [("Home", "missing", False), ("a.json", "failed", False)]
    assert outcome(new_lake.sync([source])) == outcome(new_lake.sync([source])) == missing
    assert new_lake.status()["budget_name"].tolist() == ["Home", "a.json"]
    new_lake.forget("Home")  # the file is probably its own
    assert new_lake.status().empty


def test_an_older_file_does_not_replace_the_rows_of_another_source(
    service: Service, lake: Lake, folder: Path
) -> None:
    count = len(lake.frame("ledger", budget=EURO))
    write(folder / "old.json", id=service.id_of(EURO), name=EURO)
    archive = Source("archive", exports=folder)
    refused = service.source(token="a-wrong-token")
    for sources, partial, rows in (([refused, archive], False, 4102), ([archive], True, 2065)):
        result = lake.sync(sources, partial=partial)
        assert result.attrs["run"]["row_count"] == rows  # of both budgets, or of one
        row = result.set_index("source").loc["archive"]
        assert (row["status"], row["requests"], row["changed"]) == ("duplicate", 0, False)
        assert row["reason"] == "the lake has newer rows of the source 'A' than this file"
        assert len(lake.frame("ledger", budget=EURO)) == count
    assert outcome(lake.sync([archive]))[0] == (EURO, "ok", True)  # its only source now


def account(key: str) -> dict[str, Any]:
    return {"id": key, "name": "Wallet", "type": "cash", "on_budget": True, "closed": False}


def test_budgets_without_ids_have_one_of_source_name_and_start(
    folder: Path, new_lake: Lake
) -> None:
    other = folder.parent / "other"
    other.mkdir()
    sources = [Source("Anna", exports=folder), Source("Ben", exports=other)]
    for path, key in ((folder, "a1"), (other, "b1")):
        write(path / "budget.json", name="Home", first_month="2025-01-01", accounts=[account(key)])
    first = new_lake.sync(sources)
    assert outcome(first) == [("Home", "ok", True), ("Home", "ok", True)]
    assert first["budget_id"].nunique() == 2
    rows = new_lake.accounts(["account_id", "budget_id"]).compute()
    assert sorted(rows["account_id"]) == ["a1", "b1"]
    # The same budget a month later, another one with its name and start, and one of another start.
    home: dict[str, Any] = {"name": "Home", "first_month": "2025-01-01"}
    write(folder / "later.json", 5, **home, accounts=[account("a1"), account("a2")])
    write(folder / "like.json", **home, accounts=[account("c1")])
    write(folder / "new.json", **{**home, "first_month": "2026-01-01"})
    second = new_lake.sync(sources)
    assert [*zip(second["source"], second["budget_name"], second["status"], strict=True)] == [
        ("Anna", "Home", "ok"), ("Anna", "Home", "ok"), ("Anna", "like.json", "failed"),
        ("Ben", "Home", "ok"),
    ]  # fmt: skip
    assert second["reason"][2].startswith(f"{folder / 'like.json'} has no id, and the name and sta")
    # Half of the accounts of the smaller one are enough, and none if it has none.
    accounts = [account(each) for each in ("a2", "a3", "a4", "a5")]
    write(folder / "newest.json", 7, **home, accounts=accounts)
    write(other / "new.json", 7, **home)
    write(folder / "like2.json", 8, **home, accounts=[account(each) for each in ("a2", "b", "c")])
    third = new_lake.sync(sources)
    assert [name for name, status, _ in outcome(third) if status == "failed"] == [
        "like.json",
        "like2.json",
    ]
    rows = new_lake.accounts(["account_id", "budget_id"]).compute().set_index("account_id")
    assert sorted(rows.index) == ["a2", "a3", "a4", "a5"]
    assert rows["budget_id"]["a2"] == first["budget_id"][0]


def test_files_without_ids_and_names_have_the_names_of_the_files(
    folder: Path, new_lake: Lake
) -> None:
    write(folder / "2023.json")
    write(folder / "2024 (copy).json", name=None, id="")
    result = new_lake.sync([Source("archive", exports=folder)])
    assert outcome(result) == [("2023", "ok", True), ("2024 (copy)", "ok", True)]
    assert result["budget_id"].nunique() == 2


def test_a_budget_moves_to_a_token_and_back(service: Service, new_lake: Lake, folder: Path) -> None:
    service.facade(EURO).save_export(folder / "euro.json")  # in June, as the syncs
    create_lake(new_lake._address, 1)

    def sync(source: Source) -> pd.DataFrame:
        return sync_lake(new_lake._address, [source], concurrency=1, verify=True, now=in_june)

    archive, token = Source("archive", exports=folder), service.source(budgets=[EURO])
    assert outcome(sync(archive)) == [(EURO, "ok", True)]
    service.spend(-5.5)
    count = len(new_lake.frame("transactions", budget=EURO))
    result = sync(token)
    assert outcome(result) == [(EURO, "ok", True)]
    assert result["requests"].tolist() == [1]  # none for the changes since the version of a file
    assert len(new_lake.frame("transactions", budget=EURO)) == count + 1
    assert outcome(sync(archive)) == [(EURO, "ok", True)]
    assert len(new_lake.frame("transactions", budget=EURO)) == count


@pytest.mark.parametrize(
    ("name", "reason"), [("missing", "cannot be read: No such file"), ("archive", "has no files")]
)
def test_an_empty_folder_is_a_failure(name: str, reason: str, folder: Path, new_lake: Lake) -> None:
    result = new_lake.sync([Source("archive", exports=folder.parent / name)])
    assert outcome(result) == [("", "failed", False)]
    assert result["reason"].item().startswith(f"{folder.parent / name} {reason}")


def test_a_source_has_either_a_token_or_a_folder(tmp_path: Path) -> None:
    for options, problem in (
        ({}, "needs either a token, or exports=, a folder"),
        ({"token": "t", "exports": "x"}, "needs either a token, or exports=, a folder"),
        ({"exports": 5}, "exports=5 of the source 'A': give the path of a folder, and no base_url"),
        ({"exports": "x", "base_url": "http://127.0.0.1"}, "and no base_url"),
    ):
        with pytest.raises(ToolError, match=problem):
            Source("A", **options)
    path = tmp_path / "sources.toml"
    path.write_text('[[source]]\nname = "archive"\nexports = "files"\nverify = false', "utf-8")
    (source,) = read_sources(path)
    assert (source.exports, source.verify) == (tmp_path / "files", False)
